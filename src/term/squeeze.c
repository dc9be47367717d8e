#include "config.h"

#include "term/squeeze.h"

#include <string.h>

/* Sequences that curses writes before others which make them void. */
static const char *const no_colors[] = {"\033[39m", "\033[49m"}; /* before all attributes end */
static const char ascii_set[] = "\033(B"; /* with each end of attributes; no other set is used */

static bool begins(const char *p, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - p) >= len && memcmp(p, what, len) == 0;
}

/* Length of what may be left out at p, 0: nothing. */
static size_t void_sequence(const char *p, const char *end)
{
	if (begins(p, end, ascii_set))
		return strlen(ascii_set);
	for (size_t i = 0; i < sizeof(no_colors) / sizeof(no_colors[0]); i++) {
		const char *next = p + strlen(no_colors[i]);

		if (!begins(p, end, no_colors[i]))
			continue;
		while (begins(next, end, ascii_set) || begins(next, end, no_colors[0]) ||
		       begins(next, end, no_colors[1]))
			next +=
			    begins(next, end, ascii_set) ? strlen(ascii_set) : strlen(no_colors[0]);
		if (begins(next, end, "\033[m") || begins(next, end, "\033[0"))
			return strlen(no_colors[i]);
	}
	return 0;
}

/* A terminal in an unknown state is told once which set it is. */
static size_t behind_ascii_set(const struct sbuf *out, size_t from)
{
	const char *found = strstr(out->text + from, ascii_set);

	return found ? (size_t)(found - out->text) + strlen(ascii_set) : from;
}

void squeeze(struct sbuf *out, size_t from, bool unknown)
{
	char *end = out->text + out->len;
	char *to = out->text + (unknown ? behind_ascii_set(out, from) : from);

	for (const char *p = to; p < end;) {
		size_t skip = *p == '\033' ? void_sequence(p, end) : 0;

		if (skip)
			p += skip;
		else
			*to++ = *p++;
	}
	*to = '\0';
	out->len = (size_t)(to - out->text);
}
