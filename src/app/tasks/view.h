/*
 * Tasks of components in the program: the component view, with the family of a task above it the task
 * view, and the network view.
 */
#ifndef PIPEGLASS_APP_TASKS_VIEW_H
#define PIPEGLASS_APP_TASKS_VIEW_H

#include "app/panes.h"
#include "app/view.h"
#include "base/regex.h"
#include "view/tasks/gantt.h"

/* Of a tab. */
struct tasks_view {
	struct view base; /* first */
	struct gantt gantt;
};

extern const struct view_kind component_view_kind, network_view_kind;
extern const struct pane_kind tasks_panes[]; /* ends with name == NULL */
const char *tasks_within(const struct view *v); /* the component in sight */

/* Of the current tab; NULL: it has no tasks. */
struct tasks_view *tasks_view_of(const struct tab *t);
/* Enter: the task is opened, with its family. */
enum status tasks_open(struct app *a, uint32_t row, struct error *e);
/* The same of the one in the component in sight that starts last by the cursor, else the first. */
enum status tasks_open_nearest(struct call *c, struct error *e);
/* The next task whose kind and what match, or with that id. */
enum status tasks_find(struct call *c, const struct regex *re, int dir, struct error *e);

#endif
