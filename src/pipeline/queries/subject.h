/*
 * What patterns are matched against: "0xPC text" of a row, "PC text" as the screen shows it, and
 * its text alone, so that ^ stands for the beginning of any. Filters, searches and the marks of
 * matches all ask here.
 *
 * Cost: at most three matches of a pattern (see base/regex.h) and a copy of the text; for rows
 * whose text the index keeps this is done once for each static instruction.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SUBJECT_H
#define PIPEGLASS_PIPELINE_QUERIES_SUBJECT_H

#include "base/regex.h"
#include "base/sbuf.h"
#include "pipeline/store.h"

/* "0x400500 addq r1,r2,r3"; without a pc the text alone. Appends. */
void subject_text(const struct detail *d, const struct detail_row *row, struct sbuf *out);

/*
 * Does the pattern match? from and to (may be NULL) receive the match, in bytes of "0xPC text".
 * False also when memory is out.
 */
bool subject_match(const struct regex *r, const struct detail *d, const struct detail_row *row,
		   size_t *from, size_t *to);

/* What a pattern says of each static instruction; grows with those met. */
struct code_matches {
	struct store *store;
	const struct regex *pattern;
	signed char *known; /* by code */
	size_t count;
};

/* Does it match the row? 1, 0, or -1: the index does not keep all of its text. */
int code_matches_row(struct code_matches *m, const struct row *r);
void code_matches_free(struct code_matches *m);

#endif
