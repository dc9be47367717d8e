/*
 * The program without a terminal: a state machine that takes keys, mouse events and
 * commands, and draws itself into a grid when asked.
 *
 * Everything is a command (DESIGN.md 4): keys are bound to command lines, the prompt and
 * `-c`, `--script` and the configuration file run command lines. A command returns what it
 * changed as reaction bits; nothing but app_draw() draws. The terminal room and the
 * headless renderer drive the very same object, so what one shows the other shows.
 */
#ifndef PIPEGLASS_APP_APP_H
#define PIPEGLASS_APP_APP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "app/key.h"
#include "base/status.h"
#include "trace/trace.h"
#include "view/grid.h"
#include "view/palette.h"

enum reaction {
	REACT_NONE = 0,
	REACT_REDRAW = 1,  /* something visible may have changed: after every command */
	REACT_RELAYOUT = 2, /* of a command: the window is laid out anew behind it */
	REACT_FULL = 4,    /* repaint from nothing (^L) */
	REACT_SUSPEND = 8,
	REACT_QUIT = 16,
	REACT_MOUSE = 32,  /* mouse reporting was switched */
	REACT_SHELL = 64,  /* app_shell_command() is to be run with the terminal handed over */
	REACT_BELL = 128,
	REACT_CLIPBOARD = 256, /* app_clipboard() is to be sent as OSC 52 */
};

struct app_options {
	struct trace_options store; /* its settings are copied */
	const char *config;    /* NULL: the XDG one; "none": no configuration and no state files */
	const char *keymap;    /* NULL: default; vi, less, konata */
	enum color_depth depth;
	bool ascii;
	bool headless;         /* wait for the complete index before each command */
	bool only_settings;    /* of the user's files only what CMD_SETTING marks is run */
};

/* -c COMMAND and --script FILE */
struct app_step {
	bool is_script;
	const char *text;
};

/* Traces at once, those that are waited for among them; and who may wake the loop beside them. */
enum { TAB_MAX = 32, WAKE_MAX = TAB_MAX + 2 };

struct app;

enum status app_new(struct app **out, const struct app_options *options, struct error *e);
void app_free(struct app *a);

/* Open path in a new tab and show it; a folder, at a terminal: list its traces in a pane. */
enum status app_open(struct app *a, const char *path, struct error *e);

/*
 * Start a program and show the trace it writes as soon as there is some, in a tab of its own. It
 * ends with the app. See app/child.h; not when PIPEGLASS_SECURE=1 (STATUS_UNSUPPORTED).
 */
struct child_options;
enum status app_start_child(struct app *a, const struct child_options *options, struct error *e);
/* Whoever has the terminal stops, or goes on: so does the program. */
void app_suspended(struct app *a, bool suspended);
/* Some trace is not read to its end, or that program has not ended. */
bool app_reads(const struct app *a);

/* The current trace is live, and its first items are there. */
bool app_has_begun(const struct app *a);

/* What the user's files set for kinds of traces, over app_options.store; as long as the app. */
const struct trace_settings *app_settings(const struct app *a);

/* After all were opened: show the first of them, and the complaints so far. */
void app_first_tab(struct app *a);

/*
 * Run one command line ("goto cycle 4711"); the reaction bits go to *r (may be NULL).
 * STATUS_NOT_FOUND: it is right, but the place is not there; for users this is a message.
 */
enum status app_command(struct app *a, const char *line, unsigned *r, struct error *e);
/*
 * Run a file of command lines. A wrong one ends it with an error that names the line; what a line
 * looked for and did not find is a complaint.
 */
enum status app_script(struct app *a, const char *path, struct error *e);

unsigned app_key(struct app *a, struct key k);
unsigned app_mouse(struct app *a, const struct mouse *m);

/*
 * A slice (some 10 ms) of whatever goes on: search, filter, indexing progress. Returns the reactions and, in *wait_ms, how long nothing more
 * will happen by itself (-1: until a key or wake-up).
 */
unsigned app_idle(struct app *a, int *wait_ms);
bool app_busy(const struct app *a); /* work is under way: a scripted key waits for it */
/* ^C: stop the work under way; true when there was some. */
bool app_interrupt(struct app *a);
/*
 * For handlers of signals, which may do no more than set it: work that somebody waits for ends. Who
 * drives the app asks between its slices whether it was set, once each time, and interrupts it.
 */
atomic_bool *app_interrupt_flag(struct app *a);
bool app_interrupt_asked(struct app *a);
/* Descriptors that wake the loop (index progress), WAKE_MAX at most. Returns how many were stored. */
int app_wake_fds(const struct app *a, int *fds, int max);

void app_layout(struct app *a, int w, int h);
enum status app_draw(struct app *a, struct grid *g, struct error *e);

bool app_mouse_wanted(const struct app *a);
bool app_is_secure(void); /* PIPEGLASS_SECURE=1 */
const char *app_shell_command(const struct app *a); /* never set when PIPEGLASS_SECURE=1 */
const char *app_clipboard(const struct app *a);
struct trace *app_trace(struct app *a); /* of the current tab; NULL: none */
const char *app_error(const struct app *a); /* the message shown, when it tells an error; else "" */
/*
 * What was wrong in the user's files and what scripts did not find, "FILE:LINE: what" a line,
 * sanitised; "" when there is nothing. At the screen the pane `problems` shows it.
 */
const char *app_complaints(const struct app *a);
/* An error that stays readable as one of app_complaints(). */
void app_complain(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_message(struct app *a, bool error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Texts generated from the tables: man page, completions for bash, zsh, fish. What the
 * command line takes is the caller's to tell: rows of options and, for completions, of subcommands,
 * each ended by a NULL name; NULL for none.
 */
enum app_text { APP_TEXT_MAN, APP_TEXT_BASH, APP_TEXT_ZSH, APP_TEXT_FISH };

struct app_word {
	const char *name;  /* "as" of --as, "info" */
	char letter;       /* of a short option; 0: none */
	const char *value; /* "FORMAT", arguments of a subcommand; NULL: none */
	const char *help;
};

void app_text_of(enum app_text which, const struct app_word *options,
		 const struct app_word *subcommands, struct sbuf *out);

#endif
