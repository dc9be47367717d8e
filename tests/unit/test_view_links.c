/* Lanes, links between rows, chains of them, threads, and time that has ticks in its cycles. */
#include "config.h"

#include <string.h>

#include "testing.h"
#include "view/pipeline/chain.h"
#include "view/pipeline/links.h"
#include "view/pipeline/panes.h"
#include "view/pipeline/pipeview_private.h"
#include "view_screen.h"

/* F for two cycles, D until x, EX for n, WB for two, CT. */
static uint64_t add_row(struct store *s, int64_t f, int64_t x, int64_t n)
{
	uint64_t count = store_row_count(s);
	uint64_t row = fake_birth(s, f, 500 + count, 0x1000 + 4 * count, "add r1,r2,r3");

	fake_enter(s, row, f, STAGE_IF, 0, -1, 0);
	fake_enter(s, row, f + 2, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, x, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, x + n, STAGE_WB, 0, -1, 0);
	fake_enter(s, row, x + n + 2, STAGE_CT, 0, -1, 0);
	fake_end(s, row, x + n + 2, FATE_COMMITTED);
	return row;
}

/* The text area's cells of a line, or the whole line when it begins with the gutter. */
static void expect_line(struct screen *sc, int line, const char *want)
{
	assert_string_equal(screen_cells(sc, line), want);
}

static bool line_holds(struct screen *sc, int line, const char *text)
{
	return strstr(screen_line(sc, line + 2), text) != NULL;
}

/* ---- lanes ------------------------------------------------------------------------------- */

static struct store *with_lanes(void)
{
	struct store *s = fake_new();

	add_row(s, 0, 10, 3);
	fake_lane(s, 0, 1, 4, 9, STAGE_WB);
	fake_lane(s, 0, 2, 14, 18, STAGE_IF);
	add_row(s, 1, 5, 3);
	fake_ticks(s, 0, 30);
	return s;
}

TEST(a_lane_lies_over_the_pipeline)
{
	struct store *s = with_lanes();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	sc.view.axis.tick = 1;
	/* every other cell is hatched, letters stay; what has no cell below shows its own letter */
	expect_line(&sc, 0, "FfDdd=d=ddXxxWwCff");
	for (int c = 0; c < 18; c++)
		assert_int_equal((screen_cell(&sc, c, 0)->style.attrs & ATTR_UNDERLINE) != 0,
				 (c >= 4 && c < 9) || c >= 14);
	expect_line(&sc, 1, " FfDdXxxWwC");
	view_screen_close(&sc);
	fake_free(s);
}

TEST(a_hidden_lane_leaves_no_trace)
{
	struct store *s = with_lanes();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	sc.view.lanes_hidden = 1 << 1 | 1 << 2;
	expect_line(&sc, 0, "FfDdddddddXxxWwC");
	assert_int_equal(screen_cell(&sc, 5, 0)->style.attrs & ATTR_UNDERLINE, 0);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(split_lanes_have_a_line_each)
{
	struct store *s = with_lanes();
	uint64_t index;
	struct screen sc;
	int64_t tick;
	int x;

	view_screen_open(&sc, s, 100, 12);
	sc.view.lanes_split = true;
	pipeview_layout(&sc.view, 100, 12);
	assert_int_equal(sc.view.lines, 3);
	expect_line(&sc, 0, "FfDdddddddXxxWwC");
	expect_line(&sc, 1, "    Wwwww");
	expect_line(&sc, 2, "              Ffff");
	expect_line(&sc, 3, " FfDdXxxWwC");
	assert_true(line_holds(&sc, 1, "lane 1"));
	x = pipeview_gutter_width(&sc.view) + 6;
	assert_true(pipeview_hit(&sc.view, x, 2 + 4, &index, &tick));
	assert_int_equal(index, 1);
	assert_int_equal(tick, 6);
	pipeview_move_rows(&sc.view, 1);
	view_screen_draw(&sc);
	assert_int_equal(screen_line(&sc, 2 + 3)[0], ' ');
	sc.view.lanes_hidden = 1 << 1;
	pipeview_layout(&sc.view, 100, 12);
	assert_int_equal(sc.view.lines, 5);
	expect_line(&sc, 1, "              Ffff");
	expect_line(&sc, 2, " FfDdXxxWwC");
	/* a line that stands for several rows has no lanes */
	pipeview_zoom(&sc.view, 1, 0);
	assert_int_equal(sc.view.lines, 10);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(no_height_is_too_small_for_lanes)
{
	struct store *s = with_lanes();
	struct screen sc;

	view_screen_open(&sc, s, 60, 12);
	sc.view.lanes_split = true;
	for (int h = 0; h < 12; h++) {
		pipeview_layout(&sc.view, 60, h);
		pipeview_move_rows(&sc.view, 1);
		pipeview_move_rows(&sc.view, -1);
		assert_true(sc.view.lines * pipeview_row_height(&sc.view) <=
			    h - pipeview_ruler_lines(&sc.view));
	}
	view_screen_close(&sc);
	fake_free(s);
}

TEST(a_stay_without_length_spares_letters)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 0, 1, 2, "x");
	struct screen sc;

	fake_enter(s, row, 0, STAGE_IF, 0, -1, 0);
	fake_enter(s, row, 3, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, 3, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, 6, STAGE_CT, 0, -1, 0);
	fake_end(s, row, 6, FATE_COMMITTED);
	fake_ticks(s, 0, 9);
	view_screen_open(&sc, s, 100, 10);
	/* in the cell that would only repeat the F */
	expect_line(&sc, 0, "Ff\xe2\x94\x82XxxC");
	view_screen_close(&sc);
	fake_free(s);
}

TEST(wide_cells_have_names_and_counts)
{
	struct store *s = fake_new();
	struct screen sc;

	add_row(s, 0, 3, 3);
	fake_ticks(s, 0, 20);
	view_screen_open(&sc, s, 100, 10);
	sc.view.axis.tick = 19;
	sc.view.axis.zoom = -2;
	expect_line(&sc, 0, "IFff1fffDAddEXxx1xxx2xxxWBww1wwwCccc");
	sc.view.axis.zoom = -3;
	sc.view.axis.left = 1; /* a name that is cut, a count that is not */
	assert_int_equal(strncmp(screen_cells(&sc, 0), "1fffffffDAddddddEXxxxxxx1xxxxxxx", 32), 0);
	view_screen_close(&sc);
	fake_free(s);
}

/* ---- links ------------------------------------------------------------------------------- */

/* Row 3 waits for row 0 (EX ends at 12) and, by another type, for row 1; row 4 for row 3. */
static struct store *with_links(void)
{
	struct store *s = fake_new();

	add_row(s, 0, 4, 9);
	add_row(s, 0, 4, 1);
	add_row(s, 20, 24, 1);
	add_row(s, 20, 24, 1);
	add_row(s, 20, 26, 1);
	for (int i = 5; i < 40; i++)
		add_row(s, 25, 30, 2);
	fake_link(s, 3, 0, 23, 0);
	fake_link(s, 3, 1, 23, 2);
	fake_link(s, 4, 3, 25, 0);
	fake_link(s, 35, 3, 29, 0);
	fake_ticks(s, 0, 60);
	return s;
}

TEST(a_link_joins_the_cells_of_execution)
{
	struct store *s = with_links();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	pipeview_goto(&sc.view, 3, 22);
	view_screen_draw(&sc);
	assert_true(screen_cell(&sc, 12, 0)->style.attrs & ATTR_REVERSE); /* the last X of row 0 */
	assert_true(screen_cell(&sc, 24, 3)->style.attrs & ATTR_REVERSE); /* the X of row 3 */
	assert_true(screen_cell(&sc, 26, 4)->style.attrs & ATTR_REVERSE); /* its consumer's */
	assert_false(screen_cell(&sc, 24, 2)->style.attrs & ATTR_REVERSE);
	/* down from the producer, then across, where cells are free */
	assert_int_equal(screen_cell(&sc, 12, 2)->cp, 0x2502);
	assert_int_equal(screen_cell(&sc, 12, 3)->cp, 0x2514);
	assert_int_equal(screen_cell(&sc, 15, 3)->cp, 0x2500);
	assert_int_equal(screen_cell(&sc, 20, 3)->cp, 'F');
	/* another type: dots, and another sign in the margin */
	assert_int_equal(screen_cell(&sc, 4, 2)->cp, 0xb7);
	assert_int_equal(grid_at(&sc.grid, 0, 2)->cp, 0x2192);
	assert_int_equal(grid_at(&sc.grid, 0, 3)->cp, 0xbb);
	assert_int_equal(grid_at(&sc.grid, 0, 4)->cp, ' ');
	assert_int_equal(grid_at(&sc.grid, 0, 6)->cp, 0x2190);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(ascii_signs_are_no_fates)
{
	struct store *s = with_links();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	sc.grid.ascii = true;
	pipeview_goto(&sc.view, 3, 22);
	view_screen_draw(&sc);
	assert_int_equal(grid_at(&sc.grid, 0, 2)->cp, '}');
	assert_int_equal(grid_at(&sc.grid, 0, 3)->cp, ')');
	assert_int_equal(grid_at(&sc.grid, 0, 6)->cp, '{');
	assert_int_equal(screen_cell(&sc, 12, 2)->cp, '|');
	view_screen_close(&sc);
	fake_free(s);
}

TEST(an_end_off_the_screen_is_told_at_the_edge)
{
	struct store *s = with_links();
	struct link_list l;
	struct screen sc;

	view_screen_open(&sc, s, 100, 5); /* three rows */
	pipeview_goto(&sc.view, 3, 22);
	sc.view.top = 2;
	assert_true(line_holds(&sc, 0, "\xe2\x86\x91\x33")); /* row 0: three rows up */
	assert_true(line_holds(&sc, 0, "\xe2\x86\x91\x32")); /* row 1: two */
	assert_false(line_holds(&sc, 2, "\xe2\x86\x93"));
	/* consumers stand in later text: from when they were asked for */
	assert_int_equal(pipeview_links(&sc.view, 3, &l, NULL), STATUS_OK);
	assert_int_equal(l.producer_count, 2);
	assert_int_equal(l.consumer_count, 2);
	assert_true(line_holds(&sc, 2, "\xe2\x86\x93\x33\x32")); /* row 35: 32 rows down */
	view_screen_close(&sc);
	view_screen_open(&sc, s, 100, 8);
	pipeview_goto(&sc.view, 3, 22);
	sc.view.axis.left = 20; /* of row 0 all is to the left: its last X by 8 cycles */
	assert_true(line_holds(&sc, 0, "\xe2\x86\x90\x38"));
	view_screen_close(&sc);
	fake_free(s);
}

TEST(frames_ask_for_no_consumers)
{
	struct store *s = with_links();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	sc.view.links = LINKS_ALL;
	fake_consumer_calls = fake_detail_calls = 0;
	for (int i = 0; i < 10; i++) {
		pipeview_move_rows(&sc.view, i < 5 ? 1 : -1);
		view_screen_draw(&sc);
	}
	assert_int_equal(fake_consumer_calls, 0);
	assert_true(fake_detail_calls <= 20); /* the visible rows, when they changed */
	view_screen_close(&sc);
	fake_free(s);
}

TEST(links_off_and_all)
{
	struct store *s = with_links();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	pipeview_goto(&sc.view, 2, 22);
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 12, 2)->cp, ' ');
	sc.view.links = LINKS_ALL;
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 12, 2)->cp, 0x2502);
	assert_int_equal(grid_at(&sc.grid, 0, 2)->cp, ' ');
	pipeview_goto(&sc.view, 3, 22);
	sc.view.links = LINKS_OFF;
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 12, 2)->cp, ' ');
	assert_int_equal(grid_at(&sc.grid, 0, 2)->cp, ' ');
	view_screen_close(&sc);
	fake_free(s);
}

TEST(the_user_chooses_the_stages)
{
	struct store *s = with_links();
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	strcpy(sc.view.link_stages[0], "WB");
	strcpy(sc.view.link_stages[1], "DA");
	pipeview_goto(&sc.view, 3, 20);
	view_screen_draw(&sc);
	assert_true(screen_cell(&sc, 14, 0)->style.attrs & ATTR_REVERSE);
	assert_true(screen_cell(&sc, 22, 3)->style.attrs & ATTR_REVERSE);
	assert_false(screen_cell(&sc, 12, 0)->style.attrs & ATTR_REVERSE);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(the_inspector_lists_both_ways)
{
	struct store *s = with_links();
	struct pane *p = inspector_pane(s, 3, NULL);
	struct sbuf text = {0};
	int leads = 0;

	fake_thread(s, 3, 7);
	pane_free(p);
	p = inspector_pane(s, 3, NULL);
	for (size_t i = 0; i < p->ops->count(p); i++) {
		struct pane_line l = {.span_count = 0};
		struct place to;

		p->ops->line(p, i, &l);
		if (strstr(sbuf_text(&l.text), "producer") ||
		    strstr(sbuf_text(&l.text), "consumer"))
			leads += p->ops->target(p, i, &to) && to.item != 3;
		sbuf_add(&text, sbuf_text(&l.text), l.text.len);
		sbuf_putc(&text, '\n');
		sbuf_free(&l.text);
	}
	assert_non_null(strstr(sbuf_text(&text), "producer 2   seq 501"));
	assert_non_null(strstr(sbuf_text(&text), "type 2"));
	assert_non_null(strstr(sbuf_text(&text), "consumer 1   seq 504"));
	assert_non_null(strstr(sbuf_text(&text), "consumer 2   seq 535"));
	assert_non_null(strstr(sbuf_text(&text), "107"));
	assert_int_equal(leads, 4);
	sbuf_free(&text);
	pane_free(p);
	fake_free(s);
}

/* ---- chains ------------------------------------------------------------------------------ */

static struct chain *whole_chain(struct store *s, uint64_t row)
{
	struct chain *c = chain_new(row);
	bool done = false;

	while (!done)
		assert_int_equal(chain_step(c, s, &done, NULL), STATUS_OK);
	return c;
}

TEST(a_chain_goes_both_ways)
{
	struct store *s = fake_new();
	struct chain *c;

	for (int i = 0; i < 8; i++)
		add_row(s, i, i + 4, 1);
	fake_link(s, 2, 0, 4, 0);
	fake_link(s, 4, 2, 6, 0);
	fake_link(s, 5, 2, 6, 0); /* beside the way: a consumer of a producer */
	fake_link(s, 6, 4, 8, 0);
	fake_link(s, 7, 6, 9, 0);
	fake_link(s, 7, 5, 9, 0);
	c = whole_chain(s, 4);
	assert_int_equal(chain_side(c, 4), CHAIN_SELF);
	assert_int_equal(chain_side(c, 2), CHAIN_PRODUCER);
	assert_int_equal(chain_side(c, 0), CHAIN_PRODUCER);
	assert_int_equal(chain_side(c, 6), CHAIN_CONSUMER);
	assert_int_equal(chain_side(c, 7), CHAIN_CONSUMER);
	assert_int_equal(chain_side(c, 5), CHAIN_OUT);
	assert_int_equal(chain_side(c, 1), CHAIN_OUT);
	assert_int_equal(chain_count(c, CHAIN_PRODUCER), 2);
	assert_int_equal(chain_count(c, CHAIN_CONSUMER), 2);
	assert_false(chain_cut(c));
	chain_free(c);
	fake_free(s);
}

TEST(a_chain_ends_at_its_bound)
{
	struct store *s = fake_new();
	struct chain *c;

	for (int i = 0; i < CHAIN_ROWS + 50; i++) {
		add_row(s, i, i + 4, 1);
		if (i)
			fake_link(s, (uint64_t)i, (uint64_t)i - 1, i + 4, 0);
	}
	fake_link(s, 0, 9, 4, 0); /* and a circle, which a damaged trace can have */
	c = whole_chain(s, CHAIN_ROWS + 49);
	assert_true(chain_cut(c));
	assert_int_equal(chain_count(c, CHAIN_PRODUCER), CHAIN_ROWS - 1);
	assert_int_equal(chain_side(c, CHAIN_ROWS + 48), CHAIN_PRODUCER);
	assert_int_equal(chain_side(c, 0), CHAIN_OUT);
	chain_free(c);
	c = whole_chain(s, 9);
	assert_int_equal(chain_side(c, 0), CHAIN_CONSUMER); /* the nearer way */
	chain_free(c);
	fake_free(s);
}

/* ---- threads ----------------------------------------------------------------------------- */

TEST(threads_have_a_column_and_a_colour)
{
	struct store *s = with_links();
	struct screen sc;
	int16_t bg;

	fake_thread(s, 0, 1);
	fake_thread(s, 1, 2);
	view_screen_open(&sc, s, 120, 12);
	sc.view.axis.tick = 50;
	sc.view.gutter_shown[GUTTER_THREAD] = true;
	pipeview_layout(&sc.view, 120, 12);
	assert_true(line_holds(&sc, 0, " 101 "));
	assert_true(line_holds(&sc, 1, " 102 "));
	sc.view.colour_by = COLOUR_BY_THREAD;
	view_screen_draw(&sc);
	bg = screen_cell(&sc, 0, 0)->style.bg;
	assert_int_equal(bg, palette_style(&sc.palette, ROLE_STAGE_0).bg);
	assert_int_equal(screen_cell(&sc, 5, 0)->style.bg, bg); /* whatever the stage */
	assert_int_equal(screen_cell(&sc, 5, 1)->style.bg,
			 palette_style(&sc.palette, (enum role)(ROLE_STAGE_0 + 1)).bg);
	view_screen_close(&sc);
	fake_free(s);
}

/* ---- ticks and cycles -------------------------------------------------------------------- */

/* As add_row(), in cycles of 500 ticks that begin at 78000. */
static uint64_t tick_row(struct store *s, int64_t f)
{
	static const int ages[] = {0, 2, 4, 7, 9};
	uint64_t row = fake_birth(s, 78000 + 500 * f, 1, 0x1000, "c_addi a5, 16");

	for (int i = 0; i < FAKE_STAGES; i++)
		fake_enter(s, row, 78000 + 500 * (f + ages[i]), (unsigned)i, 0, -1, 0);
	fake_end(s, row, 78000 + 500 * (f + 9), FATE_COMMITTED);
	return row;
}

static struct store *with_ticks(int rows)
{
	struct store *s = fake_new();

	fake_clock(s, 500);
	for (int i = 0; i < rows; i++)
		tick_row(s, i);
	return s;
}

TEST(a_cell_is_a_cycle)
{
	struct store *s = with_ticks(40);
	struct screen sc;

	view_screen_open(&sc, s, 100, 12);
	expect_line(&sc, 0, "FfDdXxxWwC");
	expect_line(&sc, 3, "   FfDdXxxWwC");
	assert_non_null(strstr(screen_line(&sc, 0), "160"));
	assert_non_null(strstr(screen_line(&sc, 0), "cycle of 500 ticks"));
	sc.view.axis.raw_ticks = true;
	assert_non_null(strstr(screen_line(&sc, 0), "80 000"));
	sc.view.axis.raw_ticks = false;
	pipeview_move_columns(&sc.view, 3);
	assert_int_equal(sc.view.axis.tick, 78000 + 1500);
	assert_int_equal(axis_time(&sc.view.axis, sc.view.axis.tick), 159);
	pipeview_goto_tick(&sc.view, axis_tick_of(&sc.view.axis, 170));
	assert_int_equal(sc.view.axis.tick, 85000);
	sc.view.axis.left = 78000;
	sc.view.top = 0;
	sc.view.axis.zoom = -2;
	assert_int_equal(strncmp(screen_cells(&sc, 0), "IFff1fffDAdd1dddEX", 18), 0);
	pipeview_move_columns(&sc.view, -1);
	assert_int_equal(sc.view.axis.tick, 85000 - 500);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(zoomed_out_columns_are_whole_cycles)
{
	struct store *s = with_ticks(40);
	struct screen sc;
	uint64_t row0, row1;
	int64_t t0, t1;

	view_screen_open(&sc, s, 100, 12);
	pipeview_zoom(&sc.view, 0, 1);
	assert_int_equal(sc.view.axis.left % 1000, 0);
	pipeview_under_cursor(&sc.view, &row0, &row1, &t0, &t1);
	assert_int_equal(t1 - t0, 1000);
	pipeview_zoom(&sc.view, 1, 0);
	/* row 0 begins in the first column, row 2 in the second */
	assert_int_equal(screen_cells(&sc, 0)[0], 'F');
	assert_string_equal(screen_cells(&sc, 1), " FDXxWC");
	pipeview_fit(&sc.view);
	assert_int_equal(sc.view.axis.zoom, 0);
	view_screen_close(&sc);
	fake_free(s);
}

/* Cycles that do not begin at a multiple of their length. */
TEST(a_phase_is_kept)
{
	struct store *s = fake_new();
	struct screen sc;

	fake_clock(s, 1000);
	for (int i = 0; i < 5; i++) {
		uint64_t row = fake_birth(s, 250 + i * 1000, 1, 0x1000, "x");

		fake_enter(s, row, 250 + i * 1000, STAGE_IF, 0, -1, 0);
		fake_enter(s, row, 2250 + i * 1000, STAGE_CT, 0, -1, 0);
		fake_end(s, row, 2250 + i * 1000, FATE_COMMITTED);
	}
	view_screen_open(&sc, s, 100, 12);
	expect_line(&sc, 1, " FfC");
	assert_int_equal(axis_time(&sc.view.axis, 250), 0);
	assert_int_equal(axis_time(&sc.view.axis, 249), -1);
	assert_int_equal(axis_time(&sc.view.axis, 1250), 1);
	assert_int_equal(axis_tick_of(&sc.view.axis, 3), 3250);
	view_screen_close(&sc);
	fake_free(s);
}

/* Numbers at the ends of what fits neither overflow nor hang. */
TEST(extreme_clocks_are_survived)
{
	static const int64_t clocks[] = {2, 1000, INT64_C(1) << 40, INT64_MAX - 1, INT64_MAX};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		struct store *s = with_ticks(5);
		struct screen sc;

		fake_clock(s, clocks[i]);
		view_screen_open(&sc, s, 80, 12);
		for (int zoom = TICK_ZOOM_MIN; zoom <= TICK_ZOOM_MAX; zoom++) {
			sc.view.axis.zoom = zoom;
			pipeview_layout(&sc.view, 80, 12);
			pipeview_move_columns(&sc.view, INT32_MAX);
			pipeview_move_columns(&sc.view, -7);
			view_screen_draw(&sc);
		}
		pipeview_fit(&sc.view);
		view_screen_close(&sc);
		fake_free(s);
	}
}
