/*
 * The program that ran: the executed instructions of a pipeline trace, one after another.
 *
 * Executed is what was committed, in program order, and with it what a decoder consumed on the
 * way: a macro-instruction whose micro-ops were all committed, and an instruction without work (a
 * nop) if it stands between its two neighbours by its pc; elsewhere it was on a wrong path.
 * Whether a branch was taken is told by the pc of the next one. Operands come from the
 * disassembly (isa.h), or what an instruction waited for from the trace's own links. What could
 * not be read is counted: a result made of it is an estimate. An optrace says all of this itself.
 *
 * Each thread of the trace is a program of its own; they come interleaved, each in its own order.
 * O(rows) from the index alone, with links and of an optrace O(text); memory O(distinct code +
 * threads).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_EXECUTED_H
#define PIPEGLASS_ANALYSIS_PIPELINE_EXECUTED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/pipeline/codemap.h"
#include "analysis/pipeline/program.h"
#include "analysis/pipeline/range.h"
#include "base/status.h"
#include "isa/isa.h"
#include "pipeline/store.h"

struct executed {
	uint64_t row;    /* of the instruction, or of its first micro-op */
	uint64_t whole;  /* the row that it is a micro-op of, or its own */
	int64_t end;     /* the tick in which it was committed, as a whole; of a nop: consumed */
	uint32_t code;   /* of that row */
	uint32_t parts;  /* micro-ops in it; 0: it is whole */
	uint32_t ahead;  /* taken: how many instructions ahead it went on; 0: back, far, not known */
	uint16_t thread;
	bool taken;      /* what came next stands elsewhere */
	bool read;       /* insn is known */
	struct isa_insn insn;
	class_set classes; /* that of insn, or those of all its micro-ops; none: not read */
	const uint32_t *sources, *sinks; /* registers; of an optrace, its names, dense from 0 */
	size_t source_count, sink_count;
	const uint64_t *producers; /* rows that the trace says it waited for */
	size_t producer_count;
};

/* False ends it, which is no error. *x is good during the call. */
typedef bool executed_fn(void *arg, const struct executed *x);

struct executed_options {
	bool links; /* what the trace links, not what the disassembly names */
	bool parts; /* micro-ops as instructions of their own */
	bool plain; /* without operands: no sources, no sinks; not with links, nor of an optrace */
	/*
	 * Besides told of every row of the range that it looks at (committed, dropped, squashed),
	 * before it is; NULL: nobody. Its answer does not count. Not with links, nor of an optrace.
	 */
	program_fn *rows;
	void *rows_arg;
};

/* What the result rests on. */
struct executed_counts {
	uint64_t instructions;
	uint64_t unread;    /* with operands that could not be read; rows, where they are links */
	uint64_t loads;     /* that read memory: the trace does not tell which */
	uint64_t redirects; /* went on elsewhere without being a branch: traps, gaps in the trace */
	uint64_t nops;      /* consumed at decode, on the right path */
	uint64_t nameless;  /* rows with neither address nor text: left out, but not with links */
	uint64_t orphans;   /* committed micro-ops whose instruction was not executed: left out */
};

/*
 * The instructions of range r of s. m: of the same store. *stop (may be NULL), set from elsewhere:
 * STATUS_INTERRUPTED. Errors of walk_rows() with links, and for want of memory.
 */
enum status executed_walk(struct store *s, const struct codemap *m, const struct range *r,
			  const struct executed_options *o, const atomic_bool *stop,
			  executed_fn *fn, void *arg, struct executed_counts *counts,
			  struct error *e);

#endif
