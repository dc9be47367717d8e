/*
 * Whatever the bytes are, what text.h and json.h make of them is valid UTF-8, one line, and
 * harmless to a terminal; sanitising twice is sanitising once; JSON says what was there.
 */
#include "config.h"

#include <iconv.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "base/json.h"
#include "base/text.h"

/* The C library's opinion, so that text_decode() is not its own judge. */
static bool is_utf8(const struct sbuf *s)
{
	char *in = s->text, out[256];
	size_t in_left = s->len;
	iconv_t to_ucs4 = iconv_open("UCS-4LE", "UTF-8");
	bool valid = true;

	demand(to_ucs4 != (iconv_t)-1, "iconv_open");
	while (in_left && valid) {
		size_t before = in_left, out_left = sizeof(out);
		char *to = out;

		iconv(to_ucs4, &in, &in_left, &to, &out_left);
		valid = in_left < before;
	}
	iconv_close(to_ucs4);
	return valid;
}

static bool is_one_line(const struct sbuf *s)
{
	for (size_t i = 0; i < s->len; i++)
		if ((unsigned char)s->text[i] < 0x20 || s->text[i] == 0x7f)
			return false;
	return true;
}

static bool is_same(const struct sbuf *a, const struct sbuf *b)
{
	return a->len == b->len && (a->len == 0 || memcmp(a->text, b->text, a->len) == 0);
}

/* Valid, one line, and with nothing left in it to sanitise. */
static void demand_harmless(const struct sbuf *s, const char *what)
{
	struct sbuf again = {0};

	demand(!s->failed && is_utf8(s) && is_one_line(s), what);
	text_sanitise(&again, s->text, s->len);
	demand(is_same(s, &again), what);
	sbuf_free(&again);
}

/* Valid, one line, and with no controls left in it. */
static void demand_kept(const struct sbuf *s, const char *what)
{
	struct sbuf again = {0};

	demand(!s->failed && is_utf8(s) && is_one_line(s), what);
	demand(text_keep(&again, s->text, s->len) == 0 && is_same(s, &again), what);
	sbuf_free(&again);
}

static uint32_t hex4(const char *p)
{
	char digits[5] = {p[0], p[1], p[2], p[3], '\0'}, *end;
	unsigned long value = strtoul(digits, &end, 16);

	demand(end == digits + 4, "json: \\u without four digits");
	return (uint32_t)value;
}

/* One escape after its backslash; returns what follows it. */
static const char *unescape(struct sbuf *out, const char *p)
{
	static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *letter = *p ? strchr(letters, *p) : NULL;
	char utf8[4];
	uint32_t cp;

	if (letter) {
		sbuf_putc(out, meanings[letter - letters]);
		return p + 1;
	}
	demand(*p == 'u', "json: unknown escape");
	cp = hex4(p + 1);
	p += 5;
	if (cp >= 0xd800 && cp < 0xdc00) {
		demand(p[0] == '\\' && p[1] == 'u', "json: half a surrogate pair");
		cp = 0x10000 + ((cp - 0xd800) << 10) + (hex4(p + 2) - 0xdc00);
		p += 6;
	}
	sbuf_add(out, utf8, text_encode(cp, utf8));
	return p;
}

/* Read a JSON string as RFC 8259 wants it. */
static void read_json(struct sbuf *out, const struct sbuf *json)
{
	const char *p = json->text + 1, *end = json->text + json->len - 1;

	demand(json->len >= 2 && json->text[0] == '"' && *end == '"', "json: quotes");
	while (p < end) {
		demand(*p != '"', "json: a quote inside");
		if (*p == '\\')
			p = unescape(out, p + 1);
		else
			sbuf_putc(out, *p++);
	}
	demand(p == end, "json: an escape runs past the end");
}

static void check_json(const char *p, size_t len)
{
	struct sbuf json = {0}, back = {0}, expect = {0};
	struct json w;
	char utf8[4];
	uint32_t cp;

	json_begin(&w, &json);
	json_text(&w, p, len);
	demand_harmless(&json, "json_text");
	read_json(&back, &json);
	for (size_t i = 0; i < len;) {
		i += text_decode(p + i, len - i, &cp);
		sbuf_add(&expect, utf8, text_encode(cp, utf8));
	}
	demand(is_same(&back, &expect), "json_text: says something else");
	sbuf_free(&json);
	sbuf_free(&back);
	sbuf_free(&expect);
}

static void check_csv(const struct sbuf *csv)
{
	size_t quotes = 0;

	demand_kept(csv, "text_csv");
	demand(csv->len >= 2 && csv->text[0] == '"' && csv->text[csv->len - 1] == '"',
	       "csv: quotes");
	demand(csv->len < 3 || !strchr("=+-@", csv->text[1]), "csv: a formula");
	for (size_t i = 1; i + 1 < csv->len; i++)
		quotes += csv->text[i] == '"';
	demand(quotes % 2 == 0, "csv: a quote that ends the cell");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *p = (const char *)bytes;
	struct sbuf out = {0};

	text_sanitise(&out, p, len);
	demand_harmless(&out, "text_sanitise");
	demand(text_width(p, len) == text_width(out.text, out.len), "text_width");
	demand(text_width(p, len) >= 0 && (size_t)text_width(p, len) <= 2 * len,
	       "text_width: range");
	sbuf_clear(&out);
	text_keep(&out, p, len);
	demand_kept(&out, "text_keep");
	sbuf_clear(&out);
	text_html(&out, p, len);
	demand_harmless(&out, "text_html");
	demand(!out.len || !out.text[strcspn(out.text, "<>\"'")], "text_html: markup");
	sbuf_clear(&out);
	text_csv(&out, p, len);
	check_csv(&out);
	sbuf_free(&out);
	check_json(p, len);
	return 0;
}
