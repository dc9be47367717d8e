/*
 * What limits a run of component tasks, from its trace alone.
 *
 * A dispatcher that starts work at a constant interval for most of a kernel limits it, however fast
 * what it feeds may be; only then comes what is short of work (occupancy against capacity), what
 * queues and what blocks, by how many tasks it holds up at a time, and last who is idle because those
 * before it send too little. Latencies are no sign: they fall when less work comes in.
 *
 * Numbers are of the kernels (from the first to the last one), of all of the trace where it has none.
 * Components whose names differ in the numbers in brackets are one: `GPU[*].L2Cache[*]`.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hints.h"
#include "analysis/tasks/answers.h"
#include "analysis/tasks/requests.h"
#include "base/num.h"
#include "tasks/kind.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"

static const double waiting_least = 0.5; /* requests at a time that are worth a hint */
static const double queue_least = 0.25;  /* of the latency: less is the way, not a queue */
static const double idle_least = 0.5;    /* share of the time */

/* Shares of the work that are done before requests are looked at, and what blocks tasks. */
static const double requests_from = 0.2, blocked_from = 0.5;

/* Components whose names differ in the numbers in brackets, with sums over them. */
struct task_class {
	const char *name;
	uint32_t members, worst; /* the one at whose door requests waited longest together: */
	double longest;          /* that long */
	double busy;             /* shares of the time */
	double requests, wait, latency; /* that came in from known senders; seconds of all of them */
	const char *upstream;           /* who sent most of them; NULL: nobody */
	double blocked, most;  /* tasks that wait for one kind of thing at a time; at the worst one */
	uint32_t most_blocked; /* member */
	double held, capacity; /* tasks at a time that those hold and can hold, of which it is known: */
	uint32_t holders;      /* so many */
};

/* Whom the numbers are of; columns and tables under the lock only. */
struct task_view {
	struct trace *t;
	const struct question *q;
	const struct task_columns *c;
	const struct task_tables *tables;
	int64_t from, to;
	double seconds;
	const char *name; /* "the kernels" */
	VEC(struct task_class) classes;
	uint32_t count, *class_of; /* components; by component */
};

enum { ORDER_DISPATCH, ORDER_OCCUPANCY, ORDER_WAITING, ORDER_IDLE };

typedef VEC(uint32_t) task_rows;

static void lock(struct task_view *v)
{
	v->c = tasks_lock(v->t);
	v->tables = tasks_tables(v->t);
}

static bool ends(const char *text, const char *end)
{
	const size_t len = strlen(text), n = strlen(end);

	return len >= n && strcmp(text + len - n, end) == 0;
}

/* Append the rows of a kind whose what ends so. False: no memory. A pass over the tasks. */
static bool rows_of(const struct task_view *v, const char *kind, const char *end, task_rows *out)
{
	const size_t slots = v->tables->slots.count;
	bool *meant = calloc(slots + 1, sizeof(*meant)), done = meant;

	for (size_t i = 0; meant && i < slots; i++)
		meant[i] = ends(tasks_what(v->t, v->tables->slots.data[i].what), end) &&
			   strcmp(tasks_kind(v->t, v->tables->slots.data[i].kind), kind) == 0;
	for (uint32_t row = 0; done && row < v->c->count; row++)
		if (meant[v->c->slot[row]])
			done = vec_push(out, row);
	free(meant);
	return done;
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

/* Tasks of a kind (NULL: any) at a time, by component. NULL: no memory. A pass over the tasks. */
static double *held_of(const struct task_view *v, const char *kind)
{
	const struct task_columns *c = v->c;
	const uint32_t number = kind ? tasks_kind_find(v->t, kind) : 0;
	double *held = calloc(v->count + 1, sizeof(*held));

	for (uint32_t row = 0; held && row < c->count; row++) {
		const struct task_slot *s = &v->tables->slots.data[c->slot[row]];
		const int64_t from = c->start[row] > v->from ? c->start[row] : v->from;
		const int64_t to = c->end[row] < v->to ? c->end[row] : v->to;

		if ((!kind || s->kind == number) && s->component < v->count && from < to)
			held[s->component] += (double)(to - from) / TASK_SECOND / v->seconds;
	}
	return held;
}

/* ---- what the numbers are of ---- */

/* From the first kernel to the last, as their launches come in; else all. */
static bool find_range(struct task_view *v)
{
	task_rows launches = {0};
	const bool done = rows_of(v, "req_in", "LaunchKernelReq", &launches);
	const struct task_columns *c = v->c;

	v->from = INT64_MAX;
	v->to = INT64_MIN;
	v->name = "the kernels";
	for (size_t i = 0; i < launches.count; i++) {
		const uint32_t row = launches.data[i];

		v->from = c->start[row] < v->from ? c->start[row] : v->from;
		v->to = c->end[row] > v->to ? c->end[row] : v->to;
	}
	if (v->from >= v->to) {
		v->from = c->first;
		v->to = tick_add(c->last, 1);
		v->name = "the trace";
	}
	v->seconds = ((double)v->to - (double)v->from) / TASK_SECOND;
	vec_free(&launches);
	return done;
}

static bool find_classes(struct task_view *v, struct hints *h)
{
	struct intern *names = intern_new();
	bool done = names;

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
	intern_free(names);
	return done;
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

static enum status add_busy(struct task_view *v, struct error *e)
{
	double *busy = malloc((v->count + (size_t)1) * sizeof(*busy));
	enum status status = busy ? task_means(v->t, "utilisation", v->from, v->to, v->count, busy, e)
				  : error_set(e, STATUS_NOMEM, "out of memory");

	for (size_t i = 0; !status && i < v->count; i++)
		if (!isnan(busy[i]))
			v->classes.data[v->class_of[i]].busy += busy[i];
	free(busy);
	return status;
}

static enum status add_requests(struct task_view *v, struct error *e)
{
	const struct question q = {.from = v->from, .to = v->to};
	struct task_requests r;
	enum status status = requests_answer.make(&r, v->t, &q, e);

	for (size_t i = 0; !status && i < r.edges.count; i++)
		if (r.edges.data[i].from_number < v->count && r.edges.data[i].to_number < v->count)
			add_edge(v, &r.edges.data[i]);
	task_requests_free(&r);
	return status;
}

/* ---- hints about classes ---- */

/* A task of a component that begins in the range. */
static void put_place(const struct task_view *v, uint32_t component, struct hint *hint)
{
	const struct task_columns *c = v->c;
	uint32_t i, end;

	hint->item = ITEM_NONE;
	tasks_overlapping(c, component, v->from, v->to, &i, &end);
	while (i < end && c->start[c->by_component[i]] < v->from)
		i++;
	if (i < end) {
		hint->item = c->by_component[i];
		hint->tick = c->start[hint->item];
	}
}

/* Requests that wait before they come in, for longer than the way takes. */
static void hint_queue(const struct task_view *v, struct hints *h, const struct task_class *c)
{
	const double waiting = c->wait / v->seconds, busy = c->busy / c->members;
	const double wait = c->wait / c->requests, latency = c->latency / c->requests;
	struct hint hint = {
	    .kind = "queueing",
	    .where = c->name,
	    .bound = "upper",
	    .order = ORDER_WAITING,
	    .weight = waiting,
	    .advice = busy > idle_least ? "more of it, a wider one, or fewer requests to it"
					: "let more requests in: ports, queues, the way to it",
	    .evidence = {{"waiting", NULL, waiting},
			 {"wait", UNIT_SECOND, wait},
			 {"latency", UNIT_SECOND, latency},
			 {"requests", NULL, c->requests},
			 {"busy", UNIT_SHARE, busy},
			 {"components", NULL, c->members}},
	};
	char text[2][40];

	if (waiting < waiting_least || c->wait < queue_least * c->latency)
		return;
	hint.text = hints_keep(h, "%.3g requests at a time wait to come in, %s each; they are handled "
				  "in %s, and it is busy %.0f %% of %s",
			       waiting, num_seconds(wait, text[0]), num_seconds(latency, text[1]),
			       100 * busy, v->name);
	put_place(v, c->worst, &hint);
	hints_add(h, &hint);
}

/* Idle, with no queue before it: who should send does not. */
static void hint_idle(const struct task_view *v, struct hints *h, const struct task_class *c)
{
	const double idle = 1 - c->busy / c->members;
	struct hint hint = {
	    .kind = "idle-upstream",
	    .where = c->name,
	    .order = ORDER_IDLE,
	    .weight = idle * c->requests,
	    .advice = "more work in flight before it: it can take more",
	    .evidence = {{"idle", UNIT_SHARE, idle},
			 {"waiting", NULL, c->wait / v->seconds},
			 {"requests", NULL, c->requests},
			 {"components", NULL, c->members}},
	};

	if (!c->upstream || idle < idle_least || c->wait >= queue_least * c->latency)
		return;
	hint.text = hints_keep(h, "idle %.0f %% of %s, and no request queues: %s sends too few",
			       100 * idle, v->name, c->upstream);
	put_place(v, c->worst, &hint);
	hints_add(h, &hint);
}

static void say_blocked(const struct task_view *v, struct hints *h, const char *reason,
			const struct task_class *c)
{
	struct hint hint = {
	    .kind = "blocked",
	    .where = c->name,
	    .bound = "upper",
	    .order = ORDER_WAITING,
	    .weight = c->blocked,
	    .advice = "what they wait for: sooner, more of it, or less need of it; "
		      "summary has it by name",
	    .evidence = {{"blocked", NULL, c->blocked},
			 {"worst", NULL, c->most},
			 {"components", NULL, c->members}},
	};

	if (c->blocked < waiting_least)
		return;
	hint.text = hints_keep(h, "%.3g tasks at a time are blocked by %s over %s", c->blocked,
			       reason, v->name);
	put_place(v, c->most_blocked, &hint);
	hints_add(h, &hint);
}

/* By classes, of the mean of a metric of each component. */
static void add_blocked(struct task_view *v, struct hints *h, const char *reason,
			const double *means)
{
	for (size_t i = 0; i < v->classes.count; i++)
		v->classes.data[i].blocked = v->classes.data[i].most = 0;
	for (uint32_t i = 0; i < v->count; i++) {
		struct task_class *c = &v->classes.data[v->class_of[i]];

		c->blocked += isnan(means[i]) ? 0 : means[i];
		if (means[i] > c->most) {
			c->most = means[i];
			c->most_blocked = i;
		}
	}
	for (size_t i = 0; i < v->classes.count; i++)
		say_blocked(v, h, reason, &v->classes.data[i]);
}

/* Of every kind of milestones; work is no wait. */
static enum status hint_blocked(struct task_view *v, struct hints *h, struct error *e)
{
	const size_t prefix = strlen(TASK_BLOCKED_BY), metrics = v->t->kind->metric_count(v->t);
	double *means = malloc((v->count + (size_t)1) * sizeof(*means));
	enum status status = STATUS_OK;
	struct metric_info info;

	h->failed |= !means;
	for (size_t i = 0; !status && !h->failed && v->t->kind->metric(v->t, i, &info); i++) {
		const char *reason = info.name + prefix;

		if (info.sampled || strncmp(info.name, TASK_BLOCKED_BY, prefix) != 0 || strcmp(reason, "work") == 0)
			continue;
		status = v->t->kind->means(v->t, i, v->from, v->to, v->count, means, e);
		if (status)
			break;
		lock(v);
		add_blocked(v, h, reason, means);
		tasks_unlock(v->t);
		status = answer_go_on(v->q, blocked_from + (1 - blocked_from) * (double)i / (double)metrics,
				    e);
	}
	free(means);
	return status;
}

/* ---- dispatchers: work-groups that leave one at a constant interval for most of a kernel ---- */

enum { DISPATCHES_LEAST = 8, INTERVALS_SEEN = 10 };

static const double constant_least = 0.9; /* share of the intervals */
static const double phase_least = 0.5;    /* share of the kernel */

/* One dispatcher's in one kernel. */
struct phase {
	const uint32_t *of; /* rows, in the order of their starts */
	size_t count;
	int64_t interval;      /* between those at different ticks, that of most of them; */
	double constant;       /* its share */
	int64_t ticks, kernel; /* from the first to the last; how long the kernel is */
	double kernels;        /* of which it is the one that takes longest */
};

static uint32_t component_of(const struct task_view *v, uint32_t row)
{
	return v->tables->slots.data[v->c->slot[row]].component;
}

/* By dispatcher and kernel, which is the parent, then as they leave. */
static int by_kernel(const void *a, const void *b, void *view)
{
	const struct task_view *v = view;
	const uint32_t *x = a, *y = b;

	if (component_of(v, *x) != component_of(v, *y))
		return component_of(v, *x) < component_of(v, *y) ? -1 : 1;
	if (v->c->parent[*x] != v->c->parent[*y])
		return v->c->parent[*x] < v->c->parent[*y] ? -1 : 1;
	return (v->c->start[*x] > v->c->start[*y]) - (v->c->start[*x] < v->c->start[*y]);
}

/* What most intervals are, if most are alike: each other one is set against one of those. */
static void find_interval(struct phase *p, const int64_t *start)
{
	size_t n = 0, alike = 0;
	int64_t votes = 0;

	for (size_t i = 1; i < p->count; i++) {
		const int64_t interval = start[p->of[i]] - start[p->of[i - 1]];

		if (interval && !votes)
			p->interval = interval;
		if (interval)
			votes += interval == p->interval ? 1 : -1;
		n += interval != 0;
	}
	for (size_t i = 1; n && i < p->count; i++)
		alike += start[p->of[i]] - start[p->of[i - 1]] == p->interval;
	p->constant = n ? (double)alike / (double)n : 0;
}

/* Wavefronts at a time in each component that has any. */
static double resident(const struct task_view *v)
{
	double *held = held_of(v, "wavefront"), all = 0, holders = 0;

	for (uint32_t i = 0; held && i < v->count; i++) {
		all += held[i];
		holders += held[i] > 0;
	}
	free(held);
	return holders > 0 ? all / holders : 0;
}

static void say_dispatch(const struct task_view *v, struct hints *h, const struct phase *p)
{
	const double share = (double)p->ticks / (double)p->kernel, held = resident(v);
	const double phase = (double)p->ticks / TASK_SECOND;
	struct hint hint = {
	    .kind = "dispatch-bound",
	    .bound = "upper",
	    .order = ORDER_DISPATCH,
	    .weight = share,
	    .where = tasks_component(v->t, component_of(v, *p->of)),
	    .item = *p->of,
	    .tick = v->c->start[*p->of],
	    .until = v->c->start[*p->of] + INTERVALS_SEEN * p->interval,
	    .advice = "dispatch more work-groups at a time or sooner, or give each more to do",
	    .evidence = {{"interval", UNIT_SECOND, (double)p->interval / TASK_SECOND},
			 {"constant", UNIT_SHARE, p->constant},
			 {"dispatches", NULL, (double)p->count},
			 {"phase", UNIT_SECOND, phase},
			 {"kernel", UNIT_SECOND, (double)p->kernel / TASK_SECOND},
			 {"share", UNIT_SHARE, share},
			 {"resident", NULL, held},
			 {"kernels", NULL, p->kernels}},
	};
	char text[2][40];

	num_time(p->interval, "ps", text[0]);
	hint.text = hints_keep(h, "%zu work-groups leave at a constant interval of %s, which takes %s, "
				  "%.0f %% of the kernel; each compute unit holds %.3g wavefronts",
			       p->count, text[0], num_seconds(phase, text[1]), 100 * share, held);
	hints_add(h, &hint);
}

/*
 * Of a dispatcher's kernels, the one that it holds up longest; those that it does not do not count.
 * Where the kernel is not in the file it is all that is looked at.
 */
static void take_phase(const struct task_view *v, struct phase *p, struct phase *worst)
{
	const struct task_columns *c = v->c;
	const uint32_t kernel = c->parent[*p->of];

	p->ticks = c->start[p->of[p->count - 1]] - c->start[*p->of];
	p->kernel = kernel < c->count ? c->end[kernel] - c->start[kernel] : v->to - v->from;
	find_interval(p, c->start);
	if (p->count < DISPATCHES_LEAST || p->constant < constant_least || p->kernel <= 0 ||
	    (double)p->ticks < phase_least * (double)p->kernel)
		return;
	p->kernels = worst->kernels + 1;
	if (p->ticks > worst->ticks)
		*worst = *p;
	worst->kernels = p->kernels;
}

static bool hint_dispatch(struct task_view *v, struct hints *h)
{
	struct phase worst = {.of = NULL};
	task_rows all = {0};
	const bool done = rows_of(v, "req_out", "MapWGReq", &all);

	if (all.count)
		qsort_r(all.data, all.count, sizeof(*all.data), by_kernel, v);
	for (size_t i = 0, end; done && i < all.count; i = end) {
		const uint32_t *first = &all.data[i];
		const uint32_t component = component_of(v, *first);
		struct phase p = {.of = first};

		for (end = i + 1; end < all.count && component_of(v, all.data[end]) == component &&
				  v->c->parent[all.data[end]] == v->c->parent[*first];)
			end++;
		p.count = end - i;
		take_phase(v, &p, &worst);
		if (worst.of && (end == all.count || component_of(v, all.data[end]) != component)) {
			say_dispatch(v, h, &worst);
			worst = (struct phase){.of = NULL};
		}
	}
	vec_free(&all);
	return done;
}

/* ---- what components hold against what they can ---- */

static const double full = 0.9, hollow = 0.5; /* shares of a capacity */

static const char req_in[] = "req_in", req_out[] = "req_out", wavefront[] = "wavefront";

/* What the parameters of Akita's components call it, and the kind of tasks that are held. */
static const struct {
	const char *parameter, *kind;
} capacities[] = {{"transaction_queue_size", req_in},
		  {"buffer_size", req_in},
		  {"num_mshr_entry", req_out},
		  {"wf_pool_size", wavefront}};

/* "NAME": NUMBER of a flat JSON object; 0: it is not there. */
static double parameter(const char *spec, const char *name)
{
	const size_t len = strlen(name);

	for (const char *p = strstr(spec, name); p; p = strstr(p + 1, name)) {
		if (p == spec || p[-1] != '"' || p[len] != '"')
			continue;
		p += len + 1;
		p += strspn(p, " \t:");
		return strtod(p, NULL);
	}
	return 0;
}

/* What the file says of a component, or of the one that it is a facet of: Mem.SubTransQueue. */
static double specified(const struct task_view *v, const char *name, const char **kind)
{
	for (size_t i = 0; i < v->tables->specs.count; i++) {
		const struct task_spec *s = &v->tables->specs.data[i];
		const size_t len = strlen(s->name);

		if (strncmp(name, s->name, len) != 0 || (name[len] && name[len] != '.'))
			continue;
		for (size_t k = 0; k < sizeof(capacities) / sizeof(capacities[0]); k++) {
			const double found = parameter(s->spec, capacities[k].parameter);

			*kind = capacities[k].kind;
			if (found > 0)
				return found;
		}
	}
	return 0;
}

/* How many tasks a component can hold, and of which kind (NULL: of all); 0: not known. */
static double capacity_of(const struct task_view *v, uint32_t component, const char **kind)
{
	const struct regex *holds = v->q->holds;
	const char *name = tasks_component(v->t, component);

	*kind = holds ? NULL : wavefront;
	if (!(v->q->capacity > 0))
		return specified(v, name, kind);
	return !holds || regex_match(holds, name, strlen(name), NULL, NULL) ? v->q->capacity : 0;
}

/* Those whose capacity is of this kind. Who holds none of it is no such component. */
static bool hold(const struct task_view *v, const char *of)
{
	double *held = held_of(v, of);
	const bool done = held;

	for (uint32_t i = 0; held && i < v->count; i++) {
		struct task_class *c = &v->classes.data[v->class_of[i]];
		const char *kind = NULL;
		const double capacity = held[i] > 0 ? capacity_of(v, i, &kind) : 0;

		if (!(capacity > 0) || kind != of)
			continue;
		c->held += held[i];
		c->capacity += capacity;
		c->holders++;
	}
	free(held);
	return done;
}

/* What holds more than it can holds something else than what its capacity is of. */
static void say_holding(const struct task_view *v, struct hints *h, const struct task_class *c)
{
	const double share = c->held / c->capacity, each = c->held / c->holders;
	const double capacity = c->capacity / c->holders;
	const bool is_full = share >= full;
	struct hint hint = {
	    .kind = "occupancy",
	    .where = c->name,
	    .order = ORDER_OCCUPANCY,
	    .weight = is_full ? share : 1 - share,
	    .item = ITEM_NONE,
	    .advice = is_full ? "a greater capacity, or shorter stays"
			      : "what is before it: dispatch, or more work",
	    .evidence = {{"held", NULL, each},
			 {"capacity", NULL, capacity},
			 {"share", UNIT_SHARE, share},
			 {"components", NULL, c->holders}},
	};

	if (!c->holders || (!is_full && share > hollow) || share > 1)
		return;
	hint.text = hints_keep(h, "each holds %.3g of the %.4g tasks that it can, over %s: %s", each,
			       capacity, v->name,
			       is_full ? "full" : "too few come, whatever it could do");
	hints_add(h, &hint);
}

static bool hint_occupancy(const struct task_view *v, struct hints *h)
{
	static const char *const kinds[] = {wavefront, req_in, req_out};
	bool done = true;

	/* where nothing is said of capacities there is nothing to pass over the tasks for */
	if (v->q->capacity > 0)
		done = hold(v, v->q->holds ? NULL : wavefront);
	else if (v->tables->specs.count)
		for (size_t i = 0; done && i < sizeof(kinds) / sizeof(kinds[0]); i++)
			done = hold(v, kinds[i]);
	for (size_t i = 0; done && i < v->classes.count; i++)
		say_holding(v, h, &v->classes.data[i]);
	return done;
}

/* ---- all of them ---- */

/* In turn, each a pass or some; shares of the work, about. */
static enum status make(struct task_view *v, struct hints *h, struct error *e)
{
	enum status status = add_busy(v, e);

	if (!status)
		status = answer_go_on(v->q, requests_from, e);
	if (!status)
		status = add_requests(v, e);
	if (!status)
		status = answer_go_on(v->q, blocked_from, e);
	if (!status)
		status = hint_blocked(v, h, e);
	if (status)
		return status;
	lock(v);
	h->failed |= !hint_dispatch(v, h) || !hint_occupancy(v, h);
	for (size_t i = 0; i < v->classes.count; i++) {
		hint_queue(v, h, &v->classes.data[i]);
		hint_idle(v, h, &v->classes.data[i]);
	}
	tasks_unlock(v->t);
	return STATUS_OK;
}

static enum status make_hints(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	struct task_view v = {.t = t, .q = q};
	enum status status = STATUS_OK;
	struct hints *h = result;

	hints_begin(h);
	lock(&v);
	v.count = v.c->component_count; /* what comes meanwhile is left out */
	v.class_of = malloc((v.count + (size_t)1) * sizeof(*v.class_of));
	h->failed |= !v.class_of || !find_range(&v) || !find_classes(&v, h);
	tasks_unlock(t);
	if (!h->failed && v.from < v.to)
		status = make(&v, h, e);
	vec_free(&v.classes);
	free(v.class_of);
	return status ? status : hints_end(h, e);
}

const struct answer hints_answer = {"hints", &tasks_trace_kind, hint_sections, sizeof(struct hints), make_hints,
					 hints_free};
