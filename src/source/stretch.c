#include "config.h"

#include "source/stretch.h"

#include <stdlib.h>
#include <string.h>

void stretch_init(struct stretches *c)
{
	memset(c, 0, sizeof(*c));
	pthread_mutex_init(&c->lock, NULL);
}

static void machine_drop(struct stretches *c)
{
	unzip_free(c->unzip);
	c->unzip = NULL;
}

void stretch_free(struct stretches *c)
{
	for (int i = 0; i < STRETCH_COUNT; i++)
		free(c->slot[i].text);
	machine_drop(c);
	pthread_mutex_destroy(&c->lock);
}

void stretch_forget(struct stretches *c)
{
	pthread_mutex_lock(&c->lock);
	for (int i = 0; i < STRETCH_COUNT; i++)
		c->slot[i].len = 0;
	machine_drop(c);
	pthread_mutex_unlock(&c->lock);
}

/* Bring the machine before off; it stays where it is if that is nearer than the access point. */
static bool machine_go(struct stretches *c, const struct stretch_input *in, uint64_t off)
{
	if (c->unzip && c->unzip->out <= off && c->unzip->out >= points_before(in->points, off))
		return true;
	if (!c->unzip)
		c->unzip = unzip_new(in->fd);
	return c->unzip && points_go(in->points, off, c->unzip);
}

static size_t unpack_on(struct stretches *c, const struct stretch_input *in, char *dst, size_t len)
{
	size_t done = 0, got = 0;
	enum unzip_stop stop = UNZIP_FULL;
	while (done < len && stop == UNZIP_FULL) {
		stop = unzip_run(c->unzip, in->in_end, false, dst + done, len - done, &got);
		done += got;
	}
	return done;
}

/* Unpack the stretch that the machine stands in, or before. An access point stands anywhere. */
static struct stretch *unpack_next(struct stretches *c, const struct stretch_input *in)
{
	uint64_t at = (c->unzip->out + STRETCH_SIZE - 1) / STRETCH_SIZE * STRETCH_SIZE;
	size_t before = (size_t)(at - c->unzip->out);
	uint64_t rest = in->text_end > at ? in->text_end - at : 0;
	size_t len = rest < STRETCH_SIZE ? (size_t)rest : STRETCH_SIZE;
	struct stretch *slot = &c->slot[at / STRETCH_SIZE % STRETCH_COUNT];
	slot->len = 0;
	if (!slot->text)
		slot->text = malloc(STRETCH_SIZE);
	if (!slot->text || unpack_on(c, in, slot->text, before) < before)
		return NULL;
	slot->off = at;
	slot->len = unpack_on(c, in, slot->text, len);
	return slot->len == len ? slot : NULL;
}

/* The stretch at off, which begins one; NULL: none of it can be had. */
static struct stretch *stretch_at(struct stretches *c, const struct stretch_input *in, uint64_t off,
				  size_t len)
{
	struct stretch *slot = &c->slot[off / STRETCH_SIZE % STRETCH_COUNT];
	if (slot->len >= len && slot->off == off)
		return slot;
	struct stretch *got = machine_go(c, in, off) ? slot : NULL;
	while (got && c->unzip->out <= off)
		got = unpack_next(c, in);
	if (!got)
		machine_drop(c);
	return slot->len && slot->off == off ? slot : NULL;
}

size_t stretch_read(struct stretches *c, const struct stretch_input *in, uint64_t off, char *dst,
		    size_t len)
{
	size_t done = 0, part = 1;
	pthread_mutex_lock(&c->lock);
	while (done < len && part > 0) {
		size_t skip = (size_t)((off + done) % STRETCH_SIZE);
		part = STRETCH_SIZE - skip < len - done ? STRETCH_SIZE - skip : len - done;
		const struct stretch *slot = stretch_at(c, in, off + done - skip, skip + part);
		size_t had = slot && slot->len > skip ? slot->len - skip : 0;
		part = had < part ? had : part;
		if (part)
			memcpy(dst + done, slot->text + skip, part);
		done += part;
	}
	pthread_mutex_unlock(&c->lock);
	return done;
}
