/* Panes (legend, inspector, warnings, info) and the resource strip. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "view/pane.h"
#include "view/pipeview_private.h"
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
    .name = "numbers", .title = numbers_title, .count = numbers_count, .line = numbers_line};

static struct sbuf drawn;

/* Draw p over area of a w x h screen; the text of the screen. */
static const char *draw(const struct pane *p, int w, int h, struct rect area)
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

static void a_pane_has_borders_only_inside_the_screen(void **state)
{
	size_t count = 2;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	(void)state;
	assert_string_equal(draw(&p, 16, 4, (struct rect){0, 0, 16, 4}),
			    "\xe2\x94\x80\xe2\x94\x80 numbers \xe2\x94\x80\xe2\x94\x80\xe2\x94\x80"
			    "\xe2\x94\x80\xe2\x94\x80\nline 0\nline 1\n\n");
	assert_string_equal(
	    draw(&p, 16, 5, (struct rect){3, 1, 12, 4}),
	    "\n   \xe2\x94\x82\xe2\x94\x80 numbers \xe2\x94\x82\n"
	    "   \xe2\x94\x82 line 0   \xe2\x94\x82\n   \xe2\x94\x82 line 1   \xe2\x94\x82\n"
	    "   \xe2\x94\x82          \xe2\x94\x82\n");
}

static void the_pane_scrolls_with_its_cursor(void **state)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};
	struct rect all = {0, 0, 30, 11};

	(void)state;
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

static void a_list_that_shrank_is_drawn(void **state)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	(void)state;
	pane_move(&p, 99, 10);
	count = 3;
	assert_non_null(strstr(draw(&p, 30, 11, (struct rect){0, 0, 30, 11}), "line 2\n"));
	pane_move(&p, 0, 10);
	assert_int_equal(p.cursor, 2);
}

static void pane_search_wraps(void **state)
{
	size_t count = 100;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	(void)state;
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

static void the_smallest_panes_are_drawn(void **state)
{
	size_t count = 5;
	struct pane p = {.ops = &numbers_ops, .data = &count};

	(void)state;
	for (int w = 0; w < 8; w++)
		for (int h = 0; h < 5; h++)
			for (int x = 0; x < 3; x++)
				draw(&p, 8, 5, (struct rect){x, x, w, h});
	assert_int_equal(pane_wanted_width(&p, 80), 10);
	assert_int_equal(pane_wanted_width(&p, 7), 7);
}

/* ---- the panes of this room ---- */

static size_t line_with(const struct pane *p, const char *text)
{
	size_t count = p->ops->count(p), found = SIZE_MAX;
	struct pane_line l = {0};

	for (size_t i = 0; i < count && found == SIZE_MAX; i++) {
		sbuf_clear(&l.text);
		l.span_count = 0;
		p->ops->line(p, i, &l);
		if (strstr(sbuf_text(&l.text), text))
			found = i;
	}
	sbuf_free(&l.text);
	return found;
}

static struct store *one_load(void)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 4, 4711, 0x120007a8c, "ldq r1,0(r19)"), op;

	fake_enter(s, row, 4, STAGE_IF, 1, 3, 1);
	fake_enter(s, row, 6, STAGE_DA, 0, -1, 0);
	fake_birth(s, 6, 4712, 0x120007a90, "unrelated");
	op = fake_birth(s, 7, 4713, 0x120007a8c, "[internal ld/st]");
	fake_parent(s, op, row);
	fake_enter(s, row, 9, STAGE_EX, 3, 30, 1);
	fake_end(s, row, 20, FATE_SQUASHED);
	return s;
}

static void the_inspector_knows_everything(void **state)
{
	static const char *const facts[] = {
	    "ldq r1,0(r19)",
	    "0x120007a8c",
	    "4711",
	    "squashed: removed before commit",
	    "byte 0, line 1",
	    "cycle 4 to 20, 16 cycles",
	    "micro-op     4713 [internal ld/st] (row 2)",
	    " F  IF                4          2",
	    " X  EX                9         11",
	    "cache-miss, latency 3 before the fetch",
	    "cache-miss, latency 30 as foretold on entry",
	    "tlb-miss  TLB miss",
	    "+ 4711 0x20007a8c",
	    "* 4711 EX 0x003",
	};
	struct store *s = one_load();
	struct pane *p = inspector_pane(s, 0);
	struct sbuf title = {0};
	uint64_t row;
	int64_t tick;

	(void)state;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (line_with(p, facts[i]) == SIZE_MAX)
			fail_msg("not in the inspector: %s", facts[i]);
	p->ops->title(p, &title);
	assert_string_equal(sbuf_text(&title), "instruction 4711");
	assert_true(p->ops->target(p, line_with(p, " EX "), &row, &tick));
	assert_int_equal(row, 0);
	assert_int_equal(tick, 9);
	assert_true(p->ops->target(p, line_with(p, "internal"), &row, &tick));
	assert_int_equal(row, 2);
	assert_false(p->ops->target(p, line_with(p, "lines of the file"), &row, &tick));
	sbuf_free(&title);
	pane_free(p);
	p = inspector_pane(s, 2);
	assert_true(p->ops->target(p, line_with(p, "micro-op of"), &row, &tick));
	assert_int_equal(row, 0);
	pane_free(p);
	p = inspector_pane(s, 99);
	assert_int_not_equal(line_with(p, "no such row"), SIZE_MAX);
	pane_free(p);
	fake_free(s);
}

static void the_legend_counts_and_highlights(void **state)
{
	struct store *s = one_load();
	struct pane *p = legend_pane(s);
	struct sbuf command = {0};

	(void)state;
	assert_int_not_equal(line_with(p, " *  cache-miss                       2   16.5 each"),
			     SIZE_MAX);
	assert_int_not_equal(line_with(p, " X  EX                   1             11 cycles"),
			     SIZE_MAX);
	assert_int_not_equal(line_with(p, " x  squashed                         1"), SIZE_MAX);
	assert_true(p->ops->command(p, line_with(p, "tlb-miss"), &command));
	assert_string_equal(command.text, "highlight event \"tlb-miss\"");
	sbuf_clear(&command);
	assert_true(p->ops->command(p, line_with(p, " WB "), &command));
	assert_string_equal(command.text, "highlight stage \"WB\"");
	sbuf_clear(&command);
	assert_true(p->ops->command(p, line_with(p, "in-flight"), &command));
	assert_string_equal(command.text, "highlight fate \"in-flight\"");
	assert_false(p->ops->command(p, line_with(p, "events"), &command));
	assert_false(p->ops->command(p, p->ops->count(p) - 1, &command));
	sbuf_free(&command);
	pane_free(p);
	fake_free(s);
}

static void warnings_lead_to_their_place(void **state)
{
	struct store *s = one_load();
	struct pane *p = warnings_pane(s);
	uint64_t row;
	int64_t tick;

	(void)state;
	assert_int_equal(line_with(p, "every line was understood"), 0);
	fake_warning(s, 12345, 1, "number too large");
	fake_warning(s, 99999, 77, "line cut by the end of the file");
	assert_int_equal(p->ops->count(p), 2);
	assert_int_equal(line_with(p, "12 345  number too large"), 0);
	assert_true(p->ops->target(p, 0, &row, &tick));
	assert_int_equal(row, 1);
	assert_false(p->ops->target(p, 1, &row, &tick));
	pane_free(p);
	fake_free(s);
}

static void info_says_what_there_is(void **state)
{
	struct store *s = one_load();
	struct pane *p = info_pane(s);

	(void)state;
	assert_int_not_equal(line_with(p, "cycle 4 to 20"), SIZE_MAX);
	assert_int_not_equal(line_with(p, "cache-miss                        2"), SIZE_MAX);
	assert_int_not_equal(line_with(p, "foreign-lines"), SIZE_MAX);
	assert_int_not_equal(line_with(p, "micro-ops                 1"), SIZE_MAX);
	pane_free(p);
	fake_free(s);
}

/* ---- the strip ---- */

static struct series series_named(const struct store *s, const char *name)
{
	struct series q;

	assert_true(series_parse(s, name, NULL, &q));
	return q;
}

static const char *strip_text(struct strip *st, struct screen *sc)
{
	int h = strip_height(st);
	struct rect area = {0, sc->grid.h - h, sc->grid.w, h};

	grid_clear(&sc->grid, palette_style(&sc->palette, ROLE_TEXT));
	assert_int_equal(strip_draw(st, &sc->view, &sc->grid, area, &sc->palette, NULL), STATUS_OK);
	sbuf_clear(&drawn);
	grid_export(&sc->grid, GRID_TEXT, &drawn);
	return drawn.text;
}

static void sparklines_rise_with_the_value(void **state)
{
	struct store *s = fake_new();
	struct series q;
	struct strip st;
	struct screen sc;
	int gutter;

	(void)state;
	fake_ticks(s, 0, 15);
	for (int t = 0; t < 16; t++)
		if (t != 5)
			fake_sample(s, t, t * 10);
	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = series_named(s, "sim_num_insn");
	assert_int_equal(strip_height(&st), 0);
	assert_true(strip_add(&st, &q, "sim_num_insn"));
	assert_int_equal(strip_height(&st), 2);
	sc.view.tick = 7;
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "cycle 7"));
	assert_non_null(strstr(drawn.text, "sim_num_insn"));
	assert_non_null(strstr(drawn.text, "    70 "));
	assert_non_null(strstr(drawn.text, " 0..150 "));
	gutter = pipeview_gutter_width(&sc.view);
	assert_int_equal(grid_at(&sc.grid, gutter, 9)->cp, 0x2581);
	assert_int_equal(grid_at(&sc.grid, gutter + 15, 9)->cp, 0x2588);
	assert_int_equal(grid_at(&sc.grid, gutter + 8, 9)->cp, 0x2585);
	assert_int_equal(grid_at(&sc.grid, gutter + 5, 9)->cp, ' ');
	assert_int_equal(grid_at(&sc.grid, gutter + 16, 9)->cp, ' ');
	strip_free(&st);
	view_screen_close(&sc);
	fake_free(s);
}

static void the_strip_is_on_the_views_axis(void **state)
{
	struct store *s = fake_new();
	struct strip st;
	struct screen sc;
	struct series q;
	int gutter;

	(void)state;
	fake_ticks(s, 0, 999);
	fake_enter(s, fake_birth(s, 612, 1, 2, "x"), 612, STAGE_IF, 0, -1, 0);
	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = series_named(s, "fetch");
	strip_add(&st, &q, "fetch");
	gutter = pipeview_gutter_width(&sc.view);
	for (int i = 2 * TICK_ZOOM_MIN; i < 12; i++) {
		int zoom = i < 0 ? -(1 - i) / 2 : i / 2;
		int64_t column;

		sc.view.tick_zoom = zoom;
		sc.view.left = tick_align(i % 2 ? 600 : 610, zoom);
		strip_text(&st, &sc);
		column = pipeview_column_of(&sc.view, 612);
		if (column >= sc.view.columns)
			continue;
		for (int c = 0; c < sc.view.columns; c++) {
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
	fake_free(s);
}

static void lines_are_hidden_and_removed_one_by_one(void **state)
{
	struct store *s = fake_pipeline(200, 3);
	struct strip st;
	struct screen sc;
	struct series q = series_named(s, "ipc");

	(void)state;
	view_screen_open(&sc, s, 100, 20);
	strip_init(&st);
	for (int i = 0; i < STRIP_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "line%d", i);
		assert_true(strip_add(&st, &q, name));
	}
	assert_false(strip_add(&st, &q, "one more"));
	assert_int_equal(strip_height(&st), STRIP_MAX + 1);
	st.lines[2].hidden = true;
	assert_int_equal(strip_height(&st), STRIP_MAX);
	strip_text(&st, &sc);
	assert_null(strstr(drawn.text, "line2"));
	assert_non_null(strstr(drawn.text, "line3"));
	strip_remove(&st, 3);
	strip_remove(&st, 99);
	strip_text(&st, &sc);
	assert_null(strstr(drawn.text, "line3"));
	assert_non_null(strstr(drawn.text, "line9"));
	strip_free(&st);
	view_screen_close(&sc);
	fake_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_pane_has_borders_only_inside_the_screen),
	    cmocka_unit_test(the_pane_scrolls_with_its_cursor),
	    cmocka_unit_test(a_list_that_shrank_is_drawn),
	    cmocka_unit_test(pane_search_wraps),
	    cmocka_unit_test(the_smallest_panes_are_drawn),
	    cmocka_unit_test(the_inspector_knows_everything),
	    cmocka_unit_test(the_legend_counts_and_highlights),
	    cmocka_unit_test(warnings_lead_to_their_place),
	    cmocka_unit_test(info_says_what_there_is),
	    cmocka_unit_test(sparklines_rise_with_the_value),
	    cmocka_unit_test(the_strip_is_on_the_views_axis),
	    cmocka_unit_test(lines_are_hidden_and_removed_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, free_drawn);
}
