/*
 * What patterns are matched against: "0xPC text" of a row, "PC text" as the screen shows it, and
 * its text alone, so that ^ stands for the beginning of any. Filters, searches and the marks of matches all ask here.
 *
 * Cost: at most three matches of a pattern (see base/regex.h) and a copy of the text.
 */
#ifndef PIPEGLASS_PIPELINE_QUERIES_SUBJECT_H
#define PIPEGLASS_PIPELINE_QUERIES_SUBJECT_H

#include <stdint.h>

#include "base/regex.h"
#include "base/sbuf.h"

/* "0x400500 addq r1,r2,r3"; without a pc the text alone. Appends. */
void subject_text(uint64_t pc, bool has_pc, const char *text, size_t len, struct sbuf *out);

/*
 * Does the pattern match? from and to (may be NULL) receive the match, in bytes of "0xPC text".
 * False also when memory is out.
 */
bool subject_match(const struct regex *r, uint64_t pc, bool has_pc, const char *text, size_t len,
		   size_t *from, size_t *to);

#endif
