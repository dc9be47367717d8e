#include "config.h"

#include "app/pipeline/rows_text.h"

#include "app/pipeline/rows.h"

#include <inttypes.h>

#include "base/text.h"
#include "pipeline/queries/detail.h"

enum { STRETCH = 256 };

static const char csv_head[] = "row,id,pc,text,start,end,fate,stages\n";

static void add_stages(struct tab *t, const struct detail *d, const struct detail_row *r,
		       struct sbuf *out)
{
	for (uint32_t i = r->stay0; i < r->stay0 + r->stays; i++) {
		const struct stay *s = &d->stays[i];

		sbuf_printf(out, "%s%s %" PRId64, i > r->stay0 ? " " : "",
			    store_stage(rows_of(t)->store, s->stage)->name, s->start);
	}
}

static void add_line(struct tab *t, const struct detail *d, const struct detail_row *r,
		     struct sbuf *out)
{
	char id[24];

	sbuf_printf(out, "row %" PRIu64 "  #%s", r->head.row, detail_id(r, "-", id));
	if (r->has_pc)
		sbuf_printf(out, "  0x%" PRIx64, r->pc);
	sbuf_puts(out, "  ");
	text_sanitise(out, sbuf_text(&d->text) + r->text0, r->text_len);
	sbuf_puts(out, "  ");
	add_stages(t, d, r, out);
	if (r->head.end != TICK_NONE)
		sbuf_printf(out, "  %s %" PRId64 "\n", fate_names[r->head.fate],
			    row_commit_tick(&r->head));
	else
		sbuf_printf(out, "  %s\n", fate_names[r->head.fate]);
}

static void add_csv(struct tab *t, const struct detail *d, const struct detail_row *r,
		    struct sbuf *out)
{
	struct sbuf stages = {0};
	char id[24];

	sbuf_printf(out, "%" PRIu64 ",%s,", r->head.row, detail_id(r, "", id));
	if (r->has_pc)
		sbuf_printf(out, "0x%" PRIx64, r->pc);
	sbuf_putc(out, ',');
	text_csv(out, sbuf_text(&d->text) + r->text0, r->text_len);
	sbuf_printf(out, ",%" PRId64 ",", r->head.start);
	if (r->head.end != TICK_NONE)
		sbuf_printf(out, "%" PRId64, r->head.end);
	sbuf_printf(out, ",%s,", fate_names[r->head.fate]);
	add_stages(t, d, r, &stages);
	text_csv(out, sbuf_text(&stages), stages.len);
	sbuf_putc(out, '\n');
	sbuf_free(&stages);
}

enum status rows_text(struct tab *t, uint64_t row0, uint64_t row1, uint64_t limit,
		      enum rows_form form, struct sbuf *out, struct error *e)
{
	struct detail d = {0};
	enum status status = STATUS_OK;

	if (form == ROWS_CSV)
		sbuf_puts(out, csv_head);
	while (row0 < row1 && limit > 0 && !status) {
		size_t n = row1 - row0 < STRETCH ? (size_t)(row1 - row0) : STRETCH;

		status = store_detail(rows_of(t)->store, row0, n, &d, e);
		if (status || !d.count)
			break;
		for (size_t i = 0; i < d.count && limit > 0; i++) {
			if (rows_of(t)->filter && !filter_has(rows_of(t)->filter, d.rows[i].head.row))
				continue;
			if (form == ROWS_CSV)
				add_csv(t, &d, &d.rows[i], out);
			else
				add_line(t, &d, &d.rows[i], out);
			limit--;
		}
		row0 += d.count;
	}
	detail_free(&d);
	if (!status && out->failed)
		return error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
