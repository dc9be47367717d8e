#include "config.h"

#include "analysis/pipeline/reduce_recall.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES = 1024, OPEN_MOST = 16 };

/* A clock, as seen from the last arc: times from what is lost by now, dependents from its resolver.
 */
struct clock_view {
	size_t count;
	int64_t before[STACK_LANES];
	struct stack_entry open[OPEN_MOST];
};

/* What a block did to a clock that looked like `from`. */
struct deed {
	int32_t block;
	unsigned round; /* see struct recall */
	struct clock_view from, to;
	uint64_t ahead;            /* so much farther is the last resolver */
	int64_t lost[STACK_LANES]; /* so much more is lost */
};

/* A block that is being walked. */
struct visit {
	bool known; /* how the clock looked before */
	struct clock_view from;
	uint64_t resolver;
	int64_t lost[STACK_LANES];
};

struct recall {
	unsigned round; /* deeds of others are forgotten */
	size_t depth;
	struct visit visits[STACK_LEVELS + 1];
	struct deed deeds[PLACES];
};

struct recall *recall_new(void)
{
	return calloc(1, sizeof(struct recall));
}

void recall_free(struct recall *r)
{
	free(r);
}

void recall_clear(struct recall *r)
{
	r->round++;
	r->depth = 0;
}

/* False: too much is open. */
static bool look(const struct stack_clock *c, uint64_t resolver, struct clock_view *out)
{
	if (c->count > OPEN_MOST)
		return false;
	out->count = c->count;
	for (int lane = 0; lane < STACK_LANES; lane++)
		out->before[lane] = c->before[lane] - c->lost[lane];
	for (size_t i = 0; i < c->count; i++) {
		struct stack_entry *e = &out->open[i];

		*e = c->ring[(c->head + i) & (c->size - 1)];
		e->dependent -= resolver;
		for (int lane = 0; lane < STACK_LANES; lane++)
			e->lost[lane] -= c->lost[lane];
	}
	return true;
}

static bool same_view(const struct clock_view *a, const struct clock_view *b)
{
	return a->count == b->count && memcmp(a->before, b->before, sizeof(a->before)) == 0 &&
	       memcmp(a->open, b->open, a->count * sizeof(a->open[0])) == 0;
}

static uint64_t mix(uint64_t hash, const int64_t *lanes)
{
	for (int lane = 0; lane < STACK_LANES; lane++)
		hash = (hash ^ (uint64_t)lanes[lane]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

/* A loop's rounds may need some to look alike again: a block has a place for each look. */
static struct deed *deed_of(struct recall *r, int32_t block, const struct clock_view *from)
{
	uint64_t hash = mix((uint64_t)block, from->before);

	for (size_t i = 0; i < from->count; i++)
		hash = mix(hash + from->open[i].dependent, from->open[i].lost);
	return &r->deeds[(hash >> 20) % PLACES];
}

/* The clock after the deed: room for what is open then it has, as it had it once. */
static void repeat(const struct deed *d, struct stack_clock *c, uint64_t resolver)
{
	for (int lane = 0; lane < STACK_LANES; lane++) {
		c->lost[lane] += d->lost[lane];
		c->before[lane] = d->to.before[lane] + c->lost[lane];
	}
	c->head = 0;
	c->count = d->to.count;
	for (size_t i = 0; i < c->count; i++) {
		struct stack_entry *e = &c->ring[i];

		*e = d->to.open[i];
		e->dependent += resolver;
		for (int lane = 0; lane < STACK_LANES; lane++)
			e->lost[lane] += c->lost[lane];
	}
}

bool recall_skip(struct recall *r, struct stack_clock *c, int32_t block, bool walk,
		 uint64_t *resolver)
{
	struct visit *v = &r->visits[r->depth];
	const struct deed *d;

	v->known = look(c, *resolver, &v->from);
	if (v->known && !walk) {
		d = deed_of(r, block, &v->from);
		if (d->round == r->round && d->block == block && same_view(&d->from, &v->from)) {
			*resolver += d->ahead;
			repeat(d, c, *resolver);
			return true;
		}
	}
	v->resolver = *resolver;
	memcpy(v->lost, c->lost, sizeof(v->lost));
	r->depth++;
	return false;
}

void recall_left(struct recall *r, const struct stack_clock *c, int32_t block, uint64_t resolver)
{
	const struct visit *v = &r->visits[--r->depth];
	struct deed *d;

	if (!v->known)
		return;
	d = deed_of(r, block, &v->from);
	d->round = 0;
	if (!look(c, resolver, &d->to))
		return;
	d->block = block;
	d->round = r->round;
	d->from = v->from;
	d->ahead = resolver - v->resolver;
	for (int lane = 0; lane < STACK_LANES; lane++)
		d->lost[lane] = c->lost[lane] - v->lost[lane];
}
