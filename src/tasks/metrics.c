#include "config.h"

#include "tasks/metrics.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/intern.h"
#include "tasks/tasks_private.h"
#include "trace/bins.h"

#define SLOT_ANY UINT32_MAX

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
#define MEASURES(_) _(STARTS) _(ENDS) _(LATENCY) _(ALIVE) _(WAITING) _(BUSY) _(BLOCKED)

enum measure {
#define MEASURE_ENUM(measure) measure,
	MEASURES(MEASURE_ENUM)
#undef MEASURE_ENUM
};

static const char *const requests[] = {"Req", "Request", NULL};
static const char *const responses[] = {"Rsp", "Response", NULL};

typedef VEC(uint32_t) numbers;

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

const char *task_asked(const struct trace *t, const char *text)
{
	struct tasks *tasks = tasks_of(t);
	const char *kept;
	int32_t id;

	pthread_mutex_lock(&tasks->naming);
	id = intern_add(tasks->asked, text, strlen(text));
	kept = id < 0 ? NULL : intern_name(tasks->asked, id);
	pthread_mutex_unlock(&tasks->naming);
	return kept;
}

/* The pattern stands for those that match; false: none does. */
static bool choose_components(const struct trace *t, uint32_t count, const struct regex *component,
			      const char **pattern)
{
	bool found = !component;

	for (uint32_t i = 0; i < count && !found; i++)
		found = regex_allows(component, tasks_component(t, i));
	*pattern = found && component ? task_asked(t, regex_pattern(component)) : NULL;
	return found && (!component || *pattern);
}

bool task_kind_matches(const struct trace *t, const struct task_slot *s, const struct regex *re)
{
	const char *kind = tasks_kind(t, s->kind);
	struct sbuf both = {0};
	bool matches;

	sbuf_printf(&both, "%s %s", kind, tasks_what(t, s->what));
	matches = regex_allows(re, kind) || regex_allows(re, sbuf_text(&both));
	sbuf_free(&both);
	return matches;
}

enum status task_kinds(const struct trace *t, const struct regex *re, uint64_t *out,
		       struct error *e)
{
	bool found = false;

	tasks_lock(t);
	for (size_t i = 0; !found && i < tasks_tables(t)->slots.count; i++)
		found = task_kind_matches(t, &tasks_tables(t)->slots.data[i], re);
	*out = (uintptr_t)task_asked(t, regex_pattern(re));
	tasks_unlock(t);
	return found ? STATUS_OK
		     : error_set(e, STATUS_NOT_FOUND, "no kind of tasks matches '%s'",
				 regex_pattern(re));
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
	const size_t named = buffers == UINT32_MAX ? METRIC_NAMED : METRIC_BLOCKED;

	*out = (struct metric_ref){.kind = i < named ? (uint32_t)i : METRIC_BLOCKED};
	if (i >= named)
		out->index = blocked_label(tasks_tables(t), i - named);
	out->unit = rows[out->kind].unit;
	out->rate = rows[out->kind].measure <= ENDS;
	return out->index != UINT32_MAX;
}

static const char *name_of(const struct trace *t, const struct metric_ref *ref)
{
	struct sbuf name = {0};
	const char *kept;

	if (ref->kind != METRIC_BLOCKED)
		return rows[ref->kind].name;
	sbuf_printf(&name, "%s%s", TASK_BLOCKED_BY, tasks_tables(t)->labels.data[ref->index].kind);
	kept = task_asked(t, sbuf_text(&name));
	sbuf_free(&name);
	return kept ? kept : TASK_BLOCKED_BY;
}

bool task_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	struct metric_ref m;
	const char *kind;
	bool found;

	tasks_lock(t);
	found = metric_at(t, i, &m);
	kind = found ? rows[m.kind].kind : NULL;
	if (found)
		*out = metric_worked_out(name_of(t, &m), rows[m.kind].help, &m);
	if (kind && tasks_kind_find(t, kind) == UINT32_MAX)
		out->total = 0;
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
	const char *pattern = NULL;
	bool found = false;

	for (size_t i = 0; !found && metric_at(t, i, out); i++)
		found = strcmp(name_of(t, out), name) == 0;
	found = found && choose_components(t, c->component_count, component, &pattern);
	out->set = (uintptr_t)pattern;
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
	struct bins bins;
	numbers components;       /* that it is about */
	struct regex *kinds;      /* of tasks that count; NULL: all */
	bool some;                /* there are such */
	int32_t *curve;           /* by slot: where its tasks go; -1: nowhere */
	bool *blocked;            /* by label: of that kind */
	int64_t *covered;         /* by component: until when it had a task */
};

/* Each of a row's milestones ends what it waited for since the one before. */
static inline void visit_marks(struct query *q, uint32_t row, size_t curve)
{
	uint32_t i = row ? q->c->marks_to[row - 1] : 0;
	const uint32_t end = q->c->marks_to[row];
	int64_t since;

	if (i == end)
		return;
	for (since = q->c->start[row]; i < end; i++) {
		const struct task_mark *m = &q->c->marks[i];
		const int64_t tick = m->tick < q->c->end[row] ? m->tick : q->c->end[row];

		if (q->tables->labels.data[m->label].tag || tick <= since)
			continue;
		if (q->blocked[m->label])
			bins_cover(&q->bins, curve, since, tick);
		since = tick;
	}
}

/* In the order of their starts: what of it no task before covered. */
static inline void visit_busy(struct query *q, uint32_t row, uint32_t slot, size_t curve)
{
	int64_t *covered = &q->covered[q->tables->slots.data[slot].component];
	const int64_t start = q->c->start[row], end = q->c->end[row];

	if (end <= *covered)
		return;
	bins_cover(&q->bins, curve, start > *covered ? start : *covered, end);
	*covered = end;
}

static inline void visit(struct query *q, enum measure measure, uint32_t row, uint32_t slot,
			 size_t curve)
{
	const int64_t *start = q->c->start, *end = q->c->end;

	switch (measure) {
	case STARTS:
		bins_count(&q->bins, curve, start[row], 1);
		break;
	case ENDS:
		bins_count(&q->bins, curve, end[row], 1);
		break;
	case LATENCY:
		bins_count(&q->bins, curve, end[row], (double)(end[row] - start[row]));
		break;
	case ALIVE:
		bins_cover(&q->bins, curve, start[row], end[row]);
		break;
	case WAITING:
		if (q->c->parent[row] < q->c->count)
			bins_cover(&q->bins, curve, start[q->c->parent[row]], start[row]);
		break;
	case BUSY:
		visit_busy(q, row, slot, curve);
		break;
	case BLOCKED:
		visit_marks(q, row, curve);
		break;
	}
}

/* What a row will be asked for in a while. */
static inline void fetch(const struct query *q, enum measure measure, const uint32_t *order,
			 uint32_t i, uint32_t end, uint32_t slot)
{
	const uint32_t row = order[i + AHEAD < end ? i + AHEAD : i];
	const uint32_t near = order[i + AHEAD / 2 < end ? i + AHEAD / 2 : i];

	if (slot == SLOT_ANY)
		__builtin_prefetch(&q->c->slot[row]);
	if (measure == BLOCKED) {
		__builtin_prefetch(&q->c->marks_to[row]);
		__builtin_prefetch(&q->c->marks[q->c->marks_to[near]]);
		return;
	}
	__builtin_prefetch(&q->c->start[row]);
	if (measure != WAITING) {
		__builtin_prefetch(&q->c->end[row]);
		return;
	}
	__builtin_prefetch(&q->c->parent[row]);
	if (q->c->parent[near] < q->c->count)
		__builtin_prefetch(&q->c->start[q->c->parent[near]]);
}

/* Tasks in an order, or in that of the file (NULL); slot: what all of them are, or SLOT_ANY. */
static inline __attribute__((always_inline)) void
sweep_as(struct query *q, enum measure measure, const uint32_t *order, uint32_t i, uint32_t end,
	 uint32_t slot)
{
	for (; i < end; i++) {
		const uint32_t row = order ? order[i] : i;
		const uint32_t of = slot == SLOT_ANY ? q->c->slot[row] : slot;

		if (order)
			fetch(q, measure, order, i, end, slot);
		if (q->curve[of] >= 0)
			visit(q, measure, row, of, (size_t)q->curve[of]);
	}
}

/* A loop of each measure's own, twice. */
static void sweep_order(struct query *q, const uint32_t *order, uint32_t i, uint32_t end,
			uint32_t slot)
{
	switch (q->of->measure) {
#define SWEEP(measure)                                                                             \
	case measure:                                                                              \
		if (order)                                                                         \
			sweep_as(q, measure, order, i, end, slot);                                 \
		else                                                                               \
			sweep_as(q, measure, NULL, i, end, SLOT_ANY);                              \
		break;
		MEASURES(SWEEP)
#undef SWEEP
	}
}

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
	       (!q->of->endings || ends_in(tasks_what(q->t, s->what), q->of->endings)) &&
	       (!q->kinds || task_kind_matches(q->t, s, q->kinds));
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
	q->some = !q->kinds;
	for (size_t i = 0; i < q->components.count; i++)
		chosen[q->components.data[i]] = true;
	for (size_t i = 0; i < slots; i++) {
		const struct task_slot *s = &q->tables->slots.data[i];

		/* of a component that came since: none of its tasks is published */
		const bool counts = s->component < components && chosen[s->component] &&
				    is_meant(q, kind, s);

		q->curve[i] = !counts ? -1 : each ? (int32_t)s->component : 0;
		q->some |= counts;
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

/*
 * In the order of the file if that is about as much: memory likes it. Of a component all of which
 * counts any task stands for the rest, and what each of them is need not be looked up.
 */
static void sweep(struct query *q)
{
	const uint32_t *order = q->c->by_component;
	uint32_t begin, end;

	if (is_most(q)) {
		sweep_order(q, q->of->measure == BUSY ? q->c->by_start : NULL, 0, q->c->count, SLOT_ANY);
		return;
	}
	for (size_t i = 0; i < q->components.count; i++) {
		range_of(q, q->components.data[i], &begin, &end);
		if (begin < end)
			sweep_order(q, order, begin, end,
				    q->of->kind || q->kinds ? SLOT_ANY : q->c->slot[order[begin]]);
	}
}

/* ---- what becomes of it ---- */

/* Bins of a curve in which something was traced, as a count that is above 0. */
static bool traced(const struct query *q, struct bins *b)
{
	if (!bins_make(b, q->bins.from, q->bins.to, q->bins.n, 1))
		return false;
	for (size_t i = 0; i < q->tables->windows.count; i++)
		bins_cover(b, 0, q->tables->windows.data[i].start,
				q->tables->windows.data[i].end);
	if (!q->tables->windows.count)
		bins_cover(b, 0, q->c->first, tick_add(q->c->last, 1));
	bins_means(b);
	return true;
}

static double value_of(const struct query *q, size_t i, size_t components)
{
	const struct bins *b = &q->bins;
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
	struct bins seen;
	bool done = traced(q, &seen);

	if (q->of->measure > LATENCY)
		bins_means(&q->bins);
	for (size_t i = 0; done && i < n; i++) {
		values[i] = value_of(q, i, components);
		if (!q->some || (values[i] == 0 && !(seen.sum[i % q->bins.n] > 0)))
			values[i] = NAN;
	}
	bins_free(&seen);
	return done;
}

/* As find() chose them, and those that came since. */
static bool take(struct query *q, const struct metric_ref *m)
{
	struct regex *component = NULL;
	const char *pattern = (const char *)(uintptr_t)m->set;
	const char *kinds = (const char *)(uintptr_t)m->kinds;
	bool taken = (!pattern || !regex_new(&component, pattern, NULL)) &&
		     (!kinds || !regex_new(&q->kinds, kinds, NULL));

	for (uint32_t i = 0; taken && i < q->c->component_count; i++)
		if (regex_allows(component, tasks_component(q->t, i)))
			taken = vec_push(&q->components, i);
	regex_free(component);
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
	done = take(&q, m) && choose(&q, each) && prepare(&q, m->index) &&
	       bins_make(&q.bins, from, to, each ? 1 : n, each ? q.c->component_count : 1);
	if (done) {
		sweep(&q);
		done = put_values(&q, n, each ? 1 : q.components.count, values);
	}
	tasks_unlock(t);
	bins_free(&q.bins);
	vec_free(&q.components);
	regex_free(q.kinds);
	free(q.curve);
	free(q.blocked);
	free(q.covered);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "not enough memory for a metric");
}

enum status task_metric_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, struct error *e)
{
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
