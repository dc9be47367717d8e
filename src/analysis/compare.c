#include "config.h"

#include "analysis/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compare_private.h"

static const char *const part_names[COMPARE_PARTS] = {
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

/* Most cycles lost first; then pc and text, so that equal costs have one order everywhere. */
static int by_loss(const void *a, const void *b, void *result)
{
	const struct compare_code *x = a, *y = b;
	int64_t lost_x = compare_delta(x), lost_y = compare_delta(y);
	const char *text_x, *text_y;
	size_t len_x, len_y;
	uint64_t pc_x, pc_y;
	bool has_pc;
	int order;

	if (lost_x != lost_y)
		return lost_x > lost_y ? -1 : 1;
	describe(result, x, &pc_x, &has_pc, &text_x, &len_x);
	describe(result, y, &pc_y, &has_pc, &text_y, &len_y);
	if (pc_x != pc_y)
		return by_number(pc_x, pc_y);
	order = memcmp(text_x, text_y, len_x < len_y ? len_x : len_y);
	return order ? order : by_number(len_x, len_y);
}

static void collect(struct compare *r)
{
	for (size_t i = 0; i < r->slot_count; i++)
		if (r->slots[i].count[ALIGN_A] || r->slots[i].count[ALIGN_B])
			r->codes[r->code_count++] = r->slots[i];
	qsort_r(r->codes, r->code_count, sizeof(*r->codes), by_loss, r);
}

/* Committed rows of the matched steps; where one side has more micro-ops, the lesser number. */
static bool count_matched(struct compare *r, const struct compare_stretch *x,
			  const volatile bool *stop)
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

			if (run->a + k < x->from || run->a + k >= x->to)
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

/* The first one behind the step before the stretch of A, if it is not behind the stretches. */
static enum status find_first(struct compare *r, const struct compare_stretch x[ALIGN_SIDES],
			      const volatile bool *stop, struct error *e)
{
	const struct path *path = r->al->side[ALIGN_A].path;
	uint64_t from = x[ALIGN_A].from, row = from ? path_row(path, from - 1) : ROW_NONE;
	struct differ d;
	enum status status;

	if (!differ_new(&d, r->al, stop))
		return error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	status = differ_next(&d, ALIGN_A, row, 1, DIFFERENCE_ALL, &r->first, e);
	differ_free(&d);
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (r->first.row[s] != ROW_NONE &&
		    path_rank(r->al->side[s].path, r->first.row[s]) >= x[s].to)
			r->first.kinds = 0;
	return status;
}

static enum status make(struct compare *r, const struct compare_range *range,
			const volatile bool *stop, struct error *e)
{
	struct compare_stretch stretch[ALIGN_SIDES];
	enum status status = compare_slots(r, stop, e);

	if (!status && !make_cells(r))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
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
			const struct compare_range *range, const volatile bool *stop,
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
	free(r->cells);
	free(r->slots);
	free(r->codes);
	*r = (struct compare){0};
}

/* The field tables. */

static const struct compare *result_of(const void *result)
{
	return result;
}

static size_t part_count(const void *result)
{
	return result_of(result)->parts;
}

/* After the last commit nobody is charged. */
static size_t charged_parts(const void *result)
{
	return result_of(result)->stages + COMPARE_TAIL;
}

static const char *part_name(const void *result, size_t part)
{
	const struct compare *r = result_of(result);

	return part < r->stages ? r->stage_names[part] : part_names[part - r->stages];
}

static struct value get_part_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(part_name(result, row));
}

static struct value get_part_a(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_ticks(result_of(result)->totals[ALIGN_A][row]);
}

static struct value get_part_b(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_ticks(result_of(result)->totals[ALIGN_B][row]);
}

static struct value get_part_delta(const void *result, size_t row, size_t part)
{
	const struct compare *r = result_of(result);

	(void)part;
	return value_ticks(r->totals[ALIGN_B][row] - r->totals[ALIGN_A][row]);
}

/* The row of the table of all parts that is number `row` of those that are not zero. */
static size_t shown_part(const struct compare *r, size_t row)
{
	size_t part = 0;

	for (;; part++) {
		if (part < r->parts && !r->totals[ALIGN_A][part] && !r->totals[ALIGN_B][part])
			continue;
		if (part >= r->parts || row-- == 0)
			return part;
	}
}

static size_t shown_parts(const void *result)
{
	const struct compare *r = result_of(result);
	size_t n = 0;

	for (size_t i = 0; i < r->parts; i++)
		n += r->totals[ALIGN_A][i] || r->totals[ALIGN_B][i];
	return n;
}

#define SHOWN_GETTER(name)                                                                         \
	static struct value shown_##name(const void *result, size_t row, size_t part)              \
	{                                                                                          \
		return get_part_##name(result, shown_part(result_of(result), row), part);          \
	}
SHOWN_GETTER(name)
SHOWN_GETTER(a)
SHOWN_GETTER(b)
SHOWN_GETTER(delta)

static const struct compare_code *pcs_line(const struct compare *r, size_t row)
{
	return &r->codes[row];
}

static const struct compare_code *gained_line(const struct compare *r, size_t row)
{
	return &r->codes[r->code_count - 1 - row];
}

static size_t pcs_rows(const void *result)
{
	return result_of(result)->code_count;
}

static size_t lost_rows(const void *result)
{
	const struct compare *r = result_of(result);
	size_t n = 0;

	while (n < r->code_count && compare_delta(&r->codes[n]) > 0)
		n++;
	return n;
}

static size_t gained_rows(const void *result)
{
	const struct compare *r = result_of(result);
	size_t n = 0;

	while (n < r->code_count && compare_delta(gained_line(r, n)) < 0)
		n++;
	return n;
}

static struct value pc_value(const struct compare *r, const struct compare_code *c)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	return describe(r, c, &pc, &has_pc, &text, &len) && has_pc ? value_hex(pc) : value_none();
}

static struct value pc_b_value(const struct compare *r, const struct compare_code *c)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	if (!store_code(r->al->side[ALIGN_B].store, c->code[ALIGN_B], &pc, &has_pc, &text, &len))
		return value_none();
	return has_pc ? value_hex(pc) : value_none();
}

static struct value text_value(const struct compare *r, const struct compare_code *c)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	return describe(r, c, &pc, &has_pc, &text, &len) ? value_bytes(text, len) : value_none();
}

/* The part that changed most in the direction of the whole. */
static struct value mostly_value(const struct compare *r, const struct compare_code *c)
{
	int64_t delta = compare_delta(c), most = 0;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < r->parts; i++) {
		int64_t d = c->parts[ALIGN_B][i] - c->parts[ALIGN_A][i];

		d = delta < 0 ? -d : d;
		if (d > most) {
			most = d;
			found = i;
		}
	}
	return found == SIZE_MAX ? value_none() : value_text(part_name(r, found));
}

/* What people see too: name, value */
#define PEOPLE_FIELDS(_)                                                                           \
	_(pc, pc_value(r, c))                                                                      \
	_(text, text_value(r, c))                                                                  \
	_(count_a, value_count(c->count[ALIGN_A]))                                                 \
	_(count_b, value_count(c->count[ALIGN_B]))                                                 \
	_(cycles_a, value_ticks(c->cycles[ALIGN_A]))                                               \
	_(cycles_b, value_ticks(c->cycles[ALIGN_B]))                                               \
	_(delta, value_ticks(compare_delta(c)))                                                    \
	_(mostly, mostly_value(r, c))                                                              \
	_(stages, value_ticks(c->parts[ALIGN_B][part] - c->parts[ALIGN_A][part]))

#define OTHER_FIELDS(_)                                                                            \
	_(pc_b, pc_b_value(r, c))                                                                  \
	_(stages_a, value_ticks(c->parts[ALIGN_A][part]))                                          \
	_(stages_b, value_ticks(c->parts[ALIGN_B][part]))

#define GETTER(list, name, expression)                                                             \
	static struct value list##_##name(const void *result, size_t row, size_t part)             \
	{                                                                                          \
		const struct compare *r = result_of(result);                                       \
		const struct compare_code *c = list##_line(r, row);                                \
		(void)part;                                                                        \
		return expression;                                                                 \
	}
#define PCS_GETTER(name, expression) GETTER(pcs, name, expression)
PEOPLE_FIELDS(PCS_GETTER)
OTHER_FIELDS(PCS_GETTER)
#define GAINED_GETTER(name, expression) GETTER(gained, name, expression)
PEOPLE_FIELDS(GAINED_GETTER)
#undef PEOPLE_FIELDS
#undef OTHER_FIELDS

#define PART_TABLE(get)                                                                            \
	{                                                                                          \
		{"name", NULL, VALUE_TEXT, NULL, NULL, get##_name, NULL, false},                   \
		    {"cycles_a", UNIT_TICK, VALUE_TICKS, NULL, NULL, get##_a, NULL, false},        \
		    {"cycles_b", UNIT_TICK, VALUE_TICKS, NULL, NULL, get##_b, NULL, false},        \
		    {"delta", UNIT_TICK, VALUE_TICKS, NULL, NULL, get##_delta, NULL, false}, {0},  \
	}

static const struct field stage_fields[] = PART_TABLE(get_part);
static const struct field shown_fields[] = PART_TABLE(shown);

static const struct field pcs_fields[] = {
    {"pc", NULL, VALUE_HEX, NULL, NULL, pcs_pc, NULL, false},
    {"pc_b", NULL, VALUE_HEX, NULL, NULL, pcs_pc_b, NULL, false},
    {"text", NULL, VALUE_TEXT, NULL, NULL, pcs_text, NULL, false},
    {"count_a", NULL, VALUE_COUNT, NULL, NULL, pcs_count_a, NULL, false},
    {"count_b", NULL, VALUE_COUNT, NULL, NULL, pcs_count_b, NULL, false},
    {"cycles_a", UNIT_TICK, VALUE_TICKS, NULL, NULL, pcs_cycles_a, NULL, false},
    {"cycles_b", UNIT_TICK, VALUE_TICKS, NULL, NULL, pcs_cycles_b, NULL, false},
    {"delta", UNIT_TICK, VALUE_TICKS, NULL, NULL, pcs_delta, NULL, false},
    {"stages_a", UNIT_TICK, VALUE_TICKS, charged_parts, part_name, pcs_stages_a, NULL, false},
    {"stages_b", UNIT_TICK, VALUE_TICKS, charged_parts, part_name, pcs_stages_b, NULL, false},
    {0},
};

#define PEOPLE_TABLE(list, wide)                                                                    \
	{                                                                                           \
		{"pc", NULL, VALUE_HEX, NULL, NULL, list##_pc, NULL, false},                        \
		    {"text", NULL, VALUE_TEXT, NULL, NULL, list##_text, NULL, false},               \
		    {"count_a", NULL, VALUE_COUNT, NULL, NULL, list##_count_a, NULL, false},        \
		    {"count_b", NULL, VALUE_COUNT, NULL, NULL, list##_count_b, NULL, false},        \
		    {"cycles_a", UNIT_TICK, VALUE_TICKS, NULL, NULL, list##_cycles_a, NULL, false}, \
		    {"cycles_b", UNIT_TICK, VALUE_TICKS, NULL, NULL, list##_cycles_b, NULL, false}, \
		    {"delta", UNIT_TICK, VALUE_TICKS, NULL, NULL, list##_delta, NULL, false},       \
		    {"mostly", NULL, VALUE_TEXT, NULL, NULL, list##_mostly, NULL, true},            \
		    {wide,      UNIT_TICK,     VALUE_TICKS, charged_parts,                          \
		     part_name, list##_stages, NULL,        true},                                  \
		    {0},                                                                            \
	}

static const struct field lost_fields[] = PEOPLE_TABLE(pcs, NULL);
static const struct field gained_fields[] = PEOPLE_TABLE(gained, NULL);
static const struct field lost_wide_fields[] = PEOPLE_TABLE(pcs, "stages");
static const struct field gained_wide_fields[] = PEOPLE_TABLE(gained, "stages");

const struct section compare_stages = {"stages", part_count, stage_fields};
const struct section compare_pcs = {"pcs", pcs_rows, pcs_fields};
const struct section compare_parts = {"where the cycles went", shown_parts, shown_fields};
const struct section compare_lost = {"lost in B", lost_rows, lost_fields};
const struct section compare_gained = {"gained in B", gained_rows, gained_fields};
const struct section compare_lost_wide = {"lost in B", lost_rows, lost_wide_fields};
const struct section compare_gained_wide = {"gained in B", gained_rows, gained_wide_fields};
