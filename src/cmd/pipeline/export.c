#include "config.h"

#include "cmd/pipeline/export.h"

#include <math.h>

#include "cmd/open.h"
#include "cmd/pipeline/open.h"
#include "pipeline/queries/detail.h"

/* ---- what formats share ------------------------------------------------------------------ */

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

/* Bins are whole cycles wide: in parts of one a rate is nothing or all of it. */
enum status export_curve(struct export *x, const char *metric, bool *exact, export_bin_fn *put,
			 struct error *e)
{
	const int64_t from = x->from > x->first ? x->from : x->first;
	const int64_t to = x->to <= x->last ? x->to : x->last < TICK_NONE ? x->last + 1 : x->last;
	const uint64_t ticks = to > from ? (uint64_t)to - (uint64_t)from : 0;
	const uint64_t cycle = (uint64_t)store_ticks_per_cycle(x->store);
	const uint64_t width = (ticks / EXPORT_BINS / cycle + 1) * cycle;
	const uint64_t n = ticks / width + (ticks % width != 0);
	double values[EXPORT_BINS];
	struct series series;
	enum status status;

	if (n == 0 || !series_parse(x->store, metric, NULL, &series))
		return STATUS_OK;
	/* the last bin may reach behind the range, where it holds nothing */
	if (n * width > (uint64_t)(INT64_MAX - (from > 0 ? from : 0)))
		return STATUS_OK;
	status = store_series(x->store, &series, from, from + (int64_t)(n * width), (size_t)n,
			      values, exact, e);
	for (uint64_t i = 0; !status && i < n; i++) {
		const uint64_t left = (uint64_t)x->last + 1 - (uint64_t)from - i * width;
		const uint64_t part = left < width ? left : width;
		struct export_bin bin = {from + (int64_t)(i * width),
					 from + (int64_t)(i * width + part), values[i]};

		/* a cycle that is cut off by the trace's end is one */
		if (series_is_rate(&series))
			bin.value *= (double)part / (double)((part + cycle - 1) / cycle);
		if (!isnan(bin.value))
			status = put(x, metric, &bin, e);
	}
	return status;
}

/* ---- rows -------------------------------------------------------------------------------- */

struct rows {
	struct export *x;
	const struct export_rows *format;
	enum status status;
	struct error *error;
};

/* As the rows command has it: a life without length lies where it starts. */
static bool meets(const struct row *r, int64_t from, int64_t to)
{
	return r->start < to && (r->end > from || r->start >= from);
}

static bool put_row(void *arg, const struct walk_row *row)
{
	struct rows *rows = arg;
	struct export *x = rows->x;

	if (!meets(&row->detail->head, x->from, x->to))
		return true;
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

	store_rows_alive(x->store, x->from, x->to, &first, &last);
	if (!rows->format->by_start)
		return put_range(rows, first, last, e);
	late = late_unborn(x->store);
	status = put_range(rows, late > first ? late : first, last, e);
	return status ? status : put_range(rows, first, last < late ? last : late, e);
}

static enum status run_format(struct export *x, const struct export_rows *f, struct error *e)
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

enum status export_write_rows(const struct export_format *f, const struct cmd_options *o,
			      const struct export_target *target, struct error *e)
{
	struct export x = {.target = target, .out = target->out};
	const struct trace *t;
	struct progress p;
	enum status status = open_store(&x.store, o, target->notes, e);

	if (status)
		return status;
	t = trace_of_store(x.store);
	store_progress(x.store, &p);
	x.first = p.first;
	x.last = p.last;
	x.whole = o->from == TICK_UNSET && o->to == TICK_UNSET;
	status = open_range(t, o, &x.from, &x.to, e);
	if (!status)
		status = run_format(&x, (const struct export_rows *)f, e);
	open_note_unread(x.store, x.unread, o, target->notes);
	open_note_warnings(t, o, target->notes);
	store_close(x.store);
	return status;
}
