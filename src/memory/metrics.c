/*
 * Metrics of CPUs and caches, worked out from references and stays: in the orders by CPU and by
 * cache, of the rows that reach into the range. Stretches of rows that end before it are skipped, and
 * those that fall into one bin are counted as a whole.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "memory/memory_private.h"
#include "trace/bins.h"

enum { AHEAD = 16 }; /* rows of an order that memory is asked for before they are needed */

/*
 * The first are those that a small screen shows.
 * name in C, name, unit, what is measured, of which sort of it (ANY: all), help
 */
#define METRICS(_)                                                                                 \
	_(WAIT, "wait", NULL, WAITING, ANY, "share of the time in which the CPU waited for memory") \
	_(LOADS, "loads", "1/cycle", LOADING, ANY, "blocks loaded")                                \
	_(TRUE_SHARING, "true-sharing", "1/cycle", LOADING, MEMORY_TRUE,                           \
	  "blocks loaded again because another CPU wrote the word")                                \
	_(FALSE_SHARING, "false-sharing", "1/cycle", LOADING, MEMORY_FALSE,                        \
	  "blocks loaded again because another CPU wrote another word of them")                    \
	_(INVALIDATIONS, "invalidations", "1/cycle", LOSING, MEMORY_INVALIDATED,                   \
	  "blocks lost to writes of other CPUs")                                                   \
	_(COLD, "cold", "1/cycle", LOADING, MEMORY_COLD, "blocks loaded that the cache never had") \
	_(REPLACEMENT, "replacement", "1/cycle", LOADING, MEMORY_REPLACEMENT,                      \
	  "blocks loaded again that had gone for another one")                                     \
	_(INCLUSION, "inclusion", "1/cycle", LOADING, MEMORY_INCLUSION,                            \
	  "blocks loaded again because the L2 cache lost the block around them")                   \
	_(EVICTIONS, "evictions", "1/cycle", LOSING, MEMORY_REPLACED, "blocks lost to other blocks") \
	_(UPGRADES, "upgrades", "1/cycle", UPGRADING, ANY,                                         \
	  "shared blocks that the CPU got for itself, to write: in the first change of a stay")    \
	_(READS, "reads", "1/cycle", ACCESSES, false, "reads that waited")                         \
	_(WRITES, "writes", "1/cycle", ACCESSES, true, "writes that waited")                       \
	_(RESIDENT, "resident", NULL, STAYING, ANY, "blocks in the cache")                         \
	_(LOCK_WAIT, "lock-wait", NULL, LOCKING, ANY,                                              \
	  "share of the time in which the CPU waited for objects that are marked as locks")

/* Of CPUs, then of caches. */
#define MEASURES(_) _(WAITING) _(LOCKING) _(ACCESSES) _(LOADING) _(LOSING) _(UPGRADING) _(STAYING)

enum { ANY = -1 };

enum measure {
#define MEASURE_ENUM(measure) measure,
	MEASURES(MEASURE_ENUM)
#undef MEASURE_ENUM
};

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

/* Writes that hit are seen only by masks. */
static const char *help_of(const struct memory_index *x, size_t i)
{
	if (x->masks)
		return rows[i].help;
	if (i == METRIC_FALSE_SHARING)
		return "an upper bound, without word masks: blocks loaded again because another CPU "
		       "wrote another word of them";
	if (i == METRIC_INCLUSION)
		return "an upper bound, without word masks: blocks loaded again because the L2 cache "
		       "lost the block around them";
	return rows[i].help;
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
	    .help = help_of(memory_lock(t), i),
	    .rate = rows[i].unit != NULL,
	    .per_component = true,
	    .min = NAN,
	    .max = NAN,
	    .total = NAN,
	    .mean = NAN,
	};
	memory_unlock(t);
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
		any = regex_allows(component, m->components.data[at]);
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
	struct bins bins;
};

static inline bool is_for_lock(const struct query *q, const struct memory_reference *r)
{
	const uint32_t object = q->x->cells[r->cell].object;

	return object < q->m->is_lock.count && q->m->is_lock.data[object];
}

static inline void visit_reference(struct query *q, enum measure measure, size_t curve, uint32_t row)
{
	const struct memory_reference *r = &q->x->references[row];

	if (measure == WAITING || (measure == LOCKING && is_for_lock(q, r)))
		bins_cover(&q->bins, curve, r->tick, r->tick + r->cycles);
	else if (measure == ACCESSES && r->write == q->of->sort)
		bins_count(&q->bins, curve, r->tick, 1);
}

static inline void visit_stay(struct query *q, enum measure measure, size_t curve, uint32_t row)
{
	const struct memory_stay *s = &q->x->stays[row];

	switch (measure) {
	case LOADING:
		if (s->word != MEMORY_NONE && (q->of->sort == ANY || s->cause == q->of->sort))
			bins_count(&q->bins, curve, s->start, 1);
		break;
	case LOSING:
		if (s->ending == q->of->sort)
			bins_count(&q->bins, curve, s->end, 1);
		break;
	case UPGRADING:
		if (!s->private && s->change != MEMORY_NONE)
			bins_count(&q->bins, curve, s->start + s->change, 1);
		break;
	default:
		bins_cover(&q->bins, curve, s->start, s->end > q->x->last ? q->x->last + 1 : s->end);
		break;
	}
}

/* How much a stretch has of what is asked, and between which ticks; false: only its rows tell. */
static inline bool amount_of(const struct query *q, enum measure measure,
			     const struct memory_stretch *s, uint64_t *amount, int64_t *low,
			     int64_t *high)
{
	*low = s->first;
	*high = s->last;
	switch (measure) {
	case WAITING:
		*high = s->latest;
		*amount = s->cycles;
		return true;
	case ACCESSES:
		*amount = s->counts[q->of->sort];
		return true;
	case LOADING:
		*amount = 0;
		for (int k = 0; k < MEMORY_CAUSE_COUNT; k++)
			*amount += q->of->sort == ANY || q->of->sort == k ? s->counts[k] : 0;
		return true;
	case LOSING:
		*low = s->soonest;
		*high = s->latest;
		*amount = s->counts[MEMORY_CAUSE_COUNT + q->of->sort];
		return s->latest != MEMORY_OPEN; /* or it may have ended since */
	default:
		return false;
	}
}

/* The whole of a stretch, if nothing of it is asked or it falls into one bin. */
static inline bool take_stretch(struct query *q, enum measure measure,
				const struct memory_stretch *s, size_t curve)
{
	struct bins *b = &q->bins;
	uint64_t amount;
	int64_t low, high;
	size_t k;

	if (!amount_of(q, measure, s, &amount, &low, &high))
		return false;
	if (!amount)
		return true;
	if (low < b->from || high >= b->to)
		return false;
	k = bins_place(b, low);
	if (high >= b->first[k + 1])
		return false;
	b->sum[curve * b->n + k] += (double)amount;
	return true;
}

/* Rows [i, end) of an order, and its stretches. */
static inline __attribute__((always_inline)) void
sweep_as(struct query *q, enum measure measure, const uint32_t *order,
	 const struct memory_stretch *stretches, uint32_t i, uint32_t end, size_t curve)
{
	while (i < end) {
		const struct memory_stretch *s = &stretches[i / MEMORY_STRETCH];
		const uint32_t next = (i / MEMORY_STRETCH + 1) * MEMORY_STRETCH;
		const uint32_t to = next < end ? next : end;

		if (s->latest < q->bins.from ||
		    (to - i == MEMORY_STRETCH && take_stretch(q, measure, s, curve)))
			i = to;
		for (; i < to; i++) {
			const uint32_t row = order[i], later = order[i + AHEAD < end ? i + AHEAD : i];

			if (measure <= ACCESSES) {
				__builtin_prefetch(&q->x->references[later]);
				visit_reference(q, measure, curve, row);
			} else {
				__builtin_prefetch(&q->x->stays[later]);
				visit_stay(q, measure, curve, row);
			}
		}
	}
}

/* Where in an order begins what starts at `to` or later: there is nothing to look at. */
static uint32_t end_of_cpu(const struct memory_index *x, uint32_t cpu, int64_t to)
{
	size_t low = x->cpu_from[cpu], high = x->cpu_from[cpu + 1];

	bisect(low, high, i, x->references[x->by_cpu[i]].tick < to);
	return (uint32_t)low;
}

static uint32_t end_of_cache(const struct memory_index *x, uint32_t cache, int64_t to)
{
	size_t low = x->cache_from[cache], high = x->cache_from[cache + 1];

	bisect(low, high, i, x->stays[x->by_cache[i]].start < to);
	return (uint32_t)low;
}

/* A component's rows, in a loop of each measure's own. */
static void sweep(struct query *q, uint32_t component, size_t curve)
{
	const struct memory_index *x = q->x;
	const bool cpu = is_of_cpus(q->of);
	const uint32_t cache = cpu ? 0 : component - x->caches[MEMORY_L1];
	const uint32_t begin = cpu ? x->cpu_from[component] : x->cache_from[cache];
	const uint32_t end =
	    cpu ? end_of_cpu(x, component, q->bins.to) : end_of_cache(x, cache, q->bins.to);
	const uint32_t *order = cpu ? x->by_cpu : x->by_cache;
	const struct memory_stretch *stretches = cpu ? q->m->wait_stretches : q->m->stretches;

	switch (q->of->measure) {
#define SWEEP(measure)                                                                             \
	case measure:                                                                              \
		sweep_as(q, measure, order, stretches, begin, end, curve);                         \
		break;
		MEASURES(SWEEP)
#undef SWEEP
	}
}

/* ---- what becomes of it ---- */

/* Of n curves' bins: components that each is of. */
static void put_values(struct query *q, size_t n, size_t components, double *values)
{
	const struct bins *b = &q->bins;
	const double from = (double)b->from, until = (double)q->x->last + 1;

	const bool waits = q->of->measure == WAITING || q->of->measure == LOCKING;

	if (waits || q->of->measure == STAYING)
		bins_means(&q->bins);
	for (size_t i = 0; i < n; i++) {
		const double start = from + (double)(i % b->n) * b->width;

		if (!(start < until && start + b->width > (double)q->x->first))
			values[i] = NAN;
		else if (q->of->measure == STAYING)
			values[i] = b->sum[i];
		else if (waits)
			values[i] = b->sum[i] / (double)components;
		else
			values[i] = b->sum[i] / b->width;
	}
}

/* Of n bins of what find() chose, and those that came since; each: of one bin of the first n components. */
static enum status ask(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
		       size_t n, bool each, double *values, struct error *e)
{
	struct query q = {.m = memory_of(t), .of = &rows[m->kind]};
	const char *pattern = (const char *)(uintptr_t)m->set;
	struct regex *component = NULL;
	size_t components = 0;
	uint32_t begin, end;
	bool done;

	q.x = memory_lock(t);
	range_of(q.x, q.of, &begin, &end);
	done = (!pattern || !regex_new(&component, pattern, NULL)) &&
	       bins_make(&q.bins, from, to, each ? 1 : n, each ? n : 1);
	for (uint32_t i = begin; done && i < end; i++)
		if (each ? i < n : regex_allows(component, q.m->components.data[i])) {
			sweep(&q, i, each ? i : 0);
			components++;
		}
	if (done)
		put_values(&q, n, each ? 1 : components, values);
	for (size_t i = 0; done && each && i < n; i++)
		if (i < begin || i >= end)
			values[i] = NAN;
	memory_unlock(t);
	bins_free(&q.bins);
	regex_free(component);
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
