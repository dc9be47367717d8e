#include "config.h"

#include "capture/site.h"

#include <ctype.h>
#include <string.h>

enum { LINES_BACK = 3 };

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* "std::array<int, 4>": identifiers and what joins them. */
static const char *type_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '<')
			depth++;
		else if (*p == '>' && depth)
			depth--;
		else if (!in_name(*p) && *p != ':' && !depth)
			break;
	}
	return p;
}

static bool is_word(const char *p, size_t len, const char *const *words)
{
	for (; *words; words++)
		if (strlen(*words) == len && memcmp(*words, p, len) == 0)
			return true;
	return false;
}

void site_put(const char *text, size_t len, struct sbuf *out)
{
	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]) ||
		    (i && i + 1 < len && in_name(text[i - 1]) && in_name(text[i + 1])))
			sbuf_putc(out, text[i]);
}

/* The class behind `new`; numbers and the like are better told by who holds them. */
static bool put_class(const char *text, struct sbuf *out)
{
	static const char *const builtin[] = {"auto",   "bool", "char",  "double",   "float",
					      "int",    "long", "short", "unsigned", "signed",
					      "size_t", "void", NULL},
				 *const leading[] = {"const", "struct", "class", "typename", NULL};
	const char *p = text, *end;

	while ((p = strstr(p, "new")) && ((p > text && in_name(p[-1])) || in_name(p[3])))
		p += strlen("new");
	if (!p)
		return false;
	p = skip_blanks(p + strlen("new"));
	if (*p == '(') { /* where, or (std::nothrow) */
		p += strcspn(p, ")");
		p = skip_blanks(p + (*p == ')'));
	}
	end = type_end(p);
	while (is_word(p, (size_t)(end - p), leading)) {
		p = skip_blanks(end);
		end = type_end(p);
	}
	if (end == p || isdigit((unsigned char)*p) || is_word(p, (size_t)(end - p), builtin) ||
	    strncmp(p, "std::", 5) == 0)
		return false;
	site_put(p, (size_t)(end - p), out);
	return true;
}

/* An assignment's sign, not that of a comparison, in [text, end): the last one; NULL: none. */
static const char *assignment(const char *text, const char *end)
{
	const char *found = NULL;

	for (const char *p = text; p < end; p++) {
		if (*p != '=')
			continue;
		if (p[1] == '=')
			p++;
		else if (p > text && !strchr("<>!=+-*/%&|^", p[-1]))
			found = p;
	}
	return found;
}

/* From the end of "struct x *p->q[i]" back to the beginning of p->q[i]. */
static const char *expression_begin(const char *text, const char *end)
{
	const char *p = end;
	int depth = 0;

	while (p > text) {
		const char c = p[-1];

		if (c == ']')
			depth++;
		else if (c == '[' && depth)
			depth--;
		else if (c == '>' && p - 1 > text && p[-2] == '-')
			p--;
		else if (!in_name(c) && c != '.' && c != ':' && !depth)
			break;
		p--;
	}
	return p;
}

static bool put_left(const char *text, struct sbuf *out)
{
	const char *made = strstr(text, "alloc"), *end, *p;

	if (!made)
		made = strstr(text, "new");
	end = assignment(text, made ? made : text + strlen(text));
	if (!end)
		return false;
	if (!made) { /* what is assigned has to be a call's result */
		p = skip_blanks(end + 1);
		if (type_end(p) == p || *skip_blanks(type_end(p)) != '(')
			return false;
	}
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	p = expression_begin(text, end);
	if (p == end || isdigit((unsigned char)*p) || *p == '[')
		return false;
	site_put(p, (size_t)(end - p), out);
	return true;
}

/* posix_memalign((void **)&p, ...) */
static bool put_argument(const char *text, struct sbuf *out)
{
	const char *p = strstr(text, "posix_memalign"), *end;

	p = p ? strchr(p, '&') : NULL;
	if (!p)
		return false;
	p = skip_blanks(p + 1);
	end = p + strcspn(p, ",)");
	while (end > p && isspace((unsigned char)end[-1]))
		end--;
	if (expression_begin(p, end) != p || p == end)
		return false;
	site_put(p, (size_t)(end - p), out);
	return true;
}

bool site_name(const char *text, struct sbuf *out)
{
	return put_class(text, out) || put_argument(text, out) || put_left(text, out);
}

/* ---- the statement ---- */

struct piece {
	const char *p, *end;
};

/* Line number `line`, without its end. */
static bool find_line(const char *text, size_t len, int line, struct piece *out)
{
	const char *p = text, *const end = text + len;

	for (; p && p < end && line > 1; line--) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	if (!p || p >= end || line != 1)
		return false;
	out->p = p;
	out->end = memchr(p, '\n', (size_t)(end - p));
	if (!out->end)
		out->end = end;
	return true;
}

/* Ends with what ends a statement, or is blank. */
static bool ends_one(struct piece l)
{
	while (l.end > l.p && isspace((unsigned char)l.end[-1]))
		l.end--;
	return l.end == l.p || strchr(";{}:", l.end[-1]) || *skip_blanks(l.p) == '#' ||
	       (l.end - l.p >= 2 && memcmp(l.end - 2, "*/", 2) == 0);
}

bool site_statement(const char *text, size_t len, int line, struct sbuf *out)
{
	int first = line;
	struct piece l;

	if (line < 1 || !find_line(text, len, line, &l))
		return false;
	while (first > 1 && line - first < LINES_BACK && find_line(text, len, first - 1, &l) &&
	       !ends_one(l))
		first--;
	for (; first <= line && find_line(text, len, first, &l); first++) {
		sbuf_add(out, l.p, (size_t)(l.end - l.p));
		sbuf_putc(out, ' ');
	}
	return !out->failed;
}
