/*
 * The app's own state, for the files of this room.
 */
#ifndef PIPEGLASS_APP_STATE_H
#define PIPEGLASS_APP_STATE_H

#include <stdatomic.h>

#include "app/app.h"
#include "app/command.h"
#include "app/commands_resource.h"
#include "app/job.h"
#include "app/joined.h"
#include "app/keymap.h"
#include "app/launch.h"
#include "app/tail.h"
#include "app/options.h"
#include "app/panes.h"
#include "app/prompt.h"
#include "app/tab.h"

/* Where the parts of the screen are; a part that is left out has no height or width. */
struct layout {
	int w, h;
	struct rect title, view, strip, side, below, status, menu;
	struct rect body; /* view, strip, side and below together: where pop-ups go */
};

struct app {
	struct app_options options;
	char *config; /* own copies of what the options point to */
	char *keymap_name;
	bool secure;

	struct palette palette;
	struct keymap keymap;
	struct options set;
	struct trace_settings settings; /* what commands set for kinds of traces */
	struct metric_wishes wishes;
	struct resources resources;

	struct tab *tabs[TAB_MAX];
	int tab_count;
	struct tab *tab; /* current; NULL: none open */
	void *shared[VIEW_KINDS_MAX]; /* what views of a kind share: view_shared() */

	struct panes panes;
	struct prompt prompt;
	struct jobs jobs;
	struct layout layout;
	bool maximised; /* what has the focus fills the screen */

	struct key_sequence pending;
	int64_t count; /* typed so far; -1: none */

	struct sbuf message;
	bool message_error;
	bool message_lacks_trace; /* it is over when there is one */
	unsigned error_count; /* messages of errors so far */
	struct sbuf complaints; /* see app_complaints() */
	size_t complaint_count;

	struct child *child;   /* that writes a trace; NULL: none was started */
	struct tab *child_tab; /* of it; NULL: not open yet, or not any more */
	struct launch *launch; /* until it is; NULL: not under way */
	bool child_told;       /* its end was */
	bool child_shown;      /* what it says is, because there was no trace to look at */
	bool quit_asked;       /* while it runs: the second time does */
	bool end_warned;       /* by ^C, what the next one ends; another command takes that back */
	uint64_t child_lines;  /* of what it said, seen */

	struct sbuf folder; /* whose traces the pane `traces` lists; "": the one we are in */
	struct sbuf shell, clipboard;
	atomic_bool interrupt_asked; /* by a signal */
	unsigned react; /* reactions of all that was run since they were taken last */
	int depth;                         /* of `source` and `keys` inside one another */
	bool configuring;                  /* the user's own files are being read */
	/* clock_ms() of the next look at the file, of the next progress drawn */
	int64_t changes_at, progress_at;
	unsigned progress_due;
};

/* Run a line of commands as a key or the prompt does: work may go on afterwards. */
enum status app_run(struct app *a, const char *line, int64_t count, struct error *e);
/* The reactions so far; there are none from now on. */
unsigned app_reactions(struct app *a);

/* A history in the state directory, kept.c: as it is there; what was added to it. */
struct history *kept_history(const char *name);
enum status kept_save(struct history *h, const char *name, struct error *e);

/* ~/ as shells have it: nobody but us is there to expand it. Appends. */
void app_expand_home(const char *path, struct sbuf *out);

/* Run a command with one argument as it stands, whatever it holds; NULL: without. */
enum status app_call(struct app *a, const char *name, const char *argument, struct error *e);

/* Commands and pictures without a screen are of the whole current trace. */
enum status app_await(struct app *a, struct error *e);
/* All work that is waited for, to its end. */
void app_finish(struct app *a);

/* Take over what was indexed since the last time, in all tabs. */
unsigned app_progress(struct app *a);

/* A tab of a trace that is open, as tab_open(). Takes it over, also when it fails. */
enum status app_adopt(struct app *a, struct trace *trace, const char *name, struct error *e);
/* Add the tab and make it the current one. */
void app_show_tab(struct app *a, int index);
int app_tab_index(const struct app *a);
void app_close_tab(struct app *a, int index);
struct tab_options app_tab_options(struct app *a);

/* After an option changed: hand it to whom it concerns. */
void app_apply(struct app *a, unsigned effects);

/* "n", the key of a command in the current keymap, for hints; "" when there is none. */
void app_key_of(const struct app *a, const char *command, struct sbuf *out);
enum { KEY_TEXT = 80 };
const char *app_key_text(const struct app *a, const char *command, char buf[KEY_TEXT]);

/* "< > machine": the keys of a mode for a command, and for a second one (NULL: none); appends. */
void app_hint(const struct app *a, enum key_mode mode, const char *command, const char *second,
	      const char *what, struct sbuf *out);
/* The same of several, the last one without `what`, as many as make no more than width columns. */
struct app_hint {
	const char *command, *second, *what; /* command NULL: not now */
};
void app_hints(const struct app *a, enum key_mode mode, const struct app_hint *hints, int width,
	       struct sbuf *out);

/* Where keys are looked up now. */
enum key_mode app_key_mode(const struct app *a);

/* An embedded keymap file over what is bound. */
enum status app_keymap(struct app *a, const char *name, struct error *e);
enum { APP_DEPTH = 8 /* files of commands, and `keys`, inside one another */ };

/*
 * Each line of text a command. The first wrong one ends it, as NAME:LINE; while configuring it
 * is a complaint, as is at any time what was not found.
 */
enum status app_lines(struct app *a, const char *name, const char *text, size_t len,
		      struct error *e);
enum status app_source_file(struct app *a, const char *path, struct error *e);

/* To an item and a tick, TICK_NONE: its own; says so when a filter leaves it out. */
enum status nav_go(struct call *c, uint64_t item, int64_t tick);
/* `reload` */
enum status file_reload(struct call *c, struct error *e);

void app_relayout(struct app *a); /* draw.c: again, after something changed its size */

/* The screen in one of its export forms; appends. */
enum status app_export(struct app *a, enum grid_format format, struct sbuf *out, struct error *e);

/* next_keys.c: all that can follow the keys typed so far, over the bottom of the body */
void next_keys_draw(struct app *a, struct grid *g);

/* title.c */
void title_draw(struct app *a, struct grid *g);
void status_draw(struct app *a, struct grid *g);

#endif
