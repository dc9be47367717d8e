/* The program without a terminal: commands and keys in, screens and messages out. */
#include "config.h"

#include "app_driver.h"

static void going(void **state)
{
	struct app *a = start();

	(void)state;
	shows(a, "row 0 of 200  cycle 0 ");
	run(a, "goto row 100");
	shows(a, "row 100 of 200  cycle 300 ");
	run(a, "goto cycle 302");
	shows(a, "cycle 302 ");
	run(a, "302 ; +10");
	shows(a, "cycle 312 ");
	run(a, "-2");
	shows(a, "cycle 310 ");
	run(a, "#42");
	shows(a, "row 42 of 200  cycle 84 ");
	run(a, "50%");
	shows(a, "row 100 of 200 ");
	run(a, "0x1004");
	shows(a, "row 113 of 200 ");
	run(a, "goto last");
	shows(a, "row 199 of 200 ");
	run(a, "keys 12G");
	shows(a, "row 12 of 200 ");
	run(a, "keys g25%");
	shows(a, "row 50 of 200 ");
	run(a, "keys $");
	shows(a, "cycle 204 ");
	run(a, "keys ^");
	shows(a, "cycle 200 ");
	run(a, "goto cycle 100000");
	shows(a, "the trace has cycles 0 to 599");
	run_wrong(a, "goto row 200", "no row 200: there are 200");
	run_wrong(a, "#9999", "no instruction #9999");
	run_wrong(a, "101%", "from 0 to 100");
	run_wrong(a, "goto elsewhere", "not a cycle");
	app_free(a);
}

static void moving(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "keys jjj3jk");
	shows(a, "row 5 of 200 ");
	run(a, "keys <Space>");
	shows_not(a, "row 5 of 200 ");
	run(a, "keys b");
	shows(a, "row 5 of 200 ");
	run(a, "keys 3L");
	shows(a, "row 5 of 200  cycle 3 ");
	run(a, "keys H");
	shows(a, "row 5 of 200  cycle 2 ");
	run(a, "keys G<PageDown><PageDown>100j");
	shows(a, "row 199 of 200 ");
	run(a, "keys g<PageUp>9k");
	shows(a, "row 0 of 200 ");
	app_free(a);
}

static void searching(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "/ldr");
	shows(a, "row 1 of 200 ");
	shows(a, "/ldr  n next, N previous");
	run(a, "keys 2n");
	shows(a, "row 9 of 200 ");
	run(a, "keys N");
	shows(a, "row 5 of 200 ");
	run(a, "keys ?<Enter>n");
	shows(a, "row 197 of 200 ");
	shows(a, "(from the bottom)");
	run(a, "?^0x1000 add");
	shows(a, "row 192 of 200 ");
	run(a, "/LDR");
	shows(a, "not found: /LDR");
	shows(a, "row 192 of 200 ");
	run(a, "set wrap off ; goto last ; /ldr");
	shows(a, "not found: /ldr");
	run_wrong(a, "/(", "parenthes");
	/* while it is typed, and given up */
	run(a, "set wrap on ; goto row 40 ; keys /str");
	shows(a, "row 43 of 200 ");
	run(a, "keys <Esc>");
	shows(a, "row 40 of 200 ");
	run(a, "keys /str<Enter><C-o>");
	shows(a, "row 40 of 200 ");
	app_free(a);
}

static void finding(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "next squash");
	shows(a, "row 3 of 200  cycle 8 ");
	run(a, "keys nnN");
	shows(a, "row 13 of 200 ");
	run(a, "prev squash ; prev squash");
	shows(a, "row 193 of 200 ");
	run(a, "goto first ; next event cache");
	shows(a, "row 7 of 200  cycle 16 ");
	run(a, "next stay 25 ; next stay 25");
	shows(a, "row 27 of 200  cycle 56 ");
	run(a, "next stay 31");
	shows(a, "not found: stay of 31 cycles or more");
	run(a, "goto first ; next empty 50");
	shows(a, "empty stretch of 50 cycles or more: ");
	run(a, "goto first ; next stage EX ; next");
	shows(a, "row 2 of 200  cycle 6 ");
	run(a, "highlight event cache-miss ; goto first ; keys nn");
	shows(a, "row 17 of 200 ");
	run(a, "highlight none");
	run_wrong(a, "next", "nothing to look for");
	run_wrong(a, "next event nonsense", "there are: cache-miss");
	run_wrong(a, "next stay 0", "at least 1");
	app_free(a);
}

static void filtering(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "goto row 41 ; &ldr");
	shows(a, "filter: /ldr/ (50 of 200)");
	shows(a, "filtered row 10 of 50 ");
	run(a, "keys n");
	run(a, "&!ldr");
	shows(a, "filter: !/ldr/ (150 of 200)");
	run(a, "&nothing such");
	shows(a, "no row matches /nothing such");
	shows(a, "filtered row 31 of 150 ");
	run(a, "hide squashed");
	shows(a, "(140 of 200)");
	run(a, "filter none");
	shows(a, "filter: (180 of 200)");
	run(a, "show all");
	shows(a, "row 42 of 200 ");
	run(a, "filter component ^(EX|WB)$");
	shows(a, "stages: /^(EX|WB)$/");
	run_wrong(a, "filter component zz", "no stage matches zz");
	run(a, "keys &<Enter>");
	shows_not(a, "stages:");
	run_wrong(a, "hide all", "can be hidden");
	run_wrong(a, "hide committed", "can be hidden");
	app_free(a);
}

static void marks_and_distance(void **state)
{
	struct app *a = start();

	(void)state;
	run_wrong(a, "distance", "set a mark first");
	run(a, "goto row 10 ; mark a ; goto row 20 ; mark b ; distance a b");
	shows(a, "a to b: 20 cycles, 10 rows, 8 committed, IPC 0.400");
	run(a, "goto last ; keys 'a");
	shows(a, "row 10 of 200 ");
	run(a, "keys ''");
	shows(a, "row 199 of 200 ");
	run(a, "back");
	shows(a, "row 10 of 200 ");
	run(a, "keys ma<Esc>");
	run(a, "marks");
	shows(a, "a  row 10");
	run(a, "close ; unmark b");
	run_wrong(a, "distance a b", "mark b is not set");
	run_wrong(a, "mark A", "a-z and 0-9");
	run_wrong(a, "'z", "mark z is not set");
	app_free(a);
}

static void selecting(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "goto row 10 ; keys v5j4L");
	shows(a, "selected: 5 cycles, 6 rows");
	run(a, "range");
	shows(a, "Selection");
	shows(a, "rows         6");
	shows(a, "squashed     1");
	run(a, "close ; keys V");
	shows(a, "selected: 15 cycles, 6 rows");
	run(a, "select swap");
	shows(a, "row 10 of 200 ");
	run(a, "keys y");
	shows(a, "yanked 6 lines");
	assert_non_null(strstr(app_clipboard(a), "row 10  #10  0x1028  bne 0x40  IF 20 DA 21"));
	shows_not(a, "selected");
	assert_int_equal(run(a, "yank pc") & REACT_CLIPBOARD, 0);
	assert_string_equal(app_clipboard(a), "0x1028");
	assert_int_equal(run(a, "set clipboard on ; yank text") & REACT_CLIPBOARD, REACT_CLIPBOARD);
	assert_string_equal(app_clipboard(a), "bne 0x40");
	run_wrong(a, "yank nonsense", "rows, pc, text");
	app_free(a);
}

static void zooming(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "zoom out 2");
	shows(a, " 4:4 ");
	run(a, "zoom in 2");
	shows(a, " 1:1 ");
	run(a, "zoom in");
	shows(a, " 1:1/2 ");
	run(a, "zoom out");
	shows(a, " 1:1 ");
	run(a, "zoom fit");
	run(a, "goto row 7 ; enter");
	shows(a, " 1:1 ");
	run(a, "back");
	shows_not(a, " 1:1 ");
	run(a, "zoom reset ; goto row 7 ; enter");
	shows(a, "instruction 7");
	/* the inspector follows the cursor when the view has the focus */
	run(a, "keys <Tab>j");
	shows(a, "instruction 8");
	app_free(a);
}

static void panes(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "keys <F1>");
	shows(a, "Help");
	run(a, "keys /empty stretch<Enter>");
	shows(a, "empty 10");
	run(a, "keys q");
	run(a, "help distance");
	shows(a, "distance");
	run_wrong(a, "help no such thing", "does not mention");
	run(a, "close panes ; toggle legend");
	shows(a, "legend");
	run(a, "toggle legend");
	shows_not(a, "legend  ");
	run(a, "options ; keys <Enter>");
	assert_true(app_mouse_wanted(a));
	run(a, "close");
	run_wrong(a, "open pane nonsense", "there are: inspector, legend");
	run_wrong(a, "close pane", "no pane is open");
	assert_int_equal(run(a, "close") & REACT_QUIT, REACT_QUIT);
	app_free(a);
}

static void completion(void **state)
{
	static const struct {
		const char *typed, *line;
	} rows[] = {
	    {"got", ":goto"},
	    {"goto pe", ":goto percent"},
	    {"highlight event ca", ":highlight event cache-miss"},
	    {"next stage W", ":next stage WB"},
	    {"toggle leg", ":toggle legend"},
	    {"set wrap o", ":set wrap o"},
	    {"set wrap on ; zoom r", ":set wrap on ; zoom r"},
	    {"bind main x highlight ev", ":bind main x highlight event"},
	    {"keymap kon", ":keymap konata"},
	    {"metric add in-f", ":metric add in-flight"},
	    {"open pane insp", ":open pane inspector"},
	    {"open /dev/nul", ":open /dev/null"},
	};
	struct app *a = start();
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(line, sizeof(line), "keys :%s<Tab>", rows[i].typed);
		run(a, line);
		shows(a, rows[i].line);
		run(a, "keys <Esc>");
	}
	run(a, "keys :highlight <Tab><Tab><Tab>");
	shows(a, "event  fate  here  none  stage");
	shows(a, ":highlight fate");
	run(a, "keys <BackTab>");
	shows(a, ":highlight event");
	run(a, "keys <Space>ca<Tab><Enter>nn");
	shows(a, "row 17 of 200 ");
	app_free(a);
}

static void mouse(void **state)
{
	struct app *a = start();
	struct mouse click = {.kind = MOUSE_PRESS, .button = 1, .x = 50, .y = 6};
	struct mouse wheel = {.kind = MOUSE_WHEEL_DOWN, .x = 50, .y = 6};

	(void)state;
	screen(a, 100, 20);
	assert_int_equal(app_mouse(a, &click), REACT_NONE);
	assert_int_equal(run(a, "keys <F2>") & REACT_MOUSE, REACT_MOUSE);
	assert_int_not_equal(app_mouse(a, &click) & REACT_REDRAW, 0);
	shows(a, "row 3 of 200 ");
	for (int i = 0; i < 20; i++)
		app_mouse(a, &wheel);
	shows_not(a, "row 3 of 200 ");
	click.twice = true;
	click.x = 2;
	app_mouse(a, &click);
	shows(a, "instruction ");
	app_free(a);
}

static void pending_keys(void **state)
{
	struct app *a = start();

	(void)state;
	run(a, "keys 12t");
	shows(a, "12t");
	shows(a, "l toggle legend");
	run(a, "keys <Esc>j");
	shows(a, "row 1 of 200 ");
	run(a, "keys Zx");
	shows(a, "Zx is not bound (<F1>: help)");
	run(a, "keys 99999999999999999999j");
	shows(a, "row 199 of 200 ");
	app_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(going),     cmocka_unit_test(moving),
	    cmocka_unit_test(searching), cmocka_unit_test(finding),
	    cmocka_unit_test(filtering), cmocka_unit_test(marks_and_distance),
	    cmocka_unit_test(selecting), cmocka_unit_test(zooming),
	    cmocka_unit_test(panes),     cmocka_unit_test(completion),
	    cmocka_unit_test(mouse),     cmocka_unit_test(pending_keys),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
