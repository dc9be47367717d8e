/*
 * base/regex_lines.h: random patterns and random texts. The lines that a pattern finds in the text
 * must be those that the pattern it was made from matches one by one.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex_lines.h"
#include "base/sbuf.h"
#include "testing.h"

static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

/* ---- random patterns --------------------------------------------------------------------- */

/* Words, any of which may stand in a pattern. */
static const char atoms[] =
    "a b ab B x 0 _ . [ab] [^a] [^ab0\\s] [a-c0-9] []x] [^]x] [a\\]b] [\\d_] [\\w-] "
    "[-a] [a-] [[:alpha:]] [[:^alpha:]] [^[:upper:]] [[:digit:]x] \\d \\w \\s \\S "
    "\\D \\W \\h \\x61 \\x{62} \\. \\[ \\t \\b \\B ^ $ \\A \\z \\1 \\R \\N \\K "
    "\\Qa.\\E (?i) (?i:a) (?=a) (?!a) (?<=b) (?<!b) { {,2} a{ } ] \\0 \\x6 \\cA "
    "[\\x61-c] [B-b] [\\b] \\e (?#c) [^\\n] \xc3\xa4 [\xa0-\xff] (?|a|b) (?x)a \\V \\H";

/* not {0}: in PCRE2 10.42 \d{0}(?=a)a does not match "xa" */
static const char *const quantifiers[] = {"*",  "+",  "?",     "{2}",  "{1,}", "{2,3}",
					  "*?", "++", "{0,2}", "{3}+", "??"};

static const char *const groups[] = {"(", "(?:", "(?>", "(?<n>", "(?P<m>", "(?=", "(?!", "(?<!"};

#define ANY(table) table[dice(sizeof(table) / sizeof((table)[0]))]

static void put_atom(struct sbuf *p)
{
	const char *at = atoms + dice(sizeof(atoms) - 1);

	while (at > atoms && at[-1] != ' ')
		at--;
	sbuf_add(p, at, strcspn(at, " "));
}

static void put_alternatives(struct sbuf *p, int depth);

static void put_item(struct sbuf *p, int depth)
{
	if (depth < 3 && dice(6) == 0) {
		sbuf_puts(p, ANY(groups));
		put_alternatives(p, depth + 1);
		sbuf_putc(p, ')');
	} else {
		put_atom(p);
	}
	if (dice(4) == 0)
		sbuf_puts(p, ANY(quantifiers));
}

static void put_alternatives(struct sbuf *p, int depth)
{
	for (unsigned i = 0, n = dice(6) ? 1 : 1 + dice(12); i < n; i++) {
		if (i)
			sbuf_putc(p, '|');
		for (unsigned k = 0, items = dice(30) ? dice(5) : 40; k < items; k++)
			put_item(p, depth);
	}
}

/* Lines of all bytes but the carriage return; the last may lack its line feed. */
static void put_text(struct sbuf *text)
{
	static const char usual[] = "aabbcxAB0019__ .-[]\t\n\n";
	unsigned len = 1 + dice(300);

	sbuf_clear(text);
	while (text->len < len) {
		char c = dice(12) ? usual[dice(sizeof(usual) - 1)] : (char)dice(256);

		if (c != '\r')
			sbuf_putc(text, c);
	}
}

/* ---- checks ------------------------------------------------------------------------------ */

static const char *line_end(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? nl : end;
}

/* From each line on, the first match is in the first line that matches alone. */
static void check_text(const struct regex *r, const struct regex *many, const struct sbuf *text)
{
	const char *end = text->text + text->len, *found = NULL, *nl;
	size_t at;

	for (const char *p = text->text; p < end; p = nl + 1) {
		bool yes;

		nl = line_end(p, end);
		yes = regex_match(r, p, (size_t)(nl - p), NULL, NULL);
		if (found < p)
			found =
			    regex_match(many, p, (size_t)(end - p), &at, NULL) ? p + at : end + 1;
		if (regex_limited(r) || regex_limited(many))
			return;
		if (yes != (found <= nl))
			fail_msg("/%s/ matches%s line '%.*s' in\n%s", regex_pattern(r),
				 yes ? "" : " not", (int)(nl - p), p, text->text);
	}
}

TEST(same_lines_as_one_by_one)
{
	struct sbuf pattern = {0}, text = {0};
	int compiled = 0, known = 0;

	for (int i = 0; i < ROUNDS(40000); i++) {
		struct regex *r, *many = NULL;

		sbuf_clear(&pattern);
		put_alternatives(&pattern, 0);
		if (regex_new(&r, sbuf_text(&pattern), NULL) == STATUS_OK)
			many = regex_of_lines(r);
		compiled += r != NULL;
		known += many != NULL;
		for (int k = 0; many && k < 10; k++) {
			put_text(&text);
			check_text(r, many, &text);
		}
		regex_free(many);
		regex_free(r);
	}
	sbuf_free(&pattern);
	sbuf_free(&text);
	/* the test tests something */
	assert_true(compiled > 5000);
	assert_true(known > 2000);
}

TEST(what_is_known)
{
	static const struct {
		const char *pattern, *text;
		int at; /* where it matches; -1: nowhere, -2: no such pattern */
	} cases[] = {
	    {"", "a\n", 0},
	    {"^b.$", "a\nbc\nd\n", 2},
	    {"^$", "a\n\n", 2},
	    {"a\\sb", "a\nb\na b\n", 4},
	    {"a[^x]b|C", "a\nb\naxb", -1},
	    {"a[\\sx]b", "a\nb\na\tb", 4},
	    {"a\\Wb", "a\nb\n", -1},
	    {"(?=a.*b)a\\D++", "a\nb", -1},
	    {"(?<!.)b", "ab\nb", 3},
	    {"L\\t[^\\t]+\\t\\d", "L\t12\nL\t1\t2\n", 5},
	    {"\\Aa", NULL, -2},
	    {"a\\z", NULL, -2},
	    {"a\\Kb", NULL, -2},
	    {"(a)\\1", NULL, -2},
	    {"(?s)a.b", NULL, -2},
	    {"(*ANY)a", NULL, -2},
	    {"a\nb", NULL, -2},
	    {"[\\t-a]", NULL, -2},
	    {"[\001-a]", NULL, -2},
	    {"[[:space:]]", NULL, -2},
	    {"[^-a]", NULL, -2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct regex *r, *many;
		size_t at;
		int got = -2;

		assert_int_equal(regex_new(&r, cases[i].pattern, NULL), STATUS_OK);
		many = regex_of_lines(r);
		if (many && cases[i].text)
			got = regex_match(many, cases[i].text, strlen(cases[i].text), &at, NULL)
				  ? (int)at
				  : -1;
		if ((many != NULL) != (cases[i].text != NULL) || got != cases[i].at)
			fail_msg("/%s/: %d", cases[i].pattern, got);
		regex_free(many);
		regex_free(r);
	}
}
