#include "config.h"

#include "view/abbreviate.h"

#include <string.h>

#include "base/text.h"

enum { ONE_WORD = 3 /* that does not fit: so much more is left of its end than of its beginning */ };

static const char occupancy[] = "occupancy"; /* its initial alone would tell nothing */

void text_fit(struct sbuf *out, const char *p, size_t len, int width, bool pad)
{
	struct sbuf harmless = {0};
	size_t start = out->len;
	int used;

	text_sanitise(&harmless, p, len);
	if (width > 0)
		text_cut(out, sbuf_text(&harmless), width);
	sbuf_free(&harmless);
	used = text_width(sbuf_text(out) + start, out->len - start);
	if (pad && used < width)
		sbuf_repeat(out, ' ', (size_t)(width - used));
}

static bool separates(char c)
{
	return c == '-' || c == '_' || c == ' ' || c == '.';
}

/* A word that is not the last: its known short form; whole, if it has a number; or its first character. */
static void shorten_word(struct sbuf *out, const char *word, size_t len)
{
	uint32_t cp;

	if (len == strlen(occupancy) && memcmp(word, occupancy, len) == 0)
		sbuf_puts(out, "occ");
	else if (strcspn(word, "0123456789") < len)
		sbuf_add(out, word, len);
	else if (len > 0)
		sbuf_add(out, word, text_decode(word, len, &cp));
}

static void shorten_words(struct sbuf *out, const char *name, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++)
		if (separates(name[i])) {
			shorten_word(out, name + from, i - from);
			sbuf_putc(out, name[i]);
			from = i + 1;
		}
	sbuf_add(out, name + from, len - from);
}

void abbreviate(struct sbuf *out, const char *name, int width)
{
	const size_t len = strlen(name);
	struct sbuf s = {0};

	if (text_width(name, len) <= width) {
		text_sanitise(out, name, len);
		return;
	}
	for (size_t i = 0; i < len; i++)
		if (name[i] != ' ')
			sbuf_putc(&s, name[i]);
	if (text_width(sbuf_text(&s), s.len) > width) {
		sbuf_clear(&s);
		shorten_words(&s, name, len);
	}
	text_fit(out, sbuf_text(&s), s.len, width, false);
	sbuf_free(&s);
}

/* The end of harmless text, behind an ellipsis and some columns of its beginning. */
static void put_end(struct sbuf *out, const char *p, size_t len, int begin, int width)
{
	int left = text_width(p, len) - (width - begin - 1);
	uint32_t cp;

	if (width > 0)
		text_cut(out, p, begin + 1);

	while (len && left > 0) {
		size_t step = text_decode(p, len, &cp);

		left -= text_width_cp(cp);
		p += step;
		len -= step;
	}
	sbuf_add(out, p, len);
}

/* A word of a path: its initial, but where the first part of it has a number, that part. */
static void shorten_step(struct sbuf *out, const char *word, size_t len)
{
	size_t part = 0;
	bool number = false;

	for (; part < len && !separates(word[part]); part++)
		number |= word[part] >= '0' && word[part] <= '9';
	if (number)
		sbuf_add(out, word, part);
	else
		shorten_word(out, word, len);
}

void abbreviate_path(struct sbuf *out, const char *name, size_t len, int width)
{
	struct sbuf s = {0}, rest = {0};
	const char *dot;
	size_t at = 0;

	text_sanitise(&rest, name, len);
	while (text_width(sbuf_text(&s), s.len) +
		   text_width(sbuf_text(&rest) + at, rest.len - at) >
	       width) {
		dot = memchr(sbuf_text(&rest) + at, '.', rest.len - at);
		if (!dot)
			break;
		shorten_step(&s, sbuf_text(&rest) + at, (size_t)(dot - sbuf_text(&rest)) - at);
		sbuf_putc(&s, '.');
		at = (size_t)(dot - sbuf_text(&rest)) + 1;
	}
	sbuf_add(&s, sbuf_text(&rest) + at, rest.len - at);
	if (text_width(sbuf_text(&s), s.len) > width)
		put_end(out, sbuf_text(&s), s.len, at || width < ONE_WORD ? 0 : width / ONE_WORD - 1, width);
	else
		sbuf_add(out, sbuf_text(&s), s.len);
	sbuf_free(&rest);
	sbuf_free(&s);
}
