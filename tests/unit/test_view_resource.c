/* Curves over time: what they know between samples and in wide columns, and how they are drawn. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "open_store.h"
#include "testing.h"
#include "view/bars.h"
#include "view/pipeline/pipeview_private.h"
#include "view/resource.h"
#include "view/strip.h"

enum { CYCLES = 400, SPIKE = 203, W = 100, H = 24 };

static char path[] = "/tmp/pipeglass-resource-XXXXXX";

/* A row each other cycle; a statistic every 20 cycles, from 7 on, and one spike of it. */
static double sample_at(int cycle)
{
	if (cycle == SPIKE)
		return 90;
	return cycle % 20 == 7 ? cycle : NAN;
}

static void write_trace(FILE *f)
{
	for (int c = 0, n = 1; c < CYCLES; c++) {
		fprintf(f, "@ %d\n", c);
		/* nothing at all is born from 100 to 149 */
		if (c % 2 == 0 && (c < 100 || c >= 150)) {
			fprintf(f, "+ %d 0x%x 0x0 addq r1,r2,r3\n* %d IF 0x000 0 0x000\n", n,
				0x1000 + n * 4, n);
			if (n > 3)
				fprintf(f, "* %d CT 0x000 0 0x000\n- %d\n", n - 3, n - 3);
			n++;
		}
		if (!isnan(sample_at(c)))
			fprintf(f, "<temp> %g\n", sample_at(c));
	}
}

static struct store *open_path(const char *name)
{
	struct trace_options options = {.no_cache = true};
	struct error e = {STATUS_OK, ""};
	struct store *s;

	if (store_open(&s, name, &options, &e) || store_wait(s, &e))
		fail_msg("%s", e.text);
	return s;
}

static struct store *open_trace(void)
{
	return open_path(path);
}

static int make_trace(void **state)
{
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	(void)state;
	if (!f)
		return -1;
	write_trace(f);
	return fclose(f);
}

static int remove_trace(void **state)
{
	(void)state;
	return unlink(path);
}

static struct curve_source named(struct store *s, const char *name)
{
	struct curve_source source;

	assert_int_equal(curve_find(trace_of_store(s), name, NULL, &source, NULL), STATUS_OK);
	return source;
}

/* ---- bars ---- */

TEST(bars_tell_zero_and_the_whole)
{
	for (int lines = 1; lines <= 20; lines++) {
		int before = 1, most = lines > 1 ? lines * BAR_EIGHTHS - 1 : BAR_EIGHTHS;

		assert_int_equal(bar_eighths(-1, lines), 1);
		assert_int_equal(bar_eighths(0, lines), 1);
		assert_int_equal(bar_eighths(1, lines), most);
		assert_int_equal(bar_eighths(7, lines), most);
		for (double part = 0; part < 1; part += 0.001) {
			int eighths = bar_eighths(part, lines);

			assert_in_range(eighths - before, 0, 1);
			before = eighths;
		}
	}
	assert_int_equal(bar_char(1, 3, 2), 0x2581);
	assert_int_equal(bar_char(1, 3, 1), ' ');
	assert_int_equal(bar_char(9, 3, 2), BAR_FULL);
	assert_int_equal(bar_char(9, 3, 1), 0x2581);
	assert_int_equal(bar_char(23, 3, 0), 0x2587);
	assert_int_equal(bar_top(8, 3), 2);
	assert_int_equal(bar_top(9, 3), 1);
}

/* ---- scales ---- */

TEST(scales_are_read_and_told)
{
	static const char *const wrong[] = {"", "automatic", "1", "3:1", "1:1", ":", "1:", ":2",
					    "a:b", "nan:1", "-1e308:1e308", "1:2:3"};
	struct scale s;
	struct sbuf text = {0};
	struct error e;

	assert_int_equal(scale_parse("auto", &s, &e), STATUS_OK);
	assert_int_equal(s.kind, SCALE_AUTO);
	assert_int_equal(scale_parse("shared", &s, &e), STATUS_OK);
	assert_int_equal(s.kind, SCALE_SHARED);
	assert_int_equal(scale_parse("-0.5:1e3", &s, &e), STATUS_OK);
	assert_int_equal(s.kind, SCALE_GIVEN);
	assert_true(s.low == -0.5 && s.high == 1000);
	scale_show(&s, &text);
	assert_string_equal(text.text, "-0.5:1000");
	sbuf_free(&text);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(scale_parse(wrong[i], &s, &e), STATUS_USAGE);
}

TEST(axes_hold_what_they_are_for)
{
	for (int i = -40; i <= 40; i++)
		for (double low = i * abs(i) * 700.1, size = 1e-3; size < 1e6; size *= 3.7)
			for (int counter = 0; counter < 2; counter++) {
				struct scale_range r =
				    scale_round((struct scale_range){low, low + size}, counter);

				double slip = size * 1e-9 + fabs(low) * 1e-12;

				assert_true(r.low <= low + slip);
				assert_true(r.high >= low + size - slip);
				assert_true(r.low < r.high);
				assert_true(counter || (r.low <= 0 && r.high >= 0));
			}
	assert_true(scale_round(SCALE_EMPTY, false).low == 0);
	assert_true(scale_round(SCALE_EMPTY, false).high == 1);
	/* no arithmetic on what has no difference: it is drawn somewhere, and that is all */
	assert_true(isfinite(scale_round((struct scale_range){-1.7e308, 1.7e308}, false).low));
}

/* ---- curves ---- */

static struct curve fetched(struct store *s, const char *name, int64_t left, int zoom, int columns,
			    bool parted)
{
	struct curve c = {.valid = false};
	struct curve_source source = named(s, name);
	struct axis axis = {.left = left, .step = 1, .zoom = zoom, .columns = columns};

	assert_int_equal(curve_fetch(&c, &source, &axis, parted, NULL), STATUS_OK);
	return c;
}

/* What the trace says, by a second way: the samples as written. */
static double truth(int cycle, bool *interpolated)
{
	int a = cycle, b = cycle;

	*interpolated = false;
	if (!isnan(sample_at(cycle)))
		return sample_at(cycle);
	while (a >= 0 && isnan(sample_at(a)))
		a--;
	while (b < CYCLES && isnan(sample_at(b)))
		b++;
	if (a < 0 || b >= CYCLES)
		return NAN;
	*interpolated = true;
	return sample_at(a) + (sample_at(b) - sample_at(a)) * (cycle - a) / (b - a);
}

TEST(values_between_samples_are_marked)
{
	static const int lefts[] = {0, 13, 190, 320};
	struct store *s = open_trace();

	for (size_t i = 0; i < 4; i++)
		for (int zoom = -2; zoom <= 0; zoom++) {
			struct curve c = fetched(s, "temp", lefts[i], zoom, 60, true);

			for (int t = lefts[i]; t < lefts[i] + (60 >> -zoom) && t < CYCLES; t++) {
				struct curve_reading r = curve_read(&c, t);
				bool interpolated;
				double value = truth(t, &interpolated);

				assert_int_equal(r.interpolated, interpolated);
				if (isnan(value))
					assert_true(isnan(r.value));
				else
					assert_true(fabs(r.value - value) < 1e-9);
			}
			assert_true(isnan(curve_read(&c, lefts[i] - 1).value));
			curve_free(&c);
		}
	store_close(s);
}

TEST(a_rate_without_events_is_zero)
{
	struct store *s = open_trace();
	struct curve c = fetched(s, "fetch", 90, 0, 70, true);

	for (int t = 90; t < 160; t++) {
		struct curve_reading r = curve_read(&c, t);

		assert_false(r.interpolated);
		assert_true(r.value == (t % 2 == 0 && (t < 100 || t >= 150)));
	}
	assert_true(isnan(c.before.value) && isnan(c.after.value));
	curve_free(&c);
	c = fetched(s, "fetch", CYCLES - 10, 0, 60, true);
	assert_true(curve_read(&c, CYCLES - 1).value == 0);
	assert_true(isnan(curve_read(&c, CYCLES).value)); /* behind the trace nothing is known */
	curve_free(&c);
	store_close(s);
}

TEST(a_peak_is_seen_at_every_zoom)
{
	struct store *s = open_trace();

	for (int zoom = 0; zoom <= 12; zoom++) {
		struct curve c = fetched(s, "temp", 0, zoom, (CYCLES >> zoom) + 1, true);
		struct curve_reading r = curve_read(&c, SPIKE);
		double high = -1, low = 1e9, least = 1e9;

		for (int t = SPIKE >> zoom << zoom; t < ((SPIKE >> zoom) + 1) << zoom; t++)
			if (t < CYCLES && !isnan(sample_at(t)))
				least = fmin(least, sample_at(t));
		for (int i = 0; i < c.bins; i++) {
			struct curve_reading bin = curve_column(&c, i);

			if (isnan(bin.value))
				continue;
			assert_true(bin.low <= bin.value && bin.value <= bin.high);
			high = fmax(high, bin.high);
			low = fmin(low, bin.low);
		}
		/* 7, 27, ... 387; at 203 it falls to 90 */
		assert_true(high == 387 && low == 7);
		assert_true(c.range.low == 7 && c.range.high == 387);
		assert_true(r.low == least);
		assert_true(c.grain == 1);
		curve_free(&c);
	}
	store_close(s);
}

TEST(neighbours_are_the_nearest_samples)
{
	struct store *s = open_trace();
	struct curve_source source = named(s, "temp");

	for (int t = -5; t < CYCLES + 5; t++) {
		struct curve_sample a, b;
		int before = t - 1, after = t < 0 ? 0 : t;

		while (before >= 0 && (before >= CYCLES || isnan(sample_at(before))))
			before--;
		while (after < CYCLES && isnan(sample_at(after)))
			after++;
		assert_int_equal(curve_sample_near(&source, t, -1, &a, NULL), STATUS_OK);
		assert_int_equal(curve_sample_near(&source, t, 1, &b, NULL), STATUS_OK);
		assert_int_equal(isnan(a.value), before < 0);
		assert_int_equal(isnan(b.value), after >= CYCLES);
		if (before >= 0)
			assert_int_equal(a.tick, before);
		if (after < CYCLES)
			assert_int_equal(b.tick, after);
	}
	store_close(s);
}

/* ---- drawing ---- */

struct stage {
	struct store *store;
	struct pipeview view;
	struct grid grid;
	struct palette palette;
	struct resource *resource;
	struct resource_look look;
	struct resource_line lines[3];
	struct resource_slope slope;
	struct sbuf text;
};

static void stage_open(struct stage *st, struct store *s)
{
	memset(st, 0, sizeof(*st));
	st->store = s;
	palette_init(&st->palette, DEPTH_MONO);
	assert_true(grid_resize(&st->grid, W, H));
	pipeview_init(&st->view, s);
	pipeview_layout(&st->view, W, H);
	st->resource = resource_new();
	st->lines[0] = (struct resource_line){named(s, "fetch"), "fetch", false};
	st->lines[1] = (struct resource_line){named(s, "temp"), "temp", false};
	st->lines[2] = (struct resource_line){named(s, "in-flight"), "in-flight", false};
}

static void stage_close(struct stage *st)
{
	resource_free(st->resource);
	pipeview_free(&st->view);
	grid_free(&st->grid);
	sbuf_free(&st->text);
	store_close(st->store);
}

static const char *drawn(struct stage *st)
{
	struct resource_frame frame = {.axis = &st->view.axis,
				       .alone = true,
				       .slope = st->slope};
	struct rect all = {0, 0, st->grid.w, st->grid.h};

	assert_int_equal(resource_draw(st->resource, &st->look, st->lines, 3, &frame, &st->grid,
				       all, &st->palette, NULL),
			 STATUS_OK);
	sbuf_clear(&st->text);
	grid_export(&st->grid, GRID_TEXT, &st->text);
	return st->text.text;
}

static void assert_shows(struct stage *st, const char *text)
{
	if (!strstr(drawn(st), text))
		fail_msg("no `%s' in\n%s", text, st->text.text);
}

static void assert_shows_not(struct stage *st, const char *text)
{
	if (strstr(drawn(st), text))
		fail_msg("`%s' in\n%s", text, st->text.text);
}

TEST(the_legend_tells_the_values)
{
	struct stage st;

	stage_open(&st, open_trace());
	st.view.axis.tick = 8;
	assert_shows(&st, "cycle 8");
	assert_shows(&st, ">1 fetch                          1 ");
	assert_shows(&st, " 2 temp                          ~8 ");
	st.view.axis.tick = 7;
	assert_shows(&st, " 2 temp                           7 ");
	st.view.axis.tick = 6;
	assert_shows(&st, " 2 temp                             ");
	resource_select_next(&st.look, st.lines, 3, 1);
	assert_shows(&st, ">2 temp ");
	st.lines[2].hidden = true;
	resource_select_next(&st.look, st.lines, 3, 1);
	assert_shows(&st, ">1 fetch ");
	assert_shows(&st, "hidden: 3 in-flight");
	resource_select_next(&st.look, st.lines, 3, -1);
	assert_string_equal(st.look.selected, "temp");
	st.lines[1].hidden = true; /* what was selected is gone: the first that is shown */
	assert_int_equal(resource_selected(&st.look, st.lines, 3), 0);
	st.lines[0].hidden = true;
	assert_int_equal(resource_selected(&st.look, st.lines, 3), -1);
	assert_shows_not(&st, ">");
	stage_close(&st);
}

TEST(scales_are_kept_for_each_line)
{
	struct scale given = {SCALE_GIVEN, 10, 30}, shared = {SCALE_SHARED, 0, 0};
	struct stage st;

	stage_open(&st, open_trace());
	assert_true(resource_set_scale(&st.look, "temp", &given));
	assert_shows(&st, "10..30 given");
	/* 7 lies below and 47 above, and both are told */
	assert_shows(&st, "\342\206\221");
	assert_shows(&st, "\342\206\223");
	assert_true(resource_set_scale(&st.look, NULL, &shared));
	assert_shows(&st, "0..60 shared");
	assert_shows_not(&st, "given");
	for (int i = 0; i < RESOURCE_MAX; i++) {
		char name[24];

		snprintf(name, sizeof(name), "line %d", i);
		assert_true(resource_set_scale(&st.look, name, &given));
	}
	assert_false(resource_set_scale(&st.look, "one more", &given));
	assert_true(resource_set_scale(&st.look, "line 3", &shared));
	assert_int_equal(resource_scale(&st.look, "line 3")->kind, SCALE_SHARED);
	assert_int_equal(resource_scale(&st.look, "line 4")->kind, SCALE_GIVEN);
	assert_int_equal(resource_scale(&st.look, "unknown")->kind, SCALE_SHARED);
	stage_close(&st);
}

TEST(lines_can_be_told_apart_without_colour)
{
	struct stage st;
	int found[3] = {0};

	stage_open(&st, open_trace());
	st.grid.ascii = true;
	st.look.scale.kind = SCALE_SHARED;
	drawn(&st);
	for (int y = 2; y < H; y++)
		for (int x = pipeview_gutter_width(&st.view); x < W; x++) {
			uint32_t cp = grid_at(&st.grid, x, y)->cp;

			assert_in_range(cp, ' ', '~');
			if (cp >= '1' && cp <= '3')
				found[cp - '1']++;
		}
	for (int i = 0; i < 3; i++)
		assert_int_equal(found[i], 1);
	stage_close(&st);
}

/* Cells of the picture, above what is told below it, that are not empty, in columns [from, to) of the time axis. */
static int cells_in(struct stage *st, int from, int to)
{
	int gutter = pipeview_gutter_width(&st->view), n = 0;

	drawn(st);
	for (int y = 2; y < H - 1; y++)
		for (int x = gutter + from; x < gutter + to; x++)
			n += grid_at(&st->grid, x, y)->cp != ' ';
	return n;
}

TEST(samples_off_the_screen_are_joined)
{
	struct stage st;

	stage_open(&st, open_trace());
	st.lines[0].hidden = st.lines[2].hidden = true;
	/* between 27 and 47 there is no sample, and a line all the same */
	pipeview_zoom(&st.view, 0, -2);
	st.view.axis.left = 30;
	st.view.axis.tick = 35;
	assert_true(cells_in(&st, 1, st.view.axis.columns) > st.view.axis.columns / 2);
	assert_shows(&st, "~35");
	st.view.axis.left = 0;
	st.view.axis.tick = 0;
	assert_int_equal(cells_in(&st, 1, 7 * 4), 0); /* but none before the first */
	stage_close(&st);
}

TEST(a_slope_is_drawn_and_told)
{
	struct stage st;
	int before;

	stage_open(&st, open_trace());
	st.lines[0].hidden = st.lines[2].hidden = true;
	pipeview_zoom(&st.view, 0, 3);
	st.view.axis.left = 0;
	before = cells_in(&st, 10, 20);
	/* a chord over the dip at 203 */
	st.slope = (struct resource_slope){true, {87, 287}, "a to b: 12 committed"};
	assert_shows(&st, "a to b: 12 committed; temp 87 to 287, +1 per cycle");
	(void)before;
	st.slope.tick[0] = 187;
	st.slope.tick[1] = 207;
	assert_shows(&st, "temp 187 to 207, +1 per cycle");
	st.slope.tick[1] = 203;
	assert_shows(&st, "temp 187 to 90, -6.06 per cycle");
	st.slope.tick[0] = 197; /* a sample each 20 ticks: between two of them */
	st.slope.tick[1] = 207;
	assert_shows(&st, "temp ~");
	assert_shows(&st, " to 207, ~+");
	st.slope.tick[0] = 0; /* not known there */
	assert_shows_not(&st, "a cycle");
	/* far outside of the window and of the trace */
	st.slope.tick[0] = -4000000000;
	st.slope.tick[1] = 4000000000;
	drawn(&st);
	stage_close(&st);
}

/* Nothing of it is cut: what does not fit on a line goes on below. */
TEST(a_slope_is_told_whole)
{
	static const char *const words[] = {"a to cursor: 1 234 567 committed in 12 345 678 cycles,",
					    "IPC 0.10; temp 187 to\n  207, +1 per cycle"};
	struct stage st;

	stage_open(&st, open_trace());
	assert_true(grid_resize(&st.grid, 80, 12));
	pipeview_layout(&st.view, 80, 12);
	pipeview_zoom(&st.view, 0, 3);
	st.lines[0].hidden = st.lines[2].hidden = true;
	st.slope = (struct resource_slope){
	    true,
	    {187, 207},
	    "a to cursor: 1 234 567 committed in 12 345 678 cycles, IPC 0.10"};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		assert_shows(&st, words[i]);
	stage_close(&st);
}

TEST(two_traces_share_an_axis)
{
	struct store *other = open_trace();
	struct stage st;
	int gutter, moved = 0;

	stage_open(&st, open_trace());
	gutter = pipeview_gutter_width(&st.view);
	st.lines[0].hidden = true;
	st.lines[2] = (struct resource_line){named(other, "temp"), "temp of b", false};
	/* the same data: the same line, and the same value */
	st.view.axis.tick = 17;
	assert_shows(&st, "2 temp                         ~17");
	assert_shows(&st, "3 temp of b                    ~17");
	st.lines[2].source.shift = 10;
	assert_shows(&st, "2 temp                         ~17");
	assert_shows(&st, "3 temp of b                      7");
	st.lines[1].hidden = true;
	for (int x = gutter; x < W; x++)
		for (int y = 2; y < H; y++)
			if (grid_at(&st.grid, x, y)->cp != ' ' && !moved)
				moved = x - gutter;
	drawn(&st);
	assert_int_equal(cells_in(&st, 1, 16), 0);
	assert_true(cells_in(&st, 16, 24) > 0);
	store_close(other);
	stage_close(&st);
}

/* A format with ticks: what is counted a cycle is told so, and what is not, not. */
TEST(rates_are_told_by_the_cycle)
{
	char name[] = "/tmp/pipeglass-ticks-XXXXXX";
	int fd = mkstemp(name);
	FILE *f = fdopen(fd, "w");
	struct store *s;
	struct pipeview v;
	struct curve c = {.valid = false};
	struct axis axis;
	struct sbuf label = {0};
	struct resource_line line = {.name = "fetch"};

	for (int i = 0; i < 50; i++)
		fprintf(f,
			"O3PipeView:fetch:%d:0x%x:0:%d:  add\nO3PipeView:decode:%d\n"
			"O3PipeView:rename:%d\nO3PipeView:dispatch:%d\nO3PipeView:issue:%d\n"
			"O3PipeView:complete:%d\nO3PipeView:retire:%d:store:0\n",
			1000 + i / 2 * 500, 0x400 + i * 4, i + 1, 1500 + i / 2 * 500,
			2000 + i / 2 * 500, 2500 + i / 2 * 500, 3000 + i / 2 * 500,
			3500 + i / 2 * 500, 4000 + i / 2 * 500);
	fclose(f);
	s = open_path(name);
	unlink(name);
	pipeview_init(&v, s);
	pipeview_layout(&v, W, H);
	assert_int_equal(v.axis.step, 500);
	line.source = named(s, "fetch");
	axis = v.axis;
	assert_int_equal(curve_fetch(&c, &line.source, &axis, true, NULL), STATUS_OK);
	assert_true(fabs(curve_read(&c, v.axis.left + 500).value - 2) < 1e-9);
	resource_label(&v.axis, &line, &label);
	assert_string_equal(label.text, "fetch/cycle");
	/* of its last cycle the trace has one tick, in which two rows retire */
	line.source.metric = named(s, "ipc").metric;
	assert_int_equal(curve_fetch(&c, &line.source, &axis, true, NULL), STATUS_OK);
	assert_true(fabs(curve_read(&c, 16000).value - 2) < 1e-9);
	line.source.metric = named(s, "fetch").metric;
	/* under a trace that counts cycles: cycle 4 of the axis is the one at tick 1500 here */
	line.source.step = 500;
	line.source.axis_step = 1;
	line.source.origin = 3;
	line.source.shift = 3 - 1000;
	axis = (struct axis){.left = 3, .step = 1, .columns = 40};
	for (int parted = 0; parted < 2; parted++) {
		assert_int_equal(curve_fetch(&c, &line.source, &axis, parted, NULL), STATUS_OK);
		assert_true(fabs(curve_read(&c, 4).value - 2) < 1e-9);
		assert_true(fabs(curve_read(&c, 27).value - 2) < 1e-9);
		assert_true(fabs(curve_read(&c, 28).value) < 1e-9); /* 25 cycles of births */
	}
	line.source = named(s, "fetch");
	v.axis.raw_ticks = true;
	axis = v.axis;
	assert_int_equal(curve_fetch(&c, &line.source, &axis, true, NULL), STATUS_OK);
	assert_true(fabs(curve_read(&c, v.axis.left + 500).value - 0.004) < 1e-9);
	sbuf_clear(&label);
	line.source.metric = named(s, "ipc").metric;
	strcpy(line.name, "ipc");
	resource_label(&v.axis, &line, &label);
	assert_string_equal(label.text, "ipc/tick");
	v.axis.raw_ticks = false;
	sbuf_clear(&label);
	resource_label(&v.axis, &line, &label);
	assert_string_equal(label.text, "ipc");
	sbuf_free(&label);
	curve_free(&c);
	pipeview_free(&v);
	store_close(s);
}

TEST(the_smallest_windows_are_drawn)
{
	struct stage st;

	stage_open(&st, open_trace());
	st.slope = (struct resource_slope){true, {20, 60}, "a to b"};
	for (int w = 1; w < 60; w += 3)
		for (int h = 1; h < 12; h++)
			for (int zoom = -3; zoom < 64; zoom += zoom < 8 ? 1 : 13) {
				assert_true(grid_resize(&st.grid, w, h));
				pipeview_layout(&st.view, w, h);
				pipeview_zoom(&st.view, 0, zoom - st.view.axis.zoom);
				drawn(&st);
			}
	stage_close(&st);
}

/* The strip's read-out says the same. */
TEST(the_strip_marks_what_it_interpolates)
{
	struct stage st;
	struct strip strip;
	struct curve_source q;
	struct rect area = {0, 0, W, 2};

	stage_open(&st, open_trace());
	strip_init(&strip);
	q = st.lines[1].source;
	assert_true(strip_add(&strip, &q, "temp"));
	for (int t = 7; t < 27; t++) {
		char value[32];

		st.view.axis.tick = t;
		assert_int_equal(strip_draw(&strip, &st.view.axis,
					    &st.grid, area, &st.palette, NULL),
				 STATUS_OK);
		sbuf_clear(&st.text);
		grid_export(&st.grid, GRID_TEXT, &st.text);
		snprintf(value, sizeof(value), t == 7 ? " %d " : " ~%d ", t);
		assert_non_null(strstr(st.text.text, value));
	}
	strip_free(&strip);
	stage_close(&st);
}

/* Samples of a column that begins and ends somewhere in an index entry: about those. */
TEST(what_is_interpolated_is_marked)
{
	enum { MANY = 40000 };
	char name[] = "/tmp/pipeglass-about-XXXXXX";
	FILE *f = fdopen(mkstemp(name), "w");
	struct stage st;

	assert_non_null(f);
	for (int c = 0; c < MANY; c++) {
		fprintf(f, "@ %d\n+ %d 0x1000 0x0 addq r1,r2,r3\n* %d IF 0x000\n", c, c, c);
		if (c > 3)
			fprintf(f, "* %d CT 0x000\n- %d\n", c - 3, c - 3);
		if (c % 20 == 7)
			fprintf(f, "<temp> %d\n", c);
	}
	assert_int_equal(fclose(f), 0);
	stage_open(&st, open_path(name));
	st.view.axis.tick = MANY / 2 + 3;
	assert_shows_not(&st, "estimated");
	pipeview_zoom(&st.view, 0, 12);
	st.view.axis.left = 0;
	assert_shows(&st, ">1 fetch                          1 ");
	assert_shows(&st, " 2 temp                      ~");
	assert_shows(&st, "values with ~ are estimated");
	for (int i = 0; i < 3; i++)
		st.lines[i].hidden = true;
	assert_shows_not(&st, "estimated");
	stage_close(&st);
	unlink(name);
}

/* Windows of 64 ticks that somebody else worked out, ten ticks later on the axis. */
TEST(windows_that_are_given)
{
	static double values[] = {1, NAN, 3};
	static const int8_t owners[] = {0, -1, 1};
	static const struct curve_look looks[] = {{"one", 'a', ROLE_METRIC_0},
						  {"two", 'b', ROLE_METRIC_0 + 1}};
	struct curve_given given = {.width = 64,
				    .count = 3,
				    .values = values,
				    .owners = owners,
				    .looks = looks,
				    .version = 1};
	struct store *s = open_trace();
	struct curve_source source = {.trace = trace_of_store(s), .shift = 10, .given = &given};
	struct axis axis = {.left = 10, .step = 1, .columns = 200};
	struct curve c = {.valid = false};

	for (int parted = 0; parted < 2; parted++) {
		assert_int_equal(curve_fetch(&c, &source, &axis, parted, NULL), STATUS_OK);
		assert_true(curve_read(&c, 10).value == 1 && curve_read(&c, 73).value == 1);
		assert_true(isnan(curve_read(&c, 74).value));
		assert_true(curve_read(&c, 138).value == 3);
		assert_true(isnan(curve_read(&c, 202).value));
		assert_int_equal(c.grain, 64);
	}
	assert_int_equal(curve_owner(&source, &axis, 9), -1);
	assert_int_equal(curve_owner(&source, &axis, 10), 0);
	assert_int_equal(curve_owner(&source, &axis, 80), -1);
	assert_int_equal(curve_owner(&source, &axis, 150), 1);
	assert_int_equal(curve_owner(&source, &axis, 202), -1);
	/* others are there when they say so */
	values[0] = 5;
	assert_int_equal(curve_fetch(&c, &source, &axis, true, NULL), STATUS_OK);
	assert_true(curve_read(&c, 10).value == 1);
	given.version++;
	assert_int_equal(curve_fetch(&c, &source, &axis, true, NULL), STATUS_OK);
	assert_true(curve_read(&c, 10).value == 5);
	/* a column of several windows has the one in its middle, parts have their own */
	axis.zoom = 8;
	axis.columns = 1;
	assert_int_equal(curve_fetch(&c, &source, &axis, true, NULL), STATUS_OK);
	assert_true(curve_read(&c, 10).value == 3);
	assert_true(curve_read(&c, 10).high == 5);
	given.count = 0; /* none yet */
	given.version++;
	assert_int_equal(curve_fetch(&c, &source, &axis, true, NULL), STATUS_OK);
	assert_true(isnan(curve_read(&c, 10).value));
	curve_free(&c);
	store_close(s);
}

/* Of two parts that share windows of 64 ticks: the greater one rules a column, of several their mean. */
TEST(parts_that_are_given)
{
	static const double values[] = {0.25, 0.75, 0.25, 0.5, 0.25, 0.5};
	static const struct curve_look looks[] = {{"one", 'a', ROLE_METRIC_0},
						  {"two", 'b', ROLE_METRIC_0 + 1}};
	const struct curve_given given = {.width = 64,
					  .count = 3,
					  .values = values,
					  .parts = 2,
					  .looks = looks,
					  .version = 1};
	struct store *s = open_trace();
	const struct curve_source source = {.trace = trace_of_store(s), .given = &given};
	struct axis axis = {.step = 1, .columns = 200};
	struct curve c = {.valid = false};

	assert_int_equal(curve_fetch(&c, &source, &axis, false, NULL), STATUS_OK);
	assert_true(curve_read(&c, 0).value == 0.5 && curve_read(&c, 64).value == 0.75);
	assert_int_equal(curve_owner(&source, &axis, 0), 1);
	assert_int_equal(curve_owner(&source, &axis, 64), 0);
	assert_int_equal(curve_owner(&source, &axis, 192), -1);
	assert_true(curve_part(&c, 0, 0) == 0.25 && curve_part(&c, 64, 1) == 0.25);
	assert_true(curve_part(&c, 195, 0) == 0);
	assert_true(c.range.low == 0 && c.range.high == 1);
	axis.zoom = 7; /* columns of two windows */
	axis.columns = 2;
	assert_int_equal(curve_fetch(&c, &source, &axis, false, NULL), STATUS_OK);
	assert_true(curve_part(&c, 0, 0) == 0.5 && curve_part(&c, 0, 1) == 0.375);
	assert_int_equal(curve_owner(&source, &axis, 64), 0);
	curve_free(&c);
	store_close(s);
}

FIXTURES(make_trace, remove_trace)
