/*
 * src/app, text that is still written: what it says of rows that are there already, and nothing
 * but that, is on the screen without a key.
 */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app_driver.h"

enum { WAKES = 8, WIDE = 100, HIGH = 20, FOREVER_MS = 20000 };

#define HEAD "Kanata\t0004\nC=\t0\n"

static FILE *file;
static bool begins; /* nothing was drawn yet */

static void say(const char *text)
{
	assert_true(fputs(text, file) >= 0 && fflush(file) == 0);
}

/* A file that grows, opened as at a terminal. */
static struct app *open_live(const char *text)
{
	struct app_options options = {.store.no_cache = true, .store.threads = 2, .config = "none"};
	struct error e = {STATUS_OK, ""};
	struct app *a;

	file = fopen(trace, "w");
	assert_non_null(file);
	say(text);
	if (app_new(&a, &options, &e))
		fail_msg("%s", e.text);
	run(a, "set follow on");
	if (app_open(a, trace, &e))
		fail_msg("%s", e.text);
	app_layout(a, WIDE, HIGH);
	begins = true;
	return a;
}

static void end(struct app *a)
{
	app_free(a);
	fclose(file);
}

/* What the loop at the terminal does: it draws at first and when it is told to, and then only. */
static void await(struct app *a, const char *what)
{
	struct pollfd wakes[WAKES];
	int fds[WAKES], wait_ms;

	for (;;) {
		bool draws = (app_idle(a, &wait_ms) & REACT_REDRAW) || begins;
		int n = app_wake_fds(a, fds, WAKES);

		begins = false;
		if (draws && strstr(screen(a, WIDE, HIGH), what))
			return;
		for (int i = 0; i < n; i++)
			wakes[i] = (struct pollfd){.fd = fds[i], .events = POLLIN};
		if (poll(wakes, (nfds_t)n, wait_ms < 0 ? FOREVER_MS : wait_ms) == 0 && wait_ms < 0)
			fail_msg("'%s' was never drawn:\n%s", what, screen(a, WIDE, HIGH));
	}
}

/* All there is stays on the screen until somebody zooms or moves. */
TEST(curves_go_on)
{
	struct app *a = open_live("time,load\n0,1\n10,2\n20,3\n");

	await(a, "tick 19 ");
	for (int i = 3; i <= 500; i++)
		fprintf(file, "%d,%d\n", 10 * i, i % 7);
	say("");
	await(a, "tick 4 999 ");
	assert_true(axis_shows(a->tab->view->axis, 0));
	run(a, "zoom cycles-in");
	say("20000,1\n40000,1\n");
	await(a, "tick 39 999 ");
	assert_false(axis_shows(a->tab->view->axis, 0));
	end(a);
}

/* An interval comes in several writes: what its last lines say changes what is drawn of it. */
TEST(curves_are_of_now)
{
#define AT(second, value, event) "     " second ".000000000," value ",," event ",1000,100.00,,\n"
	struct app *a = open_live(AT("1", "100", "cycles") AT("1", "100", "instructions"));

	await(a, "999.999999 ms ");
	run(a, "metric add instructions");
	say(AT("2", "100", "cycles"));
	await(a, "1.999999999 s ");
	run(a, "goto last");
	shows_not(a, "207");
	say(AT("2", "207", "instructions"));
	await(a, "instructions       207");
#undef AT
	end(a);
}

TEST(rows_go_on)
{
	struct app *a = open_live(HEAD "I\t0\t0\t0\nS\t0\t0\tF\nC\t1\n"
				   "I\t1\t1\t0\nS\t1\t0\tF\nC\t1\n");

	await(a, " Ff>");
	say("S\t0\t0\tX\nC\t3\nR\t0\t0\t0\nC\t3\nS\t1\t0\tD\nC\t5\n");
	await(a, " FffffffDddddd>");
	shows(a, " FfXxx");
	/* its text, without a tick */
	say("L\t1\t0\t2000: sub\nS\t1\t0\tW\n");
	await(a, "2000 sub");
	say("L\t1\t0\t r7\nS\t1\t0\tY\n");
	await(a, "2000 sub r7");
	end(a);
}

static void say_births(int from, int to)
{
	for (int id = from; id < to; id++) {
		fprintf(file, "I\t%d\t%d\t0\nS\t%d\t0\tF\nC\t1\n", id, id, id);
		fprintf(file, "L\t%d\t0\t%x: op%d\n", id, 0x1000 + 4 * id, id);
	}
	say("C\t1\n");
}

/* A pane tells of the trace as it is, not as it was when the pane was opened. */
TEST(panes_go_on)
{
	struct app *a = open_live(HEAD);

	say_births(0, 12);
	run(a, "set follow off");
	await(a, "op11");
	run(a, "goto row 3 ; inspector");
	shows(a, "in-flight");
	say("S\t3\t0\tX\nC\t4\nR\t3\t3\t0\n");
	await(a, "committed");
	run(a, "close pane ; info");
	say_births(12, 20);
	await(a, "cycle 0 to 26");
	end(a);
}

/* Rows are squashed after they were shown: those go, and the cursor stays at its row. */
TEST(hidden_rows_go)
{
	struct app *a = open_live(HEAD);
	uint64_t line;

	say_births(0, 12);
	run(a, "set follow off ; hide squashed");
	await(a, "op11");
	run(a, "goto row 8");
	line = rows_of(a->tab)->view.cursor - rows_of(a->tab)->view.top;
	assert_int_equal(line, 8);
	say("R\t2\t2\t1\nR\t3\t3\t1\nR\t4\t4\t0\nC\t1\nC\t1\n");
	await(a, "row 8 (no. 7 of 10)");
	shows(a, "op1 ");
	shows_not(a, "op2 ");
	shows_not(a, "op3 ");
	/* the row that the cursor is at goes, too: it is at the next one */
	say("R\t8\t8\t1\nC\t1\nC\t1\n");
	await(a, "row 9 (no. 7 of 9)");
	end(a);
}

/* Who follows stays at the newest row that is shown, and goes on to follow. */
TEST(following_goes_on)
{
	struct app *a = open_live(HEAD);

	say_births(0, 12);
	run(a, "hide squashed");
	await(a, "op11");
	assert_int_equal(tab_live(a->tab), LIVE_FOLLOWING);
	say("R\t11\t11\t1\nC\t1\nC\t1\n");
	await(a, "row 10 (no. 11 of 11)");
	assert_int_equal(tab_live(a->tab), LIVE_FOLLOWING);
	end(a);
}

/* What is selected by rows goes to their ends, wherever these come to be. */
TEST(selected_rows_end)
{
	struct app *a = open_live(HEAD);

	say_births(0, 6);
	run(a, "set follow off");
	await(a, "op5");
	run(a, "goto row 0 ; select rows ; goto row 1");
	shows(a, "x 2 rows; 0 committed in these cycles");
	say("R\t0\t0\t0\nR\t1\t1\t0\nC\t1\nC\t9\nR\t5\t5\t0\nC\t1\nC\t1\n");
	await(a, "selected: 8 cycles x 2 rows; 2 committed in these cycles");
	end(a);
}

/* Rows that were shown before they ended are counted wherever they end, and their stages, exactly.
 */
TEST(late_ends_count)
{
	struct app *a = open_live(HEAD);

	say_births(0, 12);
	run(a, "set follow off");
	await(a, "op11");
	for (int id = 0; id < 12; id++)
		fprintf(file, "S\t%d\t0\tX\nC\t2\nR\t%d\t%d\t0\n", id, id, id);
	say_births(12, 20);
	await(a, "row 0 of 20 ");
	run(a, "goto cycle 17 ; select cycles ; goto cycle 19 ; range");
	app_layout(a, WIDE, 3 * HIGH);
	/* op 1 commits in cycle 17, op 2 in 19; from 15 to 17 the one is in X, to 19 the other */
	assert_non_null(strstr(screen(a, WIDE, 3 * HIGH), "rows         11"));
	assert_non_null(strstr(screen(a, WIDE, 3 * HIGH), "commit       0.667"));
	assert_non_null(strstr(screen(a, WIDE, 3 * HIGH), "F            8.67"));
	assert_non_null(strstr(screen(a, WIDE, 3 * HIGH), "X            1\n"));
	assert_null(strstr(screen(a, WIDE, 3 * HIGH), " ~"));
	end(a);
}

/* A filter that no row has matched so far shows the first one that does. */
TEST(texts_come_late)
{
	struct app *a = open_live(HEAD);

	say_births(0, 12);
	run(a, "set follow off");
	await(a, "op11");
	run(a, "filter needle");
	shows(a, "no rows");
	say("L\t9\t0\t needle\nL\t3\t0\t needle\nC\t1\nC\t1\n");
	await(a, "row 3 (no. 1 of 2)");
	end(a);
}

FIXTURES(setup, teardown)
