/*
 * Which terminal this is: its description, colours and characters, and its modes. The only file
 * that knows ncurses.
 *
 * One look-up of a description for each name tried, at most three. ncurses takes the terminal and
 * gives it back; it is never asked to draw (painter.h does, in fewer bytes) nor for keys (input.h).
 */
#ifndef PIPEGLASS_TERM_TERMINAL_H
#define PIPEGLASS_TERM_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>
#include <termios.h>

#include "base/status.h"
#include "term/term.h"

struct terminal {
	char name[80];
	bool unknown;           /* TERM has no description here: name is a guess */
	int colors;             /* as described; 0: none */
	enum color_depth depth; /* of what is drawn */
	bool modern;            /* of the xterm family: answers, ignores what it does not know */
	struct termios saved;   /* its modes before it was raw */
};

void terminal_pick(struct terminal *t, const struct term_options *o);

/* Raw, with ^C and ^Z as keys; `keys` reads from it. Signals that have a handler keep it. */
enum status terminal_raw(struct terminal *t, FILE *keys, struct error *e);
/* Of the device, else as LINES, COLUMNS and the description say. */
void terminal_size(int *w, int *h);
void terminal_raw_again(void); /* after somebody else set other modes */
void terminal_cooked(void);    /* back to those that terminal_raw() found */
void terminal_close(void);

/*
 * The description that the functions below ask, until the next one is looked at; terminal_raw()
 * looks at that of its terminal, and no other may be while it is open. False: there is
 * none of this name, and they say that the terminal knows nothing.
 */
bool terminal_load(const char *name);
const char *terminal_string(const char *capability); /* "": it has none */
int terminal_number(const char *capability);         /* 0: none */
bool terminal_flag(const char *capability);

#endif
