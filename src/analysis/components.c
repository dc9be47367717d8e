#include "config.h"

#include "analysis/components.h"

#include <math.h>
#include <stdlib.h>

bool component_table_make(struct component_table *r, const struct trace *t)
{
	struct trace_component c;
	bool done = true;

	*r = (struct component_table){.ticks = 0};
	for (size_t i = 0; done && t->kind->component && t->kind->component(t, i, &c); i++) {
		c.name = c.name && *c.name ? c.name : NULL;
		done = vec_push(&r->list, c);
	}
	return done;
}

void component_table_free(struct component_table *r)
{
	metric_table_free(&r->metrics);
	vec_free(&r->list);
}

enum status component_answer_make(void *result, struct trace *t, const struct question *q,
				  struct error *e)
{
	const struct interval all = interval_of(t, INT64_MIN, INT64_MAX);
	struct component_table *r = result;
	const bool done = component_table_make(r, t) && metric_table_make(&r->metrics, t, true);

	(void)q;
	r->ticks = (double)interval_ticks(&all);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void component_answer_free(void *result)
{
	component_table_free(result);
	free(result);
}

/* ---- the tables ---- */

SECTION_ROWS(component, struct component_table, list)
SECTION_ROWS(mean, struct component_table, metrics.rows) /* the first metric's come first */

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
	const double times = m->mean * ((const struct component_table *)result)->ticks;

	return m->unit && !isnan(times) ? value_count((uint64_t)llround(times)) : value_none();
}

#define COMPONENT_FIELDS                                                                           \
	{FIELD(TEXT, "name", component_of, struct trace_component, name), .path = true},           \
	{                                                                                          \
		FIELD(COUNT, "spans", component_of, struct trace_component, spans)                 \
	}

static const struct field component_fields[] = {COMPONENT_FIELDS, {.key = NULL}};

static const struct field answer_fields[] = {
    COMPONENT_FIELDS,
    {FIELD(REAL, "wait", mean_of, struct metric_row, mean), .decimals = 1, .percent = true},
    {FIELD_BY(COUNT, "counts", count), .parts = metrics, .part = metric, .blank = true,
     .sparse = true, .minor = field_is_minor},
    {.key = NULL},
};

const struct section component_sections[] = {
    {SECTION(LIST, "components", component_rows, component_fields)}, {.key = NULL}};
const struct section component_answer_sections[] = {
    {SECTION(LIST, "components", component_rows, answer_fields)}, {.key = NULL}};
