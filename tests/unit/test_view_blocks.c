/* The columns of the block view against plain loops over all stays, wherever one wanders. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "tasks_files.h"
#include "testing.h"
#include "view/memory/blocks.h"
#include "view/pane.h"

enum { CPUS = 4, BLOCKS = 24, EVENTS = 6000, WIDTH = 150, HEIGHT = 50, FEW = BLOCKS_LOOKED_AT };

static uint64_t draw(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *seed >> 33;
}

/* Loads and losses of blocks as they come, first closely, then far apart. */
static struct trace *bustle(void)
{
	static bool held[2][CPUS][BLOCKS];
	struct sbuf text = {0};
	struct trace *t;
	uint64_t seed = 3, time = 0;

	sbuf_puts(&text, "i 16\ni 64\ni 4\ni 4\nc a 10000000000 400 0\nc b 10000000400 1000 0\n");
	for (int i = 0; i < EVENTS; i++) {
		const unsigned level = draw(&seed) % 2, cpu = draw(&seed) % CPUS;
		const unsigned block = (unsigned)(draw(&seed) * draw(&seed) % (level ? BLOCKS / 4 : BLOCKS));
		const uint64_t address = UINT64_C(010000000000) + block * (level ? 64 : 16);

		time += draw(&seed) % (i < EVENTS / 2 ? 3 : 40);
		sbuf_printf(&text, "%c %llo %u %u %o %llu%s\n",
			    held[level][cpu][block] ? "ef"[draw(&seed) % 2] : "gh"[draw(&seed) % 2],
			    (unsigned long long)address, cpu, level + 1, 01000000 + i % 5,
			    (unsigned long long)time, held[level][cpu][block] ? "" : " 0");
		held[level][cpu][block] = !held[level][cpu][block];
	}
	t = tasks_read(tasks_text("bustle.trace", text.text, text.len), false);
	sbuf_free(&text);
	return t;
}

/* What one block has in a column. */
struct counted {
	uint32_t holders, events, loads;
	bool exact;
};

static struct counted count(const struct blocks *b, const struct memory_index *x, uint32_t block,
			    int64_t t0, int64_t t1, uint32_t cache)
{
	struct counted n = {.exact = true};

	for (uint32_t c = 0; c < x->caches[x->blocks[block].level]; c++) {
		uint32_t there = 0, stays = 0;

		for (uint32_t i = 0; i < x->stay_count; i++) {
			const struct memory_stay *s = memory_stay(x, i);

			if (s->block != block || s->cache != c || !memory_meets(s, t0, t1) ||
			    t0 > b->axis.last ||
			    !blocks_shows_cache(b, c) || (cache != MEMORY_NONE && c != cache))
				continue;
			stays++;
			if (!blocks_passes(b, s->ending))
				continue;
			there++;
			n.loads += s->start >= t0 && s->cell != MEMORY_NONE;
			n.events += (s->start >= t0 && s->cell != MEMORY_NONE) + (s->end <= t1);
		}
		n.holders += there > 0;
		n.exact = n.exact && stays <= FEW;
	}
	return n;
}

static void check_line(const struct blocks *b, enum memory_level level, int64_t number)
{
	const struct blocks_line line = blocks_line(b, level, number);
	struct block_column *columns = xcalloc((size_t)b->axis.columns + 1, sizeof(*columns));
	const struct memory_index *x = memory_lock(b->trace);

	blocks_columns(b, x, &line, level, columns);
	for (int c = 0; c < b->axis.columns; c++) {
		const int64_t t0 = axis_align(&b->axis, axis_tick_at(&b->axis, c), b->axis.zoom);
		const int64_t t1 = t0 + axis_cell(&b->axis, b->axis.zoom);
		struct counted most = {.exact = true};

		for (uint32_t i = 0; i < line.count; i++) {
			const struct counted n =
			    count(b, x, b->part[level].rows.of.data[line.first + i].number, t0, t1,
				  line.unfolded ? line.cache : MEMORY_NONE);

			most.holders = n.holders > most.holders ? n.holders : most.holders;
			most.loads += n.loads;
			most.events += n.events;
			most.exact = most.exact && n.exact;
		}
		assert_int_equal(columns[c].sampled, !most.exact);
		if (b->look.ends == ENDS_ALL || most.exact)
			assert_int_equal(columns[c].holders, most.holders);
		if (most.exact && b->axis.zoom >= 0) {
			assert_int_equal(columns[c].events, most.events);
			assert_int_equal(columns[c].loads, most.loads);
		}
	}
	memory_unlock(b->trace);
	free(columns);
}

static void layout(struct blocks *b, int w, int h)
{
	axis_layout(&b->axis, w, h, w / 4);
	blocks_settle(b);
}

static void move_somehow(struct blocks *b, uint64_t *seed)
{
	const int64_t by = (int64_t)(draw(seed) % 41) - 20;
	const uint32_t next = blocks_next(b, by < 0 ? -1 : 1);
	int64_t tick = TICK_NONE;

	switch (draw(seed) % 9) {
	case 0:
		split_move(&b->split, by);
		break;
	case 1:
		split_scroll(&b->split, by / 4);
		axis_scroll(&b->axis, by);
		break;
	case 2:
		axis_zoom(&b->axis, (int)(by / 4));
		break;
	case 3:
		b->look.ends = (uint8_t)(draw(seed) % 3);
		b->look.order = (uint8_t)(draw(seed) % 3);
		b->look.one = draw(seed) % 2;
		b->look.face = (uint8_t)(draw(seed) % FACE_COUNT);
		b->focus.version++;
		blocks_settle(b);
		break;
	case 4:
		b->hidden ^= UINT64_C(1) << draw(seed) % CPUS;
		blocks_settle(b);
		break;
	case 5:
		blocks_bundle(b, by / 8);
		break;
	case 6:
		blocks_unfold(b);
		break;
	case 7:
		layout(b, (int)(draw(seed) % WIDTH), (int)(draw(seed) % HEIGHT));
		break;
	case 8:
		blocks_goto(b, draw(seed) % 2 ? next : blocks_taker(b, &tick), tick);
		break;
	}
	blocks_settle(b);
}

TEST(columns_have_the_stays_that_are_in_them)
{
	struct trace *t = bustle();
	struct palette palette;
	struct grid grid = {.w = 0};
	struct blocks b;
	uint64_t seed = 11;

	palette_init(&palette, DEPTH_256);
	assert_true(grid_resize(&grid, WIDTH, HEIGHT));
	blocks_init(&b, t);
	layout(&b, 100, 40);
	axis_fit(&b.axis);
	for (int i = 0; i < ROUNDS(400); i++) {
		const struct rect area = {0, 0, b.axis.width, b.axis.height};

		blocks_draw(&b, NULL, &grid, area, &palette);
		check_line(&b, blocks_level(&b), b.split.part[b.split.in].line);
		pane_free(blocks_stay_pane(&b));
		move_somehow(&b, &seed);
	}
	blocks_free(&b);
	grid_free(&grid);
	trace_close(t);
}

/* The cursor is in it, whichever way it was gone to, and its block has a line. */
TEST(a_stay_that_is_gone_to_is_current)
{
	struct trace *t = bustle();
	struct blocks b;
	uint64_t seed = 7;

	blocks_init(&b, t);
	layout(&b, 100, 40);
	axis_fit(&b.axis);
	for (int i = 0; i < ROUNDS(400); i++) {
		const uint32_t stay = (uint32_t)(draw(&seed) % (EVENTS / 3));

		b.look.bundle = 1U << draw(&seed) % 3;
		b.look.asked = 1 + (uint32_t)(draw(&seed) % 3);
		b.focus.version++;
		blocks_settle(&b);
		blocks_goto(&b, stay, TICK_NONE);
		assert_int_equal(b.current, stay);
		axis_zoom(&b.axis, (int)(draw(&seed) % 5) - 2);
	}
	blocks_free(&b);
	trace_close(t);
}

/* Loads 10 cycles apart, but for one gap. */
TEST(a_long_time_without_an_access_is_not_traced)
{
	enum { EACH = 100, END = 10 * EACH, GAP = 200000 };
	struct sbuf text = {0};
	struct trace *t;

	sbuf_puts(&text, "i 20\ni 100\ni 2\ni 2\nc a 10000000000 400 0\n");
	for (unsigned i = 0; i < 2 * EACH; i++) {
		const unsigned address = 010000000U + 16 * i, time = 10 * i + (i < EACH ? 0 : GAP);

		sbuf_printf(&text, "h %o %u 1 1000005 %o 0\nR %o %u 1000005 3\n", address, i % 2, time,
			    address, i % 2);
	}
	t = tasks_read(tasks_text("gap.trace", text.text, text.len), false);
	assert_true(t->kind->traced(t, 0, 1));
	assert_true(t->kind->traced(t, END - 19, END - 11));
	assert_false(t->kind->traced(t, END - 9, END));
	assert_false(t->kind->traced(t, END, END + GAP));
	assert_true(t->kind->traced(t, END, END + GAP + 1));
	assert_true(t->kind->traced(t, END + GAP + 1, END + GAP + 5));
	trace_close(t);
	sbuf_free(&text);
}

FIXTURES(tasks_folder_new, tasks_folder_free)
