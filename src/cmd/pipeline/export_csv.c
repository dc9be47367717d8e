/*
 * One line for each stay in a stage. A row that the trace shows in no stage has one line too, with
 * stage, lane and events empty and the row's own start and end, so that no row is missing.
 */
#include "config.h"

#include "cmd/pipeline/export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "pipeline/queries/detail.h"

struct csv {
	struct sbuf head; /* what the lines of a row begin with */
	struct sbuf words;
};

static void put_tick(struct sbuf *out, int64_t tick)
{
	if (tick != TICK_NONE)
		export_signed(out, tick);
	sbuf_putc(out, ',');
}

static void put_head(struct sbuf *out, const struct store *s, const struct walk_row *row)
{
	const struct detail_row *d = row->detail;

	sbuf_clear(out);
	export_unsigned(out, d->head.row);
	sbuf_putc(out, ',');
	if (!detail_is_unread(d))
		export_unsigned(out, d->id);
	sbuf_putc(out, ',');
	if (d->has_pc)
		sbuf_printf(out, "0x%" PRIx64, d->pc);
	sbuf_putc(out, ',');
	text_csv(out, row->text, d->text_len);
	sbuf_printf(out, ",%s,", fate_names[d->head.fate]);
	if (d->head.thread)
		export_signed(out, store_thread(s, d->head.thread));
	sbuf_putc(out, ',');
}

static void put_stay(struct sbuf *out, struct csv *c, const struct store *s,
		     const struct stay *stay)
{
	const char *stage = store_stage(s, stay->stage)->name;

	sbuf_add(out, c->head.text, c->head.len);
	text_csv(out, stage, strlen(stage));
	sbuf_putc(out, ',');
	if (store_lane_count(s)) {
		const char *lane = store_lane(s, stay->lane);

		text_csv(out, lane, strlen(lane));
	}
	sbuf_putc(out, ',');
	put_tick(out, stay->start);
	put_tick(out, stay->end);
	sbuf_clear(&c->words);
	export_events(&c->words, s, stay);
	if (c->words.len)
		text_csv(out, c->words.text, c->words.len);
	sbuf_putc(out, '\n');
	out->failed |= c->words.failed;
}

static enum status csv_begin(struct export *x, struct error *e)
{
	x->state = calloc(1, sizeof(struct csv));
	if (!x->state)
		return error_set(e, STATUS_NOMEM, "out of memory");
	sbuf_puts(&x->out->text, "row,id,pc,text,fate,thread,stage,lane,start,end,events\n");
	return STATUS_OK;
}

static enum status csv_row(struct export *x, const struct walk_row *row, struct error *e)
{
	struct sbuf *out = &x->out->text;
	struct csv *c = x->state;

	put_head(&c->head, x->store, row);
	if (c->head.failed)
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (uint32_t i = 0; i < row->detail->stays; i++)
		put_stay(out, c, x->store, &row->stays[i]);
	if (row->detail->stays == 0) {
		sbuf_add(out, c->head.text, c->head.len);
		sbuf_puts(out, ",,");
		put_tick(out, row->detail->head.start);
		put_tick(out, row->detail->head.end);
		sbuf_putc(out, '\n');
	}
	return STATUS_OK;
}

static void csv_free(struct export *x)
{
	struct csv *c = x->state;

	if (!c)
		return;
	sbuf_free(&c->head);
	sbuf_free(&c->words);
	free(c);
}

const struct export_rows export_csv = {
    .format = EXPORT_OF_ROWS("csv", false),
    .begin = csv_begin,
    .row = csv_row,
    .free = csv_free,
};
