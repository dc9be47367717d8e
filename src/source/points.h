/*
 * Access points into a packed stream (after zlib's examples/zran.c): sorted places, each with
 * the up to 32 KiB of text before it, deflated again, as inflating needs that.
 *
 * Memory is bounded: when the kept text outgrows POINTS_BUDGET, every other point goes and
 * the spacing doubles (first beyond some 7 GB of trace text). Adding O(1) amortised, finding
 * O(log points), saving and loading O(points). All calls may come from several threads.
 */
#ifndef PIPEGLASS_SOURCE_POINTS_H
#define PIPEGLASS_SOURCE_POINTS_H

#include <pthread.h>

#include "base/sbuf.h"
#include "base/vec.h"
#include "source/unzip.h"

enum { POINTS_SPACING = 4 << 20, POINTS_BUDGET = 8 << 20 };

struct point {
	struct unzip_place place;
	uint16_t dict_len;
	uint32_t packed_len;
	unsigned char *packed; /* NULL when dict_len is 0 */
};

struct points {
	pthread_mutex_t lock;
	VEC(struct point) list;
	uint64_t spacing;
	uint64_t bytes; /* in packed */
};

void points_init(struct points *p);
void points_free(struct points *p);

/* The text offset from which the next point is wanted. */
uint64_t points_due(struct points *p);

/* Out of memory is no error: the point is left out. */
void points_add(struct points *p, const struct unzip_place *place, const unsigned char *dict,
		size_t dict_len);

/* The last point at or before off: text offset from which inflating gets to off. */
uint64_t points_before(struct points *p, uint64_t off);

/* Start u at that point. False: the file or the point is damaged. */
bool points_go(struct points *p, uint64_t off, struct unzip *u);

void points_save(struct points *p, struct sbuf *out);

/* Replaces all points. False: not what points_save() made for a file and text this long. */
bool points_load(struct points *p, const unsigned char *bytes, size_t len, uint64_t file_size,
		 uint64_t text_size);

#endif
