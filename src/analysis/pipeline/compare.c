#include "config.h"

#include "analysis/pipeline/compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare_private.h"
#include "analysis/pipeline/range.h"

static const char *const part_names[COMPARE_PARTS] = {
#define PART_NAME(part, name) name,
    COMPARE_PART_INFO(PART_NAME)
#undef PART_NAME
};

enum extreme { LOST, GAINED };

/* ---- the steps of a side, charged --------------------------------------------------------- */

bool compare_walk_new(struct compare_walk *w, const struct compare *r, int side,
		      struct align_ticks range)
{
	*w = (struct compare_walk){
	    .r = r, .side = side, .range = range, .reached = align_whole(&r->al->side[side]).from};
	return path_cursor_new(&w->at, r->al->side[side].path);
}

bool compare_walk_step(struct compare_walk *w, uint64_t index, struct compare_charge *out)
{
	const struct path_step *s = path_at(&w->at, index);

	if (!s)
		return false;
	*out = (struct compare_charge){
	    .step = *s,
	    .slot = compare_slot_of(w->r, w->side, s->code),
	    .from = later(w->reached, w->range.from),
	    .reached = later(w->reached, s->end),
	};
	out->to = earlier(out->reached, w->range.to);
	w->reached = out->reached;
	return true;
}

/* ---- what each instruction is charged ----------------------------------------------------- */

/* A walk along both paths at once. */
struct weighing {
	struct compare *r;
	const atomic_bool *stop;
	struct align_ticks whole[ALIGN_SIDES];
	struct compare_walk walk[ALIGN_SIDES];
	struct compare_part_walk part[ALIGN_SIDES]; /* what is charged or counted */
};

/* Does the charge end in the range? What costs nothing at a cut is before it. */
static bool ends_inside(const struct weighing *w, int side, const struct compare_charge *x)
{
	const struct align_ticks *range = &w->walk[side].range, *whole = &w->whole[side];

	return (range->from <= whole->from || x->reached > range->from) &&
	       (range->to >= whole->to || x->reached <= range->to);
}

/* The next step of a side; false: there is none. */
static bool next_charge(struct weighing *w, int side, uint64_t index, struct compare_charge *out)
{
	int64_t before = w->walk[side].reached;
	struct compare_part_walk *part = &w->part[side];

	if ((w->stop && *w->stop) || !compare_walk_step(&w->walk[side], index, out))
		return false;
	if (out->to > out->from || ends_inside(w, side, out)) {
		if (part->from == part->to)
			*part = (struct compare_part_walk){index, index, before};
		part->to = index + 1;
	}
	return true;
}

static int64_t cycles_of(const struct weighing *w, int side, const struct compare_charge *x)
{
	return x->to > x->from ? align_cycles(&w->r->al->side[side], x->from, x->to) : 0;
}

static void add_charge(struct weighing *w, int side, const struct compare_charge *x, bool inside)
{
	struct compare *r = w->r;
	int64_t cycles = cycles_of(w, side, x);

	range_add(&r->codes[x->slot].cycles[side], cycles);
	range_add(&r->cycles[side], cycles);
	if (!inside)
		return;
	r->codes[x->slot].count[side]++;
	r->steps[side]++;
	r->rows[side] += x->step.rows;
}

static void note(struct weighing *w, size_t slot, uint64_t a, uint64_t b, int64_t delta)
{
	struct compare_worst *extreme = w->r->codes[slot].extreme;
	bool first =
	    extreme[LOST].row[ALIGN_A] == ROW_NONE && extreme[LOST].row[ALIGN_B] == ROW_NONE;

	if (first || delta > extreme[LOST].delta)
		extreme[LOST] = (struct compare_worst){{a, b}, delta};
	if (first || delta < extreme[GAINED].delta)
		extreme[GAINED] = (struct compare_worst){{a, b}, delta};
}

/* Steps [from, to) that only this side has. */
static void weigh_gap(struct weighing *w, int side, uint64_t from, uint64_t to)
{
	struct compare_charge x;

	for (; from < to && next_charge(w, side, from, &x); from++) {
		bool inside = ends_inside(w, side, &x);
		int64_t cycles = cycles_of(w, side, &x);

		add_charge(w, side, &x, inside);
		if (!inside && !cycles)
			continue;
		if (side == ALIGN_A)
			note(w, x.slot, x.step.row, ROW_NONE, -cycles);
		else
			note(w, x.slot, ROW_NONE, x.step.row, cycles);
	}
}

static void weigh_pair(struct weighing *w, const struct compare_charge *a,
		       const struct compare_charge *b)
{
	bool inside = ends_inside(w, ALIGN_A, a);
	int64_t cycles_a = cycles_of(w, ALIGN_A, a), cycles_b = cycles_of(w, ALIGN_B, b);

	add_charge(w, ALIGN_A, a, inside);
	add_charge(w, ALIGN_B, b, inside);
	w->r->pairs += inside;
	if (inside)
		w->r->matched += a->step.rows < b->step.rows ? a->step.rows : b->step.rows;
	if (!inside && !cycles_a && !cycles_b)
		return;
	note(w, b->slot, a->step.row, b->step.row, cycles_b - (a->slot == b->slot ? cycles_a : 0));
	if (a->slot != b->slot) /* of a chosen pair the code may differ */
		note(w, a->slot, a->step.row, b->step.row, -cycles_a);
}

static void weigh_all(struct weighing *w)
{
	const struct align *al = w->r->al;
	uint64_t next[ALIGN_SIDES] = {0, 0};

	for (size_t i = 0; i < al->diff.runs.count; i++) {
		const struct run *run = &al->diff.runs.data[i];
		struct compare_charge a, b;

		weigh_gap(w, ALIGN_A, next[ALIGN_A], run->a);
		weigh_gap(w, ALIGN_B, next[ALIGN_B], run->b);
		for (uint64_t k = 0; k < run->length; k++)
			if (next_charge(w, ALIGN_A, run->a + k, &a) &&
			    next_charge(w, ALIGN_B, run->b + k, &b))
				weigh_pair(w, &a, &b);
		next[ALIGN_A] = run->a + run->length;
		next[ALIGN_B] = run->b + run->length;
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		weigh_gap(w, s, next[s], path_count(al->side[s].path));
}

/* What comes behind the last commit; the cycle that the last tick lies in counts as a whole. */
static void charge_tail(struct weighing *w, int side)
{
	const struct align_ticks *range = &w->walk[side].range, *whole = &w->whole[side];
	const bool ends = range->to >= whole->to;
	int64_t from = later(w->walk[side].reached, range->from);
	int64_t to = earlier(whole->to, range->to), cycles;

	if (to <= from)
		return;
	cycles = align_cycles(&w->r->al->side[side], from, ends ? to - 1 : to);
	range_add(&cycles, ends);
	range_add(&w->r->totals[side][w->r->stages + COMPARE_TAIL], cycles);
	range_add(&w->r->cycles[side], cycles);
}

/* From the first step of A that is charged on, if it is not behind the range. */
static enum status find_first(struct weighing *w, bool whole, struct error *e)
{
	const struct align *al = w->r->al;
	const uint64_t from[ALIGN_SIDES] = {w->part[ALIGN_A].from, w->part[ALIGN_B].from};
	struct difference *found = &w->r->first;
	enum status status;
	struct differ d;

	*found = (struct difference){.row = {ROW_NONE, ROW_NONE}};
	if (!whole && w->part[ALIGN_A].from == w->part[ALIGN_A].to)
		return STATUS_OK;
	if (!differ_new(&d, al, w->stop))
		return error_no_memory(e);
	status = differ_from(&d, whole ? (uint64_t[]){0, 0} : from, found, e);
	differ_free(&d);
	for (int s = 0; s < ALIGN_SIDES && !whole; s++)
		if (found->row[s] != ROW_NONE &&
		    path_rank(al->side[s].path, found->row[s]) >= w->part[s].to)
			*found = (struct difference){.row = {ROW_NONE, ROW_NONE}};
	return status;
}

static enum status weigh(struct compare *r, const struct align_ticks *range,
			 const atomic_bool *stop, struct error *e)
{
	struct align_ticks ranges[ALIGN_SIDES] = {{INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX}};
	struct weighing w = {.r = r, .stop = stop};
	enum status status = STATUS_OK;
	bool ok = true;

	if (range) {
		ranges[ALIGN_A] = *range;
		ok = align_cut(r->al, ALIGN_A, range->from, &ranges[ALIGN_B].from, stop) &&
		     align_cut(r->al, ALIGN_A, range->to, &ranges[ALIGN_B].to, stop);
	}
	for (int s = 0; s < ALIGN_SIDES; s++) {
		w.whole[s] = align_whole(&r->al->side[s]);
		ok = compare_walk_new(&w.walk[s], r, s, ranges[s]) && ok;
	}
	if (ok)
		weigh_all(&w);
	for (int s = 0; s < ALIGN_SIDES && ok; s++)
		charge_tail(&w, s);
	for (int s = 0; s < ALIGN_SIDES && ok && !status; s++)
		status = compare_charge_parts(r, s, ranges[s], &w.part[s], stop, e);
	if (ok && !status)
		status = find_first(&w, !range, e);
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&w.walk[s].at);
	return ok ? status : error_no_memory(e);
}

/* ---- the lines ---------------------------------------------------------------------------- */

/* The stages of A, then those that only B has. */
static void name_parts(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct align_side *side = &r->al->side[s];
		size_t count = store_stage_count(side->store);

		for (size_t i = 0; i < count && i < STAGE_MAX; i++) {
			r->part_of[s][i] = side->stage_of[i];
			if (side->stage_of[i] != STAGE_NONE && s != ALIGN_A)
				continue;
			r->part_of[s][i] = (uint8_t)r->stages;
			r->part_names[r->stages++] = store_stage(side->store, i)->name;
		}
	}
	memcpy(r->part_names + r->stages, part_names, sizeof(part_names));
	r->parts = r->stages + COMPARE_PARTS;
}

static bool make_lines(struct compare *r)
{
	const struct compare_worst none = {{ROW_NONE, ROW_NONE}, 0};
	int64_t *cell;

	r->cells = calloc((r->slot_count + 1) * ALIGN_SIDES, r->parts * sizeof(*r->cells));
	r->codes = calloc(r->slot_count, sizeof(*r->codes));
	cell = r->cells;
	if (!r->cells || !r->codes)
		return false;
	for (int s = 0; s < ALIGN_SIDES; s++, cell += r->parts)
		r->totals[s] = cell;
	for (size_t i = 0; i < r->slot_count; i++) {
		r->codes[i].extreme[LOST] = r->codes[i].extreme[GAINED] = none;
		for (int s = 0; s < ALIGN_SIDES; s++, cell += r->parts) {
			r->codes[i].parts[s] = cell;
			r->codes[i].code[s] = CODE_NONE;
		}
	}
	return true;
}

/* pc and text of a line: A's where A has it. */
static void describe(const struct compare *r, const struct compare_code *c, uint64_t *pc,
		     bool *has_pc, const char **text, size_t *len)
{
	int side = c->code[ALIGN_A] != CODE_NONE ? ALIGN_A : ALIGN_B;

	*pc = 0, *has_pc = false, *text = "", *len = 0;
	store_code(r->al->side[side].store, c->code[side], pc, has_pc, text, len);
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_name(const struct compare *r, const struct compare_code *x,
		   const struct compare_code *y)
{
	const char *text_x, *text_y;
	size_t len_x, len_y;
	uint64_t pc_x, pc_y;
	bool has_pc;
	int order;

	describe(r, x, &pc_x, &has_pc, &text_x, &len_x);
	describe(r, y, &pc_y, &has_pc, &text_y, &len_y);
	if (pc_x != pc_y)
		return by_number(pc_x, pc_y);
	order = memcmp(text_x, text_y, len_x < len_y ? len_x : len_y);
	return order ? order : by_number(len_x, len_y);
}

/* Most cycles lost first; then pc and text, so that equal costs have one order everywhere. */
static int by_loss(const void *a, const void *b, void *result)
{
	const struct compare_code *x = a, *y = b;
	int64_t lost_x = compare_delta(x), lost_y = compare_delta(y);

	return lost_x != lost_y ? (lost_x > lost_y ? -1 : 1) : by_name(result, x, y);
}

/* Whatever the range. The last one, of all whose text is not kept, has no name. */
static void name_lines(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (size_t i = r->al->side[s].codes; i-- > 0;)
			r->codes[r->slot_of[s][i]].code[s] = (uint32_t)i;
}

/* Those of which there is anything, in their order. */
static void collect(struct compare *r)
{
	for (size_t i = 0; i < r->slot_count; i++) {
		struct compare_code *c = &r->codes[i];

		if (!compare_has(c, ALIGN_A) && !compare_has(c, ALIGN_B))
			continue;
		c->worst = c->extreme[compare_delta(c) < 0 ? GAINED : LOST];
		r->codes[r->code_count++] = *c;
	}
	qsort_r(r->codes, r->code_count, sizeof(*r->codes), by_loss, r);
}

enum status compare_new(struct compare *out, const struct align *al,
			const struct align_ticks *range, const atomic_bool *stop, struct error *e)
{
	enum status status;

	*out = (struct compare){.al = al};
	name_parts(out);
	status = compare_slots(out, stop, e);
	if (!status && !make_lines(out))
		status = error_no_memory(e);
	if (!status) {
		name_lines(out);
		status = weigh(out, range, stop, e);
	}
	if (!status && stop && *stop)
		status = error_set(e, STATUS_INTERRUPTED, "interrupted");
	if (status)
		compare_free(out);
	else
		collect(out);
	return status;
}

void compare_free(struct compare *r)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(r->slot_of[s]);
	free(r->cells);
	free(r->codes);
	*r = (struct compare){0};
}
