#include "config.h"

#include "view/tasks/gantt.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "view/ruler.h"

enum {
	GUTTER_TENTHS = 3, /* of the columns, at most, */
	GUTTER_MOST = 34,
	FAMILY_SHARE = 2, /* of the lines */
	FRAME_MARGIN = 5  /* of a task's length, at both ends of it */
};

void gantt_init(struct gantt *g, struct trace *t)
{
	*g = (struct gantt){.trace = t,
			    .opened = TASK_NONE,
			    .current = TASK_NONE,
			    .highlight = KEY_NONE,
			    .side = GANTT_COMPONENT,
			    .made = {.columns = -1}};
	axis_open(&g->axis, t);
	keys_init(&g->keys, t);
}

void gantt_free(struct gantt *g)
{
	for (int i = 0; i < GANTT_SIDES; i++)
		chart_free(&g->part[i].chart);
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
	chart_components(&g->part[GANTT_COMPONENT].chart, &s, g->components.data,
			 g->components.count);
	if (g->family)
		chart_family(&g->part[GANTT_FAMILY].chart, &s, g->opened);
	g->made = g->axis;
	g->made_count = c->count;
	g->made_family = g->family;
	g->made_opened = g->opened;
}

/* The family has the lines it needs, if that is not too many: the rest is the component's. */
static void share_lines(struct gantt *g)
{
	struct gantt_part *above = &g->part[GANTT_FAMILY], *below = &g->part[GANTT_COMPONENT];
	const int height = g->axis.height, ruler = ruler_lines(height), lines = height - ruler;
	int most = lines / FAMILY_SHARE;

	above->y = ruler;
	above->h = !g->family                            ? 0
		   : above->chart.lines < (uint32_t)most ? (int)above->chart.lines
							 : most;
	/* the component's name is between them */
	below->y = ruler + above->h + (g->family && lines > above->h);
	below->h = height > below->y ? height - below->y : 0;
}

uint32_t gantt_lines(const struct gantt *g, enum gantt_side side)
{
	const struct gantt_part *part = &g->part[side];

	return part->chart.dense ? (uint32_t)part->h : part->chart.lines;
}

static void show_line(struct gantt_part *part, uint32_t line, uint32_t lines)
{
	uint32_t h = part->h > 0 ? (uint32_t)part->h : 1;

	if (line < part->top)
		part->top = line;
	if (line >= part->top + h)
		part->top = line - h + 1;
	if (part->top + h > lines)
		part->top = lines > h ? lines - h : 0;
}

/* Line of the screen that the cursor is in, of its part. */
static uint32_t cursor_row(const struct gantt *g)
{
	uint32_t top = g->part[g->side].top;

	return g->line > top ? g->line - top : 0;
}

/* The cursor stays on its task while that lives at its tick, and on its line of the screen. */
static void follow_task(struct gantt *g, const struct task_columns *c, uint32_t row)
{
	const struct gantt_part *part;
	uint32_t bar = BAR_NONE;

	if (g->side == GANTT_FAMILY && (!g->family || !g->part[GANTT_FAMILY].h))
		g->side = GANTT_COMPONENT;
	part = &g->part[g->side];
	if (g->current < c->count && chart_alive(c, &g->axis, g->current))
		bar = chart_find(&part->chart, g->current);
	if (bar == BAR_NONE) {
		uint32_t lines = gantt_lines(g, g->side);

		g->line = g->line < lines ? g->line : lines ? lines - 1 : 0;
		bar = chart_at(&part->chart, &g->axis, g->line,
			       axis_column_of(&g->axis, g->axis.tick));
		g->current = bar == BAR_NONE ? TASK_NONE : part->chart.bars.data[bar].row;
		return;
	}
	if (part->chart.bars.data[bar].line == g->line)
		return;
	g->line = part->chart.bars.data[bar].line;
	g->part[g->side].top = g->line > row ? g->line - row : 0;
}

void gantt_settle(struct gantt *g)
{
	const struct task_columns *c = tasks_lock(g->trace);
	uint32_t row = cursor_row(g);

	make_charts(g, c);
	share_lines(g);
	follow_task(g, c, row);
	tasks_unlock(g->trace);
	for (int i = 0; i < GANTT_SIDES; i++) {
		struct gantt_part *part = &g->part[i];
		uint32_t lines = gantt_lines(g, (enum gantt_side)i);

		show_line(part, (int)g->side == i ? g->line : part->top, lines);
	}
}

void gantt_layout(struct gantt *g, int w, int h)
{
	const int gutter = w * GUTTER_TENTHS / 10;

	axis_layout(&g->axis, w, h, gutter < GUTTER_MOST ? gutter : GUTTER_MOST);
	gantt_settle(g);
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
	g->part[GANTT_COMPONENT].top = 0;
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
	g->line = 0;
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
	g->side = GANTT_FAMILY;
	gantt_frame(g, start, end);
}

/* ---- motions ---- */

/* Down from the last line of the family is the component's first that is shown, and back. */
static void move_lines(struct gantt *g, int64_t by)
{
	int64_t line = (int64_t)g->line + by, lines = gantt_lines(g, g->side);

	if (line >= lines && g->side == GANTT_FAMILY) {
		g->side = GANTT_COMPONENT;
		g->line = g->part[GANTT_COMPONENT].top;
	} else if (line < 0 && g->side == GANTT_COMPONENT && g->family) {
		g->side = GANTT_FAMILY;
		g->line = gantt_lines(g, GANTT_FAMILY);
	} else {
		g->line = (uint32_t)(line < 0 ? 0 : line < lines ? line : lines ? lines - 1 : 0);
	}
	g->current = TASK_NONE;
}

/* In a family each line is looked at for its task: the cursor goes to one of the line. */
void gantt_move(struct gantt *g, int64_t lines, int64_t columns)
{
	if (columns)
		axis_move(&g->axis, columns);
	if (lines)
		move_lines(g, lines);
	gantt_settle(g);
	if (lines && g->side == GANTT_FAMILY && g->current == TASK_NONE && !gantt_step(g, 1))
		gantt_step(g, -1);
}

static void scroll_lines(struct gantt *g, int64_t by)
{
	struct gantt_part *part = &g->part[g->side];
	int64_t lines = gantt_lines(g, g->side), h = part->h, top = part->top + by;

	top = top > lines - h ? lines - h : top;
	top = top < 0 ? 0 : top;
	if (top == part->top) {
		move_lines(g, by);
		return;
	}
	part->top = (uint32_t)top;
	if (g->line >= top && g->line < top + h)
		return;
	g->line = (uint32_t)(g->line < top ? top : top + h - 1);
	g->current = TASK_NONE;
}

void gantt_scroll(struct gantt *g, int64_t lines, int64_t columns)
{
	if (columns)
		axis_scroll(&g->axis, columns);
	if (lines)
		scroll_lines(g, lines);
	gantt_settle(g);
}

void gantt_center(struct gantt *g)
{
	struct gantt_part *part = &g->part[g->side];
	uint32_t half = part->h > 0 ? (uint32_t)part->h / 2 : 0;

	axis_center(&g->axis);
	part->top = g->line > half ? g->line - half : 0;
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
	g->side = GANTT_COMPONENT;
	g->current = row;
	gantt_settle(g);
	while (g->part[GANTT_COMPONENT].chart.dense && g->axis.zoom > TICK_ZOOM_MIN) {
		axis_zoom(&g->axis, -1);
		g->current = row;
		gantt_settle(g);
	}
}

bool gantt_step(struct gantt *g, int dir)
{
	const struct chart *ch = &g->part[g->side].chart;
	const struct bar *found = NULL;

	for (uint32_t i = 0; i < ch->bars.count; i++) {
		const struct bar *b = &ch->bars.data[i];
		bool beyond = dir > 0 ? b->start > g->axis.tick : b->start < g->axis.tick;

		if (b->line == g->line && b->row != g->current && beyond &&
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

bool gantt_hit(const struct gantt *g, int x, int y, enum gantt_side *side, uint32_t *line,
	       int64_t *tick)
{
	for (int i = 0; i < GANTT_SIDES; i++) {
		const struct gantt_part *part = &g->part[i];

		if (y < part->y || y >= part->y + part->h)
			continue;
		*side = (enum gantt_side)i;
		*line = part->top + (uint32_t)(y - part->y);
		return axis_hit(&g->axis, x, y, tick);
	}
	return false;
}

void gantt_click(struct gantt *g, enum gantt_side side, uint32_t line, int64_t tick)
{
	g->side = side;
	g->line = line;
	g->current = TASK_NONE;
	g->axis.tick = tick;
	gantt_settle(g);
}
