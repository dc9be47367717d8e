/* CPUs and caches: how long each waited, what it loaded and lost. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "trace/tick.h"

enum { RATES_MOST = 16 };

struct component {
	const char *name;
	uint64_t spans;
	double wait;
	uint64_t counts[RATES_MOST]; /* by metric */
};

struct components {
	VEC(struct component) list;
	const char *rates[RATES_MOST]; /* metrics of what happens */
	size_t rate_count;
};

/* A metric of all of them, over so many ticks. */
static void take(struct components *r, const struct metric_info *metric, const double *means,
		 double ticks)
{
	for (size_t i = 0; i < r->list.count; i++) {
		struct component *c = &r->list.data[i];

		if (!metric->rate)
			c->wait = means[i];
		else
			c->counts[r->rate_count] =
			    isnan(means[i]) ? UINT64_MAX : (uint64_t)llround(means[i] * ticks);
	}
	if (metric->rate)
		r->rates[r->rate_count++] = metric->name;
}

static enum status make_components(void *result, struct trace *t, const struct question *q,
				   struct error *e)
{
	struct components *r = result;
	struct trace_component c;
	struct metric_info metric;
	struct progress p;
	double *means;
	enum status status = STATUS_OK;

	(void)q;
	trace_progress(t, &p);
	for (size_t i = 0; !status && t->kind->component(t, i, &c); i++)
		if (!vec_push(&r->list, ((struct component){.name = c.name, .spans = c.spans})))
			status = STATUS_NOMEM;
	means = calloc(r->list.count + 1, sizeof(*means));
	if (status || !means)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t i = 0; !status && p.first <= p.last && t->kind->metric(t, i, &metric); i++) {
		if (metric.rate ? r->rate_count == RATES_MOST : strcmp(metric.name, "wait") != 0)
			continue;
		status = t->kind->means(t, i, p.first, tick_add(p.last, 1), r->list.count, means, e);
		take(r, &metric, means, (double)p.last - (double)p.first + 1);
	}
	free(means);
	return status;
}

static void free_components(void *result)
{
	vec_free(&((struct components *)result)->list);
	free(result);
}

SECTION_ROWS(component, struct components, list)

static size_t rate_parts(const void *result)
{
	return ((const struct components *)result)->rate_count;
}

static const char *rate_part(const void *result, size_t part)
{
	return ((const struct components *)result)->rates[part];
}

static const struct field fields[] = {
    {FIELD(TEXT, "name", component_of, struct component, name), .path = true},
    {FIELD(COUNT, "spans", component_of, struct component, spans)},
    {FIELD(REAL, "wait", component_of, struct component, wait), .decimals = 1, .percent = true},
    {FIELD(COUNT, "counts", component_of, struct component, counts), .stride = sizeof(uint64_t),
     .parts = rate_parts, .part = rate_part, .blank = true, .sparse = true, .minor = field_is_minor},
    {.key = NULL},
};

static const struct section sections[] = {{SECTION(LIST, "components", component_rows, fields)},
					  {.key = NULL}};

const struct answer memory_components_answer = {"components",	 &memory_trace_kind,
						sections,	 sizeof(struct components),
						make_components, free_components};
