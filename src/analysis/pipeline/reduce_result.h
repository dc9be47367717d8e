/*
 * What a trace reduces to: a handful of numbers from which its cycles follow, exactly, for every
 * pipeline of setup and execution segments (Emma and Davidson, "Characterization of Branch and
 * Data Dependencies in Programs for Evaluating Pipeline Performance", IEEE ToC 36(7), 1987).
 *
 * The reductions take out arcs that can never delay anything: those to resolvers that are not the
 * closest (1), those around another arc (2), those that a shorter arc before them always covers
 * (3). What is left is counted by shape. Reductions are collected by reduce.h, read from save files
 * (reduce_file.h), added up here, and evaluated by reduce_evaluate.h. Nothing here depends on a
 * pipeline. All counts of a reduction are below 2^42, so that cycles fit an int64_t.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RESULT_H
#define PIPEGLASS_ANALYSIS_PIPELINE_REDUCE_RESULT_H

#include "analysis/pipeline/reduce_pipeline.h"
#include "analysis/pipeline/reduce_shapes.h"
#include "analysis/pipeline/reduce_stacks.h"
#include "analysis/pipeline/reduce_tally.h"
#include "base/status.h"

#define REDUCE_COUNT_MOST (UINT64_C(1) << 40) /* instructions; counts fit int64_t arithmetic */
#define REDUCE_RAW_MOST   (UINT64_C(1) << 42) /* arcs before Reduction 1 */
#define REDUCE_UNKNOWN    UINT64_MAX          /* a count that its source does not tell */

enum {
	REDUCE_CAP = 1 << 20 /* arcs of this distance or more are left out, by default */
};

/* stage, key, what is left */
#define REDUCE_STAGE_INFO(_)                                                                       \
	_(RAW, "raw", "all arcs")                                                                  \
	_(R1, "r1", "after Reduction 1: one arc a dependent")                                      \
	_(R2, "r2", "after Reduction 2: no arc around another")                                    \
	_(R3, "r3", "after Reduction 3: those that can cost cycles")

enum reduce_stage {
#define REDUCE_STAGE_ENUM(stage, key, help) REDUCE_##stage,
	REDUCE_STAGE_INFO(REDUCE_STAGE_ENUM)
#undef REDUCE_STAGE_ENUM
	    REDUCE_STAGES
};

extern const char *const reduce_stage_keys[REDUCE_STAGES];

/* field, key in files, what it is */
#define REDUCE_COUNT_INFO(_)                                                                       \
	_(instructions, "instructions", "executed instructions")                                   \
	_(targets, "targets", "instructions behind a taken branch")                                \
	_(self_resolving, "self", "branches that compute their own condition")                     \
	_(beyond, "beyond", "arcs left by Reduction 1 that are as long as the cap, or longer")     \
	_(sources, "sources", "operands read")                                                     \
	_(cold, "cold", "those of them that nothing in the trace wrote")                           \
	_(ahead, "ahead", "dependencies on the instruction itself or a later one, left out")       \
	_(unread, "unread", "instructions whose operands could not be read: an estimate")

struct reduction {
#define REDUCE_COUNT_FIELD(field, key, help) uint64_t field;
	REDUCE_COUNT_INFO(REDUCE_COUNT_FIELD)
#undef REDUCE_COUNT_FIELD
	uint64_t cap;                              /* exact for all N_E up to it */
	bool r3plus;                               /* the stronger Reduction 3+ was used */
	bool shorts;                               /* shapes know the lengths of short branches */
	uint64_t arcs[REDUCE_STAGES];              /* or REDUCE_UNKNOWN */
	struct reduce_tally chains[REDUCE_STAGES]; /* by arcs in them; not of RAW */
	struct reduce_tally raw;      /* all arcs below cap and REDUCE_LENGTH_MOST, by distance */
	struct reduce_tally branches; /* short forward branches taken, by length */
	struct shapes shapes;         /* single arcs, and each stack's oldest: counted */
	struct stacks stacks;
};

bool reduction_init(struct reduction *r); /* an empty one; false: no memory */
void reduction_free(struct reduction *r);

/*
 * Add src, weight times: workloads that run one after the other, each from an empty pipeline.
 * A count that one of the two does not know is unknown; the cap is the smaller one, and shapes know
 * short branches if both do. Refused (STATUS_INPUT): counts that become too large.
 */
enum status reduction_merge(struct reduction *dst, const struct reduction *src, uint64_t weight,
			    struct error *e);

/*
 * Can a trace have these numbers? STATUS_INPUT and what is wrong, for files that people wrote. What
 * passes can be evaluated without overflow. O(shapes + arcs of the stacks).
 */
enum status reduction_check(const struct reduction *r, struct error *e);

struct shape_count {
	struct shape shape;
	uint64_t count;
};

struct shape_list {
	VEC(struct shape_count) items;
};

/*
 * The shapes that are counted, in order: by distance, branches, lengths; without lengths those that
 * differ in them only are one. vec_free() items.
 */
bool reduction_shapes(const struct reduction *r, bool lengths, struct shape_list *out);

#endif
