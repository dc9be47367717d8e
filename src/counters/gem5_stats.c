/*
 * gem5's stats.txt (formats/counters.md 3): a section for each dump. The lines of a section wait
 * for its end, where it is known when it was and whether its counts go on from the section before.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "counters/counters.h"

#define BEGIN "---------- Begin Simulation Statistics"
#define END   "---------- End Simulation Statistics"

struct gem5 {
	double ticks, final, freq; /* NAN: not in it */
	int64_t sections, origin;  /* origin: where the first one begins */
	bool inside, cumulative;
};

static int detect(const char *text, size_t len)
{
	const char *at = memmem(text, len, BEGIN, sizeof(BEGIN) - 1);

	return at && (at == text || at[-1] == '\n') ? 95 : 0;
}

/* ---- what a line says ---- */

static bool begins(const char *text, const char *what)
{
	return strncasecmp(text, what, strlen(what)) == 0;
}

static bool ends(const char *text, size_t len, const char *what)
{
	size_t n = strlen(what);

	return len >= n && strncasecmp(text + len - n, what, n) == 0;
}

/* A level or a ratio, which cannot be added up; by its unit, in older files by its name. */
static bool is_gauge(const char *unit, const char *name)
{
	static const char *const tails[] = {"rate", "ipc", "cpi", "mean", "stdev", "freq", "clock"};
	size_t len = strcspn(name, ":");
	const char *part = strstr(name, "::");

	if (strchr(unit, '/') || strcmp(unit, "Ratio") == 0 || strcmp(unit, "Watt") == 0 ||
	    strcmp(unit, "Volt") == 0)
		return true;
	if (begins(name, "avg") || strstr(name, "Avg") ||
	    strstr(name, "avg_") || begins(name, "hostMemory") || begins(name, "host_mem"))
		return true;
	if (part && (begins(part, "::mean") || begins(part, "::stdev") || begins(part, "::gmean")))
		return true;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		if (ends(name, len, tails[i]))
			return true;
	return false;
}

/* The unit that ends a description, "(Count)", "((Tick/Count))"; "": there is none. */
static const char *unit_of(struct counters *c, const char *line)
{
	const char *open = strrchr(line, ' '), *start;
	size_t len;

	if (!open || open[1] != '(')
		return "";
	start = open + 1 + strspn(open + 1, "(");
	len = strcspn(start, ")");
	return len && start[len] ? samples_keep(&c->samples, start, len) : "";
}

static void add_stat(struct counters *c, const char *name, size_t len, const char *unit,
		     double value)
{
	const char *part = memmem(name, len, "::", 2);
	size_t dotted = part ? (size_t)(part - name) : len, dot = dotted;
	struct waiting s = {.unit = unit, .value = value};

	while (dot > 0 && name[dot - 1] != '.')
		dot--;
	s.component = samples_keep(&c->samples, name, dot ? dot - 1 : 0);
	s.name = samples_keep(&c->samples, name + dot, len - dot);
	s.count = !is_gauge(unit, s.name);
	if (strcmp(unit, "Count") == 0)
		s.unit = "";
	c->samples.lines.failed |= !vec_push(&c->waiting, s);
}

static void see_time(struct gem5 *g, const char *name, size_t len, double value)
{
	static const struct {
		const char *name, *old;
		size_t at;
	} times[] = {{"simTicks", "sim_ticks", offsetof(struct gem5, ticks)},
		     {"finalTick", "final_tick", offsetof(struct gem5, final)},
		     {"simFreq", "sim_freq", offsetof(struct gem5, freq)}};

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if ((len == strlen(times[i].name) && memcmp(name, times[i].name, len) == 0) ||
		    (len == strlen(times[i].old) && memcmp(name, times[i].old, len) == 0))
			*(double *)((char *)g + times[i].at) = value;
}

/* As printf writes it: the sign of 0/0 is the processor's. */
static bool is_no_number(const char *value)
{
	value += *value == '-';
	return strcmp(value, "nan") == 0 || strcmp(value, "inf") == 0;
}

static void statistic(struct counters *c, char *line)
{
	size_t len = strcspn(line, " \t");
	char *value = line + len + strspn(line + len, " \t");
	size_t value_len = strcspn(value, " \t");
	const char *unit;
	double number;

	if (strchr(value, '|') &&
	    (!strchr(value, '#') || strchr(value, '|') < strchr(value, '#'))) {
		c->samples.lines.notes[COUNTER_NOTE_HISTOGRAMS]++;
		return;
	}
	unit = unit_of(c, value);
	value[value_len] = '\0';
	if (!len || !*value) {
		counters_warn(c, "not a gem5 statistic: line skipped; expected NAME VALUE");
	} else if (is_no_number(value)) {
		c->samples.lines.notes[COUNTER_NOTE_NO_NUMBER]++;
	} else if (!num_parse_real(value, &number)) {
		counters_warn(c, "the value is not a number: line skipped");
	} else {
		see_time(c->reading, line, len, number);
		add_stat(c, line, len, unit, number);
	}
}

/* ---- sections ---- */

static void begin(struct counters *c)
{
	struct gem5 *g = c->reading;

	g->inside = true;
	g->ticks = g->final = g->freq = NAN;
	c->waiting.count = 0;
}

/* What it stands for: [finalTick - simTicks, finalTick), or, if there is no time, its number. */
static void set_interval(struct counters *c)
{
	struct gem5 *g = c->reading;
	bool timed = g->ticks > 0 && g->final >= g->ticks && g->final < 9.2e18;

	if (!timed) {
		if (!g->sections)
			c->samples.lines.trace.format.unit = "section";
		c->start = g->sections;
		c->end = g->sections + 1;
		return;
	}
	if (g->freq > 0)
		c->second = g->freq;
	/* counted from the same tick again: nobody reset them */
	g->cumulative = g->sections && (int64_t)(g->final - g->ticks) == g->origin;
	if (!g->sections)
		g->origin = (int64_t)(g->final - g->ticks);
	c->start = g->cumulative ? c->end : (int64_t)(g->final - g->ticks);
	c->end = (int64_t)g->final;
}

/* Counts that go on from the section before (finalTick does always): what came since. */
static void add(struct counters *c, const struct waiting *s)
{
	const struct gem5 *g = c->reading;
	struct sampled *k = samples_find(&c->samples, s->component, s->name);
	double value = s->value;

	if (g->cumulative && !s->count) {
		c->samples.lines.notes[COUNTER_NOTE_NOT_SPLIT]++;
		return;
	}
	if (k && (g->cumulative || begins(s->name, "final")))
		value -= k->before;
	samples_add(&c->samples, c->start, c->end, s->component, s->name, s->unit, s->count, value);
	k = samples_find(&c->samples, s->component, s->name);
	if (k)
		k->before = s->value;
}

static void finish(struct counters *c)
{
	struct gem5 *g = c->reading;
	int64_t before = c->end;

	set_interval(c);
	if (c->start < before && g->sections)
		c->start = before;
	if (c->end > c->start)
		for (size_t i = 0; i < c->waiting.count; i++)
			add(c, &c->waiting.data[i]);
	else
		counters_warn(c, isnan(g->final) || isnan(g->ticks)
				     ? "the section has no time (simTicks, finalTick): section skipped"
				     : "the section ends before the one above it: section skipped");
	g->sections++;
	g->inside = false;
	c->waiting.count = 0;
}

/* A section without an end: the text ends in it, or the simulator began again. */
static void end(struct counters *c)
{
	struct gem5 *g = c->reading;

	if (g->inside && c->waiting.count) {
		counters_warn(c, "incomplete section: only the lines in the file count");
		finish(c);
	}
}

static void line(struct counters *c, char *text, size_t len)
{
	struct gem5 *g = c->reading;

	if (strlen(text) != len)
		counters_warn(c, "line with NUL bytes: skipped");
	else if (begins(text, BEGIN)) {
		end(c);
		begin(c);
	} else if (begins(text, END) && g->inside)
		finish(c);
	else if (!text[strspn(text, " \t")])
		return;
	else if (g->inside)
		statistic(c, text);
	else
		c->samples.lines.notes[COUNTER_NOTE_COMMENTS]++;
}

const struct counter_reader gem5_counter_reader = {
    .format = {"gem5-stats", "statistics of gem5 (stats.txt)", "tick", detect, NULL},
    .state_size = sizeof(struct gem5),
    .omits_zeros = true,
    .line = line,
    .end = end,
};
