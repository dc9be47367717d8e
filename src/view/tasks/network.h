/*
 * The network view: which component sends how many requests to which, in the window of the axis.
 *
 * A matrix: senders are its rows, receivers its columns, each a tree of dotted names
 * (view/overview_tree.h) of which parts can be folded. A cell says how many requests went from one to
 * the other: in tenths of the logarithm of the most on the screen, as a few edges have a thousand times
 * as many as most. Each request is in one cell: a line that is folded counts all below it, one that is
 * not itself alone. Below, on the axis, are the requests of the cell under the cursor column by column,
 * with all below both ends. A request is counted when it is sent.
 *
 * Requests are found once, and again as the trace grows: O(tasks). They are summed up when the window
 * changes, and a frame counts those of one cell: both O(requests).
 */
#ifndef PIPEGLASS_VIEW_TASKS_NETWORK_H
#define PIPEGLASS_VIEW_TASKS_NETWORK_H

#include "analysis/tasks/requests.h"
#include "view/axis.h"
#include "view/overview_tree.h"
#include "view/palette.h"
#include "view/place.h"

enum network_end { NETWORK_SENDERS, NETWORK_RECEIVERS, NETWORK_ENDS };

/* The rows, or the columns. */
struct network_side {
	struct component_tree tree;
	VEC(size_t) node; /* of a component, by its number; TREE_NONE: it is none of them */
};

/* Requests of a cell. */
struct network_sum {
	uint64_t count;
	double wait, latency; /* seconds, of all together */
};

struct network {
	struct axis time;
	const struct regex *among; /* an end of all requests matches; borrowed; NULL: all */
	struct task_pairs pairs;
	bool found;     /* they are those of */
	uint64_t known; /* so many tasks */
	struct task_requests requests;  /* of the window, */
	int64_t from, to;               /* that was [from, to) */
	struct network_side side[NETWORK_ENDS];
	int heading, below; /* lines over the matrix, and under it */
	int cell;           /* columns of one */
};

void network_init(struct network *n, struct trace *t);
void network_free(struct network *n);
/* Another trace, that is the same file read again; what the user chose stays. */
void network_reopen(struct network *n, struct trace *t);
/* What the trace has by now, in the window of now: before anything is asked for or drawn. */
enum status network_refresh(struct network *n, struct error *e);
/* Also after folds. */
void network_layout(struct network *n, int w, int h);

/* Requests of which an end matches (borrowed; NULL: all), which may be none. */
void network_filter(struct network *n, const struct regex *among);
/* The cursor to the next cell of its row with requests in the window; false: there is none. */
bool network_step(struct network *n, int dir);
/* The cell at (x, y) of the area last drawn, and the tick; of the strip, the cell of the cursor. */
bool network_hit(const struct network *n, int x, int y, size_t cell[NETWORK_ENDS], int64_t *tick);

/* Requests from below one node to below another, in the window. */
struct network_sum network_sum(const struct network *n, size_t sender, size_t receiver);
/* Of the cells on the screen, row by row; starts zeroed. O(edges + nodes). */
void network_matrix(const struct network *n, uint64_t *counts);
/* Those of the cell under the cursor, by column of the axis. */
void network_columns(const struct network *n, uint64_t *counts);

enum status network_draw(struct network *n, const struct marks *marks, struct grid *g,
			 struct rect area, const struct palette *p, struct error *e);
/* For the title, and what the cursor is on, in so many columns. */
void network_status(const struct network *n, struct sbuf *out);
void network_describe(const struct network *n, int width, struct sbuf *out);

#endif
