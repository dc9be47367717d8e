#include "config.h"

#include "analysis/pipeline/depth_report.h"

#include <math.h>

static const char *why(enum depth_state state)
{
	return *depth_states[state] ? depth_states[state] : NULL;
}

void depth_report_make(struct depth_report *r)
{
	const struct depth *d = r->d;
	bool best = d->best_state == DEPTH_FOUND;
	bool known = d->alpha_state == DEPTH_FOUND || d->alpha_state == DEPTH_ONE;

	r->best_n = best ? d->best_n : -1;
	r->best_speedup = best ? d->best_speedup : NAN;
	r->note = why(d->best_state);
	r->alpha = known ? d->alpha : NAN;
	r->n_opt = known ? d->n_opt : NAN;
	r->alpha_note = why(d->alpha_state);
	r->growth[0] = NAN;
	for (int i = 1; i < DEPTH_POINTS; i++) {
		double now = d->at[i].penalty;

		r->growth[i] = now > 0 ? (now - d->at[i - 1].penalty) / now : NAN;
	}
}

static size_t points(const void *result)
{
	(void)result;
	return DEPTH_POINTS;
}

static const void *depth_of(const void *result, size_t row)
{
	(void)row;
	return ((const struct depth_report *)result)->d;
}

static const void *point_of(const void *result, size_t row)
{
	return &((const struct depth_report *)result)->d->at[row];
}

static struct value get_growth(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_real(((const struct depth_report *)result)->growth[row]);
}

static struct value get_best(const void *result, size_t row, size_t part)
{
	const struct depth_report *r = result;

	(void)part;
	return value_text(r->d->at[row].n == r->best_n ? "<- best" : "");
}

#define REPORT(type, key, member) FIELD(type, key, NULL, struct depth_report, member)
#define DEPTH(type, key, member)  FIELD(type, key, depth_of, struct depth, member)
#define POINT(type, key, member)  FIELD(type, key, point_of, struct depth_point, member)

static const struct field depth_fields[] = {
    {REPORT(COUNT, "instructions", instructions), .derived = true},
    {REPORT(BOOL, "estimate", estimate)},
    {DEPTH(TICKS, "e", e), .heading = "execution segments for each n"},
    {DEPTH(TICKS, "s", s), .heading = "setup segments for each n"},
    {REPORT(REAL, "gamma", gamma), .derived = true},
    {REPORT(TICKS, "best_n", best_n), .heading = "exact: best n"},
    {REPORT(REAL, "best_speedup", best_speedup), .heading = "exact: times as fast", .decimals = 4},
    {REPORT(TEXT, "note", note), .heading = "exact:"},
    {DEPTH(TICKS, "k", k), .heading = "the paper's estimators at k"},
    {REPORT(REAL, "alpha", alpha), .decimals = 5},
    {REPORT(REAL, "n_opt", n_opt), .decimals = 3},
    {REPORT(TEXT, "alpha_note", alpha_note), .heading = "estimators", .derived = true},
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
    {POINT(REAL, "inverse_bandwidth", inverse_bandwidth), .heading = "cycles/instr", .decimals = 4},
    {POINT(REAL, "D", penalty), .heading = "D(n)", .decimals = 5},
    {FIELD_BY(REAL, "growth", get_growth), .decimals = 3, .derived = true, .minor = field_is_minor},
    {POINT(REAL, "gamma_n", gamma), .decimals = 3},
    {POINT(REAL, "speedup", speedup), .decimals = 4},
    {FIELD_BY(TEXT, "best", get_best), .heading = "", .derived = true},
    {0},
};

const struct section depth_sections[] = {
    [DEPTH_PIPELINES] = {SECTION(FIELDS, "depth", section_one_row, depth_fields)},
    [DEPTH_TABLE] = {SECTION(COLUMNS, "n", points, point_fields),
		     .title = "the pipelines of n times as many segments"},
    {0},
};
