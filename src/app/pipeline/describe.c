#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"

static void add_events(const struct store *s, uint16_t events, struct sbuf *out)
{
	for (unsigned i = 0; i < store_event_count(s); i++)
		if (events >> i & 1)
			sbuf_printf(out, ", %s", store_event(s, i)->name);
}

/* Does the cycle of the cursor belong to it? */
static bool is_at_cursor(const struct tab *t, const struct stay *s)
{
	int64_t from, to;
	uint64_t row0, row1;

	pipeview_under_cursor(&rows_of(t)->view, &row0, &row1, &from, &to);
	return s->start < to && (from < s->end || s->start >= from);
}

/* The row's last stay in a lane that the cycle belongs to. */
static const struct stay *stay_at(const struct tab *t, const struct detail_row *r, unsigned lane)
{
	const struct stay *found = NULL;

	for (uint32_t i = r->stay0; i < r->stay0 + r->stays; i++)
		if (rows_of(t)->seen.stays[i].lane == lane && is_at_cursor(t, &rows_of(t)->seen.stays[i]))
			found = &rows_of(t)->seen.stays[i];
	return found;
}

static void add_length(const struct tab *t, int64_t ticks, struct sbuf *out)
{
	sbuf_putc(out, ' ');
	axis_tell_length(&rows_of(t)->view.axis, ticks, out);
}

/* What the trace says of a stay, in one line: a blank where it begins another. */
static void add_note(const struct tab *t, uint32_t from, uint32_t len, struct sbuf *out)
{
	const char *p = sbuf_text(&rows_of(t)->seen.text) + from, *end = p + len, *line;

	if (!len)
		return;
	sbuf_puts(out, ": ");
	while ((line = memchr(p, '\n', (size_t)(end - p)))) {
		text_sanitise(out, p, (size_t)(line - p));
		sbuf_putc(out, ' ');
		p = line + 1;
	}
	text_sanitise(out, p, (size_t)(end - p));
}

/* The moment at which the row ends is told with what became of it. */
static bool is_end(const struct stay *s, const struct detail_row *r)
{
	return s->start == s->end && s->end == r->head.end;
}

static void describe_stay(const struct tab *t, const struct detail_row *r, const struct stay *s,
			  struct sbuf *out)
{
	char number[32];

	sbuf_puts(out, store_stage(rows_of(t)->store, s->stage)->name);
	if (s->end == TICK_NONE)
		sbuf_printf(out, " since %s",
			    num_group(axis_time(&rows_of(t)->view.axis, s->start), number));
	else if (!is_end(s, r))
		add_length(t, s->end - s->start, out);
	add_events(rows_of(t)->store, s->events, out);
	if (s->latency > 0 && s->colour)
		sbuf_printf(out, " (latency %" PRId32 ")", s->latency);
	add_note(t, s->note0, s->note_len, out);
}

/* Those before it in its lane that go on beside it, the last first. */
static void describe_beside(const struct tab *t, const struct detail_row *r, const struct stay *s,
			    struct sbuf *out)
{
	for (const struct stay *b = s; b-- > &rows_of(t)->seen.stays[r->stay0];) {
		if (b->lane != s->lane || b->end <= s->start || !is_at_cursor(t, b))
			continue;
		sbuf_puts(out, " + ");
		describe_stay(t, r, b, out);
	}
}

/* By what key a row comes into sight that lives in other cycles than the screen shows. */
static void add_way(const struct tab *t, const struct row *row, struct sbuf *out)
{
	const struct axis *axis = t->view->axis;
	struct sbuf key = {0};

	app_key_of(t->view->app, "adjust", &key);
	if (key.len && (row->start >= axis_right(axis) || row->end < axis->left))
		sbuf_printf(out, "  %s goes there", sbuf_text(&key));
	sbuf_free(&key);
}

/* Before, in or after the life of the row; all: with every stage that the cycle belongs to. */
static void describe_row(struct tab *t, const struct detail_row *r, bool all, struct sbuf *out)
{
	const struct stay *s = stay_at(t, r, 0);
	int64_t away = r->head.start - rows_of(t)->view.axis.tick, settled = row_commit_tick(&r->head);
	char number[32];

	if (s) {
		describe_stay(t, r, s, out);
		if (all)
			describe_beside(t, r, s, out);
	} else if (away > 0) {
		sbuf_puts(out, "begins");
		add_length(t, away, out);
		sbuf_puts(out, " later");
		add_way(t, &r->head, out);
		return;
	}
	for (unsigned lane = 1; lane < store_lane_count(rows_of(t)->store); lane++) {
		s = rows_of(t)->view.lanes_hidden >> lane & 1 ? NULL : stay_at(t, r, lane);
		if (!s)
			continue;
		sbuf_puts(out, out->len ? " + " : "");
		describe_stay(t, r, s, out);
		if (all)
			describe_beside(t, r, s, out);
	}
	if (settled == TICK_NONE || rows_of(t)->view.axis.tick < settled)
		return;
	sbuf_printf(out, "%s%s", out->len ? "; " : "", fate_names[r->head.fate]);
	/* in the cycle itself the title has the number, and each byte of it would be sent twice */
	if (rows_of(t)->view.axis.tick > settled)
		sbuf_printf(out, " at %s", num_group(axis_time(&rows_of(t)->view.axis, settled), number));
	add_way(t, &r->head, out);
}

static size_t first_word(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] != ' ' && text[n] != '\t')
		n++;
	return n;
}

/* "1082 ldq": a row and the first word of what it does. */
static void add_row(const struct tab *t, uint64_t row, struct sbuf *out)
{
	const char *text;
	struct row r;
	char number[32];
	uint64_t pc;
	bool has_pc;
	size_t len;

	sbuf_puts(out, num_group((int64_t)row, number));
	if (!store_row(rows_of(t)->store, row, &r) ||
	    !store_code(rows_of(t)->store, r.code, &pc, &has_pc, &text, &len) || !len)
		return;
	sbuf_putc(out, ' ');
	text_sanitise(out, text, first_word(text, len));
}

/* The end of what is said of an arc that a reduction took out: why. */
static void add_reason(const struct shown_arc *arc, struct sbuf *out)
{
	static const char *const why[] = {"", "is closer", "lies inside", "always covers it"};
	char row[32], from[32];

	sbuf_printf(out, ") removed by Reduction %u: ", arc->removed);
	num_group((int64_t)arc->by_row, row);
	num_group((int64_t)arc->by_from, from);
	if (arc->by_row == ROW_NONE || arc->by_from == ROW_NONE)
		sbuf_puts(out, "an arc from far back");
	else if (arc->by_row == arc->by_from)
		sbuf_printf(out, "row %s computes its own condition", row);
	else
		sbuf_printf(out, "the arc %s <- %s %s", row, from, why[arc->removed]);
}

static void add_arc(const struct tab *t, const struct shown_arc *arc, struct sbuf *out)
{
	sbuf_printf(out, "%s%srow ", out->len ? "; " : "", arc->removed ? "" : "waits for ");
	add_row(t, arc->from, out);
	sbuf_printf(out, " (D %" PRIu32, arc->distance);
	if (arc->removed)
		add_reason(arc, out);
	else
		sbuf_printf(out, ", %" PRIu32 " branch%s): %" PRId64 " cycle%s", arc->branches,
			    arc->branches == 1 ? "" : "es", arc->cycles,
			    arc->cycles == 1 ? "" : "s");
}

/* What the row waits for, where arcs are drawn. */
static void describe_arcs(const struct tab *t, uint64_t row, struct sbuf *out)
{
	const struct shown_arc *arcs;
	size_t n;

	if (!rows_of(t)->view.arcs)
		return;
	arcs = reduce_arcs_of(rows_of(t)->view.arcs, row, &n);
	for (size_t i = 0; i < n; i++)
		add_arc(t, &arcs[i], out);
}

static void describe_single(struct tab *t, int width, struct sbuf *out)
{
	uint64_t row = tab_place(t).item;
	struct error ignored;

	if (row != rows_of(t)->seen_row || t->reached_seen != rows_of(t)->seen_reached ||
	    t->told != rows_of(t)->seen_complete) {
		if (store_detail(rows_of(t)->store, row, 1, &rows_of(t)->seen, &ignored))
			return;
		rows_of(t)->seen_row = row;
		rows_of(t)->seen_reached = t->reached_seen;
		rows_of(t)->seen_complete = t->told;
	}
	for (int all = 1; all >= 0 && rows_of(t)->seen.count; all--) {
		sbuf_clear(out);
		describe_row(t, &rows_of(t)->seen.rows[0], all, out);
		if (text_width(sbuf_text(out), out->len) <= width)
			break;
	}
	describe_arcs(t, row, out);
}

/* What happened in a cell, and how often that is in the trace. */
struct happening {
	const char *name;
	uint64_t count;
};

/* The rarest first, equal ones in the order of the tables. */
static int by_rarity(const struct tab *t, const struct picture_cell *cell,
		     struct happening list[EVENT_MAX + FATE_COUNT])
{
	struct totals totals;
	int n = 0;

	store_totals(rows_of(t)->store, &totals);
	for (unsigned i = 0; i < EVENT_MAX + FATE_COUNT; i++) {
		bool event = i < EVENT_MAX;
		unsigned k = event ? i : i - EVENT_MAX;
		struct happening h;
		int at = n;

		if (event ? k >= store_event_count(rows_of(t)->store) || !(cell->events >> k & 1)
			  : !(cell->fates >> k & 1))
			continue;
		h.name = event ? store_event(rows_of(t)->store, k)->name : fate_names[k];
		h.count = event ? totals.event_counts[k] : totals.fates[k];
		for (; at > 0 && list[at - 1].count > h.count; at--)
			list[at] = list[at - 1];
		list[at] = h;
		n++;
	}
	return n;
}

/* As many of them as have room; the rest is counted. */
static void add_happenings(const struct tab *t, const struct picture_cell *cell, int width,
			   struct sbuf *out)
{
	struct happening list[EVENT_MAX + FATE_COUNT];
	int n = by_rarity(t, cell, list), more = (int)strlen(", 99 more");

	for (int i = 0; i < n; i++) {
		const char *gap = i ? ", " : "; ";
		int used = text_width(sbuf_text(out), out->len) + 2 +
			   text_width(list[i].name, strlen(list[i].name));

		if (used + (i + 1 < n ? more : 0) > width) {
			sbuf_printf(out, "%s%d more", gap, n - i);
			return;
		}
		sbuf_printf(out, "%s%s", gap, list[i].name);
	}
}

static void describe_aggregate(struct tab *t, int width, struct sbuf *out)
{
	struct picture_cell cell;
	bool exact;
	uint64_t row0, row1;
	int64_t t0, t1;
	char number[32];

	if (pipeview_cell(&rows_of(t)->view, &cell, &exact, NULL))
		return;
	pipeview_under_cursor(&rows_of(t)->view, &row0, &row1, &t0, &t1);
	sbuf_printf(out, "%s row%s", num_group((int64_t)(row1 - row0), number),
		    row1 - row0 == 1 ? "" : "s");
	sbuf_putc(out, ',');
	add_length(t, t1 - t0, out);
	sbuf_puts(out, ": ");
	if (cell.stage == PICTURE_EMPTY)
		sbuf_puts(out, "nothing alive");
	else
		sbuf_printf(out, "mostly %s%s", store_stage(rows_of(t)->store, cell.stage)->name,
			    exact ? "" : " (estimated)");
	add_happenings(t, &cell, width, out);
}

enum status measure(struct tab *t, int64_t t0, int64_t t1, uint64_t row0, uint64_t row1,
		    struct distance *out, struct error *e)
{
	struct metric_ref ipc = metric_of_series(&(struct series){.kind = SERIES_IPC});
	struct trace *trace = trace_of_store(rows_of(t)->store);
	struct interval time = interval_of(trace, t0 < t1 ? t0 : t1, t0 < t1 ? t1 : t0);
	uint64_t first = row0 < row1 ? row0 : row1, last = row0 < row1 ? row1 : row0;
	enum status status;

	if (rows_of(t)->filter) {
		first = filter_rank(rows_of(t)->filter, first);
		last = filter_rank(rows_of(t)->filter, last);
	}
	*out = (struct distance){.length = axis_length_of(&rows_of(t)->view.axis, &time),
				 .ipc = NAN,
				 .committed = -1,
				 .rows = last - first};
	status = interval_mean(trace, &ipc, &time, &out->ipc, NULL, e);
	if (!isnan(out->ipc))
		out->committed = llround(out->ipc * (double)time.cycles);
	return status;
}

void distance_text(const struct tab *t, const struct distance *d, const char *between,
		   struct sbuf *out)
{
	int64_t n = d->length;
	const char *unit = axis_unit(&rows_of(t)->view.axis);
	char number[32];

	sbuf_printf(out, "%s %s%s", num_group(n, number), unit, n == 1 ? "" : "s");
	sbuf_printf(out, "%s%s row%s", between, num_group((int64_t)d->rows, number),
		    d->rows == 1 ? "" : "s");
	if (d->committed < 0)
		return;
	sbuf_printf(out, "; %s committed in %s %s%s", num_group(d->committed, number),
		    n == 1 ? "this" : "these", unit, n == 1 ? "" : "s");
	sbuf_printf(out, ", IPC %.2f", d->ipc);
}

static void describe_selection(struct tab *t, struct sbuf *out)
{
	const struct selection *s = &rows_of(t)->view.selection;
	struct distance d;

	if (measure(t, s->tick0, s->tick1, s->item0, s->item1, &d, NULL))
		return;
	sbuf_puts(out, "selected: ");
	distance_text(t, &d, " x ", out);
}

void describe_cursor(struct app *a, int width, struct sbuf *out)
{
	struct tab *t = a->tab;

	if (!t || !pipeview_count(&rows_of(t)->view))
		return;
	if (rows_of(t)->view.selection.on)
		describe_selection(t, out);
	else if (pipeview_is_aggregate(&rows_of(t)->view) || rows_of(t)->view.axis.zoom > 0)
		describe_aggregate(t, width, out);
	else
		describe_single(t, width, out);
}
