/* The widget that panes are, and the resource strip. What panes tell is in scripts/panes.app. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "text_store.h"
#include "view/pipeline/pipeview_private.h"
#include "view/strip.h"
#include "view_screen.h"

/* ---- the widget, over a hundred numbered lines ---- */

static void numbers_title(const struct pane *p, struct sbuf *out)
{
	(void)p;
	sbuf_puts(out, "numbers");
}

static size_t numbers_count(const struct pane *p)
{
	return *(const size_t *)p->data;
}

static void numbers_line(const struct pane *p, size_t i, struct pane_line *out)
{
	(void)p;
	pane_line_add(out, ROLE_DIM, "line ");
	pane_line_add(out, ROLE_KEY, "%zu", i);
}

static const struct pane_ops numbers_ops = {
    .title = numbers_title, .count = numbers_count, .line = numbers_line};

static struct sbuf drawn;

/* Draw p over area of a w x h screen; the text of the screen. */
static const char *draw(struct pane *p, int w, int h, struct rect area)
{
	struct palette pal;
	struct grid g = {0};

	palette_init(&pal, DEPTH_256);
	assert_true(grid_resize(&g, w, h));
	grid_clear(&g, palette_style(&pal, ROLE_TEXT));
	pane_draw(p, &g, area, &pal);
	sbuf_clear(&drawn);
	grid_export(&g, GRID_TEXT, &drawn);
	grid_free(&g);
	return sbuf_text(&drawn);
}

static int free_drawn(void **state)
{
	(void)state;
	sbuf_free(&drawn);
	return 0;
}

TEST(a_pane_has_borders_only_inside_the_screen)
{
	size_t count = 2;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	assert_string_equal(draw(&p, 16, 4, (struct rect){0, 0, 16, 4}),
			    "\xe2\x94\x80\xe2\x94\x80 numbers \xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
			    "\xe2\x94\x80\xe2\x94\x80\nline 0\nline 1\n\n");
	assert_string_equal(
	    draw(&p, 16, 5, (struct rect){3, 1, 12, 4}),
	    "\n   \xe2\x94\x82\xe2\x94\x80 numbers \xe2\x94\x82\n"
	    "   \xe2\x94\x82 line 0   \xe2\x94\x82\n   \xe2\x94\x82 line 1   \xe2\x94\x82\n"
	    "   \xe2\x94\x82          \xe2\x94\x82\n");
}

TEST(a_title_without_room_loses_its_counter_then_ends_in_an_ellipsis)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	assert_non_null(strstr(draw(&p, 20, 4, (struct rect){0, 0, 20, 4}), " numbers  1/100 "));
	assert_non_null(strstr(draw(&p, 17, 4, (struct rect){0, 0, 17, 4}), " numbers \xe2\x94\x80"));
	assert_null(strstr(drawn.text, "1/"));
	assert_non_null(strstr(draw(&p, 10, 4, (struct rect){0, 0, 10, 4}), " numbe\xe2\x80\xa6"));
}

TEST(the_pane_scrolls_with_its_cursor)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};
	struct rect all = {0, 0, 30, 11};

	pane_move(&p, 10, 10);
	assert_int_equal(p.top, 1);
	assert_non_null(strstr(draw(&p, 30, 11, all), "11/100"));
	assert_non_null(strstr(drawn.text, "line 10\n"));
	assert_null(strstr(drawn.text, "line 0\n"));
	pane_move(&p, INT64_MAX, 10);
	assert_int_equal(p.cursor, 99);
	assert_int_equal(p.top, 90);
	pane_move(&p, -5, 10);
	assert_int_equal(p.top, 90);
	pane_move(&p, INT64_MIN, 10);
	assert_int_equal(p.cursor + p.top, 0);
	count = 0;
	pane_move(&p, 1, 10);
	assert_int_equal(p.cursor, 0);
	draw(&p, 30, 11, all);
}

TEST(a_list_that_shrank_is_drawn)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	pane_move(&p, 99, 10);
	count = 3;
	assert_non_null(strstr(draw(&p, 30, 11, (struct rect){0, 0, 30, 11}), "line 2\n"));
	pane_move(&p, 0, 10);
	assert_int_equal(p.cursor, 2);
}

TEST(pane_search_wraps)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	assert_false(pane_find(&p, 1));
	assert_int_equal(regex_new(&p.search, "line .7$", NULL), STATUS_OK);
	assert_true(pane_find(&p, 1));
	assert_int_equal(p.cursor, 17);
	assert_true(pane_find(&p, -1));
	assert_int_equal(p.cursor, 97);
	assert_true(pane_find(&p, 1));
	assert_int_equal(p.cursor, 17);
	regex_free(p.search);
	assert_int_equal(regex_new(&p.search, "nowhere", NULL), STATUS_OK);
	assert_false(pane_find(&p, 1));
	assert_int_equal(p.cursor, 17);
	regex_free(p.search);
}

TEST(the_smallest_panes_are_drawn)
{
	size_t count = 5;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	for (int w = 0; w < 8; w++)
		for (int h = 0; h < 5; h++)
			for (int x = 0; x < 3; x++)
				draw(&p, 8, 5, (struct rect){x, x, w, h});
	assert_int_equal(pane_wanted_width(&p, 80), 10);
	assert_int_equal(pane_wanted_width(&p, 7), 7);
}

static const char *const long_lines[] = {
    "key          a value that is too long for the pane and goes on below",
    "short",
    "",
    "unbrokenunbrokenunbrokenunbroken",
    "life         cycle 12 to 12 205",
};

static size_t long_count(const struct pane *p)
{
	(void)p;
	return sizeof(long_lines) / sizeof(long_lines[0]);
}

static void long_line(const struct pane *p, size_t i, struct pane_line *out)
{
	(void)p;
	pane_line_add(out, ROLE_DIM, "%.13s", long_lines[i]);
	if (strlen(long_lines[i]) > 13)
		pane_line_add(out, ROLE_TEXT, "%s", long_lines[i] + 13);
}

static const struct pane_ops long_ops = {
    .title = numbers_title, .count = long_count, .line = long_line};

TEST(long_lines_go_on_below)
{
	struct pane p = {.ops = &long_ops};
	size_t line;

	draw(&p, 30, 12, (struct rect){0, 0, 30, 12});
	assert_non_null(strstr(drawn.text, "key          a value that is\n"
					   "             too long for the\n"
					   "             pane and goes on\n"
					   "             below\n"
					   "short\n\n"
					   "unbrokenunbrokenunbrokenunbrok\n"
					   "             en\n"
					   "life         cycle 12 to\n"
					   "             12 205\n"));
	assert_true(pane_line_at(&p, 4, &line));
	assert_int_equal(line, 0);
	assert_true(pane_line_at(&p, 5, &line));
	assert_int_equal(line, 1);
	assert_false(pane_line_at(&p, 0, &line));
	assert_false(pane_line_at(&p, 11, &line));
	assert_int_equal(pane_wanted_height(&p, 34, 99), 12);
	assert_int_equal(pane_wanted_height(&p, 34, 7), 7);
}

TEST(wrapped_lines_scroll_whole)
{
	struct pane p = {.ops = &long_ops};
	struct rect area = {0, 0, 30, 5}; /* four rows of lines */

	draw(&p, 30, 5, area);
	pane_move(&p, 1, 4);
	assert_int_equal(p.top, 1);
	pane_move(&p, 2, 4);
	draw(&p, 30, 5, area);
	assert_int_equal(p.top, 1);
	assert_non_null(strstr(drawn.text, "             en\n"));
	pane_move(&p, -9, 4);
	assert_int_equal(p.top, 0);
}

/* ---- the strip ---- */

/* A trace with a statistic of these values, one a tick; where one is no number there is none. */
static struct store *sampled(const double *values, int n)
{
	struct sbuf text = {0};
	struct store *s;

	for (int t = 0; t < n; t++) {
		sbuf_printf(&text, "@ %d\n", t);
		if (!isnan(values[t]))
			sbuf_printf(&text, "<sim_num_insn> %g\n", values[t]);
	}
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	return s;
}

static struct curve_source source_named(struct store *s, const char *name)
{
	struct series q;

	assert_true(series_parse(s, name, NULL, &q));
	return (struct curve_source){.trace = trace_of_store(s), .metric = metric_of_series(&q)};
}

static const char *strip_text(struct strip *st, struct screen *sc)
{
	int h = strip_height(st, 0);
	struct rect area = {0, sc->grid.h - h, sc->grid.w, h};

	grid_clear(&sc->grid, palette_style(&sc->palette, ROLE_TEXT));
	assert_int_equal(strip_draw(st, &sc->view.axis, &sc->grid,
				    area, &sc->palette, NULL),
			 STATUS_OK);
	sbuf_clear(&drawn);
	grid_export(&sc->grid, GRID_TEXT, &drawn);
	return drawn.text;
}

TEST(bars_rise_with_the_value)
{
	double values[16];
	struct store *s;
	struct curve_source q;
	struct strip st;
	struct screen sc;
	int gutter;

	for (int t = 0; t < 16; t++)
		values[t] = t == 5 ? NAN : t * 10;
	s = sampled(values, 16);
	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = source_named(s, "sim_num_insn");
	assert_int_equal(strip_height(&st, 0), 0);
	assert_true(strip_add(&st, &q, "sim_num_insn"));
	assert_int_equal(strip_height(&st, 0), 2);
	sc.view.axis.tick = 7;
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "cycle 7"));
	assert_non_null(strstr(drawn.text, "sim_num_insn"));
	assert_non_null(strstr(drawn.text, "    70 "));
	assert_non_null(strstr(drawn.text, " 0..150 "));
	gutter = pipeview_gutter_width(&sc.view);
	assert_int_equal(grid_at(&sc.grid, gutter, 9)->cp, 0x2581);
	assert_int_equal(grid_at(&sc.grid, gutter + 15, 9)->cp, 0x2588);
	assert_int_equal(grid_at(&sc.grid, gutter + 8, 9)->cp, 0x2585);
	assert_int_equal(grid_at(&sc.grid, gutter + 5, 9)->cp, 0x2583); /* joined */
	assert_int_equal(grid_at(&sc.grid, gutter + 16, 9)->cp, ' ');
	strip_free(&st);
	view_screen_close(&sc);
}

/* The first cell of the only curve of sim_num_insn, whose value at each tick is given. */
static uint32_t first_bar(const double *values, int n, char range[16])
{
	struct store *s = sampled(values, n);
	struct curve_source q;
	struct strip st;
	struct screen sc;
	uint32_t cp;

	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = source_named(s, "sim_num_insn");
	strip_add(&st, &q, "sim_num_insn");
	strip_text(&st, &sc);
	cp = grid_at(&sc.grid, pipeview_gutter_width(&sc.view), 9)->cp;
	snprintf(range, 16, "%.15s", strstr(drawn.text, "..") ? strstr(drawn.text, "..") - 3 : "");
	range[strcspn(range + 3, " ") + 3] = '\0';
	strip_free(&st);
	view_screen_close(&sc);
	return cp;
}

TEST(curves_begin_at_zero_but_counters)
{
	double constant[20], zero[20] = {0}, counter[32], uneven[20];
	char range[16];

	for (int t = 0; t < 32; t++)
		counter[t] = 1000 + t;
	for (int t = 0; t < 20; t++) {
		constant[t] = 48;
		uneven[t] = 1000 + t % 3;
	}
	assert_int_equal(first_bar(constant, 20, range), 0x2588);
	assert_string_equal(range, "  0..48");
	assert_int_equal(first_bar(zero, 20, range), 0x2581);
	assert_string_equal(range, "  0..1");
	assert_int_equal(first_bar(uneven, 20, range), 0x2586);
	assert_int_equal(first_bar(counter, 32, range), 0x2581);
	assert_string_equal(range, "000..1040");
}

TEST(narrow_strips_abbreviate_the_names)
{
	struct store *s = machine_store(50, 1);
	struct curve_source q = source_named(s, "in-flight");
	struct strip st;
	struct screen sc;

	view_screen_open(&sc, s, 50, 10); /* a gutter of 22 */
	strip_init(&st);
	strip_add(&st, &q, "in-flight");
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "in-flight "));
	assert_null(strstr(drawn.text, "range"));
	strip_add(&st, &q, "occupancy of a unit");
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "in-flight "));
	assert_non_null(strstr(drawn.text, "occ o a unit      4 "));
	pipeview_layout(&sc.view, 30, 10); /* of 12 */
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "in-flight "));
	assert_null(strstr(drawn.text, " 4 "));
	strip_free(&st);
	view_screen_close(&sc);
}

TEST(the_strip_is_on_the_views_axis)
{
	struct store *s = text_store("@ 0\n@ 612\n+ 1 0x2 0x0 x\n* 1 IF 0x0\n@ 999\n");
	struct strip st;
	struct screen sc;
	struct curve_source q;
	int gutter;

	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = source_named(s, "fetch");
	strip_add(&st, &q, "fetch");
	gutter = pipeview_gutter_width(&sc.view);
	for (int i = 2 * TICK_ZOOM_MIN; i < 12; i++) {
		int zoom = i < 0 ? -(1 - i) / 2 : i / 2;
		int64_t column;

		sc.view.axis.zoom = zoom;
		sc.view.axis.left = axis_align(&sc.view.axis, i % 2 ? 600 : 610, zoom);
		strip_text(&st, &sc);
		column = axis_column_of(&sc.view.axis, 612);
		if (column >= sc.view.axis.columns)
			continue;
		for (int c = 0; c < sc.view.axis.columns; c++) {
			bool in =
			    zoom >= 0 ? c == column : c >= column && c < column + (1 << -zoom);
			uint32_t cp = grid_at(&sc.grid, gutter + c, 9)->cp;

			if (in)
				assert_true(cp > 0x2581);
			else
				assert_true(cp == 0x2581 || cp == ' ');
		}
	}
	strip_free(&st);
	view_screen_close(&sc);
}

TEST(lines_are_hidden_one_by_one)
{
	struct store *s = machine_store(200, 3);
	struct strip st;
	struct screen sc;
	struct curve_source q = source_named(s, "ipc");

	view_screen_open(&sc, s, 100, 20);
	strip_init(&st);
	for (int i = 0; i < STRIP_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "line%d", i);
		assert_true(strip_add(&st, &q, name));
	}
	assert_false(strip_add(&st, &q, "one more"));
	assert_int_equal(strip_height(&st, 0), STRIP_MAX + 1);
	st.lines[2].hidden = true;
	assert_int_equal(strip_height(&st, 0), STRIP_MAX);
	strip_text(&st, &sc);
	assert_null(strstr(drawn.text, "line2"));
	assert_non_null(strstr(drawn.text, "line3"));
	strip_free(&st);
	view_screen_close(&sc);
}

FIXTURES(NULL, free_drawn)
