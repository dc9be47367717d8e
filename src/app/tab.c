#include "config.h"

#include "app/tab.h"

#include <stdlib.h>
#include <string.h>

#include "app/pipeline/cpi0_line.h"
#include "app/pipeline/diagnosing.h"
#include "app/pipeline/reducing.h"
#include "app/pipeline/refilter.h"
#include "app/tail.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "pipeline/kind.h"
#include "source/binary.h"
#include "view/pipeline/chain.h"

enum { LIVES_LOOKED_AT = 65536 };

static void set_name(struct tab *t)
{
	const char *base = strrchr(t->path, '/');

	base = base && base[1] ? base + 1 : t->path;
	sbuf_clear(&t->name);
	text_sanitise(&t->name, base, strlen(base));
}

enum status tab_can_show(struct trace *trace, struct error *e)
{
	if (store_of_trace(trace))
		return STATUS_OK;
	error_set(e, STATUS_INPUT, "%s: no view shows it yet: info and series read it",
		  trace->format.title);
	trace_close(trace);
	return STATUS_INPUT;
}

static void take_trace(struct tab *t, struct trace *trace)
{
	t->trace = trace;
	t->store = store_of_trace(trace);
}

/* Those of all traces, with what was asked for this one over them. */
static bool own_settings(const struct tab *t, struct trace_settings *out,
			 const struct trace_settings *from)
{
	struct pipeline_settings *own;

	if (!trace_settings_copy(out, from))
		return false;
	own = t->segments.setup ? trace_settings_of(out, &pipeline_kind) : NULL;
	if (own)
		own->segments = t->segments;
	return own || !t->segments.setup;
}

static enum status open_store(struct tab *t, const struct tab_options *options, struct error *e)
{
	struct trace_options o = *options->store;
	struct trace_settings settings;
	struct source *source;
	struct trace *trace;
	enum status status;

	if (!own_settings(t, &settings, o.settings))
		return error_set(e, STATUS_NOMEM, "out of memory");
	o.settings = &settings;
	if (t->ticks_per_cycle)
		o.ticks_per_cycle = t->ticks_per_cycle;
	o.background = true;
	o.follow = options->follow;
	status = source_open(&source, t->path, e);
	if (!status)
		status = trace_open(&trace, source, &o, e);
	trace_settings_free(&settings);
	if (!status)
		status = tab_can_show(trace, e);
	if (!status)
		take_trace(t, trace);
	return status;
}

static bool can_keep_marks(const struct tab *t)
{
	struct source *source = store_source(t->store);

	return t->keep_marks && source && !source_is_pipe(source);
}

static struct tab *new_tab(const char *path, const struct tab_options *options)
{
	struct tab *t = xcalloc(1, sizeof(*t));

	t->path = xstrdup(path);
	t->keep_marks = options->keep_marks;
	t->percent_seen = -1;
	t->seen_row = ROW_NONE;
	set_name(t);
	return t;
}

static void begin(struct tab *t)
{
	pipeview_init(&t->view, t->store);
	strip_init(&t->strip);
	if (can_keep_marks(t)) {
		struct source_id id;

		source_identity(store_source(t->store), &id);
		places_load(&t->places, &id);
	}
	t->view.marks = t->places.marks;
	t->view.mark_count = t->places.mark_count;
}

enum status tab_open(struct tab **out, const char *path, const struct tab_options *options,
		     struct error *e)
{
	struct tab *t = new_tab(path, options);
	enum status status = open_store(t, options, e);

	if (status) {
		sbuf_free(&t->name);
		free(t->path);
		free(t);
		return status;
	}
	t->growing = options->follow && store_is_live(t->store) &&
		     !source_is_pipe(store_source(t->store));
	begin(t);
	*out = t;
	return STATUS_OK;
}

struct tab *tab_adopt(struct trace *trace, const char *name, const struct tab_options *options)
{
	struct tab *t = new_tab(name, options);

	take_trace(t, trace);
	begin(t);
	return t;
}

enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e)
{
	*out = *from;
	out->text = NULL;
	out->threads = NULL;
	if (from->text && regex_new(&out->text, regex_pattern(from->text), e))
		return STATUS_USAGE;
	if (from->threads) {
		out->threads = xcalloc(from->thread_count, sizeof(*out->threads));
		memcpy(out->threads, from->threads, from->thread_count * sizeof(*out->threads));
	}
	return STATUS_OK;
}

void row_choice_free(struct row_choice *c)
{
	regex_free(c->text);
	free(c->threads);
	*c = (struct row_choice){0};
}

void tab_close(struct tab *t)
{
	if (!t)
		return;
	binary_close(t->binary);
	strip_free(&t->strip);
	pipeview_free(&t->view);
	chain_free(t->chain);
	filter_free(t->filter);
	search_free(t->lines);
	reducing_free(t->reducing);
	diagnosing_free(t->diagnosing);
	cpi0_line_free(t->cpi0_line);
	trace_close(t->trace);
	row_choice_free(&t->choice);
	regex_free(t->search);
	regex_free(t->component);
	tally_forget(&t->tally);
	detail_free(&t->seen);
	sbuf_free(&t->name);
	free(t->path);
	free(t);
}

/* What commands say of a trace that can be said of any. */
static void take_settings(struct pipeview *v, const struct pipeview *from)
{
	v->axis.raw_ticks = from->axis.raw_ticks;
	v->lanes_split = from->lanes_split;
	v->colour_by = from->colour_by;
	v->links = from->links;
	memcpy(v->link_stages, from->link_stages, sizeof(v->link_stages));
}

/* A fresh view that looks as the old one did. */
static void renew_view(struct tab *t)
{
	struct pipeview old = t->view;

	pipeview_init(&t->view, t->store);
	memcpy(t->view.gutter_shown, old.gutter_shown, sizeof(old.gutter_shown));
	memcpy(t->view.gutter_width, old.gutter_width, sizeof(old.gutter_width));
	t->view.search = t->search;
	t->view.stage_hidden = old.stage_hidden;
	t->view.pinned = old.pinned;
	t->view.margin = old.margin;
	t->view.row_zoom = old.row_zoom;
	t->view.axis.zoom = old.axis.zoom;
	t->view.highlight = old.highlight;
	take_settings(&t->view, &old);
	t->view.lanes_hidden = old.lanes_hidden;
	t->view.marks = old.marks;
	t->view.mark_count = old.mark_count;
	pipeview_layout(&t->view, old.width, old.height);
	pipeview_free(&old);
}

/* Other stages and events may have been asked for: what has no number any more is forgotten. */
static void check_names(struct tab *t)
{
	const struct highlight *h = &t->view.highlight;

	if ((h->kind == HIGHLIGHT_EVENT && h->what >= store_event_count(t->store)) ||
	    (h->kind == HIGHLIGHT_STAGE && h->what >= store_stage_count(t->store)))
		t->view.highlight.kind = HIGHLIGHT_NONE;
	if ((t->target.kind == TARGET_EVENT && t->target.what >= store_event_count(t->store)) ||
	    (t->target.kind == TARGET_STAGE && t->target.what >= store_stage_count(t->store)))
		tab_aim(t, (struct target){.kind = TARGET_NONE});
}

enum status tab_reload(struct tab *t, const struct tab_options *options, struct error *e)
{
	struct place place = tab_place(t);
	struct row row = {.start = 0};
	struct store *old = t->store;
	enum status status;

	if (store_source(old) && source_is_pipe(store_source(old)))
		return error_set(e, STATUS_UNSUPPORTED, "a pipe cannot be read again");
	status = open_store(t, options, e);
	if (status)
		return status;
	filter_free(t->filter);
	t->filter = NULL;
	search_free(t->lines);
	t->lines = t->target.lines = NULL; /* n begins anew */
	chain_free(t->chain); /* rows may have other numbers */
	t->chain = NULL;
	strip_free(&t->strip);
	strip_init(&t->strip);
	renew_view(t);
	store_row(old, place.item, &row);
	reducing_free(t->reducing);
	diagnosing_free(t->diagnosing);
	cpi0_line_free(t->cpi0_line);
	t->reducing = NULL;
	t->diagnosing = NULL;
	t->cpi0_line = NULL;
	t->view.arcs = NULL;
	store_close(old);
	t->placed = t->told = false;
	t->rows_seen = t->reached_seen = 0;
	t->percent_seen = -1;
	t->seen_row = ROW_NONE;
	t->stages_seen = 0;
	t->has_landed = false;
	tally_forget(&t->tally);
	check_names(t);
	t->change = SOURCE_SAME;
	/* kept until those rows are there again */
	t->places.before = place;
	t->places.has_before = true;
	t->return_to = place;
	t->returned_start = row.start;
	t->returning = true;
	return STATUS_OK;
}

int tab_percent(const struct progress *p)
{
	double part = p->bytes_total ? (double)p->bytes_done / (double)p->bytes_total : 0;

	return part >= 1 ? 99 : (int)(part * 100);
}

/* Stages that the pattern leaves out. False: all of them. */
static bool hidden_stages(const struct tab *t, const struct regex *pattern, uint64_t *hidden)
{
	size_t count = store_stage_count(t->store), shown = 0;

	*hidden = 0;
	for (size_t i = 0; pattern && i < count; i++) {
		const char *name = store_stage(t->store, i)->name;

		if (regex_match(pattern, name, strlen(name), NULL, NULL))
			shown++;
		else
			*hidden |= UINT64_C(1) << i;
	}
	return !pattern || shown > 0;
}

bool tab_component(struct tab *t, struct regex *pattern)
{
	uint64_t hidden;

	if (!hidden_stages(t, pattern, &hidden))
		return false;
	regex_free(t->component);
	t->component = pattern;
	t->view.stage_hidden = hidden;
	return true;
}

/* A file can bring stages that its format does not promise. */
static void follow_stages(struct tab *t)
{
	size_t count = store_stage_count(t->store);

	if (count != t->stages_seen && t->component)
		hidden_stages(t, t->component, &t->view.stage_hidden);
	t->stages_seen = count;
}

static bool begins_hidden(const struct tab *t, const char *lane)
{
	const struct sbuf *names = &t->beginning->lanes;

	for (size_t at = 0; at < names->len; at += strlen(names->text + at) + 1)
		if (strcmp(names->text + at, lane) == 0)
			return true;
	return false;
}

/* Lanes have names once their first stay was read; the pipeline's own is never hidden. */
static void follow_lanes(struct tab *t)
{
	size_t count = store_lane_count(t->store);

	for (size_t i = t->lanes_seen ? t->lanes_seen : 1; t->beginning && i < count; i++)
		if (begins_hidden(t, store_lane(t->store, i)))
			t->view.lanes_hidden |= (uint16_t)(1u << i);
	if (count > t->lanes_seen)
		t->lanes_seen = count;
}

static void first_look(struct tab *t, const struct progress *p)
{
	struct row row;

	if (t->returning && (p->complete || t->return_to.item < p->rows)) {
		if (store_row(t->store, t->return_to.item, &row))
			t->return_to.tick =
			    (int64_t)((uint64_t)t->return_to.tick + (uint64_t)row.start -
				      (uint64_t)t->returned_start);
		tab_goto(t, t->return_to);
		t->returning = false;
	} else if (!t->placed) {
		pipeview_home(&t->view);
	}
	t->placed = true;
}

bool tab_progress(struct tab *t, struct progress *p)
{
	int percent;
	bool changed, live, turned;

	store_progress(t->store, p);
	follow_stages(t);
	follow_lanes(t);
	turned = t->filter && tab_refilter(t);
	live = tab_live(t) != LIVE_OVER;
	/* of live text nobody knows how much will come */
	percent = p->complete ? 100 : live ? 0 : tab_percent(p);
	if (p->rows && (!t->placed || t->returning))
		first_look(t, p);
	/* rows beyond the screen change nothing but the percentage */
	t->filling = p->rows != t->rows_seen &&
		     t->rows_seen < t->view.top + ((uint64_t)t->view.lines << t->view.row_zoom);
	/* where following moves all of it, that is twice a second soon enough */
	if (t->rows_seen && tab_live(t) == LIVE_FOLLOWING)
		t->filling = false;
	/* of live text rows that are on the screen go on, although none is born */
	changed = percent != t->percent_seen || p->complete != t->told || t->filling || turned ||
		  (live && p->reached != t->reached_seen);
	if (p->rows != t->rows_seen)
		tab_stick(t);
	/* its rows end, and others come */
	if (p->reached != t->reached_seen)
		tab_track_selection(t);
	t->percent_seen = percent;
	t->rows_seen = p->rows;
	t->reached_seen = p->reached;
	return changed;
}

void tab_begin(struct tab *t, const struct tab_beginning *from)
{
	t->beginning = from;
	take_settings(&t->view, &from->view);
}

void tab_apply(struct tab *t, const struct options *o)
{
	t->view.pinned = o->value[OPT_PINNED];
	t->view.margin = (int)o->value[OPT_SCROLL_MARGIN];
	for (int i = 0; i < GUTTER_COUNT; i++) {
		t->view.gutter_shown[i] = o->value[OPT_COLUMN_MARK + i];
		t->view.gutter_width[i] = (int)o->value[OPT_WIDTH_MARK + i];
	}
	if (!o->value[OPT_FLASH])
		t->view.flash = false;
}

bool metric_is_given(const struct metric_wish *w)
{
	return strcmp(w->name, CPI0_METRIC) == 0 && !*w->component;
}

void metric_label(const struct metric_wish *w, char out[METRIC_NAME])
{
	struct sbuf name = {0};

	sbuf_printf(&name, "%s%s%s", w->name, *w->component ? " " : "", w->component);
	out[0] = '\0';
	if (name.len < METRIC_NAME)
		memcpy(out, sbuf_text(&name), name.len + 1);
	sbuf_free(&name);
}

static const struct curve_given *given_of(struct tab *t)
{
	if (!t->cpi0_line)
		t->cpi0_line = cpi0_line_new();
	return cpi0_line_given(t->cpi0_line);
}

bool tab_curve(struct tab *t, const struct metric_wish *w, struct curve_source *out)
{
	struct trace *trace = trace_of_store(t->store);
	struct regex *component = NULL;
	struct error ignored;
	bool found;

	*out = (struct curve_source){.trace = trace};
	if (metric_is_given(w)) {
		out->given = given_of(t);
		return true;
	}
	if (*w->component && regex_new(&component, w->component, &ignored))
		return false;
	found = curve_find(trace, w->name, component, out, &ignored) == STATUS_OK;
	regex_free(component);
	return found;
}

/* The strip has a line for each wish that the trace can fulfil, in the order of the wishes. */
static bool strip_is_current(struct tab *t, const struct metric_wishes *wishes)
{
	int line = 0;

	for (int i = 0; i < wishes->count; i++) {
		struct curve_source source;
		char name[METRIC_NAME];

		metric_label(&wishes->rows[i], name);
		if (line < t->strip.count && strcmp(t->strip.lines[line].name, name) == 0) {
			if (t->strip.lines[line].hidden != wishes->rows[i].hidden)
				return false;
			line++;
		} else if (tab_curve(t, &wishes->rows[i], &source)) {
			return false;
		}
	}
	return line == t->strip.count;
}

static bool add_line(struct tab *t, const struct metric_wish *w)
{
	struct curve_source source;
	char name[METRIC_NAME];

	metric_label(w, name);
	return tab_curve(t, w, &source) && strip_add(&t->strip, &source, name);
}

void tab_metrics(struct tab *t, const struct metric_wishes *wishes)
{
	if (strip_is_current(t, wishes))
		return;
	while (t->strip.count)
		strip_remove(&t->strip, t->strip.count - 1);
	for (int i = 0; i < wishes->count; i++) {
		const struct metric_wish *w = &wishes->rows[i];
		if (!add_line(t, w))
			continue;
		t->strip.lines[t->strip.count - 1].hidden = w->hidden;
	}
}

void tab_aim(struct tab *t, struct target target)
{
	if (t->lines != target.lines) {
		search_free(t->lines);
		t->lines = target.lines;
	}
	t->target = target;
	tally_forget(&t->tally);
}

enum status tab_aim_lines(struct tab *t, struct error *e)
{
	struct target target = {.kind = TARGET_LINE, .text = t->search, .row = ROW_NONE};
	struct detail d = {.no_notes = true};
	uint64_t row = pipeview_row(&t->view, t->view.cursor), from = 0;
	enum status status;

	if (row != ROW_NONE && store_detail(t->store, row, 1, &d, e) == STATUS_OK && d.count)
		from = d.rows[0].offset;
	detail_free(&d);
	status = search_new(&target.lines, t->store, t->search, from, e);
	if (!status)
		tab_aim(t, target);
	return status;
}

struct place tab_place(const struct tab *t)
{
	return (struct place){.item = pipeview_row(&t->view, t->view.cursor),
			      .tick = t->view.axis.tick,
			      .item_zoom = t->view.row_zoom,
			      .tick_zoom = t->view.axis.zoom};
}

void tab_goto(struct tab *t, struct place where)
{
	pipeview_zoom(&t->view, where.item_zoom - t->view.row_zoom,
		      where.tick_zoom - t->view.axis.zoom);
	pipeview_goto(&t->view, where.item, where.tick);
}

void tab_set_filter(struct tab *t, struct filter *f)
{
	uint64_t row = pipeview_row(&t->view, t->view.cursor);
	int64_t tick = t->view.axis.tick;
	bool following = tab_live(t) == LIVE_FOLLOWING;

	t->view.filter = f;
	pipeview_forget(&t->view);
	filter_free(t->filter);
	t->filter = f;
	if (row != ROW_NONE)
		pipeview_goto(&t->view, row, tick);
	t->has_stuck = t->has_stuck && !following;
	if (following)
		tab_stick(t);
}

bool tab_ticks(const struct tab *t, int64_t *from, int64_t *to)
{
	struct progress p;

	store_progress(t->store, &p);
	*from = p.first;
	*to = p.last + 1;
	return p.last >= p.first;
}

void tab_select(struct tab *t, enum select_kind kind)
{
	t->selecting = kind;
	t->anchor_row = pipeview_row(&t->view, t->view.cursor);
	t->anchor_tick = t->view.axis.tick;
	tab_track_selection(t);
}

/*
 * Whole rows: from the birth of the first to the end of the last of them to end. Lives overlap
 * by what a processor holds in flight, so the last LIVES_LOOKED_AT rows tell that end.
 */
static void ticks_of_rows(const struct tab *t, struct selection *s)
{
	uint64_t row =
	    s->item1 - s->item0 > LIVES_LOOKED_AT ? s->item1 - LIVES_LOOKED_AT : s->item0;
	int64_t first, end;
	struct row r;

	if (!tab_ticks(t, &first, &end) || !store_row(t->store, s->item0, &r))
		return;
	s->tick0 = r.start;
	s->tick1 = r.start + 1;
	while (row < s->item1) {
		struct row batch[256];
		size_t want = s->item1 - row < 256 ? (size_t)(s->item1 - row) : 256;
		size_t n = store_rows(t->store, row, want, batch);

		for (size_t i = 0; i < n; i++) {
			/* the cycle of commit or removal belongs to the row */
			int64_t to = batch[i].end < end ? batch[i].end + 1 : end;

			if (to > s->tick1)
				s->tick1 = to;
		}
		if (!n)
			break;
		row += n;
	}
}

void tab_track_selection(struct tab *t)
{
	struct selection *s = &t->view.selection;
	uint64_t row0, row1;
	int64_t t0, t1, anchor0, anchor1;

	s->on = t->selecting != SELECT_NONE;
	if (!s->on)
		return;
	pipeview_under_cursor(&t->view, &row0, &row1, &t0, &t1);
	axis_cycle_of(&t->view.axis, t->anchor_tick, &anchor0, &anchor1);
	s->item0 = row0 < t->anchor_row ? row0 : t->anchor_row;
	s->item1 = row1 > t->anchor_row + 1 ? row1 : t->anchor_row + 1;
	s->tick0 = t0 < anchor0 ? t0 : anchor0;
	s->tick1 = t1 > anchor1 ? t1 : anchor1;
	if (t->selecting == SELECT_ROWS)
		ticks_of_rows(t, s);
	if (t->selecting == SELECT_TICKS) {
		s->item0 = 0;
		s->item1 = store_row_count(t->store);
	}
}
