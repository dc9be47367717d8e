/* The resource view from outside: commands, keys, the mouse, the configuration. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/pipeline/rows.h"
#include "app_driver.h"

static void press(struct app *a, const char *text)
{
	struct key k;

	while (*text) {
		assert_true(key_parse(&text, &k));
		app_key(a, k);
	}
}

TEST(curves_take_the_window_and_give_it_back)
{
	struct app *a = start();

	shows_not(a, ">1 ipc");
	shows(a, "r1");
	press(a, "og");
	shows(a, ">1 ipc");
	shows(a, " 2 in-flight");
	shows_not(a, "r1,");
	press(a, "q"); /* back, not out */
	shows_not(a, ">1 ipc");
	assert_int_equal(a->resources.place, RESOURCE_STRIP);
	press(a, "<F3>");
	assert_int_equal(a->resources.place, RESOURCE_BELOW);
	shows(a, ">1 ipc");
	shows(a, "r1");
	run(a, "set strip off"); /* the switch is for all that is under the rows */
	shows_not(a, ">1 ipc");
	run(a, "view resources");
	shows(a, ">1 ipc");
	press(a, "<Enter>");
	assert_int_equal(a->resources.place, RESOURCE_STRIP);
	app_free(a);
}

TEST(digits_hide_lines_where_curves_are_alone)
{
	struct app *a = start();

	run(a, "metric add fetch");
	press(a, "2");
	assert_int_equal(a->count, 2); /* a count, elsewhere */
	press(a, "<Esc>");
	run(a, "view resources");
	press(a, "2");
	shows(a, " 2 in-flight  hidden");
	press(a, "j");
	shows(a, ">3 fetch");
	press(a, "k");
	shows(a, ">1 ipc");
	press(a, "1");
	shows(a, ">3 fetch");
	press(a, "21");
	shows(a, ">1 ipc");
	press(a, "9");
	shows(a, "no line of the strip");
	run(a, "curve select in-flight");
	shows(a, ">2 in-flight");
	run(a, "curve select 3");
	shows(a, ">3 fetch");
	run_wrong(a, "curve select occupancy EX", "no curve shows");
	run_wrong(a, "curve select 4", "no curve shows");
	run_wrong(a, "curve select 0", "no curve shows");
	app_free(a);
}

TEST(scales_are_set_for_all_or_one)
{
	struct app *a = start();

	run(a, "view resources");
	run(a, "set scale 0:20 ipc");
	shows(a, "0..20 given");
	run(a, "set scale shared");
	shows_not(a, "given");
	shows(a, "shared");
	press(a, "s");
	shows(a, "scale of all curves: auto");
	run(a, "set scale -1:1 2");
	assert_int_equal(resource_scale(&a->resources.look, "in-flight")->kind, SCALE_GIVEN);
	assert_int_equal(resource_scale(&a->resources.look, "ipc")->kind, SCALE_AUTO);
	run_wrong(a, "set scale 5", "LOW:HIGH");
	run_wrong(a, "set scale 5:4", "lower end");
	run_wrong(a, "set scale 5:9 fetch", "no curve shows");
	run_wrong(a, "set dots points", "braille, blocks or ascii");
	run(a, "set dots ascii");
	press(a, "q");
	run(a, "set scale 0:7"); /* the strip has the same scales */
	shows(a, "0..7");
	app_free(a);
}

/* Both ways of telling agree with what `distance` says. */
TEST(the_slope_is_that_of_distance)
{
	struct app *a = start();

	run_wrong(a, "slope", "set a mark first");
	run(a, "goto cycle 5");
	run(a, "mark a");
	run(a, "goto cycle 15");
	run(a, "distance a");
	shows(a, "a to cursor: 10 cycles");
	run(a, "slope");
	assert_int_equal(a->resources.place, RESOURCE_BELOW);
	shows(a, "a to cursor: ");
	shows(a, "in 10 cycles, IPC ");
	shows(a, "; ipc ");
	run(a, "mark b");
	run(a, "goto cycle 12");
	run(a, "slope a b");
	shows(a, "a to b: ");
	shows(a, "in 10 cycles, IPC ");
	run(a, "unmark b"); /* what it was measured from is gone, and so is it */
	shows_not(a, "a to b: ");
	run_wrong(a, "slope a b", "mark b is not set");
	run(a, "slope none");
	shows_not(a, "in 10 cycles");
	app_free(a);
}

TEST(rows_come_to_where_one_went)
{
	struct app *a = start();
	uint64_t row;

	row = tab_place(a->tab).item;
	run(a, "view resources");
	run(a, "view rows");
	assert_true(tab_place(a->tab).item == row);
	run(a, "view resources");
	for (int i = 0; i < 40; i++)
		run(a, "move right");
	run(a, "view rows");
	assert_true(tab_place(a->tab).item > row);
	app_free(a);
}

TEST(a_click_goes_to_the_cycle)
{
	struct app *a = start();
	int gutter;

	run(a, "set mouse on");
	run(a, "view resources");
	shows(a, ">1 ipc");
	gutter = pipeview_gutter_width(&rows_of(a->tab)->view);
	app_mouse(a, &(struct mouse){.kind = MOUSE_PRESS, .x = gutter + 9, .y = 10, .button = 1});
	assert_int_equal(rows_of(a->tab)->view.axis.tick, rows_of(a->tab)->view.axis.left + 9);
	app_mouse(a, &(struct mouse){.kind = MOUSE_PRESS, .x = 1, .y = 10, .button = 1});
	assert_int_equal(rows_of(a->tab)->view.axis.tick, rows_of(a->tab)->view.axis.left + 9);
	app_free(a);
}

TEST(the_configuration_may_ask_for_it)
{
	char path[64];
	FILE *f;
	struct app *a;

	snprintf(path, sizeof(path), "%s/curves", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("view both\nset scale 0:50\nset dots blocks\n", f);
	fclose(f);
	a = start_with(path, NULL, trace);
	shows(a, "0..50 given");
	assert_string_equal(app_complaints(a), "");
	assert_int_equal(a->resources.look.dots, DOTS_BLOCKS);
	app_free(a);
	unlink(path);
}

FIXTURES(setup, teardown)
