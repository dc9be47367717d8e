/*
 * What is told of diagnoses on one machine: a result, of which the command `cpi0` makes JSON and
 * text and the pane "CPI0" its tables.
 *
 * Of one run or two, side by side, there are the bounds of the machine, the measured CPI as a sum,
 * and the assumptions; of any number a line each, and what does not hold of some. O(runs).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_REPORT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_REPORT_H

#include "analysis/pipeline/cpi0_diagnosis.h"
#include "base/vec.h"
#include "trace/result.h"

enum { CPI0_SIDES = 2, CPI0_BOUND_ROWS = MACHINE_QUEUES + 2, CPI0_NOTES = 8 };

/* What is diagnosed; borrowed. */
struct cpi0_run {
	const char *input; /* as it was given */
	struct cpi0_diagnosis *d;
	bool trace;
	enum isa isa; /* of a trace */
};

struct cpi0_run_line {
	uint64_t number;                               /* from 1 */
	const char *input, *name, *isa_key, *isa_name; /* name: the end of the path */
	uint64_t instructions, unknown;
	double growth[MACHINE_QUEUES];
	double cpi, dispatch, latency, margin, measured, simulated, over, from, to, transient;
	const char *limiting[CPI0_LIMITS], *first_full[CPI0_LIMITS], *runner_up;
	char *verdict, *filling, *notes[CPI0_NOTES]; /* words; NULL: nothing to say */
	const char *order;                           /* which was simulated */
};

/* Of a queue, of dispatch, or of latency over K, for each run. */
struct cpi0_bound_line {
	const char *name, *limits; /* limits: an arrow, where it does in any run */
	int limit;
	struct cpi0_bound_of {
		uint64_t count;
		double p, lambda, rate, growth, bound, used, full_at, more;
		const char *one_more, *units[MACHINE_UNITS];
	} of[CPI0_SIDES];
};

struct cpi0_part_line {
	const char *letter, *name, *help;
	struct cpi0_part_of {
		double cycles, share; /* NAN: not known */
	} of[CPI0_SIDES];
};

/* A check; in a list of doubts that of one run. */
struct cpi0_flag_line {
	const char *check, *text, *follows; /* the last: where it does not hold */
	uint64_t run;
	struct cpi0_flag_of {
		const char *verdict; /* NULL: it does not apply to that run */
		double value;
		int rank; /* enum cpi0_verdict */
	} of[CPI0_SIDES];
};

struct cpi0_report {
	const struct machine *m;
	const char *machine;
	double mu;
	int64_t in_flight;
	bool queued; /* in flight means in a queue */
	struct cpi0_run_line *runs;
	size_t count, noted; /* noted: have notes */
	/* of one run or two */
	struct cpi0_bound_line bounds[CPI0_BOUND_ROWS];
	struct cpi0_part_line parts[CPI0_PARTS];
	const char *negative; /* why a part is below 0; NULL: none is */
	struct cpi0_flag_line flags[CPI0_CHECKS];
	size_t flag_count;
	/* of more */
	VEC(struct cpi0_flag_line) doubts;
};

/* Of at least one run. End with cpi0_report_free(). */
void cpi0_report_make(struct cpi0_report *r, const struct machine *m, const struct cpi0_run *runs,
		      size_t count);
void cpi0_report_free(struct cpi0_report *r);

/* Of one run or two; and for people of any number. */
enum cpi0_section { CPI0_HEAD, CPI0_PLATEAU, CPI0_QUEUES, CPI0_BOUNDS, CPI0_SPLIT, CPI0_FLAGS };
extern const struct section cpi0_sections[], cpi0_run_sections[];

#endif
