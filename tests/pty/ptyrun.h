/*
 * The program in a pseudo-terminal, as a shell with job control would start it, with libvterm
 * looking at what it writes. No sleeps: every wait is for something to be seen or told.
 *
 * The program tells through PIPEGLASS_FRAME_LOG (a pipe) when it has drawn and when it rests;
 * it rests for good when it has read every byte that was sent and the emulator has every byte
 * it wrote. A small shell in between is leader of the session and parent of the program's
 * process group, so that ^Z stops it as it would for a user.
 */
#ifndef PIPEGLASS_TESTS_PTYRUN_H
#define PIPEGLASS_TESTS_PTYRUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

#include "emulator.h"

enum { PTY_DEADLINE_MS = 20000 };

enum pty_state { PTY_RUNNING, PTY_STOPPED, PTY_ENDED };

struct ptyrun {
	struct emulator emulator;
	int master, control, log;
	pid_t shell, program;
	enum pty_state state;
	int status;                       /* as of waitpid(), when ended */
	struct termios before;            /* the program */
	bool deaf;                        /* the link takes nothing: do not read from the program */
	uint64_t sent, received;          /* bytes */
	uint64_t idle_read, idle_written; /* as of the last idle line */
	uint64_t idles;
	/* since ptyrun_count() */
	uint64_t frames, frame_bytes, writes, dropped;
	struct sbuf log_text, control_text;
};

/* input: what the program's standard input is, NULL: the terminal. argv ends with NULL. */
bool ptyrun_start(struct ptyrun *p, int w, int h, const char *input, char *const argv[]);
void ptyrun_end(struct ptyrun *p); /* kills what still runs */

void ptyrun_send(struct ptyrun *p, const char *bytes, size_t len);
void ptyrun_resize(struct ptyrun *p, int w, int h);
void ptyrun_signal(struct ptyrun *p, int signal_number);
void ptyrun_hang_up(struct ptyrun *p);
void ptyrun_continue(struct ptyrun *p); /* fg */
void ptyrun_count(struct ptyrun *p);

/* Wait until done(p, data); false: not before the deadline. */
bool ptyrun_wait(struct ptyrun *p, bool (*done)(struct ptyrun *p, void *data), void *data);
/* The same, asking again every few milliseconds: for a done() that does something itself. */
bool ptyrun_wait_asking(struct ptyrun *p, bool (*done)(struct ptyrun *p, void *data), void *data);
bool ptyrun_idle(struct ptyrun *p);
/* Wait for a rest whatever was read so far, and count from there (somebody else read keys). */
bool ptyrun_recount(struct ptyrun *p);

/* NULL, or what is not as it was before the program. */
const char *ptyrun_unrestored(const struct ptyrun *p);

#endif
