/*
 * What the parts of the pane "reduced trace" share: the page they are writing.
 *
 * Each part appends its lines to the page, none wider than the page is: a narrow one leaves out
 * columns and words, never digits.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_PRIVATE_H

#include "analysis/pipeline/reduced_parts.h"
#include "view/pane_list.h"
#include "view/pipeline/reduce_pane.h"

enum { PAGE_NARROW = 66 }; /* columns below which what can be done without is left out */

struct reduce_page {
	const struct reduce_subject *subject;
	const struct reduced *reduced; /* NULL: not there yet */
	struct reduce_cycles cycles; /* at the pipeline looked at */
	struct list_pane *out;
	int width;
};

/* A line more; one with a blank line above it. */
struct pane_line *page_line(struct reduce_page *page);
void page_heading(struct reduce_page *page, const char *text);

double reduce_per(int64_t part, uint64_t whole);

void page_chains(struct reduce_page *page);    /* Table I */
void page_histogram(struct reduce_page *page); /* Table II */
void page_grid(struct reduce_page *page);      /* Table III */
void page_depth(struct reduce_page *page);     /* Table IV, gamma_n, best n: plots and numbers */

#endif
