/*
 * Metrics of CPUs and caches, worked out from all that a CPU waited for and all that a cache held:
 * these lie side by side. References and loads of one bin, or of none, are taken by their summaries.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "memory/memory_private.h"
#include "trace/bins.h"

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

static bool is_for_lock(const struct query *q, const struct memory_reference *r)
{
	const uint32_t object = q->x->cells[r->cell].object;

	return object < q->m->is_lock.count && q->m->is_lock.data[object];
}

static void visit_reference(struct query *q, size_t curve, const struct memory_reference *r)
{
	if (q->of->measure == ACCESSES && r->write == q->of->sort)
		bins_count(&q->bins, curve, r->tick, 1);
	else if (q->of->measure == WAITING || (q->of->measure == LOCKING && is_for_lock(q, r)))
		bins_cover(&q->bins, curve, r->tick, r->tick + r->cycles);
}

/* The i-th of a cache, in loads or in briefs. */
static void visit_stay(struct query *q, size_t curve, uint32_t i)
{
	const struct memory_index *x = q->x;
	const struct memory_load *l = &q->m->loads[i];
	const struct memory_brief *b = &x->briefs[i];
	uint32_t change;
	int64_t end;

	switch (q->of->measure) {
	case LOADING:
		if (l->cause < MEMORY_CAUSE_COUNT && (q->of->sort == ANY || l->cause == q->of->sort))
			bins_count(&q->bins, curve, (int64_t)l->tick, 1);
		break;
	case LOSING:
		if (memory_ending(x, i) == q->of->sort)
			bins_count(&q->bins, curve, memory_end(x, i), 1);
		break;
	case UPGRADING:
		change = b->length < MEMORY_LONG ? b->change : x->stays[b->row].change;
		if (!b->private && change != MEMORY_NONE)
			bins_count(&q->bins, curve, b->start + change, 1);
		break;
	default:
		end = memory_end(x, i);
		bins_cover(&q->bins, curve, b->start, end > x->last ? x->last + 1 : end);
	}
}

/* All of a summary, if there is nothing of it or it falls into one bin. */
static bool take_summary(struct query *q, const struct memory_summary *s, size_t curve)
{
	struct bins *b = &q->bins;
	const uint64_t amount = q->of->measure == WAITING ? s->cycles
				: q->of->sort == ANY	   ? s->rows
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

/* A component's rows, those of whole summaries at once, if they can be. */
static void sweep(struct query *q, uint32_t component, size_t curve)
{
	const struct memory_index *x = q->x;
	const bool of_cpu = is_of_cpus(q->of);
	const uint32_t *from = of_cpu ? &x->cpu_from[component]
				      : &x->cache_from[component - x->caches[MEMORY_L1]];
	const struct memory_summary *sums = of_cpu			   ? q->m->wait_sums
					    : q->of->measure == LOADING ? q->m->load_sums
									   : NULL;

	for (uint32_t i = from[0]; i < from[1]; i++)
		if (sums && i % MEMORY_SUMMED == 0 && from[1] - i >= MEMORY_SUMMED &&
		    take_summary(q, &sums[i / MEMORY_SUMMED], curve))
			i += MEMORY_SUMMED - 1;
		else if (of_cpu)
			visit_reference(q, curve, &x->references[i]);
		else
			visit_stay(q, curve, i);
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
