#include "config.h"

#include "analysis/tasks/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "tasks/kind.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"

enum status task_means(struct trace *t, const char *metric, int64_t from, int64_t to, size_t n,
		       double *means, struct error *e)
{
	struct metric_info info;

	for (size_t i = 0; t->kind->metric(t, i, &info); i++)
		if (strcmp(info.name, metric) == 0)
			return t->kind->means(t, i, from, to, n, means, e);
	return error_set(e, STATUS_NOT_FOUND, "the trace has no metric %s", metric);
}

/* ---- kinds of each ---- */

/* Each kind of a component once. */
static bool add_kinds(struct task_components *r, const struct trace *t,
		      const struct task_tables *tables)
{
	struct intern *pairs = intern_new();
	bool done = pairs;
	size_t known = 0;

	for (size_t i = 0; done && i < tables->slots.count; i++) {
		const struct task_slot *s = &tables->slots.data[i];
		const uint32_t pair[] = {s->component, s->kind};
		struct task_component *c = &r->list.data[s->component];

		if (s->component >= r->list.count) /* its tasks are not published yet */
			continue;
		if ((size_t)intern_add(pairs, (const char *)pair, sizeof(pair)) < known)
			continue;
		known++;
		done = intern_count(pairs) == known && vec_push(&c->kinds, tasks_kind(t, s->kind));
		if (c->kinds.count > r->kinds_most)
			r->kinds_most = c->kinds.count;
	}
	intern_free(pairs);
	return done;
}

/* ---- what they did ---- */

static void add_task(struct task_components *r, const struct task_columns *c,
		     const struct task_tables *tables, uint32_t row)
{
	struct task_component *of = &r->list.data[tables->slots.data[c->slot[row]].component];

	of->tasks++;
	of->orphans += c->parent[row] == TASK_ORPHAN;
	of->residency += (double)(c->end[row] - c->start[row]) / TASK_SECOND;
}

static bool add_tasks(struct task_components *r, struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);
	const struct task_tables *tables = tasks_tables(t);
	bool done = vec_reserve(&r->list, c->component_count);

	for (uint32_t i = 0; done && i < c->component_count; i++)
		r->list.data[r->list.count++] =
		    (struct task_component){.name = tasks_component(t, i), .busy = NAN};
	for (uint32_t row = 0; done && row < c->count; row++)
		add_task(r, c, tables, row);
	done = done && add_kinds(r, t, tables);
	tasks_unlock(t);
	return done;
}

static enum status add_busy(struct task_components *r, struct trace *t, struct error *e)
{
	double *busy = malloc((r->list.count + 1) * sizeof(*busy));
	struct progress p;
	enum status status = busy ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");

	trace_progress(t, &p);
	if (!status && p.first <= p.last) {
		status = task_means(t, "utilisation", p.first, tick_add(p.last, 1),
				    r->list.count, busy, e);
		for (size_t i = 0; !status && i < r->list.count; i++)
			r->list.data[i].busy = busy[i];
	}
	free(busy);
	return status;
}

static int by_residency(const void *a, const void *b)
{
	const struct task_component *x = a, *y = b;

	if (x->residency != y->residency)
		return x->residency > y->residency ? -1 : 1;
	return strcmp(x->name, y->name);
}

static enum status make_components(void *result, struct trace *t, const struct question *q,
				   struct error *e)
{
	struct task_components *r = result;
	enum status status;

	(void)q;
	*r = (struct task_components){.kinds_most = 0};
	if (!add_tasks(r, t))
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = add_busy(r, t, e);
	if (r->list.count)
		qsort(r->list.data, r->list.count, sizeof(r->list.data[0]), by_residency);
	return status;
}

void task_components_free(struct task_components *r)
{
	for (size_t i = 0; i < r->list.count; i++)
		vec_free(&r->list.data[i].kinds);
	vec_free(&r->list);
}

static void free_components(void *result)
{
	task_components_free(result);
	free(result);
}

/* ---- the table ---- */

SECTION_ROWS(component, struct task_components, list)

size_t task_component_rows(const void *components)
{
	return component_rows(components);
}

static size_t kind_parts(const void *result)
{
	const struct task_components *r = result;

	return r->kinds_most;
}

static struct value kind_at(const void *result, size_t row, size_t part)
{
	const struct task_components *r = result;
	const struct task_component *c = &r->list.data[row];

	return part < c->kinds.count ? value_text(c->kinds.data[part]) : value_none();
}

const struct field task_component_fields[] = {
    {FIELD(TEXT, "name", component_of, struct task_component, name), .path = true},
    {FIELD(COUNT, "tasks", component_of, struct task_component, tasks)},
    {FIELD(REAL, "busy", component_of, struct task_component, busy), .decimals = 1, .percent = true},
    {FIELD(REAL, "residency", component_of, struct task_component, residency), .unit = UNIT_SECOND},
    {FIELD(COUNT, "orphans", component_of, struct task_component, orphans), .blank = true,
     .minor = field_is_minor},
    {FIELD_BY(TEXT, "kinds", kind_at), .parts = kind_parts, .part_number = field_part_number,
     .shape = FIELD_LIST},
    {.key = NULL},
};

static const struct section sections[] = {
    {SECTION(LIST, "components", component_rows, task_component_fields)}, {.key = NULL}};

const struct answer components_answer = {"components", &tasks_trace_kind, sections,
					      sizeof(struct task_components), make_components,
					      free_components};
