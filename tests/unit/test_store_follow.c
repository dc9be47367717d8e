/*
 * Live text in the store: a file that grows piece by piece gives in the end what it gives when it
 * is read whole, shows what has come meanwhile, and ends when it is cut.
 */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sbuf.h"
#include "store/store.h"

enum { CYCLES = 400, WIDTH = 4, LIFE = 6 };

static char dir[] = "/tmp/pipeglass-follow-dir-XXXXXX";
static char path[] = "/tmp/pipeglass-follow-XXXXXX";
static struct sbuf text;
static size_t cuts[CYCLES + 1]; /* where the text of cycle i begins */

/* WIDTH rows born a cycle; each is fetched, dispatched, executed and committed LIFE cycles on. */
static void make_text(void)
{
	static const char *const stages[] = {"DA", "EX", "WB", "CT"};

	for (int t = 0; t < CYCLES; t++) {
		cuts[t] = text.len;
		sbuf_printf(&text, "@ %d\n", t);
		for (int k = 0; k < WIDTH; k++) {
			int id = t * WIDTH + k;

			sbuf_printf(&text, "+ %d 0x%x 0x0 add r%d,r2,r3\n", id, 0x1000 + id * 4, k);
			sbuf_printf(&text, "* %d IF 0x0\n", id);
			for (int s = 0; s < 4 && t > s; s++)
				sbuf_printf(&text, "* %d %s 0x0\n", id - (s + 1) * WIDTH, stages[s]);
			if (t >= LIFE)
				sbuf_printf(&text, "- %d\n", id - LIFE * WIDTH);
		}
	}
	cuts[CYCLES] = text.len;
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	make_text();
	if (!mkdtemp(dir))
		return -1;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	sbuf_free(&text);
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return unlink(path) || system(command);
}

static void write_file(size_t from, size_t to)
{
	int fd = open(path, O_WRONLY | (from ? O_APPEND : O_TRUNC));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.text + from, to - from), (ssize_t)(to - from));
	close(fd);
}

static struct store *open_file(bool follow)
{
	struct store_options o = {.no_cache = true, .follow = follow, .threads = 2};
	struct error e = {STATUS_OK, ""};
	struct store *s;

	if (store_open(&s, path, &o, &e))
		fail_msg("%s", e.text);
	return s;
}

/* Until so many rows are published, or nothing more will be. */
static struct progress await_rows(struct store *s, uint64_t rows)
{
	struct pollfd p = {.fd = store_wake_fd(s), .events = POLLIN};
	struct progress now;

	for (store_progress(s, &now); now.rows < rows && !now.complete; store_progress(s, &now))
		if (poll(&p, 1, 20000) <= 0)
			fail_msg("%lu of %lu rows came", (unsigned long)now.rows,
				 (unsigned long)rows);
	return now;
}

/* Everything there is to know, as bytes that can be compared. */
static void describe(struct store *s, struct sbuf *out)
{
	uint64_t rows = store_row_count(s);
	struct totals t;

	store_totals(s, &t);
	sbuf_printf(out, "%lu %lu %lu\n", (unsigned long)rows, (unsigned long)t.fates[FATE_COMMITTED],
		    (unsigned long)t.fates[FATE_IN_FLIGHT]);
	for (uint64_t i = 0; i < rows; i++) {
		struct row r;

		assert_true(store_row(s, i, &r));
		sbuf_printf(out, "%ld %ld %d %d\n", (long)r.start, (long)r.end, r.fate, r.dominant);
	}
}

static void test_grows(void **state)
{
	static const int steps[] = {3, 4, 50, 51, 52, 200, 399};
	struct sbuf live = {0}, whole = {0};
	struct error e = {STATUS_OK, ""};
	struct store *s, *t;
	struct progress p;

	(void)state;
	write_file(0, cuts[2]);
	s = open_file(true);
	assert_true(store_is_live(s));
	for (size_t i = 0, at = 2; i < sizeof(steps) / sizeof(steps[0]); at = (size_t)steps[i++]) {
		write_file(cuts[at], cuts[steps[i]]);
		/* the newest cycle is whole only when the next one begins */
		p = await_rows(s, (uint64_t)(steps[i] - 1) * WIDTH);
		assert_false(p.complete);
	}
	write_file(cuts[399], text.len);
	assert_int_equal(store_follow(s, false, &e), STATUS_OK);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	assert_false(store_is_live(s));
	describe(s, &live);
	store_close(s);
	t = open_file(false);
	assert_int_equal(store_wait(t, &e), STATUS_OK);
	describe(t, &whole);
	store_close(t);
	assert_string_equal(live.text, whole.text);
	sbuf_free(&live);
	sbuf_free(&whole);
}

/* A line that comes in two parts is one. */
static void test_torn_line(void **state)
{
	struct error e = {STATUS_OK, ""};
	struct store *s;

	(void)state;
	write_file(0, cuts[20] + 3);
	s = open_file(true);
	await_rows(s, 19 * WIDTH);
	write_file(cuts[20] + 3, cuts[21] + 9);
	await_rows(s, 20 * WIDTH);
	write_file(cuts[21] + 9, cuts[30]);
	store_follow(s, false, &e);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	assert_int_equal(store_row_count(s), 30 * WIDTH);
	assert_int_equal(store_warning_count(s), 0);
	store_close(s);
}

static void test_cut(void **state)
{
	struct error e = {STATUS_OK, ""};
	struct progress p;
	struct store *s;

	(void)state;
	write_file(0, cuts[20]);
	s = open_file(true);
	await_rows(s, 19 * WIDTH);
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(store_wait(s, &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "was cut"));
	store_progress(s, &p);
	assert_true(p.complete && p.failed == STATUS_INPUT);
	assert_true(p.rows >= 19 * WIDTH);
	store_close(s);
}

/* Whoever leaves while it is quiet does not wait. */
static void test_left(void **state)
{
	struct store *s;

	(void)state;
	write_file(0, cuts[20]);
	s = open_file(true);
	await_rows(s, 19 * WIDTH);
	store_close(s);
	write_file(0, text.len);
	s = open_file(true);
	store_close(s);
}

/* Turned on while it is being read, as the app does; when that was too late it changes nothing. */
static void test_turned_on(void **state)
{
	struct error e = {STATUS_OK, ""};
	struct store *s;

	(void)state;
	write_file(0, cuts[100]);
	s = open_file(false);
	assert_int_equal(store_follow(s, true, &e), STATUS_OK);
	await_rows(s, 99 * WIDTH);
	store_follow(s, false, &e);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	assert_int_equal(store_row_count(s), 100 * WIDTH);
	assert_int_equal(store_follow(s, true, &e), STATUS_OK);
	assert_false(store_is_live(s));
	store_close(s);
}

/* An index made of live text is not kept; one of the whole file is. */
static void test_cache(void **state)
{
	struct store_options o = {.cache_dir = dir, .threads = 1, .follow = true};
	struct error e = {STATUS_OK, ""};
	struct progress p;
	struct store *s;

	(void)state;
	write_file(0, cuts[50]);
	for (int round = 0; round < 3; round++) {
		assert_int_equal(store_open(&s, path, &o, &e), STATUS_OK);
		await_rows(s, 49 * WIDTH);
		store_follow(s, false, &e);
		assert_int_equal(store_wait(s, &e), STATUS_OK);
		store_progress(s, &p);
		assert_int_equal(p.cached, round == 2);
		store_close(s);
		o.follow = false;
	}
}

static void test_descriptor(void **state)
{
	struct store_options o = {.no_cache = true, .threads = 1};
	struct error e = {STATUS_OK, ""};
	struct store *s;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], text.text, cuts[20]), (ssize_t)cuts[20]);
	assert_int_equal(store_open_fd(&s, ends[0], "pipe", &o, &e), STATUS_OK);
	await_rows(s, 19 * WIDTH);
	assert_true(store_is_live(s));
	assert_int_equal(write(ends[1], text.text + cuts[20], cuts[22] - cuts[20]),
			 (ssize_t)(cuts[22] - cuts[20]));
	close(ends[1]);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	assert_false(store_is_live(s));
	assert_int_equal(store_row_count(s), 22 * WIDTH);
	store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_grows),     cmocka_unit_test(test_torn_line),
	    cmocka_unit_test(test_cut),       cmocka_unit_test(test_left),
	    cmocka_unit_test(test_turned_on), cmocka_unit_test(test_descriptor),
	    cmocka_unit_test(test_cache),
	};

	return cmocka_run_group_tests_name("following in the store", tests, setup, teardown);
}
