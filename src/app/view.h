/*
 * A view of a trace: what shows it, and what the keys that move, zoom and select do in it.
 *
 * A kind of view is a row of view_kinds[] (views.c), which says what it needs of a trace. A tab makes
 * those that fit its trace; one of them is current, and commands reach it through its kind. Where a
 * view has no answer the pointer is NULL: view_* below say so. What all views of a kind share in the
 * program is one struct of its own, zeros at first (view_shared()).
 */
#ifndef PIPEGLASS_APP_VIEW_H
#define PIPEGLASS_APP_VIEW_H

#include "app/keymap.h"
#include "app/options.h"
#include "trace/trace.h"
#include "view/axis.h"
#include "view/grid.h"
#include "view/overview_tree.h"
#include "view/place.h"
#include "view/split.h"

enum { VIEW_KINDS_MAX = 12 };

struct app;
struct call;
struct curve_given;
struct pane_kind;
struct tab;
struct view;

/* For editors and shells. */
struct item_facts {
	uint64_t line; /* of the text; 0: not known */
	const char *path; /* of that text, as long as the view; NULL: the trace's */
	uint64_t address;
	bool has_address;
};

/* What progress() says. */
enum { VIEW_SAME = 0, VIEW_FILLS = 1 /* what came belongs on the screen */, VIEW_CHANGED = 2 };

struct view_kind {
	const char *name;  /* of the command that shows it; NULL: there is none */
	const char *items; /* it needs a trace of these; NULL: of any that has none, or beside */
	bool beside;       /* of any, also where others show it */
	bool whole;        /* there are no curves below it */
	bool metrics;      /* it needs some */
	enum key_mode mode; /* of its keys */

	/* In all of the program; 0: nothing. */
	size_t shared_size;
	void (*shared_init)(void *shared);
	void (*shared_free)(void *shared);

	/* Its state begins with a struct view, in which all is told but the axis; the rest is zeros. */
	size_t size;
	void (*init)(struct view *v);
	void (*free)(struct view *v); /* what it holds; NULL: nothing */
	/*
	 * The tab's trace is another one, the same read again; the one before goes behind this. It
	 * looks as it did, but keeps nothing that is the old one's. Then, when that item is there
	 * again, where the place is now. May be NULL.
	 */
	void (*reopen)(struct view *v);
	void (*come_back)(struct view *v, struct place *to);
	void (*apply)(struct view *v, const struct options *o);
	unsigned (*progress)(struct view *v, const struct progress *p); /* more is there */
	void (*home)(struct view *v);                                   /* to the beginning */

	/* The window without panes beside it, and the size of its area. */
	void (*layout)(struct view *v, int full_width, int w, int h);
	/*
	 * What timeline_*() leave to it: its size; what came that is not time, true: there is more to
	 * see (NULL: nothing else comes); that the axis was moved (NULL: it need not know).
	 */
	void (*resize)(struct view *v, int w, int h);
	bool (*came)(struct view *v, const struct progress *p);
	void (*settle)(struct view *v);
	/* Its lines, and its columns if these are components as well; NULL: not those. May be NULL. */
	struct component_tree *(*tree)(struct view *v, int which);
	void (*prepare)(struct app *a);      /* before the screen of any tab is drawn; NULL */
	enum status (*draw)(struct app *a, struct view *v, struct grid *g, struct rect area,
			    struct error *e);

	/*
	 * Items; all NULL: it has none. How many it shows, and which is at an index: NULL, lines are
	 * none. How many there are.
	 */
	uint64_t (*count)(const struct view *v);
	uint64_t (*all)(const struct view *v);
	uint64_t (*item)(const struct view *v, uint64_t index);
	int (*lines)(const struct view *v); /* of the screen */
	void (*on_screen)(const struct view *v, struct selection *out); /* which items are */
	bool (*shows)(const struct view *v, uint64_t item); /* nothing leaves it out */
	void (*item_text)(struct view *v, uint64_t item, struct sbuf *out); /* one line */
	bool (*item_facts)(struct view *v, uint64_t item, struct item_facts *out);

	/* The cursor; the window. Both keep the cursor on the screen. */
	void (*move)(struct view *v, int64_t lines, int64_t columns);
	void (*scroll)(struct view *v, int64_t lines, int64_t columns);
	void (*center)(struct view *v);
	void (*adjust)(struct view *v); /* what is on the screen into the window of time; NULL */
	void (*zoom)(struct view *v, int items, int ticks); /* positive: out */
	void (*fit)(struct view *v);
	struct place (*place)(const struct view *v);
	void (*go)(struct view *v, uint64_t item, int64_t tick); /* TICK_NONE: its own */
	void (*go_tick)(struct view *v, int64_t tick);
	void (*go_end)(struct view *v, bool last); /* of its lines; NULL: of its items, of the time */
	/* A place by a name that only it knows, as 0x400500 or #71. NULL: there are none. */
	enum status (*go_name)(struct call *c, const char *text, struct error *e);
	/* The cell (x, y) of the area last drawn; false: none of its time area. */
	bool (*hit)(const struct view *v, int x, int y, uint64_t *index, int64_t *tick);
	void (*click)(struct view *v, uint64_t index, int64_t tick); /* there; what was hit stays put */
	void (*moved)(struct view *v); /* what hangs on the cursor comes along; NULL */
	const struct selection *(*selection)(const struct view *v); /* of items, too; NULL: time alone */
	/*
	 * Two tabs that begin with this view are to share the window (app/joined.h); way: the words
	 * of ARG_WAY count from 0; -1: as usual. NULL: by time.
	 */
	enum status (*compare)(struct app *a, struct tab *const side[2], int way, struct error *e);
	/*
	 * The commands search and next, in both directions. NULL: they go from the cursor to what
	 * matches, by find(), which puts it under the cursor; STATUS_NOT_FOUND: nothing does. NULL,
	 * too: to the components in its trees that match.
	 */
	enum status (*search)(struct call *c, struct error *e);
	enum status (*again)(struct call *c, struct error *e);
	enum status (*find)(struct call *c, const struct regex *re, int dir, struct error *e);
	/* Look for what is being typed (borrowed; NULL: nothing), from a place; then: no more. */
	unsigned (*try_search)(struct app *a, struct view *v, const struct regex *re,
			       struct place from, int dir);
	void (*try_end)(struct app *a, struct view *v);
	/* Components shown, as stages; NULL: all. False: it would show none; nothing changed. */
	bool (*filter)(struct view *v, const struct regex *components);
	/* Show a component that another view led to. False: it knows none of that name. May be NULL. */
	bool (*component)(struct view *v, const char *name);
	/* The component that it is within: curves are of that and of those below it. NULL: of all. */
	const char *(*within)(const struct view *v);
	unsigned (*refilter)(struct app *a, struct view *v); /* options that hide items changed */
	enum status (*enter)(struct app *a, struct view *v, struct error *e);
	void (*escape)(struct view *v); /* something ends that lasts, as marks of a search */
	/* A metric that an analysis of what it shows works out; NULL: it is none. May be NULL. */
	const struct curve_given *(*given)(struct view *v, const char *metric);
	/* What lies between two places; false: it cannot be told. NULL: the time. */
	bool (*slope)(struct view *v, const struct place *from, const struct place *to,
		      struct sbuf *out);

	/* The words that an argument of a type (enum arg_type) can be; the man page. */
	void (*words)(const struct app *a, int type, void (*add)(void *arg, const char *word),
		      void *arg);
	void (*man)(struct sbuf *out);
	const struct pane_kind *panes; /* that it brings; ends with name == NULL */

	/* For the title, in some columns; for the lowest line; what narrows it, patterns cut. */
	void (*status)(struct view *v, int width, struct sbuf *out);
	void (*describe)(struct app *a, struct view *v, int width, struct sbuf *out);
	void (*narrowed)(const struct view *v, int columns, struct sbuf *out);
};

/* A pattern (NULL: none) that narrows it so, as part of that. */
void view_narrowed(const char *what, const struct regex *re, int columns, struct sbuf *out);

/* First in what its kind knows. */
struct view {
	const struct view_kind *kind;
	struct tab *tab;
	struct app *app;
	struct axis *axis; /* its own */
	struct split *split; /* its lines, where it has parts over the axis; or NULL */
	const uint32_t *current; /* the item under the cursor there, UINT32_MAX: none; or NULL */
};

extern const struct view_kind *const view_kinds[]; /* NULL-terminated */

/* Of any trace with metrics: the first, where no other view shows it; the second in any case. */
extern const struct view_kind curves_view_kind, overview_view_kind;

/* The tab's view of a kind; NULL: it has none. */
struct view *tab_view(const struct tab *t, const struct view_kind *kind);
/* Look at the current trace in its view of a kind, at the same time; STATUS_NOT_FOUND: it has none. */
enum status view_show(struct app *a, const struct view_kind *kind, struct error *e);
/* Those that are to show the tab's trace; none if nothing can. */
void views_make(struct app *a, struct tab *t);
/* What all views of a kind share. */
void *view_shared(const struct app *a, const struct view_kind *kind);
void views_init(struct app *a);
void views_free(struct app *a);
/* Before a frame: what the views of the current tab are to show is made. */
void views_prepare(struct app *a);
/* Items that options hide are left out of the current tab, or come again. */
void views_refilter(struct app *a);

/* Its lines have no part of the time axis beside them. */
static inline bool view_is_list(const struct view *v)
{
	return v->kind->whole && v->split;
}

/* What a view without an answer says: no items, no selection, nothing done. */
uint64_t view_count(const struct view *v);
void view_moved(struct view *v);
/* False: nothing is selected. */
bool view_selection(const struct view *v, struct selection *out);
/* From the cursor on; what selects already keeps its other end. */
void view_select(struct view *v, enum select_kind kind);
/* To its last item, or the first; without items to that end of the time. */
void view_go_end(struct view *v, bool last);

/*
 * timeline.c: what views do that hang on the axis alone, in place of functions of their own.
 */
unsigned timeline_progress(struct view *v, const struct progress *p);
bool timeline_came(struct view *v, const struct progress *p); /* more of what views of items show */
void timeline_layout(struct view *v, int full_width, int w, int h);
void timeline_resize(struct view *v, int w, int h); /* of lines with labels */
void timeline_home(struct view *v);
int timeline_lines(const struct view *v);
void timeline_move(struct view *v, int64_t lines, int64_t columns);
void timeline_scroll(struct view *v, int64_t lines, int64_t columns);
void timeline_center(struct view *v);
void timeline_zoom(struct view *v, int items, int ticks);
void timeline_fit(struct view *v);
struct place timeline_place(const struct view *v);
void timeline_go(struct view *v, uint64_t item, int64_t tick);
void timeline_go_tick(struct view *v, int64_t tick);
bool timeline_hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick);
void timeline_click(struct view *v, uint64_t index, int64_t tick);
void timeline_status(struct view *v, int width, struct sbuf *out);

/* In a row of view_kinds[]. */
#define TIMELINE                                                                                   \
	.progress = timeline_progress, .layout = timeline_layout, .home = timeline_home,           \
	.zoom = timeline_zoom, .fit = timeline_fit, .go_tick = timeline_go_tick

/* The same where nothing but the axis and a tree of components moves. */
#define TIMELINE_ALONE                                                                             \
	TIMELINE, .lines = timeline_lines, .scroll = timeline_scroll, .center = timeline_center,   \
	.place = timeline_place, .go = timeline_go

#endif
