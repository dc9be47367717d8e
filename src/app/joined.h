/*
 * Two tabs that are compared: they share the window, locked to each other through the
 * alignment of their traces.
 *
 * Nothing is opened twice. The tab that is current has the focus, so that every command works
 * on it as ever; after each the other tab is brought to the same place (joined_sync). Leaving
 * for a third tab and coming back leaves them joined; closing one of them, or reloading, ends
 * it. A tab is joined to one other at a time.
 *
 * Matching the traces, adding up where the cycles went, and looking for the next difference run
 * on threads of their own, each stopped by ^C. Matching begins when both traces are read.
 */
#ifndef PIPEGLASS_APP_JOINED_H
#define PIPEGLASS_APP_JOINED_H

#include <pthread.h>
#include <stdatomic.h>

#include "analysis/compare_worst.h"
#include "app/tab.h"
#include "view/compareview.h"

struct app;
struct joined;
struct pane;

/* What goes on beside the screen. */
struct joined_job {
	enum status (*work)(struct joined *j, struct joined_job *job);
	struct joined *of;
	pthread_t thread;
	bool running, threaded;
	volatile bool stop;
	atomic_bool done;
	enum status status;
	struct error error;
	int64_t since; /* clock_ms() */
};

enum joined_state { JOINED_READING, JOINED_MATCHING, JOINED_ADDING, JOINED_READY };

struct joined {
	struct tab *side[ALIGN_SIDES];
	struct align_options options;
	enum compare_layout layout; /* to begin with */
	enum joined_state state;
	struct align al; /* from JOINED_ADDING on, as are the next two */
	struct differ differ;
	struct compareview view;
	struct compare costs; /* when added is set, as is the next */
	struct compare_worst *worst;
	struct compare_range range; /* cycles of A that they are of */
	bool added, ranged;         /* not ranged: of the whole runs */
	unsigned kinds; /* of differences that are looked for */
	bool curves;    /* one metric of both on one axis, in place of the strips */
	struct metric_wish metric;
	struct resource *graph; /* NULL: not drawn yet */
	struct joined_job make, seek;
	/* of the seek */
	struct differ seeker;
	struct difference found;
	struct place from[ALIGN_SIDES];
	uint64_t seek_row;
	int seek_side, dir;
	int64_t told_second; /* how long the status line said it takes */
};

/* What is compared, and how. */
struct joining {
	struct tab *side[ALIGN_SIDES];
	struct align_options options;
	enum compare_layout layout;
};

/* What either side was joined to before is left. */
void joined_begin(struct app *a, const struct joining *wish);
void joined_end(struct app *a, struct joined *j); /* may be NULL */
/* The same, to begin again after a tab's store was replaced; false: it is not joined. */
bool joined_take_apart(struct app *a, struct tab *t, struct joining *out);

/* The two on the screen: of the current tab and matched; NULL: none. */
struct joined *joined_shown(const struct app *a);
int joined_side(const struct joined *j, const struct tab *t);

/* The other side comes along with the current tab. */
void joined_sync(struct app *a);
/* The current tab becomes the other one, if that is what `t` is; false: not joined to it. */
bool joined_pass(struct app *a, struct tab *t);
void joined_set_layout(struct app *a, enum compare_layout layout);
/* From the cursor on (`dir`), or from the beginning of both (dir 0). */
void joined_seek(struct app *a, int dir, unsigned kinds);
/*
 * Where the cycles went, once more if that was stopped or was of another range: of the cycles
 * selected in A, or of the whole runs. STATUS_USAGE: some are selected in B alone.
 */
enum status joined_add_up(struct app *a, struct error *e);

unsigned joined_slice(struct app *a);    /* what became ready; reactions */
unsigned joined_finish(struct app *a);   /* all of it */
bool joined_busy(const struct app *a);   /* something runs */
bool joined_interrupt(struct app *a);    /* callable from a signal handler */
void joined_pending(const struct app *a, struct sbuf *out); /* "matching 3 s (^C stops)" */

/* Where the cursor's row is on the other side, how much later, and what is different about it. */
void joined_describe(const struct app *a, struct sbuf *out);
void joined_title(const struct app *a, struct sbuf *out);
void joined_layout(struct app *a, struct rect view);
int joined_strip_lines(const struct joined *j, int h); /* of a screen of h lines */
/* The metric of both as lines on one axis and one scale; NULL: the strips again. */
enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e);
enum status joined_draw(struct app *a, struct grid *g, struct error *e);
bool joined_click(struct app *a, int x, int y, uint64_t *index, int64_t *tick);
struct pane *joined_pane(struct app *a); /* where the cycles went */

#endif
