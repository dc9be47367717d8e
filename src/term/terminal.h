/*
 * Which terminal this is: its description, colours and characters. The only file that knows the
 * terminfo database.
 *
 * One look-up there for each name tried, at most three.
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

/*
 * The description that the functions below ask, until the next one is looked at. False: there is
 * none of this name, and they say that the terminal knows nothing.
 */
bool terminal_load(const char *name);
const char *terminal_string(const char *capability); /* "": it has none */
int terminal_number(const char *capability);         /* 0: none */
bool terminal_flag(const char *capability);

#endif
