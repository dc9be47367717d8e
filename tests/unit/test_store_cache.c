/*
 * src/store: an index from the cache answers like a fresh one; one that is stale, damaged or not
 * ours is not used; nothing else is left in the folder. The folder is kept within its limit, and
 * nothing is removed that is not ours or that somebody has open.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "store_asking.h"
#include "trace/cachefile.h"
#include "store_truth.h"

enum { ROOM = 3 }; /* traces whose indexes fill the folder */

static char folder[64], cache[96], trace[96], entry[400];
static char others[ROOM + 1][128]; /* traces of the same size */
static struct gen g;
static uint64_t fresh; /* what an index that was not cached answers */

/* ---- files -------------------------------------------------------------------------------- */

static void write_file(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

static char *read_file(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *bytes;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len + 1);
	assert_non_null(bytes);
	assert_int_equal(read(fd, bytes, *len), *len);
	close(fd);
	return bytes;
}

/* How many files there are in the cache; entry receives the name of the last. */
static int files(void)
{
	DIR *d = opendir(cache);
	struct dirent *e;
	int n = 0;

	entry[0] = '\0';
	if (!d)
		return 0;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.') {
			snprintf(entry, sizeof(entry), "%s/%s", cache, e->d_name);
			n++;
		}
	closedir(d);
	return n;
}

static void empty_cache(void)
{
	while (files() > 0)
		assert_int_equal(unlink(entry), 0);
}

/* ---- opening ------------------------------------------------------------------------------ */

static struct store *open_cached(const char *dir, struct progress *p)
{
	struct trace_options o = {.threads = 2, .cache_dir = dir};
	struct store *s;
	struct error e;

	assert_int_equal(store_open(&s, trace, &o, &e), STATUS_OK);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	store_progress(s, p);
	return s;
}

/* Open, ask, close: was it from the cache? */
static bool from_cache(uint64_t answer)
{
	struct progress p;
	struct store *s = open_cached(cache, &p);
	bool cached = p.cached;

	assert_true(ask_everything(s) == answer);
	store_close(s);
	return cached;
}

/* A new entry takes the place of a bad one, and is good. */
static void demand_refused(uint64_t answer)
{
	assert_false(from_cache(answer));
	assert_int_equal(files(), 1);
	assert_true(from_cache(answer));
}

static uint64_t answer_fresh(void)
{
	struct store *s = truth_open(trace, 2);
	uint64_t answer = ask_everything(s);

	store_close(s);
	return answer;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pipeglass-cache-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(cache, sizeof(cache), "%s/index", folder);
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	gen_trace(&g, 21,
		  ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_STATISTICS | ODD_TWICE |
		      ODD_NAMES | ODD_REVIVED,
		  120 << 10);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	empty_cache();
	rmdir(cache);
	unlink(trace);
	gen_free(&g);
	return rmdir(folder);
}

static int begin(void **state)
{
	(void)state;
	empty_cache();
	write_file(trace, g.text, g.len);
	fresh = answer_fresh();
	return 0;
}

/* ---- the same ----------------------------------------------------------------------------- */

static void cached_answers_are_the_same(void **state)
{
	struct stat st;

	(void)state;
	assert_false(from_cache(fresh));
	assert_int_equal(files(), 1);
	assert_int_equal(stat(entry, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_true(from_cache(fresh));
	assert_true(from_cache(fresh));
	assert_int_equal(files(), 1);
}

static void no_cache_touches_nothing(void **state)
{
	(void)state;
	assert_true(answer_fresh() == fresh);
	assert_int_equal(files(), 0);
}

/* Both make it; both are right; one entry is left. */
static void two_openers(void **state)
{
	pid_t child[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		assert_true(child[i] >= 0);
		if (child[i] == 0) {
			struct progress p;
			struct store *s = open_cached(cache, &p);
			bool same = ask_everything(s) == fresh;

			store_close(s);
			_exit(!same);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert_int_equal(files(), 1);
	assert_true(from_cache(fresh));
}

/* Twice in one process, as two tabs do. */
static void two_stores(void **state)
{
	struct trace_options o = {.threads = 1, .cache_dir = cache};
	struct store *a, *b;

	(void)state;
	assert_int_equal(store_open(&a, trace, &o, NULL), STATUS_OK);
	assert_int_equal(store_open(&b, trace, &o, NULL), STATUS_OK);
	assert_int_equal(store_wait(a, NULL), STATUS_OK);
	assert_int_equal(store_wait(b, NULL), STATUS_OK);
	assert_true(ask_everything(a) == fresh);
	assert_true(ask_everything(b) == fresh);
	store_close(a);
	store_close(b);
	assert_int_equal(files(), 1);
	assert_true(from_cache(fresh));
}

/* An entry that is replaced while it is in use stays what it was for whoever uses it. */
static void replaced_while_open(void **state)
{
	struct progress p;
	struct store *s;

	(void)state;
	assert_false(from_cache(fresh));
	s = open_cached(cache, &p);
	assert_true(p.cached);
	empty_cache();
	assert_false(from_cache(fresh));
	assert_true(ask_everything(s) == fresh);
	store_close(s);
}

/* ---- stale -------------------------------------------------------------------------------- */

static void touched(void **state)
{
	struct timespec t[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000, .tv_nsec = 1}};

	(void)state;
	assert_false(from_cache(fresh));
	assert_int_equal(utimensat(AT_FDCWD, trace, t, 0), 0);
	demand_refused(fresh);
	t[1].tv_nsec = 2;
	assert_int_equal(utimensat(AT_FDCWD, trace, t, 0), 0);
	demand_refused(fresh);
}

static void keep_time(const struct stat *st)
{
	struct timespec t[2] = {st->st_atim, st->st_mtim};

	assert_int_equal(utimensat(AT_FDCWD, trace, t, 0), 0);
}

static void other_size(void **state)
{
	struct stat st;

	(void)state;
	assert_false(from_cache(fresh));
	assert_int_equal(stat(trace, &st), 0);
	write_file(trace, g.text, g.len / 2);
	keep_time(&st);
	demand_refused(answer_fresh());
}

static void other_edge(void **state)
{
	struct stat st;
	int fd;

	(void)state;
	assert_false(from_cache(fresh));
	assert_int_equal(stat(trace, &st), 0);
	fd = open(trace, O_WRONLY);
	assert_int_equal(pwrite(fd, "#", 1, (off_t)g.len - 40), 1);
	close(fd);
	keep_time(&st);
	demand_refused(answer_fresh());
}

static void other_inode(void **state)
{
	char other[128];
	struct stat st;

	(void)state;
	assert_false(from_cache(fresh));
	assert_int_equal(stat(trace, &st), 0);
	snprintf(other, sizeof(other), "%s.new", trace);
	write_file(other, g.text, g.len);
	assert_int_equal(rename(other, trace), 0);
	keep_time(&st);
	assert_false(from_cache(fresh));
	assert_int_equal(files(), 2);
	assert_true(from_cache(fresh));
}

/* ---- damaged, or not ours ----------------------------------------------------------------- */

static void cut_short(void **state)
{
	size_t len;
	char *bytes;

	(void)state;
	assert_false(from_cache(fresh));
	files();
	bytes = read_file(entry, &len);
	for (int i = 0; i < 12; i++) {
		files();
		write_file(entry, bytes, i ? len - len * (size_t)i / 12 : len - 1);
		assert_false(from_cache(fresh));
		assert_int_equal(files(), 1);
	}
	write_file(entry, bytes, 0);
	demand_refused(fresh);
	free(bytes);
}

/* Any flipped bit is noticed, or is one of those that mean nothing. */
static void flipped_bits(void **state)
{
	uint64_t at = 1;
	size_t len;
	char *bytes;

	(void)state;
	assert_false(from_cache(fresh));
	files();
	bytes = read_file(entry, &len);
	for (int i = 0; i < 60; i++) {
		/* a header that is mostly room, then pages and sections */
		size_t where = i < 15 ? (size_t)i * 24 : CACHE_HEADER + at % (len - CACHE_HEADER);

		at = at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		at ^= at >> 29;
		bytes[where] ^= (char)(1 << i % 8);
		files();
		write_file(entry, bytes, len);
		from_cache(fresh);
		assert_int_equal(files(), 1);
		bytes[where] ^= (char)(1 << i % 8);
	}
	free(bytes);
}

static void links_are_not_followed(void **state)
{
	char other[128], name[sizeof(entry)];
	struct stat st;

	(void)state;
	assert_false(from_cache(fresh));
	files();
	strcpy(name, entry);
	snprintf(other, sizeof(other), "%s/elsewhere", folder);
	assert_int_equal(rename(name, other), 0);
	assert_int_equal(symlink(other, name), 0);
	assert_false(from_cache(fresh));
	assert_int_equal(lstat(name, &st), 0);
	assert_true(S_ISREG(st.st_mode)); /* the link gave way */
	assert_int_equal(unlink(other), 0);
	assert_true(from_cache(fresh));
}

static void others_may_not_have_written_it(void **state)
{
	(void)state;
	assert_false(from_cache(fresh));
	for (mode_t bit = S_IWOTH; bit <= S_IWGRP; bit = bit == S_IWOTH ? S_IWGRP : 0777) {
		files();
		assert_int_equal(chmod(entry, 0600 | bit), 0);
		demand_refused(fresh);
	}
}

static void a_pipe_in_its_place(void **state)
{
	char name[sizeof(entry)];

	(void)state;
	assert_false(from_cache(fresh));
	files();
	strcpy(name, entry);
	unlink(name);
	assert_int_equal(mkfifo(name, 0600), 0);
	demand_refused(fresh);
}

/* ---- no room ------------------------------------------------------------------------------ */

static void nowhere_to_write(void **state)
{
	struct progress p;
	struct store *s;
	char below[160];

	(void)state;
	snprintf(below, sizeof(below), "%s/below", trace); /* the trace is no folder */
	s = open_cached(below, &p);
	assert_false(p.cached);
	assert_non_null(p.note);
	assert_true(ask_everything(s) == fresh);
	store_close(s);
	if (geteuid() == 0)
		return; /* may write everywhere */
	assert_int_equal(chmod(cache, 0500), 0);
	s = open_cached(cache, &p);
	assert_non_null(p.note);
	assert_true(ask_everything(s) == fresh);
	store_close(s);
	assert_int_equal(chmod(cache, 0700), 0);
	assert_int_equal(files(), 0);
}

static void cancelled(void **state)
{
	struct trace_options o = {.threads = 1, .cache_dir = cache};
	struct store *s;

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(store_open(&s, trace, &o, NULL), STATUS_OK);
		store_cancel(s);
		store_close(s);
		/* it was finished before, or nothing is there */
		assert_true(files() == 0 || strcmp(entry + strlen(entry) - 4, ".idx") == 0);
		empty_cache();
	}
}

/* ---- the limit ---------------------------------------------------------------------------- */

static void entry_of(const char *path, char *out, size_t size)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	snprintf(out, size, "%s/%016llx%016llx.idx", cache, (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
}

static bool is_there(const char *path)
{
	struct stat st;
	char name[400];

	entry_of(path, name, sizeof(name));
	return lstat(name, &st) == 0;
}

static struct store *open_limited(const char *path, int64_t limit)
{
	struct trace_settings settings = {.cache_limit = limit};
	struct trace_options o = {.threads = 1, .cache_dir = cache, .settings = &settings};
	struct store *s;

	assert_int_equal(store_open(&s, path, &o, NULL), STATUS_OK);
	assert_int_equal(store_wait(s, NULL), STATUS_OK);
	return s;
}

/* ROOM traces, indexed; used in this order, long ago. Returns the bytes that they take. */
static int64_t fill_cache(void)
{
	int64_t bytes = 0;

	for (int i = 0; i <= ROOM; i++) {
		struct timespec long_ago[2] = {{.tv_sec = 1000 + i}, {.tv_sec = 1000 + i}};
		char name[400];
		struct stat st;

		snprintf(others[i], sizeof(others[i]), "%s.%d", trace, i);
		write_file(others[i], g.text, g.len);
		if (i == ROOM)
			break;
		store_close(open_limited(others[i], INT64_MAX));
		entry_of(others[i], name, sizeof(name));
		assert_int_equal(stat(name, &st), 0);
		bytes += st.st_size;
		assert_int_equal(utimensat(AT_FDCWD, name, long_ago, 0), 0);
	}
	assert_int_equal(files(), ROOM);
	return bytes;
}

static void unlink_others(void)
{
	for (int i = 0; i <= ROOM; i++)
		unlink(others[i]);
}

static void what_was_used_longest_ago_goes_first(void **state)
{
	int64_t room = fill_cache();

	(void)state;
	store_close(open_limited(others[0], room)); /* now it is the youngest */
	assert_int_equal(files(), ROOM);
	store_close(open_limited(others[ROOM], room));
	assert_int_equal(files(), ROOM);
	assert_true(is_there(others[0]));
	assert_false(is_there(others[1]));
	assert_true(is_there(others[2]));
	assert_true(is_there(others[ROOM]));
	unlink_others();
}

/* By this process, which has the new one open too, and by another one. */
static void what_is_open_stays(void **state)
{
	int ready[2], stop[2];
	struct store *mine;
	pid_t child;
	char byte;
	int status;

	(void)state;
	fill_cache();
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(stop), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(stop[1]);
		store_close(open_limited(others[2], 1)); /* from the cache: nothing is swept */
		open_limited(others[0], 1);
		_exit(write(ready[1], "", 1) != 1 || read(stop[0], &byte, 1) != 0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	mine = open_limited(others[1], 1);
	store_close(open_limited(others[ROOM], 1));
	assert_true(is_there(others[0]));
	assert_true(is_there(others[1]));
	assert_false(is_there(others[2]));
	assert_true(is_there(others[ROOM]));
	assert_true(ask_everything(mine) == fresh);
	store_close(mine);
	close(stop[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(ready[0]);
	close(ready[1]);
	close(stop[0]);
	unlink_others();
}

/* What killed runs left goes, whatever the limit; what only looks like ours stays. */
static void only_what_is_ours_goes(void **state)
{
	static const char id[] = "0123456789abcdef0123456789abcde";
	static const struct {
		const char *last, *behind, *bytes;
		bool goes;
	} rows[] = {
	    {"0", ".idx.12.0", CACHE_MAGIC "\0", true},
	    {"1", ".idx", CACHE_MAGIC "\0", true},
	    {"2", ".idx.12.0", "pipeglass", false},
	    {"3", ".idx", "PIPEGLASS INDEX\0", false},
	    {"4", ".idx.12.", CACHE_MAGIC "\0", false},
	    {"5", ".idx.12", CACHE_MAGIC "\0", false},
	    {"6", ".idx~", CACHE_MAGIC "\0", false},
	    {"G", ".idx", CACHE_MAGIC "\0", false},
	    {"77", ".idx", CACHE_MAGIC "\0", false},
	    {"8", ".idx.12.0.1", CACHE_MAGIC "\0", false},
	};
	char name[400], twin[400], link[400], to[400], below[400];
	struct cache_swept swept;
	struct stat st;

	(void)state;
	store_close(open_limited(trace, 0)); /* makes the folder */
	empty_cache();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s/%s%s%s", cache, id, rows[i].last, rows[i].behind);
		write_file(name, rows[i].bytes, strlen(rows[i].bytes) == 9 ? 9 : 16);
	}
	snprintf(twin, sizeof(twin), "%s/%se.idx", cache, id);
	snprintf(to, sizeof(to), "%s/elsewhere", folder);
	snprintf(link, sizeof(link), "%s/%sf.idx", cache, id);
	snprintf(below, sizeof(below), "%s/%sd.idx", cache, id);
	write_file(to, CACHE_MAGIC, 16);
	assert_int_equal(symlink(to, link), 0);
	assert_int_equal(linkat(AT_FDCWD, to, AT_FDCWD, twin, 0), 0);
	assert_int_equal(mkdir(below, 0700), 0);
	assert_int_equal(cachefile_sweep(cache, 0, &swept, NULL), STATUS_OK);
	assert_int_equal(swept.files, 2);
	assert_int_equal(swept.bytes, 32);
	assert_int_equal(swept.in_use, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		snprintf(name, sizeof(name), "%s/%s%s%s", cache, id, rows[i].last, rows[i].behind);
		assert_int_equal(lstat(name, &st) != 0, rows[i].goes);
	}
	assert_int_equal(lstat(link, &st) | lstat(twin, &st) | lstat(below, &st) | lstat(to, &st),
			 0);
	rmdir(below);
	unlink(to);
	empty_cache();
	assert_int_equal(symlink(cache, to), 0);
	assert_int_equal(cachefile_sweep(to, 0, &swept, NULL), STATUS_IO);
	unlink(to);
	assert_int_equal(cachefile_sweep(to, 0, &swept, NULL), STATUS_OK);
	assert_int_equal(swept.files, 0);
}

#define CASES(_)                                                                                   \
	_(cached_answers_are_the_same)                                                             \
	_(no_cache_touches_nothing)                                                                \
	_(two_openers)                                                                             \
	_(two_stores)                                                                              \
	_(replaced_while_open)                                                                     \
	_(touched)                                                                                 \
	_(other_size)                                                                              \
	_(other_edge)                                                                              \
	_(other_inode)                                                                             \
	_(cut_short)                                                                               \
	_(flipped_bits)                                                                            \
	_(links_are_not_followed)                                                                  \
	_(others_may_not_have_written_it)                                                          \
	_(a_pipe_in_its_place)                                                                     \
	_(nowhere_to_write)                                                                        \
	_(cancelled)                                                                               \
	_(what_was_used_longest_ago_goes_first)                                                    \
	_(what_is_open_stays)                                                                      \
	_(only_what_is_ours_goes)

int main(void)
{
	const struct CMUnitTest tests[] = {
#define CASE_ROW(name) cmocka_unit_test_setup(name, begin),
	    CASES(CASE_ROW)
#undef CASE_ROW
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
