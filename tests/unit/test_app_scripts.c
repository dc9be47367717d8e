/* Scripts of the app, and the traces that they are on: see app_script.h, and app_trace.h for a.trc.
 */
#include "config.h"

#include "app_driver.h"
#include "app_script.h"

static FILE *create(const char *name)
{
	char path[80];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	return f;
}

/*
 * Row i is born in cycle i, in thread i % 3, executes in i + 4 and waits for row i - 1; rows
 * that five divides wait for i - 3 too, by a link of type 2. Lane 1 has a stall in each.
 */
static void write_linked_row(FILE *f, int i, int age)
{
	if (age == 0)
		fprintf(f, "I\t%d\t%d\t%d\nL\t%d\t0\t%x: add r%d\nS\t%d\t0\tF\n", i, 1000 + i,
			i % 3, i, 0x1000 + 4 * i, i, i);
	if (age == 2)
		fprintf(f, "S\t%d\t0\tDs\nS\t%d\t1\tstl\n", i, i);
	if (age == 3)
		fprintf(f, "E\t%d\t1\tstl\n", i);
	if (age == 4 && i)
		fprintf(f, "W\t%d\t%d\t0\n", i, i - 1);
	if (age == 4 && i && i % 5 == 0)
		fprintf(f, "W\t%d\t%d\t2\n", i, i - 3);
	if (age == 4)
		fprintf(f, "S\t%d\t0\tX\n", i);
	if (age == 5)
		fprintf(f, "S\t%d\t0\tCm\n", i);
	if (age == 6)
		fprintf(f, "R\t%d\t%d\t0\n", i, i);
}

static void write_linked(FILE *f)
{
	enum { ROWS = 60 };

	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int cycle = 0; cycle < ROWS + 8; cycle++) {
		for (int i = cycle < 8 ? 0 : cycle - 8; i <= cycle && i < ROWS; i++)
			write_linked_row(f, i, cycle - i);
		fputs("C\t1\n", f);
	}
}

/* gem5: a row each cycle of 1000 ticks, from the tenth on, seven stages long. */
static void write_ticks(FILE *f)
{
	static const char *const stages[] = {"decode", "rename", "dispatch", "issue", "complete"};

	for (int i = 0; i < 60; i++) {
		int tick = 1000 * (i + 10);

		fprintf(f, "O3PipeView:fetch:%d:0x%08x:0:%d:  add a%d\n", tick, 0x1000 + 4 * i,
			i + 1, i);
		for (int k = 0; k < 5; k++)
			fprintf(f, "O3PipeView:%s:%d\n", stages[k], tick + 1000 * (k + 1));
		fprintf(f, "O3PipeView:retire:%d:store:0\n", tick + 6000);
	}
}

/*
 * Row i is born in cycle i and retires in i + 5. Rows that seven divides (0, 7, ... 98) have a
 * note, in their third cycle, and those that fourteen divides another line of it. Before row 50
 * there is a comment. Only rows below 60 have text, and the last ten, more than the index keeps.
 */
static void write_noted_row(FILE *f, int i, int age)
{
	enum { ESCAPED = 80, LONG = 90, MUCH = 1500 };

	if (age == 0) {
		if (i == 50)
			fputs("# the second phase\n", f);
		fprintf(f, "I\t%d\t%d\t%d\nS\t%d\t0\tF\n", i, 1000 + i, i % 2, i);
		if (i < 60)
			fprintf(f, "L\t%d\t0\t%x: add r%d\n", i, 0x1000 + 4 * i, i);
		if (i == ESCAPED)
			fprintf(f, "L\t%d\t0\t2000: mul x1,\\nx2 of two lines\\n\n", i);
		if (i >= LONG)
			fprintf(f, "L\t%d\t0\t3000: div %0*d of %d\n", i, MUCH, 0, i);
	}
	if (age == 2 && i % 7 == 0)
		fprintf(f, "L\t%d\t1\tmissed the cache\n", i);
	if (age == 2 && i % 14 == 0)
		fprintf(f, "L\t%d\t2\tcache line of %d\n", i, i);
	if (age == 5)
		fprintf(f, "R\t%d\t%d\t0\n", i, i);
}

static void write_noted(FILE *f)
{
	enum { ROWS = 100 };

	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int cycle = 0; cycle < ROWS + 8; cycle++) {
		for (int i = cycle; i >= 0 && i > cycle - 6; i--)
			if (i < ROWS)
				write_noted_row(f, i, cycle - i);
		fputs("C\t1\n", f);
	}
}

enum { TWO_ROWS = 64000, TWO_WIDTH = 32, TWO_STAY = 1000 };

/* What the rows born at a tick do: they begin 'F', go on to 'X', or retire. */
static void write_two_each(FILE *f, int tick, char what)
{
	if (tick < 0 || tick >= TWO_ROWS / TWO_WIDTH)
		return;
	for (int row = tick * TWO_WIDTH; row < (tick + 1) * TWO_WIDTH; row++)
		if (what == 'F')
			fprintf(f,
				"I\t%d\t%d\t0\nL\t%d\t0\tan operation told of at length\n"
				"S\t%d\t0\tF\n",
				row, row, row, row);
		else if (what == 'X')
			fprintf(f, "S\t%d\t0\tX\n", row);
		else
			fprintf(f, "R\t%d\t%d\t0\n", row, row);
}

/*
 * A trace too long to be read for a picture, in which no stage is longer than the other: rows
 * born TWO_WIDTH a tick, each TWO_STAY ticks in F, then as many in X. Some 7 MB.
 */
static void write_two_stays(FILE *f)
{
	fputs("Kanata\t0004\nC=\t0\n", f);
	for (int t = 0; t <= TWO_ROWS / TWO_WIDTH + 2 * TWO_STAY; t++) {
		write_two_each(f, t, 'F');
		write_two_each(f, t - TWO_STAY, 'X');
		write_two_each(f, t - 2 * TWO_STAY, 'R');
		fputs("C\t1\n", f);
	}
}

static int make_traces(void **state)
{
	static const struct {
		const char *name;
		void (*write)(FILE *f);
	} traces[] = {{"linked.kanata", write_linked},
		      {"noted.kanata", write_noted},
		      {"ticks.out", write_ticks},
		      {"two.kanata", write_two_stays}};

	if (setup(state))
		return -1;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		FILE *f = create(traces[i].name);

		traces[i].write(f);
		assert_int_equal(fclose(f), 0);
	}
	return 0;
}

#define SCRIPT(name)                                                                               \
	TEST(name)                                                                                 \
	{                                                                                          \
		play_script(#name, dir);                                                           \
	}

SCRIPT(curves)
SCRIPT(files)
SCRIPT(going)
SCRIPT(links)
SCRIPT(panes)
SCRIPT(search)
SCRIPT(told)

FIXTURES(make_traces, teardown)
