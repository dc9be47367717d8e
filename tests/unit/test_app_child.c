/*
 * What a program that was started says: the log of bounded size against a naive one; and the
 * starting and ending of real ones.
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/child.h"
#include "app/child_lines.h"
#include "testing.h"

static void says(const struct child_lines *l, uint64_t number, const char *what)
{
	struct sbuf line = {0};

	if (!child_lines_get(l, number, &line))
		fail_msg("line %lu is not there", (unsigned long)number);
	assert_string_equal(sbuf_text(&line), what);
	sbuf_free(&line);
}

TEST(test_lines)
{
	struct child_lines l = {0};
	uint64_t first, end;

	child_lines_add(&l, "one\ntw", 6);
	child_lines_add(&l, "o\r\n\n10 %\r20 %\r", 14);
	child_lines_range(&l, &first, &end);
	assert_int_equal(first, 0);
	assert_int_equal(end, 4);
	says(&l, 0, "one");
	says(&l, 1, "two");
	says(&l, 2, "");
	says(&l, 3, "20 %");
	child_lines_add(&l, "done\nlast", 9);
	says(&l, 3, "done");
	says(&l, 4, "last");
	child_lines_free(&l);
}

/* Numbers stay, the newest lines are there, memory is bounded. */
TEST(test_bound)
{
	struct child_lines l = {0};
	uint64_t first, end, total = 3 * SAID_LINES + 5;
	char text[100];

	for (uint64_t i = 0; i < total; i++) {
		int n = snprintf(text, sizeof(text), "line %lu %.*s\n", (unsigned long)i,
				 (int)(i % 40), "........................................");

		child_lines_add(&l, text, (size_t)n);
	}
	child_lines_range(&l, &first, &end);
	assert_int_equal(end, total);
	assert_true(end - first >= SAID_LINES / 2 && end - first <= SAID_LINES);
	for (uint64_t i = first; i < end; i++) {
		snprintf(text, sizeof(text), "line %lu %.*s", (unsigned long)i, (int)(i % 40),
			 "........................................");
		says(&l, i, text);
	}
	assert_false(child_lines_get(&l, first - 1, NULL));
	assert_false(child_lines_get(&l, end, NULL));
	child_lines_free(&l);
}

/* A line without an end is cut into ones of SAID_LINE. */
TEST(test_long_line)
{
	struct child_lines l = {0};
	uint64_t first, end;
	struct sbuf line = {0};
	size_t given = 0;
	char bytes[1000];

	memset(bytes, 'x', sizeof(bytes));
	for (; given < 3 * (size_t)SAID_BYTES; given += sizeof(bytes))
		child_lines_add(&l, bytes, sizeof(bytes));
	child_lines_range(&l, &first, &end);
	assert_int_equal(end, (given + SAID_LINE - 1) / SAID_LINE);
	assert_true(l.text.count <= SAID_BYTES && l.text.count >= SAID_BYTES / 4);
	assert_true(child_lines_get(&l, first, &line));
	assert_int_equal(line.len, SAID_LINE);
	sbuf_free(&line);
	child_lines_free(&l);
}

static struct child *start(char *const *words, int trace_fd, bool trace_file)
{
	struct child_options o = {
	    .argv = words, .trace_fd = trace_fd, .trace_file = trace_file};
	struct error e = {STATUS_OK, ""};
	struct child *c;

	if (child_start(&c, &o, &e))
		fail_msg("%s", e.text);
	return c;
}

static void await_end(struct child *c)
{
	struct pollfd p = {.fd = child_wake_fd(c), .events = POLLIN};

	while (!child_ended(c)) {
		assert_true(poll(&p, 1, 20000) > 0);
		child_heard(c);
	}
}

static void ends_with(struct child *c, const char *status)
{
	struct sbuf text = {0};

	await_end(c);
	child_status(c, &text);
	if (!strstr(sbuf_text(&text), status))
		fail_msg("it ended with %s, not %s", sbuf_text(&text), status);
	sbuf_free(&text);
}

static void gives(struct child *c, const char *what)
{
	char bytes[256];
	size_t len = 0;
	ssize_t n;
	int fd = child_take_trace(c);

	assert_true(fd >= 0);
	assert_int_equal(child_take_trace(c), -1);
	while ((n = read(fd, bytes + len, sizeof(bytes) - 1 - len)) > 0)
		len += (size_t)n;
	bytes[len] = '\0';
	assert_string_equal(bytes, what);
	close(fd);
}

static char sh[] = "sh", dash_c[] = "-c";

TEST(test_runs)
{
	char line[] = "echo trace; echo said >&2; read x && echo input; exit 3";
	char *words[] = {sh, dash_c, line, NULL};
	struct child *c = start(words, 0, false);

	assert_string_equal(child_name(c), "sh");
	gives(c, "trace\n");
	ends_with(c, "status 3");
	assert_true(child_failed(c));
	child_free(c);
}

TEST(test_other_descriptor)
{
	char line[] = "echo said; echo trace >&7";
	char *words[] = {sh, dash_c, line, NULL};
	struct child *c = start(words, 7, false);

	gives(c, "trace\n");
	ends_with(c, "status 0");
	assert_false(child_failed(c));
	child_free(c);
}

/* The pipe has no end while the program lives, and is gone with it. */
TEST(test_trace_file)
{
	char line[] = "echo one > \"$1\"; echo two > \"$1\"; echo \"$1\" >&2";
	char zero[] = "x", name[] = "%t";
	char *words[] = {sh, dash_c, line, zero, name, NULL};
	struct pollfd p;
	struct sbuf said = {0};
	struct child *c = start(words, 0, true);

	gives(c, "one\ntwo\n");
	ends_with(c, "status 0");
	p = (struct pollfd){.fd = child_wake_fd(c), .events = POLLIN};
	while (!child_line(c, 0, &said)) {
		assert_true(poll(&p, 1, 20000) > 0);
		child_heard(c);
	}
	assert_int_equal(access(sbuf_text(&said), F_OK), 0);
	child_free(c);
	assert_int_equal(access(sbuf_text(&said), F_OK), -1);
	sbuf_free(&said);
}

static void is_refused(char *const *words, bool trace_file, enum status expected, const char *why)
{
	struct child_options o = {.argv = words, .trace_file = trace_file};
	struct error e = {STATUS_OK, ""};
	struct child *c;

	assert_int_equal(child_start(&c, &o, &e), expected);
	assert_null(c);
	if (!strstr(e.text, why))
		fail_msg("%s", e.text);
}

TEST(test_refused)
{
	char none[] = "/nowhere/simulator", folder[] = "/tmp";
	char *nowhere[] = {none, NULL}, *directory[] = {folder, NULL}, *plain[] = {sh, NULL};

	is_refused(nowhere, false, STATUS_INPUT, "/nowhere/simulator");
	is_refused(directory, false, STATUS_INPUT, "cannot run");
	is_refused(plain, true, STATUS_USAGE, "%t");
}

/* All of its group go, also who does not listen to SIGTERM. */
TEST(test_ended)
{
	char line[] = "trap '' TERM; echo $$; while :; do sleep 1000; done";
	char *words[] = {sh, dash_c, line, NULL};
	struct child *c = start(words, 0, false);
	char pid[32] = "";
	int fd = child_take_trace(c);

	assert_true(read(fd, pid, sizeof(pid) - 1) > 0);
	assert_int_equal(kill(atoi(pid), 0), 0);
	child_stop(c, true);
	child_end(c);
	ends_with(c, "signal 9");
	assert_int_equal(kill(atoi(pid), 0), -1);
	assert_int_equal(errno, ESRCH);
	/* nobody has the other end any more */
	assert_int_equal(read(fd, pid, sizeof(pid)), 0);
	close(fd);
	child_free(c);
}
