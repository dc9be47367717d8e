#include "config.h"

#include "analysis/pipeline/stalls_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "trace/section.h"

#define BY_NAME(name, text, key, binary) text,
const char *const stall_by_names[STALL_BY_COUNT] = {STALL_BY_INFO(BY_NAME)};
#undef BY_NAME

/* Stages, events and the run: of struct stalls. */

static size_t stage_rows(const void *result)
{
	return ((const struct stalls *)result)->stages;
}

static size_t event_rows(const void *result)
{
	return ((const struct stalls *)result)->events;
}

static const char *name_of_stage(const struct stalls *r, size_t i)
{
	return store_stage(r->store, i)->name;
}

static const char *name_of_event(const struct stalls *r, size_t i)
{
	return store_event(r->store, i)->name;
}

/* getter, value */
#define TOTAL_GETTERS(_)                                                                           \
	_(stage_name, value_text(name_of_stage(r, row)))                                           \
	_(stage_cycles, value_ticks(r->totals.stage_ticks[row]))                                   \
	_(stage_entries, value_count(r->totals.stage_entries[row]))                                \
	_(event_name, value_text(name_of_event(r, row)))                                           \
	_(event_count, value_count(r->totals.event_counts[row]))                                   \
	_(event_latency, r->totals.event_latency[row] < 0                                          \
			     ? value_none()                                                        \
			     : value_ticks(r->totals.event_latency[row]))                          \
	_(run_empty, value_ticks(r->run > r->held ? r->run - r->held : 0))                         \
	_(run_empty_by, value_ticks(r->empty[part]))

#define TOTAL_GETTER(name, expression)                                                             \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct stalls *r = result;                                                   \
		(void)row, (void)part;                                                             \
		return expression;                                                                 \
	}
TOTAL_GETTERS(TOTAL_GETTER)
#undef TOTAL_GETTER

static const struct field stage_fields[] = {
    {FIELD_BY(TEXT, "name", get_stage_name)},
    {FIELD_BY(TICKS, "cycles", get_stage_cycles), .unit = UNIT_TICK},
    {FIELD_BY(COUNT, "entries", get_stage_entries)},
    {0},
};

static const struct field event_fields[] = {
    {FIELD_BY(TEXT, "name", get_event_name)},
    {FIELD_BY(COUNT, "count", get_event_count)},
    {FIELD_BY(TICKS, "latency", get_event_latency), .unit = UNIT_TICK},
    {0},
};

static size_t run_empty_parts(const void *result)
{
	(void)result;
	return STALL_EMPTY_COUNT;
}

static const char *empty_part(const void *result, size_t i)
{
	(void)result;
	return stall_empty_names[i];
}

static const struct field run_fields[] = {
    {FIELD(TICKS, "cycles", NULL, struct stalls, run), .unit = UNIT_TICK},
    {FIELD(TICKS, "head", NULL, struct stalls, held), .unit = UNIT_TICK},
    {FIELD_BY(TICKS, "empty", get_run_empty), .unit = UNIT_TICK},
    {FIELD_BY(TICKS, "empty_by", get_run_empty_by), .unit = UNIT_TICK, .parts = run_empty_parts,
     .part = empty_part},
    {0},
};

const struct section stall_sections[] = {
    {SECTION(LIST, "stages", stage_rows, stage_fields)},
    {SECTION(LIST, "events", event_rows, event_fields)},
    {SECTION(OBJECT, "run", section_one_row, run_fields), .title = "run"},
    {0},
};

/* The lines of costs: of struct stall_table. */

static size_t line_rows(const void *result)
{
	return ((const struct stall_table *)result)->count;
}

static size_t stage_parts(const void *result)
{
	return ((const struct stall_table *)result)->stalls->stages;
}

static const char *stage_part(const void *result, size_t i)
{
	return name_of_stage(((const struct stall_table *)result)->stalls, i);
}

static size_t event_parts(const void *result)
{
	return ((const struct stall_table *)result)->stalls->events;
}

static const char *event_part(const void *result, size_t i)
{
	return name_of_event(((const struct stall_table *)result)->stalls, i);
}

static int event_minor(const void *result, size_t i)
{
	const struct stall_table *t = result;

	return !store_event(t->stalls->store, i)->problem;
}

/* Those that rows can end. */
static size_t empty_parts(const void *result)
{
	(void)result;
	return STALL_EMPTY_ENDS;
}

static int empty_minor(const void *result, size_t i)
{
	return ((const struct stall_table *)result)->stalls->empty[i] == 0;
}

static int64_t cost_to_run(const struct stall_cost *c)
{
	int64_t sum = c->head;

	for (size_t i = 0; i < STALL_EMPTY_COUNT; i++)
		range_add(&sum, c->empty[i]);
	return sum;
}

static const void *cost_of(const void *result, size_t row)
{
	return &((const struct stall_table *)result)->lines[row].cost;
}

static struct value text_of(const struct stall_table *t, const struct stall_line *l)
{
	return *l->label ? value_text(l->label) : store_code_text(t->stalls->store, l->cost.code);
}

/* The place that a line is about; its label stands for one where there is none. */
static struct value name_of(const struct stall_table *t, const struct stall_line *l,
			    const char *name)
{
	if (*l->label && t->by != STALL_BY_PC)
		return value_text(l->label);
	return value_text(name);
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

static struct value value_of_row(const struct stall_row *r)
{
	return r->row == ROW_NONE ? value_none() : value_ticks(r->cycles);
}

/* getter, value; t: the table, l: the line */
#define LINE_GETTERS(_)                                                                            \
	_(pc, store_code_pc(t->stalls->store, l->cost.code))                                       \
	_(text, text_of(t, l))                                                                     \
	_(function, name_of(t, l, l->place.function))                                              \
	_(file, name_of(t, l, l->place.file))                                                      \
	_(base, name_of(t, l, base_name(l->place.file)))                                           \
	_(line, l->place.line ? value_count((uint64_t)l->place.line) : value_none())               \
	_(cost, value_ticks(cost_to_run(&l->cost)))                                                \
	_(cycles, value_ticks(l->cost.cycles[part]))                                               \
	_(life, value_of_row(l->cost.longest))                                                     \
	_(stay, value_of_row(&l->cost.longest[1 + part]))                                          \
	_(longest_row, value_count(l->cost.longest->row))                                          \
	_(events, value_count(l->cost.events[part]))

#define LINE_GETTER(name, expression)                                                              \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct stall_table *t = result;                                              \
		const struct stall_line *l = &t->lines[row];                                       \
		(void)part;                                                                        \
		return expression;                                                                 \
	}
LINE_GETTERS(LINE_GETTER)
#undef LINE_GETTER

#define PC_FIELDS                                                                                  \
	{FIELD_BY(HEX, "pc", get_pc)},                                                             \
	{                                                                                          \
		FIELD_BY(TEXT, "text", get_text)                                                   \
	}
#define LINE_FIELD                                                                                 \
	{                                                                                          \
		FIELD_BY(COUNT, "line", get_line), .name = true                                    \
	}
#define FUNCTION(key)                                                                              \
	{                                                                                          \
		FIELD_BY(TEXT, key, get_function)                                                  \
	}
#define COST(type, key, member) FIELD(type, key, cost_of, struct stall_cost, member)
#define COST_FIELDS                                                                                \
	{COST(COUNT, "count", count)},                                                             \
	    {FIELD_BY(TICKS, "cost", get_cost), .unit = UNIT_TICK, .derived = true}, {COST(TICKS, "head", head), .unit = UNIT_TICK},             \
	    {COST(TICKS, "empty_by", empty), .unit = UNIT_TICK, .parts = empty_parts,              \
	     .part = empty_part, .minor = empty_minor},                                            \
	    {FIELD_BY(TICKS, "cycles", get_cycles), .unit = UNIT_TICK, .parts = stage_parts,       \
	     .part = stage_part},                                                                  \
	    {FIELD_BY(COUNT, "events", get_events), .parts = event_parts, .part = event_part,      \
	     .minor = event_minor},                                                                \
	    {COST(COUNT, "squashed", squashed)},                                                   \
	    {COST(TICKS, "total", total), .unit = UNIT_TICK, .minor = field_is_minor,              \
	     .derived = true},                                                                     \
	    {COST(COUNT, "worst", worst.row), .minor = field_is_minor, .heading = "worst row"},    \
	{                                                                                          \
		0                                                                                  \
	}

#define LONGEST_FIELDS                                                                             \
	{FIELD_BY(TICKS, "life", get_life), .unit = UNIT_TICK},                                    \
	    {FIELD_BY(TICKS, "longest", get_stay), .unit = UNIT_TICK, .parts = stage_parts,        \
	     .part = stage_part},                                                                  \
	{                                                                                          \
		FIELD_BY(COUNT, "longest_row", get_longest_row), .minor = field_is_minor,          \
		    .heading = "longest row"                                                       \
	}

static const struct field longest_fields[] = {
    PC_FIELDS, {COST(COUNT, "count", count)}, LONGEST_FIELDS, {0}};

const struct section stall_longest = {SECTION(LIST, "longest", line_rows, longest_fields)};

static const struct field nameless_fields[] = {COST_FIELDS};
static const struct field pc_fields[] = {PC_FIELDS, COST_FIELDS};
static const struct field pc_whole_fields[] = {PC_FIELDS, LONGEST_FIELDS, COST_FIELDS};
static const struct field pc_place_fields[] = {PC_FIELDS, FUNCTION("function"), COST_FIELDS};
static const struct field pc_place_whole_fields[] = {
    PC_FIELDS,  FUNCTION("function"), {FIELD_BY(TEXT, "file", get_file)},
    LINE_FIELD, LONGEST_FIELDS,       COST_FIELDS};
static const struct field function_fields[] = {FUNCTION("name"), COST_FIELDS};
static const struct field line_fields[] = {
    {FIELD_BY(TEXT, "file", get_base)}, LINE_FIELD, COST_FIELDS};
static const struct field line_whole_fields[] = {
    {FIELD_BY(TEXT, "file", get_file)}, LINE_FIELD, COST_FIELDS};

static void choose_fields(struct stall_table *t)
{
	const struct field *fields[STALL_BY_COUNT][2] = {
	    [STALL_BY_PC] = {pc_fields, pc_whole_fields},
	    [STALL_BY_FUNCTION] = {function_fields, function_fields},
	    [STALL_BY_LINE] = {line_fields, line_whole_fields},
	    [STALL_BY_NAMELESS] = {nameless_fields, nameless_fields},
	};
	static const char *const keys[STALL_BY_COUNT] = {
#define BY_KEY(name, text, key, binary) key,
	    STALL_BY_INFO(BY_KEY)
#undef BY_KEY
	};

	if (t->stalls->places) {
		fields[STALL_BY_PC][0] = pc_place_fields;
		fields[STALL_BY_PC][1] = pc_place_whole_fields;
	}
	t->section =
	    (struct section){.key = keys[t->by], .rows = line_rows, .fields = fields[t->by][0]};
	t->whole =
	    (struct section){.key = keys[t->by], .rows = line_rows, .fields = fields[t->by][1]};
}

/* Which lines there are. */

static int by_text(const char *a, const char *b)
{
	if (!a || !b)
		return (a == NULL) - (b == NULL);
	return strcmp(a, b);
}

/* What a line is: the same twice is one line. NULL, nothing known, stands last. */
static int compare_what(const struct stall_table *t, const struct stall_line *a,
			const struct stall_line *b)
{
	struct value x, y;
	int order;

	if (t->by == STALL_BY_FUNCTION)
		return by_text(a->place.function, b->place.function);
	if (t->by == STALL_BY_LINE) {
		order = by_text(a->place.file, b->place.file);
		if (order)
			return order;
		return (a->place.line > b->place.line) - (a->place.line < b->place.line);
	}
	x = store_code_pc(t->stalls->store, a->cost.code);
	y = store_code_pc(t->stalls->store, b->cost.code);
	if (x.type != y.type)
		return x.type == VALUE_NONE ? 1 : -1;
	if (x.type == VALUE_HEX && x.count != y.count)
		return x.count < y.count ? -1 : 1;
	return value_compare(text_of(t, a), text_of(t, b));
}

static int compare_lines(const void *a, const void *b, void *table)
{
	return compare_what(table, a, b);
}

static struct stall_row *longest_of(const struct stall_table *t, size_t line)
{
	return t->longest + line * (1 + t->stalls->stages);
}

static bool make_lines(struct stall_table *t, size_t most)
{
	size_t width = t->stalls->stages + t->stalls->events;

	t->lines = calloc(most + 2, sizeof(*t->lines));
	t->cells = calloc(most + 1, (width ? width : 1) * sizeof(*t->cells));
	t->longest = calloc(most + 1, (1 + t->stalls->stages) * sizeof(*t->longest));
	if (!t->lines || !t->cells || !t->longest)
		return false;
	t->spare = t->cells + most * width;
	t->spare_longest = longest_of(t, most);
	return true;
}

static int64_t *cells_of(const struct stall_table *t, size_t line)
{
	return t->cells + line * (t->stalls->stages + t->stalls->events);
}

static void list_codes(struct stall_table *t)
{
	const struct stalls *r = t->stalls;

	for (size_t i = 0; i < r->cost_count; i++) {
		if (!r->costs[i].count)
			continue;
		t->lines[t->count++] =
		    (struct stall_line){.cost = r->costs[i],
					.place = r->places ? r->places[i] : (struct code_place){0}};
	}
}

/* Neighbours that are the same become one line. */
static void merge(struct stall_table *t)
{
	size_t kept = 0;

	qsort_r(t->lines, t->count, sizeof(*t->lines), compare_lines, t);
	for (size_t i = 0; i < t->count; i++) {
		struct stall_line *line = &t->lines[i];

		if (!kept || compare_what(t, &t->lines[kept - 1], line) != 0) {
			struct stall_line one = {
			    .cost = stall_cost_zero(t->stalls, CODE_NONE, cells_of(t, kept),
						    longest_of(t, kept)),
			    .place = line->place};

			stall_cost_add(t->stalls, &one.cost, &line->cost);
			t->lines[kept++] = one;
		} else {
			stall_cost_add(t->stalls, &t->lines[kept - 1].cost, &line->cost);
		}
	}
	t->count = kept;
}

enum status stall_table_new(struct stall_table *t, const struct stalls *r, enum stall_by by,
			    struct error *e)
{
	enum status status;

	*t = (struct stall_table){.stalls = r, .by = by};
	choose_fields(t);
	if (!make_lines(t, r->cost_count)) {
		stall_table_free(t);
		return error_set(e, STATUS_NOMEM, "not enough memory for %zu static instructions",
				 r->cost_count);
	}
	if (by == STALL_BY_NAMELESS) {
		t->count = r->unattributed.count > 0;
		t->lines[0].cost = r->unattributed;
		return STATUS_OK;
	}
	list_codes(t);
	if (by != STALL_BY_PC)
		merge(t);
	status = stall_table_sort(t, "head", e);
	if (status)
		stall_table_free(t);
	return status;
}

void stall_table_free(struct stall_table *t)
{
	free(t->lines);
	free(t->cells);
	free(t->longest);
	*t = (struct stall_table){0};
}

/* Their order. */

struct keyed {
	struct value key;
	struct stall_line line;
};

struct order {
	const struct stall_table *table;
	struct section_column by;
};

static int compare_keyed(const void *a, const void *b, void *arg)
{
	const struct keyed *x = a, *y = b;
	const struct order *o = arg;
	int order = section_compare(&o->by, x->key, y->key);

	return order ? order : compare_what(o->table, &x->line, &y->line);
}

enum status stall_table_sort(struct stall_table *t, const char *column, struct error *e)
{
	struct order order = {.table = t};
	struct keyed *all;
	enum status status = section_find(&t->section, t, column, &order.by, e);

	if (status)
		return status;
	all = calloc(t->count + 1, sizeof(*all));
	if (!all)
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; i < t->count; i++)
		all[i] =
		    (struct keyed){field_value(order.by.field, t, i, order.by.part), t->lines[i]};
	qsort_r(all, t->count, sizeof(*all), compare_keyed, &order);
	for (size_t i = 0; i < t->count; i++)
		t->lines[i] = all[i].line;
	free(all);
	return STATUS_OK;
}

/* For people. */

static void label_nameless(struct stall_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		struct stall_line *l = &t->lines[i];

		if (t->by == STALL_BY_FUNCTION && !l->place.function)
			snprintf(l->label, sizeof(l->label), "(no function)");
		else if (t->by == STALL_BY_LINE && !l->place.file)
			snprintf(l->label, sizeof(l->label), "(no line)");
	}
}

void stall_table_fold(struct stall_table *t, uint64_t limit)
{
	const struct stalls *r = t->stalls;
	size_t all = t->count;
	char number[32];

	label_nameless(t);
	if (limit < all) {
		struct stall_line rest = {.cost = stall_cost_zero(r, CODE_NONE, t->spare, t->spare_longest)};

		for (size_t i = (size_t)limit; i < all; i++)
			stall_cost_add(r, &rest.cost, &t->lines[i].cost);
		snprintf(rest.label, sizeof(rest.label), "... %s more",
			 num_group((int64_t)(all - (size_t)limit), number));
		t->lines[limit] = rest;
		t->count = (size_t)limit + 1;
	}
	if (r->unattributed.count)
		t->lines[t->count++] =
		    (struct stall_line){.cost = r->unattributed, .label = "(not known)"};
}
