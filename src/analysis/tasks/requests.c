#include "config.h"

#include "analysis/tasks/requests.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/metrics.h"
#include "tasks/tasks.h"

/* ---- pairs ---- */

/* What requests are told by. */
struct sought {
	const struct task_columns *c;
	const struct task_tables *tables;
	uint32_t in, out; /* kinds */
};

static const struct task_slot *slot_of(const struct sought *s, uint32_t row)
{
	return &s->tables->slots.data[s->c->slot[row]];
}

/* Of a row that came in. */
static struct task_pair pair_of(const struct sought *s, uint32_t row)
{
	const struct task_columns *c = s->c;
	const uint32_t parent = c->parent[row];
	struct task_pair pair = {.sent = c->start[row],
				 .latency = c->end[row] - c->start[row],
				 .from = TASK_NONE,
				 .to = slot_of(s, row)->component};

	if (parent >= c->count || slot_of(s, parent)->kind != s->out)
		return pair;
	pair.sent = c->start[parent];
	pair.wait = c->start[row] - c->start[parent];
	pair.from = slot_of(s, parent)->component;
	return pair;
}

enum status task_pairs_find(struct task_pairs *p, const struct trace *t, struct error *e)
{
	struct sought s;
	bool done = true;

	*p = (struct task_pairs){.components = 0};
	s.c = tasks_lock(t);
	s.tables = tasks_tables(t);
	s.in = tasks_kind_find(t, "req_in");
	s.out = tasks_kind_find(t, "req_out");
	p->components = s.c->component_count;
	for (uint32_t i = 0; done && i < s.c->count; i++)
		if (slot_of(&s, s.c->by_component[i])->kind == s.in)
			done = vec_push(&p->list, pair_of(&s, s.c->by_component[i]));
	tasks_unlock(t);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void task_pairs_free(struct task_pairs *p)
{
	vec_free(&p->list);
}

/* ---- edges ---- */

/* What came to one component, by the sender. */
struct gathering {
	struct task_edge *of; /* by component */
	VEC(uint32_t) senders;
};

static bool gather(struct gathering *g, const struct task_pair *pair)
{
	struct task_edge *of = &g->of[pair->from];

	if (!of->count && !vec_push(&g->senders, pair->from))
		return false;
	of->count++;
	of->wait += (double)pair->wait;
	of->latency += (double)pair->latency;
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

/* Pairs stand together by the component that they came to. */
static bool sum_up(struct gathering *g, struct task_requests *r, const struct task_pairs *p,
		   const struct trace *t, int64_t from, int64_t to)
{
	for (size_t i = 0; i < p->list.count; i++) {
		const struct task_pair *pair = &p->list.data[i];
		const bool inside = pair->sent >= from && pair->sent < to;

		if (inside && pair->from == TASK_NONE)
			r->unpaired++;
		else if (inside && !gather(g, pair))
			return false;
		if ((i + 1 == p->list.count || pair[1].to != pair->to) &&
		    !put_edges(g, r, t, pair->to))
			return false;
	}
	return true;
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

enum status task_requests_sum(struct task_requests *r, const struct task_pairs *p,
			      const struct trace *t, int64_t from, int64_t to, struct error *e)
{
	struct gathering g = {.of = calloc((size_t)p->components + 1, sizeof(*g.of))};
	bool done = g.of;

	*r = (struct task_requests){.unpaired = 0};
	tasks_lock(t);
	done = done && sum_up(&g, r, p, t, from, to);
	tasks_unlock(t);
	free(g.of);
	vec_free(&g.senders);
	if (r->edges.count)
		qsort(r->edges.data, r->edges.count, sizeof(r->edges.data[0]), by_count);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

enum status task_requests_make(struct task_requests *r, const struct trace *t, int64_t from,
			       int64_t to, struct error *e)
{
	struct task_pairs pairs;
	enum status status = task_pairs_find(&pairs, t, e);

	*r = (struct task_requests){.unpaired = 0};
	if (!status)
		status = task_requests_sum(r, &pairs, t, from, to, e);
	task_pairs_free(&pairs);
	return status;
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
