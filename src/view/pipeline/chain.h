/*
 * The chain of a row: all it waited for, directly or through others, and all that waited for it.
 *
 * Made a step at a time, so that the caller can stop between two: a step reads the text of one
 * row, of the leaves where its producers are and of those that can name it. At most CHAIN_ROWS
 * rows are in it, the nearest ones; chain_cut() tells when that left some out. A look-up is
 * O(log rows).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CHAIN_H
#define PIPEGLASS_VIEW_PIPELINE_CHAIN_H

#include "pipeline/store.h"

enum { CHAIN_ROWS = 1000 };

enum chain_side { CHAIN_OUT, CHAIN_SELF, CHAIN_PRODUCER, CHAIN_CONSUMER };

struct chain;

struct chain *chain_new(uint64_t row);
void chain_free(struct chain *c);
/* One row more is looked at. *done: there is none left. Errors: as store_detail(). */
enum status chain_step(struct chain *c, struct store *s, bool *done, struct error *e);
enum chain_side chain_side(const struct chain *c, uint64_t row);
size_t chain_count(const struct chain *c, enum chain_side side);
bool chain_cut(const struct chain *c);
bool chain_far(const struct chain *c); /* producers too far back in the text are not in it */

#endif
