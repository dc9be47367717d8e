#include "config.h"

#include "analysis/pipeline/cpi0_checks.h"

#include <math.h>

const char *const cpi0_check_keys[CPI0_CHECKS] = {
#define CHECK_KEY(id, key, better, ok, doubtful, what) key,
    CPI0_CHECKS_INFO(CHECK_KEY)
#undef CHECK_KEY
};

const char *const cpi0_check_texts[CPI0_CHECKS] = {
#define CHECK_TEXT(id, key, better, ok, doubtful, what) what,
    CPI0_CHECKS_INFO(CHECK_TEXT)
#undef CHECK_TEXT
};

const char *const cpi0_verdicts[CPI0_VERDICTS] = {"ok", "doubtful", "violated", "not known"};

enum { LESS = -1, MORE = 1 };

/* Times better, more is always better. */
static const struct {
	int better;
	double ok, doubtful;
} limits[CPI0_CHECKS] = {
#define CHECK_LIMITS(id, key, better, ok, doubtful, what) {better, ok, doubtful},
    CPI0_CHECKS_INFO(CHECK_LIMITS)
#undef CHECK_LIMITS
};

static enum cpi0_verdict judge(enum cpi0_check check, double value)
{
	int better = limits[check].better;

	if (isnan(value))
		return CPI0_NOT_KNOWN;
	if (better * value >= better * limits[check].ok)
		return CPI0_OK;
	return better * value >= better * limits[check].doubtful ? CPI0_DOUBTFUL : CPI0_VIOLATED;
}

/* ---- the numbers; NAN: not known ----------------------------------------------------------- */

struct asking {
	const struct cpi0 *c;
	const struct machine *m;
	const struct cpi0_mix *mix;
	const struct cpi0_seen *seen;
};

static bool adds_up(const struct cpi0_share *s)
{
	return s->failed <= s->tries;
}

static double hits(const struct cpi0_share *s)
{
	return s->tries && adds_up(s) ? 1 - (double)s->failed / (double)s->tries : NAN;
}

static double branches(const struct asking *a)
{
	if (a->mix->branches_unknown)
		return NAN;
	return (double)cpi0_mix_branches(a->mix) / (double)a->mix->total;
}

static double prediction(const struct asking *a)
{
	return hits(&a->mix->prediction);
}

static double data(const struct asking *a)
{
	return hits(&a->mix->data_cache);
}

static double fetch(const struct asking *a)
{
	return hits(&a->mix->fetch_cache);
}

/* Of a trace instructions have several places; of counters their classes add up to more than all. */
static bool too_many(const struct cpi0_mix *mix)
{
	return mix->claimed && mix->folded;
}

static double sum_of_p(const struct asking *a)
{
	double known = (double)cpi0_mix_known(a->mix), total = (double)a->mix->total;

	if (too_many(a->mix))
		return (double)a->mix->folded / total;
	return (total - known) / total;
}

static double sum_of_rates(const struct asking *a)
{
	return a->c->rates * (double)a->m->dispatch.den / (double)a->m->dispatch.num;
}

static double units(const struct asking *a)
{
	uint64_t unsplit = 0;

	for (int q = 0; q < a->m->queue_count; q++)
		unsplit += a->m->queues[q].unit_count > 1 ? a->mix->unsplit[q] : 0;
	return (double)unsplit / (double)a->mix->total;
}

static double balance(const struct asking *a)
{
	double mu = 1 / cpi0_real(a->c->bounds[CPI0_DISPATCH]), least = INFINITY;

	for (int q = 0; q < a->m->queue_count; q++)
		if (a->c->queues[q].count)
			least = fmin(least, fabs(a->c->queues[q].growth) / mu);
	return isinf(least) ? NAN : least;
}

static double latency(const struct asking *a)
{
	double others = 0;

	for (int i = 0; i < CPI0_LIMITS; i++)
		if (i != CPI0_LATENCY)
			others = fmax(others, cpi0_real(a->c->bounds[i]));
	return cpi0_real(a->c->bounds[CPI0_LATENCY]) / others;
}

static double clusters(const struct asking *a)
{
	return a->seen->simulated < 0 ? NAN : a->seen->simulated / cpi0_real(a->c->cpi) - 1;
}

static double drift(const struct asking *a)
{
	return a->seen->drift < 0 ? NAN : a->seen->drift;
}

static double measured(const struct asking *a)
{
	return a->seen->measured < 0 ? NAN : cpi0_real(a->c->cpi) / a->seen->measured;
}

static double counted(const struct asking *a)
{
	return a->mix->counted;
}

static double (*const numbers[CPI0_CHECKS])(const struct asking *a) = {
    [CPI0_CHECK_BRANCHES] = branches, [CPI0_CHECK_PREDICTION] = prediction,
    [CPI0_CHECK_DATA] = data,         [CPI0_CHECK_FETCH] = fetch,
    [CPI0_CHECK_SUM_P] = sum_of_p,    [CPI0_CHECK_RATES] = sum_of_rates,
    [CPI0_CHECK_UNITS] = units,       [CPI0_CHECK_BALANCE] = balance,
    [CPI0_CHECK_LATENCY] = latency,   [CPI0_CHECK_CLUSTERS] = clusters,
    [CPI0_CHECK_DRIFT] = drift,       [CPI0_CHECK_MEASURED] = measured,
    [CPI0_CHECK_COUNTED] = counted,
};

bool cpi0_too_short(const struct cpi0 *c, const struct machine *m)
{
	return c->instructions < (uint64_t)m->in_flight * CPI0_SHORT_FILLS;
}

/* How far above the bound it is tells nothing of clusters there. */
static void excuse(struct cpi0_flag *f, const struct asking *a)
{
	if (f->check != CPI0_CHECK_CLUSTERS || f->verdict == CPI0_NOT_KNOWN || !a->seen->once ||
	    !cpi0_too_short(a->c, a->m))
		return;
	f->verdict = CPI0_DOUBTFUL;
	f->text = "too short a run to tell";
}

/* Counters that contradict each other tell nothing: which ones do. */
static void contradict(struct cpi0_flag *f, const struct cpi0_mix *mix)
{
	if (f->check == CPI0_CHECK_PREDICTION && !adds_up(&mix->prediction))
		f->text = "does not add up: more mispredictions than branches";
	if (f->check == CPI0_CHECK_DATA && !adds_up(&mix->data_cache))
		f->text = "does not add up: more misses than accesses";
	if (f->check == CPI0_CHECK_FETCH && !adds_up(&mix->fetch_cache))
		f->text = "does not add up: more misses than instructions";
	if (f->check == CPI0_CHECK_SUM_P && too_many(mix))
		f->text = "too many: in classes, beyond all instructions";
}

/* What was on all the time, or is no counter, is not worth a word. */
static bool applies(enum cpi0_check check, double value)
{
	return check != CPI0_CHECK_COUNTED || value < 1;
}

size_t cpi0_check(struct cpi0_flag out[CPI0_CHECKS], const struct cpi0 *c, const struct machine *m,
		  const struct cpi0_mix *mix, const struct cpi0_seen *seen)
{
	const struct asking a = {c, m, mix, seen};
	size_t n = 0;

	for (int i = 0; i < CPI0_CHECKS; i++) {
		enum cpi0_check check = (enum cpi0_check)i;
		double value = numbers[i](&a);

		if (!applies(check, value))
			continue;
		out[n] = (struct cpi0_flag){check, judge(check, value), value, cpi0_check_texts[i]};
		excuse(&out[n], &a);
		contradict(&out[n++], mix);
	}
	return n;
}

const struct cpi0_flag *cpi0_flag_of(const struct cpi0_flag *flags, size_t count,
				     enum cpi0_check check)
{
	for (size_t i = 0; i < count; i++)
		if (flags[i].check == check)
			return &flags[i];
	return NULL;
}
