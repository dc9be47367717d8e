#include "config.h"

#include "analysis/pipeline/compare_table.h"

#include <stdlib.h>

static const char *const list_names[] = {
#define LIST_NAME(list, name) name,
    COMPARE_LIST_INFO(LIST_NAME)
#undef LIST_NAME
};

/* All that the stores keep no text of: stalls say so, too. */
static const char not_known[] = "(not known)";

static const struct compare_table *table_of(const void *result)
{
	return result;
}

static const struct compare_code *code_of(const struct compare_table *t, size_t row)
{
	return &t->of->codes[t->order[row]];
}

/* ---- the values --------------------------------------------------------------------------- */

/* A's where A has it. */
static const struct store *store_of(const struct compare_table *t, size_t row, uint32_t *code)
{
	const struct compare_code *c = code_of(t, row);
	const int side = c->code[ALIGN_A] != CODE_NONE ? ALIGN_A : ALIGN_B;

	*code = c->code[side];
	return t->of->al->side[side].store;
}

static struct value pc_value(const struct compare_table *t, size_t row)
{
	uint32_t code;
	const struct store *s = store_of(t, row, &code);

	return store_code_pc(s, code);
}

static struct value pc_b_value(const struct compare_table *t, size_t row)
{
	return store_code_pc(t->of->al->side[ALIGN_B].store, code_of(t, row)->code[ALIGN_B]);
}

static struct value text_value(const struct compare_table *t, size_t row)
{
	uint32_t code;
	const struct store *s = store_of(t, row, &code);
	const struct value text = store_code_text(s, code);

	return text.type == VALUE_NONE ? value_text(not_known) : text;
}

static int64_t change_of(const struct compare_code *c, size_t part)
{
	return c->parts[ALIGN_B][part] - c->parts[ALIGN_A][part];
}

/* The part that changed most in the direction of the whole. */
static struct value mostly_value(const struct compare_table *t, size_t row)
{
	const struct compare_code *c = code_of(t, row);
	int64_t most = 0;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < t->of->parts; i++) {
		int64_t d = compare_delta(c) < 0 ? -change_of(c, i) : change_of(c, i);

		if (d > most) {
			most = d;
			found = i;
		}
	}
	return found == SIZE_MAX ? value_none() : value_text(t->of->part_names[found]);
}

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct compare_table *t = table_of(result);                                  \
		(void)part;                                                                        \
		return expression;                                                                 \
	}
#define TOTAL(side) t->of->totals[side][t->part_order[row]]

GETTER(name, value_text(t->of->part_names[t->part_order[row]]))
GETTER(total_a, value_ticks(TOTAL(ALIGN_A)))
GETTER(total_b, value_ticks(TOTAL(ALIGN_B)))
GETTER(more, value_ticks(TOTAL(ALIGN_B) - TOTAL(ALIGN_A)))
GETTER(pc, pc_value(t, row))
GETTER(pc_b, pc_b_value(t, row))
GETTER(text, text_value(t, row))
GETTER(count_a, value_count(code_of(t, row)->count[ALIGN_A]))
GETTER(count_b, value_count(code_of(t, row)->count[ALIGN_B]))
GETTER(cycles_a, value_ticks(code_of(t, row)->cycles[ALIGN_A]))
GETTER(cycles_b, value_ticks(code_of(t, row)->cycles[ALIGN_B]))
GETTER(delta, value_ticks(compare_delta(code_of(t, row))))
GETTER(mostly, mostly_value(t, row))
GETTER(stages_a, value_ticks(code_of(t, row)->parts[ALIGN_A][part]))
GETTER(stages_b, value_ticks(code_of(t, row)->parts[ALIGN_B][part]))
GETTER(changes, value_ticks(change_of(code_of(t, row), part)))

/* ---- the sections ------------------------------------------------------------------------- */

static size_t count_parts(const void *result)
{
	return table_of(result)->parts_shown;
}

static size_t count_codes(const void *result)
{
	return table_of(result)->shown;
}

/* After the last commit nobody is charged. */
static size_t charged_parts(const void *result)
{
	return table_of(result)->of->stages + COMPARE_TAIL;
}

/* Of the change in each only a wide table tells. */
static size_t changed_parts(const void *result)
{
	return table_of(result)->wide ? charged_parts(result) : 0;
}

static const char *part_name(const void *result, size_t part)
{
	return table_of(result)->of->part_names[part];
}

/* A change in a part gives way before anything else. */
static int always(const void *result, size_t part)
{
	(void)result;
	(void)part;
	return 1;
}

#define TEXT(name)  .key = #name, .type = VALUE_TEXT, .get = get_##name
#define PC(name)    .key = #name, .type = VALUE_HEX, .get = get_##name
#define COUNT(name) .key = #name, .type = VALUE_COUNT, .get = get_##name
#define CYCLES(name, getter)                                                                       \
	.key = #name, .unit = UNIT_TICK, .type = VALUE_TICKS, .get = get_##getter
#define PARTS(name, getter) CYCLES(name, getter), .parts = charged_parts, .part = part_name

static const struct field part_fields[] = {
    {TEXT(name)},  {CYCLES(cycles_a, total_a)}, {CYCLES(cycles_b, total_b)}, {CYCLES(delta, more), .bar = true},
    {.key = NULL},
};

static const struct field code_fields[] = {
    {PC(pc)},
    {PC(pc_b)},
    {TEXT(text)},
    {COUNT(count_a)},
    {COUNT(count_b)},
    {CYCLES(cycles_a, cycles_a)},
    {CYCLES(cycles_b, cycles_b)},
    {CYCLES(delta, delta)},
    {PARTS(stages_a, stages_a)},
    {PARTS(stages_b, stages_b)},
    {.key = NULL},
};

static const struct field people_fields[] = {
    {PC(pc)},
    {TEXT(text)},
    {COUNT(count_a)},
    {COUNT(count_b)},
    {CYCLES(cycles_a, cycles_a)},
    {CYCLES(cycles_b, cycles_b)},
    {CYCLES(delta, delta)},
    {TEXT(mostly), .derived = true},
    {CYCLES(stages, changes), .parts = changed_parts, .part = part_name, .minor = always,
     .derived = true},
    {.key = NULL},
};

bool compare_table_new(struct compare_table *t, const struct compare *of, bool wide)
{
	*t = (struct compare_table){
	    .of = of,
	    .wide = wide,
	    .stages = {.key = "stages", .rows = count_parts, .fields = part_fields},
	    .pcs = {.key = "pcs", .rows = count_codes, .fields = code_fields},
	    .part_list = {.key = "where the cycles went",
			  .rows = count_parts,
			  .fields = part_fields},
	    .people = {.rows = count_codes, .fields = people_fields},
	};
	t->order = calloc(of->code_count + 1, sizeof(*t->order));
	if (!t->order)
		return false;
	for (size_t i = 0; i < of->parts; i++)
		t->part_order[t->parts_shown++] = i;
	compare_table_list(t, COMPARE_LIST_ALL);
	return true;
}

void compare_table_free(struct compare_table *t)
{
	free(t->order);
	*t = (struct compare_table){0};
}

/* ---- their order -------------------------------------------------------------------------- */

void compare_table_list(struct compare_table *t, enum compare_list list)
{
	const size_t count = t->of->code_count;

	t->people.key = list_names[list];
	t->shown = 0;
	for (size_t i = 0; i < count; i++) {
		size_t n = list == COMPARE_LIST_GAINED ? count - 1 - i : i;
		int64_t delta = compare_delta(&t->of->codes[n]);

		t->order[i] = (uint32_t)n;
		if (list == COMPARE_LIST_ALL || (list == COMPARE_LIST_LOST ? delta > 0 : delta < 0))
			t->shown++;
	}
}

void compare_table_hide_zero(struct compare_table *t)
{
	const struct compare *r = t->of;

	t->parts_shown = 0;
	for (size_t i = 0; i < r->parts; i++)
		if (r->totals[ALIGN_A][i] || r->totals[ALIGN_B][i])
			t->part_order[t->parts_shown++] = i;
}

bool compare_table_rises(const void *result, const struct field *f)
{
	const struct compare *r = table_of(result)->of;
	bool change = f->get == get_delta || f->get == get_changes || f->get == get_mostly;

	return change && r->cycles[ALIGN_B] < r->cycles[ALIGN_A];
}
