/* Bars of tasks packed into lines, against the definition said anew. */
#include "config.h"

#include <string.h>

#include "testing.h"
#include "view/tasks/pack.h"

enum { BARS = 24, ROUNDS = 4000 };

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Lines that a bar and all below it take, and its room, found again and again. */
static void room_of(const struct bar *bars, uint32_t n, uint32_t i, int64_t *from, int64_t *to)
{
	*from = bars[i].start;
	*to = bars[i].end;
	for (uint32_t k = 0; k < n; k++) {
		int64_t f, t;

		if (bars[k].parent != i)
			continue;
		room_of(bars, n, k, &f, &t);
		*from = f < *from ? f : *from;
		*to = t > *to ? t : *to;
	}
}

static bool needs_two_rows(const struct bar *bars, uint32_t n, uint32_t a, uint32_t b)
{
	int64_t a0, a1, b0, b1;

	room_of(bars, n, a, &a0, &a1);
	room_of(bars, n, b, &b0, &b1);
	if (a0 == a1 || b0 == b1)
		return !(a1 < b0 || b1 < a0);
	return a1 > b0 && b1 > a0;
}

/* Siblings in the order of their rooms' beginnings, then of their rows. */
static bool goes_first(const struct bar *bars, uint32_t n, uint32_t a, uint32_t b)
{
	int64_t a0, b0, ignored;

	room_of(bars, n, a, &a0, &ignored);
	room_of(bars, n, b, &b0, &ignored);
	return a0 != b0 ? a0 < b0 : bars[a].row < bars[b].row;
}

/* The children of a parent from a line on; the line behind them. */
static uint32_t place(const struct bar *bars, uint32_t n, uint32_t parent, uint32_t line, uint32_t *out)
{
	uint32_t order[BARS], rows[BARS], count = 0, next = line;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = count;

		if (bars[i].parent != parent)
			continue;
		for (; at > 0 && goes_first(bars, n, i, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	for (uint32_t k = 0; k < count; k++) {
		bool free = false;

		for (rows[k] = 0; !free; rows[k] += !free) {
			free = true;
			for (uint32_t j = 0; j < k; j++)
				if (rows[j] == rows[k] && needs_two_rows(bars, n, order[j], order[k]))
					free = false;
		}
	}
	for (uint32_t row = 0, begin = line; row < count; row++, begin = next)
		for (uint32_t k = 0; k < count; k++) {
			uint32_t behind;

			if (rows[k] != row)
				continue;
			out[order[k]] = begin;
			behind = place(bars, n, order[k], begin + 1, out);
			next = behind > next ? behind : next;
		}
	return next;
}

TEST(bars_float_up)
{
	struct bar bars[BARS];
	uint32_t lines[BARS];
	uint64_t seed = 7;

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t n = (uint32_t)(draw(&seed) % BARS) + 1;

		for (uint32_t i = 0; i < n; i++) {
			int64_t start = (int64_t)(draw(&seed) % 20);

			bars[i] = (struct bar){
			    .start = start,
			    .end = start + (int64_t)(draw(&seed) % 6),
			    .row = i,
			    .parent = i && draw(&seed) % 2 ? (uint32_t)(draw(&seed) % i) : BAR_NONE,
			};
		}
		assert_int_equal(pack_bars(bars, n), place(bars, n, BAR_NONE, 0, lines));
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(bars[i].line, lines[i]);
	}
}

TEST(ends_touch)
{
	struct bar bars[] = {{0, 5, 0, BAR_NONE, 9}, {5, 9, 1, BAR_NONE, 9}, {5, 5, 2, BAR_NONE, 9}};

	assert_int_equal(pack_bars(bars, 3), 2);
	assert_int_equal(bars[0].line, 0);
	assert_int_equal(bars[1].line, 0);
	assert_int_equal(bars[2].line, 1);
}

TEST(circles_are_cut)
{
	struct bar bars[] = {{0, 5, 0, 1, 9}, {0, 5, 1, 2, 9}, {0, 5, 2, 0, 9}, {0, 5, 3, 3, 9}};
	uint32_t seen = 0;

	assert_int_equal(pack_bars(bars, 4), 4);
	for (int i = 0; i < 4; i++)
		seen |= UINT32_C(1) << bars[i].line;
	assert_int_equal(seen, 15);
	assert_int_equal(pack_bars(bars, 0), 0);
}
