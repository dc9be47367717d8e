#include "config.h"

#include "view/tasks/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/pane_list.h"

enum { WIDTH = 44, COUNT_COLUMNS = 10, LETTER_COLUMNS = 4, INDENT = 2, CHAIN_MOST = 400 };

/* A trace that is locked while a pane is written. */
struct writing {
	struct list_pane *list;
	struct gantt *g;
	const struct task_columns *c;
};

static void add_key(struct list_pane *p, const char *key, const struct sbuf *text)
{
	pane_line_bytes(list_pane_key(p, key), ROLE_PANE, sbuf_text(text), text->len);
}

static void add_text(struct list_pane *p, const char *key, const char *text)
{
	struct sbuf value = {0};

	text_sanitise(&value, text, strlen(text));
	add_key(p, key, &value);
	sbuf_free(&value);
}

static void add_time(const struct writing *w, const char *key, int64_t tick)
{
	struct sbuf value = {0};

	axis_tell(&w->g->axis, tick, &value);
	add_key(w->list, key, &value);
	sbuf_free(&value);
}

static void add_length(const struct writing *w, const char *key, int64_t ticks)
{
	struct sbuf value = {0};

	axis_tell_length(&w->g->axis, ticks, &value);
	add_key(w->list, key, &value);
	sbuf_free(&value);
}

/* ---- a task ---- */

static void add_parent(const struct writing *w, uint32_t row)
{
	uint32_t parent = w->c->parent[row];
	struct sbuf name = {0};
	struct pane_line *l;

	if (parent == TASK_NONE || parent == TASK_ORPHAN) {
		add_text(w->list, "parent", parent == TASK_NONE ? "none" : "not in the trace");
		return;
	}
	gantt_task_name(w->g->trace, &w->g->keys, w->c, parent, true, &name);
	l = list_pane_add(w->list, parent, TICK_NONE);
	pane_line_add(l, ROLE_DIM, "%-12s ", "parent");
	pane_line_bytes(l, ROLE_PANE, sbuf_text(&name), name.len);
	sbuf_free(&name);
}

/* "+12 ns  hardware_resource L2.MSHR", what came before it waited for in front. */
static void add_mark(const struct writing *w, const struct task_mark *m, int64_t since)
{
	const struct task_label *label = &tasks_tables(w->g->trace)->labels.data[m->label];
	struct pane_line *l = list_pane_add(w->list, m->task, m->tick);
	struct sbuf text = {0}, length = {0};

	axis_tell_length(&w->g->axis, m->tick - since, &length);
	sbuf_printf(&text, "%s%-11s ", m->tick >= since ? "+" : "", sbuf_text(&length));
	pane_line_add(l, keys_waits(label) ? keys_reason(&w->g->keys, label->kind) : ROLE_DIM, "%c",
		      label->tag ? '^' : '+');
	text_sanitise(&text, label->kind, strlen(label->kind));
	sbuf_puts(&text, *label->kind ? " " : "");
	text_sanitise(&text, label->what, strlen(label->what));
	if (*label->where) {
		sbuf_puts(&text, " at ");
		text_sanitise(&text, label->where, strlen(label->where));
	}
	pane_line_add(l, ROLE_PANE, " ");
	pane_line_bytes(l, ROLE_PANE, sbuf_text(&text), text.len);
	sbuf_free(&text);
	sbuf_free(&length);
}

static void add_marks(const struct writing *w, uint32_t row)
{
	const struct task_tables *tables = tasks_tables(w->g->trace);
	int64_t since = w->c->start[row];
	uint32_t i, end;

	tasks_marks(w->c, row, &i, &end);
	if (i < end)
		list_pane_heading(w->list, "Milestones +, with the time before them, and tags ^");
	for (; i < end; i++) {
		add_mark(w, &w->c->marks[i], since);
		if (!tables->labels.data[w->c->marks[i].label].tag)
			since = w->c->marks[i].tick;
	}
}

static void write_task(const struct writing *w, uint32_t row, const char *id)
{
	const struct trace *t = w->g->trace;
	const struct task_slot *slot = &tasks_tables(t)->slots.data[w->c->slot[row]];
	int64_t start = w->c->start[row], end = w->c->end[row];
	uint32_t from, to;
	char number[32];

	add_text(w->list, "kind", tasks_kind(t, slot->kind));
	add_text(w->list, "what", tasks_what(t, slot->what));
	add_text(w->list, "where", tasks_component(t, slot->component));
	add_text(w->list, "id", id);
	add_text(w->list, "row", num_group(row, number));
	add_parent(w, row);
	tasks_children(w->c, row, &from, &to);
	add_text(w->list, "subtasks", num_group(to - from, number));
	add_time(w, "start", start);
	add_time(w, "end", end);
	add_length(w, "duration", end - start);
	add_marks(w, row);
}

static const struct pane_ops task_ops = {LIST_PANE, .width = WIDTH};

struct pane *task_pane(struct gantt *g, uint32_t row)
{
	struct writing w = {list_pane_new(&task_ops), g, NULL};
	struct sbuf id = {0};

	strcpy(w.list->title, "Task");
	if (row == TASK_NONE)
		pane_line_add(list_pane_add(w.list, ITEM_NONE, 0), ROLE_DIM, "no task here");
	else if (!tasks_id(g->trace, row, &id))
		sbuf_puts(&id, "not readable any more");
	w.c = tasks_lock(g->trace);
	if (row < w.c->count)
		write_task(&w, row, sbuf_text(&id));
	tasks_unlock(g->trace);
	sbuf_free(&id);
	return &w.list->pane;
}

/* ---- the legend ---- */

static const struct {
	const char *sample;
	enum role role;
	const char *help;
} notation[] = {
    {"Xxx", ROLE_STAGE_0, "a task; the capital is its start"},
    {"|", ROLE_STAGE_0, "a task without length"},
    {"x::", ROLE_EVENT_0, "shaded, in ASCII colons: it waited until the next milestone"},
    {"+ ^", ROLE_EVENT_0, "a milestone, a tag"},
    {"///", ROLE_DIM, "nothing was traced"},
};

static void add_pair(const struct writing *w, uint32_t key, int width, const char *count)
{
	const struct task_key *k = &w->g->keys.keys.data[key];
	struct pane_line *l = list_pane_add(w->list, key, 0);
	int room = width - LETTER_COLUMNS - COUNT_COLUMNS;
	struct sbuf name = {0}, fit = {0};

	keys_name(w->g->trace, k, &name);
	abbreviate(&fit, sbuf_text(&name), room);
	pane_line_add(l, k->role, " %c ", k->letter);
	pane_line_add(l, w->g->highlight == key ? ROLE_HIGHLIGHT : ROLE_PANE, " %s",
		      sbuf_text(&fit));
	pane_line_add(l, ROLE_PANE, "%*s",
		      room - text_width(sbuf_text(&fit), fit.len) + COUNT_COLUMNS, count);
	sbuf_free(&name);
	sbuf_free(&fit);
}

static bool is_counted(const struct chart *ch, uint32_t key)
{
	for (size_t i = 0; i < ch->counts.count; i++)
		if (ch->counts.data[i].key == key)
			return true;
	return false;
}

static void write_pairs(const struct writing *w, int width)
{
	const struct chart *ch = &w->g->part[GANTT_COMPONENT].chart;
	char number[32], text[40];

	for (size_t i = 0; i < ch->counts.count; i++) {
		snprintf(text, sizeof(text), "%s%s", ch->about ? "~" : "",
			 num_group((int64_t)ch->counts.data[i].tasks, number));
		add_pair(w, ch->counts.data[i].key, width, text);
	}
	list_pane_heading(w->list, "elsewhere in the trace");
	for (uint32_t key = 0; key < w->g->keys.keys.count; key++)
		if (!is_counted(ch, key))
			add_pair(w, key, width, "");
	list_pane_heading(w->list, "notation");
	for (size_t i = 0; i < sizeof(notation) / sizeof(notation[0]); i++) {
		struct pane_line *l = list_pane_add(w->list, ITEM_NONE, 0);

		pane_line_add(l, notation[i].role, "%s", notation[i].sample);
		pane_line_add(l, ROLE_DIM, "  %s", notation[i].help);
	}
}

/* A name may hold anything: in quotes it stays one word of the command. */
static void add_quoted(struct sbuf *out, const char *word)
{
	sbuf_putc(out, '"');
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			sbuf_putc(out, '\\');
		sbuf_putc(out, *word);
	}
	sbuf_putc(out, '"');
}

struct legend {
	struct list_pane list; /* first */
	struct gantt *g;
};

static void write_legend(struct list_pane *list, int width)
{
	struct gantt *g = ((struct legend *)list)->g;
	const struct writing w = {list, g, tasks_lock(g->trace)};

	write_pairs(&w, width);
	tasks_unlock(g->trace);
}

static bool legend_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct legend *own = p->data;
	uint64_t key = i < own->list.count ? own->list.lines[i].item : ITEM_NONE;
	struct sbuf name = {0};

	if (key >= own->g->keys.keys.count)
		return false;
	tasks_lock(own->g->trace);
	keys_name(own->g->trace, &own->g->keys.keys.data[key], &name);
	tasks_unlock(own->g->trace);
	sbuf_puts(out, "highlight kind ");
	add_quoted(out, sbuf_text(&name));
	sbuf_free(&name);
	return true;
}

static const struct pane_ops legend_ops = {.title = list_pane_title,
					   .count = list_pane_count,
					   .line = list_pane_line,
					   .command = legend_command,
					   .free = list_pane_free,
					   .width = WIDTH};

struct pane *tasks_legend_pane(struct gantt *g)
{
	struct legend *own = xcalloc(1, sizeof(*own));

	list_pane_init(&own->list, &legend_ops, write_legend);
	own->g = g;
	strcpy(own->list.title, "Legend");
	return &own->list.pane;
}

/* ---- where the time went ---- */

/*
 * Of a request: sent by its parent, the request out, it waits to be let in; then it is handled;
 * then the answer goes back.
 */
static void add_parts(const struct writing *w, uint32_t row, struct sbuf *out)
{
	uint32_t parent = w->c->parent[row];
	const struct task_slot *slots = tasks_tables(w->g->trace)->slots.data;
	const char *kind = tasks_kind(w->g->trace, slots[w->c->slot[row]].kind);

	axis_tell_length(&w->g->axis, w->c->end[row] - w->c->start[row], out);
	if (parent >= w->c->count || strcmp(kind, "req_in") != 0 ||
	    strcmp(tasks_kind(w->g->trace, slots[w->c->slot[parent]].kind), "req_out") != 0)
		return;
	sbuf_puts(out, ", after ");
	axis_tell_length(&w->g->axis, w->c->start[row] - w->c->start[parent], out);
	sbuf_puts(out, " on the way and queueing; ");
	axis_tell_length(&w->g->axis, w->c->end[parent] - w->c->end[row], out);
	sbuf_puts(out, " back");
}

static void add_link(const struct writing *w, uint32_t row, int depth, bool asked)
{
	struct pane_line *l = list_pane_add(w->list, row, TICK_NONE);
	const struct task_key *k = &w->g->keys.keys.data[keys_of(&w->g->keys, w->c, row)];
	struct sbuf text = {0};

	pane_line_add(l, ROLE_DIM, "%*s", depth * INDENT, "");
	pane_line_add(l, k->role, "%c", k->letter);
	gantt_task_name(w->g->trace, &w->g->keys, w->c, row, true, &text);
	pane_line_add(l, asked ? ROLE_KEY : ROLE_PANE, " %s  ", sbuf_text(&text));
	sbuf_clear(&text);
	add_parts(w, row, &text);
	pane_line_bytes(l, ROLE_DIM, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

/* Down to the leaves, each with what it is part of before it. */
static void add_below(const struct writing *w, uint32_t row, int depth, uint32_t asked)
{
	uint32_t from, to;

	add_link(w, row, depth, row == asked);
	tasks_children(w->c, row, &from, &to);
	for (; from < to && w->list->count < CHAIN_MOST; from++)
		add_below(w, w->c->by_parent[from], depth + 1, asked);
}

struct pane *chain_pane(struct gantt *g, uint32_t row)
{
	static const struct pane_ops ops = {LIST_PANE};
	struct writing w = {list_pane_new(&ops), g, NULL};
	uint32_t above[CHAIN_MOST / 4], depth = 0;

	strcpy(w.list->title, "Chain of the task");
	w.c = tasks_lock(g->trace);
	if (row < w.c->count)
		for (uint32_t up = w.c->parent[row];
		     up < w.c->count && up != row && depth < CHAIN_MOST / 4; up = w.c->parent[up])
			above[depth++] = up;
	for (uint32_t i = 0; i < depth; i++)
		add_link(&w, above[depth - 1 - i], (int)i, false);
	if (row < w.c->count)
		add_below(&w, row, (int)depth, row);
	else
		pane_line_add(list_pane_add(w.list, ITEM_NONE, 0), ROLE_DIM, "no task here");
	tasks_unlock(g->trace);
	return &w.list->pane;
}
