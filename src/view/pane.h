/*
 * Pop-up panes: a titled list of lines with a cursor, the one widget behind the inspector,
 * the legend, help, warnings, marks and every table.
 *
 * A pane is a vtable over the app's or an analysis' data; it never holds the lines, it is
 * asked for those on screen. Scrolling, `/` search inside, Enter and drawing the frame are
 * the generic code's. O(lines on screen).
 */
#ifndef PIPEGLASS_VIEW_PANE_H
#define PIPEGLASS_VIEW_PANE_H

#include "base/regex.h"
#include "store/store.h"
#include "view/grid.h"
#include "view/palette.h"

struct pane;

/* One line: text with a role for each stretch. Built into sbuf by the callbacks. */
struct pane_line {
	struct sbuf text;
	struct {
		uint16_t from, to; /* byte offsets */
		uint8_t role;
	} spans[16];
	int span_count;
};

void pane_line_add(struct pane_line *l, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct pane_ops {
	const char *name; /* `open pane NAME` */
	const char *help;
	void (*title)(const struct pane *p, struct sbuf *out);
	size_t (*count)(const struct pane *p);
	void (*line)(const struct pane *p, size_t i, struct pane_line *out);
	/* Where Enter on line i leads: a row and tick (ROW_NONE: nowhere). May be NULL. */
	bool (*target)(const struct pane *p, size_t i, uint64_t *row, int64_t *tick);
	/* A command that Enter on line i runs; NULL or false: use target. */
	bool (*command)(const struct pane *p, size_t i, struct sbuf *out);
	void (*free)(struct pane *p);
	int width; /* wanted columns; 0: as wide as the lines */
};

struct pane {
	const struct pane_ops *ops;
	void *data; /* of the ops */
	size_t top, cursor;
	struct regex *search; /* owned */
	struct pane *below;   /* stack */
};

void pane_move(struct pane *p, int64_t lines, int height);
bool pane_find(struct pane *p, int dir); /* next line that matches p->search; wraps */
/* Columns the pane would like to have, border included; never more than max. */
int pane_wanted_width(const struct pane *p, int max);
/* Draw over area (border, title, lines, position); the content area's height is returned. */
int pane_draw(const struct pane *p, struct grid *g, struct rect area, const struct palette *pal);

/* The panes this room makes; each returns a heap pane or NULL (no memory). */
struct pane *legend_pane(struct store *s); /* stages, events and fates with counts */
struct pane *inspector_pane(struct store *s, uint64_t row); /* all that is known of a row */
struct pane *warnings_pane(struct store *s);
struct pane *info_pane(struct store *s); /* what `pipeglass info` says */
void pane_free(struct pane *p);

#endif
