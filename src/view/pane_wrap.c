#include "config.h"

#include "view/pane_wrap.h"

#include <string.h>

#include "base/text.h"

/* A line with no stretch to stand under goes on this far in; narrower rows are not indented. */
enum { PLAIN_INDENT = 2, LEAST_WIDTH = 12, UNIT_MOST = 2 /* "us", "%" */ };

/* The stretch that rows below stand under: the last one that begins in the left half; 0: none. */
static size_t value_of(const struct pane_line *l, int width)
{
	size_t from = 0;

	for (int i = 1; i < l->span_count; i++) {
		const int at = text_width(sbuf_text(&l->text), l->spans[i].from);

		if (at <= width / 2 && at > PLAIN_INDENT)
			from = l->spans[i].from;
	}
	return from;
}

static int indent_of(const struct pane_line *l, int width)
{
	const size_t value = value_of(l, width);

	if (width < LEAST_WIDTH)
		return 0;
	if (l->indent)
		return l->indent <= width / 2 ? l->indent : PLAIN_INDENT;
	return value ? text_width(sbuf_text(&l->text), value) : PLAIN_INDENT;
}

/* The end of as many characters from byte `from` as width columns hold; at least one of them. */
static size_t fitting(const struct pane_line *l, size_t from, int width)
{
	size_t at = from;
	int used = 0;

	while (at < l->text.len) {
		uint32_t cp;
		size_t step = text_decode(l->text.text + at, l->text.len - at, &cp);

		if (cp == '\n')
			break;
		used += text_width_cp(text_harmless(cp));
		if (used > width && at > from)
			break;
		at += step;
	}
	return at;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A blank; but where lines go on, none that groups the digits of a number or stands before its unit. */
static bool is_break(const struct pane_line *l, size_t at)
{
	const char *p = l->text.text + at;
	bool behind = !l->cut && at > 0 && at + 1 < l->text.len && is_digit(p[-1]);

	return is_space(*p) &&
	       !(behind && (is_digit(p[1]) || strcspn(p + 1, " \n,;)") <= UNIT_MOST));
}

/* A break after a word, be it the first behind `least`; there is none: in the word. */
static size_t break_before(const struct pane_line *l, size_t least, size_t end)
{
	size_t at = end;

	while (at > least && !is_break(l, at))
		at--;
	return at > least ? at : end;
}

bool pane_wrap_next(const struct pane_line *l, int width, struct wrap_row *r)
{
	size_t at = r->to;

	if (r->number > 0) {
		while (at < l->text.len && is_space(l->text.text[at]))
			at++;
		if (at >= l->text.len || r->number == WRAP_ROWS || l->cut)
			return false;
		if (r->number == 1)
			r->indent = indent_of(l, width);
	}
	r->number++;
	r->from = at;
	r->to = fitting(l, at, width - r->indent);
	if (r->to < l->text.len) {
		if (r->number == WRAP_ROWS)
			r->cut = true;
		else
			r->to = break_before(l, at ? at : value_of(l, width), r->to);
	}
	return true;
}

int pane_wrap_count(const struct pane_line *l, int width)
{
	struct wrap_row r = {0};

	while (pane_wrap_next(l, width, &r))
		;
	return r.number;
}
