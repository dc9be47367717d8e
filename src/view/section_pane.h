/*
 * Results as lines of a pane: the sections that a command prints, made for the width of the pane.
 *
 * A table has the columns that view/table.h finds room for; a field that is to be drawn gets a bar
 * beside its numbers in what room is left, on one scale for all of its rows. What a cell says with
 * its colour, and where Enter on a row leads, whoever shows the section knows. O(cells).
 */
#ifndef PIPEGLASS_VIEW_SECTION_PANE_H
#define PIPEGLASS_VIEW_SECTION_PANE_H

#include "trace/result.h"
#include "view/pane_list.h"

struct section_look {
	int width;
	const char *title; /* NULL: the section's */
	size_t most;       /* rows; how many more there are is said; 0: all */
	/* Of a cell, and of its bar; NULL: ROLE_PANE */
	enum role (*role)(const void *result, const struct field *f, size_t row, size_t part);
	uint64_t (*target)(const void *result, size_t row); /* NULL: Enter leads nowhere */
};

/* The title with a blank line above it, the headings of the columns, the rows. */
void section_table(struct list_pane *out, const struct section *s, const void *result,
		   const struct section_look *look);
/* A line for each field of a row that is known, numbers below each other. */
void section_keys(struct list_pane *out, const struct field *fields, const void *result, size_t row);
/* The same, "KEY value   KEY value", in as many lines as it takes. */
void section_flow(struct list_pane *out, const struct field *fields, const void *result, size_t row,
		  int width);

/*
 * The words go on in the last line behind `between` if they fit there, or into no line, else in a
 * line of their own.
 */
void pane_flow(struct list_pane *out, int width, enum role role, const char *words,
	       const char *between);

/* Columns of a bar, so many, from a half of one to another; the rest is blank. Appends. */
void bar_put(struct sbuf *out, int cells, int from, int to);

/* Of what adds up: each has a letter as well as a colour. */
struct bar_part {
	char letter;
	enum role role;
	double value; /* a negative one takes back what those before it drew; NaN: none from here */
};

/* A bar in which `whole` takes `width` columns; returns those that the parts take. */
int pane_parts_bar(struct pane_line *l, const struct bar_part *parts, size_t count, double whole,
		   int width);

/*
 * The first so many hints: where, the sentence, what to try and the numbers; or that there are none.
 * Enter on any line of one leads to its place, or where ops of a list pane (NULL: none) say. Texts are
 * copied.
 */
struct hints;
struct pane *hints_pane(const struct hints *h, size_t most, const struct pane_ops *ops);

#endif
