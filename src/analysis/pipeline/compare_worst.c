#include "config.h"

#include "analysis/pipeline/compare_worst.h"

#include <stdlib.h>

#include "analysis/pipeline/compare_private.h"

/* The walk along both paths at once; what has been reached on each side so far. */
struct weighing {
	const struct compare *r;
	const atomic_bool *stop;
	struct compare_stretch stretch[ALIGN_SIDES];
	struct path_cursor at[ALIGN_SIDES];
	int64_t reached[ALIGN_SIDES];
	uint32_t *line_of_slot; /* number of the slot's line; none: the number of lines */
	struct compare_worst *worst;
};

/* One step of a side, charged. */
struct weighed {
	size_t line;
	uint64_t row;
	int64_t cycles;
	bool inside;
};

/* Ticks (from, to] as compare.h charges them: those of the stretch, in cycles. */
static int64_t cycles_charged(const struct align_side *side, const struct compare_stretch *x,
			      int64_t from, int64_t to)
{
	from = from > x->tick0 ? from : x->tick0;
	to = to < x->tick1 ? to : x->tick1;
	return to <= from ? 0 : compare_cycles(side, from, to);
}

/* The next step of a side; false: there is none. */
static bool weigh_step(struct weighing *w, int side, uint64_t index, struct weighed *out)
{
	const struct path_step *s = path_at(&w->at[side], index);
	const struct compare_stretch *x = &w->stretch[side];
	int64_t from = w->reached[side];

	if (!s)
		return false;
	if (s->end > from)
		w->reached[side] = s->end;
	out->line = w->line_of_slot[compare_slot_of(w->r, side, index, s->code)];
	out->row = s->row;
	out->inside = index >= x->from && index < x->to;
	out->cycles = out->inside ? cycles_charged(&w->r->al->side[side], x, from, w->reached[side])
				  : 0;
	return true;
}

static void note(struct weighing *w, size_t line, uint64_t a, uint64_t b, int64_t delta)
{
	struct compare_worst *worst;
	bool gained;

	if (line >= w->r->code_count)
		return;
	worst = &w->worst[line];
	gained = compare_delta(&w->r->codes[line]) < 0;
	if ((worst->row[ALIGN_A] == ROW_NONE && worst->row[ALIGN_B] == ROW_NONE) ||
	    (gained ? delta < worst->delta : delta > worst->delta))
		*worst = (struct compare_worst){{a, b}, delta};
}

/* Steps [from, to) that only this side has. */
static void weigh_gap(struct weighing *w, int side, uint64_t from, uint64_t to)
{
	struct weighed s;

	for (; from < to && !(w->stop && *w->stop) && weigh_step(w, side, from, &s); from++) {
		if (!s.inside)
			continue;
		if (side == ALIGN_A)
			note(w, s.line, s.row, ROW_NONE, -s.cycles);
		else
			note(w, s.line, ROW_NONE, s.row, s.cycles);
	}
}

static void weigh_run(struct weighing *w, const struct run *run)
{
	struct weighed a, b;

	for (uint64_t k = 0; k < run->length && !(w->stop && *w->stop); k++) {
		if (!weigh_step(w, ALIGN_A, run->a + k, &a) ||
		    !weigh_step(w, ALIGN_B, run->b + k, &b))
			return;
		if (!a.inside && !b.inside)
			continue;
		note(w, b.line, a.row, b.row, b.cycles - (a.line == b.line ? a.cycles : 0));
		if (a.line != b.line) /* of a chosen pair the code may differ */
			note(w, a.line, a.row, b.row, -a.cycles);
	}
}

static void weigh_all(struct weighing *w)
{
	const struct align *al = w->r->al;
	uint64_t next[ALIGN_SIDES] = {0, 0};

	for (size_t i = 0; i < al->diff.runs.count; i++) {
		const struct run *run = &al->diff.runs.data[i];

		weigh_gap(w, ALIGN_A, next[ALIGN_A], run->a);
		weigh_gap(w, ALIGN_B, next[ALIGN_B], run->b);
		weigh_run(w, run);
		next[ALIGN_A] = run->a + run->length;
		next[ALIGN_B] = run->b + run->length;
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		weigh_gap(w, s, next[s], path_count(al->side[s].path));
}

/* A line is a copy of its slot and shares its cells, which lie in the order of the slots. */
static void number_lines(struct weighing *w)
{
	const struct compare *r = w->r;

	for (size_t i = 0; i < r->slot_count; i++)
		w->line_of_slot[i] = (uint32_t)r->code_count;
	for (size_t i = 0; i < r->code_count; i++) {
		size_t cell = (size_t)(r->codes[i].parts[ALIGN_A] - r->cells);

		w->line_of_slot[cell / (r->parts * ALIGN_SIDES)] = (uint32_t)i;
	}
}

static bool prepare(struct weighing *w)
{
	const struct compare *r = w->r;
	bool ok;

	w->line_of_slot = calloc(r->slot_count + 1, sizeof(*w->line_of_slot));
	w->worst = calloc(r->code_count + 1, sizeof(*w->worst));
	ok = w->line_of_slot && w->worst;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct progress p;

		store_progress(r->al->side[s].store, &p);
		w->reached[s] = p.first;
		ok = path_cursor_new(&w->at[s], r->al->side[s].path) && ok;
	}
	for (size_t i = 0; ok && i < r->code_count; i++)
		w->worst[i] = (struct compare_worst){{ROW_NONE, ROW_NONE}, 0};
	return ok;
}

enum status compare_worst_new(struct compare_worst **out, const struct compare *r,
			      const struct compare_range *range, const atomic_bool *stop,
			      struct error *e)
{
	struct weighing w = {.r = r, .stop = stop};
	enum status status = STATUS_OK;

	if (!prepare(&w)) {
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	} else {
		status = compare_stretches(r, range, w.stretch, stop, e);
		number_lines(&w);
		if (!status)
			weigh_all(&w);
		if (stop && *stop)
			status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&w.at[s]);
	free(w.line_of_slot);
	if (status)
		free(w.worst);
	else
		*out = w.worst;
	return status;
}
