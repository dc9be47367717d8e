/*
 * How many ticks make a cycle, from the steps between the ticks of the text.
 *
 * Each distinct step given is counted, so that the answer depends neither on the order of rows
 * nor on how the text was cut. The period is the greatest common divisor of the steps, but for
 * those that are rarer than one in PERIOD_RARE: a second clock or a change of frequency would leave
 * a remainder (formats/kanata-o3pipeview.md 2.2). Cost: O(1) a step; 24 KiB.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_PERIOD_H
#define PIPEGLASS_PIPELINE_INDEX_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PERIOD_STEPS = 1024,
	PERIOD_PROBES = 8,
	PERIOD_RARE = 100,
	PERIOD_TEXT = 256 << 10,
	PERIOD_SAMPLE = 8
};

struct period {
	uint64_t step[PERIOD_STEPS], count[PERIOD_STEPS]; /* by hash; count 0: free */
	uint64_t rest, rest_count; /* common divisor of steps there was no room for */
};

/* Of the first rows all steps are looked at, then of some: chosen by what no cut changes. */
static inline bool period_wants(uint64_t off, uint64_t id)
{
	return off < PERIOD_TEXT || id % PERIOD_SAMPLE == 0;
}

static inline void period_add(struct period *p, uint64_t step, uint64_t count)
{
	size_t at = step * UINT64_C(0x9e3779b97f4a7c15) >> 54;
	uint64_t a = step, b = p->rest;

	if (step == 0)
		return;
	for (size_t i = 0; i < PERIOD_PROBES; i++) {
		size_t k = (at + i) & (PERIOD_STEPS - 1);

		if (p->count[k] == 0)
			p->step[k] = step;
		if (p->step[k] == step) {
			p->count[k] += count;
			return;
		}
	}
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	p->rest = a;
	p->rest_count += count;
}

void period_merge(struct period *to, const struct period *p);
/* Ticks a cycle; 0: no steps. *off: steps that are no multiples of it. */
int64_t period_ticks(const struct period *p, uint64_t *off);

#endif
