/* The pane "CPI0": what it shows, its machines, the thread it is made on, and its curve. */
#include "config.h"

#include "app_driver.h"
#include "app_script.h"

enum { ROUNDS = 100, BODY = 4, SPLIT = ROUNDS / 2 };

static char loop[64], again[64];

/*
 * Alpha code, one instruction a cycle, all committed: the first half of the rounds loads and
 * stores, the second one adds. So many instructions stand before it.
 */
static void loop_make(const char *path, int before)
{
	static const char *const bodies[2][BODY] = {
	    {"ldq r5,0(r4)", "ldq r6,8(r4)", "stq r6,0(r7)", "addq r5,8,r4"},
	    {"addq r5,8,r4", "subq r1,1,r1", "addq r1,r4,r2", "ldq r5,0(r4)"}};
	FILE *f = fopen(path, "w");
	int cycle = 0;

	assert_non_null(f);
	for (int i = -before; i < ROUNDS * BODY; i++, cycle++) {
		int half = i / BODY >= SPLIT, address = 0x1000 * (1 + half) + 4 * (i % BODY);

		fprintf(f, "@ %d\n", cycle);
		if (cycle)
			fprintf(f, "* %d CT 0x0\n- %d\n", cycle - 1, cycle - 1);
		fprintf(f, "+ %d 0x%x 0x0 %s\n* %d IF 0x0\n", cycle,
			i < 0 ? 0x800 - 4 * i : address,
			i < 0 ? "mulq r1,r2,r3" : bodies[half][i % BODY], cycle);
	}
	fprintf(f, "@ %d\n* %d CT 0x0\n- %d\n", cycle, cycle - 1, cycle - 1);
	assert_int_equal(fclose(f), 0);
}

static int make_files(void **state)
{
	if (setup(state))
		return -1;
	snprintf(loop, sizeof(loop), "%s/loop.trc", dir);
	loop_make(loop, 0);
	snprintf(again, sizeof(again), "%s/again.trc", dir);
	loop_make(again, 1);
	return 0;
}

TEST(it_comes_by_itself)
{
	struct app *a = start_terminal(loop);

	begin(a, "cpi0");
	shows(a, "diagnosing");
	idle(a);
	shows(a, "CPI0 0.5000: limited by m");
	begin(a, "machine r10000");
	idle(a);
	shows_tall(a, "o  order            0.0");
	app_free(a);
}

TEST(another_machine_at_once)
{
	struct app *a = start_terminal(loop);

	begin(a, "cpi0");
	idle(a);
	begin(a, "machine samplecore-4wide");
	shows(a, "CPI0 0.5000: limited by mem");
	shows_tall(a, "simulation goes on ...");
	idle(a);
	shows_tall(a, "o  order            0.0");
	app_free(a);
}

/* A selection that moves: what is shown at the end is of where it came to. */
TEST(it_follows_a_selection)
{
	struct app *a = start_terminal(loop);

	begin(a, "cpi0");
	idle(a);
	begin(a, "focus next");
	begin(a, "goto row 0");
	begin(a, "select rows");
	for (int i = 0; i < 39; i++) {
		begin(a, "move down");
		screen(a, 100, 20);
	}
	panes_refresh(a, false);
	idle(a);
	shows(a, "CPI0: rows 0..39");
	shows(a, "40 instructions");
	shows(a, "CPI0 0.7500: limited by m");
	app_free(a);
}

TEST(it_can_be_stopped)
{
	struct app *a = start_terminal(loop);

	begin(a, "cpi0");
	app_interrupt(a);
	idle(a);
	/* it may have been too late */
	begin(a, "cpi0");
	idle(a);
	shows(a, "CPI0 0.5000");
	app_free(a);
}

/* ---- a trace that grows -------------------------------------------------------------------- */

static size_t read_loop(char *text, size_t most)
{
	FILE *f = fopen(loop, "r");
	size_t len;

	assert_non_null(f);
	len = fread(text, 1, most - 1, f);
	fclose(f);
	text[len] = '\0';
	return len;
}

static void wait_for_rows(struct app *a, uint64_t rows)
{
	const struct timespec nap = {0, 1000000L};
	int wait_ms;

	for (int i = 0; i < 5000 && store_row_count(store_of_trace(app_trace(a))) < rows; i++) {
		app_idle(a, &wait_ms);
		nanosleep(&nap, NULL);
	}
	app_idle(a, &wait_ms);
	screen(a, 100, 20); /* what is shown is made again with a frame */
	idle(a);
}

/* The same until so many have committed: the end of the last one's life is text, too. */
static void wait_for_commits(struct app *a, uint64_t commits)
{
	const struct timespec nap = {0, 1000000};
	struct totals t;
	int wait_ms;

	store_totals(store_of_trace(app_trace(a)), &t);
	for (int i = 0; i < 5000 && t.fates[FATE_COMMITTED] < commits; i++) {
		app_idle(a, &wait_ms);
		nanosleep(&nap, NULL);
		store_totals(store_of_trace(app_trace(a)), &t);
	}
	screen(a, 100, 20);
	idle(a);
}

/* Half of it, then all: it is counted again when somebody asks. */
TEST(it_grows_with_the_trace)
{
	static char text[1 << 16];
	char path[80], *half;
	size_t len = read_loop(text, sizeof(text));
	struct app *a;
	FILE *f;

	half = strstr(text, "@ 200\n");
	assert_non_null(half);
	snprintf(path, sizeof(path), "%s/grow.trc", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(text, 1, (size_t)(half - text), f);
	fflush(f);
	a = start_terminal(path);
	begin(a, "follow");
	wait_for_rows(a, 200);
	begin(a, "cpi0");
	idle(a);
	shows(a, "199 instructions, Alpha, so far");
	shows(a, "CPI0 0.7538: limited by m");
	fwrite(half, 1, len - (size_t)(half - text), f);
	fclose(f);
	wait_for_commits(a, 400);
	shows(a, "199 instructions, Alpha, so far");
	begin(a, "cpi0");
	idle(a);
	shows(a, "400 instructions, Alpha, so far");
	app_free(a);
}

TEST(closing_while_it_works)
{
	static const char *const ends[] = {"close pane", "reload", "machine zen2", "echo x"};

	closing_races(loop, "metric add cpi0", "cpi0", ends);
}

TEST(script)
{
	play_script("cpi0", dir);
}

FIXTURES(make_files, teardown)
