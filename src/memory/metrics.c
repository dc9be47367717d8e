/*
 * Metrics of CPUs and caches, worked out in one sweep over all that waited, or over all that a
 * cache held.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory/memory_private.h"
#include "trace/bins.h"

/*
 * The first are those that a small screen shows.
 * name in C, name, unit, what is measured, of which sort of it (ANY: all), help
 */
#define METRICS(_)                                                                                 \
	_(WAIT, "wait", NULL, WAITING, ANY,                                                        \
	  "share of the time in which the CPU waited for memory")                                  \
	_(LOADS, "loads", "1/cycle", LOADING, ANY, "blocks loaded")                                \
	_(TRUE_SHARING, "true-sharing", "1/cycle", LOADING, MEMORY_TRUE,                           \
	  "blocks loaded again because another CPU wrote the word")                                \
	_(FALSE_SHARING, "false-sharing", "1/cycle", LOADING, MEMORY_FALSE,                        \
	  "blocks loaded again because another CPU wrote another word of them: at most so many, "  \
	  "without word masks")                                                                    \
	_(INVALIDATIONS, "invalidations", "1/cycle", LOSING, MEMORY_INVALIDATED,                   \
	  "blocks lost to writes of other CPUs")                                                   \
	_(COLD, "cold", "1/cycle", LOADING, MEMORY_COLD, "blocks loaded that the cache never had") \
	_(REPLACEMENT, "replacement", "1/cycle", LOADING, MEMORY_REPLACEMENT,                      \
	  "blocks loaded again that had gone for another one")                                     \
	_(INCLUSION, "inclusion", "1/cycle", LOADING, MEMORY_INCLUSION,                            \
	  "blocks loaded again because the L2 cache lost the block around them: at most so many, " \
	  "without word masks")                                                                    \
	_(EVICTIONS, "evictions", "1/cycle", LOSING, MEMORY_REPLACED,                              \
	  "blocks lost to other blocks")                                                           \
	_(UPGRADES, "upgrades", "1/cycle", UPGRADING, ANY,                                         \
	  "shared blocks that the CPU got for itself, to write: in the first change of a stay")    \
	_(READS, "reads", "1/cycle", ACCESSES, false, "reads that waited")                         \
	_(WRITES, "writes", "1/cycle", ACCESSES, true, "writes that waited")                       \
	_(RESIDENT, "resident", NULL, STAYING, ANY, "blocks in the cache")                         \
	_(LOCK_WAIT, "lock-wait", NULL, LOCKING, ANY,                                              \
	  "share of the time in which the CPU waited for objects that are marked as locks")

enum { ANY = -1 };

/* Of CPUs, then of caches. */
enum measure { WAITING, LOCKING, ACCESSES, LOADING, LOSING, UPGRADING, STAYING };

enum metric {
#define METRIC_ENUM(id, name, unit, measure, sort, help) METRIC_##id,
	METRICS(METRIC_ENUM)
#undef METRIC_ENUM
	    METRIC_COUNT
};

static const struct metric_row {
	const char *name, *unit, *help;
	enum measure measure;
	int sort;
} rows[METRIC_COUNT] = {
#define METRIC_ROW(id, name, unit, measure, sort, help) {name, unit, help, measure, sort},
    METRICS(METRIC_ROW)
#undef METRIC_ROW
};

/* ---- the list ---- */

static bool is_of_cpus(const struct metric_row *row)
{
	return row->measure <= ACCESSES;
}

static struct metric_ref ref_of(size_t i)
{
	return (struct metric_ref){
	    .kind = (uint32_t)i,
	    .rate = rows[i].unit != NULL,
	    .share = rows[i].measure == WAITING || rows[i].measure == LOCKING,
	    .unit = rows[i].unit,
	};
}

/* The last one is there as long as there are locks. */
static size_t metric_count(const struct trace *t)
{
	return METRIC_COUNT - !memory_of(t)->locks;
}

size_t memory_metric_count(const struct trace *t)
{
	size_t n;

	memory_lock(t);
	n = metric_count(t);
	memory_unlock(t);
	return n;
}

bool memory_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	if (i >= memory_metric_count(t))
		return false;
	*out = (struct metric_info){
	    .name = rows[i].name,
	    .unit = rows[i].unit,
	    .help = rows[i].help,
	    .rate = rows[i].unit != NULL,
	    .per_component = true,
	    .min = NAN,
	    .max = NAN,
	    .total = NAN,
	    .mean = NAN,
	};
	return true;
}

/* ---- which components ---- */

/* Those that have a metric: CPUs, or caches. */
static void range_of(const struct memory_index *x, const struct metric_row *row, uint32_t *begin,
		     uint32_t *end)
{
	const uint32_t cpus = x->caches[MEMORY_L1];

	*begin = is_of_cpus(row) ? 0 : cpus;
	*end = is_of_cpus(row) ? cpus : 2 * cpus + x->caches[MEMORY_L2];
}

/* The pattern is kept, so that it also stands for components that come later. */
static uint64_t keep_pattern(struct memory *m, const char *pattern)
{
	int32_t kept;

	pthread_rwlock_wrlock(&m->lines.lock);
	kept = intern_add(m->texts, pattern, strlen(pattern));
	pthread_rwlock_unlock(&m->lines.lock);
	return kept < 0 ? 0 : (uintptr_t)intern_name(m->texts, kept);
}

bool memory_metric_find(const struct trace *t, const char *name, const struct regex *component,
			struct metric_ref *out)
{
	struct memory *m = memory_of(t);
	bool any = false;
	size_t i = 0, count;
	uint32_t at = 0, end = 0;

	memory_lock(t);
	count = metric_count(t);
	while (i < count && strcmp(rows[i].name, name) != 0)
		i++;
	if (i < count)
		range_of(&m->index, &rows[i], &at, &end);
	for (; at < end && !any; at++)
		any = regex_allows(component, memory_component_at(m, at)->name);
	memory_unlock(t);
	if (any)
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
	uint32_t begin, end; /* components that have the metric */
	uint32_t *curves;    /* by component; MEMORY_NONE */
	struct bins bins;
};

static bool is_lock(const struct query *q, uint32_t object)
{
	return object < q->m->is_lock.count && q->m->is_lock.data[object];
}

static void visit_event(struct query *q, uint32_t curve, const struct memory_event *e)
{
	if (q->of->measure == WAITING ||
	    (q->of->measure == LOCKING && is_lock(q, q->x->cells[e->cell].object)))
		bins_cover(&q->bins, curve, e->tick, e->tick + e->cycles);
	else if (q->of->measure != LOCKING && e->kind < MEMORY_CAUSE_COUNT &&
		 (q->of->sort == ANY || e->kind == (unsigned)q->of->sort))
		bins_count(&q->bins, curve, e->tick, 1);
}

/* All of a summary, if there is nothing of it or it falls into one bin. */
static bool take_summary(struct query *q, uint32_t curve, const struct memory_summary *s)
{
	struct bins *b = &q->bins;
	const uint64_t amount = q->of->measure == WAITING ? s->cycles
				: q->of->sort == ANY	  ? s->events
							  : s->counts[q->of->sort];
	size_t k;

	if (!amount || s->latest < b->from || s->first >= b->to)
		return true;
	if (q->of->measure == LOCKING || s->first < b->from || s->latest >= b->to)
		return false;
	k = bins_place(b, s->first);
	if (s->latest >= b->first[k + 1])
		return false;
	b->sum[curve * b->n + k] += (double)amount;
	return true;
}

static void sweep_events(struct query *q, uint32_t component)
{
	const struct memory_component *c = memory_component_at(q->m, component);
	const struct memory_orders *o = &q->m->orders;
	const uint32_t curve = q->curves[component];

	for (uint32_t i = c->begin; i < c->end; i++)
		if (i % MEMORY_SUMMED == 0 && c->end - i >= MEMORY_SUMMED &&
		    take_summary(q, curve, &o->sums[i / MEMORY_SUMMED]))
			i += MEMORY_SUMMED - 1;
		else
			visit_event(q, curve, &o->events[i]);
}

static void visit_stay(struct query *q, uint32_t curve, const struct memory_brief *b)
{
	switch (q->of->measure) {
	case LOADING:
		if (b->cause < MEMORY_CAUSE_COUNT &&
		    (q->of->sort == ANY || b->cause == q->of->sort))
			bins_count(&q->bins, curve, b->start, 1);
		break;
	case LOSING:
		if (b->ending == q->of->sort)
			bins_count(&q->bins, curve, b->end, 1);
		break;
	case UPGRADING:
		if (!b->private && b->change != MEMORY_NONE)
			bins_count(&q->bins, curve, b->start + b->change, 1);
		break;
	default:
		bins_cover(&q->bins, curve, b->start,
			   b->end > q->x->last ? q->x->last + 1 : b->end);
	}
}

static void sweep_stays(struct query *q)
{
	const struct memory_index *x = q->x;

	for (uint32_t i = 0; i < x->stay_count; i++) {
		const struct memory_brief *b = &x->briefs[i];
		const enum memory_level level = (enum memory_level)x->blocks[b->block].level;
		const uint32_t curve = q->curves[memory_component(x, level, b->cache)];

		if (curve != MEMORY_NONE)
			visit_stay(q, curve, b);
	}
}

static void sweep(struct query *q)
{
	if (q->of->measure > LOADING)
		sweep_stays(q);
	else
		for (uint32_t i = q->begin; i < q->end; i++)
			if (q->curves[i] != MEMORY_NONE)
				sweep_events(q, i);
}

/* ---- what becomes of it ---- */

/* Components that match have one curve together; each: they have one each. How many have one. */
static size_t choose(struct query *q, const struct regex *component, size_t curves, bool each)
{
	size_t chosen = 0;

	for (uint32_t i = q->begin; i < q->end; i++) {
		const bool is =
		    each ? i < curves : regex_allows(component, memory_component_at(q->m, i)->name);

		q->curves[i] = !is ? MEMORY_NONE : each ? i : 0;
		chosen += is;
	}
	return each ? 1 : chosen;
}

/* components: that a curve is of. */
static void put_values(struct query *q, size_t n, bool each, size_t components, double *values)
{
	const struct bins *b = &q->bins;
	const double from = (double)b->from, until = (double)q->x->last + 1;
	const bool waits = q->of->measure == WAITING || q->of->measure == LOCKING;

	if (waits || q->of->measure == STAYING)
		bins_means(&q->bins);
	for (size_t i = 0; i < n; i++) {
		const double start = from + (double)(i % b->n) * b->width;

		if (!(start < until && start + b->width > (double)q->x->first) ||
		    (each && (i < q->begin || i >= q->end)))
			values[i] = NAN;
		else if (q->of->measure == STAYING)
			values[i] = b->sum[i];
		else if (waits)
			values[i] = b->sum[i] / (double)components;
		else
			values[i] = b->sum[i] / b->width;
	}
}

/* Of n bins of what find() chose, and those that came since; each: of one bin of the first n
 * components. */
static enum status ask(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
		       size_t n, bool each, double *values, struct error *e)
{
	struct query q = {.m = memory_of(t), .x = memory_lock(t), .of = &rows[m->kind]};
	const char *pattern = (const char *)(uintptr_t)m->set;
	struct regex *component = NULL;
	bool done;

	range_of(q.x, q.of, &q.begin, &q.end);
	q.curves = malloc((q.end + (size_t)1) * sizeof(*q.curves));
	done = q.curves && (!pattern || !regex_new(&component, pattern, NULL)) &&
	       bins_make(&q.bins, from, to, each ? 1 : n, each ? n : 1);
	if (done) {
		const size_t components = choose(&q, component, n, each);

		sweep(&q);
		put_values(&q, n, each, components, values);
	}
	memory_unlock(t);
	bins_free(&q.bins);
	regex_free(component);
	free(q.curves);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "not enough memory for a metric");
}

enum status memory_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			  size_t n, double *values, bool *exact, struct error *e)
{
	if (exact)
		*exact = true;
	return ask(t, m, from, to, n, false, values, e);
}

enum status memory_means(struct trace *t, size_t metric, int64_t from, int64_t to, size_t n,
			 double *means, struct error *e)
{
	struct metric_ref m;

	if (metric >= METRIC_COUNT)
		return error_set(e, STATUS_NOT_FOUND, "no such metric");
	m = ref_of(metric);
	return ask(t, &m, from, to, n, true, means, e);
}
