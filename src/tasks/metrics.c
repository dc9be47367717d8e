#include "config.h"

#include "tasks/metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/intern.h"
#include "tasks/bins.h"
#include "tasks/tasks_private.h"

enum { AHEAD = 16 }; /* rows of an order that memory is asked for before they are needed */

/* name in C, name, unit, measure, kind of its tasks (NULL: all), how their whats end, help */
#define METRICS(_)                                                                                 \
	_(REQ_IN_RATE, "req-in-rate", "1/s", STARTS, "req_in", NULL, "requests that come in")      \
	_(REQ_COMPLETE_RATE, "req-complete-rate", "1/s", ENDS, "req_in", NULL,                     \
	  "requests that are completed")                                                           \
	_(AVG_LATENCY, "avg-latency", "s", LATENCY, "req_in", NULL,                                \
	  "time from coming in to completion, of the requests completed")                          \
	_(CONCURRENT_TASKS, "concurrent-tasks", NULL, ALIVE, NULL, NULL, "tasks at once")          \
	_(BUFFER_PRESSURE, "buffer-pressure", NULL, WAITING, "req_in", NULL,                       \
	  "requests that were sent and have not come in")                                          \
	_(PENDING_REQ_OUT, "pending-req-out", NULL, ALIVE, "req_out", NULL,                        \
	  "requests sent to others and not answered")                                              \
	_(UTILISATION, "utilisation", NULL, BUSY, NULL, NULL,                                      \
	  "share of the time with a task, averaged over components")                               \
	_(REQUEST_PRESSURE, "request-buffer-pressure", NULL, ALIVE, "incoming_buffer", requests,   \
	  "requests in buffers of incoming messages")                                              \
	_(RESPONSE_PRESSURE, "response-buffer-pressure", NULL, ALIVE, "incoming_buffer",           \
	  responses, "responses in buffers of incoming messages")                                  \
	_(BLOCKED, TASK_BLOCKED_BY, NULL, BLOCKED, NULL, NULL, "tasks that wait for it, by milestones")

enum metric {
#define METRIC_ENUM(id, name, unit, measure, kind, endings, help) METRIC_##id,
	METRICS(METRIC_ENUM)
#undef METRIC_ENUM
	    METRIC_NAMED = METRIC_REQUEST_PRESSURE /* those of every file */
};

/* Amounts at a tick, then what is there for a time. */
enum measure { STARTS, ENDS, LATENCY, ALIVE, WAITING, BUSY, BLOCKED };

static const char *const requests[] = {"Req", "Request", NULL};
static const char *const responses[] = {"Rsp", "Response", NULL};

struct metric_row {
	const char *name, *unit, *help, *kind;
	const char *const *endings;
	enum measure measure;
};

static const struct metric_row rows[] = {
#define METRIC_ROW(id, name, unit, measure, kind, endings, help)                                   \
	{name, unit, help, kind, endings, measure},
    METRICS(METRIC_ROW)
#undef METRIC_ROW
};

/* ---- what was asked for ---- */

/* Components that match a pattern, of the first `checked` ones. */
struct task_set {
	VEC(uint32_t) components;
	uint32_t checked;
};

struct task_metrics {
	pthread_mutex_t lock; /* taken under that of the trace */
	struct intern *patterns, *names;
	VEC(struct task_set) sets; /* by pattern */
};

struct task_metrics *task_metrics_new(void)
{
	struct task_metrics *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	pthread_mutex_init(&m->lock, NULL);
	m->patterns = intern_new();
	m->names = intern_new();
	if (m->patterns && m->names)
		return m;
	task_metrics_free(m);
	return NULL;
}

void task_metrics_free(struct task_metrics *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->sets.count; i++)
		vec_free(&m->sets.data[i].components);
	vec_free(&m->sets);
	intern_free(m->patterns);
	intern_free(m->names);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static struct task_metrics *metrics_of(const struct trace *t)
{
	return tasks_of(t)->metrics;
}

static struct task_set *set_of(struct task_metrics *m, const char *pattern)
{
	int32_t id = intern_add(m->patterns, pattern, strlen(pattern));

	if (id < 0 || ((size_t)id == m->sets.count &&
		       !vec_push(&m->sets, ((struct task_set){.checked = 0}))))
		return NULL;
	return &m->sets.data[id];
}

/* With what matches of the components that came since. */
static bool extend(struct task_set *s, const struct trace *t, uint32_t count,
		   const struct regex *component)
{
	for (; s->checked < count; s->checked++) {
		const char *name = tasks_component(t, s->checked);

		if (regex_match(component, name, strlen(name), NULL, NULL) &&
		    !vec_push(&s->components, s->checked))
			return false;
	}
	return true;
}

/* The number of the set behind 0, which is all; false: nothing matches. */
static bool find_set(const struct trace *t, uint32_t count, const struct regex *component,
		     uint64_t *out)
{
	struct task_metrics *m = metrics_of(t);
	struct task_set *s;
	bool found;

	*out = 0;
	if (!component)
		return true;
	pthread_mutex_lock(&m->lock);
	s = set_of(m, regex_pattern(component));
	found = s && extend(s, t, count, component) && s->components.count;
	if (found)
		*out = (uint64_t)(s - m->sets.data) + 1;
	pthread_mutex_unlock(&m->lock);
	return found;
}

/* ---- the list ---- */

static bool is_blocked(const struct task_label *l)
{
	return !l->tag && *l->kind;
}

/* The first label of the i-th kind of milestones; UINT32_MAX: there are fewer. */
static uint32_t blocked_label(const struct task_tables *tables, size_t i)
{
	const struct task_label *labels = tables->labels.data;

	for (uint32_t k = 0; k < tables->labels.count; k++) {
		uint32_t first = 0;

		if (!is_blocked(&labels[k]))
			continue;
		while (!is_blocked(&labels[first]) || strcmp(labels[first].kind, labels[k].kind) != 0)
			first++;
		if (first == k && i-- == 0)
			return k;
	}
	return UINT32_MAX;
}

/* By its number; false: there are fewer. Messages in buffers count only where there are any. */
static bool metric_at(const struct trace *t, size_t i, struct metric_ref *out)
{
	const uint32_t buffers = tasks_kind_find(t, rows[METRIC_REQUEST_PRESSURE].kind);
	const size_t named = buffers == UINT32_MAX ? METRIC_REQUEST_PRESSURE : METRIC_BLOCKED;

	*out = (struct metric_ref){.kind = i < named ? (uint32_t)i : METRIC_BLOCKED};
	if (i >= named)
		out->index = blocked_label(tasks_tables(t), i - named);
	out->unit = rows[out->kind].unit;
	out->rate = rows[out->kind].measure <= ENDS;
	return out->index != UINT32_MAX;
}

static const char *name_of(const struct trace *t, const struct metric_ref *ref)
{
	struct task_metrics *m = metrics_of(t);
	struct sbuf name = {0};
	int32_t id;

	if (ref->kind != METRIC_BLOCKED)
		return rows[ref->kind].name;
	sbuf_printf(&name, "%s%s", TASK_BLOCKED_BY, tasks_tables(t)->labels.data[ref->index].kind);
	pthread_mutex_lock(&m->lock);
	id = intern_add(m->names, sbuf_text(&name), name.len);
	pthread_mutex_unlock(&m->lock);
	sbuf_free(&name);
	return id < 0 ? TASK_BLOCKED_BY : intern_name(m->names, id);
}

bool task_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	struct metric_ref m;
	bool found;

	tasks_lock(t);
	found = metric_at(t, i, &m);
	if (found)
		*out = (struct metric_info){.name = name_of(t, &m),
					    .unit = m.unit,
					    .help = rows[m.kind].help,
					    .rate = m.rate,
					    .per_component = true,
					    .min = NAN,
					    .max = NAN,
					    .total = NAN,
					    .mean = NAN};
	tasks_unlock(t);
	return found;
}

size_t task_metric_count(const struct trace *t)
{
	struct metric_info ignored;
	size_t n = 0;

	while (task_metric(t, n, &ignored))
		n++;
	return n;
}

bool task_metric_find(const struct trace *t, const char *name, const struct regex *component,
		      struct metric_ref *out)
{
	const struct task_columns *c = tasks_lock(t);
	bool found = false;

	for (size_t i = 0; !found && metric_at(t, i, out); i++)
		found = strcmp(name_of(t, out), name) == 0;
	found = found && find_set(t, c->component_count, component, &out->set);
	tasks_unlock(t);
	return found;
}

/* ---- values ---- */

/* A query: under the trace's lock. */
struct query {
	const struct trace *t;
	const struct task_columns *c;
	const struct task_tables *tables;
	const struct metric_row *of;
	struct task_bins bins;
	VEC(uint32_t) components; /* that it is about */
	int32_t *curve;           /* by slot: where its tasks go; -1: nowhere */
	bool *blocked;            /* by label: of that kind */
	uint32_t mark;            /* that was found last */
	int64_t *covered;         /* by component: until when it had a task */
};

static inline void visit_start(struct query *q, uint32_t row, size_t curve)
{
	task_bins_count(&q->bins, curve, q->c->start[row], 1);
}

static inline void visit_end(struct query *q, uint32_t row, size_t curve)
{
	task_bins_count(&q->bins, curve, q->c->end[row], 1);
}

static inline void visit_latency(struct query *q, uint32_t row, size_t curve)
{
	const int64_t start = q->c->start[row], end = q->c->end[row];

	task_bins_count(&q->bins, curve, end, (double)(end - start));
}

static inline void visit_alive(struct query *q, uint32_t row, size_t curve)
{
	task_bins_cover(&q->bins, curve, q->c->start[row], q->c->end[row]);
}

static inline void visit_waiting(struct query *q, uint32_t row, size_t curve)
{
	const uint32_t parent = q->c->parent[row];

	if (parent < q->c->count)
		task_bins_cover(&q->bins, curve, q->c->start[parent], q->c->start[row]);
}

/* In the order of their starts: what of it no task before covered. */
static inline void visit_busy(struct query *q, uint32_t row, size_t curve)
{
	int64_t *covered = &q->covered[q->tables->slots.data[q->c->slot[row]].component];
	const int64_t start = q->c->start[row], end = q->c->end[row];

	task_bins_cover(&q->bins, curve, start > *covered ? start : *covered, end);
	if (end > *covered)
		*covered = end;
}

/* Marks [i, end) are the row's. */
static inline void visit_marks(struct query *q, uint32_t row, size_t curve, uint32_t i, uint32_t end)
{
	int64_t since = q->c->start[row];

	for (; i < end; i++) {
		const struct task_mark *m = &q->c->marks[i];
		const int64_t tick = m->tick < q->c->end[row] ? m->tick : q->c->end[row];

		if (q->tables->labels.data[m->label].tag || tick <= since)
			continue;
		if (q->blocked[m->label])
			task_bins_cover(&q->bins, curve, since, tick);
		since = tick;
	}
}

/*
 * The first mark of a row or of those behind it, looked for in growing steps from where that of the
 * row before was: rows of a component come about in the order of the file.
 */
static uint32_t first_mark(struct query *q, uint32_t row)
{
	const struct task_mark *marks = q->c->marks;
	uint32_t low = q->mark, high = q->mark, step = 1;

	for (; high < q->c->mark_count && marks[high].task < row; step *= 2) {
		low = high + 1;
		high = q->c->mark_count - high > step ? high + step : q->c->mark_count;
	}
	for (; low > 0 && marks[low - 1].task >= row; step *= 2) {
		high = low - 1;
		low = low > step ? low - step : 0;
	}
	bisect(low, high, i, marks[i].task < row);
	return q->mark = low;
}

static inline void visit_blocked(struct query *q, uint32_t row, size_t curve)
{
	const uint32_t from = first_mark(q, row);
	uint32_t to = from;

	while (to < q->c->mark_count && q->c->marks[to].task == row)
		to++;
	visit_marks(q, row, curve, from, to);
}

/* What a row will be asked for in a while. */
static inline void fetch(const struct query *q, const uint32_t *order, uint32_t i, uint32_t end)
{
	const uint32_t row = order[i + AHEAD < end ? i + AHEAD : i];
	const uint32_t near = order[i + AHEAD / 2 < end ? i + AHEAD / 2 : i];

	__builtin_prefetch(&q->c->slot[row]);
	__builtin_prefetch(&q->c->start[row]);
	if (q->of->measure != WAITING) {
		__builtin_prefetch(&q->c->end[row]);
		return;
	}
	__builtin_prefetch(&q->c->parent[row]);
	if (q->c->parent[near] < q->c->count)
		__builtin_prefetch(&q->c->start[q->c->parent[near]]);
}

/* A loop of each measure's own over tasks, in an order, or in that of the file (NULL). */
#define SWEEP(visit)                                                                               \
	static void sweep_##visit(struct query *q, const uint32_t *order, uint32_t i,              \
				  uint32_t end)                                                    \
	{                                                                                          \
		for (; i < end; i++) {                                                             \
			const uint32_t row = order ? order[i] : i;                                 \
			const int32_t curve = q->curve[q->c->slot[row]];                           \
                                                                                                   \
			if (order)                                                                 \
				fetch(q, order, i, end);                                           \
			if (curve >= 0)                                                            \
				visit_##visit(q, row, (size_t)curve);                              \
		}                                                                                  \
	}
SWEEP(start)
SWEEP(end)
SWEEP(latency)
SWEEP(alive)
SWEEP(waiting)
SWEEP(busy)
SWEEP(blocked)
#undef SWEEP

static void (*const sweeps[])(struct query *, const uint32_t *, uint32_t, uint32_t) = {
    [STARTS] = sweep_start,    [ENDS] = sweep_end,        [LATENCY] = sweep_latency,
    [ALIVE] = sweep_alive,     [WAITING] = sweep_waiting, [BUSY] = sweep_busy,
    [BLOCKED] = sweep_blocked,
};

/* ---- which tasks ---- */

static bool ends_in(const char *what, const char *const *endings)
{
	const size_t len = strlen(what);

	for (; *endings; endings++) {
		const size_t n = strlen(*endings);

		if (len >= n && memcmp(what + len - n, *endings, n) == 0)
			return true;
	}
	return false;
}

static bool is_meant(const struct query *q, uint32_t kind, const struct task_slot *s)
{
	return (!q->of->kind || s->kind == kind) &&
	       (!q->of->endings || ends_in(tasks_what(q->t, s->what), q->of->endings));
}

/* Each component that the query is about a curve of its own, or one for all. */
static bool choose(struct query *q, bool each)
{
	const size_t slots = q->tables->slots.count, components = q->c->component_count;
	const uint32_t kind = q->of->kind ? tasks_kind_find(q->t, q->of->kind) : 0;
	bool *chosen = calloc(components + 1, sizeof(*chosen));

	q->curve = malloc((slots + 1) * sizeof(*q->curve));
	if (!chosen || !q->curve) {
		free(chosen);
		return false;
	}
	for (size_t i = 0; i < q->components.count; i++)
		chosen[q->components.data[i]] = true;
	for (size_t i = 0; i < slots; i++) {
		const struct task_slot *s = &q->tables->slots.data[i];

		q->curve[i] = !chosen[s->component] || !is_meant(q, kind, s) ? -1
			      : each ? (int32_t)s->component
				     : 0;
	}
	free(chosen);
	return true;
}

static bool prepare(struct query *q, uint32_t label)
{
	const size_t labels = q->tables->labels.count;

	if (q->of->measure == BUSY) {
		q->covered = malloc((q->c->component_count + 1) * sizeof(*q->covered));
		for (uint32_t i = 0; q->covered && i < q->c->component_count; i++)
			q->covered[i] = INT64_MIN;
		return q->covered;
	}
	if (q->of->measure != BLOCKED)
		return true;
	q->blocked = calloc(labels + 1, sizeof(*q->blocked));
	for (size_t i = 0; q->blocked && i < labels; i++) {
		const struct task_label *l = &q->tables->labels.data[i];

		q->blocked[i] = is_blocked(l) &&
				strcmp(l->kind, q->tables->labels.data[label].kind) == 0;
	}
	return q->blocked;
}

/*
 * Where in by_component those of a component lie that may count. What ends with the first tick does
 * not overlap, and counts; who waits may begin at any time behind.
 */
static void range_of(const struct query *q, uint32_t component, uint32_t *begin, uint32_t *end)
{
	tasks_overlapping(q->c, component, tick_add(q->bins.from, -1),
			  q->of->measure == WAITING ? TICK_NONE : q->bins.to, begin, end);
}

/* ---- the sweep ---- */

/* Marks lie in the order of their tasks. */
static void sweep_marks(struct query *q)
{
	for (uint32_t i = 0, end; i < q->c->mark_count; i = end) {
		const uint32_t row = q->c->marks[i].task;
		const int32_t curve = q->curve[q->c->slot[row]];

		for (end = i + 1; end < q->c->mark_count && q->c->marks[end].task == row;)
			end++;
		if (curve >= 0)
			visit_marks(q, row, (size_t)curve, i, end);
	}
}

static void sweep_all(struct query *q)
{
	if (q->of->measure == BLOCKED) {
		sweep_marks(q);
		return;
	}
	sweeps[q->of->measure](q, q->of->measure == BUSY ? q->c->by_start : NULL, 0, q->c->count);
}

/* Most of all tasks may count. */
static bool is_most(const struct query *q)
{
	uint64_t tasks = 0;
	uint32_t begin, end;

	for (size_t i = 0; i < q->components.count; i++) {
		range_of(q, q->components.data[i], &begin, &end);
		tasks += end - begin;
	}
	return tasks > q->c->count / 4;
}

/* In the order of the file if that is about as much: memory likes it. */
static void sweep(struct query *q)
{
	uint32_t begin, end;

	if (is_most(q)) {
		sweep_all(q);
		return;
	}
	for (size_t i = 0; i < q->components.count; i++) {
		range_of(q, q->components.data[i], &begin, &end);
		sweeps[q->of->measure](q, q->c->by_component, begin, end);
	}
}

/* ---- what becomes of it ---- */

/* Bins of a curve in which something was traced, as a count that is above 0. */
static bool traced(const struct query *q, struct task_bins *b)
{
	if (!task_bins_make(b, q->bins.from, q->bins.to, q->bins.n, 1))
		return false;
	for (size_t i = 0; i < q->tables->windows.count; i++)
		task_bins_cover(b, 0, q->tables->windows.data[i].start,
				q->tables->windows.data[i].end);
	if (!q->tables->windows.count)
		task_bins_cover(b, 0, q->c->first, tick_add(q->c->last, 1));
	task_bins_means(b);
	return true;
}

static double value_of(const struct query *q, size_t i, size_t components)
{
	const struct task_bins *b = &q->bins;
	const double seconds =
	    ((double)b->to - (double)b->from) / (double)b->n / TASK_SECOND;

	switch (q->of->measure) {
	case STARTS:
	case ENDS:
		return b->sum[i] / seconds;
	case LATENCY:
		return b->whole[i] ? b->sum[i] / (double)b->whole[i] / TASK_SECOND : NAN;
	case BUSY:
		return b->sum[i] / (double)components;
	default:
		return b->sum[i];
	}
}

/* The first n of all. components: how many a curve is of. */
static bool put_values(struct query *q, size_t n, size_t components, double *values)
{
	struct task_bins seen;
	bool done = traced(q, &seen);

	if (q->of->measure > LATENCY)
		task_bins_means(&q->bins);
	for (size_t i = 0; done && i < n; i++) {
		values[i] = value_of(q, i, components);
		if (values[i] == 0 && !(seen.sum[i % q->bins.n] > 0))
			values[i] = NAN;
	}
	task_bins_free(&seen);
	return done;
}

static bool take_set(struct query *q, uint64_t set)
{
	struct task_metrics *m = metrics_of(q->t);
	uint32_t count = q->c->component_count;
	const struct task_set *s;
	bool taken;

	pthread_mutex_lock(&m->lock);
	s = set ? &m->sets.data[set - 1] : NULL;
	if (s)
		count = (uint32_t)s->components.count;
	taken = vec_reserve(&q->components, count);
	for (uint32_t i = 0; taken && i < count; i++)
		q->components.data[q->components.count++] = s ? s->components.data[i] : i;
	pthread_mutex_unlock(&m->lock);
	return taken;
}

/* Of n bins; each: of one bin of the first n components. */
static enum status ask(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
		       size_t n, bool each, double *values, struct error *e)
{
	struct query q = {.t = t, .of = &rows[m->kind]};
	bool done;

	q.c = tasks_lock(t);
	q.tables = tasks_tables(t);
	done = take_set(&q, m->set) && choose(&q, each) && prepare(&q, m->index) &&
	       task_bins_make(&q.bins, from, to, each ? 1 : n, each ? q.c->component_count : 1);
	if (done) {
		sweep(&q);
		done = put_values(&q, n, each ? 1 : q.components.count, values);
	}
	tasks_unlock(t);
	task_bins_free(&q.bins);
	vec_free(&q.components);
	free(q.curve);
	free(q.blocked);
	free(q.covered);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "not enough memory for a metric");
}

enum status task_metric_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	if (exact)
		*exact = true;
	return ask(t, m, from, to, n, false, values, e);
}

enum status task_metric_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			      double *means, struct error *e)
{
	struct metric_ref m;
	bool found;

	tasks_lock(t);
	found = metric_at(t, metric, &m);
	tasks_unlock(t);
	return found ? ask(t, &m, from, to, n, true, means, e)
		     : error_set(e, STATUS_NOT_FOUND, "no such metric");
}
