/* CPUs and caches: how long each waited, what it loaded and lost. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"

struct components {
	struct metric_table table; /* of each metric a row for each component */
	VEC(struct trace_component) list;
	double ticks;
};

static enum status make_components(void *result, struct trace *t, const struct question *q,
				   struct error *e)
{
	const struct interval all = interval_of(t, INT64_MIN, INT64_MAX);
	struct components *r = result;
	bool done = metric_table_make(&r->table, t, true);
	struct trace_component c;

	(void)q;
	r->ticks = (double)interval_ticks(&all);
	for (size_t i = 0; done && t->kind->component(t, i, &c); i++)
		done = vec_push(&r->list, c);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static void free_components(void *result)
{
	metric_table_free(&((struct components *)result)->table);
	vec_free(&((struct components *)result)->list);
	free(result);
}

SECTION_ROWS(component, struct components, list)
SECTION_ROWS(mean, struct components, table.rows) /* the first metric's come first */

static size_t metrics(const void *result)
{
	return component_rows(result) ? mean_rows(result) / component_rows(result) : 0;
}

static const char *metric(const void *result, size_t part)
{
	return ((const struct metric_row *)mean_of(result, part * component_rows(result)))->name;
}

/* Of what happens. */
static struct value count(const void *result, size_t row, size_t part)
{
	const struct metric_row *m = mean_of(result, part * component_rows(result) + row);
	const double times = m->mean * ((const struct components *)result)->ticks;

	return m->unit && !isnan(times) ? value_count((uint64_t)llround(times)) : value_none();
}

static const struct field fields[] = {
    {FIELD(TEXT, "name", component_of, struct trace_component, name), .path = true},
    {FIELD(COUNT, "spans", component_of, struct trace_component, spans)},
    {FIELD(REAL, "wait", mean_of, struct metric_row, mean), .decimals = 1, .percent = true},
    {FIELD_BY(COUNT, "counts", count), .parts = metrics, .part = metric, .blank = true,
     .sparse = true, .minor = field_is_minor},
    {.key = NULL},
};

static const struct section sections[] = {{SECTION(LIST, "components", component_rows, fields)},
					  {.key = NULL}};

const struct answer memory_components_answer = {"components",	 &memory_trace_kind,
						sections,	 sizeof(struct components),
						make_components, free_components};
