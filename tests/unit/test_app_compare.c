/* Two traces in one window: what the commands of comparing do, and the program that ran. */
#include "config.h"

#include "app/pipeline/alignment.h"
#include "app/pipeline/rows.h"
#include "app_driver.h"

#include <sys/auxv.h>
#include <time.h>

enum { ROWS = 60, SLOW_ROW = 20, SLOW_BY = 7, LEFT_OUT = 40, TAB_A = 0, TAB_B = 1 };
enum { NOWHERE = -1 };

static char run_a[64], run_b[64];

/*
 * Instruction i is born at cycle 2 i, and is fetched, dispatched, executed and committed in the
 * cycles that follow. In a slow run one executes for SLOW_BY cycles more, all after it comes later
 * by as much, and one may not be there: SLOW_ROW and LEFT_OUT, in B.
 */
struct plan {
	int slow, left_out;
};

static int born(const struct plan *p, int i)
{
	return 2 * i + (p->slow != NOWHERE && i > p->slow ? SLOW_BY : 0);
}

static void write_row(FILE *f, const struct plan *p, int number, int i, int cycle)
{
	static const char *const stages[] = {"IF", "DA", "EX", "WB", "CT"};
	int age = cycle - born(p, i), late = i == p->slow ? SLOW_BY : 0;

	if (age == 0)
		fprintf(f, "+ %d 0x%08x 0x00000000 op%d r1\n", number, 0x1000u + 4u * (unsigned)i,
			i);
	if (late && age > 2 && age < 3 + late)
		return;
	age -= age > 2 ? late : 0;
	if (age < 0 || age > 4)
		return;
	fprintf(f, "* %d %s 0x00000000\n", number, stages[age]);
	if (age == 4)
		fprintf(f, "- %d\n", number);
}

static void write_run(const char *path, const struct plan *p)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (int cycle = 0; cycle <= born(p, ROWS - 1) + 4; cycle++) {
		int number = 0;

		fprintf(f, "@ %d\n", cycle);
		for (int i = 0; i < ROWS; i++)
			if (i != p->left_out)
				write_row(f, p, number++, i, cycle);
	}
	assert_int_equal(fclose(f), 0);
}

static int make_runs(void **state)
{
	if (setup(state))
		return -1;
	snprintf(run_a, sizeof(run_a), "%s/fast run.trc", dir);
	snprintf(run_b, sizeof(run_b), "%s/slow.trc", dir);
	write_run(run_a, &(struct plan){NOWHERE, NOWHERE});
	write_run(run_b, &(struct plan){SLOW_ROW, LEFT_OUT});
	return 0;
}

static struct app *joined(void)
{
	struct app *a = start_with("none", NULL, run_a);
	char line[100];

	snprintf(line, sizeof(line), "compare %s", run_b);
	run(a, line);
	assert_int_equal(a->tab_count, 2);
	assert_ptr_equal(a->tab, a->tabs[TAB_A]);
	return a;
}

static uint64_t row_in(const struct app *a, int tab)
{
	return tab_place(a->tabs[tab]).item;
}

TEST(both_are_shown)
{
	struct app *a = joined();

	shows(a, "[A] fast run.trc  B slow.trc");
	shows(a, "59 instructions matched by commit, pc and text");
	shows(a, "A         0      1000 op0 r1");
	shows(a, "B         0      1000 op0 r1");
	run(a, "echo");
	shows(a, "= B row 0 cycle 0, lag 0");
	run_wrong(a, "compare", "compared already");
	run(a, "compare off");
	shows(a, "[1/2] fast run.trc");
	shows_not(a, "slow.trc");
	run_wrong(a, "compare next", "no trace is compared");
	app_free(a);
}

TEST(blanks_in_names_are_quoted)
{
	struct app *a = start_with("none", NULL, run_b);
	char line[100];

	snprintf(line, sizeof(line), "compare '%s' cycle", run_a);
	run(a, line);
	shows(a, "[A] slow.trc  B fast run.trc");
	shows(a, "matched by cycle");
	app_free(a);
}

TEST(without_a_name_it_is_the_tab_beside)
{
	struct app *a = start_with("none", NULL, run_a);
	struct error e;

	run_wrong(a, "compare", "with which trace?");
	assert_int_equal(app_open(a, run_b, &e), STATUS_OK);
	run(a, "compare"); /* the one further left is A, wherever the cursor is */
	shows(a, "A fast run.trc  [B] slow.trc");
	run(a, "compare off");
	run(a, "compare 1"); /* from here to that one */
	shows(a, "[A] slow.trc  B fast run.trc");
	run_wrong(a, "compare 2", "with another one");
	run_wrong(a, "compare 3", "no tab 3");
	run_wrong(a, "compare /nonexistent", "/nonexistent");
	run_wrong(a, "compare 1 sideways", "commit, cycle or start");
	app_free(a);
}

TEST(the_other_side_comes_along)
{
	struct app *a = joined();

	run(a, "goto row 50");
	assert_int_equal(row_in(a, TAB_B), 49); /* LEFT_OUT is not there */
	run(a, "echo");
	shows(a, "= B row 49 cycle 107, lag +7");
	run(a, "move up 20");
	assert_int_equal(row_in(a, TAB_B), 30);
	run(a, "goto row 40");
	assert_int_equal(row_in(a, TAB_B), 40);
	shows(a, "only in A: before B row 40 cycle 89");
	run(a, "zoom out 1");
	assert_int_equal(rows_of(a->tabs[TAB_B])->view.row_zoom, 1);
	run(a, "compare layout overlaid"); /* a list has a row a line */
	assert_int_equal(rows_of(a->tab)->view.row_zoom, 0);
	assert_int_equal(row_in(a, TAB_A), 40);
	app_free(a);
}

TEST(the_focus_changes_sides)
{
	struct app *a = joined();

	run(a, "goto row 50");
	run(a, "compare switch");
	assert_ptr_equal(a->tab, a->tabs[TAB_B]);
	assert_int_equal(row_in(a, TAB_B), 49);
	shows(a, "= A row 50 cycle 100, lag +7");
	run(a, "move down");
	assert_int_equal(row_in(a, TAB_A), 51);
	run(a, "focus next");
	assert_ptr_equal(a->tab, a->tabs[TAB_A]);
	run(a, "tab next");
	assert_ptr_equal(a->tab, a->tabs[TAB_B]);
	assert_int_equal(row_in(a, TAB_B), 50);
	run(a, "tab 1");
	run(a, "open pane inspector"); /* what is open goes over to the other trace */
	shows(a, "row          51");
	run(a, "escape");
	run(a, "compare switch");
	shows(a, "row          50");
	app_free(a);
}

TEST(a_third_tab_does_not_part_them)
{
	struct app *a = joined();
	struct error e;

	assert_int_equal(app_open(a, trace, &e), STATUS_OK);
	shows(a, "[3/3] a.trc");
	run(a, "goto row 100");
	assert_int_equal(row_in(a, TAB_A), 0);
	run(a, "tab 2");
	shows(a, "[2/3] A fast run.trc  [B] slow.trc");
	run(a, "tab close");
	assert_int_equal(a->tab_count, 2);
	run(a, "tab 1");
	shows(a, "[1/2] fast run.trc");
	assert_null(a->tab->joined);
	app_free(a);
}

TEST(differences_are_gone_to)
{
	struct app *a = joined();

	run(a, "compare next");
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	assert_int_equal(row_in(a, TAB_B), SLOW_ROW);
	shows(a, "A row 20, B row 20: cycles, life, stages");
	run(a, "compare next");
	assert_int_equal(row_in(a, TAB_A), LEFT_OUT);
	shows(a, "only in A 1 instruction");
	run(a, "back");
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	assert_int_equal(row_in(a, TAB_B), SLOW_ROW);
	run(a, "goto last");
	run(a, "compare prev life,stages");
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	run(a, "compare next"); /* the kinds stay chosen */
	shows(a, "no such difference behind this place");
	run(a, "compare next all");
	assert_int_equal(row_in(a, TAB_A), LEFT_OUT);
	run(a, "compare first");
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	run_wrong(a, "compare next nonsense", "only-a");
	app_free(a);
}

/* From the side that lacks it the focus goes over. */
TEST(what_one_side_lacks_is_shown_on_the_other)
{
	struct app *a = joined();

	run(a, "goto row 30");
	run(a, "compare switch");
	run(a, "compare next only-a");
	assert_ptr_equal(a->tab, a->tabs[TAB_A]);
	assert_int_equal(row_in(a, TAB_A), LEFT_OUT);
	app_free(a);
}

TEST(layouts_take_turns)
{
	struct app *a = joined();

	run(a, "goto row 20");
	run(a, "compare layout");
	shows(a, "A~       20      1050 op20 r1");
	shows(a, "B~       20      1050 op20 r1");
	run(a, "compare layout");
	shows(a, " ~       20      1050 op20 r1");
	run(a, "compare layout");
	assert_int_equal(alignment_shown(a)->view.layout, COMPARE_STACKED);
	run(a, "compare layout interleaved");
	assert_int_equal(alignment_shown(a)->view.layout, COMPARE_INTERLEAVED);
	run_wrong(a, "compare layout sideways", "stacked, interleaved or overlaid");
	app_free(a);
}

TEST(the_table_leads_to_the_worst_place)
{
	struct app *a = joined();

	run(a, "goto row 3");
	run(a, "compare table");
	shows(a, "where the cycles went: B against A, by delta");
	shows(a, "B - A          +7 cycles          -1 instruction ");
	shows(a, "0x1050  op20 r1        1        1         2         9      7  EX");
	run(a, "enter"); /* the cursor is on what lost most */
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	assert_int_equal(row_in(a, TAB_B), SLOW_ROW);
	assert_int_equal(a->panes.count, 0);
	run(a, "back"); /* to where it was, and the table */
	assert_int_equal(row_in(a, TAB_A), 3);
	assert_int_equal(a->panes.count, 1);
	run(a, "sort by pc");
	shows(a, "by pc");
	run_wrong(a, "sort by nonsense", "cycles_a");
	run(a, "compare off");
	assert_int_equal(a->panes.count, 0);
	app_free(a);
}

/* Rows 16 to 25 commit in them, and some of the next one's cycles: the one that lost is there. */
TEST(the_table_is_of_the_selected_cycles)
{
	struct app *a = joined();

	run(a, "compare table");
	shows(a, "B against A, by delta");
	shows(a, "A             123 cycles          60 instructions");
	run(a, "goto row 15 ; goto cycle 35 ; select cycles ; goto cycle 54");
	run(a, "compare table");
	shows(a, "B against A, cycle 35..54 of A, by delta");
	shows(a, "A              20 cycles          10 instructions");
	shows(a, "+7 cycles           0 instructions"); /* its own, as of the whole runs */
	run(a, "enter");
	assert_int_equal(row_in(a, TAB_A), SLOW_ROW);
	/* the place is not in this range */
	run(a, "select none ; goto cycle 65 ; select cycles ; goto cycle 74 ; compare table");
	shows(a, "A              10 cycles           5 instructions");
	shows(a, "cycle 65..74 of A");
	run(a, "select none ; compare table");
	shows(a, "B against A, by delta");
	run(a, "compare switch ; select cycles ; +4");
	run_wrong(a, "compare table", "cycles of A");
	app_free(a);
}

TEST(the_table_leads_to_the_other_side)
{
	struct app *a = joined();
	int line = 0;

	run(a, "compare switch");
	run(a, "compare table");
	run(a, "sort by count_b"); /* LEFT_OUT is the last line */
	run(a, "goto last");
	run(a, "enter");
	assert_ptr_equal(a->tab, a->tabs[TAB_A]);
	assert_int_equal(row_in(a, TAB_A), LEFT_OUT);
	(void)line;
	app_free(a);
}

TEST(matching_can_be_chosen)
{
	struct app *a = joined();

	run(a, "compare by cycle");
	shows(a, "matched by cycle");
	run(a, "compare layout overlaid");
	run(a, "compare pair 10 12");
	shows(a, "matched by pair");
	assert_int_equal(alignment_shown(a)->view.layout, COMPARE_OVERLAID);
	run(a, "goto row 10");
	assert_int_equal(row_in(a, TAB_B), 12);
	run_wrong(a, "compare pair 10", "or neither");
	run_wrong(a, "compare by pair", "commit, cycle or start");
	run_wrong(a, "compare pair 1000 1", "row 1000 of A is not there");
	assert_non_null(a->tab->joined); /* what is compared stays so */
	app_free(a);
}

TEST(the_cursors_can_be_the_pair)
{
	struct app *a = joined();

	run(a, "compare off");
	run(a, "goto row 5");
	run(a, "tab 2");
	run(a, "goto row 8");
	run(a, "compare pair");
	run(a, "tab 1");
	run(a, "goto row 6");
	assert_int_equal(row_in(a, TAB_B), 9);
	app_free(a);
}

TEST(reading_again_keeps_them_joined)
{
	struct app *a = joined();

	run(a, "compare layout overlaid");
	run(a, "compare table");
	run(a, "reload");
	assert_non_null(joined_shown(a));
	assert_int_equal(alignment_shown(a)->view.layout, COMPARE_OVERLAID);
	run(a, "goto row 50");
	assert_int_equal(row_in(a, TAB_B), 49);
	app_free(a);
}

TEST(a_click_gives_the_focus)
{
	struct app *a = joined();
	struct mouse press = {.kind = MOUSE_PRESS, .button = 1, .x = 60, .y = 13};

	run(a, "set mouse on");
	run(a, "set strip off");
	screen(a, 100, 20);
	app_mouse(a, &press);
	assert_ptr_equal(a->tab, a->tabs[TAB_B]);
	press.y = 4;
	app_mouse(a, &press);
	assert_ptr_equal(a->tab, a->tabs[TAB_A]);
	assert_int_equal(row_in(a, TAB_A), row_in(a, TAB_B));
	app_free(a);
}

TEST(it_can_be_stopped)
{
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct error e = {STATUS_OK, ""};
	unsigned r = 0;
	struct app *a;
	int wait_ms;

	assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
	assert_int_equal(app_open(a, run_a, &e), STATUS_OK);
	assert_int_equal(app_open(a, run_b, &e), STATUS_OK);
	assert_int_equal(app_run(a, "compare", -1, &r, &e), STATUS_OK);
	if (app_interrupt(a) && !joined_shown(a)) {
		while (app_busy(a))
			app_idle(a, &wait_ms);
		assert_null(a->tab->joined);
		assert_non_null(strstr(sbuf_text(&a->message), "stopped"));
	}
	app_free(a);
}

TEST(what_is_compared_is_not_followed)
{
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct error e = {STATUS_OK, ""};
	unsigned r = 0;
	struct app *a;
	int wait_ms;

	assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
	assert_int_equal(app_open(a, run_a, &e), STATUS_OK);
	assert_int_equal(app_open(a, run_b, &e), STATUS_OK);
	assert_int_equal(app_run(a, "compare", -1, &r, &e), STATUS_OK);
	while (app_busy(a) || !joined_shown(a))
		app_idle(a, &wait_ms);
	assert_int_equal(app_run(a, "follow", -1, &r, &e), STATUS_USAGE);
	assert_non_null(joined_shown(a));
	app_free(a);
}

/* The folder's traces are small: the race is who is first, and either way nothing is lost. */
TEST(closing_while_it_works)
{
	for (int i = 0; i < 20; i++) {
		struct app_options options = {.store.no_cache = true, .config = "none"};
		struct timespec nap = {0, i * 100000L};
		struct error e = {STATUS_OK, ""};
		struct app *a;
		unsigned r;
		int wait_ms;

			assert_int_equal(app_new(&a, &options, &e), STATUS_OK);
		assert_int_equal(app_open(a, run_a, &e), STATUS_OK);
		assert_int_equal(app_open(a, run_b, &e), STATUS_OK);
		assert_int_equal(app_run(a, "compare", -1, &r, &e), STATUS_OK);
		for (int k = 0; k < i; k++)
			app_idle(a, &wait_ms);
		nanosleep(&nap, NULL);
		app_run(a, i % 2 ? "tab close" : "compare off", -1, &r, &e);
		app_free(a);
	}
}

TEST(a_program_names_functions)
{
	struct app *a = start_with("none", NULL, run_a);
	struct error e = {STATUS_OK, ""};
	enum status status;

	run_wrong(a, "stalls by function", ":binary FILE");
	run_wrong(a, "stalls by colour", "pc, function or line");
	run_wrong(a, "binary /proc/self/exe 0xzz", "not a hexadecimal address");
	status = app_command(a, "binary /proc/self/exe", NULL, &e);
	if (status == STATUS_UNSUPPORTED) {
		app_free(a);
		skip();
	}
	assert_int_equal(status, STATUS_OK);
	run(a, "stalls by function");
	shows(a, "where the cycles went, function by function");
	run(a, "stalls by"); /* in turn */
	shows(a, "where the cycles went, line by line");
	run(a, "stalls by");
	shows_not(a, "line by line");
	run(a, "close panes");
	run(a, "inspector");
	shows(a, "function    ");
	run(a, "binary none");
	shows_not(a, "function    ");
	run_wrong(a, "binary /nonexistent", "/nonexistent");
	run_wrong(a, "stalls by line", ":binary FILE");
	app_free(a);
}

/* A trace of this very program: one instruction, the first of born(). */
TEST(a_program_is_looked_up_where_it_was_loaded)
{
	/* the program headers stand in the first page of the file */
	uintptr_t pc = (uintptr_t)born, base = (uintptr_t)getauxval(AT_PHDR) & ~(uintptr_t)4095;
	char path[80], line[128];
	struct app *a;
	struct error e;
	FILE *f;

	snprintf(path, sizeof(path), "%s/self.trc", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "@ 1\n+ 1 0x%" PRIxPTR " 0x0 nop\n* 1 IF 0x0\n@ 3\n- 1\n", pc);
	fclose(f);
	a = start_with("none", NULL, path);
	snprintf(line, sizeof(line), "binary /proc/self/exe 0x%" PRIxPTR, base);
	if (app_command(a, line, NULL, &e) == STATUS_UNSUPPORTED) {
		app_free(a);
		skip();
	}
	run(a, "inspector");
	shows(a, "function     born");
	shows(a, "test_app_compare.c:");
	run(a, "close panes");
	run(a, "stalls by function");
	shows(a, "born      1");
	app_free(a);
}

/* In a configuration it is that of all traces. */
TEST(a_program_can_be_configured)
{
	char path[80];
	struct app *a;
	FILE *f;

	snprintf(path, sizeof(path), "%s/binary.config", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("binary /nonexistent\nbinary /proc/self/exe\n", f);
	fclose(f);
	a = start_with(path, NULL, run_a);
	assert_non_null(strstr(app_complaints(a), "binary.config:1: "));
	if (app_binary(a))
		run(a, "stalls by function");
	app_free(a);
}

FIXTURES(make_runs, teardown)
