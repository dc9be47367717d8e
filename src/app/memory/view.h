/*
 * Shared memory in the program: the block view, lists, and what is selected in all views of a tab.
 */
#ifndef PIPEGLASS_APP_MEMORY_VIEW_H
#define PIPEGLASS_APP_MEMORY_VIEW_H

#include "app/panes.h"
#include "app/view.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"

extern const struct view_kind blocks_view_kind;
/* Of lines, objects, classes and words, as enum memory_thing begins. */
enum { MEMORY_LISTS = MEMORY_BY_WORD + 1 };
extern const struct view_kind list_view_kinds[MEMORY_LISTS];
extern const struct pane_kind memory_panes[]; /* ends with name == NULL */

/* What the view lists; NULL: it is no list. */
struct ranking *memory_list_of(const struct view *v);
struct blocks *blocks_of(const struct tab *t); /* which has a trace of shared memory */
/* The list in sight, else blocks; what narrows it, owned. */
struct view *memory_view_of(const struct tab *t);
struct regex **memory_only_of(const struct tab *t);

#endif
