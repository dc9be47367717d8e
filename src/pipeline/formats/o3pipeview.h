/*
 * What the parts of the O3PipeView reader share: the lines (o3pipeview.c), making rows of them
 * (o3pipeview_row.c), and the debug lines between them (o3pipeview_debug.c; of registers:
 * o3pipeview_rename.c). Format: formats/kanata-o3pipeview.md 2.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_O3PIPEVIEW_H
#define PIPEGLASS_PIPELINE_FORMATS_O3PIPEVIEW_H

#include "pipeline/formats/rows.h"
#include "pipeline/formats/scan.h"

/* number, the file's word, letter, role, colour, help */
#define O3_STAGES(_)                                                                               \
	_(FETCH, "fetch", 'F', ROLE_FETCH, 0, "fetched, waiting to be decoded")                    \
	_(DECODE, "decode", 'D', ROLE_DECODE, 1, "sent on by decode")                              \
	_(RENAME, "rename", 'R', ROLE_OTHER, 2, "arrived at rename, waiting for registers")        \
	_(DISPATCH, "dispatch", 'P', ROLE_OTHER, 3, "in the issue or load/store queue")            \
	_(ISSUE, "issue", 'I', ROLE_EXECUTE, 4, "issued for the last time, executing")             \
	_(COMPLETE, "complete", 'C', ROLE_WRITEBACK, 5, "executed, waiting to retire")             \
	_(RETIRE, "retire", 'T', ROLE_OTHER, 6, "retired; a store: waiting for its write")         \
	_(STORE, "store", 'S', ROLE_OTHER, 7, "the store's write is acknowledged")

enum o3_stage {
#define O3_ENUM(name, word, letter, role, colour, help) O3_##name,
	O3_STAGES(O3_ENUM)
#undef O3_ENUM
	    O3_STAGE_COUNT,
	O3_LOAD = O3_STAGE_COUNT, /* "retire:TICK:load:TICK": of traces that have it */
	O3_TICKS
};

/* Ticks are below it, so that no sum or difference overflows. */
#define O3_TICK_END (INT64_C(1) << 62)

#define O3_TAG "O3PipeView:"
enum {
	O3_TAG_LEN = sizeof(O3_TAG) - 1,
	O3_PREFIX = 128,                  /* what tracers and loggers put before it is shorter */
	O3_RECOGNISED = O3_PREFIX + 64    /* a line is one of the format by so much of it */
};

/* What stands before the tag of a line. */
struct o3_prefix {
	const char *tag; /* NULL: it is no line of the format */
	uint64_t number; /* "17; O3PipeView:": of the instruction */
	bool numbered;
};

struct o3_prefix o3_find_later_tag(const char *line, const char *end);

static inline struct o3_prefix o3_find_tag(const char *line, const char *end)
{
	if (end - line >= O3_TAG_LEN && memcmp(line, O3_TAG, O3_TAG_LEN) == 0)
		return (struct o3_prefix){line, 0, false}; /* as gem5 writes it */
	return o3_find_later_tag(line, end);
}

/* ---- rows -------------------------------------------------------------------------------- */

/*
 * The row of a record that is whole: stays by tick, its end and fate (2.3, 2.5), ticks that
 * wrapped mended (2.2). last: nothing follows in the trace. False: there is no row (a lexer that
 * only reads again has already warned).
 */
void o3_finish(struct row_lexer *lx, struct row_open *o, bool last);

/* ---- debug lines ------------------------------------------------------------------------- */

enum { O3_OBJECT = 160 }; /* the name of what speaks in a line ends within so much */

/* The number behind `open` -> its end; NULL: there is none. */
const char *o3_bracket(const char *p, const char *end, const char *open, uint64_t *value);
/* Of whom a line speaks: CPU_NONE and -1 where it does not say. */
void o3_speaker(const char *line, const char *end, uint32_t *cpu, int32_t *thread);
/* What line[0..end) says about an instruction; false: nothing. O(line). */
bool o3_debug_line(const char *line, const char *end, struct row_told *out);
/* What it says about a register; text: where the lines before may be looked at. O(lines). */
bool o3_renames(const char *text, const char *line, const char *end, struct row_rename *out);
bool o3_reads(const char *line, const char *end); /* does it say that one is read? */
void o3_remember(struct row_lexer *lx, const struct row_told *told); /* O(1) */
/*
 * The thread and CPU of a record's instruction, from what was told within ROWS_TOLD_BEFORE.
 * Where a CPU is told the thread is that of this CPU, so that no two CPUs share one. Several that
 * use the number are told apart by the pc; where that does not decide neither is known, and
 * it is counted. Nothing farther before is looked at, so text may be cut anywhere. O(1).
 */
void o3_recall(struct row_lexer *lx, struct text_row *row, uint64_t pc);

#endif
