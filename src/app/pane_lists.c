#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "app/pipeline/measure.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"
#include "view/pane_list.h"

enum {
	RANGE_ROWS = 4 << 20, /* rows counted one by one in a range; beyond it a lower bound */
	RANGE_CHUNK = 1024
};

/* Marks and jumps */

static const struct pane_ops marks_ops = {
    .name = "marks",
    .help = "marks and jumps",
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .target = list_pane_target,
    .free = list_pane_free,
};

static void add_place(struct list_pane *p, struct tab *t, const char *name, uint64_t row,
		      int64_t tick)
{
	struct pane_line *l = list_pane_add(p, row, tick);
	struct sbuf subject = {0}, clean = {0};
	struct detail d = {0};
	struct error ignored;
	char number[32];

	pane_line_add(l, ROLE_MARK, "%-2s ", name);
	pane_line_add(l, ROLE_PANE, "row %-12s", num_group((int64_t)row, number));
	pane_line_add(l, ROLE_PANE, " %s %-14s ", axis_unit(&t->view.axis),
		      num_group(axis_time(&t->view.axis, tick), number));
	if (row < store_row_count(t->store) && !store_detail(t->store, row, 1, &d, &ignored) &&
	    d.count)
		subject_text(&d, &d.rows[0], &subject);
	text_sanitise(&clean, sbuf_text(&subject), subject.len);
	pane_line_add(l, ROLE_DIM, "%s", sbuf_text(&clean));
	sbuf_free(&subject);
	sbuf_free(&clean);
	detail_free(&d);
}

struct pane *marks_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&marks_ops);
	struct tab *t = a->tab;

	strcpy(p->title, "Marks");
	for (size_t i = 0; i < t->places.mark_count; i++) {
		const struct mark *m = &t->places.marks[i];

		add_place(p, t, (char[]){m->letter, '\0'}, m->at.item, m->at.tick);
	}
	if (t->places.has_before)
		add_place(p, t, "'", t->places.before.item, t->places.before.tick);
	if (!p->count)
		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_DIM,
			      "none: mark LETTER sets one");
	if (t->places.jump_count)
		list_pane_heading(p, "Jumps, the newest first");
	for (int i = t->places.jump_count; i-- > 0;)
		add_place(p, t, i == t->places.jump_at ? ">" : "", t->places.jumps[i].item,
			  t->places.jumps[i].tick);
	return &p->pane;
}

/* Options */

static bool enter_option(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct list_pane *list = p->data;
	const struct option_info *o;

	if (i >= list->count || list->lines[i].item >= OPTION_COUNT)
		return false;
	o = &option_infos[list->lines[i].item];
	if (o->type == OPTION_BOOL)
		sbuf_printf(out, "toggle %s", o->name);
	else
		sbuf_printf(out, "ask command set %s", o->name);
	return true;
}

static const struct pane_ops options_ops = {
    .name = "options",
    .help = "options and their values",
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .command = enter_option,
    .free = list_pane_free,
};

struct pane *options_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&options_ops);

	strcpy(p->title, "Options  (Enter changes one)");
	for (int i = 0; i < OPTION_COUNT; i++) {
		struct pane_line *l = list_pane_add(p, (uint64_t)i, 0);
		struct sbuf text = {0};

		option_show(&a->set, (enum option)i, &text);
		pane_line_add(l, a->set.value[i] == option_infos[i].def ? ROLE_PANE : ROLE_KEY,
			      "%-22s ", sbuf_text(&text));
		pane_line_add(l, ROLE_DIM, "%s", option_infos[i].help);
		sbuf_free(&text);
	}
	return &p->pane;
}

/* Problems of the user's files */

static const struct pane_ops problems_ops = {
    .name = "problems",
    .help = "what is wrong in your files",
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .free = list_pane_free,
};

struct pane *problems_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(&problems_ops);
	const char *at = app_complaints(a);

	strcpy(p->title, "Problems in your files");
	for (size_t n; *at; at += n + (at[n] == '\n')) {
		n = strcspn(at, "\n");
		pane_line_bytes(list_pane_add(p, ROW_NONE, 0), ROLE_PANE, at, n);
	}
	if (!p->count)
		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_DIM, "none");
	return &p->pane;
}

/* What happened in a range */

static const struct pane_ops range_ops = {
    .name = "range",
    .help = "what happened in the selection, or on the screen",
    .title = list_pane_title,
    .count = list_pane_count,
    .line = list_pane_line,
    .free = list_pane_free,
    .width = 38,
};

void app_range(const struct app *a, struct selection *out)
{
	const struct pipeview *v = &a->tab->view;
	uint64_t count = pipeview_count(v);
	uint64_t last = v->top + ((uint64_t)(v->lines > 0 ? v->lines : 1) << v->row_zoom);
	int64_t first, end;

	*out = v->selection;
	if (out->on)
		return;
	*out = (struct selection){.on = false};
	if (!count || !tab_ticks(a->tab, &first, &end))
		return;
	out->item0 = pipeview_row(v, v->top);
	out->item1 = pipeview_row(v, last < count ? last - 1 : count - 1) + 1;
	out->tick0 = v->axis.left > first ? v->axis.left : first;
	out->tick1 = axis_right(&v->axis);
	if (out->tick1 > end || out->tick1 < out->tick0)
		out->tick1 = end;
}

struct range_counts {
	uint64_t rows, fates[FATE_COUNT], events[EVENT_MAX], micro_ops;
	bool cut;
};

static void count_rows(struct tab *t, const struct selection *s, struct range_counts *c)
{
	struct row buf[RANGE_CHUNK];
	uint64_t first, last;

	/* a selection of cycles is of all rows: those alive in them count */
	store_rows_alive(t->store, s->tick0, s->tick1, &first, &last);
	first = first > s->item0 ? first : s->item0;
	last = last < s->item1 ? last : s->item1;
	*c = (struct range_counts){.cut = last > first && last - first > RANGE_ROWS};
	for (uint64_t row = first; row < last && c->rows < RANGE_ROWS;) {
		uint64_t left = last - row;
		size_t n = store_rows(t->store, row, left < RANGE_CHUNK ? left : RANGE_CHUNK, buf);

		if (!n)
			break;
		row += n;
		for (size_t i = 0; i < n; i++) {
			if (t->filter && !filter_has(t->filter, buf[i].row))
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

static void add_rows(struct list_pane *p, struct tab *t, const struct selection *s)
{
	struct range_counts c;

	count_rows(t, s, &c);
	add_count(p, "rows", c.rows, c.cut);
	for (int i = 0; i < FATE_COUNT; i++)
		if (c.fates[i])
			add_count(p, fate_names[i], c.fates[i], c.cut);
	if (c.micro_ops)
		add_count(p, "micro-ops", c.micro_ops, c.cut);
	list_pane_heading(p, "Rows with an event");
	for (size_t i = 0; i < store_event_count(t->store); i++)
		if (c.events[i])
			add_count(p, store_event(t->store, i)->name, c.events[i], c.cut);
}

static void add_mean(struct list_pane *p, struct tab *t, const struct interval *time,
		     const char *name, const struct series *series)
{
	struct metric_ref m = metric_of_series(series);
	bool exact = true;
	double value;
	char number[32];

	if (interval_mean(trace_of_store(t->store), &m, time, &value, &exact, NULL) != STATUS_OK ||
	    isnan(value))
		return;
	pane_line_add(list_pane_key(p, name), ROLE_PANE, "%s%s", exact ? "" : "~",
		      num_short(value, 8, number));
}

struct pane *range_pane(struct app *a)
{
	static const char *const names[] = {"ipc", "fetch", "commit", "squash", "in-flight"};
	struct list_pane *p = list_pane_new(&range_ops);
	struct tab *t = a->tab;
	struct selection s;
	struct series series;
	struct interval time;
	int64_t from, length;
	char number[32];

	app_range(a, &s);
	time = interval_of(trace_of_store(t->store), s.tick0, s.tick1);
	from = axis_time(&t->view.axis, time.from);
	length = axis_length_of(&t->view.axis, &time);
	strcpy(p->title, s.on ? "Selection" : "On the screen");
	pane_line_add(list_pane_key(p, "from"), ROLE_PANE, "%s %s", axis_unit(&t->view.axis),
		      num_group(from, number));
	pane_line_add(list_pane_key(p, "to"), ROLE_PANE, "%s %s", axis_unit(&t->view.axis),
		      num_group(from + length, number));
	add_count(p, "length", (uint64_t)length, false);
	list_pane_heading(p, "Of these rows");
	add_rows(p, t, &s);
	list_pane_heading(p, "In these cycles, mean a cycle");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (series_parse(t->store, names[i], NULL, &series))
			add_mean(p, t, &time, names[i], &series);
	for (size_t i = 0; i < store_stage_count(t->store); i++) {
		series = (struct series){.kind = SERIES_OCCUPANCY, .stages = UINT64_C(1) << i};
		add_mean(p, t, &time, store_stage(t->store, i)->name, &series);
	}
	return &p->pane;
}
