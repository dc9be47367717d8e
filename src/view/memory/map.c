/*
 * The face of a list that is a map: rows along the diagonals of a square, from its left upper corner
 * on, so that the dearest ones stand together in that corner and neighbours in memory beside one
 * another. Where there are more rows than cells, each is the dearest of a square of rows, a bin.
 */
#include "config.h"

#include <math.h>

#include "view/memory/lists.h"
#include "view/overview.h"

enum {
	CELL = 2,  /* columns */
	AROUND = 2 /* lines above and below */
};

/* ---- where rows are ---- */

static size_t side_of(const struct ranking *r)
{
	size_t side = (size_t)sqrt((double)r->rows.of.count);

	while (side * side < r->rows.of.count)
		side++;
	return side;
}

/* Cells of the diagonals before one, in the half with the corner. */
static size_t before(size_t diagonal)
{
	return diagonal * (diagonal + 1) / 2;
}

static size_t row_at(size_t side, size_t x, size_t y)
{
	if (x + y < side)
		return before(x + y) + y;
	return side * side - 1 - row_at(side, side - 1 - x, side - 1 - y);
}

static void place_of(size_t side, size_t row, size_t *x, size_t *y)
{
	size_t diagonal = (size_t)((sqrt(8.0 * (double)row + 1) - 1) / 2);

	if (row >= before(side)) {
		place_of(side, side * side - 1 - row, x, y);
		*x = side - 1 - *x;
		*y = side - 1 - *y;
		return;
	}
	while (before(diagonal) > row)
		diagonal--;
	while (before(diagonal + 1) <= row)
		diagonal++;
	*y = row - before(diagonal);
	*x = diagonal - *y;
}

size_t map_bin(const struct ranking *r)
{
	const size_t side = side_of(r);
	const int h = r->h - AROUND, w = r->w / CELL;
	const size_t room = (size_t)(h < 1 || w < 1 ? 1 : h < w ? h : w);

	return side > room ? (side + room - 1) / room : 1;
}

int map_width(const struct ranking *r)
{
	const size_t bin = map_bin(r);

	return (int)((side_of(r) + bin - 1) / bin) * CELL;
}

size_t map_row(const struct ranking *r, int x, int y)
{
	const size_t side = side_of(r), bin = map_bin(r);
	const size_t from_x = (size_t)(x / CELL) * bin, from_y = (size_t)y * bin;
	size_t found = r->rows.of.count;

	for (size_t v = from_y; v < from_y + bin && v < side; v++)
		for (size_t u = from_x; u < from_x + bin && u < side; u++) {
			const size_t row = row_at(side, u, v);

			if (row < r->rows.of.count &&
			    (found == r->rows.of.count ||
			     r->rows.of.data[row].cycles > r->rows.of.data[found].cycles))
				found = row;
		}
	return found;
}

static size_t step(size_t from, int64_t by, size_t last)
{
	if (by < 0)
		return (uint64_t)-by > from ? 0 : from - (size_t)-by;
	return (uint64_t)by > last - from ? last : from + (size_t)by;
}

size_t map_beside(const struct ranking *r, int64_t lines, int64_t columns)
{
	const size_t side = side_of(r);
	const int64_t bin = (int64_t)map_bin(r);
	size_t x, y;

	place_of(side, r->pane.cursor, &x, &y);
	return row_at(side, step(x, columns * bin, side - 1), step(y, lines * bin, side - 1));
}

/* ---- a frame ---- */

/* In the second column: selected or related, else that a block begins, else the class. */
static char sign_of(const struct ranking *r, size_t row, size_t bin)
{
	const struct memory_row *at = &r->rows.of.data[row];
	char sign = ranking_sign(r, at);

	if (sign == ' ' && bin == 1)
		sign = ranking_edge(r, row);
	if (sign == ' ' && r->focus->by_class && at->class != MEMORY_NONE)
		sign = memory_class_letter(at->class);
	return sign;
}

static void draw_cell(const struct ranking *r, size_t row, size_t bin, struct grid *g, int x, int y,
		      const struct palette *p)
{
	const struct memory_row *at = &r->rows.of.data[row];
	struct cell *cell;

	overview_draw_heat(ranking_part(r, at->cycles), g, x, y, p);
	cell = grid_at(g, x, y);
	if (cell && ranking_is_dim(r, at))
		cell->style = palette_style(p, ROLE_DIM);
	if (cell)
		grid_put(g, x + 1, y, (uint32_t)sign_of(r, row, bin), cell->style);
}

void map_draw(const struct ranking *r, struct grid *g, struct rect area, const struct palette *p)
{
	const size_t bin = map_bin(r);
	size_t here_x, here_y;

	for (int y = 0; y < area.h; y++)
		for (int x = 0; x < map_width(r); x += CELL) {
			const size_t row = map_row(r, x, y);

			if (row < r->rows.of.count)
				draw_cell(r, row, bin, g, area.x + x, area.y + y, p);
		}
	place_of(side_of(r), r->pane.cursor, &here_x, &here_y);
	grid_spot(g, area.x + (int)(here_x / bin) * CELL, area.y + (int)(here_y / bin),
		  palette_style(p, ROLE_CURSOR));
}
