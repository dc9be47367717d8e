#include "config.h"

#include "analysis/tasks/requests.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/metrics.h"
#include "tasks/tasks.h"

/* What came to one component, by the sender. */
struct gathering {
	const struct task_columns *c;
	const struct task_tables *tables;
	uint32_t in, out; /* kinds */
	int64_t from, to;
	struct task_edge *of; /* by component */
	VEC(uint32_t) senders;
};

static const struct task_slot *slot_of(const struct gathering *g, uint32_t row)
{
	return &g->tables->slots.data[g->c->slot[row]];
}

static bool gather(struct gathering *g, struct task_requests *r, uint32_t row)
{
	const struct task_columns *c = g->c;
	const uint32_t parent = c->parent[row];
	struct task_edge *of;

	if (slot_of(g, row)->kind != g->in)
		return true;
	if (parent >= c->count || slot_of(g, parent)->kind != g->out) {
		r->unpaired += c->start[row] >= g->from && c->start[row] < g->to;
		return true;
	}
	if (c->start[parent] < g->from || c->start[parent] >= g->to)
		return true;
	of = &g->of[slot_of(g, parent)->component];
	if (!of->count && !vec_push(&g->senders, slot_of(g, parent)->component))
		return false;
	of->count++;
	of->wait += (double)(c->start[row] - c->start[parent]);
	of->latency += (double)(c->end[row] - c->start[row]);
	return true;
}

/* Edges of what was gathered; nothing is, then. */
static bool put_edges(struct gathering *g, struct task_requests *r, const struct trace *t,
		      uint32_t to)
{
	bool done = vec_reserve(&r->edges, g->senders.count);

	for (size_t i = 0; done && i < g->senders.count; i++) {
		const uint32_t from = g->senders.data[i];
		struct task_edge e = g->of[from];

		e.from_number = from;
		e.to_number = to;
		e.from = tasks_component(t, from);
		e.to = tasks_component(t, to);
		e.wait /= (double)e.count * TASK_SECOND;
		e.latency /= (double)e.count * TASK_SECOND;
		r->edges.data[r->edges.count++] = e;
		g->of[from] = (struct task_edge){.count = 0};
	}
	vec_clear(&g->senders);
	return done;
}

static bool add_component(struct gathering *g, struct task_requests *r, const struct trace *t,
			  uint32_t to)
{
	for (uint32_t i = g->c->component_from[to]; i < g->c->component_from[to + 1]; i++)
		if (!gather(g, r, g->c->by_component[i]))
			return false;
	return put_edges(g, r, t, to);
}

static int by_count(const void *a, const void *b)
{
	const struct task_edge *x = a, *y = b;
	int order;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = strcmp(x->from, y->from);
	return order ? order : strcmp(x->to, y->to);
}

enum status task_requests_make(struct task_requests *r, const struct trace *t, int64_t from,
			       int64_t to, struct error *e)
{
	struct gathering g = {.from = from, .to = to};
	bool done;

	*r = (struct task_requests){.unpaired = 0};
	g.c = tasks_lock(t);
	g.tables = tasks_tables(t);
	g.in = tasks_kind_find(t, "req_in");
	g.out = tasks_kind_find(t, "req_out");
	g.of = calloc(g.c->component_count + 1, sizeof(*g.of));
	done = g.of;
	for (uint32_t i = 0; done && i < g.c->component_count; i++)
		done = add_component(&g, r, t, i);
	tasks_unlock(t);
	free(g.of);
	vec_free(&g.senders);
	if (r->edges.count)
		qsort(r->edges.data, r->edges.count, sizeof(r->edges.data[0]), by_count);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static bool matches(const struct regex *component, const char *name)
{
	return regex_match(component, name, strlen(name), NULL, NULL);
}

void task_requests_keep(struct task_requests *r, const struct regex *component)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->edges.count; i++) {
		const struct task_edge e = r->edges.data[i];

		if (matches(component, e.from) || matches(component, e.to))
			r->edges.data[kept++] = e;
	}
	r->edges.count = kept;
}

void task_requests_free(struct task_requests *r)
{
	vec_free(&r->edges);
}

SECTION_ROWS(edge, struct task_requests, edges)

static const struct field edge_fields[] = {
    {FIELD(TEXT, "from", edge_of, struct task_edge, from), .path = true},
    {FIELD(TEXT, "to", edge_of, struct task_edge, to), .path = true},
    {FIELD(COUNT, "count", edge_of, struct task_edge, count)},
    {FIELD(REAL, "wait", edge_of, struct task_edge, wait), .unit = UNIT_SECOND},
    {FIELD(REAL, "latency", edge_of, struct task_edge, latency), .unit = UNIT_SECOND},
    {.key = NULL},
};

const struct section task_requests_sections[] = {
    {SECTION(LIST, "edges", edge_rows, edge_fields), .title = "requests"}, {.key = NULL}};
