/*
 * A pane over a short list of lines, made once: the snapshot panes (inspector, info); or made for
 * the width of the pane, which only drawing tells, and again when that changes (cpi0, reduce).
 *
 * At most LIST_MAX lines are kept; what comes after is counted and said in the last line.
 */
#ifndef PIPEGLASS_VIEW_PANE_LIST_H
#define PIPEGLASS_VIEW_PANE_LIST_H

#include "view/pane.h"

enum { LIST_MAX = 2000 };

struct list_line {
	struct pane_line line;
	uint64_t item; /* where Enter leads; ITEM_NONE: nowhere */
	int64_t tick, until; /* and how far is seen from there; 0: the item tells */
};

struct list_pane {
	struct pane pane; /* first, so that one is the other */
	char title[120];
	struct list_line *lines;
	size_t count, cap;
	uint64_t left_out;
	void (*write)(struct list_pane *p, int width); /* all lines; NULL: made once */
	int width;                                     /* they were written for */
};

/* ops NULL: LIST_PANE alone. */
struct list_pane *list_pane_new(const struct pane_ops *ops);
/* Of one that is the first member of something larger, which list_pane_free() frees with it. */
void list_pane_init(struct list_pane *p, const struct pane_ops *ops,
		    void (*write)(struct list_pane *p, int width));

/* A new last line to be filled with pane_line_add(); the pointer is good until the next one. */
struct pane_line *list_pane_add(struct list_pane *p, uint64_t item, int64_t tick);

/* "key   value" with the keys aligned; and a heading, with a blank line before all but the first. */
struct pane_line *list_pane_key(struct list_pane *p, const char *key);
void list_pane_heading(struct list_pane *p, const char *text);
/* Of a legend: what is drawn, in so many columns, and what it means; without a sample: a heading. */
struct pane_sign {
	const char *sample;
	enum role role;
	const char *help;
};
void list_pane_signs(struct list_pane *p, const struct pane_sign *signs, size_t count, int columns);

/* The callbacks for struct pane_ops. */
void list_pane_title(const struct pane *p, struct sbuf *out);
size_t list_pane_count(const struct pane *p);
void list_pane_line(const struct pane *p, size_t i, struct pane_line *out);
bool list_pane_target(const struct pane *p, size_t i, struct place *to);
void list_pane_free(struct pane *p);
/* All of them: what more such a pane does stands behind. */
#define LIST_PANE                                                                                  \
	.title = list_pane_title, .count = list_pane_count, .line = list_pane_line,                \
	.target = list_pane_target, .free = list_pane_free

#endif
