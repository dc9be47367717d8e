/*
 * Rows in program order, whatever order their simulator put them down in.
 *
 * Program order is the order of birth, a micro-op standing behind its parent: micro-ops are born
 * at decode, when younger rows are fetched already. One that is born more than PROGRAM_WINDOW
 * such rows behind its parent comes where it was born.
 *
 * O(rows), from the index alone: no text is read. Memory O(PROGRAM_WINDOW).
 */
#ifndef PIPEGLASS_ANALYSIS_PIPELINE_PROGRAM_H
#define PIPEGLASS_ANALYSIS_PIPELINE_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "pipeline/store.h"

/* Rows that a micro-op may be born behind its parent and still be put in its place. */
enum { PROGRAM_WINDOW = 1024 };

/*
 * Things on their way into program order, each of which begins with its struct row. `take` gets
 * those that nothing can come before any more, and says how many of them it took: one at least.
 */
typedef size_t program_take(void *arg, void *things, size_t count);
struct program_order {
	program_take *take;
	void *arg;
	size_t size, count; /* of a thing; of those that wait */
	char *waiting;      /* free() */
};

bool program_order_new(struct program_order *p, size_t size, program_take *take, void *arg);
void program_put(struct program_order *p, const void *thing); /* in order of birth */
void program_end(struct program_order *p); /* all that still wait are taken */

/* What a row stands behind: its parent, or itself. */
static inline uint64_t program_place(const struct row *r)
{
	return r->micro_op && r->parent < r->row ? r->parent : r->row;
}

/* False ends the walk, which is no error. */
typedef bool program_fn(void *arg, const struct row *row);

#define FATE_BIT(fate) (1u << (fate))

/*
 * Those of rows [first, last) whose fate is one of `fates`, a set of FATE_BIT(). *stop (may be NULL), set from elsewhere: STATUS_INTERRUPTED. Else
 * errors only for want of memory.
 */
enum status program_walk(const struct store *s, uint64_t first, uint64_t last,
			 unsigned fates, const atomic_bool *stop, program_fn *fn, void *arg, struct error *e);

#endif
