/* Two traces in one window: what the commands of comparing do, and the program that ran. */
#include "config.h"

#include <sys/auxv.h>

#include "app/pipeline/alignment.h"
#include "app_driver.h"
#include "app_script.h"

enum { ROWS = 60, SLOW_ROW = 20, SLOW_BY = 7, LEFT_OUT = 40, NOWHERE = -1 };

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

/* Two tabs, as at a terminal, that begin to be compared. */
static struct app *begin_comparing(void)
{
	struct app *a = start_driven(run_a, false);
	struct error e = {STATUS_OK, ""};

	assert_int_equal(app_open(a, run_b, &e), STATUS_OK);
	begin(a, "compare");
	return a;
}

TEST(it_can_be_stopped)
{
	struct app *a = begin_comparing();

	if (app_interrupt(a) && !joined_shown(a)) {
		idle(a);
		assert_null(a->tab->joined);
		assert_non_null(strstr(sbuf_text(&a->message), "stopped"));
	}
	app_free(a);
}

TEST(what_is_compared_is_not_followed)
{
	struct app *a = begin_comparing();
	int wait_ms;

	while (app_busy(a) || !joined_shown(a))
		app_idle(a, &wait_ms);
	assert_int_equal(app_run(a, "follow", -1, NULL), STATUS_USAGE);
	assert_non_null(joined_shown(a));
	app_free(a);
}

/* The folder's traces are small: the race is who is first, and either way nothing is lost. */
TEST(closing_while_it_works)
{
	for (int i = 0; i < 20; i++) {
		struct timespec nap = {0, i * 100000L};
		struct app *a = begin_comparing();
		int wait_ms;

		for (int k = 0; k < i; k++)
			app_idle(a, &wait_ms);
		nanosleep(&nap, NULL);
		app_run(a, i % 2 ? "tab close" : "compare off", -1, NULL);
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
	shows(a, "stalls by function");
	run(a, "stalls by"); /* in turn */
	shows(a, "stalls by line");
	run(a, "stalls by");
	shows_not(a, "stalls by");
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

TEST(script)
{
	play_script("compare", dir);
}

FIXTURES(make_runs, teardown)
