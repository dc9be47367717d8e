/* Lines of perf stat: as perf wrote them, and the forms that its manual has. */
#include "config.h"

#include <string.h>

#include "base/perf_line.h"
#include "testing.h"

enum { LINE_BYTES = 256 };

struct row {
	const char *line;
	struct perf_line is;
};

static bool cut(const char *line, char copy[LINE_BYTES], struct perf_line *out)
{
	assert_true(strlen(line) < LINE_BYTES);
	strcpy(copy, line);
	return perf_line_cut(copy, out);
}

static void check(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct perf_line *is = &rows[i].is;
		char copy[LINE_BYTES];
		struct perf_line got;

		if (!cut(rows[i].line, copy, &got))
			fail_msg("'%s' is refused", rows[i].line);
		if (got.time != is->time || strcmp(got.place, is->place) != 0 ||
		    strcmp(got.value, is->value) != 0 || strcmp(got.unit, is->unit) != 0 ||
		    strcmp(got.event, is->event) != 0 || got.summary != is->summary)
			fail_msg("'%s': %lld '%s' '%s' '%s' '%s'", rows[i].line,
				 (long long)got.time, got.place, got.value, got.unit, got.event);
		assert_true(got.running > is->running - 1e-9 && got.running < is->running + 1e-9);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))

/* As perf 6.1 wrote them: -I 20, -I 50 -A, and without either. */
TEST(test_written)
{
	static const struct row rows[] = {
	    {"     0.020094800,10.61,msec,task-clock,10614211,100.00,0.531,CPUs utilized",
	     {20094800, "", "10.61", "msec", "task-clock", 1, false}},
	    {"     0.020094800,264,,page-faults,10614211,100.00,24.872,K/sec",
	     {20094800, "", "264", "", "page-faults", 1, false}},
	    {"     0.020094800,<not supported>,,cycles,0,100.00,,",
	     {20094800, "", "<not supported>", "", "cycles", 1, false}},
	    {"     0.050143356,CPU0,50.26,msec,task-clock,50255464,100.00,1.005,CPUs utilized",
	     {50143356, "CPU0", "50.26", "msec", "task-clock", 1, false}},
	    {"     0.100948172,CPU1,8,,context-switches,50805816,100.00,157.461,/sec",
	     {100948172, "CPU1", "8", "", "context-switches", 1, false}},
	    {"12.5,msec,task-clock,400000,100.00,0.9,CPUs utilized",
	     {PERF_NO_TIME, "", "12.5", "msec", "task-clock", 1, false}},
	    {"1000,,instructions:u,400000,75.00,2.00,insn per cycle",
	     {PERF_NO_TIME, "", "1000", "", "instructions:u", 0.75, false}},
	};

	CHECK(rows);
}

TEST(test_places)
{
	static const struct row rows[] = {
	    {"S0,4,900,,instructions,216861159,100.00,,",
	     {PERF_NO_TIME, "S0", "900", "", "instructions", 1, false}},
	    {"     1.000106019,S0-D0-C0,2,3.25,Joules,power/energy-pkg/,1,100.00,,",
	     {1000106019, "S0-D0-C0", "3.25", "Joules", "power/energy-pkg/", 1, false}},
	    {"sh-18,<not counted>,,instructions,0,0.00,,",
	     {PERF_NO_TIME, "sh-18", "<not counted>", "", "instructions", 0, false}},
	    /* a further metric of the counter before it */
	    {"     1.000106019,N0,4,,,,,,1.2,IPC", {1000106019, "N0", "", "", "", 1, false}},
	    {",,,,,,12.3,GHz", {PERF_NO_TIME, "", "", "", "", 1, false}},
	    /* --summary after -I, of each core */
	    {"         summary,501,,instructions:u,903180,100.00,,",
	     {PERF_NO_TIME, "", "501", "", "instructions:u", 1, true}},
	    {"         summary,CPU7,501,,instructions:u,903180,100.00,,",
	     {PERF_NO_TIME, "CPU7", "501", "", "instructions:u", 1, true}},
	};

	CHECK(rows);
}

TEST(test_separators)
{
	static const struct row rows[] = {
	    {"7,,cpu/event=0x3c,umask=0x0/u,1,100.00,,",
	     {PERF_NO_TIME, "", "7", "", "cpu/event=0x3c,umask=0x0/u", 1, false}},
	    {"500\t\tinstructions:u\t491960\t66.67\t\t",
	     {PERF_NO_TIME, "", "500", "", "instructions:u", 0.6667, false}},
	    {"500,,instructions,/sys,1234,25.00,,",
	     {PERF_NO_TIME, "", "500", "", "instructions", 0.25, false}},
	    /* a comma for the decimal point, with another separator and with this one */
	    {"     0.050143356;CPU0;50,26;msec;task-clock;50255464;66,67;1,005;CPUs utilized",
	     {50143356, "CPU0", "50.26", "msec", "task-clock", 0.6667, false}},
	    {"50,26;msec;task-clock;50255464;100,00",
	     {PERF_NO_TIME, "", "50.26", "msec", "task-clock", 1, false}},
	    {"500,,instructions:u,11,88%,491960,66,67,1,1,insn per cycle",
	     {PERF_NO_TIME, "", "500", "", "instructions:u", 0.6667, false}},
	    /* of old there were no units */
	    {"500,instructions:u", {PERF_NO_TIME, "", "500", "", "instructions:u", 1, false}},
	    {"-3,,instructions,1,100.00,,", {PERF_NO_TIME, "", "-3", "", "instructions", 1, false}},
	};

	CHECK(rows);
}

TEST(test_others)
{
	static const char *const lines[] = {
	    "",
	    "# started on Sat Nov 21 2026",
	    "Graduated loads........   400",
	    "time,ipc,misses",
	    "0.5,1.25,3",
	    "     0.100197363               0.90 msec task-clock      #    0.009 CPUs utilized",
	};
	char copy[LINE_BYTES];
	struct perf_line p;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (cut(lines[i], copy, &p))
			fail_msg("'%s' is taken", lines[i]);
}

TEST(test_for_people)
{
	assert_true(perf_line_is_for_people("#           time             counts unit events"));
	assert_true(perf_line_is_for_people(" Performance counter stats for 'true':"));
	assert_true(perf_line_is_for_people("{\"interval\" : 1.000106019, \"cpu\" : \"0\"}"));
	assert_false(perf_line_is_for_people("# started on Sat Nov 21 2026"));
	assert_false(perf_line_is_for_people("time,cycles"));
	assert_false(perf_line_is_for_people("1000,,instructions,1,100.00,,"));
}
