/*
 * src/store, live text of whole rows: what a slow simulator has printed is seen although no younger
 * row comes, the last of it too. In the end all is as if the text had been a file from the
 * beginning, but for rows that come late after that: they stand where they came, and are warnings.
 */
#include "config.h"

#include <poll.h>

#include "store_truth.h"
#include "testing.h"

enum { ROWS = 900, CYCLE = 500 };

/* Rows in the order of their records, which is not that of their fetch unless spread is 1. */
static size_t text_of(struct sbuf *out, size_t cuts[ROWS + 1], int64_t spread)
{
	uint64_t dice = 88172645463325252u;
	int64_t now = 0;

	for (uint64_t i = 0; i < ROWS; i++) {
		int64_t fetch, retire;

		dice ^= dice << 13;
		dice ^= dice >> 7;
		dice ^= dice << 17;
		now += spread > 1 && dice % 3 ? 0
				: CYCLE * (int64_t)(1 + (dice >> 8) % 3 * (i % 100 == 50 ? 90 : 1));
		fetch = 100000 + now - (int64_t)(dice >> 16) % spread * CYCLE;
		retire = dice >> 24 & 1 ? fetch + CYCLE * (int64_t)(6 + (dice >> 32) % 200) : 0;
		cuts[i] = out->len;
		sbuf_printf(out,
			    "O3PipeView:fetch:%" PRId64 ":0x%08" PRIx64 ":0:%" PRIu64 ":  op r%d\n"
			    "O3PipeView:decode:%" PRId64 "\nO3PipeView:rename:0\n"
			    "O3PipeView:dispatch:0\nO3PipeView:issue:%" PRId64 "\n"
			    "O3PipeView:complete:0\nO3PipeView:retire:%" PRId64 ":store:0\n",
			    fetch, 0x1000 + i % 64 * 4, i + 1, (int)(i % 64), fetch + CYCLE,
			    fetch + 3 * CYCLE, retire);
	}
	cuts[ROWS] = out->len;
	return out->len;
}

/* Until so many rows are to be seen. */
static void await_rows(struct store *s, uint64_t rows)
{
	struct pollfd p = {.fd = store_wake_fd(s), .events = POLLIN};
	struct progress now;

	for (store_progress(s, &now); now.items != rows; store_progress(s, &now)) {
		assert_false(now.complete);
		if (poll(&p, 1, 20000) <= 0)
			fail_msg("%" PRIu64 " of %" PRIu64 " rows came", now.items, rows);
		trace_heard(trace_of_store(s));
	}
}

static void put(int fd, const struct sbuf *text, size_t from, size_t to)
{
	assert_int_equal(write(fd, text->text + from, to - from), (ssize_t)(to - from));
}

static void put_curves(struct store *s, const struct truth *t, struct sbuf *out)
{
	double v[10];
	struct error e;
	int64_t bins = (t->end - t->first) / 10;

	for (int kind = 0; kind < SERIES_STATISTIC; kind++) {
		struct series q = {(enum series_kind)kind, 1 | 1 << 4, 0};

		assert_int_equal(
		    store_series(s, &q, t->first, t->first + bins * 10, 10, v, NULL, &e),
		    STATUS_OK);
		for (int k = 0; k < 10; k++)
			sbuf_printf(out, "%d %.9g\n", kind, v[k]);
	}
}

static void put_quiet(struct store *s, const struct truth *t, struct sbuf *out)
{
	int64_t from = t->first - 1, to;

	while (store_find_gap(s, 20 * CYCLE, from, 1, &from, &to))
		sbuf_printf(out, "quiet %" PRId64 " %" PRId64 "\n", from, to);
}

/* All there is to know, as text. */
static void describe(struct store *s, struct sbuf *out)
{
	struct totals totals;
	struct truth t;

	store_totals(s, &totals);
	truth_load(&t, s);
	sbuf_printf(out, "%" PRId64 " %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRId64 "\n", t.first,
		    t.end, totals.instructions, totals.fates[FATE_COMMITTED],
		    store_ticks_per_cycle(s));
	for (int k = 0; k < 8; k++)
		sbuf_printf(out, "%d %" PRIu64 " %" PRId64 "\n", k, totals.stage_entries[k],
			    totals.stage_ticks[k]);
	for (size_t i = 0; i < t.d.count; i++) {
		const struct detail_row *r = &t.d.rows[i];

		sbuf_printf(out, "%zu %" PRIu64 " %" PRId64 "-%" PRId64 " %d %" PRIu64 "\n", i,
			    r->id, r->head.start, r->head.end, r->head.fate,
			    store_find_id(s, r->id, 0));
		for (size_t k = 0; k < r->stays; k++)
			sbuf_printf(out, " %d:%" PRId64, t.d.stays[r->stay0 + k].stage,
				    t.d.stays[r->stay0 + k].start);
	}
	put_curves(s, &t, out);
	put_quiet(s, &t, out);
	truth_free(&t);
}

static void like_the_file(struct store *live, const struct sbuf *text)
{
	char path[40] = "/tmp/pipeglass-live-XXXXXX";
	struct sbuf got = {0}, want = {0};
	struct error e;
	struct store *file;

	assert_int_equal(store_wait(live, &e), STATUS_OK);
	truth_write(path, text->text, text->len);
	file = truth_open(path, 1);
	describe(live, &got);
	describe(file, &want);
	assert_non_null(strstr(sbuf_text(&want), "quiet"));
	assert_string_equal(sbuf_text(&got), sbuf_text(&want));
	store_close(file);
	sbuf_free(&got);
	sbuf_free(&want);
	unlink(path);
}

/* The row of the file by the live one's number. */
static const struct detail_row *row_of(const struct truth *file, struct store *s, uint64_t id)
{
	uint64_t row = store_find_id(s, id, 0);

	assert_true(row < file->d.count);
	assert_int_equal(file->d.rows[row].id, id);
	return &file->d.rows[row];
}

/* None is lost, each tells its own stays, and those that start elsewhere are warned about. */
static void but_for_late_rows(struct store *live, const struct sbuf *text)
{
	char path[40] = "/tmp/pipeglass-live-XXXXXX";
	uint64_t moved = 0, warnings;
	struct truth got, want;
	struct warning w;
	struct error e;
	struct store *file;

	assert_int_equal(store_wait(live, &e), STATUS_OK);
	truth_write(path, text->text, text->len);
	file = truth_open(path, 1);
	truth_load(&got, live);
	truth_load(&want, file);
	assert_int_equal(got.d.count, ROWS);
	for (size_t i = 0; i < ROWS; i++) {
		const struct detail_row *r = &got.d.rows[i];
		const struct detail_row *f = row_of(&want, file, r->id);

		assert_true(i == 0 || r->head.start >= r[-1].head.start);
		assert_true(r->head.start >= f->head.start);
		assert_int_equal(r->head.fate, f->head.fate);
		assert_int_equal(r->stays, f->stays);
		for (size_t k = 0; k < r->stays; k++)
			assert_int_equal(got.d.stays[r->stay0 + k].start,
					 want.d.stays[f->stay0 + k].start);
		moved += r->head.start != f->head.start;
		if (r->head.start == f->head.start)
			assert_int_equal(r->head.end, f->head.end);
	}
	assert_in_range(moved, 1, ROWS / 2);
	warnings = store_warning_count(live);
	assert_in_range(warnings, moved, ROWS / 2);
	assert_true(store_warning(live, 0, &w));
	assert_non_null(strstr(w.text, "too late"));
	assert_memory_equal(text->text + w.offset, "O3PipeView:fetch:", 17);
	for (size_t at = 0; at < w.offset; at++)
		w.line -= text->text[at] == '\n';
	assert_int_equal(w.line, 1);
	truth_free(&got);
	truth_free(&want);
	store_close(file);
	unlink(path);
}

/* Step by step; each step's rows are seen before the next is written. */
static void pipe_by_steps(int threads, int64_t spread)
{
	static const size_t steps[] = {1, 40, ROWS};
	struct trace_options o = {.no_cache = true, .threads = threads, .background = true};
	size_t cuts[ROWS + 1], at = 0;
	struct sbuf text = {0};
	struct store *s;
	struct error e;
	int ends[2];

	text_of(&text, cuts, spread);
	assert_int_equal(pipe(ends), 0);
	put(ends[1], &text, 0, cuts[1]);
	assert_int_equal(store_open_fd(&s, ends[0], "pipe", &o, &e), STATUS_OK);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); at = cuts[steps[i++]]) {
		if (i)
			put(ends[1], &text, at, cuts[steps[i]]);
		await_rows(s, steps[i]);
		assert_true(store_is_live(s));
	}
	close(ends[1]);
	if (spread == 1)
		like_the_file(s, &text);
	else
		but_for_late_rows(s, &text);
	store_close(s);
	sbuf_free(&text);
}

TEST(one_reader)
{
	pipe_by_steps(1, 1);
}

TEST(many_readers)
{
	pipe_by_steps(3, 1);
}

TEST(late_rows)
{
	pipe_by_steps(2, 40);
}

/* Where nobody waits for the first rows, all wait for the last. */
TEST(sorted_for_nobody)
{
	struct trace_options o = {.no_cache = true, .threads = 2};
	size_t cuts[ROWS + 1];
	struct sbuf text = {0};
	struct store *s;
	struct error e;
	int ends[2];

	text_of(&text, cuts, 400);
	assert_int_equal(pipe(ends), 0);
	put(ends[1], &text, 0, cuts[40]);
	assert_int_equal(store_open_fd(&s, ends[0], "pipe", &o, &e), STATUS_OK);
	put(ends[1], &text, cuts[40], text.len);
	close(ends[1]);
	like_the_file(s, &text);
	store_close(s);
	sbuf_free(&text);
}

/* A record in two parts, cut in the middle of a line: seen when it is whole. */
TEST(growing_file)
{
	char path[40] = "/tmp/pipeglass-live-XXXXXX";
	struct trace_options o = {
	    .no_cache = true, .threads = 2, .follow = true, .background = true};
	size_t cuts[ROWS + 1];
	struct sbuf text = {0};
	struct store *s;
	struct error e;
	int fd;

	text_of(&text, cuts, 1);
	truth_write(path, text.text, cuts[5] + 100);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	assert_int_equal(store_open(&s, path, &o, &e), STATUS_OK);
	await_rows(s, 5);
	put(fd, &text, cuts[5] + 100, cuts[7] - 1);
	await_rows(s, 6);
	put(fd, &text, cuts[7] - 1, text.len);
	await_rows(s, ROWS);
	assert_int_equal(store_follow(s, false, &e), STATUS_OK);
	like_the_file(s, &text);
	store_close(s);
	close(fd);
	unlink(path);
	sbuf_free(&text);
}

/* Whoever leaves while rows wait to be shown does not wait for that. */
TEST(left)
{
	struct trace_options o = {.no_cache = true, .threads = 1, .background = true};
	size_t cuts[ROWS + 1];
	struct sbuf text = {0};
	struct store *s;
	struct error e;
	int ends[2];

	text_of(&text, cuts, 40);
	assert_int_equal(pipe(ends), 0);
	put(ends[1], &text, 0, cuts[100]);
	assert_int_equal(store_open_fd(&s, ends[0], "pipe", &o, &e), STATUS_OK);
	store_close(s);
	close(ends[1]);
	sbuf_free(&text);
}
