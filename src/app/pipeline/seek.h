/*
 * Looking for the next row (or stretch) of a kind, a slice at a time.
 *
 * A pattern is matched once against each distinct static instruction; rows are then scanned
 * by number (some 100 M a second), so a search costs the distinct code plus the rows passed.
 * Events and fates come from the index at once. A stay of N ticks and a stage read the text
 * of the rows that can have it. Lines of the trace are looked for by threads of their own, see
 * pipeline/queries/search.h; a line leads to the row that it speaks of, as often as there are such
 * lines. Every slice ends at its deadline or when *stop is set. A seek sees the rows that were
 * published when it began.
 */
#ifndef PIPEGLASS_APP_PIPELINE_SEEK_H
#define PIPEGLASS_APP_PIPELINE_SEEK_H

#include <stdatomic.h>

#include "app/job.h"
#include "base/regex.h"
#include "pipeline/queries/search.h"
#include "pipeline/queries/subject.h"
#include "pipeline/store.h"

enum target_kind {
	TARGET_NONE,
	TARGET_TEXT,
	TARGET_LINE,
	TARGET_EVENT,
	TARGET_STAGE,
	TARGET_FATE,
	TARGET_STAY,
	TARGET_GAP
};

struct target {
	enum target_kind kind;
	unsigned what;            /* EVENT, STAGE, FATE: its number */
	int64_t ticks;            /* STAY, EMPTY: at least so many */
	int64_t now;              /* STAY: what is still open has lasted until then */
	const struct regex *text; /* TEXT; not owned */
	bool by_pc;               /* TEXT: made from an address, which messages tell instead */
	uint64_t pc;
	struct search *lines; /* LINE; not owned */
	uint64_t off, row;    /* LINE: of the one found last; row ROW_NONE: none was */
};

enum seek_answer { SEEK_MORE, SEEK_FOUND, SEEK_MISSING, SEEK_STOPPED, SEEK_FAILED };

struct seek {
	struct store *store;
	const struct filter *filter;
	struct target target;
	struct code_matches matches;
	int dir;
	bool wrap;
	uint64_t origin; /* row it began at */
	int64_t tick; /* tick it began at; where seek_locate() found it; TICK_NONE: row's start */
	uint64_t row; /* where it was found */
	int64_t end;  /* of a gap */
	bool wrapped;
	uint64_t off;            /* LINE: where it begins */
	struct line_owner owner; /* and what it speaks of */
	/* private */
	uint64_t origin_off;
	uint64_t next, left, total;
	struct detail detail;
};

void seek_begin(struct seek *s, struct store *store, const struct filter *filter,
		const struct target *target, uint64_t row, int64_t tick, int dir, bool wrap);
/* From where it was found, for counts; keeps what is known of the pattern. */
void seek_again(struct seek *s);
/* deadline: milliseconds of clock_ms(); INT64_MAX: none. */
enum seek_answer seek_step(struct seek *s, int64_t deadline, const atomic_bool *stop,
			   struct error *e);
/* After SEEK_FOUND: the tick in the row. Reads the text of the row. */
enum status seek_locate(struct seek *s, struct error *e);
void seek_end(struct seek *s);

enum { SEEK_ROWS = 256 };

/*
 * Which of n rows that follow each other, SEEK_ROWS at most, have it and are shown. What the index
 * cannot tell is read in their text.
 */
enum status seek_judge(struct seek *s, const struct row *rows, size_t n, bool *has,
		       struct error *e);


/* The stay in which the target shows in a row, from its detail; NULL: none. */
const struct stay *target_stay(const struct detail *d, const struct detail_row *row,
			       const struct target *t);
/* The tick at which the target shows in a row, from its detail; TICK_NONE: nowhere. */
int64_t target_tick(const struct detail *d, const struct detail_row *row, const struct target *t);

#endif
