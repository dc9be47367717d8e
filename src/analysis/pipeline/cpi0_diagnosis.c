#include "config.h"

#include "analysis/pipeline/cpi0_diagnosis.h"

#include <math.h>

const char *const cpi0_part_names[CPI0_PARTS] = {
#define PART_NAME(id, name, help, negative, counted) name,
    CPI0_PARTS_INFO(PART_NAME)
#undef PART_NAME
};

const char *const cpi0_part_helps[CPI0_PARTS] = {
#define PART_HELP(id, name, help, negative, counted) help,
    CPI0_PARTS_INFO(PART_HELP)
#undef PART_HELP
};

const char *const cpi0_part_negatives[CPI0_PARTS] = {
#define PART_NEGATIVE(id, name, help, negative, counted) negative,
    CPI0_PARTS_INFO(PART_NEGATIVE)
#undef PART_NEGATIVE
};

const char *const cpi0_part_counted[CPI0_PARTS] = {
#define PART_COUNTED(id, name, help, negative, counted) counted,
    CPI0_PARTS_INFO(PART_COUNTED)
#undef PART_COUNTED
};

const char *const cpi0_check_keys[CPI0_CHECKS] = {
#define CHECK_KEY(id, key, better, ok, doubtful, what, follows) key,
    CPI0_CHECKS_INFO(CHECK_KEY)
#undef CHECK_KEY
};

const char *const cpi0_check_follows[CPI0_CHECKS] = {
#define CHECK_FOLLOWS(id, key, better, ok, doubtful, what, follows) follows,
    CPI0_CHECKS_INFO(CHECK_FOLLOWS)
#undef CHECK_FOLLOWS
};

const char *const cpi0_check_texts[CPI0_CHECKS] = {
#define CHECK_TEXT(id, key, better, ok, doubtful, what, follows) what,
    CPI0_CHECKS_INFO(CHECK_TEXT)
#undef CHECK_TEXT
};

const char *const cpi0_verdicts[CPI0_VERDICTS] = {
    NULL, "ok", "doubtful", "violated", "not known"};

enum { LESS = -1, MORE = 1 };

/* Times better, more is always better. */
static const struct {
	int better;
	double ok, doubtful;
} limits[CPI0_CHECKS] = {
#define CHECK_LIMITS(id, key, better, ok, doubtful, what, follows) {better, ok, doubtful},
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

static bool adds_up(const struct cpi0_share *s)
{
	return s->failed <= s->tries;
}

static double hits(const struct cpi0_share *s)
{
	return s->tries && adds_up(s) ? 1 - (double)s->failed / (double)s->tries : NAN;
}

static double branches(const struct cpi0_diagnosis *d)
{
	if (d->mix.branches_unknown)
		return NAN;
	return (double)cpi0_mix_branches(&d->mix) / (double)d->mix.total;
}

static double prediction(const struct cpi0_diagnosis *d)
{
	return hits(&d->mix.prediction);
}

static double data(const struct cpi0_diagnosis *d)
{
	return hits(&d->mix.data_cache);
}

static double fetch(const struct cpi0_diagnosis *d)
{
	return hits(&d->mix.fetch_cache);
}

/* Of a trace instructions have several places; of counters their classes add up to more than all. */
static bool too_many(const struct cpi0_mix *mix)
{
	return mix->claimed && mix->folded;
}

static double sum_of_p(const struct cpi0_diagnosis *d)
{
	double known = (double)cpi0_mix_known(&d->mix), total = (double)d->mix.total;

	if (too_many(&d->mix))
		return (double)d->mix.folded / total;
	return (total - known) / total;
}

static double sum_of_rates(const struct cpi0_diagnosis *d)
{
	return d->c.rates * (double)d->machine.dispatch.den / (double)d->machine.dispatch.num;
}

static double units(const struct cpi0_diagnosis *d)
{
	uint64_t unsplit = 0;

	for (int q = 0; q < d->machine.queue_count; q++)
		unsplit += d->machine.queues[q].unit_count > 1 ? d->mix.unsplit[q] : 0;
	return (double)unsplit / (double)d->mix.total;
}

static double balance(const struct cpi0_diagnosis *d)
{
	double mu = 1 / cpi0_real(d->c.bounds[CPI0_DISPATCH]), least = INFINITY;

	for (int q = 0; q < d->machine.queue_count; q++)
		if (d->c.queues[q].count)
			least = fmin(least, fabs(d->c.queues[q].growth) / mu);
	return isinf(least) ? NAN : least;
}

static double latency(const struct cpi0_diagnosis *d)
{
	double others = 0;

	for (int i = 0; i < CPI0_LIMITS; i++)
		if (i != CPI0_LATENCY)
			others = fmax(others, cpi0_real(d->c.bounds[i]));
	return cpi0_real(d->c.bounds[CPI0_LATENCY]) / others;
}

/* In any other order than its own it tells nothing of the run. */
static double clusters(const struct cpi0_diagnosis *d)
{
	return d->own_order && d->simulated >= 0 ? d->simulated / cpi0_real(d->c.cpi) - 1 : NAN;
}

static double drift(const struct cpi0_diagnosis *d)
{
	return d->drift < 0 ? NAN : d->drift;
}

static double measured(const struct cpi0_diagnosis *d)
{
	return d->measured < 0 ? NAN : cpi0_real(d->c.cpi) / d->measured;
}

static double counted(const struct cpi0_diagnosis *d)
{
	return d->mix.counted;
}

static double (*const numbers[CPI0_CHECKS])(const struct cpi0_diagnosis *d) = {
    [CPI0_CHECK_BRANCHES] = branches, [CPI0_CHECK_PREDICTION] = prediction,
    [CPI0_CHECK_DATA] = data,         [CPI0_CHECK_FETCH] = fetch,
    [CPI0_CHECK_SUM_P] = sum_of_p,    [CPI0_CHECK_RATES] = sum_of_rates,
    [CPI0_CHECK_UNITS] = units,       [CPI0_CHECK_BALANCE] = balance,
    [CPI0_CHECK_LATENCY] = latency,   [CPI0_CHECK_CLUSTERS] = clusters,
    [CPI0_CHECK_DRIFT] = drift,       [CPI0_CHECK_MEASURED] = measured,
    [CPI0_CHECK_COUNTED] = counted,
};

/* ---- the verdicts -------------------------------------------------------------------------- */

bool cpi0_mostly_filling(const struct cpi0_diagnosis *d)
{
	return d->once && d->simulated >= 0 &&
	       d->c.instructions < (uint64_t)d->machine.in_flight * CPI0_SHORT_FILLS;
}

/* How far above the bound it is tells nothing of clusters there. */
static void excuse(struct cpi0_diagnosis *d)
{
	struct cpi0_flag *f = &d->flags[CPI0_CHECK_CLUSTERS];

	if (f->verdict == CPI0_NOT_KNOWN || !cpi0_mostly_filling(d))
		return;
	f->verdict = CPI0_DOUBTFUL;
	f->text = "too short a run to tell";
}

/* Counters that contradict each other tell nothing: which ones do. */
static void contradict(struct cpi0_diagnosis *d)
{
	if (!adds_up(&d->mix.prediction))
		d->flags[CPI0_CHECK_PREDICTION].text =
		    "does not add up: more mispredictions than branches";
	if (!adds_up(&d->mix.data_cache))
		d->flags[CPI0_CHECK_DATA].text = "does not add up: more misses than accesses";
	if (!adds_up(&d->mix.fetch_cache))
		d->flags[CPI0_CHECK_FETCH].text = "does not add up: more misses than instructions";
	if (too_many(&d->mix))
		d->flags[CPI0_CHECK_SUM_P].text = "too many: in classes, beyond all instructions";
}

/* What was on all the time, or is no counter, is not worth a word. */
static void check(struct cpi0_diagnosis *d)
{
	for (int i = 0; i < CPI0_CHECKS; i++) {
		double value = numbers[i](d);

		d->flags[i] = (struct cpi0_flag){judge((enum cpi0_check)i, value), value,
						 cpi0_check_texts[i]};
	}
	if (d->flags[CPI0_CHECK_COUNTED].value >= 1)
		d->flags[CPI0_CHECK_COUNTED].verdict = CPI0_NONE;
	excuse(d);
	contradict(d);
}

enum status cpi0_diagnose(struct cpi0_diagnosis *out, const struct machine *m,
			  const struct cpi0_mix *mix, double drift, struct error *e)
{
	enum status status;

	*out = (struct cpi0_diagnosis){
	    .machine = *m, .mix = *mix, .measured = -1, .simulated = -1, .drift = drift};
	if (mix->cycles && mix->committed)
		out->measured = (double)mix->cycles / (double)mix->committed;
	status = cpi0_model(&out->c, m, mix, e);
	if (!status)
		check(out);
	return status;
}

void cpi0_diagnosis_simulated(struct cpi0_diagnosis *d, double cpi, enum cpi0_order order)
{
	d->simulated = cpi;
	d->own_order = order != CPI0_ORDER_UNIFORM;
	d->once = order == CPI0_ORDER_RUN;
	check(d);
}

void cpi0_split(double parts[CPI0_PARTS], const struct cpi0_diagnosis *d)
{
	double least = cpi0_real(d->c.bounds[CPI0_DISPATCH]), cpi = cpi0_real(d->c.cpi);
	bool ordered = d->own_order && d->simulated >= 0;

	parts[CPI0_PART_DISPATCH] = least;
	parts[CPI0_PART_QUEUE] = cpi - least;
	parts[CPI0_PART_ORDER] = ordered ? d->simulated - cpi : NAN;
	parts[CPI0_PART_REST] = ordered && d->measured >= 0 ? d->measured - d->simulated : NAN;
}
