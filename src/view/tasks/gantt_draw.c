/*
 * Bars, densities and what stands beside them.
 */
#include "config.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/abbreviate.h"
#include "view/ruler.h"
#include "view/tasks/gantt.h"

enum {
	GLYPH_WAIT = 0x2591, /* light shade; a colon in ASCII */
	GLYPH_MARK = '+',
	GLYPH_TAG = '^',
	GLYPH_INSTANT = '|',
	COUNT_ROOM = 5,
	LEGEND_LEAST = 8, /* columns that hold a letter, some of a name and a count */
	NAME_LEAST = 3 /* letters of a name that say something */
};

/* One part of the view, while it is drawn. */
struct scene {
	struct gantt *v;
	const struct task_columns *c;
	const struct palette *p;
	struct grid *g;
	const struct chart *chart;
	struct rect area; /* its cells */
	int64_t top;
};

/* The cells of a bar before they are put. */
struct strip_cell {
	uint32_t glyph;
	struct style style;
	bool marked;
};

/* The columns of a bar that are on the screen; false: it is on none of its lines. */
static bool visible(const struct scene *s, const struct bar *b, int *from, int *to)
{
	int64_t x0, x1;

	if (b->line < s->top || b->line - s->top >= s->area.h)
		return false;
	chart_span(&s->v->axis, b->start, b->end, &x0, &x1);
	*from = x0 > 0 ? (int)x0 : 0;
	*to = x1 < s->area.w ? (int)x1 : s->area.w - 1;
	return *from <= *to;
}

/* What is highlighted keeps its colour, all else is grey. */
static enum role role_of(const struct gantt *v, uint32_t key)
{
	return v->highlight == KEY_NONE || v->highlight == key ? v->keys.keys.data[key].role
							       : ROLE_DIM;
}

static struct style style_of(const struct scene *s, uint32_t row, uint32_t key, bool first)
{
	enum role role = role_of(s->v, key);
	struct style style = palette_style(s->p, first ? role : palette_stay(role));

	if (s->v->highlight == key)
		style.attrs |= ATTR_BOLD;
	if (row == s->v->current)
		style.attrs |= ATTR_BOLD | ATTR_UNDERLINE;
	if (s->v->family && row == s->v->opened)
		style.attrs ^= ATTR_REVERSE;
	return style;
}

/* From one column to another, that a task waited for. */
static void fill_wait(const struct scene *s, struct strip_cell *cells, int from, int to,
		      int64_t start, int64_t end, enum role reason, enum role role)
{
	int64_t x0, x1;

	chart_span(&s->v->axis, start, end, &x0, &x1);
	for (int x = from; x <= to; x++)
		if (x >= x0 && x <= x1 && end > start && !cells[x].marked) {
			cells[x].glyph = s->g->ascii ? ':' : GLYPH_WAIT;
			cells[x].style = palette_over(s->p, reason, role);
		}
}

/* Marks and what was waited for before each. */
static void put_marks(const struct scene *s, const struct bar *b, struct strip_cell *cells,
		      int from, int to, enum role role)
{
	const struct task_tables *tables = tasks_tables(s->v->trace);
	uint32_t letter = cells[from].glyph; /* of the start it stays */
	int64_t since = b->start;
	uint32_t i, end;

	if (from == to)
		return;
	tasks_marks(s->c, b->row, &i, &end);
	for (; i < end; i++) {
		const struct task_mark *m = &s->c->marks[i];
		const struct task_label *label = &tables->labels.data[m->label];
		int64_t x = axis_column_of(&s->v->axis, m->tick);
		enum role reason = keys_reason(&s->v->keys, label->kind);

		if (m->tick < b->start)
			continue;
		if (keys_waits(label))
			fill_wait(s, cells, from, to, since, m->tick, reason, role);
		since = label->tag ? since : m->tick;
		x = x > to && m->tick == b->end ? to : x; /* the end is in no cell of its own */
		if (x < from || x > to || m->tick > b->end ||
		    (cells[x].marked && cells[x].glyph == letter))
			continue;
		cells[x] = (struct strip_cell){label->tag ? GLYPH_TAG : GLYPH_MARK,
					       palette_over(s->p, reason, role), true};
		cells[x].style.attrs |= ATTR_BOLD;
	}
}

/* The name into the first stretch of cells alike that holds it, a cell free on both sides. */
static void put_name(struct strip_cell *cells, int from, int to, const struct sbuf *name)
{
	int width = text_width(sbuf_text(name), name->len), run = 0, x;

	if (width < NAME_LEAST)
		return;
	for (x = from; x <= to && run < width + 2; x++) {
		bool alike = run && cells[x].glyph == cells[x - 1].glyph;

		run = cells[x].marked ? 0 : alike ? run + 1 : 1;
	}
	if (run < width + 2)
		return;
	x -= run;
	cells[x++].glyph = ' ';
	for (size_t at = 0; at < name->len; x++)
		at += text_decode(name->text + at, name->len - at, &cells[x].glyph);
	cells[x].glyph = ' ';
}

static void draw_bar(const struct scene *s, const struct bar *b, struct strip_cell *cells)
{
	uint32_t key = keys_of(&s->v->keys, s->c, b->row);
	const struct task_key *k = &s->v->keys.keys.data[key];
	int64_t x0 = axis_column_of(&s->v->axis, b->start);
	struct sbuf name = {0};
	int from, to, y;

	if (!visible(s, b, &from, &to))
		return;
	y = s->area.y + (int)(b->line - s->top);
	for (int x = from; x <= to; x++) {
		cells[x].glyph = b->start == b->end ? GLYPH_INSTANT
				 : x == x0          ? (uint32_t)k->letter
						    : (uint32_t)tolower(k->letter);
		cells[x].style = style_of(s, b->row, key, x == x0);
		cells[x].marked = x == x0;
	}
	put_marks(s, b, cells, from, to, palette_stay(role_of(s->v, key)));
	keys_name(s->v->trace, k, &name);
	put_name(cells, from, to, &name);
	for (int x = from; x <= to; x++)
		grid_put(s->g, s->area.x + x, y, cells[x].glyph, cells[x].style);
	sbuf_free(&name);
}

static void draw_bars(const struct scene *s)
{
	struct strip_cell *cells = xcalloc((size_t)s->area.w + 1, sizeof(*cells));

	for (size_t i = 0; i < s->chart->bars.count; i++)
		draw_bar(s, &s->chart->bars.data[i], cells);
	free(cells);
}

/* Each column is a stack of as many cells as its tasks are of the most; pairs from below. */
static void draw_density(const struct scene *s)
{
	const struct chart *ch = s->chart;
	size_t width = (size_t)ch->width;
	size_t keys = width ? ch->columns.count / width : 0;

	for (size_t x = 0; x < width && (int)x < s->area.w; x++) {
		uint64_t sum = 0;
		int y = 0;

		for (size_t k = 0; k < keys; k++) {
			const struct task_key *key = &s->v->keys.keys.data[ch->counts.data[k].key];
			uint64_t tasks = ch->columns.data[k * width + x];
			int upto;

			sum += tasks;
			upto =
			    ch->most ? (int)((double)sum / (double)ch->most * s->area.h + 0.5) : 0;
			upto = tasks && !y && !upto ? 1 : upto;
			for (; y < upto && y < s->area.h; y++)
				grid_put(
				    s->g, s->area.x + (int)x, s->area.y + s->area.h - 1 - y,
				    (uint32_t)key->letter,
				    palette_style(s->p, role_of(s->v, ch->counts.data[k].key)));
		}
	}
}

/* "R req_in ReadReq   1 234": what there is in the window. */
static void draw_legend(const struct scene *s, struct rect r)
{
	for (size_t i = 0; i < s->chart->counts.count && (int)i < r.h; i++) {
		const struct chart_count *n = &s->chart->counts.data[i];
		const struct task_key *k = &s->v->keys.keys.data[n->key];
		struct sbuf name = {0}, fit = {0};
		char number[32];
		int y = r.y + (int)i, count_x;

		num_short((double)n->tasks, COUNT_ROOM, number);
		count_x = r.x + r.w - (int)strlen(number);
		keys_name(s->v->trace, k, &name);
		abbreviate(&fit, sbuf_text(&name), count_x - 1 - (r.x + 2));
		grid_put(s->g, r.x, y, (uint32_t)k->letter,
			 palette_style(s->p, role_of(s->v, n->key)));
		grid_text(s->g, r, r.x + 2, y, sbuf_text(&fit), fit.len,
			  palette_style(s->p, ROLE_TEXT));
		grid_puts(s->g, r, count_x, y, number, palette_style(s->p, ROLE_DIM));
		sbuf_free(&name);
		sbuf_free(&fit);
	}
}

/* Where the task under the cursor is, of other lines the longest one. */
static void draw_places(const struct scene *s, struct rect r)
{
	const struct task_tables *tables = tasks_tables(s->v->trace);

	for (uint32_t i = 0; i < s->chart->bars.count; i++) {
		const struct bar *b = &s->chart->bars.data[i];
		const char *where =
		    tasks_component(s->v->trace, tables->slots.data[s->c->slot[b->row]].component);
		bool opened = b->row == s->v->opened;
		bool other = s->v->split.in == GANTT_FAMILY &&
			     b->line == s->v->split.part[GANTT_FAMILY].line &&
			     s->v->current != TASK_NONE && b->row != s->v->current;
		struct sbuf fit = {0};
		int y = r.y + (int)(b->line - s->top);

		if (other || b->line < s->top || y >= r.y + r.h || grid_at(s->g, r.x, y)->cp != ' ')
			continue;
		abbreviate_path(&fit, where, strlen(where), r.w - 1);
		grid_put(s->g, r.x, y, opened ? '>' : '\'', palette_style(s->p, ROLE_DIM));
		grid_text(s->g, r, r.x + 1, y, sbuf_text(&fit), fit.len,
			  palette_style(s->p, opened ? ROLE_CURSOR_ROW : ROLE_TEXT));
		sbuf_free(&fit);
	}
}

static void draw_cursor(const struct scene *s)
{
	int64_t x = axis_column_of(&s->v->axis, s->v->axis.tick);
	int y = s->area.y + (int)(s->v->split.part[s->v->split.in].line - s->top);
	struct cell *cell;

	if (x < 0 || x >= s->area.w || y >= s->area.y + s->area.h)
		return;
	cell = grid_at(s->g, s->area.x + (int)x, y);
	if (cell)
		grid_spot(s->g, s->area.x + (int)x, y, palette_style(s->p, ROLE_CURSOR));
}

static void draw_part(struct gantt *v, const struct task_columns *c, enum gantt_side side,
		      struct grid *g, struct rect area, const struct palette *p)
{
	const struct split_part *part = &v->split.part[side];
	struct scene s = {v,
			  c,
			  p,
			  g,
			  &v->chart[side],
			  {area.x + v->axis.gutter, area.y + part->y, v->axis.columns, part->h},
			  part->top};
	struct rect gutter = {area.x, s.area.y, v->axis.gutter > 0 ? v->axis.gutter - 1 : 0,
			      part->h};

	if (part->h <= 0 || s.area.w <= 0)
		return;
	if (s.chart->dense)
		draw_density(&s);
	else
		draw_bars(&s);
	if (gutter.w >= LEGEND_LEAST && side == GANTT_COMPONENT)
		draw_legend(&s, gutter);
	else if (gutter.w >= LEGEND_LEAST)
		draw_places(&s, gutter);
	if (v->split.in == (int)side)
		draw_cursor(&s);
}

/*
 * "1 234 tasks, 1-20/34": lines of the screen, of all. "~94.7k tasks, 3.04k/col": at most, which
 * is as high as the chart.
 */
static void tell_chart(const struct gantt *v, enum gantt_side side, struct sbuf *out)
{
	const struct split_part *part = &v->split.part[side];
	const struct chart *ch = &v->chart[side];
	char n[32], m[32];

	if (ch->dense)
		sbuf_printf(out, "%s%s tasks, %s/col", ch->stride > 1 ? "~" : "",
			    num_short((double)ch->tasks, COUNT_ROOM, n),
			    num_short((double)ch->most, COUNT_ROOM, m));
	else
		sbuf_printf(out, "%s%s task%s", ch->more ? "the first " : "",
			    num_group((int64_t)ch->tasks, n), ch->tasks == 1 ? "" : "s");
	if (ch->lines > (uint32_t)part->h)
		sbuf_printf(out, ", %" PRId64 "-%" PRId64 "/%" PRIu32, part->top + 1,
			    part->top + part->h, ch->lines);
}

static void draw_component(const struct gantt *v, struct grid *g, struct rect r,
			   const struct palette *p)
{
	const char *name = v->component ? v->component : "";
	struct sbuf fit = {0};

	abbreviate_path(&fit, name, strlen(name), r.w);
	grid_text(g, r, r.x, r.y, sbuf_text(&fit), fit.len, palette_style(p, ROLE_BORDER));
	sbuf_free(&fit);
}

/* What is below the family: a line with its name and size. Without a family that is at the top. */
static void draw_headings(const struct gantt *v, struct grid *g, struct rect area, int ruler,
			  const struct palette *p)
{
	struct rect left = {area.x, area.y, v->axis.gutter > 0 ? v->axis.gutter - 1 : 0, ruler};
	struct rect line = {area.x, area.y + v->split.part[GANTT_COMPONENT].y - 1, area.w, 1};
	struct style border = palette_style(p, ROLE_BORDER);
	struct sbuf text = {0};

	tell_chart(v, GANTT_COMPONENT, &text);
	if (v->family) {
		sbuf_puts(&text, "; above ");
		tell_chart(v, GANTT_FAMILY, &text);
	}
	if (!v->family && ruler > 0) {
		draw_component(v, g, left, p);
		left.y++;
		left.h--;
		grid_text(g, left, left.x, left.y, sbuf_text(&text), text.len, border);
	} else if (v->family && line.y > area.y && line.y < area.y + area.h) {
		grid_fill(g, line, g->ascii ? '-' : 0x2500, border);
		draw_component(v, g, (struct rect){left.x, line.y, left.w, 1}, p);
		grid_printf(g, line, area.x + v->axis.gutter, line.y, border, " %s ",
			    sbuf_text(&text));
	}
	sbuf_free(&text);
}

void gantt_draw(struct gantt *v, const struct marks *marks, struct grid *g, struct rect area,
		const struct palette *p)
{
	const struct rect time = {area.x + v->axis.gutter, area.y, v->axis.columns, area.h};
	const struct rect ruler = {time.x, time.y, time.w, ruler_lines(area.h)};
	const struct task_columns *c;

	ruler_untraced(&v->axis, v->trace, g,
		       (struct rect){time.x, time.y + ruler.h, time.w, time.h - ruler.h}, p);
	c = tasks_lock(v->trace);
	ruler_draw(&v->axis, g, ruler, p);
	ruler_marks(&v->axis, g, ruler, marks, p);
	draw_headings(v, g, area, ruler.h, p);
	for (int i = 0; i < SPLIT_PARTS; i++)
		if (i != GANTT_FAMILY || v->family)
			draw_part(v, c, (enum gantt_side)i, g, area, p);
	ruler_selection(&v->axis, g, time, p);
	tasks_unlock(v->trace);
}

/* ---- in words ---- */

void gantt_task_name(const struct trace *t, const struct task_keys *keys,
		     const struct task_columns *c, uint32_t row, struct sbuf *out)
{
	const char *component =
	    tasks_component(t, tasks_tables(t)->slots.data[c->slot[row]].component);

	keys_name(t, &keys->keys.data[keys_of(keys, c, row)], out);
	sbuf_puts(out, " at ");
	text_sanitise(out, component, strlen(component));
}

void gantt_status(struct gantt *v, int width, struct sbuf *out)
{
	struct sbuf at = {0};
	const char *name = v->component ? v->component : "";
	int room;

	axis_status(&v->axis, &at);
	room = width - (int)at.len - 2;
	if (room >= NAME_LEAST) {
		abbreviate_path(out, name, strlen(name), room);
		sbuf_puts(out, "  ");
	}
	sbuf_puts(out, sbuf_text(&at));
	sbuf_free(&at);
}

/* What the task waited for at a tick, else what it did until then. */
static void describe_moment(struct gantt *v, const struct task_columns *c, struct sbuf *out)
{
	const struct task_tables *tables = tasks_tables(v->trace);
	uint32_t i, end;

	tasks_marks(c, v->current, &i, &end);
	for (; i < end; i++) {
		const struct task_mark *m = &c->marks[i];
		const struct task_label *label = &tables->labels.data[m->label];

		if (m->tick <= v->axis.tick || !keys_waits(label))
			continue;
		sbuf_puts(out, "  waits: ");
		text_sanitise(out, label->kind, strlen(label->kind));
		sbuf_putc(out, ' ');
		text_sanitise(out, label->what, strlen(label->what));
		return;
	}
}

void gantt_describe(struct gantt *v, struct sbuf *out)
{
	const struct task_columns *c = tasks_lock(v->trace);

	if (v->current < c->count) {
		gantt_task_name(v->trace, &v->keys, c, v->current, out);
		sbuf_puts(out, ", ");
		axis_tell_length(&v->axis, c->end[v->current] - c->start[v->current], out);
		sbuf_puts(out, " from ");
		axis_tell(&v->axis, c->start[v->current], out);
		describe_moment(v, c, out);
	} else if (v->chart[v->split.in].dense) {
		sbuf_puts(out, "too many tasks for bars: columns count them; Enter looks closer");
	} else {
		sbuf_puts(out, "no task here");
	}
	tasks_unlock(v->trace);
}
