#include "config.h"

#include "view/pipeline/panes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/num.h"
#include "pipeline/kind.h"
#include "view/interval.h"
#include "view/pane_list.h"
#include "view/pipeline/pane_range.h"

enum { NAME_COLUMNS = 20, COUNT_COLUMNS = 14, NUMBER_COLUMNS = 10 };

static const struct pane_ops info_ops = {
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .target = list_pane_target,
    .free = list_pane_free,
};

static void add_count(struct list_pane *p, const char *key, uint64_t count)
{
	char n[32];

	pane_line_add(list_pane_key(p, key), ROLE_TEXT, "%14s", num_group((int64_t)count, n));
}

static void add_trace(struct list_pane *p, const struct store *s, const struct progress *at)
{
	char a[32], b[32];

	pane_line_add(list_pane_key(p, "format"), ROLE_TEXT, "%s: %s", store_format(s)->name,
		      store_format(s)->title);
	num_group(at->first, a);
	num_group(at->last, b);
	if (at->last >= at->first)
		pane_line_add(list_pane_key(p, "time"), ROLE_TEXT, "%s %s to %s", store_unit(s), a,
			      b);
	if (store_ticks_per_cycle(s) != 1)
		pane_line_add(list_pane_key(p, ""), ROLE_TEXT, "%s ticks a cycle",
			      num_group(store_ticks_per_cycle(s), a));
	num_bytes(at->index_bytes, a);
	num_bytes(at->source_bytes, b);
	pane_line_add(list_pane_key(p, "index"), ROLE_TEXT, "%s for %s of text, %s", a, b,
		      at->failed      ? "ended early"
		      : at->complete  ? "complete"
		      : at->cancelled ? "stopped"
				      : "growing");
	if (at->why)
		pane_line_add(list_pane_key(p, ""), ROLE_ERROR, "%s", at->why);
	if (at->note)
		pane_line_add(list_pane_key(p, "note"), ROLE_TEXT, "%s", at->note);
}

/* Threads and links, where the format has them. */
static void add_extras(struct list_pane *p, const struct store *s)
{
	if (store_thread_count(s) > 1)
		add_count(p, "threads", store_thread_count(s));
	if (store_link_count(s))
		add_count(p, store_link_count_is_bound(s) ? "links at most" : "links",
			  store_link_count(s));
}

static void add_rate(struct list_pane *p, const char *key, double rate)
{
	if (isfinite(rate))
		pane_line_add(list_pane_key(p, key), ROLE_TEXT, "%*.3f", COUNT_COLUMNS, rate);
}

/* Of the trace, or of the range's ticks, in which other rows may commit too. */
static void add_rates(struct list_pane *p, struct store *s, const struct selection *range)
{
	struct metric_ref ipc = metric_of_series(&(struct series){.kind = SERIES_IPC});
	struct interval time = interval_of(trace_of_store(s), range->on ? range->tick0 : INT64_MIN,
					   range->on ? range->tick1 : INT64_MAX);
	double value;

	if (interval_mean(trace_of_store(s), &ipc, &time, &value, NULL, NULL) != STATUS_OK)
		return;
	add_rate(p, "IPC", value);
	add_rate(p, "CPI", 1 / value);
}

static void add_counts(struct list_pane *p, const struct totals *t)
{
	list_pane_heading(p, "instructions");
	add_count(p, "all", t->instructions);
	add_count(p, "micro-ops", t->micro_ops);
	for (int f = 0; f < FATE_COUNT; f++)
		add_count(p, fate_names[f], t->fates[f]);
}

static void add_named(struct list_pane *p, const char *name, uint64_t count)
{
	char n[32];

	pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT, "%-*s %*s", NAME_COLUMNS, name,
		      COUNT_COLUMNS, num_group((int64_t)count, n));
}

static void add_names(struct list_pane *p, const struct store *s, const struct totals *t)
{
	list_pane_heading(p, "components: entries");
	for (size_t i = 0; i < store_stage_count(s); i++)
		add_named(p, store_stage(s, i)->name, t->stage_entries[i]);
	list_pane_heading(p, "events");
	for (size_t i = 0; i < store_event_count(s); i++)
		add_named(p, store_event(s, i)->name, t->event_counts[i]);
}

static void add_metrics(struct list_pane *p, const struct store *s)
{
	struct metric_info m;

	if (store_metric_count(s) == 0)
		return;
	list_pane_heading(p, "statistics: samples, least, greatest");
	for (size_t i = 0; i < store_metric_count(s); i++)
		if (store_metric(s, i, &m)) {
			char n[32], low[32], high[32];

			num_group((int64_t)m.samples, n);
			num_short(m.min, NUMBER_COLUMNS, low);
			num_short(m.max, NUMBER_COLUMNS, high);
			pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT, "%-*s %*s %*s %*s",
				      NAME_COLUMNS, m.name, COUNT_COLUMNS, n, NUMBER_COLUMNS, low,
				      NUMBER_COLUMNS, high);
		}
}

static void add_means(struct list_pane *p, struct store *s, const struct selection *range)
{
	struct metric_info m;

	if (store_metric_count(s) == 0 || range->tick0 >= range->tick1)
		return;
	list_pane_heading(p, "statistics: mean");
	for (size_t i = 0; i < store_metric_count(s); i++) {
		struct series q = {.kind = SERIES_STATISTIC, .metric = i};
		double mean = NAN;
		char number[32];

		if (store_metric(s, i, &m) &&
		    store_series(s, &q, range->tick0, range->tick1, 1, &mean, NULL, NULL) ==
			STATUS_OK &&
		    !isnan(mean))
			pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT, "%-*s %*s",
				      NAME_COLUMNS, m.name, COUNT_COLUMNS,
				      num_short(mean, NUMBER_COLUMNS, number));
	}
}

static void add_notes(struct list_pane *p, const struct store *s)
{
	list_pane_heading(p, "notes");
	add_named(p, "warnings", store_warning_count(s));
	for (size_t i = 0; i < store_note_count(s); i++) {
		uint64_t count;
		const char *key = store_note(s, i, &count);

		add_named(p, key, count);
	}
}

static void set_title(struct list_pane *p, const struct store *s, const struct selection *range,
		      bool clipped)
{
	struct sbuf title = {0};

	sbuf_puts(&title, range->on ? "part" : "trace");
	pane_range_title(s, range, clipped, &title);
	snprintf(p->title, sizeof(p->title), "%s", sbuf_text(&title));
	sbuf_free(&title);
}

static void add_part(struct list_pane *p, struct store *s, const struct selection *range)
{
	struct range_totals part = {0};
	struct error e;

	if (pane_range_totals(s, range, &part, &e) != STATUS_OK)
		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_ERROR, "%s", e.text);
	set_title(p, s, range, part.clipped);
	add_rates(p, s, range);
	add_counts(p, &part.totals);
	add_names(p, s, &part.totals);
	add_means(p, s, range);
}

static void add_whole(struct list_pane *p, struct store *s, const struct progress *at)
{
	struct selection all = {.on = false};
	struct totals t;

	store_totals(s, &t);
	set_title(p, s, &all, false);
	add_trace(p, s, at);
	add_rates(p, s, &all);
	add_counts(p, &t);
	add_extras(p, s);
	add_names(p, s, &t);
	add_metrics(p, s);
	add_notes(p, s);
}

struct pane *info_pane(struct store *s, const struct selection *range)
{
	struct list_pane *p = list_pane_new(&info_ops);
	struct progress at;

	store_progress(s, &at);
	if (range && range->on)
		add_part(p, s, range);
	else
		add_whole(p, s, &at);
	return &p->pane;
}
