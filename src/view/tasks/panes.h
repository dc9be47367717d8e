/*
 * The panes over tasks, whole when they are made, on the heap.
 */
#ifndef PIPEGLASS_VIEW_TASKS_PANES_H
#define PIPEGLASS_VIEW_TASKS_PANES_H

#include "view/pane.h"
#include "view/tasks/gantt.h"

/* Enter: the task of a line is opened; a tick in its life has the cursor. */
bool task_line_command(const struct pane *p, size_t i, struct sbuf *out);
/* All that is known of a task, TASK_NONE: that there is none; its id is fetched from the file. */
struct pane *task_pane(struct gantt *g, uint32_t row);
/* Letters, colours and how many tasks of each are in the window; Enter highlights. */
struct pane *tasks_legend_pane(struct gantt *g);
/*
 * The way of a task: the requests and tasks that it is part of, and those that it waited for, in
 * the order of their starts, with what of their time went to queueing, handling and the way back.
 */
struct pane *chain_pane(struct gantt *g, uint32_t row);

#endif
