/*
 * What the parts of the pane "CPI0" share: the page they are writing.
 *
 * Each part appends its lines to the page, none wider than the page is: a narrow one leaves out
 * columns and words, never digits.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_CPI0_PANE_PRIVATE_H

#include "view/pipeline/cpi0_pane.h"
#include "view/section_pane.h"

enum { CPI0_NARROW = 69 /* columns below which the heading has no room for the machine */ };

struct cpi0_page {
	const struct cpi0_subject *subject;
	const struct cpi0_side *sides[CPI0_SIDES]; /* those that are known */
	struct cpi0_report report;                 /* of them */
	int count;
	struct list_pane *out;
	int width;
};

/* A line more; one with a blank line above it; words that go on in the last one. */
struct pane_line *cpi0_line(struct cpi0_page *page);
void cpi0_heading(struct cpi0_page *page, const char *text);
void cpi0_flow(struct cpi0_page *page, enum role role, const char *words, const char *between);
void cpi0_table(struct cpi0_page *page, enum cpi0_section section, struct section_look look);
/* 'A', 'B' */
char cpi0_side_letter(int side);

void cpi0_page_mix(struct cpi0_page *page); /* the triangle */

#endif
