/*
 * The diagnosis of one run on one machine: its mix, what the model makes of it, what was measured
 * and simulated, and how far the model's assumptions hold, each with its number. O(2^units) but for
 * what it is given.
 *
 * Two thresholds part ok from doubtful and doubtful from violated. They are the paper's own where
 * it has them: what it calls clean, and the worst that it still accepts. What is not known is said
 * to be so.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_DIAGNOSIS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_DIAGNOSIS_H

#include "analysis/pipeline/cpi0.h"

/*
 * Shares of hits are those of perfex on the paper's machine, whatever they come from: l1-hit is
 * 1 - misses / (loads + stores) of what graduated, icache-hit is 1 - misses / instructions, since
 * an access to the I-cache fetches several. A trace does not part misses of data from those of
 * instructions: those of memory instructions are of data, and icache-hit is over the others; what
 * waits for a line that is on its way has missed there, which not all counters count.
 *
 * id, key, better, ok, doubtful, what the number is, what follows where it does not hold
 */
#define CPI0_CHECKS_INFO(_)                                                                        \
	_(BRANCHES, "branch-rate", LESS, 0.04, 0.11, "branches among all instructions",            \
	  "many branches cut the flow: it needs more cycles than CPI0")                            \
	_(PREDICTION, "prediction", MORE, 0.975, 0.95, "branches predicted well",                  \
	  "mispredictions empty the queues: it needs more cycles than CPI0")                       \
	_(DATA, "l1-hit", MORE, 0.99, 0.96, "memory instructions that hit the L1 cache",           \
	  "misses set the pace, not the queues: look at them first")                               \
	_(FETCH, "icache-hit", MORE, 0.998, 0.99, "instructions that hit the I-cache",             \
	  "fetch starves the queues: look at its misses first")                                    \
	_(SUM_P, "sum-of-p", LESS, 0.005, 0.05, "instructions that no class accounts for",         \
	  "CPI0 leaves these instructions out: it may be too low")                                 \
	_(RATES, "sum-of-rates", MORE, 1, 1, "all queues' rates over that of dispatch",            \
	  "the units together are slower than dispatch: all queues can fill")                      \
	_(UNITS, "units", LESS, 0, 1, "instructions whose unit is not known",                      \
	  "a unit may be busier than is known: CPI0 may be too low")                               \
	_(BALANCE, "balance", MORE, 0.05, 0, "least |growth| of any queue, over mu",               \
	  "a little more or less of one kind changes what limits")                                 \
	_(LATENCY, "latency", LESS, 0.9, 1, "latency's bound over the greatest other one",         \
	  "more in flight would help, more units would not")                                       \
	_(CLUSTERS, "clustering", LESS, 0.05, 0.2, "CPI in the real order, above the bound",       \
	  "one kind comes in clusters: mixing the kinds would save cycles")                        \
	_(DRIFT, "convergence", LESS, 0.05, 0.2, "change of p over the last quarter",              \
	  "the mix changes on the way: select stretches and ask again")                            \
	_(MEASURED, "measured", LESS, 1, 1.05, "CPI0 over the measured CPI",                       \
	  "it ran faster than this machine can: choose another one")                               \
	_(COUNTED, "counted", MORE, 1, 0.5, "part of the run that counters were on",               \
	  "counters were off for a part: the mix is an estimate")

enum cpi0_check {
#define CPI0_CHECK_ENUM(id, key, better, ok, doubtful, what, follows) CPI0_CHECK_##id,
	CPI0_CHECKS_INFO(CPI0_CHECK_ENUM)
#undef CPI0_CHECK_ENUM
	    CPI0_CHECKS
};

extern const char *const cpi0_check_keys[CPI0_CHECKS], *const cpi0_check_texts[CPI0_CHECKS],
    *const cpi0_check_follows[CPI0_CHECKS];

/* NONE: the check does not apply to the run. */
enum cpi0_verdict {
	CPI0_NONE,
	CPI0_OK,
	CPI0_DOUBTFUL,
	CPI0_VIOLATED,
	CPI0_NOT_KNOWN,
	CPI0_VERDICTS
};
extern const char *const cpi0_verdicts[CPI0_VERDICTS]; /* NONE: NULL */

struct cpi0_flag {
	enum cpi0_verdict verdict;
	double value; /* NAN: not known */
	const char *text; /* what the number is, or why it does not say much */
};

/* A run of fewer than so many times K has mostly filled and emptied the machine. */
enum { CPI0_SHORT_FILLS = 8 };

struct cpi0_diagnosis {
	struct machine machine;
	struct cpi0_mix mix;
	struct cpi0 c;
	double measured;  /* CPI; < 0: not known */
	double simulated; /* likewise */
	bool own_order;   /* simulated in the order of the run, not in the most uniform one */
	bool once;        /* and only once: with what it takes to fill the machine */
	double drift;     /* cpi0_drift(); < 0: not known */
	struct cpi0_flag flags[CPI0_CHECKS];
};

/* What was simulated: the most uniform order or that of a pattern, for ever; a run, once. */
enum cpi0_order { CPI0_ORDER_UNIFORM, CPI0_ORDER_PATTERN, CPI0_ORDER_RUN };

/* Nothing is simulated yet. Errors of cpi0_model(). */
enum status cpi0_diagnose(struct cpi0_diagnosis *out, const struct machine *m,
			  const struct cpi0_mix *mix, double drift, struct error *e);
void cpi0_diagnosis_simulated(struct cpi0_diagnosis *d, double cpi, enum cpi0_order order);
/* The run is so short that what was simulated is mostly filling the machine. */
bool cpi0_mostly_filling(const struct cpi0_diagnosis *d);

/* id, name, what it is, what a negative one says of a trace, and of counters */
#define CPI0_PARTS_INFO(_)                                                                         \
	_(DISPATCH, "dispatch", "what the width of the machine allows", "", "")                    \
	_(QUEUE, "queue", "what its limiting queue or latency adds", "", "")                       \
	_(ORDER, "order", "clusters that its queues do not bridge",                                \
	  "too few instructions for a steady state", "")                                           \
	_(REST, "everything else", "dependencies, misses, mispredictions",                         \
	  "the trace's machine is wider or holds more, or this part is short",                     \
	  "the counters do not agree, or the machine's rates are too low")

enum cpi0_part {
#define CPI0_PART_ENUM(id, name, help, negative, counted) CPI0_PART_##id,
	CPI0_PARTS_INFO(CPI0_PART_ENUM)
#undef CPI0_PART_ENUM
	    CPI0_PARTS
};

extern const char *const cpi0_part_names[CPI0_PARTS], *const cpi0_part_helps[CPI0_PARTS],
							  *const cpi0_part_negatives[CPI0_PARTS],
							  *const cpi0_part_counted[CPI0_PARTS];

/*
 * The measured CPI as a sum: 1/mu, up to CPI0, up to the CPI simulated in the order of the run, up
 * to what was measured. NAN: what is not known yet, or at all. Parts can be negative: the trace is
 * of another machine then.
 */
void cpi0_split(double parts[CPI0_PARTS], const struct cpi0_diagnosis *d);

#endif
