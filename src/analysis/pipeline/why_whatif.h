/*
 * What-ifs: the run evaluated again without some causes, or with a machine of other sizes.
 *
 * All of them at once, in one pass over the columns: O(instructions * (2 + what-ifs)). The pass
 * evaluates the run as it was twice, once to learn what its constraints leave, and once from that:
 * which must give every observed time back.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_WHATIF_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_WHATIF_H

#include "analysis/pipeline/why.h"

/* What an evaluation finds beside the what-ifs' cycles. */
struct why_evaluation {
	int64_t end;          /* the last commit of the span */
	uint64_t instructions; /* of the span, without second halves */
	uint64_t differences; /* times that did not come back: none, or this is a defect */
};

/*
 * Fills cycles of the what-ifs, from span.from on, and saved. Rules that the trace breaks go out of
 * use in machine, which also gets breaches and binding.
 */
enum status why_evaluate(const struct why_columns *c, struct why_machine *machine,
			 struct why_span span, const struct why_reading *names,
			 struct why_whatif *whatifs, size_t count, struct why_evaluation *out,
			 const atomic_bool *stop, struct error *e);

/* A size that nothing ever waited for may be any larger one: then it bounds no what-if. */
void why_forget_unreached(struct why_machine *m);

/* False: there is nothing of that name to set. */
bool why_setting_set(struct why_machine *m, const struct why_reading *r,
		     const struct why_setting *s);

#endif
