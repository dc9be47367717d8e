/*
 * A frame of the network view, and what it says in words.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "tasks/metrics.h"
#include "view/abbreviate.h"
#include "view/bars.h"
#include "view/overview.h"
#include "view/ruler.h"
#include "view/tasks/network.h"

enum { RATE_ROOM = 5 };

/* ---- counting ---- */

/* Lines of a side that are on the screen. */
static size_t visible(const struct network_side *s)
{
	const size_t left = s->tree.shown.count - s->tree.top;

	return s->tree.room < left ? s->tree.room : left;
}

static size_t node_of_line(const struct network_side *s, size_t line)
{
	return s->tree.shown.data[s->tree.top + line];
}

/* The line on the screen that each component counts in: its own, or that which holds it folded. */
static size_t *lines_of(const struct network_side *s)
{
	size_t *of_node = xcalloc(s->tree.nodes.count + 1, sizeof(*of_node)); /* from 1 */
	size_t *line = xcalloc(s->node.count + 1, sizeof(*line));

	for (size_t i = 0; i < s->tree.shown.count; i++)
		of_node[s->tree.shown.data[i]] = i + 1;
	for (size_t i = 0; i < s->node.count; i++) {
		size_t node = s->node.data[i];

		while (node != TREE_NONE && !of_node[node])
			node = s->tree.nodes.data[node].parent;
		line[i] = node == TREE_NONE ? TREE_NONE : of_node[node] - 1 - s->tree.top;
	}
	free(of_node);
	return line;
}

void network_matrix(const struct network *n, uint64_t *counts)
{
	const struct network_side *rows = &n->side[NETWORK_SENDERS];
	const struct network_side *columns = &n->side[NETWORK_RECEIVERS];
	size_t *row = lines_of(rows), *column = lines_of(columns);

	for (size_t i = 0; i < n->requests.edges.count; i++) {
		const struct task_edge *edge = &n->requests.edges.data[i];
		const size_t r = row[edge->from_number], c = column[edge->to_number];

		if (r < visible(rows) && c < visible(columns))
			counts[r * visible(columns) + c] += edge->count;
	}
	free(row);
	free(column);
}

/* ---- drawing ---- */

static const char *things(const struct network *n)
{
	return n->pairs.messages ? "messages" : "requests";
}

/* The view under construction. */
struct frame {
	const struct network *n;
	const struct network_side *rows, *columns;
	struct grid *g;
	const struct palette *p;
	struct rect area, label;
};

static int column_x(const struct frame *f, size_t column)
{
	return f->area.x + f->n->time.gutter + (int)column * f->n->cell;
}

/* From top to bottom, the end of it at the matrix. */
static void draw_column_label(const struct frame *f, size_t column)
{
	const struct network_side *s = f->columns;
	const size_t node = node_of_line(s, column);
	const struct tree_node *t = &s->tree.nodes.data[node];
	const bool here = s->tree.top + column == s->tree.cursor, inner = tree_is_inner(&s->tree, node);
	const struct style style = palette_style(f->p, here ? ROLE_CURSOR_ROW : ROLE_TEXT);
	const int x = column_x(f, column), h = f->n->heading;
	struct sbuf text = {0};
	int y;

	abbreviate_path(&text, t->name + t->label, strlen(t->name + t->label), h - inner);
	y = f->area.y + h - text_width(sbuf_text(&text), text.len);
	if (inner)
		grid_put(f->g, x, y - 1, t->folded ? '+' : '-', style);
	for (size_t at = 0; at < text.len; y++) {
		uint32_t cp;

		at += text_decode(text.text + at, text.len - at, &cp);
		grid_put(f->g, x, y, cp, style);
	}
	sbuf_free(&text);
}

static void draw_labels(const struct frame *f)
{
	struct rect r = {f->label.x, f->area.y + f->n->heading, f->label.w, 1};

	for (size_t i = 0; i < visible(f->rows); i++, r.y++)
		overview_draw_label(&f->rows->tree, node_of_line(f->rows, i),
				    f->rows->tree.top + i == f->rows->tree.cursor, f->g, r, f->p);
	for (size_t i = 0; i < visible(f->columns); i++)
		draw_column_label(f, i);
	r.y = f->area.y + f->n->heading - 1;
	grid_puts(f->g, r, r.x, r.y, "from, to:", palette_style(f->p, ROLE_DIM));
}

static void draw_cell(const struct frame *f, size_t row, size_t column, uint64_t count,
		      uint64_t most)
{
	const int x = column_x(f, column), y = f->area.y + f->n->heading + (int)row;
	const bool here = f->rows->tree.top + row == f->rows->tree.cursor &&
			  f->columns->tree.top + column == f->columns->tree.cursor;

	overview_draw_heat(most ? log1p((double)count) / log1p((double)most) : 0, f->g, x, y, f->p);
	if (f->n->cell > 1)
		grid_put(f->g, x + 1, y, ' ', grid_at(f->g, x, y)->style);
	if (here)
		grid_spot(f->g, x, y, palette_style(f->p, ROLE_CURSOR));
}

static void draw_matrix(const struct frame *f)
{
	const size_t rows = visible(f->rows), columns = visible(f->columns);
	uint64_t *counts = xcalloc(rows * columns + 1, sizeof(*counts)), most = 0;

	network_matrix(f->n, counts);
	for (size_t i = 0; i < rows * columns; i++)
		most = counts[i] > most ? counts[i] : most;
	for (size_t i = 0; i < rows * columns; i++)
		draw_cell(f, i / columns, i % columns, counts[i], most);
	free(counts);
}

static void draw_bar(const struct frame *f, struct rect r, uint64_t count, uint64_t most)
{
	const int eighths = bar_eighths((double)count / (double)most, r.h);

	for (int y = 0; y < r.h; y++)
		grid_put(f->g, r.x, r.y + y, bar_char(eighths, r.h, y),
			 palette_style(f->p, ROLE_METRIC_0));
}

static void draw_strip(const struct frame *f, struct rect r)
{
	const struct axis *a = &f->n->time;
	uint64_t *counts = xcalloc((size_t)a->columns + 1, sizeof(*counts)), most = 0, here = 0;
	struct rect label = {f->label.x, r.y, f->label.w, r.h};
	char text[32];

	network_columns(f->n, counts);
	for (int x = 0; x < a->columns; x++)
		most = counts[x] > most ? counts[x] : most;
	for (int x = 0; x < a->columns; x++) {
		int64_t at = axis_column_of(a, axis_tick_at(a, x));
		bool cursor = axis_shows(a, a->tick) && axis_column_of(a, a->tick) == at;

		here = cursor ? counts[at] : here;
		if (counts[at])
			draw_bar(f, (struct rect){r.x + x, r.y, 1, r.h}, counts[at], most);
		if (cursor && axis_column_of(a, a->tick) == x)
			grid_at(f->g, r.x + x, r.y + r.h - 1)->style = palette_style(f->p, ROLE_CURSOR);
	}
	free(counts);
	grid_puts(f->g, label, label.x, label.y, things(f->n), palette_style(f->p, ROLE_TEXT));
	grid_puts(f->g, label, label.x, label.y + 1, num_group((int64_t)here, text),
		  palette_style(f->p, ROLE_TEXT));
	grid_printf(f->g, label, label.x, label.y + 2, palette_style(f->p, ROLE_DIM), "0..%s",
		    num_group((int64_t)most, text));
}

enum status network_draw(struct network *n, const struct marks *marks, struct grid *g,
			 struct rect area, const struct palette *p, struct error *e)
{
	const struct axis *a = &n->time;
	const struct frame f = {n, &n->side[NETWORK_SENDERS], &n->side[NETWORK_RECEIVERS], g, p, area,
				{area.x, area.y, a->gutter > 0 ? a->gutter - 1 : 0, area.h}};
	struct rect time = {area.x + a->gutter, area.y + area.h - n->below, a->columns,
			    n->below ? ruler_lines(area.h) : 0};
	enum status status = network_refresh(n, e);

	if (status)
		return status;
	grid_fill(g, area, ' ', palette_style(p, ROLE_TEXT));
	if (!f.rows->tree.shown.count) {
		grid_puts(g, area, area.x, area.y,
			  "no requests: no task of kind req_in is part of one of kind req_out, nor are ports known",
			  palette_style(p, ROLE_DIM));
		return STATUS_OK;
	}
	draw_labels(&f);
	draw_matrix(&f);
	if (!n->below || a->columns <= 0)
		return STATUS_OK;
	ruler_draw(a, g, time, p);
	ruler_marks(a, g, time, marks, p);
	draw_strip(&f, (struct rect){time.x, time.y + time.h, time.w, n->below - time.h});
	ruler_selection(a, g, (struct rect){time.x, time.y, time.w, n->below}, p);
	return STATUS_OK;
}

/* ---- in words ---- */

static uint64_t all_of(const struct network *n)
{
	uint64_t all = 0;

	for (size_t i = 0; i < n->requests.edges.count; i++)
		all += n->requests.edges.data[i].count;
	return all;
}

void network_status(const struct network *n, struct sbuf *out)
{
	char text[32];

	axis_status(&n->time, out);
	sbuf_printf(out, "  %s %s", num_group((int64_t)all_of(n), text), things(n));
	if (n->requests.unpaired)
		sbuf_printf(out, ", and %s from nobody known",
			    num_group((int64_t)n->requests.unpaired, text));
}

/* ": 1 531 requests, 48.3M/s, latency 13.45 ns, 1.003 ns on the way" */
static void tell_sum(const struct network *n, const struct network_sum *sum, struct sbuf *out)
{
	const double count = (double)sum->count;
	const double window = ((double)n->to - (double)n->from) / TASK_SECOND;
	const int singular = sum->count == 1;
	char number[32], time[40];

	sbuf_printf(out, ": %s %.*s", num_group((int64_t)sum->count, number),
		    (int)strlen(things(n)) - singular, things(n));
	if (!sum->count)
		return;
	sbuf_printf(out, ", %s/s", num_short(count / window, RATE_ROOM, number));
	sbuf_printf(out, n->pairs.messages ? ", %s in the buffer" : ", latency %s",
		    num_seconds(sum->latency / count, time));
	if (!n->pairs.messages)
		sbuf_printf(out, ", %s on the way", num_seconds(sum->wait / count, time));
}

/* Names have the room that is left. */
void network_describe(const struct network *n, int width, struct sbuf *out)
{
	const struct component_tree *senders = &n->side[NETWORK_SENDERS].tree;
	const struct component_tree *receivers = &n->side[NETWORK_RECEIVERS].tree;
	const struct network_sum sum = network_sum(n, senders->node, receivers->node);
	const char *from = tree_name(senders, senders->node);
	const char *to = tree_name(receivers, receivers->node);
	struct sbuf facts = {0};
	int room, first;

	if (!*from)
		return;
	tell_sum(n, &sum, &facts);
	room = width - (int)facts.len - (int)strlen(" > ");
	first = text_width(from, strlen(from)) < room / 2 ? text_width(from, strlen(from)) : room / 2;
	if (first > 1) {
		abbreviate_path(out, from, strlen(from), first);
		sbuf_puts(out, " > ");
		abbreviate_path(out, to, strlen(to), room - first);
	}
	sbuf_puts(out, first > 1 ? sbuf_text(&facts) : sbuf_text(&facts) + strlen(": "));
	sbuf_free(&facts);
}
