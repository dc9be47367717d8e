#include "config.h"

#include "analysis/pipeline/why_private.h"

/* The command `why` makes JSON and text of them. */

SECTION_ROWS(cause, struct why, causes)
SECTION_ROWS(parameter, struct why, parameters)
SECTION_ROWS(pc, struct why, pcs)
SECTION_ROWS(whatif, struct why, whatifs)

static size_t rule_rows(const void *result)
{
	(void)result;
	return WHY_RULES;
}

static size_t count_causes(const void *result)
{
	return WHY_CAUSES + ((const struct why *)result)->front_count;
}

static const char *cause_name(const void *result, size_t cause)
{
	return why_cause_name(result, (unsigned)cause);
}

static size_t count_notes(const void *result)
{
	return ((const struct why *)result)->notes.count;
}

/* All that some what-if sets: each setting of each of them, one after another. */
static size_t count_settings(const void *result)
{
	const struct why *w = result;
	size_t n = 0;

	for (size_t i = 0; i < w->whatifs.count; i++)
		n += w->whatifs.data[i].set.count;
	return n;
}

static const struct why_setting *setting_at(const struct why *w, size_t part, size_t *row)
{
	for (*row = 0; part >= w->whatifs.data[*row].set.count; ++*row)
		part -= w->whatifs.data[*row].set.count;
	return &w->whatifs.data[*row].set.data[part];
}

static const char *setting_name(const void *result, size_t part)
{
	size_t row;

	return setting_at(result, part, &row)->name;
}

static struct value get_setting(const void *result, size_t row, size_t part)
{
	size_t of;
	const struct why_setting *s = setting_at(result, part, &of);

	return of == row ? value_ticks(s->value) : value_none();
}

static struct value get_gone(const void *result, size_t row, size_t cause)
{
	const struct why *w = result;

	return w->whatifs.data[row].gone >> cause & 1
		   ? value_text(why_cause_name(w, (unsigned)cause))
		   : value_none();
}

/* For people both are one list: "branch, dcache", "window=12". */
static size_t count_words(const void *result)
{
	return count_causes(result) + count_settings(result);
}

static struct value get_words(const void *result, size_t row, size_t part)
{
	const size_t causes = count_causes(result);
	const struct why_setting *s;
	size_t of;

	if (part < causes)
		return get_gone(result, row, part);
	s = setting_at(result, part - causes, &of);
	return of == row ? value_text(s->words) : value_none();
}

/* So many characters for all cycles. */
static struct value bar_of(const struct why_cause *c)
{
	static const char bar[] = "########################";
	double length = c->share * (sizeof(bar) - 1) + 0.5;

	return value_bytes(bar, length > 0 && length < (double)sizeof(bar) ? (size_t)length : 0);
}

/* getter, value of row `row` of the result w */
#define GETTERS(_)                                                                                 \
	_(bar, bar_of(&w->causes.data[row]))                                                       \
	_(pc_pc, store_code_pc(w->store, w->pcs.data[row].code))                                   \
	_(pc_text, store_code_text(w->store, w->pcs.data[row].code))                               \
	_(pc_share,                                                                                \
	  value_real(w->cycles ? (double)w->pcs.data[row].cycles / (double)w->cycles : 0))         \
	_(pc_cause, w->pcs.data[row].causes[part] ? value_ticks(w->pcs.data[row].causes[part])     \
						  : value_none())                                  \
	_(rule, value_text(why_rules[row].name))                                                   \
	_(used, value_bool(w->reading->machine.used[row]))                                         \
	_(breaches, value_count(w->reading->machine.breaches[row]))                                \
	_(saved, value_ticks(w->whatifs.data[row].saved))                                          \
	_(note, value_text(w->notes.data[part].text))                                              \
	_(cpi, value_real(w->instructions ? (double)w->cycles / (double)w->instructions : 0))      \
	_(at_least, value_text(w->parameters.data[row].reached ? "" : "or more"))

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why *w = result;                                                      \
		(void)w, (void)row, (void)part;                                                    \
		return expression;                                                                 \
	}
GETTERS(GETTER)
#undef GETTER

#define WHY(type, key, member)   FIELD(type, key, NULL, struct why, member)
#define CAUSE(type, key, member) FIELD(type, key, cause_of, struct why_cause, member)

static const struct field run_fields[] = {
    {WHY(TICKS, "cycles", cycles)},
    {WHY(COUNT, "committed", instructions)},
    {FIELD_BY(REAL, "cpi", get_cpi), .decimals = 3, .heading = "CPI"},
    {WHY(REAL, "residue_share", residue_share), .percent = true, .decimals = 1,
     .heading = "not explained by the trace"},
    {WHY(COUNT, "differences", differences), .hidden = true},
    {FIELD_BY(TEXT, "notes", get_note), .parts = count_notes, .shape = FIELD_LIST, .hidden = true},
    {0},
};

/* Names are arrays in their structs. */
#define NAME_OF(what, list)                                                                        \
	static struct value get_##what##_name(const void *result, size_t row, size_t part)         \
	{                                                                                          \
		(void)part;                                                                        \
		return value_text(((const struct why *)result)->list.data[row].name);              \
	}
NAME_OF(cause, causes)
NAME_OF(parameter, parameters)

static const struct field cause_fields[] = {
    {FIELD_BY(TEXT, "name", get_cause_name), .heading = "cause"},
    {CAUSE(TICKS, "cycles", cycles)},
    {CAUSE(REAL, "share", share), .percent = true, .decimals = 1, .derived = true},
    {CAUSE(REAL, "cpi", cpi), .decimals = 3, .heading = "CPI"},
    {CAUSE(TICKS, "saved", saved), .heading = "saved without it"},
    {CAUSE(TEXT, "bound", bound)},
    {FIELD_BY(TEXT, "bar", get_bar), .heading = "", .derived = true, .minor = field_is_minor},
    {0},
};

static const struct field parameter_fields[] = {
    {FIELD_BY(TEXT, "name", get_parameter_name), .heading = "parameter"},
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
    {FIELD_BY(HEX, "pc", get_pc_pc)},
    {FIELD_BY(TEXT, "text", get_pc_text)},
    {FIELD(COUNT, "count", pc_of, struct why_pc, count)},
    {FIELD(TICKS, "cycles", pc_of, struct why_pc, cycles)},
    {FIELD_BY(REAL, "share", get_pc_share), .percent = true, .decimals = 1, .derived = true},
    {FIELD_BY(TICKS, "causes", get_pc_cause), .parts = count_causes, .part = cause_name,
     .sparse = true, .blank = true, .minor = field_is_minor},
    {0},
};

static const struct field whatif_fields[] = {
    {FIELD_BY(TEXT, "causes", get_gone), .parts = count_causes, .shape = FIELD_LIST, .hidden = true},
    {FIELD_BY(TICKS, "set", get_setting), .parts = count_settings, .part = setting_name,
     .sparse = true, .open = true, .hidden = true},
    {FIELD(TICKS, "cycles", whatif_of, struct why_whatif, cycles)},
    {FIELD_BY(TICKS, "saved", get_saved)},
    {FIELD(TEXT, "bound", whatif_of, struct why_whatif, bound)},
    /* a text in the last column is not cut while there is room */
    {FIELD_BY(TEXT, "what", get_words), .parts = count_words, .shape = FIELD_LIST, .derived = true},
    {0},
};

const struct section why_sections[] = {
    {SECTION(FIELDS, "why", section_one_row, run_fields)},
    {SECTION(LIST, "causes", cause_rows, cause_fields), .whole = true},
    {SECTION(LIST, "without", whatif_rows, whatif_fields), .title = "what if", .whole = true},
    {SECTION(LIST, "parameters", parameter_rows, parameter_fields)},
    {SECTION(LIST, "rules", rule_rows, rule_fields), .hidden = true},
    {SECTION(LIST, "pcs", pc_rows, pc_fields), .title = "instructions that own cycles"},
    {0},
};
