/*
 * Traces of tasks (src/tasks/): the forms that Akita's versions write, what is wrong in them, and the
 * orders that are published, against a naive sort.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks_files.h"

FIXTURES(tasks_folder_new, tasks_folder_free)

/* ---- what a trace says ---- */

/* "component kind what start end parent" of a row. */
static const char *told(const struct trace *t, const struct task_columns *c, uint32_t row)
{
	static char text[400];
	const struct task_slot *slot = &tasks_tables(t)->slots.data[c->slot[row]];

	snprintf(text, sizeof(text), "%s %s %s %lld %lld %d", tasks_component(t, slot->component),
		 tasks_kind(t, slot->kind), tasks_what(t, slot->what), (long long)c->start[row],
		 (long long)c->end[row],
		 c->parent[row] == TASK_NONE ? -1 : c->parent[row] == TASK_ORPHAN ? -2 : (int)c->parent[row]);
	return text;
}

static void check_rows(const struct trace *t, const char *const *want, uint32_t n)
{
	const struct task_columns *c = tasks_lock(t);

	assert_int_equal(c->count, n);
	for (uint32_t row = 0; row < n; row++)
		assert_string_equal(told(t, c, row), want[row]);
	tasks_unlock(t);
}

#define ROWS(t, ...)                                                                               \
	do {                                                                                       \
		static const char *const want_[] = {__VA_ARGS__};                                  \
		check_rows(t, want_, sizeof(want_) / sizeof(want_[0]));                            \
	} while (0)

static void check_id(struct trace *t, uint32_t row, const char *want)
{
	struct sbuf id = {0};

	assert_true(tasks_id(t, row, &id));
	assert_string_equal(sbuf_text(&id), want);
	assert_int_equal(tasks_find_id(t, want), row);
	sbuf_free(&id);
}

static void check_seconds(struct trace *t)
{
	struct progress p;

	ROWS(t, "L1 req_in *mem.ReadReq 3000 9000 1", "CU[0] req_out *mem.ReadReq 2000 10000 2",
	     "CU[0] wavefront wavefront 1000 12000 -1");
	check_id(t, 0, "7@L1");
	check_id(t, 1, "7_req_out");
	check_id(t, 2, "w1");
	assert_int_equal(tasks_find_id(t, "7"), TASK_NONE);
	trace_progress(t, &p);
	assert_int_equal(p.items, 3);
	assert_int_equal(p.first, 1000);
	assert_int_equal(p.last, 11999);
	assert_int_equal(t->kind->warning_count(t), 0);
	assert_int_equal(tasks_component_find(t, "CU[0]"), 1);
	assert_int_equal(tasks_component_find(t, "CU"), UINT32_MAX);
}

/* "tick kind what where" of each mark of a row, one behind the other. */
static void check_marks(const struct trace *t, uint32_t row, const char *want)
{
	const struct task_columns *c = tasks_lock(t);
	struct sbuf got = {0};
	uint32_t from, to;

	tasks_marks(c, row, &from, &to);
	for (uint32_t i = from; i < to; i++) {
		const struct task_label *l = &tasks_tables(t)->labels.data[c->marks[i].label];

		sbuf_printf(&got, "%lld %s %s %s%s;", (long long)c->marks[i].tick, l->kind, l->what,
			    l->where, l->tag ? " tag" : "");
	}
	tasks_unlock(t);
	assert_string_equal(sbuf_text(&got), want);
	sbuf_free(&got);
}

/* ---- text ---- */

TEST(csv)
{
	struct trace *t = tasks_read(tasks_text("t.csv", csv_text, strlen(csv_text)), false);

	assert_string_equal(t->format.name, "akita-csv");
	check_seconds(t);
	trace_close(t);
}

/* The last line was cut; others are no tasks; numbers of every form. */
TEST(csv_that_is_not_as_it_should_be)
{
	static const char text[] = "ID, ParentID, Kind, What, Where, Start, End\r\n"
				   "a, gone, k, w, L, 1e-9, 2e-9\r\n"
				   "b, , k, w, L, 3e-9, 2e-9\n"
				   "c, , k, w, with, comma, 1, 2\n"
				   "\n"
				   "d, , k, w, L, x, 2\n"
				   "e, , k, w, L, 1, 9999999999\n"
				   "a, , k, w, L, 1.5, 1.5000000000015\n"
				   "g, a, k, w, L, .000000000001, 1.000000000001\n"
				   "h, , k, w";
	struct trace *t = tasks_read(tasks_text("bad.csv", text, sizeof(text) - 1), false);
	const uint64_t lines[] = {3, 4, 6, 7, 10};
	struct warning w;

	ROWS(t, "L k w 1000 2000 -2", "L k w 1500000000000 1500000000002 -1",
	     "L k w 1 1000000000001 0");
	for (size_t i = 0; i < 5; i++) {
		assert_true(t->kind->warning(t, i, &w));
		assert_int_equal(w.line, lines[i]);
	}
	assert_int_equal(t->kind->warning_count(t), 5);
	assert_int_equal(tasks_noted(t, "bad-rows"), 5);
	assert_int_equal(tasks_noted(t, "duplicate-ids"), 1);
	assert_int_equal(tasks_noted(t, "orphans"), 1);
	check_id(t, 2, "g");
	trace_close(t);
}

TEST(csv_in_long)
{
	enum { ROWS = 30000 };
	struct sbuf text = {0};
	struct trace *t;
	char id[32];

	sbuf_puts(&text, "ID, ParentID, Kind, What, Where, Start, End\n");
	for (int i = 0; i < ROWS; i++)
		sbuf_printf(&text, "t%d, t%d, kind of %d, w, L%s, 0.%09d0, 0.%09d5\n%s", i, i / 2, i % 7,
			    i % 11 ? "" : "2", i, i, i % 100 ? "" : "no task\n");
	t = tasks_read(tasks_text("long.csv", text.text, text.len), true);
	for (int i = 0; i < ROWS; i += 997) {
		snprintf(id, sizeof(id), "t%d", i);
		check_id(t, (uint32_t)i, id);
	}
	trace_close(t);
	t = tasks_read(tasks_path("long.csv"), true);
	check_id(t, ROWS - 1, "t29999");
	trace_close(t);
	sbuf_free(&text);
}

TEST(json_says_who_wrote_it)
{
	static const char text[] =
	    "[\n{\"id\":\"7@L1\",\"parent_id\":\"7\",\"kind\":\"k\",\"what\":\"w\",\"where\":\"L1\","
	    "\"start_time\":3e-9,\"end_time\":9e-9,\"steps\":null}\n]\n";

	assert_non_null(strstr(tasks_refusal(tasks_text("t.json", text, sizeof(text) - 1)),
			       "JSON of Akita before v3"));
}

#ifdef HAVE_SQLITE

/* ---- databases ---- */

TEST(form_a)
{
	struct trace *t = tasks_read(tasks_database("a", sql_a), false);

	assert_string_equal(t->format.name, "akita");
	check_seconds(t);
	trace_close(t);
}

TEST(form_b1)
{
	struct trace *t = tasks_read(tasks_database("b1", sql_b1), false);

	check_seconds(t);
	check_marks(t, 0, "4000 queue L1.q ;");
	check_marks(t, 1, "");
	trace_close(t);
}

/* One milestone is before its task, and elsewhere. */
TEST(form_b2)
{
	struct trace *t = tasks_read(tasks_database("b2", sql_b2), false);
	const struct task_tables *tables = tasks_tables(t);

	check_seconds(t);
	check_marks(t, 0,
		    "2000 network_transfer  L1.TopPort;4000 hardware_resource L1.MSHR ;"
		    "8000 network_busy L1.TopPort ;");
	assert_int_equal(tasks_noted(t, "marks-outside-task"), 1);
	assert_int_equal(tables->windows.count, 2);
	assert_int_equal(tables->windows.data[1].start, 11000);
	assert_int_equal(tasks_noted(t, "outside-windows"), 1);
	assert_int_equal(tables->figures.count, 1);
	assert_string_equal(tables->figures.data[0].what, "kernel_time");
	assert_true(tables->figures.data[0].value == 9.5e-06);
	trace_close(t);
}

static void check_d(const char *path)
{
	struct trace *t = tasks_read(path, false);
	const struct task_tables *tables = tasks_tables(t);

	ROWS(t, "L2.req_in req_in WriteReq 2000 31000 1", "L2.req_out req_out WriteReq 1000 32000 -1");
	check_marks(t, 0, "4000 queue L2.q ;9000 work L2.dir ;9000  write-hit  tag;");
	assert_int_equal(tasks_noted(t, "marks-without-task"), 1);
	check_id(t, 0, "14");
	assert_string_equal(tables->properties.data[0].value, "sim");
	assert_string_equal(tables->specs.data[0].spec, "{\"ways\":16}");
	assert_int_equal(tables->ports.count, 2);
	assert_string_equal(tables->ports.data[1].connection, "");
	trace_close(t);
}

TEST(form_d2)
{
	check_d(tasks_database("d2", sql_d2));
}

TEST(form_d3)
{
	check_d(tasks_database("d3", sql_d3));
}

TEST(forms_that_are_not_read)
{
	assert_non_null(strstr(tasks_refusal(tasks_database("b0", sql_b0)), "Akita v4.2 to v4.4"));
	assert_non_null(strstr(tasks_refusal(tasks_database("d1", sql_d1)), "v5.0.0-beta.1 "));
}

TEST(an_empty_trace_is_none_the_less_one)
{
	struct trace *t = tasks_read(
	    tasks_database("empty", "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime)"),
	    false);
	struct progress p;

	check_rows(t, NULL, 0);
	trace_progress(t, &p);
	assert_true(p.last < p.first);
	assert_int_equal(tasks_find_id(t, "1"), TASK_NONE);
	assert_int_equal(t->kind->warning_count(t), 1);
	trace_close(t);
}

/* Names, ids and values as a hostile simulator may choose them. */
TEST(texts_of_all_sorts)
{
	struct trace *t = tasks_read(
	    tasks_database("quotes",
			   "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
			   "insert into trace values('x''); drop table trace; --',0,null,3,'\"',0,1),"
			   "(7,'x''); drop table trace; --','','','',1e-9,1e-9),"
			   "('7',7,'k','w','L',0,0),"
			   "(x'00',0,'k','w','L',0,0),"
			   "('t',7,'k','w','L','soon',0),"
			   "('u',7,'k','w','L',0,1e300),"
			   "('v',7.5,'k','w','L',0,0),"
			   "(null,7,'k','w','L',0,0);"),
	    false);

	ROWS(t, "\"  3 0 1000000000000 -1", "   1000 1000 0", "L k w 0 0 1");
	check_id(t, 0, "x'); drop table trace; --");
	assert_int_equal(t->kind->warning_count(t), 5);
	assert_int_equal(tasks_noted(t, "bad-rows"), 5);
	assert_int_equal(tasks_noted(t, "zero-length"), 2);
	trace_close(t);
}

/* a -> b -> c -> a, a task that is its own parent, and one below them. */
TEST(rings_are_cut)
{
	struct trace *t = tasks_read(
	    tasks_database("rings",
			   "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
			   "insert into trace values('a','b','','','',0,0),('b','c','','','',0,0),"
			   "('c','a','','','',0,0),('d','d','','','',0,0),('e','a','','','',0,0);"),
	    false);
	const struct task_columns *c = tasks_lock(t);

	assert_int_equal(tasks_noted(t, "parent-rings"), 2);
	for (uint32_t row = 0; row < c->count; row++) {
		uint32_t at = row;

		for (int steps = 0; at < c->count; at = c->parent[at])
			assert_true(steps++ < 5);
	}
	tasks_unlock(t);
	trace_close(t);
}

/* Rows whose rowids leave gaps, and start before 0. */
TEST(rowids_with_gaps)
{
	struct trace *t = tasks_read(
	    tasks_database("gaps",
			   "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
			   "insert into trace(rowid,ID,StartTime,EndTime) values"
			   "(-9223372036854775808,'a',0,1),(-5,'b',0,1),(-4,'c',0,1),(8,'bad',1,0),"
			   "(9,'d',0,1),(9223372036854775807,'e',0,1);"),
	    false);

	for (uint32_t row = 0; row < 5; row++)
		check_id(t, row, (const char *[]){"a", "b", "c", "d", "e"}[row]);
	assert_int_equal(tasks_find_id(t, "bad"), TASK_NONE);
	trace_close(t);
}

/* ---- what is no trace, or not all of one ---- */

TEST(other_databases)
{
	static const char garbled[200] = "SQLite format 3";
	const char *path;

	assert_non_null(strstr(tasks_refusal(tasks_database("other", "create table x(y)")),
			       "no such table: trace"));
	assert_non_null(strstr(tasks_refusal(tasks_database("columns", "create table trace(ID,Kind)")),
			       "no such column: ParentID"));
	path = tasks_database("view", "create table x(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
				      "create view trace as select * from x");
	assert_non_null(strstr(tasks_refusal(path), "not Akita's"));
	assert_non_null(
	    strstr(tasks_refusal(tasks_text("garbled", garbled, sizeof(garbled))), "no database"));
	assert_non_null(strstr(tasks_refusal(tasks_text("cut", garbled, 60)), "first page"));
}

static size_t read_bytes(const char *path, char *out, size_t most)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(out, 1, most, f) : 0;

	assert_non_null(f);
	fclose(f);
	return n;
}

#define MANY                                                                                       \
	"create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"                    \
	"with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999) "         \
	"insert into trace select 't' || i, case when i % 10 then 't' || (i | 7) else '' end,"     \
	" 'kind' || (i % 3), 'what', 'C[' || (i * 7 % 13) || ']',"                                 \
	" (i * 7919 % 20011) * 1e-9, (i * 7919 % 20011 + i * 31 % 17) * 1e-9 from n;"

/* The beginning of a database is read as far as it goes; pages of noise stop it. */
TEST(a_database_without_its_end)
{
	static char bytes[4 << 20];
	const char *path = tasks_database("whole", MANY);
	size_t len = read_bytes(path, bytes, sizeof(bytes));
	const struct task_columns *c;
	struct trace *t;

	t = tasks_read(tasks_text("part", bytes, len / 2 + 100), false);
	c = tasks_lock(t);
	assert_in_range(c->count, 5000, 15000);
	assert_string_equal(told(t, c, 1), "C[7] kind1 what 7919000 7933000 7");
	tasks_unlock(t);
	assert_int_equal(t->kind->warning_count(t), 1);
	trace_close(t);
	memset(bytes + len / 4 / 4096 * 4096, 0x55, 8192);
	t = tasks_read(tasks_text("noise", bytes, len), false);
	assert_int_equal(t->kind->warning_count(t), 1);
	c = tasks_lock(t);
	assert_in_range(c->count, 1000, 15000);
	tasks_unlock(t);
	trace_close(t);
}

/* ---- orders ---- */

static const struct task_columns *sorted;
static const struct task_slot *slots;

static uint32_t component_of(uint32_t row)
{
	return slots[sorted->slot[row]].component;
}

static int order(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int naive_start(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int by = order(sorted->start[x], sorted->start[y]);

	return by ? by : order(x, y);
}

static int naive_component(const void *a, const void *b)
{
	int by = order(component_of(*(const uint32_t *)a), component_of(*(const uint32_t *)b));

	return by ? by : naive_start(a, b);
}

static int naive_parent(const void *a, const void *b)
{
	int by = order(sorted->parent[*(const uint32_t *)a], sorted->parent[*(const uint32_t *)b]);

	return by ? by : naive_start(a, b);
}

static void check_order(const uint32_t *got, int (*compare)(const void *, const void *))
{
	uint32_t *want = malloc(sorted->count * sizeof(*want));

	for (uint32_t i = 0; i < sorted->count; i++)
		want[i] = i;
	qsort(want, sorted->count, sizeof(*want), compare);
	assert_memory_equal(got, want, sorted->count * sizeof(*want));
	free(want);
}

static void check_components(const struct task_columns *c)
{
	for (uint32_t k = 0; k < c->component_count; k++) {
		int64_t longest = 0;

		for (uint32_t i = c->component_from[k]; i < c->component_from[k + 1]; i++) {
			uint32_t row = c->by_component[i];

			assert_int_equal(component_of(row), k);
			if (c->end[row] - c->start[row] > longest)
				longest = c->end[row] - c->start[row];
		}
		assert_int_equal(c->component_longest[k], longest);
	}
}

/* All that overlap are within, and those without do not. */
static void check_overlapping(const struct task_columns *c, uint32_t k, int64_t from, int64_t to)
{
	uint32_t begin, end;

	tasks_overlapping(c, k, from, to, &begin, &end);
	for (uint32_t i = c->component_from[k]; i < c->component_from[k + 1]; i++) {
		uint32_t row = c->by_component[i];

		if (c->start[row] < to && c->end[row] > from)
			assert_true(i >= begin && i < end);
	}
}

static void check_children(const struct task_columns *c)
{
	uint32_t from, to, seen = 0;

	for (uint32_t row = 0; row < c->count; row++) {
		tasks_children(c, row, &from, &to);
		for (uint32_t i = from; i < to; i++)
			assert_int_equal(c->parent[c->by_parent[i]], row);
		seen += to - from;
	}
	for (uint32_t i = 0; i < c->count; i++)
		seen += c->parent[i] >= TASK_ORPHAN;
	assert_int_equal(seen, c->count);
}

TEST(orders_are_those_of_a_naive_sort)
{
	struct trace *t = tasks_read(tasks_database("many", MANY), false);

	sorted = tasks_lock(t);
	slots = tasks_tables(t)->slots.data;
	assert_int_equal(sorted->count, 20000);
	check_order(sorted->by_start, naive_start);
	check_order(sorted->by_component, naive_component);
	check_order(sorted->by_parent, naive_parent);
	check_components(sorted);
	check_children(sorted);
	for (int64_t at = -5000; at < 21000000; at += 517000)
		check_overlapping(sorted, (uint32_t)(at & 7), at, at + 3000);
	/* parents were told before their children and behind them */
	assert_int_equal(sorted->parent[0], TASK_NONE);
	assert_int_equal(sorted->parent[1], 7);
	assert_int_equal(sorted->parent[8], 15);
	tasks_unlock(t);
	trace_close(t);
}

/* What is there when it is stopped is whole, and not kept in the cache. */
TEST(stopped)
{
	struct trace *t = tasks_open(tasks_database("many", MANY), true);
	int before = tasks_files(tasks_cache(), ".idx");
	struct progress p;

	t->kind->cancel(t);
	assert_int_equal(trace_wait(t, NULL), STATUS_OK);
	trace_progress(t, &p);
	assert_true(p.complete);
	if (p.cancelled)
		assert_int_equal(tasks_files(tasks_cache(), ".idx"), before);
	sorted = tasks_lock(t);
	slots = tasks_tables(t)->slots.data;
	check_order(sorted->by_parent, naive_parent);
	check_components(sorted);
	tasks_unlock(t);
	trace_close(t);
}

#else

TEST(databases_say_what_is_missing)
{
	static const char start[100] = "SQLite format 3";

	assert_non_null(strstr(tasks_refusal(tasks_text("t", start, sizeof(start))), "libsqlite3-dev"));
}

#endif
