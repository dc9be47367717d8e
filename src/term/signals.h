/*
 * Signals: those that ask for something become bits for the loop, those that end the program
 * restore the terminal first.
 *
 * A handler that asks sets atomics and wakes the loop, and does nothing else. One that restores
 * calls only what is async-signal-safe: the bytes were prepared when the terminal was taken. After
 * restoring, whoever handled the signal before gets it (ASan, a core dump). SIGTERM and SIGHUP ask
 * the loop to end, and end the program themselves when it does not within GRACE_SECONDS.
 */
#ifndef PIPEGLASS_TERM_SIGNALS_H
#define PIPEGLASS_TERM_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/status.h"

enum { GRACE_SECONDS = 2, RESCUE_BYTES = 512, CAPTURED_SHOWN = 64 /* KiB */ };

enum wanted {
	WANT_NOTHING = 0,
	WANT_RESIZE = 1,
	WANT_SUSPEND = 2,
	WANT_REPAINT = 4, /* continued: somebody else may have drawn */
	WANT_END = 8
};

/* What it takes to give the terminal back. */
struct rescue {
	int fd; /* the bytes go there */
	int termios_fd;
	struct termios saved;
	int saved_stderr; /* -1: not captured */
	int captured;     /* what was written to standard error meanwhile */
	size_t len;
	char bytes[RESCUE_BYTES];
};

/*
 * Install the handlers of fatal signals. They only chain until rescue_set(). Before the first
 * mapping of a file: source's SIGBUS handler passes on to the one it found.
 */
void signals_guard(void);

/* From here on a fatal signal, exit() or a lack of memory restores; NULL: nothing to restore. */
void rescue_set(const struct rescue *r);
/*
 * To standard error, what libraries said to `captured` meanwhile; it may quote the trace, so only
 * printable ASCII passes. Async-signal-safe.
 */
void signals_show_captured(int captured);
/* Restore now if there is something to restore. Async-signal-safe; once. */
void rescue_now(void);

/*
 * The loop's signals. *interrupt is set by those that end work under way: SIGINT, and what ends the
 * program. It must outlive signals_stop().
 */
enum status signals_start(atomic_bool *interrupt, struct error *e);
void signals_stop(void);
int signals_fd(void); /* readable when a bit was set */
unsigned signals_take(void);
void signals_drop(unsigned bits); /* they were seen to */
int signals_ended_by(void);       /* SIGTERM, SIGHUP or 0 */

#endif
