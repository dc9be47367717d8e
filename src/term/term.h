/*
 * The terminal: the only room that knows one. Grid -> terminal, terminal -> keys.
 *
 * Promises: one write() per frame, a long one wrapped in synchronised-output marks, which
 * terminals that have them obey and others of the xterm family ignore; the terminal is restored on every way out, by signal too; ^Z, resize
 * and a lost terminal are handled; an unknown TERM falls back with a note. Frames are dropped, not
 * queued, while the link is behind.
 */
#ifndef PIPEGLASS_TERM_TERM_H
#define PIPEGLASS_TERM_TERM_H

#include "app/app.h"

struct term_options {
	enum color_choice color;
	bool ascii; /* no UTF-8 even if the locale has it */
	/* Run at the start, in order, each when the trace is read and no work is under way. */
	const struct app_step *steps;
	size_t step_count;
};

/*
 * Install the handlers of fatal signals; before anything is opened, because the one for
 * vanished pages of a trace passes on to what it finds.
 */
void term_guard(void);

/* Look at TERM, COLORTERM, NO_COLOR and the locale before the app is made. */
enum color_depth term_depth(const struct term_options *o);
bool term_ascii(const struct term_options *o);

/*
 * Run the app until it quits. The exit status for main is returned in *code: 128 + the signal
 * when one asked for the end. A step that is wrong usage ends it (STATUS_USAGE); any other
 * error of a step is shown and the program goes on.
 */
enum status term_run(struct app *a, const struct term_options *o, int *code, struct error *e);

#endif
