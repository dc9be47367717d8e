/* Two runs in one window: what the three layouts show, and that both sides stay together. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare.h"
#include "made_run.h"
#include "testing.h"
#include "text_store.h"
#include "view/pipeline/compareview.h"
#include "view_screen.h"

struct pair_window {
	struct store *store[ALIGN_SIDES];
	struct align al;
	struct differ differ;
	struct pipeview side[ALIGN_SIDES];
	struct compareview view;
	struct grid grid;
	struct palette palette;
	struct sbuf text;
	int w, h;
};

static void open_window(struct pair_window *x, enum compare_layout layout, int w, int h)
{
	struct align_options by_commit = {.by = ALIGN_BY_COMMIT};
	struct error e;

	x->w = w;
	x->h = h;
	x->text = (struct sbuf){0};
	x->grid = (struct grid){0};
	assert_true(grid_resize(&x->grid, w, h));
	palette_init(&x->palette, DEPTH_256);
	assert_int_equal(
	    align_new(&x->al, x->store[ALIGN_A], x->store[ALIGN_B], &by_commit, NULL, &e),
	    STATUS_OK);
	assert_true(differ_new(&x->differ, &x->al, NULL));
	for (int s = 0; s < ALIGN_SIDES; s++) {
		pipeview_init(&x->side[s], x->store[s]);
		for (int c = 0; c < GUTTER_COUNT; c++)
			x->side[s].gutter_shown[c] = c == GUTTER_ROW || c == GUTTER_PC;
		x->side[s].gutter_width[GUTTER_ROW] = x->side[s].gutter_width[GUTTER_PC] = 4;
	}
	compareview_init(&x->view, &x->al, &x->differ, &x->side[ALIGN_A], &x->side[ALIGN_B]);
	x->view.layout = layout;
	compareview_layout(&x->view, w, h);
}

static void focus(struct compareview *v, int side)
{
	compareview_follow(v);
	v->focus = side;
	compareview_follow(v);
}

static void close_window(struct pair_window *x)
{
	compareview_free(&x->view);
	differ_free(&x->differ);
	align_free(&x->al);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		pipeview_free(&x->side[s]);
		store_close(x->store[s]);
	}
	grid_free(&x->grid);
	sbuf_free(&x->text);
}

static void draw(struct pair_window *x)
{
	struct rect area = {0, 0, x->w, x->h};
	struct error e;

	assert_int_equal(compareview_draw(&x->view, &x->grid, area, &x->palette, &e), STATUS_OK);
}

static void expect(struct pair_window *x, const char *want)
{
	draw(x);
	sbuf_clear(&x->text);
	grid_export(&x->grid, GRID_TEXT, &x->text);
	assert_string_equal(sbuf_text(&x->text), want);
}

/* B has a squashed row, lacks pc 0x12, has 0x99 more, and 0x14 takes two ticks longer. */
static void two_runs(struct pair_window *x)
{
	struct made_run run = {.executes = 2};

	*x = (struct pair_window){.w = 0};
	for (int i = 0; i < 5; i++)
		run_put(&run, 4 * i, 4 * i + 6, (uint64_t)(0x10 + i), false);
	x->store[ALIGN_A] = run_store(&run);
	run_put(&run, 0, 6, 0x10, false);
	run_put(&run, 1, 5, 0x50, true);
	run_put(&run, 4, 10, 0x11, false);
	run_put(&run, 12, 18, 0x13, false);
	run_put(&run, 14, 19, 0x99, false);
	run_put(&run, 16, 24, 0x14, false);
	x->store[ALIGN_B] = run_store(&run);
}

TEST(test_interleaved)
{
	struct pair_window x;

	two_runs(&x);
	open_window(&x, COMPARE_INTERLEAVED, 42, 13);
	expect(&x, "A     cycle 0    5    10   15   20   25\n"
		   "   row   pc |    |    |    |    |    |\n"
		   "A    0   10 FfXxxxC\n"
		   "B    0   10 FfXxxxC\n"
		   "B    1   50  ffxx\303\227\n"
		   "A    1   11     FfXxxxC\n"
		   "B    2   11     FfXxxxC\n"
		   "A-   2   12         FfXxxxC\n"
		   "A~   3   13             FfXxxxC\n"
		   "B~   3   13             FfXxxxC\n"
		   "B+   4   99               FfXxxC\n"
		   "A~   4   14                 FfXxxxC\n"
		   "B~   5   14                 FfXxxxxxC\n");
	close_window(&x);
}

TEST(test_overlaid)
{
	struct pair_window x;

	two_runs(&x);
	open_window(&x, COMPARE_OVERLAID, 42, 9);
	expect(&x, "A     cycle 0    5    10   15   20   25\n"
		   "   row   pc |    |    |    |    |    |\n"
		   "     0   10 FfXxxxC\n"
		   "B    1   50  ffxx\303\227\n"
		   "     1   11     FfXxxxC\n"
		   "A-   2   12         FfXxxxC\n"
		   " ~   3   13             FfXxxxC\n"
		   "B+   4   99               FfXxxC\n"
		   " ~   4   14                 FfXxxxCxC\n");
	/* alike: plain; A's commit over B's execution, and what only B has: underlined */
	assert_int_equal(grid_at(&x.grid, 12 + 21, 8)->style.attrs & ATTR_UNDERLINE, 0);
	assert_int_not_equal(grid_at(&x.grid, 12 + 22, 8)->style.attrs & ATTR_UNDERLINE, 0);
	assert_int_not_equal(grid_at(&x.grid, 12 + 24, 8)->style.attrs & ATTR_UNDERLINE, 0);
	close_window(&x);
}

TEST(test_stacked)
{
	struct pair_window x;

	two_runs(&x);
	open_window(&x, COMPARE_STACKED, 42, 14);
	expect(&x, "A     cycle 0    5    10   15   20   25\n"
		   "   row   pc |    |    |    |    |    |\n"
		   "A    0   10 FfXxxxC\n"
		   "A    1   11     FfXxxxC\n"
		   "A-   2   12         FfXxxxC\n"
		   "A~   3   13             FfXxxxC\n"
		   "A~   4   14                 FfXxxxC\n"
		   "B     cycle 0    5    10   15   20   25\n"
		   "   row   pc |    |    |    |    |    |\n"
		   "B    0   10 FfXxxxC\n"
		   "B    1   50  ffxx\303\227\n"
		   "B    2   11     FfXxxxC\n"
		   "B~   3   13             FfXxxxC\n"
		   "B+   4   99               FfXxxC\n");
	close_window(&x);
}

/* What only the other one has at both ends is seen with the first and the last row. */
TEST(test_ends_of_a_list)
{
	struct made_run run = {.executes = 2};
	struct pair_window x;

	for (int i = 1; i < 4; i++)
		run_put(&run, 4 * i, 4 * i + 6, (uint64_t)(0x10 + i), false);
	x.store[ALIGN_A] = run_store(&run);
	for (int i = 0; i < 5; i++)
		run_put(&run, 4 * i, 4 * i + 6, (uint64_t)(0x10 + i), false);
	x.store[ALIGN_B] = run_store(&run);
	open_window(&x, COMPARE_INTERLEAVED, 42, 6);
	expect(&x, "A     cycle  5    10   15   20   25   30\n"
		   "   row   pc  |    |    |    |    |    |\n"
		   "B+   0   10 xxC\n"
		   "A~   0   11 FfXxxxC\n"
		   "B~   1   11 FfXxxxC\n"
		   "A    1   12     FfXxxxC\n");
	pipeview_goto(&x.side[ALIGN_A], 2, TICK_NONE);
	compareview_follow(&x.view);
	draw(&x);
	sbuf_clear(&x.text);
	grid_export(&x.grid, GRID_TEXT, &x.text);
	assert_non_null(strstr(sbuf_text(&x.text), "B+   4   14"));
	close_window(&x);
}

/* A window that has no room for both has the one with the focus. */
TEST(test_low)
{
	struct pair_window x;

	two_runs(&x);
	open_window(&x, COMPARE_STACKED, 42, 11);
	assert_int_equal(x.side[ALIGN_A].height, 6);
	assert_int_equal(x.side[ALIGN_B].height, 5);
	focus(&x.view, ALIGN_B);
	compareview_layout(&x.view, 42, 5);
	assert_int_equal(x.side[ALIGN_A].height, 0);
	assert_int_equal(x.side[ALIGN_B].height, 5);
	close_window(&x);
}

/* How many cells show the cursor. */
static int cursor_cells(struct pair_window *x)
{
	struct style want = palette_style(&x->palette, ROLE_CURSOR);
	int n = 0;

	for (int i = 0; i < x->w * x->h; i++)
		n += memcmp(&x->grid.cells[i].style, &want, sizeof(want)) == 0;
	return n;
}

/* A walk over two different runs: matching rows are born in one column, the cursor is in sight. */
TEST(test_locked)
{
	for (int layout = 0; layout < COMPARE_LAYOUTS; layout++) {
		struct pair_window x = {.store = {machine_store(900, 3), machine_store(860, 4)}};
		unsigned seed = 7;

		open_window(&x, (enum compare_layout)layout, 90, 24);
		for (int i = 0; i < 200; i++) {
			struct pipeview *f = &x.side[x.view.focus];
			uint64_t row = f->cursor;

			seed = seed * 1103515245u + 12345u;
			switch (seed >> 16 & 3) {
			case 0:
				pipeview_move_rows(f, (int)(seed >> 20 & 31) - 12);
				break;
			case 1:
				pipeview_move_columns(f, (int)(seed >> 20 & 15) - 6);
				break;
			case 2:
				pipeview_scroll(f, (int)(seed >> 20 & 15) - 6, 0);
				break;
			default:
				focus(&x.view, !x.view.focus);
				f = &x.side[x.view.focus];
			}
			compareview_follow(&x.view);
			draw(&x);
			row = f->cursor;
			assert_true(cursor_cells(&x) >= 1);
			uint64_t match = align_match(&x.al, x.view.focus, row);
			const struct pipeview *o = &x.side[!x.view.focus];
			struct row p, q;

			if (match == ROW_NONE)
				continue;
			assert_int_equal(o->cursor, match);
			store_row(f->store, row, &p);
			store_row(o->store, match, &q);
			assert_int_equal(p.start - f->axis.left, q.start - o->axis.left);
		}
		close_window(&x);
	}
}

/* Any size, however small, and any place of the mouse. */
TEST(test_sizes)
{
	for (int layout = 0; layout < COMPARE_LAYOUTS; layout++) {
		struct pair_window x = {.store = {machine_store(300, 1), machine_store(300, 2)}};

		open_window(&x, (enum compare_layout)layout, 80, 24);
		for (int w = 1; w < 60; w += 7)
			for (int h = 1; h < 30; h += 3) {
				uint64_t index;
				int64_t tick;
				int side;

				x.w = w;
				x.h = h;
				assert_true(grid_resize(&x.grid, w, h));
				/* some with pictures, in windows without a column, too */
				if (layout == COMPARE_STACKED)
					pipeview_zoom(&x.side[x.view.focus], h % 2 ? 2 : -2, 0);
				compareview_layout(&x.view, w, h);
				draw(&x);
				for (int i = 0; i < w * h; i += 3)
					if (compareview_hit(&x.view, i % w, i / w, &side, &index,
							    &tick))
						assert_true(index < pipeview_count(&x.side[side]));
			}
		close_window(&x);
	}
}

/* Of each instruction the execution that lost most; what one run lacks is its own. */
TEST(test_worst)
{
	static const struct {
		uint64_t pc, a, b;
		int64_t delta;
	} want[] = {{0x10, 0, 0, 0}, {0x11, 1, 2, 0},        {0x12, 2, ROW_NONE, -4},
		    {0x13, 3, 3, 4}, {0x99, ROW_NONE, 4, 1}, {0x14, 4, 5, 1}};
	struct pair_window x;
	struct compare r;
	struct error e;

	two_runs(&x);
	open_window(&x, COMPARE_STACKED, 42, 13);
	assert_int_equal(compare_new(&r, &x.al, NULL, NULL, &e), STATUS_OK);
	assert_int_equal(r.code_count, 6);
	for (size_t i = 0; i < r.code_count; i++) {
		int side = r.codes[i].code[ALIGN_A] != CODE_NONE ? ALIGN_A : ALIGN_B;
		const char *text;
		uint64_t pc;
		size_t len, k = 0;
		bool has_pc;

		assert_true(
		    store_code(x.store[side], r.codes[i].code[side], &pc, &has_pc, &text, &len));
		while (want[k].pc != pc)
			k++;
		assert_int_equal(r.codes[i].worst.row[ALIGN_A], want[k].a);
		assert_int_equal(r.codes[i].worst.row[ALIGN_B], want[k].b);
		assert_int_equal(r.codes[i].worst.delta, want[k].delta);
		assert_int_equal(r.codes[i].worst.delta,
				 compare_delta(&r.codes[i])); /* it ran once */
	}
	compare_free(&r);
	close_window(&x);
}

/*
 * In a range the worst is that of the range, and what lies outside has none. Each range is tried
 * against the charges of the comparison itself: an instruction that ran once has lost just that.
 */
TEST(test_worst_of_a_range)
{
	struct pair_window x;
	int seen = 0, absent = 0;

	two_runs(&x);
	open_window(&x, COMPARE_STACKED, 42, 13);
	for (int64_t from = 0; from < 24; from++)
		for (int64_t to = from + 1; to <= 25; to++) {
			const struct align_ticks range = {from, to};
			struct compare r;
			struct error e;

			assert_int_equal(compare_new(&r, &x.al, &range, NULL, &e), STATUS_OK);
			for (size_t i = 0; i < r.code_count; i++) {
				const struct compare_code *c = &r.codes[i];
				bool none = r.codes[i].worst.row[ALIGN_A] == ROW_NONE &&
					    r.codes[i].worst.row[ALIGN_B] == ROW_NONE;

				assert_int_equal(none, !compare_has(c, ALIGN_A) &&
							   !compare_has(c, ALIGN_B));
				if (!none)
					assert_int_equal(r.codes[i].worst.delta, compare_delta(c));
				seen += !none;
			}
			absent += r.code_count < 6;
			compare_free(&r);
		}
	assert_true(seen > 100 && absent > 100);
	close_window(&x);
}

TEST(test_stops)
{
	const atomic_bool stop = true;
	struct pair_window x;
	struct compare r;
	struct error e;

	two_runs(&x);
	open_window(&x, COMPARE_STACKED, 42, 13);
	assert_int_equal(compare_new(&r, &x.al, NULL, &stop, &e), STATUS_INTERRUPTED);
	close_window(&x);
}
