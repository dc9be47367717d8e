#include "config.h"

#include "analysis/pipeline/cpi0_triangle.h"

#include <math.h>

#include "analysis/pipeline/cpi0_kinds.h"

enum { X, Y, SCALE = 10000000 /* instructions: most shares are whole numbers of them */ };

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
	double places = (double)mix->total + (double)mix->folded;

	*x = mix->total ? (double)count_of(mix, t->sides[X]) / places : 0;
	*y = mix->total ? (double)count_of(mix, t->sides[Y]) / places : 0;
}

/*
 * So many of a kind, its classes as in the run; it has none: alike of what is usual. They add up
 * exactly, so that on a line between two limits neither is ahead by what was rounded.
 */
static void fill(struct cpi0_mix *out, const struct cpi0_mix *from, class_set kind, class_set usual,
		 uint64_t total)
{
	uint64_t all = count_of(from, kind), before = 0, done = 0;
	class_set classes = all ? kind : usual;

	for (int c = 0; c < OP_CLASS_COUNT; c++) {
		uint64_t until;

		if (!(classes >> c & 1))
			continue;
		before += all ? from->classes[c] : 1;
		until =
		    (uint64_t)llround((double)before * (double)total /
				      (double)(all ? all : (uint64_t)__builtin_popcount(usual)));
		out->classes[c] = until - done;
		if (from->classes[c])
			out->beside[c] = (uint64_t)llround((double)out->classes[c] *
							   (double)from->beside[c] /
							   (double)from->classes[c]);
		done = until;
	}
	out->total += total;
}

int cpi0_triangle_limit(const struct cpi0_triangle *t, double x, double y)
{
	const class_set rest = ~(t->sides[X] | t->sides[Y]);
	struct cpi0_mix mix = cpi0_mix_none();
	uint64_t memory = (uint64_t)llround(x * SCALE), integer = (uint64_t)llround(y * SCALE);
	struct cpi0 c;

	fill(&mix, &t->mix, t->sides[X], CPI0_MEMORY, memory);
	fill(&mix, &t->mix, t->sides[Y], CPI0_CLASS(INT_ALU), integer);
	fill(&mix, &t->mix, rest, CPI0_CLASS(FP_ADD) | CPI0_CLASS(FP_MUL),
	     memory + integer < SCALE ? SCALE - memory - integer : 0);
	/* as many places an instruction as in the run */
	if (t->mix.folded)
		mix.folded = (uint64_t)llround((double)mix.total * (double)t->mix.folded /
					       (double)(t->mix.total + t->mix.folded));
	mix.total -= mix.folded;
	if (cpi0_model(&c, t->machine, &mix, NULL))
		return CPI0_DISPATCH;
	return __builtin_ctz(c.limiting);
}
