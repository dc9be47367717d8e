/*
 * Frames, without a program around them: random walks over a pipeline picture through
 * src/term/screen.c into libvterm, compared cell by cell and colour by colour.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <locale.h>

#include "emulator.h"
#include "term/screen.h"
#include "term/terminal.h"

enum { GUTTER = 36, STAGES = 7, POPUP_W = 40, POPUP_H = 12 };

/* A picture like the program's: labels, bars of lettered stages, a ruler, a status line. */
struct picture {
	long row, cycle, cursor;
	enum color_depth depth;
	bool border;  /* something in the last column */
	bool popup;   /* something in the right half that stays where it is */
	bool wide;    /* labels with wide characters */
	int prompt_x; /* -1: no cursor shown */
};

struct rig {
	struct screen *screen;
	struct emulator emulator;
	struct grid grid;
	struct picture picture;
	bool own_cursor; /* the terminal shows the view's cursor by its own */
};

static uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}

static struct style stage_style(const struct picture *p, int stage)
{
	static const int16_t many[STAGES] = {110, 72, 179, 174, 140, 109, 180};
	static const int16_t few[STAGES] = {2, 4, 6, 3, 5, 1, 7};
	struct style s = {-1, -1, 0};

	if (p->depth != DEPTH_MONO)
		s.bg = p->depth == DEPTH_256 ? many[stage] : few[stage];
	else if (stage & 1)
		s.attrs = ATTR_BOLD;
	return s;
}

static void draw_bar(struct grid *g, const struct picture *p, long row, int y, int gutter)
{
	long tick = row * 2 + (long)(mix((uint32_t)row) % 3);

	for (int stage = 0; stage < STAGES; stage++) {
		uint32_t longest = stage == 4 ? 9 : 2;
		int length = 1 + (int)(mix((uint32_t)(row * STAGES + stage)) % longest);

		for (; length > 0; length--, tick++) {
			long x = gutter + tick - p->cycle;

			if (x >= gutter && x < g->w)
				grid_put(g, (int)x, y, (uint32_t) "FDRIXMC"[stage],
					 stage_style(p, stage));
		}
	}
}

static void draw_picture(struct grid *g, const struct picture *p)
{
	const struct style plain = {-1, -1, 0}, under_cursor = {-1, -1, ATTR_REVERSE};
	int gutter = g->w > 2 * GUTTER ? GUTTER : g->w / 3;
	struct rect all = {0, 0, g->w, g->h};

	grid_clear(g, plain);
	for (int x = gutter; x < g->w; x += 10)
		grid_printf(g, all, x, 0, plain, "|%ld", p->cycle + x - gutter);
	for (int y = 1; y < g->h - 1; y++) {
		long row = p->row + y - 1;
		struct rect label = {0, y, gutter - 1, 1};
		struct style s = row == p->cursor ? under_cursor : plain;

		grid_printf(g, label, 0, y, s, "%6ld %08lx %s x%ld,x%ld", row, 0x400000 + row * 4,
			    p->wide && row % 5 == 0 ? "語言" : "add", row % 31, row * 7 % 31);
		draw_bar(g, p, row, y, gutter);
		if (p->border)
			grid_put(g, g->w - 1, y, 0x2502, plain);
	}
	if (p->popup)
		for (int y = 2; y < 2 + POPUP_H && y < g->h; y++)
			for (int x = g->w - POPUP_W; x < g->w; x++)
				if (x >= 0)
					grid_put(g, x, y, (uint32_t)('a' + (x + y) % 26),
						 under_cursor);
	grid_printf(g, all, 0, g->h - 1, plain, "row %ld cycle %ld", p->row, p->cycle);
	g->cursor_x = p->prompt_x;
	g->cursor_y = g->h - 1;
}

static void rig_open(struct rig *r, const char *term, enum color_depth depth, int w, int h)
{
	memset(r, 0, sizeof(*r));
	emulator_init(&r->emulator, w, h);
	assert_true(terminal_load(term));
	r->screen = screen_new(depth != DEPTH_MONO, false);
	screen_resize(r->screen, w, h);
	assert_true(grid_resize(&r->grid, w, h));
	r->picture = (struct picture){
	    .row = 1000, .cycle = 2000, .cursor = 1003, .depth = depth, .prompt_x = -1};
}

static void rig_close(struct rig *r)
{
	screen_free(r->screen);
	emulator_free(&r->emulator);
	grid_free(&r->grid);
}

static void rig_resize(struct rig *r, int w, int h)
{
	emulator_resize(&r->emulator, w, h);
	assert_true(grid_resize(&r->grid, w, h));
	screen_resize(r->screen, w, h);
}

static void compare(const struct rig *r)
{
	for (int y = 0; y < r->grid.h; y++)
		for (int x = 0; x < r->grid.w; x++) {
			struct cell wanted = r->grid.cells[y * r->grid.w + x];
			struct cell shown = emulator_cell(&r->emulator, x, y);

			if (!emulator_looks_same(wanted, shown))
				fail_msg("cell %d,%d is U+%04X (%d on %d, %u), not U+%04X (%d on "
					 "%d, %u)",
					 x, y, shown.cp, shown.style.fg, shown.style.bg,
					 shown.style.attrs, wanted.cp, wanted.style.fg,
					 wanted.style.bg, wanted.style.attrs);
		}
}

static void rig_frame(struct rig *r)
{
	struct sbuf out = {0};
	struct error e;
	int x, y;

	draw_picture(&r->grid, &r->picture);
	assert_int_equal(screen_draw(r->screen, &r->grid, &out, &e), STATUS_OK);
	emulator_feed(&r->emulator, sbuf_text(&out), out.len);
	sbuf_free(&out);
	compare(r);
	if (r->picture.prompt_x >= 0) {
		emulator_cursor(&r->emulator, &x, &y);
		assert_int_equal(x, r->picture.prompt_x);
		assert_int_equal(y, r->grid.h - 1);
	}
}

static void random_step(struct rig *r, uint32_t dice)
{
	struct picture *p = &r->picture;
	static const int steps[] = {-24, -8, -3, -1, 1, 2, 5, 16};
	int step = steps[dice >> 8 & 7];

	switch (dice % 16) {
	case 0:
	case 1:
	case 2:
		p->cycle += step;
		break;
	case 3:
	case 4:
		p->row += step;
		break;
	case 5:
	case 6:
	case 7:
	case 8:
		p->row += step;
		p->cycle += 2 * step;
		break;
	case 9:
		p->row += 20;
		p->cycle += 40;
		break;
	case 10:
		p->border = !p->border;
		break;
	case 11:
		p->popup = !p->popup;
		break;
	case 12:
		p->wide = !p->wide;
		break;
	case 13:
		p->prompt_x = p->prompt_x < 0 ? 5 : -1;
		break;
	case 14:
		if (dice >> 16 & 1)
			screen_repaint(r->screen);
		else
			rig_resize(r, 20 + (int)(dice >> 17) % 180, 3 + (int)(dice >> 25) % 60);
		break;
	default:
		p->cursor = p->row + (long)(dice >> 8) % 20;
	}
}

/* 600 frames from each seed, every one compared. */
static void walk(const char *term, enum color_depth depth, uint32_t seed)
{
	struct rig r;

	rig_open(&r, term, depth, 120, 40);
	for (uint32_t i = 0; i < 600; i++) {
		rig_frame(&r);
		random_step(&r, mix(seed * 1000 + i));
	}
	rig_close(&r);
}

static void frames_are_right(void **state)
{
	static const struct {
		const char *term;
		enum color_depth depth;
	} terminals[] = {
	    {"xterm-256color", DEPTH_256},  {"xterm-256color", DEPTH_8},
	    {"xterm-256color", DEPTH_MONO}, {"screen-256color", DEPTH_256},
	    {"tmux-256color", DEPTH_256},   {"linux", DEPTH_8},
	    {"vt100", DEPTH_MONO},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++)
		for (uint32_t seed = 1; seed <= 2; seed++)
			walk(terminals[i].term, terminals[i].depth, seed);
}

/* The cell under the view's cursor is reversed, or as it is and under the terminal's cursor. */
static void frame_with_cursor(struct rig *r, int at_x, int at_y, struct style style, bool typing)
{
	static const struct style plain = {-1, -1, 0};
	struct sbuf out = {0};
	struct cell shown, under;
	struct error e;
	int x, y;
	bool own;

	draw_picture(&r->grid, &r->picture);
	under = *grid_at(&r->grid, at_x, at_y);
	grid_spot(&r->grid, at_x, at_y, style);
	if (typing)
		grid_put(&r->grid, r->grid.cursor_x = 3, r->grid.cursor_y = 0, ':', plain);
	assert_int_equal(screen_draw(r->screen, &r->grid, &out, &e), STATUS_OK);
	emulator_feed(&r->emulator, sbuf_text(&out), out.len);
	sbuf_free(&out);
	own = r->own_cursor && !typing && style.attrs == ATTR_REVERSE;
	shown = emulator_cell(&r->emulator, at_x, at_y);
	if (own)
		assert_true(emulator_looks_same(under, shown));
	else
		compare(r);
	assert_int_equal(r->emulator.cursor_visible, own || typing);
	emulator_cursor(&r->emulator, &x, &y);
	if (own || typing) {
		assert_int_equal(x, own ? at_x : 3);
		assert_int_equal(y, own ? at_y : 0);
	}
}

static void the_cursor_is_the_terminals_where_it_can_be_a_block(void **state)
{
	static const struct {
		const char *term;
		bool own;
	} terminals[] = {
	    {"xterm-256color", true},
	    {"tmux-256color", true},
	    {"screen-256color", false},
	    {"linux", false},
	};
	static const struct style reverse = {-1, -1, ATTR_REVERSE}, other = {-1, 4, ATTR_BOLD};

	(void)state;
	for (size_t i = 0; i < sizeof(terminals) / sizeof(terminals[0]); i++) {
		struct rig r;

		rig_open(&r, terminals[i].term, DEPTH_8, 80, 24);
		r.own_cursor = terminals[i].own;
		frame_with_cursor(&r, 40, 3, reverse, false);
		frame_with_cursor(&r, 40, 3, reverse, false);
		frame_with_cursor(&r, 41, 3, reverse, false);
		frame_with_cursor(&r, 41, 3, reverse, true);
		frame_with_cursor(&r, 12, 9, reverse, false);
		frame_with_cursor(&r, 12, 9, other, false);
		frame_with_cursor(&r, 13, 9, other, true);
		frame_with_cursor(&r, 79, 22, reverse, true);
		rig_frame(&r); /* none */
		assert_false(r.emulator.cursor_visible);
		frame_with_cursor(&r, 12, 9, reverse, false);
		rig_close(&r);
	}
}

static void what_is_drawn_over_the_cursor_hides_it(void **state)
{
	static const struct style reverse = {-1, -1, ATTR_REVERSE}, plain = {-1, -1, 0};
	struct sbuf out = {0};
	struct error e;
	struct rig r;

	(void)state;
	rig_open(&r, "xterm-256color", DEPTH_256, 80, 24);
	draw_picture(&r.grid, &r.picture);
	grid_spot(&r.grid, 40, 3, reverse);
	grid_put(&r.grid, 40, 3, 'X', plain);
	assert_int_equal(screen_draw(r.screen, &r.grid, &out, &e), STATUS_OK);
	emulator_feed(&r.emulator, sbuf_text(&out), out.len);
	compare(&r);
	assert_false(r.emulator.cursor_visible);
	sbuf_free(&out);
	rig_close(&r);
}

/* The shape of the user's cursor: libvterm does not tell. */
static const char usual_cursor[] = "\033[0 q";

static void feed_farewell(struct rig *r)
{
	struct sbuf out = {0};

	screen_farewell(r->screen, &out);
	assert_non_null(strstr(sbuf_text(&out), usual_cursor));
	emulator_feed(&r->emulator, sbuf_text(&out), out.len);
	screen_left(r->screen);
	sbuf_free(&out);
}

static void leaves_the_terminal_as_it_was(void **state)
{
	struct sbuf row = {0};
	struct rig r;

	(void)state;
	rig_open(&r, "xterm-256color", DEPTH_256, 80, 24);
	emulator_feed(&r.emulator, "$ pipeglass\r\n", 13);
	assert_false(screen_inside(r.screen));
	rig_frame(&r);
	assert_true(screen_inside(r.screen));
	assert_true(r.emulator.alternate);
	assert_false(r.emulator.cursor_visible);
	feed_farewell(&r);
	assert_false(r.emulator.alternate);
	assert_true(r.emulator.cursor_visible);
	emulator_row(&r.emulator, 0, &row);
	assert_string_equal(sbuf_text(&row), "$ pipeglass");
	emulator_feed(&r.emulator, "x", 1);
	assert_int_equal(emulator_cell(&r.emulator, 0, 0).style.bg, -1);
	sbuf_free(&row);
	rig_frame(&r); /* and takes it again */
	rig_close(&r);
}

/* Without cursor motion a frame is its lines; an unchanged one is nothing. */
static void teletype_gets_lines(void **state)
{
	struct sbuf row = {0};
	struct rig r;
	struct sbuf out = {0};
	struct error e;

	(void)state;
	rig_open(&r, "dumb", DEPTH_MONO, 80, 24);
	draw_picture(&r.grid, &r.picture);
	assert_int_equal(screen_draw(r.screen, &r.grid, &out, &e), STATUS_OK);
	assert_null(strchr(sbuf_text(&out), '\033'));
	emulator_feed(&r.emulator, sbuf_text(&out), out.len);
	emulator_row(&r.emulator, 23, &row);
	assert_string_equal(sbuf_text(&row), "row 1000 cycle 2000");
	sbuf_clear(&out);
	assert_int_equal(screen_draw(r.screen, &r.grid, &out, &e), STATUS_OK);
	assert_int_equal(out.len, 0);
	sbuf_free(&out);
	sbuf_free(&row);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(frames_are_right),
	    cmocka_unit_test(the_cursor_is_the_terminals_where_it_can_be_a_block),
	    cmocka_unit_test(what_is_drawn_over_the_cursor_hides_it),
	    cmocka_unit_test(leaves_the_terminal_as_it_was),
	    cmocka_unit_test(teletype_gets_lines),
	};

	setlocale(LC_CTYPE, "");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
