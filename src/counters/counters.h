/*
 * Numbers over time: what a counter file holds (formats/counters.md), in memory.
 *
 * A counter is a name of a component; its samples are values of intervals of ticks, in the order of
 * time. A count is what happened in the interval, a gauge a level in it. Sums up to each sample are
 * kept, so a value over any ticks costs two searches: O(log samples). Memory: 32 bytes a sample. A
 * reader is one file and one row of counter_readers[]; it is given whole lines, one after another.
 */
#ifndef PIPEGLASS_COUNTERS_COUNTERS_H
#define PIPEGLASS_COUNTERS_COUNTERS_H

#include <math.h>

#include "base/intern.h"
#include "base/vec.h"
#include "trace/lines.h"

/* What was counted while reading: key in notes{}, help */
#define COUNTER_NOTES(_)                                                                           \
	_(NOT_COUNTED, "not-counted")                                                              \
	_(NOT_SUPPORTED, "not-supported")                                                          \
	_(MULTIPLEXED, "multiplexed")                                                              \
	_(NO_NUMBER, "no-number")                                                                  \
	_(NOT_SPLIT, "cumulative-left-out")                                                        \
	_(HISTOGRAMS, "histograms")                                                                \
	_(COMMENTS, "comments")

enum counter_note {
#define NOTE_ENUM(name, key) COUNTER_NOTE_##name,
	COUNTER_NOTES(NOTE_ENUM)
#undef NOTE_ENUM
	    COUNTER_NOTE_COUNT
};

/* [start, end), and up to its end: ticks with a value, and the sum of values over them. */
struct sample {
	int64_t start, end;
	double ticks, sum;
};

struct counter {
	const char *name, *unit; /* unit: "" for plain numbers */
	size_t component;
	bool count;        /* what happened in the interval; else a level */
	VEC(struct sample) samples;
	double min, max, total, before; /* of the raw values; before: the last one as the file has it */
};

/* Counters by their numbers. */
struct chosen {
	uint32_t *data;
	size_t count, cap;
};

/* What a metric is made of: counters, or the sums of some over those of others. */
enum made { MADE_OWN, MADE_IPC, MADE_MPKI };

struct selection {
	enum made made;
	struct chosen over, under;
	size_t counters; /* there were when they were chosen */
};

struct counters {
	struct lines lines; /* first: so that each gives the other */
	struct intern *ids, *components, *texts, *asked;
	VEC(struct counter) all; /* by their number in ids */
	VEC(uint64_t) spans;     /* samples of each component */
	VEC(struct selection) selections; /* that were asked for, by their number in asked */
	uint64_t notes[COUNTER_NOTE_COUNT];
	double second; /* ticks of one; 0: not known */
	int64_t grain; /* the shortest interval of a sample; 0: none so far */
	/* of the reader: the interval that is being read, and its own */
	const struct counter_reader *reader;
	int64_t start, end;
	void *reading;
};

struct counter_reader {
	struct trace_format format;
	size_t state_size; /* of c->reading, zeros at first */
	/* One line without its end; it may be written to. */
	void (*line)(struct counters *c, char *line, size_t len);
	void (*end)(struct counters *c); /* of the text; NULL */
	void (*free)(void *reading);     /* what it holds; NULL */
};

extern const struct counter_reader *const counter_readers[]; /* NULL-terminated */

/* The sample of [c->start, c->end) of a counter, made if it is new; times must not go back. */
void counters_add(struct counters *c, const char *component, const char *name, const char *unit,
		  bool count, double value);
/* A text that stays where it is as long as the trace. */
const char *counters_keep(struct counters *c, const char *text, size_t len);
/* The counter of that name, or NULL. */
struct counter *counters_find(struct counters *c, const char *component, const char *name);
/* What was summed up and how many ticks had values in [from, to). O(log samples). */
void counter_sum(const struct counter *k, double from, double to, double *sum, double *ticks);

#endif
