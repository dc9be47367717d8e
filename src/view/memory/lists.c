#include "config.h"

#include "view/memory/lists.h"

#include <inttypes.h>
#include <stdlib.h>

const struct memory_choice ranking_choices[] = {
    [RANKING_FACE] = {"lists face", {"list", "map"}, offsetof(struct ranking, face)},
    [RANKING_ORDER] = {"lists order", {"cost", "shared", "address"},
		       offsetof(struct ranking, rows.order)},
    [RANKING_SCALE] = {"lists scale", {"linear", "logarithmic"}, offsetof(struct ranking, log)},
};

void ranking_init(struct ranking *r, struct trace *t, enum memory_thing by,
		  struct memory_focus *focus)
{
	*r = (struct ranking){.trace = t,
			      .by = by,
			      .focus = focus,
			      .rows = {.by = by},
			      .pane = {.ops = &ranking_pane_ops, .data = r}};
	axis_open(&r->axis, t);
}

void ranking_free(struct ranking *r)
{
	memory_rows_free(&r->rows);
	memory_sums_free(&r->all);
	ranking_free_table(r);
	regex_free(r->only);
}

int ranking_lines(const struct ranking *r)
{
	return r->h > RANKING_HEADINGS ? r->h - RANKING_HEADINGS : 1;
}

/* ---- making rows ---- */

/* "vecadd.c:56 and ArrayC: 240 of 243 words, 43 % of the cost" */
static void put_touched(const struct ranking *r, const struct memory_index *x, struct sbuf *out)
{
	const struct memory_selection *s = &r->focus->selected;

	for (int by = 0; by < MEMORY_THING_COUNT; by++) {
		if (!s->chosen[by] || by == (int)r->by)
			continue;
		sbuf_puts(out, out->len ? " and " : "");
		memory_put_thing(r->trace, x, (enum memory_thing)by, s->of[by], out);
	}
	sbuf_printf(out, ": %" PRIu32 " of %zu %s, %.0f %% of the cost%s", r->rows.sums.touched,
		    r->rows.all, memory_thing_names[r->by],
		    100 * memory_share(r->rows.sums.all.cycles, r->rows.sums.cycles),
		    r->focus->related ? ", only these" : "");
}

static enum status make(struct ranking *r, const struct memory_index *x, struct error *e)
{
	struct sbuf touched = {0};
	enum status status;

	memory_sums_free(&r->all);
	r->rows.only = r->only;
	status = memory_rows_make(&r->rows, &r->all, x, r->focus, e);
	if (!status && !ranking_make_table(r, x))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (status)
		r->rows.of.count = 0;
	if (r->rows.selects)
		put_touched(r, x, &touched);
	r->touched = r->rows.selects ? intern_take(r->texts, &touched) : NULL;
	return status;
}

enum status ranking_refresh(struct ranking *r, struct error *e)
{
	const struct memory_index *x = memory_lock(r->trace);
	enum status status = STATUS_OK;
	uint32_t number = MEMORY_NONE;
	const bool known = ranking_here(r, &number) && r->pane.cursor;
	const bool stale = !memory_rows_fresh(&r->rows, x, r->focus);

	if (stale)
		status = make(r, x, e);
	memory_unlock(r->trace);
	if (stale && (!known || !ranking_goto(r, number)) && !ranking_goto(r, r->rows.dearest))
		r->pane.cursor = 0;
	return status;
}

void ranking_renew(struct ranking *r)
{
	r->focus->version++;
	ranking_refresh(r, NULL);
}

/* ---- motions ---- */

static void put_cursor(struct ranking *r, size_t row)
{
	r->pane.cursor = row;
	pane_move(&r->pane, 0, ranking_lines(r));
}

void ranking_move(struct ranking *r, int64_t lines, int64_t columns)
{
	if (r->face == RANKING_MAP && r->rows.of.count) {
		const size_t row = map_beside(r, lines, columns);

		if (row < r->rows.of.count)
			put_cursor(r, row);
		return;
	}
	pane_move(&r->pane, lines, ranking_lines(r));
	if (columns)
		pane_scroll(&r->pane, columns > 0 ? 1 : -1);
}

void ranking_scroll(struct ranking *r, int64_t lines)
{
	const int64_t room = ranking_lines(r), last = (int64_t)r->rows.of.count - room;
	const int64_t top = (int64_t)r->pane.top + lines, cursor = (int64_t)r->pane.cursor;
	const int64_t from = top > last ? last : top, first = from > 0 ? from : 0;

	r->pane.top = (size_t)first;
	put_cursor(r, (size_t)(cursor < first		? first
			       : cursor < first + room ? cursor
						       : first + room - 1));
}

bool ranking_goto(struct ranking *r, uint32_t number)
{
	const size_t row = memory_rows_find(&r->rows, number);

	if (row < r->rows.of.count)
		put_cursor(r, row);
	return row < r->rows.of.count;
}

bool ranking_here(const struct ranking *r, uint32_t *number)
{
	if (r->pane.cursor >= r->rows.of.count)
		return false;
	*number = r->rows.of.data[r->pane.cursor].number;
	return true;
}
