#include "config.h"

#include "analysis/pipeline/compare_table_private.h"

#include <stdlib.h>
#include <string.h>

static const char *const list_names[] = {
#define LIST_NAME(list, name) name,
    COMPARE_LIST_INFO(LIST_NAME)
#undef LIST_NAME
};

/* What the comparisons say of a line. */

/* The comparison that knows a run's part of a line, and its number there; false: none does. */
static bool find_line(const struct compare_table *t, const struct compare_line *line, int run,
		      const struct compare **r, const struct compare_code **code, int *side)
{
	*side = run == RUN_A ? ALIGN_A : ALIGN_B;
	for (int k = run == RUN_A ? RUN_B : run; k < t->runs; k++) {
		if (line->of[k] != COMPARE_ABSENT) {
			*r = t->with[k];
			*code = &t->with[k]->codes[line->of[k]];
			return true;
		}
		if (run != RUN_A)
			break;
	}
	return false;
}

/* The same; false: the run has nothing of it in the range. */
static bool find_code(const struct compare_table *t, const struct compare_line *line, int run,
		      const struct compare **r, const struct compare_code **code, int *side)
{
	return find_line(t, line, run, r, code, side) && compare_has(*code, *side);
}

static bool has_line(const struct compare_table *t, const struct compare_line *line, int run)
{
	const struct compare_code *c;
	const struct compare *r;
	int side;

	return find_code(t, line, run, &r, &c, &side);
}

uint64_t compare_line_count(const struct compare_table *t, const struct compare_line *line, int run)
{
	const struct compare_code *c;
	const struct compare *r;
	int side;

	return find_code(t, line, run, &r, &c, &side) ? c->count[side] : 0;
}

int64_t compare_line_cycles(const struct compare_table *t, const struct compare_line *line, int run)
{
	const struct compare_code *c;
	const struct compare *r;
	int side;

	return find_code(t, line, run, &r, &c, &side) ? c->cycles[side] : 0;
}

int64_t compare_table_delta(const struct compare_table *t, const struct compare_line *line, int run)
{
	return compare_line_cycles(t, line, run) - compare_line_cycles(t, line, RUN_A);
}

static size_t part_in(const struct compare_table *t, int run, size_t part)
{
	return t->part_of[run == RUN_A ? RUN_B : run][part];
}

int64_t compare_line_part(const struct compare_table *t, const struct compare_line *line, int run,
			  size_t part)
{
	const struct compare_code *c;
	const struct compare *r;
	int side;

	if (!find_code(t, line, run, &r, &c, &side))
		return 0;
	for (int k = RUN_B; k < t->runs; k++) /* A's part of it may be any comparison's */
		if (t->with[k] == r)
			part = t->part_of[k][part];
	return part == SIZE_MAX ? 0 : c->parts[side][part];
}

int64_t compare_table_total(const struct compare_table *t, int run, size_t part)
{
	const struct compare *r = t->with[run == RUN_A ? RUN_B : run];

	part = part_in(t, run, part);
	return part == SIZE_MAX ? 0 : r->totals[run == RUN_A ? ALIGN_A : ALIGN_B][part];
}

/* All that the stores keep no text of: stalls say so, too. */
static const char not_known[] = "(not known)";

bool compare_line_describe_run(const struct compare_table *t, const struct compare_line *line,
			       int run, uint64_t *pc, bool *has_pc, const char **text, size_t *len)
{
	const struct compare_code *c;
	const struct compare *r;
	int side;

	*pc = 0, *has_pc = false, *text = "", *len = 0;
	if (!find_line(t, line, run, &r, &c, &side))
		return false;
	if (store_code(r->al->side[side].store, c->code[side], pc, has_pc, text, len))
		return true;
	if (c->count[side] == 0 && c->cycles[side] == 0)
		return false;
	*text = not_known;
	*len = strlen(not_known);
	return true;
}

/* Of the first run that has it, be it outside of the range. */
bool compare_line_describe(const struct compare_table *t, const struct compare_line *line,
			   uint64_t *pc, bool *has_pc, const char **text, size_t *len)
{
	for (int run = RUN_A; run < t->runs; run++)
		if (compare_line_describe_run(t, line, run, pc, has_pc, text, len))
			return true;
	return false;
}

int compare_table_run(const struct compare_table *t, const struct compare_line *line)
{
	int64_t most = -1;
	int found = RUN_B;

	for (int run = RUN_B; run < t->runs; run++) {
		int64_t change = llabs(compare_table_delta(t, line, run));

		if (line->of[run] == COMPARE_ABSENT || change <= most)
			continue;
		most = change;
		found = run;
	}
	return found;
}

/* Making. */

/* Those of A and B, then what the others have more. */
static void name_parts(struct compare_table *t)
{
	for (int k = RUN_B; k < t->runs; k++)
		for (size_t i = 0; i < t->with[k]->stages; i++) {
			const char *name = t->with[k]->stage_names[i];
			size_t n = 0;

			while (n < t->stages && strcmp(t->part_names[n], name) != 0)
				n++;
			if (n == t->stages)
				t->part_names[t->stages++] = name;
		}
	t->parts = t->stages + COMPARE_PARTS;
	for (int k = RUN_B; k < t->runs; k++) {
		const struct compare *r = t->with[k];

		for (size_t n = 0; n < t->parts; n++)
			t->part_of[k][n] = n < t->stages ? SIZE_MAX : r->stages + n - t->stages;
		for (size_t i = 0; i < r->stages; i++)
			for (size_t n = 0; n < t->stages; n++)
				if (strcmp(t->part_names[n], r->stage_names[i]) == 0)
					t->part_of[k][n] = i;
	}
	for (size_t i = 0; i < COMPARE_PARTS; i++)
		t->part_names[t->stages + i] = compare_part_names[i];
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_text(const char *a, size_t len_a, const char *b, size_t len_b)
{
	size_t least = len_a < len_b ? len_a : len_b;
	int order = least ? memcmp(a, b, least) : 0;

	return order ? order : by_number(len_a, len_b);
}

static int by_name(const struct compare_table *t, const struct compare_line *x,
		   const struct compare_line *y)
{
	const char *text_x, *text_y;
	size_t len_x, len_y;
	uint64_t pc_x, pc_y;
	bool has_pc;

	compare_line_describe(t, x, &pc_x, &has_pc, &text_x, &len_x);
	compare_line_describe(t, y, &pc_y, &has_pc, &text_y, &len_y);
	return pc_x != pc_y ? by_number(pc_x, pc_y) : by_text(text_x, len_x, text_y, len_y);
}

/* A line of one comparison alone: its number. */
static int run_of(const struct compare_table *t, const struct compare_line *line)
{
	int run = RUN_B;

	while (run < t->runs - 1 && line->of[run] == COMPARE_ABSENT)
		run++;
	return run;
}

/* What A has, by A's static instructions; the rest by what it is. */
static int same_first(const void *a, const void *b, void *table)
{
	const struct compare_line *x = a, *y = b;
	const struct compare_table *t = table;
	bool in_x = has_line(t, x, RUN_A), in_y = has_line(t, y, RUN_A);
	int i = run_of(t, x), k = run_of(t, y), order;

	if (in_x != in_y)
		return in_x ? -1 : 1;
	order = in_x ? by_number(t->with[i]->codes[x->of[i]].code[ALIGN_A],
				 t->with[k]->codes[y->of[k]].code[ALIGN_A])
		     : by_name(t, x, y);
	if (!order)
		order = by_number((uint64_t)i, (uint64_t)k);
	return order ? order : by_number(x->of[i], y->of[k]);
}

static bool is_same(const struct compare_table *t, const struct compare_line *x,
		    const struct compare_line *y)
{
	bool in_x = has_line(t, x, RUN_A), in_y = has_line(t, y, RUN_A);
	int i = run_of(t, x), k = run_of(t, y);

	if (in_x != in_y)
		return false;
	return in_x ? t->with[i]->codes[x->of[i]].code[ALIGN_A] ==
			  t->with[k]->codes[y->of[k]].code[ALIGN_A]
		    : by_name(t, x, y) == 0;
}

/* Most changed first; then pc and text, so that equal costs have one order everywhere. */
static int by_change(const void *a, const void *b, void *table)
{
	const struct compare_line *x = a, *y = b;
	const struct compare_table *t = table;
	int64_t change_x = llabs(compare_table_delta(t, x, compare_table_run(t, x)));
	int64_t change_y = llabs(compare_table_delta(t, y, compare_table_run(t, y)));

	if (change_x != change_y)
		return change_x > change_y ? -1 : 1;
	return by_name(t, x, y);
}

/* Lines that are the same become one, if no comparison has both. */
static void join(struct compare_table *t)
{
	size_t n = 0;

	qsort_r(t->lines, t->count, sizeof(*t->lines), same_first, t);
	for (size_t i = 0; i < t->count; i++) {
		int run = run_of(t, &t->lines[i]);

		if (n && t->lines[n - 1].of[run] == COMPARE_ABSENT &&
		    is_same(t, &t->lines[n - 1], &t->lines[i]))
			t->lines[n - 1].of[run] = t->lines[i].of[run];
		else
			t->lines[n++] = t->lines[i];
	}
	t->count = n;
	qsort_r(t->lines, t->count, sizeof(*t->lines), by_change, t);
}

static bool make_lines(struct compare_table *t)
{
	size_t all = 0;

	for (int k = RUN_B; k < t->runs; k++)
		all += t->with[k]->code_count;
	t->lines = calloc(all + 1, sizeof(*t->lines));
	t->order = calloc(all + 1, sizeof(*t->order));
	if (!t->lines || !t->order)
		return false;
	for (int k = RUN_B; k < t->runs; k++)
		for (size_t i = 0; i < t->with[k]->code_count; i++) {
			struct compare_line *line = &t->lines[t->count++];

			memset(line, 0xff, sizeof(*line)); /* COMPARE_ABSENT */
			line->of[k] = (uint32_t)i;
		}
	if (t->runs > RUNS_LEAST)
		join(t);
	return true;
}

void compare_table_list(struct compare_table *t, enum compare_list list)
{
	t->people.key = list_names[list];
	t->shown = 0;
	for (size_t i = 0; i < t->count; i++) {
		size_t n = list == COMPARE_LIST_GAINED ? t->count - 1 - i : i;
		int64_t delta = compare_table_delta(t, &t->lines[n], RUN_B);

		t->order[i] = (uint32_t)n;
		if (list == COMPARE_LIST_ALL || list == COMPARE_LIST_CHANGED ||
		    (list == COMPARE_LIST_LOST ? delta > 0 : delta < 0))
			t->shown++;
	}
}

bool compare_table_new(struct compare_table *t, const struct compare *const with[], int runs,
		       bool wide)
{
	*t = (struct compare_table){.runs = runs};
	for (int k = RUN_B; k < runs; k++)
		t->with[k] = with[k];
	name_parts(t);
	if (!make_lines(t)) {
		compare_table_free(t);
		return false;
	}
	compare_fields_make(t, wide);
	compare_table_list(t, COMPARE_LIST_ALL);
	return true;
}

void compare_table_free(struct compare_table *t)
{
	free(t->lines);
	free(t->order);
	t->lines = NULL;
	t->order = NULL;
	t->count = t->shown = 0;
}
