#include "config.h"

#include "analysis/pipeline/reduce_stacks.h"

#include <string.h>

/*
 * A block is its height in one byte, and then, of height 0, arcs: how far the resolver is behind
 * the one before, and the shape, each in groups of seven bits, lowest first. Above that it is the
 * numbers of the blocks below.
 */
bool stacks_init(struct stacks *s)
{
	*s = (struct stacks){.blocks = intern_new(), .leaf_used = 1};
	return s->blocks != NULL;
}

void stacks_free(struct stacks *s)
{
	intern_free(s->blocks);
	vec_free(&s->index);
	vec_free(&s->list);
	s->blocks = NULL;
}

static size_t put_number(uint8_t *at, uint64_t value)
{
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		at[n++] = (uint8_t)(value | 0x80);
	at[n++] = (uint8_t)value;
	return n;
}

static const uint8_t *take_number(const uint8_t *at, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0;; shift += 7) {
		*value |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80))
			return at;
	}
}

static int32_t add_block(struct stacks *s, const void *bytes, size_t len)
{
	int32_t id = intern_add(s->blocks, bytes, len);

	if (id >= 0 && (size_t)id == s->index.count && !vec_push(&s->index, 0))
		return -1;
	return id;
}

/* What stands at a level becomes a block. */
static int32_t seal(struct stacks *s, size_t level)
{
	uint8_t node[1 + sizeof(s->child[0])];
	size_t len = s->children[level] * sizeof(s->child[0][0]);

	if (level == 0) {
		len = s->leaf_used;
		s->leaf_used = 1;
		s->children[0] = 0;
		return add_block(s, s->leaf, len);
	}
	node[0] = (uint8_t)level;
	memcpy(node + 1, s->child[level], len);
	s->children[level] = 0;
	return add_block(s, node, 1 + len);
}

static bool hand_up(struct stacks *s, size_t level)
{
	int32_t id;

	do {
		id = seal(s, level++);
		if (id < 0 || level == STACK_LEVELS)
			return false;
		s->child[level][s->children[level]++] = id;
	} while (s->children[level] == STACK_FAN);
	return true;
}

bool stacks_push(struct stacks *s, uint64_t resolver, int32_t shape)
{
	uint64_t ahead = s->arcs ? resolver - s->last : 0;

	s->leaf_used += put_number(s->leaf + s->leaf_used, ahead);
	s->leaf_used += put_number(s->leaf + s->leaf_used, (uint64_t)shape);
	s->last = resolver;
	s->arcs++;
	return ++s->children[0] < STACK_FAN || hand_up(s, 0);
}

static bool anything_above(const struct stacks *s, size_t level)
{
	while (++level < STACK_LEVELS)
		if (s->children[level])
			return true;
	return false;
}

/* The block that holds all of the open stack; < 0: no memory. */
static int32_t seal_all(struct stacks *s)
{
	for (size_t level = 0; level < STACK_LEVELS; level++) {
		bool top = !anything_above(s, level);

		if (top && level && s->children[level] == 1) {
			s->children[level] = 0;
			return s->child[level][0];
		}
		if (s->children[level] && !hand_up(s, level))
			return -1;
	}
	return -1;
}

bool stacks_close(struct stacks *s, uint64_t count)
{
	uint64_t arcs = s->arcs;
	int32_t root = seal_all(s);

	s->arcs = 0;
	if (root < 0)
		return false;
	if (s->index.data[root]) {
		s->list.data[s->index.data[root] - 1].count += count;
		return true;
	}
	if (!vec_push(&s->list, ((struct stack){root, arcs, count})))
		return false;
	s->index.data[root] = (uint32_t)s->list.count;
	return true;
}

struct walk {
	const struct stacks *stacks;
	bool (*visit)(void *arg, const struct stack_arc *arc);
	void *arg;
	struct stack_arc at;
};

static bool walk_leaf(struct walk *w, const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		uint64_t ahead, shape;

		p = take_number(take_number(p, &ahead), &shape);
		w->at.resolver += ahead;
		w->at.shape = (int32_t)shape;
		if (!w->visit(w->arg, &w->at))
			return false;
	}
	return true;
}

/* At most STACK_LEVELS deep. */
static bool walk_block(struct walk *w, int32_t block)
{
	const char *p = intern_name(w->stacks->blocks, block);
	const char *end = p + intern_length(w->stacks->blocks, block);
	int32_t child;

	if (*p++ == 0)
		return walk_leaf(w, (const uint8_t *)p, (const uint8_t *)end);
	for (; p < end; p += sizeof(child)) {
		memcpy(&child, p, sizeof(child));
		if (!walk_block(w, child))
			return false;
	}
	return true;
}

bool stacks_visit(const struct stacks *s, const struct stack *stack,
		  bool (*visit)(void *arg, const struct stack_arc *arc), void *arg)
{
	struct walk w = {.stacks = s, .visit = visit, .arg = arg};

	return walk_block(&w, stack->root);
}
