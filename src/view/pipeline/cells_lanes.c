#include "config.h"

#include "view/pipeline/cells_private.h"

/* Stalls are in lane 1 by custom; lanes that the user made show their number. */
enum { STALL_LANE = 1, STALL_HATCH = '=', MANY_LANES_HATCH = '%' };

static uint32_t hatch(unsigned lane)
{
	if (lane == STALL_LANE)
		return STALL_HATCH;
	return lane < 10 ? '0' + lane : MANY_LANES_HATCH;
}

/* Every other cell of a stretch, counted from the trace's beginning: scrolling moves it along. */
static bool is_hatched(const struct composer *k, int64_t column)
{
	const struct axis *a = &k->v->axis;
	int64_t tick = axis_tick_at(a, column), unit = axis_cell(a, a->zoom);

	if (k->per_tick > 1)
		return column % 2 == 1;
	return (tick / unit) % 2 != 0;
}

/* Over the pipeline's own cells: its letter stays, in every other cell a hatch; underlined. */
static void lay_over(const struct composer *k, struct slot *slot, unsigned lane, int64_t column)
{
	slot->attrs |= ATTR_UNDERLINE;
	if (slot->rank == RANK_FILL && is_hatched(k, column))
		slot->cp = hatch(lane);
}

/* Zoomed out a column belongs to the overlay when most of what is in it does. */
static bool has_column(const struct composer *k, const struct slot *slot, int64_t column,
		       int64_t start, int64_t end)
{
	return k->v->axis.zoom <= 0 || cells_overlap(k, column, start, end) * 2 >= slot->weight;
}

void cells_overlay(const struct composer *k, const struct stay *s)
{
	char letter = store_stage(k->v->store, s->stage)->letter;
	enum role role = cells_role(k, s);
	int64_t c0, c1, end = stay_end(k, s), entry = axis_column_of(&k->v->axis, s->start);

	if ((k->v->lanes_hidden >> s->lane & 1) || cells_hidden(k, s->stage))
		return;
	if (end == s->start)
		cells_put(k, entry, THIN_GLYPH, RANK_FILL, cells_role(k, s));
	if (!cells_range(k, s->start, end, &c0, &c1))
		return;
	for (int64_t c = c0; c <= c1; c++) {
		struct slot *slot = &k->slots[c];
		bool first = c == entry && !k->failed;

		if (slot->rank == RANK_EMPTY) {
			cells_put(k, c, (uint8_t)stage_sign(letter, !first),
				  first ? RANK_LETTER : RANK_FILL,
				  first ? role : palette_stay(role));
			slot->attrs |= ATTR_UNDERLINE;
		} else if (has_column(k, slot, c, s->start, end)) {
			lay_over(k, slot, s->lane, c);
			if (cells_marked(k, s))
				slot->role = ROLE_HIGHLIGHT;
		}
	}
}
