/*
 * Parts of app_text_of(): the shell completions.
 *
 * Each shell gets one function made from the tables: options and subcommands of the command
 * line, the commands of the program after -c, file names elsewhere.
 */
#ifndef PIPEGLASS_APP_TEXT_PRIVATE_H
#define PIPEGLASS_APP_TEXT_PRIVATE_H

#include "app/app.h"

void shell_text(enum app_text which, const struct app_word *options,
		const struct app_word *subcommands, struct sbuf *out);

/* 'text' for a shell; in zsh's [...] descriptions brackets must be escaped too. Appends. */
void shell_quoted(struct sbuf *out, const char *text, bool zsh);

/* For the man page: a section with a paragraph (NULL: none); a tagged paragraph. */
void text_section(struct sbuf *out, const char *title, const char *text);
void text_tagged(struct sbuf *out, const char *tag, const char *value, const char *text);

#endif
