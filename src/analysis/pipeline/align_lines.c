#include "config.h"

#include "analysis/pipeline/align_lines.h"

#include "base/bisect.h"

/* The rows between two pairs. */
struct gap {
	uint64_t first[ALIGN_SIDES], count[ALIGN_SIDES];
	int64_t zero[ALIGN_SIDES]; /* births of the pair before it, or of the first one */
	bool behind;               /* there is a pair before it */
	bool timed;                /* both have rows in it, and there is a pair to count from */
};

/* The gap that so many pairs stand before. */
static struct gap gap_behind(const struct align *al, uint64_t pairs)
{
	struct gap g = {.behind = pairs > 0};
	uint64_t pair[ALIGN_SIDES] = {0}, next[ALIGN_SIDES];

	align_pair_rows(al, pairs, next);
	if (pairs)
		align_pair_rows(al, pairs - 1, pair);
	g.timed = align_pairs(al) > 0;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		uint64_t anchor = pairs ? pair[s] : next[s];
		struct row row;

		g.first[s] = pair[s] + g.behind;
		g.count[s] = next[s] - g.first[s];
		g.timed = g.timed && g.count[s] && store_row(al->side[s].store, anchor, &row);
		g.zero[s] = g.timed ? row.start : 0;
	}
	return g;
}

/* From the pair's birth to that of the k-th row. Those whose birth is not told are the last ones.
 */
static int64_t birth_in(const struct align *al, const struct gap *g, int side, uint64_t k)
{
	struct row row;

	if (!store_row(al->side[side].store, g->first[side] + k, &row) ||
	    (g->behind && row.fate == FATE_UNKNOWN))
		return INT64_MAX;
	return align_length(al, side, g->zero[side], row.start);
}

/* Does the i-th row of A stand before the j-th of B? */
static bool a_first(const struct align *al, const struct gap *g, uint64_t i, uint64_t j)
{
	return !g->timed || birth_in(al, g, ALIGN_A, i) <= birth_in(al, g, ALIGN_B, j);
}

/* How many rows of the other side stand before the k-th of this one. */
static uint64_t others_before(const struct align *al, const struct gap *g, int side, uint64_t k)
{
	uint64_t low = 0, high = g->count[!side];

	bisect(low, high, i, side == ALIGN_A ? !a_first(al, g, k, i) : a_first(al, g, i, k));
	return low;
}

uint64_t align_line_of(const struct align *al, int side, uint64_t row)
{
	uint64_t pair = align_next_pair(al, side, row), rows[ALIGN_SIDES];
	struct gap g;

	align_pair_rows(al, pair, rows);
	if (pair < align_pairs(al) && rows[side] == row)
		return rows[ALIGN_A] + rows[ALIGN_B] + (side == ALIGN_B);
	g = gap_behind(al, pair);
	return row + g.first[!side] + others_before(al, &g, side, row - g.first[side]);
}

uint64_t align_lines(const struct align *al)
{
	return store_row_count(al->side[ALIGN_A].store) + store_row_count(al->side[ALIGN_B].store);
}

uint64_t align_partner(const struct align *al, int side, uint64_t row)
{
	return path_has(al->side[side].path, row) ? align_match(al, side, row) : ROW_NONE;
}

/* Behind so many rows of both; false: they are all. */
static bool read_line(struct align_line *l)
{
	const struct align *al = l->al;
	const uint64_t line = l->before[ALIGN_A] + l->before[ALIGN_B];
	const uint64_t a = l->before[ALIGN_A];

	if (line >= align_lines(al))
		return false;
	l->side =
	    a < store_row_count(al->side[ALIGN_A].store) && align_line_of(al, ALIGN_A, a) == line
		? ALIGN_A
		: ALIGN_B;
	l->row = l->before[l->side];
	l->partner = align_partner(al, l->side, l->row);
	return true;
}

bool align_line_at(const struct align *al, uint64_t line, struct align_line *out)
{
	uint64_t low = 0, high = store_row_count(al->side[ALIGN_A].store);

	bisect(low, high, row, align_line_of(al, ALIGN_A, row) < line); /* rows of A before the line */
	*out = (struct align_line){.al = al, .before = {low, line - low}};
	return read_line(out);
}

bool align_line_next(struct align_line *l)
{
	l->before[l->side]++;
	return read_line(l);
}
