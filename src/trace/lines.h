/*
 * For kinds of traces that are read once, line by line or otherwise, into memory: the thread that
 * does so, and what the contract asks about reading.
 *
 * A kind's trace begins with a struct lines. Lines are given one after another with the lock held
 * for writing, so whoever holds it for reading sees whole lines. Live text is read as it comes. What
 * is behind the last newline is a line, too, at the end of the text.
 */
#ifndef PIPEGLASS_TRACE_LINES_H
#define PIPEGLASS_TRACE_LINES_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/sbuf.h"
#include "base/vec.h"
#include "trace/trace.h"

enum { LINES_NOTES = 16 };

struct lines;

struct lines_reader {
	/* A line without its end, which may be written to; NUL follows. */
	void (*line)(struct lines *l, char *text, size_t len);
	void (*end)(struct lines *l); /* nothing more comes; NULL */
	/* Before the thread: why the trace cannot be read; or NULL */
	enum status (*begin)(struct lines *l, struct error *e);
	/* Instead of line(): reads the source by itself, and takes the lock where it must; or NULL */
	enum status (*all)(struct lines *l, struct error *e);
	const char *const *notes;     /* keys of what is counted */
	size_t note_count;            /* at most LINES_NOTES */
	size_t piece;                 /* bytes of text that lines_take() gives at once; 0: a MiB */
};

struct lines {
	struct trace trace; /* first */
	pthread_rwlock_t lock;
	/* under the lock */
	uint64_t line, offset; /* of the line that is read, from 1 */
	int64_t first, last;   /* ticks seen, inclusive; last < first: none */
	uint64_t items, bytes; /* published; in memory */
	uint64_t items_read;   /* published or not: warnings lead to the last; 0: to the last published */
	bool failed;           /* no memory */
	VEC(struct warning) warnings;
	uint64_t warning_count;
	uint64_t notes[LINES_NOTES]; /* by their number in the reader's keys */
	/* private */
	const struct lines_reader *reader;
	struct window window;
	struct sbuf text;
	atomic_bool stop;
	pthread_mutex_t state_lock; /* of the rest */
	pthread_cond_t done;
	pthread_t thread;
	bool started, complete, cancelled;
	double began, seconds;
	enum status status;
	struct error error;
	int wake[2];
	double published, cost; /* of the reading thread: when it last published, and for how long */
};

/*
 * Begin to read: l is zeros but for its trace. first: the text's first bytes, given back with
 * source_release(). Whether it fails or not, lines_close() ends it.
 */
enum status lines_open(struct lines *l, const struct lines_reader *reader, struct window *first,
		       struct error *e);
/* Stops the thread; what it used can be freed. */
void lines_stop(struct lines *l);
/* Also closes the source. What the kind has of its own is freed behind it. */
void lines_close(struct lines *l);

/* For detection: the next line of a text, which moves on behind it; cut to size. False: the end. */
bool lines_next(const char **text, size_t *len, char *line, size_t size);

/* The line that is read is not understood: counted and listed. text lives as long as the trace. */
void lines_warn(struct lines *l, const char *text);
/* Ticks [start, end) have something. */
void lines_see(struct lines *l, int64_t start, int64_t end);

/* A line without its end, and where it begins; whole: it has one. False: no more. */
typedef bool lines_fn(void *arg, uint64_t offset, const char *text, size_t len, bool whole);
/*
 * The lines of a window; last: what is behind the last newline is one, too. done: how much they are.
 * False: one of them said no more.
 */
bool lines_cut(const struct window *w, bool last, lines_fn *line, void *arg, size_t *done);

/* What lines_cut() does with a window of the text. False: no memory, or as the reader's error says. */
typedef bool lines_take_fn(struct lines *l, const struct window *w, bool last, size_t *done);
/* For all(): window after window of the text, as it comes. */
enum status lines_take(struct lines *l, lines_take_fn *take, struct error *e);
/* Something was published; and whether to come to an end. */
void lines_wake(struct lines *l);
bool lines_stopped(const struct lines *l);
/*
 * When to publish what costs more the more there is: the first time soon, then so seldom that it
 * stays a small part of the work. lines_published(): it was, since lines_now() was `began`.
 */
double lines_now(void); /* seconds */
bool lines_due(const struct lines *l);
void lines_published(struct lines *l, double began);
/* Of live text that is no longer than `seen` as yet: waits until it is due, or there is more. */
void lines_rest(const struct lines *l, uint64_t seen);

static inline struct lines *lines_of(const struct trace *t)
{
	return (struct lines *)(uintptr_t)t;
}

void lines_lock(const struct trace *t); /* for reading */
void lines_unlock(const struct trace *t);

/* Rows of a struct trace_kind. */
void lines_progress(const struct trace *t, struct progress *p);
int lines_wake_fd(const struct trace *t);
enum status lines_wait(struct trace *t, struct error *e);
void lines_cancel(struct trace *t);
enum status lines_follow(struct trace *t, bool on, struct error *e);
bool lines_is_live(const struct trace *t);
size_t lines_note_count(const struct trace *t);
const char *lines_note(const struct trace *t, size_t i, uint64_t *count);
uint64_t lines_warning_count(const struct trace *t);
bool lines_warning(const struct trace *t, size_t i, struct warning *out);

/* Rows that are the same in all of these kinds. */
#define LINES_TRACE                                                                                \
	.wake_fd = lines_wake_fd, .wait = lines_wait, .cancel = lines_cancel,                      \
	.is_live = lines_is_live, .warning_count = lines_warning_count,                            \
	.warning = lines_warning, .note_count = lines_note_count, .note = lines_note

#endif
