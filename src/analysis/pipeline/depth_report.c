#include "config.h"

#include "analysis/pipeline/depth.h"

/* The command `depth` makes JSON and text of them, and the pane "reduced trace" its table. */

static const struct depth *depth_of(const void *result)
{
	return result;
}

static size_t points(const void *result)
{
	(void)result;
	return DEPTH_POINTS;
}

static const void *point_of(const void *result, size_t row)
{
	return &depth_of(result)->at[row];
}

bool depth_has_best(const struct depth *d)
{
	return d->best_state == DEPTH_FOUND;
}

static struct value known(bool is_known, double value)
{
	return is_known ? value_real(value) : value_none();
}

static bool has_alpha(const struct depth *d)
{
	return d->alpha_state == DEPTH_FOUND || d->alpha_state == DEPTH_ONE;
}

static struct value why(enum depth_state state)
{
	return value_text(*depth_states[state] ? depth_states[state] : NULL);
}

/* getter, value of the depth d */
#define GETTERS(_)                                                                                 \
	_(best_n, depth_has_best(d) ? value_ticks(d->best_n) : value_none())                       \
	_(best_speedup, known(depth_has_best(d), d->best_speedup))                                 \
	_(note, why(d->best_state))                                                                \
	_(alpha, known(has_alpha(d), d->alpha))                                                    \
	_(n_opt, known(has_alpha(d), d->n_opt))                                                    \
	_(alpha_note, why(d->alpha_state))                                                         \
	_(best, value_text(depth_has_best(d) && d->at[row].n == d->best_n ? "<- best" : ""))

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct depth *d = result;                                                    \
		(void)row, (void)part;                                                             \
		return expression;                                                                 \
	}
GETTERS(GETTER)
#undef GETTER

#define DEPTH(type, key, member) FIELD(type, key, NULL, struct depth, member)
#define POINT(type, key, member) FIELD(type, key, point_of, struct depth_point, member)

static const struct field depth_fields[] = {
    {DEPTH(COUNT, "instructions", instructions), .derived = true},
    {DEPTH(BOOL, "estimate", estimate)},
    {DEPTH(TICKS, "e", e), .heading = "execution segments for each n"},
    {DEPTH(TICKS, "s", s), .heading = "setup segments for each n"},
    {DEPTH(REAL, "gamma", gamma), .derived = true},
    {FIELD_BY(TICKS, "best_n", get_best_n), .heading = "exact: best n"},
    {FIELD_BY(REAL, "best_speedup", get_best_speedup), .heading = "exact: times as fast", .decimals = 4},
    {FIELD_BY(TEXT, "note", get_note), .heading = "exact:"},
    {DEPTH(TICKS, "k", k), .heading = "the paper's estimators at k"},
    {FIELD_BY(REAL, "alpha", get_alpha), .decimals = 5},
    {FIELD_BY(REAL, "n_opt", get_n_opt), .decimals = 3},
    {FIELD_BY(TEXT, "alpha_note", get_alpha_note), .heading = "estimators", .derived = true},
    {DEPTH(REAL, "K", growth), .decimals = 5},
    {DEPTH(TICKS, "K_from", steady), .heading = "K from n"},
    {DEPTH(BOOL, "stacks", stacks), .heading = "K leaves stacks out", .derived = true},
    {DEPTH(REAL, "coefficient", coefficient), .heading = "gamma_n over n (n + 1)"},
    {0},
};

static const struct field point_fields[] = {
    {POINT(TICKS, "n", n), .derived = true},
    {POINT(TICKS, "N_E", cycles.at.execute), .derived = true, .minor = field_is_minor},
    {POINT(TICKS, "N_S", cycles.at.setup), .derived = true, .minor = field_is_minor},
    {POINT(REAL, "inverse_bandwidth", inverse_bandwidth), .heading = "cycles/instr", .decimals = 4, .bar = true},
    {POINT(REAL, "D", penalty), .heading = "D(n)", .decimals = 5},
    {POINT(REAL, "growth", growth), .decimals = 3, .derived = true, .minor = field_is_minor},
    {POINT(REAL, "gamma_n", gamma), .decimals = 3, .bar = true},
    {POINT(REAL, "speedup", speedup), .decimals = 4, .bar = true},
    {FIELD_BY(TEXT, "best", get_best), .heading = "", .derived = true},
    {0},
};

const struct section depth_sections[] = {
    [DEPTH_PIPELINES] = {SECTION(FIELDS, "depth", section_one_row, depth_fields)},
    [DEPTH_TABLE] = {SECTION(COLUMNS, "n", points, point_fields),
		     .title = "the pipelines of n times as many segments",
		     .about = "Speedup is over one unpipelined segment, D(n) what a length waits, growth how "
			      "fast that still grows; from gamma_n on n + 1 segments are faster than n."},
    {0},
};
