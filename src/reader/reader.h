/*
 * From bytes to records: one file per trace format, one row each in readers[].
 *
 * A reader turns a stretch of text into an array of fixed-size records and knows nothing of
 * who consumes them. It keeps no state between lines but the lexing context in struct lexer
 * (so a file can be cut at any cycle line and the pieces read in parallel). Whatever a line
 * holds, a reader neither fails nor allocates by a number it read: a line that is none of
 * the format's becomes a REC_FOREIGN or REC_BAD record. Cost: a few nanoseconds a line.
 */
#ifndef PIPEGLASS_READER_READER_H
#define PIPEGLASS_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
	STAGE_MAX = 32,
	EVENT_MAX = 16, /* kinds a file or a configuration can bring */
	METRIC_MAX = 64,
	STAGE_NONE = 0xff
};

/* What a stage means to the life cycle (formats/pipetrace.md 7), whatever its name. */
enum stage_role { ROLE_OTHER, ROLE_FETCH, ROLE_DECODE, ROLE_EXECUTE, ROLE_WRITEBACK, ROLE_COMMIT };

struct stage_info {
	char name[16];
	char letter;    /* what stands in a cell */
	uint8_t role;   /* enum stage_role */
	uint8_t colour; /* palette slot: role ROLE_STAGE_0 + colour */
	const char *help;
};

struct event_info {
	char name[24];
	uint32_t mask;  /* bit in the file */
	char letter;
	uint8_t colour; /* palette slot */
	bool problem;   /* worth a place when only one event can be shown; agen is not */
	bool lasting;   /* comes with a latency where the format has them (misses) */
	const char *help;
};

/* Names, letters, colours: a format's own table, or one the user changed. */
struct trace_config {
	struct stage_info stages[STAGE_MAX];
	size_t stage_count;
	struct event_info events[EVENT_MAX];
	size_t event_count;
};

struct lexer;
struct record;

struct reader {
	const char *name;  /* "pipetrace": info's format */
	const char *title; /* one line for people */
	const char *unit;  /* "cycle" */
	/* Bytes of the start of the text -> 0 (no) .. 100 (certain). */
	int (*detect)(const char *text, size_t len);
	void (*config)(struct trace_config *out); /* the format's own stages and events */
	/*
	 * Lex whole lines of text[0..len) from lx->pos into out (room for max >= 16) and return how
	 * many; 0 when the text is used up. A last line without newline only when final is set.
	 */
	size_t (*lex)(struct lexer *lx, const char *text, size_t len, bool final,
		      struct record *out, size_t max);
	/* Does p[0..end) begin with a line at which the text may be cut, and which tick is it? */
	bool (*cut)(const char *p, const char *end, int64_t *tick);
};

extern const struct reader *const readers[]; /* NULL-terminated */

const struct reader *reader_find(const char *name);
/* The reader with the best score, or NULL. */
const struct reader *reader_detect(const char *text, size_t len);

#endif
