#include "config.h"

#include "analysis/tasks/hints.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/components.h"
#include "analysis/tasks/hints_private.h"
#include "analysis/tasks/requests.h"
#include "base/num.h"
#include "tasks/metrics.h"

enum { MOST = 3 }; /* hints of a sort: what is behind them matters less */

static const double waiting_least = 0.5; /* requests at a time that are worth a hint */
static const double queue_least = 0.25;  /* of the latency: less is the way, not a queue */
static const double idle_least = 0.5;    /* share of the time */

static bool ends(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

bool *task_view_slots(const struct task_view *v, const char *kind, const char *end)
{
	const struct task_tables *tables = tasks_tables(v->t);
	bool *meant = calloc(tables->slots.count + 1, sizeof(*meant));

	for (size_t i = 0; meant && i < tables->slots.count; i++)
		meant[i] = ends(tasks_what(v->t, tables->slots.data[i].what), end) &&
			   strcmp(tasks_kind(v->t, tables->slots.data[i].kind), kind) == 0;
	return meant;
}

/* Digits between brackets become a star. */
static const char *class_name(struct hints *h, const char *name)
{
	struct sbuf out = {0};
	const char *kept;

	while (*name) {
		size_t digits = *name == '[' ? strspn(name + 1, "0123456789") : 0;

		sbuf_putc(&out, *name++);
		if (digits && name[digits] == ']') {
			sbuf_putc(&out, '*');
			name += digits;
		}
	}
	kept = hints_keep(h, "%s", sbuf_text(&out));
	sbuf_free(&out);
	return kept;
}

double *task_view_held(const struct task_view *v, const char *kind)
{
	const struct task_columns *c = tasks_lock(v->t);
	const uint32_t number = kind ? tasks_kind_find(v->t, kind) : 0;
	double *held = calloc(v->count + 1, sizeof(*held));

	for (uint32_t row = 0; held && row < c->count; row++) {
		const struct task_slot *s = &tasks_tables(v->t)->slots.data[c->slot[row]];
		const int64_t from = c->start[row] > v->from ? c->start[row] : v->from;
		const int64_t to = c->end[row] < v->to ? c->end[row] : v->to;

		if ((!kind || s->kind == number) && s->component < v->count && from < to)
			held[s->component] += (double)(to - from) / TASK_SECOND / v->seconds;
	}
	tasks_unlock(v->t);
	return held;
}

/* ---- what the numbers are of ---- */

/* From the first kernel to the last, as their launches come in; else all. */
static bool find_range(struct task_view *v)
{
	const struct task_columns *c = tasks_lock(v->t);
	bool *launch = task_view_slots(v, "req_in", "LaunchKernelReq"), done = launch;

	v->from = INT64_MAX;
	v->to = INT64_MIN;
	for (uint32_t row = 0; launch && row < c->count; row++) {
		if (!launch[c->slot[row]])
			continue;
		v->from = c->start[row] < v->from ? c->start[row] : v->from;
		v->to = c->end[row] > v->to ? c->end[row] : v->to;
	}
	v->name = "the kernels";
	if (v->from >= v->to) {
		v->from = c->first;
		v->to = tick_add(c->last, 1);
		v->name = "the trace";
	}
	v->seconds = ((double)v->to - (double)v->from) / TASK_SECOND;
	tasks_unlock(v->t);
	free(launch);
	return done;
}

static bool find_classes(struct task_view *v, struct hints *h)
{
	struct intern *names = intern_new();
	bool done = names;

	tasks_lock(v->t);
	for (uint32_t i = 0; done && i < v->count; i++) {
		const char *name = class_name(h, tasks_component(v->t, i));
		const int32_t id = intern_add(names, name, strlen(name));

		done = id >= 0 && ((size_t)id < v->classes.count ||
				   vec_push(&v->classes, ((struct task_class){.name = name,
									      .worst = i})));
		if (!done)
			break;
		v->class_of[i] = (uint32_t)id;
		v->classes.data[id].members++;
	}
	tasks_unlock(v->t);
	intern_free(names);
	return done;
}

static void add_busy(struct task_view *v, const double *busy)
{
	for (size_t i = 0; i < v->count; i++)
		if (!isnan(busy[i]))
			v->classes.data[v->class_of[i]].busy += busy[i];
}

static void add_edge(struct task_view *v, const struct task_edge *e)
{
	struct task_class *c = &v->classes.data[v->class_of[e->to_number]];
	const double count = (double)e->count;

	c->requests += count;
	c->wait += e->wait * count;
	c->latency += e->latency * count;
	if (e->wait * count > c->longest) {
		c->longest = e->wait * count;
		c->worst = e->to_number;
	}
	/* edges come by their counts: the first from another class is the greatest */
	if (!c->upstream && v->class_of[e->from_number] != v->class_of[e->to_number])
		c->upstream = v->classes.data[v->class_of[e->from_number]].name;
}

static enum status gather(struct task_view *v, struct hints *h, struct error *e)
{
	const size_t n = v->count;
	struct task_requests r = {.unpaired = 0};
	double *busy = malloc((n + 1) * sizeof(*busy));
	enum status status = STATUS_NOMEM;

	v->class_of = malloc((n + 1) * sizeof(*v->class_of));
	if (busy && v->class_of && find_classes(v, h))
		status = task_means(v->t, "utilisation", v->from, v->to, n, busy, e);
	else
		error_set(e, status, "out of memory");
	if (!status) {
		add_busy(v, busy);
		status = task_requests_make(&r, v->t, NULL, v->from, v->to, e);
	}
	for (size_t i = 0; !status && i < r.edges.count; i++)
		if (r.edges.data[i].from_number < n && r.edges.data[i].to_number < n)
			add_edge(v, &r.edges.data[i]);
	task_requests_free(&r);
	free(busy);
	return status;
}

/* ---- hints about classes ---- */

/* A task of a component that begins in the range. */
static void put_place(const struct task_view *v, uint32_t component, struct hint *hint)
{
	const struct task_columns *c = tasks_lock(v->t);
	uint32_t i, end;

	hint->item = ITEM_NONE;
	tasks_overlapping(c, component, v->from, v->to, &i, &end);
	while (i < end && c->start[c->by_component[i]] < v->from)
		i++;
	if (i < end) {
		hint->item = c->by_component[i];
		hint->tick = c->start[hint->item];
	}
	tasks_unlock(v->t);
}

/* Requests that wait before they come in, for longer than the way takes. */
static bool hint_queue(const struct task_view *v, struct hints *h, const struct task_class *c)
{
	const double waiting = c->wait / v->seconds, busy = c->busy / c->members;
	struct hint hint = {.kind = "queueing",
			    .where = c->name,
			    .bound = "upper",
			    .order = ORDER_WAITING,
			    .weight = waiting};
	char wait[40], latency[40];

	if (waiting < waiting_least || c->wait < queue_least * c->latency)
		return false;
	hint.text = hints_keep(h, "%.3g requests at a time wait to come in, %s each; they are handled "
				  "in %s, and it is busy %.0f %% of %s",
			       waiting, num_seconds(c->wait / c->requests, wait),
			       num_seconds(c->latency / c->requests, latency), 100 * busy, v->name);
	hint.advice = busy > idle_least ? "more of it, a wider one, or fewer requests to it"
					: "let more requests in: ports, queues, the way to it";
	put_place(v, c->worst, &hint);
	hint_number(&hint, "waiting", NULL, waiting);
	hint_number(&hint, "wait", UNIT_SECOND, c->wait / c->requests);
	hint_number(&hint, "latency", UNIT_SECOND, c->latency / c->requests);
	hint_number(&hint, "requests", NULL, c->requests);
	hint_number(&hint, "busy", NULL, busy);
	hint_number(&hint, "components", NULL, c->members);
	hints_add(h, &hint);
	return true;
}

/* Idle, with no queue before it: who should send does not. */
static bool hint_idle(const struct task_view *v, struct hints *h, const struct task_class *c)
{
	const double idle = 1 - c->busy / c->members;
	struct hint hint = {.kind = "idle-upstream",
			    .where = c->name,
			    .order = ORDER_IDLE,
			    .weight = idle,
			    .advice = "more work in flight before it: it can take more"};

	if (!c->upstream || idle < idle_least || c->wait >= queue_least * c->latency)
		return false;
	hint.text = hints_keep(h, "idle %.0f %% of %s, and no request queues: %s sends too few",
			       100 * idle, v->name, c->upstream);
	put_place(v, c->worst, &hint);
	hint_number(&hint, "idle", NULL, idle);
	hint_number(&hint, "waiting", NULL, c->wait / v->seconds);
	hint_number(&hint, "requests", NULL, c->requests);
	hint_number(&hint, "components", NULL, c->members);
	hints_add(h, &hint);
	return true;
}

static int by_waiting(const void *a, const void *b)
{
	const struct task_class *x = a, *y = b;

	return (x->wait < y->wait) - (x->wait > y->wait);
}

static int by_requests(const void *a, const void *b)
{
	const struct task_class *x = a, *y = b;

	return (x->requests < y->requests) - (x->requests > y->requests);
}

/* ---- what tasks wait for ---- */

/* Tasks of a class that wait for one kind of thing at a time, and its metric. */
struct blocked {
	const char *kind;
	double tasks, most; /* most: at the worst member */
	uint32_t class, worst;
};

typedef VEC(struct blocked) blocked_vec;

/* The mean of a metric of each component, by classes. */
static bool add_blocked(const struct task_view *v, const char *kind, const double *means,
			blocked_vec *out)
{
	const size_t first = out->count;

	for (uint32_t i = 0; i < v->classes.count; i++)
		if (!vec_push(out, ((struct blocked){.kind = kind, .class = i})))
			return false;
	for (uint32_t i = 0; i < v->count; i++) {
		struct blocked *b = &out->data[first + v->class_of[i]];

		b->tasks += isnan(means[i]) ? 0 : means[i];
		if (means[i] > b->most) {
			b->most = means[i];
			b->worst = i;
		}
	}
	return true;
}

static void say_blocked(const struct task_view *v, struct hints *h, const struct blocked *b)
{
	const struct task_class *c = &v->classes.data[b->class];
	struct hint hint = {.kind = "blocked",
			    .where = c->name,
			    .bound = "upper",
			    .order = ORDER_WAITING,
			    .weight = b->tasks,
			    .advice = "what they wait for: sooner, more of it, or less need of it; "
				      "summary has it by name"};

	if (b->tasks < waiting_least)
		return;
	hint.text = hints_keep(h, "%.3g tasks at a time are blocked by %s over %s", b->tasks,
			       b->kind, v->name);
	put_place(v, b->worst, &hint);
	hint_number(&hint, "blocked", NULL, b->tasks);
	hint_number(&hint, "worst", NULL, b->most);
	hint_number(&hint, "components", NULL, c->members);
	hints_add(h, &hint);
}

static int by_tasks(const void *a, const void *b)
{
	const struct blocked *x = a, *y = b;

	return (x->tasks < y->tasks) - (x->tasks > y->tasks);
}

/* Of every kind of milestones; work is no wait. */
static enum status hint_blocked(const struct task_view *v, struct hints *h, struct error *e)
{
	const size_t prefix = strlen(TASK_BLOCKED_BY);
	double *means = malloc((v->count + 1) * sizeof(*means));
	enum status status = STATUS_OK;
	struct metric_info info;
	blocked_vec all = {0};

	for (size_t i = 0; !status && means && v->t->kind->metric(v->t, i, &info); i++) {
		if (strncmp(info.name, TASK_BLOCKED_BY, prefix) != 0 ||
		    strcmp(info.name + prefix, "work") == 0)
			continue;
		status = v->t->kind->means(v->t, i, v->from, v->to, v->count, means, e);
		if (!status)
			h->failed |= !add_blocked(v, info.name + prefix, means, &all);
	}
	if (all.count)
		qsort(all.data, all.count, sizeof(all.data[0]), by_tasks);
	for (size_t i = 0; i < all.count && i < MOST; i++)
		say_blocked(v, h, &all.data[i]);
	h->failed |= !means;
	vec_free(&all);
	free(means);
	return status;
}

/* ---- all of them ---- */

typedef bool hint_fn(const struct task_view *, struct hints *, const struct task_class *);

/* The first ones in an order, in which the classes are then. */
static void hint_classes(struct task_view *v, struct hints *h,
			 int (*order)(const void *, const void *), hint_fn *hint)
{
	int given = 0;

	if (v->classes.count)
		qsort(v->classes.data, v->classes.count, sizeof(v->classes.data[0]), order);
	for (size_t i = 0; i < v->classes.count && given < MOST; i++)
		given += hint(v, h, &v->classes.data[i]);
}

enum status task_hints_make(struct hints *h, struct trace *t, const struct task_hint_options *o,
			    struct error *e)
{
	/* what comes meanwhile is left out */
	struct task_view v = {.t = t, .o = o, .count = (uint32_t)t->kind->component_count(t)};
	enum status status = STATUS_OK;

	hints_begin(h);
	h->failed |= !find_range(&v);
	if (v.from < v.to)
		status = gather(&v, h, e);
	if (v.classes.count && !status)
		status = hint_blocked(&v, h, e);
	if (v.classes.count && !status) {
		h->failed |= !hint_dispatch(&v, h) || !hint_occupancy(&v, h);
		hint_classes(&v, h, by_waiting, hint_queue);
		hint_classes(&v, h, by_requests, hint_idle);
	}
	vec_free(&v.classes);
	free(v.class_of);
	return status ? status : hints_end(h, e);
}
