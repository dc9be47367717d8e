/*
 * Hints: what probably limits a run, each with where, what to try and the numbers that it rests on.
 *
 * Whoever knows a kind of trace adds them; here they are ranked and made a table. A hint says whether
 * its gain is a bound. Its texts are kept here; a `where` may hold names of the trace (hostile).
 */
#ifndef PIPEGLASS_ANALYSIS_HINTS_H
#define PIPEGLASS_ANALYSIS_HINTS_H

#include "base/intern.h"
#include "base/status.h"
#include "base/vec.h"
#include "trace/result.h"
#include "trace/trace.h"

enum { HINT_EVIDENCE = 12, HINTS_OF_A_KIND = 3 };

#define UNIT_SHARE "%" /* of one: people read it in percent */

/* A number and what it is called, "interval"; unit: UNIT_SECOND, UNIT_SHARE, or NULL. */
struct hint_number {
	const char *key, *unit;
	double value;
};

struct hint {
	const char *kind; /* "dispatch-bound" */
	const char *where, *text, *advice;
	const char *bound; /* "upper": no more is to be gained than its numbers say; NULL */
	uint64_t item;     /* the place to look at; ITEM_NONE: none */
	int64_t tick, until; /* what is told is seen between these; 0: in the item's life */
	int order;     /* what is a cause stands before what may be its effect: 0 first */
	double weight; /* within that, the greatest first */
	struct hint_number evidence[HINT_EVIDENCE]; /* key NULL: no more */
};

struct hints {
	VEC(struct hint) list;
	VEC(const char *) keys; /* of all evidence, each once */
	struct intern *texts;
	bool failed; /* no memory */
};

extern const struct section hint_sections[]; /* one */

void hints_begin(struct hints *h);
/* A text that stays. */
const char *hints_keep(struct hints *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hints_add(struct hints *h, const struct hint *hint);
/*
 * Rank them; of a kind those behind HINTS_OF_A_KIND matter less, and go. STATUS_NOMEM.
 */
enum status hints_end(struct hints *h, struct error *e);
/* Of an answer, in any case, and the struct. */
void hints_free(void *result);

#endif
