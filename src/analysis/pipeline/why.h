/*
 * Why a run took so long: where every cycle went, and what each cause would save if it were gone.
 *
 * From the trace alone: the columns of its instructions (why_read.h), an evaluation forward that
 * gives the observed times back and those of what-ifs (why_evaluate.h), and the critical path
 * (why_walk.h). Causes are cycles of the path and add up to the run; what they save comes from
 * what-ifs, and two together may save more or less than their sum.
 *
 * O(text) to read, then O(instructions) for each evaluation; memory as why_columns.h has it.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_H

#include "analysis/pipeline/why_asked.h"
#include "analysis/pipeline/why_read.h"
#include "analysis/pipeline/why_walk.h"
#include "trace/result.h"

/*
 * What can be set: name, member of struct why_machine, rule that says whether it was reached
 * (SEEN: it is the least that was seen).
 */
#define WHY_SETTING_INFO(_)                                                                        \
	_("fetch-width", size[WHY_PLACE_FETCH_WIDTH], WHY_PLACE_FETCH_WIDTH)                       \
	_("dispatch-width", size[WHY_PLACE_DISPATCH_WIDTH], WHY_PLACE_DISPATCH_WIDTH)              \
	_("issue-width", issue_width, WHY_RULE_ISSUE_WIDTH)                                        \
	_("memory-width", memory_width, WHY_RULE_MEMORY_WIDTH)                                     \
	_("commit-width", size[WHY_PLACE_COMMIT_WIDTH], WHY_PLACE_COMMIT_WIDTH)                    \
	_("window", size[WHY_PLACE_WINDOW_SIZE], WHY_PLACE_WINDOW_SIZE)                            \
	_("lsq", size[WHY_PLACE_LSQ], WHY_PLACE_LSQ)                                               \
	_("queue", size[WHY_PLACE_QUEUE_SIZE], WHY_PLACE_QUEUE_SIZE)                               \
	_("buffer", size[WHY_PLACE_BUFFER], WHY_PLACE_BUFFER)                                      \
	_("depth", depth, WHY_RULES)                                                               \
	_("redirect", redirect.length, WHY_RULES)

struct why_cause {
	unsigned number;
	char name[72];
	int64_t cycles;   /* of the path */
	int64_t residues; /* of them, what the trace does not explain */
	double share, cpi;
	int64_t saved;    /* without it; -1: nothing can be taken away */
	const char *bound; /* "upper", or NULL: saved is a prediction */
};

struct why_parameter {
	char name[72];
	int64_t value;
	bool reached; /* else it is a lower bound */
};

struct why_rule_use {
	const char *name;
	bool used;
	uint64_t breaches;
};

/* The row that waited longest, and where that shows; 0 cycles: none did. */
struct why_dearest {
	uint64_t row;
	int64_t tick, cycles;
};

/* What one static instruction owns of the path. */
struct why_pc {
	uint32_t code;
	uint64_t count; /* committed instructions */
	int64_t cycles;
	int64_t causes[WHY_CAUSES_ALL];
	struct why_dearest dearest[WHY_CAUSES_ALL];
};

struct why_setting {
	char name[72];
	int64_t value;
};

struct why_note {
	char text[200];
};

/* A machine without some causes, or with something set. */
struct why_whatif {
	uint64_t gone; /* set of causes, by their number */
	VEC(struct why_setting) set;
	int64_t cycles, saved;
	const char *bound;
};

struct why {
	struct store *store; /* borrowed */
	struct why_reading reading;
	struct why_span span;
	uint64_t instructions; /* of the span, without second halves */
	int64_t cycles;
	double residue_share;
	uint64_t differences; /* times that did not come back: none, or it is a defect */
	VEC(struct why_cause) causes; /* by what they save, those that save nothing by cycles */
	VEC(struct why_parameter) parameters;
	VEC(struct why_rule_use) rules;
	VEC(struct why_pc) pcs; /* dearest first */
	VEC(struct why_whatif) whatifs;
	VEC(struct why_note) notes; /* what the trace cannot show, and what was left out */
	/* Cycles of the path per cycle in windows from span.from on: of each cause all windows */
	double *times;
	size_t window_count;
	int64_t window; /* cycles */
	size_t front_count;
	char fronts[WHY_FRONTS][72]; /* "stage:F" */
};

/* False: its rows have no times that a processor took, and why_new() says why not. */
bool why_can(const struct store *s);

/*
 * The range NULL: the whole trace. STATUS_USAGE: a word of asked that names nothing; STATUS_INPUT:
 * nothing can be evaluated, and which part is missing; STATUS_INTERRUPTED soon after *stop.
 * *percent of the work is done, also in why_try(): it lives as long as out. Both may be NULL.
 */
enum status why_new(struct why *out, struct store *s, const struct range *range,
		    const struct why_asked *asked, size_t asked_count, const atomic_bool *stop,
		    atomic_int *percent, struct error *e);
void why_free(struct why *w);

/*
 * One more what-if, as words that commas part: causes that are gone, and NAME=VALUE. An error leaves
 * nothing in it.
 */
enum status why_try(const struct why *w, const char *words, struct why_whatif *out,
		    const atomic_bool *stop, struct error *e);

/* Fills w->notes. False: no memory. */
bool why_note(struct why *w);

/* Of a why_pc or whatif: "branch", "stage:F". */
const char *why_cause_name(const struct why *w, unsigned cause);

enum { WHY_SECTION_WHATIFS = 2 };
extern const struct section why_sections[]; /* of a struct why */

#endif
