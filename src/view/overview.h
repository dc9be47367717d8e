/*
 * The overview of a trace: all its components, one panel each, on one time axis.
 *
 * A panel shows a metric of its component as bars, a second one as dots over them; in one line it is a
 * strip of cells whose shade and digit say how many tenths of the scale the metric has. Dotted names
 * are a tree (view/overview_tree.h): the panel of a node with others below it shows all of them
 * together. Names without dots and digits are in the order of the trace. Of metrics that the file
 * brought, components that have neither are left out. Each panel has its own scale, or all on the
 * screen share one for each metric.
 *
 * Panels are fetched when they are drawn: a frame costs O(panels on the screen * columns * log n), and
 * nothing of the trace is asked while neither it nor the window changed.
 */
#ifndef PIPEGLASS_VIEW_OVERVIEW_H
#define PIPEGLASS_VIEW_OVERVIEW_H

#include "view/axis.h"
#include "view/overview_tree.h"
#include "view/resource.h"

enum { OVERVIEW_METRICS = 2, OVERVIEW_NAME = 160 };

/* What is kept of a panel for the next frame. */
struct overview_panel {
	size_t node;      /* TREE_NONE: of none any more */
	uint64_t reached; /* in the text when its lines were found */
	struct resource_line line[OVERVIEW_METRICS]; /* hidden: the component has no such metric */
	struct scale_range range[OVERVIEW_METRICS];
	struct resource *graph, *before; /* before: of the window's last other size */
};

struct overview {
	struct axis time;
	struct component_tree tree;
	const struct regex *among; /* components shown; borrowed; NULL: all */
	struct regex *kinds; /* of items that count; NULL: all */
	uint64_t counted;    /* the same for metrics of the trace */
	char metric[OVERVIEW_METRICS][OVERVIEW_NAME]; /* "": none */
	bool chosen;  /* by the user: else they are the trace's */
	int height;   /* lines of a panel; 0: what the window has room for */
	size_t components, metrics; /* of the trace, when the tree was made */
	char sort[OVERVIEW_NAME]; /* metric whose means over a window order it; "": the names do */
	int64_t sort_from, sort_to;
	VEC(struct overview_panel) panels; /* of the lines on the screen, from the first */
	int columns;                       /* of time, by the last frame, */
	bool parted;                       /* and whether it showed the peaks of columns */
};

void overview_init(struct overview *o, struct trace *t);
void overview_free(struct overview *o);
/* Another trace, that is the same file read again; what the user chose stays. */
void overview_reopen(struct overview *o, struct trace *t);
/* Take note of the components and metrics of the trace by now. True: they are others. */
bool overview_came(struct overview *o);
/* Also after lines or their height changed. */
void overview_layout(struct overview *o, int w, int h);

/* Show components that match (borrowed; NULL: all). False: there would be none; nothing changed. */
bool overview_filter(struct overview *o, const struct regex *among);
/* Count items of kinds that match (NULL: all); takes it. After an error nothing changed. */
enum status overview_kinds(struct overview *o, struct regex *kinds, struct error *e);
/* `which` of OVERVIEW_METRICS; NULL: no second one. STATUS_USAGE: no component has such a metric. */
enum status overview_choose(struct overview *o, int which, const char *name, struct error *e);
/* By the mean of a metric over the window; NULL: by name. One value of each node is asked for. */
enum status overview_sort(struct overview *o, const char *metric, struct error *e);

int overview_height(const struct overview *o);                /* lines of a panel by now */
void overview_resize(struct overview *o, int64_t lines);      /* so many more */
/* The cell (x, y) of the area last drawn; false: there is none of a panel. */
bool overview_hit(const struct overview *o, int x, int y, size_t *line, int64_t *tick);

enum status overview_draw(struct overview *o, const struct resource_look *look,
			  const struct marks *marks, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e);
/* The source of a metric of a node's components; STATUS_USAGE: they have none. */
enum status overview_source(const struct overview *o, size_t node, const char *metric,
			    struct curve_source *out, struct error *e);
/* The line of a node in the columns of labels; the cursor is here, or not. */
void overview_draw_label(const struct component_tree *t, size_t node, bool here, struct grid *g,
			 struct rect r, const struct palette *p);
/* A cell with the shade and the digit of a part of the whole, in tenths; 0 and less: a dot. */
void overview_draw_heat(double part, struct grid *g, int x, int y, const struct palette *p);

#endif
