/*
 * CSV with a header line (formats/counters.md 2). Columns of numbers are gauges, the first column
 * of words is the component. Rows hold from their time to the next one; the last ones as long as
 * those before.
 */
#include "config.h"

#include <string.h>
#include <strings.h>

#include "base/csv_line.h"
#include "base/num.h"
#include "counters/counters.h"

enum { COLUMNS_MOST = 4096, TIME_NONE = -1 };

/* So that neither the time between two rows nor what is added to one overflows. */
#define TIME_MOST (INT64_MAX / 4)

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* some spreadsheets write it in front of UTF-8 */

enum column { COLUMN_UNSEEN, COLUMN_NUMBER, COLUMN_WORD };

struct csv {
	char separator;
	const char *names[COLUMNS_MOST];
	size_t count;
	enum column is[COLUMNS_MOST];
	int time;                    /* column; TIME_NONE: the number of the row is the time */
	int component;               /* the first column of words; TIME_NONE: none */
	bool real;                   /* times have decimals: they are seconds */
	bool triples;                /* time,metric,value */
	int64_t waiting_at, step;    /* the time of what waits */
	int64_t rows;
};

static const char *const time_names[] = {"time",   "t",      "tick",    "ticks",     "cycle",
					 "cycles", "second", "seconds", "timestamp", "interval"};

static bool is_number(const char *text)
{
	double ignored;

	return num_parse_real(text, &ignored);
}

/* A header without numbers, and a first row with one. */
static int detect(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	char separator = csv_separator(text, end ? (size_t)(end - text) : 0);
	int numbers[2] = {0, 0};
	char line[4096], *fields[64];

	if (memchr(text, '\0', len < sizeof(line) ? len : sizeof(line)))
		return 0;
	for (int row = 0; separator && row < 2 && lines_next(&text, &len, line, sizeof(line));
	     row++) {
		line[strcspn(line, "\r")] = '\0';
		for (size_t i = csv_cut(line, separator, fields, 64); i-- > 0;)
			numbers[row] += is_number(fields[i]);
	}
	return numbers[0] == 0 && numbers[1] > 0 ? 5 : 0;
}

static void header(struct counters *c, char *line, size_t len)
{
	struct csv *csv = c->reading;
	char *fields[COLUMNS_MOST];

	if (strncmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
		line += strlen(BYTE_ORDER_MARK);
		len -= strlen(BYTE_ORDER_MARK);
	}
	csv->separator = csv_separator(line, len);
	csv->count = csv_cut(line, csv->separator, fields, COLUMNS_MOST);
	csv->time = csv->component = TIME_NONE;
	for (size_t i = 0; i < csv->count; i++)
		csv->names[i] = counters_keep(c, fields[i]);
	for (size_t i = 0; i < sizeof(time_names) / sizeof(time_names[0]); i++)
		if (strcasecmp(csv->names[0], time_names[i]) == 0)
			csv->time = 0;
	if (strncasecmp(csv->names[0], "cycle", 5) == 0)
		c->samples.lines.trace.format.unit = "cycle";
	csv->triples = csv->count == 3 && strcasecmp(csv->names[0], "time") == 0 &&
		       strcasecmp(csv->names[1], "metric") == 0 &&
		       strcasecmp(csv->names[2], "value") == 0;
}

/* What waits holds until `end`. */
static void give(struct counters *c, int64_t end)
{
	const struct csv *csv = c->reading;

	for (size_t i = 0; i < c->waiting.count; i++) {
		const struct waiting *w = &c->waiting.data[i];

		samples_add(&c->samples, csv->waiting_at, end, w->component, w->name, w->unit,
			    w->count, w->value);
	}
	c->waiting.count = 0;
}

static void see_columns(struct csv *csv, char **fields, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (csv->is[i] != COLUMN_UNSEEN || !*fields[i])
			continue;
		csv->is[i] = is_number(fields[i]) ? COLUMN_NUMBER : COLUMN_WORD;
		if (csv->is[i] == COLUMN_WORD && csv->component < 0 && (int)i != csv->time)
			csv->component = (int)i;
	}
}

static bool in_seconds(double seconds, int64_t *out)
{
	if (fabs(seconds) > (double)TIME_MOST / 1e9)
		return false;
	*out = llround(seconds * 1e9);
	return true;
}

/* Decimals say that times are seconds; the first one may be 0: nothing was given of it so far. */
static bool time_of(struct counters *c, const char *text, int64_t *out)
{
	struct csv *csv = c->reading;
	double seconds;

	if (csv->time < 0) {
		*out = csv->rows;
		return true;
	}
	if (!csv->real && num_parse_i64(text, out))
		return *out >= -TIME_MOST && *out <= TIME_MOST;
	if (!num_parse_real(text, &seconds))
		return false;
	if (!csv->real && (csv->step || !in_seconds((double)csv->waiting_at, &csv->waiting_at)))
		return false;
	csv->real = true;
	c->samples.lines.trace.format.unit = "ns";
	c->second = 1e9;
	return in_seconds(seconds, out);
}

static void take_value(struct counters *c, const char *component, const char *name,
		       const char *text)
{
	struct waiting w = {component, name, .unit = ""};

	if (!*text)
		return;
	if (!num_parse_real(text, &w.value))
		c->samples.lines.notes[COUNTER_NOTE_NO_NUMBER]++;
	else if (!vec_push(&c->waiting, w))
		c->samples.lines.failed = true;
}

static void take_row(struct counters *c, char **fields, size_t n, int64_t time)
{
	struct csv *csv = c->reading;
	int at = csv->component;
	const char *component = "";

	if (at >= 0 && (size_t)at < n)
		component = counters_keep(c, fields[at]);
	if (csv->rows && time > csv->waiting_at) {
		csv->step = time - csv->waiting_at;
		give(c, time);
	}
	csv->waiting_at = time;
	csv->rows++;
	if (csv->triples && n == 3) {
		take_value(c, "", counters_keep(c, fields[1]), fields[2]);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if ((int)i != csv->time && csv->is[i] == COLUMN_NUMBER)
			take_value(c, component, csv->names[i], fields[i]);
}

static void line(struct counters *c, char *text, size_t len)
{
	struct csv *csv = c->reading;
	char *fields[COLUMNS_MOST];
	int64_t time;
	size_t n;

	if (!text[strspn(text, " \t")])
		return;
	if (!csv->count) {
		header(c, text, len);
		return;
	}
	n = csv_cut(text, csv->separator, fields, csv->count);
	if (n < csv->count)
		counters_warn(c, "too few fields: the missing ones have no value");
	see_columns(csv, fields, n);
	if (!time_of(c, fields[0], &time))
		counters_warn(c, is_number(fields[0])
				     ? "the time is too great, or the first one with decimals: "
				       "line skipped"
				     : "the time is not a number: line skipped");
	else if (csv->rows && time < csv->waiting_at)
		counters_warn(c, "the time is before that of the line above: line skipped");
	else
		take_row(c, fields, n, time);
}

static void end(struct counters *c)
{
	const struct csv *csv = c->reading;

	if (c->waiting.count)
		give(c, csv->waiting_at + (csv->step ? csv->step : 1));
}

const struct counter_reader csv_counter_reader = {
    .format = {"csv", "comma-separated values over time", "tick", detect, NULL},
    .state_size = sizeof(struct csv),
    .line = line,
    .end = end,
};
