/*
 * One trace, indexed: rows, marks, samples and every question the rooms below ask of them.
 *
 * Opening returns at once; a background thread (with helpers, when the source is plain)
 * reads the text once and publishes rows in order. What is published never changes, so
 * every query works on the published prefix while indexing goes on, on a finished index and
 * on one mapped from the cache alike. The text itself stays in the source; the index holds
 * for each row some 25 bits and answers, by reading again the few kilobytes around it,
 * everything else. Ticks are int64, rows dense uint64 from 0 in order of birth (rows whose
 * birth the trace does not show come first). A row lives [start, end), ticks half-open.
 *
 * Two kinds of formats. Text in the order of time (pipetrace, Kanata): what is born first stands
 * first, and what is to be known of some ticks is read as one stretch. Text that gives whole rows
 * in no order of time (O3PipeView, llvm-mca: reader->lex_rows): rows are sorted by start, CPU and
 * the file's own number, each knows the place of its own record (row.offset), and rows are read
 * again one by one. There no row is without a birth, stays have no events, a row's warnings lead to
 * the first row of its tick, detail_row.line is 0, and rows wait to be published until enough
 * younger text has come, or all of it (pipeline/index/rowfeed.h). Of text that nobody could look through
 * before, a row may come too late even so: it starts where the others are by then (its stays tell the
 * truth), and is a warning; such an index does not go to the cache. Rows of an optrace get their ticks
 * from all text before them, by the pipeline that the settings ask for.
 *
 * Cost: row look-up O(log n) + one leaf (128 rows); a picture O(cells * log n) or the text
 * of at most STORE_EXACT_BYTES; a series O(bins * log n). Memory: the index pages touched.
 * All queries may be called from any thread.
 */
#ifndef PIPEGLASS_PIPELINE_STORE_H
#define PIPEGLASS_PIPELINE_STORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "pipeline/formats/reader.h"
#include "source/source.h"
#include "trace/trace.h"

#define ROW_NONE ITEM_NONE

enum {
	STORE_CODE_TEXT =
	    1024, /* bytes of a text that the index keeps: one of so many may be longer */
	STORE_EXACT_BYTES = 4 << 20 /* a picture of less text than this is drawn from the text */
};

/*
 * Lives and fates (DESIGN.md 8): enum, JSON and screen name, sign of the row mark, its help. No
 * letters: those are the stages' and, in the margin, the user's marks.
 */
#define FATE_INFO(_)                                                                               \
	_(COMMITTED, "committed", ' ', "reached commit")                                           \
	_(SQUASHED, "squashed", '#', "removed before commit")                                      \
	_(DROPPED, "dropped", '^', "consumed at decode")                                           \
	_(LOST, "lost", '?', "overtaken in fetch; its end is not in the trace")                             \
	_(IN_FLIGHT, "in-flight", '>', "still alive at the end of the trace")                      \
	_(UNKNOWN, "unknown", '<', "born before the trace began")

enum fate {
#define FATE_ENUM(name, text, letter, help) FATE_##name,
	FATE_INFO(FATE_ENUM)
#undef FATE_ENUM
	    FATE_COUNT
};

extern const char *const fate_names[FATE_COUNT];
extern const char fate_letters[FATE_COUNT];

/* Did the row end without commit, as far as it ended? */
static inline bool fate_failed(unsigned fate)
{
	return fate == FATE_SQUASHED || fate == FATE_DROPPED || fate == FATE_LOST;
}

/* What the index itself knows of a row. */
struct row {
	uint64_t row;
	int64_t start;
	int64_t end;       /* TICK_NONE while in flight */
	uint64_t tail;     /* of these ticks it was committed already; see row_commit_tick() */
	uint64_t parent;   /* of a micro-op; ROW_NONE when none is known */
	uint64_t offset;   /* of its text, in formats whose rows lie scattered; else 0 */
	uint32_t code;     /* static instruction; CODE_NONE when not interned */
	uint16_t thread;   /* see store_thread(); 0: the trace names none */
	uint16_t events;   /* set of event kinds that happened to it */
	uint8_t fate;      /* enum fate */
	uint8_t dominant;  /* stage it spent most ticks in; STAGE_NONE when none */
	bool micro_op;
};

#define CODE_NONE UINT32_MAX

/*
 * When it committed, or what else became of it did: its end, but for a store that waits for a
 * memory's answer after its commit. TICK_NONE while in flight.
 */
static inline int64_t row_commit_tick(const struct row *row)
{
	return row->end == TICK_NONE ? TICK_NONE : (int64_t)((uint64_t)row->end - row->tail);
}

/* A stay in a stage. A stage ends at the row's next record; a commit stage has start == end. */
struct stay {
	int64_t start, end; /* end TICK_NONE: still open at the end of the trace */
	int32_t latency;    /* of the colour event, in ticks; -1: the format gives none */
	uint16_t events;    /* event kinds noted on entering */
	uint16_t colour;    /* the one kind of events that the latency belongs to (a bit); 0: none */
	uint8_t stage;
	uint8_t lane;       /* see store_lane() */
	bool behind;        /* its row had committed */
	uint32_t note0, note_len; /* what the trace says of this stay, in detail.text */
};

/* It waited for another: a register dependency, a wake-up. */
struct link {
	uint64_t id;  /* the other's number in the file */
	uint64_t row; /* its row; ROW_NONE: not looked up, or not there: see store_link_row() */
	int64_t tick; /* when the trace says so */
	uint8_t type; /* the file's own; 0: wake-up */
};

struct detail_row {
	struct row head;
	uint64_t id;     /* the file's own number */
	uint64_t offset; /* of its birth line (its first line when there is none) */
	uint64_t line;   /* line number of that, from 1; 0 when not known */
	uint32_t stay0, stays; /* in detail.stays */
	uint32_t text0, text_len; /* disassembly in detail.text (raw bytes of the trace) */
	uint32_t note0, note_len; /* what else the trace says of it, there too */
	uint32_t link0, links;    /* those it waited for, in detail.links */
	uint32_t left; /* links beyond those: a row has 64 at most that debug lines tell of */
	uint32_t far;  /* registers it read that were written too far back, or before the trace */
	uint64_t pc;
	bool has_pc;
	bool renamed; /* lines near its own tell of its registers; if not, far is not known */
};

struct detail {
	struct detail_row *rows;
	size_t count, rows_cap;
	struct stay *stays;
	size_t stay_count, stay_cap;
	struct link *links;
	size_t link_count;
	struct sbuf text;
	uint64_t limit; /* bytes of text to read at most; 0: enough for any sane life */
	bool bounded;   /* nothing after tick `until` is asked for */
	int64_t until;
	bool no_notes;  /* leave out what labels and debug lines say besides the disassembly: of
			   whole rows the links, too */
	bool with_links; /* but for those links, for whose sake debug lines are read */
	uint64_t read;  /* bytes that were read */
	bool clipped;   /* some row lives longer than was read: its last stay ends where reading did */
};

/* Counts over the published prefix. */
struct totals {
	uint64_t fates[FATE_COUNT];
	uint64_t instructions;        /* rows with a birth record */
	uint64_t micro_ops;
	uint64_t committed_macro;     /* committed rows that are no micro-ops: the I of IPC */
	uint64_t stage_entries[STAGE_MAX];
	int64_t stage_ticks[STAGE_MAX];
	uint64_t event_counts[EVENT_MAX];
	uint64_t event_rows[EVENT_MAX];   /* rows that have the event at least once */
	int64_t event_latency[EVENT_MAX]; /* sum; -1 when no record gave one */
};

struct store;

/* Opened by the contract: trace_open(). Settings: pipeline/settings.h. */
void store_close(struct store *s);

/*
 * Live text: a pipe that has not ended, or a plain file that is followed. Its index is complete
 * only when the text is: as it is written rows are published, after a quarter of a second of
 * silence also those in flight, whose ends come later.
 *
 * Followed while it is being read, a file is waited for at its end for what is appended; once the
 * index is complete it is to be opened again for that. Off: what is there is the whole trace, and
 * the index is finished. It does not go to the cache: sums by leaf have the rows that were shown in
 * flight as they were then. When the file is cut or replaced meanwhile, the index ends with
 * STATUS_INPUT in progress.failed, and what was published stays.
 */
void store_progress(const struct store *s, struct progress *p);

struct source *store_source(struct store *s);
const struct reader *store_format(const struct store *s);
const char *store_unit(const struct store *s); /* "cycle", "tick" */
/*
 * 1 where ticks are cycles. Else as trace_options say, or the greatest common divisor of the
 * steps between ticks: of those published so far, 1 as long as there are none. O(1).
 */
int64_t store_ticks_per_cycle(const struct store *s);
/* The pipeline that its ticks are of, of formats without times of their own; else {0, 0}. */
struct segments store_segments(const struct store *s);

/* Names. Stages and events are those of the configuration plus what the file brought. */
size_t store_stage_count(const struct store *s);
const struct stage_info *store_stage(const struct store *s, size_t stage);
size_t store_event_count(const struct store *s);
const struct event_info *store_event(const struct store *s, size_t event);
size_t store_metric_count(const struct store *s);
bool store_metric(const struct store *s, size_t metric, struct metric_info *out);

/* Lanes: layers of the same row. "0" is the pipeline, as a rule "1" its stalls. */
size_t store_lane_count(const struct store *s); /* 0 or 1: no more than the pipeline itself */
const char *store_lane(const struct store *s, size_t lane);
/* Threads by row.thread, from 1 to the count. */
size_t store_thread_count(const struct store *s);
int64_t store_thread(const struct store *s, uint16_t thread);

void store_totals(const struct store *s, struct totals *t);
size_t store_note_count(const struct store *s);
const char *store_note(const struct store *s, size_t i, uint64_t *count); /* key of notes{} */
uint64_t store_warning_count(const struct store *s);
bool store_warning(const struct store *s, size_t i, struct warning *out); /* i < TRACE_WARNINGS */

/*
 * Static instructions: each distinct (pc, text) once. Their numbers hold for one opening of the trace
 * only; what is shown sorts by pc and text.
 */
size_t store_code_count(const struct store *s);
/* false: unknown, and the text empty. Text is raw trace bytes, valid as long as the store; of
 * STORE_CODE_TEXT: clipped.
 */
bool store_code(const struct store *s, uint32_t code, uint64_t *pc, bool *has_pc, const char **text,
		size_t *len);
/* The same as values of results (trace/result.h); those that are not known: none. */
struct value store_code_pc(const struct store *s, uint32_t code);
struct value store_code_text(const struct store *s, uint32_t code);

/* Rows. */
uint64_t store_row_count(const struct store *s);
bool store_row(const struct store *s, uint64_t row, struct row *out);
/* Decode up to n rows from first; returns how many. O(log n + rows). */
size_t store_rows(const struct store *s, uint64_t first, size_t n, struct row *out);
uint64_t store_row_born_at(const struct store *s, int64_t tick); /* first row with start >= tick */
/* Rows [*from, *to) that can be alive in [t0, t1): none outside, some inside may not be. */
void store_rows_alive(const struct store *s, int64_t t0, int64_t t1, uint64_t *from, uint64_t *to);

/*
 * Everything about rows [first, first + n): the text from the birth of the first to the end of
 * the last is read again (at most d->limit bytes, then d->clipped). d is reused: start it
 * zeroed but for the limit, end with detail_free(). STATUS_IO when the source vanished.
 */
enum status store_detail(struct store *s, uint64_t first, size_t n, struct detail *d,
			 struct error *e);
void detail_free(struct detail *d);

/* The raw lines that mention the row, one after another, each with its offset: for the inspector. */
typedef bool store_line_fn(void *arg, uint64_t offset, int64_t tick, const char *line, size_t len);
enum status store_row_lines(struct store *s, uint64_t row, store_line_fn *fn, void *arg,
			    struct error *e);

/* Links: which rows wait for which (Kanata's W, gem5's rename lines). 0: the trace names none. */
uint64_t store_link_count(const struct store *s);
/*
 * True: there are at most so many, as they are the reads of registers: several may be of one
 * writer, and some of none in the trace or of one too far back in the text (detail_row.far).
 */
bool store_link_count_is_bound(const struct store *s);
/* The row that a link of `consumer` speaks of, looked up by its id: O(log n) and a leaf of text. */
uint64_t store_link_row(struct store *s, const struct link *link, uint64_t consumer);
/*
 * Those that waited for row, in the order of the text: links whose id and row are theirs, at
 * most max; *n: how many. Reads the leaves that name it, from its birth on.
 */
enum status store_consumers(struct store *s, uint64_t row, struct link *out, size_t max, size_t *n,
			    struct error *e);

/* A set of rows to show; NULL stands for all. Made by store_filter_new(), see there. */
struct filter;

/*
 * The picture: lines of 2^row_zoom (filtered) rows by columns of 2^tick_zoom ticks, from row0
 * (a multiple of the rows a line; an index into the filter when there is one) and tick0. Each
 * cell tells the stage that its rows spent most ticks in, and which event kinds lie inside.
 * Exact when the text under it is less than STORE_EXACT_BYTES (a single row is read however long
 * it lives). Else from the index: lives and fates are as in the text; stages are interpolated: each
 * row is all its life in the one it was in longest; and events are shown where the row ends.
 */
enum { PICTURE_EMPTY = 0xff };

struct picture_cell {
	uint64_t stages; /* set of stages that its rows were in */
	uint16_t events; /* set of event kinds inside */
	uint8_t stage;   /* dominant, or PICTURE_EMPTY: no row of the line lived then */
	uint8_t fates;   /* set (1 << enum fate) of the rows that end inside */
	bool survivors;  /* some row was inside that did not fail, wherever it ends */
};

struct picture_request {
	const struct filter *filter;
	uint64_t row0;
	int64_t tick0;
	int row_zoom, tick_zoom; /* >= 0 */
	int64_t tick_step;       /* a column is tick_step << tick_zoom ticks; 0: 1 */
	int lines, columns;
};

enum status store_picture(struct store *s, const struct picture_request *q,
			  struct picture_cell *cells, bool *exact, struct error *e);

/* Curves. */
/* derived metric, name, help */
#define SERIES_INFO(_)                                                                             \
	_(IPC, "ipc", "committed instructions per cycle, without micro-ops")                    \
	_(FETCH, "fetch", "rows born per cycle")                                                     \
	_(COMMIT, "commit", "rows committed per cycle, with micro-ops")                          \
	_(SQUASH, "squash", "rows squashed per cycle")                                               \
	_(IN_FLIGHT, "in-flight", "rows alive")                                                    \
	_(OCCUPANCY, "occupancy", "rows in a stage")                                               \
	_(STATISTIC, "", "a statistic of the trace itself")

enum series_kind {
#define SERIES_ENUM(name, text, help) SERIES_##name,
	SERIES_INFO(SERIES_ENUM)
#undef SERIES_ENUM
	    SERIES_COUNT
};

struct series {
	enum series_kind kind;
	uint64_t stages; /* OCCUPANCY: set of stages (1 << stage) */
	size_t metric;   /* STATISTIC */
};

/* Counts what happens, so that the mean over ticks is not that over cycles. */
static inline bool series_is_rate(const struct series *q)
{
	return q->kind <= SERIES_SQUASH;
}

/* Find by name; component may be NULL. False: no such metric, or no component matches. */
bool series_parse(const struct store *s, const char *name, const struct regex *component,
		  struct series *out);

/*
 * Mean over each of n bins of [from, to): bin k holds the ticks t of the trace with
 * from + k*w <= t < from + (k+1)*w, w real; its value is the mean of the metric over those
 * ticks (for a statistic: over its samples there), NaN when it holds none. Rates are per tick: who
 * shows them multiplies by store_ticks_per_cycle().
 *
 * *exact, asked with false: bins may begin and end at interpolated amounts inside index entries (of
 * some 128 rows), for drawing; NULL: as with true. Behind: is all of them exact? Occupancy and
 * statistics are so drawn of more than 1 MiB of text, all else of more than 1 Mi rows around the
 * edges. Asked with true only an occupancy may not be exact: of rows that ended very long after
 * their birth the stages between are not looked for, and where they change inside an index entry,
 * the time is spread over it; and ends of stages that stand where other stages have begun count
 * only as far as they are read.
 */
enum status store_series(struct store *s, const struct series *q, int64_t from, int64_t to,
			 size_t n, double *values, bool *exact, struct error *e);

/*
 * Finding things. dir > 0 forwards from row (exclusive), < 0 backwards; from ROW_NONE: all rows.
 * ROW_NONE: no more.
 */
uint64_t store_find_event(const struct store *s, unsigned event, uint64_t row, int dir,
			  const struct filter *filter);
uint64_t store_find_fate(const struct store *s, enum fate fate, uint64_t row, int dir,
			 const struct filter *filter);
/* A row with a life of at least n ticks (callers look for a stay of n with store_detail). */
uint64_t store_find_life(const struct store *s, int64_t n, uint64_t row, int dir,
			 const struct filter *filter);
/*
 * The next run [*from, *to) of whole cycles, of at least n ticks, without any record, seen from
 * tick. False: no more.
 */
bool store_find_gap(struct store *s, int64_t n, int64_t tick, int dir, int64_t *from, int64_t *to);
/* The row with the file's own number id (the first one, from a row on). ROW_NONE: none. */
uint64_t store_find_id(struct store *s, uint64_t id, uint64_t from);
/*
 * The row that the text numbers so among those that commit, the first of several. Reads
 * O(log text) where these numbers grow with the text, up to 64 MB where they do not.
 * STATUS_UNSUPPORTED: the format has none; STATUS_NOT_FOUND.
 */
enum status store_find_retired(struct store *s, uint64_t number, uint64_t *row, struct error *e);

/*
 * Filters: the rows whose text or pc matches (or not), whose fate is in a set, with or without
 * micro-ops. Made in one pass over the row index (about 100 M rows a second a core), on the
 * caller's thread, interruptible; 1 bit a row. A filter covers the rows published when it was
 * made; filter_extend() adds those published since, and when ends or texts of others came, judges
 * again from the first row in flight on, but 64 Ki rows at most. Once the index is complete it is as
 * one that is made anew.
 */
struct filter_spec {
	const struct regex *text; /* NULL: any; matched as pipeline/queries/subject.h says */
	bool invert;
	unsigned fates;           /* set of fates to keep; 0: all */
	bool no_micro_ops;
	const bool *threads; /* by row.thread, copied: which to keep; NULL: all. Beyond the count: none */
	size_t thread_count;
};

enum status filter_new(struct filter **out, struct store *s, const struct filter_spec *spec,
		       const atomic_bool *stop, struct error *e);
enum status filter_extend(struct filter *f, const atomic_bool *stop, struct error *e);
void filter_free(struct filter *f);
uint64_t filter_count(const struct filter *f);               /* k */
uint64_t filter_total(const struct filter *f);               /* n */
bool filter_limited(const struct filter *f); /* the pattern was too slow for some rows: they are out */
/* How often a row was let in or out after it had been judged: when it grows, places moved. */
uint64_t filter_turned(const struct filter *f);
uint64_t filter_rank(const struct filter *f, uint64_t row);  /* filtered rows before row */
uint64_t filter_row(const struct filter *f, uint64_t index); /* ROW_NONE beyond the last */
bool filter_has(const struct filter *f, uint64_t row);

#endif
