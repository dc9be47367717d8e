/*
 * Where the cycles went: by stage, by event and by static instruction.
 *
 * A pure function over a store. Stages and events come from the index and cover every record
 * of the trace; the costs of static instructions are one walk over all rows. A cycle is charged
 * to the stage that the row stood in; a row in flight is charged up to the end of the trace
 * (last + 1). Where the trace counts ticks, a cycle is store_ticks_per_cycle() of them and goes
 * to where its first tick does (range_cycles()). These overlap: what an instruction cost the run
 * is its time at the head of the commit queue, and the cycles before it in which that was empty
 * (stalls_head.h); of all instructions the two add up to the run time less what is empty at its
 * ends. Rows without a static instruction (born before the trace, or beyond what the store interns) are summed up in one
 * nameless cost, so that every column adds up to the totals. Restricted to a range, everything
 * is counted over its rows and ticks alone. Time O(text of the rows), memory O(distinct static
 * instructions * (stages + events)) and a bit a row. The tables made of it are in stalls_table.h.
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_STALLS_H
#define PIPEGLASS_ANALYSIS_PIPELINE_STALLS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "analysis/pipeline/range.h"
#include "base/status.h"
#include "source/binary.h"
#include "pipeline/store.h"

/*
 * Why nothing was there that could commit: what is known of the row that came next. A miss stands
 * before a squash, as it delays the right path longer than the squash does. ENDS: no row came, or
 * none had committed before.
 */
#define STALL_EMPTY_INFO(_)                                                                        \
	_(SQUASH, "squash-refill")                                                                 \
	_(FETCH, "fetch-wait")                                                                     \
	_(OTHER, "unexplained")                                                                          \
	_(ENDS, "start-and-end")

enum stall_empty {
#define STALL_EMPTY_ENUM(name, text) STALL_EMPTY_##name,
	STALL_EMPTY_INFO(STALL_EMPTY_ENUM)
#undef STALL_EMPTY_ENUM
	    STALL_EMPTY_COUNT
};

extern const char *const stall_empty_names[STALL_EMPTY_COUNT];

/* A row of something that stands out, the first of equals. */
struct stall_row {
	uint64_t row; /* ROW_NONE: there is none */
	int64_t cycles;
};

/* What one static instruction, or several together, took. */
struct stall_cost {
	uint32_t code;  /* CODE_NONE: not exactly one */
	uint64_t count; /* rows, whatever became of them */
	uint64_t squashed;
	int64_t total;            /* cycles: sum over its stages */
	int64_t head;             /* those that its rows held the head of the commit queue */
	int64_t empty[STALL_EMPTY_COUNT]; /* and those that nothing did before its rows */
	int64_t *cycles;          /* one for each stage of the store */
	uint64_t *events;         /* records, one for each event of the store */
	struct stall_row worst;   /* cost most: empty and held */
	struct stall_row *longest; /* lived longest; then, for each stage, stayed in it longest */
};

struct stalls {
	struct store *store; /* borrowed */
	struct range_clock clock;
	struct totals totals; /* stage_ticks and event_latency: cycles */
	size_t stages, events;
	struct stall_cost *costs; /* indexed by code, cost_count of them; count 0: no rows */
	size_t cost_count;
	struct stall_cost unattributed; /* the nameless rest */
	int64_t run;                    /* cycles of the range that the trace has */
	int64_t held; /* those in which a row of the range held the head of the commit queue */
	int64_t empty[STALL_EMPTY_COUNT]; /* those in which none did */
	bool clipped; /* the range's limit left rows out: all numbers are lower bounds */
	/* After stalls_locate(): one for each cost, good as long as the binary; NULL before. */
	struct code_place *places;
	/* private */
	int64_t *cells;
	struct stall_row *longest;
};

/*
 * The range NULL: the whole trace, which should be complete. *stop (may be NULL), set from
 * elsewhere: STATUS_INTERRUPTED.
 */
enum status stalls_new(struct stalls *out, struct store *s, const struct range *range,
		       const atomic_bool *stop, struct error *e);
void stalls_free(struct stalls *r);

/*
 * Look all pcs up in the program that ran. *found of them (may be NULL) lie in a function or a
 * line of it. STATUS_NOMEM: no memory.
 */
enum status stalls_locate(struct stalls *r, struct binary *b, size_t *found, struct error *e);

/* Add what b took to a, whose cells are large enough; a->code stays. */
void stall_cost_add(const struct stalls *r, struct stall_cost *a, const struct stall_cost *b);
/* A cost with its counters in cells[stages + events], which are zero, and in longest[1 + stages]. */
struct stall_cost stall_cost_zero(const struct stalls *r, uint32_t code, int64_t *cells,
				  struct stall_row *longest);

#endif
