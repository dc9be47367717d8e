#include "config.h"

#include "view/pipeline/chain.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/xalloc.h"
#include "view/pipeline/links.h"

/* Where row is among the members, or belongs. */
static size_t place_of(const struct chain *c, uint64_t row)
{
	size_t lo = 0, hi = c->count;

	bisect(lo, hi, i, c->members[i].row < row);
	return lo;
}

enum chain_side chain_side(const struct chain *c, uint64_t row)
{
	size_t at = place_of(c, row);

	return at < c->count && c->members[at].row == row ? c->members[at].side : CHAIN_OUT;
}

static void add(struct chain *c, uint64_t row, enum chain_side side)
{
	size_t at = place_of(c, row);

	if (row == ROW_NONE || (at < c->count && c->members[at].row == row))
		return;
	if (c->count == CHAIN_ROWS) {
		c->cut = true;
		return;
	}
	memmove(&c->members[at + 1], &c->members[at], (c->count - at) * sizeof(*c->members));
	c->members[at] = c->queue[c->count] = (struct chain_member){row, side};
	c->count++;
	c->sides[side]++;
}

struct chain *chain_new(uint64_t row)
{
	struct chain *c = xcalloc(1, sizeof(*c));

	c->members = xcalloc(CHAIN_ROWS + 1, sizeof(*c->members));
	c->queue = xcalloc(CHAIN_ROWS + 1, sizeof(*c->queue));
	add(c, row, CHAIN_SELF);
	return c;
}

void chain_free(struct chain *c)
{
	if (!c)
		return;
	free(c->members);
	free(c->queue);
	free(c);
}

/* What a producer waited for is a producer too; from there no way leads down again. */
static enum status look_at(struct chain *c, struct store *s, const struct chain_member *m,
			   struct error *e)
{
	struct link_list l;
	enum status status = links_of(s, m->row, m->side != CHAIN_CONSUMER,
				      m->side != CHAIN_PRODUCER, &l, e);

	if (status)
		return status;
	for (size_t i = 0; i < l.producer_count; i++)
		add(c, l.producers[i].row, CHAIN_PRODUCER);
	for (size_t i = 0; i < l.consumer_count; i++)
		add(c, l.consumers[i].row, CHAIN_CONSUMER);
	c->cut = c->cut || l.more;
	c->far = c->far || links_are_far(&l);
	return STATUS_OK;
}

enum status chain_find(struct chain *c, struct store *s, const atomic_bool *stop, struct error *e)
{
	enum status status = STATUS_OK;

	while (c->next < c->count && !status && !*stop)
		status = look_at(c, s, &c->queue[c->next++], e);
	return status;
}
