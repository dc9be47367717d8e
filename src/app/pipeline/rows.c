#include "config.h"

#include "app/pipeline/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_files.h"
#include "app/pipeline/cpi0_line.h"
#include "app/state.h"
#include "base/num.h"
#include "base/text.h"
#include "source/binary.h"
#include "view/pipeline/chain.h"

static struct rows *rows(const struct view *v)
{
	return (struct rows *)(uintptr_t)v;
}

struct rows *rows_of(const struct tab *t)
{
	struct view *v = tab_view(t, &rows_view_kind);

	return v ? rows(v) : NULL;
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

/* Stages that the pattern leaves out. False: all of them. */
static bool hidden_stages(const struct rows *r, const struct regex *pattern, uint64_t *hidden)
{
	size_t count = store_stage_count(r->store), shown = 0;

	*hidden = 0;
	for (size_t i = 0; pattern && i < count; i++) {
		const char *name = store_stage(r->store, i)->name;

		if (regex_match(pattern, name, strlen(name), NULL, NULL))
			shown++;
		else
			*hidden |= UINT64_C(1) << i;
	}
	return !pattern || shown > 0;
}

static bool filter(struct view *v, const struct regex *components)
{
	struct rows *r = rows(v);
	uint64_t hidden;

	if (!hidden_stages(r, components, &hidden))
		return false;
	r->view.stage_hidden = hidden;
	return true;
}

/* A file can bring stages that its format does not promise. */
static void follow_stages(struct rows *r)
{
	size_t count = store_stage_count(r->store);

	if (count != r->stages_seen && r->base.tab->components)
		hidden_stages(r, r->base.tab->components, &r->view.stage_hidden);
	r->stages_seen = count;
}

/* Other stages and events may have been asked for: what has no number any more is forgotten. */
static void check_names(struct rows *r)
{
	const struct highlight *h = &r->view.highlight;

	if ((h->kind == HIGHLIGHT_EVENT && h->what >= store_event_count(r->store)) ||
	    (h->kind == HIGHLIGHT_STAGE && h->what >= store_stage_count(r->store)))
		r->view.highlight.kind = HIGHLIGHT_NONE;
	if ((r->target.kind == TARGET_EVENT && r->target.what >= store_event_count(r->store)) ||
	    (r->target.kind == TARGET_STAGE && r->target.what >= store_stage_count(r->store)))
		rows_aim(r->base.tab, (struct target){.kind = TARGET_NONE});
}

static void shared_init(void *shared)
{
	struct rows_app *own = shared;

	own->beginning.links = LINKS_ROW;
	own->reduce = (struct reduce_look){.at = {5, 5}, .es = {1, 1}, .gamma = {100, 1}};
	own->machine.number = 1;
	cpi0_machine_open(&own->machine.machine, CPI0_MACHINE_DEFAULT, NULL);
}

static void shared_free(void *shared)
{
	struct rows_app *own = shared;

	binary_close(own->binary);
}

/* Whoever opens an optrace at some pipeline wants its arcs charged for the same one. */
static void take_pipeline(struct rows_app *own, const struct store *s)
{
	struct segments at = store_segments(s);

	if (store_format(s)->recall)
		own->reduce.at = (struct pipeline){at.execute, at.setup};
}

static void init(struct view *v)
{
	struct rows *r = rows(v);
	struct rows_app *own = view_shared(v->app, &rows_view_kind);

	v->axis = &r->view.axis;
	r->store = store_of_trace(v->tab->trace);
	r->seen_row = ROW_NONE;
	pipeview_init(&r->view, r->store);
	r->view.marks = &v->tab->places.marks;
	take_settings(&r->view, &own->beginning);
	take_pipeline(own, r->store);
}

static void view_free(struct view *v)
{
	struct rows *r = rows(v);

	binary_close(r->binary);
	pipeview_free(&r->view);
	chain_free(r->chain);
	filter_free(r->filter);
	search_free(r->lines);
	reducing_free(r->reducing);
	diagnosing_free(r->diagnosing);
	explaining_free(r->explaining);
	cpi0_line_free(r->cpi0_line);
	row_choice_free(&r->choice);
	regex_free(r->search);
	tally_forget(&r->tally);
	detail_free(&r->seen);
}

/* Rows may have other numbers: what was found in the old ones goes. */
static void reopen(struct view *v)
{
	struct rows *r = rows(v);
	struct row row = {.start = 0};

	store_row(r->store, pipeview_row(&r->view, r->view.cursor), &row);
	r->returned_start = row.start;
	filter_free(r->filter);
	r->filter = NULL;
	search_free(r->lines);
	r->lines = r->target.lines = NULL; /* n begins anew */
	chain_free(r->chain);
	r->chain = NULL;
	reducing_free(r->reducing);
	diagnosing_free(r->diagnosing);
	explaining_free(r->explaining);
	cpi0_line_free(r->cpi0_line);
	r->reducing = NULL;
	r->diagnosing = NULL;
	r->explaining = NULL;
	r->walks_path = false;
	r->cpi0_line = NULL;
	r->store = store_of_trace(v->tab->trace);
	pipeview_reopen(&r->view, r->store);
	r->seen_row = ROW_NONE;
	r->stages_seen = 0;
	tally_forget(&r->tally);
	check_names(r);
}

/* The view follows where the row starts now. */
static void come_back(struct view *v, struct place *to)
{
	struct rows *r = rows(v);
	struct row row;

	if (store_row(r->store, to->item, &row))
		to->tick = (int64_t)((uint64_t)to->tick + (uint64_t)row.start -
				     (uint64_t)r->returned_start);
}

static void apply(struct view *v, const struct options *o)
{
	struct pipeview *p = &rows(v)->view;

	p->pinned = o->value[OPT_PINNED];
	p->margin = (int)o->value[OPT_SCROLL_MARGIN];
	for (int i = 0; i < GUTTER_COUNT; i++) {
		p->gutter_shown[i] = o->value[OPT_COLUMN_MARK + i];
		p->gutter_width[i] = (int)o->value[OPT_WIDTH_MARK + i];
	}
}

/* Rows beyond the screen change nothing of it. */
static unsigned progress(struct view *v, const struct progress *p)
{
	struct rows *r = rows(v);
	uint64_t seen = v->tab->items_seen;
	unsigned changed = VIEW_SAME;

	follow_stages(r);
	if (r->filter && rows_refilter_live(v->tab))
		changed |= VIEW_CHANGED;
	if (p->items != seen && seen < r->view.top + ((uint64_t)r->view.lines << r->view.row_zoom))
		changed |= VIEW_FILLS;
	return changed;
}

/* What the picture of them does by itself. */
#define PICTURE_DOES(name)                                                                         \
	static void name(struct view *v)                                                           \
	{                                                                                          \
		pipeview_##name(&rows(v)->view);                                                   \
	}
PICTURE_DOES(home)
PICTURE_DOES(center)
PICTURE_DOES(adjust)
PICTURE_DOES(fit)

/* What was at the beginning before it had a size has not been anywhere: it begins as all do. */
static void layout(struct view *v, int full_width, int w, int h)
{
	struct pipeview *p = &rows(v)->view;
	struct row first;
	bool begins = !p->axis.columns && v->tab->placed && !v->tab->returning && !p->cursor &&
		      !p->row_zoom && !p->axis.zoom && store_row(p->store, pipeview_row(p, 0), &first) &&
		      p->axis.tick == first.start;

	p->width = full_width;
	p->full_columns = full_width - pipeview_gutter_width(p);
	pipeview_layout(p, w, h);
	if (begins)
		pipeview_home(p);
}

static void prepare(struct app *a)
{
	reducing_arcs(a);
	cpi0_lines_want(a);
	explaining_want(a);
}

static enum status draw(struct app *a, struct view *v, struct grid *g, struct rect area,
			struct error *e)
{
	pipeview_widen(&rows(v)->view);
	return pipeview_draw(&rows(v)->view, g, area, &a->palette, e);
}

static uint64_t count(const struct view *v)
{
	return pipeview_count(&rows(v)->view);
}

static uint64_t item(const struct view *v, uint64_t index)
{
	return pipeview_row(&rows(v)->view, index);
}

static uint64_t all(const struct view *v)
{
	return store_row_count(rows(v)->store);
}

static int lines(const struct view *v)
{
	return rows(v)->view.lines;
}

static void on_screen(const struct view *v, struct selection *out)
{
	const struct pipeview *p = &rows(v)->view;
	uint64_t n = pipeview_count(p);
	uint64_t last = p->top + ((uint64_t)(p->lines > 0 ? p->lines : 1) << p->row_zoom);

	out->item0 = pipeview_row(p, p->top);
	out->item1 = pipeview_row(p, last < n ? last - 1 : n - 1) + 1;
}

static void move(struct view *v, int64_t down, int64_t columns)
{
	if (down)
		pipeview_move_rows(&rows(v)->view, down);
	if (columns)
		pipeview_move_columns(&rows(v)->view, columns);
}

static void scroll(struct view *v, int64_t down, int64_t columns)
{
	pipeview_scroll(&rows(v)->view, down, columns);
}

static void zoom(struct view *v, int items, int ticks)
{
	pipeview_zoom(&rows(v)->view, items, ticks);
}

static struct place place(const struct view *v)
{
	const struct pipeview *p = &rows(v)->view;

	return (struct place){.item = pipeview_row(p, p->cursor),
			      .tick = p->axis.tick,
			      .item_zoom = p->row_zoom,
			      .tick_zoom = p->axis.zoom};
}

static void go_tick(struct view *v, int64_t tick)
{
	pipeview_goto_tick(&rows(v)->view, tick);
}

/* A mark that was set where there are no rows is a tick. */
static void go(struct view *v, uint64_t row, int64_t tick)
{
	if (row == ITEM_NONE && tick != TICK_NONE)
		go_tick(v, tick);
	else
		pipeview_goto(&rows(v)->view, row, tick);
}

static bool shows(const struct view *v, uint64_t row)
{
	const struct rows *r = rows(v);

	return !r->filter || filter_has(r->filter, row);
}

static bool hit(const struct view *v, int x, int y, uint64_t *index, int64_t *tick)
{
	return pipeview_hit(&rows(v)->view, x, y, index, tick);
}

static void click(struct view *v, uint64_t index, int64_t tick)
{
	struct pipeview *p = &rows(v)->view;
	int margin = p->margin;

	p->margin = 0;
	pipeview_goto(p, pipeview_row(p, index), tick);
	p->margin = margin;
}

/* After each command, so that without a terminal, where only the last is drawn, all goes the same. */
static void moved(struct view *v)
{
	rows_track_selection(v->tab);
	if (!joined_shown(v->app))
		pipeview_widen(&rows(v)->view);
}

static const struct selection *selection(const struct view *v)
{
	return &rows(v)->view.selection;
}

static unsigned try_search(struct app *a, struct view *v, const struct regex *re,
			   struct place from, int dir)
{
	struct target target = {.kind = TARGET_TEXT, .text = re};

	work_cancel(a);
	rows(v)->view.search = re;
	return re ? work_try(a, &target, from, dir) : REACT_NONE;
}

static void try_end(struct app *a, struct view *v)
{
	const struct work *w = &rows_app(a)->work;

	if (w->kind == WORK_SEEK && w->trial)
		work_cancel(a);
	rows(v)->view.search = rows(v)->search;
}

/* The options that hide rows, or which are hidden, may be others than when it was filtered. */
static unsigned refilter(struct app *a, struct view *v)
{
	const struct options *o = &a->set;
	bool hides = o->value[OPT_HIDE_SQUASHED] || o->value[OPT_HIDE_DROPPED] ||
		     o->value[OPT_HIDE_LOST] || o->value[OPT_HIDE_IN_FLIGHT] ||
		     o->value[OPT_HIDE_MICRO_OPS];
	const struct row_choice *c = &rows(v)->choice;
	bool chosen = c->text || c->fates || c->no_micro_ops || c->threads;

	return hides || chosen || rows(v)->filter ? work_refilter(a) : REACT_NONE;
}

/*
 * Into an aggregate: to what was just found there, else to the rarest thing in the cell, at a
 * zoom that shows it.
 */
static enum status enter_cell(struct rows *r, struct error *e)
{
	struct tab *t = r->base.tab;
	struct place from = tab_place(t);
	uint64_t row = from.item;
	int64_t tick = from.tick;
	bool found = t->has_landed && t->landed.item == row && t->landed.tick == tick;

	if (!found && !pipeview_rarest(&r->view, &row, &tick, e))
		return error_set(e, STATUS_NOT_FOUND, "nothing happens here");
	if (row == ROW_NONE)
		app_message(r->base.app, false, "the cell was empty: the nearest instructions");
	places_jumped(&t->places, from);
	tab_goto(t, (struct place){.item = row, .tick = tick});
	return STATUS_OK;
}

static enum status enter(struct app *a, struct view *v, struct error *e)
{
	struct rows *r = rows(v);

	if (!pipeview_count(&r->view))
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	if (pipeview_is_aggregate(&r->view) || r->view.axis.zoom > 0)
		return enter_cell(r, e);
	return panes_open(a, pane_kind_find("inspector", NULL), e);
}

static void escape(struct view *v)
{
	struct rows *r = rows(v);
	struct error e;

	if (r->view.path)
		app_call(v->app, "critical", NULL, &e);
	else
		r->view.search = NULL; /* n brings the marks back */
}

/* Its stage is highlighted: n goes from one entry into it to the next. */
static bool component(struct view *v, const char *name)
{
	struct error e;

	return app_call(v->app, "highlight stage", name, &e) == STATUS_OK;
}

static const struct curve_given *given(struct view *v, const char *metric)
{
	struct rows *r = rows(v);

	if (strcmp(metric, CPI0_METRIC) != 0)
		return explaining_given(v->tab, metric);
	if (!r->cpi0_line)
		r->cpi0_line = cpi0_line_new();
	return cpi0_line_given(r->cpi0_line);
}

static void item_text(struct view *v, uint64_t row, struct sbuf *out)
{
	struct rows *r = rows(v);
	struct detail d = {0};
	struct sbuf text = {0};
	struct error ignored;

	if (row < store_row_count(r->store) && !store_detail(r->store, row, 1, &d, &ignored) &&
	    d.count)
		subject_text(&d, &d.rows[0], &text);
	text_sanitise(out, sbuf_text(&text), text.len);
	sbuf_free(&text);
	detail_free(&d);
}

static bool item_facts(struct view *v, uint64_t row, struct item_facts *out)
{
	struct detail d = {0};
	struct error ignored;
	bool found = !store_detail(rows(v)->store, row, 1, &d, &ignored) && d.count;

	if (found)
		*out = (struct item_facts){.line = d.rows[0].line,
						   .address = d.rows[0].pc,
						   .has_address = d.rows[0].has_pc};
	detail_free(&d);
	return found;
}

static void status(struct view *v, int width, struct sbuf *out)
{
	pipeview_status(&rows(v)->view, width, out);
}

static void describe(struct app *a, struct view *v, int width, struct sbuf *out)
{
	(void)v;
	describe_cursor(a, width, out);
}

/* What narrows it, with patterns of at most so many columns; 0: without them. */
static void narrowed(const struct view *v, int columns, struct sbuf *out)
{
	const struct rows *r = rows(v);
	char k[32], n[32];

	if (r->filter) {
		sbuf_puts(out, "  filter:");
		if (r->choice.text && columns) {
			sbuf_puts(out, r->choice.invert ? " !/" : " /");
			text_cut(out, regex_pattern(r->choice.text), columns);
			sbuf_putc(out, '/');
		}
		/* a pattern that was too slow for some rows may have missed them */
		sbuf_printf(out, " (%s%s of %s)",
			    filter_limited(r->filter) ? "about " : "",
			    num_group((int64_t)filter_count(r->filter), k),
			    num_group((int64_t)filter_total(r->filter), n));
	}
	view_narrowed("stages", r->base.tab->components, columns, out);
}

/* "22 committed in 20 cycles, IPC 1.10" */
static bool slope(struct view *v, const struct place *from, const struct place *to,
		  struct sbuf *out)
{
	struct distance d;
	char number[32];

	if (measure(v->tab, from->tick, to->tick, from->item, to->item, &d, NULL) != STATUS_OK)
		return false;
	if (d.committed >= 0)
		sbuf_printf(out, "%s committed in ", num_group(d.committed, number));
	sbuf_printf(out, "%s %s%s", num_group(d.length, number), axis_unit(v->axis),
		    d.length == 1 ? "" : "s");
	if (!isnan(d.ipc))
		sbuf_printf(out, ", IPC %.2f", d.ipc);
	return true;
}

const struct view_kind rows_view_kind = {
    .items = "instructions",
    .shared_size = sizeof(struct rows_app),
    .shared_init = shared_init,
    .shared_free = shared_free,
    .size = sizeof(struct rows),
    .init = init,
    .free = view_free,
    .reopen = reopen,
    .come_back = come_back,
    .apply = apply,
    .progress = progress,
    .home = home,
    .layout = layout,
    .prepare = prepare,
    .draw = draw,
    .count = count,
    .all = all,
    .item = item,
    .lines = lines,
    .on_screen = on_screen,
    .move = move,
    .scroll = scroll,
    .center = center,
    .adjust = adjust,
    .zoom = zoom,
    .fit = fit,
    .place = place,
    .go = go,
    .go_tick = go_tick,
    .go_name = rows_go_name,
    .shows = shows,
    .hit = hit,
    .compare = rows_compare,
    .click = click,
    .moved = moved,
    .search = rows_search,
    .again = rows_again,
    .try_search = try_search,
    .try_end = try_end,
    .selection = selection,
    .filter = filter,
    .component = component,
    .refilter = refilter,
    .enter = enter,
    .escape = escape,
    .given = given,
    .slope = slope,
    .item_text = item_text,
    .item_facts = item_facts,
    .words = rows_words,
    .man = rows_man,
    .panes = rows_panes,
    .status = status,
    .describe = describe,
    .narrowed = narrowed,
};
