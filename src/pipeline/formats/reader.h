/*
 * From bytes to records: one file per trace format, one row each in readers[].
 *
 * A reader turns a stretch of text into an array of fixed-size records and knows nothing of
 * who consumes them. It keeps no state between lines but the lexing context in struct lexer
 * (so a file can be cut at any cycle line and the pieces read in parallel). Whatever a line
 * holds, a reader neither fails nor allocates by a number it read: a line that is none of
 * the format's becomes a REC_FOREIGN or REC_BAD record. Cost: a few nanoseconds a line. Formats
 * whose text gives whole rows have a shape of their own (lex_rows).
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_READER_H
#define PIPEGLASS_PIPELINE_FORMATS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum {
	STAGE_MAX = 64, /* sets of stages are 64-bit words */
	LANE_MAX = 16,
	THREAD_MAX = 65534,
	EVENT_MAX = 16, /* kinds a file or a configuration can bring */
	METRIC_MAX = 64,
	STAGE_NONE = 0xff,
	STAGE_COLOURS = 16, /* slots of the palette */
	EVENT_COLOURS = 16
};

/* What a stage means to the life cycle (formats/pipetrace.md 7), whatever its name. */
enum stage_role { ROLE_OTHER, ROLE_FETCH, ROLE_DECODE, ROLE_EXECUTE, ROLE_WRITEBACK, ROLE_COMMIT };

struct stage_info {
	char name[64];
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

/*
 * Segments of the two sections of the pipeline that a trace without any times is put through: the
 * paper's N_E and N_S. 0: the default.
 */
struct segments {
	int64_t execute, setup;
};

enum { SEGMENTS_DEFAULT = 5, SEGMENTS_MOST = 4096 };

static inline void segments_default(struct segments *s)
{
	s->execute = s->execute > 0 ? s->execute : SEGMENTS_DEFAULT;
	s->setup = s->setup > 0 ? s->setup : SEGMENTS_DEFAULT;
}

/* "NE,NS", each from 1 to SEGMENTS_MOST; false, and *out is left alone: it is not. */
bool segments_parse(const char *text, struct segments *out);

/* A line behind the beginning of a record. */
enum row_line { ROW_LINE_OTHER, ROW_LINE_OWN, ROW_LINE_LAST, ROW_LINE_BEHIND };

struct lexer;
struct record;
struct row_lexer;
struct row_rename;
struct row_told;
struct text_row;

/* Of some records: how many, and the ticks they begin at. */
struct row_starts {
	uint64_t rows;
	int64_t earliest, latest;
};

struct reader {
	const char *name;  /* "pipetrace": info's format */
	const char *title; /* one line for people */
	const char *unit;  /* "cycle" */
	/* Bytes of the start of the text -> 0 (no) .. 100 (certain). */
	int (*detect)(const char *text, size_t len);
	void (*config)(struct trace_config *out); /* the format's own stages and events */
	/*
	 * What is irregular in how the trace begins, which is text[0..len): an enum bad, or -1, and
	 * the line's number and place. NULL: nothing ever is. O(line).
	 */
	int (*beginning)(const char *text, size_t len, uint32_t *line, uint32_t *at);
	/*
	 * Lex whole lines of text[0..len) from lx->pos into out (room for max >= 16) and return how
	 * many; 0 when the text is used up. A last line without newline only when final is set.
	 */
	size_t (*lex)(struct lexer *lx, const char *text, size_t len, bool final,
		      struct record *out, size_t max);
	/* Does p[0..end) begin with a line at which the text may be cut, and which tick is it? */
	bool (*cut)(const char *p, const char *end, int64_t *tick);
	/*
	 * For formats whose cycle lines count from the one before: the tick at the end of the whole
	 * lines text[0..len), which begin at tick. cut() gives a tick only where a line sets
	 * the clock, and leaves it alone else. NULL: cycle lines tell it. Cost: a scan at memory speed.
	 */
	int64_t (*clock)(const char *text, size_t len, int64_t tick);
	/* Records of ids without a birth are warnings, not instructions from before the trace. */
	bool births_needed;
	/*
	 * The other shape of a reader, for text whose records are whole rows in no order of time:
	 * instead of lex (NULL then), whole rows as pipeline/formats/rows.h has them, as many as are whole, at
	 * most max; 0 when the text is used up. ends: records do not go on behind the text; final:
	 * nothing does.
	 */
	size_t (*lex_rows)(struct row_lexer *lx, const char *text, size_t len, bool ends,
			   bool final, struct text_row *out, size_t max);
	/*
	 * Add the records that begin in text[0..most), some of whose first lines may end behind that.
	 * A look, not a reading: it may miss some. NULL: their rows come in order, or the text is one
	 * document. At memory speed.
	 */
	void (*starts)(const char *text, size_t len, size_t most, struct row_starts *io);
	/* Where the last record of text[1..len) begins: the text may be cut there. 0: none does. */
	size_t (*last_record)(const char *text, size_t len);
	/*
	 * Whose is line[0..end), which stands behind the record's first line or is it? *tick: when,
	 * if it says so.
	 */
	enum row_line (*row_line)(const char *record, const char *line, const char *end,
				  int64_t *tick);
	/* Is line[0..end) one that a record has beside its stages? NULL: there are none. */
	bool (*is_extra)(const char *line, const char *end);
	/* What line[0..end), not of the format, says about an instruction. NULL: nothing ever. */
	bool (*told)(const char *line, const char *end, struct row_told *out);
	/*
	 * For formats whose text numbers the instructions in the order in which they commit: does
	 * line[0..end) say that one did, which, and with what number? NULL: there is none. O(line).
	 */
	bool (*retired)(const char *line, const char *end, uint64_t *id, uint64_t *number);
	/*
	 * Which register it says that an instruction reads or writes: line[0..end) of the text, whose
	 * lines before it may be looked at. NULL: lines never do; counted in NOTE_REGISTER_READS.
	 */
	bool (*renames)(const char *text, const char *line, const char *end,
			struct row_rename *out);
	/*
	 * For formats whose rows get their ticks from all text before them, by a pipeline of
	 * lexer->segments: read again, a row is told its number, start and end as the index has
	 * them, and gets its id and stays. NULL: the text tells ticks.
	 */
	void (*recall)(struct row_lexer *lx, uint64_t row, int64_t start, int64_t end,
		       struct text_row *out);
	/* The text is one document: it is given as a whole only. */
	bool whole;
	/* What to tell whoever opens text that was taken for this format but has no rows in it. */
	const char *empty;
};

extern const struct reader *const readers[]; /* NULL-terminated */

const struct reader *reader_find(const char *name);
/* The reader with the best score, or NULL. */
const struct reader *reader_detect(const char *text, size_t len);

#endif
