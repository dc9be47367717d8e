/*
 * Buffers for inflated text that go from the thread that fills them to whoever parses them
 * and come back for the next window: pages are touched once, and memory stays flat.
 *
 * At most POOL_IDLE bytes lie idle (or one buffer of up to POOL_LARGEST). O(1) each, from any
 * thread.
 */
#ifndef PIPEGLASS_SOURCE_POOL_H
#define PIPEGLASS_SOURCE_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { POOL_IDLE = 4 << 20, POOL_LARGEST = 16 << 20 };

struct pool_buf {
	char *text;
	size_t cap;
	atomic_int holders;
	struct pool_buf *next;
};

struct pool {
	pthread_mutex_t lock;
	struct pool_buf *idle; /* the latest first */
};

void pool_init(struct pool *p);
void pool_free(struct pool *p); /* every buffer was dropped */
void pool_trim(struct pool *p); /* give back what lies idle */

/* A buffer of cap bytes at least, with one holder; NULL: no memory. */
struct pool_buf *pool_get(struct pool *p, size_t cap);
void pool_hold(struct pool_buf *b);
void pool_drop(struct pool *p, struct pool_buf *b); /* b may be NULL */

#endif
