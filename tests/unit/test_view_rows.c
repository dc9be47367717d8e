/* What the cells, the gutter and the ruler of the instruction view show. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "testing.h"
#include "view/pipeline/status.h"
#include "view_screen.h"

enum {
	CACHE = 1 << EVENT_CACHE,
	TLB = 1 << EVENT_TLB,
	MISPREDICT = 1 << EVENT_MISPREDICT,
	AGEN = 1 << EVENT_AGEN
};

/* A row that goes through all stages at the given ticks. */
static uint64_t whole_row(struct store *s, int64_t f, int64_t d, int64_t x, int64_t w, int64_t c)
{
	uint64_t row = fake_birth(s, f, 100, 0x120007a8c, "addq r1,8,r1");

	fake_enter(s, row, f, STAGE_IF, 0, -1, 0);
	fake_enter(s, row, d, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, x, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, w, STAGE_WB, 0, -1, 0);
	fake_enter(s, row, c, STAGE_CT, 0, -1, 0);
	fake_end(s, row, c, FATE_COMMITTED);
	return row;
}

static struct store *load_with_miss(unsigned stage, unsigned events, int32_t latency,
				    unsigned colour)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 10, 7, 0x8000, "ldr r1,[r2]");

	fake_ticks(s, 0, 60);
	fake_enter(s, row, 10, STAGE_IF, stage == STAGE_IF ? events : 0,
		   stage == STAGE_IF ? latency : -1, stage == STAGE_IF ? colour : 0);
	fake_enter(s, row, 12, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, 14, STAGE_EX, stage == STAGE_EX ? events : 0,
		   stage == STAGE_EX ? latency : -1, stage == STAGE_EX ? colour : 0);
	fake_enter(s, row, 22, STAGE_WB, 0, -1, 0);
	fake_enter(s, row, 24, STAGE_CT, stage == STAGE_CT ? events : 0, -1, 0);
	fake_end(s, row, 24, FATE_COMMITTED);
	return s;
}

static void expect_cells(struct store *s, int line, const char *want)
{
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	assert_string_equal(screen_cells(&sc, line), want);
	view_screen_close(&sc);
	fake_free(s);
}

static int16_t bg_at(struct screen *sc, int column, int line)
{
	return screen_cell(sc, column, line)->style.bg;
}

TEST(a_life_is_its_stages)
{
	struct store *s = fake_new();

	whole_row(s, 0, 2, 4, 7, 10);
	expect_cells(s, 0, "FfDdXxxWwwC");
}

TEST(stages_have_their_colours)
{
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 2, 4, 7, 10);
	view_screen_open(&sc, s, 100, 10);
	sc.view.axis.tick = 5; /* the cursor's cell has its own look */
	view_screen_draw(&sc);
	for (int i = 0; i <= 10; i++) {
		static const int stage_of[] = {0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 4};
		enum role role = (enum role)(ROLE_STAGE_0 + stage_of[i]);

		if (i != 5)
			assert_int_equal(bg_at(&sc, i, 0), palette_style(&sc.palette, role).bg);
	}
	assert_true(screen_cell(&sc, 5, 0)->style.attrs & ATTR_REVERSE);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(a_miss_is_coloured_forward_and_clipped)
{
	struct store *s = load_with_miss(STAGE_EX, CACHE | TLB, 30, CACHE);
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	assert_string_equal(screen_cells(&sc, 0), "          FfDd*xxxxxxxWwC");
	for (int i = 14; i < 22; i++)
		assert_int_equal(bg_at(&sc, i, 0), palette_style(&sc.palette, ROLE_EVENT_0).bg);
	assert_int_equal(bg_at(&sc, 22, 0),
			 palette_style(&sc.palette, (enum role)(ROLE_STAGE_0 + 3)).bg);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(a_shorter_latency_colours_only_its_ticks)
{
	struct store *s = load_with_miss(STAGE_EX, CACHE, 3, CACHE);
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	view_screen_draw(&sc);
	assert_int_equal(bg_at(&sc, 16, 0), palette_style(&sc.palette, ROLE_EVENT_0).bg);
	assert_int_equal(bg_at(&sc, 17, 0),
			 palette_style(&sc.palette, (enum role)(ROLE_STAGE_0 + 2)).bg);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(a_fetch_miss_is_before_the_fetch)
{
	expect_cells(load_with_miss(STAGE_IF, CACHE, 6, CACHE), 0, "    ------*fDdXxxxxxxxWwC");
}

TEST(a_fetch_miss_is_clipped_at_the_first_tick)
{
	expect_cells(load_with_miss(STAGE_IF, CACHE, 99, CACHE), 0, "----------*fDdXxxxxxxxWwC");
}

TEST(misses_without_latency_still_show)
{
	expect_cells(load_with_miss(STAGE_IF, CACHE, 0, CACHE), 0, "          *fDdXxxxxxxxWwC");
	expect_cells(load_with_miss(STAGE_CT, CACHE, -1, 0), 0, "          FfDdXxxxxxxxWw*");
}

TEST(a_format_without_latencies_colours_the_execution)
{
	struct store *s = load_with_miss(STAGE_EX, CACHE, -1, 0);
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	view_screen_draw(&sc);
	assert_int_equal(bg_at(&sc, 21, 0), palette_style(&sc.palette, ROLE_EVENT_0).bg);
	view_screen_close(&sc);
	fake_free(s);
}

/* A mispredicted branch takes no time: its stay is not coloured. */
TEST(agen_gives_way_to_the_letter)
{
	expect_cells(load_with_miss(STAGE_EX, AGEN, -1, 0), 0, "          FfDdXxxxxxxxWwC");
}

/* Zoomed out, too, what is no problem is drawn only when it is asked for. */
TEST(agen_is_not_worth_a_cell)
{
	struct store *s = load_with_miss(STAGE_EX, AGEN, -1, 0);
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	for (int zoom = 0; zoom < 5; zoom++) {
		sc.view.axis.zoom = zoom;
		sc.view.highlight.kind = HIGHLIGHT_NONE;
		pipeview_layout(&sc.view, 100, 10);
		for (int rows = 0; rows < 2; rows++) {
			sc.view.row_zoom = rows;
			sc.view.highlight.kind = HIGHLIGHT_NONE;
			assert_null(strchr(screen_cells(&sc, 0), '+'));
			sc.view.highlight = (struct highlight){HIGHLIGHT_EVENT, EVENT_AGEN};
			assert_non_null(strchr(screen_cells(&sc, 0), '+'));
		}
		sc.view.row_zoom = 0;
	}
	view_screen_close(&sc);
	fake_free(s);
}

TEST(the_rarest_of_two_events_is_shown)
{
	struct store *s = load_with_miss(STAGE_EX, CACHE | TLB, 4, CACHE);
	uint64_t row = fake_birth(s, 30, 8, 0, "x");

	fake_enter(s, row, 30, STAGE_IF, TLB, 1, TLB);
	fake_end(s, row, 33, FATE_SQUASHED);
	expect_cells(s, 0, "          FfDd*xxxxxxxWwC"); /* two TLB misses, one cache miss */
}

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

TEST(fates_are_visibly_different)
{
	struct store *s = fake_new();
	static const enum fate fates[] = {FATE_SQUASHED, FATE_DROPPED, FATE_LOST};
	struct screen sc;

	for (int i = 0; i < 3; i++) {
		uint64_t row = fake_birth(s, 0, 1, 2, "x");

		fake_enter(s, row, 0, STAGE_IF, 0, -1, 0);
		fake_enter(s, row, 2, STAGE_DA, 0, -1, 0);
		fake_end(s, row, 4, fates[i]);
	}
	fake_enter(s, fake_birth(s, 3, 1, 2, "x"), 3, STAGE_IF, 0, -1, 0);
	fake_ticks(s, 0, 6);
	view_screen_open(&sc, s, 100, 10);
	assert_string_equal(screen_cells(&sc, 0), "ffdd×");
	assert_string_equal(screen_cells(&sc, 1), "ffdd¬");
	assert_string_equal(screen_cells(&sc, 2), "ffdd?");
	assert_string_equal(screen_cells(&sc, 3), "   Ffff>");
	assert_memory_equal(screen_line(&sc, 2), "×", 2);
	assert_memory_equal(screen_line(&sc, 3), "¬", 2);
	assert_int_equal(screen_line(&sc, 4)[0], '?');
	assert_int_equal(screen_line(&sc, 5)[0], '>');
	assert_int_equal(bg_at(&sc, 1, 1), -1);
	view_screen_close(&sc);
	fake_free(s);
}

/* Whatever else was entered in its cycle; underlined where nothing of that has a cell. */
TEST(a_commit_is_always_visible)
{
	static const struct {
		int64_t at[5]; /* of each stage */
		const char *cells, *underlined;
	} cases[] = {
	    {{0, 1, 1, 1, 1}, "FC", " _"},    {{0, 1, 3, 3, 3}, "FD\342\224\202C", "   _"},
	    {{0, 1, 3, 4, 4}, "FDdXC", "    _"}, {{0, 1, 2, 4, 4}, "FDX\342\224\202C", "     "},
	    {{0, 0, 0, 0, 0}, "C", "_"},       {{0, 0, 1, 2, 2}, "FXC", "_ _"},
	    {{0, 0, 2, 3, 4}, "FDXWC", "     "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int64_t *at = cases[i].at;
		struct store *s = fake_new();
		struct screen sc;

		whole_row(s, at[0], at[1], at[2], at[3], at[4]);
		view_screen_open(&sc, s, 100, 10);
		assert_string_equal(screen_cells(&sc, 0), cases[i].cells);
		for (int x = 0; cases[i].underlined[x]; x++)
			if (x) /* the cursor is there */
				assert_int_equal(
				    !!(screen_cell(&sc, x, 0)->style.attrs & ATTR_UNDERLINE),
				    cases[i].underlined[x] == '_');
		view_screen_close(&sc);
		fake_free(s);
	}
}

TEST(lives_without_length_are_visible)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 5, 1, 2, "fetched and gone");

	fake_ticks(s, 0, 9);
	fake_enter(s, row, 5, STAGE_IF, 0, -1, 0);
	fake_end(s, row, 5, FATE_SQUASHED);
	row = fake_birth(s, 6, 2, 2, "both in one tick");
	fake_enter(s, row, 6, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, 6, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, 8, STAGE_CT, 0, -1, 0);
	fake_end(s, row, 8, FATE_COMMITTED);
	fake_unknown(s, fake_birth(s, 2, 9, 0, ""));
	expect_cells(s, 0, "     ×");
	s = fake_new();
	fake_ticks(s, 0, 9);
	row = fake_birth(s, 6, 2, 2, "both in one tick");
	fake_enter(s, row, 6, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, 6, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, 8, STAGE_CT, 0, -1, 0);
	fake_end(s, row, 8, FATE_COMMITTED);
	expect_cells(s, 0, "      DXC");
}

TEST(magnified_ticks_have_room_for_both)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 0, 2, 2, "x");
	struct screen sc;

	fake_enter(s, row, 0, STAGE_IF, CACHE, 0, CACHE);
	fake_enter(s, row, 1, STAGE_DA, 0, -1, 0);
	fake_enter(s, row, 1, STAGE_EX, AGEN, -1, 0);
	fake_enter(s, row, 2, STAGE_CT, 0, -1, 0);
	fake_end(s, row, 2, FATE_COMMITTED);
	view_screen_open(&sc, s, 100, 10);
	sc.view.axis.zoom = -2;
	pipeview_layout(&sc.view, 100, 10);
	assert_string_equal(screen_cells(&sc, 0), "IF*fDEX+Cccc");
	view_screen_close(&sc);
	fake_free(s);
}

TEST(zoomed_out_rows_show_the_dominant_stage)
{
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 1, 3, 11, 16);
	fake_ticks(s, 0, 40);
	view_screen_open(&sc, s, 100, 10);
	sc.view.axis.zoom = 2;
	pipeview_layout(&sc.view, 100, 10);
	assert_string_equal(screen_cells(&sc, 0), "DXxWC");
	view_screen_close(&sc);
	fake_free(s);
}

TEST(hidden_stages_are_dots)
{
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 2, 4, 7, 10);
	view_screen_open(&sc, s, 100, 10);
	sc.view.stage_hidden = 1U << STAGE_DA | 1U << STAGE_WB;
	assert_string_equal(screen_cells(&sc, 0), "Ff..Xxx...C");
	view_screen_close(&sc);
	fake_free(s);
}

static bool highlighted(struct screen *sc, int column)
{
	return bg_at(sc, column, 0) == palette_style(&sc->palette, ROLE_HIGHLIGHT).bg &&
	       screen_cell(sc, column, 0)->style.attrs ==
		   palette_style(&sc->palette, ROLE_HIGHLIGHT).attrs;
}

TEST(highlights_mark)
{
	struct store *s = load_with_miss(STAGE_EX, AGEN, -1, 0);
	struct screen sc;

	view_screen_open(&sc, s, 100, 10);
	sc.view.highlight = (struct highlight){HIGHLIGHT_EVENT, EVENT_AGEN};
	assert_string_equal(screen_cells(&sc, 0), "          FfDd+xxxxxxxWwC");
	assert_true(highlighted(&sc, 14));
	assert_false(highlighted(&sc, 15));
	sc.view.highlight = (struct highlight){HIGHLIGHT_STAGE, STAGE_WB};
	view_screen_draw(&sc);
	assert_true(highlighted(&sc, 22) && highlighted(&sc, 23));
	assert_false(highlighted(&sc, 21));
	view_screen_close(&sc);
	fake_free(s);
}

/* A stage of one tick is found at any zoom, beside whatever it lies. */
TEST(a_highlighted_stage_shows_at_any_zoom)
{
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 12, 13, 27, 40);
	whole_row(s, 0, 20, 21, 27, 40);
	view_screen_open(&sc, s, 100, 10);
	sc.view.highlight = (struct highlight){HIGHLIGHT_STAGE, STAGE_DA};
	for (int rows = 0; rows < 2; rows++)
		for (int zoom = 0; zoom < 5; zoom++) {
			sc.view.row_zoom = rows;
			sc.view.axis.zoom = zoom;
			pipeview_layout(&sc.view, 100, 10);
			sc.view.axis.tick = 39; /* the cursor out of the way */
			assert_int_equal(screen_cells(&sc, 0)[12 >> zoom], 'D');
			assert_true(highlighted(&sc, 12 >> zoom) || 12 >> zoom == 39 >> zoom);
		}
	sc.view.highlight.what = STAGE_CT;
	for (int rows = 0; rows < 2; rows++) {
		sc.view.row_zoom = rows;
		sc.view.axis.zoom = 3;
		pipeview_layout(&sc.view, 100, 10);
		sc.view.axis.tick = 0;
		assert_int_equal(screen_cells(&sc, 0)[40 >> 3], 'C');
		assert_true(highlighted(&sc, 40 >> 3));
	}
	view_screen_close(&sc);
	fake_free(s);
}

TEST(stretches_begin_with_a_capital_at_any_zoom)
{
	static const struct {
		int rows, ticks;
		const char *cells;
	} looks[] = {
	    {0, 0, "FfffffffDdddddddXxxxxxxxWwwwwwwwC"},
	    {0, 1, "FfffDdddXxxxWwwwC"},
	    {0, 2, "FfDdXxWwC"},
	    {0, 3, "FDXWC"},
	    {1, 0, "FfffffffDdddddddXxxxxxxxWwwwwwwwC"},
	    {1, 1, "FfffDdddXxxxWwwwC"},
	    {1, 2, "FfDdXxWwC"},
	};
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 8, 16, 24, 32);
	whole_row(s, 0, 8, 16, 24, 32);
	view_screen_open(&sc, s, 100, 10);
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		sc.view.row_zoom = looks[i].rows;
		sc.view.axis.zoom = looks[i].ticks;
		pipeview_layout(&sc.view, 100, 10);
		assert_string_equal(screen_cells(&sc, 0), looks[i].cells);
	}
	sc.view.axis.left = 4; /* what began before the window goes on in it */
	sc.view.axis.tick = 8;
	pipeview_layout(&sc.view, 100, 10);
	assert_string_equal(screen_cells(&sc, 0), "fDdXxWwC");
	view_screen_close(&sc);
	fake_free(s);
}

TEST(aggregates_show_the_rarest_problem)
{
	struct store *s = fake_pipeline(512, 3);
	uint64_t row = fake_birth(s, 900, 1, 2, "x");
	struct screen sc;

	fake_enter(s, row, 900, STAGE_IF, TLB | MISPREDICT, 0, 0);
	fake_end(s, row, 904, FATE_SQUASHED);
	view_screen_open(&sc, s, 100, 12);
	fake_detail_calls = 0;
	pipeview_fit(&sc.view);
	assert_true(sc.view.row_zoom > 0 && sc.view.axis.zoom > 0);
	/* the last line holds only the row above; the trace has fewer TLB misses */
	assert_int_equal(
	    screen_cells(&sc, (int)(512 >> sc.view.row_zoom))[900 >> sc.view.axis.zoom], '!');
	assert_int_equal(fake_detail_calls, 0);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(only_rare_events_have_their_colour_from_afar)
{
	struct store *s = fake_new();
	struct screen sc;

	for (int i = 0; i < 400; i++) {
		uint64_t row = fake_birth(s, i, 1, 2, "x");

		fake_enter(s, row, i, STAGE_IF, (i % 4 == 0 ? CACHE : 0) | (i == 200 ? TLB : 0), -1,
			   0);
		fake_end(s, row, i + 3, FATE_COMMITTED);
	}
	view_screen_open(&sc, s, 100, 12);
	sc.view.row_zoom = sc.view.axis.zoom = 4;
	pipeview_goto(&sc.view, 200, TICK_NONE);
	sc.view.top = 192 - 32;
	sc.view.axis.left = 160;
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 1, 1)->cp, '*');
	assert_int_equal(bg_at(&sc, 1, 1), palette_style(&sc.palette, ROLE_STAGE_0).bg);
	sc.view.cursor = 160;
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 2, 2)->cp, '!');
	assert_int_equal(bg_at(&sc, 2, 2),
			 palette_style(&sc.palette, (enum role)(ROLE_EVENT_0 + 1)).bg);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(the_gutter_tells_the_row)
{
	struct store *s = fake_new();
	struct marks marks = {{{.letter = 'a', .at.item = 1}}, 1};
	struct screen sc;

	whole_row(s, 0, 2, 4, 7, 10);
	fake_parent(s, whole_row(s, 0, 2, 4, 7, 10), 0);
	view_screen_open(&sc, s, 100, 10);
	sc.view.marks = &marks;
	assert_memory_equal(screen_line(&sc, 2), "      100 120007a8c addq r1,8,r1 ", 32);
	assert_memory_equal(screen_line(&sc, 3), "a     100 120007a8c  addq r1,8,r1", 32);
	sc.view.gutter_shown[GUTTER_PC] = sc.view.gutter_shown[GUTTER_MARK] = false;
	sc.view.gutter_width[GUTTER_TEXT] = 8;
	pipeview_layout(&sc.view, 100, 10);
	assert_memory_equal(screen_line(&sc, 2), "    100 addq r1\xe2\x80\xa6 Ff", 20);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(hostile_text_stays_in_its_column)
{
	struct store *s = fake_new();
	uint64_t row = fake_birth(s, 0, 1, 2, "\033[2J\xe2\x80\xae\x9b evil");
	struct sbuf out = {0};
	struct screen sc;

	fake_enter(s, row, 0, STAGE_IF, 0, -1, 0);
	fake_end(s, row, 3, FATE_SQUASHED);
	view_screen_open(&sc, s, 80, 10);
	assert_string_equal(screen_cells(&sc, 0), "fff×");
	grid_export(&sc.grid, GRID_TEXT, &out);
	assert_null(strchr(out.text, '\033'));
	assert_null(strstr(out.text, "\xe2\x80\xae"));
	sbuf_free(&out);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(search_matches_are_marked)
{
	struct store *s = fake_new();
	struct regex *re;
	struct screen sc;
	struct style found;

	whole_row(s, 0, 2, 4, 7, 10);
	view_screen_open(&sc, s, 100, 10);
	found = palette_style(&sc.palette, ROLE_SEARCH);
	assert_int_equal(regex_new(&re, "r1,8", NULL), STATUS_OK);
	sc.view.search = re;
	view_screen_draw(&sc);
	/* text column at 20: "addq r1,8,r1" */
	assert_int_not_equal(grid_at(&sc.grid, 24, 2)->style.bg, found.bg);
	for (int x = 25; x < 29; x++)
		assert_int_equal(grid_at(&sc.grid, x, 2)->style.bg, found.bg);
	assert_int_not_equal(grid_at(&sc.grid, 29, 2)->style.bg, found.bg);
	regex_free(re);
	assert_int_equal(regex_new(&re, "0x120007a", NULL), STATUS_OK);
	sc.view.search = re;
	view_screen_draw(&sc);
	for (int x = 10; x < 17; x++)
		assert_int_equal(grid_at(&sc.grid, x, 2)->style.bg, found.bg);
	assert_int_not_equal(grid_at(&sc.grid, 17, 2)->style.bg, found.bg);
	regex_free(re);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(ruler_labels_stand_on_their_ticks)
{
	struct store *s = fake_new();
	struct screen sc;
	const char *line;
	int gutter;

	whole_row(s, 0, 2, 4, 7, 10);
	fake_ticks(s, 0, 48312907);
	view_screen_open(&sc, s, 120, 10);
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
	fake_free(s);
}

/* Numbers so long that often no mark has room for its own: the left edge tells what it is, then. */
TEST(ruler_tells_some_time)
{
	const int64_t far = (INT64_C(1) << 56) + 1;
	struct store *s = fake_new();
	unsigned whole = 0, cut = 0;

	whole_row(s, far, far + 2, far + 4, far + 7, far + 10);
	fake_ticks(s, far, far + 1000);
	for (int width = 90; width > 24; width--) {
		char want[32], *label;
		struct screen sc;
		const char *line;
		int column;

		view_screen_open(&sc, s, width, 10);
		pipeview_goto_tick(&sc.view, far + 20);
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
		view_screen_close(&sc);
	}
	assert_true(whole > 20 && cut > 4);
	fake_free(s);
}

TEST(selections_are_shown)
{
	struct store *s = fake_new();
	struct screen sc;

	whole_row(s, 0, 2, 4, 7, 10);
	whole_row(s, 0, 2, 4, 7, 10);
	view_screen_open(&sc, s, 100, 10);
	sc.view.selection = (struct selection){true, 1, 2, 3, 5};
	view_screen_draw(&sc);
	assert_int_equal(screen_cell(&sc, 3, 0)->style.attrs & ATTR_REVERSE, 0);
	assert_int_equal(screen_cell(&sc, 2, 1)->style.attrs & ATTR_REVERSE, 0);
	assert_int_not_equal(screen_cell(&sc, 3, 1)->style.attrs & ATTR_REVERSE, 0);
	assert_int_not_equal(screen_cell(&sc, 4, 1)->style.attrs & ATTR_REVERSE, 0);
	assert_int_equal(screen_cell(&sc, 5, 1)->style.attrs & ATTR_REVERSE, 0);
	view_screen_close(&sc);
	fake_free(s);
}

/* Guides, models D: what must stay blank so that a terminal can clear and shift cheaply. */
TEST(the_right_edge_is_the_terminals)
{
	struct store *s = fake_pipeline(300, 5);
	struct screen sc;

	view_screen_open(&sc, s, 200, 50);
	view_screen_draw(&sc);
	for (int y = 0; y < 50; y++) {
		const struct cell *c = grid_at(&sc.grid, 199, y);

		assert_int_equal(c->style.bg, -1);
		if (y > 1)
			assert_int_equal(c->cp, ' ');
	}
	view_screen_close(&sc);
	fake_free(s);
}

/* The cursor costs its own cell and two of the label. */
TEST(moving_the_cursor_changes_few_cells)
{
	struct store *s = fake_pipeline(300, 5);
	struct grid before = {0};
	struct screen sc;
	int changed = 0;

	view_screen_open(&sc, s, 200, 50);
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
	fake_free(s);
}

TEST(frames_of_the_same_rows_ask_once)
{
	struct store *s = fake_pipeline(300, 5);
	struct screen sc;

	view_screen_open(&sc, s, 120, 40);
	fake_detail_calls = fake_picture_calls = 0;
	for (int i = 0; i < 5; i++) {
		pipeview_move_columns(&sc.view, 1);
		view_screen_draw(&sc);
	}
	assert_int_equal(fake_detail_calls, 1);
	pipeview_zoom(&sc.view, 1, 0);
	view_screen_draw(&sc);
	pipeview_move_rows(&sc.view, 1);
	view_screen_draw(&sc);
	assert_int_equal(fake_picture_calls, 1);
	pipeview_scroll(&sc.view, sc.view.lines, 0);
	view_screen_draw(&sc);
	assert_int_equal(fake_picture_calls, 2);
	view_screen_close(&sc);
	fake_free(s);
}

TEST(any_size_is_drawn)
{
	struct store *s = fake_pipeline(200, 6);
	struct screen sc;

	view_screen_open(&sc, s, 20, 5);
	assert_memory_equal(screen_line(&sc, 2), "    1000 F", 10);
	view_screen_close(&sc);
	for (int w = 1; w < 60; w += 3)
		for (int h = 1; h < 12; h++) {
			view_screen_open(&sc, s, w, h);
			view_screen_draw(&sc);
			pipeview_fit(&sc.view);
			view_screen_draw(&sc);
			assert_true(pipeview_gutter_width(&sc.view) <= w);
			view_screen_close(&sc);
		}
	fake_free(s);
}

TEST(an_empty_trace_is_drawn)
{
	struct store *s = fake_new();
	uint64_t row;
	int64_t tick;
	struct screen sc;

	view_screen_open(&sc, s, 80, 24);
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
	fake_free(s);
}

TEST(the_status_line_drops_what_does_not_fit)
{
	struct store *s = fake_pipeline(2000, 5);
	struct sbuf out = {0};
	struct screen sc;

	view_screen_open(&sc, s, 80, 24);
	pipeview_goto(&sc.view, 1500, TICK_NONE);
	pipeview_zoom(&sc.view, 0, 2);
	pipeview_status(&sc.view, 80, &out);
	assert_memory_equal(out.text, "row 1 500 of 2 0", 16);
	assert_non_null(strstr(out.text, "  cycle "));
	assert_non_null(strstr(out.text, "  1:4  IPC "));
	sbuf_clear(&out);
	pipeview_status(&sc.view, 20, &out);
	assert_memory_equal(out.text, "row 1 500 of 2 00", 17);
	assert_null(strstr(out.text, "cycle"));
	sbuf_free(&out);
	view_screen_close(&sc);
	fake_free(s);
}
