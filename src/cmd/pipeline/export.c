#include "config.h"

#include "cmd/pipeline/export.h"

#include "cmd/pipeline/open.h"
#include "pipeline/queries/detail.h"

/* ---- what formats share ------------------------------------------------------------------ */

struct value tick_value(int64_t tick)
{
	return tick == TICK_NONE ? value_none() : value_ticks(tick);
}

struct value row_value(uint64_t row)
{
	return row == ROW_NONE ? value_none() : value_count(row);
}

struct value text_value(const struct walk_row *row)
{
	const struct detail_row *d = row->detail;

	return d->has_pc || d->text_len ? value_bytes(row->text, d->text_len) : value_none();
}

struct value note_value(const struct walk_row *row, size_t at, size_t len)
{
	return len ? value_bytes(row->words + at, len) : value_none();
}

struct value thread_value(const struct store *s, uint16_t thread)
{
	return thread ? value_ticks(store_thread(s, thread)) : value_none();
}

struct value latency_value(const struct stay *stay, unsigned event)
{
	const bool its_own = stay->colour & (1U << event) && stay->latency >= 0;

	return its_own ? value_ticks(stay->latency) : value_none();
}

/* printf() would cost more than all the rest of an export. */
void export_unsigned(struct sbuf *out, uint64_t value)
{
	char digits[20], *p = digits + sizeof(digits);

	do
		*--p = (char)('0' + value % 10);
	while (value /= 10);
	sbuf_add(out, p, (size_t)(digits + sizeof(digits) - p));
}

void export_signed(struct sbuf *out, int64_t value)
{
	if (value < 0)
		sbuf_putc(out, '-');
	export_unsigned(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void export_events(struct sbuf *out, const struct store *s, const struct stay *stay)
{
	for (unsigned set = stay->events; set; set &= set - 1) {
		unsigned event = (unsigned)__builtin_ctz(set);

		if (set != stay->events)
			sbuf_putc(out, ' ');
		sbuf_puts(out, store_event(s, event)->name);
		if (stay->colour & (1U << event) && stay->latency >= 0) {
			sbuf_putc(out, '(');
			export_signed(out, stay->latency);
			sbuf_putc(out, ')');
		}
	}
}

/* ---- rows -------------------------------------------------------------------------------- */

struct rows {
	struct export *x;
	const struct export_rows *format;
	enum status status;
	struct error *error;
};

/* A life without length lies where it starts. */
static bool meets(const struct row *r, int64_t from, int64_t to)
{
	return r->start < to && (r->end > from || r->start >= from);
}

static bool put_row(void *arg, const struct walk_row *row)
{
	struct rows *rows = arg;
	struct export *x = rows->x;

	if (!meets(&row->detail->head, x->part.from, x->part.to))
		return true;
	if (x->limit == 0)
		return false;
	x->limit--;
	x->unread += detail_is_unread(row->detail);
	rows->status = rows->format->row(x, row, rows->error);
	if (!rows->status)
		rows->status = output_drain(x->out, rows->error);
	return !rows->status;
}

/* Where the rows without a birth begin that stand behind all others. */
static uint64_t late_unborn(const struct store *s)
{
	uint64_t row = store_row_count(s);
	struct row r;

	while (row > 0 && store_row(s, row - 1, &r) && r.fate == FATE_UNKNOWN)
		row--;
	return row;
}

static enum status put_range(struct rows *rows, uint64_t first, uint64_t last, struct error *e)
{
	enum status status = walk_rows(rows->x->store, first, last, WALK_NOTES, put_row, rows, e);

	return status ? status : rows->status;
}

static enum status put_rows(struct rows *rows, struct error *e)
{
	const struct export *x = rows->x;
	uint64_t first, last, late;
	enum status status;

	store_rows_alive(x->store, x->part.from, x->part.to, &first, &last);
	if (!rows->format->by_start)
		return put_range(rows, first, last, e);
	late = late_unborn(x->store);
	status = put_range(rows, late > first ? late : first, last, e);
	return status ? status : put_range(rows, first, last < late ? last : late, e);
}

enum status export_put_rows(struct export *x, const struct export_rows *f, struct error *e)
{
	struct rows rows = {x, f, STATUS_OK, e};
	enum status status = f->begin ? f->begin(x, e) : STATUS_OK;

	if (!status)
		status = put_rows(&rows, e);
	if (!status && f->end)
		status = f->end(x, e);
	if (f->free)
		f->free(x);
	return status;
}

/* ---- the trace --------------------------------------------------------------------------- */

enum status export_write_rows(const struct export_format *f, struct trace *t,
			      const struct cmd_options *o, const struct export_target *target,
			      struct error *e)
{
	struct export x = {.target = target,
			   .out = target->out,
			   .store = store_of_trace(t),
			   .limit = o->limit};
	enum status status = export_part_of(&x.part, t, o, e);

	if (!status)
		status = export_put_rows(&x, (const struct export_rows *)f, e);
	open_note_unread(x.store, x.unread, o, target->notes);
	return status;
}
