#include "config.h"

#include "analysis/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"

/* ---- of a component by its name ---- */

void metric_component_pattern(const char *component, bool below, struct sbuf *out)
{
	sbuf_putc(out, '^');
	regex_quote(component, out);
	sbuf_puts(out, below ? "(\\.|$)" : "$");
}

/*
 * Without the last digits of a sum of doubles: they depend on where a trace was cut into parts when
 * it was read.
 */
static double without_noise(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.12g", value);
	return strtod(text, NULL);
}

/* Over all of the trace; NaN: it has none, or it cannot be told. */
static double mean_of(struct trace *t, const char *name, const char *component)
{
	struct interval all = interval_of(t, INT64_MIN, INT64_MAX);
	struct regex *re = NULL;
	struct sbuf pattern = {0};
	struct metric_ref ref;
	struct error ignored;
	double mean = NAN;

	if (component)
		metric_component_pattern(component, false, &pattern);
	if ((!component || !regex_new(&re, sbuf_text(&pattern), &ignored)) &&
	    t->kind->metric_find(t, name, re, &ref))
		interval_mean(t, &ref, &all, &mean, NULL, &ignored);
	regex_free(re);
	sbuf_free(&pattern);
	return without_noise(mean);
}

/* ---- of one trace ---- */

/* Of all components, in one go if the kind can. Components that came meanwhile are left out. */
static bool add_components(struct metric_table *m, struct trace *t, size_t metric,
			   struct metric_row r, const struct interval *over)
{
	const size_t n = t->kind->component_count(t);
	double *means = t->kind->means ? malloc((n + 1) * sizeof(*means)) : NULL;
	bool done = !t->kind->means || (means && (over->from == over->to ||
						  !t->kind->means(t, metric, over->from, over->to,
								  n, means, NULL)));
	struct trace_component c;

	for (size_t i = 0; done && i < n && t->kind->component(t, i, &c); i++) {
		r.component = c.name;
		r.mean = !means ? mean_of(t, r.name, c.name)
			 : over->from < over->to ? without_noise(means[i])
						 : NAN;
		done = vec_push(&m->rows, r);
	}
	free(means);
	return done;
}

static bool add_worked_out(struct metric_table *m, struct trace *t, size_t metric,
			   const struct metric_info *info, const struct interval *over)
{
	struct metric_row r = {info->name, NULL, info->unit, UINT64_MAX, NAN, NAN, NAN, NAN, 0};

	if (info->per_component)
		return add_components(m, t, metric, r, over);
	r.mean = mean_of(t, r.name, NULL);
	return vec_push(&m->rows, r);
}

static bool add_sampled(struct metric_table *m, struct trace *t, const struct metric_info *info)
{
	struct metric_row r = {
	    info->name, info->component, info->unit, info->samples, NAN, NAN, NAN, NAN, 0};

	if (r.component && !*r.component)
		r.component = NULL;
	if (info->samples) {
		r.mean = isnan(info->mean) ? mean_of(t, r.name, r.component)
					   : without_noise(info->mean);
		r.min = info->min;
		r.max = info->max;
		r.total = info->rate ? info->total : NAN;
	}
	return vec_push(&m->rows, r);
}

static bool make_table(struct metric_table *m, struct trace *t, bool worked_out,
		       const struct interval *over)
{
	struct metric_info info;

	*m = (struct metric_table){0};
	for (size_t i = 0; t->kind->metric_count && t->kind->metric(t, i, &info); i++)
		if (info.sampled ? !add_sampled(m, t, &info)
				 : worked_out && !add_worked_out(m, t, i, &info, over))
			return false;
	return true;
}

bool metric_table_make(struct metric_table *m, struct trace *t, bool worked_out)
{
	const struct interval all = interval_of(t, INT64_MIN, INT64_MAX);

	return make_table(m, t, worked_out, &all);
}

void metric_table_free(struct metric_table *m)
{
	vec_free(&m->rows);
}

SECTION_ROWS(table, struct metric_table, rows)

static const struct field row_fields[] = {
    {FIELD(TEXT, "name", table_of, struct metric_row, name)},
    {FIELD(TEXT, "component", table_of, struct metric_row, component), .path = true},
    {FIELD(TEXT, "unit", table_of, struct metric_row, unit), .minor = field_is_minor},
    {FIELD(COUNT, "samples", table_of, struct metric_row, samples), .minor = field_is_minor},
    {FIELD(REAL, "mean", table_of, struct metric_row, mean)},
    {FIELD(REAL, "min", table_of, struct metric_row, min), .heading = "least"},
    {FIELD(REAL, "max", table_of, struct metric_row, max), .heading = "greatest"},
    {FIELD(REAL, "total", table_of, struct metric_row, total)},
    {.key = NULL},
};

const struct section metric_sections[] = {{SECTION(LIST, "metrics", table_rows, row_fields)},
					  {.key = NULL}};

/* ---- of two ---- */

/* Of the machine that simulated, not of the simulated one: it says the least of all. */
static bool is_host(const struct metric_pair *p)
{
	return strncmp(p->name, "host", 4) == 0 &&
	       (p->name[4] == '_' || (p->name[4] >= 'A' && p->name[4] <= 'Z'));
}

static bool in_both(const struct metric_pair *p)
{
	return !isnan(p->value[METRIC_A]) && !isnan(p->value[METRIC_B]);
}

bool metric_pairs_add(struct metric_pairs *m, int side, const struct metric_row *r, double value)
{
	struct metric_pair p = {r->name, r->component, r->unit, {NAN, NAN}, NAN, NAN, NAN, r->number};

	p.value[side] = value;
	return vec_push(&m->pairs, p);
}

static bool add_side(struct metric_pairs *m, struct trace *t, int side, const struct interval *over,
		     bool people)
{
	struct metric_table table;
	bool done = make_table(&table, t, t->kind->means, over);

	for (size_t i = 0; done && i < table.rows.count; i++) {
		struct metric_row *r = &table.rows.data[i];
		const double value = isnan(r->total) ? r->mean : r->total;
		const bool rate = people && r->unit && strcmp(r->unit, "1/cycle") == 0;

		r->unit = rate ? "/kcycle" : people ? NULL : r->unit;
		done = !r->samples || (r->samples == UINT64_MAX && isnan(r->mean)) ||
		       metric_pairs_add(m, side, r, rate ? 1000 * value : value);
	}
	metric_table_free(&table);
	return done;
}

static int by_name(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;
	int order = strcmp(x->component ? x->component : "", y->component ? y->component : "");

	return order ? order : strcmp(x->name, y->name);
}

/* Both sides of a name lie beside each other; what a side has more than once adds up. */
static void join_pairs(struct metric_pairs *m)
{
	struct metric_pair *to = m->pairs.data;

	for (size_t i = 0; i < m->pairs.count; i++) {
		struct metric_pair *p = &m->pairs.data[i];

		if (to == m->pairs.data || by_name(to - 1, p) != 0) {
			*to++ = *p;
			continue;
		}
		for (int s = 0; s < METRIC_SIDES; s++)
			if (!isnan(p->value[s]))
				to[-1].value[s] = p->value[s] + (isnan(to[-1].value[s]) ? 0 : to[-1].value[s]);
	}
	m->pairs.count = (size_t)(to - m->pairs.data);
}

static double change(double delta, double by)
{
	return delta == 0 ? 0 : delta / fabs(by);
}

static int by_metric(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void share_out(struct metric_pairs *m)
{
	struct metric_pair *p = m->pairs.data;

	qsort(p, m->pairs.count, sizeof(*p), by_metric);
	for (size_t i = 0, end; i < m->pairs.count; i = end) {
		double whole = 0;

		for (end = i; end < m->pairs.count && by_metric(&p[end], &p[i]) == 0; end++)
			whole += in_both(&p[end]) ? fabs(p[end].value[METRIC_A]) : 0;
		for (size_t k = i; k < end; k++)
			p[k].share = change(p[k].delta, whole);
	}
}

/* From nothing to something is more than any share; JSON has no number for it. */
static void work_out(struct metric_pairs *m)
{
	for (size_t i = 0; i < m->pairs.count; i++) {
		struct metric_pair *p = &m->pairs.data[i];

		m->alone[METRIC_A] += isnan(p->value[METRIC_B]);
		m->alone[METRIC_B] += isnan(p->value[METRIC_A]);
		if (!in_both(p))
			continue;
		p->delta = p->value[METRIC_B] - p->value[METRIC_A];
		p->share = change(p->delta, p->value[METRIC_A]);
		p->relative = isfinite(p->share) ? p->share : NAN;
		m->common++;
		m->different += p->delta != 0;
	}
}

/* What stands first: the greatest difference; -1: there is none to tell. */
static double weight(const struct metric_pair *p)
{
	return in_both(p) ? fabs(p->share) : -1;
}

static int by_difference(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;
	double wx = weight(x), wy = weight(y);

	if (is_host(x) != is_host(y))
		return is_host(x) ? 1 : -1;
	if (wx != wy)
		return wx > wy ? -1 : 1;
	return by_name(a, b);
}

void metric_pairs_end(struct metric_pairs *m, bool shares)
{
	if (!m->pairs.count)
		return;
	qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_name);
	join_pairs(m);
	work_out(m);
	if (shares)
		share_out(m);
	qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_difference);
}

bool metric_pairs_make(struct metric_pairs *m, struct trace *const sides[METRIC_SIDES],
		       const struct interval *over, bool people)
{
	*m = (struct metric_pairs){0};
	for (int s = 0; s < METRIC_SIDES; s++) {
		const struct interval all = interval_of(sides[s], INT64_MIN, INT64_MAX);

		if (!add_side(m, sides[s], s, over ? &over[s] : &all, people))
			return false;
	}
	metric_pairs_end(m, sides[METRIC_A]->kind->means);
	return true;
}

void metric_pairs_free(struct metric_pairs *m)
{
	vec_free(&m->pairs);
}

void metric_pairs_sum_up(const struct metric_pairs *m, struct sbuf *out)
{
	sbuf_printf(out, "%zu metric%s in both, %zu different", m->common,
		    m->common == 1 ? "" : "s", m->different);
	for (int s = 0; s < METRIC_SIDES; s++)
		if (m->alone[s])
			sbuf_printf(out, "; %zu only in %c", m->alone[s], "AB"[s]);
}

SECTION_ROWS(pair, struct metric_pairs, pairs)

static const struct field pair_fields[] = {
    {FIELD(TEXT, "name", pair_of, struct metric_pair, name)},
    {FIELD(TEXT, "component", pair_of, struct metric_pair, component), .path = true},
    {FIELD(TEXT, "unit", pair_of, struct metric_pair, unit), .derived = true},
    METRIC_PAIR_FIELDS(pair_of),
    {.key = NULL},
};

const struct section metric_pair_section = {SECTION(LIST, "metrics", pair_rows, pair_fields)};
