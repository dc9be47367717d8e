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

void ranking_init(struct ranking *r, enum memory_thing by, struct memory_focus *focus)
{
	*r = (struct ranking){.by = by,
			      .focus = focus,
			      .rows = {.by = by},
			      .pane = {.ops = &ranking_pane_ops, .data = r}};
}

void ranking_free(struct ranking *r)
{
	regex_free(r->rows.only);
	memory_rows_free(&r->rows);
	memory_sums_free(&r->all);
	ranking_free_table(r);
}

int ranking_lines(const struct ranking *r)
{
	return r->h > RANKING_HEADINGS ? r->h - RANKING_HEADINGS : 1;
}

/* ---- making rows ---- */

static enum status make(struct ranking *r, const struct memory_index *x, struct error *e)
{
	enum status status;

	memory_sums_free(&r->all);
	status = memory_rows_make(&r->rows, &r->all, x, r->focus, e);
	if (!status && !ranking_make_table(r, x))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (status)
		r->rows.of.count = 0;
	return status;
}

enum status ranking_refresh(struct ranking *r, struct error *e)
{
	const struct memory_index *x = memory_lock(r->focus->trace);
	enum status status = STATUS_OK;
	uint32_t number = MEMORY_NONE;
	const bool known = ranking_here(r, &number) && r->pane.cursor;
	const bool stale = !memory_rows_fresh(&r->rows, x, r->focus);

	if (stale)
		status = make(r, x, e);
	memory_unlock(r->focus->trace);
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

/* The cursor comes along. */
void ranking_scroll(struct ranking *r, int64_t lines)
{
	const int64_t top = tick_add((int64_t)r->pane.top, lines);

	pane_move(&r->pane, lines, ranking_lines(r));
	r->pane.top = top > 0 ? (size_t)top : 0;
	pane_move(&r->pane, 0, ranking_lines(r));
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
