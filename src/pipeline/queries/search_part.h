/*
 * Lines that match within one part of the text, for search.c's threads.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SEARCH_PART_H
#define PIPEGLASS_PIPELINE_QUERIES_SEARCH_PART_H

#include <stdatomic.h>

#include "base/regex.h"
#include "base/vec.h"
#include "pipeline/queries/search.h"

struct line_scan {
	struct store *store;
	struct regex *regex;
	struct regex *many; /* the same for many lines at once; NULL: each is tried by itself */
	atomic_bool stop;
};

struct part_hits {
	VEC(uint32_t) at; /* of the lines, from the part's start */
	uint64_t part;    /* whose they are, + 1; 0: nobody's. For the caller */
	uint32_t lines;   /* line feeds in it; only where the index does not count them */
	bool failed, clipped;
};

/*
 * Lines that begin in the part, whose end may be behind it. size: of the text. *whole false: it was
 * stopped. Cost: as search.h says of all text.
 */
enum status line_scan_part(struct line_scan *f, uint64_t part, uint64_t size, struct part_hits *h,
			   bool *whole, struct error *e);

uint32_t line_feeds(const char *p, const char *end); /* at memory speed */

#endif
