/*
 * What a reader makes of text whose records are whole rows, in no order of time: each with its
 * stays, its fate and the place of its text.
 *
 * A lexer keeps what belongs to a record until the record is whole. Where records do not lie
 * within each other (gem5 prints an instruction at once), text that begins at a record can be
 * lexed by itself; where they do (tracers that print events as they happen, each with the
 * instruction's number before it), one lexer must see all text in order: it says so (interleaved).
 * Cost: some 10 ns a line; memory bounded by ROWS_OPEN records, whatever the text holds.
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_ROWS_H
#define PIPEGLASS_PIPELINE_FORMATS_ROWS_H

#include "base/sbuf.h"
#include "base/vec.h"
#include "pipeline/formats/record.h"

enum {
	ROW_STAYS = 8,               /* of one row */
	ROW_STAGES = 9,              /* of a format */
	ROWS_OPEN = 1024,            /* interleaved records at a time */
	ROWS_TOLD = 4096,            /* numbers that debug lines spoke of lately */
	ROWS_SPEAKERS = 8,           /* and CPUs that spoke of each */
	ROWS_BAD = 1000,             /* bad lines kept, the rest is counted */
	ROWS_CONTEXT = 64 << 10,     /* how far before a register the instruction was named */
	ROWS_TOLD_BEFORE = 1 << 20,  /* and before a record its thread and CPU */
	ROWS_NOTES_BEFORE = 2 << 20, /* how far around it the lines that tell of it are */
	ROWS_NOTES_BEHIND = 256 << 10,
	ROWS_RENAMED_BEFORE = 2 << 20 /* and before those that a register was written */
};

struct text_stay {
	int64_t start, end; /* end INT64_MAX: open at the end of the trace */
	uint8_t stage, lane;
	bool loose; /* its start may be another clock's: a memory's answer */
};

struct text_row {
	uint64_t id;
	int64_t start, end;      /* end INT64_MAX: in flight */
	uint64_t off;            /* of its first line, in the trace */
	uint32_t len;            /* up to the end of its last line */
	const char *words;       /* where pc, text and note count from, until the next call; NULL: off */
	uint32_t pc, pc_len;     /* hex digits; 0 long: none */
	uint32_t text, text_len; /* disassembly */
	uint32_t note, note_len; /* in words, of formats that have them: what else is told of it */
	int64_t thread; /* of a CPU: as thread_of_cpu() has it */
	bool has_thread;
	uint32_t cpu; /* of several in one file; CPU_NONE: not told */
	uint32_t
	    part; /* number of a micro-op within its instruction; 0: the first or the only one */
	uint8_t fate; /* END_RETIRED, END_FLUSHED, END_BY_STAGES: neither is known yet */
	uint8_t stays;
	bool extra; /* there are lines in its text that are no stage */
	struct text_stay stay[ROW_STAYS];
};

struct row_bad {
	uint64_t off, line; /* line from 0 at the lexer's start */
	int64_t tick;       /* of the row it belongs to, as far as known */
	uint8_t bad;
};

/* What a debug line told of an instruction. */
struct row_told {
	uint64_t id, off;
	uint64_t pc;
	int32_t thread; /* -1: not told */
	uint32_t cpu;
	bool has_pc;
};

/* One of those that told of a number lately: a CPU, or a thread where none is named. */
struct row_speaker {
	uint64_t last, before; /* places, + 1: of its last line; of the last before the last record */
	uint64_t pc, pc_last;  /* what it told last, and where, + 1; 0: nothing */
	int32_t thread;
	uint32_t cpu;
};

struct row_number {
	uint64_t id;
	uint64_t record;  /* place, + 1, of the last record of this number; 0: none */
	uint64_t crowded; /* and of the last line of one more than there is room for */
	unsigned count;
	struct row_speaker by[ROWS_SPEAKERS];
};

/* In any line that says something about a register. */
#define ROWS_RENAME ".rename: "

enum rename_kind {
	RENAME_BEGINS, /* what follows is said of the instruction id */
	RENAME_READS,  /* it got this register for a source */
	RENAME_WRITES  /* and this for a result */
};

/* What a debug line tells of giving registers to an instruction. */
struct row_rename {
	uint64_t id;    /* of the instruction, if the line itself names it */
	uint64_t reg;   /* a physical register among those of a CPU */
	int64_t tick;   /* -1: not told */
	int32_t thread; /* -1: not told */
	uint32_t cpu;
	bool has_id;
	uint8_t kind;
};

/* A record not yet whole. */
struct row_open {
	struct text_row row;
	int64_t tick[ROW_STAGES]; /* by stage; 0: never */
	uint64_t tag, line, pc;
	bool used, ended, tagged;
};

struct row_lexer {
	uint64_t off;  /* of the text given, in the trace */
	size_t pos;    /* where the next line starts */
	uint64_t line; /* lines finished so far */
	struct names *names;
	uint8_t stage[ROW_STAGES]; /* the reader's stages among them; STAGE_NONE: not yet */
	bool carry;       /* sees all text in order: interleaved records are put together */
	bool interleaved; /* stopped at one, because of not carry */
	bool reread;      /* nothing is counted, warned about or remembered */
	bool damaged;     /* out of memory */
	uint64_t notes[NOTE_COUNT], bad_count, entries[ROW_STAGES];
	uint64_t records; /* lines of the format */
	VEC(struct row_bad) bad;
	struct row_open open;  /* the record that lines without a number belong to */
	struct row_open *ring; /* interleaved ones, oldest first: ROWS_OPEN of them */
	size_t first, count;
	uint64_t newest; /* number of the last one that retired */
	bool any_retired;
	struct row_number *told; /* ROWS_TOLD of them, by id; NULL: nothing was told yet */
	bool any_told;
	struct segments segments; /* of formats with recall */
	void *state;              /* of the format's own; NULL: none yet */
	void (*state_free)(void *state);
	/* of formats that are one document */
	struct {
		size_t next,
		    entry; /* the next region; the next entry of this one, 0: none is left */
		uint64_t regions, index;
		int64_t start, end; /* the tick of this region's cycle 0; behind its last one */
		VEC(size_t) ends;   /* of each instruction's text in words */
		size_t title;       /* of the region: where it begins in words */
		struct sbuf words;
		bool begun, several, last; /* several: regions; last: this region */
	} document;
};

/* names get the reader's stages. */
void row_lexer_init(struct row_lexer *lx, const struct reader *reader, struct names *names);
void row_lexer_free(struct row_lexer *lx);
/*
 * For the next piece: counts start anew, what is open is kept by one that carries. What debug lines
 * told is kept where text before pos was read as context.
 */
void row_lexer_begin(struct row_lexer *lx, uint64_t off, size_t pos);
/* line: from 0 at the lexer's start; at: of its start in the trace; tick: of its row, if known. */
void row_lexer_bad(struct row_lexer *lx, enum bad bad, uint64_t line, uint64_t at, int64_t tick);
/* The row enters one of the reader's stages: stays are kept by tick, those before by order. O(1).
 */
static inline void row_enter(struct row_lexer *lx, struct text_row *row, unsigned stage,
			     int64_t tick, bool loose)
{
	unsigned i = row->stays++;

	for (; i > 0 && row->stay[i - 1].start > tick; i--)
		row->stay[i] = row->stay[i - 1];
	row->stay[i] = (struct text_stay){.start = tick, .stage = lx->stage[stage], .loose = loose};
	if (!lx->reread)
		lx->entries[stage]++;
}

/*
 * The row committed before its last stay, in which it only waits for a memory's answer to what it
 * wrote: it did so when it entered the one before.
 */
static inline bool row_commits_before_last(const struct text_row *row)
{
	return row->fate == END_RETIRED && row->stays > 1 && row->stay[row->stays - 1].loose;
}

/* All are entered: each stay lasts up to the next, the last up to itself, as does the row. */
static inline void row_close(struct text_row *row)
{
	unsigned last = row->stays - 1u;

	for (unsigned i = 0; i < last; i++)
		row->stay[i].end = row->stay[i + 1].start;
	row->end = row->stay[last].end = row->stay[last].start;
}

#endif
