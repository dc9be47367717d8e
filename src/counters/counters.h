/*
 * What a counter file holds (formats/counters.md): samples, and how its reader gets at them.
 *
 * A reader is one file and one row of counter_readers[]; it is given one whole line after another.
 */
#ifndef PIPEGLASS_COUNTERS_COUNTERS_H
#define PIPEGLASS_COUNTERS_COUNTERS_H

#include <math.h>
#include <string.h>

#include "trace/samples.h"

/* What was counted while reading: key in notes{}, help */
#define COUNTER_NOTES(_)                                                                           \
	_(NOT_COUNTED, "not-counted", "samples that perf could not take")                          \
	_(NOT_SUPPORTED, "not-supported", "samples of events that the machine does not have")      \
	_(MULTIPLEXED, "multiplexed", "samples counted only part of the time, then scaled")        \
	_(NO_NUMBER, "no-number", "values that are not numbers")                                   \
	_(NOT_SPLIT, "cumulative-left-out", "means and shares since the start: not split by sample") \
	_(HISTOGRAMS, "histograms", "lines of histograms: left out")                               \
	_(COMMENTS, "comments", "comments, and lines outside the tables")

enum counter_note {
#define NOTE_ENUM(name, key, help) COUNTER_NOTE_##name,
	COUNTER_NOTES(NOTE_ENUM)
#undef NOTE_ENUM
	    COUNTER_NOTE_COUNT
};

/* What a metric is made of: counters, or the sums of some over those of others. */
enum made { MADE_OWN, MADE_IPC, MADE_MPKI };

struct selection {
	enum made made;
	struct chosen over, under;
	size_t counters; /* there were when they were chosen */
};

/* A value of an interval whose end is not known yet; its texts are kept. */
struct waiting {
	const char *component, *name, *unit;
	double value;
	bool count;
};

struct counters {
	struct samples samples; /* first: so that each gives the other */
	struct intern *asked;
	VEC(struct selection) selections; /* that were asked for, by their number in asked */
	double second; /* ticks of one; 0: not known */
	/* of the reader: the interval that is being read, and its own */
	const struct counter_reader *reader;
	int64_t start, end;
	VEC(struct waiting) waiting;
	void *reading;
};

struct counter_reader {
	struct trace_format format;
	size_t state_size; /* of c->reading, zeros at first */
	bool omits_zeros;  /* what an interval does not have was 0 in it; else it is not known */
	/* One line without its end; it may be written to. */
	void (*line)(struct counters *c, char *line, size_t len);
	void (*end)(struct counters *c); /* of the text; NULL */
};

extern const struct counter_reader *const counter_readers[]; /* NULL-terminated */

static inline void counters_warn(struct counters *c, const char *text)
{
	lines_warn(&c->samples.lines, text);
}

static inline const char *counters_keep(struct counters *c, const char *text)
{
	return samples_keep(&c->samples, text, strlen(text));
}

#endif
