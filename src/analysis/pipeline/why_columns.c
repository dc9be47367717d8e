#include "config.h"

#include "analysis/pipeline/why_columns.h"

static bool fits(int64_t value, int32_t *out)
{
	*out = (int32_t)value;
	return *out == value;
}

static bool pack(struct why_insn *insn, const int64_t times[WHY_TIMES], int64_t base)
{
	bool ok = fits(times[WHY_F] - base, &insn->fetch);

	for (int t = WHY_D; ok && t < WHY_TIMES; t++)
		ok = fits(times[t] - times[t - 1], &insn->later[t - 1]);
	return ok;
}

bool why_columns_add(struct why_columns *c, const struct why_node *n, bool *far)
{
	struct why_insn insn = n->insn;
	bool begins = c->insns.count % WHY_BLOCK == 0;

	*far = false;
	if (!vec_reserve(&c->insns, 1) || !vec_reserve(&c->blocks, 1) ||
	    !vec_reserve(&c->producers, insn.producers))
		return false;
	*far = !pack(&insn, n->times, begins ? n->times[WHY_F] : vec_last(&c->blocks).base);
	if (*far)
		return false;
	if (begins)
		c->blocks.data[c->blocks.count++] =
		    (struct why_block){n->times[WHY_F], c->producers.count};
	c->insns.data[c->insns.count++] = insn;
	for (unsigned i = 0; i < insn.producers; i++)
		c->producers.data[c->producers.count++] = n->producers[i];
	return true;
}

void why_columns_free(struct why_columns *c)
{
	vec_free(&c->insns);
	vec_free(&c->producers);
	vec_free(&c->blocks);
}

static inline void unpack(const struct why_columns *c, struct why_node *n)
{
	n->insn = c->insns.data[n->index];
	n->times[WHY_F] = c->blocks.data[n->index / WHY_BLOCK].base + n->insn.fetch;
	for (int t = WHY_D; t < WHY_TIMES; t++)
		n->times[t] = n->times[t - 1] + n->insn.later[t - 1];
}

void why_columns_at(const struct why_columns *c, size_t index, struct why_node *out)
{
	size_t block = index / WHY_BLOCK, producer = c->blocks.data[block].producer;

	for (size_t i = block * WHY_BLOCK; i < index; i++)
		producer += c->insns.data[i].producers;
	out->index = index;
	out->producers = producer ? c->producers.data + producer : c->producers.data;
	unpack(c, out);
}

size_t why_columns_take(const struct why_columns *c, struct why_node *n,
			struct why_node nodes[WHY_GROUP])
{
	const size_t end = why_columns_end(c, n->index);
	size_t count = 0;

	while (n->index < end) {
		nodes[count++] = *n;
		if (n->index + 1 < c->insns.count)
			why_columns_next(c, n);
		else
			n->index++;
	}
	return count;
}

void why_columns_next(const struct why_columns *c, struct why_node *n)
{
	if (n->insn.producers)
		n->producers += n->insn.producers;
	n->index++;
	unpack(c, n);
}
