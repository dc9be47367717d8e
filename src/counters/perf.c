/*
 * `perf stat -I MS -x SEP` (formats/counters.md 1). Without -I the whole run is one interval of one
 * tick: there is no curve, but a table, and two runs can be compared.
 */
#include "config.h"

#include <string.h>

#include "base/num.h"
#include "base/perf_line.h"
#include "counters/counters.h"

/* By the first line that is no comment; that of perf's form for people may be one. */
static int detect_line(const char *text, size_t len, bool people)
{
	struct perf_line out;
	char line[512];

	while (lines_next(&text, &len, line, sizeof(line))) {
		if (people && perf_line_is_for_people(line))
			return 80;
		if (line[0] && line[0] != '#')
			return !people && perf_line_cut(line, &out) ? 85 : 0;
	}
	return 0;
}

static int detect(const char *text, size_t len)
{
	return detect_line(text, len, false);
}

static int detect_people(const char *text, size_t len)
{
	return detect_line(text, len, true);
}

/* Lines of one interval have the same time; it begins where the one before ended. */
static bool take_time(struct counters *c, const struct perf_line *l)
{
	int64_t time = l->time == PERF_NO_TIME ? 1 : l->time;

	if (l->time != PERF_NO_TIME)
		c->second = 1e9;
	if (time < c->end || time < 1) {
		counters_warn(c, "the time is before that of the line above: line skipped");
		return false;
	}
	if (time > c->end) {
		c->start = c->end;
		c->end = time;
	}
	return true;
}

static void line(struct counters *c, char *text, size_t len)
{
	struct perf_line l;
	double value;

	if (!text[strspn(text, " \t")] || text[0] == '#') {
		c->samples.lines.notes[COUNTER_NOTE_COMMENTS] += text[0] == '#';
		return;
	}
	if (strlen(text) != len || !perf_line_cut(text, &l)) {
		counters_warn(c, "not a line of perf stat -x: skipped");
		return;
	}
	if (l.summary || !*l.event || !take_time(c, &l))
		return;
	if (l.value[0] == '<') {
		c->samples.lines.notes[strstr(l.value, "supported") ? COUNTER_NOTE_NOT_SUPPORTED
						      : COUNTER_NOTE_NOT_COUNTED]++;
		return;
	}
	if (!num_parse_real(l.value, &value)) {
		counters_warn(c, "the value is not a number: line skipped");
		return;
	}
	c->samples.lines.notes[COUNTER_NOTE_MULTIPLEXED] += l.running < 1;
	samples_add(&c->samples, c->start, c->end, l.place, l.event, l.unit, true, value);
}

const struct counter_reader perf_counter_reader = {
    .format = {"perf-stat", "counters of perf stat -x", "ns", detect, NULL},
    .line = line,
};

const struct counter_reader perf_people_reader = {
    .format = {"perf-stat-text", "counters of perf stat, for people", "ns", detect_people,
	       "this is perf stat's text for people: run perf stat -x and open its output"},
};
