/*
 * The face of a list that is a map: rows along the diagonals of a square, from its left upper
 * corner on, so that the dearest ones stand together in that corner and neighbours in memory beside
 * one another. Where there are more rows than cells, a cell has several, a bin, and shows the
 * dearest.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "trace/tick.h"
#include "view/memory/lists.h"
#include "view/overview.h"

enum {
	CELL = 2, /* columns */
	HEAD = 1  /* lines above */
};

/* ---- where rows are ---- */

size_t map_bin(const struct ranking *r)
{
	const int h = r->focus->axis->height - HEAD, w = r->focus->axis->width / CELL;
	const size_t room = (size_t)(h < 1 || w < 1 ? 1 : h < w ? h : w);

	return (r->rows.of.count - 1) / (room * room) + 1;
}

static size_t side_of(const struct ranking *r)
{
	return (size_t)ceil(sqrt((double)((r->rows.of.count - 1) / map_bin(r) + 1)));
}

int map_width(const struct ranking *r)
{
	return (int)side_of(r) * CELL;
}

static size_t cell_at(size_t side, size_t x, size_t y)
{
	if (x + y < side)
		return (x + y) * (x + y + 1) / 2 + y;
	return side * side - 1 - cell_at(side, side - 1 - x, side - 1 - y);
}

size_t map_row(const struct ranking *r, int column, int line)
{
	const size_t side = side_of(r), bin = map_bin(r), count = r->rows.of.count;
	const size_t x = (size_t)(column / CELL), y = (size_t)line;
	const size_t from = x < side && y < side ? cell_at(side, x, y) * bin : count;
	size_t found = from < count ? from : count;

	for (size_t row = from; row < from + bin && row < count; row++)
		if (r->rows.of.data[row].cycles > r->rows.of.data[found].cycles)
			found = row;
	return found;
}

void map_move(struct ranking *r, int64_t lines, int64_t columns)
{
	const size_t side = side_of(r), here = ranking_row(r) / map_bin(r);
	const int64_t last = (int64_t)side - 1;
	size_t at = 0, row;

	while (cell_at(side, at % side, at / side) != here)
		at++;
	row = map_row(r, (int)tick_clamp(tick_add((int64_t)(at % side), columns), 0, last) * CELL,
		      (int)tick_clamp(tick_add((int64_t)(at / side), lines), 0, last));
	if (row < r->rows.of.count)
		r->split.part[SPLIT_UPPER].line = (int64_t)row;
}

/* ---- a frame ---- */

/* Of the rows of a cell one that is selected or related, else the dearest. */
static const struct memory_row *marked(const struct ranking *r, size_t dearest)
{
	const struct memory_row *rows = r->rows.of.data;
	const size_t bin = map_bin(r), from = dearest / bin * bin;

	for (size_t i = from; i < from + bin && i < r->rows.of.count; i++)
		if (strchr(">*", ranking_sign(r, &rows[i])))
			return &rows[i];
	return &rows[dearest];
}

/* In the second column: selected or related, else that a block begins, else the class. */
static void draw_cell(const struct ranking *r, size_t row, struct grid *g, int x, int y,
		      const struct palette *p)
{
	const struct memory_row *at = &r->rows.of.data[row], *mark = marked(r, row);
	char sign = ranking_sign(r, mark);
	struct cell *cell;

	overview_draw_heat(log1p((double)at->cycles) / log1p((double)r->rows.most), g, x, y, p);
	if (sign == ' ' && map_bin(r) == 1)
		sign = mark->edge;
	if (sign == ' ' && r->focus->by_class && mark->class != MEMORY_NONE)
		sign = memory_class_letter(mark->class);
	cell = grid_at(g, x, y);
	if (cell && ranking_is_dim(r, mark))
		cell->style = palette_style(p, ROLE_DIM);
	if (cell)
		grid_put(g, x + 1, y, (uint32_t)sign, cell->style);
}

void map_draw(const struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	for (int y = 0; y < area.h; y++)
		for (int x = 0; x < map_width(r); x += CELL) {
			const size_t row = map_row(r, x, y);

			if (row == r->rows.of.count)
				continue;
			draw_cell(r, row, g, area.x + x, area.y + y, p);
			if (row / map_bin(r) == ranking_row(r) / map_bin(r))
				grid_spot(g, area.x + x, area.y + y, palette_style(p, ROLE_CURSOR));
		}
}
