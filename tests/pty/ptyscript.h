/*
 * The language of tests/pty/scripts: a verb a line, `#` comments, "strings" with \e \n
 * \r \t \xHH \" \\, $NAME from the environment. See verbs[] in ptyscript.c for all of them.
 */
#ifndef PIPEGLASS_TESTS_PTYSCRIPT_H
#define PIPEGLASS_TESTS_PTYSCRIPT_H

#include <stdbool.h>

#include "base/sbuf.h"

/* Run one script. False: why holds "FILE:LINE: what" and the screen as it was then. */
bool ptyscript_run(const char *path, struct sbuf *why);

#endif
