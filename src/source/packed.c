#include "config.h"

#include "source/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "source/stretch.h"

#define NOT_ENDED UINT64_MAX

enum { PRIME_LEN = 64 << 10, SKIP_LEN = 256 << 10 };

struct packed {
	/* the first pass: of the thread that calls source_next() */
	struct unzip *pass;
	char *last; /* the window given last: its tail may be wanted again */
	size_t last_room;
	uint64_t last_off;
	uint64_t given;       /* the caller has seen the text up to here */
	uint64_t no_place_at; /* just made one there, or tried to */

	_Atomic uint64_t text_size;
	_Atomic uint64_t ended_at; /* file size at which the text was found to end, or NOT_ENDED */
	atomic_bool ended_hard;    /* and no further byte can change that */
	struct points points;
	struct stretches stretches;
};

enum status packed_new(struct source *s, struct error *e)
{
	struct packed *g = calloc(1, sizeof(*g));
	if (!g)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	s->packed = g;
	g->no_place_at = UINT64_MAX;
	atomic_store(&g->ended_at, NOT_ENDED);
	points_init(&g->points);
	stretch_init(&g->stretches);
	g->pass = unzip_new(s->fd);
	if (!g->pass)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
}

void packed_free(struct source *s)
{
	struct packed *g = s->packed;
	if (!g)
		return;
	unzip_free(g->pass);
	free(g->last);
	points_free(&g->points);
	stretch_free(&g->stretches);
	free(g);
	s->packed = NULL;
}

uint64_t packed_size(const struct source *s, bool *final)
{
	const struct packed *g = s->packed;
	uint64_t ended_at = atomic_load(&g->ended_at);
	if (final)
		*final = ended_at != NOT_ENDED &&
			 (atomic_load(&g->ended_hard) || ended_at == atomic_load(&s->file_size));
	return atomic_load(&g->text_size);
}

static bool text_ends_at(const struct source *s, uint64_t off)
{
	bool final;
	return off >= packed_size(s, &final) && final;
}

static void text_ended(struct source *s, uint64_t in_end, bool hard)
{
	struct packed *g = s->packed;
	if (g->pass->out > atomic_load(&g->text_size))
		atomic_store(&g->text_size, g->pass->out);
	atomic_store(&g->ended_hard, hard);
	atomic_store(&g->ended_at, in_end);
}

/* The input so far is used up and no more is coming now. */
static void pass_dry(struct source *s, uint64_t in_end)
{
	struct packed *g = s->packed;
	if (!unzip_is_between(g->pass))
		damage_set(s, DAMAGE_CUT, "gzip data cut at byte %llu: the text ends there",
			   (unsigned long long)g->pass->in);
	text_ended(s, in_end, g->pass->ended);
}

static void pass_stopped(struct source *s, enum unzip_stop stop, uint64_t in_end)
{
	const struct unzip *u = s->packed->pass;
	if (stop == UNZIP_TAIL)
		damage_set(s, DAMAGE_TAIL,
			   "gzip data ends at byte %llu: the rest is not gzip and was skipped",
			   (unsigned long long)u->member_at);
	else
		damage_set(s, DAMAGE_BROKEN,
			   "gzip data damaged at byte %llu (%s): the text ends there",
			   (unsigned long long)u->in, u->why);
	text_ended(s, in_end, true);
}

static void pass_place(struct packed *g)
{
	struct unzip_place place;
	unsigned char dict[UNZIP_REACH];
	size_t dict_len;
	unzip_here(g->pass, &place, dict, &dict_len);
	points_add(&g->points, &place, dict, dict_len);
	g->no_place_at = g->pass->out;
}

/* One run of the machine, towards the next access point or the end of the buffer. */
static enum unzip_stop pass_step(struct source *s, uint64_t in_end, char *dst, size_t len,
				  size_t *got)
{
	struct packed *g = s->packed;
	struct unzip *u = g->pass;
	uint64_t due = points_due(&g->points), off = u->out;
	bool to_place = off >= due && off != g->no_place_at;
	if (off < due && due - off < len)
		len = (size_t)(due - off);
	enum unzip_stop stop = unzip_run(u, in_end, to_place, dst, len, got);
	if (stop == UNZIP_PLACE)
		pass_place(g);
	if (u->doubtful)
		damage_set(s, DAMAGE_CHECK,
			   "gzip checksum wrong in the member that ends at byte %llu: "
			   "its text may be wrong",
			   (unsigned long long)u->doubt_at);
	return stop;
}

static enum status pass_fill(struct source *s, char *dst, size_t len, size_t *done, struct error *e)
{
	*done = 0;
	while (*done < len) {
		bool complete = spool_done(s); /* asked before the size it speaks of */
		uint64_t in_end = atomic_load(&s->file_size);
		size_t got;
		enum unzip_stop stop = pass_step(s, in_end, dst + *done, len - *done, &got);
		*done += got;
		if (stop == UNZIP_NOMEM)
			return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
		if (stop == UNZIP_UNREAD)
			return error_errno(e, STATUS_IO, errno, "%s: cannot be read", s->shown);
		if (stop == UNZIP_TAIL || stop == UNZIP_BROKEN) {
			pass_stopped(s, stop, in_end);
			return STATUS_OK;
		}
		if (stop != UNZIP_DRY)
			continue;
		if (complete)
			pass_dry(s, in_end);
		if (complete || *done > 0 || s->packed->pass->out > s->packed->given)
			return STATUS_OK;
		if (!spool_wait(s, in_end))
			return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped",
					 s->shown);
	}
	return STATUS_OK;
}

/* Bring the pass to text offset `to` by way of an access point; it may end before. */
static enum status pass_seek(struct source *s, uint64_t to, struct error *e)
{
	struct packed *g = s->packed;
	char *scratch = malloc(SKIP_LEN);
	enum status status = STATUS_OK;
	size_t got = 1;
	g->last_off = g->given = to;
	if (!scratch)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	if (!points_go(&g->points, to, g->pass))
		status = error_set(e, STATUS_IO, "%s: changed on disk: open it again", s->shown);
	while (status == STATUS_OK && got > 0 && g->pass->out < to) {
		uint64_t rest = to - g->pass->out;
		status = pass_fill(s, scratch, rest < SKIP_LEN ? (size_t)rest : SKIP_LEN, &got, e);
	}
	free(scratch);
	return status;
}

static bool pass_reaches(const struct packed *g, uint64_t from)
{
	return from >= g->last_off && from <= g->pass->out;
}

/* Room for a window, with the tail of the last one moved to its beginning. */
static bool last_moved(struct packed *g, uint64_t from, size_t tail, size_t len)
{
	if (tail)
		memmove(g->last, g->last + (from - g->last_off), tail);
	g->last_off = from;
	if (len <= g->last_room)
		return true;
	char *more = realloc(g->last, len);
	if (!more)
		return false;
	g->last = more;
	g->last_room = len;
	return true;
}

/* The tail from `from` on and fresh text, as the last window and as the caller's own. */
static enum status window_fill(struct source *s, uint64_t from, size_t want, struct window *w,
			       struct error *e)
{
	struct packed *g = s->packed;
	size_t tail = (size_t)(g->pass->out - from), done = 0;
	size_t fresh = window_fresh(tail, want);
	enum status status = STATUS_OK;
	char *copy;
	if (fresh > SIZE_MAX - tail || !last_moved(g, from, tail, tail + fresh))
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	if (!text_ends_at(s, g->pass->out))
		status = pass_fill(s, g->last + tail, fresh, &done, e);
	if (status != STATUS_OK && !done)
		return status;
	g->given = g->pass->out;
	if (tail + done == 0)
		return STATUS_OK;
	copy = malloc(tail + done);
	if (!copy)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	memcpy(copy, g->last, tail + done);
	*w = (struct window){copy, from, tail + done, copy, tail + done, WINDOW_HEAP};
	return STATUS_OK;
}

/* Nothing need be kept between now and the day the file grows. */
static void pass_rest(struct packed *g)
{
	free(g->last);
	g->last = NULL;
	g->last_room = 0;
	g->last_off = g->pass->out;
}

enum status packed_next(struct source *s, uint64_t from, size_t want, struct window *w,
			struct error *e)
{
	struct packed *g = s->packed;
	enum status status = STATUS_OK;
	if (text_ends_at(s, from)) {
		pass_rest(g);
		return STATUS_OK;
	}
	bool final;
	packed_size(s, &final);
	if (!final && atomic_load(&g->ended_at) != NOT_ENDED)
		damage_uncut(s); /* the file has grown since */
	if (!pass_reaches(g, from))
		status = pass_seek(s, from, e);
	if (status == STATUS_OK && g->pass->out >= from)
		status = window_fill(s, from, want, w, e);
	if (g->pass->out > atomic_load(&g->text_size))
		atomic_store(&g->text_size, g->pass->out);
	atomic_store(&s->done, g->pass->in);
	if (status == STATUS_OK && w->len == 0)
		pass_rest(g);
	return status;
}

enum status packed_prime(struct source *s, struct error *e)
{
	struct window w = {0};
	enum status status = packed_next(s, 0, PRIME_LEN, &w, e);
	if (status != STATUS_OK)
		return status;
	s->packed->given = 0;
	if (w.len) {
		source_release(s, &w);
		return STATUS_OK;
	}
	return source_empty(s, e);
}

enum status packed_map(struct source *s, uint64_t off, size_t len, struct window *w,
		       struct error *e)
{
	struct packed *g = s->packed;
	const struct stretch_input in = {.fd = s->fd,
					 .in_end = atomic_load(&s->file_size),
					 .text_end = atomic_load(&g->text_size),
					 .points = &g->points};
	if (off >= in.text_end || !len)
		return STATUS_OK;
	if (len > in.text_end - off)
		len = (size_t)(in.text_end - off);
	char *copy = malloc(len);
	if (!copy)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	size_t got = stretch_read(&g->stretches, &in, off, copy, len);
	if (got == 0) {
		free(copy);
		return error_set(e, STATUS_IO, "%s: changed on disk: open it again", s->shown);
	}
	*w = (struct window){copy, off, got, copy, len, WINDOW_HEAP};
	return STATUS_OK;
}

bool packed_ended(const struct source *s)
{
	return atomic_load(&s->packed->ended_hard);
}

void packed_save(const struct source *s, struct sbuf *out)
{
	points_save(&s->packed->points, out);
}

bool packed_restore(struct source *s, const struct saved *saved, const unsigned char *points,
		    size_t len)
{
	struct packed *g = s->packed;
	if (saved->text_size < atomic_load(&g->text_size) ||
	    !points_load(&g->points, points, len, saved->file_size, saved->text_size))
		return false;
	stretch_forget(&g->stretches);
	atomic_store(&g->text_size, saved->text_size);
	atomic_store(&g->ended_hard, saved->hard);
	atomic_store(&g->ended_at, saved->final ? saved->file_size : NOT_ENDED);
	return true;
}
