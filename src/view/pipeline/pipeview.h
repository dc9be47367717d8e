/*
 * The instruction view: rows in program (fetch) order down, ticks across, stage letters in
 * stage colours, events where they happened; the same picture at any zoom.
 *
 * A struct pipeview is plain state that commands change (app room) and pipeview_draw()
 * shows. Its rows are those of its filter when it has one: "index" means position in the
 * filter (or row number without one). Zoom is a power of two: row_zoom r shows 2^r rows a line;
 * across it is that of the time axis (view/axis.h). A frame costs O(cells on screen * log n) (see
 * store_picture).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_PIPEVIEW_H
#define PIPEGLASS_VIEW_PIPELINE_PIPEVIEW_H

#include "analysis/pipeline/reduce_arcs.h"
#include "pipeline/kind.h"
#include "view/axis.h"
#include "view/grid.h"
#include "view/gutter.h"
#include "analysis/interval.h"
#include "view/palette.h"
#include "view/place.h"

enum { ROW_ZOOM_MAX = 48 };

enum highlight_kind { HIGHLIGHT_NONE, HIGHLIGHT_EVENT, HIGHLIGHT_STAGE, HIGHLIGHT_FATE };

struct highlight {
	enum highlight_kind kind;
	unsigned what; /* event, stage or fate number */
};

enum colour_by { COLOUR_BY_STAGE, COLOUR_BY_THREAD };

/* Which links are drawn: none, those of the row under the cursor, all whose ends are visible. */
enum links_shown { LINKS_OFF, LINKS_ROW, LINKS_ALL };

struct chain;    /* view/pipeline/chain.h */
struct why_path; /* analysis/pipeline/why.h */

struct pipeview {
	struct store *store;
	struct filter *filter;      /* NULL: all rows; owned by the app */
	const struct regex *search; /* matches are shown in the gutter; owned by the app */
	uint64_t stage_hidden;      /* stages filtered out by the component filter: drawn as dots */
	uint64_t top; /* index of the first line's first row; multiple of 2^row_zoom */
	int row_zoom;
	struct axis axis;      /* what it has of the trace is set by the view */
	uint64_t cursor;       /* index of the row under the cursor */
	bool pinned;           /* neither the window nor the cursor follows the rows diagonally */
	int margin;            /* lines kept in sight above and below the cursor when it moves */
	bool lanes_split;      /* a line for each lane under its row, else over its cells */
	uint16_t lanes_hidden; /* set of lanes; 0 is never in it */
	enum colour_by colour_by;
	enum links_shown links;
	char link_stages[2][64];   /* stages of producer and consumer that links join; "": guess */
	const struct chain *chain; /* rows to be marked; owned by the app; NULL: none */
	const struct why_path *path; /* the critical path; owned by the app; NULL: not shown */
	/* Dependencies to be drawn, of these rows; owned by the app; NULL: none. */
	const struct reduce_arcs *arcs;
	enum arcs_shown arcs_shown;
	int64_t arcs_most; /* cycles that one can cost */
	struct highlight highlight;
	bool gutter_shown[GUTTER_COUNT];
	int gutter_width[GUTTER_COUNT];
	int text_wanted; /* columns of the widest text shown so far */
	const struct marks *marks; /* owned by the app; NULL: none */
	struct selection selection;
	/* set by pipeview_layout(), used by motions */
	int width, height;  /* size of the whole view */
	int lines;          /* of rows, each its lanes high */
	int full_columns;   /* columns without panes beside it, for the title's IPC; 0: the axis' */
	/* private to the view */
	struct pipeview_cache *cache;
};

void pipeview_init(struct pipeview *v, struct store *s);
/* Another store, that is the same trace read again: all looks as it did, from its beginning. */
void pipeview_reopen(struct pipeview *v, struct store *s);
void pipeview_free(struct pipeview *v);   /* the cache only */
void pipeview_forget(struct pipeview *v); /* the filter was replaced: draw from new data */

/* The character of a fate's mark: a sign, never a letter; grid_put() makes it ASCII if it must. */
uint32_t fate_sign(int fate);

/* A stage's letter in a cell: a capital where a row enters it, a small one where it stays. */
static inline char stage_sign(char letter, bool stays)
{
	if (stays && letter >= 'A' && letter <= 'Z')
		return (char)(letter - 'A' + 'a');
	if (!stays && letter >= 'a' && letter <= 'z')
		return (char)(letter - 'a' + 'A');
	return letter;
}

/* Tell the size of the whole view (gutter and ruler included); clamps the state to what exists. */
void pipeview_layout(struct pipeview *v, int w, int h);

/* Draw ruler (2 lines) and rows into area of g. */
enum status pipeview_draw(struct pipeview *v, struct grid *g, struct rect area,
			  const struct palette *p, struct error *e);
int pipeview_gutter_width(const struct pipeview *v);
/*
 * Before drawing: give the text column what the widest text seen so far needs, up to 40 % of the
 * window, unless the user gave it a width. It never shrinks and grows in steps, so that scrolling
 * seldom moves the picture.
 */
void pipeview_widen(struct pipeview *v);

/* Number of rows (index range) and their ticks. */
uint64_t pipeview_count(const struct pipeview *v);
uint64_t pipeview_row(const struct pipeview *v, uint64_t index); /* row of an index */
uint64_t pipeview_index(const struct pipeview *v, uint64_t row); /* nearest index of a row */

/*
 * Motions. All saturate at the ends, keep the cursor on screen and (unless pinned) let window
 * and cursor follow the pipeline diagonally: the visible rows' lives stay in the visible ticks,
 * and a cursor that changes rows goes to the nearest tick of the new row's life.
 */
void pipeview_home(struct pipeview *v); /* the first screen: the same for any published prefix */
void pipeview_move_rows(struct pipeview *v, int64_t lines);               /* cursor by lines */
void pipeview_move_columns(struct pipeview *v, int64_t columns);          /* cursor by columns */
void pipeview_scroll(struct pipeview *v, int64_t lines, int64_t columns); /* window */
void pipeview_center(struct pipeview *v); /* the cursor's line to the middle; it stays where it is */
void pipeview_goto(struct pipeview *v, uint64_t row, int64_t tick);       /* TICK_NONE: its start */
void pipeview_goto_tick(struct pipeview *v, int64_t tick); /* the rows alive then come too */
void pipeview_adjust(struct pipeview *v); /* bring the visible rows' lives into view */
/* Added to the zooms of rows and of the axis (positive: out), around the cell under the cursor. */
void pipeview_zoom(struct pipeview *v, int rows, int ticks);
void pipeview_fit(struct pipeview *v); /* the whole trace on one screen */
/* The cell (x, y) of the area last drawn -> row and tick; false outside the time area. */
bool pipeview_hit(const struct pipeview *v, int x, int y, uint64_t *index, int64_t *tick);
/* What one cell shows: rows [row0,row1), ticks [t0,t1) under the cursor. */
void pipeview_under_cursor(const struct pipeview *v, uint64_t *row0, uint64_t *row1, int64_t *t0,
			   int64_t *t1);
/* And what happens there, as it is drawn; *exact: its stage is not interpolated. */
enum status pipeview_cell(struct pipeview *v, struct picture_cell *cell, bool *exact,
			  struct error *e);
bool pipeview_is_aggregate(const struct pipeview *v); /* a line stands for several rows */
/*
 * Enter on an aggregate: the row with the rarest event (or fate, problem kinds first) inside
 * the cell under the cursor, and its tick; the first row of it when nothing happened, ROW_NONE when
 * no row lives there (the tick is the cursor's).
 */
bool pipeview_rarest(struct pipeview *v, uint64_t *row, int64_t *tick, struct error *e);

/*
 * Append "row 12 345 of 1 234 567  cycle 48 312 907  1:4  IPC 1.23" in at most width columns;
 * what does not fit is left out from the end. The zoom is rows:ticks a cell ("8 cols" when a
 * tick has several columns), with "estimated" where the picture's stages are; IPC is the
 * mean over the ticks on screen. Only what changes with the user's own doing is in it, so that an
 * idle screen stays silent. O(log n).
 */
void pipeview_status(struct pipeview *v, int width, struct sbuf *out);

#endif
