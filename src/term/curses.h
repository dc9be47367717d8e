/*
 * curses, as functions rather than macros, and without its own key_name(), which is another
 * thing than app/key.h's. Included instead of <curses.h>.
 */
#ifndef PIPEGLASS_TERM_CURSES_H
#define PIPEGLASS_TERM_CURSES_H

#define NCURSES_NOMACROS
#define key_name curses_key_name
#include <curses.h>
#undef key_name

#endif
