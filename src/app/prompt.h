/*
 * Prompts: what is typed on the bottom line, with history, completion and search in it.
 *
 * A kind has a sign that it shows, a history that it keeps, and what Enter does with the text.
 * Searches run while the pattern is typed and go back to where they began when given
 * up. Cost of a key: O(line), and completion asks each provider once.
 */
#ifndef PIPEGLASS_APP_PROMPT_H
#define PIPEGLASS_APP_PROMPT_H

#include "app/complete.h"
#include "app/key.h"
#include "app/places.h"
#include "base/history.h"
#include "base/lineedit.h"
#include "view/grid.h"

struct app;

/* In the order of the words of ARG_PROMPT. */
enum prompt_kind { PROMPT_COMMAND, PROMPT_SEARCH, PROMPT_SEARCH_BACK, PROMPT_FILTER, PROMPT_KINDS };

struct prompt {
	bool open;
	enum prompt_kind kind;
	struct lineedit line;
	struct history *history[PROMPT_KINDS]; /* kinds of one history share it */
	bool keep;                             /* histories are files in the state directory */
	struct history_walk walk;
	bool walking;
	/* incremental search: where it began */
	struct place from;
	bool has_from;
	bool bad;            /* the pattern typed so far is none, or matches nothing */
	struct regex *trial; /* that pattern */
	/* completion */
	struct completion menu;
	int chosen; /* -1: none of the menu yet */
};

void prompt_init(struct prompt *p, bool keep);
void prompt_free(struct prompt *p);

void prompt_insert(struct app *a, struct key k); /* a key that is not bound */
void prompt_cancel(struct app *a);

void prompt_draw(struct app *a, struct grid *g, struct rect area);
void prompt_draw_menu(struct app *a, struct grid *g, struct rect area);

#endif
