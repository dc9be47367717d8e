#include "config.h"

#include "source/spill.h"

#ifdef HAVE_ZSTD

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/thread.h"
#include "source/internal.h"
#include "source/tempfile.h"

enum { PACK_LEVEL = 1, PACKED_MOST = ZSTD_COMPRESSBOUND(STRETCH_SIZE) };

/* out and packed are the thread's, in and read the reader's. */
struct spill_codec {
	ZSTD_CCtx *out;
	ZSTD_DCtx *in;
	char packed[PACKED_MOST], read[PACKED_MOST];
};

void spill_init(struct spill *p, struct source *s)
{
	memset(p, 0, sizeof(*p));
	p->source = s;
	p->fd = -1;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->room, NULL);
	pthread_cond_init(&p->work, NULL);
}

static void thread_end(struct spill *p)
{
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	if (p->running)
		pthread_join(p->thread, NULL);
}

void spill_free(struct spill *p)
{
	if (!p->source)
		return;
	thread_end(p);
	for (size_t i = 0; i < p->queued; i++)
		free(p->queue[i].text);
	for (size_t i = 0; i < SPILL_FEEDS; i++)
		free(p->feed[i].text);
	free(p->spare);
	if (p->codec) {
		ZSTD_freeCCtx(p->codec->out);
		ZSTD_freeDCtx(p->codec->in);
		free(p->codec);
	}
	if (p->fd >= 0)
		close(p->fd);
	vec_free(&p->kept);
	pthread_cond_destroy(&p->room);
	pthread_cond_destroy(&p->work);
	pthread_mutex_destroy(&p->lock);
}

/* ---- the thread: from the queue to the file ---------------------------------------------- */

static bool write_packed(struct spill *p, const struct spill_text *t, struct spilled *put)
{
	struct spill_codec *codec = p->codec;
	size_t len =
	    ZSTD_compressCCtx(codec->out, codec->packed, PACKED_MOST, t->text, t->len, PACK_LEVEL);
	if (ZSTD_isError(len)) {
		errno = ENOMEM;
		return false;
	}
	*put = (struct spilled){p->end, (uint32_t)len, (uint32_t)t->len};
	return tempfile_write(p->fd, p->end, codec->packed, len) == len;
}

/* With the lock held. The first of the queue stays in it until it can be found in the file. */
static void queue_shift(struct spill *p)
{
	char *text = p->queue[0].text;
	if (p->spare)
		free(text);
	else
		p->spare = text;
	p->queued--;
	memmove(p->queue, p->queue + 1, p->queued * sizeof(p->queue[0]));
	pthread_cond_broadcast(&p->room);
}

static void failed(struct spill *p, uint64_t off, int errnum)
{
	p->failed = true;
	damage_set(p->source, DAMAGE_SLOW,
		   "no room to keep text beyond byte %llu (%s): going there is slow; set TMPDIR "
		   "to a folder with room",
		   (unsigned long long)off, strerror(errnum));
}

static void *spill_run(void *arg)
{
	struct spill *p = arg;
	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		if (!p->queued) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		struct spill_text first = p->queue[0];
		struct spilled put = {0};
		pthread_mutex_unlock(&p->lock);
		bool done = write_packed(p, &first, &put);
		int errnum = errno;
		pthread_mutex_lock(&p->lock);
		if (done) {
			p->end += put.packed;
			p->kept.data[first.off / STRETCH_SIZE] = put;
		} else if (!p->failed) {
			failed(p, first.off, errnum);
		}
		queue_shift(p);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static bool thread_begin(struct spill *p)
{
	p->codec = malloc(sizeof(*p->codec));
	if (!p->codec)
		return false;
	p->codec->out = ZSTD_createCCtx();
	p->codec->in = ZSTD_createDCtx();
	p->fd = tempfile_open();
	if (p->fd < 0)
		return false;
	int errnum =
	    p->codec->out && p->codec->in ? thread_start(&p->thread, spill_run, p) : ENOMEM;
	errno = errnum;
	p->running = errnum == 0;
	return p->running;
}

/* ---- the producers ----------------------------------------------------------------------- */

/* With the lock held, as below. */
static size_t kept_len(const struct spill *p, uint64_t off)
{
	uint64_t k = off / STRETCH_SIZE;
	size_t len = k < p->kept.count ? p->kept.data[k].len : 0;
	for (size_t i = 0; i < p->queued; i++) {
		if (p->queue[i].off == off && p->queue[i].len > len)
			len = p->queue[i].len;
	}
	return len;
}

static bool kept_reach(struct spill *p, uint64_t off)
{
	uint64_t need = off / STRETCH_SIZE + 1;
	if (need <= p->kept.count)
		return true;
	size_t more = (size_t)(need - p->kept.count);
	if (!vec_reserve(&p->kept, more))
		return false;
	memset(p->kept.data + p->kept.count, 0, more * sizeof(p->kept.data[0]));
	p->kept.count += more;
	return true;
}

/* Hand what was gathered to the thread, waiting for room. */
static void gathered(struct spill *p, struct spill_text *f)
{
	if (!f->text || f->len <= kept_len(p, f->off)) {
		f->len = 0;
		return;
	}
	if (!p->running && !p->failed && !thread_begin(p))
		failed(p, f->off, errno);
	while (p->queued == SPILL_QUEUE && !p->failed)
		pthread_cond_wait(&p->room, &p->lock);
	if (p->queued < SPILL_QUEUE && !p->failed && kept_reach(p, f->off)) {
		p->queue[p->queued++] = *f;
		pthread_cond_signal(&p->work);
		f->text = NULL;
	}
	f->len = 0;
}

/* Where gathering begins in [off, off + len), which follows nothing gathered; or off + len. */
static uint64_t gather_from(const struct spill *p, uint64_t point, uint64_t off, size_t len)
{
	uint64_t from = point + SPILL_AFTER > off ? point + SPILL_AFTER : off, end = off + len;
	from = (from + STRETCH_SIZE - 1) / STRETCH_SIZE * STRETCH_SIZE;
	while (from < end && kept_len(p, from) == STRETCH_SIZE)
		from += STRETCH_SIZE;
	return from < end ? from : end;
}

static bool feed_begin(struct spill *p, struct spill_text *f, uint64_t off)
{
	if (!f->text) {
		f->text = p->spare ? p->spare : malloc(STRETCH_SIZE);
		p->spare = NULL;
	}
	f->off = off;
	f->len = 0;
	return f->text != NULL;
}

void spill_add(struct spill *p, enum spill_feed feed, uint64_t point, uint64_t off,
	       const char *text, size_t len)
{
	struct spill_text *f = &p->feed[feed];
	uint64_t end = off + len;
	pthread_mutex_lock(&p->lock);
	while (off < end && !p->failed) {
		const char *from = text + (len - (end - off));
		if (f->len == 0 || off != f->off + f->len) {
			uint64_t begin = gather_from(p, point, off, (size_t)(end - off));
			gathered(p, f);
			from += begin - off;
			off = begin;
			if (off == end || !feed_begin(p, f, off))
				break;
		}
		size_t part = STRETCH_SIZE - f->len;
		if (part > end - off)
			part = (size_t)(end - off);
		memcpy(f->text + f->len, from, part);
		f->len += part;
		off += part;
		if (f->len == STRETCH_SIZE)
			gathered(p, f);
	}
	pthread_mutex_unlock(&p->lock);
}

/* ---- reading ----------------------------------------------------------------------------- */

/* With the lock held: what has not come to the file yet. */
static const char *in_memory(const struct spill *p, uint64_t off, size_t len)
{
	for (size_t i = 0; i < SPILL_FEEDS; i++) {
		if (p->feed[i].text && p->feed[i].off == off && p->feed[i].len >= len)
			return p->feed[i].text;
	}
	for (size_t i = 0; i < p->queued; i++) {
		if (p->queue[i].off == off && p->queue[i].len >= len)
			return p->queue[i].text;
	}
	return NULL;
}

bool spill_has(struct spill *p, uint64_t off, size_t len)
{
	pthread_mutex_lock(&p->lock);
	bool has = kept_len(p, off) >= len || in_memory(p, off, len);
	pthread_mutex_unlock(&p->lock);
	return has;
}

static bool read_packed(struct spill *p, const struct spilled *from, char *dst)
{
	struct spill_codec *codec = p->codec;
	return read_at(p->fd, from->at, codec->read, from->packed) == (int64_t)from->packed &&
	       ZSTD_decompressDCtx(codec->in, dst, STRETCH_SIZE, codec->read, from->packed) ==
		   from->len;
}

bool spill_read(struct spill *p, uint64_t off, char *dst, size_t len)
{
	struct spilled from = {0};
	pthread_mutex_lock(&p->lock);
	const char *text = in_memory(p, off, len);
	if (text)
		memcpy(dst, text, len);
	else if (off / STRETCH_SIZE < p->kept.count)
		from = p->kept.data[off / STRETCH_SIZE];
	pthread_mutex_unlock(&p->lock);
	return text || (len && from.len >= len && read_packed(p, &from, dst));
}

bool spill_failed(struct spill *p)
{
	pthread_mutex_lock(&p->lock);
	bool has_failed = p->failed;
	pthread_mutex_unlock(&p->lock);
	return has_failed;
}

void spill_forget(struct spill *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->queued && !p->failed && p->running)
		pthread_cond_wait(&p->room, &p->lock);
	for (size_t i = 0; i < SPILL_FEEDS; i++)
		p->feed[i].len = 0;
	vec_clear(&p->kept);
	pthread_mutex_unlock(&p->lock);
}

#endif
