/*
 * The diagnosis of one run on one machine: its mix, what the model makes of it, what was measured
 * and simulated, and how far the assumptions hold. O(2^units) but for what it is given.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_DIAGNOSIS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_DIAGNOSIS_H

#include "analysis/pipeline/cpi0_checks.h"

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
	size_t flag_count;
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
