/*
 * Who owns the cycles of a run that was evaluated (why.h), and why one of two was faster: cause by
 * cause and instruction by instruction. Of two the differences add up to the difference in cycles
 * either way.
 *
 * Instructions of two runs are the same by what align.h tells them apart by; where that is their
 * text alone, those of one text are one line. O(instructions) to make.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_COMPARE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_COMPARE_H

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/why.h"

/* In which order they are shown: what has more of this, then of that; then as they came. */
struct why_rank {
	int64_t by[2];
	size_t order;
};

struct why_cause_pair {
	struct why_rank rank; /* first, here and below */
	const char *name;
	unsigned number; /* in the first one that has it */
	struct why_cause of[ALIGN_SIDES]; /* name NULL: nothing there is of it */
};

/* What an instruction owns in a run: of the cause that is asked for, or of all. */
struct why_owned {
	uint64_t count; /* how often it was committed */
	int64_t cycles;
	struct why_dearest dearest;
	const char *cause; /* that this one waited for */
};

struct why_pc_pair {
	struct why_rank rank;      /* they came as those of A first ran, then those of B alone */
	const struct store *store; /* of A, or of B where A has it not; */
	uint32_t code;             /* there, that of the dearest row, if it owns any */
	struct why_owned of[ALIGN_SIDES];
	/* By cause, as why_compare has them: its cycles of it, of two B's less A's. */
	int64_t causes[WHY_CAUSES_ALL + WHY_FRONTS];
};

struct why_compare {
	const struct why *of[ALIGN_SIDES]; /* borrowed, with their stores; B NULL: of A alone */
	struct why own[ALIGN_SIDES];       /* which they may be; freed with it */
	const char *asked;                 /* the cause that pcs are of (borrowed); "": all */
	/*
	 * Those that own or save cycles, what saves most first, then by cycles; of two those that
	 * own cycles in either, the greatest difference first.
	 */
	VEC(struct why_cause_pair) causes;
	VEC(struct why_pc_pair) pcs; /* the same way; those that own any */
};

/*
 * Into one that is zeroed but for `own`; b may be NULL. A cause that owns nothing, or
 * that is none, leaves no pcs. Free it also after an error.
 */
enum status why_compare_new(struct why_compare *out, const struct why *a, const struct why *b,
			    const char *asked, struct error *e);
void why_compare_free(struct why_compare *c);

/*
 * Of two: "B is 3 210 cycles faster: dcache -2 900, width -500, branch +190"; first that the
 * formats differ.
 */
void why_compare_tell(const struct why_compare *c, struct sbuf *out);

/* B less A. */
static inline int64_t why_cause_change(const struct why_cause_pair *p)
{
	return p->of[ALIGN_B].cycles - p->of[ALIGN_A].cycles;
}

static inline int64_t why_pc_change(const struct why_pc_pair *p)
{
	return p->of[ALIGN_B].cycles - p->of[ALIGN_A].cycles;
}

/* JSON, text and panes of a run alone, and of two. */
enum {
	WHY_SECTION_RUN,
	WHY_SECTION_CAUSES,
	WHY_SECTION_WHATIFS,
	WHY_SECTION_PARAMETERS,
	WHY_SECTION_RULES,
	WHY_SECTION_PCS
};
enum { WHY_TWO_CAUSES, WHY_TWO_PCS };
extern const struct section why_sections[], why_two_sections[];

#endif
