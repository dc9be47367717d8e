/*
 * The component view, and the task view on top of it: tasks as bars over one time axis.
 *
 * Plain state. Below are the tasks of a component, or of all that its name begins; with a family,
 * the task that was opened stands above them with its ancestors and all below it. The cursor is in
 * a line of one of these two charts and at a tick; the task there is the current one, and goes with
 * the cursor when lines change. Each motion ends with a settled state: the charts are those of the
 * window, and cursor and current task fit. A frame costs the tasks in the window (chart.h).
 */
#ifndef PIPEGLASS_VIEW_TASKS_GANTT_H
#define PIPEGLASS_VIEW_TASKS_GANTT_H

#include "view/grid.h"
#include "view/place.h"
#include "view/split.h"
#include "view/tasks/chart.h"

enum gantt_side { GANTT_FAMILY = SPLIT_UPPER, GANTT_COMPONENT = SPLIT_LOWER };

struct gantt {
	struct trace *trace;
	struct task_keys keys;
	struct axis axis;

	char *component;           /* its name, or what several names begin with; NULL: none yet */
	VEC(uint32_t) components;  /* these */
	uint32_t components_known; /* of the trace, when they were chosen */
	uint32_t opened;           /* the task of the family; TASK_NONE: there is none */
	bool family;               /* it is shown; then settle */

	struct chart chart[SPLIT_PARTS];
	struct split split; /* into sides; a dense chart has the lines of the screen */
	uint32_t current;   /* the task under the cursor; TASK_NONE: there is none */
	uint32_t highlight; /* a pair of kind and what; KEY_NONE: none */

	/* What the charts were made of. */
	struct axis made;
	uint32_t made_count, made_opened;
	bool made_family;
};

void gantt_init(struct gantt *g, struct trace *t);
void gantt_free(struct gantt *g);

/* The component of that name, or those below it, alone; false: the trace has none. */
bool gantt_choose(struct gantt *g, const char *name);
/* A task becomes that of the family, which is shown; its component the one below. It is framed. */
void gantt_open(struct gantt *g, uint32_t row);
/* What lies between two ticks in the middle, with a margin; the cursor at the first of them. Of no
 * length: at the zoom that is. */
void gantt_frame(struct gantt *g, int64_t start, int64_t end);

/* After the axis was laid out or moved, or the trace grew. */
void gantt_settle(struct gantt *g);
/* Motions; all keep the cursor on the screen. */
void gantt_move(struct gantt *g, int64_t lines, int64_t columns);
void gantt_scroll(struct gantt *g, int64_t lines, int64_t columns);
/* To a task at a tick, TICK_NONE: its start; to its component, if it is not on the screen. */
void gantt_goto(struct gantt *g, uint32_t row, int64_t tick);
/* To the next task of the line, or the one before (dir < 0); false: there is none in the window. */
bool gantt_step(struct gantt *g, int dir);

/* marks: shown in the ruler; NULL: none. */
void gantt_draw(struct gantt *g, const struct marks *marks, struct grid *grid, struct rect area,
		const struct palette *p);
/* For the title, and what the cursor is on. */
void gantt_status(struct gantt *g, int width, struct sbuf *out);
void gantt_describe(struct gantt *g, struct sbuf *out);
/* A task in a few words: kind, what and where; appends. Under the lock. */
void gantt_task_name(const struct trace *t, const struct task_keys *keys,
		     const struct task_columns *c, uint32_t row, struct sbuf *out);

#endif
