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
#include "app/view.h"
#include "view/strip.h"

enum { METRIC_NAME = 160 }; /* bytes of name, blank and component together: struct strip_line's */

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

struct asking;
struct joined;

enum { VIEWS_MAX = VIEW_KINDS_MAX };

struct tab {
	char *path;
	struct sbuf name; /* for the title: harmless, without folders */
	struct trace *trace;
	struct view *views[VIEWS_MAX]; /* that can show it, at least one */
	int view_count;
	struct view *view; /* that the keys go to */
	struct strip strip;
	struct places places;
	struct regex *components; /* shown by all views that have some; NULL: all */
	struct regex *search; /* for the find() of its views; NULL: nothing was looked for */
	int search_dir;
	bool keep_marks; /* in the state directory */
	struct asking *asking; /* answers that its panes show: app/answers.h */
	struct joined *joined; /* with another tab: app/joined.h; NULL: it is not compared */
	int64_t ticks_per_cycle; /* asked for; 0: the program's */

	struct place landed; /* where a search or a pane led last: Enter looks closer at that very item */
	bool has_landed;
	bool placed;    /* the first items are on the screen */
	bool returning; /* after a reload: to where the user was */
	struct place return_to;
	bool told;    /* the end of indexing was */
	bool filling; /* items came that belong on the screen: worth drawing at once */
	uint64_t items_seen, reached_seen;
	int percent_seen;
	enum source_change change;

	/* live.h */
	bool follow, paused;
	bool growing;       /* a plain file that is to be read as one that grows */
	bool has_stuck;
	struct place stuck; /* the newest item, where following left the cursor */
};

struct tab_options {
	struct app *app;
	const struct trace_options *store;
	bool keep_marks;
	bool follow; /* open as a file that grows */
};

/* Of the trace at path, or of one that is open and goes by that name; takes it over. */
enum status tab_open(struct tab **out, struct trace *trace, const char *path,
		     const struct tab_options *options, struct error *e);
void tab_close(struct tab *t);
/* Open the same file again, keeping place, marks, search and component filter. */
enum status tab_reload(struct tab *t, const struct tab_options *options, struct error *e);

/* Look at what was published since; true when something to see changed. */
bool tab_progress(struct tab *t, struct progress *p);
int tab_percent(const struct progress *p);

void tab_apply(struct tab *t, const struct options *o); /* options to the views */
/* Where the trace has nothing that is wished for: its own first metrics are, too. */
void tab_wish(struct tab *t, struct metric_wishes *wishes);
void tab_metrics(struct tab *t, const struct metric_wishes *wishes);   /* those it has, in order */
void tab_look(struct tab *t, const struct metric_wishes *wishes); /* the same if the component in sight is another one */
void metric_label(const struct metric_wish *w, char out[METRIC_NAME]); /* "occupancy IF" */
/*
 * What a wish draws, within a component (NULL: all) if it names none; false: there is no such metric.
 */
bool tab_curve(struct tab *t, const struct metric_wish *w, const char *within,
	       struct curve_source *out);

/* Components shown, as stages; NULL: all. Takes it. False: a view would have none; nothing changed. */
bool tab_filter(struct tab *t, struct regex *components);
bool tab_has_items(const struct tab *t); /* its views show some, not just curves */
struct place tab_place(const struct tab *t);
enum status tab_save_mark(struct tab *t, char letter, struct error *e); /* or that it is gone */
void tab_landed(struct tab *t); /* at its place */
void tab_goto(struct tab *t, struct place where);     /* with its zoom */

/* The tick range of the trace, half-open; false: nothing known yet. */
bool tab_ticks(const struct tab *t, int64_t *from, int64_t *to);

#endif
