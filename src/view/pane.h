/*
 * Panes: a titled list of lines with a cursor, the one widget behind the inspector, the
 * legend, help, warnings, marks and every table.
 *
 * A pane is a vtable over the app's or an analysis' data; it never holds the lines, it is
 * asked for those on screen. A line wider than the pane goes on below, indented under its
 * value. Scrolling, `/` search inside, Enter and drawing the frame are the generic code's.
 * O(lines on screen).
 */
#ifndef PIPEGLASS_VIEW_PANE_H
#define PIPEGLASS_VIEW_PANE_H

#include "base/regex.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "view/grid.h"
#include "view/palette.h"
#include "view/place.h"

struct pane;
struct table;

/* One line: text with a role for each stretch. Built into sbuf by the callbacks. */
struct pane_line {
	struct sbuf text;
	struct {
		uint16_t from, to; /* byte offsets */
		uint8_t role;
		bool bar; /* looks as it does also where the line is the cursor's */
	} spans[16];
	int span_count;
	bool cut;   /* what the pane has no room for is left out, not below */
	int indent; /* columns from the left where it goes on below; 0: as pane_wrap.h says */
};

void pane_line_add(struct pane_line *l, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of raw bytes of a trace, NUL included. */
void pane_line_bytes(struct pane_line *l, enum role role, const char *p, size_t len);

struct pane_ops {
	void (*title)(const struct pane *p, struct sbuf *out);
	void (*heading)(const struct pane *p,
			struct pane_line *out); /* stays on top; may be NULL */
	size_t (*count)(const struct pane *p);
	void (*line)(const struct pane *p, size_t i, struct pane_line *out);
	/* Where Enter on line i leads: an item and tick (TICK_NONE: where it begins). May be NULL.
	 */
	bool (*target)(const struct pane *p, size_t i, struct place *to);
	/* A command that Enter on line i runs; NULL or false: use target, and say there what it says. */
	bool (*command)(const struct pane *p, size_t i, struct sbuf *out);
	/* Sort by a column, NULL: the one behind (dir < 0: before) p->sort; sets that. May be NULL. */
	enum status (*sort)(struct pane *p, const char *column, int dir, struct error *e);
	/* The table (view/table.h) that it scrolls sideways and is as wide as; NULL: none. */
	struct table *(*sheet)(const struct pane *p);
	void (*free)(struct pane *p);
	int width;  /* wanted columns; 0: as wide as the lines */
	bool table; /* lines are cut at the pane's width, not wrapped: columns stay columns */
};

struct pane {
	const struct pane_ops *ops;
	void *data;           /* of the ops */
	size_t top, cursor;   /* lines as of ops->count, however many rows of cells they take */
	int columns;          /* of a line as last drawn; 0: not drawn yet */
	struct regex *search; /* owned */
	size_t shift;         /* columns of the sheet that are scrolled away */
	const char *about;    /* a line above the heading, if there is room (borrowed); NULL: none */
	bool about_shown;     /* as last drawn */
	char *sort;           /* column that the user chose; owned; NULL: none */
	/* For the title: it has the keys; the key that passes them on (borrowed; NULL: none). */
	bool focused;
	const char *next_key;
};

/* Moves the cursor; height: what pane_draw() returned. */
void pane_move(struct pane *p, int64_t lines, int height);
/* Turn its page, times over: parts 1 the whole of it, 2 half; dir < 0 up. */
void pane_page(struct pane *p, int dir, int parts, int64_t times, int height);
/* Sideways by columns of a table; false: it is none that could be. */
bool pane_scroll(struct pane *p, int columns);
/* p->ops->sort, and the cursor stays on its line's number. STATUS_NOT_FOUND: cannot be sorted. */
enum status pane_sort(struct pane *p, const char *column, int dir, struct error *e);
bool pane_find(struct pane *p, int dir); /* next line that matches p->search; wraps */
/* Columns the pane would like to have, border included; never more than max. */
int pane_wanted_width(const struct pane *p, int max);
/* Rows of the screen it would like to have at that width, border included; at most max. */
int pane_wanted_height(const struct pane *p, int width, int max);
/* Draw over area (border, title, lines, position); the content area's height is returned. */
int pane_draw(struct pane *p, struct grid *g, struct rect area, const struct palette *pal);
/* The line drawn in row y of area (0: the title's); false: none there. */
bool pane_line_at(const struct pane *p, int y, size_t *line);

void pane_free(struct pane *p);

#endif
