#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/names.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "view/pipeline/chain.h"
#include "view/pipeline/links.h"
#include "view/pane_list.h"

/* Links */

/* Where a link ends in its other row; the row's start when its text cannot be read. */
static int64_t tick_in(const struct tab *t, const struct link_end *end, bool producer)
{
	struct detail d = {0};
	struct error ignored;
	int64_t tick = TICK_NONE;

	if (end->row != ROW_NONE && !store_detail(rows_of(t)->store, end->row, 1, &d, &ignored) && d.count)
		tick = link_tick(&rows_of(t)->view, &d, &d.rows[0], producer,
				 producer ? d.rows[0].head.end : end->tick);
	detail_free(&d);
	return tick;
}

static void add_end(struct list_pane *p, struct app *a, int n, const struct link_end *end,
		    bool producer)
{
	const struct tab *t = a->tab;
	struct pane_line *l = list_pane_add(p, end->row, tick_in(t, end, producer));
	struct detail d = {0};
	struct sbuf subject = {0};
	struct error ignored;
	char number[32];

	pane_line_add(l, ROLE_MARK, "%3d ", n);
	if (end->row == ROW_NONE) {
		pane_line_add(l, ROLE_UNKNOWN, "seq %" PRIu64 " is not in the trace", end->id);
		return;
	}
	if (!store_detail(rows_of(t)->store, end->row, 1, &d, &ignored) && d.count)
		subject_text(&d, &d.rows[0], &subject);
	pane_line_add(l, ROLE_SEQ, "row %-11s ", num_group((int64_t)end->row, number));
	pane_line_add(l, ROLE_SEQ, "%s %-11s ", axis_unit(&rows_of(t)->view.axis),
		      num_group(axis_time(&rows_of(t)->view.axis, end->tick), number));
	if (end->type)
		pane_line_add(l, ROLE_KEY, "type %u ", end->type);
	pane_line_bytes(l, ROLE_PANE, sbuf_text(&subject), subject.len);
	sbuf_free(&subject);
	detail_free(&d);
}

struct pane *links_pane(struct app *a)
{
	struct list_pane *p = list_pane_new(NULL);
	struct link_list l;
	struct error e = {STATUS_OK, ""};

	strcpy(p->title, "Links of the row");
	if (pipeview_links(&rows_of(a->tab)->view, tab_place(a->tab).item, &l, &e)) {
		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_ERROR, "%s", e.text);
		return &p->pane;
	}
	pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_BORDER, "producers: rows it waited for");
	for (size_t i = 0; i < l.producer_count; i++)
		add_end(p, a, (int)i + 1, &l.producers[i], true);
	if (links_are_far(&l))
		links_tell_far(list_pane_add(p, ROW_NONE, 0), &l);
	list_pane_heading(p, "consumers: rows that waited for it");
	for (size_t i = 0; i < l.consumer_count; i++)
		add_end(p, a, (int)i + 1, &l.consumers[i], false);
	if (l.more)
		pane_line_add(list_pane_add(p, ROW_NONE, 0), ROLE_DIM, "more (%d are listed)",
			      LINKS_MAX);
	return &p->pane;
}

/* With its cursor on a line; producers come after their heading. */
static enum status open_list(struct call *c, size_t line, struct error *e)
{
	struct pane_slot *slot;
	enum status status = panes_open(c->app, pane_kind_find("links", NULL), e);

	slot = panes_focused(c->app);
	if (!status && slot)
		pane_move(slot->pane, (int64_t)line - (int64_t)slot->pane->cursor, slot->height);
	return status;
}

static enum status links_here(struct call *c, struct link_list *out, struct error *e)
{
	struct tab *t = c->app->tab;
	uint64_t row = tab_place(t).item;

	if (!pipeview_count(&rows_of(t)->view) || row == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "there are no rows");
	reducing_arcs(c->app);
	if (!rows_of(t)->view.arcs && !store_link_count(rows_of(t)->store))
		return error_set(e, STATUS_NOT_FOUND, "the trace has no links between rows");
	return pipeview_links(&rows_of(t)->view, row, out, e);
}

static enum status go_to(struct call *c, const struct link_end *end, bool producer, struct error *e)
{
	struct tab *t = c->app->tab;

	if (end->row == ROW_NONE)
		return error_set(e, STATUS_NOT_FOUND, "seq %" PRIu64 " is not in the trace",
				 end->id);
	if (rows_of(t)->filter && !filter_has(rows_of(t)->filter, end->row))
		app_message(c->app, false,
			    "the filter hides row %" PRIu64 ": this is the nearest one", end->row);
	pipeview_goto(&rows_of(t)->view, end->row, tick_in(t, end, producer));
	return STATUS_OK;
}

/* Behind the producers a line about those that are too far back, a blank one and a heading. */
static size_t line_of_consumers(const struct link_list *l)
{
	return l->producer_count + 3 + links_are_far(l);
}

/* The only one, or the one a count or an argument chose; else the list of them. */
static enum status go_link(struct call *c, struct error *e)
{
	bool producer = c->command->arg;
	struct link_list l;
	const struct link_end *ends = producer ? l.producers : l.consumers;
	size_t count;
	int64_t n;

	if (call_number(c, 0, 0, &n, e))
		return STATUS_USAGE;
	if (links_here(c, &l, e))
		return e->code;
	count = producer ? l.producer_count : l.consumer_count;
	if (!count)
		return error_set(e, STATUS_NOT_FOUND,
				 !producer ? "no row waited for it"
				 : links_are_far(&l)
				     ? "its producer is too far back in the text"
				     : "the row waited for no row");
	if (n == 0 && count > 1)
		return open_list(c, producer ? 1 : line_of_consumers(&l), e);
	n = n ? n : 1;
	if (n < 1 || (uint64_t)n > count)
		return error_set(e, STATUS_NOT_FOUND, "it has %zu %s%s, not %" PRId64, count,
				 producer ? "producer" : "consumer", count == 1 ? "" : "s", n);
	return go_to(c, &ends[n - 1], producer, e);
}

static enum status list_links(struct call *c, struct error *e)
{
	struct link_list l;

	if (links_here(c, &l, e))
		return e->code;
	return open_list(c, l.producer_count ? 1 : line_of_consumers(&l), e);
}

/* The current tab's; while there is none, how those that will be opened begin: it has no store. */
static struct pipeview *view_of(struct call *c)
{
	return c->app->tab ? &rows_of(c->app->tab)->view : &rows_app(c->app)->beginning;
}

/* All again: those of the row only. */
static void links_show(struct call *c)
{
	enum links_shown *now = &view_of(c)->links, asked = (enum links_shown)c->command->arg;

	*now = asked == LINKS_ALL && *now == LINKS_ALL ? LINKS_ROW : asked;
}

/* PRODUCER:CONSUMER; nothing: guess again. */
static enum status set_link_stages(struct call *c, struct error *e)
{
	struct pipeview *v = view_of(c);
	const char *text = c->argc ? c->argv[0] : ":";
	size_t len = strcspn(text, ":");
	char names[2][sizeof(v->link_stages[0])];
	unsigned stage;

	snprintf(names[0], sizeof(names[0]), "%.*s", (int)len, text);
	snprintf(names[1], sizeof(names[1]), "%s", text[len] ? text + len + 1 : text);
	for (int i = 0; i < 2; i++) {
		if (!*names[i] || !v->store)
			continue;
		if (name_find(v->store, NAMED_STAGE, names[i], &stage, e))
			return STATUS_USAGE;
		snprintf(names[i], sizeof(names[i]), "%s", name_at(v->store, NAMED_STAGE, stage));
	}
	memcpy(v->link_stages, names, sizeof(names));
	return STATUS_OK;
}

/* Chains */

/* Of the row under the cursor; that of the same row again goes on if it was stopped. */
static enum status chain(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	uint64_t row = tab_place(t).item;

	if (!store_link_count(rows_of(t)->store))
		return error_set(e, STATUS_NOT_FOUND, "the trace has no links between rows");
	work_cancel(c->app);
	if (!rows_of(t)->chain || chain_side(rows_of(t)->chain, row) != CHAIN_SELF) {
		chain_free(rows_of(t)->chain);
		rows_of(t)->chain = chain_new(row);
	}
	c->react |= work_chain(c->app);
	return STATUS_OK;
}

static void chain_none(struct call *c)
{
	struct tab *t = c->app->tab;

	if (rows_app(c->app)->work.kind == WORK_CHAIN)
		work_cancel(c->app);
	chain_free(rows_of(t)->chain);
	rows_of(t)->chain = NULL;
	rows_of(t)->view.chain = NULL;
}

/* Lanes */

static enum status lanes_split(struct call *c, struct error *e)
{
	struct pipeview *v = view_of(c);

	if (v->store && store_lane_count(v->store) < 2)
		return error_set(e, STATUS_NOT_FOUND, "the trace has only one lane");
	v->lanes_split = !v->lanes_split;
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

/* Hidden, or shown again: a lane, or all of them. */
static enum status set_lanes(struct call *c, struct error *e)
{
	struct pipeview *v = &rows_of(c->app->tab)->view;
	unsigned lane = 0, lanes = ~1u;

	if (c->argc && name_find(v->store, NAMED_LANE, c->argv[0], &lane, e))
		return STATUS_NOT_FOUND; /* of this trace; another one may have it */
	if (c->argc)
		lanes = 2u << lane;
	v->lanes_hidden = (uint16_t)(c->command->arg ? v->lanes_hidden | lanes
						     : v->lanes_hidden & ~lanes);
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

/* Threads and time */

static enum status set_colour_by(struct call *c, struct error *e)
{
	static const char *const words[] = {"stage", "thread"};
	struct pipeview *v = view_of(c);
	int which;

	if (call_choice(c, 0, v->colour_by, &which, e))
		return STATUS_USAGE;
	if (which == COLOUR_BY_THREAD && v->store && !store_thread_count(v->store))
		return error_set(e, STATUS_NOT_FOUND, "the trace names no threads");
	v->colour_by = (enum colour_by)which;
	if (v->store)
		app_message(c->app, false, "cells are coloured by %s", words[which]);
	return STATUS_OK;
}

static enum status set_time(struct call *c, struct error *e)
{
	static const char *const words[] = {"cycles", "ticks"};
	struct pipeview *v = view_of(c);
	int which;
	char number[32];

	if (call_choice(c, 0, v->axis.raw_ticks, &which, e))
		return STATUS_USAGE;
	if (v->store && v->axis.step == 1)
		return error_set(e, STATUS_NOT_FOUND, "the trace's only unit is the %s",
				 store_unit(v->store));
	v->axis.raw_ticks = which;
	if (v->store)
		app_message(c->app, false, "time in %s; a cycle is %s ticks", words[which],
			    num_group(v->axis.step, number));
	c->react |= REACT_RELAYOUT;
	return STATUS_OK;
}

const struct command links_commands[] = {
    {"producer", "[N]", "go to the row it waited for; of several, to the Nth or a list",
     .run = go_link, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = true},
    {"consumer", "[N]", "go to the row that waited for it; of several, to the Nth or a list",
     .run = go_link, .flags = CMD_TRACE | CMD_JUMP | CMD_MOVES, .arg = false},
    {"links", "", "list the row's links: producers and consumers; Enter goes there",
     .run = list_links, .flags = CMD_TRACE},
    {"links row", "", "draw the links of the row under the cursor", .act = links_show,
     .arg = LINKS_ROW},
    {"links all", "", "draw links of all visible rows; repeat for the row's only", .act = links_show,
     .arg = LINKS_ALL},
    {"links off", "", "hide the links", .act = links_show, .arg = LINKS_OFF},
    {"set link-stages", "[TEXT]",
     "stages that links join, as PRODUCER:CONSUMER; no argument: the execute stage",
     .run = set_link_stages},
    {"chain", "", "mark all direct and indirect producers and consumers of the row",
     .run = chain, .flags = CMD_TRACE},
    {"chain none", "", "clear the marks of the chain", .act = chain_none, .flags = CMD_TRACE},
    {"lanes split", "", "show each lane below its row; repeat to lay it over the row",
     .run = lanes_split},
    {"lanes hide", "NAME", "hide a lane", .run = set_lanes, .flags = CMD_TRACE, .arg = true},
    {"lanes show", "[NAME]", "show a hidden lane again; no name: all lanes", .run = set_lanes,
     .flags = CMD_TRACE},
    {"set time", "[UNIT]", "show time in cycles or ticks; no argument: the other unit", .run = set_time},
    {"set colour-by", "[BY]", "colour cells by stage or thread; no argument: by the other",
     .run = set_colour_by},
    {.name = NULL},
};
