#include "config.h"

#include <stdio.h>
#include <string.h>

#include "testing.h"
#include "view/grid.h"
#include "view/palette.h"

static const struct style plain = {.fg = -1, .bg = -1};
static const struct style red = {.fg = 1, .bg = -1};
static const struct style mid = {.fg = -1, .bg = 67};
static const struct style bold_mid = {.fg = -1, .bg = 67, .attrs = ATTR_BOLD};

static struct grid new_grid(int w, int h)
{
	struct grid g = {0};

	assert_true(grid_resize(&g, w, h));
	grid_clear(&g, plain);
	return g;
}

static void expect_export(const struct grid *g, enum grid_format format, const char *want)
{
	struct sbuf out = {0};

	grid_export(g, format, &out);
	assert_string_equal(sbuf_text(&out), want);
	sbuf_free(&out);
}

TEST(text_is_clipped_and_trimmed)
{
	struct grid g = new_grid(8, 2);

	assert_int_equal(grid_puts(&g, (struct rect){2, 0, 3, 1}, 2, 0, "abcdef", plain), 3);
	assert_int_equal(grid_puts(&g, (struct rect){0, 0, 8, 2}, 0, 5, "below", plain), 0);
	assert_int_equal(grid_printf(&g, (struct rect){0, 0, 99, 99}, 6, 1, plain, "%d", 1234), 2);
	grid_put(&g, -1, 0, 'x', plain);
	grid_put(&g, 0, 2, 'x', plain);
	expect_export(&g, GRID_TEXT, "  abc\n      12\n");
	grid_free(&g);
}

TEST(text_left_of_the_clip_is_skipped)
{
	struct grid g = new_grid(6, 1);

	grid_puts(&g, (struct rect){2, 0, 4, 1}, 0, 0, "abcdef", plain);
	expect_export(&g, GRID_TEXT, "  cdef\n");
	grid_free(&g);
}

TEST(nothing_that_enters_is_an_escape)
{
	struct grid g = new_grid(20, 1);
	struct sbuf out = {0};

	grid_puts(&g, (struct rect){0, 0, 20, 1}, 0, 0, "a\033[31mb\xc2\x9b\x7f\xe2\x80\xae",
		  plain);
	grid_export(&g, GRID_ANSI, &out);
	assert_null(strchr(out.text, '\033'));
	assert_null(strstr(out.text, "\xc2\x9b"));
	assert_null(strstr(out.text, "\xe2\x80\xae"));
	sbuf_free(&out);
	grid_free(&g);
}

/* A cell is one character: its mark is left out, and one alone is not nothing. */
TEST(marks_are_left_out)
{
	struct grid g = {0};

	assert_true(grid_resize(&g, 6, 1));
	grid_clear(&g, plain);
	assert_int_equal(
	    grid_puts(&g, (struct rect){0, 0, 6, 1}, 0, 0, "e\xcc\x81x\xef\xb8\x8f", plain), 2);
	grid_put(&g, 3, 0, 0x301, plain);
	expect_export(&g, GRID_TEXT, "ex \xef\xbf\xbd\n");
	grid_free(&g);
}

TEST(wide_characters_are_never_halved)
{
	struct grid g = new_grid(6, 1);
	struct rect all = {0, 0, 6, 1};

	assert_int_equal(grid_puts(&g, all, 0, 0, "\xe4\xb8\xad\xe4\xb8\xad", plain), 4);
	grid_put(&g, 1, 0, 'x', plain);
	expect_export(&g, GRID_TEXT, " x\xe4\xb8\xad\n");
	grid_put(&g, 2, 0, 'y', plain);
	expect_export(&g, GRID_TEXT, " xy\n");
	assert_int_equal(grid_puts(&g, all, 5, 0, "\xe4\xb8\xad", plain), 0);
	grid_put(&g, 5, 0, 0x4e2d, plain);
	expect_export(&g, GRID_TEXT, " xy\n");
	grid_free(&g);
}

TEST(ascii_terminals_get_ascii)
{
	struct grid g = new_grid(6, 1);

	g.ascii = true;
	grid_puts(&g, (struct rect){0, 0, 6, 1}, 0, 0,
		  "\xe2\x94\x82\xe2\x96\x88\xe2\x80\xa6\xc3\xa9", plain);
	grid_fill(&g, (struct rect){4, 0, 2, 1}, 0x2500, plain);
	expect_export(&g, GRID_TEXT, "|#~?--\n");
	grid_free(&g);
}

TEST(ansi_changes_as_little_as_it_can)
{
	struct grid g = new_grid(8, 2);

	grid_put(&g, 0, 0, 'a', red);
	grid_put(&g, 1, 0, 'b', red);
	grid_put(&g, 2, 0, 'c', mid);
	grid_put(&g, 3, 0, 'd', bold_mid);
	grid_put(&g, 4, 0, 'e', mid);
	grid_put(&g, 5, 0, 'f', plain);
	grid_put(&g, 3, 1, ' ', mid);
	expect_export(&g, GRID_ANSI,
		      "\033[31mab\033[39;48;5;67mc\033[1md\033[0;48;5;67me\033[mf\n"
		      "   \033[48;5;67m \033[m\n");
	grid_free(&g);
}

TEST(markup_is_escaped)
{
	static const enum grid_format formats[] = {GRID_HTML, GRID_SVG};
	struct grid g = new_grid(12, 1);

	grid_puts(&g, (struct rect){0, 0, 12, 1}, 0, 0, "<b>&\"'", red);
	for (size_t i = 0; i < 2; i++) {
		struct sbuf out = {0};

		grid_export(&g, formats[i], &out);
		assert_null(strstr(out.text, "<b>"));
		assert_non_null(strstr(out.text, "&lt;b&gt;&amp;"));
		sbuf_free(&out);
	}
	grid_free(&g);
}

TEST(markup_has_the_colours)
{
	struct grid g = new_grid(4, 1);
	struct sbuf html = {0}, svg = {0};

	grid_put(&g, 1, 0, 'X', bold_mid);
	grid_export(&g, GRID_HTML, &html);
	grid_export(&g, GRID_SVG, &svg);
	assert_non_null(
	    strstr(html.text, " <span style=\"background:#5f87af;font-weight:bold;\">X</span>  "));
	assert_non_null(strstr(svg.text, "<rect x=\"8\" y=\"0\" width=\"8\" height=\"17\" "
					 "fill=\"#5f87af\"/>"));
	assert_non_null(strstr(svg.text, "font-weight=\"bold\">X</text>"));
	sbuf_free(&html);
	sbuf_free(&svg);
	grid_free(&g);
}

TEST(reversed_defaults_are_seen_in_markup)
{
	const struct style reversed = {plain.fg, plain.bg, plain.attrs | ATTR_REVERSE};
	struct grid g = new_grid(1, 1);
	struct sbuf html = {0};

	grid_put(&g, 0, 0, 'r', reversed);
	grid_export(&g, GRID_HTML, &html);
	assert_non_null(strstr(html.text, "color:#1c1c1c;background:#d0d0d0;"));
	sbuf_free(&html);
	grid_free(&g);
}

TEST(formats_have_names)
{
	enum grid_format f;

	assert_true(grid_format_parse("svg", &f));
	assert_int_equal(f, GRID_SVG);
	assert_false(grid_format_parse("pdf", &f));
}

TEST(every_role_has_all_its_looks)
{
	struct palette p;

	palette_init(&p, DEPTH_256);
	for (int r = ROLE_STAGE_0; r < ROLE_METRIC_0; r++) {
		struct style coloured = p.look[DEPTH_256][r];

		if (r < ROLE_STAY_0 || r >= ROLE_EVENT_0)
			assert_true(coloured.fg == -1 || coloured.bg == -1);
		if (r != ROLE_EVENT_0 + 4)
			assert_true(coloured.bg >= 16);
		assert_true(p.look[DEPTH_8][r].fg < 8 && p.look[DEPTH_8][r].bg < 8);
		assert_true(p.look[DEPTH_MONO][r].fg == -1 && p.look[DEPTH_MONO][r].bg == -1);
	}
	assert_true(p.look[DEPTH_MONO][ROLE_CURSOR].attrs & ATTR_REVERSE);
	assert_true(p.look[DEPTH_MONO][ROLE_EVENT_0].attrs & ATTR_REVERSE);
}

TEST(the_first_stages_differ_in_colour)
{
	struct palette p;

	palette_init(&p, DEPTH_256);
	for (int a = 0; a < PALETTE_STAGES; a++)
		for (int b = 0; b < a; b++)
			assert_int_not_equal(p.look[DEPTH_256][ROLE_STAGE_0 + a].bg,
					     p.look[DEPTH_256][ROLE_STAGE_0 + b].bg);
}

/* Only 256 colours have a shade for them; what the user makes of the stage is the stay's too. */
TEST(stays_have_a_shade_of_their_stage)
{
	struct palette p;

	palette_init(&p, DEPTH_256);
	for (int i = 0; i < PALETTE_STAGES; i++) {
		enum role stage = (enum role)(ROLE_STAGE_0 + i), stay = palette_stay(stage);

		assert_int_not_equal(p.look[DEPTH_256][stay].bg, p.look[DEPTH_256][stage].bg);
		assert_memory_equal(&p.look[DEPTH_8][stay], &p.look[DEPTH_8][stage],
				    sizeof(struct style));
		assert_memory_equal(&p.look[DEPTH_MONO][stay], &p.look[DEPTH_MONO][stage],
				    sizeof(struct style));
	}
	assert_int_equal(palette_stay(ROLE_HIGHLIGHT), ROLE_HIGHLIGHT);
	assert_int_equal(palette_set(&p, "stage-3 256 default 25 -", NULL), STATUS_OK);
	assert_int_equal(p.look[DEPTH_256][ROLE_STAY_0 + 3].bg, 25);
}

TEST(palette_lines_are_checked)
{
	static const char *const bad[] = {
	    "stage-0 256 default",          "stage-16 256 default 1 -",
	    "stage-0 16 default 1 -",       "stage-0 8 default 200 -",
	    "stage-0 256 default 256 -",    "stage-0 256 pink 1 -",
	    "stage-0 256 default 1 bold,x", "text mono red default -",
	    "stage-0 256 1 1 - -",          "",
	};
	struct palette p, before;
	struct error e;

	palette_init(&p, DEPTH_256);
	before = p;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e.text[0] = '\0';
		assert_int_equal(palette_set(&p, bad[i], &e), STATUS_USAGE);
		assert_true(e.text[0]);
	}
	assert_memory_equal(&p, &before, sizeof(p));
	assert_int_equal(palette_set(&p, "stage-15 256 red 17 bold,underline", &e), STATUS_OK);
	assert_int_equal(palette_style(&p, (enum role)(ROLE_STAGE_0 + 15)).fg, 1);
	assert_int_equal(palette_style(&p, (enum role)(ROLE_STAGE_0 + 15)).attrs,
			 ATTR_BOLD | ATTR_UNDERLINE);
}

TEST(role_names_go_both_ways)
{
	struct palette p;

	palette_init(&p, DEPTH_256);
	for (int r = 0; r < ROLE_COUNT; r++) {
		char name[24], line[64];

		snprintf(line, sizeof(line), "%s 256 7 9 dim",
			 palette_role_name((enum role)r, name));
		assert_int_equal(palette_set(&p, line, NULL), STATUS_OK);
		assert_int_equal(palette_style(&p, (enum role)r).bg, 9);
	}
}
