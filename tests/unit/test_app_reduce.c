/* The pane "reduced trace": what it shows, its keys, and the thread that it is made on. */
#include "config.h"

#include "app_driver.h"
#include "app_script.h"

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

TEST(it_comes_by_itself)
{
	struct app *a = start_terminal(loop);

	begin(a, "reduce");
	idle(a);
	shows(a, "simulation agrees to the cycle");
	/* the numbers of another pipeline are there before its simulation is */
	begin(a, "reduce execute 9");
	shows(a, "N_E 9, N_S 5:");
	idle(a);
	shows_tall(a, "dearest dependencies at N_E 9, N_S 5");
	shows(a, "simulation agrees to the cycle");
	app_free(a);
}

TEST(arcs_come_by_themselves)
{
	struct app *a = start_terminal(loop);

	begin(a, "goto row 41");
	begin(a, "reduce arcs r3");
	screen(a, 100, 20);
	idle(a);
	assert_non_null(rows_of(a->tab)->view.arcs);
	begin(a, "move down 0");
	sbuf_clear(&a->message);
	shows(a, "waits for row 40 ldq (D 1, 0 branches): 4 cycles");
	begin(a, "reduce execute 3");
	screen(a, 100, 20);
	idle(a);
	shows(a, "waits for row 40 ldq (D 1, 0 branches): 2 cycles");
	begin(a, "reload");
	screen(a, 100, 20);
	app_free(a);
}

TEST(it_can_be_stopped)
{
	char path[80];
	struct app *a;

	snprintf(path, sizeof(path), "%s/long.trc", dir);
	loop_make(path, 20000);
	a = start_terminal(path);
	begin(a, "reduce");
	shows(a, "^C stops");
	assert_true(app_interrupt(a));
	idle(a);
	assert_non_null(strstr(sbuf_text(&a->message), "stopped"));
	shows(a, "stopped: :reduce starts again");
	begin(a, "reduce");
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

	begin(a, "reduce");
	idle(a);
	slot = panes_focused(a);
	do
		pane_move(slot->pane, 1, slot->height);
	while (!slot->pane->ops->target(slot->pane, slot->pane->cursor, &to));
	begin(a, "reduce execute +1");
	assert_true(app_busy(a));
	begin(a, "enter");
	assert_int_equal(a->panes.count, 0);
	idle(a);
	begin(a, "back");
	assert_int_equal(a->panes.count, 1);
	shows_tall(a, "   250    50     5 "); /* of N_E 6 */
	screen(a, 70, 40);
	app_free(a);
}

/* What is asked for last is what comes, whatever was under way. */
TEST(it_changes_its_mind)
{
	struct app *a = start_terminal(loop);

	begin(a, "reduce");
	for (int i = 0; i < 10; i++)
		begin(a, "reduce setup +1");
	begin(a, "escape");
	begin(a, "goto row 40");
	begin(a, "select rows");
	begin(a, "move down 19");
	screen(a, 100, 40);
	idle(a);
	shows_tall(a, "instructions 20   targets 4 ");
	shows_tall(a, "N_E 5  N_S 15 ");
	shows_tall(a, "simulation agrees to the cycle");
	app_free(a);
}

TEST(closing_while_it_works)
{
	static const char *const ends[] = {"tab close", "reload", "reduce execute +1", "close pane"};

	closing_races(loop, "echo", "reduce", ends);
}

TEST(script)
{
	play_script("reduce", dir);
}

FIXTURES(make_traces, teardown)
