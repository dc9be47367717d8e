/*
 * How far the model's assumptions hold, each with its number.
 *
 * Two thresholds part ok from doubtful and doubtful from violated. They are the paper's own where
 * it has them: what it calls clean, and the worst that it still accepts. What is not known is said
 * to be so.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_CHECKS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_CHECKS_H

#include "analysis/pipeline/cpi0.h"

/*
 * Shares of hits are those of perfex on the paper's machine, whatever they come from: l1-hit is
 * 1 - misses / (loads + stores) of what graduated, icache-hit is 1 - misses / instructions, since
 * an access to the I-cache fetches several. A trace does not part misses of data from those of
 * instructions: those of memory instructions are of data, and icache-hit is over the others; what
 * waits for a line that is on its way has missed there, which not all counters count.
 *
 * id, key, better, ok, doubtful, what the number is
 */
#define CPI0_CHECKS_INFO(_)                                                                        \
	_(BRANCHES, "branch-rate", LESS, 0.04, 0.11, "branches among all instructions")            \
	_(PREDICTION, "prediction", MORE, 0.975, 0.95, "branches predicted well")                  \
	_(DATA, "l1-hit", MORE, 0.99, 0.96, "memory instructions that hit the L1 cache")           \
	_(FETCH, "icache-hit", MORE, 0.998, 0.99, "instructions that hit the I-cache")             \
	_(SUM_P, "sum-of-p", LESS, 0.005, 0.05, "instructions that no class accounts for")         \
	_(RATES, "sum-of-rates", MORE, 1, 1, "all queues' rates over that of dispatch")            \
	_(UNITS, "units", LESS, 0, 1, "instructions whose unit is not known")                      \
	_(BALANCE, "balance", MORE, 0.05, 0, "least |growth| of any queue, over mu")               \
	_(LATENCY, "latency", LESS, 0.9, 1, "latency's bound over the greatest other one")         \
	_(CLUSTERS, "clustering", LESS, 0.05, 0.2, "CPI in the real order, above the bound")       \
	_(DRIFT, "convergence", LESS, 0.05, 0.2, "change of p over the last quarter")              \
	_(MEASURED, "measured", LESS, 1, 1.05, "CPI0 over the measured CPI")                       \
	_(COUNTED, "counted", MORE, 1, 0.5, "part of the run that counters were on")

enum cpi0_check {
#define CPI0_CHECK_ENUM(id, key, better, ok, doubtful, what) CPI0_CHECK_##id,
	CPI0_CHECKS_INFO(CPI0_CHECK_ENUM)
#undef CPI0_CHECK_ENUM
	    CPI0_CHECKS
};

extern const char *const cpi0_check_keys[CPI0_CHECKS], *const cpi0_check_texts[CPI0_CHECKS];

enum cpi0_verdict { CPI0_OK, CPI0_DOUBTFUL, CPI0_VIOLATED, CPI0_NOT_KNOWN, CPI0_VERDICTS };
extern const char *const cpi0_verdicts[CPI0_VERDICTS];

struct cpi0_flag {
	enum cpi0_check check;
	enum cpi0_verdict verdict;
	double value; /* NAN: not known */
	const char *text; /* what the number is, or why it does not say much */
};

/* A run of fewer than so many times K has mostly filled and emptied the machine. */
enum { CPI0_SHORT_FILLS = 8 };

/* What is not in the mix; < 0: not known. */
struct cpi0_seen {
	double measured, simulated; /* CPI; simulated: of the real order only */
	double drift;
	bool once; /* simulated from an empty machine to an empty one, not for ever */
};

bool cpi0_too_short(const struct cpi0 *c, const struct machine *m);

/* Into out, in the order of the table; how many: without those that do not apply. */
size_t cpi0_check(struct cpi0_flag out[CPI0_CHECKS], const struct cpi0 *c, const struct machine *m,
		  const struct cpi0_mix *mix, const struct cpi0_seen *seen);
/* That of one check; NULL: it does not apply to that run. O(count). */
const struct cpi0_flag *cpi0_flag_of(const struct cpi0_flag *flags, size_t count,
				     enum cpi0_check check);

#endif
