/*
 * What the files of the instruction view share: arithmetic of the two axes, the gutter's
 * layout, and the cache that keeps one screen's data between frames that show the same rows.
 *
 * The cache holds the detail of the visible rows or the picture of the visible cells, never
 * more; it is asked again when the rows, the zoom or the published prefix changed.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_PIPEVIEW_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_PIPEVIEW_PRIVATE_H

#include "view/pipeline/links.h"
#include "view/pipeline/pipeview.h"
#include "view/ruler.h"

/* What stands above a column, and how it begins. */
struct gutter_column {
	const char *head;
	int width;
	bool shown;
};
extern const struct gutter_column gutter_columns[GUTTER_COUNT];

/* Where each gutter column lies; w 0: not shown. */
struct gutter_layout {
	int x[GUTTER_COUNT], w[GUTTER_COUNT];
	int total; /* with the blank before the time axis */
};

/* A visible line of one row: where its detail is. */
struct row_view {
	const struct detail *detail;
	const struct detail_row *row; /* NULL: not there */
};

/* Event kinds from the rarest of the trace to the commonest. */
struct event_order {
	uint8_t event[EVENT_MAX];
	uint16_t problems;       /* set of the kinds worth a place of their own */
	uint16_t lasting;        /* set of those that take time */
	size_t count;
};

struct pipeview_cache {
	struct progress at; /* of the published prefix that the rest was read from */
	bool fresh;
	struct totals totals;
	struct event_order order;
	/* detail */
	struct cached_row {
		uint64_t row;
		uint32_t part, index; /* where its detail is */
	} * rows;                     /* those held, ascending */
	struct detail *parts;         /* one for each run of rows, */
	size_t row_count, row_cap;    /* as many of them as rows at most */
	/* picture */
	struct picture_request request;
	struct picture_cell *cells;
	size_t cell_cap;
	bool has_picture, interpolated; /* the stages of its cells are */
	/* links of the row under the cursor */
	struct link_list links;
	bool has_links;
	/* one line under construction */
	struct slot *slots; /* v->columns of them */
	size_t slot_cap;
};

static inline uint64_t row_align(uint64_t row, int zoom)
{
	return row & -(UINT64_C(1) << zoom);
}

int pipeview_ruler_lines(const struct pipeview *v);
void pipeview_ruler(const struct pipeview *v, struct grid *g, struct rect area,
		    const struct palette *p);
int pipeview_row_height(const struct pipeview *v); /* lines of a row: more when lanes are split */
void pipeview_set_lines(struct pipeview *v); /* after the height or the zoom of rows changed */
/* The line of a lane in its row when lanes are split; -1: it is hidden. */
int pipeview_lane_line(const struct pipeview *v, unsigned lane);

/* The life of the row at an index; an index that is none gives the extent's end. */
void pipeview_life(const struct pipeview *v, uint64_t index, int64_t *start, int64_t *end);
/* The oldest row alive in [t0, t1) among rows [row0, row1); ROW_NONE: none. */
uint64_t pipeview_oldest_alive(const struct pipeview *v, int64_t t0, int64_t t1, uint64_t row0,
			       uint64_t row1);
void pipeview_clamp_zoom(struct pipeview *v);
void pipeview_clamp_window(struct pipeview *v); /* the window to what exists */
void pipeview_cursor_to_window(struct pipeview *v);
void pipeview_window_to_cursor(struct pipeview *v);

void gutter_fit(const struct pipeview *v, struct gutter_layout *out);
void gutter_head(const struct pipeview *v, struct grid *g, struct rect area,
		 const struct palette *p);
void gutter_row(const struct pipeview *v, struct grid *g, struct rect area, int line,
		const struct row_view *row, const struct palette *p);
void gutter_lane(const struct pipeview *v, struct grid *g, struct rect area, int y, unsigned lane,
		 const struct palette *p);
void gutter_rows(const struct pipeview *v, struct grid *g, struct rect area, int line,
		 unsigned fates, const struct palette *p);
/* Show the cursor in the label that begins at x, y. */
void gutter_cursor(const struct gutter_layout *l, struct grid *g, int x, int y,
		   const struct palette *p);

/*
 * Links of the visible rows over what is drawn of them (view/pipeline/links.h). The rows' detail must be
 * in the cache. O(rows and links on the screen).
 */
enum status links_draw(struct pipeview *v, struct grid *g, struct rect time,
		       const struct palette *p, struct error *e);
/*
 * The view's critical path over all that, at any zoom. O(cells on the screen * log steps): of the
 * many steps that a column can stand for some are shown.
 */
void links_draw_path(struct pipeview *v, struct grid *g, struct rect time,
		     const struct palette *p);

/*
 * Take note of what was published since: extent, totals, event order; what was read from an
 * older prefix is dropped. Every public motion and the layout begin with this.
 */
void viewcache_refresh(struct pipeview *v);
/* The visible rows' detail (row_zoom 0); view of line i, row NULL beyond the last. */
enum status viewcache_detail(struct pipeview *v, struct error *e);
struct row_view viewcache_row(const struct pipeview *v, size_t line);
/* The visible cells (row_zoom > 0); line by line, *columns a line. */
enum status viewcache_picture(struct pipeview *v, const struct picture_cell **cells, int *columns,
			      struct error *e);
struct slot *viewcache_slots(struct pipeview *v);
/* Links of a visible row; its consumers when they were asked for. */
const struct link_list *viewcache_links(struct pipeview *v, const struct row_view *row);
void viewcache_free(struct pipeview_cache *c);

/* What one cell of a single row's line is going to be. */
struct slot {
	uint32_t cp;
	uint8_t rank;   /* who wins the cell, see cells_private.h */
	uint8_t role;   /* enum role */
	uint8_t attrs;  /* besides those of the role */
	int64_t weight; /* ticks of the stay that has the cell */
};

/*
 * Compose the line of one row into v->columns slots: one lane of it, or the pipeline with what
 * the lanes that are not hidden lay over it.
 */
enum { CELLS_OVERLAID = -1 };
void cells_compose(const struct pipeview *v, const struct row_view *row, int lane,
		   struct slot *slots);

/* The event of the set to show (the rarest problem), or -1. */
int event_to_show(const struct event_order *order, unsigned events);
/* The fate of the set (bits) to show: the rarer of squashed and lost; -1: none. */
int fate_to_show(const struct totals *t, unsigned fates);

#endif
