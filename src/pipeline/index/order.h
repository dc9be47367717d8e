/*
 * A first look at the order of rows in a file that is all there, before any is published: is each
 * within the window of the row feed, or must all be sorted first?
 *
 * The text is not lexed: the reader finds where records begin and what tick they begin at, some
 * 2 GB a second and thread. Of a text of more than `most` bytes as much is looked at, in pieces
 * spread evenly. Any number of threads may look at once.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_ORDER_H
#define PIPEGLASS_PIPELINE_INDEX_ORDER_H

#include "pipeline/formats/reader.h"
#include "source/source.h"

struct order;

#define ORDER_ALL UINT64_MAX

/* NULL: no memory. */
struct order *order_new(struct source *source, const struct reader *reader, uint64_t most);
void order_free(struct order *o);
void order_look(struct order *o); /* returns when no piece is left */
void order_stop(struct order *o); /* from any thread: soon none is */
/*
 * Behind all looks: does no row begin before one that has `window` rows or more between? False also
 * where no record was found, or not all could be looked at.
 */
bool order_holds(const struct order *o, uint64_t window);

#endif
