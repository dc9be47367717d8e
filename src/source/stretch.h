/*
 * Random access to unpacked text: a few recently unpacked stretches of 1 MiB, and a few
 * machines left standing where they stopped, so that reading on costs only what is read.
 *
 * Memory: STRETCH_COUNT MiB and CURSOR_COUNT machines, allocated when first used. A miss
 * unpacks from the access point or the machine before it: O(spacing of the points). Calls from
 * several threads take turns.
 */
#ifndef PIPEGLASS_SOURCE_STRETCH_H
#define PIPEGLASS_SOURCE_STRETCH_H

#include <pthread.h>

#include "source/points.h"

enum { STRETCH_SIZE = 1 << 20, STRETCH_COUNT = 6, STRETCH_PASSED = 3, CURSOR_COUNT = 2 };

/* Text [off, off + len); len is less than STRETCH_SIZE at the end of what is known. */
struct stretch {
	uint64_t off, used;
	size_t len;
	char *text;
};

struct cursor {
	struct unpack *unpack;
	uint64_t used;
	bool lost; /* it failed: good for points_go() only */
};

struct stretches {
	pthread_mutex_t lock;
	uint64_t clock;
	struct stretch slot[STRETCH_COUNT];
	struct cursor cursor[CURSOR_COUNT];
};

/* Where unpacked text comes from: the file up to in_end, whose text up to text_end is known. */
struct stretch_input {
	const struct packing *packing;
	int fd;
	uint64_t in_end, text_end;
	struct points *points;
};

void stretch_init(struct stretches *c);
void stretch_free(struct stretches *c);
void stretch_forget(struct stretches *c); /* the text may be another one now */

/*
 * Copy [off, off + len) into dst; the caller clips it to text_end. Returns what could be had:
 * less only when the file is not what it was. *nomem tells when memory was the reason.
 */
size_t stretch_read(struct stretches *c, const struct stretch_input *in, uint64_t off, char *dst,
		    size_t len, bool *nomem);

#endif
