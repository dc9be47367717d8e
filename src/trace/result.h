/*
 * The shape that every result has, of a trace or of an analysis, so that its JSON, its tables and
 * its panes are made by code that knows neither.
 *
 * A result is some struct; a section is one list in it, described by a table of fields. A
 * field is a scalar, or an object with one part for each stage or event of the trace. The
 * getters cost O(1) and allocate nothing; text in a value is raw bytes of the trace (hostile)
 * and lives as long as what the result is of.
 */
#ifndef PIPEGLASS_TRACE_RESULT_H
#define PIPEGLASS_TRACE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_type { VALUE_NONE, VALUE_TEXT, VALUE_COUNT, VALUE_TICKS, VALUE_REAL, VALUE_HEX };

struct value {
	enum value_type type; /* VALUE_NONE: not known, null */
	union {
		struct {
			const char *p;
			size_t len;
		} text;
		uint64_t count; /* VALUE_COUNT, VALUE_HEX */
		int64_t ticks;
		double real;
	};
};

struct field {
	const char *key;  /* in JSON, and the heading of its column */
	const char *unit; /* NULL: a plain number or text; UNIT_TICK: the trace's own unit */
	enum value_type type;
	/* NULL for a scalar; else how many parts there are, and what they are called */
	size_t (*parts)(const void *result);
	const char *(*part)(const void *result, size_t part);
	struct value (*get)(const void *result, size_t row, size_t part);
	/* A part that gives way first where there is no room for all; NULL: none does */
	bool (*minor)(const void *result, size_t part);
	bool derived; /* a sum of others, for people: not in JSON */
};

#define UNIT_TICK "tick"

struct section {
	const char *key; /* "pcs" */
	size_t (*rows)(const void *result);
	const struct field *fields; /* ends with key == NULL */
};

struct value value_none(void);
struct value value_text(const char *text); /* NULL: value_none() */
struct value value_bytes(const char *p, size_t len);
struct value value_count(uint64_t count);
struct value value_ticks(int64_t ticks);
struct value value_real(double real); /* NaN: value_none() */
struct value value_hex(uint64_t number);

#endif
