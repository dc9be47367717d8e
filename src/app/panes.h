/*
 * Which panes are open, where they stand and which has the focus.
 *
 * Side panes take columns from the view and stay while one works. Pop-ups lie over it; on a large
 * screen they stand at its right, or, where they are too wide, below it, and stay too. Opening one that is open only gives it the focus. A pane kind is a row of
 * pane_kinds[].
 */
#ifndef PIPEGLASS_APP_PANES_H
#define PIPEGLASS_APP_PANES_H

#include "app/keymap.h"
#include "app/places.h"
#include "view/pane.h"

struct answer_shown;
struct app;
struct call;

enum { PANES_MAX = 8 };

enum pane_place { PANE_SIDE, PANE_POPUP };

/* What a pane is about, so that it is made again when that is another: SCREEN if not selected */
enum pane_follows { FOLLOWS_NOTHING, FOLLOWS_ROW, FOLLOWS_TICK, FOLLOWS_SELECTION, FOLLOWS_SCREEN };

/* A key in a pane's last line. */
struct pane_hint {
	const char *command, *what;
};

struct pane_kind {
	const char *name, *help;
	enum pane_place place;
	bool focus;    /* opening it gives it the focus */
	bool of_trace; /* closed with its tab */
	bool grows;    /* made again while text comes */
	enum pane_follows follows;
	struct pane *(*make)(struct app *a);
	const struct answer_shown *answer; /* it is made of that, without make */
	enum key_mode mode; /* of the keys while it has the focus; KEYS_MAIN stands for KEYS_PANE */
	struct pane_hint own; /* the main one of its own keys; NULLs: it has none */
};

enum key_mode pane_keys(const struct pane_kind *kind);

const struct pane_kind *pane_kind_at(size_t i); /* all of them; NULL beyond the last */

struct pane_slot {
	const struct pane_kind *kind;
	struct pane *pane;
	struct rect area;       /* where it was drawn last */
	int height;             /* of its lines */
	uint64_t row;           /* what it is about: this row or tick, ROW_NONE: no row */
	struct selection range; /* or this range, off: none */
	uint64_t reached;       /* and as much text */
	bool behind;            /* that is another by now */
	int64_t due, later;     /* clock_ms() before which it is not made again: for that, for more text */
};

struct panes {
	struct pane_slot slots[PANES_MAX]; /* the last one is on top */
	int count;
	int focus; /* index; -1: the view */
	struct pane_slot left;    /* the pop-up that Enter left last; pane NULL: none */
	struct place left_at;     /* where the view was then */
	enum key_mode help_mode; /* of what had the keys when help was asked for */
};

const struct pane_kind *pane_kind_find(const char *name, struct error *e);
/* A command: the pane that it is named after. */
enum status panes_open_named(struct call *c, struct error *e);
enum status panes_open(struct app *a, const struct pane_kind *kind, struct error *e);
bool panes_has(const struct app *a, const char *name); /* the current trace, or any */
bool panes_is_open(const struct app *a, const char *name);
void panes_close(struct app *a, int index);
void panes_close_all(struct app *a);
/* Also where Enter left it, and those whose names begin with that word. */
void panes_close_kind(struct app *a, const char *name);
/* Because an option says so: the keys stay where they are. */
void panes_show(struct app *a, const struct pane_kind *kind);
/* Another trace is shown, or none: panes of the old one go, the legend comes if it is wanted. */
void panes_change_trace(struct app *a);
struct pane_slot *panes_focused(struct app *a);         /* NULL: the view has the focus */
void panes_next(struct app *a, int dir);                /* focus */
/* What panes beside the view take of a screen: columns at its right, lines below it. */
int panes_side_width(const struct app *a, int columns, int lines);
int panes_below_height(const struct app *a, int columns, int lines);
void panes_draw(struct app *a, struct grid *g);
/*
 * Data behind the panes changed: make them again, each at the place it was; where that was the end it
 * still is.
 */
void panes_refresh(struct app *a, bool follow_cursor_only);
void panes_renew_kind(struct app *a, const char *name); /* one of them, also where Enter left it */
int64_t panes_due(const struct app *a); /* when one is to be made again; INT64_MAX: none */
/* The view came back to a place: the pop-up that was left from there opens as it was. */
void panes_came_back(struct app *a, struct place to);
/* Enter. */
enum status panes_enter(struct app *a, struct error *e);

/* What panes that sum up are about: the selection, or what is on the screen (on false). */
void app_range(const struct app *a, struct selection *out);

/* This room's own kinds. */
struct pane *help_pane(struct app *a);
struct pane *info_pane(struct app *a);
struct pane *marks_pane(struct app *a);
struct pane *metrics_pane(struct app *a);
struct pane *metric_pairs_pane(struct app *a); /* of the two that share the window */
struct pane *options_pane(struct app *a);
struct pane *problems_pane(struct app *a);
struct pane *traces_pane(struct app *a); /* in a->folder */
struct pane *warnings_pane(struct app *a); /* kept, or only counted, or that there are none */

/* Append `metric add NAME [COMPONENT]`, the words quoted; component: its name, NULL: of all. */
void metric_add_line(const char *name, const char *component, struct sbuf *out);

bool traces_is_folder(const char *path);
enum status traces_list(struct app *a, const char *folder, struct error *e);
/* The list has the keys and there is nothing else to look at. */
bool traces_alone(const struct app *a);

#endif
