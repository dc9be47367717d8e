/*
 * Metrics of CPUs and caches, worked out in one sweep over all that a CPU waited for, or over all
 * that a cache held.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory_private.h"
#include "trace/bins.h"

/* Of events, of these waits first; then of stays. */
enum measure { WAITING, LOCKING, ACCESSES, LOADING, LOSING, UPGRADING, STAYING };

/* The first are those that a small screen shows. */
static const struct metric_row {
	const char *name, *help;
	enum measure measure;
	unsigned sort; /* of what is measured: a kind, or an amount of a summary; an ending */
} rows[] = {
    {"wait", "share of the time in which the CPU waited for memory", WAITING, MEMORY_WAITED},
    {"loads", "blocks loaded", LOADING, MEMORY_ALL},
    {"true-sharing", "blocks loaded again because another CPU wrote the word", LOADING,
     MEMORY_TRUE},
    {"false-sharing",
     "blocks loaded again because another CPU wrote another word of them: at most so many, without "
     "word masks",
     LOADING, MEMORY_FALSE},
    {"invalidations", "blocks lost to writes of other CPUs", LOSING, MEMORY_INVALIDATED},
    {"cold", "blocks loaded that the cache never had", LOADING, MEMORY_COLD},
    {"replacement", "blocks loaded again that had gone for another one", LOADING,
     MEMORY_REPLACEMENT},
    {"inclusion",
     "blocks loaded again because the L2 cache lost the block around them: at most so many, "
     "without word masks",
     LOADING, MEMORY_INCLUSION},
    {"evictions", "blocks lost to other blocks", LOSING, MEMORY_REPLACED},
    {"upgrades",
     "shared blocks that the CPU got for itself, to write: in the first change of a stay",
     UPGRADING, MEMORY_ALL},
    {"reads", "reads that waited", ACCESSES, false},
    {"writes", "writes that waited", ACCESSES, true},
    {"resident", "blocks in the cache", STAYING, MEMORY_ALL},
    {"lock-wait", "share of the time in which the CPU waited for objects that are marked as locks",
     LOCKING, MEMORY_ALL},
};

/* ---- the list ---- */

static struct metric_ref ref_of(size_t i)
{
	const bool share = rows[i].measure <= LOCKING, rate = !share && rows[i].measure != STAYING;

	return (struct metric_ref){
	    .kind = (uint32_t)i, .rate = rate, .share = share, .unit = rate ? "1/cycle" : NULL};
}

/* The last one is there as long as there are locks. */
size_t memory_metric_count(const struct trace *t)
{
	size_t n;

	memory_lock(t);
	n = sizeof(rows) / sizeof(*rows) - !memory_of(t)->locks;
	memory_unlock(t);
	return n;
}

bool memory_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	struct metric_ref ref;

	if (i >= memory_metric_count(t))
		return false;
	ref = ref_of(i);
	*out = metric_worked_out(rows[i].name, rows[i].help, &ref);
	return true;
}

/* ---- which components ---- */

/* A component has the metric: of CPUs, or of caches. */
static bool has_metric(const struct memory_index *x, const struct metric_row *row, size_t component)
{
	return (component < x->caches[MEMORY_L1]) == (row->measure <= ACCESSES);
}

/* The pattern is kept, so that it also stands for components that come later. */
static uint64_t keep_pattern(struct memory *m, const char *pattern)
{
	const char *kept;

	pthread_rwlock_wrlock(&m->lines.lock);
	kept = intern_name(m->texts, intern_add(m->texts, pattern, strlen(pattern)));
	pthread_rwlock_unlock(&m->lines.lock);
	return (uintptr_t)kept;
}

bool memory_metric_find(const struct trace *t, const char *name, const struct regex *component,
			struct metric_ref *out)
{
	struct memory *m = memory_of(t);
	const size_t count = memory_metric_count(t);
	const struct memory_component *c;
	const struct memory_index *x;
	bool any = false;
	size_t i = 0;

	while (i < count && strcmp(rows[i].name, name) != 0)
		i++;
	if (i == count)
		return false;
	x = memory_lock(t);
	for (size_t at = 0; !any && (c = memory_component_at(m, at)); at++)
		any = has_metric(x, &rows[i], at) && regex_allows(component, c->name);
	memory_unlock(t);
	*out = ref_of(i);
	if (any && component)
		out->set = keep_pattern(m, regex_pattern(component));
	return any && (out->set || !component);
}

/* ---- what falls into bins ---- */

/* A query: under the trace's lock. */
struct query {
	const struct memory *m;
	const struct memory_index *x;
	const struct metric_row *of;
	struct bins bins;
	bool chosen[MEMORY_KINDS * MEMORY_CPUS_MOST]; /* components */
	bool *locks;                                   /* classes */
};

/* False: no memory. */
static bool find_locks(struct query *q, const struct trace *t)
{
	q->locks = calloc(q->x->class_count + 1, sizeof(*q->locks));
	for (uint32_t i = 0; q->locks && q->m->locks && i < q->x->class_count; i++)
		q->locks[i] = regex_allows(q->m->locks, memory_class(t, i));
	return q->locks;
}

static bool is_lock(const struct query *q, uint32_t object)
{
	return object != MEMORY_NONE && q->locks[q->x->objects[object].class];
}

static void visit_event(struct query *q, const struct memory_event *e)
{
	if (q->of->measure == WAITING ||
	    (q->of->measure == LOCKING && is_lock(q, q->x->cells[e->cell].object)))
		bins_cover(&q->bins, 0, e->tick, e->tick + e->cycles);
	else if (q->of->measure != LOCKING && e->cell != MEMORY_NONE &&
		 (q->of->sort == MEMORY_ALL || e->kind == q->of->sort))
		bins_count(&q->bins, 0, e->tick, 1);
}

/* All of a summary, if there is nothing of it or it falls into one bin. */
static bool take_summary(struct query *q, const struct memory_summary *s)
{
	struct bins *b = &q->bins;
	const uint64_t amount = s->amounts[q->of->sort];
	size_t k;

	if (!amount || s->latest < b->from || s->first >= b->to)
		return true;
	if (q->of->measure == LOCKING || s->first < b->from || s->latest >= b->to)
		return false;
	k = bins_place(b, s->first);
	if (s->latest >= b->first[k + 1])
		return false;
	b->sum[k] += (double)amount;
	return true;
}

static void sweep_events(struct query *q, const struct memory_component *c)
{
	const struct memory_orders *o = &q->m->orders;

	for (uint32_t i = c->begin; i < c->end; i++)
		if (i % MEMORY_SUMMED == 0 && c->end - i >= MEMORY_SUMMED &&
		    take_summary(q, &o->sums[i / MEMORY_SUMMED]))
			i += MEMORY_SUMMED - 1;
		else
			visit_event(q, &o->events[i]);
}

static void visit_stay(struct query *q, const struct memory_stay *s)
{
	if (q->of->measure == STAYING)
		bins_cover(&q->bins, 0, s->start, s->end > q->x->last ? q->x->last + 1 : s->end);
	else if (q->of->measure == LOSING ? s->ending == q->of->sort
					  : !s->private && s->change != MEMORY_NONE)
		bins_count(&q->bins, 0, q->of->measure == LOSING ? s->end : s->start + s->change,
			   1);
}

/* Block by block, as they lie; of one component alone its own of each block. */
static void sweep_stays(struct query *q, const size_t *one)
{
	const struct memory_index *x = q->x;

	for (uint32_t block = 0; block < x->block_count; block++) {
		const struct memory_block *b = &x->blocks[block];
		const size_t first = x->caches[MEMORY_L1] * (1U + b->level);
		uint32_t i = b->begin, end = b->end;

		if (one && *one - first >= x->caches[b->level])
			continue;
		if (one)
			memory_stays(x, block, (uint32_t)(*one - first), INT64_MIN, INT64_MAX, &i,
				     &end);
		for (; i < end; i++)
			if (q->chosen[first + x->ordered[i].cache])
				visit_stay(q, &x->ordered[i]);
	}
}

/* ---- what becomes of it ---- */

/* components: that it is of. */
static void put_values(struct query *q, size_t n, size_t components, double *values)
{
	struct bins *b = &q->bins;
	const struct metric_ref ref = ref_of((size_t)(q->of - rows));
	const double from = (double)b->from, until = (double)q->x->last + 1;
	const double parts = ref.rate ? b->width : ref.share ? (double)components : 1;

	if (!ref.rate)
		bins_means(b);
	for (size_t i = 0; i < n; i++) {
		const double start = from + (double)i * b->width;
		const bool any =
		    components && start < until && start + b->width > (double)q->x->first;

		values[i] = any ? b->sum[i] / parts : NAN;
	}
}

/* Of n bins of what find() chose, and those that came since; or of the one component. */
static enum status ask(struct trace *t, const struct metric_ref *m, const size_t *one, int64_t from,
		       int64_t to, size_t n, double *values, struct error *e)
{
	struct query q = {.m = memory_of(t), .x = memory_lock(t), .of = &rows[m->kind]};
	const char *pattern = (const char *)(uintptr_t)m->set;
	struct regex *component = NULL;
	const bool done = (!pattern || !regex_new(&component, pattern, NULL)) &&
			  bins_make(&q.bins, from, to, n, 1) && find_locks(&q, t);
	const struct memory_component *c;
	size_t components = 0;

	for (size_t i = 0; done && (c = memory_component_at(q.m, i)); i++)
		if (has_metric(q.x, q.of, i) &&
		    (one ? i == *one : regex_allows(component, c->name))) {
			q.chosen[i] = true;
			components++;
			if (q.of->measure <= LOADING)
				sweep_events(&q, c);
		}
	if (done && q.of->measure > LOADING)
		sweep_stays(&q, one);
	if (done)
		put_values(&q, n, components, values);
	memory_unlock(t);
	bins_free(&q.bins);
	free(q.locks);
	regex_free(component);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "not enough memory for a metric");
}

enum status memory_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			  size_t n, double *values, bool *exact, struct error *e)
{
	if (exact)
		*exact = true;
	return ask(t, m, NULL, from, to, n, values, e);
}

enum status memory_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			 double *means, struct error *e)
{
	enum status status = STATUS_OK;
	struct metric_ref m;

	if (metric >= memory_metric_count(t))
		return error_set(e, STATUS_NOT_FOUND, "no such metric");
	m = ref_of(metric);
	for (size_t i = 0; i < n && !status; i++)
		status = ask(t, &m, &i, from, to, 1, &means[i], e);
	return status;
}
