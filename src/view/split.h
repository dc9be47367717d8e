/*
 * Lines in two parts of a view, one below the other, over one time axis: which of them are shown, and
 * which one the cursor is in. Beyond the last line of the upper part is the lower one. Whoever has the
 * lines says where the parts are and how many lines each has; motions end with split_settle(), once
 * that is known. All is O(1).
 */
#ifndef PIPEGLASS_VIEW_SPLIT_H
#define PIPEGLASS_VIEW_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

enum { SPLIT_UPPER, SPLIT_LOWER, SPLIT_PARTS };

struct split_part {
	int64_t count;     /* lines */
	int64_t line, top; /* where the cursor is, or was last; the first that is shown */
	int y, h;          /* in the view */
};

struct split {
	struct split_part part[SPLIT_PARTS];
	int in;    /* the part that the cursor is in */
	bool both; /* are shown; else that one alone */
};

/* The cursor's lines exist and are shown. */
void split_settle(struct split *s);
void split_move(struct split *s, int64_t lines); /* the cursor */
/* The window; the cursor goes only where it must, or instead of it at the ends. */
void split_scroll(struct split *s, int64_t lines);
void split_center(struct split *s);
/* A part and a line as a number: where the cursor is; the one at y, false: it is in neither part. */
uint64_t split_here(const struct split *s);
bool split_hit(const struct split *s, int y, uint64_t *here);
void split_goto(struct split *s, uint64_t here);

#endif
