/* Panes (legend, inspector, warnings, info) and the resource strip. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "view/info_pane.h"
#include "view/pipeline/panes.h"
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

TEST(the_inspector_knows_everything)
{
	static const char *const facts[] = {
	    "ldq r1,0(r19)",
	    "0x120007a8c",
	    "4711",
	    "squashed: removed before commit",
	    "byte 0, line 1",
	    "cycle 4 to 20, 16 cycles",
	    "seq          4711",
	    "micro-op     seq 4713 [internal ld/st] (row 2)",
	    " F  IF    4        2",
	    " X  EX    9       11",
	    "cache-miss, latency 3 before the fetch",
	    "cache-miss, latency 30 as foretold on entry",
	    "tlb-miss: TLB miss",
	    "+ 4711 0x20007a8c",
	    "* 4711 EX 0x003",
	};
	struct store *s = one_load();
	struct pane *p = inspector_pane(s, 0, NULL);
	struct sbuf title = {0};
	struct place to;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (line_with(p, facts[i]) == SIZE_MAX)
			fail_msg("not in the inspector: %s", facts[i]);
	p->ops->title(p, &title);
	assert_string_equal(sbuf_text(&title), "instruction, seq 4711");
	assert_true(p->ops->target(p, line_with(p, " EX "), &to));
	assert_int_equal(to.item, 0);
	assert_int_equal(to.tick, 9);
	assert_true(p->ops->target(p, line_with(p, "internal"), &to));
	assert_int_equal(to.item, 2);
	assert_false(p->ops->target(p, line_with(p, "lines of the file"), &to));
	sbuf_free(&title);
	pane_free(p);
	p = inspector_pane(s, 2, NULL);
	assert_true(p->ops->target(p, line_with(p, "micro-op of"), &to));
	assert_int_equal(to.item, 0);
	pane_free(p);
	p = inspector_pane(s, 99, NULL);
	assert_int_not_equal(line_with(p, "no such row"), SIZE_MAX);
	pane_free(p);
	fake_free(s);
}

TEST(the_legend_counts_and_highlights)
{
	struct store *s = one_load();
	struct pane *p = legend_pane(s, NULL);
	struct sbuf command = {0};

	draw(p, 60, 40, (struct rect){0, 0, 60, 40});
	assert_non_null(
	    strstr(drawn.text, " *  cache-miss                                 2        16.5\n"));
	assert_non_null(
	    strstr(drawn.text, " X  EX                                         1          11\n"));
	assert_non_null(
	    strstr(drawn.text, "stages                                   entries      cycles\n"));
	assert_int_not_equal(line_with(p, " ×  squashed"), SIZE_MAX);
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

TEST(warnings_lead_to_their_place)
{
	struct store *s = one_load();
	struct pane *p = row_warnings_pane(s, NULL);
	struct place to;

	assert_int_equal(line_with(p, "every record was understood"), 0);
	pane_free(p);
	fake_warning(s, 12345, 1, "number too large");
	fake_warning(s, 99999, 77, "line cut by the end of the file");
	p = row_warnings_pane(s, NULL);
	assert_int_equal(p->ops->count(p), 2);
	assert_int_equal(line_with(p, "12 345  number too large"), 0);
	assert_true(p->ops->target(p, 0, &to));
	assert_int_equal(to.item, 1);
	assert_false(p->ops->target(p, 1, &to));
	pane_free(p);
	fake_free(s);
}

TEST(info_says_what_there_is)
{
	struct store *s = one_load();
	struct pane *p = info_pane(trace_of_store(s));

	assert_int_not_equal(line_with(p, "cycle 4 to 20"), SIZE_MAX);
	assert_int_not_equal(line_with(p, "foreign-lines"), SIZE_MAX);
	pane_free(p);
	fake_free(s);
}

TEST(a_narrow_legend_shows_its_numbers)
{
	struct store *s = one_load();
	struct pane *p = legend_pane(s, NULL);

	draw(p, 28, 40, (struct rect){0, 0, 28, 40});
	assert_non_null(strstr(drawn.text, " \\  m-detected      0\n"));
	assert_non_null(strstr(drawn.text, " X  EX              1     11\n"));
	assert_null(strstr(drawn.text, "executing"));
	pane_move(p, (int64_t)line_with(p, " X  EX"), 39);
	draw(p, 28, 40, (struct rect){0, 0, 28, 40});
	assert_non_null(strstr(drawn.text, " X  EX              1     11\n    executing\n"));
	pane_free(p);
	fake_free(s);
}

TEST(a_moment_has_no_latency)
{
	struct store *s = one_load();
	struct pane *p;
	uint64_t row = fake_birth(s, 20, 4714, 0x10, "stq r1,0(r2)");

	fake_enter(s, row, 22, STAGE_CT, 1, 0, 1);
	fake_end(s, row, 22, FATE_COMMITTED);
	p = inspector_pane(s, row, NULL);
	assert_int_not_equal(line_with(p, " *  cache-miss"), SIZE_MAX);
	assert_int_equal(line_with(p, "latency"), SIZE_MAX);
	pane_free(p);
	fake_free(s);
}

/* Rows 0..2 of one_load(), and a range that cuts them. */
static const struct selection middle = {
    .on = true, .item0 = 0, .item1 = 2, .tick0 = 5, .tick1 = 12};

TEST(panes_count_in_a_range)
{
	struct store *s = one_load();
	struct pane *p = legend_pane(s, &middle);
	struct sbuf title = {0};

	p->ops->title(p, &title);
	assert_string_equal(sbuf_text(&title), "legend: rows 0..1, cycle 5..11");
	draw(p, 60, 40, (struct rect){0, 0, 60, 40});
	/* the miss in IF at tick 4 is before the range, the stay reaches in by one tick */
	assert_non_null(
	    strstr(drawn.text, " *  cache-miss                                 1          30\n"));
	assert_non_null(
	    strstr(drawn.text, " F  IF                                         0           1\n"));
	assert_non_null(
	    strstr(drawn.text, " D  DA                                         1           3\n"));
	assert_non_null(
	    strstr(drawn.text, " X  EX                                         1           3\n"));
	pane_free(p);
	sbuf_free(&title);
	fake_free(s);
}

TEST(warnings_of_a_range_are_those_next_to_its_rows)
{
	struct store *s = one_load();
	struct pane *p;
	struct sbuf title = {0};

	fake_warning(s, 10, 0, "one");
	fake_warning(s, 20, 2, "two");
	fake_warning(s, 30, 77, "three");
	p = row_warnings_pane(s, &middle);
	p->ops->title(p, &title);
	assert_string_equal(sbuf_text(&title), "1 warning: rows 0..1, cycle 5..11");
	assert_int_equal(p->ops->count(p), 1);
	assert_int_equal(line_with(p, "one"), 0);
	sbuf_free(&title);
	pane_free(p);
	fake_free(s);
}

TEST(stalls_lead_to_the_worst_row)
{
	struct store *s = fake_new();
	struct pane *p;
	struct place to;
	size_t line;

	for (int i = 0; i < 6; i++) {
		uint64_t row =
		    fake_birth(s, i, 100, i % 2 ? 0x20 : 0x10, i % 2 ? "\033[31mred" : "add");
		fake_code(s, row, (uint64_t)i % 2);
		fake_enter(s, row, i, STAGE_IF, i == 3 ? 1 : 0, 2, 1);
		fake_enter(s, row, i + 1, STAGE_EX, 0, -1, 0);
		fake_end(s, row, i + (i == 3 ? 50 : 5), FATE_COMMITTED);
	}
	fake_birth(s, 9, 100, 0x30, "nameless");
	p = stalls_pane(s, NULL, NULL, STALL_BY_PC);
	draw(p, 76, 10, (struct rect){0, 0, 76, 10});
	assert_null(strchr(drawn.text, '\033'));
	/* ends 5, 6, 7, 53, 9, 10: the fourth row holds the head to 53, those behind it never */
	assert_non_null(strstr(drawn.text, "went, by head"));
	assert_non_null(strstr(drawn.text, "  pc  text         count  head  IF  EX"));
	assert_non_null(strstr(drawn.text, "0x20  \xef\xbf\xbd[31mred         3    47   3  57"));
	assert_non_null(strstr(drawn.text, "0x10  add              3     6   3  12"));
	assert_non_null(strstr(drawn.text, "   -  (not known)      1     0"));
	assert_true(line_with(p, "0x20") < line_with(p, "0x10"));
	assert_true(p->ops->target(p, line_with(p, "0x20"), &to));
	assert_int_equal(to.item, 3);
	assert_int_equal(to.tick, 3);
	assert_false(p->ops->target(p, p->ops->count(p) - 1, &to));
	assert_true(pane_line_at(p, 2, &line));
	assert_int_equal(line, 0);
	assert_false(pane_line_at(p, 1, &line));
	/* the other way round by pc, and as it was by the column before */
	assert_int_equal(pane_sort(p, "pc", 0, NULL), STATUS_OK);
	assert_true(line_with(p, "0x10") < line_with(p, "0x20"));
	assert_true(p->ops->target(p, line_with(p, "0x20"), &to));
	assert_int_equal(to.item, 3);
	assert_int_equal(pane_sort(p, NULL, 1, NULL), STATUS_OK);
	assert_string_equal(p->sort, "text");
	assert_int_equal(pane_sort(p, NULL, -1, NULL), STATUS_OK);
	assert_string_equal(p->sort, "pc");
	assert_int_equal(pane_sort(p, "no such", 0, NULL), STATUS_USAGE);
	assert_string_equal(p->sort, "pc");
	draw(p, 76, 10, (struct rect){0, 0, 76, 10});
	assert_non_null(strstr(drawn.text, "went, by pc"));
	pane_free(p);
	p = stalls_pane(s, &(struct selection){true, 1, 2, 0, 4}, NULL, STALL_BY_PC);
	assert_int_equal(line_with(p, "0x10"), SIZE_MAX);
	draw(p, 76, 10, (struct rect){0, 0, 76, 10});
	assert_non_null(strstr(drawn.text, "0x20  \xef\xbf\xbd[31mred      1     0   1   2"));
	pane_free(p);
	fake_free(s);
}

/* ---- the strip ---- */

static struct curve_source source_named(struct store *s, const char *name)
{
	struct series q;

	assert_true(series_parse(s, name, NULL, &q));
	return (struct curve_source){.trace = trace_of_store(s), .metric = metric_of_series(&q)};
}

static const char *strip_text(struct strip *st, struct screen *sc)
{
	int h = strip_height(st);
	struct rect area = {0, sc->grid.h - h, sc->grid.w, h};

	grid_clear(&sc->grid, palette_style(&sc->palette, ROLE_TEXT));
	assert_int_equal(strip_draw(st, &sc->view.axis, &sc->grid,
				    area, &sc->palette, NULL),
			 STATUS_OK);
	sbuf_clear(&drawn);
	grid_export(&sc->grid, GRID_TEXT, &drawn);
	return drawn.text;
}

TEST(sparklines_rise_with_the_value)
{
	struct store *s = fake_new();
	struct curve_source q;
	struct strip st;
	struct screen sc;
	int gutter;

	fake_ticks(s, 0, 15);
	for (int t = 0; t < 16; t++)
		if (t != 5)
			fake_sample(s, t, t * 10);
	view_screen_open(&sc, s, 100, 10);
	strip_init(&st);
	q = source_named(s, "sim_num_insn");
	assert_int_equal(strip_height(&st), 0);
	assert_true(strip_add(&st, &q, "sim_num_insn"));
	assert_int_equal(strip_height(&st), 2);
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
	assert_int_equal(grid_at(&sc.grid, gutter + 5, 9)->cp, ' ');
	assert_int_equal(grid_at(&sc.grid, gutter + 16, 9)->cp, ' ');
	strip_free(&st);
	view_screen_close(&sc);
	fake_free(s);
}

/* The first cell of the only curve of sim_num_insn, whose value at each tick is given. */
static uint32_t first_bar(const double *values, int n, char range[16])
{
	struct store *s = fake_new();
	struct curve_source q;
	struct strip st;
	struct screen sc;
	uint32_t cp;

	fake_ticks(s, 0, n - 1);
	for (int t = 0; t < n; t++)
		fake_sample(s, t, values[t]);
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
	fake_free(s);
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

TEST(narrow_strips_keep_the_names)
{
	struct store *s = fake_pipeline(50, 1);
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
	assert_non_null(strstr(drawn.text, "occupancy of a unit "));
	pipeview_layout(&sc.view, 40, 10);
	strip_text(&st, &sc);
	assert_non_null(strstr(drawn.text, "occ o a unit "));
	strip_free(&st);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(the_strip_is_on_the_views_axis)
{
	struct store *s = fake_new();
	struct strip st;
	struct screen sc;
	struct curve_source q;
	int gutter;

	fake_ticks(s, 0, 999);
	fake_enter(s, fake_birth(s, 612, 1, 2, "x"), 612, STAGE_IF, 0, -1, 0);
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
	fake_free(s);
}

TEST(lines_are_hidden_one_by_one)
{
	struct store *s = fake_pipeline(200, 3);
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
	assert_int_equal(strip_height(&st), STRIP_MAX + 1);
	st.lines[2].hidden = true;
	assert_int_equal(strip_height(&st), STRIP_MAX);
	strip_text(&st, &sc);
	assert_null(strstr(drawn.text, "line2"));
	assert_non_null(strstr(drawn.text, "line3"));
	strip_free(&st);
	view_screen_close(&sc);
	fake_free(s);
}

FIXTURES(NULL, free_drawn)
