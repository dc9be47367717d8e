/*
 * libpgtrace and its reader: what is written comes back, also of a writer that was killed, and while
 * it is still being written; what is wrong in a stream costs a record and is told.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pipeglass/trace.h>

#include "tasks_files.h"

FIXTURES(tasks_folder_new, tasks_folder_free)

enum { PS = 250, TASKS = 10000, PLACES = 7 };

/* What was written, by row. */
static struct told {
	int64_t start, end;
	uint32_t parent, place;
} told[TASKS];

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(random_state >> 33) % n;
}

static const char *place_name(uint32_t i)
{
	static char name[32];

	snprintf(name, sizeof(name), "GPU[%u].CU", i);
	return name;
}

/* Tasks that start in any order of ticks and end in another one; told[] says what they are. NULL: that alone. Every other one ends later. */
static void write_starts(struct pgtrace *t)
{
	for (uint32_t i = 0; i < TASKS; i++) {
		struct told *w = &told[i];
		pgtrace_task task;

		w->start = (int64_t)i * 10 + random_below(40) - 20;
		w->end = w->start + random_below(100);
		w->parent = i && random_below(3) ? random_below(i) : TASK_NONE;
		w->place = random_below(PLACES);
		task = pgtrace_start(t, w->start, w->parent == TASK_NONE ? 0 : w->parent + 1,
				     place_name(w->place), "inst", i % 2 ? "load" : "add");
		assert_int_equal(task, t ? i + 1 : 0);
		if (i % 2)
			pgtrace_end(t, told[i - 1].end, i);
	}
}

static void write_ends(struct pgtrace *t)
{
	for (uint32_t i = 1; i < TASKS; i += 2)
		pgtrace_end(t, told[i].end, i + 1);
}

static void check_tasks(const struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);

	assert_int_equal(c->count, TASKS);
	for (uint32_t row = 0; row < TASKS; row++) {
		const struct task_slot *slot = &tasks_tables(t)->slots.data[c->slot[row]];

		assert_int_equal(c->start[row], told[row].start * PS);
		assert_int_equal(c->end[row], told[row].end * PS);
		assert_int_equal(c->parent[row], told[row].parent);
		assert_string_equal(tasks_component(t, slot->component), place_name(told[row].place));
		assert_string_equal(tasks_what(t, slot->what), row % 2 ? "load" : "add");
	}
	tasks_unlock(t);
}

TEST(tasks_come_back)
{
	const char *path = tasks_path("tasks.pgtrace");
	struct pgtrace *w = pgtrace_open(path, PS);
	struct sbuf id = {0};
	struct stat st;
	struct trace *t;

	assert_non_null(w);
	write_starts(w);
	write_ends(w);
	assert_int_equal(pgtrace_close(w), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size / TASKS <= 20); /* as the header says */
	t = tasks_read(path, true);
	check_tasks(t);
	assert_int_equal(t->kind->warning_count(t), 0);
	assert_int_equal(tasks_noted(t, "orphans"), 0);
	assert_int_equal(tasks_noted(t, "running"), 0);
	assert_true(tasks_id(t, 41, &id));
	assert_string_equal(sbuf_text(&id), "42");
	assert_int_equal(tasks_find_id(t, "42"), 41);
	sbuf_free(&id);
	t->kind->close(t);
}

static double value_at(struct trace *t, const char *metric, const char *component, int64_t from,
		       int64_t to)
{
	struct regex *re = NULL;
	struct metric_ref m;
	double value;

	if (component)
		assert_int_equal(regex_new(&re, component, NULL), STATUS_OK);
	assert_int_equal(trace_metric_find(t, metric, re, &m, NULL), STATUS_OK);
	assert_int_equal(trace_values(t, &m, from, to, 1, &value, NULL, NULL), STATUS_OK);
	regex_free(re);
	return value;
}

/* A level holds until the next one, and the last one to the end. */
TEST(marks_links_and_samples_come_back)
{
	const char *path = tasks_path("all.pgtrace");
	struct pgtrace *w = pgtrace_open(path, 1000);
	pgtrace_task a = pgtrace_start(w, 10, 0, "CU\n[0]", "inst", "load\tx");
	pgtrace_task b = pgtrace_start(w, 12, a, "L1", "read", "miss");
	const struct task_columns *c;
	const struct task_label *label;
	struct trace *t;

	pgtrace_sample(w, 0, "L1", "mshrs", 1);
	pgtrace_mark(w, 20, b, "hardware_resource", "MSHR");
	pgtrace_mark(w, 15, b, "", "tagged");
	pgtrace_sample(w, 10, "L1", "mshrs", 3.5);
	pgtrace_sample(w, 0, "L2", "mshrs", 10);
	pgtrace_end(w, 30, b);
	pgtrace_link(w, 30, a, b, "data");
	pgtrace_end(w, 40, a);
	assert_int_equal(pgtrace_close(w), 0);
	t = tasks_read(path, true);
	c = tasks_lock(t);
	assert_int_equal(c->count, 2);
	assert_int_equal(c->mark_count, 3);
	label = &tasks_tables(t)->labels.data[c->marks[0].label];
	assert_int_equal(c->marks[0].task, 0);
	assert_int_equal(c->marks[0].tick, 30000);
	assert_string_equal(label->kind, "data");
	assert_string_equal(label->what, "miss");
	assert_string_equal(label->where, "L1");
	label = &tasks_tables(t)->labels.data[c->marks[1].label];
	assert_int_equal(c->marks[1].tick, 15000);
	assert_true(label->tag);
	assert_string_equal(label->what, "tagged");
	label = &tasks_tables(t)->labels.data[c->marks[2].label];
	assert_int_equal(c->marks[2].tick, 20000);
	assert_false(label->tag);
	assert_string_equal(label->what, "MSHR");
	assert_string_equal(tasks_component(t, 0), "CU [0]");
	assert_string_equal(tasks_what(t, 0), "load x");
	tasks_unlock(t);
	assert_true(value_at(t, "mshrs", "L1", 0, 10000) == 1);
	assert_true(value_at(t, "mshrs", "L1", 5000, 15000) == 2.25);
	assert_true(value_at(t, "mshrs", "L1", 39000, 40000) == 3.5);
	assert_true(value_at(t, "mshrs", NULL, 0, 10000) == 5.5);
	assert_true(isnan(value_at(t, "mshrs", NULL, 50000, 60000)));
	assert_true(value_at(t, "concurrent-tasks", "L1", 12000, 30000) == 1);
	t->kind->close(t);
}

/* ---- writers that do not come to an end ---------------------------------------------------- */

/* In a child: it writes starts, more than the library keeps to itself, and waits before the ends. */
static pid_t start_writer(const char *path, int ready, int go_on)
{
	pid_t child = fork();
	char byte;

	assert_true(child >= 0);
	if (child == 0) {
		struct pgtrace *t = pgtrace_open(path, PS);

		write_starts(t);
		if (write(ready, "", 1) != 1 || read(go_on, &byte, 1) != 1)
			_exit(1);
		write_ends(t);
		_exit(pgtrace_close(t));
	}
	write_starts(NULL); /* the same into told[] */
	return child;
}

/* How many lines of a file begin with a character; and its size. */
static uint32_t count_lines(const char *path, char sign, long *size)
{
	FILE *f = fopen(path, "r");
	char line[512];
	uint32_t n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += *line == sign;
	*size = ftell(f);
	fclose(f);
	return n;
}

TEST(a_killed_writer_leaves_what_was_written)
{
	const char *path = tasks_path("killed.pgtrace");
	int never[2], ready[2], status;
	uint32_t starts, ends;
	struct trace *t;
	const struct task_columns *c;
	pid_t child;
	long size;
	char byte;

	assert_int_equal(pipe(never), 0);
	assert_int_equal(pipe(ready), 0);
	child = start_writer(path, ready[1], never[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	for (int i = 0; i < 2; i++) {
		close(never[i]);
		close(ready[i]);
	}
	starts = count_lines(path, '+', &size);
	ends = count_lines(path, '-', &size);
	assert_true(size > 60000);
	assert_true(starts > 1000 && starts <= TASKS);
	t = tasks_read(path, true);
	c = tasks_lock(t);
	assert_int_equal(c->count, starts);
	for (uint32_t row = 0; row < starts; row++)
		assert_int_equal(c->start[row], told[row].start * PS);
	tasks_unlock(t);
	assert_int_equal(tasks_noted(t, "running"), starts - ends);
	assert_int_equal(t->kind->warning_count(t), 0);
	t->kind->close(t);
}

/* Until so many rows are there. */
static void await_rows(struct trace *t, uint64_t rows)
{
	struct pollfd wake = {.fd = t->kind->wake_fd(t), .events = POLLIN};
	struct progress p;

	for (trace_progress(t, &p); p.items < rows; trace_progress(t, &p)) {
		assert_false(p.complete);
		assert_int_equal(poll(&wake, 1, 20000), 1);
		trace_heard(t);
	}
}

/* Tasks that run reach as far as the trace, and end when that is read. */
TEST(a_trace_is_shown_while_it_is_written)
{
	const char *path = tasks_path("live.pgtrace");
	const struct task_columns *c;
	int go_on[2], ready[2], status;
	struct source *source;
	struct trace *t;
	pid_t child;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(pipe(go_on), 0);
	assert_int_equal(pipe(ready), 0);
	child = start_writer(path, ready[1], go_on[0]);
	assert_int_equal(source_open(&source, path, NULL), STATUS_OK);
	assert_int_equal(trace_open(&t, source, &(struct trace_options){.background = true}, NULL),
			 STATUS_OK);
	await_rows(t, TASKS / 4);
	c = tasks_lock(t);
	/* tasks of odd rows end behind all starts */
	assert_int_equal(c->start[1], told[1].start * PS);
	assert_true(c->end[1] > told[1].end * PS);
	assert_int_equal(c->end[0], told[0].end * PS);
	tasks_unlock(t);
	assert_true(t->kind->is_live(t));
	assert_int_equal(write(go_on[1], "", 1), 1);
	assert_int_equal(trace_wait(t, NULL), STATUS_OK);
	check_tasks(t);
	t->kind->close(t);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	for (int i = 0; i < 2; i++) {
		close(go_on[i]);
		close(ready[i]);
	}
}

TEST(a_full_disk_is_told)
{
	struct pgtrace *t = pgtrace_open("/dev/full", 1);

	assert_non_null(t);
	assert_int_equal(pgtrace_start(t, 1, 0, "a", "b", "c"), 0);
	assert_int_equal(pgtrace_close(t), ENOSPC);
	assert_null(pgtrace_open(tasks_path("none/at/all"), 1));
	assert_int_equal(errno, ENOENT);
	assert_null(pgtrace_open(tasks_path("unit"), 0));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(pgtrace_close(NULL), 0);
}

/* ---- streams that are wrong ---------------------------------------------------------------- */

static struct trace *read_text(const char *text)
{
	return tasks_read(tasks_text("text.pgtrace", text, strlen(text)), false);
}

static void leaves_out(const char *record, uint32_t rows, const char *key)
{
	char text[400];
	struct trace *t;

	snprintf(text, sizeof(text), "pgtrace 1 1000\n=a\tb\tc\n+5 0\n%s\n", record);
	t = read_text(text);
	assert_int_equal(tasks_lock(t)->count, rows);
	tasks_unlock(t);
	if (tasks_noted(t, key) != 1)
		fail_msg("%s: %s: %llu", record, key, (unsigned long long)tasks_noted(t, key));
	t->kind->close(t);
}

TEST(what_is_wrong_costs_a_record)
{
	static const char *const bad[] = {"?1 0",   "+1",	   "+1 7",	"+x 0",	  "+1 -1",
					  "-1",	    "-1 4",	   "-1 -1",	"* 0 1",  "*1 0",
					  "*1 9 1", "*1 0 what",   "*1 0 nan",	"+1  0",  "-99999999999999999999 0",
					  "+9223372036854775807 0", "!1 0 5", "!1 3 0",
					  "~1 0 3 0"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		leaves_out(bad[i], 1, "bad-rows");
	leaves_out("+1 0 7", 2, "orphans");
	leaves_out("-1 0\n-1 0", 1, "bad-rows");
	leaves_out("--1 0", 1, "zero-length");
}

TEST(a_line_that_is_cut_is_told)
{
	struct trace *t = read_text("pgtrace 1 10\n=a\tb\tc\n+5 0\n+7 0\n-1 1");

	assert_int_equal(tasks_noted(t, "bad-rows"), 1);
	assert_int_equal(tasks_noted(t, "running"), 2);
	assert_int_equal(tasks_lock(t)->end[0], 120);
	tasks_unlock(t);
	t->kind->close(t);
	assert_non_null(strstr(tasks_refusal(tasks_text("v2", "pgtrace 2 10\n", 13)), "version 2"));
	assert_non_null(strstr(tasks_refusal(tasks_text("v1", "pgtrace 1 0\n", 12)), "write the trace again"));
}
