#include "config.h"

#include "analysis/pipeline/reduce_chains.h"

#include <string.h>

/* Chains that end at or before `behind` are out of reach. */
static bool settle(struct chains *c, int64_t behind, struct reduce_tally *lengths)
{
	for (; c->first < c->open.count && c->open.data[c->first].end <= behind; c->first++)
		if (!tally_add(lengths, c->open.data[c->first].arcs, 1))
			return false;
	if (c->first > c->open.count / 2) {
		c->open.count -= c->first;
		memmove(c->open.data, c->open.data + c->first,
			c->open.count * sizeof(*c->open.data));
		c->first = 0;
	}
	return true;
}

bool chains_add(struct chains *c, int64_t dependent, int64_t resolver, int64_t behind,
		struct reduce_tally *lengths)
{
	struct open_chain chain = {dependent, 1};

	if (!settle(c, behind, lengths))
		return false;
	for (; c->open.count > c->first && vec_last(&c->open).end > resolver; c->open.count--)
		chain.arcs += vec_last(&c->open).arcs;
	return vec_push(&c->open, chain);
}

bool chains_end(struct chains *c, struct reduce_tally *lengths)
{
	return settle(c, INT64_MAX, lengths);
}

void chains_free(struct chains *c)
{
	vec_free(&c->open);
}
