/*
 * The chain of a row: all it waited for, directly or through others, and all that waited for it.
 *
 * A row of it costs its text, that of the leaves where its producers are and of those that can name
 * it. At most CHAIN_ROWS rows are in it, the nearest ones. A look-up is O(log rows).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CHAIN_H
#define PIPEGLASS_VIEW_PIPELINE_CHAIN_H

#include <stdatomic.h>

#include "pipeline/store.h"

enum { CHAIN_ROWS = 1000 };

enum chain_side { CHAIN_OUT, CHAIN_SELF, CHAIN_PRODUCER, CHAIN_CONSUMER };

struct chain_member {
	uint64_t row;
	enum chain_side side;
};

struct chain {
	struct chain_member *members; /* by row */
	struct chain_member *queue;   /* in the order they were found: the nearest first */
	size_t count, next;           /* queue[next] is looked at next; the queue holds all members */
	size_t sides[CHAIN_CONSUMER + 1]; /* how many */
	bool cut; /* some were left out */
	bool far; /* producers too far back in the text are not in it */
};

struct chain *chain_new(uint64_t row);
void chain_free(struct chain *c);
/* All rows of it, or those until *stop: another call goes on. Errors: as store_detail(). */
enum status chain_find(struct chain *c, struct store *s, const atomic_bool *stop, struct error *e);
enum chain_side chain_side(const struct chain *c, uint64_t row);

#endif
