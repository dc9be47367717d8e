/*
 * From a record's ticks to a row.
 */
#include "config.h"

#include "pipeline/formats/o3pipeview.h"

#define TICK_WRAP (INT64_C(1) << 32)

/* A tick nearer to its fetch than this was not wrapped there: the tracer printed nonsense. */
enum { WRAP_LEAST = 1 << 16 };

/*
 * gem5 keeps 32-bit differences to the fetch, so one of 2^31 and more is printed as a tick before
 * it (also below 0, which reads as a number near 2^64).
 */
static int64_t mend(struct row_lexer *lx, const struct row_open *o, int64_t tick)
{
	uint64_t before = (uint64_t)o->row.start - (uint64_t)tick;
	enum bad bad = BAD_EARLY;

	if (tick >= o->row.start && tick < O3_TICK_END)
		return tick;
	if (tick >= O3_TICK_END) {
		bad = BAD_OVERFLOW;
		tick = 0;
	} else if (before >= WRAP_LEAST && before <= UINT64_C(1) << 31) {
		bad = BAD_WRAPPED;
		tick += TICK_WRAP;
	} else {
		tick = 0;
	}
	row_lexer_bad(lx, bad, o->line, o->row.off, o->row.start);
	return tick;
}

void o3_finish(struct row_lexer *lx, struct row_open *o, bool last)
{
	struct text_row *r = &o->row;
	/* whatever tick that is: gem5 prints 0 for those that did not */
	bool known = o->ended, retired = o->tick[O3_RETIRE] != 0;

	r->stays = 0;
	row_enter(lx, r, O3_FETCH, r->start, false);
	for (unsigned i = O3_DECODE; i < O3_TICKS; i++) {
		if (o->tick[i] != 0)
			o->tick[i] = mend(lx, o, o->tick[i]);
		if (o->tick[i] != 0)
			/* issue may be later than complete: a replay overwrote it */
			row_enter(lx, r, i, o->tick[i], i >= O3_STORE);
	}
	row_close(r);
	r->fate = retired ? END_RETIRED : END_FLUSHED;
	if (!retired && !known && last) {
		r->fate = END_BY_STAGES;
		r->end = r->stay[r->stays - 1].end = INT64_MAX;
	} else if (!retired && !known && !o->tagged) {
		row_lexer_bad(lx, BAD_ENDLESS, o->line, r->off, r->start);
	}
	if (lx->any_told && !lx->reread)
		o3_recall(lx, r, o->pc);
	o->used = false;
}
