/* The time axis by itself, and curves on a bare one: of a trace that has metrics and no items. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"
#include "view/axis.h"
#include "view/strip.h"

/* ---- a kind of trace made up here: a sample of "power" every 100 ns, two "misses" a tick ---- */

enum { SAMPLE = 100, MISSES = 2 };

struct meter {
	struct trace trace;
	int64_t first, last, step, grain;
};

static const struct meter *meter_of(const struct trace *t)
{
	return (const struct meter *)t;
}

static void meter_progress(const struct trace *t, struct progress *p)
{
	*p = (struct progress){
	    .first = meter_of(t)->first, .last = meter_of(t)->last, .complete = true};
}

static int64_t meter_step(const struct trace *t)
{
	return meter_of(t)->step;
}

static bool meter_find(const struct trace *t, const char *name, const struct regex *component,
		       struct metric_ref *out)
{
	(void)t, (void)component;
	if (strcmp(name, "power") == 0)
		*out = (struct metric_ref){.sampled = true, .index = 1};
	else if (strcmp(name, "misses") == 0)
		*out = (struct metric_ref){.rate = true, .index = 2};
	else
		return false;
	return true;
}

/* A sample's value is its tick: so is, nearly, the mean of a bin around it. */
static double meter_mean(const struct meter *m, const struct metric_ref *metric, double from,
			 double to)
{
	double a = ceil(fmax(from, (double)m->first) / SAMPLE) * SAMPLE;
	double b = fmin(to, (double)m->last + 1), last = ceil(b / SAMPLE) * SAMPLE - SAMPLE;

	if (metric->rate)
		return b > fmax(from, (double)m->first) ? MISSES * (double)m->step : NAN;
	return a < b ? (a + last) / 2 : NAN;
}

static enum status meter_values(struct trace *t, const struct metric_ref *metric, int64_t from,
				int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	double width = ((double)to - (double)from) / (double)n;

	(void)e;
	if (exact)
		*exact = meter_of(t)->grain == 1;
	for (size_t i = 0; i < n; i++)
		values[i] = meter_mean(meter_of(t), metric, (double)from + (double)i * width,
				       (double)from + (double)(i + 1) * width);
	return STATUS_OK;
}

static int64_t meter_grain(const struct trace *t)
{
	return meter_of(t)->grain;
}

static const struct trace_kind meter_kind = {
    .name = "meter",
    .progress = meter_progress,
    .ticks_per_cycle = meter_step,
    .metric_find = meter_find,
    .values = meter_values,
    .grain = meter_grain,
};

/* ---- a screen with curves and nothing else ---- */

enum { W = 100, H = 20, GUTTER = 33 };

struct stage {
	struct meter meter;
	struct axis axis;
	struct resource_frame frame;
	struct strip strip;
	struct grid grid;
	struct palette palette;
	struct sbuf text;
};

static void add(struct stage *st, const char *name)
{
	struct curve_source source;

	assert_int_equal(curve_find(&st->meter.trace, name, NULL, &source, NULL), STATUS_OK);
	assert_true(strip_add(&st->strip, &source, name));
}

static void stage_open(struct stage *st, int64_t first, int64_t last, int64_t step)
{
	*st = (struct stage){
	    .meter = {
		{&meter_kind, {.name = "meter", .title = "made for a test", .unit = "ns"}, NULL},
		first, last, step, 1}};
	palette_init(&st->palette, DEPTH_MONO);
	assert_true(grid_resize(&st->grid, W, H));
	axis_open(&st->axis, &st->meter.trace);
	axis_layout(&st->axis, W, H, GUTTER);
	strip_init(&st->strip);
	add(st, "power");
	add(st, "misses");
}

static void stage_close(struct stage *st)
{
	strip_free(&st->strip);
	grid_free(&st->grid);
	sbuf_free(&st->text);
}

static const char *drawn(struct stage *st)
{
	static const struct resource_look plain;
	struct rect all = {0, 0, st->grid.w, st->grid.h};

	if (st->axis.width != all.w || st->axis.height != all.h)
		axis_layout(&st->axis, all.w, all.h, all.w / 3);
	st->frame.axis = &st->axis;
	st->frame.alone = true;
	assert_int_equal(resource_draw(st->strip.graph, &plain, st->strip.lines, st->strip.count,
				       &st->frame, &st->grid, all, &st->palette, NULL),
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

TEST(a_trace_without_items_is_drawn)
{
	struct stage st;
	struct marks marks = {{{'m', {.tick = 700}}}, 1};

	stage_open(&st, 0, 99999, 1);
	axis_goto(&st.axis, 300);
	assert_shows(&st, "300 ns");
	assert_shows(&st, "power              300");
	assert_shows(&st, "misses               2");
	axis_move(&st.axis, 40);
	assert_shows(&st, "340 ns");
	assert_shows(&st, "power             ~340"); /* between two samples */
	axis_fit(&st.axis);
	assert_shows(&st, "50 us "); /* the ruler's */
	axis_goto(&st.axis, 99999);
	assert_shows(&st, "99.999 us");
	st.frame.marks = &marks;
	assert_shows(&st, "m");
	st.frame.slope = (struct resource_slope){true, {1000, 3000}, "a to b"};
	assert_shows(&st, "a to b; power 1000 to 3000, +1 per ns");
	st.frame.slope.on = false;
	st.meter.grain = 1 << 20;
	st.meter.last++;
	assert_shows(&st, "values with ~ are estimated");
	assert_shows(&st, "peaks are means over about 1.048576 ms");
	stage_close(&st);
}

TEST(cycles_are_told_where_they_are_known)
{
	struct stage st;

	stage_open(&st, 5000, 105000, 500);
	axis_goto(&st.axis, 7000);
	assert_shows(&st, "cycle 14");
	assert_shows(&st, "misses/cycle      1000");
	st.axis.raw_ticks = true;
	assert_shows(&st, "7 us");
	assert_shows(&st, "misses/ns            2");
	stage_close(&st);
}

TEST(places_bring_the_zoom_back)
{
	struct stage st;
	struct axis there;
	int64_t tick;

	stage_open(&st, 0, 1000000, 1);
	axis_goto(&st.axis, 4711);
	axis_zoom(&st.axis, -2);
	there = st.axis;
	axis_status(&st.axis, &st.text);
	assert_string_equal(sbuf_text(&st.text), "4.711 us  1/4 ns per column");
	axis_fit(&st.axis);
	axis_goto(&st.axis, 900000);
	axis_zoom(&st.axis, there.zoom - st.axis.zoom);
	axis_goto(&st.axis, there.tick);
	assert_int_equal(st.axis.tick, 4711);
	assert_int_equal(st.axis.zoom, -2);
	assert_false(axis_hit(&st.axis, 0, 3, &tick));
	assert_true(axis_hit(&st.axis, st.axis.gutter + 8, 3, &tick));
	assert_int_equal(tick, st.axis.left + 2);
	/* it grows */
	assert_false(axis_follow(&st.axis, NULL));
	st.meter.last = 2000000;
	assert_true(axis_follow(&st.axis, NULL));
	axis_goto(&st.axis, INT64_MAX);
	assert_int_equal(st.axis.tick, 2000000);
	stage_close(&st);
}

TEST(the_smallest_windows_are_drawn)
{
	struct stage st;

	stage_open(&st, -70, 70, 1);
	for (int w = 1; w < 60; w += 2)
		for (int h = 1; h < 12; h++) {
			assert_true(grid_resize(&st.grid, w, h));
			drawn(&st);
		}
	stage_close(&st);
}

/* ---- the axis ---- */

static void expect_sane(const struct axis *a)
{
	assert_true(a->tick >= a->first && a->tick <= a->last);
	assert_true(axis_shows(a, a->tick));
	assert_int_equal(axis_align(a, a->left, a->zoom), a->left);
	assert_true(a->left <= a->last);
	assert_true(a->zoom >= TICK_ZOOM_MIN && a->zoom <= TICK_ZOOM_MAX);
}

TEST(motions_stay_where_there_is_something)
{
	static const struct {
		int64_t first, last, step;
	} traces[] = {{0, 0, 1},
		      {0, 100000, 1},
		      {-5000, 77777, 500},
		      {1234567, 99999999999, 333},
		      {INT64_MIN, INT64_MAX - 1, 1},
		      {INT64_MIN, INT64_MAX - 1, 1000},
		      {78000, 80000, INT64_MAX},
		      {INT64_MIN, INT64_MAX - 1, INT64_C(1) << 40}};
	static const int64_t far[] = {0, 1, -1, 20, -20, 300, -300, INT64_MAX, INT64_MIN};

	srand(1);
	for (size_t t = 0; t < sizeof(traces) / sizeof(traces[0]); t++) {
		struct axis a;

		axis_init(&a, "ns");
		axis_set_extent(&a, traces[t].first, traces[t].last, traces[t].step);
		a.columns = 80;
		axis_fit(&a);
		for (int i = 0; i < 20000; i++) {
			int64_t by = far[rand() % 9];

			switch (rand() % 5) {
			case 0:
				axis_move(&a, by);
				break;
			case 1:
				axis_scroll(&a, by);
				break;
			case 2:
				axis_zoom(&a, rand() % 13 - 6);
				break;
			case 3:
				axis_goto(&a, by);
				break;
			default:
				axis_fit(&a);
			}
			expect_sane(&a);
		}
	}
}

TEST(a_fit_shows_all)
{
	for (int64_t last = 0; last < 3000000000; last = last * 3 + 1)
		for (int64_t step = 1; step < 1000; step *= 7) {
			struct axis a;

			axis_init(&a, "ns");
			axis_set_extent(&a, -last / 2, last, step);
			a.columns = 50;
			a.tick = last;
			axis_fit(&a);
			assert_true(axis_shows(&a, a.first) && axis_shows(&a, a.last));
			if (a.zoom > 0) {
				a.zoom--; /* no closer */
				assert_false(axis_column_of(&a, a.last) -
						 axis_column_of(&a, a.first) <
					     a.columns - 1);
			}
		}
}

TEST(columns_and_ticks_agree)
{
	for (int zoom = TICK_ZOOM_MIN; zoom < 20; zoom++)
		for (int64_t step = 1; step < 1000; step = step * 5 + 2) {
			struct axis a;

			axis_init(&a, "ns");
			axis_set_extent(&a, -300, 1 << 30, step);
			a.zoom = zoom;
			a.columns = 64;
			a.left = axis_align(&a, 12345, zoom);
			for (int column = 0; column < a.columns; column++) {
				int64_t tick = axis_tick_at(&a, column);
				int wide = zoom < 0 ? 1 << -zoom : 1;

				assert_int_equal(axis_column_of(&a, tick), column / wide * wide);
			}
			for (int64_t time = -5; time < 5; time++)
				assert_int_equal(axis_time(&a, axis_tick_of(&a, time)), time);
		}
}
