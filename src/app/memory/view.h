/*
 * Shared memory in the program: the block view, lists, and what is selected in all views of a tab.
 */
#ifndef PIPEGLASS_APP_MEMORY_VIEW_H
#define PIPEGLASS_APP_MEMORY_VIEW_H

#include "app/panes.h"
#include "app/view.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"

/* Of a tab. */
struct blocks_view {
	struct view base; /* first */
	struct blocks blocks;
	int64_t caches_at; /* the tick that the pane of all caches is about */
};

/* Of a tab: its source lines, its objects, its words, its classes. */
struct list_view {
	struct view base; /* first */
	struct ranking ranking;
};

extern const struct view_kind blocks_view_kind;
/* Of lines, objects, classes and words, as enum memory_thing begins. */
enum { MEMORY_LISTS = MEMORY_BY_WORD + 1 };
extern const struct view_kind list_view_kinds[MEMORY_LISTS];
extern const struct pane_kind memory_panes[]; /* ends with name == NULL */

/* More of the trace is there: views of memory are made anew. */
bool memory_came(struct view *v, const struct progress *p);
/* Of a stay, or of what is in a list, which are the items of all views of memory. */
void memory_item_text(struct view *v, uint64_t item, struct sbuf *out);
/* What the view lists; NULL: it is no list. */
struct ranking *memory_list_of(const struct view *v);
/* NULL: the tab's trace is of another kind. */
struct blocks_view *blocks_view_of(const struct tab *t);
struct blocks *blocks_here(const struct app *a); /* of the current tab, which has some */
/* After a change of it, version has to grow. */
struct memory_focus *memory_focus_of(const struct tab *t);

/* A word of those there are; none: the next one. Into a byte of what the choice is of. */
enum status memory_choose(const struct call *c, const struct memory_choice *choice, void *of,
			  struct error *e);

#endif
