/*
 * Dispatchers: work-groups that leave one at a constant interval for most of a kernel.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/hints_private.h"
#include "base/num.h"
#include "tasks/metrics.h"

enum { DISPATCHES_LEAST = 8 };

static const double constant_least = 0.9; /* share of the intervals */
static const double phase_least = 0.5;    /* share of the kernel */

struct dispatch {
	uint32_t component, kernel, row; /* kernel: the parent's row */
	int64_t tick;
};

typedef VEC(struct dispatch) dispatch_vec;

/* One dispatcher's in one kernel. */
struct phase {
	const struct dispatch *of;
	size_t count;
	int64_t interval;      /* between those at different ticks: the most frequent one, */
	double constant;       /* its share */
	int64_t ticks, kernel; /* from the first to the last; how long the kernel is */
	double kernels;        /* of which it is the one that takes longest */
};

static int by_kernel(const void *a, const void *b)
{
	const struct dispatch *x = a, *y = b;

	if (x->component != y->component)
		return x->component < y->component ? -1 : 1;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return (x->tick > y->tick) - (x->tick < y->tick);
}

static bool collect(const struct task_view *v, dispatch_vec *out)
{
	const struct task_columns *c = tasks_lock(v->t);
	const struct task_tables *tables = tasks_tables(v->t);
	bool *meant = task_view_slots(v, "req_out", "MapWGReq"), done = meant;

	for (uint32_t row = 0; done && row < c->count; row++)
		if (meant[c->slot[row]])
			done = vec_push(out, ((struct dispatch){
						 tables->slots.data[c->slot[row]].component,
						 c->parent[row], row, c->start[row]}));
	tasks_unlock(v->t);
	free(meant);
	if (out->count)
		qsort(out->data, out->count, sizeof(out->data[0]), by_kernel);
	return done;
}

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool find_interval(struct phase *p)
{
	int64_t *intervals = malloc((p->count + 1) * sizeof(*intervals));
	size_t n = 0, most = 0;

	if (!intervals)
		return false;
	for (size_t i = 1; i < p->count; i++)
		if (p->of[i].tick > p->of[i - 1].tick)
			intervals[n++] = p->of[i].tick - p->of[i - 1].tick;
	if (n)
		qsort(intervals, n, sizeof(*intervals), by_length);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && intervals[end] == intervals[i];)
			end++;
		if (end - i > most) {
			most = end - i;
			p->interval = intervals[i];
		}
	}
	p->constant = n ? (double)most / (double)n : 0;
	free(intervals);
	return true;
}

/* Wavefronts at a time in each component that has any. */
static double resident(const struct task_view *v)
{
	double *held = task_view_held(v, "wavefront"), all = 0, holders = 0;

	for (uint32_t i = 0; held && i < v->count; i++) {
		all += held[i];
		holders += held[i] > 0;
	}
	free(held);
	return holders > 0 ? all / holders : 0;
}

static void add(const struct task_view *v, struct hints *h, const struct phase *p)
{
	const double share = (double)p->ticks / (double)p->kernel, held = resident(v);
	struct hint hint = {.kind = "dispatch-bound",
			    .bound = "upper",
			    .order = ORDER_DISPATCH,
			    .weight = share,
			    .item = p->of->row,
			    .tick = p->of->tick,
			    .advice = "dispatch more work-groups at a time or sooner, or give each "
				      "more to do"};
	char interval[40], phase[40];

	tasks_lock(v->t);
	hint.where = hints_keep(h, "%s", tasks_component(v->t, p->of->component));
	tasks_unlock(v->t);
	num_time(p->interval, "ps", interval);
	num_seconds((double)p->ticks / TASK_SECOND, phase);
	hint.text = hints_keep(h, "%zu work-groups leave at a constant interval of %s, which takes %s, "
				  "%.0f %% of the kernel; each compute unit holds %.3g wavefronts",
			       p->count, interval, phase, 100 * share, held);
	hint_number(&hint, "interval", UNIT_SECOND, (double)p->interval / TASK_SECOND);
	hint_number(&hint, "constant", NULL, p->constant);
	hint_number(&hint, "dispatches", NULL, (double)p->count);
	hint_number(&hint, "phase", UNIT_SECOND, (double)p->ticks / TASK_SECOND);
	hint_number(&hint, "kernel", UNIT_SECOND, (double)p->kernel / TASK_SECOND);
	hint_number(&hint, "share", NULL, share);
	hint_number(&hint, "resident", NULL, held);
	hint_number(&hint, "kernels", NULL, p->kernels);
	hints_add(h, &hint);
}

/* The kernel is the parent of what leaves; where that is not in the file, all that is looked at. */
static int64_t kernel_of(const struct task_view *v, uint32_t row)
{
	const struct task_columns *c = tasks_lock(v->t);
	const int64_t ticks = row < c->count ? c->end[row] - c->start[row] : v->to - v->from;

	tasks_unlock(v->t);
	return ticks;
}

/* Of a dispatcher's kernels, the one that it holds up longest; those that it does not do not count. */
static bool take(const struct task_view *v, struct phase *p, struct phase *worst)
{
	p->ticks = p->of[p->count - 1].tick - p->of->tick;
	p->kernel = kernel_of(v, p->of->kernel);
	if (!find_interval(p))
		return false;
	if (p->count < DISPATCHES_LEAST || p->constant < constant_least || p->kernel <= 0 ||
	    (double)p->ticks < phase_least * (double)p->kernel)
		return true;
	p->kernels = worst->kernels + 1;
	if (p->ticks > worst->ticks)
		*worst = *p;
	worst->kernels = p->kernels;
	return true;
}

bool hint_dispatch(const struct task_view *v, struct hints *h)
{
	struct phase worst = {.of = NULL};
	dispatch_vec all = {0};
	bool done = collect(v, &all);

	for (size_t i = 0, end; done && i < all.count; i = end) {
		const struct dispatch *d = &all.data[i];
		struct phase p = {.of = d};

		for (end = i + 1; end < all.count && all.data[end].component == d->component &&
				  all.data[end].kernel == d->kernel;)
			end++;
		p.count = end - i;
		done = take(v, &p, &worst);
		if (worst.of && (end == all.count || all.data[end].component != d->component)) {
			add(v, h, &worst);
			worst = (struct phase){.of = NULL};
		}
	}
	vec_free(&all);
	return done;
}
