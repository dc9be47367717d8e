/*
 * Regular expressions over untrusted subjects: PCRE2 with JIT and a match limit.
 *
 * Smart case: a pattern without an upper-case letter, but for those right behind a backslash, as
 * in \S, ignores case. Subjects are bytes; no UTF mode, so broken UTF-8 cannot fail. A match that runs
 * into the limit counts as "no match" and is reported by regex_limited().
 *
 * Several threads may match with the same struct regex. A match may begin or end within a
 * multi-byte character: who draws it widens it to whole characters. Cost of one match: at
 * most some milliseconds, whatever pattern and subject.
 */
#ifndef PIPEGLASS_BASE_REGEX_H
#define PIPEGLASS_BASE_REGEX_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"

struct regex;

/* STATUS_USAGE with PCRE2's own message and the offset when the pattern is bad. */
enum status regex_new(struct regex **out, const char *pattern, struct error *e);
void regex_free(struct regex *r);

/* True when r matches anywhere in p[0..len); from/to (may be NULL) receive the first match. */
bool regex_match(const struct regex *r, const char *p, size_t len, size_t *from, size_t *to);
/* The same in a text; NULL matches any. */
static inline bool regex_allows(const struct regex *r, const char *text)
{
	return !r || regex_match(r, text, strlen(text), NULL, NULL);
}

bool regex_limited(const struct regex *r); /* some match so far hit the limit */
const char *regex_pattern(const struct regex *r);
bool regex_ignores_case(const struct regex *r);

/* Append the pattern that matches a text as it stands. */
struct sbuf;
void regex_quote(const char *text, struct sbuf *out);

#endif
