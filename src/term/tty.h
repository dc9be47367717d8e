/*
 * The terminal as a device: its descriptors. No escape sequences.
 *
 * Frames go to standard output; keys come from the terminal of standard input, or from the
 * process's own when that is a pipe. What libraries write to standard error is kept aside
 * meanwhile.
 *
 * Frames go through a descriptor that does not block, one write() each; what a slow link does not
 * take at once is sent as it takes it, and the program goes on meanwhile.
 */
#ifndef PIPEGLASS_TERM_TTY_H
#define PIPEGLASS_TERM_TTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/sbuf.h"
#include "base/status.h"

struct tty {
	FILE *keys; /* never read by stdio; of its descriptor: */
	int in, out;
	int saved_stderr;         /* -1: standard error is no terminal, or not captured now */
	int captured;             /* -1: none */
	uint64_t writes, written; /* write() calls and bytes so far */
	int link;          /* where frames go: `out`, as a description of our own if possible */
	struct sbuf going; /* the last frame, of which `gone` bytes went out */
	size_t gone;
};

enum status tty_open(struct tty *t, struct error *e);
void tty_close(struct tty *t);

void tty_capture_stderr(struct tty *t);
void tty_release_stderr(struct tty *t); /* and show what was captured */

/* Everything at once and to the end, behind what is on its way. STATUS_IO: the terminal is gone. */
enum status tty_write(struct tty *t, const char *bytes, size_t len, struct error *e);

/*
 * Send a frame (its bytes move; the buffer is empty then) when none is on its way. tty_go_on()
 * sends more of one: when t->link takes it (POLLOUT).
 */
enum status tty_send(struct tty *t, struct sbuf *frame, struct error *e);
enum status tty_go_on(struct tty *t, struct error *e);

bool tty_busy(const struct tty *t); /* a frame is on its way */
/* The link has not taken the earlier frames yet: busy, or more than `most` bytes wait. */
bool tty_behind(const struct tty *t, int most);

#endif
