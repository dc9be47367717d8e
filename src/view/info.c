#include "config.h"

#include "view/pane.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "view/pane_list.h"

static const struct pane_ops info_ops = {
    .name = "info",
    .help = "format, size, counts, statistics and notes of the trace",
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
	pane_line_add(list_pane_key(p, "index"), ROLE_TEXT, "%s for %s of text, %s",
		      num_bytes(at->index_bytes, a), num_bytes(at->source_bytes, b),
		      at->cached      ? "from the cache"
		      : at->complete  ? "complete"
		      : at->cancelled ? "stopped"
				      : "growing");
	if (at->complete && !at->cached)
		pane_line_add(list_pane_key(p, ""), ROLE_TEXT, "made in %.2f s", at->seconds);
	if (at->note)
		pane_line_add(list_pane_key(p, "note"), ROLE_TEXT, "%s", at->note);
}

static void add_counts(struct list_pane *p, const struct totals *t)
{
	list_pane_heading(p, "instructions");
	add_count(p, "all", t->instructions);
	add_count(p, "micro-ops", t->micro_ops);
	for (int f = 0; f < FATE_COUNT; f++)
		add_count(p, fate_names[f], t->fates[f]);
}

static void add_names(struct list_pane *p, const struct store *s, const struct totals *t)
{
	list_pane_heading(p, "components: entries");
	for (size_t i = 0; i < store_stage_count(s); i++)
		add_count(p, store_stage(s, i)->name, t->stage_entries[i]);
	list_pane_heading(p, "events");
	for (size_t i = 0; i < store_event_count(s); i++) {
		char n[32];

		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT, "%-20s %14s",
			      store_event(s, i)->name, num_group((int64_t)t->event_counts[i], n));
	}
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
			num_short(m.min, 10, low);
			num_short(m.max, 10, high);
			pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT,
				      "%-20s %14s %10s %10s", m.name, n, low, high);
		}
}

static void add_notes(struct list_pane *p, const struct store *s)
{
	list_pane_heading(p, "notes");
	add_count(p, "warnings", store_warning_count(s));
	for (size_t i = 0; i < store_note_count(s); i++) {
		uint64_t count;
		const char *key = store_note(s, i, &count);
		char n[32];

		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_TEXT, "%-20s %14s", key,
			      num_group((int64_t)count, n));
	}
}

struct pane *info_pane(struct store *s)
{
	struct list_pane *p = list_pane_new(&info_ops);
	struct progress at;
	struct totals t;

	store_progress(s, &at);
	store_totals(s, &t);
	snprintf(p->title, sizeof(p->title), "trace");
	add_trace(p, s, &at);
	add_counts(p, &t);
	add_names(p, s, &t);
	add_metrics(p, s);
	add_notes(p, s);
	return &p->pane;
}
