#include "config.h"

#include "analysis/pipeline/walk.h"

/*
 * Rows for the next step. Lives that span much text make every step read far beyond its own
 * births: then longer steps, so that the text is read a few times, not once for every step.
 */
static size_t next_step(const struct detail *d, size_t step)
{
	if (d->read <= WALK_BYTES)
		return WALK_ROWS;
	return step < WALK_ROWS_MAX / 4 ? step * 4 : WALK_ROWS_MAX;
}

static bool walk_chunk(struct store *s, const struct detail *d, walk_fn *fn, void *arg)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct detail_row *r = &d->rows[i];
		struct walk_row row = {
		    .detail = r,
		    .stays = d->stays + r->stay0,
		    .text = sbuf_text(&d->text) + r->text0,
		    .links = d->links + r->link0,
		    .words = sbuf_text(&d->text),
		};

		for (uint32_t k = 0; k < r->links; k++) {
			struct link *link = &d->links[r->link0 + k];

			link->row = store_link_row(s, link, r->head.row);
		}

		if (!fn(arg, &row))
			return false;
	}
	return true;
}

enum status walk_rows(struct store *s, uint64_t first, uint64_t last, enum walk_wanted wanted,
		      walk_fn *fn, void *arg, struct error *e)
{
	struct detail d = {.limit = UINT64_MAX,
			   .no_notes = wanted != WALK_NOTES,
			   .with_links = wanted == WALK_LINKS};
	enum status status = STATUS_OK;
	size_t step = WALK_ROWS;

	while (first < last) {
		status = store_detail(s, first, last - first < step ? (size_t)(last - first) : step,
				      &d, e);
		if (status || d.count == 0 || !walk_chunk(s, &d, fn, arg))
			break;
		first += d.count;
		step = next_step(&d, step);
	}
	detail_free(&d);
	return status;
}

int64_t walk_stay_end(const struct walk_row *row, const struct stay *stay, int64_t trace_end)
{
	int64_t row_end = row->detail->head.end;

	if (stay->end != TICK_NONE)
		return stay->end;
	return row_end != TICK_NONE ? row_end : trace_end;
}
