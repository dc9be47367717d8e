/*
 * The machine of the model, cycle by cycle: what the formula cannot know is the order of
 * instructions, and how far queues and K bridge its clusters.
 *
 * In a cycle each queue lets go what its rate allows (a rate that is no whole number adds up
 * exactly; what an empty queue could have done is lost), then what is done retires in order, at
 * most mu of them, then up to mu instructions are dispatched in order, until one finds its queue
 * full, or K in flight. Who takes several places takes one slot and, of a reorder buffer, one place
 * of K, and holds up those behind until each of its queues has let it in; done is it when all of it
 * has left them. An instruction stays `latency` cycles from its dispatch at least. Of a
 * machine that is `queued` only what is in queues counts for K, and nothing waits to retire.
 * Instructions of no queue are done at once.
 *
 * Integers only, rates too: a pattern that comes back to the same state has an exact CPI, and no
 * run from an empty machine to an empty one is faster than its bound. Where rates are such that no
 * state comes back in millions of instructions (4/13 beside 5/4093), the CPI is that of the last
 * of them: as good as what is in flight before and behind them is few, either way.
 * O(instructions + cycles * queues); memory O(K * queues).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_SIMULATE_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_SIMULATE_H

#include "analysis/pipeline/cpi0.h"

struct cpi0_sim;

/* m must outlive it; rates are those of c. NULL: no memory. */
struct cpi0_sim *cpi0_sim_new(const struct machine *m, const struct cpi0 *c);
void cpi0_sim_free(struct cpi0_sim *s);

/* The next instruction: the queues in which it takes a place each, count < OP_CLASS_COUNT. */
void cpi0_sim_add(struct cpi0_sim *s, const int8_t *queues, int count);
/* Lets everything leave; cycles from the first to the last, at least 1. */
uint64_t cpi0_sim_end(struct cpi0_sim *s);

/*
 * The CPI of a pattern repeated for ever, of which c is the model. *exact: its state came back,
 * which it does unless rates are odd; then it is never told below its bound, which holds for ever.
 * STATUS_NOMEM.
 */
enum status cpi0_simulate(struct cpi0_ratio *cpi, bool *exact, const struct machine *m,
			  const struct cpi0 *c, const queue_vec *pattern, struct error *e);

#endif
