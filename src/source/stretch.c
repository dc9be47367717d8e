#include "config.h"

#include "source/stretch.h"

#include <stdlib.h>
#include <string.h>

void stretch_init(struct stretches *c)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
}

void stretch_free(struct stretches *c)
{
	for (int i = 0; i < STRETCH_COUNT; i++)
		free(c->slot[i].text);
	for (int i = 0; i < CURSOR_COUNT; i++)
		if (c->cursor[i].unpack)
			c->cursor[i].unpack->packing->free(c->cursor[i].unpack);
	pthread_mutex_destroy(&c->lock);
}

void stretch_forget(struct stretches *c)
{
	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < STRETCH_COUNT; i++)
		c->slot[i].len = 0;
	for (int i = 0; i < CURSOR_COUNT; i++)
		c->cursor[i].lost = true;
	pthread_mutex_unlock(&c->lock);
}

static struct stretch *slot_find(struct stretches *c, uint64_t off, size_t len)
{
	for (int i = 0; i < STRETCH_COUNT; i++) {
		struct stretch *slot = &c->slot[i];
		if (slot->len >= len && slot->off == off) {
			slot->used = ++c->clock;
			return slot;
		}
	}
	return NULL;
}

/* The slot that held the beginning of the same stretch, or the least recently used one. */
static struct stretch *slot_take(struct stretches *c, uint64_t off)
{
	struct stretch *oldest = &c->slot[0];
	for (int i = 0; i < STRETCH_COUNT; i++) {
		struct stretch *slot = &c->slot[i];
		if (slot->len && slot->off == off) {
			oldest = slot;
			break;
		}
		if (slot->used < oldest->used)
			oldest = slot;
	}
	if (!oldest->text)
		oldest->text = malloc(STRETCH_SIZE);
	if (!oldest->text)
		return NULL;
	oldest->off = off;
	oldest->len = 0;
	oldest->used = ++c->clock;
	return oldest;
}

/* The machine that stands closest before off; it must beat the access points to be of use. */
static struct cursor *cursor_before(struct stretches *c, uint64_t off, uint64_t point)
{
	struct cursor *best = NULL;
	for (int i = 0; i < CURSOR_COUNT; i++) {
		struct cursor *cursor = &c->cursor[i];
		if (!cursor->unpack || cursor->lost || cursor->unpack->out > off)
			continue;
		if (cursor->unpack->out >= point &&
		    (!best || cursor->unpack->out > best->unpack->out))
			best = cursor;
	}
	return best;
}

static struct cursor *cursor_at(struct stretches *c, const struct stretch_input *in, uint64_t off,
				bool *nomem)
{
	struct cursor *cursor = cursor_before(c, off, points_before(in->points, off));
	if (!cursor) {
		cursor = &c->cursor[0];
		for (int i = 1; i < CURSOR_COUNT; i++) {
			if (c->cursor[i].used < cursor->used)
				cursor = &c->cursor[i];
		}
		if (!cursor->unpack)
			cursor->unpack = in->packing->make(in->fd);
		*nomem = !cursor->unpack;
		if (*nomem)
			return NULL;
		cursor->lost = !points_go(in->points, off, cursor->unpack);
	}
	cursor->used = ++c->clock;
	return cursor->lost ? NULL : cursor;
}

static size_t unpack_on(struct cursor *cursor, const struct stretch_input *in, char *dst,
			size_t len)
{
	struct unpack *u = cursor->unpack;
	size_t done = 0, got = 0;
	enum unpack_stop stop = UNPACK_FULL;
	while (done < len && stop == UNPACK_FULL) {
		stop = u->packing->run(u, in->in_end, false, dst + done, len - done, &got);
		done += got;
	}
	cursor->lost = done < len;
	return done;
}

/* Go on to `to`, which is not worth keeping on the way; scratch holds a stretch. */
static bool pass_to(struct cursor *cursor, const struct stretch_input *in, uint64_t to,
		    char *scratch)
{
	while (cursor->unpack->out < to) {
		uint64_t rest = to - cursor->unpack->out;
		size_t len = rest < STRETCH_SIZE ? (size_t)rest : STRETCH_SIZE;
		if (unpack_on(cursor, in, scratch, len) < len)
			return false;
	}
	return true;
}

static size_t stretch_len(const struct stretch_input *in, uint64_t off)
{
	uint64_t rest = in->text_end - off;
	return rest < STRETCH_SIZE ? (size_t)rest : STRETCH_SIZE;
}

/* Unpack the stretch at off and, because they are passed anyway, a few before it. */
static struct stretch *stretch_fill(struct stretches *c, const struct stretch_input *in,
				    uint64_t off, bool *nomem)
{
	struct cursor *cursor = cursor_at(c, in, off, nomem);
	if (!cursor)
		return NULL;
	uint64_t at = (cursor->unpack->out + STRETCH_SIZE - 1) / STRETCH_SIZE * STRETCH_SIZE;
	if (off - at > STRETCH_PASSED * (uint64_t)STRETCH_SIZE)
		at = off - STRETCH_PASSED * (uint64_t)STRETCH_SIZE;
	for (;; at += STRETCH_SIZE) {
		struct stretch *slot = slot_take(c, at);
		*nomem = !slot;
		if (*nomem || !pass_to(cursor, in, at, slot->text))
			return NULL;
		slot->len = unpack_on(cursor, in, slot->text, stretch_len(in, at));
		if (at == off || cursor->lost)
			return at == off ? slot : NULL;
	}
}

/* Copy what the stretch around off has of [off, off + len). */
static size_t read_within(struct stretches *c, const struct stretch_input *in, uint64_t off,
			  char *dst, size_t len, bool *nomem)
{
	uint64_t start = off / STRETCH_SIZE * STRETCH_SIZE;
	size_t skip = (size_t)(off - start);
	size_t part = STRETCH_SIZE - skip < len ? STRETCH_SIZE - skip : len;
	pthread_mutex_lock(&c->lock);
	struct stretch *slot = slot_find(c, start, skip + part);
	if (!slot)
		slot = stretch_fill(c, in, start, nomem);
	size_t had = slot && slot->len > skip ? slot->len - skip : 0;
	size_t got = had < part ? had : part;
	if (got)
		memcpy(dst, slot->text + skip, got);
	pthread_mutex_unlock(&c->lock);
	return got;
}

size_t stretch_read(struct stretches *c, const struct stretch_input *in, uint64_t off, char *dst,
		    size_t len, bool *nomem)
{
	size_t done = 0, got = 1;
	*nomem = false;
	while (done < len && got > 0) {
		got = read_within(c, in, off + done, dst + done, len - done, nomem);
		done += got;
	}
	return done;
}
