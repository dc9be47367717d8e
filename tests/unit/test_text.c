/* Hostile text and its width; numbers read and written. */
#include "config.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/num.h"
#include "base/sbuf.h"
#include "base/text.h"
#include "testing.h"

#define FFFD "\xef\xbf\xbd"

/* text */

static void check_time(int64_t value, const char *unit, const char *text)
{
	char told[40];
	int64_t read;

	assert_true(num_time(value, unit, told));
	assert_string_equal(told, text);
	assert_true(num_parse_time(text, unit, &read));
	assert_int_equal(read, value);
}

TEST(times)
{
	char told[40];
	int64_t read;

	check_time(0, "ps", "0 ps");
	check_time(999, "ps", "999 ps");
	check_time(1000, "ps", "1 ns");
	check_time(12500000, "ps", "12.5 us");
	check_time(12345678, "ps", "12.345678 us");
	check_time(-1500, "ns", "-1.5 us");
	check_time(1002, "us", "1.002 ms");
	assert_true(num_time(INT64_MIN, "s", told));
	assert_string_equal(told, "-9 223 372 036 854 775 808 s");
	assert_false(num_time(5, "cycle", told));
	assert_true(num_parse_time("12.5us", "ps", &read) && read == 12500000);
	assert_true(num_parse_time("1.5\302\265s", "ns", &read) && read == 1500);
	assert_true(num_parse_time("1.6 ps", "ns", &read) && read == 0);
	assert_false(num_parse_time("12.5", "ps", &read));
	assert_false(num_parse_time("us", "ps", &read));
	assert_false(num_parse_time("1.2.3us", "ps", &read));
	assert_false(num_parse_time("1usx", "ps", &read));
	assert_false(num_parse_time("99999999999s", "ps", &read));
	assert_false(num_parse_time("1us", "cycle", &read));
}

TEST(decode_inverts_encode)
{
	uint32_t back;
	char utf8[4];

	for (uint32_t cp = 0; cp < 0x110010; cp++) {
		bool scalar = cp < 0x110000 && (cp < 0xd800 || cp > 0xdfff);
		size_t len = text_encode(cp, utf8);

		assert_int_equal(text_decode(utf8, len, &back), len);
		assert_int_equal(back, scalar ? cp : TEXT_REPLACEMENT);
		for (size_t cut = 1; cut < len; cut++) {
			assert_int_equal(text_decode(utf8, cut, &back), 1);
			assert_int_equal(back, TEXT_REPLACEMENT);
		}
	}
}

TEST(decode_refuses)
{
	static const char *const broken[] = {
	    "\x80zzz",    /* continuation alone */
	    "\xc0\xafzz", /* overlong */
	    "\xc1\xbfzz",       "\xe0\x9f\xbfz",    "\xf0\x8f\xbf\xbf",
	    "\xed\xa0\x80z",    /* surrogate */
	    "\xf4\x90\x80\x80", /* beyond 10FFFF */
	    "\xf5\x80\x80\x80", "\xfe\x80\x80\x80", "\xff\x80\x80\x80",
	    "\xe2(\xa1z",       "\xe2\x82(z",       "\xf0\x9f\x94(",
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		uint32_t cp;

		assert_int_equal(text_decode(broken[i], 4, &cp), 1);
		assert_int_equal(cp, TEXT_REPLACEMENT);
	}
}

TEST(harmless_replaces)
{
	static const uint32_t harmful[] = {
	    0,       7,       10,      13,      27,      0x7f,     0x80,     0x9b,       0x9f,
	    0xad,                                       /* C0, DEL, C1, soft hyphen */
	    0x61c,   0x115f,  0x1160,  0x180e,  0x3164, /* fillers */
	    0x200b,  0x200c,  0x200d,  0x200e,  0x200f,  0x2028,   0x2029,   0x202a,     0x202e,
	    0x2060,  0x2066,  0x2069,  0xd800,  0xe000,  0xfdd0,   0xfeff,   0xfff9,     0xffff,
	    0x1f1e6, 0x1f3fb, 0xe0001, 0xe0041, 0xf0000, 0x10ffff, 0x110000, UINT32_MAX,
	};
	static const uint32_t good[] = {
	    'a',    ' ',    '~',    0xa0,   0xe9,  0x3b1, 0x5d0, 0x2500,  0x2588,
	    0x20ac, 0x3042, 0x4e2d, 0xfffd, 0x300, 0x93f, 0xe34, 0x1f525, 0xfe0f, /* marks */
	};

	assert_int_equal(text_harmless('\t'), ' ');
	for (size_t i = 0; i < sizeof(harmful) / sizeof(harmful[0]); i++)
		assert_int_equal(text_harmless(harmful[i]), TEXT_REPLACEMENT);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(text_harmless(good[i]), good[i]);
}

/* A copy for other programs has everything but what controls. */
TEST(kept_replaces)
{
	static const uint32_t controls[] = {0,      7,      '\n',   '\r',   27,     0x7f,
					    0x80,   0x9f,   0x61c,  0x200e, 0x200f, 0x2028,
					    0x2029, 0x202a, 0x202e, 0x2066, 0x2069};
	static const uint32_t kept[] = {'a',    0xa0,   0xad,   0x301,   0x94d,   0xe35,
					0x115f, 0x200b, 0x200d, 0x2060,  0xe000,  0xfe0f,
					0xfeff, 0xfffd, 0xffff, 0x1f1e6, 0x1f3fb, 0xe0100};

	assert_int_equal(text_kept('\t'), ' ');
	for (size_t i = 0; i < sizeof(controls) / sizeof(controls[0]); i++)
		assert_int_equal(text_kept(controls[i]), TEXT_REPLACEMENT);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_int_equal(text_kept(kept[i]), kept[i]);
}

TEST(marks_take_no_column)
{
	assert_int_equal(text_width_cp(0x301), 0);
	assert_int_equal(text_width("e\xcc\x81x", 4), 2);
	assert_int_equal(text_width("\xe0\xb8\x97\xe0\xb8\xb5\xe0\xb9\x88", 9), 1);
}

TEST(width_without_locale)
{
	char *old = strdup(setlocale(LC_ALL, NULL));

	setlocale(LC_ALL, "C");
	assert_int_equal(text_width_cp(0x4e2d), 2);
	assert_int_equal(text_width_cp(0x1f525), 2);
	assert_int_equal(text_width_cp(0xe9), 1);
	assert_int_equal(text_width_cp(0), 1);
	assert_int_equal(text_width("a\xe4\xb8\xad\xff\033", 6), 5);
	assert_int_equal(text_width("", 0), 0);
	setlocale(LC_ALL, old);
	free(old);
}

typedef void add_fn(struct sbuf *out, const char *p, size_t len);

static void text_as(add_fn *add, const char *expect, const char *p, size_t len)
{
	struct sbuf s = {0};

	add(&s, p, len);
	assert_string_equal(sbuf_text(&s), expect);
	sbuf_free(&s);
}

static void replaced(size_t want, const char *text)
{
	struct sbuf s = {0};

	assert_int_equal(text_keep(&s, text, strlen(text)), want);
	sbuf_free(&s);
}

TEST(sanitise)
{
	replaced(0, "");
	replaced(0, "a\tb " FFFD " \xc3\xa9");
	replaced(3, "\033[2J\a" FFFD "x\xc2");
	replaced(2, "\xe2\x82" FFFD);
	replaced(1, "\xe2\x80\xae" FFFD);
	replaced(0, "e\xcc\x81 \xe2\x80\x8b \xc2\xad");
	text_as(text_sanitise, "", "", 0);
	text_as(text_sanitise, "lw a0, 4(sp)", "lw a0, 4(sp)", 12);
	text_as(text_sanitise, FFFD "]0;x" FFFD "a b" FFFD "c" FFFD, "\033]0;x\007a\tb\0c\n", 12);
	text_as(text_sanitise, "e\xcc\x81" FFFD, "e\xcc\x81\xe2\x80\x8b", 6);
	text_as(text_sanitise, FFFD FFFD "x" FFFD, "\xe2\x82x\xc2", 4);
	text_as(text_sanitise, "\xc3\xa9" FFFD "\xe4\xb8\xad", "\xc3\xa9\xe2\x80\xae\xe4\xb8\xad",
		8);
}

TEST(html)
{
	text_as(text_html, "&lt;b a=&quot;1&quot;&gt;&amp;&#39;" FFFD "\xc3\xa9",
		"<b a=\"1\">&'\001\xc3\xa9", 14);
}

TEST(csv)
{
	text_as(text_csv, "\"\"", "", 0);
	text_as(text_csv, "\"a,b\"", "a,b", 3);
	text_as(text_csv, "\"say \"\"hi\"\"" FFFD "\"", "say \"hi\"\n", 9);
	text_as(text_csv, "\"'=1+1\"", "=1+1", 4);
	text_as(text_csv, "\"'+1\"", "+1", 2);
	text_as(text_csv, "\"'-1\"", "-1", 2);
	text_as(text_csv, "\"'@x\"", "@x", 2);
	text_as(text_csv, "\"' x\"", "\tx", 2);
	text_as(text_csv, "\"'" FFFD "x\"", "\rx", 2);
	text_as(text_csv, "\"'  =x\"", "  =x", 4);
	text_as(text_csv, "\"'\xef\xbc\x9dx\"", "\xef\xbc\x9dx", 4);
	text_as(text_csv, "\"'\xef\xbb\xbf=x\"", "\xef\xbb\xbf=x", 5);
	text_as(text_csv, "\"e\xcc\x81\xe2\x80\x8b\"", "e\xcc\x81\xe2\x80\x8b", 6);
	text_as(text_csv, "\"   \"", "   ", 3);
	text_as(text_csv, "\"a=b\"", "a=b", 3);
}

/* num */

TEST(parse_signed)
{
	static const struct {
		const char *text;
		int64_t value;
	} good[] = {
	    {"0", 0},
	    {"-0", 0},
	    {"+7", 7},
	    {"48312907", 48312907},
	    {"48 312 907", 48312907},
	    {"48,312,907", 48312907},
	    {"48_312_907", 48312907},
	    {"48'312'907", 48312907},
	    {"-1 000", -1000},
	    {"5k", 5000},
	    {"-12M", -12000000},
	    {"3G", 3000000000},
	    {"1 500k", 1500000},
	    {"0x1F", 31},
	    {"0XfF", 255},
	    {"007", 7},
	    {"9223372036854775807", INT64_MAX},
	    {"-9223372036854775808", INT64_MIN},
	    {"9 223 372 036 854 775 807", INT64_MAX},
	    {"0x7fffffffffffffff", INT64_MAX},
	};
	static const char *const bad[] = {
	    "",
	    "-",
	    "+",
	    " ",
	    " 1",
	    "1 ",
	    "--1",
	    "-+1",
	    "+-1",
	    "1-",
	    "x",
	    "1x",
	    "1.5",
	    "1e3",
	    "1,5",
	    "1,",
	    ",1",
	    "1,,000",
	    "1 0000",
	    "1000,000",
	    "1,000 000",
	    "1_00",
	    "k",
	    "1kk",
	    "1K",
	    "1m",
	    "1 k",
	    "0x",
	    "0xg",
	    "-0x1",
	    "+0x1",
	    "0x1k",
	    "0x 1",
	    "\xc2\xa0\x31",
	    "9223372036854775808",
	    "-9223372036854775809",
	    "9223372036854775807k",
	    "99999999999999999999999",
	    "0x8000000000000000",
	    "0x10000000000000000",
	    "1\n",
	};
	int64_t value;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(num_parse_i64(good[i].text, &value));
		assert_true(value == good[i].value);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		value = 4711;
		if (num_parse_i64(bad[i], &value))
			fail_msg("'%s' is taken for a number", bad[i]);
		assert_int_equal(value, 4711);
	}
}

TEST(parse_unsigned)
{
	uint64_t value;

	assert_true(num_parse_u64("18446744073709551615", &value) && value == UINT64_MAX);
	assert_true(num_parse_u64("0xffffffffffffffff", &value) && value == UINT64_MAX);
	assert_true(num_parse_u64("18 446 744 073 709 551 615", &value) && value == UINT64_MAX);
	assert_false(num_parse_u64("18446744073709551616", &value));
	assert_false(num_parse_u64("18446744073709552k", &value));
	assert_false(num_parse_u64("-1", &value));
	assert_true(num_parse_decimal("1'000k", &value) && value == 1000000);
	assert_false(num_parse_decimal("0x10", &value));
	assert_false(num_parse_decimal("1e3", &value));
	assert_false(num_parse_u64("-0", &value));
	assert_true(num_parse_hex("80000abc", &value) && value == 0x80000abc);
	assert_true(num_parse_hex("0x0000000000000000001", &value) && value == 1);
	assert_false(num_parse_hex("", &value));
	assert_false(num_parse_hex("0x", &value));
	assert_false(num_parse_hex("-1", &value));
	assert_false(num_parse_hex("1ffffffffffffffff", &value));
	assert_false(num_parse_hex("12 34", &value));
}

TEST(parse_real)
{
	static const char *const bad[] = {"",      " 1",  "1 ",    "1,5", "nan",   "inf",
					  "0x1p3", "1e",  "1e999", "-",   "1.2.3", "e5",
					  ".",     "1-1", "\t1",   "--1"};
	double value;

	assert_true(num_parse_real("1.5", &value) && value == 1.5);
	assert_true(num_parse_real("-2e3", &value) && value == -2000);
	assert_true(num_parse_real("+.5", &value) && value == 0.5);
	assert_true(num_parse_real("5.", &value) && value == 5);
	assert_true(num_parse_real("1e-400", &value) && value == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (num_parse_real(bad[i], &value))
			fail_msg("'%s' is taken for a number", bad[i]);
}

TEST(group)
{
	char buf[32];

	assert_string_equal(num_group(0, buf), "0");
	assert_string_equal(num_group(999, buf), "999");
	assert_string_equal(num_group(1000, buf), "1 000");
	assert_string_equal(num_group(-1000, buf), "-1 000");
	assert_string_equal(num_group(-100, buf), "-100");
	assert_string_equal(num_group(48312907, buf), "48 312 907");
	assert_string_equal(num_group(INT64_MAX, buf), "9 223 372 036 854 775 807");
	assert_string_equal(num_group(INT64_MIN, buf), "-9 223 372 036 854 775 808");
}

TEST(short_forms)
{
	static const struct {
		double value;
		int width;
		const char *expect;
	} cases[] = {
	    {0, 4, "0"},           {-0.0, 4, "0"},         {1, 4, "1"},
	    {9999, 4, "9999"},     {-999, 4, "-999"},      {10000, 4, "10k"},
	    {10000, 5, "10000"},   {12345, 4, "12k"},      {99960, 4, "100k"},
	    {999600, 4, "1.0M"},   {999600, 5, "1.00M"},   {-1234, 4, "-1k"},
	    {-99999, 4, "-1e5"},   {48312907, 5, "48.3M"}, {48312907, 8, "48312907"},
	    {1.2e18, 6, "1.2e18"}, {1.2e18, 4, "1e18"},    {1e100, 5, "1e100"},
	    {1e100, 4, ">99P"},    {-1e18, 4, "<-9P"},     {-1e18, 5, "-1e18"},
	    {1.2345, 4, "1.23"},   {1.2345, 8, "1.23"},    {123.4, 4, "123"},
	    {99.97, 6, "100"},     {999.7, 4, "1000"},     {9999.7, 4, "10k"},
	    {0.5, 4, "0.50"},      {0.0512, 6, "0.0512"},  {0.04, 4, "0.04"},
	    {0.004, 4, "4.0m"},    {0.00012, 6, "120u"},   {0.00012, 4, "120u"},
	    {3.6e-7, 6, "360n"},   {1.2e-13, 6, "1e-13"}, {1.2e-8, 4, "12n"},
	    {1e-100, 4, "0.00"},   {-1e-100, 4, "-0.0"},   {-0.06, 4, "-60m"},
	    {-0.06, 5, "-0.06"},   {0.00505, 4, "5.0m"},   {NAN, 4, "nan"},
	    {INFINITY, 4, "inf"},  {-INFINITY, 4, "-inf"},
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(num_short(cases[i].value, cases[i].width, buf),
				    cases[i].expect);
}

TEST(short_times)
{
	static const struct {
		double value;
		const char *unit;
		int width;
		const char *expect;
	} cases[] = {
	    {1.2e-8, "s", 6, "12ns"},    {2.394e-8, "s", 6, "23.9ns"}, {2.394e-8, "s", 5, "24ns"},
	    {1.5e-5, "s", 6, "15us"},    {9.996e-7, "s", 6, "1.00us"}, {-2e-3, "s", 5, "-2ms"},
	    {3.2e-13, "s", 5, "0.3ps"},  {1234, "s", 6, "1234s"},      {0, "s", 5, "0"},
	    {NAN, "s", 5, "nan"},        {40, "ns", 5, "40ns"},        {2.5e6, "ns", 6, "2.50ms"},
	    {1.2e10, "B/s", 5, "12.0G"}, {0.75, NULL, 6, "0.750"},
	};
	char buf[32];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(num_short_of(cases[i].value, cases[i].unit, cases[i].width,
						 buf),
				    cases[i].expect);
}

/* The value that a short form shows, or NAN for a bound. */
static double shown(const char *text)
{
	static const char letters[] = "kMGTPmun";
	char copy[32], *letter = NULL;
	double value;

	strcpy(copy, text);
	for (int i = 0; letters[i]; i++) {
		letter = strchr(copy, letters[i]);
		if (letter) {
			*letter = '\0';
			return num_parse_real(copy, &value) ? value * pow(1000, i < 5 ? i + 1 : 4 - i) : NAN;
		}
	}
	return num_parse_real(copy, &value) ? value : NAN;
}

TEST(short_never_too_wide_nor_wrong)
{
	char buf[32];

	for (int width = 4; width <= 12; width++)
		for (int exponent = -320; exponent <= 308; exponent++)
			for (int k = -9999; k <= 9999; k += 101) {
				double value = k / 1000.0 * pow(10, exponent), back;

				if (!isfinite(value))
					continue;
				num_short(value, width, buf);
				assert_in_range(strlen(buf), 1, (size_t)width);
				back = shown(buf);
				/* at worst one digit is left: off by half of it */
				if (!isnan(back) && strcmp(buf, "0.00") && strncmp(buf, "-0.", 3) &&
				    fabs(back - value) > 0.51 * fabs(value) + 1e-300)
					fail_msg("%g in %d columns is '%s'", value, width, buf);
			}
	assert_string_equal(num_short((double)INT64_MIN, 6, buf), "-9e18");
	assert_string_equal(num_short((double)UINT64_MAX, 6, buf), "1.8e19");
}

TEST(bytes)
{
	char buf[32];

	assert_string_equal(num_bytes(0, buf), "0 B");
	assert_string_equal(num_bytes(999, buf), "999 B");
	assert_string_equal(num_bytes(1000, buf), "1.0 kB");
	assert_string_equal(num_bytes(4200000, buf), "4.2 MB");
	assert_string_equal(num_bytes(99949, buf), "99.9 kB");
	assert_string_equal(num_bytes(99950, buf), "100 kB");
	assert_string_equal(num_bytes(999499, buf), "999 kB");
	assert_string_equal(num_bytes(999500, buf), "1.0 MB");
	assert_string_equal(num_bytes(UINT64_MAX, buf), "18.4 EB");
}

TEST(real_reads_back)
{
	uint64_t bits = 88172645463325252u;
	char buf[32];
	double back;

	for (int i = 0; i < 200000; i++) {
		double value;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof(value));
		if (!isfinite(value))
			continue;
		assert_true(strlen(num_real(value, buf)) < 32);
		assert_true(num_parse_real(buf, &back) && back == value);
	}
}
