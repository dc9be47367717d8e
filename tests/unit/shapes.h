/*
 * Random text for the tests of lexers, and what is asked of all of them.
 *
 * A line is a shape of what emitters print with its places filled, sometimes damaged: # is a number,
 * small or at the edge of what a path takes; % a hexadecimal digit, & a number below 12 and $ a
 * name, where the language has names; ~ is a #. The program that includes this has its `language`.
 */
#ifndef TESTS_UNIT_SHAPES_H
#define TESTS_UNIT_SHAPES_H

#include "lexing.h"
#include "testing.h"

enum { TEXT_MOST = 1 << 13, LINE_MOST = 600 };

#define WORDS(list) {list, sizeof(list) / sizeof(list[0])}

struct words {
	const char *const *word;
	size_t count;
};

struct language {
	struct words shapes, fragments, names;
	const char *lines; /* a few good ones */
};

static const struct language language; /* tentative */

static uint64_t rng;

static inline uint64_t dice(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

static inline const char *one_of(struct words w)
{
	return w.word[dice(w.count)];
}

static inline size_t put_number(char *out)
{
	static const char *const edges[] = {
	    "0",
	    "9",
	    "99999999",
	    "100000000",
	    "123456789012345",
	    "1234567890123456",
	    "12345678901234567",
	    "4611686018427387903",
	    "4611686018427387904",
	    "9223372036854775806",
	    "9223372036854775807",
	    "9223372036854775808",
	    "18446744073709551615",
	    "18446744073709551616",
	    "4294967295",
	    "4294967296",
	    "0000000000000000000000007",
	    "99999999999999999999999",
	};
	const struct words edge = WORDS(edges);

	if (dice(6))
		return (size_t)sprintf(out, "%u", (unsigned)dice(dice(2) ? 100 : 1 << 30));
	return (size_t)sprintf(out, "%s", one_of(edge));
}

static inline size_t put_shape(char *out)
{
	char *p = out;

	for (const char *shape = one_of(language.shapes); *shape; shape++)
		if (*shape == '#')
			p += put_number(p);
		else if (*shape == '%')
			*p++ = "0123456789abcdefABCDEF01248000"[dice(30)];
		else if (*shape == '&')
			p += sprintf(p, "%u", (unsigned)dice(12));
		else if (*shape == '$' && language.names.count)
			p += sprintf(p, "%s", one_of(language.names));
		else
			*p++ = *shape == '~' ? '#' : *shape;
	return (size_t)(p - out);
}

/* A byte changed, left out, doubled; a fragment put in; cut short. */
static inline size_t damage(char *line, size_t len)
{
	const char *fragment = one_of(language.fragments);
	size_t n = *fragment ? strlen(fragment) : 1, at = (size_t)dice(len + 1);

	switch (dice(5)) {
	case 0:
		if (at < len)
			line[at] = *fragment;
		return len;
	case 1:
		if (at < len)
			memmove(line + at, line + at + 1, --len - at);
		return len;
	case 2:
		return at;
	case 3:
		if (at == len)
			return len;
		n = 1;
		fragment = line + at;
		break;
	default:
		break;
	}
	memmove(line + at + n, line + at, len - at);
	if (fragment != line + at)
		memcpy(line + at, fragment, n);
	return len + n;
}

static inline size_t make_text(char *out, size_t lines, unsigned damaged)
{
	size_t len = 0;

	while (lines-- && len + 2 * LINE_MOST < TEXT_MOST) {
		size_t n = put_shape(out + len);

		while (dice(100) < damaged && n + 20 < LINE_MOST)
			n = damage(out + len, n);
		len += n;
		if (dice(60) == 0)
			out[len++] = '\r';
		if (dice(200))
			out[len++] = '\n';
	}
	return dice(3) ? len : len - (size_t)dice(len + 1);
}

static inline void agree(const char *text, size_t len, size_t batch, size_t cut)
{
	const char *why = lexers_disagree(text, len, batch, cut);

	if (why)
		fail_msg("%s", why);
}

TEST(any_text)
{
	static const unsigned damaged[] = {0, 10, 60};
	char text[TEXT_MOST];

	rng = 0x1234567;
	for (int i = 0; i < ROUNDS(6000); i++) {
		size_t len = make_text(text, dice(60) + 1, damaged[i % 3]);

		agree(text, len, (size_t)(16 + dice(40)), (size_t)dice(len + 1));
	}
}

/* A newline at each place of the text may be the last byte there is. */
TEST(each_batch_cut_and_end)
{
	char text[TEXT_MOST];

	rng = 5;
	for (int i = 0; i < ROUNDS(10); i++) {
		size_t len = make_text(text, 20, 10);

		for (size_t batch = 16; batch < 48; batch++)
			agree(text, len, batch, SIZE_MAX);
		for (size_t cut = 0; cut <= len; cut++)
			agree(text, len, LEX_BATCH, cut);
		for (size_t end = 0; end <= len; end++)
			agree(text, end, LEX_BATCH, SIZE_MAX);
	}
}

/* Every byte in the place of every byte of a few lines. */
TEST(every_byte)
{
	const size_t len = strlen(language.lines);
	char text[TEXT_MOST];

	memset(text, '\n', len + 400);
	for (size_t at = 0; at < len; at++)
		for (int byte = 0; byte < 256; byte++) {
			memcpy(text, language.lines, len);
			text[at] = (char)byte;
			agree(text, len + 400, LEX_BATCH, (size_t)byte % 60);
		}
}

#endif
