/*
 * The view of a trace of instructions in a tab: the store, the rows and what the user set up on
 * them - filter, search, highlights, selection, analyses.
 *
 * It is the first view of such a tab, and whatever works on instructions finds it by rows_of(). What
 * all such views share in the program is rows_app().
 */
#ifndef PIPEGLASS_APP_PIPELINE_ROWS_H
#define PIPEGLASS_APP_PIPELINE_ROWS_H

#include "analysis/pipeline/stall_by.h"
#include "app/pipeline/diagnosing.h"
#include "app/pipeline/explaining.h"
#include "app/pipeline/reducing.h"
#include "app/pipeline/seek.h"
#include "app/pipeline/tally.h"
#include "app/pipeline/work.h"
#include "app/tab.h"
#include "app/state.h"
#include "app/view.h"
#include "pipeline/kind.h"
#include "view/pipeline/pipeview.h"

struct cpi0_line;

struct rows {
	struct view base; /* first */
	struct store *store;
	struct pipeview view;

	struct reducing *reducing;     /* app/pipeline/reducing.h; NULL: nobody asked for it */
	struct explaining *explaining; /* app/pipeline/explaining.h; NULL: nobody asked for it */
	struct diagnosing *diagnosing; /* app/pipeline/diagnosing.h; NULL: nobody asked for it */
	struct cpi0_line *cpi0_line;   /* app/pipeline/cpi0_line.h; NULL: no strip has shown it */
	struct binary *binary;         /* the program that ran; owned; NULL: that of the app */

	struct row_choice choice;
	struct filter *filter; /* NULL: all rows */
	struct regex *search;
	struct search *lines; /* all text is searched for it; NULL: it is not */
	int search_dir;
	struct target target; /* what n and N walk, */
	bool walks_path;      /* but for the critical path that was shown since */
	struct tally tally;   /* of it */
	struct chain *chain;     /* that the view marks; NULL: none */

	/* describe.c: the row under the cursor, read once */
	struct detail seen;
	uint64_t seen_row;
	uint64_t seen_reached;
	bool seen_complete;

	int64_t returned_start;   /* after a reload: of the cursor's row, before */
	size_t stages_seen;
};

/* What is the same in all tabs. */
struct rows_app {
	/*
	 * How the view of a tab begins: what was said while there was no trace, in the configuration,
	 * of what can be said of any trace.
	 */
	struct pipeview beginning;
	struct binary *binary; /* that ran in all tabs but those with their own */
	enum stall_by stalls_by;
	enum arcs_shown arcs_shown;
	struct reduce_look reduce; /* what the pane and the arcs of all tabs are for */
	struct diagnosing_machine machine;
	struct work work;
};

extern const struct view_kind rows_view_kind;
enum status rows_compare(struct app *a, struct tab *const side[2], int way, struct error *e);
void rows_words(const struct app *a, int type, void (*add)(void *arg, const char *word), void *arg);
void rows_man(struct sbuf *out); /* about machines */
extern const struct pane_kind rows_panes[]; /* ends with name == NULL */

struct pane *links_pane(struct app *a); /* of the row under the cursor */

/* NULL: the tab has no instructions. */
struct rows *rows_of(const struct tab *t);
static inline struct rows_app *rows_app(const struct app *a)
{
	return view_shared(a, &rows_view_kind);
}

/* The program that ran in the current tab; NULL: not named. */
struct binary *app_binary(const struct app *a);

/* 0x400500, #71: places that only this view knows. */
enum status rows_go_name(struct call *c, const char *text, struct error *e);

/* search and next, forwards and backwards. */
enum status rows_search(struct call *c, struct error *e);
enum status rows_again(struct call *c, struct error *e);
void rows_aim(struct tab *t, struct target target); /* n and N walk that from now on */
/* The same for the lines of the trace that match the search. */
enum status rows_aim_lines(struct tab *t, struct error *e);

void rows_set_filter(struct tab *t, struct filter *f); /* takes it; keeps the cursor's row */
/*
 * Rows of live text were in flight, or without their text, when the filter judged them, and are let
 * in or out now. Where some were the cursor stays at its row and its line, or at the newest row.
 */
bool rows_refilter_live(struct tab *t);

/* Bring the selection to what lies between the anchor and the cursor. */
void rows_track_selection(struct tab *t);

/*
 * describe.c: the distance between two cells. Of the time between them what the trace has counts
 * (analysis/interval.h), in the length as well as in the rate; the commit count is exact. O(log n).
 */
struct distance {
	int64_t length;    /* in units of axis_unit() */
	uint64_t rows;     /* of those shown */
	double ipc;        /* a cycle; NaN: none */
	int64_t committed; /* -1: not known */
};

/* Ticks [t0, t1) and rows between the two, whatever their order. */
enum status measure(struct tab *t, int64_t t0, int64_t t1, uint64_t row0, uint64_t row1,
		    struct distance *out, struct error *e);
/* "5 cycles x 4 rows; 7 committed in these cycles, IPC 1.40", with between instead of the x. */
void distance_text(const struct tab *t, const struct distance *d, const char *between,
		   struct sbuf *out);

/* What the cell under the cursor shows, in one line, in some width columns */
void describe_cursor(struct app *a, int width, struct sbuf *out);

#endif
