/*
 * One open trace: its store, its view, and what the user set up on it.
 *
 * A tab owns everything of one trace, so that closing or reloading it is one call. Opening
 * returns before the index is complete; tab_progress() takes over what was published since.
 */
#ifndef PIPEGLASS_APP_TAB_H
#define PIPEGLASS_APP_TAB_H

#include "app/options.h"
#include "app/places.h"
#include "app/pipeline/seek.h"
#include "app/pipeline/tally.h"
#include "view/strip.h"

enum { METRIC_NAME = 40 }; /* bytes of name, blank and component together: struct strip_line's */

/* Metrics that every tab's strip shows if the trace has them. */
struct metric_wish {
	char name[METRIC_NAME];
	char component[METRIC_NAME]; /* "": none */
	bool hidden;
};

struct metric_wishes {
	struct metric_wish rows[STRIP_MAX];
	int count;
};

enum select_kind { SELECT_NONE, SELECT_CELLS, SELECT_ROWS, SELECT_TICKS };

/* Which rows are shown; what the filter in force was made from. */
struct row_choice {
	struct regex *text; /* owned; NULL: any */
	bool invert;
	unsigned fates; /* to keep; 0: all */
	bool no_micro_ops;
	bool *threads; /* owned; to keep, by row.thread; NULL: all */
	size_t thread_count;
};

/*
 * How the view of a tab begins: what was said while there was no trace, in the configuration. Of
 * view only what tab_begin() copies counts.
 */
struct tab_beginning {
	struct pipeview view;
	struct sbuf lanes; /* hidden ones, each name ended by a NUL */
};

struct joined;
struct reducing;
struct diagnosing;
struct cpi0_line;

struct tab {
	char *path;
	struct sbuf name; /* for the title: harmless, without folders */
	struct trace *trace;
	struct store *store; /* the same, if it has instructions; else NULL */
	struct pipeview view;
	struct strip strip;
	struct places places;
	bool keep_marks; /* in the state directory */

	struct reducing *reducing; /* app/pipeline/reducing.h; NULL: nobody asked for it */
	struct diagnosing *diagnosing; /* app/pipeline/diagnosing.h; NULL: nobody asked for it */
	struct cpi0_line *cpi0_line;   /* app/pipeline/cpi0_line.h; NULL: no strip has shown it */
	struct joined *joined; /* with another tab: app/joined.h; NULL: it is not compared */
	struct binary *binary; /* the program that ran; owned; NULL: that of the app */

	struct row_choice choice;
	struct filter *filter; /* NULL: all rows */
	struct regex *search;
	struct search *lines; /* all text is searched for it; NULL: it is not */
	int search_dir;
	struct target target; /* what n and N walk */
	struct tally tally;   /* of it */
	struct place landed;  /* where it was found last: Enter looks closer at that very row */
	bool has_landed;
	struct regex *component; /* stages shown; NULL: all */
	struct chain *chain;     /* that the view marks; NULL: none */

	enum select_kind selecting;
	uint64_t anchor_row;
	int64_t anchor_tick;

	/* describe.c: the row under the cursor, read once */
	struct detail seen;
	uint64_t seen_row;
	uint64_t seen_reached;
	bool seen_complete;

	struct segments segments; /* of the pipeline asked for; 0: the program's */
	int64_t ticks_per_cycle;  /* asked for; 0: the program's */

	bool placed;    /* the first rows are on the screen */
	bool returning; /* after a reload: to where the user was */
	struct place return_to;
	int64_t returned_start; /* of its row, before: the view follows where that starts now */
	bool told;    /* the end of indexing was */
	bool filling; /* rows came that belong on the screen: worth drawing at once */
	uint64_t rows_seen, reached_seen;
	size_t stages_seen, lanes_seen;
	const struct tab_beginning *beginning; /* NULL: as the program brings it */
	int percent_seen;
	enum source_change change;

	/* live.h */
	bool follow, paused;
	bool growing;       /* a plain file that is to be read as one that grows */
	bool has_stuck;
	struct place stuck; /* the newest row, where following left the cursor */
};

struct tab_options {
	const struct trace_options *store;
	bool keep_marks;
	bool follow; /* open as a file that grows */
};

enum status tab_open(struct tab **out, const char *path, const struct tab_options *options,
		     struct error *e);
/* STATUS_INPUT, and the trace closed: no view shows traces of its kind. */
enum status tab_can_show(struct trace *trace, struct error *e);
/* The same with a trace that is open, of text that has no path; takes it over. */
struct tab *tab_adopt(struct trace *trace, const char *name, const struct tab_options *options);
void tab_close(struct tab *t);
/* Open the same file again, keeping place, marks, search and component filter. */
enum status tab_reload(struct tab *t, const struct tab_options *options, struct error *e);

/* Look at what was published since; true when something to see changed. */
bool tab_progress(struct tab *t, struct progress *p);
int tab_percent(const struct progress *p);

void tab_begin(struct tab *t, const struct tab_beginning *from); /* which must outlive it */
void tab_apply(struct tab *t, const struct options *o);                /* options to the view */
void tab_metrics(struct tab *t, const struct metric_wishes *wishes);   /* those it has, in order */
void metric_label(const struct metric_wish *w, char out[METRIC_NAME]); /* "occupancy IF" */
/* Whether a wish is for a curve that is worked out beside the store. */
bool metric_is_given(const struct metric_wish *w);
/* What a wish draws; false: the trace has no such metric. */
bool tab_curve(struct tab *t, const struct metric_wish *w, struct curve_source *out);

/* Stages whose name matches; NULL: all. Takes the pattern over. False: none would be left. */
bool tab_component(struct tab *t, struct regex *pattern);

void tab_aim(struct tab *t, struct target target); /* n and N walk that from now on */
/* The same for the lines of the trace that match t->search. */
enum status tab_aim_lines(struct tab *t, struct error *e);

struct place tab_place(const struct tab *t);
void tab_goto(struct tab *t, struct place where);     /* with its zoom */
void tab_set_filter(struct tab *t, struct filter *f); /* takes it; keeps the cursor's row */
void row_choice_free(struct row_choice *c);
enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e);

/* Bring the selection to what lies between the anchor and the cursor. */
void tab_select(struct tab *t, enum select_kind kind);
void tab_track_selection(struct tab *t);

/* The tick range of the trace, half-open; false: nothing known yet. */
bool tab_ticks(const struct tab *t, int64_t *from, int64_t *to);

#endif
