/*
 * Where rows are in a map: along the diagonals of a square, from its left upper corner on, so that the
 * dearest ones stand together in that corner and neighbours in memory beside one another.
 */
#include "config.h"

#include <math.h>

#include "view/memory/lists.h"

size_t map_side(size_t rows)
{
	size_t side = (size_t)sqrt((double)rows);

	while (side * side < rows)
		side++;
	return side;
}

/* Cells of the diagonals before one, in the half with the corner. */
static size_t before(size_t diagonal)
{
	return diagonal * (diagonal + 1) / 2;
}

size_t map_row(size_t side, size_t x, size_t y)
{
	if (x + y < side)
		return before(x + y) + y;
	return side * side - 1 - map_row(side, side - 1 - x, side - 1 - y);
}

void map_place(size_t side, size_t row, size_t *x, size_t *y)
{
	size_t diagonal = (size_t)((sqrt(8.0 * (double)row + 1) - 1) / 2);

	if (row >= before(side)) {
		map_place(side, side * side - 1 - row, x, y);
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

size_t ranking_map_bin(const struct ranking *r)
{
	const size_t side = map_side(r->rows.of.count);
	const int h = r->h - MAP_AROUND, w = r->w / MAP_CELL;
	const size_t room = (size_t)(h < 1 || w < 1 ? 1 : h < w ? h : w);

	return side > room ? (side + room - 1) / room : 1;
}
