/*
 * Random access to unpacked text: a few unpacked stretches of 1 MiB, each in a place of its own,
 * and one machine left standing where it stopped, so that reading on costs only what is read.
 *
 * Memory: STRETCH_COUNT MiB and a machine, allocated when first used. A miss inflates from the
 * access point or the machine before it, and keeps what it passes: O(spacing of the points). Calls
 * from several threads take turns.
 */
#ifndef PIPEGLASS_SOURCE_STRETCH_H
#define PIPEGLASS_SOURCE_STRETCH_H

#include <pthread.h>

#include "source/points.h"

enum { STRETCH_SIZE = 1 << 20, STRETCH_COUNT = 8 };

/* Text [off, off + len); len is less than STRETCH_SIZE at the end of what is known. */
struct stretch {
	uint64_t off;
	size_t len;
	char *text;
};

struct stretches {
	pthread_mutex_t lock;
	struct stretch slot[STRETCH_COUNT]; /* by offset */
	struct unzip *unzip; /* NULL: none, or it failed */
};

/* Where unpacked text comes from: the file up to in_end, whose text up to text_end is known. */
struct stretch_input {
	int fd;
	uint64_t in_end, text_end;
	struct points *points;
};

void stretch_init(struct stretches *c);
void stretch_free(struct stretches *c);
void stretch_forget(struct stretches *c); /* the text may be another one now */

/*
 * Copy [off, off + len) into dst; the caller clips it to text_end. Returns what could be had:
 * less only when the file is not what it was, or memory is out.
 */
size_t stretch_read(struct stretches *c, const struct stretch_input *in, uint64_t off, char *dst,
		    size_t len);

#endif
