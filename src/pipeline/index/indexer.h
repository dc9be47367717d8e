/*
 * The first pass: cuts the text at cycle lines, has the pieces read by worker threads, and
 * stitches them in order.
 *
 * Pieces begin at 1 MiB, so that the first screen comes at once, and double up to 8 MiB (2 MiB for gzip).
 * (Formats whose text gives whole rows go another way: indexer_rows.c.) At most
 * two pieces a worker are under way: memory does not depend on the trace. The result is the
 * same for any number of workers.
 */
#ifndef PIPEGLASS_PIPELINE_INDEX_INDEXER_H
#define PIPEGLASS_PIPELINE_INDEX_INDEXER_H

#include "source/source.h"
#include "pipeline/index/stitch.h"

struct indexer;

struct indexer_options {
	struct source *source;
	const struct reader *reader;
	/* The text's first window, already read: what is live gives it again only with more. It is
	 * the indexer's from now on, even if it cannot start. */
	struct window first;
	struct trace_index *index;
	struct trace_counts *counts;
	struct codes *codes;
	struct names *names;
	struct segments segments; /* for the lexers */
	int threads;
	bool background; /* somebody uses the index meanwhile: workers give way, rows do not wait */
	void (*published)(void *arg); /* from a worker: something new can be asked for */
	void (*finished)(void *arg, enum status status, const struct error *e);
	void *arg;
};

enum status indexer_start(struct indexer **out, const struct indexer_options *o, struct error *e);
void indexer_cancel(struct indexer *ix); /* soon; what is there is finished as if the text ended */
void indexer_join(struct indexer *ix);   /* wait for the workers, and free */

#endif
