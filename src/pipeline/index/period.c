#include "config.h"

#include "pipeline/index/period.h"

#include <stdlib.h>

void period_merge(struct period *to, const struct period *p)
{
	for (size_t i = 0; i < PERIOD_STEPS; i++)
		if (p->count[i])
			period_add(to, p->step[i], p->count[i]);
	if (p->rest_count)
		period_add(to, p->rest, p->rest_count);
}

struct counted {
	uint64_t step, count;
};

static int most_first(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->step > y->step) - (x->step < y->step);
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

int64_t period_ticks(const struct period *p, uint64_t *off)
{
	struct counted all[PERIOD_STEPS + 1];
	uint64_t total = 0, seen = 0, ticks = 0;
	size_t n = 0;

	*off = 0;
	for (size_t i = 0; i < PERIOD_STEPS; i++)
		if (p->count[i])
			all[n++] = (struct counted){p->step[i], p->count[i]};
	if (p->rest_count)
		all[n++] = (struct counted){p->rest, p->rest_count};
	for (size_t i = 0; i < n; i++)
		total += all[i].count;
	qsort(all, n, sizeof(all[0]), most_first);
	/* the common ones, as many as it takes to leave only rare ones */
	for (size_t i = 0; i < n && total - seen > total / PERIOD_RARE; i++) {
		ticks = divisor(ticks, all[i].step);
		seen += all[i].count;
	}
	for (size_t i = 0; ticks && i < n; i++)
		if (all[i].step % ticks)
			*off += all[i].count;
	return ticks > INT64_MAX ? 0 : (int64_t)ticks;
}
