#include "config.h"

#include "analysis/pipeline/why_private.h"

#include <math.h>
#include <string.h>

unsigned why_cause_named(const struct why *w, const char *name)
{
	for (unsigned c = 0; c < WHY_CAUSES + w->front_count; c++)
		if (strcmp(why_cause_name(w, c), name) == 0)
			return c;
	return WHY_NO_CAUSE;
}

int64_t why_cause_cycles(const struct why *w, unsigned cause)
{
	for (size_t i = 0; i < w->causes.count; i++)
		if (w->causes.data[i].number == cause)
			return w->causes.data[i].cycles;
	return 0;
}

/* ---- over time ----------------------------------------------------------------------------- */

/* Ticks of [from, to) that lie in a bin that begins at `at`. */
static double overlap(double at, double width, int64_t from, int64_t to)
{
	return fmax(0, fmin((double)to, at + width) - fmax((double)from, at));
}

void why_path_shares(const struct why_path *p, int64_t from, int64_t to, size_t bins,
		     double *values)
{
	const double first = (double)from, width = ((double)to - first) / (double)bins;
	const int64_t end = p->steps.count ? vec_last(&p->steps).to : p->from;

	memset(values, 0, WHY_CAUSES_ALL * bins * sizeof(*values));
	for (size_t i = why_path_at(p, from); i < p->steps.count && why_path_from(p, i) < to; i++) {
		const struct why_path_step *s = &p->steps.data[i];
		const int64_t begin = why_path_from(p, i);
		const double before = floor(((double)begin - first) / width);

		for (size_t bin = before > 0 ? (size_t)before : 0;
		     bin < bins && first + (double)bin * width < (double)s->to; bin++)
			values[s->cause * bins + bin] +=
			    overlap(first + (double)bin * width, width, begin, s->to);
	}
	for (size_t i = 0; i < WHY_CAUSES_ALL * bins; i++)
		values[i] /= overlap(first + (double)(i % bins) * width, width, p->from, end);
}

/* ---- tables: the command `why` makes JSON and text of them --------------------------------- */

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

static struct value get_gone(const void *result, size_t row, size_t cause)
{
	const struct why *w = result;

	return w->whatifs.data[row].gone >> cause & 1
		   ? value_text(why_cause_name(w, (unsigned)cause))
		   : value_none();
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
	_(cause_name, value_text(w->causes.data[row].name))                                        \
	_(parameter_name, value_text(w->parameters.data[row].name))                                \
	_(bar, bar_of(&w->causes.data[row]))                                                       \
	_(pc_pc, store_code_pc(w->store, w->pcs.data[row].code))                                   \
	_(pc_text, store_code_text(w->store, w->pcs.data[row].code))                               \
	_(pc_share,                                                                                \
	  value_real(w->cycles ? (double)w->pcs.data[row].cycles / (double)w->cycles : 0))         \
	_(pc_cause, w->pcs.data[row].causes[part] ? value_ticks(w->pcs.data[row].causes[part])     \
						  : value_none())                                  \
	_(rule, value_text(why_rules[row].name))                                                   \
	_(used, value_bool(!w->reading->machine.breaches[row]))                                         \
	_(breaches, value_count(w->reading->machine.breaches[row]))                                \
	_(saved, value_ticks(w->whatifs.data[row].saved))                                          \
	_(slower, w->whatifs.data[row].saved < 0 ? value_ticks(-w->whatifs.data[row].saved)        \
						 : value_none())                                   \
	_(words, value_text(w->whatifs.data[row].words))                                           \
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

/* Of a why_whatif. */
static size_t count_settings(const void *whatif)
{
	return ((const struct why_whatif *)whatif)->set.count;
}

static const char *setting_name(const void *whatif, size_t part)
{
	return ((const struct why_whatif *)whatif)->set.data[part].of->name;
}

static struct value get_setting(const void *whatif, size_t row, size_t part)
{
	(void)row;
	return value_ticks(((const struct why_whatif *)whatif)->set.data[part].value);
}

static const struct field set_field[] = {
    {FIELD_BY(TICKS, "set", get_setting), .parts = count_settings, .part = setting_name},
    {0},
};
static const struct section set_section = {SECTION(FIELDS, "set", section_one_row, set_field)};

static const struct field whatif_fields[] = {
    {FIELD_BY(TEXT, "causes", get_gone), .parts = count_causes, .shape = FIELD_LIST,
     .hidden = true},
    {.key = "set", .of = whatif_of, .inner = &set_section, .hidden = true},
    {FIELD(TICKS, "cycles", whatif_of, struct why_whatif, cycles)},
    {FIELD_BY(TICKS, "saved", get_saved), .hidden = true},
    {FIELD(TICKS, "gain", whatif_of, struct why_whatif, saved), .derived = true,
     .heading = "saved"},
    {FIELD_BY(TICKS, "slower by", get_slower), .derived = true, .minor = field_is_minor},
    {FIELD(TEXT, "bound", whatif_of, struct why_whatif, bound)},
    /* a text in the last column is not cut while there is room */
    {FIELD_BY(TEXT, "what", get_words), .derived = true},
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
