#include "config.h"

#include "base/lineedit.h"

#include <string.h>

#include "base/text.h"

static const struct {
	const char *name, *help;
} actions[] = {
#define LINE_ROW(action, name, help) {name, help},
    LINE_ACTIONS(LINE_ROW)
#undef LINE_ROW
};

int lineedit_find(const char *name)
{
	for (int i = 0; i < LINE_ACTION_COUNT; i++)
		if (strcmp(actions[i].name, name) == 0)
			return i;
	return -1;
}

const char *lineedit_name(enum line_action action)
{
	return (unsigned)action < LINE_ACTION_COUNT ? actions[action].name : NULL;
}

void lineedit_init(struct lineedit *l)
{
	l->text[0] = l->killed[0] = '\0';
	l->len = l->cursor = l->scroll = l->killed_len = 0;
}

static bool is_mark(const struct lineedit *l, size_t at)
{
	uint32_t cp;

	text_decode(l->text + at, l->len - at, &cp);
	return text_width_cp(cp) == 0;
}

/* A character and the marks on it are one. */
static size_t next_of(const struct lineedit *l, size_t at)
{
	uint32_t cp;

	if (at < l->len)
		at += text_decode(l->text + at, l->len - at, &cp);
	while (at < l->len && is_mark(l, at))
		at += text_decode(l->text + at, l->len - at, &cp);
	return at;
}

/* Where the longest code point that ends at at begins; a stray byte is one of its own. */
static size_t code_point_before(const struct lineedit *l, size_t at)
{
	uint32_t cp;

	for (size_t back = 4; back > 1; back--)
		if (back <= at && text_decode(l->text + at - back, back, &cp) == back)
			return at - back;
	return at ? at - 1 : 0;
}

static size_t previous_of(const struct lineedit *l, size_t at)
{
	do
		at = code_point_before(l, at);
	while (at && is_mark(l, at));
	return at;
}

/*
 * An edit can complete or break a character, so the cursor may now be inside one: it goes to
 * the end of it, where it would be after typing.
 */
static void settle(struct lineedit *l)
{
	size_t from = l->cursor > 3 ? l->cursor - 3 : 0;

	for (size_t at = from; at < l->cursor; at++) {
		size_t next = next_of(l, at);

		if (next > l->cursor) {
			l->cursor = next;
			return;
		}
	}
}

bool lineedit_replace(struct lineedit *l, size_t from, size_t to, const char *p, size_t len)
{
	if (to > l->len)
		to = l->len;
	if (from > to)
		from = to;
	if (len > LINE_MAX_BYTES - (l->len - (to - from)) || (len && memchr(p, '\0', len)))
		return false;
	memmove(l->text + from + len, l->text + to, l->len - to);
	if (len)
		memcpy(l->text + from, p, len);
	l->len = l->len - (to - from) + len;
	l->text[l->len] = '\0';
	l->cursor = from + len;
	settle(l);
	return true;
}

bool lineedit_set(struct lineedit *l, const char *text)
{
	l->scroll = 0;
	return lineedit_replace(l, 0, l->len, text, strlen(text));
}

bool lineedit_insert(struct lineedit *l, const char *p, size_t len)
{
	return lineedit_replace(l, l->cursor, l->cursor, p, len);
}

bool lineedit_insert_cp(struct lineedit *l, uint32_t cp)
{
	char utf8[4];

	return cp && lineedit_insert(l, utf8, text_encode(cp, utf8));
}

static bool is_word(const struct lineedit *l, size_t at)
{
	unsigned char c = (unsigned char)l->text[at];

	return c >= 0x80 || c == '_' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_argument(const struct lineedit *l, size_t at)
{
	return l->text[at] != ' ' && l->text[at] != '\t';
}

typedef bool class_fn(const struct lineedit *l, size_t at);

static size_t left_of(const struct lineedit *l, class_fn *inside)
{
	size_t at = l->cursor;

	while (at && !inside(l, previous_of(l, at)))
		at = previous_of(l, at);
	while (at && inside(l, previous_of(l, at)))
		at = previous_of(l, at);
	return at;
}

static size_t right_of(const struct lineedit *l, class_fn *inside)
{
	size_t at = l->cursor;

	while (at < l->len && !inside(l, at))
		at = next_of(l, at);
	while (at < l->len && inside(l, at))
		at = next_of(l, at);
	return at;
}

static bool move(struct lineedit *l, size_t to)
{
	bool moved = to != l->cursor;

	l->cursor = to;
	return moved;
}

static bool cut(struct lineedit *l, size_t from, size_t to)
{
	return from < to && lineedit_replace(l, from, to, "", 0);
}

static bool cut_kept(struct lineedit *l, size_t from, size_t to)
{
	if (from >= to)
		return false;
	l->killed_len = to - from;
	memcpy(l->killed, l->text + from, l->killed_len);
	l->killed[l->killed_len] = '\0';
	return cut(l, from, to);
}

static bool do_kill(struct lineedit *l, enum line_action action)
{
	switch (action) {
	case LINE_KILL_WORD_LEFT:
		return cut_kept(l, left_of(l, is_word), l->cursor);
	case LINE_KILL_WORD_RIGHT:
		return cut_kept(l, l->cursor, right_of(l, is_word));
	case LINE_KILL_ARGUMENT:
		return cut_kept(l, left_of(l, is_argument), l->cursor);
	case LINE_KILL_HOME:
		return cut_kept(l, 0, l->cursor);
	case LINE_KILL_END:
		return cut_kept(l, l->cursor, l->len);
	case LINE_KILL_LINE:
		return cut_kept(l, 0, l->len);
	default:
		return false;
	}
}

bool lineedit_do(struct lineedit *l, enum line_action action)
{
	switch (action) {
	case LINE_LEFT:
		return move(l, previous_of(l, l->cursor));
	case LINE_RIGHT:
		return move(l, next_of(l, l->cursor));
	case LINE_WORD_LEFT:
		return move(l, left_of(l, is_word));
	case LINE_WORD_RIGHT:
		return move(l, right_of(l, is_word));
	case LINE_HOME:
		return move(l, 0);
	case LINE_END:
		return move(l, l->len);
	case LINE_BACKSPACE:
		return cut(l, previous_of(l, l->cursor), l->cursor);
	case LINE_DELETE:
		return cut(l, l->cursor, next_of(l, l->cursor));
	case LINE_YANK:
		return l->killed_len && lineedit_insert(l, l->killed, l->killed_len);
	default:
		return do_kill(l, action);
	}
}

/* What the cursor stands on takes columns too: one at the end of the line. */
static int width_at(const struct lineedit *l, size_t at)
{
	return at < l->len ? text_width(l->text + at, next_of(l, at) - at) : 1;
}

/* The first byte from which everything up to and including the character at at fits. */
static size_t first_fitting(const struct lineedit *l, size_t at, int columns)
{
	int width = width_at(l, at), left = columns - (width > 0 ? width : 1);

	while (at) {
		size_t before = previous_of(l, at);

		left -= width_at(l, before);
		if (left < 0)
			break;
		at = before;
	}
	return at;
}

/* No earlier than the cursor allows, no later than leaves columns empty beside hidden text. */
static size_t good_scroll(const struct lineedit *l, int columns)
{
	size_t earliest = first_fitting(l, l->cursor, columns);
	size_t latest = first_fitting(l, l->len, columns), at = 0;

	if (latest > l->cursor)
		latest = l->cursor;
	while (at < l->scroll && at < latest)
		at = next_of(l, at); /* an edit may have moved the characters: begin at one */
	return at < earliest ? earliest : at;
}

struct line_window lineedit_window(struct lineedit *l, int columns)
{
	struct line_window w;
	int left = columns;

	l->scroll = good_scroll(l, columns);
	w.from = w.to = l->scroll;
	while (w.to < l->len && left >= width_at(l, w.to)) {
		left -= width_at(l, w.to);
		w.to = next_of(l, w.to);
	}
	w.cursor = text_width(l->text + w.from, l->cursor - w.from);
	return w;
}
