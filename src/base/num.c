#include "config.h"

#include "base/num.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct suffix {
	char letter;
	uint64_t factor;
} suffixes[] = {
    {'k', 1000},
    {'M', 1000000},
    {'G', 1000000000},
};

static const char shorts[] = "kMGTP"; /* 10^3, 10^6 ... of num_short() */
static const char shorts_below[] = "mun"; /* 10^-3, 10^-6 ... */

static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* One run of digits appended to *value; its length, or 0 for none or overflow. */
static size_t digit_run(const char **p, uint64_t *value)
{
	const char *from = *p;

	for (; is_digit(**p); ++*p)
		if (__builtin_mul_overflow(*value, UINT64_C(10), value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**p - '0'), value))
			return 0;
	return (size_t)(*p - from);
}

/*
 * Digits in groups of three with one kind of separator. "1,5" and "12 34" are refused:
 * they are a decimal comma or two numbers, and guessing would go to the wrong cycle.
 */
static bool grouped_digits(const char **p, uint64_t *value)
{
	size_t run = digit_run(p, value);
	char separator = **p;

	if (run == 0)
		return false;
	if (!separator || !strchr("_, '", separator))
		return true;
	if (run > 3)
		return false;
	while (**p == separator) {
		++*p;
		if (digit_run(p, value) != 3)
			return false;
	}
	return true;
}

static bool apply_suffix(const char **p, uint64_t *value)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (**p == suffixes[i].letter) {
			++*p;
			return !__builtin_mul_overflow(*value, suffixes[i].factor, value);
		}
	return true;
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static bool has_hex_prefix(const char *text)
{
	return text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

bool num_parse_hex(const char *text, uint64_t *out)
{
	const char *p = has_hex_prefix(text) ? text + 2 : text;
	uint64_t value = 0;

	if (!*p)
		return false;
	for (; *p; p++) {
		int digit = hex_value(*p);

		if (digit < 0 || value >> 60)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*out = value;
	return true;
}

bool num_parse_decimal(const char *text, uint64_t *out)
{
	const char *p = text + (*text == '+');
	uint64_t value = 0;

	if (!grouped_digits(&p, &value) || !apply_suffix(&p, &value) || *p)
		return false;
	*out = value;
	return true;
}

bool num_parse_u64(const char *text, uint64_t *out)
{
	return has_hex_prefix(text) ? num_parse_hex(text, out) : num_parse_decimal(text, out);
}

bool num_parse_i64(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	uint64_t value;

	if (negative && !is_digit(text[1]))
		return false;
	if (negative && has_hex_prefix(text + 1))
		return false;
	if (!num_parse_u64(text + negative, &value) || value > (uint64_t)INT64_MAX + negative)
		return false;
	*out = (int64_t)(negative ? -value : value);
	return true;
}

bool num_parse_real(const char *text, double *out)
{
	double value;
	char *end;

	if (!*text || text[strspn(text, "0123456789+-.eE")])
		return false;
	value = strtod(text, &end);
	if (*end || end == text || !isfinite(value))
		return false;
	*out = value;
	return true;
}

const char *num_part(const char *p, size_t len, char buf[64])
{
	len = len < 64 ? len : 0;
	memcpy(buf, p, len);
	buf[len] = '\0';
	return buf;
}

static bool reads_back(double value, int precision, char buf[32])
{
	double back;

	return snprintf(buf, 32, "%.*g", precision, value) < 32 && num_parse_real(buf, &back) &&
	       back == value;
}

const char *num_real(double value, char buf[32])
{
	int precision = fabs(value) < DBL_MIN ? 1 : DBL_DIG;

	while (!reads_back(value, precision, buf) && precision < DBL_DECIMAL_DIG)
		precision++;
	return buf;
}

const char *num_group(int64_t value, char buf[32])
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	char reversed[32];
	size_t n = 0, digits = 0;

	do {
		if (digits && digits % 3 == 0)
			reversed[n++] = ' ';
		reversed[n++] = (char)('0' + rest % 10);
		digits++;
		rest /= 10;
	} while (rest);
	if (value < 0)
		reversed[n++] = '-';
	for (size_t i = 0; i < n; i++)
		buf[i] = reversed[n - 1 - i];
	buf[n] = '\0';
	return buf;
}

/* Decimals that make three significant digits of a value in [0, 1000). */
static int decimals_of(double magnitude)
{
	return magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
}

static bool short_plain(double value, int width, char buf[32])
{
	double magnitude = fabs(value);
	int decimals = 0;

	if (magnitude >= 1e15 || (magnitude < 0.001 && value != 0))
		return false;
	if (value != trunc(value) && magnitude < 999.5)
		decimals = decimals_of(magnitude) + (magnitude < 0.9995) + (magnitude < 0.09995);
	for (; decimals >= 0; decimals--) {
		/* without its first digit a fraction says nothing: 5e-3 rather than 0.01 */
		if (value != 0 && magnitude < pow(10, -decimals))
			return false;
		if (snprintf(buf, 32, "%.*f", decimals, value) <= width)
			return true;
	}
	return false;
}

static bool put_scaled(double scaled, char letter, int width, char buf[32])
{
	for (int decimals = decimals_of(fabs(scaled)); decimals >= 0; decimals--) {
		int len = snprintf(buf, 32, "%.*f", decimals, scaled);

		if (len < width) {
			buf[len] = letter;
			buf[len + 1] = '\0';
			return true;
		}
	}
	return false;
}

/* 48.3M; 360u, where a plain form would be but zeros. */
static bool short_suffix(double value, int width, char buf[32])
{
	const bool below = fabs(value) < 0.9995;

	for (const char *letter = below ? shorts_below : shorts; *letter && value != 0; letter++) {
		value *= below ? 1000 : 0.001;
		if (fabs(value) >= 0.9995 && fabs(value) < 999.5)
			return put_scaled(value, *letter, width, buf);
	}
	return false;
}

/* 1.2e+18 without what nobody reads: the plus and the leading zeros of the exponent. */
static bool short_exponent(double value, int width, char buf[32])
{
	for (int decimals = 1; decimals >= 0; decimals--) {
		char *e, *digits;

		snprintf(buf, 32, "%.*e", decimals, value);
		e = strchr(buf, 'e') + 1;
		digits = e + 1 + strspn(e + 1, "0");
		if (*e == '-')
			e++;
		memmove(e, *digits ? digits : "0", strlen(digits) + 1);
		if (strlen(buf) <= (size_t)width)
			return true;
	}
	return false;
}

const char *num_short(double value, int width, char buf[32])
{
	if (!isfinite(value))
		return strcpy(buf, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
	if (value == 0)
		value = 0; /* no "-0" */
	if (short_plain(value, width, buf) || short_suffix(value, width, buf) ||
	    short_exponent(value, width, buf))
		return buf;
	/* no room even for one digit and the exponent: rounded away, or a bound */
	if (fabs(value) < 1) {
		snprintf(buf, 32, "%.*f", value < 0 ? 1 : 2, value);
		return buf;
	}
	return strcpy(buf, value < 0 ? "<-9P" : ">99P");
}

const char *num_bytes(uint64_t bytes, char buf[32])
{
	double scaled = (double)bytes;
	size_t unit = 0;
	int len;

	while (scaled >= (unit ? 999.5 : 1000) && unit + 1 < sizeof(units) / sizeof(units[0])) {
		scaled /= 1000;
		unit++;
	}
	len = snprintf(buf, 32, "%.*f", unit && scaled < 99.95, scaled);
	snprintf(buf + len, 32 - (size_t)len, " %s", units[unit]);
	return buf;
}

/* Each is a thousandth of the one before. */
static const char *const time_units[] = {"s", "ms", "us", "ns", "ps"};

enum { TIME_UNITS = sizeof(time_units) / sizeof(time_units[0]), THOUSAND = 1000 };

/* Its number; TIME_UNITS: it is none. */
static int time_unit(const char *unit)
{
	int i = 0;

	while (i < TIME_UNITS && strcmp(time_units[i], unit) != 0)
		i++;
	return i;
}

bool num_time(int64_t value, const char *unit, char buf[40])
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value, factor = 1;
	int at = time_unit(unit), digits = 0;
	char whole[32], part[32];
	size_t len;

	if (at == TIME_UNITS)
		return false;
	for (; at > 0 && magnitude / factor >= THOUSAND; at--) {
		factor *= THOUSAND;
		digits += 3;
	}
	snprintf(part, sizeof(part), ".%0*" PRIu64, digits, magnitude % factor);
	for (len = strlen(part); len && (part[len - 1] == '0' || part[len - 1] == '.'); len--)
		part[len - 1] = '\0';
	if (factor == 1)
		num_group(value, whole);
	else
		snprintf(whole, sizeof(whole), "%s%" PRIu64, value < 0 ? "-" : "", magnitude / factor);
	snprintf(buf, 40, "%s%s %s", whole, part, time_units[at]);
	return true;
}

/* In the largest unit of which there is one; what rounding makes one of it is `one` or more. */
static double scale_time(double seconds, double one, int *at)
{
	for (*at = 0; seconds != 0 && fabs(seconds) < one && *at < TIME_UNITS - 1; ++*at)
		seconds *= THOUSAND;
	return seconds;
}

const char *num_seconds(double seconds, char buf[40])
{
	int at;
	double scaled = scale_time(seconds, 0.99995, &at);

	snprintf(buf, 40, "%.4g %s", scaled, time_units[at]);
	return buf;
}

const char *num_short_of(double value, const char *unit, int width, char buf[32])
{
	int at = unit ? time_unit(unit) : TIME_UNITS;

	if (at == TIME_UNITS || !isfinite(value) || value == 0)
		return num_short(value, width, buf);
	value = scale_time(value * pow(THOUSAND, -at), 0.9995, &at);
	if (fabs(value - rint(value)) < 1e-9) /* 15 us as a double of seconds */
		value = rint(value);
	num_short(value, width - (int)strlen(time_units[at]), buf);
	return strcat(buf, time_units[at]);
}

bool num_parse_time(const char *text, const char *unit, int64_t *out)
{
	size_t len = strspn(text, "0123456789.-"), blank = text[len] == ' ';
	int to = time_unit(unit), at;
	char number[64];
	double value;

	if (to == TIME_UNITS)
		return false;
	at = time_unit(strncmp(text + len + blank, "\302\265s", 3) == 0 ? "us" : text + len + blank);
	if (at == TIME_UNITS || !num_parse_real(num_part(text, len, number), &value))
		return false;
	value = round(value * pow(THOUSAND, to - at));
	if (!(fabs(value) < 9e18))
		return false;
	*out = (int64_t)value;
	return true;
}
