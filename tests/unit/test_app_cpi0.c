/* The pane "CPI0": what it shows, its machines, the thread it is made on, and its curve. */
#include "config.h"

#include <time.h>

#include "app/complete.h"
#include "app/pipeline/rows.h"
#include "app_driver.h"
#include "pipeline/kind.h"

enum { ROUNDS = 100, BODY = 4, SPLIT = ROUNDS / 2 };

static char loop[64], again[64], tiny[64], broken[64];

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

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static int make_files(void **state)
{
	if (setup(state))
		return -1;
	snprintf(loop, sizeof(loop), "%s/loop.trc", dir);
	snprintf(tiny, sizeof(tiny), "%s/tiny.machine", dir);
	snprintf(broken, sizeof(broken), "%s/broken.machine", dir);
	loop_make(loop, 0);
	snprintf(again, sizeof(again), "%s/again.trc", dir);
	loop_make(again, 1);
	write_file(tiny, "machine tiny\ndispatch 1/2\nin-flight 8\n"
			 "queue m\nrate 1\ntakes load store\n"
			 "queue i\nrate 1\ntakes integer\n");
	write_file(broken, "machine broken\ndispatch 0\n");
	return 0;
}

static void shows_tall(struct app *a, const char *what)
{
	const char *text = screen(a, 120, 60);

	if (!strstr(text, what))
		fail_msg("'%s' is not on the screen:\n%s", what, text);
}

static struct app *start_pane(void)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "cpi0");
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

/* ---- what it shows ------------------------------------------------------------------------- */

/* Of 400: 200 of memory, 200 integers. */
TEST(the_numbers)
{
	struct app *a = start_pane();

	shows(a, "r10000: 4 dispatched a cycle, 32 in flight (in queues)  (default)");
	shows(a, "400 instructions, Alpha");
	shows(a, "CPI0 0.5000: limited by m, the memory queue: ");
	shows(a, "0.5000 of the instructions, 1 a cycle leaves it");
	shows(a, "  i at 50 %; with one more a cycle: 0.2500");
	shows(a, "<-  m          0.5000");
	shows_tall(a, "first to fill: m, in cycle 16");
	shows_tall(a, "measured 1.00");
	shows_tall(a, "d  dispatch         0.2500");
	shows_tall(a, "q  queue            0.2500");
	shows_tall(a, "the mix: A memory 0.50, integer 0.50, rest 0.00");
	shows_tall(a, "branch-rate   ok         0.0000");
	app_free(a);
}

/* A cell at its top, two more a line, a letter for each limit; the run where its mix is. */
TEST(the_triangle)
{
	struct app *a = start_pane();

	shows_tall(a, "prediction    not known ");
	shows_tall(a, "  fiiiimmmmmA\n");
	shows_tall(a, "  fffffffmmmmmmmmmmmmmm");
	run(a,
	    "machine simplescalar"); /* only integers are bounded by their queue, as by dispatch */
	shows_tall(a, "  i\n");
	shows_tall(a, "  DDD\n");
	shows_tall(a, "  fDDDDDDDDDA\n");
	run(a, "machine r10000");
	shows_tall(a, "i integer");
	app_free(a);
}

TEST(machines_in_turn)
{
	struct app *a = start_pane();

	type(a, ">");
	shows(a, "samplecore-2wide: 2 dispatched a cycle, 24 in flight");
	shows_not(a, "(default)");
	shows(a, "CPI0 0.5000: limited by mem and dispatch alike");
	type(a, "<<");
	shows(a, "neoverse-n1: 4 dispatched a cycle, 128 in flight");
	type(a, "<"); /* round and round */
	shows(a, "zen2: 6 dispatched a cycle, 224 in flight");
	type(a, "m"); /* asks */
	assert_true(a->prompt.open);
	app_free(a);
}

TEST(a_machine_by_name_or_file)
{
	struct app *a = start_pane();
	char line[128];

	run(a, "machine simplescalar");
	shows(a, "simplescalar: 4 dispatched a cycle, 16 in flight");
	snprintf(line, sizeof(line), "machine %s", tiny);
	run(a, line);
	shows(a, "tiny: 0.5 dispatched a cycle, 8 in flight");
	shows(a, "CPI0 2.0000: limited by dispatch: 0.5 a cycle, and no queue grows");
	shows_tall(a,
		   "negative: the trace's machine is wider or holds more, or this part is short");
	run_wrong(a, "machine martian", "'martian' is no file, nor shipped: neoverse-n1, r10000");
	snprintf(line, sizeof(line), "machine %s", broken);
	run_wrong(a, line, "broken.machine:2:");
	shows(a, "tiny: 0.5 dispatched"); /* that one stays */
	run(a, "machine next");           /* from one that is not shipped */
	shows(a, "neoverse-n1");
	app_free(a);
}

TEST(names_are_completed)
{
	static const char line[] = "machine samplecore";
	struct app *a = start_with("none", NULL, NULL);
	struct completion c = {.from = 0};

	complete_line(a, line, sizeof(line) - 1, &c);
	assert_int_equal(c.words.count, 2);
	assert_string_equal(c.words.data[0], "samplecore-2wide");
	completion_free(&c);
	app_free(a);
}

TEST(without_a_trace)
{
	struct app *a = start_with("none", NULL, NULL);

	run_wrong(a, "cpi0", "no trace is open");
	run(a, "machine skylake"); /* as a file of commands may say */
	assert_string_equal(rows_app(a)->machine.machine.name, "skylake");
	app_free(a);
}

TEST(of_a_selection)
{
	struct app *a = start_pane();

	run(a, "close pane");
	run(a, "goto row 20");
	run(a, "select rows");
	run(a, "move down 39");
	run(a, "cpi0");
	shows(a, "CPI0: rows 20..59");
	shows(a, "40 instructions");
	shows(a, "CPI0 0.7500: limited by m"); /* three of four */
	/* it follows */
	run(a, "close pane");
	run(a, "escape");
	run(a, "goto row 300");
	run(a, "select rows");
	run(a, "move down 39");
	run(a, "cpi0");
	shows(a, "CPI0: rows 300..339");
	shows(a, "CPI0 0.3750: limited by i, the integer queue");
	app_free(a);
}

TEST(two_runs)
{
	struct app *a = start_pane();
	char line[128];

	run(a, "close pane");
	snprintf(line, sizeof(line), "open %s", trace);
	run(a, line);
	run(a, "cpi0");
	shows(a, "A loop.trc: 400 instructions");
	shows(a, "B a.trc: ");
	shows(a, "p A     p B");
	shows_tall(a, "; B memory ");
	run(a, "close pane");
	snprintf(line, sizeof(line), "open %s", other);
	run(a, line); /* a third one: which two? */
	run(a, "cpi0");
	shows_not(a, "p B");
	run(a, "compare 1");
	run(a, "cpi0");
	shows(a, "A b.trc: ");
	shows(a, "B loop.trc: 400 instructions");
	app_free(a);
}

/* The pane stays when what it shows is compared, and has both. */
TEST(compared_while_it_is_open)
{
	struct app *a = start_pane();
	char line[128];

	shows_not(a, "p B");
	snprintf(line, sizeof(line), "compare %s", trace);
	run(a, line);
	shows(a, "A loop.trc: 400 instructions");
	shows(a, "B a.trc: ");
	shows(a, "p A     p B");
	shows_not(a, "diagnosing");
	app_free(a);
}

/* What is selected in one of two that are compared is diagnosed in both. */
TEST(the_same_stretch_of_two)
{
	struct app *a = start_with("none", NULL, loop);
	char line[128];

	snprintf(line, sizeof(line), "compare %s", again);
	run(a, line);
	run(a, "goto row 20");
	run(a, "select rows");
	run(a, "move down 39");
	run(a, "cpi0");
	shows(a, "A loop.trc: 40 instructions, Alpha, selected");
	shows(a, "B again.trc: 40 instructions, Alpha, the same stretch");
	run(a, "close pane");
	run(a, "escape");
	run(a, "select cycles");
	run(a, "move down 99");
	run(a, "cpi0");
	shows(a, " instructions, Alpha, the same stretch");
	shows_not(a, "B again.trc: 401 instructions");
	shows_tall(a, "measured A 1.0000, B 1.0000");
	/* not the rows of those numbers: there is one more before the loop */
	run(a, "close pane");
	run(a, "escape");
	run(a, "goto row 203");
	run(a, "select rows");
	run(a, "cpi0");
	shows_tall(a, "A memory 1.00, integer 0.00");
	shows_tall(a, "B memory 1.00, integer 0.00");
	/* whose own selection comes first */
	run(a, "close pane");
	run(a, "compare switch");
	run(a, "goto row 300");
	run(a, "select rows");
	run(a, "move down 19");
	run(a, "cpi0");
	shows(a, "B again.trc: 20 instructions, Alpha, selected");
	app_free(a);
}

/* What is selected has no partner in the other one: that one has no diagnosis, and is named. */
TEST(a_stretch_of_one_only)
{
	struct app *a = start_with("none", NULL, again);
	char line[128];

	snprintf(line, sizeof(line), "compare %s", loop);
	run(a, line);
	run(a, "goto row 0");
	run(a, "select rows");
	run(a, "cpi0");
	shows_tall(a, "A again.trc: 1 instruction, Alpha, selected");
	shows_tall(a, "B: no instruction there is to diagnose");
	shows_not(a, "  no instruction there is"); /* not in the title, where it has no room */
	app_free(a);
}

TEST(in_ascii)
{
	struct app *a = start_with("none", NULL, loop);
	const char *text;

	a->options.ascii = true;
	run(a, "metric add cpi0");
	run(a, "view both");
	run(a, "cpi0");
	for (text = screen(a, 80, 60); *text; text++)
		assert_true((unsigned char)*text < 0x80);
	app_free(a);
}

TEST(no_instruction_there)
{
	char path[80];
	struct app *a;

	snprintf(path, sizeof(path), "%s/none.trc", dir);
	write_file(path, "@ 0\n+ 0 0x1000 0x0 addq r1,r2,r3\n* 0 IF 0x0\n@ 1\n* 0 DA 0x0\n");
	a = start_with("none", NULL, path);
	run(a, "cpi0");
	shows(a, "no instruction there is to diagnose");
	app_free(a);
}

/* ---- against the core that wrote the samples ----------------------------------------------- */

static double counter(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, len) == 0 && line[len] == ' ')
			return strtod(line + len, NULL);
	}
	fail_msg("no counter %s", name);
	return 0;
}

/* The queue whose units were full in most cycles. */
static const char *fullest(const char *counters)
{
	static const struct {
		const char *unit, *queue;
	} units[] = {
	    {"alu", "int"}, {"agen", "mem"}, {"port", "mem"}, {"fadd", "fp"}, {"fmul", "fp"}};
	const char *best = NULL;
	double most = -1;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char name[64];
		double full;

		snprintf(name, sizeof(name), "unit.%s.full_cycles", units[i].unit);
		full = counter(counters, name);
		if (full > most) {
			most = full;
			best = units[i].queue;
		}
	}
	return best;
}

/* Where dispatch limits, what is next is the queue that the core means. */
TEST(the_queue_that_the_core_counted)
{
	static const char *const samples[] = {"daxpy-4wide",          "list-2wide", "matmul-4wide",
					      "matmul-blocked-4wide", "sort-2wide", "sort-4wide"};
	const char *srcdir = getenv("srcdir");
	int by_queue = 0;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		char path[512], line[64], kept[8192], limited[64], next[64];
		struct app *a;
		const char *text, *queue;
		size_t len;
		FILE *f;

		snprintf(path, sizeof(path), "%s/samples/%s.counters", srcdir ? srcdir : ".",
			 samples[i]);
		f = fopen(path, "r");
		assert_non_null(f);
		len = fread(kept, 1, sizeof(kept) - 1, f);
		kept[len] = '\0';
		fclose(f);
		queue = fullest(kept);
		snprintf(path, sizeof(path), "%s/samples/%s.trc.gz", srcdir ? srcdir : ".",
			 samples[i]);
		a = start_with("none", NULL, path);
		snprintf(line, sizeof(line), "machine samplecore%s", strrchr(samples[i], '-'));
		run(a, line);
		run(a, "cpi0");
		text = screen(a, 120, 40);
		snprintf(limited, sizeof(limited), "limited by %s, the ", queue);
		snprintf(next, sizeof(next), "next: %s at ", queue);
		by_queue += strstr(text, limited) != NULL;
		if (!strstr(text, limited) &&
		    !(strstr(text, "limited by dispatch") && strstr(text, next)))
			fail_msg("%s: not '%s':\n%s", samples[i], queue, text);
		app_free(a);
	}
	assert_true(by_queue >= 3);
}

/* ---- along the trace ----------------------------------------------------------------------- */

/* Windows of 64 cycles: the first three are of the first half, which is 200 cycles long. */
TEST(the_curve)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "metric add cpi0");
	run_wrong(a, "metric add cpi0", "shown already");
	run(a, "goto cycle 100");
	shows(a, "cpi0 m");
	shows(a, "0.750");
	run(a, "goto cycle 350");
	shows(a, "cpi0 i");
	shows(a, "0.375");
	run(a, "machine samplecore-2wide");
	shows(a, "cpi0 D");
	shows(a, "0.500");
	run(a, "machine r10000");
	run(a, "zoom fit");
	run(a, "view resources");
	run(a, "curve select cpi0");
	shows(a, "peaks are means of about 64 cycles");
	shows(a, "m\342\243"); /* its letter, before braille */
	run(a, "metric hide cpi0");
	shows_not(a, "peaks are means");
	run(a, "metric remove cpi0");
	shows_not(a, "cpi0");
	app_free(a);
}

/* Of both on one axis: the names tell them apart, each has its own windows. */
TEST(the_curves_of_two)
{
	struct app *a = start_with("none", NULL, loop);
	char line[128];

	snprintf(line, sizeof(line), "compare %s", loop);
	run(a, line);
	run(a, "goto cycle 100");
	run(a, "compare curves cpi0");
	shows(a, "A cpi0 m");
	shows(a, "B cpi0 m");
	run(a, "goto cycle 350");
	shows(a, "A cpi0 i");
	shows(a, "B cpi0 i");
	app_free(a);
}

TEST(the_curve_after_a_reload)
{
	struct app *a = start_with("none", NULL, loop);

	run(a, "metric add cpi0");
	run(a, "cpi0");
	run(a, "close pane");
	run(a, "goto cycle 100");
	shows(a, "cpi0 m");
	run(a, "reload");
	run(a, "goto cycle 100");
	shows(a, "cpi0 m");
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

	while (app_busy(a) || jobs_wait_ms(a) >= 0) {
		app_idle(a, &wait_ms);
		assert_true(!app_busy(a) || wait_ms >= 0);
		nanosleep(&nap, NULL);
	}
}

static void do_run(struct app *a, const char *line)
{
	struct error e;
	unsigned r;

	if (app_run(a, line, -1, &r, &e))
		fail_msg("%s: %s", line, e.text);
}

TEST(it_comes_by_itself)
{
	struct app *a = start_terminal(loop);

	do_run(a, "cpi0");
	shows(a, "diagnosing");
	idle(a);
	shows(a, "CPI0 0.5000: limited by m");
	shows_tall(a, "o  order            0.0");
	app_free(a);
}

TEST(another_machine_at_once)
{
	struct app *a = start_terminal(loop);

	do_run(a, "cpi0");
	idle(a);
	do_run(a, "machine samplecore-4wide");
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

	do_run(a, "cpi0");
	idle(a);
	do_run(a, "focus next");
	do_run(a, "goto row 0");
	do_run(a, "select rows");
	for (int i = 0; i < 39; i++) {
		do_run(a, "move down");
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

	do_run(a, "cpi0");
	app_interrupt(a);
	idle(a);
	/* it may have been too late */
	do_run(a, "cpi0");
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

/* Half of it, all but a few, all: it is counted again for a tenth more, or when somebody asks. */
TEST(it_grows_with_the_trace)
{
	static char text[1 << 16];
	char path[80], *half, *most;
	size_t len = read_loop(text, sizeof(text));
	struct app *a;
	FILE *f;

	half = strstr(text, "@ 200\n");
	most = strstr(text, "@ 390\n");
	assert_true(half && most);
	snprintf(path, sizeof(path), "%s/grow.trc", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	fwrite(text, 1, (size_t)(half - text), f);
	fflush(f);
	a = start_terminal(path);
	do_run(a, "follow");
	wait_for_rows(a, 200);
	do_run(a, "cpi0");
	idle(a);
	shows(a, "199 instructions, Alpha, so far");
	shows(a, "CPI0 0.7538: limited by m");
	fwrite(half, 1, (size_t)(most - half), f);
	fflush(f);
	wait_for_rows(a, 390);
	shows_not(a, "199 instructions");
	fwrite(most, 1, len - (size_t)(most - text), f);
	fclose(f);
	wait_for_commits(a, 400);
	do_run(a, "close pane");
	do_run(a, "cpi0");
	idle(a);
	shows(a, "400 instructions, Alpha, so far");
	app_free(a);
}

TEST(closing_while_it_works)
{
	static const char *const ends[] = {"close pane", "reload", "machine zen2", "echo x"};

	for (int i = 0; i < 12; i++) {
		struct app *a = start_terminal(loop);
		struct timespec nap = {0, i * 50000L};
		int wait_ms;

		do_run(a, "metric add cpi0");
		screen(a, 100, 20);
		do_run(a, "cpi0");
		nanosleep(&nap, NULL);
		do_run(a, ends[i % 4]);
		screen(a, 100, 20);
		app_idle(a, &wait_ms);
		screen(a, 60, 20);
		app_free(a);
	}
}

FIXTURES(make_files, teardown)
