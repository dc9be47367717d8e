/*
 * What the parts of the pane "reduced trace" share: the page they are writing.
 *
 * Each part appends its lines to the page, none wider than the page is: a narrow one leaves out
 * columns and words, never digits.
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_REDUCE_PANE_PRIVATE_H

#include "analysis/pipeline/reduce_report.h"
#include "view/pipeline/reduce_pane.h"
#include "view/section_pane.h"

enum { PAGE_NARROW = 66 }; /* columns below which what can be done without is left out */

struct reduce_page {
	const struct reduce_subject *subject;
	const struct reduced *reduced; /* NULL: not there yet */
	struct reduce_report report;   /* at the pipeline looked at */
	struct list_pane *out;
	int width;
};

struct pane_line *page_line(struct reduce_page *page);
/* In all of the page's width. */
void page_table(struct reduce_page *page, const struct section *s, const void *result,
		struct section_look look);

void page_depth(struct reduce_page *page); /* Table IV, gamma_n, best n: plots and numbers */

#endif
