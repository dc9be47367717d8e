#include "config.h"

#include "view/pipeline/cells_private.h"

#include <stdio.h>
#include <string.h>

/* A cycle of this many columns has room for a stage's name, and a count in those that follow. */
enum { NAME_COLUMNS = 4 };

bool cells_marked(const struct composer *k, const struct stay *s)
{
	const struct highlight *h = &k->v->highlight;

	return h->kind == HIGHLIGHT_STAGE && h->what == s->stage;
}

enum role cells_role(const struct composer *k, const struct stay *s)
{
	unsigned colour = store_stage(k->v->store, s->stage)->colour;

	if (cells_marked(k, s))
		return ROLE_HIGHLIGHT;
	if (cells_hidden(k, s->stage))
		return ROLE_DIM;
	if (k->failed)
		return ROLE_SQUASHED;
	if (k->v->colour_by == COLOUR_BY_THREAD && k->row->row->head.thread)
		colour = k->row->row->head.thread - 1u;
	return (enum role)(ROLE_STAGE_0 + colour % PALETTE_STAGES);
}

int64_t cells_overlap(const struct composer *k, int64_t column, int64_t start, int64_t end)
{
	int64_t c0 = axis_tick_at(&k->v->axis, column), c1;

	c1 = tick_add(c0, axis_cell(&k->v->axis, k->v->axis.zoom));
	return tick_sub(end < c1 ? end : c1, start > c0 ? start : c0);
}

bool cells_range(const struct composer *k, int64_t start, int64_t end, int64_t *c0, int64_t *c1)
{
	if (end <= start || end <= k->v->axis.left || start >= k->window_end)
		return false;
	*c0 = start <= k->v->axis.left ? 0 : axis_column_of(&k->v->axis, start);
	*c1 = end >= k->window_end ? k->v->axis.columns - 1
				   : axis_column_of(&k->v->axis, end - 1) + k->per_tick - 1;
	if (*c1 >= k->v->axis.columns)
		*c1 = k->v->axis.columns - 1;
	return true;
}

/* Stays without length at the same tick before this one: its letter moves over for them. */
static int64_t letter_shift(const struct composer *k, const struct stay *s)
{
	const struct stay *first = &k->row->detail->stays[k->row->row->stay0];
	int64_t shift = 0;

	for (; s > first && s[-1].start == s->start && shift < k->per_tick - 1; s--)
		shift += s[-1].lane == s->lane;
	return k->per_tick > 1 ? shift : 0;
}

int64_t cells_entry(const struct composer *k, const struct stay *s)
{
	return axis_column_of(&k->v->axis, s->start) + letter_shift(k, s);
}

int cells_name_width(const struct composer *k, const struct stay *s)
{
	int room = k->per_tick - 1 - (int)letter_shift(k, s), width;

	if (k->per_tick < NAME_COLUMNS || room < 2 || stay_end(k, s) <= s->start)
		return 1;
	width = (int)strlen(store_stage(k->v->store, s->stage)->name);
	/* a name that is not plain ASCII would need its widths */
	for (const char *p = store_stage(k->v->store, s->stage)->name; *p; p++)
		if (*p <= ' ' || *p > '~')
			return 1;
	return width < room ? width : room;
}

/* The name in the first cycle where there is room, then the count of cycles, as far as it fits. */
static void write_name(const struct composer *k, const struct stay *s, int64_t c0, int64_t c1)
{
	const char *name = store_stage(k->v->store, s->stage)->name;
	int width = cells_name_width(k, s);
	int64_t entry = cells_entry(k, s), column = axis_column_of(&k->v->axis, s->start);
	char count[24];

	if (k->per_tick < NAME_COLUMNS || cells_hidden(k, s->stage))
		return;
	for (int i = 0; width > 1 && i < width; i++)
		if (entry + i >= c0 && entry + i <= c1 && k->slots[entry + i].rank <= RANK_LETTER)
			k->slots[entry + i].cp =
			    (uint8_t)(k->failed ? stage_sign(name[i], true) : name[i]);
	for (int64_t n = c0 > column ? (c0 - column) / k->per_tick : 1;; n++) {
		int64_t at = column + n * k->per_tick;
		int digits;

		if (at > c1)
			return;
		digits = snprintf(count, sizeof(count), "%lld", (long long)n);
		for (int i = 0; n > 0 && digits < k->per_tick && i < digits; i++)
			if (at + i >= c0 && at + i <= c1 && k->slots[at + i].rank == RANK_FILL)
				k->slots[at + i].cp = (uint8_t)count[i];
	}
}

/*
 * Fill the stay's cells. Where a column holds several stays the one with most ticks in it
 * has the cell, or one in the highlighted stage; a capital in the stage's colour marks the column
 * of entry, small letters in its shade go on.
 */
static void draw_stay(const struct composer *k, const struct stay *s)
{
	char letter = store_stage(k->v->store, s->stage)->letter;
	enum role role = cells_role(k, s);
	int64_t c0, c1, end = stay_end(k, s), entry = -1, first_end = -1;
	bool entered = s->start < k->v->axis.left; /* zoomed out: the first cell it has counts */

	if (!cells_range(k, s->start, end, &c0, &c1))
		return;
	if (!entered) {
		entry = cells_entry(k, s);
		first_end = axis_column_of(&k->v->axis, s->start) + k->per_tick;
	}
	for (int64_t c = c0; c <= c1; c++) {
		struct slot *slot = &k->slots[c];
		int64_t weight = cells_overlap(k, c, s->start, end);

		if (slot->rank != RANK_EMPTY && role != ROLE_HIGHLIGHT &&
		    (slot->role == ROLE_HIGHLIGHT || weight <= slot->weight))
			continue;
		if (k->v->axis.zoom > 0 && !entered)
			entry = c;
		entered = true;
		slot->weight = weight;
		slot->rank = c == entry ? RANK_LETTER : RANK_FILL;
		slot->role = (uint8_t)(c == entry || c < first_end ? role : palette_stay(role));
		slot->cp = (uint8_t)stage_sign(letter, c != entry || k->failed);
		if (cells_hidden(k, s->stage))
			slot->cp = HIDDEN_GLYPH;
	}
	write_name(k, s, c0, c1);
}

static bool repeats(const struct composer *k, int64_t column)
{
	return column >= 0 && column < k->v->axis.columns && k->slots[column].rank == RANK_FILL;
}

/*
 * A stay without length whose cell belongs to the letter of another: a thin mark in the cell
 * before when that only repeats a letter. Else the other's letter moves on if its next cell does.
 */
static bool draw_thin(const struct composer *k, int64_t column, enum role role)
{
	if (repeats(k, column - 1)) {
		cells_put(k, column - 1, THIN_GLYPH, RANK_ZERO, role);
		return true;
	}
	if (k->slots[column].rank == RANK_LETTER && repeats(k, column + 1))
		k->slots[column + 1] = k->slots[column];
	else
		k->slots[column].attrs |= ATTR_UNDERLINE; /* there is more than one letter tells */
	return false;
}

static bool commits(const struct composer *k, const struct stay *s)
{
	return store_stage(k->v->store, s->stage)->role == ROLE_COMMIT;
}

/* Is the letter there, for which no room was made, that of a commit? That gives way to nothing. */
static bool kept_by_commit(const struct composer *k, const struct stay *s, int64_t column)
{
	const struct detail_row *r = k->row->row;
	const struct stay *stay = &k->row->detail->stays[r->stay0];

	if (!(k->slots[column].attrs & ATTR_UNDERLINE))
		return false;
	for (uint32_t i = 0; i < r->stays; i++)
		if (&stay[i] != s && stay[i].lane == s->lane && stay[i].start == s->start &&
		    commits(k, &stay[i]))
			return true;
	return false;
}

/* A stay without length takes the cell of its tick, or the whole tick when nobody else does. */
static void draw_moment(const struct composer *k, const struct stay *s)
{
	char letter = store_stage(k->v->store, s->stage)->letter;
	enum role role = cells_role(k, s);
	int64_t column = axis_column_of(&k->v->axis, s->start);
	uint32_t first = (uint8_t)stage_sign(letter, k->failed);
	uint32_t rest = (uint8_t)stage_sign(letter, true);

	if (cells_hidden(k, s->stage))
		first = rest = HIDDEN_GLYPH;
	if (k->v->axis.zoom > 0) {
		cells_put(k, column, first, cells_marked(k, s) ? RANK_ZERO : RANK_FILL, role);
		return;
	}
	if (k->per_tick == 1 && column >= 0 && column < k->v->axis.columns && !cells_marked(k, s) &&
	    k->slots[column].rank >= RANK_LETTER &&
	    (draw_thin(k, column, role) || kept_by_commit(k, s, column)))
		return;
	cells_put(k, cells_entry(k, s), first, RANK_ZERO, role);
	for (int i = 0; i < k->per_tick; i++)
		cells_put(k, column + i, rest, RANK_FILL, role);
}

static void draw_lane(const struct composer *k)
{
	const struct detail_row *r = k->row->row;
	const struct stay *stay = r->stays ? &k->row->detail->stays[r->stay0] : NULL;

	for (uint32_t i = 0; i < r->stays; i++)
		if (stay[i].lane == k->lane)
			draw_stay(k, &stay[i]);
	/* of several in one cycle the commit is seen */
	for (int others = 0; others < 2; others++)
		for (uint32_t i = 0; i < r->stays; i++)
			if (stay[i].lane == k->lane && stay[i].start == stay[i].end &&
			    commits(k, &stay[i]) == !others)
				draw_moment(k, &stay[i]);
}

/* A row that the trace tells no stage of has been there, too; where it lived no time, in its tick. */
static void draw_life(const struct composer *k)
{
	const struct row *r = &k->row->row->head;
	int64_t end = r->end == TICK_NONE ? k->open_end : r->end, c0, c1;

	if (end <= r->start)
		end = tick_add(r->start, 1);
	if (!cells_range(k, r->start, end, &c0, &c1))
		return;
	for (int64_t c = c0; c <= c1; c++)
		cells_put(k, c, LIFE_GLYPH, RANK_FILL, ROLE_DIM);
}

void cells_compose(const struct pipeview *v, const struct row_view *row, int lane,
		   struct slot *slots)
{
	const struct detail_row *r = row->row;
	const struct stay *stay = r->stays ? &row->detail->stays[r->stay0] : NULL;
	struct composer k = {
	    .v = v,
	    .row = row,
	    .order = &v->cache->order,
	    .slots = slots,
	    .window_end = axis_right(&v->axis),
	    .open_end = tick_add(v->axis.last, 1),
	    .failed = fate_failed(r->head.fate),
	    .per_tick = v->axis.zoom < 0 ? 1 << -v->axis.zoom : 1,
	    .lane = lane == CELLS_OVERLAID ? 0 : lane,
	};

	if (v->axis.zoom < 0)
		k.window_end = tick_add(k.window_end, v->axis.step);
	for (int c = 0; c < v->axis.columns; c++)
		slots[c] = (struct slot){' ', RANK_EMPTY, ROLE_TEXT, 0, -1};
	draw_lane(&k);
	if (!r->stays && k.lane == 0)
		draw_life(&k);
	for (uint32_t i = 0; lane == CELLS_OVERLAID && i < r->stays; i++)
		if (stay[i].lane)
			cells_overlay(&k, &stay[i]);
	for (uint32_t i = 0; i < r->stays; i++)
		if (stay[i].lane == k.lane)
			cells_latency(&k, &stay[i]);
	for (uint32_t i = 0; i < r->stays; i++)
		if (stay[i].lane == k.lane)
			cells_events(&k, &stay[i]);
	if (k.lane == 0)
		cells_fate(&k);
}
