/*
 * What the model found, in words: for whoever prints or shows it.
 *
 * Words are appended without a full stop, so that they can be set as there is room.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_CPI0_WORDS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_CPI0_WORDS_H

#include "analysis/pipeline/cpi0.h"
#include "base/sbuf.h"

/* "r10000: 4 dispatched a cycle, 32 in flight (in queues)" */
void cpi0_say_machine(const struct machine *m, struct sbuf *out);
/* "m", "m and i", "m, i and dispatch" */
void cpi0_say_limits(const struct machine *m, unsigned set, struct sbuf *out);
/* 'm' of mem, 'D' of dispatch, 'L' of latency over K; a digit where an earlier queue has that */
char cpi0_limit_letter(const struct machine *m, int limit);
/*
 * "limited by mem, the memory queue: 0.4190 of the instructions, 1 a cycle leaves it; next: dispatch
 * at 60 %; with one more multiplier: 0.3333"
 */
void cpi0_say_verdict(const struct machine *m, const struct cpi0 *c, struct sbuf *out);
/* "first to fill: i, in cycle 40 (which does not decide)", and when K is reached before */
void cpi0_say_filling(const struct machine *m, const struct cpi0 *c, struct sbuf *out);

/*
 * What is to be known of a mix, a line each: what was not counted, what has no class or several
 * places; i from 0, false: no more.
 */
bool cpi0_say_unknown(const struct cpi0_mix *mix, int i, struct sbuf *out);

#endif
