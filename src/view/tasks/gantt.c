#include "config.h"

#include "view/tasks/gantt.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "view/ruler.h"

enum {
	FAMILY_SHARE = 2, /* of the lines */
	FRAME_MARGIN = 5  /* of a task's length, at both ends of it */
};

void gantt_init(struct gantt *g, struct trace *t)
{
	*g = (struct gantt){.trace = t,
			    .opened = TASK_NONE,
			    .current = TASK_NONE,
			    .highlight = KEY_NONE,
			    .split = {.in = GANTT_COMPONENT},
			    .made = {.columns = -1}};
	axis_open(&g->axis, t);
	keys_init(&g->keys, t);
}

void gantt_free(struct gantt *g)
{
	for (int i = 0; i < SPLIT_PARTS; i++)
		chart_free(&g->chart[i]);
	free(g->component);
	vec_free(&g->components);
	keys_free(&g->keys);
}

/* ---- the charts ---- */

/* "GPU[1]" is, or has below it, "GPU[1].L2[0]". */
static bool is_below(const char *name, const char *above)
{
	size_t len = strlen(above);

	return strncmp(name, above, len) == 0 && (!name[len] || name[len] == '.');
}

/* Under the lock. A trace that is read may bring more of them. */
static void find_components(struct gantt *g, const struct task_columns *c)
{
	if (!g->component && c->component_count)
		g->component = xstrdup(tasks_component(g->trace, 0));
	for (; g->component && g->components_known < c->component_count; g->components_known++)
		if (is_below(tasks_component(g->trace, g->components_known), g->component))
			(void)vec_push(&g->components, g->components_known);
}

static bool is_made(const struct gantt *g, const struct task_columns *c)
{
	return g->made_count == c->count && g->made_family == g->family &&
	       (!g->family || g->made_opened == g->opened) && g->made.left == g->axis.left &&
	       g->made.zoom == g->axis.zoom && g->made.columns == g->axis.columns &&
	       g->made.step == g->axis.step;
}

static void make_charts(struct gantt *g, const struct task_columns *c)
{
	const struct chart_source s = {c, &g->keys, &g->axis};

	find_components(g, c);
	if (is_made(g, c))
		return;
	keys_extend(&g->keys);
	chart_components(&g->chart[GANTT_COMPONENT], &s, g->components.data,
			 g->components.count);
	if (g->family)
		chart_family(&g->chart[GANTT_FAMILY], &s, g->opened);
	g->made = g->axis;
	g->made_count = c->count;
	g->made_family = g->family;
	g->made_opened = g->opened;
}

/* The family has the lines it needs, if that is not too many: the rest is the component's. */
static void share_lines(struct gantt *g)
{
	struct split_part *above = &g->split.part[GANTT_FAMILY];
	struct split_part *below = &g->split.part[GANTT_COMPONENT];
	const int height = g->axis.height, ruler = ruler_lines(height), lines = height - ruler;
	const uint32_t most = (uint32_t)(lines / FAMILY_SHARE), family = g->chart[GANTT_FAMILY].lines;

	above->y = ruler;
	above->h = !g->family ? 0 : (int)(family < most ? family : most);
	/* the component's name is between them */
	below->y = ruler + above->h + (g->family && lines > above->h);
	below->h = height > below->y ? height - below->y : 0;
	g->split.both = g->family && above->h;
	for (int i = 0; i < SPLIT_PARTS; i++)
		g->split.part[i].count =
		    g->chart[i].dense ? g->split.part[i].h : (int64_t)g->chart[i].lines;
}

/* The cursor stays on its task while that lives at its tick, and on its line of the screen. */
static void follow_task(struct gantt *g, const struct task_columns *c, int64_t row)
{
	const struct chart *chart;
	struct split_part *part;
	uint32_t bar = BAR_NONE;

	if (!g->split.both)
		g->split.in = GANTT_COMPONENT;
	chart = &g->chart[g->split.in];
	part = &g->split.part[g->split.in];
	if (g->current < c->count && chart_alive(c, &g->axis, g->current))
		bar = chart_find(chart, g->current);
	if (bar == BAR_NONE) {
		split_settle(&g->split);
		bar = chart_at(chart, &g->axis, (uint32_t)part->line,
			       axis_column_of(&g->axis, g->axis.tick));
		g->current = bar == BAR_NONE ? TASK_NONE : chart->bars.data[bar].row;
	} else if (chart->bars.data[bar].line != part->line) {
		part->line = chart->bars.data[bar].line;
		part->top = part->line - row;
	}
}

void gantt_settle(struct gantt *g)
{
	const struct task_columns *c = tasks_lock(g->trace);
	const struct split_part *part = &g->split.part[g->split.in];
	const int64_t row = part->line - part->top; /* of the screen */

	make_charts(g, c);
	share_lines(g);
	follow_task(g, c, row > 0 ? row : 0);
	tasks_unlock(g->trace);
	split_settle(&g->split);
}

/* ---- what is shown ---- */

static bool is_known(const struct gantt *g, const struct task_columns *c, const char *name)
{
	for (uint32_t i = 0; i < c->component_count; i++)
		if (is_below(tasks_component(g->trace, i), name))
			return true;
	return false;
}

/* The name, which may be that of now. */
static void take_component(struct gantt *g, const char *name)
{
	char *copy = xstrdup(name);

	free(g->component);
	g->component = copy;
	g->components_known = 0;
	vec_clear(&g->components);
	g->made.columns = -1;
	g->split.part[GANTT_COMPONENT].top = 0;
}

bool gantt_choose(struct gantt *g, const char *name)
{
	const struct task_columns *c = tasks_lock(g->trace);
	bool known = is_known(g, c, name);

	tasks_unlock(g->trace);
	if (!known)
		return false;
	take_component(g, name);
	g->family = false;
	g->split.part[GANTT_COMPONENT].line = 0;
	gantt_settle(g);
	return true;
}

void gantt_frame(struct gantt *g, int64_t start, int64_t end)
{
	struct axis *a = &g->axis;
	int64_t length = tick_sub(end, start), margin = length / FRAME_MARGIN, span;

	if (length > 0)
		a->zoom = TICK_ZOOM_MIN;
	while (a->zoom < TICK_ZOOM_MAX &&
	       axis_ticks_of(a, a->columns) < tick_add(length, tick_add(margin, margin)))
		a->zoom++;
	span = axis_ticks_of(a, a->columns);
	a->left = axis_align(a, tick_sub(start, tick_sub(span, length) / 2), a->zoom);
	a->tick = start;
	axis_window_to_cursor(a);
	gantt_settle(g);
}

/* Where a row's life begins and ends; its component is shown. False: there is no such row. */
static bool show_component_of(struct gantt *g, uint32_t row, int64_t *start, int64_t *end)
{
	const struct task_columns *c = tasks_lock(g->trace);
	const struct task_tables *tables = tasks_tables(g->trace);
	const char *name = NULL;

	if (row < c->count) {
		*start = c->start[row];
		*end = c->end[row];
		name = tasks_component(g->trace, tables->slots.data[c->slot[row]].component);
	}
	tasks_unlock(g->trace);
	if (name && (!g->component || !is_below(name, g->component)))
		take_component(g, name);
	return name;
}

void gantt_open(struct gantt *g, uint32_t row)
{
	int64_t start, end;

	if (!show_component_of(g, row, &start, &end))
		return;
	g->opened = g->current = row;
	g->family = true;
	g->split.part[GANTT_FAMILY].line = g->split.part[g->split.in].line; /* the cursor stays put */
	g->split.in = GANTT_FAMILY;
	gantt_frame(g, start, end);
}

/* ---- motions ---- */

/* In a family each line is looked at for its task: the cursor goes to one of the line. */
void gantt_move(struct gantt *g, int64_t lines, int64_t columns)
{
	if (columns)
		axis_move(&g->axis, columns);
	if (lines) {
		split_move(&g->split, lines);
		g->current = TASK_NONE;
	}
	gantt_settle(g);
	if (lines && g->split.in == GANTT_FAMILY && g->current == TASK_NONE && !gantt_step(g, 1))
		gantt_step(g, -1);
}

void gantt_scroll(struct gantt *g, int64_t lines, int64_t columns)
{
	const uint64_t before = split_here(&g->split);

	if (columns)
		axis_scroll(&g->axis, columns);
	if (lines)
		split_scroll(&g->split, lines);
	if (split_here(&g->split) != before)
		g->current = TASK_NONE;
	gantt_settle(g);
}

void gantt_goto(struct gantt *g, uint32_t row, int64_t tick)
{
	int64_t start, end;

	if (!show_component_of(g, row, &start, &end))
		return;
	g->current = row;
	axis_goto(&g->axis, tick == TICK_NONE ? start : tick);
	gantt_settle(g);
	if (g->current == row)
		return;
	/* it is not among those shown: it is one of the component's, among thousands perhaps */
	g->split.in = GANTT_COMPONENT;
	g->current = row;
	gantt_settle(g);
	while (g->chart[GANTT_COMPONENT].dense && g->axis.zoom > TICK_ZOOM_MIN) {
		axis_zoom(&g->axis, -1);
		g->current = row;
		gantt_settle(g);
	}
}

bool gantt_step(struct gantt *g, int dir)
{
	const struct chart *ch = &g->chart[g->split.in];
	const int64_t line = g->split.part[g->split.in].line;
	const struct bar *found = NULL;

	for (uint32_t i = 0; i < ch->bars.count; i++) {
		const struct bar *b = &ch->bars.data[i];
		bool beyond = dir > 0 ? b->start > g->axis.tick : b->start < g->axis.tick;

		if (b->line == line && b->row != g->current && beyond &&
		    (!found || (dir > 0 ? b->start < found->start : b->start > found->start)))
			found = b;
	}
	if (!found)
		return false;
	g->current = found->row;
	axis_goto(&g->axis, found->start);
	gantt_settle(g);
	return true;
}
