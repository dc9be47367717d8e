#include "config.h"

#include "analysis/pipeline/reduce_evaluate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t shape_cost(const struct shape *s, const struct pipeline *at, bool shorts)
{
	return at->execute - (int64_t)s->distance - shape_flush(s, at->setup, shorts);
}

/* ---- stacks -------------------------------------------------------------------------------- */

void stack_clock_restart(struct stack_clock *c)
{
	c->head = c->count = 0;
	memset(c->before, 0, sizeof(c->before));
	memset(c->lost, 0, sizeof(c->lost));
}

void stack_clock_free(struct stack_clock *c)
{
	free(c->ring);
	*c = (struct stack_clock){.ring = NULL};
}

static struct stack_entry *entry_at(const struct stack_clock *c, size_t k)
{
	return &c->ring[(c->head + k) & (c->size - 1)];
}

static bool make_room(struct stack_clock *c)
{
	size_t size = c->size ? c->size * 2 : 16;
	struct stack_entry *ring;

	if (c->count < c->size)
		return true;
	ring = size > PTRDIFF_MAX / sizeof(*ring) ? NULL : malloc(size * sizeof(*ring));
	if (!ring)
		return false;
	for (size_t k = 0; k < c->count; k++)
		ring[k] = *entry_at(c, k);
	free(c->ring);
	c->ring = ring;
	c->size = size;
	c->head = 0;
	return true;
}

/*
 * An arc pays for what the arcs whose dependents it spans have not lost already. With L the sum of
 * what was lost, that is L[k] = max(L[k-1], L[before] + cost), where `before` is the last arc whose
 * dependent this one does not span: its resolver or an older instruction.
 */
bool stack_clock_step(struct stack_clock *c, uint64_t resolver, uint64_t dependent,
		      const int64_t *cost)
{
	struct stack_entry *entry;

	for (; c->count && entry_at(c, 0)->dependent <= resolver; c->count--) {
		memcpy(c->before, entry_at(c, 0)->lost, sizeof(c->before));
		c->head = (c->head + 1) & (c->size - 1);
	}
	if (!make_room(c))
		return false;
	for (int lane = 0; lane < STACK_LANES; lane++) {
		int64_t lost = c->before[lane] + cost[lane];

		if (lost > c->lost[lane])
			c->lost[lane] = lost;
	}
	entry = entry_at(c, c->count++);
	entry->dependent = dependent;
	memcpy(entry->lost, c->lost, sizeof(entry->lost));
	return true;
}

/* ---- points, as many as there are lanes at once --------------------------------------------- */

struct batch {
	const struct reduction *r;
	bool shorts;
	const atomic_bool *stop;
	struct pipeline at[STACK_LANES];
	int64_t (*cost)[STACK_LANES]; /* of each shape */
	struct stack_clock clock;
	bool first; /* no arc of the stack was met */
	int64_t oldest[STACK_LANES];
};

static void cost_shapes(struct batch *b)
{
	for (size_t i = 0; i < shapes_count(&b->r->shapes); i++) {
		struct shape shape = shapes_get(&b->r->shapes, (int32_t)i);

		for (int lane = 0; lane < STACK_LANES; lane++)
			b->cost[i][lane] = shape_cost(&shape, &b->at[lane], b->shorts);
	}
}

static void add_singles(const struct batch *b, int64_t data[STACK_LANES])
{
	for (size_t i = 0; i < shapes_count(&b->r->shapes); i++) {
		int64_t count = (int64_t)b->r->shapes.counts.data[i];

		for (int lane = 0; lane < STACK_LANES; lane++)
			if (b->cost[i][lane] > 0)
				data[lane] += count * b->cost[i][lane];
	}
}

static bool step_arc(void *arg, const struct stack_arc *arc)
{
	struct batch *b = arg;
	struct shape shape = shapes_get(&b->r->shapes, arc->shape);

	if (*b->stop)
		return false;
	if (!stack_clock_step(&b->clock, arc->resolver, arc->resolver + shape.distance,
			      b->cost[arc->shape]))
		return false;
	if (b->first)
		memcpy(b->oldest, b->clock.lost, sizeof(b->oldest));
	b->first = false;
	return true;
}

static bool add_stacks(struct batch *b, int64_t cycles[STACK_LANES])
{
	for (size_t i = 0; i < b->r->stacks.list.count; i++) {
		const struct stack *stack = &b->r->stacks.list.data[i];

		stack_clock_restart(&b->clock);
		b->first = true;
		if (!stacks_visit(&b->r->stacks, stack, step_arc, b))
			return false;
		for (int lane = 0; lane < STACK_LANES; lane++)
			cycles[lane] +=
			    (int64_t)stack->count * (b->clock.lost[lane] - b->oldest[lane]);
	}
	return true;
}

static bool evaluate_batch(struct batch *b, struct reduce_cycles *out, size_t n)
{
	int64_t data[STACK_LANES] = {0}, stack[STACK_LANES] = {0};

	for (size_t lane = 0; lane < STACK_LANES; lane++)
		b->at[lane] = out[lane < n ? lane : 0].at;
	cost_shapes(b);
	add_singles(b, data);
	if (!add_stacks(b, stack))
		return false;
	for (size_t lane = 0; lane < n; lane++) {
		out[lane].data = data[lane];
		out[lane].stack = stack[lane];
	}
	return true;
}

/* ---- what no arc has a part in -------------------------------------------------------------- */

static int64_t flush_cycles(const struct reduction *r, int64_t setup, bool shorts)
{
	int64_t cycles = (int64_t)r->targets * (setup - 1);

	for (size_t i = 0; shorts && i < r->branches.entries.count; i++) {
		const struct tally_entry *entry = &r->branches.entries.data[i];

		if ((int64_t)entry->key < setup)
			cycles -= (int64_t)entry->count * (setup - (int64_t)entry->key);
	}
	return cycles;
}

static int64_t naive_cycles(const struct reduction *r, const struct reduce_cycles *c)
{
	int64_t cycles = c->instructions + c->flush + c->self;

	if (r->arcs[REDUCE_RAW] == REDUCE_UNKNOWN || c->at.execute > REDUCE_LENGTH_MOST)
		return -1;
	for (size_t i = 0; i < r->raw.entries.count; i++) {
		const struct tally_entry *entry = &r->raw.entries.data[i];

		if ((int64_t)entry->key < c->at.execute)
			cycles += (int64_t)entry->count * (c->at.execute - (int64_t)entry->key);
	}
	return cycles;
}

static void finish_point(const struct reduction *r, bool shorts, struct reduce_cycles *c)
{
	c->instructions = (int64_t)r->instructions;
	c->flush = flush_cycles(r, c->at.setup, shorts);
	c->self = (int64_t)r->self_resolving * c->at.execute;
	c->cycles = c->instructions + c->flush + c->data + c->stack + c->self;
	c->naive = naive_cycles(r, c);
	c->exact = r->unread == 0 && c->at.execute <= (int64_t)r->cap;
}

static bool in_range(const struct pipeline *p, int64_t most)
{
	return p->execute >= 1 && p->execute <= most && p->setup >= 1 && p->setup <= most;
}

enum status reduce_evaluate(const struct reduction *r, const struct pipeline *points, size_t n,
			    bool shorts, struct reduce_cycles *out, struct error *e)
{
	return reduce_evaluate_until(r, points, n, shorts, NULL, out, e);
}

enum status reduce_evaluate_until(const struct reduction *r, const struct pipeline *points,
				  size_t n, bool shorts, const atomic_bool *stop,
				  struct reduce_cycles *out, struct error *e)
{
	static const atomic_bool never = false;
	struct batch b = {.r = r, .shorts = shorts, .stop = stop ? stop : &never};
	int64_t most = shorts ? REDUCE_LENGTH_MOST : REDUCE_CAP;
	bool fine;

	if (shorts && !r->shorts)
		return error_set(e, STATUS_USAGE,
				 "collected without the lengths of short branches");
	for (size_t i = 0; i < n; i++)
		if (!in_range(&points[i], most))
			return error_set(e, STATUS_USAGE, "N_E and N_S must be 1 to %" PRId64,
					 most);
	b.cost = calloc(shapes_count(&r->shapes) + 1, sizeof(*b.cost));
	fine = b.cost != NULL;
	for (size_t i = 0; i < n; i++)
		out[i] = (struct reduce_cycles){.at = points[i]};
	for (size_t i = 0; fine && !*b.stop && i < n; i += STACK_LANES)
		fine = evaluate_batch(&b, &out[i], n - i < STACK_LANES ? n - i : STACK_LANES);
	for (size_t i = 0; fine && i < n; i++)
		finish_point(r, shorts, &out[i]);
	stack_clock_free(&b.clock);
	free(b.cost);
	return status_of_work(fine, b.stop, e);
}
