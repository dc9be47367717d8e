#include "config.h"

#include "analysis/pipeline/compare_table_private.h"

/* run, letter, name of what it takes more than A */
#define RUN_INFO(_)                                                                                \
	_(0, "a", "")                                                                              \
	_(1, "b", "delta")                                                                         \
	_(2, "c", "delta_c")                                                                       \
	_(3, "d", "delta_d")                                                                       \
	_(4, "e", "delta_e")                                                                       \
	_(5, "f", "delta_f")                                                                       \
	_(6, "g", "delta_g")                                                                       \
	_(7, "h", "delta_h")

static const struct compare_table *table_of(const void *result)
{
	return result;
}

/* The fields. Getters of static instructions are given a line of the list, or of all. */

static const struct compare_line *shown_line(const struct compare_table *t, size_t row)
{
	return &t->lines[t->order[row]];
}

static const struct compare_line *pcs_line(const struct compare_table *t, size_t row)
{
	return &t->lines[row];
}

/* The row of the table of all parts that is number `row` of those that are not zero. */
static bool is_zero(const struct compare_table *t, size_t part)
{
	for (int run = RUN_A; run < t->runs; run++)
		if (compare_table_total(t, run, part))
			return false;
	return true;
}

static size_t shown_part(const struct compare_table *t, size_t row)
{
	size_t part = 0;

	for (;; part++) {
		if (part < t->parts && is_zero(t, part))
			continue;
		if (part >= t->parts || row-- == 0)
			return part;
	}
}

static size_t all_part(const struct compare_table *t, size_t row)
{
	(void)t;
	return row;
}

static size_t count_parts(const void *result)
{
	return table_of(result)->parts;
}

static size_t count_shown_parts(const void *result)
{
	const struct compare_table *t = table_of(result);
	size_t n = 0;

	for (size_t i = 0; i < t->parts; i++)
		n += !is_zero(t, i);
	return n;
}

static size_t count_lines(const void *result)
{
	return table_of(result)->count;
}

static size_t count_shown(const void *result)
{
	return table_of(result)->shown;
}

/* After the last commit nobody is charged. */
static size_t charged_parts(const void *result)
{
	return table_of(result)->stages + COMPARE_TAIL;
}

const char *compare_part_name(const void *table, size_t part)
{
	return table_of(table)->part_names[part];
}

static struct value pc_value(const struct compare_table *t, const struct compare_line *line,
			     int run)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;
	bool known = run == RUN_A
			 ? compare_line_describe(t, line, &pc, &has_pc, &text, &len)
			 : compare_line_describe_run(t, line, run, &pc, &has_pc, &text, &len);

	return known && has_pc ? value_hex(pc) : value_none();
}

static struct value text_value(const struct compare_table *t, const struct compare_line *line)
{
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	return compare_line_describe(t, line, &pc, &has_pc, &text, &len) ? value_bytes(text, len)
									 : value_none();
}

static int64_t change_of(const struct compare_table *t, const struct compare_line *line, int run,
			 size_t part)
{
	return compare_line_part(t, line, run, part) - compare_line_part(t, line, RUN_A, part);
}

/* The part that changed most in the direction of the whole, of the run that changed most. */
static struct value mostly_value(const struct compare_table *t, const struct compare_line *line)
{
	int run = compare_table_run(t, line);
	int64_t delta = compare_table_delta(t, line, run), most = 0;
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < t->parts; i++) {
		int64_t d = change_of(t, line, run, i);

		d = delta < 0 ? -d : d;
		if (d > most) {
			most = d;
			found = i;
		}
	}
	return found == SIZE_MAX ? value_none() : value_text(t->part_names[found]);
}

#define GETTER(name, expression)                                                                   \
	static struct value name(const void *result, size_t row, size_t part)                      \
	{                                                                                          \
		const struct compare_table *t = table_of(result);                                  \
		(void)part;                                                                        \
		(void)row;                                                                         \
		return expression;                                                                 \
	}

GETTER(shown_name, value_text(t->part_names[shown_part(t, row)]))
GETTER(all_name, value_text(t->part_names[all_part(t, row)]))
GETTER(shown_text, text_value(t, shown_line(t, row)))
GETTER(pcs_text, text_value(t, pcs_line(t, row)))
GETTER(shown_mostly, mostly_value(t, shown_line(t, row)))

/* Of each run: the same for the lines of a list and for all of them. */
#define LIST_GETTERS(list, run)                                                                    \
	GETTER(list##_pc##run, pc_value(t, list##_line(t, row), run))                              \
	GETTER(list##_count##run, value_count(compare_line_count(t, list##_line(t, row), run)))    \
	GETTER(list##_cycles##run, value_ticks(compare_line_cycles(t, list##_line(t, row), run)))  \
	GETTER(list##_delta##run, value_ticks(compare_table_delta(t, list##_line(t, row), run)))   \
	GETTER(list##_stages##run,                                                                 \
	       value_ticks(compare_line_part(t, list##_line(t, row), run, part)))                  \
	GETTER(list##_changes##run, value_ticks(change_of(t, list##_line(t, row), run, part)))
#define PART_GETTERS(list, run)                                                                    \
	GETTER(list##_total##run, value_ticks(compare_table_total(t, run, list##_part(t, row))))   \
	GETTER(list##_more##run, value_ticks(compare_table_total(t, run, list##_part(t, row)) -    \
					     compare_table_total(t, RUN_A, list##_part(t, row))))
#define RUN_GETTERS(run, letter, more)                                                             \
	LIST_GETTERS(shown, run)                                                                   \
	LIST_GETTERS(pcs, run)                                                                     \
	PART_GETTERS(shown, run)                                                                   \
	PART_GETTERS(all, run)
RUN_INFO(RUN_GETTERS)

/* A change in a part gives way before anything else. */
static bool always(const void *result, size_t part)
{
	(void)result;
	(void)part;
	return true;
}

/* What there is of a run, in a list and of all. */
struct run_fields {
	struct field pc, count, cycles, delta, stages, changes;
};

struct part_fields {
	struct field total, more;
};

#define ONE_FIELD(key_, unit_, type_, get_)                                                        \
	{                                                                                          \
		.key = key_, .unit = unit_, .type = type_, .get = get_                             \
	}
#define PARTS_FIELD(key_, get_, minor_, derived_)                                                  \
	{                                                                                          \
		.key = key_, .unit = UNIT_TICK, .type = VALUE_TICKS, .parts = charged_parts,       \
		.part = compare_part_name, .get = get_, .minor = minor_, .derived = derived_       \
	}
#define LIST_FIELDS(list, run, letter, more)                                                       \
	{                                                                                          \
		ONE_FIELD("pc_" letter, NULL, VALUE_HEX, list##_pc##run),                          \
		    ONE_FIELD("count_" letter, NULL, VALUE_COUNT, list##_count##run),              \
		    ONE_FIELD("cycles_" letter, UNIT_TICK, VALUE_TICKS, list##_cycles##run),       \
		    ONE_FIELD(more, UNIT_TICK, VALUE_TICKS, list##_delta##run),                    \
		    PARTS_FIELD("stages_" letter, list##_stages##run, NULL, false),                \
		    PARTS_FIELD("stages", list##_changes##run, always, true),                      \
	}
#define PART_FIELDS(list, run, letter, more)                                                       \
	{                                                                                          \
		ONE_FIELD("cycles_" letter, UNIT_TICK, VALUE_TICKS, list##_total##run),            \
		    ONE_FIELD(more, UNIT_TICK, VALUE_TICKS, list##_more##run),                     \
	}

static const struct run_fields shown_fields[RUNS_MOST] = {
#define SHOWN_FIELDS(run, letter, more) LIST_FIELDS(shown, run, letter, more),
    RUN_INFO(SHOWN_FIELDS)};
static const struct run_fields pcs_fields[RUNS_MOST] = {
#define PCS_FIELDS(run, letter, more) LIST_FIELDS(pcs, run, letter, more),
    RUN_INFO(PCS_FIELDS)};
static const struct part_fields shown_part_fields[RUNS_MOST] = {
#define SHOWN_PART_FIELDS(run, letter, more) PART_FIELDS(shown, run, letter, more),
    RUN_INFO(SHOWN_PART_FIELDS)};
static const struct part_fields all_part_fields[RUNS_MOST] = {
#define ALL_PART_FIELDS(run, letter, more) PART_FIELDS(all, run, letter, more),
    RUN_INFO(ALL_PART_FIELDS)};

static void add(struct compare_fields *f, struct field field, int run)
{
	f->run[f->count] = run;
	f->field[f->count++] = field;
	f->field[f->count] = (struct field){0};
}

/* For people B's is one of several. */
static void add_more(const struct compare_table *t, struct compare_fields *f, struct field field,
		     int run)
{
	if (run == RUN_B && t->runs > RUNS_LEAST)
		field.key = "delta_b";
	add(f, field, run);
}

static void add_scalar(struct compare_fields *f, const char *key, enum value_type type,
		       struct value (*get)(const void *result, size_t row, size_t part),
		       bool derived)
{
	add(f, (struct field){.key = key, .type = type, .get = get, .derived = derived}, RUN_A);
}

static void make_stages(struct compare_table *t)
{
	struct compare_fields *out = &t->fields_of_stages;

	add_scalar(out, "name", VALUE_TEXT, all_name, false);
	for (int run = RUN_A; run < t->runs; run++)
		add(out, all_part_fields[run].total, RUN_A);
	for (int run = RUN_B; run < t->runs; run++)
		add(out, all_part_fields[run].more, run);
}

static void make_parts(struct compare_table *t)
{
	struct compare_fields *out = &t->fields_of_parts;

	add_scalar(out, "name", VALUE_TEXT, shown_name, false);
	for (int run = RUN_A; run < t->runs; run++)
		add(out, shown_part_fields[run].total, RUN_A);
	for (int run = RUN_B; run < t->runs; run++)
		add_more(t, out, shown_part_fields[run].more, run);
}

static void make_pcs(struct compare_table *t)
{
	struct compare_fields *out = &t->fields_of_pcs;

	add_scalar(out, "pc", VALUE_HEX, pcs_pc0, false);
	for (int run = RUN_B; run < t->runs; run++)
		add(out, pcs_fields[run].pc, run);
	add_scalar(out, "text", VALUE_TEXT, pcs_text, false);
	for (int run = RUN_A; run < t->runs; run++)
		add(out, pcs_fields[run].count, run);
	for (int run = RUN_A; run < t->runs; run++)
		add(out, pcs_fields[run].cycles, run);
	for (int run = RUN_B; run < t->runs; run++)
		add(out, pcs_fields[run].delta, run);
	for (int run = RUN_A; run < t->runs; run++)
		add(out, pcs_fields[run].stages, run);
}

/* Counts and cycles of the runs. */
static void add_charges(struct compare_table *t, struct compare_fields *out, bool counts,
			bool cycles)
{
	for (int run = RUN_A; run < t->runs && counts; run++)
		add(out, shown_fields[run].count, RUN_A);
	for (int run = RUN_A; run < t->runs && cycles; run++)
		add(out, shown_fields[run].cycles, RUN_A);
}

/*
 * Of two runs each number before what is made of it. Of more there may not be room for all: what
 * changed comes first, A's count stands for all, and no part for one run's change.
 */
static void make_people(struct compare_table *t, bool wide)
{
	struct compare_fields *out = &t->fields_of_people;
	bool two = t->runs == RUNS_LEAST;

	add_scalar(out, "pc", VALUE_HEX, shown_pc0, false);
	add_scalar(out, "text", VALUE_TEXT, shown_text, false);
	add_charges(t, out, two, two);
	for (int run = RUN_B; run < t->runs; run++)
		add_more(t, out, shown_fields[run].delta, run);
	add_scalar(out, "mostly", VALUE_TEXT, shown_mostly, true);
	add_charges(t, out, false, !two);
	if (two && wide)
		add(out, shown_fields[RUN_B].changes, RUN_B);
	else if (!two && !wide)
		add(out, shown_fields[RUN_A].count, RUN_A);
	add_charges(t, out, !two && wide, false);
}

void compare_fields_make(struct compare_table *t, bool wide)
{
	make_stages(t);
	make_parts(t);
	make_pcs(t);
	make_people(t, wide);
	t->stage_list = (struct section){.key = "stages", .rows = count_parts, .fields = t->fields_of_stages.field};
	t->pcs = (struct section){.key = "pcs", .rows = count_lines, .fields = t->fields_of_pcs.field};
	t->part_list =
	    (struct section){.key = "where the cycles went", .rows = count_shown_parts, .fields = t->fields_of_parts.field};
	t->people = (struct section){.key = NULL, .rows = count_shown, .fields = t->fields_of_people.field};
}
