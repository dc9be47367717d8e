#include "config.h"

#include "analysis/cpi0_triangle.h"

#include <math.h>

#include "analysis/cpi0_kinds.h"

enum { X, Y, SCALE = 1 << 20 };

static uint64_t count_of(const struct cpi0_mix *mix, class_set classes)
{
	uint64_t sum = 0;

	for (int c = 0; c < OP_CLASS_COUNT; c++)
		sum += classes >> c & 1 ? mix->classes[c] : 0;
	return sum;
}

static class_set side(const struct machine *m, enum cpi0_kind kind, class_set otherwise)
{
	for (int q = 0; q < m->queue_count; q++)
		if (cpi0_kind_of(&m->queues[q]) == kind)
			return m->queues[q].classes;
	return otherwise;
}

void cpi0_triangle_init(struct cpi0_triangle *t, const struct machine *m,
			const struct cpi0_mix *mix)
{
	*t = (struct cpi0_triangle){.machine = m, .mix = *mix};
	t->sides[X] = side(m, CPI0_KIND_MEMORY, CPI0_MEMORY);
	t->sides[Y] = side(m, CPI0_KIND_INTEGER, CPI0_INTEGERS);
}

void cpi0_triangle_dot(const struct cpi0_triangle *t, const struct cpi0_mix *mix, double *x,
		       double *y)
{
	*x = mix->total ? (double)count_of(mix, t->sides[X]) / (double)mix->total : 0;
	*y = mix->total ? (double)count_of(mix, t->sides[Y]) / (double)mix->total : 0;
}

/* So much of a kind, its classes as in the run; it has none: alike of what is usual. */
static void fill(struct cpi0_mix *out, const struct cpi0_mix *from, class_set kind,
		 class_set usual, double share)
{
	uint64_t all = count_of(from, kind);
	class_set classes = all ? kind : usual;

	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		double part = 1.0 / __builtin_popcount(usual);

		if (!(classes >> c & 1))
			continue;
		if (all)
			part = (double)from->classes[c] / (double)all;
		out->classes[c] = (uint64_t)llround(share * part * SCALE);
		out->total += out->classes[c];
	}
}

int cpi0_triangle_limit(const struct cpi0_triangle *t, double x, double y)
{
	const class_set rest = ~(t->sides[X] | t->sides[Y]);
	struct cpi0_mix mix = cpi0_mix_none();
	struct cpi0 c;

	fill(&mix, &t->mix, t->sides[X], CPI0_MEMORY, x);
	fill(&mix, &t->mix, t->sides[Y], CPI0_CLASS(INT_ALU), y);
	fill(&mix, &t->mix, rest, CPI0_CLASS(FP_ADD) | CPI0_CLASS(FP_MUL),
	     x + y < 1 ? 1 - x - y : 0);
	if (cpi0_model(&c, t->machine, &mix, NULL))
		return CPI0_DISPATCH;
	return __builtin_ctz(c.limiting);
}
