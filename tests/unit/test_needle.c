/*
 * base/needle.h and base/sieve.h against PCRE2: random patterns and random lines; a line that
 * matches must be found by the sieve, by 32 places at once and one by one alike.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/regex.h"
#include "base/sbuf.h"
#include "base/sieve.h"

static uint64_t seed = 1;

static unsigned dice(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed % n);
}

/* ---- random patterns --------------------------------------------------------------------- */

static const char *const atoms[] = {"a",
				    "b",
				    "ab",
				    "B",
				    "x",
				    "0",
				    "_",
				    ".",
				    "[ab]",
				    "[^a]",
				    "[^ab0\\s]",
				    "[a-c0-9]",
				    "[]x]",
				    "[^]x]",
				    "[a\\]b]",
				    "[\\d_]",
				    "[\\w-]",
				    "[-a]",
				    "[a-]",
				    "[[:alpha:]]",
				    "[[:^alpha:]]",
				    "[^[:upper:]]",
				    "[[:digit:]x]",
				    "\\d",
				    "\\w",
				    "\\s",
				    "\\S",
				    "\\D",
				    "\\W",
				    "\\h",
				    "\\x61",
				    "\\x{62}",
				    "\\.",
				    "\\[",
				    "\\t",
				    "\\b",
				    "\\B",
				    "^",
				    "$",
				    "\\A",
				    "\\z",
				    "\\1",
				    "\\R",
				    "\\N",
				    "\\K",
				    "\\Qa.\\E",
				    "(?i)",
				    "(?i:a)",
				    "(?=a)",
				    "(?!a)",
				    "(?<=b)",
				    "(?<!b)",
				    "{",
				    "{,2}",
				    "a{",
				    "}",
				    "]",
				    "\\0",
				    "\\x6",
				    "\\cA",
				    "[\\x61-c]",
				    "[B-b]",
				    "[\\b]",
				    "\\e",
				    "(?#c)",
				    "[^\\n]",
				    "\xc3\xa4",
				    "[\xa0-\xff]",
				    "(?|a|b)",
				    "(?x) a",
				    "\\V",
				    "\\H"};

static const char *const quantifiers[] = {"*",     "+",  "?",  "{2}",   "{0}",  "{1,}",
					  "{2,3}", "*?", "++", "{0,2}", "{3}+", "??"};

static const char *const groups[] = {"(", "(?:", "(?>", "(?<n>", "(?P<m>", "(?=", "(?!", "(?<!"};

#define ANY(table) table[dice(sizeof(table) / sizeof((table)[0]))]

static void put_alternatives(struct sbuf *p, int depth);

static void put_item(struct sbuf *p, int depth)
{
	if (depth < 3 && dice(6) == 0) {
		sbuf_puts(p, ANY(groups));
		put_alternatives(p, depth + 1);
		sbuf_putc(p, ')');
	} else {
		sbuf_puts(p, ANY(atoms));
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

/* No NUL in what patterns are, all bytes but the line feed in lines. */
static size_t make_line(char *line, size_t most)
{
	static const char usual[] = "aabbcxAB0019__ .-[]\t";
	size_t len = dice((unsigned)most);

	for (size_t i = 0; i < len; i++) {
		line[i] = dice(12) ? usual[dice(sizeof(usual) - 1)] : (char)dice(256);
		if (line[i] == '\n')
			line[i] = '\0';
	}
	return len;
}

/* ---- checks ------------------------------------------------------------------------------ */

static void check_line(const struct regex *r, const struct sieve *s, const char *line, size_t len)
{
	const char *end = line + len, *p = line, *wide, *slow;

	slow = sieve_find_slow(s, line, end);
	if (regex_match(r, line, len, NULL, NULL) && slow == end)
		fail_msg("/%s/ matches and nothing is found in '%.*s'", regex_pattern(r), (int)len,
			 line);
	for (; p < end; p = slow + 1) {
		wide = sieve_find(s, p, end);
		slow = sieve_find_slow(s, p, end);
		assert_ptr_equal(wide, slow);
		if (slow == end)
			break;
	}
}

static void nothing_is_missed(void **state)
{
	static char lines[64][200];
	int compiled = 0, needles = 0;

	(void)state;
	for (int i = 0; i < 40000; i++) {
		struct sbuf pattern = {0};
		struct needle n;
		struct regex *r;
		struct sieve s;

		put_alternatives(&pattern, 0);
		if (regex_new(&r, sbuf_text(&pattern), NULL) == STATUS_OK) {
			compiled++;
			if (needle_of(sbuf_text(&pattern), regex_caseless(r), &n)) {
				needles++;
				sieve_make(&s, &n);
				for (int k = 0; k < 30; k++)
					check_line(r, &s, lines[k], make_line(lines[k], 200));
			}
		}
		regex_free(r);
		sbuf_free(&pattern);
	}
	/* the test tests something */
	assert_true(compiled > 5000);
	assert_true(needles > 2000);
}

static bool window_is(const struct needle_window *w, const char *text)
{
	bool is = (size_t)w->width == strlen(text);

	for (int i = 0; is && i < w->width; i++)
		for (unsigned b = 0; b < 256; b++)
			is = is && byte_set_has(&w->at[i], b) == (b == (unsigned char)text[i]);
	return is;
}

static void the_rarest_is_chosen(void **state)
{
	static const struct {
		const char *pattern;
		const char *windows[3]; /* NULL: no more; none: no needle */
	} cases[] = {
	    {"Abc", {"Abc"}},
	    {"[0-9]*Qzj", {"Qzj"}},
	    {"A(b|c)*XyZzy", {"XyZzy"}},
	    {"(Foo|Barz)+", {"Foo", "Barz"}},
	    {"A.*(XX|YY|ZZ)", {"XX", "YY", "ZZ"}},
	    {"A{3}", {"AAA"}},
	    {"AB+C", {"AB"}},
	    {"A?Bc", {"Bc"}},
	    {"Ab\\b(?=x)Cd", {"AbCd"}},
	    {"A very long Literal it is", {NULL}},
	    {"A|", {NULL}},
	    {"(?i)Abc", {NULL}},
	    {"(A|B)\\1?", {"A", "B"}},
	    {"A\\Q", {NULL}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct needle n;
		bool has = needle_of(cases[i].pattern, false, &n);
		int k = 0;

		for (; k < 3 && cases[i].windows[k]; k++)
			if (!has || k >= n.count || !window_is(&n.window[k], cases[i].windows[k]))
				fail_msg("/%s/: window %d is not %s", cases[i].pattern, k,
					 cases[i].windows[k]);
		if (k)
			assert_int_equal(n.count, k);
	}
}

/* A class whose bytes' halves go together in all ways is told from its neighbours. */
static void classes_are_exact(void **state)
{
	static const char *const classes[] = {"[^ -~\\t]", "[0-9a-f]", "[!%~]", "[G-Zq-z]",
					      "[[:punct:]]"};

	(void)state;
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct needle n;
		struct sieve s;
		struct regex *r;

		assert_int_equal(regex_new(&r, classes[i], NULL), STATUS_OK);
		assert_true(needle_of(classes[i], regex_caseless(r), &n));
		sieve_make(&s, &n);
		for (int b = 0; b < 256; b++) {
			char byte = (char)b;
			bool found = sieve_find_slow(&s, &byte, &byte + 1) == &byte;

			if (b != '\n' && i != 4)
				assert_int_equal(found, regex_match(r, &byte, 1, NULL, NULL));
		}
		regex_free(r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(nothing_is_missed),
	    cmocka_unit_test(the_rarest_is_chosen),
	    cmocka_unit_test(classes_are_exact),
	};

	return cmocka_run_group_tests_name("needle", tests, NULL, NULL);
}
