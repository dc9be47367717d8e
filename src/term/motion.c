#include "config.h"

#include "term/motion.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEW_CELLS = 48,     /* fewer changed cells than this are simply drawn */
	LABEL_COLUMNS = 16, /* rows are recognised by what stands at their left edge */
	ROWS_FURTHEST = 256,
	COLS_FURTHEST = 128,
	SAMPLE_ROWS = 8,
	WORTH_CELLS = 16, /* a shift that sets fewer right is not tried */
	/* In halves of a byte: a drawn cell with its share of colour changes; cursor motion and
	 * insertion or deletion. */
	CELL_COST = 5,
	SHIFT_COST = 22,
	NEAR_SHIFT_COST = 10
};

packed_cell packed_from(const struct cell *c)
{
	return (packed_cell)c->cp | (packed_cell)c->style.attrs << 21 |
	       (packed_cell)(c->style.fg + 1) << 29 | (packed_cell)(c->style.bg + 1) << 38;
}

struct cell packed_to(packed_cell p)
{
	return (struct cell){
	    .cp = packed_cp(p),
	    .style = {.fg = (int16_t)((p >> 29 & 0x1ff) - 1),
		      .bg = (int16_t)((p >> 38 & 0x1ff) - 1),
		      .attrs = (uint8_t)(p >> 21)},
	};
}

uint32_t packed_cp(packed_cell p)
{
	return (uint32_t)(p & 0x1fffff);
}

packed_cell packed_blank(void)
{
	return packed_from(&(struct cell){' ', STYLE_PLAIN});
}

static bool many_changed(const packed_cell *from, const packed_cell *to, int w, int h)
{
	int changed = 0;

	for (long i = 0; i < (long)w * h && changed < FEW_CELLS; i++)
		changed += from[i] != to[i];
	return changed >= FEW_CELLS;
}

/* Of the label's characters, not colours: the row under the cursor looks different. 0: blank. */
static uint32_t label_hash(const packed_cell *row, int w)
{
	int columns = w < LABEL_COLUMNS ? w : LABEL_COLUMNS;
	bool blank = true;
	uint32_t hash = 2166136261u; /* FNV-1a over code points */

	for (int x = 0; x < columns; x++) {
		uint32_t cp = packed_cp(row[x]);

		blank = blank && cp == ' ';
		hash = (hash ^ cp) * 16777619u;
	}
	return blank ? 0 : hash | 1;
}

/* By how many rows most labels moved: each pair of equal labels votes. */
static int find_rows(const packed_cell *from, const packed_cell *to, int w, int h)
{
	uint32_t labels[2][ROWS_FURTHEST];
	int votes[2 * ROWS_FURTHEST] = {0};
	int best = 0;

	if (h > ROWS_FURTHEST)
		h = ROWS_FURTHEST;
	for (int y = 0; y < h; y++) {
		labels[0][y] = label_hash(from + (size_t)y * (size_t)w, w);
		labels[1][y] = label_hash(to + (size_t)y * (size_t)w, w);
	}
	for (int y = 0; y < h; y++)
		for (int o = 0; labels[1][y] && o < h; o++)
			votes[o - y + ROWS_FURTHEST] += labels[0][o] == labels[1][y];
	for (int d = 1 - h; d < h; d++)
		if (votes[d + ROWS_FURTHEST] > votes[best + ROWS_FURTHEST])
			best = d;
	return votes[best + ROWS_FURTHEST] >= 3 ? best : 0;
}

bool motion_took_row(const packed_cell *from, const packed_cell *row, int w, int h, int y, int rows)
{
	int origin = y + rows;
	uint32_t label = label_hash(row, w);

	return origin >= 0 && origin < h && label &&
	       label == label_hash(from + (size_t)origin * (size_t)w, w);
}

/* The columns in which two rows differ: [*begin, *end). */
static bool differing(const packed_cell *from, const packed_cell *to, int w, int *begin, int *end)
{
	int b = 0, e = w;

	while (b < w && from[b] == to[b])
		b++;
	if (b == w)
		return false;
	while (from[e - 1] == to[e - 1])
		e--;
	*begin = b;
	*end = e;
	return true;
}

/* Cells of [begin, end) still wrong after moving them by cols. */
static int wrong_after(const packed_cell *from, const packed_cell *to, int begin, int end, int cols)
{
	packed_cell blank = packed_blank();
	int wrong = 0;

	for (int x = begin; x < end; x++) {
		bool inside = x + cols >= begin && x + cols < end;

		wrong += to[x] != (inside ? from[x + cols] : blank);
	}
	return wrong;
}

/* A row and how many of its cells are wrong where it is. */
struct sample {
	int y, wrong;
};

/*
 * The rows that most of what is wrong stands in, the worst first. Where rows move, too, only those:
 * what stays where it is (a curve, a status line) changes in ways of its own.
 */
static int worst_rows(const packed_cell *from, const packed_cell *to, int w, int h, int rows,
		      struct sample out[SAMPLE_ROWS])
{
	int n = 0;

	for (int y = 0; y < h; y++) {
		const packed_cell *row = to + (size_t)y * (size_t)w;
		int wrong, at;

		if (rows && !motion_took_row(from, row, w, h, y, rows))
			continue;
		wrong = wrong_after(from + (size_t)(y + rows) * (size_t)w, row, 0, w, 0);
		for (at = n; at > 0 && out[at - 1].wrong < wrong; at--)
			if (at < SAMPLE_ROWS)
				out[at] = out[at - 1];
		if (at < SAMPLE_ROWS)
			out[at] = (struct sample){y, wrong};
		n += n < SAMPLE_ROWS;
	}
	return n;
}

/* Add the cells that each shift would set right: a row that it does not suit stays. */
static void score_row(const packed_cell *from, const packed_cell *to, int w,
		      int gain[2 * COLS_FURTHEST + 1])
{
	int begin, end, still;

	if (!differing(from, to, w, &begin, &end))
		return;
	still = wrong_after(from, to, begin, end, 0);
	for (int k = -COLS_FURTHEST; k <= COLS_FURTHEST; k++) {
		int moved = abs(k) < end - begin ? wrong_after(from, to, begin, end, k) : still;

		gain[k + COLS_FURTHEST] += moved < still ? still - moved : 0;
	}
}

/* The shift that sets most right. 0: none is worth it. */
static int find_cols(const packed_cell *from, const packed_cell *to, int w, int h, int rows)
{
	struct sample samples[SAMPLE_ROWS];
	int gain[2 * COLS_FURTHEST + 1] = {0}, best = 0;
	int n = worst_rows(from, to, w, h, rows, samples);

	for (int i = 0; i < n; i++)
		score_row(from + (size_t)(samples[i].y + rows) * (size_t)w,
			  to + (size_t)samples[i].y * (size_t)w, w, gain);
	for (int k = -COLS_FURTHEST; k <= COLS_FURTHEST; k++)
		if (gain[k + COLS_FURTHEST] > gain[best + COLS_FURTHEST])
			best = k;
	return gain[best + COLS_FURTHEST] >= WORTH_CELLS ? best : 0;
}

struct motion motion_find(const packed_cell *from, const packed_cell *to, int w, int h)
{
	struct motion m = {0, 0};

	if (!many_changed(from, to, w, h))
		return m;
	m.rows = find_rows(from, to, w, h);
	m.cols = find_cols(from, to, w, h, m.rows);
	return m;
}

bool packed_has_wide(const packed_cell *row, int begin, int end)
{
	for (int x = begin; x < end; x++)
		if (packed_cp(row[x]) == 0)
			return true;
	return false;
}

/* In the units of CELL_COST; below another shift at the same columns the cursor is near. */
static int shift_cost(const packed_cell *from, const packed_cell *to, int w,
		      const struct row_shift *s, bool near)
{
	int operations = s->end == w ? 1 : 2;

	return operations * (near ? NEAR_SHIFT_COST : SHIFT_COST) +
	       (wrong_after(from, to, 0, s->begin, 0) +
		wrong_after(from, to, s->begin, s->end, s->cols) +
		wrong_after(from, to, s->end, w, 0)) *
		   CELL_COST;
}

bool motion_shift(const packed_cell *from, const packed_cell *to, int w, int cols,
		  const struct row_shift *above, struct row_shift *out)
{
	int begin, end, least, cost;

	if (!differing(from, to, w, &begin, &end) || abs(cols) >= end - begin)
		return false;
	least = wrong_after(from, to, begin, end, 0) * CELL_COST;
	const struct row_shift ways[] = {{begin, w, cols}, {begin, end, cols}, *above};

	out->cols = 0;
	for (int i = 0; i < 3; i++) {
		/* more than what differs may be blank anyway, less leaves a label beside a curve */
		if (i == 2 && (above->cols != cols || above->end < end))
			continue;
		cost = shift_cost(from, to, w, &ways[i], i == 2);
		if (cost >= least)
			continue;
		least = cost;
		*out = ways[i];
	}
	/* half a wide character that moves is not worth knowing what each terminal makes of it */
	return out->cols && !packed_has_wide(from, out->begin, w) &&
	       !packed_has_wide(to, out->begin, w);
}
