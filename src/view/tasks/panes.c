#include "config.h"

#include "view/tasks/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/pane_list.h"

enum { WIDTH = 44, SAMPLE = 5, COUNT_COLUMNS = 5, INDENT = 2, CHAIN_MOST = 400 };

/* A trace that is locked while a pane is written. */
struct writing {
	struct list_pane *list;
	struct gantt *g;
	const struct task_columns *c;
	struct sbuf text; /* of the line to be added */
};

static struct writing begin(struct gantt *g, const struct pane_ops *ops, const char *title)
{
	struct writing w = {.list = list_pane_new(ops), .g = g};

	snprintf(w.list->title, sizeof(w.list->title), "%s", title);
	w.c = tasks_lock(g->trace);
	return w;
}

static struct pane *end(struct writing *w)
{
	tasks_unlock(w->g->trace);
	sbuf_free(&w->text);
	if (!w->list->count)
		pane_line_add(list_pane_add(w->list, ITEM_NONE, 0), ROLE_DIM, "no task here");
	return &w->list->pane;
}

/* The text behind what the line has. */
static void put(struct writing *w, struct pane_line *l, enum role role)
{
	pane_line_bytes(l, role, sbuf_text(&w->text), w->text.len);
	sbuf_clear(&w->text);
}

bool task_line_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct list_line *line = &((const struct list_pane *)p->data)->lines[i];

	if (line->item == ITEM_NONE)
		return false;
	sbuf_printf(out, "task row %" PRIu64, line->item);
	if (line->until)
		sbuf_printf(out, " %" PRId64, line->until);
	if (line->tick != TICK_NONE)
		sbuf_printf(out, " ; goto cycle %" PRId64, line->tick);
	return true;
}

/* ---- a task ---- */

static void add_text(struct writing *w, const char *key, const char *text)
{
	text_sanitise(&w->text, text, strlen(text));
	put(w, list_pane_key(w->list, key), ROLE_PANE);
}

static void add_parent(struct writing *w, uint32_t parent)
{
	if (parent >= w->c->count) {
		add_text(w, "parent", parent == TASK_NONE ? "none" : "not in the trace");
		return;
	}
	gantt_task_name(w->g->trace, &w->g->keys, w->c, parent, &w->text);
	put(w, list_pane_key(w->list, "parent"), ROLE_PANE);
	w->list->lines[w->list->count - 1].item = parent;
	w->list->lines[w->list->count - 1].tick = TICK_NONE;
}

/* "+12 ns  hardware_resource L2.MSHR", what came before it waited for in front. */
static void add_mark(struct writing *w, const struct task_mark *m, int64_t since)
{
	const struct task_label *label = &tasks_tables(w->g->trace)->labels.data[m->label];
	struct pane_line *l = list_pane_add(w->list, m->task, m->tick);

	pane_line_add(l, keys_waits(label) ? keys_reason(&w->g->keys, label->kind) : ROLE_DIM, "%c",
		      label->tag ? '^' : '+');
	sbuf_puts(&w->text, m->tick >= since ? " +" : " ");
	axis_tell_length(&w->g->axis, m->tick - since, &w->text);
	pane_line_add(l, ROLE_PANE, "%-13s", sbuf_text(&w->text));
	sbuf_clear(&w->text);
	for (int i = 0; i < 3; i++) {
		const char *word = i == 0 ? label->kind : i == 1 ? label->what : label->where;

		sbuf_puts(&w->text, !*word ? "" : i < 2 ? " " : " at ");
		text_sanitise(&w->text, word, strlen(word));
	}
	put(w, l, ROLE_PANE);
}

static void add_marks(struct writing *w, uint32_t row)
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

static void write_task(struct writing *w, uint32_t row, const char *id)
{
	const struct trace *t = w->g->trace;
	const struct task_slot *slot = &tasks_tables(t)->slots.data[w->c->slot[row]];
	uint32_t from, to;
	char text[40];

	add_text(w, "kind", tasks_kind(t, slot->kind));
	add_text(w, "what", tasks_what(t, slot->what));
	add_text(w, "where", tasks_component(t, slot->component));
	add_text(w, "id", id);
	add_text(w, "row", num_group(row, text));
	add_parent(w, w->c->parent[row]);
	tasks_children(w->c, row, &from, &to);
	add_text(w, "subtasks", num_group(to - from, text));
	axis_tell(&w->g->axis, w->c->start[row], &w->text);
	put(w, list_pane_key(w->list, "start"), ROLE_PANE);
	axis_tell(&w->g->axis, w->c->end[row], &w->text);
	put(w, list_pane_key(w->list, "end"), ROLE_PANE);
	axis_tell_length(&w->g->axis, w->c->end[row] - w->c->start[row], &w->text);
	put(w, list_pane_key(w->list, "duration"), ROLE_PANE);
	add_marks(w, row);
}

struct pane *task_pane(struct gantt *g, uint32_t row)
{
	static const struct pane_ops ops = {LIST_PANE, .command = task_line_command, .width = WIDTH};
	struct writing w;
	struct sbuf id = {0};

	if (row != TASK_NONE && !tasks_id(g->trace, row, &id))
		sbuf_puts(&id, "not readable any more");
	w = begin(g, &ops, "Task");
	if (row < w.c->count)
		write_task(&w, row, sbuf_text(&id));
	sbuf_free(&id);
	return end(&w);
}

/* ---- the legend ---- */

static const struct pane_sign notation[] = {
    {"Xxx", ROLE_STAGE_0, "a task; the capital is its start"},
    {"***", ROLE_STAGE_0, "one of those that no letter or digit is left for"},
    {"|", ROLE_STAGE_0, "a task without length"},
    {"x::", ROLE_EVENT_0, "shaded, in ASCII colons: it waited until the next milestone"},
    {"+ ^", ROLE_EVENT_0, "a milestone, a tag"},
    {"///", ROLE_DIM, "nothing was traced"},
};

/* " R   1234  req_in ReadReq" */
static void add_pair(struct writing *w, uint32_t key, uint64_t tasks)
{
	const struct task_key *k = &w->g->keys.keys.data[key];
	struct pane_line *l = list_pane_add(w->list, ITEM_NONE, 0);
	char number[32];

	pane_line_add(l, k->role, " %c ", k->letter);
	pane_line_add(l, ROLE_DIM, "%*s  ", COUNT_COLUMNS,
		      tasks ? num_short((double)tasks, COUNT_COLUMNS, number) : "");
	keys_name(w->g->trace, k, &w->text);
	put(w, l, w->g->highlight == key ? ROLE_HIGHLIGHT : ROLE_PANE);
}

static bool is_counted(const struct chart *ch, uint32_t key)
{
	for (size_t i = 0; i < ch->counts.count; i++)
		if (ch->counts.data[i].key == key)
			return true;
	return false;
}

/* Of a pair: its name is what stands behind the second span. */
static bool legend_command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct pane_line *l = &((const struct list_pane *)p->data)->lines[i].line;

	if (l->span_count != 3)
		return false;
	sbuf_puts(out, "highlight kind ");
	sbuf_put_quoted(out, sbuf_text(&l->text) + l->spans[2].from);
	return true;
}

struct pane *tasks_legend_pane(struct gantt *g)
{
	static const struct pane_ops ops = {LIST_PANE, .command = legend_command, .width = WIDTH};
	const struct chart *ch = &g->chart[GANTT_COMPONENT];
	struct writing w = begin(g, &ops, ch->stride > 1 ? "Legend, counts are about"
							 : "Legend");

	for (size_t i = 0; i < ch->counts.count; i++)
		add_pair(&w, ch->counts.data[i].key, ch->counts.data[i].tasks);
	list_pane_heading(w.list, "elsewhere in the trace");
	for (uint32_t key = 0; key < g->keys.keys.count; key++)
		if (!is_counted(ch, key))
			add_pair(&w, key, 0);
	list_pane_heading(w.list, "notation");
	list_pane_signs(w.list, notation, sizeof(notation) / sizeof(notation[0]), SAMPLE);
	return end(&w);
}

/* ---- where the time went ---- */

/*
 * Of a request: sent by its parent, the request out, it waits to be let in; then it is handled;
 * then the answer goes back.
 */
static void add_parts(struct writing *w, uint32_t row)
{
	const struct task_columns *c = w->c;
	const struct task_slot *slots = tasks_tables(w->g->trace)->slots.data;
	const uint32_t parent = c->parent[row];

	axis_tell_length(&w->g->axis, c->end[row] - c->start[row], &w->text);
	if (parent >= c->count ||
	    slots[c->slot[row]].kind != tasks_kind_find(w->g->trace, "req_in") ||
	    slots[c->slot[parent]].kind != tasks_kind_find(w->g->trace, "req_out"))
		return;
	sbuf_puts(&w->text, ", after ");
	axis_tell_length(&w->g->axis, c->start[row] - c->start[parent], &w->text);
	sbuf_puts(&w->text, " on the way and queueing; ");
	axis_tell_length(&w->g->axis, c->end[parent] - c->end[row], &w->text);
	sbuf_puts(&w->text, " back");
}

static void add_link(struct writing *w, uint32_t row, uint32_t depth, bool asked)
{
	struct pane_line *l = list_pane_add(w->list, row, TICK_NONE);
	const struct task_key *k = &w->g->keys.keys.data[keys_of(&w->g->keys, w->c, row)];

	pane_line_add(l, ROLE_DIM, "%*s", (int)depth * INDENT, "");
	pane_line_add(l, k->role, "%c", k->letter);
	gantt_task_name(w->g->trace, &w->g->keys, w->c, row, &w->text);
	pane_line_add(l, asked ? ROLE_KEY : ROLE_PANE, " %s  ", sbuf_text(&w->text));
	sbuf_clear(&w->text);
	add_parts(w, row);
	put(w, l, ROLE_DIM);
}

/* What it is part of, the topmost first; how many these are. */
static uint32_t add_above(struct writing *w, uint32_t row)
{
	uint32_t above[CHAIN_MOST / 4], depth = 0;

	for (row = w->c->parent[row]; row < w->c->count && depth < CHAIN_MOST / 4;
	     row = w->c->parent[row])
		above[depth++] = row;
	for (uint32_t i = 0; i < depth; i++)
		add_link(w, above[depth - 1 - i], i, false);
	return depth;
}

/* Down to the leaves, each with what it is part of before it. */
static void add_below(struct writing *w, uint32_t row, uint32_t depth, bool asked)
{
	uint32_t from, to;

	add_link(w, row, depth, asked);
	tasks_children(w->c, row, &from, &to);
	for (; from < to && w->list->count < CHAIN_MOST; from++)
		add_below(w, w->c->by_parent[from], depth + 1, false);
}

struct pane *chain_pane(struct gantt *g, uint32_t row)
{
	static const struct pane_ops ops = {LIST_PANE, .command = task_line_command};
	struct writing w = begin(g, &ops, "Chain of the task");

	if (row < w.c->count) {
		w.list->pane.cursor = add_above(&w, row);
		add_below(&w, row, (uint32_t)w.list->pane.cursor, true);
	}
	return end(&w);
}
