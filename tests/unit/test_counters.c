/*
 * Counter files (src/counters/) as a trace: small texts of each form and their traps, against
 * numbers counted by hand.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/source.h"
#include "testing.h"
#include "trace/trace.h"

static struct trace *open_fd(int fd, const char *as)
{
	struct trace_options options = {.as = as};
	struct source *source;
	struct trace *t = NULL;
	struct error e;

	if (source_open_fd(&source, fd, "text", &e) || trace_open(&t, source, &options, &e))
		fail_msg("%s", e.text);
	return t;
}

static int file_of(const char *text)
{
	int fd = memfd_create("counters", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* All of it read; of the format that it is to be recognised as. */
static struct trace *read_text(const char *text, const char *format)
{
	struct trace *t = open_fd(file_of(text), NULL);
	struct error e;

	assert_int_equal(trace_wait(t, &e), STATUS_OK);
	assert_string_equal(t->format.name, format);
	return t;
}

static void check_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			 size_t n, const double *want)
{
	double got[16];
	bool exact = true;
	struct error e;

	assert_int_equal(trace_values(t, m, from, to, n, got, &exact, &e), STATUS_OK);
	assert_true(exact);
	for (size_t i = 0; i < n; i++)
		if (isnan(want[i]) ? !isnan(got[i])
				   : !(fabs(got[i] - want[i]) <= 1e-9 * (1 + fabs(want[i]))))
			fail_msg("bin %zu of [%lld, %lld): %.17g instead of %.17g", i,
				 (long long)from, (long long)to, got[i], want[i]);
}

static struct metric_ref find(struct trace *t, const char *name, const char *component)
{
	struct regex *re = NULL;
	struct metric_ref m;
	struct error e;

	if (component)
		assert_int_equal(regex_new(&re, component, &e), STATUS_OK);
	if (trace_metric_find(t, name, re, &m, &e))
		fail_msg("%s: %s", name, e.text);
	regex_free(re);
	return m;
}

#define CHECK(t, name, component, from, to, ...)                                                   \
	do {                                                                                       \
		static const double want_[] = {__VA_ARGS__};                                       \
		struct metric_ref m_ = find(t, name, component);                                   \
		check_values(t, &m_, from, to, sizeof(want_) / sizeof(want_[0]), want_);           \
	} while (0)

static void check_span(const struct trace *t, int64_t first, int64_t last, const char *unit)
{
	struct progress p;

	trace_progress(t, &p);
	assert_true(p.complete);
	assert_int_equal(p.first, first);
	assert_int_equal(p.last, last);
	assert_string_equal(t->format.unit, unit);
}

static uint64_t noted(const struct trace *t, const char *key)
{
	uint64_t count = 0;

	for (size_t i = 0; i < t->kind->note_count(t); i++)
		if (strcmp(t->kind->note(t, i, &count), key) == 0)
			return count;
	fail_msg("no note %s", key);
	return 0;
}

/* Warnings are of these lines: 0 ends them. */
static void check_warned(const struct trace *t, const uint64_t *lines)
{
	struct warning w;
	size_t n = 0;

	for (; lines[n]; n++) {
		if (!t->kind->warning(t, n, &w))
			fail_msg("no warning of line %llu", (unsigned long long)lines[n]);
		assert_int_equal(w.line, lines[n]);
		assert_true(w.text && *w.text);
	}
	assert_int_equal(t->kind->warning_count(t), n);
}

#define WARNED(t, ...) check_warned(t, (const uint64_t[]){__VA_ARGS__})

static struct metric_info info_of(const struct trace *t, const char *component, const char *name)
{
	struct metric_info m;

	for (size_t i = 0; t->kind->metric(t, i, &m); i++)
		if (strcmp(m.name, name) == 0 && strcmp(m.component, component) == 0)
			return m;
	fail_msg("no metric %s of %s", name, component);
	return m;
}

/* ---- perf stat ---- */

/* Intervals of 10 ms, nothing in the second one; comments and blank lines. */
TEST(test_perf_intervals)
{
	struct trace *t = read_text("# started on Mon\n"
				    "\n"
				    "     0.010000000,100,,cycles,9,100.00,,\n"
				    "     0.010000000,50,,instructions:u,9,100.00,0.5,insn\n"
				    "     0.010000000,5,msec,task-clock,9,100.00,,\n"
				    "     0.020000000,<not counted>,,cycles,0,100.00,,\n"
				    "     0.020000000,<not supported>,,instructions:u,0,100.00,,\n"
				    "     0.040000000,400,,cycles,9,33.33,,\n"
				    "     0.040000000,600,,instructions:u,9,100.00,,\n",
				    "perf-stat");
	struct metric_info m = info_of(t, "", "cycles");

	check_span(t, 0, 39999999, "ns");
	WARNED(t, 0);
	assert_int_equal(noted(t, "comments"), 1);
	assert_int_equal(noted(t, "not-counted"), 1);
	assert_int_equal(noted(t, "not-supported"), 1);
	assert_int_equal(noted(t, "multiplexed"), 1);
	assert_int_equal(m.samples, 2);
	assert_true(m.min == 100 && m.max == 400 && m.total == 500 && m.rate && m.sampled);
	/* a second: 100 in 10 ms, nothing known, 400 in 20 ms */
	CHECK(t, "cycles", NULL, 0, 40000000, 10000, NAN, 20000, 20000);
	/* a bin over the gap is of the ticks that have a value */
	CHECK(t, "cycles", NULL, 0, 40000000, 10000, 20000);
	CHECK(t, "cycles", NULL, 5000000, 25000000, 150 / 0.010);
	CHECK(t, "task-clock", NULL, 0, 20000000, 500, NAN);
	CHECK(t, "ipc", NULL, 0, 40000000, 0.5, NAN, 1.5, 1.5);
	CHECK(t, "ipc", NULL, 0, 40000000, 650.0 / 500);
	CHECK(t, "mpki:cycles", NULL, 20000000, 40000000, 400 / 0.6);
	trace_close(t);
}

/* What was counted of one and not of the other says nothing of both; modifiers only if need be. */
TEST(test_perf_ratios)
{
	struct trace *t = read_text("1.000000000,CPU0,100,,cycles,9,100.00,,\n"
				    "1.000000000,CPU0,60,,cycles:u,9,100.00,,\n"
				    "1.000000000,CPU0,100,,instructions,9,100.00,,\n"
				    "1.000000000,CPU1,10,,cycles,9,100.00,,\n"
				    "1.000000000,CPU1,20,,instructions,9,100.00,,\n"
				    "2.000000000,CPU0,<not counted>,,cycles,0,0.00,,\n"
				    "2.000000000,CPU0,900,,instructions,9,100.00,,\n"
				    "2.000000000,CPU1,10,,cycles,9,100.00,,\n"
				    "2.000000000,CPU1,40,,instructions,9,100.00,,\n",
				    "perf-stat");

	CHECK(t, "ipc", NULL, 0, 2000000000, 120.0 / 110);
	CHECK(t, "ipc", NULL, 0, 2000000000, 120.0 / 110, NAN);
	CHECK(t, "ipc", "0", 0, 2000000000, 1);
	CHECK(t, "ipc", "1", 0, 2000000000, 3);
	trace_close(t);
	t = read_text("1.000000000,60,,cycles:u,9,100.00,,\n"
		      "1.000000000,40,,cycles:k,9,100.00,,\n"
		      "1.000000000,200,,instructions,9,100.00,,\n",
		      "perf-stat");
	CHECK(t, "ipc", NULL, 0, 1000000000, 2);
	trace_close(t);
}

/* Components of -A are summed; events have separators inside their slashes. */
TEST(test_perf_components)
{
	struct trace *t = read_text("1.000000000;CPU0;8;;cpu/event=0x3c;umask=0/;9;100.00;;\n"
				    "1.000000000;CPU1;24;;cpu/event=0x3c;umask=0/;9;100.00;;\n"
				    "3.000000000;CPU0;20;;cpu/event=0x3c;umask=0/;9;100.00;;\n",
				    "perf-stat");
	const char *name = "cpu/event=0x3c;umask=0/";
	struct trace_component c;
	struct metric_ref m = find(t, name, NULL);

	assert_true(m.rate && m.sampled && !m.unit);
	assert_int_equal(t->kind->component_count(t), 2);
	assert_true(t->kind->component(t, 1, &c));
	assert_string_equal(c.name, "CPU1");
	assert_int_equal(c.spans, 1);
	CHECK(t, name, NULL, 0, 3000000000, 32, 10, 10);
	CHECK(t, name, "^CPU1$", 0, 3000000000, 24, NAN, NAN);
	CHECK(t, name, "0", 0, 2000000000, 8, 10);
	assert_int_equal(trace_grain(t), 1000000000);
	trace_close(t);
}

TEST(test_perf_damaged)
{
	struct trace *t = read_text("2.000000000,10,,cycles,9,100.00,,\n"
				    "1.000000000,99,,cycles,9,100.00,,\n"
				    "2.000000000,99,,cycles,9,100.00,,\n"
				    "what is this\n"
				    "4.000000000,30,,cycles,9,100.00,,",
				    "perf-stat");

	WARNED(t, 2, 3, 4, 0);
	CHECK(t, "cycles", NULL, 0, 4000000000, 5, 15);
	trace_close(t);
}

/* Without -I: one interval of one tick. */
TEST(test_perf_whole_run)
{
	struct trace *t = read_text("12.5,msec,task-clock,400000,100.00,0.9,CPUs utilized\n"
				    "1000,,instructions,400000,100.00,,\n"
				    "2000,,cycles,400000,100.00,,\n",
				    "perf-stat");

	check_span(t, 0, 0, "ns");
	CHECK(t, "ipc", NULL, 0, 1, 0.5);
	assert_string_equal(info_of(t, "", "task-clock").unit, "msec");
	trace_close(t);
}

TEST(test_perf_for_people)
{
	const char *text = "#           time             counts unit events\n"
			   "     0.100197363               0.90 msec task-clock  # 0.009 CPUs\n";
	struct trace_options options = {0};
	struct source *source;
	struct trace *t;
	struct error e;

	assert_int_equal(source_open_fd(&source, file_of(text), "people", &e), STATUS_OK);
	assert_int_not_equal(trace_open(&t, source, &options, &e), STATUS_OK);
	assert_non_null(strstr(e.text, "perf stat -x"));
}

/* ---- CSV ---- */

/* A value holds until the next row; the last as long as the one before. */
TEST(test_csv)
{
	struct trace *t = read_text("Cycle,\"queue, full\",depth\r\n"
				    "100,1,4\r\n"
				    "200,3,\r\n"
				    "\r\n"
				    "400,\"5\",8\r\n",
				    "csv");

	check_span(t, 100, 599, "cycle");
	WARNED(t, 0);
	CHECK(t, "queue, full", NULL, 100, 600, 1, 3, 3, 5, 5);
	CHECK(t, "queue, full", NULL, 150, 250, 2);
	CHECK(t, "depth", NULL, 100, 600, 4, NAN, NAN, 8, 8);
	CHECK(t, "depth", NULL, 0, 100, NAN);
	assert_false(find(t, "depth", NULL).rate);
	assert_int_equal(trace_grain(t), 100);
	trace_close(t);
}

/* Several components at one time; gauges of those that match are averaged. */
TEST(test_csv_components)
{
	struct trace *t = read_text("t;core;temp\n"
				    "0;a;10\n"
				    "0;b;30\n"
				    "0.5;a;20\n"
				    "0.5;b;60\n"
				    "0.5;b;61\n"
				    "1.5;a;hot\n",
				    "csv");

	check_span(t, 0, 1499999999, "ns");
	WARNED(t, 7, 0);
	assert_int_equal(noted(t, "no-number"), 1);
	CHECK(t, "temp", NULL, 0, 1500000000, 20, 40, 40);
	CHECK(t, "temp", "b", 0, 1500000000, 30, 60, 60);
	trace_close(t);
}

TEST(test_csv_long_form)
{
	struct trace *t = read_text("Time\tMetric\tValue\n"
				    "10\tloads\t1\n"
				    "10\tstores\t2\n"
				    "20\tloads\t3\n"
				    "20\tstores\tnan\n",
				    "csv");

	CHECK(t, "loads", NULL, 10, 30, 1, 3);
	CHECK(t, "stores", NULL, 10, 30, 2, NAN);
	assert_int_equal(noted(t, "no-number"), 1);
	trace_close(t);
}

/* Without a column of time the rows are counted; a missing field is no zero. */
TEST(test_csv_damaged)
{
	struct trace *t = read_text("time,x,y\n"
				    "10,1,2\n"
				    "20,3\n"
				    "15,9,9\n"
				    "soon,9,9\n"
				    "9223372036854775807,9,9\n"
				    "1.5,9,9\n"
				    "30,5,6\n",
				    "csv");

	WARNED(t, 3, 4, 5, 6, 7, 0);
	CHECK(t, "x", NULL, 10, 40, 1, 3, 5);
	CHECK(t, "y", NULL, 10, 40, 2, NAN, 6);
	trace_close(t);
	t = read_text("x,y\n1,10\n2,20\n", "csv");
	CHECK(t, "y", NULL, 0, 2, 10, 20);
	trace_close(t);
}

/* ---- gem5 ---- */

#define BEGIN "\n---------- Begin Simulation Statistics ----------\n"
#define END   "---------- End Simulation Statistics   ----------\n"
#define TIMES(ticks, final)                                                                        \
	"simTicks " ticks " # (Tick)\nfinalTick " final " # (Tick)\n"                              \
	"simFreq 1000 # ((Tick/Second))\n"

/* Dumps with a reset between them: each section has its own counts. */
TEST(test_gem5_reset)
{
	struct trace *t = read_text(BEGIN TIMES("100", "300") //
				    "system.cpu.numCycles   50  # cycles (Count)\n"
				    "system.cpu.commitStats0.numInsts 25 # insts (Count)\n"
				    "system.cpu.executeStats0.numInsts 40 # not these (Count)\n"
				    "system.cpu.cpi 2 # (Rate)\n"
				    "system.clk_domain.clock 333 # period in ticks (Tick)\n"
				    /* made of the sums, not of these, which cannot be added up */
				    "system.cpu.ipc 9 # (Rate)\nsystem.cpu.half.ipc 3 # (Rate)\n"
				    "system.l1.misses::total 5 100.00% 100.00% # misses (Count)\n"
				    "system.l1.missRate::total -nan # (Ratio)\n"
				    "system.l1.lat::mean inf # ((Tick/Count))\n"
				    "system.l1.dist | 1 2.00% 2.00% | 3 4.00% 6.00% # (Count)\n" END
					BEGIN TIMES("300", "600") //
				    "system.cpu.numCycles   60\n"
				    "system.cpu.commitStats0.numInsts 90\n"
				    "system.cpu.cpi 0.5\n"
				    "system.l1.misses::total 9\n"
				    "system.l1.late::total 2\nsystem.l2.late::total 5\n" END "over\n",
				    "gem5-stats");

	check_span(t, 200, 599, "tick");
	WARNED(t, 0);
	assert_int_equal(noted(t, "no-number"), 2);
	assert_int_equal(noted(t, "histograms"), 1);
	assert_int_equal(noted(t, "comments"), 1);
	CHECK(t, "misses::total", NULL, 200, 600, 50, 30, 30, 30);
	CHECK(t, "misses::total", "^system\\.l1$", 200, 300, 50);
	CHECK(t, "cpi", NULL, 200, 600, 2, 0.5, 0.5, 0.5);
	assert_int_equal(info_of(t, "system.cpu", "numCycles").samples, 2);
	CHECK(t, "mpki:misses::total", NULL, 200, 300, 200);
	CHECK(t, "ipc", NULL, 200, 600, 0.5, 1.5, 1.5, 1.5);
	CHECK(t, "ipc", NULL, 200, 600, 115.0 / 110);
	/* the instructions are those of what lies below */
	CHECK(t, "ipc", "^system\\.cpu$", 200, 600, 115.0 / 110);
	CHECK(t, "ipc", "cpu", 200, 600, 115.0 / 110);
	CHECK(t, "ipc", "^system\\.cpu\\.half$", 200, 600, 3, NAN);
	CHECK(t, "clock", NULL, 200, 600, 333, NAN, NAN, NAN);
	/* never reset: it comes to its last value, not to the mean of both */
	assert_true(info_of(t, "", "finalTick").total == 600);
	/* a zero need not be written */
	CHECK(t, "mpki:late::total", NULL, 200, 600, 1000.0 * 7 / 115);
	trace_close(t);
}

/* Without a reset counts go on: what came since; ratios are left out and counted. */
TEST(test_gem5_cumulative)
{
	struct trace *t = read_text(BEGIN "sim_ticks 100\nfinal_tick 100\nsim_freq 1000\n"
					  "cpu.misses 10\ncpu.miss_rate 0.5\n" END BEGIN
					  "sim_ticks 300\nfinal_tick 300\nsim_freq 1000\n"
					  "cpu.misses 70\ncpu.miss_rate 0.4\ncpu.late 4\n" END,
				    "gem5-stats");

	check_span(t, 0, 299, "tick");
	CHECK(t, "misses", NULL, 0, 300, 100, 300, 300);
	CHECK(t, "late", NULL, 0, 300, NAN, 20, 20);
	CHECK(t, "miss_rate", NULL, 0, 300, 0.5, NAN, NAN);
	/* with the frequency of the time */
	assert_int_equal(noted(t, "cumulative-left-out"), 2);
	trace_close(t);
}

/* Where a section is cut before its time, that is what is wrong with it. */
TEST(test_gem5_cut)
{
	struct trace *t = read_text(BEGIN TIMES("100", "100") "cpu.misses 7\n" END BEGIN
				    "simTicks 50 # (Tick)\ncpu.misses 8\n",
				    "gem5-stats");
	struct warning w;
	size_t i = 0;

	while (t->kind->warning(t, i, &w) && !strstr(w.text, "has no time"))
		i++;
	assert_int_equal(i, 1);
	trace_close(t);
}

/* 2^64 is no time: the section's number is; sections that are cut count. */
TEST(test_gem5_no_time)
{
	struct trace *t = read_text(BEGIN TIMES("18446744073709551616", "18446744073709551616") //
				    "cpu.misses 7\n" END BEGIN "cpu.misses 8\nbroken\n" BEGIN
				    "cpu.misses 9\ncpu.half x\n",
				    "gem5-stats");

	check_span(t, 0, 2, "section");
	/* the NAME alone; begun anew in line 13; no number; the end of the text */
	WARNED(t, 11, 13, 15, 15, 0);
	CHECK(t, "misses", NULL, 0, 3, 7, 8, 9);
	trace_close(t);
}

/* ---- live ---- */

static void send(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* As it comes: until the last line of a piece has been read. */
static void await(const struct trace *t, uint64_t lines)
{
	struct progress p;

	do
		trace_progress(t, &p);
	while (p.reached < lines);
	assert_int_equal(p.reached, lines);
}

/* Lines are whole before they count, wherever the pipe cuts them; the last has no newline. */
TEST(test_live)
{
	struct trace *t;
	struct error e;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	send(ends[1], "1.000000000,10,,cycles,9,100.00,,\n2.000000000,2");
	t = open_fd(ends[0], "perf-stat");
	await(t, 1);
	assert_true(t->kind->is_live(t));
	CHECK(t, "cycles", NULL, 0, 2000000000, 10, NAN);
	send(ends[1], "0,,cyc");
	send(ends[1], "les,9,100.00,,\n2.000000000,6,,misses,9,100.00,,\n3.");
	await(t, 3);
	CHECK(t, "cycles", NULL, 0, 3000000000, 10, 20, NAN);
	CHECK(t, "misses", NULL, 1000000000, 2000000000, 6);
	send(ends[1], "000000000,30,,cycles,9,100.00,,");
	close(ends[1]);
	assert_int_equal(trace_wait(t, &e), STATUS_OK);
	WARNED(t, 0);
	CHECK(t, "cycles", NULL, 0, 3000000000, 10, 20, 30);
	assert_false(t->kind->is_live(t));
	trace_close(t);
}
