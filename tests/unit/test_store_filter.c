/*
 * Filters over text that is still written: rows were in flight, or without their text, when they
 * were judged. In the end each filter holds what one that is made then holds.
 */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "pipeline/kind.h"
#include "pipeline/store.h"
#include "open_store.h"
#include "testing.h"

enum { ROWS = 9000, LIFE = 8, LONG_LIFE = 5000, LATE = 350, STEPS = 6, FILTERS = 4 };

static char path[] = "/tmp/pipeglass-filter-XXXXXX";
static struct sbuf text;
static size_t cuts[STEPS + 1];

static const struct {
	const char *text;
	bool invert;
	unsigned fates;
} specs[FILTERS] = {
    {NULL, false, ~(1u << FATE_SQUASHED) & ((1u << FATE_COUNT) - 1)},
    {"needle", false, 0},
    {"needle", true, 0},
    {"hay|^$", false, 1u << FATE_COMMITTED},
};

static void put_end(int id)
{
	sbuf_printf(&text, "R\t%d\t%d\t%d\n", id, id, id % 11 == 0);
}

/* Its text is told in two parts, the second one when it has ended, in no order. */
static void put_text(int id, int part, int padding)
{
	if (part)
		sbuf_printf(&text, "L\t%d\t0\t%s %d\n", id, id % 17 ? "hay" : "needle", id);
	else
		sbuf_printf(&text, "L\t%d\t0\t%x: %0*d \n", id, 4096 + 4 * (id % 64), padding, id);
}

/* Every 97th row lives long; padding makes texts that the index has no room for. */
static void make_text(int rows, int padding)
{
	sbuf_clear(&text);
	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (int i = 0; i < rows; i++) {
		if (i % (rows / STEPS) == 0)
			cuts[i / (rows / STEPS)] = text.len;
		sbuf_printf(&text, "I\t%d\t%d\t0\nS\t%d\t0\tF\n", i, i, i);
		if (padding)
			put_text(i, 0, padding);
		sbuf_puts(&text, "C\t1\n");
		if (i >= LIFE && (i - LIFE) % 97)
			put_end(i - LIFE);
		if (i >= LONG_LIFE && (i - LONG_LIFE) % 97 == 0)
			put_end(i - LONG_LIFE);
		for (int late = i; (i + 1) % LATE == 0 && late > i - LATE; late--)
			put_text(late, 1, padding);
	}
	cuts[STEPS] = text.len;
}

static void append(size_t from, size_t to)
{
	int fd = open(path, O_WRONLY | (from ? O_APPEND : O_TRUNC));

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.text + from, to - from), (ssize_t)(to - from));
	close(fd);
}

static void extend(struct filter **filters)
{
	for (int i = 0; i < FILTERS; i++)
		if (filters[i])
			assert_int_equal(filter_extend(filters[i], NULL, NULL), STATUS_OK);
}

/* Until there are so many; the filters are extended whenever some came. */
static void await_rows(struct store *s, uint64_t rows, struct filter **filters)
{
	struct pollfd p = {.fd = store_wake_fd(s), .events = POLLIN};
	struct progress now;

	for (store_progress(s, &now); now.items < rows; store_progress(s, &now)) {
		if (poll(&p, 1, 20000) <= 0)
			fail_msg("%lu of %lu rows came", (unsigned long)now.items,
				 (unsigned long)rows);
		trace_heard(trace_of_store(s));
		extend(filters);
	}
}

static struct filter *new_filter(struct store *s, int i)
{
	struct filter_spec spec = {.invert = specs[i].invert, .fates = specs[i].fates};
	struct regex *regex = NULL;
	struct filter *f;

	if (specs[i].text)
		assert_int_equal(regex_new(&regex, specs[i].text, NULL), STATUS_OK);
	spec.text = regex;
	assert_int_equal(filter_new(&f, s, &spec, NULL, NULL), STATUS_OK);
	regex_free(regex);
	return f;
}

static void check(const struct filter *f, const struct filter *fresh, uint64_t rows)
{
	assert_int_equal(filter_total(f), rows);
	assert_int_equal(filter_count(f), filter_count(fresh));
	for (uint64_t row = 0; row < rows; row++) {
		assert_int_equal(filter_has(f, row), filter_has(fresh, row));
		assert_int_equal(filter_rank(f, row), filter_rank(fresh, row));
	}
	for (uint64_t k = 0; k <= filter_count(f); k++)
		assert_int_equal(filter_row(f, k), filter_row(fresh, k));
}

/* Filters that are extended while the text is written, the rows in flight among the others. */
static void write_and_filter(int rows)
{
	struct trace_options o = {.no_cache = true, .follow = true, .threads = 2};
	struct filter *filters[FILTERS] = {NULL}, *fresh;
	struct store *s;

	append(0, cuts[1]);
	assert_int_equal(store_open(&s, path, &o, NULL), STATUS_OK);
	await_rows(s, (uint64_t)(rows / STEPS), filters);
	for (int i = 0; i < FILTERS; i++)
		filters[i] = new_filter(s, i);
	for (int step = 1; step < STEPS; step++) {
		append(cuts[step], cuts[step + 1]);
		await_rows(s, (uint64_t)(rows / STEPS * (step + 1)), filters);
	}
	store_follow(s, false, NULL);
	assert_int_equal(store_wait(s, NULL), STATUS_OK);
	extend(filters);
	for (int i = 0; i < FILTERS; i++) {
		assert_true(filter_turned(filters[i]) > 0);
		fresh = new_filter(s, i);
		assert_int_equal(filter_turned(fresh), 0);
		check(filters[i], fresh, (uint64_t)rows);
		filter_free(fresh);
		filter_free(filters[i]);
	}
	store_close(s);
}

TEST(late_ends_and_texts)
{
	make_text(ROWS, 0);
	write_and_filter(ROWS);
}

/* Texts are read again for each row then, and some of them before all of them is there. */
TEST(late_texts_that_are_not_kept)
{
	make_text(2 * ROWS, 900);
	assert_true(text.len > 16 << 20);
	write_and_filter(2 * ROWS);
}

static int setup(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
	(void)state;
	sbuf_free(&text);
	return unlink(path);
}

FIXTURES(setup, teardown)
