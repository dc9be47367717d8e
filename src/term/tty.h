/*
 * The terminal as a device: its descriptors, modes and size. No curses, no escape sequences.
 *
 * Frames go to standard output; keys come from standard input, or from the terminal device
 * when that is a pipe. We own the modes: raw, with ^C and ^Z as keys. What libraries write to
 * standard error is kept aside meanwhile.
 *
 * Frames are written by a thread of its own, each in one blocking write(): a slow link holds up
 * that thread, not the program.
 */
#ifndef PIPEGLASS_TERM_TTY_H
#define PIPEGLASS_TERM_TTY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "base/sbuf.h"
#include "base/status.h"

struct tty {
	int in, out;
	bool own_in; /* `in` is ours to close */
	bool raw;
	struct termios saved;
	int saved_stderr;         /* -1: standard error is no terminal, or not captured now */
	int captured;             /* -1: none */
	uint64_t writes, written; /* write() calls and bytes so far */
	/* The writer. `going` is its buffer while `busy`, ours otherwise. */
	pthread_t writer;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool has_writer, busy, ending;
	atomic_bool give_up; /* the writer: what does not go out at once need not */
	int failed;          /* an errno */
	int sent;            /* eventfd: readable when a frame went out; -1: none */
	int64_t write_at;    /* of the last one: CLOCK_MONOTONIC, ns */
	struct sbuf going;
};

/* keys: a device to read keys from, or NULL. */
enum status tty_open(struct tty *t, const char *keys, struct error *e);
void tty_close(struct tty *t);

enum status tty_raw(struct tty *t, struct error *e);       /* remembers the modes it finds */
enum status tty_raw_again(struct tty *t, struct error *e); /* after somebody else set others */
void tty_cooked(struct tty *t);                            /* back to those */

void tty_capture_stderr(struct tty *t);
void tty_release_stderr(struct tty *t); /* and show what was captured, sanitised */

void tty_size(const struct tty *t, int *w,
	      int *h); /* from the device, else LINES, COLUMNS, 80x24 */

/* Everything at once and to the end, behind what is on its way. STATUS_IO: the terminal is gone. */
enum status tty_write(struct tty *t, const char *bytes, size_t len, struct error *e);

/*
 * Hand a frame (its bytes move; the buffer is empty then) to the writer, when it is not behind.
 * t->sent becomes readable when the frame went out; tty_sent() takes notice of that.
 */
void tty_send(struct tty *t, struct sbuf *frame);
enum status tty_sent(struct tty *t, struct error *e);

bool tty_busy(struct tty *t); /* a frame is being written */
/* The link has not taken the earlier frames yet: busy, or more than `most` bytes wait. */
bool tty_behind(struct tty *t, int most);

#endif
