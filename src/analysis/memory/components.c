/* CPUs and caches: how long each waited, what it loaded and lost. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "trace/tick.h"

/* A metric of all of them. */
struct column {
	struct metric_info metric;
	double *means; /* by component */
};

struct components {
	const struct trace *trace;
	size_t count;
	double ticks;
	VEC(struct column) rates; /* what happens, counted */
	double *wait;
};

static enum status ask(struct trace *t, size_t metric, const struct progress *p, size_t n,
		       double **out, struct error *e)
{
	*out = calloc(n + 1, sizeof(**out));
	if (!*out)
		return error_set(e, STATUS_NOMEM, "out of memory");
	return t->kind->means(t, metric, p->first, tick_add(p->last, 1), n, *out, e);
}

static enum status make_components(void *result, struct trace *t, const struct question *q,
				   struct error *e)
{
	struct components *r = result;
	enum status status = STATUS_OK;
	const size_t metrics = t->kind->metric_count(t);
	struct column c = {.means = NULL};
	struct progress p;

	trace_progress(t, &p);
	r->trace = t;
	r->count = p.first <= p.last ? t->kind->component_count(t) : 0;
	r->ticks = (double)p.last - (double)p.first + 1;
	for (size_t i = 0; !status && r->count && t->kind->metric(t, i, &c.metric); i++) {
		if (!c.metric.rate && strcmp(c.metric.name, "wait") != 0)
			continue;
		if (!vec_reserve(&r->rates, 1))
			return error_set(e, STATUS_NOMEM, "out of memory");
		status = ask(t, i, &p, r->count, c.metric.rate ? &c.means : &r->wait, e);
		if (c.metric.rate)
			r->rates.data[r->rates.count++] = c;
		if (!status)
			status = answer_go_on(q, (double)i / (double)metrics, e);
	}
	return status;
}

static void free_components(void *result)
{
	struct components *r = result;

	for (size_t i = 0; i < r->rates.count; i++)
		free(r->rates.data[i].means);
	vec_free(&r->rates);
	free(r->wait);
	free(r);
}

/* ---- the table ---- */

static size_t component_rows(const void *result)
{
	return ((const struct components *)result)->count;
}

static struct trace_component component_at(const void *result, size_t row)
{
	const struct trace *t = ((const struct components *)result)->trace;
	struct trace_component c = {.name = NULL};

	t->kind->component(t, row, &c);
	return c;
}

static struct value get_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(component_at(result, row).name);
}

static struct value get_spans(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(component_at(result, row).spans);
}

static struct value get_wait(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_real(((const struct components *)result)->wait[row]);
}

static size_t rate_parts(const void *result)
{
	return ((const struct components *)result)->rates.count;
}

static const char *rate_part(const void *result, size_t part)
{
	return ((const struct components *)result)->rates.data[part].metric.name;
}

static struct value get_rate(const void *result, size_t row, size_t part)
{
	const struct components *r = result;
	const double mean = r->rates.data[part].means[row];

	return isnan(mean) ? value_none() : value_count((uint64_t)llround(mean * r->ticks));
}

static const struct field fields[] = {
    {FIELD_BY(TEXT, "name", get_name), .path = true},
    {FIELD_BY(COUNT, "spans", get_spans)},
    {FIELD_BY(REAL, "wait", get_wait), .decimals = 1, .percent = true},
    {FIELD_BY(COUNT, "counts", get_rate), .parts = rate_parts, .part = rate_part, .blank = true,
     .sparse = true, .minor = field_is_minor},
    {.key = NULL},
};

static const struct section sections[] = {{SECTION(LIST, "components", component_rows, fields)},
					  {.key = NULL}};

const struct answer memory_components_answer = {"components",	   &memory_trace_kind,
						sections,	   sizeof(struct components),
						make_components, free_components};
