/*
 * Which terminal this is: its description, colours and characters, before curses starts.
 *
 * One look-up in the terminfo database for each name tried, at most three.
 */
#ifndef PIPEGLASS_TERM_TERMINAL_H
#define PIPEGLASS_TERM_TERMINAL_H

#include <stdbool.h>

#include "term/term.h"

struct terminal {
	char name[80];
	bool unknown; /* TERM has no description here: name is a guess */
	int colors;   /* as described; 0: none */
	bool modern;  /* of the xterm family: answers questions, ignores what it does not know */
};

void terminal_pick(struct terminal *t, const struct term_options *o);

#endif
