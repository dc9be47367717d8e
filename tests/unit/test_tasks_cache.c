/*
 * Traces of tasks from the cache file, and with a journal beside them: the same answers, whatever is
 * damaged; the file of the user is as it was, and nothing lies beside it.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tasks_files.h"
#include "trace/cachefile.h"

FIXTURES(tasks_folder_new, tasks_folder_free)

static char entry[400];

static const char *find_entry(void)
{
	struct stat st;

	assert_int_equal(stat(entry, &st), 0);
	return entry;
}

/* Where a file's cache file is. */
static void name_entry(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	snprintf(entry, sizeof(entry), "%s/%016llx%016llx.idx", tasks_cache(),
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
}

static uint64_t add_text(uint64_t sum, const char *text)
{
	while (*text)
		sum = (sum ^ (unsigned char)*text++) * 0x100000001b3u;
	return sum * 31;
}

static uint64_t add_bytes(uint64_t sum, const void *p, size_t len)
{
	const unsigned char *b = p;

	while (len--)
		sum = (sum ^ *b++) * 0x100000001b3u;
	return sum;
}

static uint64_t sum_tables(const struct task_tables *tables)
{
	uint64_t sum = add_bytes(7, tables->windows.data,
				 tables->windows.count * sizeof(*tables->windows.data));

	for (size_t i = 0; i < tables->labels.count; i++) {
		sum = add_text(sum, tables->labels.data[i].kind);
		sum = add_text(sum, tables->labels.data[i].what);
		sum = add_text(sum, tables->labels.data[i].where) + tables->labels.data[i].tag;
	}
	for (size_t i = 0; i < tables->properties.count; i++)
		sum = add_text(add_text(sum, tables->properties.data[i].name),
			       tables->properties.data[i].value);
	for (size_t i = 0; i < tables->figures.count; i++)
		sum = add_bytes(add_text(sum, tables->figures.data[i].what),
				&tables->figures.data[i].value, sizeof(double));
	for (size_t i = 0; i < tables->specs.count; i++)
		sum = add_text(sum, tables->specs.data[i].spec);
	for (size_t i = 0; i < tables->ports.count; i++)
		sum = add_text(add_text(sum, tables->ports.data[i].port),
			       tables->ports.data[i].connection);
	return sum;
}

/* All that a trace says, as one number. */
static uint64_t sum_of(const struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);
	const struct task_slot *slots = tasks_tables(t)->slots.data;
	uint64_t sum = sum_tables(tasks_tables(t)), count;
	struct warning w;

	for (uint32_t row = 0; row < c->count; row++) {
		sum = add_text(sum, tasks_component(t, slots[c->slot[row]].component));
		sum = add_text(sum, tasks_kind(t, slots[c->slot[row]].kind));
		sum = add_text(sum, tasks_what(t, slots[c->slot[row]].what));
	}
	sum = add_bytes(sum, c->start, c->count * sizeof(*c->start));
	sum = add_bytes(sum, c->end, c->count * sizeof(*c->end));
	sum = add_bytes(sum, c->parent, c->count * sizeof(*c->parent));
	sum = add_bytes(sum, c->by_start, c->count * sizeof(*c->by_start));
	sum = add_bytes(sum, c->by_component, c->count * sizeof(*c->by_component));
	sum = add_bytes(sum, c->by_parent, c->count * sizeof(*c->by_parent));
	sum = add_bytes(sum, c->marks, c->mark_count * sizeof(*c->marks));
	sum = add_bytes(sum, c->component_from, (c->component_count + 1) * sizeof(uint32_t));
	sum = add_bytes(sum, c->component_longest, c->component_count * sizeof(int64_t));
	sum += (uint64_t)c->first * 3 + (uint64_t)c->last;
	tasks_unlock(t);
	for (size_t i = 0; t->kind->note_count(t) > i; i++) {
		sum = add_text(sum, t->kind->note(t, i, &count));
		sum = sum * 5 + count;
	}
	for (size_t i = 0; t->kind->warning(t, i, &w); i++)
		sum = add_text(sum, w.text) + w.line;
	return sum;
}

/* Opens and asks: was it from the cache? */
static bool from_cache(const char *path, uint64_t want)
{
	struct trace *t = tasks_read(path, true);
	struct progress p;

	trace_progress(t, &p);
	assert_true(p.complete);
	if (sum_of(t) != want)
		fail_msg("%s: another answer%s", path, p.cached ? " from the cache" : "");
	trace_close(t);
	return p.cached;
}

static uint64_t sum_fresh(const char *path)
{
	struct trace *t = tasks_read(path, false);
	uint64_t sum = sum_of(t);

	trace_close(t);
	return sum;
}

static char *read_file(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *bytes;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len + 1);
	assert_int_equal(read(fd, bytes, *len), *len);
	close(fd);
	return bytes;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Bits flipped all over it are noticed, or give other numbers, but never a fault. */
static void check_damage(const char *path, uint64_t want)
{
	size_t len;
	char *bytes = read_file(find_entry(), &len);

	for (size_t at = 0; at < len; at += at < 900 ? 7 : 131) {
		struct trace *t;

		bytes[at] ^= 0x40;
		write_file(entry, bytes, len);
		t = tasks_read(path, true);
		sum_of(t);
		trace_close(t);
		bytes[at] ^= 0x40;
	}
	for (size_t part = 0; part < len; part += len / 9) {
		write_file(entry, bytes, part);
		assert_false(from_cache(path, want));
	}
	assert_true(from_cache(path, want));
	free(bytes);
}

TEST(cached_csv)
{
	const char *path = tasks_text("t.csv", csv_text, strlen(csv_text));
	uint64_t want = sum_fresh(path);

	name_entry(path);
	assert_false(from_cache(path, want));
	assert_true(from_cache(path, want));
	check_damage(path, want);
}

#ifdef HAVE_SQLITE

#include <sqlite3.h>

TEST(cached_database)
{
	static const char *const forms[] = {sql_a, sql_b1, sql_b2, sql_d2, sql_d3};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const char *path = tasks_database("t", forms[i]);
		uint64_t want = sum_fresh(path);
		struct sbuf id = {0};
		struct trace *t;

		name_entry(path);
		assert_false(from_cache(path, want));
		assert_true(from_cache(path, want));
		t = tasks_read(path, true);
		assert_true(tasks_id(t, 0, &id));
		assert_int_equal(tasks_find_id(t, sbuf_text(&id)), 0);
		assert_int_equal(tasks_find_id(t, "none"), TASK_NONE);
		sbuf_free(&id);
		trace_close(t);
	}
	check_damage(tasks_path("t"), sum_fresh(tasks_path("t")));
}

/* Warnings and notes come from the cache as well. */
TEST(cached_warnings)
{
	const char *path =
	    tasks_database("warned", "create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"
				     "insert into trace values('a','x','k','w','L',2,1),('b','x','k','w','L',0,0)");
	uint64_t want = sum_fresh(path);

	assert_false(from_cache(path, want));
	assert_true(from_cache(path, want));
}

/* ---- journals ---- */

/*
 * A simulator that was killed: of what it leaves is copied what lies there while it is at work.
 * Rows of the second transaction are in the log, or half in the file with a journal.
 */
static void make_killed(const char *name, const char *mode, const char *beside)
{
	const char *path = tasks_path(name);
	struct sbuf live = {0}, kept = {0};
	sqlite3 *db;
	size_t len;
	char *bytes;

	unlink(path);
	sbuf_printf(&live, "%s.live", path);
	unlink(sbuf_text(&live));
	assert_int_equal(sqlite3_open(sbuf_text(&live), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, mode, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql_b1, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(
	    sqlite3_exec(db,
			 "pragma cache_size = 1; begin;"
			 "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)"
			 "insert into trace select ID || 'b' || i, ParentID, Kind, What, Location,"
			 " StartTime, EndTime from trace, n",
			 NULL, NULL, NULL),
	    SQLITE_OK);
	if (strstr(mode, "wal"))
		assert_int_equal(sqlite3_exec(db, "commit", NULL, NULL, NULL), SQLITE_OK);
	bytes = read_file(sbuf_text(&live), &len);
	write_file(path, bytes, len);
	free(bytes);
	sbuf_puts(&live, beside);
	sbuf_printf(&kept, "%s%s", path, beside);
	bytes = read_file(sbuf_text(&live), &len);
	assert_true(len > 0);
	write_file(sbuf_text(&kept), bytes, len);
	free(bytes);
	sqlite3_close(db);
	sbuf_free(&live);
	sbuf_free(&kept);
}

struct seen {
	struct stat st;
	char *bytes;
	size_t len;
};

static struct seen look(const char *path)
{
	struct seen s;

	assert_int_equal(stat(path, &s.st), 0);
	s.bytes = read_file(path, &s.len);
	return s;
}

static void demand_unchanged(const char *path, struct seen *before)
{
	struct seen now = look(path);

	assert_int_equal(now.len, before->len);
	assert_memory_equal(now.bytes, before->bytes, now.len);
	assert_int_equal(now.st.st_mtim.tv_sec, before->st.st_mtim.tv_sec);
	assert_int_equal(now.st.st_mtim.tv_nsec, before->st.st_mtim.tv_nsec);
	free(now.bytes);
	free(before->bytes);
}

static void check_killed(const char *name, const char *beside, uint32_t rows)
{
	const char *path = tasks_path(name);
	char with[300];
	struct seen file, log;
	struct trace *t;
	int files;

	snprintf(with, sizeof(with), "%s%s", path, beside);
	file = look(path);
	log = look(with);
	files = tasks_files(tasks_folder(), "");
	for (int i = 0; i < 2; i++) {
		struct progress p;
		struct sbuf id = {0};

		t = tasks_read(path, true);
		trace_progress(t, &p);
		assert_int_equal(p.cached, i);
		assert_int_equal(tasks_lock(t)->count, rows);
		tasks_unlock(t);
		assert_int_equal(tasks_noted(t, "journals-left-over"), 1);
		assert_true(tasks_id(t, rows - 1, &id));
		assert_int_equal(tasks_find_id(t, sbuf_text(&id)), rows - 1);
		assert_int_equal(tasks_files(tasks_cache(), "copy"), 0);
		trace_close(t);
		sbuf_free(&id);
	}
	assert_int_equal(tasks_files(tasks_folder(), ""), files);
	demand_unchanged(path, &file);
	demand_unchanged(with, &log);
}

TEST(a_log_left_over)
{
	make_killed("wal", "pragma journal_mode = wal; pragma wal_autocheckpoint = 0", "-wal");
	check_killed("wal", "-wal", 6003);
}

/* The transaction did not end: its rows are none, though they are in the file. */
TEST(a_journal_left_over)
{
	make_killed("journal", "pragma journal_mode = delete", "-journal");
	check_killed("journal", "-journal", 3);
}

/* More than is copied without being allowed to: a journal with a hole in it. */
TEST(a_long_journal_is_asked_for)
{
	const char *path = tasks_database("long", sql_b1), *journal = tasks_path("long-journal");
	struct source *source;
	struct trace *t;
	struct error e;

	write_file(journal, "-", 1);
	assert_int_equal(truncate(journal, 1100000000), 0);
	assert_int_equal(source_open(&source, path, &e), STATUS_OK);
	assert_int_equal(trace_open(&t, source,
				    &(struct trace_options){.cache_dir = tasks_cache(), .asks = true}, &e),
			 STATUS_INPUT);
	assert_non_null(strstr(e.text, "1.1 GB are copied for the moment: let 'pipeglass index'"));
	assert_int_equal(unlink(journal), 0);
}

/* Of a process that is gone they are removed with the cache, of one that lives they stay. */
TEST(copies_of_killed_runs_are_swept)
{
	const pid_t gone = fork();
	struct cache_swept swept;
	struct sbuf path = {0};
	char name[200];

	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	assert_true(cachefile_copy(&path, tasks_cache()));
	write_file(sbuf_text(&path), "-", 1);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/copy.%ld.0%s", tasks_cache(), (long)gone,
			 i ? "-wal" : "");
		write_file(name, "-", 1);
	}
	assert_int_equal(cachefile_sweep(tasks_cache(), 1 << 30, &swept, NULL), STATUS_OK);
	assert_int_equal(swept.files, 2);
	assert_int_equal(tasks_files(tasks_cache(), "copy"), 1);
	assert_int_equal(unlink(sbuf_text(&path)), 0);
	sbuf_free(&path);
}

/* What was read with a log beside it is read again when the log is gone. */
TEST(a_log_that_went)
{
	struct trace *t;
	struct progress p;

	make_killed("wal", "pragma journal_mode = wal; pragma wal_autocheckpoint = 0", "-wal");
	trace_close(tasks_read(tasks_path("wal"), true));
	assert_int_equal(unlink(tasks_path("wal-wal")), 0);
	/* nothing but the log had the tables */
	assert_non_null(strstr(tasks_refusal(tasks_path("wal")), "no such table"));
	t = tasks_read(tasks_database("logged", "pragma journal_mode = wal;"
						"create table trace(ID,ParentID,Kind,What,Location,StartTime,EndTime);"),
		       true);
	trace_progress(t, &p);
	assert_false(p.cached);
	trace_close(t);
}

/* ---- packed and piped ---- */

static void check_packed(const char *how, const char *path)
{
	char command[800];
	FILE *pipe;
	struct source *source;
	struct trace_options options = {.cache_dir = tasks_cache()};
	struct trace *t;
	struct error e;
	struct sbuf id = {0};

	snprintf(command, sizeof(command), "%s %s", how, path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_int_equal(source_open_fd(&source, dup(fileno(pipe)), "pipe", &e), STATUS_OK);
	assert_int_equal(trace_open(&t, source, &options, &e), STATUS_OK);
	assert_int_equal(trace_wait(t, &e), STATUS_OK);
	assert_int_equal(tasks_lock(t)->count, 3);
	tasks_unlock(t);
	assert_true(tasks_id(t, 0, &id));
	assert_string_equal(sbuf_text(&id), "7@L1");
	sbuf_free(&id);
	trace_close(t);
	assert_int_equal(pclose(pipe), 0);
}

TEST(piped_and_packed)
{
	const char *path = tasks_database("t", sql_b2);
	char command[800];
	struct progress p;

	check_packed("cat", path);
	check_packed("gzip -c", path);
	snprintf(command, sizeof(command), "gzip -c %s >%s.gz", path, path);
	assert_int_equal(system(command), 0);
	for (int i = 0; i < 2; i++) {
		struct trace *t = tasks_read(tasks_path("t.gz"), true);
		struct sbuf id = {0};

		trace_progress(t, &p);
		assert_int_equal(p.cached, i);
		assert_true(tasks_id(t, 1, &id));
		assert_string_equal(sbuf_text(&id), "7_req_out");
		sbuf_free(&id);
		trace_close(t);
	}
}

#endif
