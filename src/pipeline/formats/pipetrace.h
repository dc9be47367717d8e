/*
 * What the two pipetrace lexers share: the careful one (pipetrace.c), which knows every form, and
 * the fast one (pipetrace_fast.c), which knows the shapes that emitters print.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_PIPETRACE_H
#define PIPEGLASS_PIPELINE_FORMATS_PIPETRACE_H

#include <stddef.h>

#include "pipeline/formats/record.h"

enum {
	LINE_RECORDS = 8,    /* a line makes at most so many */
	PIPETRACE_THREAD = 4 /* where the thread's digits are in M5's suffix */
};

/*
 * Lex one line, carefully, behind out[*n]; false: there is no whole one (see pipetrace_lex()).
 * O(line), quadratic only in the last 4 KiB of a line that is no record.
 */
bool pipetrace_line(struct lexer *lx, const char *text, size_t len, bool final, struct record *out,
		    size_t *n);

/* The latency and colour fields of a stage entry with raw event bits, where they mean something. */
void pipetrace_latency(struct lexer *lx, struct record *r, uint32_t raw, uint64_t latency,
		       uint32_t colour);

/*
 * M5 appends "  [T0, CP#123]" to every record: where that begins, or end. The last bracket of the
 * text opens it, or there is none.
 */
static inline const char *pipetrace_suffix(const char *p, const char *end)
{
	const char *q = end - 2, *stop = end - p > 40 ? end - 40 : p;

	if (end == p || end[-1] != ']')
		return end;
	while (q > stop && *q != '[')
		q--;
	return q - stop >= 2 && q[-2] == ' ' && q[-1] == ' ' && q[1] == 'T' ? q - 2 : end;
}

#endif
