#include "config.h"

#include <math.h>
#include <string.h>

#include "analysis/pipeline/hints.h"
#include "app/answers.h"
#include "app/pipeline/alignment.h"
#include "app/pipeline/rows.h"
#include "base/num.h"
#include "analysis/interval.h"
#include "view/pane_list.h"
#include "view/pipeline/panes.h"

enum {
	RANGE_ROWS = 4 << 20, /* rows counted one by one in a range; beyond it a lower bound */
	RANGE_CHUNK = 1024
};

/* ---- what happened in a range ---- */

static const struct pane_ops range_ops = {LIST_PANE, .width = 38};

struct range_counts {
	uint64_t rows, fates[FATE_COUNT], events[EVENT_MAX], micro_ops;
	bool cut;
};

static void count_rows(struct rows *r, const struct selection *s, struct range_counts *c)
{
	struct row buf[RANGE_CHUNK];
	uint64_t first, last;

	/* a selection of cycles is of all rows: those alive in them count */
	store_rows_alive(r->store, s->tick0, s->tick1, &first, &last);
	first = first > s->item0 ? first : s->item0;
	last = last < s->item1 ? last : s->item1;
	*c = (struct range_counts){.cut = last > first && last - first > RANGE_ROWS};
	for (uint64_t row = first; row < last && c->rows < RANGE_ROWS;) {
		uint64_t left = last - row;
		size_t n = store_rows(r->store, row, left < RANGE_CHUNK ? left : RANGE_CHUNK, buf);

		if (!n)
			break;
		row += n;
		for (size_t i = 0; i < n; i++) {
			if (r->filter && !filter_has(r->filter, buf[i].row))
				continue;
			if (buf[i].start >= s->tick1 || buf[i].end < s->tick0)
				continue;
			c->rows++;
			c->fates[buf[i].fate]++;
			c->micro_ops += buf[i].micro_op;
			for (unsigned k = 0; k < EVENT_MAX; k++)
				c->events[k] += buf[i].events >> k & 1;
		}
	}
}

static void add_count(struct list_pane *p, const char *name, uint64_t n, bool cut)
{
	char number[32];

	pane_line_add(list_pane_key(p, name), ROLE_PANE, "%s%s", cut ? ">= " : "",
		      num_group((int64_t)n, number));
}

static void add_rows(struct list_pane *p, struct rows *r, const struct selection *s)
{
	struct range_counts c;

	count_rows(r, s, &c);
	add_count(p, "rows", c.rows, c.cut);
	for (int i = 0; i < FATE_COUNT; i++)
		if (c.fates[i])
			add_count(p, fate_names[i], c.fates[i], c.cut);
	if (c.micro_ops)
		add_count(p, "micro-ops", c.micro_ops, c.cut);
	list_pane_heading(p, "Rows with an event");
	for (size_t i = 0; i < store_event_count(r->store); i++)
		if (c.events[i])
			add_count(p, store_event(r->store, i)->name, c.events[i], c.cut);
}

static void add_mean(struct list_pane *p, struct rows *r, const struct interval *time,
		     const char *name, const struct series *series)
{
	struct metric_ref m = metric_of_series(series);
	bool exact = true;
	double value;
	char number[32];

	if (interval_mean(trace_of_store(r->store), &m, time, &value, &exact, NULL) != STATUS_OK ||
	    isnan(value))
		return;
	pane_line_add(list_pane_key(p, name), ROLE_PANE, "%s%s", exact ? "" : "~",
		      num_short(value, 8, number));
}

static struct pane *range_pane(struct app *a)
{
	static const char *const names[] = {"ipc", "fetch", "commit", "squash", "in-flight"};
	struct list_pane *p = list_pane_new(&range_ops);
	struct rows *r = rows_of(a->tab);
	struct selection s;
	struct series series;
	struct metric_info metric;
	struct interval time;
	int64_t from, length;
	char number[32];

	app_range(a, &s);
	time = interval_of(trace_of_store(r->store), s.tick0, s.tick1);
	from = axis_time(&r->view.axis, time.from);
	length = axis_length_of(&r->view.axis, &time);
	strcpy(p->title, s.on ? "Selection" : "On the screen");
	pane_line_add(list_pane_key(p, "from"), ROLE_PANE, "%s %s", axis_unit(&r->view.axis),
		      num_group(from, number));
	pane_line_add(list_pane_key(p, "to"), ROLE_PANE, "%s %s", axis_unit(&r->view.axis),
		      num_group(from + length, number));
	add_count(p, "length", (uint64_t)length, false);
	list_pane_heading(p, "Rows in the range");
	add_rows(p, r, &s);
	list_pane_heading(p, "Means per cycle");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (series_parse(r->store, names[i], NULL, &series))
			add_mean(p, r, &time, names[i], &series);
	for (size_t i = 0; i < store_stage_count(r->store); i++) {
		series = (struct series){.kind = SERIES_OCCUPANCY, .stages = UINT64_C(1) << i};
		add_mean(p, r, &time, store_stage(r->store, i)->name, &series);
	}
	for (size_t i = 0; store_metric(r->store, i, &metric); i++) {
		series = (struct series){.kind = SERIES_STATISTIC, .metric = i};
		add_mean(p, r, &time, metric.name, &series);
	}
	return &p->pane;
}

/* ---- the panes of rows ---- */

/* A selection restricts the panes that count; without one they count the whole trace. */
#define MAKE_RANGED(name)                                                                          \
	static struct pane *make_##name(struct app *a)                                             \
	{                                                                                          \
		struct rows *r = rows_of(a->tab);                                                  \
                                                                                                   \
		return name##_pane(r->store, &r->view.selection);                                  \
	}
MAKE_RANGED(legend)
MAKE_RANGED(longest)

static struct pane *make_stalls(struct app *a)
{
	struct rows *r = rows_of(a->tab);

	return stalls_pane(r->store, &r->view.selection, app_binary(a), rows_app(a)->stalls_by);
}

static struct pane *make_inspector(struct app *a)
{
	const char *instead;
	const struct why *why = explaining_inspect(a, &instead);

	return inspector_pane(rows_of(a->tab)->store, tab_place(a->tab).item, app_binary(a), why,
			      instead);
}

static const struct pane_ops hint_ops = {LIST_PANE, .width = 76};
static const struct answer_shown hints = {&pipeline_hints_answer, "Hints", .hints = &hint_ops};

const struct pane_kind rows_panes[] = {
    {"inspector", "everything about the row under the cursor", PANE_SIDE, true, true, true,
     FOLLOWS_ROW, .make = make_inspector},
    {"legend", "letters and colours", PANE_SIDE, true, true, true, FOLLOWS_SELECTION,
     .make = make_legend},
    {"range", "what happened in the selection", PANE_SIDE, true, true, true, FOLLOWS_SCREEN,
     .make = range_pane},
    {"stalls", "where the cycles went, by instruction", PANE_POPUP, true, true, true,
     FOLLOWS_SELECTION, .make = make_stalls, .own = {"stalls by", "by function"}},
    {"longest", "the instructions that lived longest, or stayed longest in a stage", PANE_POPUP,
     true, true, true, FOLLOWS_SELECTION, .make = make_longest},
    {"reduce", "what dependencies and branches cost", PANE_POPUP, true, true, false,
     FOLLOWS_SELECTION, .make = reducing_pane, .mode = KEYS_REDUCE,
     .own = {"reduce by", "by links"}},
    {"compare", "where the cycles went, B against A", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .make = alignment_pane},
    {"cpi0", "which queue limits the mix", PANE_POPUP, true, true, false, FOLLOWS_SELECTION,
     .make = diagnosing_pane, .mode = KEYS_CPI0,
     .own = {"machine next", "next machine"}},
    {"why", "why the run took so long, and what would help", PANE_POPUP, true, true, false,
     FOLLOWS_SELECTION, .make = explaining_pane},
    {"hints", "what limits the run, and what to try", PANE_POPUP, true, true, false,
     FOLLOWS_NOTHING, .answer = &hints},
    {"links", "what a row waited for", PANE_POPUP, true, true, false, FOLLOWS_NOTHING,
     .make = links_pane},
    {.name = NULL},
};
