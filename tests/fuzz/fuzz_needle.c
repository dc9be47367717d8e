/*
 * Arbitrary patterns and text: a line that the pattern matches is one that the sieve made from the
 * pattern finds, by many places at once as one by one.
 *
 * Input: the pattern up to the first line feed, then lines.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "base/sieve.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check(const struct regex *r, const struct sieve *s, const char *line, const char *end)
{
	const char *slow = sieve_find_slow(s, line, end);

	if (sieve_find(s, line, end) != slow)
		abort();
	if (slow == end && regex_match(r, line, (size_t)(end - line), NULL, NULL))
		abort();
}

static void check_lines(const struct regex *r, const struct sieve *s, const char *p,
			const char *end)
{
	const char *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		check(r, s, p, nl);
		if (nl == end)
			break;
	}
	if (p < end && sieve_find(s, p, end) != sieve_find_slow(s, p, end))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes, *nl = len ? memchr(text, '\n', len) : NULL;
	char pattern[512];
	struct needle n;
	struct regex *r;
	struct sieve s;

	if (!nl || (size_t)(nl - text) >= sizeof(pattern))
		return 0;
	memcpy(pattern, text, (size_t)(nl - text));
	pattern[nl - text] = '\0';
	if (regex_new(&r, pattern, NULL) != STATUS_OK)
		return 0;
	if (needle_of(pattern, regex_caseless(r), &n)) {
		sieve_make(&s, &n);
		check_lines(r, &s, nl + 1, text + len);
	}
	regex_free(r);
	return 0;
}
