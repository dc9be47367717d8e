#include "config.h"

#include "analysis/tasks/requests.h"

#include <stdlib.h>
#include <string.h>

#include "tasks/kind.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"

/* ---- pairs ---- */

/* What requests are told by. */
struct sought {
	const struct trace *t;
	const struct task_columns *c;
	const struct task_tables *tables;
	uint32_t in, out; /* kinds */
	struct wire *wires; /* of what comes in at each component; NULL: its parent tells */
};

struct wire {
	uint32_t from, to; /* components; from TASK_NONE: it is not known */
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

	if (s->wires) {
		pair.from = s->wires[pair.to].from;
		pair.to = s->wires[pair.to].to;
		return pair;
	}
	if (parent >= c->count || slot_of(s, parent)->kind != s->out)
		return pair;
	pair.sent = c->start[parent];
	pair.wait = c->start[row] - c->start[parent];
	pair.from = slot_of(s, parent)->component;
	return pair;
}

static int by_connection(const void *a, const void *b)
{
	const struct task_port *const *x = a, *const *y = b;

	return strcmp((*x)->connection, (*y)->connection);
}

/* What is in the incoming buffer of a port was sent by the component that has the other one. */
static void add_wire(struct sought *s, const struct task_port *from, const struct task_port *to)
{
	const uint32_t sender = tasks_component_find(s->t, from->component);
	const uint32_t receiver = tasks_component_find(s->t, to->component);
	struct sbuf buffer = {0};
	uint32_t at;

	sbuf_printf(&buffer, "%s.incoming", to->port);
	at = tasks_component_find(s->t, sbuf_text(&buffer));
	if (at < s->c->component_count && sender < s->c->component_count)
		s->wires[at] = (struct wire){
		    sender, receiver < s->c->component_count ? receiver : at};
	sbuf_free(&buffer);
}

/* Of connections that have two ports; what others bring is from nobody known. False: no memory. */
static bool find_wires(struct sought *s)
{
	const size_t n = s->tables->ports.count;
	const struct task_port **ports = calloc(n + 1, sizeof(*ports));

	s->wires = calloc((size_t)s->c->component_count + 1, sizeof(*s->wires));
	for (uint32_t i = 0; s->wires && i < s->c->component_count; i++)
		s->wires[i] = (struct wire){TASK_NONE, i};
	for (size_t i = 0; ports && i < n; i++)
		ports[i] = &s->tables->ports.data[i];
	if (ports && n)
		qsort(ports, n, sizeof(*ports), by_connection);
	for (size_t i = 0, end; ports && s->wires && i < n; i = end) {
		for (end = i + 1; end < n && by_connection(&ports[i], &ports[end]) == 0;)
			end++;
		if (end - i != 2)
			continue;
		add_wire(s, ports[i], ports[i + 1]);
		add_wire(s, ports[i + 1], ports[i]);
	}
	free(ports);
	return ports && s->wires;
}

/* Which components match; NULL: no memory. */
static bool *match_components(const struct trace *t, uint32_t components, const struct regex *among)
{
	bool *matches = calloc((size_t)components + 1, sizeof(*matches));

	for (uint32_t i = 0; matches && i < components; i++)
		matches[i] = regex_allows(among, tasks_component(t, i));
	return matches;
}

enum status task_pairs_find(struct task_pairs *p, const struct trace *t, const struct regex *among,
			    struct error *e)
{
	struct sought s = {.t = t,
			   .c = tasks_lock(t),
			   .tables = tasks_tables(t),
			   .in = tasks_kind_find(t, "req_in"),
			   .out = tasks_kind_find(t, "req_out")};
	bool *matches = match_components(t, s.c->component_count, among), done = matches;

	*p = (struct task_pairs){.components = s.c->component_count,
				 .messages = s.in == UINT32_MAX && s.tables->ports.count};
	if (p->messages) {
		s.in = tasks_kind_find(t, "incoming_buffer");
		done = done && find_wires(&s);
	}
	for (uint32_t i = 0; done && i < s.c->count; i++) {
		struct task_pair pair;

		if (slot_of(&s, s.c->by_component[i])->kind != s.in)
			continue;
		pair = pair_of(&s, s.c->by_component[i]);
		if (matches[pair.to] || (pair.from != TASK_NONE && matches[pair.from]))
			done = vec_push(&p->list, pair);
	}
	tasks_unlock(t);
	free(matches);
	free(s.wires);
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

void task_requests_free(struct task_requests *r)
{
	vec_free(&r->edges);
}

/* ---- the answer ---- */

static enum status make_requests(void *result, struct trace *t, const struct question *q,
				 struct error *e)
{
	struct task_requests *r = result;
	struct task_pairs pairs;
	enum status status = task_pairs_find(&pairs, t, q->component, e);

	*r = (struct task_requests){.unpaired = 0};
	if (!status)
		status = task_requests_sum(r, &pairs, t, q->from, q->to, e);
	task_pairs_free(&pairs);
	return status;
}

static void free_requests(void *result)
{
	task_requests_free(result);
	free(result);
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

static const struct section sections[] = {
    {SECTION(LIST, "edges", edge_rows, edge_fields), .title = "requests"}, {.key = NULL}};

const struct answer requests_answer = {"requests", &tasks_trace_kind, sections, sizeof(struct task_requests),
					    make_requests, free_requests};
