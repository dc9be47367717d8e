#include "config.h"

#include "view/pipeview_private.h"

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

/* What a sign of a fate is where the terminal has more than ASCII; grid.c knows the way back. */
enum { SQUASHED_GLYPH = 0xd7, DROPPED_GLYPH = 0xac };

enum { STALL_GLYPH = '-', HIDDEN_GLYPH = '.' };

struct composer {
	const struct pipeview *v;
	const struct row_view *row;
	const struct event_order *order;
	struct slot *slots;
	int64_t window_end; /* first tick right of the window */
	int64_t open_end;   /* end of a stay that is still open */
	bool failed;        /* squashed, dropped or lost */
	int per_tick;       /* columns a tick when magnified, else 1 */
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static void put(const struct composer *k, int64_t column, uint32_t cp, int rank, enum role role)
{
	struct slot *s;

	if (column < 0 || column >= k->v->columns)
		return;
	s = &k->slots[column];
	if (rank > s->rank)
		*s = (struct slot){cp, (uint8_t)rank, (uint8_t)role, s->weight};
}

static bool hidden(const struct composer *k, unsigned stage)
{
	return stage < STAGE_MAX && (k->v->stage_hidden >> stage & 1);
}

static bool stage_marked(const struct composer *k, const struct stay *s)
{
	const struct highlight *h = &k->v->highlight;

	return h->kind == HIGHLIGHT_STAGE && h->what == s->stage && !k->v->flash;
}

static enum role stage_role_of(const struct composer *k, const struct stay *s)
{
	if (stage_marked(k, s))
		return ROLE_HIGHLIGHT;
	if (hidden(k, s->stage))
		return ROLE_DIM;
	if (k->failed)
		return ROLE_SQUASHED;
	return (enum role)(ROLE_STAGE_0 +
			   store_stage(k->v->store, s->stage)->colour % PALETTE_STAGES);
}

static enum role event_role(const struct composer *k, unsigned event)
{
	return (enum role)(ROLE_EVENT_0 + store_event(k->v->store, event)->colour % PALETTE_EVENTS);
}

static int64_t stay_end(const struct composer *k, const struct stay *s)
{
	return s->end == TICK_NONE ? k->open_end : s->end;
}

/* Ticks that [start, end) has inside the column. */
static int64_t overlap(const struct composer *k, int64_t column, int64_t start, int64_t end)
{
	int64_t c0 = pipeview_tick_at(k->v, column), c1;

	c1 = k->v->tick_zoom > 0 ? pipeview_tick_at(k->v, column + 1) : tick_add(c0, 1);
	return tick_sub(end < c1 ? end : c1, start > c0 ? start : c0);
}

/* First and last visible column that meets [start, end); false: none. */
static bool column_range(const struct composer *k, int64_t start, int64_t end, int64_t *c0,
			 int64_t *c1)
{
	if (end <= start || end <= k->v->left || start >= k->window_end)
		return false;
	*c0 = start <= k->v->left ? 0 : pipeview_column_of(k->v, start);
	*c1 = end >= k->window_end ? k->v->columns - 1
				   : pipeview_column_of(k->v, end - 1) + k->per_tick - 1;
	if (*c1 >= k->v->columns)
		*c1 = k->v->columns - 1;
	return true;
}

/* Stays without length at the same tick before this one: its letter moves over for them. */
static int64_t letter_shift(const struct composer *k, const struct stay *s)
{
	const struct stay *first = &k->row->detail->stays[k->row->row->stay0];
	int64_t shift = 0;

	while (s > first && s[-1].start == s->start && shift < k->per_tick - 1) {
		s--;
		shift++;
	}
	return k->per_tick > 1 ? shift : 0;
}

/*
 * Fill the stay's cells. Where a column holds several stays the one with most ticks in it
 * has the cell, or one in the highlighted stage; letters mark the column of entry, lower case
 * goes on.
 */
static void draw_stay(const struct composer *k, const struct stay *s)
{
	char letter = store_stage(k->v->store, s->stage)->letter;
	enum role role = stage_role_of(k, s);
	int64_t c0, c1, end = stay_end(k, s), entry = -1;
	bool entered = s->start < k->v->left; /* zoomed out: the first cell it has counts */

	if (!column_range(k, s->start, end, &c0, &c1))
		return;
	if (!entered)
		entry = pipeview_column_of(k->v, s->start) + letter_shift(k, s);
	for (int64_t c = c0; c <= c1; c++) {
		struct slot *slot = &k->slots[c];
		int64_t weight = overlap(k, c, s->start, end);

		if (slot->rank != RANK_EMPTY && role != ROLE_HIGHLIGHT &&
		    (slot->role == ROLE_HIGHLIGHT || weight <= slot->weight))
			continue;
		if (k->v->tick_zoom > 0 && !entered)
			entry = c;
		entered = true;
		slot->weight = weight;
		slot->rank = c == entry ? RANK_LETTER : RANK_FILL;
		slot->role = (uint8_t)role;
		slot->cp = (uint8_t)(c == entry && !k->failed ? upper(letter) : lower(letter));
		if (hidden(k, s->stage))
			slot->cp = HIDDEN_GLYPH;
	}
}

/* A stay without length takes the cell of its tick, or the whole tick when nobody else does. */
static void draw_moment(const struct composer *k, const struct stay *s)
{
	char letter = store_stage(k->v->store, s->stage)->letter;
	enum role role = stage_role_of(k, s);
	int64_t column = pipeview_column_of(k->v, s->start);
	uint32_t first = (uint8_t)(k->failed ? lower(letter) : upper(letter));
	uint32_t rest = (uint8_t)lower(letter);

	if (hidden(k, s->stage))
		first = rest = HIDDEN_GLYPH;
	if (k->v->tick_zoom > 0) {
		put(k, column, first, stage_marked(k, s) ? RANK_ZERO : RANK_FILL, role);
		return;
	}
	put(k, column + letter_shift(k, s), first, RANK_ZERO, role);
	for (int i = 0; i < k->per_tick; i++)
		put(k, column + i, rest, RANK_FILL, role);
}

static bool is_highlighted(const struct composer *k, unsigned event)
{
	const struct highlight *h = &k->v->highlight;

	return h->kind == HIGHLIGHT_EVENT && h->what == event && !k->v->flash;
}

/*
 * Problems stand where they were noted, over the letter; other events (and magnified, all of
 * them) beside it, where there is a place, unless highlighted.
 */
static void draw_events(const struct composer *k, const struct stay *s)
{
	int64_t column = pipeview_column_of(k->v, s->start);
	int shown = 0;

	if (hidden(k, s->stage))
		return;
	for (size_t i = 0; i < k->order->count; i++) {
		unsigned event = k->order->event[i];
		int rank = RANK_EVENT + EVENT_MAX - 1 - (int)i;
		enum role role = event_role(k, event);
		int beside = shown + 1 < k->per_tick ? shown + 1 : k->per_tick - 1;

		if (!(s->events >> event & 1))
			continue;
		if (is_highlighted(k, event)) {
			rank = RANK_HIGHLIGHT;
			role = ROLE_HIGHLIGHT;
		} else if (!(k->order->problems >> event & 1)) {
			if (k->per_tick == 1)
				continue;
			rank = RANK_BESIDE;
			role = stay_end(k, s) > s->start ? stage_role_of(k, s) : role;
		}
		put(k, column + letter_shift(k, s) + beside,
		    (uint8_t)store_event(k->v->store, event)->letter, rank, role);
		shown++;
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
static void draw_latency(const struct composer *k, const struct stay *s)
{
	int event = colour_event(k, s);
	bool back = store_stage(k->v->store, s->stage)->role == ROLE_FETCH;
	int64_t from = s->start, to = stay_end(k, s), c0, c1;

	if (event < 0 || hidden(k, s->stage) || s->latency == 0)
		return;
	if (back) {
		to = from;
		from = tick_sub(from, s->latency > 0 ? s->latency : 0);
	} else if (s->latency > 0 && tick_add(from, s->latency) < to) {
		to = tick_add(from, s->latency);
	}
	if (!column_range(k, from, to, &c0, &c1))
		return;
	for (int64_t c = c0; c <= c1; c++) {
		if (k->slots[c].rank == RANK_EMPTY)
			put(k, c, STALL_GLYPH, RANK_STALL, event_role(k, (unsigned)event));
		else if (overlap(k, c, from, to) * 2 >= k->slots[c].weight &&
			 k->slots[c].role != ROLE_HIGHLIGHT && !back)
			k->slots[c].role = (uint8_t)event_role(k, (unsigned)event);
	}
}

/* The end of a row that did not commit, and the beginning of one whose birth is not known. */
static void draw_fate(const struct composer *k)
{
	const struct highlight *h = &k->v->highlight;
	const struct row *r = &k->row->row->head;
	bool marked = h->kind == HIGHLIGHT_FATE && h->what == r->fate && !k->v->flash;
	int64_t at = r->end == TICK_NONE ? k->open_end : r->end;
	uint32_t glyph = fate_sign(r->fate % FATE_COUNT);
	enum role role = r->fate == FATE_UNKNOWN ? ROLE_UNKNOWN : ROLE_SQUASHED;

	if (r->fate == FATE_UNKNOWN)
		at = r->start;
	if (marked) {
		int64_t column = pipeview_column_of(k->v, at);

		if (glyph == ' ' && column >= 0 && column < k->v->columns)
			glyph = k->slots[column].rank ? k->slots[column].cp : ' ';
		put(k, column, glyph, RANK_HIGHLIGHT, ROLE_HIGHLIGHT);
	} else if (r->fate != FATE_COMMITTED) {
		put(k, pipeview_column_of(k->v, at), glyph,
		    r->fate == FATE_UNKNOWN ? RANK_FILL : RANK_FATE, role);
	}
}

void cells_compose(const struct pipeview *v, const struct row_view *row, struct slot *slots)
{
	const struct detail_row *r = row->row;
	const struct stay *stay = r->stays ? &row->detail->stays[r->stay0] : NULL;
	struct composer k = {
	    .v = v,
	    .row = row,
	    .order = &v->cache->order,
	    .slots = slots,
	    .window_end = pipeview_tick_at(v, v->columns),
	    .open_end = tick_add(pipeview_extent(v).last, 1),
	    .failed = r->head.fate == FATE_SQUASHED || r->head.fate == FATE_DROPPED ||
		      r->head.fate == FATE_LOST,
	    .per_tick = v->tick_zoom < 0 ? 1 << -v->tick_zoom : 1,
	};

	if (v->tick_zoom < 0)
		k.window_end = tick_add(k.window_end, 1);
	for (int c = 0; c < v->columns; c++)
		slots[c] = (struct slot){' ', RANK_EMPTY, ROLE_TEXT, -1};
	for (uint32_t i = 0; i < r->stays; i++)
		draw_stay(&k, &stay[i]);
	for (uint32_t i = 0; i < r->stays; i++)
		if (stay[i].start == stay[i].end)
			draw_moment(&k, &stay[i]);
	for (uint32_t i = 0; i < r->stays; i++)
		draw_latency(&k, &stay[i]);
	for (uint32_t i = 0; i < r->stays; i++)
		draw_events(&k, &stay[i]);
	draw_fate(&k);
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
