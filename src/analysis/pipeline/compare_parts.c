#include "config.h"

#include "analysis/pipeline/compare_private.h"

#include "analysis/pipeline/range.h"
#include "analysis/pipeline/walk.h"

enum { AWAITED = 2 * PATH_REACH }; /* at least PATH_REACH + 1, so that no two share a place */

/* A charge that waits for the row, further down, that decides when the step ends. */
struct awaited {
	uint64_t row;
	int64_t from, to;
	size_t slot;
};

struct charging {
	struct compare *r;
	int side;
	const atomic_bool *stop;
	struct compare_walk walk;
	uint64_t index, to; /* of the next step, and behind the last one */
	struct awaited awaited[AWAITED];
};

/* Ticks [from, to) after the charged ones: a tick goes to where the step was at its end. */
static void charge(struct charging *c, size_t slot, size_t part, int64_t from, int64_t to)
{
	struct compare *r = c->r;
	int64_t cycles;

	if (to <= from)
		return;
	cycles = align_cycles(&r->al->side[c->side], from - 1, to - 1);
	range_add(&r->codes[slot].parts[c->side][part], cycles);
	range_add(&r->totals[c->side][part], cycles);
}

/* The last stay in the pipeline itself up to the commit; stays of them: none. */
static uint32_t last_stay(const struct walk_row *row)
{
	uint32_t last = row->detail->stays;

	for (uint32_t i = 0; i < row->detail->stays; i++)
		if (row->stays[i].lane == 0 && row->stays[i].stage < STAGE_MAX &&
		    !row->stays[i].behind)
			last = i;
	return last;
}

/*
 * [from, to) by the stages that the row was in; each tick once. A row that commits then (`ends`)
 * does so from its last stage, be it that of commit, without length, or one that ends there.
 */
static void charge_stays(struct charging *c, size_t slot, const struct walk_row *row, int64_t from,
			 int64_t to, bool ends)
{
	const size_t other = c->r->stages + COMPARE_OTHER;
	const uint32_t last = last_stay(row);

	for (uint32_t i = 0; i < row->detail->stays && from < to; i++) {
		const struct stay *s = &row->stays[i];
		int64_t end = ends && i == last ? to : earlier(walk_stay_end(row, s, to), to);

		if (s->lane != 0 || s->stage >= STAGE_MAX || end <= from || s->start >= to)
			continue;
		charge(c, slot, other, from, earlier(s->start, end));
		from = later(from, s->start);
		charge(c, slot, c->r->part_of[c->side][s->stage], from, end);
		from = later(from, end);
	}
	charge(c, slot, other, from, to);
}

static void charge_step(struct charging *c, const struct compare_charge *x,
			const struct walk_row *row)
{
	const struct path_step *s = &x->step;
	int64_t from = x->from + 1, to = x->to + (x->to < INT64_MAX), mine;

	if (x->to <= x->from)
		return;
	charge(c, x->slot, c->r->stages + COMPARE_NOT_FETCHED, from, earlier(s->start, to));
	from = earlier(later(from, s->start), to);
	mine = s->last == s->row ? to : later(from, earlier(to, s->born));
	charge_stays(c, x->slot, row, from, mine, s->last == s->row);
	if (mine < to)
		c->awaited[s->last % AWAITED] = (struct awaited){s->last, mine, to, x->slot};
}

static bool charge_row(void *arg, const struct walk_row *row)
{
	struct charging *c = arg;
	uint64_t number = row->detail->head.row;
	struct awaited *w = &c->awaited[number % AWAITED];
	struct compare_charge x;

	if (w->row == number && w->to > w->from) {
		charge_stays(c, w->slot, row, w->from, w->to, true);
		w->to = w->from;
	}
	if (c->index < c->to && path_has(c->walk.at.path, number) &&
	    compare_walk_step(&c->walk, c->index, &x)) {
		charge_step(c, &x, row);
		c->index++;
	}
	return !(c->stop && *c->stop);
}

enum status compare_charge_parts(struct compare *r, int side, struct align_ticks range,
				 const struct compare_part_walk *x, const atomic_bool *stop,
				 struct error *e)
{
	struct charging c = {.r = r, .side = side, .stop = stop, .index = x->from, .to = x->to};
	struct store *store = r->al->side[side].store;
	uint64_t from, to, rows = store_row_count(store);
	enum status status;

	if (x->from >= x->to)
		return STATUS_OK;
	if (!compare_walk_new(&c.walk, r, side, range))
		return error_no_memory(e);
	c.walk.reached = x->reached;
	from = path_row(c.walk.at.path, x->from);
	to = path_row(c.walk.at.path, x->to - 1) + 1;
	to = rows - to > PATH_REACH ? to + PATH_REACH : rows;
	status = walk_rows(store, from, to, WALK_STAYS, charge_row, &c, e);
	path_cursor_free(&c.walk.at);
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	return status;
}
