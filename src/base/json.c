#include "config.h"

#include "base/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

void json_begin(struct json *w, struct sbuf *out)
{
	*w = (struct json){.out = out};
}

/* What stands before every value: nothing after a key, else a comma when one is due. */
static void before_value(struct json *w)
{
	if (w->keyed)
		w->keyed = false;
	else if (w->more[w->depth])
		sbuf_putc(w->out, ',');
	w->more[w->depth] = true;
}

static void open_level(struct json *w, char bracket)
{
	before_value(w);
	sbuf_putc(w->out, bracket);
	assert(w->depth + 1 < JSON_DEPTH);
	if (w->depth + 1 < JSON_DEPTH)
		w->depth++;
	else
		w->out->failed = true;
	w->more[w->depth] = false;
}

static void close_level(struct json *w, char bracket)
{
	assert(w->depth > 0 && !w->keyed);
	sbuf_putc(w->out, bracket);
	if (w->depth > 0)
		w->depth--;
	else
		w->out->failed = true;
}

void json_object(struct json *w)
{
	open_level(w, '{');
}

void json_object_end(struct json *w)
{
	close_level(w, '}');
}

void json_array(struct json *w)
{
	open_level(w, '[');
}

void json_array_end(struct json *w)
{
	close_level(w, ']');
}

/*
 * What a terminal might act on is written as \u: exact for the program that reads it, and
 * without effect on the terminal that shows it.
 */
static void add_escape(struct sbuf *out, uint32_t cp)
{
	static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *p = cp && cp < 0x80 ? strchr(plain, (int)cp) : NULL;

	if (p)
		sbuf_printf(out, "\\%c", letters[p - plain]);
	else if (cp < 0x10000)
		sbuf_printf(out, "\\u%04" PRIx32, cp);
	else
		sbuf_printf(out, "\\u%04" PRIx32 "\\u%04" PRIx32, 0xd7c0 + (cp >> 10),
			    0xdc00 + (cp & 0x3ff));
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void add_quoted(struct sbuf *out, const char *p, size_t len)
{
	char utf8[4];
	size_t i = 0;

	sbuf_putc(out, '"');
	while (i < len) {
		size_t from = i;
		uint32_t cp;

		while (i < len && is_plain((unsigned char)p[i]))
			i++;
		sbuf_add(out, p + from, i - from);
		if (i == len)
			break;
		i += text_decode(p + i, len - i, &cp);
		if (cp >= 0x80 && text_harmless(cp) == cp)
			sbuf_add(out, utf8, text_encode(cp, utf8));
		else
			add_escape(out, cp);
	}
	sbuf_putc(out, '"');
}

void json_key(struct json *w, const char *key)
{
	assert(!w->keyed);
	before_value(w);
	add_quoted(w->out, key, strlen(key));
	sbuf_putc(w->out, ':');
	w->keyed = true;
}

void json_text(struct json *w, const void *bytes, size_t len)
{
	before_value(w);
	add_quoted(w->out, bytes, len);
}

void json_string(struct json *w, const char *text)
{
	if (text)
		json_text(w, text, strlen(text));
	else
		json_null(w);
}

void json_int(struct json *w, int64_t value)
{
	before_value(w);
	sbuf_printf(w->out, "%" PRId64, value);
}

void json_uint(struct json *w, uint64_t value)
{
	before_value(w);
	sbuf_printf(w->out, "%" PRIu64, value);
}

void json_real(struct json *w, double value)
{
	char buf[32];

	before_value(w);
	sbuf_puts(w->out, isfinite(value) ? num_real(value, buf) : "null");
}

void json_bool(struct json *w, bool value)
{
	before_value(w);
	sbuf_puts(w->out, value ? "true" : "false");
}

void json_null(struct json *w)
{
	before_value(w);
	sbuf_puts(w->out, "null");
}

void json_hex(struct json *w, uint64_t value)
{
	before_value(w);
	sbuf_printf(w->out, "\"0x%" PRIx64 "\"", value);
}
