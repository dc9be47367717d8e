/*
 * The instruction view: its ruler, the cells that must stay blank, what a frame asks the store for,
 * and any size. What cells show is in the pictures cells-* of tests/screens.
 */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "testing.h"
#include "text_store.h"
#include "view/pipeline/pipeview_private.h"
#include "view_screen.h"

/* ---- what a frame costs ---- */

static int details, pictures, consumers;

__typeof__(store_detail) __real_store_detail, __wrap_store_detail;
__typeof__(store_picture) __real_store_picture, __wrap_store_picture;
__typeof__(store_consumers) __real_store_consumers, __wrap_store_consumers;

enum status __wrap_store_detail(struct store *s, uint64_t first, size_t n, struct detail *d,
				struct error *e)
{
	details++;
	return __real_store_detail(s, first, n, d, e);
}

enum status __wrap_store_picture(struct store *s, const struct picture_request *q,
				 struct picture_cell *cells, bool *exact, struct error *e)
{
	pictures++;
	return __real_store_picture(s, q, cells, exact, e);
}

enum status __wrap_store_consumers(struct store *s, uint64_t row, struct link *out, size_t max,
				   size_t *n, struct error *e)
{
	consumers++;
	return __real_store_consumers(s, row, out, max, n, e);
}

TEST(frames_of_the_same_rows_ask_once)
{
	struct screen sc;

	view_screen_open(&sc, sample_store("sort-2wide.trc.gz"), 120, 40);
	details = pictures = 0;
	for (int i = 0; i < 5; i++) {
		pipeview_move_columns(&sc.view, 1);
		view_screen_draw(&sc);
	}
	assert_int_equal(details, 1);
	pipeview_zoom(&sc.view, 1, 0);
	view_screen_draw(&sc);
	pipeview_move_rows(&sc.view, 1);
	view_screen_draw(&sc);
	assert_int_equal(pictures, 1);
	pipeview_scroll(&sc.view, sc.view.lines, 0);
	view_screen_draw(&sc);
	assert_int_equal(pictures, 2);
	view_screen_close(&sc);
}

/* All links of the rows on screen are drawn, and who waits for them is not asked for that. */
TEST(frames_ask_for_no_consumers)
{
	struct screen sc;

	view_screen_open(&sc, sample_store("../tests/screens/traces/links.kanata"), 100, 12);
	sc.view.links = LINKS_ALL;
	details = consumers = 0;
	for (int i = 0; i < 10; i++) {
		pipeview_move_rows(&sc.view, i < 5 ? 1 : -1);
		view_screen_draw(&sc);
	}
	assert_int_equal(consumers, 0);
	assert_true(details <= 20); /* the visible rows, when they changed */
	view_screen_close(&sc);
}

/* A filter that another one replaced is not taken for that by its address. */
TEST(a_replaced_filter_is_forgotten)
{
	struct store *s = sample_store("sort-2wide.trc.gz");
	struct filter_spec spec = {.fates = 1U << FATE_SQUASHED};
	struct screen sc;
	struct filter *f;

	assert_int_equal(filter_new(&f, s, &spec, NULL, NULL), STATUS_OK);
	view_screen_open(&sc, s, 120, 40);
	pipeview_zoom(&sc.view, 1, 1);
	sc.view.filter = f;
	view_screen_draw(&sc);
	pictures = 0;
	view_screen_draw(&sc);
	assert_int_equal(pictures, 0);
	pipeview_forget(&sc.view);
	view_screen_draw(&sc);
	assert_int_equal(pictures, 1);
	view_screen_close(&sc);
	filter_free(f);
}

/* ---- what is drawn ---- */

/* Without colours too: no sign of a fate may be read as a stage, an event or another fate. */
TEST(fate_signs_are_no_letters)
{
	struct trace_config config = {.stage_count = 0};
	struct grid g = {.ascii = true};
	char seen[FATE_COUNT];

	readers[0]->config(&config);
	assert_true(grid_resize(&g, FATE_COUNT, 1));
	for (int i = 0; i < FATE_COUNT; i++) {
		uint32_t sign;

		grid_put(&g, i, 0, fate_sign(i), (struct style){0});
		sign = grid_at(&g, i, 0)->cp;
		assert_true(sign < 0x7f && !isalnum((int)sign));
		assert_int_equal(sign, fate_letters[i]);
		for (size_t k = 0; k < config.event_count; k++)
			assert_int_not_equal(sign, config.events[k].letter);
		seen[i] = (char)sign;
		assert_ptr_equal(memchr(seen, seen[i], (size_t)i + 1), &seen[i]);
	}
	grid_free(&g);
}

/* The text column gets what its texts need, in steps, up to a share, unless the user gave a width. */
TEST(text_column_grows_with_the_window)
{
	static const char text[] = "@ 0\n+ 1 0x10 0x0 an instruction of thirty-five columns\n"
				   "* 1 IF 0x0\n@ 9\n- 1\n";
	static const struct {
		int width, asked, gutter;
	} cases[] = {{60, 22, 27}, {120, 22, 54}, {160, 22, 59}, {160, 10, 31}, {160, 40, 61}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct screen sc;

		view_screen_open(&sc, text_store(text), cases[i].width, 10);
		sc.view.gutter_width[GUTTER_TEXT] = cases[i].asked;
		pipeview_layout(&sc.view, cases[i].width, 10);
		pipeview_widen(&sc.view);
		assert_int_equal(pipeview_gutter_width(&sc.view), cases[i].gutter);
		assert_int_equal(sc.view.axis.gutter, cases[i].gutter);
		assert_int_equal(sc.view.axis.columns, cases[i].width - cases[i].gutter);
		view_screen_close(&sc);
	}
}

TEST(ruler_labels_stand_on_their_ticks)
{
	struct screen sc;
	const char *line;
	int gutter;

	view_screen_open(&sc, text_store("@ 0\n+ 1 0x10 0x0 add\n* 1 IF 0x0\n@ 48312907\n- 1\n"), 120, 10);
	pipeview_goto_tick(&sc.view, 48312600);
	gutter = pipeview_gutter_width(&sc.view);
	line = screen_line(&sc, 0);
	for (int64_t t = (sc.view.axis.left + 19) / 20 * 20;
	     t < sc.view.axis.left + sc.view.axis.columns - 10; t += 20) {
		char want[16];

		snprintf(want, sizeof(want), "48 312 %d", (int)(t % 1000));
		assert_memory_equal(line + gutter + (t - sc.view.axis.left), want, 10);
	}
	line = screen_line(&sc, 1);
	assert_int_equal(line[gutter + 20 - sc.view.axis.left % 20], '|');
	view_screen_close(&sc);
}

/* Numbers so long that often no mark has room for its own: the left edge tells what it is, then. */
TEST(ruler_tells_some_time)
{
	static const char text[] = "@ 72057594037927937\n+ 1 0x10 0x0 add\n* 1 IF 0x0\n"
				   "@ 72057594037928937\n- 1\n";
	struct store *s = text_store(text);
	unsigned whole = 0, cut = 0;
	struct screen sc;

	view_screen_open(&sc, s, 90, 10);
	for (int width = 90; width > 24; width--) {
		char want[32], *label;
		const char *line;
		int column;

		view_screen_size(&sc, width, 10);
		pipeview_goto_tick(&sc.view, sc.view.axis.first + 20);
		line = screen_line(&sc, 0) + pipeview_gutter_width(&sc.view);
		column = (int)strspn(line, " ");
		assert_true(sc.view.axis.columns > 4 && line[column] != '\0');
		if (strncmp(line, "\u2026", 3) == 0) {
			num_group(sc.view.axis.left, want);
			label = want + strlen(want) - (sc.view.axis.columns - 1);
			assert_string_equal(line + 3, label);
			cut++;
		} else {
			num_group(sc.view.axis.left + column, want);
			assert_memory_equal(line + column, want, strlen(want));
			whole++;
		}
	}
	assert_true(whole > 20 && cut > 4);
	view_screen_close(&sc);
}

/* The cursor costs its own cell and two of the label. */
TEST(moving_the_cursor_changes_few_cells)
{
	struct grid before = {0};
	struct screen sc;
	int changed = 0;

	view_screen_open(&sc, sample_store("sort-2wide.trc.gz"), 200, 50);
	pipeview_goto(&sc.view, 1500, TICK_NONE);
	view_screen_draw(&sc);
	assert_true(grid_resize(&before, 200, 50));
	memcpy(before.cells, sc.grid.cells, sizeof(struct cell) * 200 * 50);
	pipeview_move_rows(&sc.view, 1);
	view_screen_draw(&sc);
	for (int i = 0; i < 200 * 50; i++)
		changed += memcmp(&before.cells[i].style, &sc.grid.cells[i].style,
				  sizeof(struct style)) != 0 ||
			   before.cells[i].cp != sc.grid.cells[i].cp;
	assert_in_range(changed, 2, 6);
	grid_free(&before);
	view_screen_close(&sc);
}

TEST(any_size_is_drawn)
{
	struct screen sc;

	view_screen_open(&sc, sample_store("sort-2wide.trc.gz"), 20, 5);
	for (int w = 1; w < 60; w += 3)
		for (int h = 1; h < 12; h++) {
			view_screen_size(&sc, w, h);
			view_screen_draw(&sc);
			pipeview_fit(&sc.view);
			view_screen_draw(&sc);
			assert_true(pipeview_gutter_width(&sc.view) <= w);
			pipeview_zoom(&sc.view, -sc.view.row_zoom, -sc.view.axis.zoom);
		}
	view_screen_close(&sc);
}

TEST(no_height_is_too_small_for_lanes)
{
	struct screen sc;

	view_screen_open(&sc, sample_store("../tests/screens/traces/links.kanata"), 60, 12);
	sc.view.lanes_split = true;
	for (int h = 0; h < 12; h++) {
		pipeview_layout(&sc.view, 60, h);
		pipeview_move_rows(&sc.view, 1);
		pipeview_move_rows(&sc.view, -1);
		assert_true(sc.view.lines * pipeview_row_height(&sc.view) <=
			    h - pipeview_ruler_lines(&sc.view));
	}
	view_screen_close(&sc);
}

TEST(an_empty_trace_is_drawn)
{
	uint64_t row;
	int64_t tick;
	struct screen sc;

	view_screen_open(&sc, text_store("@ 0\n<temp> 1\n@ 1\n"), 80, 24);
	assert_int_equal(pipeview_count(&sc.view), 0);
	pipeview_move_rows(&sc.view, 5);
	pipeview_scroll(&sc.view, -3, 3);
	pipeview_goto(&sc.view, 10, 10);
	pipeview_goto_tick(&sc.view, 99);
	pipeview_zoom(&sc.view, 3, 3);
	pipeview_fit(&sc.view);
	pipeview_adjust(&sc.view);
	view_screen_draw(&sc);
	assert_false(pipeview_rarest(&sc.view, &row, &tick, NULL));
	view_screen_close(&sc);
}
