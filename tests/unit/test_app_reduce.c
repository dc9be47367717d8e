/* The pane "reduced trace": what it shows, its keys, and the thread that it is made on. */
#include "config.h"

#include <time.h>

#include "app/pipeline/rows.h"
#include "app_driver.h"
#include "pipeline/kind.h"

enum { ROUNDS = 50, BODY = 4 };

static char loop[64];

/*
 * A loop of Alpha code, one instruction every fourth cycle, all committed. In each round addq waits
 * for the ldq before it, the next ldq for addq, and bne for the subq before it.
 */
static void loop_make(const char *path, int rounds)
{
	static const char *const body[BODY] = {"ldq r5,0(r4)", "addq r5,8,r4", "subq r1,1,r1",
					       "bne r1,0xfffffffffffffff0"};
	FILE *f = fopen(path, "w");
	int cycle = 0;

	assert_non_null(f);
	for (int i = 0; i < rounds * BODY; i++) {
		fprintf(f, "@ %d\n+ %d 0x%x 0x0 %s\n* %d IF 0x0\n", cycle, i,
			0x1000 + 4 * (i % BODY), body[i % BODY], i);
		fprintf(f, "@ %d\n* %d DA 0x0\n@ %d\n* %d CT 0x0\n@ %d\n- %d\n", cycle + 1, i,
			cycle + 2, i, cycle + 3, i);
		cycle += 4;
	}
	assert_int_equal(fclose(f), 0);
}

static int make_traces(void **state)
{
	if (setup(state))
		return -1;
	snprintf(loop, sizeof(loop), "%s/loop.trc", dir);
	loop_make(loop, ROUNDS);
	return 0;
}

/* On a screen that has room for the list, too. */
static void shows_tall(struct app *a, const char *what)
{
	const char *text = screen(a, 100, 40);

	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
}

static struct app *start_pane(void)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "reduce");
	return a;
}

static void type(struct app *a, const char *keys)
{
	struct key_sequence s;
	struct error e;

	for (; *keys; keys++) {
		const char one[] = {*keys, '\0'};

		assert_int_equal(keymap_sequence(*keys == '<' ? "<Lt>" : one, &s, &e), STATUS_OK);
		app_key(a, s.keys[0]);
	}
	run(a, "redraw");
}

/* 50 rounds: 49 targets, ldq and addq a chain over all rounds, bne a round's own arc. */
TEST(the_numbers)
{
	struct app *a = start_pane();

	shows(a, "N_E 5  N_S 5 ");
	shows(a, "instructions 200   targets 49   p_b 0.2450");
	shows(a, "estimate yes");
	shows_tall(a, "50  loads that do not tell from where");
	shows(a, "1  instructions   ");
	shows(a, "f  flush          ");
	shows(a, "simulation agrees to the cycle");
	app_free(a);
}

TEST(keys_change_the_pipeline)
{
	struct app *a = start_pane();

	type(a, ">>]");
	shows(a, "N_E 7  N_S 6 ");
	shows(a, "simulation agrees to the cycle");
	type(a, "<[[[[[[[[");
	shows(a, "N_E 6  N_S 1 ");
	shows(a, "f  flush              0    0.0 %");
	type(a, "9>");
	shows(a, "N_E 15  N_S 1 ");
	shows(a, "simulation agrees to the cycle");
	type(a, "9<9<");
	shows(a, "N_E 1  N_S 1 ");
	run(a, "reduce execute 4096");
	shows(a, "N_E 4096  N_S 1 ");
	shows(a, "simulation agrees to the cycle");
	/* elsewhere they are what they were */
	run(a, "close pane");
	type(a, ">");
	assert_int_equal(tab_place(a->tab).item, ROUNDS * BODY - 1);
	assert_int_equal(rows_app(a)->reduce.at.execute, 4096);
	app_free(a);
}

TEST(what_is_no_length_is_refused)
{
	struct app *a = start_pane();

	run_wrong(a, "reduce execute 0", "a length is 1 to 4096");
	run_wrong(a, "reduce setup 4097", "a length is 1 to 4096");
	run_wrong(a, "reduce setup x", "a length is 1 to 4096");
	run_wrong(a, "reduce es 0", "a ratio of numbers from 1 to 100");
	run_wrong(a, "reduce es 1/101", "a ratio of numbers from 1 to 100");
	run_wrong(a, "reduce gamma -1", "gamma is a number");
	run_wrong(a, "reduce by links", "the trace has no links");
	run_wrong(a, "reduce by hand", "operands or links");
	app_free(a);
}

TEST(enter_goes_to_the_dearest)
{
	struct app *a = start_pane();
	struct pane_slot *slot = panes_focused(a);
	struct pane_line l = {0};

	shows_tall(a, "dearest dependencies at N_E 5, N_S 5");
	do {
		sbuf_clear(&l.text);
		l.span_count = 0;
		pane_move(slot->pane, 1, slot->height);
		slot->pane->ops->line(slot->pane, slot->pane->cursor, &l);
	} while (slot->pane->cursor + 1 < slot->pane->ops->count(slot->pane) &&
		 !strstr(sbuf_text(&l.text), "0x1004  addq"));
	sbuf_free(&l.text);
	run(a, "enter");
	assert_int_equal(tab_place(a->tab).item % BODY, 1);
	assert_int_equal(a->panes.count, 0);
	run(a, "back");
	assert_int_equal(a->panes.count, 1);
	shows(a, "dearest dependencies");
	app_free(a);
}

TEST(of_a_selection)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "goto row 40");
	run(a, "select rows");
	run(a, "move down 19");
	run(a, "reduce");
	shows(a, "reduced trace: rows 40..59");
	shows(a, "instructions 20   targets 4 ");
	shows(a, "simulation agrees to the cycle");
	app_free(a);
}

TEST(the_family_of_pipelines)
{
	struct app *a = start_pane();
	const char *text;

	run(a, "reduce es 2/3");
	run(a, "reduce gamma 50");
	text = screen(a, 100, 120);
	assert_non_null(strstr(text, "how long to make it: E/S 2/3, gamma 50"));
	type(a, "++-");
	assert_non_null(strstr(screen(a, 100, 120), "E/S 2/3, gamma 100"));
	app_free(a);
}

TEST(in_ascii)
{
	struct app *a = start_with("none", NULL, loop);
	const char *text;

	a->options.ascii = true;
	run(a, "reduce");
	for (text = screen(a, 80, 120); *text; text++)
		assert_true((unsigned char)*text < 0x80);
	app_free(a);
}

TEST(nothing_to_reduce)
{
	struct app *a = start_with("none", NULL, NULL);

	run_wrong(a, "reduce", "no trace is open");
	run(a, "reduce execute 3"); /* as a file of commands may say */
	assert_int_equal(rows_app(a)->reduce.at.execute, 3);
	app_free(a);
}

/* ---- arcs on the instructions -------------------------------------------------------------- */

/* Rows 4i: ldq, addq, subq, bne; the status line tells those of the row under the cursor. */
TEST(the_status_line_names_arcs)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "reduce execute 7");
	run(a, "reduce arcs r3");
	run(a, "goto row 41"); /* addq, behind its ldq */
	shows(a, "waits for row 40 ldq (D 1, 0 branches): 6 cycles");
	run(a, "move down 3"); /* the next ldq waits for addq, across the loop's branch */
	shows(a, "row 41 addq (D 3) removed by Reduction 2: row 43 computes its own condition");
	run(a, "reduce arcs off");
	run(a, "move down");
	shows_not(a, "waits for");
	run_wrong(a, "reduce arcs r4", "off, raw, r1, r2 or r3");
	app_free(a);
}

TEST(a_key_goes_on_to_the_next_reduction)
{
	struct app *a = start_with("none", NULL, loop);

	for (int shown = 1; shown <= ARCS_COUNT; shown++) {
		type(a, "ta");
		assert_int_equal(rows_app(a)->arcs_shown, shown % ARCS_COUNT);
	}
	app_free(a);
}

/* What was removed is there to be walked as long as the reduction that removes it is not shown. */
TEST(arcs_are_walked_as_links_are)
{
	struct app *a = start_with("none", NULL, loop);

	run_wrong(a, "producer", "no links between rows");
	run(a, "reduce arcs r1");
	run(a, "goto row 44");
	run(a, "producer");
	assert_int_equal(tab_place(a->tab).item, 41);
	run(a, "producer");
	assert_int_equal(tab_place(a->tab).item, 40);
	run(a, "consumer");
	assert_int_equal(tab_place(a->tab).item, 41);
	run(a, "goto row 44");
	run(a, "reduce arcs r3");
	run_wrong(a, "producer", "waited for no other");
	app_free(a);
}

/* A column of its own leads from the resolver down to who waits; what costs nothing is dim. */
TEST(arcs_are_drawn)
{
	struct app *a = start_with("none", NULL, loop);
	const char *text;

	run(a, "goto row 44");
	text = screen(a, 100, 20);
	assert_null(strstr(text, "\342\224\224"));
	run(a, "reduce arcs r3");
	text = screen(a, 100, 20);
	assert_non_null(strstr(text, "\342\224\224"));
	app_free(a);
}

/* ---- beside the screen --------------------------------------------------------------------- */

static struct app *start_terminal(const char *path)
{
	struct app_options options = {.store.no_cache = true, .config = "none"};
	struct error e = {STATUS_OK, ""};
	struct app *a;
	int wait_ms;

	if (app_new(&a, &options, &e) || app_open(a, path, &e) || store_wait(store_of_trace(app_trace(a)), &e))
		fail_msg("%s", e.text);
	app_layout(a, 100, 20);
	app_idle(a, &wait_ms);
	return a;
}

static void idle(struct app *a)
{
	const struct timespec nap = {0, 1000000L};
	int wait_ms;

	while (app_busy(a)) {
		app_idle(a, &wait_ms);
		assert_true(!app_busy(a) || wait_ms >= 0);
		nanosleep(&nap, NULL);
	}
}

TEST(it_comes_by_itself)
{
	struct app *a = start_terminal(loop);
	unsigned r;

	assert_int_equal(app_run(a, "reduce", -1, &r, NULL), STATUS_OK);
	idle(a);
	shows(a, "simulation agrees to the cycle");
	/* the numbers of another pipeline are there before its simulation is */
	assert_int_equal(app_run(a, "reduce execute 9", -1, &r, NULL), STATUS_OK);
	shows(a, "N_E 9, N_S 5:");
	idle(a);
	shows_tall(a, "dearest dependencies at N_E 9, N_S 5");
	shows(a, "simulation agrees to the cycle");
	app_free(a);
}

TEST(arcs_come_by_themselves)
{
	struct app *a = start_terminal(loop);
	unsigned r;

	app_run(a, "goto row 41", -1, &r, NULL);
	app_run(a, "reduce arcs r3", -1, &r, NULL);
	screen(a, 100, 20);
	idle(a);
	assert_non_null(rows_of(a->tab)->view.arcs);
	app_run(a, "move down 0", -1, &r, NULL);
	sbuf_clear(&a->message);
	shows(a, "waits for row 40 ldq (D 1, 0 branches): 4 cycles");
	app_run(a, "reduce execute 3", -1, &r, NULL);
	screen(a, 100, 20);
	idle(a);
	shows(a, "waits for row 40 ldq (D 1, 0 branches): 2 cycles");
	app_run(a, "reload", -1, &r, NULL);
	screen(a, 100, 20);
	app_free(a);
}

TEST(it_can_be_stopped)
{
	char path[80];
	struct app *a;
	unsigned r;

	snprintf(path, sizeof(path), "%s/long.trc", dir);
	loop_make(path, 20000);
	a = start_terminal(path);
	assert_int_equal(app_run(a, "reduce", -1, &r, NULL), STATUS_OK);
	shows(a, "^C stops");
	assert_true(app_interrupt(a));
	idle(a);
	assert_non_null(strstr(sbuf_text(&a->message), "stopped"));
	shows(a, "stopped: :reduce begins again");
	assert_int_equal(app_run(a, "reduce", -1, &r, NULL), STATUS_OK);
	idle(a);
	shows(a, "instructions 80 000");
	app_free(a);
}

/* Enter leaves the pane, which keeps what it shows; what replaces that must not pull it away. */
TEST(left_while_it_works)
{
	struct place to;
	struct app *a = start_terminal(loop);
	struct pane_slot *slot;
	unsigned r;

	app_run(a, "reduce", -1, &r, NULL);
	idle(a);
	slot = panes_focused(a);
	do
		pane_move(slot->pane, 1, slot->height);
	while (!slot->pane->ops->target(slot->pane, slot->pane->cursor, &to));
	app_run(a, "reduce execute +1", -1, &r, NULL);
	assert_true(app_busy(a));
	app_run(a, "enter", -1, &r, NULL);
	assert_int_equal(a->panes.count, 0);
	idle(a);
	app_run(a, "back", -1, &r, NULL);
	assert_int_equal(a->panes.count, 1);
	shows_tall(a, "   250    50     5 "); /* of N_E 6 */
	screen(a, 70, 40);
	app_free(a);
}

/* What is asked for last is what comes, whatever was under way. */
TEST(it_changes_its_mind)
{
	struct app *a = start_terminal(loop);
	unsigned r;

	app_run(a, "reduce", -1, &r, NULL);
	for (int i = 0; i < 10; i++)
		app_run(a, "reduce setup +1", -1, &r, NULL);
	app_run(a, "escape", -1, &r, NULL);
	app_run(a, "goto row 40", -1, &r, NULL);
	app_run(a, "select rows", -1, &r, NULL);
	app_run(a, "move down 19", -1, &r, NULL);
	screen(a, 100, 40);
	idle(a);
	shows_tall(a, "instructions 20   targets 4 ");
	shows_tall(a, "N_E 5  N_S 15 ");
	shows_tall(a, "simulation agrees to the cycle");
	app_free(a);
}

/* The race is who is first, and either way nothing is lost. */
TEST(closing_while_it_works)
{
	static const char *const ends[] = {"tab close", "reload", "reduce execute +1", "close pane"};

	for (int i = 0; i < 16; i++) {
		struct app *a = start_terminal(loop);
		struct timespec nap = {0, i * 50000L};
		unsigned r;
		int wait_ms;

		assert_int_equal(app_run(a, "reduce", -1, &r, NULL), STATUS_OK);
		nanosleep(&nap, NULL);
		app_run(a, ends[i % 4], -1, &r, NULL);
		screen(a, 100, 20);
		app_idle(a, &wait_ms);
		screen(a, 60, 20);
		app_free(a);
	}
}

FIXTURES(make_traces, teardown)
