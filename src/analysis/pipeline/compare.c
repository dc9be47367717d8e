#include "config.h"

#include "analysis/pipeline/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare_private.h"

const char *const compare_part_names[COMPARE_PARTS] = {
#define PART_NAME(part, name) name,
    COMPARE_PART_INFO(PART_NAME)
#undef PART_NAME
};

/* The stages of A, then those that only B has. */
static void name_parts(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct align_side *side = &r->al->side[s];
		size_t count = store_stage_count(side->store);

		for (size_t i = 0; i < count && i < STAGE_MAX; i++) {
			r->part_of[s][i] = side->stage_of[i];
			if (side->stage_of[i] != STAGE_NONE && s != ALIGN_A)
				continue;
			r->part_of[s][i] = (uint8_t)r->stages;
			r->stage_names[r->stages++] = store_stage(side->store, i)->name;
		}
	}
	r->parts = r->stages + COMPARE_PARTS;
}

static bool make_cells(struct compare *r)
{
	int64_t *cell;

	r->cells = calloc((r->slot_count + 1) * ALIGN_SIDES, r->parts * sizeof(*r->cells));
	r->slots = calloc(r->slot_count, sizeof(*r->slots));
	r->codes = calloc(r->slot_count, sizeof(*r->codes));
	cell = r->cells;
	if (!r->cells || !r->slots || !r->codes)
		return false;
	for (size_t i = 0; i <= r->slot_count; i++)
		for (int s = 0; s < ALIGN_SIDES; s++, cell += r->parts) {
			if (i == r->slot_count) {
				r->totals[s] = cell;
				continue;
			}
			r->slots[i].parts[s] = cell;
			r->slots[i].code[s] = CODE_NONE;
		}
	return true;
}

/* pc and text of a line: A's where A has it. */
static bool describe(const struct compare *r, const struct compare_code *c, uint64_t *pc,
		     bool *has_pc, const char **text, size_t *len)
{
	int side = c->code[ALIGN_A] != CODE_NONE ? ALIGN_A : ALIGN_B;

	*pc = 0, *has_pc = false, *text = "", *len = 0;
	return store_code(r->al->side[side].store, c->code[side], pc, has_pc, text, len);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_name(const struct compare *r, const struct compare_code *x,
		   const struct compare_code *y)
{
	const char *text_x, *text_y;
	size_t len_x, len_y;
	uint64_t pc_x, pc_y;
	bool has_pc;
	int order;

	describe(r, x, &pc_x, &has_pc, &text_x, &len_x);
	describe(r, y, &pc_y, &has_pc, &text_y, &len_y);
	if (pc_x != pc_y)
		return by_number(pc_x, pc_y);
	order = memcmp(text_x, text_y, len_x < len_y ? len_x : len_y);
	return order ? order : by_number(len_x, len_y);
}

/* Most cycles lost first; then pc and text, so that equal costs have one order everywhere. */
static int by_loss(const void *a, const void *b, void *result)
{
	const struct compare_code *x = a, *y = b;
	int64_t lost_x = compare_delta(x), lost_y = compare_delta(y);

	return lost_x != lost_y ? (lost_x > lost_y ? -1 : 1) : by_name(result, x, y);
}

/* Of two static instructions of a side, by pc and text. */
static bool comes_before(const struct compare *r, int side, uint32_t x, uint32_t y)
{
	struct compare_code code = {.code = {CODE_NONE, CODE_NONE}}, other = code;

	code.code[side] = x;
	other.code[side] = y;
	return by_name(r, &code, &other) < 0;
}

/*
 * Whatever the range, and whichever was numbered first, a line is named after the first of those
 * that share it. The last one, of all whose text is not kept, has no name.
 */
static void name_slots(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (size_t i = 0; i < r->al->side[s].codes; i++) {
			const size_t slot = r->slot_of[s][i];
			uint32_t *named = &r->slots[slot].code[s];

			if (slot + 1 < r->slot_count &&
			    (*named == CODE_NONE || comes_before(r, s, (uint32_t)i, *named)))
				*named = (uint32_t)i;
		}
}

static void collect(struct compare *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		if (compare_has(&r->slots[i], ALIGN_A) || compare_has(&r->slots[i], ALIGN_B))
			r->codes[r->code_count++] = r->slots[i];
	qsort_r(r->codes, r->code_count, sizeof(*r->codes), by_loss, r);
}

/* Committed rows of the matched steps; where one side has more micro-ops, the lesser number. */
static bool count_matched(struct compare *r, const struct compare_stretch *x,
			  const atomic_bool *stop)
{
	const struct align *al = r->al;
	struct path_cursor c[ALIGN_SIDES] = {0};
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++)
		ok = ok && path_cursor_new(&c[s], al->side[s].path);
	for (size_t i = 0; ok && i < al->diff.runs.count; i++) {
		const struct run *run = &al->diff.runs.data[i];

		for (uint64_t k = 0; k < run->length && !(stop && *stop); k++) {
			const struct path_step *p, *q;

			if (run->a + k < x->from || run->a + k >= x->over)
				continue;
			p = path_at(&c[ALIGN_A], run->a + k);
			q = path_at(&c[ALIGN_B], run->b + k);
			if (p && q)
				r->matched += p->rows < q->rows ? p->rows : q->rows;
		}
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&c[s]);
	return ok;
}

/* Do the stretches begin in what only one side has? */
static bool begins_apart(const struct align *al, const struct compare_stretch x[ALIGN_SIDES],
			 struct difference *out)
{
	static const unsigned only[ALIGN_SIDES] = {1U << DIFFERENCE_ONLY_A,
						   1U << DIFFERENCE_ONLY_B};

	*out = (struct difference){.row = {ROW_NONE, ROW_NONE}};
	for (int s = ALIGN_SIDES; s-- > 0;) {
		const struct path *path = al->side[s].path;
		uint64_t pair, index = x[s].from;

		if (index >= x[s].to || align_pair_of(al, s, index, &pair))
			continue;
		out->kinds |= only[s];
		out->row[s] = path_row(path, index);
		out->side = s;
		while (index < x[s].to && !align_pair_of(al, s, index, &pair))
			index++;
		out->steps[s] = index - x[s].from;
	}
	return out->kinds != 0;
}

/* The first one behind the step before the stretch of A, if it is not behind the stretches. */
static enum status find_first(struct compare *r, const struct compare_stretch x[ALIGN_SIDES],
			      const atomic_bool *stop, struct error *e)
{
	const struct path *path = r->al->side[ALIGN_A].path;
	uint64_t from = x[ALIGN_A].from, row = from ? path_row(path, from - 1) : ROW_NONE;
	struct differ d;
	enum status status;

	if (begins_apart(r->al, x, &r->first))
		return STATUS_OK;
	if (!differ_new(&d, r->al, stop))
		return error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	status = differ_next(&d, ALIGN_A, row, 1, DIFFERENCE_ALL, &r->first, e);
	differ_free(&d);
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (r->first.row[s] != ROW_NONE &&
		    path_rank(r->al->side[s].path, r->first.row[s]) >= x[s].to)
			r->first.kinds = 0;
	for (int s = 0; s < ALIGN_SIDES && !r->first.kinds; s++)
		r->first.row[s] = ROW_NONE;
	return status;
}

static enum status make(struct compare *r, const struct compare_range *range,
			const atomic_bool *stop, struct error *e)
{
	struct compare_stretch stretch[ALIGN_SIDES];
	enum status status = compare_slots(r, stop, e);

	if (!status && !make_cells(r))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	if (!status)
		name_slots(r);
	if (!status)
		status = compare_stretches(r, range, stretch, stop, e);
	if (!status && !count_matched(r, &stretch[ALIGN_A], stop))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	for (int s = 0; s < ALIGN_SIDES && !status; s++)
		status = compare_charge(r, s, &stretch[s], stop, e);
	if (!status)
		status = find_first(r, stretch, stop, e);
	return status;
}

enum status compare_new(struct compare *out, const struct align *al,
			const struct compare_range *range, const atomic_bool *stop,
			struct error *e)
{
	enum status status;

	*out = (struct compare){.al = al};
	name_parts(out);
	status = make(out, range, stop, e);
	if (status)
		compare_free(out);
	else
		collect(out);
	return status;
}

void compare_free(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(r->slot_of[s]);
	free(r->slot_of_key);
	free(r->cells);
	free(r->slots);
	free(r->codes);
	*r = (struct compare){0};
}
