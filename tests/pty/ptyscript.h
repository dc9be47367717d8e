/*
 * The language of tests/pty/scripts: a verb a line, `#` comments, "strings" with \e \n
 * \r \t \xHH \" \\, $NAME from the environment. See verbs[] in ptyscript.c for all of them.
 */
#ifndef PIPEGLASS_TESTS_PTYSCRIPT_H
#define PIPEGLASS_TESTS_PTYSCRIPT_H

#include <stdbool.h>

/* Once, first: the environment in which the program is tested, with DEMO and SCRIPTS for scripts. */
void ptyscript_prepare(void);

/* Run one script. False: standard error has "FILE:LINE: what" and the screen as it was then. */
bool ptyscript_run(const char *path);

#endif
