#include "config.h"

#include "view/pipeline/cells_private.h"

/* What a sign of a fate is where the terminal has more than ASCII; grid.c knows the way back. */
enum { SQUASHED_GLYPH = 0xd7, DROPPED_GLYPH = 0xac };

enum { STALL_GLYPH = '-' };

static enum role event_role(const struct composer *k, unsigned event)
{
	return (enum role)(ROLE_EVENT_0 + store_event(k->v->store, event)->colour % PALETTE_EVENTS);
}

static bool is_highlighted(const struct composer *k, unsigned event)
{
	const struct highlight *h = &k->v->highlight;

	return h->kind == HIGHLIGHT_EVENT && h->what == event;
}

/*
 * Problems stand where they were noted, over the letter; other events (and magnified, all of
 * them) beside it, where there is a place, unless highlighted.
 */
void cells_events(const struct composer *k, const struct stay *s)
{
	int64_t column = cells_entry(k, s);
	int at = cells_name_width(k, s), last = k->per_tick - 1;

	if (cells_hidden(k, s->stage))
		return;
	for (size_t i = 0; i < k->order->count; i++) {
		unsigned event = k->order->event[i];
		int rank = RANK_EVENT + EVENT_MAX - 1 - (int)i;
		enum role role = event_role(k, event);

		if (!(s->events >> event & 1))
			continue;
		if (is_highlighted(k, event)) {
			rank = RANK_HIGHLIGHT;
			role = ROLE_HIGHLIGHT;
		} else if (!(k->order->problems >> event & 1)) {
			if (k->per_tick == 1)
				continue;
			rank = RANK_BESIDE;
			role = stay_end(k, s) > s->start ? cells_role(k, s) : role;
		}
		cells_put(k, column + (at < last ? at : last),
			  (uint8_t)store_event(k->v->store, event)->letter, rank, role);
		at++;
	}
}

/* The event that a stay's latency colours: the format's word, or the rarest that lasts. */
static int colour_event(const struct composer *k, const struct stay *s)
{
	if (s->colour)
		return __builtin_ctz(s->colour);
	if (s->latency >= 0 || store_stage(k->v->store, s->stage)->role != ROLE_EXECUTE)
		return -1;
	return event_to_show(k->order, s->events & k->order->lasting);
}

/*
 * Misses over their latency. A fetch is noted when the stall is over, so its latency lies
 * before it; others look forward and are predictions, clipped to the stay (formats,
 * pipetrace 5.3-5.5). A format without latencies gives the whole stay in execution.
 */
void cells_latency(const struct composer *k, const struct stay *s)
{
	int event = colour_event(k, s);
	bool back = store_stage(k->v->store, s->stage)->role == ROLE_FETCH;
	int64_t from = s->start, to = stay_end(k, s), c0, c1;

	if (event < 0 || cells_hidden(k, s->stage) || s->latency == 0)
		return;
	if (back) {
		to = from;
		from = tick_sub(from, s->latency > 0 ? s->latency : 0);
	} else if (s->latency > 0 && tick_add(from, s->latency) < to) {
		to = tick_add(from, s->latency);
	}
	if (!cells_range(k, from, to, &c0, &c1))
		return;
	for (int64_t c = c0; c <= c1; c++) {
		if (k->slots[c].rank == RANK_EMPTY)
			cells_put(k, c, STALL_GLYPH, RANK_STALL, event_role(k, (unsigned)event));
		else if (cells_overlap(k, c, from, to) * 2 >= k->slots[c].weight &&
			 k->slots[c].role != ROLE_HIGHLIGHT && !back)
			k->slots[c].role = (uint8_t)event_role(k, (unsigned)event);
	}
}

/* The end of a row that did not commit, and the beginning of one whose birth is not known. */
void cells_fate(const struct composer *k)
{
	const struct highlight *h = &k->v->highlight;
	const struct row *r = &k->row->row->head;
	bool marked = h->kind == HIGHLIGHT_FATE && h->what == r->fate;
	int64_t at = r->end == TICK_NONE ? k->open_end : r->end;
	uint32_t glyph = fate_sign(r->fate % FATE_COUNT);
	enum role role = r->fate == FATE_UNKNOWN ? ROLE_UNKNOWN : ROLE_SQUASHED;

	if (r->fate == FATE_UNKNOWN)
		at = r->start;
	if (marked) {
		int64_t column = axis_column_of(&k->v->axis, at);

		if (glyph == ' ' && column >= 0 && column < k->v->axis.columns)
			glyph = k->slots[column].rank ? k->slots[column].cp : ' ';
		cells_put(k, column, glyph, RANK_HIGHLIGHT, ROLE_HIGHLIGHT);
	} else if (r->fate != FATE_COMMITTED) {
		cells_put(k, axis_column_of(&k->v->axis, at), glyph,
			  r->fate == FATE_UNKNOWN ? RANK_FILL : RANK_FATE, role);
	}
}

int event_to_show(const struct event_order *order, unsigned events)
{
	for (size_t i = 0; i < order->count; i++)
		if ((events & order->problems) >> order->event[i] & 1)
			return order->event[i];
	return -1;
}

uint32_t fate_sign(int fate)
{
	switch (fate) {
	case FATE_SQUASHED:
		return SQUASHED_GLYPH;
	case FATE_DROPPED:
		return DROPPED_GLYPH;
	default:
		return (uint8_t)fate_letters[fate];
	}
}

int fate_to_show(const struct totals *t, unsigned fates)
{
	static const enum fate kinds[] = {FATE_SQUASHED, FATE_LOST};
	int best = -1;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((fates >> kinds[i] & 1) && (best < 0 || t->fates[kinds[i]] < t->fates[best]))
			best = (int)kinds[i];
	return best;
}
