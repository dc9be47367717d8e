/*
 * What the parts of the pane "CPI0" share: the page they are writing.
 *
 * Each part appends its lines to the page, none wider than the page is: a narrow one leaves out
 * columns and words, never digits.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_PRIVATE_H

#include "view/pipeline/cpi0_pane.h"
#include "view/pane_list.h"

enum {
	CPI0_WIDE = 96,  /* columns from which what can be done without is there as well */
	CPI0_NARROW = 69 /* below which nothing is drawn as a bar beside its number */
};

struct cpi0_page {
	const struct cpi0_subject *subject;
	const struct cpi0_side *sides[CPI0_SIDES]; /* those that are known */
	int count;
	struct list_pane *out;
	int width;
};

/* A line more; one with a blank line above it. */
struct pane_line *cpi0_line(struct cpi0_page *page);
void cpi0_heading(struct cpi0_page *page, const char *text);
/*
 * The words go on in the last line behind `between` if they fit there, else in a line of their own,
 * or several.
 */
void cpi0_flow(struct cpi0_page *page, enum role role, const char *words, const char *between);
/* 'A', 'B' */
char cpi0_side_letter(int side);

void cpi0_page_queues(struct cpi0_page *page);
void cpi0_page_split(struct cpi0_page *page);
void cpi0_page_mix(struct cpi0_page *page); /* the triangle, and the assumptions beside it */

#endif
