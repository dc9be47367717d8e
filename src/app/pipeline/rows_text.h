/*
 * Rows as lines of text, for yank and write: what one pastes into a review or a table.
 *
 * Text of the trace is made harmless (and CSV fields cannot become formulas). O(rows), read
 * in stretches of some hundred rows.
 */
#ifndef PIPEGLASS_APP_PIPELINE_ROWS_TEXT_H
#define PIPEGLASS_APP_PIPELINE_ROWS_TEXT_H

#include "app/tab.h"

enum rows_form { ROWS_LINES, ROWS_CSV };

/* The rows of the tab (its filter applied) with numbers in [row0, row1), at most limit. */
enum status rows_text(struct tab *t, uint64_t row0, uint64_t row1, uint64_t limit,
		      enum rows_form form, struct sbuf *out, struct error *e);

#endif
