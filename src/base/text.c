#include "config.h"

#include "base/text.h"

#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wchar.h>

struct range {
	uint32_t first, last;
};

/*
 * What the C library has columns for, but must not reach a terminal: it shows nothing, joins or
 * turns the text around it, means what two people agreed on, or has a width on which terminals and
 * C libraries do not agree.
 */
static const struct range unshown[] = {
    {0xad, 0xad},          {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},        {0x70f, 0x70f},     {0x890, 0x891},   /* format */
    {0x8e2, 0x8e2},        {0x115f, 0x11ff},   {0x180e, 0x180e}, /* Hangul that joins */
    {0x200b, 0x200f},      {0x2028, 0x202e},   {0x2060, 0x206f}, /* joiners, directions */
    {0x3164, 0x3164},      {0x3248, 0x324f},   {0x4dc0, 0x4dff}, /* disputed: numbers, hexagrams */
    {0xd7b0, 0xf8ff},      {0xfeff, 0xfeff},   {0xffa0, 0xffa0}, /* surrogates, private use */
    {0xfff9, 0xfffb},      {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x1343f},    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, /* notes, hieroglyphs, music */
    {0x1f1e6, 0x1f1ff},    {0x1f3fb, 0x1f3ff}, {0xe0000, 0xe007f}, /* flags, skin, tags */
    {0xf0000, UINT32_MAX},
};

/* It does something to the text around it, or to the terminal that this is printed on. */
static const struct range controls[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     /* C0, DEL, C1 */
    {0x61c, 0x61c},   {0x200e, 0x200f}, /* directions of text */
    {0x2028, 0x202e}, {0x2066, 0x2069}, /* and ends of lines and paragraphs */
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static locale_t tables; /* of characters, whatever the user's locale; 0: there are none */

static void open_utf8(void)
{
	tables = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static bool is_in(const struct range *ranges, size_t count, uint32_t cp)
{
	for (size_t i = 0; i < count && cp >= ranges[i].first; i++)
		if (cp <= ranges[i].last)
			return true;
	return false;
}

static bool is_ascii(unsigned char c)
{
	return c >= 0x20 && c < 0x7f;
}

/* Columns of cp; -1 for what must not reach a terminal. */
static int columns_of(uint32_t cp)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	locale_t before;
	int columns;

	if (cp < 0x7f)
		return cp >= 0x20 ? 1 : -1;
	if (is_in(controls, COUNT(controls), cp) || is_in(unshown, COUNT(unshown), cp))
		return -1;
	pthread_once(&once, open_utf8);
	if (!tables)
		return 1;
	before = uselocale(tables);
	columns = wcwidth((wchar_t)cp);
	uselocale(before);
	return columns;
}

/* Length and payload bits told by a first byte; 0 when none can follow it (RFC 3629). */
static size_t sequence_length(unsigned char c, uint32_t *bits)
{
	if ((c & 0xe0) == 0xc0) {
		*bits = c & 0x1fu;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*bits = c & 0x0fu;
		return 3;
	}
	if ((c & 0xf8) == 0xf0) {
		*bits = c & 0x07u;
		return 4;
	}
	return 0;
}

static bool is_scalar(uint32_t cp, size_t length)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	return cp >= least[length] && cp <= 0x10ffff && (cp < 0xd800 || cp > 0xdfff);
}

size_t text_decode(const char *p, size_t len, uint32_t *cp)
{
	unsigned char first = (unsigned char)*p;
	uint32_t bits = 0;
	size_t length;

	*cp = first;
	if (first < 0x80)
		return 1;
	*cp = TEXT_REPLACEMENT;
	length = sequence_length(first, &bits);
	if (length == 0 || length > len)
		return 1;
	for (size_t i = 1; i < length; i++) {
		unsigned char c = (unsigned char)p[i];

		if ((c & 0xc0) != 0x80)
			return 1;
		bits = bits << 6 | (c & 0x3fu);
	}
	if (!is_scalar(bits, length))
		return 1;
	*cp = bits;
	return length;
}

size_t text_encode(uint32_t cp, char out[4])
{
	size_t length;

	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	length = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
	if (!is_scalar(cp, length))
		return text_encode(TEXT_REPLACEMENT, out);
	for (size_t i = length - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (cp & 0x3f));
		cp >>= 6;
	}
	out[0] = (char)((0xf00u >> length & 0xf0) | cp);
	return length;
}

uint32_t text_harmless(uint32_t cp)
{
	if (cp == '\t')
		return ' ';
	return columns_of(cp) >= 0 ? cp : TEXT_REPLACEMENT;
}

uint32_t text_kept(uint32_t cp)
{
	if (cp == '\t')
		return ' ';
	return is_in(controls, COUNT(controls), cp) ? TEXT_REPLACEMENT : cp;
}

int text_width_cp(uint32_t cp)
{
	int columns = columns_of(cp);

	return columns < 0 ? 1 : columns;
}

int text_width(const char *p, size_t len)
{
	int width = 0;
	uint32_t cp;

	for (size_t i = 0; i < len && width < INT_MAX - 1;) {
		i += text_decode(p + i, len - i, &cp);
		width += text_width_cp(cp);
	}
	return width;
}

static void add_cp(struct sbuf *out, uint32_t cp)
{
	char utf8[4];

	sbuf_add(out, utf8, text_encode(cp, utf8));
}

/* Each character as `as` has it; how many that made U+FFFD. */
static size_t add_as(struct sbuf *out, const char *p, size_t len, uint32_t (*as)(uint32_t))
{
	size_t i = 0, replaced = 0;

	while (i < len) {
		size_t from = i, n;
		uint32_t cp;

		while (i < len && is_ascii((unsigned char)p[i]))
			i++;
		sbuf_add(out, p + from, i - from);
		if (i == len)
			break;
		n = text_decode(p + i, len - i, &cp);
		i += n;
		add_cp(out, as(cp));
		/* a byte that is no character is decoded as U+FFFD, too, but one by one */
		replaced += as(cp) == TEXT_REPLACEMENT && (cp != TEXT_REPLACEMENT || n == 1);
	}
	return replaced;
}

void text_sanitise(struct sbuf *out, const char *p, size_t len)
{
	add_as(out, p, len, text_harmless);
}

size_t text_keep(struct sbuf *out, const char *p, size_t len)
{
	return add_as(out, p, len, text_kept);
}

void text_html(struct sbuf *out, const char *p, size_t len)
{
	uint32_t cp;

	for (size_t i = 0; i < len;) {
		i += text_decode(p + i, len - i, &cp);
		switch (cp) {
		case '&':
			sbuf_puts(out, "&amp;");
			break;
		case '<':
			sbuf_puts(out, "&lt;");
			break;
		case '>':
			sbuf_puts(out, "&gt;");
			break;
		case '"':
			sbuf_puts(out, "&quot;");
			break;
		case '\'':
			sbuf_puts(out, "&#39;");
			break;
		default:
			add_cp(out, text_harmless(cp));
		}
	}
}

/*
 * Would a spreadsheet read the cell as a formula? Blanks, and what has no column, before it
 * do not protect every reader, and some fold the full-width signs to ASCII (OWASP, CSV injection).
 */
static bool starts_formula(const char *p, size_t len)
{
	static const uint32_t signs[] = {'=', '+', '-', '@', 0xff1d, 0xff0b, 0xff0d, 0xff20};
	uint32_t cp = 0;

	for (size_t i = 0; i < len;) {
		if (p[i] == '\t' || p[i] == '\r')
			return true;
		i += text_decode(p + i, len - i, &cp);
		if (cp != ' ' && columns_of(text_kept(cp)) > 0)
			break;
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (cp == signs[i])
			return true;
	return false;
}

void text_csv(struct sbuf *out, const char *p, size_t len)
{
	uint32_t cp;

	sbuf_putc(out, '"');
	if (starts_formula(p, len))
		sbuf_putc(out, '\'');
	for (size_t i = 0; i < len;) {
		i += text_decode(p + i, len - i, &cp);
		if (cp == '"')
			sbuf_putc(out, '"');
		add_cp(out, text_kept(cp));
	}
	sbuf_putc(out, '"');
}

void text_cut(struct sbuf *out, const char *text, int columns)
{
	size_t len = strlen(text), at = 0;
	int used = 0;

	if (text_width(text, len) <= columns) {
		sbuf_puts(out, text);
		return;
	}
	while (at < len) {
		uint32_t cp;
		size_t n = text_decode(text + at, len - at, &cp);

		used += text_width_cp(text_harmless(cp));
		if (used >= columns)
			break;
		at += n;
	}
	sbuf_add(out, text, at);
	sbuf_puts(out, "\342\200\246");
}
