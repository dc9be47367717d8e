/* Bars of tasks packed into lines, against the definition said anew. */
#include "config.h"

#include <string.h>

#include "base/sbuf.h"
#include "tasks_files.h"
#include "testing.h"
#include "view/tasks/gantt.h"
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
static uint32_t place(const struct bar *bars, uint32_t n, uint32_t parent, uint32_t line,
		      uint32_t *out)
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
				if (rows[j] == rows[k] &&
				    needs_two_rows(bars, n, order[j], order[k]))
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
	struct bar bars[] = {
	    {0, 5, 0, BAR_NONE, 9}, {5, 9, 1, BAR_NONE, 9}, {5, 5, 2, BAR_NONE, 9}};

	assert_int_equal(pack_bars(bars, 3), 2);
	assert_int_equal(bars[0].line, 0);
	assert_int_equal(bars[1].line, 0);
	assert_int_equal(bars[2].line, 1);
}

/* ---- a trace of many tasks ---- */

enum { TASKS = 12000, LENGTH = 40000 /* ns */, INSTANTS = 7 /* one in so many has no length */ };

struct life {
	int64_t start, end;
	int kind;
};

static struct life lives[TASKS];

static struct trace *many(void)
{
	struct sbuf text = {0};
	struct trace *t;
	uint64_t seed = 3;

	sbuf_puts(&text, "ID, ParentID, Kind, What, Where, Start, End\n");
	for (int i = 0; i < TASKS; i++) {
		struct life *l = &lives[i];

		l->start = (int64_t)(draw(&seed) % LENGTH);
		l->end = l->start + (draw(&seed) % INSTANTS ? (int64_t)(draw(&seed) % 300) : 0);
		l->kind = (int)(draw(&seed) % 3);
		sbuf_printf(&text, "t%d, %s, k%d, w, A.b[%d], %.10f, %.10f\n", i,
			    i % 5 == 4 ? "t3" : "", l->kind, i % 2, (double)l->start * 1e-9,
			    (double)l->end * 1e-9);
	}
	t = tasks_read(tasks_text("many.csv", text.text, text.len), false);
	sbuf_free(&text);
	return t;
}

/* Ticks are picoseconds. */
static bool touches(const struct life *l, int64_t from, int64_t to)
{
	int64_t start = l->start * 1000, end = l->end * 1000;

	return start < to && (end > from || (start == end && start >= from));
}

static void layout(struct gantt *g, int w, int h)
{
	axis_layout(&g->axis, w, h, w / 4);
	gantt_settle(g);
}

TEST(columns_count_what_touches_them)
{
	struct trace *t = many();
	struct gantt g;
	const struct chart *ch = &g.chart[GANTT_COMPONENT];

	gantt_init(&g, t);
	layout(&g, 120, 40);
	assert_true(gantt_choose(&g, "A"));
	assert_false(gantt_choose(&g, "A.b"));
	axis_fit(&g.axis);
	gantt_settle(&g);
	assert_true(ch->dense);
	assert_int_equal(ch->stride, 1);
	assert_int_equal(ch->tasks, TASKS);
	assert_int_equal(ch->width, g.axis.columns);
	for (int x = 0; x < ch->width; x++) {
		int64_t from = axis_tick_at(&g.axis, x), to = axis_tick_at(&g.axis, x + 1);
		uint64_t sum = 0;
		int found = 0;

		for (size_t k = 0; k < ch->counts.count; k++)
			sum += ch->columns.data[k * (size_t)ch->width + (size_t)x];
		for (int i = 0; i < TASKS; i++)
			found += touches(&lives[i], from, to);
		assert_int_equal(sum, found);
	}
	gantt_free(&g);
	trace_close(t);
}

static void check_settled(struct gantt *g)
{
	const struct split_part *part = &g->split.part[g->split.in];
	const struct chart *chart = &g->chart[g->split.in];
	const struct task_columns *c;

	assert_true(g->axis.tick >= g->axis.first && g->axis.tick <= g->axis.last);
	assert_true(part->line < part->count || part->line == 0);
	assert_true(part->h <= 0 ||
		    (part->line >= part->top && part->line < part->top + part->h));
	if (g->current == TASK_NONE)
		return;
	assert_int_equal(chart->bars.data[chart_find(chart, g->current)].line, part->line);
	c = tasks_lock(g->trace);
	assert_true(chart_alive(c, &g->axis, g->current));
	tasks_unlock(g->trace);
}

static void move_somehow(struct gantt *g, uint64_t *seed)
{
	int64_t n = (int64_t)(draw(seed) % 41) - 20;

	switch (draw(seed) % 9) {
	case 0:
		gantt_move(g, n, 0);
		break;
	case 1:
		gantt_move(g, 0, n);
		break;
	case 2:
		gantt_scroll(g, n, 0);
		break;
	case 3:
		gantt_scroll(g, 0, n * 10);
		break;
	case 4:
		axis_zoom(&g->axis, (int)(n % 4));
		gantt_settle(g);
		break;
	case 5:
		g->family = draw(seed) % 2 && g->opened != TASK_NONE;
		layout(g, (int)(draw(seed) % 150), (int)(draw(seed) % 50));
		break;
	case 6:
		gantt_goto(g, (uint32_t)(draw(seed) % (TASKS + 3)), TICK_NONE);
		break;
	case 7:
		gantt_open(g, (uint32_t)(draw(seed) % TASKS));
		break;
	case 8:
		gantt_step(g, n < 0 ? -1 : 1);
		break;
	}
}

TEST(any_motions_keep_the_cursor_on_a_line)
{
	struct trace *t = many();
	struct palette palette;
	struct grid grid = {.w = 0};
	struct gantt g;
	uint64_t seed = 11;

	palette_init(&palette, DEPTH_256);
	assert_true(grid_resize(&grid, 150, 50));
	gantt_init(&g, t);
	layout(&g, 100, 30);
	for (int i = 0; i < 3000; i++) {
		move_somehow(&g, &seed);
		check_settled(&g);
		if (i % 8 == 0)
			gantt_draw(&g, NULL, &grid, (struct rect){0, 0, g.axis.width, g.axis.height},
				   &palette);
	}
	gantt_free(&g);
	grid_free(&grid);
	trace_close(t);
}

/* Whoever goes to a task sees it, however many there are. */
TEST(a_task_gone_to_is_under_the_cursor)
{
	struct trace *t = many();
	struct gantt g;

	gantt_init(&g, t);
	layout(&g, 120, 40);
	assert_true(gantt_choose(&g, "A"));
	for (uint32_t row = 0; row < TASKS; row += 997) {
		axis_fit(&g.axis);
		gantt_settle(&g);
		gantt_goto(&g, row, TICK_NONE);
		assert_int_equal(g.current, row);
		assert_false(g.chart[GANTT_COMPONENT].dense);
	}
	gantt_free(&g);
	trace_close(t);
}

/* Of a task with more below it than are drawn it says so. */
TEST(a_family_that_is_cut_says_so)
{
	struct trace *t = many();
	struct palette palette;
	struct grid grid = {.w = 0};
	struct sbuf text = {0};
	struct gantt g;

	palette_init(&palette, DEPTH_MONO);
	assert_true(grid_resize(&grid, 100, 30));
	grid.ascii = true;
	gantt_init(&g, t);
	layout(&g, 100, 30);
	gantt_open(&g, 3);
	axis_fit(&g.axis);
	gantt_settle(&g);
	gantt_draw(&g, NULL, &grid, (struct rect){0, 0, 100, 30}, &palette);
	for (int x = 0; x < 100; x++)
		sbuf_putc(&text, (char)grid_at(&grid, x, g.split.part[GANTT_COMPONENT].y - 1)->cp);
	assert_non_null(strstr(sbuf_text(&text), "above the first 2 000 tasks, "));
	sbuf_free(&text);
	gantt_free(&g);
	grid_free(&grid);
	trace_close(t);
}

/* Of 36 pairs each has a letter or a digit; those that come after have none, and look like it. */
TEST(letters_are_of_one_pair)
{
	enum { PAIRS = 40, LETTERS = 36 };
	struct sbuf text = {0};
	struct task_keys keys;
	struct trace *t;

	sbuf_puts(&text, "ID, ParentID, Kind, What, Where, Start, End\n");
	for (int i = 0; i < PAIRS; i++)
		sbuf_printf(&text, "%d, , kind, same%d, A, 0.0, 1.0\n", i, i);
	t = tasks_read(tasks_text("letters.csv", text.text, text.len), false);
	keys_init(&keys, t);
	tasks_lock(t);
	keys_extend(&keys);
	tasks_unlock(t);
	assert_int_equal(keys.keys.count, PAIRS);
	for (int i = 0; i < PAIRS; i++) {
		assert_int_equal(keys.keys.data[i].letter == KEY_SHARED, i >= LETTERS);
		for (int k = 0; k < i && i < LETTERS; k++)
			assert_int_not_equal(keys.keys.data[i].letter, keys.keys.data[k].letter);
	}
	keys_free(&keys);
	sbuf_free(&text);
	trace_close(t);
}

#ifdef HAVE_SQLITE
/*
 * The wait ends at each milestone; one before the start of the task is nowhere. Between the two
 * windows nothing was traced.
 */
TEST(waits_are_shaded_up_to_milestones)
{
	struct trace *t = tasks_read(tasks_database("b2.db", sql_b2), false);
	struct palette palette;
	struct grid grid = {.w = 0};
	struct gantt g;
	int64_t start, first, second, end;
	int y;

	palette_init(&palette, DEPTH_MONO);
	assert_true(grid_resize(&grid, 40, 8));
	grid.ascii = true;
	gantt_init(&g, t);
	layout(&g, 40, 8);
	assert_true(gantt_choose(&g, "L1"));
	axis_fit(&g.axis);
	gantt_settle(&g);
	grid_clear(&grid, palette_style(&palette, ROLE_TEXT));
	gantt_draw(&g, NULL, &grid, (struct rect){0, 0, 40, 8}, &palette);
	y = g.split.part[GANTT_COMPONENT].y;
	start = axis_column_of(&g.axis, 3000);
	first = axis_column_of(&g.axis, 4000);
	second = axis_column_of(&g.axis, 8000);
	end = axis_column_of(&g.axis, 8999);
	assert_true(start < first && first + 1 < second && second < end);
	for (int64_t x = 0; x < g.axis.columns; x++) {
		uint32_t cp = grid_at(&grid, g.axis.gutter + (int)x, y)->cp;
		bool traced =
		    axis_tick_at(&g.axis, x) < 10000 || axis_tick_at(&g.axis, x + 1) > 11000;
		uint32_t wanted = !traced                     ? '/'
				  : x < start || x > end      ? ' '
				  : x == start                ? 'R'
				  : x == first || x == second ? '+'
				  : x < second                ? ':'
							      : 'r';

		assert_int_equal(cp, wanted);
	}
	gantt_free(&g);
	grid_free(&grid);
	trace_close(t);
}
#endif

FIXTURES(tasks_folder_new, tasks_folder_free)
