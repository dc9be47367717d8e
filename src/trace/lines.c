#include "config.h"

#include "trace/lines.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

enum {
	PIECE_BYTES = 1 << 20,
	LINE_MOST = 1 << 20,
	BREATH_MS = 5,   /* between looks at whether it is time to publish */
	SOONEST_MS = 20, /* the first publication */
	PATIENCE = 20    /* what passes between two, in times of what the last one cost */
};

double lines_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void lines_wake(struct lines *l)
{
	ssize_t n = write(l->wake[1], "", 1); /* full is as good as written */

	(void)n;
}

/* ---- the thread ---- */

bool lines_cut(const struct window *w, bool last, lines_fn *line, void *arg, size_t *done)
{
	size_t at = 0;
	bool on = true;

	while (on && at < w->len) {
		const char *end = memchr(w->text + at, '\n', w->len - at);
		const size_t len = end ? (size_t)(end - w->text) - at : w->len - at;

		if (!end && !last)
			break;
		on = line(arg, w->off + at, w->text + at, len, end != NULL);
		at += len + (end != NULL);
	}
	*done = at;
	return on;
}

/* One without a line that ends where the one before did is the rest of the text. */
enum status lines_take(struct lines *l, lines_take_fn *take, struct error *e)
{
	struct source *source = l->trace.source;
	const size_t piece = l->reader->piece ? l->reader->piece : PIECE_BYTES;
	struct window w = l->window; /* source_next() gives it no more before there is more behind it */
	enum status status = STATUS_OK;
	uint64_t from = 0, seen = 0;
	bool on = true;

	l->window = (struct window){0};
	while (on && !lines_stopped(l)) {
		size_t done = 0;

		if (!w.text)
			status = source_next(source, from, piece, &w, e);
		if (status || !w.len)
			break;
		on = take(l, &w, false, &done);
		if (on && !done && (w.off + w.len == seen || w.len > LINE_MOST))
			on = take(l, &w, true, &done);
		from = w.off + done;
		seen = w.off + w.len;
		source_release(source, &w);
		w = (struct window){0};
	}
	if (!on)
		return e->code ? e->code : error_set(e, STATUS_NOMEM, "out of memory");
	return status == STATUS_INTERRUPTED ? STATUS_OK : status;
}

static bool give_line(void *arg, uint64_t offset, const char *text, size_t len, bool whole)
{
	struct lines *l = arg;

	(void)whole;
	l->line++;
	l->offset = offset;
	if (len && text[len - 1] == '\r')
		len--;
	sbuf_clear(&l->text);
	sbuf_add(&l->text, text, len);
	sbuf_putc(&l->text, '\0');
	l->failed |= l->text.failed;
	if (!l->failed)
		l->reader->line(l, l->text.text, len);
	return !l->failed;
}

static bool give(struct lines *l, const struct window *w, bool last, size_t *done)
{
	bool on;

	pthread_rwlock_wrlock(&l->lock);
	on = lines_cut(w, last, give_line, l, done);
	pthread_rwlock_unlock(&l->lock);
	lines_wake(l);
	return on;
}

static void *run(void *arg)
{
	struct lines *l = arg;
	struct error e = {STATUS_OK, ""};
	enum status status = l->reader->all ? l->reader->all(l, &e) : lines_take(l, give, &e);

	pthread_rwlock_wrlock(&l->lock);
	if (l->reader->end)
		l->reader->end(l);
	pthread_rwlock_unlock(&l->lock);
	pthread_mutex_lock(&l->state_lock);
	l->status = status;
	l->error = e;
	l->complete = true;
	l->seconds = lines_now() - l->began;
	pthread_cond_broadcast(&l->done);
	pthread_mutex_unlock(&l->state_lock);
	lines_wake(l);
	return NULL;
}

enum status lines_open(struct lines *l, const struct lines_reader *reader, struct window *first,
		       struct error *e)
{
	l->reader = reader;
	l->last = -1;
	l->began = lines_now();
	pthread_rwlock_init(&l->lock, NULL);
	pthread_mutex_init(&l->state_lock, NULL);
	pthread_cond_init(&l->done, NULL);
	if (pipe2(l->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
		l->wake[0] = l->wake[1] = -1;
		source_release(l->trace.source, first);
		return error_set(e, STATUS_IO, "no file descriptors left");
	}
	l->window = *first;
	if (reader->begin && reader->begin(l, e))
		return e->code;
	l->started = thread_start(&l->thread, run, l) == 0;
	if (l->started)
		return STATUS_OK;
	return error_set(e, STATUS_NOMEM, "cannot start a thread to read the trace");
}

void lines_stop(struct lines *l)
{
	atomic_store(&l->stop, true);
	if (!l->started)
		return;
	source_interrupt(l->trace.source);
	pthread_join(l->thread, NULL);
	l->started = false;
}

void lines_close(struct lines *l)
{
	lines_stop(l);
	for (int i = 0; i < 2; i++)
		if (l->wake[i] >= 0)
			close(l->wake[i]);
	source_release(l->trace.source, &l->window);
	vec_free(&l->warnings);
	sbuf_free(&l->text);
	pthread_cond_destroy(&l->done);
	pthread_mutex_destroy(&l->state_lock);
	pthread_rwlock_destroy(&l->lock);
	source_close(l->trace.source);
}

/* ---- for readers ---- */

bool lines_next(const char **text, size_t *len, char *line, size_t size)
{
	const char *end = memchr(*text, '\n', *len);
	size_t n = end ? (size_t)(end - *text) : *len, kept = n < size - 1 ? n : size - 1;

	if (!*len)
		return false;
	memcpy(line, *text, kept);
	line[kept] = '\0';
	*text += end ? n + 1 : n;
	*len -= end ? n + 1 : n;
	return true;
}

void lines_warn(struct lines *l, const char *text)
{
	const uint64_t items = l->items_read ? l->items_read : l->items;
	struct warning w = {l->line, l->offset, items ? items - 1 : ITEM_NONE, text};

	l->warning_count++;
	if (l->warnings.count < TRACE_WARNINGS && !vec_push(&l->warnings, w))
		l->failed = true;
}

void lines_see(struct lines *l, int64_t start, int64_t end)
{
	bool none = l->last < l->first;

	if (none || start < l->first)
		l->first = start;
	if (none || end - 1 > l->last)
		l->last = end - 1;
}

bool lines_stopped(const struct lines *l)
{
	return atomic_load(&l->stop);
}

bool lines_due(const struct lines *l)
{
	const bool first = !(l->published > 0);

	return lines_now() - (first ? l->began : l->published) >=
	       (first ? SOONEST_MS * 1e-3 : l->cost * PATIENCE);
}

void lines_rest(const struct lines *l, uint64_t seen)
{
	const struct timespec breath = {.tv_nsec = BREATH_MS * 1000000};
	const struct source *source = l->trace.source;

	while (source_is_live(source) && !lines_due(l) && !lines_stopped(l) &&
	       source_size(source, NULL) == seen)
		nanosleep(&breath, NULL);
}

void lines_published(struct lines *l, double began)
{
	l->published = lines_now();
	l->cost = l->published - began;
	lines_wake(l);
}

/* ---- for the contract ---- */

void lines_lock(const struct trace *t)
{
	pthread_rwlock_rdlock(&lines_of(t)->lock);
}

void lines_unlock(const struct trace *t)
{
	pthread_rwlock_unlock(&lines_of(t)->lock);
}

void lines_progress(const struct trace *t, struct progress *p)
{
	struct lines *l = lines_of(t);
	bool whole;

	*p = (struct progress){.first = 0};
	pthread_mutex_lock(&l->state_lock);
	p->complete = l->complete;
	p->cancelled = l->cancelled;
	p->failed = l->status;
	p->why = l->status ? l->error.text : NULL;
	p->seconds = l->complete ? l->seconds : lines_now() - l->began;
	pthread_mutex_unlock(&l->state_lock);
	lines_lock(t);
	p->items = l->items;
	p->first = l->first;
	p->last = l->last;
	p->reached = l->line;
	p->index_bytes = l->bytes;
	lines_unlock(t);
	source_progress(t->source, &p->bytes_done, &p->bytes_total);
	p->source_bytes = source_size(t->source, &whole);
}

int lines_wake_fd(const struct trace *t)
{
	return lines_of(t)->wake[0];
}

enum status lines_wait(struct trace *t, struct error *e)
{
	struct lines *l = lines_of(t);
	enum status status;

	pthread_mutex_lock(&l->state_lock);
	while (!l->complete)
		pthread_cond_wait(&l->done, &l->state_lock);
	status = l->status;
	if (status && e)
		*e = l->error;
	pthread_mutex_unlock(&l->state_lock);
	return status;
}

void lines_cancel(struct trace *t)
{
	struct lines *l = lines_of(t);

	pthread_mutex_lock(&l->state_lock);
	l->cancelled = !l->complete;
	pthread_mutex_unlock(&l->state_lock);
	atomic_store(&l->stop, true);
	source_interrupt(t->source);
}

enum status lines_follow(struct trace *t, bool on, struct error *e)
{
	return source_follow(t->source, on, e);
}

bool lines_is_live(const struct trace *t)
{
	struct lines *l = lines_of(t);
	bool complete;

	pthread_mutex_lock(&l->state_lock);
	complete = l->complete;
	pthread_mutex_unlock(&l->state_lock);
	return !complete && source_is_live(t->source);
}

size_t lines_note_count(const struct trace *t)
{
	return lines_of(t)->reader->note_count;
}

const char *lines_note(const struct trace *t, size_t i, uint64_t *count)
{
	lines_lock(t);
	*count = lines_of(t)->notes[i];
	lines_unlock(t);
	return lines_of(t)->reader->notes[i];
}

/* A broken compressed stream is the first: it is the cause of the others. */
uint64_t lines_warning_count(const struct trace *t)
{
	uint64_t n;

	lines_lock(t);
	n = lines_of(t)->warning_count;
	lines_unlock(t);
	return n + (source_damage(t->source) != NULL);
}

bool lines_warning(const struct trace *t, size_t i, struct warning *out)
{
	const struct lines *l = lines_of(t);
	const char *damage = source_damage(t->source);
	size_t before = damage != NULL;
	bool found;

	lines_lock(t);
	found = i < l->warnings.count + before;
	if (found)
		*out = i < before ? (struct warning){l->line + 1, l->offset, ITEM_NONE, damage}
				  : l->warnings.data[i - before];
	lines_unlock(t);
	return found;
}
