/*
 * What the files that make up the language share: the script as it runs, and verbs that live in a
 * file of their own. See ptyscript.c for all of them.
 */
#ifndef PIPEGLASS_TESTS_PTYSCRIPT_PRIVATE_H
#define PIPEGLASS_TESTS_PTYSCRIPT_PRIVATE_H

#include <stdlib.h>

#include "ptyfiles.h"
#include "ptyrun.h"
#include "ptyscript.h"

enum { WORDS = 48, LINE_BYTES = 2048 };

struct script {
	struct ptyrun run;
	bool started;
	int w, h;
	char input[LINE_BYTES]; /* of the program; "": the terminal */
	char *words[WORDS + 1];
	int count;
	struct sbuf *why;
	struct ptyfiles files;
};

static inline bool wrong(struct script *s, const char *what)
{
	sbuf_puts(s->why, what);
	return false;
}

/* Word i; 0 is the verb. */
static inline int number(const struct script *s, int i)
{
	return i < s->count ? atoi(s->words[i]) : 0;
}

/* ptyseen.c: what is seen */
bool script_expect(struct script *s);
bool script_expect_gone(struct script *s);
bool script_expect_row(struct script *s);
bool script_expect_cell(struct script *s);
bool script_no_colors(struct script *s);
bool script_only_ascii(struct script *s);
bool script_same_as(struct script *s);

#endif
