#include "config.h"

#include "base/needle_class.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

/* escapes of one byte */
static const struct {
	char letter;
	unsigned char byte;
} controls[] = {{'a', 7}, {'e', 27}, {'f', 12}, {'n', 10}, {'r', 13}, {'t', 9}};

/* what may be written [:name:], and as a range of ranges: pairs of first and last byte */
static const struct {
	const char *name, *ranges;
} posix[] = {{"alpha", "AZaz"},    {"digit", "09"},       {"alnum", "09AZaz"}, {"upper", "AZ"},
	     {"lower", "az"},      {"punct", "!/:@[`{~"}, {"space", "\t\r  "}, {"xdigit", "09AFaf"},
	     {"word", "09AZaz__"}, {"blank", "\t\t  "},   {"print", " ~"},     {"graph", "!~"}};

void byte_set_range(struct byte_set *s, unsigned from, unsigned to)
{
	for (unsigned b = from; b <= to && b < 256; b++)
		s->bits[b / 64] |= UINT64_C(1) << b % 64;
}

void byte_set_fold(struct byte_set *s)
{
	for (unsigned b = 'a'; b <= 'z'; b++) {
		if (byte_set_has(s, b) || byte_set_has(s, b - 32)) {
			byte_set_range(s, b, b);
			byte_set_range(s, b - 32, b - 32);
		}
	}
}

static void invert(struct byte_set *s)
{
	for (int i = 0; i < 4; i++)
		s->bits[i] = ~s->bits[i];
}

static void add(struct byte_set *s, const struct byte_set *other)
{
	for (int i = 0; i < 4; i++)
		s->bits[i] |= other->bits[i];
}

/* \d \w \s \h \v and, in capitals, all the rest. */
static bool shorthand(char letter, struct byte_set *set)
{
	struct byte_set s = {{0}};

	switch (tolower((unsigned char)letter)) {
	case 'd':
		byte_set_range(&s, '0', '9');
		break;
	case 'w':
		byte_set_range(&s, '0', '9');
		byte_set_range(&s, 'A', 'Z');
		byte_set_range(&s, 'a', 'z');
		byte_set_range(&s, '_', '_');
		break;
	case 's':
		byte_set_range(&s, '\t', '\r');
		byte_set_range(&s, ' ', ' ');
		break;
	case 'h':
		byte_set_range(&s, '\t', '\t');
		byte_set_range(&s, ' ', ' ');
		byte_set_range(&s, 0xa0, 0xa0);
		break;
	case 'v':
		byte_set_range(&s, '\n', '\r');
		byte_set_range(&s, 0x85, 0x85);
		break;
	default:
		return false;
	}
	if (isupper((unsigned char)letter))
		invert(&s);
	*set = s;
	return true;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* \xAB, \x{AB}; exactly so, all other ways to write it are not understood. */
static bool hex_byte(const char **p, unsigned *byte)
{
	const char *at = *p;
	bool braces = *at == '{';
	unsigned v = 0;

	at += braces;
	for (int i = 0; i < 2; i++, at++) {
		if (digit(*at) < 0)
			return false;
		v = v * 16 + (unsigned)digit(*at);
	}
	if (braces && *at++ != '}')
		return false;
	*p = at;
	*byte = v;
	return true;
}

enum escape escape_read(const char **p, bool in_class, struct byte_set *set, unsigned *byte)
{
	char c = *(*p)++;

	*set = (struct byte_set){{0}};
	*byte = (unsigned char)c;
	if (shorthand(c, set))
		return ESCAPE_SET;
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		if (controls[i].letter == c) {
			*byte = controls[i].byte;
			return ESCAPE_BYTE;
		}
	if (c == 'x')
		return hex_byte(p, byte) ? ESCAPE_BYTE : ESCAPE_NONE;
	if (in_class && c == 'b') {
		*byte = 8;
		return ESCAPE_BYTE;
	}
	if (!in_class && c && strchr("bBAzZG", c))
		return ESCAPE_PLACE;
	if (!in_class && c >= '1' && c <= '9' && !isdigit((unsigned char)**p))
		return ESCAPE_BACK;
	if (c == '\0' || isalnum((unsigned char)c))
		return ESCAPE_NONE;
	return ESCAPE_BYTE; /* a sign that stands for itself */
}

/* [:alpha:] behind the opening bracket and colon; [:^alpha:] is not understood. */
static bool posix_read(const char **p, struct byte_set *set)
{
	for (size_t i = 0; i < sizeof(posix) / sizeof(posix[0]); i++) {
		size_t len = strlen(posix[i].name);

		if (strncmp(*p, posix[i].name, len) != 0 || strncmp(*p + len, ":]", 2) != 0)
			continue;
		for (const char *r = posix[i].ranges; *r; r += 2)
			byte_set_range(set, (unsigned char)r[0], (unsigned char)r[1]);
		*p += len + 2;
		return true;
	}
	return false;
}

/* One member: a byte, or a set of them (*is_set). */
static bool member_read(const char **p, struct byte_set *set, unsigned *byte, bool *is_set)
{
	*is_set = false;
	*set = (struct byte_set){{0}};
	if ((*p)[0] == '[' && (*p)[1] && strchr(":.=", (*p)[1])) {
		*p += 2;
		*is_set = true;
		return (*p)[-1] == ':' && posix_read(p, set);
	}
	if (**p == '\\') {
		enum escape kind;

		++*p;
		kind = escape_read(p, true, set, byte);
		*is_set = kind == ESCAPE_SET;
		return kind == ESCAPE_SET || kind == ESCAPE_BYTE;
	}
	*byte = (unsigned char)*(*p)++;
	return *byte != '\0';
}

bool class_read(const char **p, bool caseless, struct byte_set *set)
{
	struct byte_set all = {{0}}, one;
	const char *at = *p;
	bool not_these = *at == '^', first = true, is_set;
	unsigned byte, last;

	for (at += not_these; first || *at != ']'; first = false) {
		if (!member_read(&at, &one, &byte, &is_set))
			return false;
		if (is_set) {
			/* [\d-z]: the dash is itself, or an error that PCRE2 has reported */
			add(&all, &one);
			continue;
		}
		last = byte;
		if (at[0] == '-' && at[1] != ']') {
			at++;
			if (!member_read(&at, &one, &last, &is_set) || is_set)
				return false;
		}
		byte_set_range(&all, byte, last);
	}
	/* unfolded, what the class leaves out is less than it is: so the rest is not too little */
	if (not_these)
		invert(&all);
	else if (caseless)
		byte_set_fold(&all);
	*p = at + 1;
	*set = all;
	return true;
}
