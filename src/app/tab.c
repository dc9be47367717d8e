#include "config.h"

#include "app/answers.h"
#include "app/tab.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics.h"
#include "app/tail.h"
#include "base/text.h"
#include "base/xalloc.h"

enum { OWN_METRICS = 6 }; /* shown where none was asked for */

static void set_name(struct tab *t)
{
	const char *base = strrchr(t->path, '/');

	base = base && base[1] ? base + 1 : t->path;
	sbuf_clear(&t->name);
	text_sanitise(&t->name, base, strlen(base));
}

static enum status open_trace(struct tab *t, struct trace **out, const struct tab_options *options,
			      struct error *e)
{
	struct trace_options o = *options->store;
	struct source *source;
	enum status status;

	if (t->ticks_per_cycle)
		o.ticks_per_cycle = t->ticks_per_cycle;
	o.background = true;
	o.follow = options->follow;
	status = source_open(&source, t->path, e);
	if (!status)
		status = trace_open(out, source, &o, e);
	return status;
}

static bool can_keep_marks(const struct tab *t)
{
	return t->keep_marks && !source_is_pipe(t->trace->source);
}

enum status tab_save_mark(struct tab *t, char letter, struct error *e)
{
	struct source_id id;

	if (!can_keep_marks(t))
		return STATUS_OK;
	source_identity(t->trace->source, &id);
	return places_save(&t->places, letter, &id, e);
}

/* With its trace open. */
static enum status begin(struct tab *t, const struct tab_options *options, struct error *e)
{
	views_make(options->app, t);
	if (!t->view)
		return error_set(e, STATUS_INPUT, "%s: nothing to show: the trace has no metrics",
				 t->trace->format.title);
	t->growing = options->follow && t->trace->kind->is_live(t->trace) &&
		     !source_is_pipe(t->trace->source);
	if (can_keep_marks(t)) {
		struct source_id id;

		source_identity(t->trace->source, &id);
		places_load(&t->places, &id);
	}
	return STATUS_OK;
}

enum status tab_open(struct tab **out, struct trace *trace, const char *path,
		     const struct tab_options *options, struct error *e)
{
	struct tab *t = xcalloc(1, sizeof(*t));
	enum status status = STATUS_OK;

	t->trace = trace;
	t->path = xstrdup(path);
	t->keep_marks = options->keep_marks;
	t->percent_seen = -1;
	set_name(t);
	strip_init(&t->strip);
	if (!trace)
		status = open_trace(t, &t->trace, options, e);
	if (!status)
		status = begin(t, options, e);
	if (status)
		tab_close(t);
	else
		*out = t;
	return status;
}

void tab_close(struct tab *t)
{
	if (!t)
		return;
	strip_free(&t->strip);
	answers_free(t);
	while (t->view_count) {
		struct view *v = t->views[--t->view_count];

		if (v->kind->free)
			v->kind->free(v);
		free(v);
	}
	trace_close(t->trace);
	regex_free(t->components);
	regex_free(t->search);
	sbuf_free(&t->name);
	free(t->path);
	free(t);
}

/* What was seen of the trace before is forgotten; the place is returned to when it is there. */
static void return_later(struct tab *t, struct place place)
{
	t->placed = t->told = t->has_landed = false;
	t->items_seen = t->reached_seen = 0;
	t->percent_seen = -1;
	t->change = SOURCE_SAME;
	t->places.before = place;
	t->places.has_before = true;
	t->return_to = place;
	t->returning = true;
}

enum status tab_reload(struct tab *t, const struct tab_options *options, struct error *e)
{
	struct place place = tab_place(t);
	struct trace *old = t->trace, *trace;
	enum status status;

	if (source_is_pipe(old->source))
		return error_set(e, STATUS_UNSUPPORTED, "a pipe cannot be read again");
	status = open_trace(t, &trace, options, e);
	if (status)
		return status;
	if (trace->kind != old->kind) {
		trace_close(trace);
		return error_set(e, STATUS_INPUT, "the file is another kind of trace now: open it again");
	}
	t->trace = trace;
	strip_free(&t->strip);
	strip_init(&t->strip);
	for (int i = 0; i < t->view_count; i++)
		if (t->views[i]->kind->reopen)
			t->views[i]->kind->reopen(t->views[i]);
	trace_close(old);
	return_later(t, place);
	return STATUS_OK;
}

int tab_percent(const struct progress *p)
{
	double part = p->bytes_total ? (double)p->bytes_done / (double)p->bytes_total : 0;

	return part >= 1 ? 99 : (int)(part * 100);
}

/* Something to be at; where there are items it is one of those. */
static bool has_begun(const struct tab *t, const struct progress *p)
{
	return t->view->kind->count ? p->items > 0 : p->last >= p->first;
}

static void first_look(struct tab *t, const struct progress *p)
{
	struct view *v = t->view;

	if (t->returning && (p->complete || t->return_to.item < p->items)) {
		if (v->kind->come_back)
			v->kind->come_back(v, &t->return_to);
		tab_goto(t, t->return_to);
		t->returning = false;
	} else if (!t->placed) {
		for (int i = 0; i < t->view_count; i++)
			t->views[i]->kind->home(t->views[i]);
	}
	t->placed = true;
}

bool tab_progress(struct tab *t, struct progress *p)
{
	unsigned came = VIEW_SAME;
	int percent;
	bool changed, live;

	trace_heard(t->trace);
	trace_progress(t->trace, p);
	for (int i = 0; i < t->view_count; i++)
		came |= t->views[i]->kind->progress(t->views[i], p);
	live = tab_live(t) != LIVE_OVER;
	/* of live text nobody knows how much will come */
	percent = p->complete ? 100 : live ? 0 : tab_percent(p);
	if (has_begun(t, p) && (!t->placed || t->returning))
		first_look(t, p);
	/* where following moves all of it, that is twice a second soon enough */
	t->filling = came & VIEW_FILLS && !(t->items_seen && tab_live(t) == LIVE_FOLLOWING);
	/* of live text items that are on the screen go on, although none is born */
	changed = percent != t->percent_seen || p->complete != t->told || t->filling ||
		  came & VIEW_CHANGED || (live && p->reached != t->reached_seen);
	if (p->items != t->items_seen || came & VIEW_FILLS)
		tab_stick(t);
	/* items end, and others come */
	if (p->reached != t->reached_seen)
		view_moved(t->view);
	t->percent_seen = percent;
	t->items_seen = p->items;
	t->reached_seen = p->reached;
	return changed;
}

void tab_apply(struct tab *t, const struct options *o)
{
	for (int i = 0; i < t->view_count; i++)
		if (t->views[i]->kind->apply)
			t->views[i]->kind->apply(t->views[i], o);
}

struct place tab_place(const struct tab *t)
{
	return t->view->kind->place(t->view);
}

static bool filter_views(struct tab *t, const struct regex *components)
{
	bool some = true;

	for (int i = 0; some && i < t->view_count; i++)
		if (t->views[i]->kind->filter)
			some = t->views[i]->kind->filter(t->views[i], components);
	return some;
}

bool tab_filter(struct tab *t, struct regex *components)
{
	if (!filter_views(t, components)) {
		filter_views(t, t->components);
		regex_free(components);
		return false;
	}
	regex_free(t->components);
	t->components = components;
	return true;
}

bool tab_has_items(const struct tab *t)
{
	for (int i = 0; i < t->view_count; i++)
		if (t->views[i]->kind->all)
			return true;
	return false;
}

void tab_landed(struct tab *t)
{
	t->landed = tab_place(t);
	t->has_landed = true;
}

void tab_goto(struct tab *t, struct place where)
{
	const struct view_kind *k = t->view->kind;

	k->zoom(t->view, where.item_zoom - k->place(t->view).item_zoom,
		where.tick_zoom - t->view->axis->zoom);
	k->go(t->view, where.item, where.tick);
}

bool tab_ticks(const struct tab *t, int64_t *from, int64_t *to)
{
	struct progress p;

	trace_progress(t->trace, &p);
	*from = p.first;
	*to = p.last + 1;
	return p.last >= p.first;
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

/* A metric that an analysis works out beside the trace; NULL: it is none. */
static const struct curve_given *given_of(struct tab *t, const struct metric_wish *w)
{
	const struct curve_given *given = NULL;

	for (int i = 0; i < t->view_count && !given && !*w->component; i++)
		if (t->views[i]->kind->given)
			given = t->views[i]->kind->given(t->views[i], w->name);
	return given;
}

bool tab_curve(struct tab *t, const struct metric_wish *w, const char *within,
	       struct curve_source *out)
{
	struct regex *component = NULL;
	struct sbuf pattern = {0};
	struct error ignored;
	bool found;

	*out = (struct curve_source){.trace = t->trace, .given = given_of(t, w)};
	if (out->given)
		return true;
	if (*w->component)
		sbuf_puts(&pattern, w->component);
	else if (within)
		metric_component_pattern(within, true, &pattern);
	found = (!pattern.len || !regex_new(&component, sbuf_text(&pattern), &ignored)) &&
		!curve_find(t->trace, w->name, component, out, &ignored);
	regex_free(component);
	sbuf_free(&pattern);
	return found;
}

/* The first metrics of the trace, each name once: where it has none of those wished for. */
static void own_wishes(const struct tab *t, struct metric_wishes *out)
{
	struct metric_info m;

	out->count = 0;
	for (size_t i = 0; out->count < OWN_METRICS && t->trace->kind->metric(t->trace, i, &m); i++) {
		struct metric_wish *w = &out->rows[out->count];
		bool known = strlen(m.name) + 2 > METRIC_NAME;

		for (int k = 0; k < out->count; k++)
			known = known || strcmp(out->rows[k].name, m.name) == 0;
		if (known)
			continue;
		*w = (struct metric_wish){.hidden = false};
		strcpy(w->name, m.name);
		out->count++;
	}
}

static bool fulfils_any(struct tab *t, const struct metric_wishes *all)
{
	struct curve_source source;

	for (int i = 0; i < all->count; i++)
		if (tab_curve(t, &all->rows[i], NULL, &source))
			return true;
	return false;
}

void tab_wish(struct tab *t, struct metric_wishes *all)
{
	struct metric_wishes own;

	if (fulfils_any(t, all))
		return;
	own_wishes(t, &own);
	for (int i = 0; i < own.count && all->count < STRIP_MAX; i++)
		all->rows[all->count++] = own.rows[i];
}

/* The component in sight; NULL: all of the trace is. */
static const char *within_of(const struct tab *t)
{
	return t->view->kind->within ? t->view->kind->within(t->view) : NULL;
}

/* The strip has a line for each wish that the trace can fulfil, in the order of the wishes. */
void tab_metrics(struct tab *t, const struct metric_wishes *all)
{
	struct metric_wishes wishes = *all;
	const char *within = within_of(t);

	tab_wish(t, &wishes);
	free(t->strip.component);
	t->strip.component = within ? xstrdup(within) : NULL;
	t->strip.count = 0;
	for (int i = 0; i < wishes.count; i++) {
		const struct metric_wish *w = &wishes.rows[i];
		struct curve_source source;
		char name[METRIC_NAME];

		metric_label(w, name);
		if (tab_curve(t, w, within, &source) && strip_add(&t->strip, &source, name))
			t->strip.lines[t->strip.count - 1].hidden = w->hidden;
	}
}

void tab_look(struct tab *t, const struct metric_wishes *all)
{
	const char *now = within_of(t), *then = t->strip.component;

	if (now && then ? strcmp(now, then) != 0 : now != then)
		tab_metrics(t, all);
}
