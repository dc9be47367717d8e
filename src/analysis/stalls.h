/*
 * Where the cycles went: by stage, by event and by static instruction.
 *
 * A pure function over a store. Stages and events come from the index and cover every record
 * of the trace; the table of static instructions is one walk over all rows. A tick is charged
 * to the stage that the row stood in; a row in flight is charged up to the end of the trace
 * (last + 1). Rows without a static instruction (born before the trace, or beyond what the
 * store interns) are summed up in one nameless line, so that every column adds up to the
 * totals. Restricted to a range, everything is counted over its rows and ticks alone. Time
 * O(text of the rows), memory O(distinct static instructions * (stages + events)).
 */
#ifndef PIPEGLASS_ANALYSIS_STALLS_H
#define PIPEGLASS_ANALYSIS_STALLS_H

#include <stdbool.h>

#include "analysis/range.h"
#include "analysis/result.h"
#include "base/status.h"
#include "store/store.h"

/* One static instruction, or the nameless rest. */
struct stall_code {
	uint32_t code;  /* CODE_NONE: the nameless rest */
	uint64_t count; /* rows, whatever became of them */
	uint64_t squashed;
	int64_t ticks;    /* sum over its stages */
	int64_t *cycles;  /* one for each stage of the store */
	uint64_t *events; /* records, one for each event of the store */
	uint64_t longest; /* the row that lived longest (the first of equals), and when */
	int64_t born, life;
};

struct stalls {
	struct store *store; /* borrowed */
	struct totals totals;
	size_t stages, events;
	struct stall_code *codes; /* those with rows, most ticks first, then by pc and text */
	size_t code_count;
	struct stall_code unattributed;
	bool clipped; /* the range's limit left rows out: all numbers are lower bounds */
	/* private */
	struct stall_code *slots; /* indexed by code, the nameless rest last */
	size_t slot_count;
	int64_t *cells;
};

/*
 * The range NULL: the whole trace, which should be complete. *stop (may be NULL), set from
 * elsewhere: STATUS_INTERRUPTED.
 */
enum status stalls_new(struct stalls *out, struct store *s, const struct range *range,
		       const volatile bool *stop, struct error *e);
void stalls_free(struct stalls *r);

/* stages, events, pcs: of a const struct stalls *. Ends with key == NULL. */
extern const struct section stall_sections[];
/* The nameless rest, a section of at most one row. */
extern const struct section stall_unattributed;

#endif
