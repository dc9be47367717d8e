/*
 * Tabs that are compared: they share the window, locked to each other through the alignment of
 * their traces.
 *
 * Nothing is opened twice. The tab that is current has the focus, so that every command works
 * on it as ever; after each the other tabs are brought to the same place (joined_sync). Leaving
 * for a tab that is not compared and coming back leaves them joined; closing one of them ends it
 * (of three and more, the others stay joined), reloading begins it again. A tab is joined once.
 *
 * Matching the traces, adding up where the cycles went, and looking for the next difference run
 * on threads of their own, each stopped by ^C. Matching begins when all traces are read.
 */
#ifndef PIPEGLASS_APP_PIPELINE_JOINED_H
#define PIPEGLASS_APP_PIPELINE_JOINED_H

#include <pthread.h>
#include <stdatomic.h>

#include "analysis/pipeline/compare_worst.h"
#include "analysis/pipeline/differ_runs.h"
#include "app/tab.h"
#include "view/pipeline/compareview.h"

struct app;
struct joined;
struct pane;

/* What goes on beside the screen. */
struct joined_job {
	enum status (*work)(struct joined *j, struct joined_job *job);
	struct joined *of;
	pthread_t thread;
	bool running, threaded;
	atomic_bool stop;
	atomic_bool done;
	enum status status;
	struct error error;
	int64_t since; /* clock_ms() */
};

enum joined_state { JOINED_READING, JOINED_MATCHING, JOINED_ADDING, JOINED_READY };

struct joined {
	int runs;
	struct tab *side[RUNS_MOST];
	struct aligned_options options;
	enum compare_layout layout; /* to begin with */
	enum joined_state state;
	int other;         /* run that A is looked at beside: the last one with the focus */
	struct aligned al; /* from JOINED_ADDING on, as are the next two */
	struct differ differ[RUNS_MOST]; /* [k], k > 0: of A and run k, as all that follows */
	struct compareview view;
	struct compare costs[RUNS_MOST]; /* when added is set, as is the next */
	struct compare_worst *worst[RUNS_MOST];
	struct compare_range range; /* cycles of A that they are of */
	bool added, ranged;         /* not ranged: of the whole runs */
	unsigned kinds; /* of differences that are looked for */
	bool curves;    /* one metric of all on one axis, in place of the strips */
	struct metric_wish metric;
	struct resource *graph; /* NULL: not drawn yet */
	struct joined_job make, seek;
	/* of the seek */
	struct differ seeker[RUNS_MOST];
	struct difference found[RUNS_MOST]; /* of A and each run that differs there */
	int found_run;                      /* the first of them; RUN_A: none */
	struct place from[RUNS_MOST];
	uint64_t seek_row;
	int seek_run, dir;
	int64_t told_second; /* how long the status line said it takes */
};

/* What is compared, and how. */
struct joining {
	int runs;
	struct tab *side[RUNS_MOST];
	struct aligned_options options;
	enum compare_layout layout;
};

/* What any of them was joined to before is left. */
void joined_begin(struct app *a, const struct joining *wish);
void joined_end(struct app *a, struct joined *j); /* may be NULL */
/*
 * How a tab is joined; false: it is not. And without one of its tabs: false where none are left
 * to be compared.
 */
bool joined_wish(const struct tab *t, struct joining *out);
bool joining_without(struct joining *wish, const struct tab *t);

/* Those on the screen: of the current tab and matched; NULL: none. */
struct joined *joined_shown(const struct app *a);
int joined_run(const struct joined *j, const struct tab *t);
/* Of A the run that it is looked at beside, of any other A. */
int joined_other(const struct joined *j, int run);

/* The other sides come along with the current tab. */
void joined_sync(struct app *a);
/* The current tab becomes another one of those that it is joined to; false: `t` is none. */
bool joined_pass(struct app *a, struct tab *t);
void joined_set_layout(struct app *a, enum compare_layout layout);
/* From the cursor on (`dir`), or from the beginning of all (dir 0). */
void joined_seek(struct app *a, int dir, unsigned kinds);
/*
 * Where the cycles went, once more if that was stopped or was of another range: of the cycles
 * selected in A, or of the whole runs. STATUS_USAGE: some are selected in B alone.
 */
enum status joined_add_up(struct app *a, struct error *e);

unsigned joined_slice(struct app *a);    /* what became ready; reactions */
unsigned joined_finish(struct app *a);   /* all of it */
bool joined_busy(const struct app *a);   /* something runs */
bool joined_interrupt(struct app *a);    /* ends it; false: nothing to end */
void joined_pending(const struct app *a, struct sbuf *out); /* "matching 3 s (^C stops)" */

/* Where the cursor's row is in the others, how much later, and what is different about it. */
void joined_describe(const struct app *a, struct sbuf *out);
void joined_layout(struct app *a, struct rect view);
int joined_strip_lines(const struct joined *j, int h); /* of a screen of h lines */
/* The metric of all as lines on one axis and one scale; NULL: the strips again. */
enum status joined_curves(struct app *a, const struct metric_wish *metric, struct error *e);
enum status joined_draw(struct app *a, struct grid *g, struct error *e);
bool joined_click(struct app *a, int x, int y, uint64_t *index, int64_t *tick);
struct pane *joined_pane(struct app *a); /* where the cycles went */

#endif
