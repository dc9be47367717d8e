/*
 * The line editor of the prompts, without a terminal: text, cursor, kill buffer.
 *
 * A key becomes a character to insert or a row of LINE_ACTIONS; the caller draws
 * lineedit_window(). The text is bytes: what is not UTF-8 (a file name may hold anything) is
 * kept as it is, and each such byte counts as one character of one column, as text.h shows
 * it. A character and the combining marks behind it are one. No allocation, so nothing can
 * fail; text beyond LINE_MAX_BYTES is refused. Cost: O(bytes of the line) per call.
 */
#ifndef PIPEGLASS_BASE_LINEEDIT_H
#define PIPEGLASS_BASE_LINEEDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_MAX_BYTES = 4095 };

/* action, name for the keymaps, help */
#define LINE_ACTIONS(_)                                                                            \
	_(LEFT, "left", "one character to the left")                                               \
	_(RIGHT, "right", "one character to the right")                                            \
	_(WORD_LEFT, "word-left", "to the beginning of the word")                                  \
	_(WORD_RIGHT, "word-right", "to the end of the word")                                      \
	_(HOME, "home", "to the beginning of the line")                                            \
	_(END, "end", "to the end of the line")                                                    \
	_(BACKSPACE, "backspace", "delete the character before the cursor")                        \
	_(DELETE, "delete", "delete the character under the cursor")                               \
	_(KILL_WORD_LEFT, "kill-word-left", "cut to the beginning of the word")                    \
	_(KILL_WORD_RIGHT, "kill-word-right", "cut to the end of the word")                        \
	_(KILL_ARGUMENT, "kill-argument", "cut to the blank before the cursor")                    \
	_(KILL_HOME, "kill-home", "cut to the beginning of the line")                              \
	_(KILL_END, "kill-end", "cut to the end of the line")                                      \
	_(KILL_LINE, "kill-line", "cut the whole line")                                            \
	_(YANK, "yank", "insert what was cut last")

enum line_action {
#define LINE_ENUM(action, name, help) LINE_##action,
	LINE_ACTIONS(LINE_ENUM)
#undef LINE_ENUM
	    LINE_ACTION_COUNT
};

struct lineedit {
	char text[LINE_MAX_BYTES + 1]; /* NUL terminated, without NUL inside */
	size_t len;
	size_t cursor; /* byte offset, always at the beginning of a character or at len */
	size_t scroll; /* byte offset of the first character shown */
	char killed[LINE_MAX_BYTES + 1];
	size_t killed_len;
};

/* The part of the line to draw in a number of columns. */
struct line_window {
	size_t from, to; /* bytes of text */
	int cursor;      /* column of the cursor, 0 at from, < columns */
};

void lineedit_init(struct lineedit *l); /* empty, kill buffer too */
bool lineedit_set(struct lineedit *l,
		  const char *text); /* cursor to the end; keeps the kill buffer */
bool lineedit_insert(struct lineedit *l, const char *p, size_t len); /* at the cursor; no NUL */
bool lineedit_insert_cp(struct lineedit *l, uint32_t cp);

/* Replace bytes [from, to), as completion does, and put the cursor after it. */
bool lineedit_replace(struct lineedit *l, size_t from, size_t to, const char *p, size_t len);

/* False when there was nothing to do (the prompt may ring the bell). */
bool lineedit_do(struct lineedit *l, enum line_action action);

/* The names of keymaps: -1 when there is none; NULL beyond the last. */
int lineedit_find(const char *name);
const char *lineedit_name(enum line_action action);

/* Scrolls as little as keeps the cursor inside columns (>= 1). */
struct line_window lineedit_window(struct lineedit *l, int columns);

#endif
