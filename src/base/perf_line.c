#include "config.h"

#include "base/perf_line.h"

#include <stddef.h>
#include <string.h>

#include "base/num.h"

enum { FIELDS_MOST = 32, SECONDS_DIGITS = 9, NANO_DIGITS = 9, PERCENT_BYTES = 16 };

static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

struct field {
	char *p;
	size_t len;
};

/* Of a line; behind the last one there are empty ones. */
struct fields {
	struct field at[FIELDS_MOST + 4];
	size_t count;
	char separator;
};

static void cut(struct fields *f, char *line, char separator)
{
	char *p = line;

	memset(f, 0, sizeof(*f));
	f->separator = separator;
	for (size_t i = 0; i < FIELDS_MOST + 4; i++)
		f->at[i].p = line + strlen(line);
	while (f->count < FIELDS_MOST) {
		const char ends[] = {separator, '\0'};
		size_t len = strcspn(p, ends), blanks = strspn(p, " ");

		blanks = blanks < len ? blanks : len;
		f->at[f->count++] = (struct field){p + blanks, len - blanks};
		if (!p[len])
			return;
		p += len + 1;
	}
}

/* ---- what a field is --------------------------------------------------------------------- */

static size_t span(const struct field *x, size_t from, const char *set)
{
	size_t n = from < x->len ? strspn(x->p + from, set) : 0;

	return n < x->len - from ? n : x->len - from;
}

static bool has_letter(const struct field *x)
{
	return x->len && strcspn(x->p, letters) < x->len;
}

static bool is_whole(const struct field *x)
{
	return x->len && span(x, 0, digits) == x->len;
}

/* Some locales have a comma for the point; where it separates fields there is none in them. */
static bool is_point(char c)
{
	return c == '.' || c == ',';
}

static bool is_number(const struct field *x)
{
	size_t whole = span(x, 0, digits);

	return whole && (whole == x->len || (is_point(x->p[whole]) && x->len > whole + 1 &&
					     span(x, whole + 1, digits) == x->len - whole - 1));
}

/* No counter has one, but it is what the line says of its counter. */
static bool is_negative(const struct field *x)
{
	const struct field behind = {x->p + 1, x->len - 1};

	return x->len > 1 && x->p[0] == '-' && is_number(&behind);
}

static bool is_value(const struct field *x)
{
	return is_number(x) || is_negative(x) || (x->len > 5 && memcmp(x->p, "<not ", 5) == 0);
}

static bool is_time(const struct field *x)
{
	size_t whole = span(x, 0, digits);

	return is_number(x) && whole <= SECONDS_DIGITS && x->len == whole + 1 + NANO_DIGITS;
}

static bool is_deviation(const struct field *x)
{
	return x->len > 1 && x->p[x->len - 1] == '%';
}

/* ---- parts of a line --------------------------------------------------------------------- */

static bool is_metric(const struct field *x)
{
	return !x[0].len && !x[1].len && !x[2].len;
}

/* Of the digits of a time, with the point left out. */
static int64_t nanoseconds(const struct field *x)
{
	int64_t ns = 0;

	for (size_t i = 0; i < x->len; i++)
		if (!is_point(x->p[i]))
			ns = 10 * ns + (x->p[i] - '0');
	return ns;
}

static bool begins_value(const struct field *x)
{
	return is_value(x) || is_metric(x);
}

/* What says when and where; returns the field behind it. */
static size_t prefix(const struct fields *f, struct perf_line *out)
{
	const struct field *x = f->at;
	bool timed = is_time(&x[0]);
	size_t i = timed;

	out->time = timed ? nanoseconds(&x[0]) : PERF_NO_TIME;
	out->summary = x[i].len == 7 && memcmp(x[i].p, "summary", 7) == 0;
	i += out->summary;
	if (!x[i].len || is_value(&x[i]) || !begins_value(&x[i + 1]))
		return i;
	out->place = x[i++].p;
	return i + (is_value(&x[i]) && begins_value(&x[i + 1]));
}

/* The field in which the event that begins at field `at` ends: behind its second slash. */
static size_t event_end(const struct fields *f, size_t at)
{
	const char *start = f->at[at].p, *open = memchr(start, '/', f->at[at].len);

	for (size_t i = at; open && i < f->count; i++) {
		const char *end = f->at[i].p + f->at[i].len;

		if (open + 1 < end && memchr(open + 1, '/', (size_t)(end - open - 1)))
			return i;
	}
	return at;
}

/* The field with the event; 0: there is none. Before perf 3.14 there was no unit before it. */
static size_t event_at(const struct fields *f, size_t value)
{
	const struct field *unit = &f->at[value + 1], *event = &f->at[value + 2];

	if (!is_number(unit) && has_letter(event))
		return value + 2;
	return has_letter(unit) && (is_whole(event) || value + 2 == f->count) &&
		       f->separator != '\t'
		   ? value + 1
		   : 0;
}

/* 1 where it does not say so. Decimals behind a comma may be a field of their own. */
static double running(const struct fields *f, size_t after)
{
	char text[PERCENT_BYTES];
	const struct field *x;
	double percent;
	size_t i = after, len;

	while (i < f->count && (!is_number(&f->at[i]) || is_deviation(&f->at[i + 1])))
		i++;
	x = &f->at[i + 1];
	if (i + 1 >= f->count || !x->len || x->len + 4 > sizeof(text))
		return 1;
	len = x->len;
	memcpy(text, x->p, len);
	if (is_whole(x) && f->separator == ',' && is_whole(x + 1) && x[1].len == 2) {
		text[len++] = '.';
		memcpy(text + len, x[1].p, 2);
		len += 2;
	}
	text[len] = '\0';
	if (strchr(text, ','))
		*strchr(text, ',') = '.';
	return num_parse_real(text, &percent) && percent >= 0 && percent <= 100 ? percent / 100 : 1;
}

/* Ends the first `count` fields where they end, instead of in a separator. */
static void end_fields(struct fields *f, size_t count)
{
	for (size_t i = 0; i < count; i++)
		f->at[i].p[f->at[i].len] = '\0';
}

static const char *with_point(struct field *x)
{
	char *comma = x->p[0] == '<' ? NULL : memchr(x->p, ',', x->len);

	if (comma)
		*comma = '.';
	return x->p;
}

static bool cut_at(char *line, char separator, struct perf_line *out)
{
	struct fields f;
	size_t value, event, end;

	cut(&f, line, separator);
	*out = (struct perf_line){.place = "", .value = "", .unit = "", .event = "", .running = 1};
	value = prefix(&f, out);
	if (f.count > value + 3 && is_metric(&f.at[value])) {
		end_fields(&f, value);
		return true;
	}
	event = is_value(&f.at[value]) ? event_at(&f, value) : 0;
	if (!event)
		return false;
	end = event_end(&f, event);
	out->running = running(&f, end + 1);
	end_fields(&f, event);
	f.at[end].p[f.at[end].len] = '\0';
	out->value = with_point(&f.at[value]);
	out->unit = event > value + 1 ? f.at[value + 1].p : "";
	out->event = f.at[event].p;
	return true;
}

/* The comma last but one: others' decimals may have it, and events have it inside slashes. */
bool perf_line_cut(char *line, struct perf_line *out)
{
	static const char separators[] = ";|\t,@";

	for (const char *s = separators; *s; s++)
		if (strchr(line, *s) && cut_at(line, *s, out))
			return true;
	return false;
}

bool perf_line_is_for_people(const char *line)
{
	static const char run[] = "Performance counter stats", interval[] = "time";
	const char *p = line + strspn(line, "# \t");

	return *line == '{' || strncmp(p, run, sizeof(run) - 1) == 0 ||
	       (*line == '#' && strncmp(p, interval, sizeof(interval) - 1) == 0 &&
		strstr(p, "counts unit events"));
}
