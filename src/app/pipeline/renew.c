#include "config.h"

#include "app/pipeline/renew.h"

#include "app/pipeline/seek.h"
#include "app/tab.h"
#include "app/tail.h"
#include "view/pipeline/chain.h"

/* The row under the cursor, by what the file says of it: its number will be another. */
static void remember(struct tab *t)
{
	struct renewal *w = &t->renewal;
	const struct pipeview *v = &t->view;

	w->place = tab_place(t);
	w->line = v->cursor > v->top ? v->cursor - v->top : 0;
	w->left = v->axis.left;
	w->name = (struct item_name){.known = false};
	if (w->here == w->place.item && w->here_name.known)
		w->name = w->here_name;
	else if (t->seen_row == w->place.item && t->seen.count > 0)
		w->name = (struct item_name){
		    .id = t->seen.rows[0].id, .start = t->seen.rows[0].head.start, .known = true};
}

/* ---- rows that the user is to find again ------------------------------------------------- */

typedef void kept_fn(struct tab *t, const struct progress *p, uint64_t *row,
		     struct item_name *name);

static void each_kept(struct tab *t, const struct progress *p, kept_fn *fn)
{
	struct places *at = &t->places;

	for (size_t i = 0; i < at->mark_count; i++)
		fn(t, p, &at->marks[i].at.item, &at->marks[i].at.name);
	for (int i = 0; i < at->jump_count; i++)
		fn(t, p, &at->jumps[i].item, &at->jumps[i].name);
	if (at->has_before)
		fn(t, p, &at->before.item, &at->before.name);
	if (t->selecting)
		fn(t, p, &t->anchor_row, &t->anchor_name);
}

/* What is read while rows are withdrawn is of nobody knows which. */
static void learn(struct tab *t, const struct progress *p, uint64_t *row, struct item_name *name)
{
	struct detail d = {.no_notes = true};
	struct progress now;
	struct error ignored;
	bool read;

	if (name->known || name->stale || *row >= p->rows)
		return;
	read = store_detail(t->store, *row, 1, &d, &ignored) == STATUS_OK && d.count > 0;
	store_progress(t->store, &now);
	if (read && now.withdrawn == t->renewal.seen)
		*name = (struct item_name){
		    .id = d.rows[0].id, .start = d.rows[0].head.start, .known = true};
	detail_free(&d);
}

static void make_stale(struct tab *t, const struct progress *p, uint64_t *row,
		       struct item_name *name)
{
	(void)t;
	(void)p;
	(void)row;
	name->stale = name->known;
}

static void find_again(struct tab *t, const struct progress *p, uint64_t *row,
		       struct item_name *name)
{
	uint64_t from, found;

	if (!name->stale)
		return;
	from = store_row_born_at(t->store, name->start);
	found = from < p->rows ? store_find_id(t->store, name->id, from) : ROW_NONE;
	if (found != ROW_NONE) {
		*row = found;
	} else if (!p->complete && p->rows <= t->renewal.rows) {
		t->renewal.searching = true; /* perhaps it is still to come */
		return;
	}
	name->known = found != ROW_NONE;
	name->stale = false;
}

/* Not everything that is on the screen describes the row of the cursor: a selection does not. */
static void learn_cursor(struct tab *t, const struct progress *p)
{
	struct renewal *w = &t->renewal;
	uint64_t row = tab_place(t).item;

	if (tab_live(t) == LIVE_FOLLOWING) /* it stays at the newest row, whichever that is */
		return;
	if (row != w->here)
		w->here_name = (struct item_name){.known = false};
	w->here = row;
	learn(t, p, &w->here, &w->here_name);
}

void renewal_learn(struct tab *t)
{
	struct progress p;

	if (!store_is_live(t->store))
		return;
	store_progress(t->store, &p);
	if (p.withdrawn != t->renewal.seen)
		return;
	each_kept(t, &p, learn);
	learn_cursor(t, &p);
}

/* ---- renewal ----------------------------------------------------------------------------- */

/* The rows that there are; those that come are added as always. */
static void filter_again(struct tab *t)
{
	const struct row_choice *c = &t->choice;
	const struct filter_spec spec = {.text = c->text,
					 .invert = c->invert,
					 .fates = c->fates,
					 .no_micro_ops = c->no_micro_ops,
					 .threads = c->threads,
					 .thread_count = c->thread_count};
	const atomic_bool never = false;
	struct error ignored;
	bool had = t->filter != NULL;

	t->view.filter = NULL;
	filter_free(t->filter);
	t->filter = NULL;
	if (had && filter_new(&t->filter, t->store, &spec, &never, &ignored))
		t->filter = NULL;
	t->view.filter = t->filter;
}

void renewal_begin(struct tab *t, const struct progress *p)
{
	struct renewal *w = &t->renewal;

	w->seen = p->withdrawn;
	t->paused = t->follow && tab_live(t) == LIVE_PAUSED;
	t->has_stuck = false;
	each_kept(t, p, make_stale);
	if (!w->on) {
		remember(t);
		w->rows = t->rows_seen;
		w->on = true;
	}
	w->here_name.known = false;
	w->away = w->place.item != ROW_NONE; /* again, if it is the second time */
	w->hold = clock_ms() + RENEWAL_MS;
	filter_again(t);
	search_free(t->lines);
	t->lines = t->target.lines = NULL; /* n begins anew */
	tally_forget(&t->tally);
	chain_free(t->chain);
	t->chain = NULL;
	t->view.chain = NULL;
	t->has_landed = false;
	t->seen_row = ROW_NONE;
	pipeview_forget(&t->view);
	pipeview_home(&t->view);
}

/* The cursor to a row, at a line of the window. */
static void put_cursor(struct tab *t, uint64_t row, uint64_t line, int64_t tick)
{
	struct pipeview *v = &t->view;
	uint64_t index = pipeview_index(v, row);

	v->top = (index - (line < index ? line : index)) >> v->row_zoom << v->row_zoom;
	pipeview_goto(v, row, tick);
}

bool renewal_filter(struct tab *t)
{
	const atomic_bool never = false;
	struct pipeview *v = &t->view;
	uint64_t turned = filter_turned(t->filter);
	uint64_t line = v->cursor > v->top ? v->cursor - v->top : 0;
	struct place place = tab_place(t);
	bool following = tab_live(t) == LIVE_FOLLOWING;

	if (filter_extend(t->filter, &never, NULL) || filter_turned(t->filter) == turned)
		return false;
	tally_forget(&t->tally);
	pipeview_forget(v);
	if (place.item != ROW_NONE)
		put_cursor(t, place.item, line, place.tick);
	else
		pipeview_home(v);
	t->has_stuck = t->has_stuck && !following;
	if (following)
		tab_stick(t);
	tab_track_selection(t);
	return true;
}

/* False: not yet. All that is written comes back, so the row does, but for damage. */
static bool find_row(const struct tab *t, const struct progress *p, uint64_t *row)
{
	const struct renewal *w = &t->renewal;
	const struct item_name *name = &w->name;
	uint64_t from = name->known ? store_row_born_at(t->store, name->start) : 0;

	*row = name->known && from < p->rows ? store_find_id(t->store, name->id, from) : ROW_NONE;
	if (*row != ROW_NONE)
		return true;
	*row = w->place.item;
	return p->complete || (p->rows >= w->rows && *row < p->rows);
}

void renewal_progress(struct tab *t, const struct progress *p)
{
	struct renewal *w = &t->renewal;
	uint64_t row;

	if (w->away && tab_live(t) != LIVE_FOLLOWING && find_row(t, p, &row)) {
		t->view.axis.left = w->left;
		put_cursor(t, row, w->line, w->place.tick);
		w->away = false;
	}
	if (p->rows < w->rows && !p->complete)
		return;
	w->on = w->away = w->searching = false;
	each_kept(t, p, find_again);
	tab_track_selection(t);
}

bool renewal_holds(const struct tab *t)
{
	return t->renewal.on && clock_ms() < t->renewal.hold;
}
