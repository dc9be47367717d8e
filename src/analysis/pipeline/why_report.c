#include "config.h"

#include "analysis/pipeline/why_compare.h"
#include "analysis/pipeline/why_private.h"

#include <string.h>

#include "trace/bins.h"

unsigned why_cause_named(const struct why *w, const char *name)
{
	for (unsigned c = 0; c < WHY_CAUSES || c < w->cause_count; c++)
		if (strcmp(why_cause_name(w, c), name) == 0)
			return c;
	return WHY_NO_CAUSE;
}

/* ---- over time ----------------------------------------------------------------------------- */

bool why_path_shares(const struct why_path *p, int64_t from, int64_t to, size_t bins,
		     double *values)
{
	enum { PATH = WHY_CAUSES_ALL /* all of it */ };
	struct bins b;
	const bool ok = bins_make(&b, from, to, bins, PATH + 1);

	for (size_t i = why_path_at(p, from); ok && i < p->steps.count; i++) {
		const struct why_path_step *s = &p->steps.data[i];

		bins_cover(&b, s->cause, why_path_from(p, i), s->to);
		bins_cover(&b, PATH, why_path_from(p, i), s->to);
	}
	if (ok)
		bins_means(&b);
	for (size_t i = 0; ok && i < PATH * bins; i++)
		values[i] = b.sum[i] / b.sum[PATH * bins + i % bins];
	bins_free(&b);
	return ok;
}

/* ---- what the tables are made of ----------------------------------------------------------- */

SECTION_ROWS(cause, struct why_compare, causes)
SECTION_ROWS(pc, struct why_compare, pcs)
SECTION_ROWS(parameter, struct why_compare, of[ALIGN_A]->parameters)
SECTION_ROWS(whatif, struct why_compare, of[ALIGN_A]->whatifs)

static const void *run_of(const void *result, size_t row)
{
	(void)row;
	return ((const struct why_compare *)result)->of[ALIGN_A];
}

/* how many, of the result c */
#define COUNTS(_)                                                                                  \
	_(notes, c->of[ALIGN_A]->note_count)                                                       \
	_(rules, WHY_RULES)                                                                        \
	_(sides, ALIGN_SIDES)                                                                      \
	_(numbers, c->of[ALIGN_A]->cause_count)

#define COUNT(name, expression)                                                                    \
	static size_t count_##name(const void *result)                                             \
	{                                                                                          \
		const struct why_compare *c = result;                                              \
                                                                                                   \
		(void)c;                                                                           \
		return expression;                                                                 \
	}
COUNTS(COUNT)
#undef COUNT

static const char *side_name(const void *result, size_t side)
{
	(void)result;
	return side == ALIGN_A ? "A" : "B";
}

static const char *cause_name(const void *result, size_t cause)
{
	return ((const struct why_compare *)result)->causes.data[cause].name;
}

/*
 * The cause with most of it, or that changed most in the direction of the whole; NULL: none, or one
 * is asked for.
 */
static const char *mostly(const struct why_compare *c, const struct why_pc_pair *p)
{
	const int sign = c->of[ALIGN_B] && why_pc_change(p) < 0 ? -1 : 1;
	const char *found = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < c->causes.count && !*c->asked; i++)
		if (sign * p->causes[i] > most) {
			most = sign * p->causes[i];
			found = cause_name(c, i);
		}
	return found;
}

/* getter, value of row `row` of the result c, a run alone w */
#define GETTERS(_)                                                                                 \
	_(note, value_text(w->notes[part].text))                                                   \
	_(change, value_ticks(why_cause_change(&c->causes.data[row])))                             \
	_(gone, w->whatifs.data[row].gone >> part & 1                                              \
			? value_text(why_cause_name(w, (unsigned)part))                            \
			: value_none())                                                            \
	_(saved, value_ticks(w->whatifs.data[row].saved))                                          \
	_(words, value_text(w->whatifs.data[row].words))                                           \
	_(at_least, value_text(w->parameters.data[row].reached ? "" : "or more"))                  \
	_(rule, value_text(why_rules[row].name))                                                   \
	_(used, value_bool(!w->reading->machine.breaches[row]))                                    \
	_(breaches, value_count(w->reading->machine.breaches[row]))                                \
	_(pc, store_code_pc(c->pcs.data[row].store, c->pcs.data[row].code))                        \
	_(text, store_code_text(c->pcs.data[row].store, c->pcs.data[row].code))                    \
	_(share, value_real((double)c->pcs.data[row].of[ALIGN_A].cycles / (double)w->cycles))      \
	_(pc_change, value_ticks(why_pc_change(&c->pcs.data[row])))                                \
	_(pc_cause, c->pcs.data[row].causes[part] ? value_ticks(c->pcs.data[row].causes[part])     \
						  : value_none())                                  \
	_(mostly, value_text(mostly(c, &c->pcs.data[row])))

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why_compare *c = result;                                              \
		const struct why *w = c->of[ALIGN_A];                                              \
                                                                                                   \
		(void)w, (void)row, (void)part;                                                    \
		return expression;                                                                 \
	}
GETTERS(GETTER)
#undef GETTER

/* Of a why_whatif. */
static size_t count_settings(const void *whatif)
{
	return ((const struct why_whatif *)whatif)->set_count;
}

static const char *setting_name(const void *whatif, size_t part)
{
	return ((const struct why_whatif *)whatif)->set[part].of->name;
}

static const struct field set_field[] = {
    {FIELD(TICKS, "set", NULL, struct why_whatif, set[0].value),
     .stride = sizeof(struct why_setting), .parts = count_settings, .part = setting_name},
    {0},
};
static const struct section set_section = {SECTION(FIELDS, "set", section_one_row, set_field)};

/* ---- the tables: the command `why` makes JSON and text of them ----------------------------- */

#define RUN(type, key, member)   FIELD(type, key, run_of, struct why, member)
#define CAUSE(type, key, member) FIELD(type, key, cause_of, struct why_cause_pair, member)
#define PC(type, key, member)    FIELD(type, key, pc_of, struct why_pc_pair, member)

static const struct field run_fields[] = {
    {RUN(TICKS, "cycles", cycles)},
    {RUN(COUNT, "committed", instructions)},
    {RUN(REAL, "cpi", cpi), .decimals = 3, .heading = "CPI"},
    {RUN(REAL, "residue_share", residue_share), .percent = true, .decimals = 1,
     .heading = "not explained by the trace"},
    {RUN(COUNT, "differences", differences), .hidden = true},
    {FIELD_BY(TEXT, "notes", get_note), .parts = count_notes, .shape = FIELD_LIST, .hidden = true},
    {0},
};

static const struct field cause_fields[] = {
    {CAUSE(TEXT, "name", name), .heading = "cause"},
    {CAUSE(TICKS, "cycles", of[ALIGN_A].cycles)},
    {CAUSE(REAL, "cpi", of[ALIGN_A].cpi), .decimals = 3, .heading = "CPI"},
    {CAUSE(TICKS, "saved", of[ALIGN_A].saved)},
    {CAUSE(TEXT, "bound", of[ALIGN_A].bound)},
    {CAUSE(REAL, "share", of[ALIGN_A].share), .percent = true, .decimals = 1, .derived = true,
     .bar = true},
    {0},
};

static const struct field two_causes[] = {
    {CAUSE(TEXT, "cause", name)},
    {CAUSE(TICKS, "a", of[ALIGN_A].cycles), .hidden = true},
    {CAUSE(TICKS, "b", of[ALIGN_B].cycles), .hidden = true},
    {CAUSE(TICKS, "cycles", of[ALIGN_A].cycles), .stride = sizeof(struct why_cause),
     .parts = count_sides, .part = side_name, .derived = true, .bar = true},
    {FIELD_BY(TICKS, "delta", get_change), .heading = "B - A"},
    {0},
};

static const struct field parameter_fields[] = {
    {FIELD(TEXT, "name", parameter_of, struct why_parameter, name), .heading = "parameter"},
    {FIELD(TICKS, "value", parameter_of, struct why_parameter, value)},
    {FIELD(BOOL, "reached", parameter_of, struct why_parameter, reached), .hidden = true},
    {FIELD_BY(TEXT, "at_least", get_at_least), .heading = "", .derived = true},
    {0},
};

static const struct field rule_fields[] = {
    {FIELD_BY(TEXT, "name", get_rule)},
    {FIELD_BY(BOOL, "used", get_used)},
    {FIELD_BY(COUNT, "breaches", get_breaches)},
    {0},
};

static const struct field pc_fields[] = {
    {FIELD_BY(HEX, "pc", get_pc)},
    {FIELD_BY(TEXT, "text", get_text)},
    {PC(COUNT, "count", of[ALIGN_A].count)},
    {PC(TICKS, "cycles", of[ALIGN_A].cycles)},
    {FIELD_BY(REAL, "share", get_share), .percent = true, .decimals = 1, .derived = true},
    {FIELD_BY(TICKS, "causes", get_pc_cause), .parts = cause_rows, .part = cause_name,
     .sparse = true, .hidden = true},
    {FIELD_BY(TEXT, "mostly", get_mostly), .derived = true},
    {0},
};

static const struct field two_pcs[] = {
    {FIELD_BY(HEX, "pc", get_pc)},
    {FIELD_BY(TEXT, "text", get_text)},
    {PC(COUNT, "count_a", of[ALIGN_A].count), .heading = "count A"},
    {PC(COUNT, "count_b", of[ALIGN_B].count), .heading = "count B"},
    {PC(TICKS, "a", of[ALIGN_A].cycles), .heading = "A"},
    {PC(TICKS, "b", of[ALIGN_B].cycles), .heading = "B"},
    {FIELD_BY(TICKS, "delta", get_pc_change), .heading = "B - A"},
    {FIELD_BY(TICKS, "causes", get_pc_cause), .parts = cause_rows, .part = cause_name,
     .sparse = true, .hidden = true},
    {FIELD_BY(TEXT, "mostly", get_mostly), .derived = true},
    {0},
};

static const struct field whatif_fields[] = {
    {FIELD_BY(TEXT, "causes", get_gone), .parts = count_numbers, .shape = FIELD_LIST,
     .hidden = true},
    {.key = "set", .of = whatif_of, .inner = &set_section, .hidden = true},
    {FIELD(TICKS, "cycles", whatif_of, struct why_whatif, cycles)},
    {FIELD_BY(TICKS, "saved", get_saved)},
    {FIELD(TEXT, "bound", whatif_of, struct why_whatif, bound)},
    /* a text in the last column is not cut while there is room */
    {FIELD_BY(TEXT, "what", get_words), .derived = true},
    {0},
};

const struct section why_sections[] = {
    [WHY_SECTION_RUN] = {SECTION(FIELDS, "why", section_one_row, run_fields)},
    [WHY_SECTION_CAUSES] = {SECTION(LIST, "causes", cause_rows, cause_fields), .whole = true},
    [WHY_SECTION_WHATIFS] = {SECTION(LIST, "without", whatif_rows, whatif_fields),
			     .title = "what if", .whole = true},
    [WHY_SECTION_PARAMETERS] = {SECTION(LIST, "parameters", parameter_rows, parameter_fields)},
    [WHY_SECTION_RULES] = {SECTION(LIST, "rules", count_rules, rule_fields), .hidden = true},
    [WHY_SECTION_PCS] = {SECTION(LIST, "pcs", pc_rows, pc_fields),
			 .title = "instructions that own cycles"},
    {0},
};

const struct section why_two_sections[] = {
    [WHY_TWO_CAUSES] = {SECTION(LIST, "differences", cause_rows, two_causes),
			.title = "where the cycles of the critical path went", .whole = true},
    [WHY_TWO_PCS] = {SECTION(LIST, "pcs", pc_rows, two_pcs), .title = "instructions that own cycles"},
    {0},
};
