/*
 * The committed instructions of a run in program order, with their five times: columns of some 37
 * bytes each, whatever the trace says of them.
 *
 * Written once from the front; read at any place in O(WHY_BLOCK), or one after another in O(1).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_WHY_COLUMNS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_WHY_COLUMNS_H

#include <stddef.h>

#include "analysis/pipeline/why_model.h"
#include "base/vec.h"

enum {
	WHY_BLOCK = 1024,
	WHY_REACH = 4096,  /* producers farther back are forgotten: they had committed */
	WHY_PRODUCERS = 15, /* of an instruction, at most */
	WHY_GROUP = 8       /* instructions of a group, at most: one with its second halves */
};

struct why_insn {
	int32_t fetch;    /* from the base of its block */
	int32_t later[4]; /* the other times, each from the one before */
	uint32_t row;     /* from why_columns.row0 */
	uint32_t code;
	unsigned flags : 16; /* WHY_... */
	unsigned front : 4;  /* 1 + that of the in-order stage it stayed in too long; 0: none */
	unsigned producers : 4;
	unsigned op : 8;
};

struct why_block {
	int64_t base;
	size_t producer; /* of its first instruction */
};

struct why_columns {
	uint64_t row0;
	VEC(struct why_insn) insns;
	VEC(uint32_t) producers; /* how many instructions before */
	VEC(struct why_block) blocks;
};

/* An instruction, unpacked; producers as why_columns has them. */
struct why_node {
	size_t index;
	struct why_insn insn;
	int64_t times[WHY_TIMES];
	const uint32_t *producers;
};

/* False: no memory, or (*far) its times are more than 2^31 cycles apart, and it is left out. */
bool why_columns_add(struct why_columns *c, const struct why_node *n, bool *far);
void why_columns_free(struct why_columns *c);

void why_columns_at(const struct why_columns *c, size_t index, struct why_node *out);
/* From one to the next, which must be there. */
void why_columns_next(const struct why_columns *c, struct why_node *n);
/* The group that begins with *n; how many it has. *n is the one behind it, or none: index is the count. */
size_t why_columns_take(const struct why_columns *c, struct why_node *n,
			struct why_node nodes[WHY_GROUP]);

/* The first instruction of the group; that of the group behind. */
static inline size_t why_columns_begin(const struct why_columns *c, size_t index)
{
	while (index > 0 && !(c->insns.data[index].flags & WHY_WHOLE))
		index--;
	return index;
}

static inline size_t why_columns_end(const struct why_columns *c, size_t index)
{
	do
		index++;
	while (index < c->insns.count && !(c->insns.data[index].flags & WHY_WHOLE));
	return index;
}

#endif
