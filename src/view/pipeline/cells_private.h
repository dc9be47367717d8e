/*
 * What the files that compose a row's cells share: who wins a cell, and the row at hand.
 *
 * cells.c draws the stays of one lane, cells_lanes.c what other lanes lay over them,
 * cells_events.c events, latencies and what became of the row. Each costs O(stays + columns).
 */
#ifndef PIPEGLASS_VIEW_PIPELINE_CELLS_PRIVATE_H
#define PIPEGLASS_VIEW_PIPELINE_CELLS_PRIVATE_H

#include "view/pipeline/pipeview_private.h"

/*
 * Who wins a cell that several things share: the rarer one. Ranks of problem events come
 * above these, the rarest event of the trace highest, and the highlight above all.
 */
enum rank {
	RANK_EMPTY,
	RANK_STALL,  /* a miss that ended before the row's birth */
	RANK_FILL,   /* in a stage */
	RANK_BESIDE, /* event that is no problem, beside its letter */
	RANK_LETTER, /* entry into a stage */
	RANK_ZERO,   /* a stay without length, which shows nowhere else */
	RANK_FATE,
	RANK_EVENT,
	RANK_HIGHLIGHT = RANK_EVENT + EVENT_MAX
};

enum { HIDDEN_GLYPH = '.', LIFE_GLYPH = 0xb7, THIN_GLYPH = 0x2502 };

struct composer {
	const struct pipeview *v;
	const struct row_view *row;
	const struct event_order *order;
	struct slot *slots;
	int64_t window_end; /* first tick right of the window */
	int64_t open_end;   /* end of a stay that is still open */
	bool failed;        /* squashed, dropped or lost */
	int per_tick;       /* columns a cycle when magnified, else 1 */
	int lane;           /* whose stays are drawn */
};

static inline void cells_put(const struct composer *k, int64_t column, uint32_t cp, int rank,
			     enum role role)
{
	struct slot *s;

	if (column < 0 || column >= k->v->axis.columns)
		return;
	s = &k->slots[column];
	if (rank > s->rank)
		*s = (struct slot){cp, (uint8_t)rank, (uint8_t)role, s->attrs, s->weight};
}

static inline bool cells_hidden(const struct composer *k, unsigned stage)
{
	return stage < STAGE_MAX && (k->v->stage_hidden >> stage & 1);
}

static inline int64_t stay_end(const struct composer *k, const struct stay *s)
{
	return s->end == TICK_NONE ? k->open_end : s->end;
}

bool cells_marked(const struct composer *k, const struct stay *s); /* the highlighted stage */
enum role cells_role(const struct composer *k, const struct stay *s);
/* Ticks that [start, end) has inside the column. */
int64_t cells_overlap(const struct composer *k, int64_t column, int64_t start, int64_t end);
/* First and last visible column that meets [start, end); false: none. */
bool cells_range(const struct composer *k, int64_t start, int64_t end, int64_t *c0, int64_t *c1);
/* The column of a stay's letter: it moves over for stays without length at the same tick. */
int64_t cells_entry(const struct composer *k, const struct stay *s);
/* Columns that the name of a stay takes in its first cycle. */
int cells_name_width(const struct composer *k, const struct stay *s);

void cells_overlay(const struct composer *k, const struct stay *s); /* of another lane */
void cells_latency(const struct composer *k, const struct stay *s);
void cells_events(const struct composer *k, const struct stay *s);
void cells_fate(const struct composer *k);

#endif
