/* The window, the cursor, zoom and what Enter goes to. */
#include "config.h"

#include <string.h>

#include "testing.h"
#include "text_store.h"
#include "view/pipeline/pipeview_private.h"
#include "view_screen.h"

enum { ROWS = 3000 };

static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};

static void expect_sane(const struct pipeview *v)
{
	uint64_t count = pipeview_count(v);
	int64_t column = axis_column_of(&v->axis, v->axis.tick);

	assert_true(v->cursor < count);
	assert_true(v->cursor >= v->top);
	assert_true((v->cursor - v->top) >> v->row_zoom < (uint64_t)v->lines);
	assert_true(column >= 0 && column < v->axis.columns);
	assert_true(v->axis.tick >= v->axis.first && v->axis.tick <= v->axis.last);
	assert_int_equal(v->top & ((UINT64_C(1) << v->row_zoom) - 1), 0);
	assert_int_equal(axis_align(&v->axis, v->axis.left, v->axis.zoom), v->axis.left);
}

/* The first and last visible rows' lives meet the window. */
static bool lives_visible(const struct pipeview *v)
{
	int64_t right = axis_right(&v->axis), start, end;
	uint64_t bottom = v->top + (uint64_t)v->lines - 1;

	pipeview_life(v, bottom, &start, &end);
	if (start >= right)
		return false;
	pipeview_life(v, v->cursor, &start, &end);
	return start < right && end >= v->axis.left;
}

TEST(the_window_follows_the_rows)
{
	for (int i = 0; i < 3; i++) {
		struct screen sc;
		int jumps = 0;

		view_screen_open(&sc, machine_store(ROWS, (unsigned)i), sizes[i][0], sizes[i][1]);
		for (int n = 0; n < 5900; n++) {
			int64_t left = sc.view.axis.left;

			pipeview_move_rows(&sc.view, n < 2950 ? 1 : -1);
			expect_sane(&sc.view);
			assert_true(lives_visible(&sc.view));
			jumps += sc.view.axis.left != left;
		}
		assert_int_equal(sc.view.cursor, 0);
		/* coarse steps: a jump every ten lines and more, not one a line */
		assert_in_range(jumps, 10, 5900 / 10);
		view_screen_close(&sc);
	}
}

/* Going through rows the cursor stays where they live; the edge of a selection does not move. */
TEST(the_cursor_follows_the_lives)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	for (int zoom = 0; zoom < 4; zoom++) {
		for (int n = 0; n < 400; n++) {
			int64_t start, end;

			pipeview_move_rows(&sc.view, n < 200 ? 3 : -3);
			pipeview_life(&sc.view, sc.view.cursor, &start, &end);
			assert_true(sc.view.axis.tick >= start && sc.view.axis.tick <= end);
			expect_sane(&sc.view);
		}
		pipeview_zoom(&sc.view, 1, 1);
	}
	pipeview_zoom(&sc.view, -sc.view.row_zoom, -sc.view.axis.zoom);
	pipeview_goto(&sc.view, 100, TICK_NONE);
	for (int held = 0; held < 2; held++) {
		int64_t tick = sc.view.axis.tick;

		sc.view.selection.on = held == 0;
		sc.view.pinned = held == 1;
		pipeview_move_rows(&sc.view, 4);
		assert_int_equal(sc.view.axis.tick, tick);
	}
	view_screen_close(&sc);
}

/* Where all ticks are on screen there is nothing to scroll to: the cursor goes. */
TEST(what_is_all_visible_stays)
{
	struct screen sc;
	int64_t left;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	pipeview_fit(&sc.view);
	left = sc.view.axis.left;
	for (int i = 0; i < 8; i++)
		pipeview_scroll(&sc.view, 0, 30);
	assert_int_equal(sc.view.axis.left, left);
	assert_int_equal(sc.view.axis.tick, sc.view.axis.last);
	for (int i = 0; i < 8; i++)
		pipeview_scroll(&sc.view, 0, -30);
	assert_int_equal(sc.view.axis.left, left);
	assert_int_equal(sc.view.axis.tick, sc.view.axis.first);
	view_screen_close(&sc);
}

TEST(lines_are_kept_around_the_cursor)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	sc.view.margin = 3;
	for (int n = 0; n < 400; n++) {
		uint64_t line;

		pipeview_goto(&sc.view, (uint64_t)n * 7919 % pipeview_count(&sc.view), TICK_NONE);
		pipeview_move_rows(&sc.view, n % 5 - 2);
		line = sc.view.cursor - sc.view.top;
		assert_true(line >= 3 || sc.view.top == 0);
		assert_true(line + 3 < (uint64_t)sc.view.lines ||
			    sc.view.top + (uint64_t)sc.view.lines == pipeview_count(&sc.view));
		expect_sane(&sc.view);
	}
	view_screen_close(&sc);
}

TEST(a_pinned_window_does_not_follow)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 80, 24);
	sc.view.pinned = true;
	pipeview_move_rows(&sc.view, 500);
	assert_int_equal(sc.view.axis.left, 0);
	assert_int_equal(sc.view.cursor, 500);
	pipeview_adjust(&sc.view);
	assert_true(sc.view.axis.left > 100);
	assert_true(lives_visible(&sc.view));
	view_screen_close(&sc);
}

/* From any line of the window, however far that is. */
TEST(centring_leaves_the_cursor)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	for (int zoom = 0; zoom < 3; zoom++)
		for (int line = 0; line < sc.view.lines; line++) {
			uint64_t cursor;

			sc.view.row_zoom = zoom;
			sc.view.top = 500 >> zoom << zoom;
			sc.view.cursor = sc.view.top + ((uint64_t)line << zoom);
			cursor = sc.view.cursor;
			pipeview_center(&sc.view);
			assert_int_equal(sc.view.cursor, cursor);
			if (cursor >> zoom > 20 && cursor + ((uint64_t)40 << zoom) < 1000)
				assert_int_equal(sc.view.top >> zoom,
						 (cursor >> zoom) - (uint64_t)sc.view.lines / 2);
			expect_sane(&sc.view);
		}
	view_screen_close(&sc);
}

TEST(pages_reach_both_ends)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	for (int i = 0; i < 100; i++) {
		pipeview_scroll(&sc.view, sc.view.lines, 0);
		expect_sane(&sc.view);
		assert_true(lives_visible(&sc.view));
	}
	assert_int_equal(sc.view.cursor, pipeview_count(&sc.view) - 1);
	assert_int_equal(sc.view.top, pipeview_count(&sc.view) - (uint64_t)sc.view.lines);
	for (int i = 0; i < 100; i++)
		pipeview_scroll(&sc.view, -sc.view.lines, 0);
	assert_int_equal(sc.view.cursor, 0);
	assert_int_equal(sc.view.top, 0);
	view_screen_close(&sc);
}

TEST(a_page_keeps_the_cursors_line)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	pipeview_move_rows(&sc.view, 9);
	pipeview_scroll(&sc.view, sc.view.lines, 0);
	assert_int_equal(sc.view.cursor - sc.view.top, 9);
	pipeview_scroll(&sc.view, 1, 0);
	assert_int_equal(sc.view.cursor - sc.view.top, 8);
	view_screen_close(&sc);
}

TEST(motions_saturate)
{
	struct screen sc;
	int rows, ticks;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	for (int zoom = 0; zoom < 2; zoom++) {
		pipeview_move_rows(&sc.view, INT64_MAX);
		expect_sane(&sc.view);
		pipeview_move_columns(&sc.view, INT64_MAX);
		expect_sane(&sc.view);
		pipeview_scroll(&sc.view, INT64_MIN, INT64_MIN);
		expect_sane(&sc.view);
		assert_int_equal(sc.view.top, 0);
		assert_int_equal(sc.view.axis.left, 0);
		pipeview_scroll(&sc.view, 0, INT64_MAX);
		expect_sane(&sc.view);
		assert_true(sc.view.axis.left <= sc.view.axis.last);
		pipeview_move_columns(&sc.view, INT64_MIN);
		pipeview_move_rows(&sc.view, INT64_MIN);
		assert_int_equal(sc.view.cursor, 0);
		assert_int_equal(sc.view.axis.tick, 0);
		pipeview_goto(&sc.view, UINT64_MAX, INT64_MAX - 1);
		expect_sane(&sc.view);
		pipeview_goto_tick(&sc.view, INT64_MIN);
		expect_sane(&sc.view);
		pipeview_zoom(&sc.view, 99, 99);
		expect_sane(&sc.view);
		rows = sc.view.row_zoom;
		ticks = sc.view.axis.zoom;
		pipeview_fit(&sc.view);
		assert_int_equal(rows, sc.view.row_zoom + 1);
		assert_int_equal(ticks, sc.view.axis.zoom + 1);
		pipeview_zoom(&sc.view, 99, 99);
	}
	pipeview_zoom(&sc.view, -99, -99);
	expect_sane(&sc.view);
	assert_int_equal(sc.view.axis.zoom, TICK_ZOOM_MIN);
	view_screen_close(&sc);
}

TEST(ticks_at_the_edge_of_the_range_are_safe)
{
	static const char text[] = "Kanata\t0004\nC=\t-9223372036854775803\nI\t0\t0\t0\nS\t0\t0\tF\n"
				   "C\t2\nR\t0\t0\t1\nC=\t9223372036854775804\n"
				   "I\t1\t1\t0\nS\t1\t0\tX\nC\t2\n";
	struct screen sc;

	view_screen_open(&sc, text_store(text), 80, 24);
	for (int z = 0; z < 60; z++) {
		pipeview_move_rows(&sc.view, z % 2 ? -1 : 1);
		pipeview_goto_tick(&sc.view, z % 2 ? INT64_MAX - 2 : INT64_MIN + 5);
		pipeview_zoom(&sc.view, 0, 1);
		pipeview_scroll(&sc.view, 1, -5);
		view_screen_draw(&sc);
	}
	pipeview_fit(&sc.view);
	expect_sane(&sc.view);
	view_screen_close(&sc);
}

TEST(zoom_keeps_the_cell_under_the_cursor)
{
	struct screen sc;
	uint64_t line;
	int64_t column;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	pipeview_goto(&sc.view, 1500, TICK_NONE);
	line = sc.view.cursor - sc.view.top;
	column = sc.view.axis.tick - sc.view.axis.left;
	for (int z = 1; z <= 4; z++) {
		uint64_t row = sc.view.cursor;
		int64_t tick = sc.view.axis.tick;

		pipeview_zoom(&sc.view, 1, 1);
		expect_sane(&sc.view);
		assert_int_equal(sc.view.cursor, row);
		assert_int_equal(sc.view.axis.tick, tick);
		assert_int_equal((row >> z) - (sc.view.top >> z), line);
		assert_in_range(axis_column_of(&sc.view.axis, tick) + 10, column + 9, column + 11);
	}
	view_screen_close(&sc);
}

/* From any occupied cell of the whole picture, zooming in ends at a row that lives in it. */
TEST(zooming_in_lands_on_something)
{
	struct screen sc;
	int tried = 0;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	for (int line = 0; line < sc.view.lines; line++)
		for (int column = 0; column < sc.view.axis.columns; column++) {
			uint64_t row0, row1;
			int64_t t0, t1, start, end;

			pipeview_fit(&sc.view);
			view_screen_draw(&sc);
			if (screen_cell(&sc, column, line)->cp == ' ')
				continue;
			assert_true(pipeview_hit(&sc.view, column + pipeview_gutter_width(&sc.view),
						 line + 2, &sc.view.cursor, &sc.view.axis.tick));
			pipeview_under_cursor(&sc.view, &row0, &row1, &t0, &t1);
			while (sc.view.row_zoom > 0)
				pipeview_zoom(&sc.view, -1, -1);
			expect_sane(&sc.view);
			assert_true(sc.view.cursor >= row0 && sc.view.cursor < row1);
			assert_true(sc.view.axis.tick >= t0 && sc.view.axis.tick < t1);
			pipeview_life(&sc.view, sc.view.cursor, &start, &end);
			assert_true(start < t1 && end >= t0);
			tried++;
		}
	assert_true(tried > 50);
	view_screen_close(&sc);
}

TEST(fit_shows_the_whole_trace)
{
	struct screen sc;

	view_screen_open(&sc, machine_store(ROWS, 7), 120, 40);
	pipeview_goto(&sc.view, 1234, TICK_NONE);
	pipeview_fit(&sc.view);
	expect_sane(&sc.view);
	assert_int_equal(sc.view.top, 0);
	assert_true((pipeview_count(&sc.view) - 1) >> sc.view.row_zoom < (uint64_t)sc.view.lines);
	assert_true((pipeview_count(&sc.view) - 1) >> (sc.view.row_zoom - 1) >=
		    (uint64_t)sc.view.lines);
	assert_true(axis_column_of(&sc.view.axis, sc.view.axis.first) >= 0);
	assert_true(axis_column_of(&sc.view.axis, sc.view.axis.last) < sc.view.axis.columns);
	assert_int_equal(sc.view.cursor, 1234);
	view_screen_close(&sc);
}

TEST(goto_tick_brings_the_rows)
{
	struct store *s = machine_store(ROWS, 7);
	struct screen sc;

	view_screen_open(&sc, s, 120, 40);
	for (int64_t tick = 1; tick < sc.view.axis.last; tick += 37) {
		struct row r;

		pipeview_goto_tick(&sc.view, tick);
		expect_sane(&sc.view);
		assert_int_equal(sc.view.axis.tick, tick);
		assert_true(store_row(s, sc.view.cursor, &r));
		/* the oldest in flight, or when nothing is, the next one born */
		if (r.start <= tick)
			assert_true(r.end >= tick);
		else
			assert_int_equal(store_row_born_at(s, tick), r.row);
		for (uint64_t older = 0; older < r.row; older++) {
			struct row o;

			store_row(s, older, &o);
			assert_false(o.start <= tick && o.end >= tick);
		}
	}
	view_screen_close(&sc);
}

TEST(resizing_keeps_the_cursor_on_screen)
{
	struct store *s = machine_store(ROWS, 7);
	struct pipeview v;

	pipeview_init(&v, s);
	pipeview_layout(&v, 200, 60);
	pipeview_goto(&v, 2000, TICK_NONE);
	pipeview_move_rows(&v, 25);
	for (int i = 0; i < 40; i++) {
		uint64_t row = v.cursor;
		int64_t tick = v.axis.tick;

		pipeview_layout(&v, 200 - 4 * i, 60 - i);
		assert_int_equal(v.cursor, row);
		assert_int_equal(v.axis.tick, tick);
		expect_sane(&v);
	}
	pipeview_free(&v);
	store_close(s);
}

TEST(filtered_rows_are_the_rows)
{
	struct store *s = machine_store(ROWS, 7);
	struct filter_spec spec = {.fates = 1U << FATE_SQUASHED};
	struct screen sc;
	struct filter *f;
	const char *line;

	assert_int_equal(filter_new(&f, s, &spec, NULL, NULL), STATUS_OK);
	view_screen_open(&sc, s, 120, 40);
	sc.view.filter = f;
	pipeview_layout(&sc.view, 120, 40);
	for (int i = 0; i < sc.view.lines; i++) {
		line = screen_line(&sc, 2 + i);
		if ((uint64_t)i < filter_count(f))
			assert_memory_equal(i == 0 ? "×" : line, "×", strlen("×"));
	}
	pipeview_move_rows(&sc.view, INT32_MAX);
	assert_int_equal(sc.view.cursor, filter_count(f) - 1);
	pipeview_goto(&sc.view, filter_row(f, 3), TICK_NONE);
	assert_int_equal(sc.view.cursor, 3);
	pipeview_zoom(&sc.view, 2, 2);
	view_screen_draw(&sc);
	view_screen_close(&sc);
	filter_free(f);
}

/* Every cell of the whole picture that shows an event leads to a row with that event in it. */
TEST(enter_goes_to_the_rarest)
{
	struct store *s = machine_store(ROWS, 7);
	struct screen sc;
	int tried = 0;

	view_screen_open(&sc, s, 120, 40);
	pipeview_fit(&sc.view);
	view_screen_draw(&sc);
	for (int line = 0; line < sc.view.lines; line++)
		for (int column = 0; column < sc.view.axis.columns; column++) {
			uint32_t cp = screen_cell(&sc, column, line)->cp;
			uint64_t row0, row1, row, index;
			int64_t t0, t1, tick;
			struct row r;

			if (cp != '!' && cp != '*' && cp != '/' && cp != '\\')
				continue;
			assert_true(pipeview_hit(&sc.view, column + pipeview_gutter_width(&sc.view),
						 line + 2, &index, &tick));
			sc.view.cursor = index;
			sc.view.axis.tick = tick;
			assert_true(pipeview_rarest(&sc.view, &row, &tick, NULL));
			pipeview_under_cursor(&sc.view, &row0, &row1, &t0, &t1);
			assert_true(row >= row0 && row < row1);
			assert_true(tick >= t0 && tick < t1);
			assert_true(store_row(s, row, &r));
			for (unsigned e = 0; e < store_event_count(s); e++)
				if ((uint32_t)store_event(s, e)->letter == cp)
					assert_true(r.events >> e & 1);
			tried++;
		}
	assert_true(tried > 20);
	view_screen_close(&sc);
}

TEST(enter_goes_to_the_occurrence_in_the_cell)
{
	static const char text[] = "@ 0\n+ 1 0x2 0x0 misses thrice\n* 1 IF 0x1\n"
				   "@ 40\n* 1 EX 0x1\n@ 90\n* 1 CT 0x1\n- 1\n"
				   "@ 91\n+ 2 0x2 0x0 another\n* 2 IF 0x0\n";
	uint64_t row;
	int64_t tick;
	struct screen sc;

	view_screen_open(&sc, text_store(text), 80, 10);
	for (int zoom = 0; zoom < 2; zoom++) {
		sc.view.row_zoom = zoom;
		sc.view.axis.zoom = 3;
		pipeview_layout(&sc.view, 80, 10);
		sc.view.axis.tick = 41;
		assert_true(pipeview_rarest(&sc.view, &row, &tick, NULL));
		assert_int_equal(row, 0);
		assert_int_equal(tick, 40);
		sc.view.axis.tick = 88;
		assert_true(pipeview_rarest(&sc.view, &row, &tick, NULL));
		assert_int_equal(tick, 90);
	}
	view_screen_close(&sc);
}

TEST(enter_on_a_quiet_cell_goes_to_a_live_row)
{
	struct sbuf text = {0};
	uint64_t row;
	int64_t tick;
	struct screen sc;

	for (int i = 0; i < 64; i++)
		sbuf_printf(&text, "@ %d\n+ %d 0x2 0x0 x\n* %d IF 0x0\n@ %d\n* %d CT 0x0\n- %d\n",
			    10 * i, i, i, 10 * i + 4, i, i);
	view_screen_open(&sc, text_store(sbuf_text(&text)), 80, 10);
	sbuf_free(&text);
	sc.view.row_zoom = 4;
	sc.view.axis.zoom = 4;
	pipeview_layout(&sc.view, 80, 10);
	sc.view.cursor = 16;
	sc.view.axis.tick = 256; /* row 26 begins at 260 */
	assert_true(pipeview_rarest(&sc.view, &row, &tick, NULL));
	assert_int_equal(row, 26);
	assert_int_equal(tick, 260);
	view_screen_close(&sc);
}

TEST(the_mouse_finds_its_cell)
{
	uint64_t index;
	int64_t tick;
	struct screen sc;
	int gutter;

	view_screen_open(&sc, machine_store(ROWS, 7), 80, 24);
	gutter = pipeview_gutter_width(&sc.view);
	assert_true(pipeview_hit(&sc.view, gutter + 5, 2 + 3, &index, &tick));
	assert_int_equal(index, 3);
	assert_int_equal(tick, 5);
	assert_false(pipeview_hit(&sc.view, gutter - 1, 5, &index, &tick));
	assert_false(pipeview_hit(&sc.view, gutter + 5, 1, &index, &tick));
	assert_false(pipeview_hit(&sc.view, gutter + 5, 24, &index, &tick));
	sc.view.axis.zoom = 3;
	sc.view.row_zoom = 2;
	assert_true(pipeview_hit(&sc.view, gutter + 5, 2 + 3, &index, &tick));
	assert_int_equal(index, 12);
	assert_int_equal(tick, 40);
	view_screen_close(&sc);
}
