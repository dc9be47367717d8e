/*
 * A terminal that was taken: everything that must be given back, and giving it back.
 *
 * Taken and released any number of times (suspension, shell). Between the two the terminal is
 * raw, standard error is kept aside, and the emergency restorer knows what to do.
 */
#ifndef PIPEGLASS_TERM_SESSION_H
#define PIPEGLASS_TERM_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "term/framelog.h"
#include "term/input.h"
#include "term/screen.h"
#include "term/term.h"
#include "term/terminal.h"
#include "term/tty.h"

struct session {
	struct app *app;
	const struct term_options *options;
	struct terminal terminal;
	struct tty tty;
	struct screen *screen;
	struct input input;
	struct framelog log;
	struct grid grid;
	struct sbuf frame;
	struct sbuf extra; /* bell, clipboard, modes: rides with the next frame */
	size_t steps_done;
	unsigned react; /* what the app asked for and was not done yet */
	bool taken;
	bool mouse;        /* reporting is on */
	bool behind;
	bool in_paste, paste_wanted;
	int64_t key_at;   /* the oldest key read and not yet drawn; 0: none */
	int64_t frame_at;
	int64_t sending_key_at;  /* key_at of the frame on its way */
	uint64_t sending_writes; /* write() calls before it */
	size_t sending_bytes;    /* 0: none is on its way */
	int64_t read_at;         /* the last input */
	uint64_t bytes_read;
	int64_t press_at; /* of the mouse, for double clicks */
	struct mouse press;
};

enum status session_open(struct session *s, struct app *a, const struct term_options *o,
			 struct error *e);
void session_close(struct session *s);

enum status session_take(struct session *s, struct error *e);
enum status session_release(struct session *s, struct error *e);

/* Sizes as they are now, for everybody. */
enum status session_layout(struct session *s, struct error *e);

/* Draw the app and send it, with whatever rides along. Not while the terminal is behind. */
enum status session_draw(struct session *s, struct error *e);
/* Send what rides along. */
enum status session_flush(struct session *s, struct error *e);
/* More of the frame on its way, if there is one. */
enum status session_go_on(struct session *s, struct error *e);

/* Stop as the shell wants it, until continued. everybody: the whole job, not only us. */
enum status session_suspend(struct session *s, bool everybody, struct error *e);
/* Hand the terminal to `sh -c command` and take it back when that ended. */
enum status session_shell(struct session *s, const char *command, struct error *e);
/* OSC 52: text into the clipboard of whoever looks at the terminal. */
void session_clipboard(struct session *s, const char *text);
void session_mouse(struct session *s, bool on);

#endif
