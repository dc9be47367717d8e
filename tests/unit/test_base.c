/* The containers, errors, JSON, interning and paths of src/base. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/sbuf.h"
#include "base/status.h"
#include "base/vec.h"
#include "base/xalloc.h"
#include "testing.h"

/* status */

TEST(status_exits)
{
	assert_int_equal(status_exit(STATUS_OK), 0);
	assert_int_equal(status_exit(STATUS_INPUT), 1);
	assert_int_equal(status_exit(STATUS_USAGE), 2);
	assert_int_equal(status_exit(STATUS_NOT_FOUND), 1);
	assert_int_equal(status_exit((enum status)99), 1);
}

TEST(error_is_one_line)
{
	struct error e;

	assert_int_equal(error_set(&e, STATUS_INPUT, "%s:%d: no", "a\nb\r", 7), STATUS_INPUT);
	assert_int_equal(e.code, STATUS_INPUT);
	assert_string_equal(e.text, "a b :7: no");
	assert_int_equal(error_set(NULL, STATUS_IO, "x"), STATUS_IO);
	assert_int_equal(error_errno(NULL, STATUS_IO, ENOENT, "x"), STATUS_IO);
}

TEST(error_keeps_the_reason)
{
	char path[1000];
	struct error e;

	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	error_errno(&e, STATUS_IO, ENOENT, "cannot open %s", path);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(strrchr(e.text, ':'), ": No such file or directory");
	error_errno(&e, STATUS_IO, EACCES, "cannot open f");
	assert_string_equal(e.text, "cannot open f: Permission denied");
}

/* vec */

TEST(vec_grows)
{
	VEC(const char *) names = {0};
	VEC(uint16_t) numbers = {0};

	for (unsigned i = 0; i < 50000; i++)
		assert_true(vec_push(&numbers, (uint16_t)i));
	assert_int_equal(numbers.count, 50000);
	for (unsigned i = 0; i < 50000; i++)
		assert_int_equal(numbers.data[i], i);
	assert_int_equal(vec_last(&numbers), 49999);
	assert_true(numbers.cap < 50000 * 3 / 2 + 8);
	vec_clear(&numbers);
	assert_int_equal(numbers.count, 0);
	assert_true(vec_push(&names, "a"));
	assert_string_equal(vec_last(&names), "a");
	vec_free(&numbers);
	vec_free(&names);
	assert_null(names.data);
	assert_int_equal(names.cap, 0);
}

TEST(vec_survives_no_memory)
{
	VEC(uint64_t) v = {0};
	const uint64_t *before;

	assert_true(vec_push(&v, 42));
	before = v.data;
	assert_false(vec_reserve(&v, SIZE_MAX));
	assert_false(vec_reserve(&v, SIZE_MAX / 8));
	assert_false(vec_reserve(&v, (size_t)PTRDIFF_MAX / 8));
	assert_ptr_equal(v.data, before);
	assert_int_equal(v.count, 1);
	assert_int_equal(v.data[0], 42);
	vec_free(&v);
}

/* sbuf */

TEST(sbuf_appends)
{
	struct sbuf s = {0};

	assert_string_equal(sbuf_text(&s), "");
	sbuf_add(&s, NULL, 0);
	sbuf_puts(&s, "cycle ");
	sbuf_putc(&s, '<');
	sbuf_printf(&s, "%d|%s", 42, "x");
	sbuf_repeat(&s, '-', 3);
	sbuf_add(&s, "\0y", 2);
	assert_int_equal(s.len, 16);
	assert_memory_equal(s.text, "cycle <42|x---\0y", 17);
	sbuf_clear(&s);
	assert_int_equal(s.len, 0);
	assert_string_equal(sbuf_text(&s), "");
	for (int i = 0; i < 300; i++) {
		char expect[512];

		sbuf_clear(&s);
		sbuf_repeat(&s, 'a', (size_t)i);
		sbuf_printf(&s, "%0*d", i + 1, 7);
		snprintf(expect, sizeof(expect), "%0*d", i + 1, 7);
		assert_string_equal(s.text + i, expect);
		assert_int_equal(s.len, 2 * i + 1);
	}
	assert_false(s.failed);
	sbuf_free(&s);
	assert_string_equal(sbuf_text(&s), "");
}

TEST(sbuf_failure_leaves_no_hole)
{
	struct sbuf s = {0};

	sbuf_puts(&s, "begin");
	sbuf_repeat(&s, 'x', SIZE_MAX);
	assert_true(s.failed);
	sbuf_puts(&s, "end");
	sbuf_printf(&s, "%d", 1);
	sbuf_putc(&s, 'c');
	assert_string_equal(sbuf_text(&s), "begin");
	sbuf_clear(&s);
	assert_false(s.failed);
	sbuf_puts(&s, "again");
	assert_string_equal(sbuf_text(&s), "again");
	sbuf_free(&s);
}

/* json */

TEST(json_tree)
{
	struct sbuf s = {0};
	struct json w;

	json_begin(&w, &s);
	json_object(&w);
	json_key(&w, "rows");
	json_array(&w);
	json_object(&w);
	json_object_end(&w);
	json_object(&w);
	json_key(&w, "pc");
	json_hex(&w, UINT64_C(0x80000ABC));
	json_key(&w, "end");
	json_null(&w);
	json_object_end(&w);
	json_array(&w);
	json_array_end(&w);
	json_bool(&w, true);
	json_bool(&w, false);
	json_array_end(&w);
	json_key(&w, "text");
	json_string(&w, NULL);
	json_key(&w, "min");
	json_int(&w, INT64_MIN);
	json_key(&w, "max");
	json_uint(&w, UINT64_MAX);
	json_object_end(&w);
	assert_string_equal(sbuf_text(&s),
			    "{\"rows\":[{},{\"pc\":\"0x80000abc\",\"end\":null},[],true,false],"
			    "\"text\":null,\"min\":-9223372036854775808,"
			    "\"max\":18446744073709551615}");
	assert_int_equal(w.depth, 0);
	sbuf_free(&s);
}

static void json_as(const char *expect, const char *bytes, size_t len)
{
	struct sbuf s = {0};
	struct json w;

	json_begin(&w, &s);
	json_text(&w, bytes, len);
	assert_string_equal(sbuf_text(&s), expect);
	sbuf_free(&s);
}

TEST(json_text_is_harmless)
{
	json_as("\"\"", "", 0);
	json_as("\"add r1, r2\"", "add r1, r2", 10);
	json_as("\"\\\"\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
	json_as("\"a\\u0000\\u001b[m\\u007f\"", "a\0\033[m\177", 6);
	json_as("\"\xef\xbf\xbd\"", "\xff", 1);
	json_as("\"\xef\xbf\xbd\xef\xbf\xbdx\"", "\xe2\x82x", 3);
	json_as("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\xa5",
		9);
	/* exact, yet without effect on a terminal: C1, RLO, line separator, tag character */
	json_as("\"\\u009b\\u202e\\u2028\\udb40\\udc41\"",
		"\xc2\x9b\xe2\x80\xae\xe2\x80\xa8\xf3\xa0\x81\x81", 12);
}

static void real_as(const char *expect, double value)
{
	struct sbuf s = {0};
	struct json w;

	json_begin(&w, &s);
	json_real(&w, value);
	assert_string_equal(sbuf_text(&s), expect);
	sbuf_free(&s);
}

TEST(json_reals)
{
	real_as("0", 0);
	real_as("0.1", 0.1);
	real_as("-1.25", -1.25);
	real_as("0.30000000000000004", 0.1 + 0.2);
	real_as("48312907", 48312907);
	real_as("5e-324", 5e-324);
	real_as("1.7976931348623157e+308", 1.7976931348623157e308);
	real_as("null", NAN);
	real_as("null", INFINITY);
	real_as("null", -INFINITY);
}

TEST(json_deepest)
{
	struct sbuf s = {0};
	struct json w;

	json_begin(&w, &s);
	for (int i = 0; i < JSON_DEPTH - 1; i++)
		json_array(&w);
	for (int i = 0; i < JSON_DEPTH - 1; i++)
		json_array_end(&w);
	assert_string_equal(sbuf_text(&s), "[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]");
	assert_false(s.failed);
	sbuf_free(&s);
}

/* intern */

TEST(intern_in_order)
{
	struct intern *t = intern_new();
	const char *first;
	char name[32];

	assert_int_equal(intern_find(t, "F", 1), -1);
	assert_int_equal(intern_add(t, "F", 1), 0);
	assert_int_equal(intern_add(t, "", 0), 1);
	assert_int_equal(intern_add(t, "F\0x", 3), 2);
	assert_int_equal(intern_add(t, "F", 1), 0);
	first = intern_name(t, 0);
	for (int i = 0; i < 20000; i++) {
		int len = snprintf(name, sizeof(name), "GPU[%d]", i);

		assert_int_equal(intern_add(t, name, (size_t)len), i + 3);
	}
	for (int i = 0; i < 20000; i++) {
		int len = snprintf(name, sizeof(name), "GPU[%d]", i);

		assert_int_equal(intern_find(t, name, (size_t)len), i + 3);
		assert_string_equal(intern_name(t, i + 3), name);
	}
	assert_int_equal(intern_find(t, NULL, 0), 1);
	assert_int_equal(intern_length(t, 2), 3);
	assert_ptr_equal(intern_name(t, 0), first);
	assert_int_equal(intern_count(t), 20003);
	assert_null(intern_name(t, -1));
	assert_null(intern_name(t, 20003));
	intern_free(t);
	intern_free(NULL);
}

TEST(intern_long_names)
{
	struct intern *t = intern_new();
	char *name = malloc(100001);

	memset(name, 'n', 100000);
	name[100000] = '\0';
	for (size_t len = 100000; len > 99990; len--)
		assert_int_equal(intern_add(t, name, len), 100000 - (int)len);
	for (size_t len = 100000; len > 99990; len--)
		assert_int_equal(strlen(intern_name(t, 100000 - (int)len)), len);
	free(name);
	intern_free(t);
}

/* paths */

static void path_as(const char *expect, enum path_kind kind, const char *name)
{
	struct sbuf s = {0};

	path_of(&s, kind, name);
	assert_string_equal(sbuf_text(&s), expect);
	sbuf_free(&s);
}

TEST(paths_follow_xdg)
{
	setenv("HOME", "/h", 1);
	unsetenv("PIPEGLASS_CONFIG");
	unsetenv("XDG_CONFIG_HOME");
	setenv("XDG_CACHE_HOME", "/c", 1);
	setenv("XDG_STATE_HOME", "relative", 1);
	path_as("/h/.config/pipeglass/config", PATH_CONFIG, "config");
	path_as("/c/pipeglass", PATH_CACHE, "");
	path_as("/h/.local/state/pipeglass/history", PATH_STATE, "history");
	setenv("PIPEGLASS_CONFIG", "/own", 1);
	path_as("/own/config", PATH_CONFIG, "config");
	path_as("/c/pipeglass/x", PATH_CACHE, "x");
	setenv("PIPEGLASS_CONFIG", "own", 1);
	setenv("XDG_CONFIG_HOME", "", 1);
	path_as("/h/.config/pipeglass/config", PATH_CONFIG, "config");
	unsetenv("HOME");
	path_as("", PATH_CONFIG, "config");
	path_as("", PATH_STATE, "history");
}

TEST(path_make_is_private)
{
	char top[] = "/tmp/pipeglass-test-XXXXXX", path[200], link_path[200], file[200];
	struct stat info;
	FILE *f;

	assert_non_null(mkdtemp(top));
	snprintf(path, sizeof(path), "%s/a//b/c", top);
	assert_int_equal(path_make(path), 0);
	assert_int_equal(path_make(path), 0);
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 07777, 0700);
	snprintf(link_path, sizeof(link_path), "%s/link", top);
	assert_int_equal(symlink(path, link_path), 0);
	assert_int_not_equal(path_make(link_path), 0);
	snprintf(file, sizeof(file), "%s/link/", top);
	assert_int_not_equal(path_make(file), 0);
	snprintf(file, sizeof(file), "%s/link/below", top);
	assert_int_equal(path_make(file), 0);
	snprintf(file, sizeof(file), "%s/file", top);
	f = fopen(file, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(path_make(file), ENOTDIR);
	snprintf(file, sizeof(file), "%s/file/x", top);
	assert_int_equal(path_make(file), ENOTDIR);
	assert_int_equal(path_make(""), ENOENT);
	assert_int_equal(chdir(top), 0);
	assert_int_equal(path_make("relative/below"), 0);
	assert_int_equal(stat("relative/below", &info), 0);
	assert_int_equal(chdir("/"), 0);
	snprintf(file, sizeof(file), "rm -r %s", top);
	assert_int_equal(system(file), 0);
}

/* xalloc */

static int hook_pipe;

static void hook(size_t size)
{
	const char restored = size == SIZE_MAX ? 'R' : '?';

	if (write(hook_pipe, &restored, 1) != 1)
		_exit(1);
}

TEST(xalloc_dies_after_the_hook)
{
	int ends[2], how;
	char said = 0;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		hook_pipe = ends[1];
		xalloc_die_hook = hook;
		free(xreallocarray(NULL, SIZE_MAX, 2));
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
	assert_int_equal(read(ends[0], &said, 1), 1);
	assert_int_equal(said, 'R');
	close(ends[0]);
	close(ends[1]);
}
