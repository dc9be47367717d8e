/*
 * What the user set up on the rows of a tab: what n and N walk, the filter, the selection.
 */
#include "config.h"

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "app/tail.h"

enum { LIVES_LOOKED_AT = 65536 };

/* ---- what n and N walk ---- */

void rows_aim(struct tab *t, struct target target)
{
	struct rows *r = rows_of(t);

	if (r->lines != target.lines) {
		search_free(r->lines);
		r->lines = target.lines;
	}
	r->target = target;
	r->walks_path = false;
	tally_forget(&r->tally);
}

enum status rows_aim_lines(struct tab *t, struct error *e)
{
	struct rows *r = rows_of(t);
	struct target target = {.kind = TARGET_LINE, .text = r->search, .row = ROW_NONE};
	struct detail d = {.no_notes = true};
	uint64_t row = pipeview_row(&r->view, r->view.cursor), from = 0;
	enum status status;

	if (row != ROW_NONE && store_detail(r->store, row, 1, &d, e) == STATUS_OK && d.count)
		from = d.rows[0].offset;
	detail_free(&d);
	status = search_new(&target.lines, r->store, r->search, from, e);
	if (!status)
		rows_aim(t, target);
	return status;
}

/* ---- the selection ---- */

/*
 * Whole rows: from the birth of the first to the end of the last of them to end. Lives overlap
 * by what a processor holds in flight, so the last LIVES_LOOKED_AT rows tell that end.
 */
static void ticks_of_rows(const struct rows *r, struct selection *s)
{
	uint64_t row =
	    s->item1 - s->item0 > LIVES_LOOKED_AT ? s->item1 - LIVES_LOOKED_AT : s->item0;
	int64_t first, end;
	struct row one;

	if (!tab_ticks(r->base.tab, &first, &end) || !store_row(r->store, s->item0, &one))
		return;
	s->tick0 = one.start;
	s->tick1 = one.start + 1;
	while (row < s->item1) {
		struct row batch[256];
		size_t want = s->item1 - row < 256 ? (size_t)(s->item1 - row) : 256;
		size_t n = store_rows(r->store, row, want, batch);

		for (size_t i = 0; i < n; i++) {
			/* the cycle of commit or removal belongs to the row */
			int64_t to = batch[i].end < end ? batch[i].end + 1 : end;

			if (to > s->tick1)
				s->tick1 = to;
		}
		if (!n)
			break;
		row += n;
	}
}

void rows_track_selection(struct tab *t)
{
	struct rows *r = rows_of(t);
	struct selection *s = &r->view.selection;
	const struct axis *axis = &r->view.axis;
	uint64_t row0, row1, anchor = axis->anchor.item;
	int64_t ignored0, ignored1;

	s->on = axis->selecting != SELECT_NONE;
	if (!s->on)
		return;
	pipeview_under_cursor(&r->view, &row0, &row1, &ignored0, &ignored1);
	/* it may have begun where there are no rows */
	s->item0 = row0 < anchor ? row0 : anchor;
	s->item1 = anchor != ROW_NONE && row1 < anchor + 1 ? anchor + 1 : row1;
	axis_selected(axis, &s->tick0, &s->tick1);
	if (axis->selecting == SELECT_ROWS)
		ticks_of_rows(r, s);
	if (axis->selecting == SELECT_TICKS) {
		s->item0 = 0;
		s->item1 = store_row_count(r->store);
	}
}

/* ---- the filter ---- */

void rows_set_filter(struct tab *t, struct filter *f)
{
	struct rows *r = rows_of(t);
	uint64_t row = pipeview_row(&r->view, r->view.cursor);
	int64_t tick = r->view.axis.tick;
	bool following = tab_live(t) == LIVE_FOLLOWING;

	r->view.filter = f;
	pipeview_forget(&r->view);
	filter_free(r->filter);
	r->filter = f;
	if (row != ROW_NONE)
		pipeview_goto(&r->view, row, tick);
	t->has_stuck = t->has_stuck && !following;
	if (following)
		tab_stick(t);
}

/* The cursor to a row, at a line of the window. */
static void put_cursor(struct tab *t, struct place place, uint64_t line)
{
	struct pipeview *v = &rows_of(t)->view;
	uint64_t index = pipeview_index(v, place.item);

	v->top = (index - (line < index ? line : index)) >> v->row_zoom << v->row_zoom;
	pipeview_goto(v, place.item, place.tick);
}

bool rows_refilter_live(struct tab *t)
{
	const atomic_bool never = false;
	struct pipeview *v = &rows_of(t)->view;
	uint64_t turned = filter_turned(rows_of(t)->filter);
	uint64_t line = v->cursor > v->top ? v->cursor - v->top : 0;
	struct place place = tab_place(t);
	bool following = tab_live(t) == LIVE_FOLLOWING;

	if (filter_extend(rows_of(t)->filter, &never, NULL) || filter_turned(rows_of(t)->filter) == turned)
		return false;
	tally_forget(&rows_of(t)->tally);
	pipeview_forget(v);
	if (place.item != ROW_NONE)
		put_cursor(t, place, line);
	else
		pipeview_home(v);
	t->has_stuck = t->has_stuck && !following;
	if (following)
		tab_stick(t);
	rows_track_selection(t);
	return true;
}
