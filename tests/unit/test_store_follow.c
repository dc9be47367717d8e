/*
 * Live text in the store: a file that grows piece by piece gives in the end what it gives when it
 * is read whole, shows what has come meanwhile, and ends when it is cut.
 */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "pipeline/kind.h"
#include "pipeline/store.h"
#include "open_store.h"
#include "testing.h"

enum { CYCLES = 200, WIDTH = 4, LIFE = 6 };

static char dir[] = "/tmp/pipeglass-follow-dir-XXXXXX";
static char path[] = "/tmp/pipeglass-follow-XXXXXX";
static struct sbuf text;
static size_t cuts[CYCLES + 1]; /* where the text of cycle i begins */

/* WIDTH rows born a cycle; each is fetched, dispatched, executed and committed LIFE cycles on. */
static void make_text(void)
{
	static const char *const stages[] = {"DA", "EX", "WB", "CT"};

	sbuf_clear(&text);
	for (int t = 0; t < CYCLES; t++) {
		cuts[t] = text.len;
		sbuf_printf(&text, "@ %d\n", t);
		for (int k = 0; k < WIDTH; k++) {
			int id = t * WIDTH + k;

			sbuf_printf(&text, "+ %d 0x%x 0x0 add r%d,r2,r3\n", id, 0x1000 + id * 4, k);
			sbuf_printf(&text, "* %d IF 0x0\n", id);
			for (int s = 0; s < 4 && t > s; s++)
				sbuf_printf(&text, "* %d %s 0x0\n", id - (s + 1) * WIDTH,
					    stages[s]);
			if (t >= LIFE)
				sbuf_printf(&text, "- %d\n", id - LIFE * WIDTH);
		}
	}
	cuts[CYCLES] = text.len;
}

/* The same as a Kanata log, whose cycle lines count on from the one before. */
static void make_kanata(void)
{
	static const char *const stages[] = {"D", "X", "W", "C"};

	sbuf_clear(&text);
	sbuf_puts(&text, "Kanata\t0004\n");
	for (int t = 0; t < CYCLES; t++) {
		cuts[t] = text.len;
		sbuf_puts(&text, t ? "C\t1\n" : "C=\t0\n");
		for (int k = 0; k < WIDTH; k++) {
			int id = t * WIDTH + k;

			sbuf_printf(&text, "I\t%d\t%d\t0\n", id, id);
			sbuf_printf(&text, "S\t%d\t0\tF\n", id);
			for (int s = 0; s < 4 && t > s; s++)
				sbuf_printf(&text, "S\t%d\t0\t%s\n", id - (s + 1) * WIDTH,
					    stages[s]);
			if (t >= LIFE)
				sbuf_printf(&text, "R\t%d\t%d\t0\n", id - LIFE * WIDTH,
					    id - LIFE * WIDTH);
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
	struct trace_options o = {.no_cache = true, .follow = follow, .threads = 2};
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

	for (store_progress(s, &now); now.items < rows && !now.complete; store_progress(s, &now)) {
		if (poll(&p, 1, 20000) <= 0)
			fail_msg("%lu of %lu rows came", (unsigned long)now.items,
				 (unsigned long)rows);
		trace_heard(trace_of_store(s));
	}
	return now;
}

static void put_details(struct store *s, uint64_t rows, struct sbuf *out)
{
	struct detail d = {0};
	struct error e;

	assert_int_equal(store_detail(s, 0, rows, &d, &e), STATUS_OK);
	for (size_t i = 0; i < d.count; i++) {
		const struct detail_row *r = &d.rows[i];

		sbuf_printf(out, "%lu %lu", (unsigned long)r->id, (unsigned long)r->line);
		for (size_t k = 0; k < r->stays; k++)
			sbuf_printf(out, " %d:%ld-%ld", d.stays[r->stay0 + k].stage,
				    (long)d.stays[r->stay0 + k].start,
				    (long)d.stays[r->stay0 + k].end);
		sbuf_putc(out, '\n');
	}
	detail_free(&d);
}

static void put_curves(struct store *s, struct sbuf *out)
{
	static double v[CYCLES];
	const int stages = (int)store_stage_count(s);
	struct progress p;
	struct error e;

	store_progress(s, &p);
	for (int kind = 0; kind < SERIES_STATISTIC + stages; kind++) {
		struct series q = {.kind = (enum series_kind)kind, .stages = UINT64_MAX};

		if (kind >= SERIES_STATISTIC) {
			q.stages = UINT64_C(1) << (kind - SERIES_STATISTIC);
			q.kind = SERIES_OCCUPANCY;
		}
		assert_int_equal(store_series(s, &q, p.first, p.last + 1,
					      (size_t)(p.last + 1 - p.first), v, NULL, &e),
				 STATUS_OK);
		for (int64_t k = 0; k < p.last + 1 - p.first; k++)
			sbuf_printf(out, " %.9g", v[k]);
		sbuf_putc(out, '\n');
		/* so has each cycle by itself, whoever was shown before it ended */
		for (int64_t k = 0; k < p.last + 1 - p.first; k++) {
			double alone;

			assert_int_equal(
			    store_series(s, &q, p.first + k, p.first + k + 1, 1, &alone, NULL, &e),
			    STATUS_OK);
			if (fabs(alone - v[k]) > 1e-9)
				fail_msg("series %d, cycle %ld: %g alone, %g", kind,
					 (long)(p.first + k), alone, v[k]);
		}
	}
}

/* Whatever has become of a row so far, it is counted once. */
static void check_sum(struct store *s)
{
	uint64_t sum = 0;
	struct totals t;

	store_totals(s, &t);
	for (int fate = 0; fate < FATE_COUNT; fate++)
		sum += fate == FATE_UNKNOWN ? 0 : t.fates[fate];
	assert_int_equal(sum, t.instructions);
	assert_true(t.fates[FATE_IN_FLIGHT] > 0);
}

/* Everything there is to know, as bytes that can be compared. */
static void describe(struct store *s, struct sbuf *out)
{
	uint64_t rows = store_row_count(s);
	struct totals t;

	put_details(s, rows, out);
	put_curves(s, out);

	store_totals(s, &t);
	sbuf_printf(out, "%lu %lu %lu\n", (unsigned long)rows,
		    (unsigned long)t.fates[FATE_COMMITTED], (unsigned long)t.fates[FATE_IN_FLIGHT]);
	for (uint64_t i = 0; i < rows; i++) {
		struct row r;

		assert_true(store_row(s, i, &r));
		sbuf_printf(out, "%ld %ld %d %d\n", (long)r.start, (long)r.end, r.fate, r.dominant);
	}
}

TEST(test_grows)
{
	static const int steps[] = {3, 4, 50, 51, 52, 120, CYCLES - 1};
	struct sbuf live = {0}, whole = {0};
	struct error e = {STATUS_OK, ""};
	struct store *s, *t;
	struct progress p;

	write_file(0, cuts[2]);
	s = open_file(true);
	assert_true(store_is_live(s));
	for (size_t i = 0, at = 2; i < sizeof(steps) / sizeof(steps[0]); at = (size_t)steps[i++]) {
		write_file(cuts[at], cuts[steps[i]]);
		/* the newest cycle is whole only when the next one begins */
		p = await_rows(s, (uint64_t)(steps[i] - 1) * WIDTH);
		assert_false(p.complete);
		check_sum(s);
	}
	write_file(cuts[CYCLES - 1], text.len);
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
TEST(test_torn_line)
{
	struct error e = {STATUS_OK, ""};
	struct store *s;

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

TEST(test_cut)
{
	struct error e = {STATUS_OK, ""};
	struct progress p;
	struct store *s;

	write_file(0, cuts[20]);
	s = open_file(true);
	await_rows(s, 20 * WIDTH); /* of the cycle that is not over, too: then nothing is read */
	assert_int_equal(truncate(path, 10), 0);
	assert_int_equal(store_wait(s, &e), STATUS_INPUT);
	assert_non_null(strstr(e.text, "was cut"));
	store_progress(s, &p);
	assert_true(p.complete && p.failed == STATUS_INPUT);
	assert_true(p.items >= 19 * WIDTH);
	store_close(s);
}

/* Whoever leaves while it is quiet does not wait. */
TEST(test_left)
{
	struct store *s;

	write_file(0, cuts[20]);
	s = open_file(true);
	await_rows(s, 19 * WIDTH);
	store_close(s);
	write_file(0, text.len);
	s = open_file(true);
	store_close(s);
}

/* The end of a line of cycle i, so many behind its first one. */
static size_t line_of(int i, int lines)
{
	const char *at = text.text + cuts[i];

	while (lines--)
		at = strchr(at, '\n') + 1;
	return (size_t)(at - text.text);
}

/* The last line may belong to the one before: it is waited for what follows. */
static uint64_t births_before_last_line(size_t end, const char *birth)
{
	uint64_t count = 0;

	for (int lines = text.text[end - 1] == '\n'; lines < 2; lines += text.text[end - 1] == '\n')
		end--;
	for (const char *at = text.text; (at = strstr(at, birth)) && at < text.text + end - 1; at++)
		count++;
	return count;
}

static uint64_t lines_before(size_t to, const char *begin)
{
	uint64_t count = 0;

	for (const char *at = text.text; (at = strstr(at, begin)) && at < text.text + to - 1; at++)
		count++;
	return count;
}

/* Is the last one of that kind? */
static bool ends_with_line(size_t to, const char *begin)
{
	size_t at = to - 1; /* its newline */

	while (at > 0 && text.text[at - 1] != '\n')
		at--;
	return at > 0 && memcmp(text.text + at - 1, begin, strlen(begin)) == 0;
}

/* What the text told last is seen as well. */
static void await_commits(struct store *s, uint64_t commits)
{
	struct pollfd p = {.fd = store_wake_fd(s), .events = POLLIN};
	struct progress now;
	struct totals t;

	for (store_totals(s, &t); t.fates[FATE_COMMITTED] < commits; store_totals(s, &t)) {
		if (poll(&p, 1, 20000) <= 0)
			fail_msg("%lu of %lu commits came", (unsigned long)t.fates[FATE_COMMITTED],
				 (unsigned long)commits);
		trace_heard(trace_of_store(s));
		store_progress(s, &now);
	}
}

/*
 * What is written of a cycle is seen although no other one begins, wherever it stops; and in the
 * end everything is as if it had come at once.
 */
static void fall_silent(const char *birth, const char *end)
{
	/* cycle, whole lines of it, bytes of the next one */
	static const int steps[][3] = {{0, 3, 0},    {0, 9, 0},    {30, 1, 0},   {30, 9, 3},
				       {30, 10, 0},  {60, 28, 5},  {61, 0, 0},   {61, 3, 0},
				       {99, 2, 0},   {150, 11, 2}, {150, 15, 0}, {151, 28, 0},
				       {151, 29, 0}, {152, 29, 0}, {154, 29, 3}, {155, 8, 0},
				       {156, 1, 0},  {157, 29, 1}};
	struct sbuf live = {0}, whole = {0};
	struct error e = {STATUS_OK, ""};
	struct store *s = NULL, *t;
	struct progress p;
	size_t at = 0;

	write_file(0, 0);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		size_t whole_lines = line_of(steps[i][0], steps[i][1]);
		size_t to = whole_lines + (size_t)steps[i][2];

		write_file(at, to);
		at = to;
		if (i == 0)
			s = open_file(true);
		p = await_rows(s, births_before_last_line(to, birth));
		if (ends_with_line(whole_lines, end))
			await_commits(s, lines_before(whole_lines, end));
		check_sum(s);
		if (steps[i][1] > 2) /* else there is too little of the cycle */
			assert_int_equal(p.last, steps[i][0]);
	}
	write_file(at, text.len);
	assert_int_equal(store_follow(s, false, &e), STATUS_OK);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
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

TEST(test_silent)
{
	fall_silent("\n+ ", "\n- ");
}

TEST(test_silent_kanata)
{
	make_kanata();
	fall_silent("\nI\t", "\nR\t");
	make_text();
}

/* Rows in stages in each quarter, out of sums: there is too much text to read it for a curve. */
static void put_quarters(struct store *s, struct sbuf *out)
{
	struct series q;
	struct progress now;
	struct error e;
	double values[4];
	bool exact = false;

	store_progress(s, &now);
	assert_true(series_parse(s, "occupancy", NULL, &q));
	assert_int_equal(store_series(s, &q, now.first, now.last + 1, 4, values, &exact, &e),
			 STATUS_OK);
	for (int i = 0; i < 4; i++)
		sbuf_printf(out, "%.6f ", values[i]);
}

/* The text with so much between its cycles, and with another line for the one at `half`. */
static size_t stretch_text(const char *jump)
{
	struct sbuf more = {0};
	size_t half = 0;

	for (int t = 0; t < CYCLES; t++) {
		const char *cycle = text.text + cuts[t], *rest = strchr(cycle, '\n') + 1;

		if (t == CYCLES / 2) {
			half = more.len;
			sbuf_puts(&more, jump);
		} else {
			sbuf_add(&more, cycle, (size_t)(rest - cycle));
		}
		sbuf_printf(&more, "# %0*d\n", 8000, t);
		sbuf_add(&more, rest, (size_t)(text.text + cuts[t + 1] - rest));
	}
	sbuf_free(&text);
	text = more;
	assert_false(text.failed);
	return half;
}

/* Silent between two cycles that are far apart: who is in a stage is so in the time between. */
static void silent_before_a_jump(const char *jump, const char *end)
{
	const size_t half = stretch_text(jump);
	struct sbuf live = {0}, whole = {0};
	struct error e = {STATUS_OK, ""};
	struct store *s;

	write_file(0, half);
	s = open_file(true);
	await_commits(s, lines_before(half, end));
	write_file(half, text.len);
	assert_int_equal(store_follow(s, false, &e), STATUS_OK);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	put_quarters(s, &live);
	store_close(s);
	s = open_file(false);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	put_quarters(s, &whole);
	store_close(s);
	assert_string_equal(live.text, whole.text);
	sbuf_free(&live);
	sbuf_free(&whole);
}

TEST(test_jump)
{
	make_text();
	/* the cycles behind it are before it: it goes on from where it has got to */
	for (char *at = text.text + cuts[CYCLES / 2 + 1] - 1; (at = strstr(at, "\n@ "));)
		*(at += 3) = '9';
	silent_before_a_jump("@ 900\n", "\n- ");
}

TEST(test_jump_kanata)
{
	make_kanata();
	silent_before_a_jump("C\t700\n", "\nR\t");
	make_text();
}

/* A simulator that never pauses long enough to be called silent. */
struct writer {
	atomic_int cycle;
	atomic_bool seen; /* then the rest comes at once */
};

static void *write_steadily(void *arg)
{
	const struct timespec pause = {0, 10 * 1000000};
	struct writer *w = arg;

	for (; w->cycle < CYCLES && !atomic_load(&w->seen); w->cycle++) {
		write_file(cuts[w->cycle], cuts[w->cycle + 1]);
		nanosleep(&pause, NULL);
	}
	if (w->cycle < CYCLES)
		write_file(cuts[w->cycle], text.len);
	return NULL;
}

/* Behind a row that does not end the others are seen while text still comes. */
TEST(test_steady)
{
	struct writer w = {.cycle = 20};
	struct sbuf live = {0}, whole = {0};
	struct error e = {STATUS_OK, ""};
	char *end = strstr(text.text, "- 1\n");
	struct store *s;
	pthread_t thread;

	assert_non_null(end);
	memcpy(end, "- 0\n", 4); /* a second removal of row 0: row 1 stays */
	write_file(0, cuts[20]);
	s = open_file(true);
	assert_int_equal(pthread_create(&thread, NULL, write_steadily, &w), 0);
	assert_false(await_rows(s, 20 * WIDTH).complete);
	assert_true(w.cycle < CYCLES);
	atomic_store(&w.seen, true);
	pthread_join(thread, NULL);
	assert_int_equal(store_follow(s, false, &e), STATUS_OK);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	describe(s, &live);
	store_close(s);
	s = open_file(false);
	assert_int_equal(store_wait(s, &e), STATUS_OK);
	describe(s, &whole);
	store_close(s);
	memcpy(end, "- 1\n", 4);
	assert_string_equal(live.text, whole.text);
	sbuf_free(&live);
	sbuf_free(&whole);
}

/* Turned on while it is being read, as the app does; when that was too late it changes nothing. */
TEST(test_turned_on)
{
	struct error e = {STATUS_OK, ""};
	struct store *s;

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
TEST(test_cache)
{
	struct trace_options o = {.cache_dir = dir, .threads = 1, .follow = true};
	struct error e = {STATUS_OK, ""};
	struct progress p;
	struct store *s;

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

TEST(test_descriptor)
{
	struct trace_options o = {.no_cache = true, .threads = 1};
	struct error e = {STATUS_OK, ""};
	struct store *s;
	int ends[2];

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

FIXTURES(setup, teardown)
