#include "config.h"

#include "source/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { POOL_STEP = 64 << 10 };

void pool_init(struct pool *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
}

static void chain_free(struct pool_buf *b)
{
	while (b) {
		struct pool_buf *next = b->next;
		munmap(b->text, b->cap);
		free(b);
		b = next;
	}
}

void pool_trim(struct pool *p)
{
	pthread_mutex_lock(&p->lock);
	struct pool_buf *idle = p->idle;
	p->idle = NULL;
	pthread_mutex_unlock(&p->lock);
	chain_free(idle);
}

void pool_free(struct pool *p)
{
	pool_trim(p);
	pthread_mutex_destroy(&p->lock);
}

/* mmap, because malloc would keep what it once had. */
static struct pool_buf *buf_new(size_t cap)
{
	if (cap > SIZE_MAX - POOL_STEP)
		return NULL;
	struct pool_buf *b = calloc(1, sizeof(*b));
	if (!b)
		return NULL;
	b->cap = (cap + POOL_STEP - 1) / POOL_STEP * POOL_STEP;
	b->text = mmap(NULL, b->cap, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->text == MAP_FAILED) {
		free(b);
		return NULL;
	}
	return b;
}

static struct pool_buf *take_idle(struct pool *p, size_t cap)
{
	pthread_mutex_lock(&p->lock);
	struct pool_buf **link = &p->idle;
	while (*link && (*link)->cap < cap)
		link = &(*link)->next;
	struct pool_buf *b = *link;
	if (b)
		*link = b->next;
	pthread_mutex_unlock(&p->lock);
	return b;
}

struct pool_buf *pool_get(struct pool *p, size_t cap)
{
	struct pool_buf *b = take_idle(p, cap ? cap : 1);
	if (!b)
		b = buf_new(cap ? cap : 1);
	if (b)
		atomic_store(&b->holders, 1);
	return b;
}

void pool_hold(struct pool_buf *b)
{
	atomic_fetch_add(&b->holders, 1);
}

/* Cut off the buffers that have lain idle longest, until the rest is within bounds. */
static struct pool_buf *take_surplus(struct pool *p)
{
	if (!p->idle)
		return NULL;
	struct pool_buf **link = &p->idle->next;
	size_t kept = p->idle->cap;
	while (*link && kept + (*link)->cap <= POOL_IDLE) {
		kept += (*link)->cap;
		link = &(*link)->next;
	}
	struct pool_buf *surplus = *link;
	*link = NULL;
	return surplus;
}

void pool_drop(struct pool *p, struct pool_buf *b)
{
	if (!b || atomic_fetch_sub(&b->holders, 1) > 1)
		return;
	struct pool_buf *surplus = b;
	b->next = NULL;
	if (b->cap <= POOL_LARGEST) {
		pthread_mutex_lock(&p->lock);
		b->next = p->idle;
		p->idle = b;
		surplus = take_surplus(p);
		pthread_mutex_unlock(&p->lock);
	}
	chain_free(surplus);
}
