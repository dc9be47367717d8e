/* Regular expressions: smart case, limits. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/regex.h"
#include "testing.h"

static bool matches(const char *pattern, const char *subject)
{
	struct regex *r;
	bool yes;

	assert_int_equal(regex_new(&r, pattern, NULL), STATUS_OK);
	yes = regex_match(r, subject, strlen(subject), NULL, NULL);
	regex_free(r);
	return yes;
}

TEST(smart_case)
{
	static const struct {
		const char *pattern, *subject;
		bool yes;
	} cases[] = {
	    {"cu", "GPU.CU", true},    {"CU", "gpu.cu", false},     {"(cu|l1)\\S", "L1[0]", true},
	    {"\\Dcu", "xCU", true},    {"\\x4a", "j", true},        {"\\x{4A}", "j", false},
	    {"\\p{Lu}b", "AB", false}, {"\\Qab\\E", "AB", true},    {"\\Qa.B\\E", "a.b", false},
	    {"(?<name>a)", "A", true}, {"(?P<name>a)", "A", false}, {"(?=A)a", "a", false},
	    {"(?<=A)b", "ab", false},  {"(?>AB)", "ab", false},     {"(?i)AB", "ab", true},
	    {"[A-C]", "b", false},     {"\\\\A", "\\a", false},     {"(?:A)", "a", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (matches(cases[i].pattern, cases[i].subject) != cases[i].yes)
			fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].subject);
}

TEST(match_offsets)
{
	struct regex *r;
	size_t from = 99, to = 99;

	assert_int_equal(regex_new(&r, "b+", NULL), STATUS_OK);
	assert_string_equal(regex_pattern(r), "b+");
	assert_true(regex_match(r,
				"a\0\xff"
				"bbb c",
				8, &from, &to));
	assert_int_equal(from, 3);
	assert_int_equal(to, 6);
	from = to = 99;
	assert_false(regex_match(r, "aaab", 3, &from, &to));
	assert_int_equal(from, 99);
	assert_int_equal(to, 99);
	assert_false(regex_match(r, NULL, 0, NULL, NULL));
	assert_false(regex_limited(r));
	regex_free(r);
	assert_int_equal(regex_new(&r, "", NULL), STATUS_OK);
	assert_true(regex_match(r, NULL, 0, &from, &to));
	regex_free(r);
}

TEST(bad_patterns)
{
	static const char *const bad[] = {"(",       "[a",       "*",  "a{2,1}",
					  "(*UTF)x", "(?<=a*)b", "\\", "(?"};
	char *huge = malloc(100001);
	struct error e;
	struct regex *r;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(regex_new(&r, bad[i], &e), STATUS_USAGE);
		assert_null(r);
	}
	assert_int_equal(regex_new(&r, "ab(", &e), STATUS_USAGE);
	assert_string_equal(e.text, "bad regular expression 'ab(' at offset 3: "
				    "missing closing parenthesis");
	memset(huge, 'a', 100000);
	huge[100000] = '\0';
	assert_int_equal(regex_new(&r, huge, &e), STATUS_USAGE);
	free(huge);
	regex_free(NULL);
}

TEST(limits_hold)
{
	char subject[3001];
	struct timespec from, to;
	struct regex *r;

	memset(subject, 'a', 3000);
	subject[3000] = '\0';
	assert_int_equal(regex_new(&r, "(a+)+$|(a|a)*b(.*)*c", NULL), STATUS_OK);
	subject[2999] = '!';
	clock_gettime(CLOCK_MONOTONIC, &from);
	assert_false(regex_match(r, subject, 3000, NULL, NULL));
	clock_gettime(CLOCK_MONOTONIC, &to);
	assert_true(regex_limited(r));
	assert_true((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec) <
		    2);
	assert_true(regex_match(r, "aaa", 3, NULL, NULL));
	regex_free(r);
	/* a million steps: PCRE2's own limit would let it pass, ours does not */
	assert_int_equal(regex_new(&r, "(a+)+$", NULL), STATUS_OK);
	assert_false(regex_match(r, subject + 3000 - 21, 21, NULL, NULL));
	assert_true(regex_limited(r));
	regex_free(r);
	/* quadratic, but harmless: must not be cut off */
	assert_int_equal(regex_new(&r, "a.*a.*q", NULL), STATUS_OK);
	assert_false(regex_match(r, subject, 300, NULL, NULL));
	assert_false(regex_limited(r));
	regex_free(r);
}
