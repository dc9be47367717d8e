#include "config.h"

#include "base/regex_lines.h"

#include <ctype.h>
#include <string.h>

#include "base/sbuf.h"

/* What an escape is in the pattern for many lines, and within a class; NULL: not known. */
static const struct {
	char letter;
	const char *alone, *in_class;
} escapes[] = {
    {'b', "\\b", NULL},
    {'B', "\\B", NULL},
    {'d', "\\d", "\\d"},
    {'D', "[^\\d\\n]", NULL},
    {'h', "\\h", "\\h"},
    {'N', "\\N", NULL},
    {'s', "[^\\S\\n]", "\\t\\x0b-\\r "},
    {'S', "\\S", "\\S"},
    {'t', "\\t", "\\t"},
    {'w', "\\w", "\\w"},
    {'W', "[^\\w\\n]", NULL},
};

/*
 * The line feed alone ends lines, ^ and $ mean theirs. The limit is low: a pattern that needs many
 * steps is tried sooner on single lines, most of which lack a byte that it must have.
 */
static const char many_lines[] = "(*LF)(*LIMIT_MATCH=1000)";

/* A byte that stands for itself behind a backslash. */
static bool is_sign(char c)
{
	return (unsigned char)c >= 0x80 || ispunct((unsigned char)c) || c == ' ';
}

/* The escape at *p, behind its backslash; *p is moved past it. */
static bool escape(const char **p, bool in_class, struct sbuf *out)
{
	char c = *(*p)++;

	if (is_sign(c)) {
		sbuf_putc(out, '\\');
		sbuf_putc(out, c);
		return true;
	}
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		const char *text = in_class ? escapes[i].in_class : escapes[i].alone;

		if (escapes[i].letter != c || !text)
			continue;
		sbuf_puts(out, text);
		return true;
	}
	return false;
}

/*
 * The class at *p, behind its bracket. Ranges from a printable byte on cannot hold a line feed;
 * others, names ([:space:]) and odd first members are not looked into.
 */
static bool class_of_bytes(const char **p, struct sbuf *out)
{
	const char *at = *p;

	sbuf_putc(out, '[');
	if (*at == '^') {
		sbuf_puts(out, "^\\n");
		at++;
	}
	if (*at == ']' || *at == '-')
		return false;
	while (*at != ']') {
		if ((unsigned char)*at < ' ' || (*at == '[' && at[1] && strchr(":.=", at[1])))
			return false;
		if (*at != '\\') {
			sbuf_putc(out, *at++);
			continue;
		}
		at++;
		if (!escape(&at, true, out) || (at[0] == '-' && at[1] != ']'))
			return false;
	}
	sbuf_putc(out, ']');
	*p = at + 1;
	return true;
}

/* Behind an opening bracket: neither options nor verbs, conditions, recursion. */
static bool group_is_known(const char *p)
{
	return *p != '*' && (*p != '?' || (p[1] && strchr(":=!><", p[1])));
}

static bool say_for_lines(const char *p, struct sbuf *out)
{
	while (*p) {
		char c = *p++;
		bool known;

		if (c == '\\')
			known = escape(&p, false, out);
		else if (c == '[')
			known = class_of_bytes(&p, out);
		else
			known = c == '(' ? group_is_known(p) : c != '\n';
		if (!known)
			return false;
		if (c != '\\' && c != '[')
			sbuf_putc(out, c);
	}
	return true;
}

struct regex *regex_of_lines(const struct regex *r)
{
	struct sbuf pattern = {0};
	struct regex *out = NULL;

	sbuf_puts(&pattern, many_lines);
	sbuf_puts(&pattern, regex_ignores_case(r) ? "(?mi)" : "(?m)");
	if (say_for_lines(regex_pattern(r), &pattern) && !pattern.failed)
		(void)regex_new(&out, sbuf_text(&pattern), NULL);
	sbuf_free(&pattern);
	return out;
}
