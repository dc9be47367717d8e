/*
 * Metrics of component tasks at their edges: what lies on the edges of bins, takes no time, has no
 * parent, or is longer than what is asked about. The numbers were counted by hand.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include "source/source.h"
#include "testing.h"
#include "trace/trace.h"

#ifdef HAVE_SQLITE

#define NS 1000 /* ticks */

static char path[] = "/tmp/pipeglass-tasks-XXXXXX";
static struct trace *opened;

/*
 * Ticks of ns. Driver sends r1 to r4 to Cache at 0, 5, 15 and 22; those begin at 10, 20, 20 and 40.
 * Two are on edges of bins of 10 ns, r3 takes no time, lost's parent is nowhere, root has none. Long
 * is all of the time at Core, where busy tasks overlap and touch.
 */
static const char *const rows =
    "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
    "insert into trace values"
    "('r1','s1','req_in','Read','Cache',10e-9,20e-9),"
    "('r3','s3','req_in','Read','Cache',20e-9,20e-9),"
    "('s3','long','req_out','Read','Driver',15e-9,21e-9),"
    "('r2','s2','req_in','Write','Cache',20e-9,30e-9),"
    "('lost','gone','req_in','Read','Cache',30e-9,40e-9),"
    "('root','','req_in','Read','Cache[1]',41e-9,46e-9),"
    "('r4','s4','req_in','Read','Cache',40e-9,50e-9),"
    "('s1','long','req_out','Read','Driver',0,25e-9),"
    "('s2','long','req_out','Read','Driver',5e-9,35e-9),"
    "('s4','long','req_out','Read','Driver',22e-9,55e-9),"
    "('b1','long','work','a','Core',0,4e-9),"
    "('b2','long','work','a','Core',2e-9,3e-9),"
    "('b3','long','work','a','Core',4e-9,6e-9),"
    "('b4','long','work','a','Core',30e-9,31e-9),"
    "('long','','Simulation','x','Sim',0,100e-9);"
    "create table milestone(ID,TaskID,Time,Kind,What,Location);"
    "insert into milestone values"
    "('m1','s2',4e-9,'early','','Driver'),"    /* before it begins */
    "('m2','s2',15e-9,'queue','q','Driver'),"  /* 5 to 15 */
    "('m3','s2',30e-9,'data','d','Driver'),"   /* 15 to 30 */
    "('m4','s1',20e-9,'queue','q','Driver'),"  /* 0 to 20 */
    "('m5','s1',90e-9,'queue','q','Driver');"  /* 20 to 25, where it ends */
    "create table 'daisen$segments'(StartTime,EndTime);"
    "insert into 'daisen$segments' values(0.0,60e-9);";

static int open_rows(void **state)
{
	struct trace_options options = {.no_cache = true};
	struct source *source;
	struct error e;
	sqlite3 *db;

	(void)state;
	close(mkstemp(path));
	if (sqlite3_open(path, &db) || sqlite3_exec(db, rows, NULL, NULL, NULL))
		return -1;
	sqlite3_close(db);
	return source_open(&source, path, &e) || trace_open(&opened, source, &options, &e) ||
	       trace_wait(opened, &e);
}

static int close_rows(void **state)
{
	(void)state;
	trace_close(opened);
	unlink(path);
	return 0;
}

FIXTURES(open_rows, close_rows)

static bool find(const char *name, const char *component, struct metric_ref *m)
{
	struct regex *re = NULL;
	struct error e;
	bool found;

	if (component)
		assert_int_equal(regex_new(&re, component, &e), STATUS_OK);
	found = trace_metric_find(opened, name, re, m, &e) == STATUS_OK;
	regex_free(re);
	return found;
}

/* Of some kinds; NULL: of all. */
static void check(const char *name, const char *component, const char *kinds, int64_t from,
		  int64_t to, size_t n, const double *want)
{
	struct regex *re = NULL;
	struct metric_ref m;
	double got[16];
	struct error e;

	assert_true(find(name, component, &m));
	if (kinds)
		assert_int_equal(regex_new(&re, kinds, &e), STATUS_OK);
	assert_int_equal(trace_kinds_find(opened, re, &m.kinds, &e), STATUS_OK);
	regex_free(re);
	assert_int_equal(trace_values(opened, &m, from, to, n, got, NULL, &e), STATUS_OK);
	for (size_t i = 0; i < n; i++)
		if (isnan(want[i]) ? !isnan(got[i])
				   : !(fabs(got[i] - want[i]) <= 1e-12 * fabs(want[i])))
			fail_msg("%s of %s, bin %zu of [%lld, %lld): %.17g instead of %.17g", name,
				 component ? component : "all", i, (long long)from, (long long)to,
				 got[i], want[i]);
}

#define CHECK_KINDS(name, component, kinds, from, to, ...)                                         \
	do {                                                                                       \
		static const double want_[] = {__VA_ARGS__};                                       \
		check(name, component, kinds, from, to, sizeof(want_) / sizeof(want_[0]), want_);  \
	} while (0)
#define CHECK(name, component, from, to, ...)                                                      \
	CHECK_KINDS(name, component, NULL, from, to, __VA_ARGS__)

/* A start on an edge is in the bin behind it; so is an end. One that takes no time counts. */
TEST(test_edges)
{
	CHECK("req-in-rate", "^Cache$", 0, 60 * NS, 0, 1e8, 2e8, 1e8, 1e8, 0);
	CHECK("req-complete-rate", "^Cache$", 0, 60 * NS, 0, 0, 2e8, 1e8, 1e8, 1e8);
	CHECK("avg-latency", "^Cache$", 0, 60 * NS, NAN, NAN, 5e-9, 10e-9, 10e-9, 10e-9);
	CHECK("concurrent-tasks", "^Cache$", 0, 60 * NS, 0, 1, 1, 1, 1, 0);
	/* what ends with the first tick asked about has not lived in it, and is complete there */
	CHECK("req-complete-rate", "^Cache$", 20 * NS, 30 * NS, 2e8);
	CHECK("req-in-rate", "^Cache$", 10 * NS, 20 * NS, 1e8);
}

/* Bins of 7.5 ticks: an edge between two ticks shares a task out. */
TEST(test_edges_between_ticks)
{
	CHECK("concurrent-tasks", "^Cache$", 19990, 20005, 1, 1);
	CHECK("concurrent-tasks", "^Cache$", 9995, 10010, 2.5 / 7.5, 1);
	CHECK("req-in-rate", "^Cache$", 9995, 10010, 1e12 / 7.5, 0);
	CHECK("concurrent-tasks", "^Sim$", -5, 10, 2.5 / 7.5, 1);
}

/* Who waits is known by the start of the parent, also if it gets in behind what is asked about. */
TEST(test_waiting)
{
	/* r1 0 to 10, r2 5 to 20, r3 15 to 20, r4 22 to 40; not lost, not root */
	CHECK("buffer-pressure", "^Cache$", 0, 60 * NS, 1.5, 1.5, 0.8, 1, 0, 0);
	CHECK("buffer-pressure", NULL, 0, 60 * NS, 1.5, 1.5, 0.8, 1, 0, 0);
	CHECK("buffer-pressure", "^Cache$", 24 * NS, 28 * NS, 1, 1);
	CHECK("buffer-pressure", "Cache\\[1\\]", 0, 60 * NS, 0);
	CHECK("pending-req-out", "Driver", 0, 60 * NS, 1.5, 2.5, 2.4, 1.5, 1, 0.5);
}

TEST(test_window_in_a_task)
{
	CHECK("concurrent-tasks", "Sim", 12345, 12347, 1, 1);
	CHECK("utilisation", "Sim", 12345, 12347, 1, 1);
	CHECK("pending-req-out", "Driver", 23 * NS, 24 * NS, 3);
}

/* Overlapping tasks fill the time once; several components are averaged. */
TEST(test_utilisation)
{
	CHECK("utilisation", "Core", 0, 40 * NS, 0.6, 0, 0, 0.1);
	CHECK("concurrent-tasks", "Core", 0, 40 * NS, 0.7, 0, 0, 0.1);
	CHECK("utilisation", "Core|Sim", 0, 10 * NS, 0.8);
	CHECK("utilisation", NULL, 0, 10 * NS, (1 + 0.6 + 1 + 0 + 0) / 5);
}

TEST(test_blocked)
{
	CHECK("blocked-by:queue", "Driver", 0, 40 * NS, 1.5, 1.5, 0.5, 0);
	CHECK("blocked-by:data", NULL, 0, 40 * NS, 0, 0.5, 1, 0);
	CHECK("blocked-by:early", NULL, 0, 40 * NS, 0);
}

/* Where nothing was traced there is no value, but of what reaches there. */
TEST(test_not_traced)
{
	CHECK("concurrent-tasks", "Cache", 40 * NS, 80 * NS, 1.5, 0, NAN, NAN);
	CHECK("concurrent-tasks", "Sim", 40 * NS, 120 * NS, 1, 1, 1, 1, 1, 1, NAN, NAN);
	CHECK("avg-latency", "Sim", 0, 10 * NS, NAN);
}

/* A kind, or kind and what, matches; where no task of those that a metric is about does, no value. */
TEST(test_kinds)
{
	struct regex *re;
	uint64_t kinds;
	struct error e;

	CHECK_KINDS("req-in-rate", "^Cache$", "Write", 0, 40 * NS, 0, 0, 1e8, 0);
	CHECK_KINDS("concurrent-tasks", "^Cache$", "in wr", 0, 40 * NS, 0, 0, 1, 0);
	CHECK_KINDS("concurrent-tasks", "Core|Sim", "^work$", 0, 40 * NS, 0.7, 0, 0, 0.1);
	CHECK_KINDS("utilisation", NULL, "^sim", 0, 20 * NS, 0.2, 0.2);
	CHECK_KINDS("blocked-by:queue", NULL, "req_out Read", 0, 20 * NS, 1.5, 1.5);
	CHECK_KINDS("req-in-rate", "^Cache$", "req_out", 0, 20 * NS, NAN, NAN);
	CHECK_KINDS("concurrent-tasks", "^Cache$", "work", 0, 20 * NS, NAN, NAN);
	assert_int_equal(regex_new(&re, "^Write", &e), STATUS_OK);
	assert_int_equal(trace_kinds_find(opened, re, &kinds, &e), STATUS_NOT_FOUND);
	assert_string_equal(e.text, "no kind of tasks matches '^Write'");
	regex_free(re);
}

TEST(test_names)
{
	struct metric_ref m;

	assert_false(find("blocked-by:rain", NULL, &m));
	assert_false(find("blocked-by:", NULL, &m));
	assert_false(find("req-in-rate", "Nowhere", &m));
	assert_false(find("request-buffer-pressure", NULL, &m)); /* there are no such buffers */
	assert_int_equal(opened->kind->metric_count(opened), 7 + 3);
}

/* What is asked of each component at once is what values say of it. */
TEST(test_means)
{
	const size_t components = opened->kind->component_count(opened);
	struct metric_info info;
	struct error e;

	for (size_t i = 0; opened->kind->metric(opened, i, &info); i++) {
		double means[8], one;

		assert_in_range(components, 1, 8);
		assert_int_equal(opened->kind->means(opened, i, 3 * NS, 44 * NS,
						     components, means, &e),
				 STATUS_OK);
		for (size_t k = 0; k < components; k++) {
			struct trace_component c;
			struct metric_ref m;
			char pattern[32];

			assert_true(opened->kind->component(opened, k, &c));
			snprintf(pattern, sizeof(pattern), "^\\Q%s\\E$", c.name);
			assert_true(find(info.name, pattern, &m));
			assert_int_equal(trace_values(opened, &m, 3 * NS, 44 * NS, 1, &one, NULL, &e),
					 STATUS_OK);
			if (isnan(one) ? !isnan(means[k]) : fabs(means[k] - one) > 1e-12 * fabs(one))
				fail_msg("%s of %s: %.17g instead of %.17g", info.name, c.name,
					 means[k], one);
		}
	}
}

#else

int main(void)
{
	return 77; /* skipped: built without SQLite */
}

#endif
