#include "config.h"

#include "analysis/pipeline/reduce_result.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const reduce_stage_keys[REDUCE_STAGES] = {
#define REDUCE_STAGE_KEY(stage, key, help) key,
    REDUCE_STAGE_INFO(REDUCE_STAGE_KEY)
#undef REDUCE_STAGE_KEY
};

bool reduction_init(struct reduction *r)
{
	*r = (struct reduction){.cap = REDUCE_CAP};
	if (shapes_init(&r->shapes) && stacks_init(&r->stacks))
		return true;
	reduction_free(r);
	return false;
}

void reduction_free(struct reduction *r)
{
	for (int i = 0; i < REDUCE_STAGES; i++)
		tally_free(&r->chains[i]);
	tally_free(&r->raw);
	tally_free(&r->branches);
	shapes_free(&r->shapes);
	stacks_free(&r->stacks);
}

/* ---- adding up ----------------------------------------------------------------------------- */

struct graft {
	struct reduction *dst;
	const struct reduction *src;
	uint64_t weight;
};

/* The same shape in dst; without lengths if dst does not keep them. */
static int32_t graft_shape(const struct graft *g, int32_t id)
{
	struct shape shape = shapes_get(&g->src->shapes, id);
	uint32_t few[64], *lengths = few;
	size_t shorts = g->dst->shorts ? shape.shorts : 0;

	if (shorts > sizeof(few) / sizeof(few[0]))
		lengths = malloc(shorts * sizeof(*lengths));
	if (!lengths)
		return SHAPE_NONE;
	for (uint32_t k = 0; k < shorts; k++)
		lengths[k] = shape_length(&shape, k);
	id = shapes_add(&g->dst->shapes, shape.distance, shape.branches, lengths, shorts);
	if (lengths != few)
		free(lengths);
	return id;
}

static bool graft_arc(void *arg, const struct stack_arc *arc)
{
	const struct graft *g = arg;
	int32_t id = graft_shape(g, arc->shape);

	return id >= 0 && stacks_push(&g->dst->stacks, arc->resolver, id);
}

static bool graft_shapes(const struct graft *g)
{
	for (size_t i = 0; i < shapes_count(&g->src->shapes); i++) {
		int32_t id = graft_shape(g, (int32_t)i);

		if (id < 0)
			return false;
		g->dst->shapes.counts.data[id] += g->src->shapes.counts.data[i] * g->weight;
	}
	return true;
}

static bool graft_stacks(struct graft *g)
{
	for (size_t i = 0; i < g->src->stacks.list.count; i++) {
		const struct stack *stack = &g->src->stacks.list.data[i];

		if (!stacks_visit(&g->src->stacks, stack, graft_arc, g) ||
		    !stacks_close(&g->dst->stacks, stack->count * g->weight))
			return false;
	}
	return true;
}

static bool graft_all(struct graft *g)
{
	bool fine = tally_merge(&g->dst->raw, &g->src->raw, g->weight) &&
		    tally_merge(&g->dst->branches, &g->src->branches, g->weight);

	for (int i = 0; fine && i < REDUCE_STAGES; i++)
		fine = tally_merge(&g->dst->chains[i], &g->src->chains[i], g->weight);
	return fine && graft_shapes(g) && graft_stacks(g);
}

/* *dst += weight * src; false: more than most, which is above all that are allowed. */
static bool add_count(uint64_t *dst, uint64_t src, uint64_t weight, uint64_t most)
{
	uint64_t more;

	if (*dst == REDUCE_UNKNOWN || src == REDUCE_UNKNOWN) {
		*dst = REDUCE_UNKNOWN;
		return true;
	}
	return !__builtin_mul_overflow(src, weight, &more) &&
	       !__builtin_add_overflow(*dst, more, dst) && *dst <= most;
}

static bool add_counts(struct reduction *dst, const struct reduction *src, uint64_t weight)
{
	uint64_t raw = tally_total(&dst->raw, NULL);

	if (!add_count(&raw, tally_total(&src->raw, NULL), weight, REDUCE_RAW_MOST))
		return false;
#define REDUCE_COUNT_ADD(field, key, help)                                                         \
	if (!add_count(&dst->field, src->field, weight, REDUCE_RAW_MOST))                          \
		return false;
	REDUCE_COUNT_INFO(REDUCE_COUNT_ADD)
#undef REDUCE_COUNT_ADD
	for (int i = 0; i < REDUCE_STAGES; i++)
		if (!add_count(&dst->arcs[i], src->arcs[i], weight, REDUCE_RAW_MOST))
			return false;
	return dst->instructions <= REDUCE_COUNT_MOST;
}

enum status reduction_merge(struct reduction *dst, const struct reduction *src, uint64_t weight,
			    struct error *e)
{
	struct graft g = {dst, src, weight};
	bool first = dst->instructions == 0;

	if (weight == 0)
		return STATUS_OK;
	if (first) {
		dst->shorts = src->shorts;
		dst->r3plus = src->r3plus;
	}
	dst->shorts &= src->shorts;
	dst->r3plus &= src->r3plus;
	dst->cap = src->cap < dst->cap || first ? src->cap : dst->cap;
	if (!add_counts(dst, src, weight))
		return error_set(e, STATUS_INPUT, "more than 2^40 instructions in all");
	return graft_all(&g) ? STATUS_OK : error_set(e, STATUS_NOMEM, "no memory");
}

/* ---- checks -------------------------------------------------------------------------------- */

struct check {
	const struct reduction *r;
	uint64_t arcs;
	const char *wrong;
};

/* The oldest arc of a stack is counted by its shape. */
static void check_stacks(struct check *c)
{
	for (size_t i = 0; i < c->r->stacks.list.count && !c->wrong; i++) {
		const struct stack *stack = &c->r->stacks.list.data[i];
		uint64_t further;

		if (__builtin_mul_overflow(stack->arcs - 1, stack->count, &further) ||
		    __builtin_add_overflow(c->arcs, further, &c->arcs))
			c->wrong = "more arcs in stacks than instructions";
	}
}

static void check_shape(struct check *c, int32_t id)
{
	struct shape shape = shapes_get(&c->r->shapes, id);
	uint64_t count = c->r->shapes.counts.data[id];

	if (shape.distance >= c->r->cap)
		c->wrong = "an arc's distance is not below the cap";
	else if (count && shape.distance >= c->r->instructions)
		c->wrong = "an arc is longer than the trace";
	else if (count && shape.branches > c->r->targets)
		c->wrong = "an arc spans more branches than were taken";
	else if (__builtin_add_overflow(c->arcs, count, &c->arcs))
		c->wrong = "more arcs than instructions";
}

static bool stages_descend(const struct reduction *r)
{
	uint64_t before = REDUCE_UNKNOWN;

	for (int i = 0; i < REDUCE_STAGES; i++) {
		if (r->arcs[i] == REDUCE_UNKNOWN)
			continue;
		if (r->arcs[i] > before)
			return false;
		before = r->arcs[i];
	}
	return true;
}

enum status reduction_check(const struct reduction *r, struct error *e)
{
	struct check c = {.r = r};
	uint64_t raw = tally_total(&r->raw, NULL);

	for (size_t i = 0; i < shapes_count(&r->shapes) && !c.wrong; i++)
		check_shape(&c, (int32_t)i);
	if (!c.wrong)
		check_stacks(&c);
	if (c.wrong)
		return error_set(e, STATUS_INPUT, "%s", c.wrong);
	if (r->instructions > REDUCE_COUNT_MOST)
		return error_set(e, STATUS_INPUT, "more than 2^40 instructions");
	if (c.arcs > r->instructions)
		return error_set(e, STATUS_INPUT, "more dependent instructions than instructions");
	if (!stages_descend(r))
		return error_set(e, STATUS_INPUT, "a reduction leaves more arcs than it found");
	if (r->targets > r->instructions || r->self_resolving > r->instructions)
		return error_set(e, STATUS_INPUT, "more branches than instructions");
	if (tally_total(&r->branches, NULL) > r->targets)
		return error_set(e, STATUS_INPUT, "more short branches than taken branches");
	if (raw > REDUCE_RAW_MOST)
		return error_set(e, STATUS_INPUT, "more than 2^42 arcs");
	return STATUS_OK;
}

/* ---- lists --------------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
	const struct shape_count *x = a, *y = b;

	return shape_compare(&x->shape, &y->shape);
}

static bool is_like(const struct shape *a, const struct shape *b)
{
	return a->distance == b->distance && a->branches == b->branches;
}

/* Neighbours that differ in lengths only become one. */
static void merge_lengths(struct shape_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->items.count; i++) {
		struct shape_count *item = &list->items.data[i];

		if (kept && is_like(&list->items.data[kept - 1].shape, &item->shape))
			list->items.data[kept - 1].count += item->count;
		else
			list->items.data[kept++] = *item;
	}
	list->items.count = kept;
}

bool reduction_shapes(const struct reduction *r, bool lengths, struct shape_list *out)
{
	*out = (struct shape_list){.items.count = 0};
	for (size_t i = 0; i < shapes_count(&r->shapes); i++) {
		struct shape_count item = {shapes_get(&r->shapes, (int32_t)i),
					   r->shapes.counts.data[i]};

		if (item.count && !vec_push(&out->items, item)) {
			vec_free(&out->items);
			return false;
		}
	}
	if (out->items.count)
		qsort(out->items.data, out->items.count, sizeof(*out->items.data), compare_counts);
	if (!lengths)
		merge_lengths(out);
	return true;
}
