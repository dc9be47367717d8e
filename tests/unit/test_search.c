/*
 * pipeline/queries/search.h: every hit, forwards and backwards, against a scan line by line, on
 * text with lines across the parts' borders, long ones, NUL and broken UTF-8; and the rows that
 * lines speak of, in both shapes of formats.
 */
#include "config.h"

#include <time.h>

#include "store_truth.h"

#include "pipeline/queries/search.h"
#include "testing.h"

enum { WAIT = 60000 };

static uint64_t seed = 7;

static uint64_t dice(uint64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return n ? seed % n : 0;
}

struct opened {
	char path[40];
	struct sbuf text;
	struct store *s;
};

static void open_text(struct opened *o)
{
	strcpy(o->path, "/tmp/pipeglass-find-XXXXXX");
	truth_write(o->path, sbuf_text(&o->text), o->text.len);
	o->s = truth_open(o->path, 2);
}

static void close_text(struct opened *o)
{
	store_close(o->s);
	unlink(o->path);
	sbuf_free(&o->text);
}

/* ---- hits -------------------------------------------------------------------------------- */

/* Kanata that is not to be taken seriously: any lines after the header. */
static void put_noise(struct sbuf *t, size_t bytes, unsigned longest)
{
	static const char usual[] = "aabcxyz0019 \tIL:";

	sbuf_puts(t, "Kanata\t0004\nC=\t0\nI\t0\t0\t0\n");
	while (t->len < bytes) {
		size_t len = dice(longest);

		if (dice(20000) == 0)
			len = dice(3) ? SEARCH_LINE - 3 + dice(8) : 200000;
		for (size_t i = 0; i < len; i++)
			sbuf_putc(t, dice(50) ? usual[dice(sizeof(usual) - 1)] : (char)dice(256));
		/* in some stretches without: there many lines are looked through at once */
		sbuf_puts(t, t->len >> 16 & 1 || dice(30) ? "\n" : "\r\n");
	}
	if (dice(2)) /* the last line without its end */
		sbuf_puts(t, "zzz xyz abc");
}

/* The same, the slow way. */
static size_t naive_hits(const struct sbuf *t, const struct regex *r, uint64_t **out)
{
	const char *end = t->text + t->len, *nl;
	VEC(uint64_t) hits = {0};

	for (const char *p = t->text; p < end; p = nl + 1) {
		size_t len;

		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		len = (size_t)(nl - p);
		if (len && p[len - 1] == '\r')
			len--;
		if (regex_match(r, p, len < SEARCH_LINE ? len : SEARCH_LINE, NULL, NULL))
			assert_true(vec_push(&hits, (uint64_t)(p - t->text)));
	}
	*out = hits.data;
	return hits.count;
}

static void walk(struct search *f, const uint64_t *hits, size_t n, int dir, size_t from,
		 size_t count)
{
	const atomic_bool stop = false;
	uint64_t off = dir > 0    ? from ? hits[from - 1] : SEARCH_EDGE
		       : from < n ? hits[from]
				  : SEARCH_EDGE,
		 found;
	struct error e;

	for (size_t k = 0; k < count; k++) {
		bool more = dir > 0 ? from + k < n : k < from;
		enum search_answer answer = search_next(f, off, dir, WAIT, &stop, &found, &e);

		assert_int_equal(answer, more ? SEARCH_FOUND : SEARCH_MISSING);
		if (!more)
			break;
		off = dir > 0 ? hits[from + k] : hits[from - 1 - k];
		assert_int_equal(found, off);
	}
}

static void check_pattern(struct opened *o, const char *pattern)
{
	struct search_state state;
	struct search *f;
	struct regex *r;
	uint64_t *hits, at;
	size_t n;
	struct error e;

	assert_int_equal(regex_new(&r, pattern, &e), STATUS_OK);
	n = naive_hits(&o->text, r, &hits);
	at = dice(o->text.len);
	assert_int_equal(search_new(&f, o->s, r, at, &e), STATUS_OK);
	walk(f, hits, n, 1, 0, dice(2) ? 200 : 3);
	walk(f, hits, n, -1, n, 200);
	for (int i = 0; i < ROUNDS(20) && n; i++) {
		size_t k = (size_t)dice(n);

		walk(f, hits, n, 1, k, 5);
		walk(f, hits, n, -1, k, 5);
	}
	walk(f, hits, n, 1, n > 100 ? n - 100 : 0, 200); /* to the end */
	walk(f, hits, n, -1, n < 100 ? n : 100, 200);
	search_settle(f, WAIT, NULL);
	search_state(f, &state);
	assert_true(state.whole);
	assert_int_equal(state.hits, n);
	assert_int_equal(state.done, o->text.len);
	for (int i = 0; i < 20 && n; i++) {
		size_t k = (size_t)dice(n);

		assert_int_equal(search_rank(f, hits[k]), k + 1);
		assert_int_equal(search_rank(f, hits[k] + 1),
				 0 + (k + 1 < n && hits[k + 1] == hits[k] + 1 ? k + 2 : 0));
	}
	search_free(f);
	regex_free(r);
	free(hits);
}

TEST(hits_are_those_of_a_naive_scan)
{
	static const char *const patterns[] = {"xyz0",
					       "nosuchtext",
					       "zzz|yyy0|bcx1",
					       "[xyz]{5}",
					       "^x",
					       "x\\s$",
					       "x*",
					       "\\bab\\b",
					       "a.*b.*c0",
					       "\\x00",
					       "[\\x80-\\xff]{2}",
					       "^$",
					       "(?s)a.b0",
					       "[^a]{40}",
					       "\\Axy",
					       "Kanata",
					       "z$",
					       "a(?=bcx)",
					       "([abcx]+)+01", /* too slow for many lines */
					       "^(?!.*a)"};

	for (size_t i = 0; i < 2; i++) {
		struct opened o = {.s = NULL};

		put_noise(&o.text, SEARCH_PART + (i ? 70000 : SEARCH_PART / 4), i ? 7 : 90);
		open_text(&o);
		for (size_t k = 0; k < sizeof(patterns) / sizeof(patterns[0]); k += 1 + i * 3)
			check_pattern(&o, patterns[k]);
		close_text(&o);
	}
}

/* More hits than are kept: their parts are read again. */
TEST(many_hits)
{
	struct opened o = {.s = NULL};

	put_noise(&o.text, SEARCH_PART * 5 / 4, 5);
	open_text(&o);
	check_pattern(&o, "x*");
	close_text(&o);
}

/* One line in several parts. */
TEST(a_line_of_parts)
{
	struct opened o = {.s = NULL};

	sbuf_puts(&o.text, "Kanata\t0004\nC=\t0\nI\t0\t0\t0\nL\t0\t0\tneedle");
	sbuf_repeat(&o.text, 'q', SEARCH_PART * 2 + 1000);
	sbuf_puts(&o.text, " needle\nL\t0\t0\tq needle\n");
	open_text(&o);
	check_pattern(&o, "needle");
	check_pattern(&o, "q");
	check_pattern(&o, "q(?= needle)");
	check_pattern(&o, "$");
	close_text(&o);
}

/* A line feed right before, at and behind a part's border. */
TEST(lines_at_borders)
{
	for (int d = -1; d <= 1; d++) {
		struct opened o = {.s = NULL};

		sbuf_puts(&o.text, "Kanata\t0004\nC=\t0\nI\t0\t0\t0\n");
		while (o.text.len + 400 < SEARCH_PART) {
			sbuf_puts(&o.text, "L\t0\t0\t");
			sbuf_repeat(&o.text, 'w', 300);
			sbuf_puts(&o.text, "some text needle\n");
		}
		while (o.text.len < (size_t)(SEARCH_PART + d - 1))
			sbuf_putc(&o.text, 'q');
		sbuf_puts(&o.text, "\nL\t0\t0\tneedle\nL\t0\t0\tand needle");
		open_text(&o);
		check_pattern(&o, "needle");
		check_pattern(&o, "^l.*needle$");
		check_pattern(&o, "q");
		close_text(&o);
	}
}

TEST(stopping_and_waiting)
{
	struct opened o = {.s = NULL};
	atomic_bool stop = true;
	struct search *f;
	struct regex *r;
	enum search_answer answer;
	uint64_t found;
	struct error e;

	put_noise(&o.text, SEARCH_PART * 3 / 2, 60);
	open_text(&o);
	assert_int_equal(regex_new(&r, "(a|b|c|x|y|z| )*0nosuch", &e), STATUS_OK);
	assert_int_equal(search_new(&f, o.s, r, 0, &e), STATUS_OK);
	assert_int_equal(search_next(f, 0, 1, WAIT, &stop, &found, &e), SEARCH_STOPPED);
	stop = false;
	answer = search_next(f, 0, 1, 0, &stop, &found, &e);
	assert_true(answer == SEARCH_WAIT || answer == SEARCH_MISSING); /* whoever was quicker */
	search_free(f);                                                 /* under way */
	assert_int_equal(search_new(&f, o.s, r, 0, &e), STATUS_OK);
	assert_int_equal(search_next(f, 0, 1, WAIT, &stop, &found, &e), SEARCH_MISSING);
	search_extend(f); /* by nothing */
	assert_int_equal(search_next(f, SEARCH_EDGE, -1, WAIT, &stop, &found, &e), SEARCH_MISSING);
	search_free(f);
	regex_free(r);
	close_text(&o);
}

/* ---- text that grows --------------------------------------------------------------------- */

static void append_rows(const char *path, int from, int to)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	for (int i = from; i < to; i++)
		fprintf(f, "I\t%d\t%d\t0\nL\t%d\t0\tneedle %d\nC\t1\nR\t%d\t%d\t0\nC\t9\n", i, i, i,
			i, i, i);
	assert_int_equal(fclose(f), 0);
}

static void wait_for_rows(struct store *s, uint64_t rows)
{
	const struct timespec moment = {0, 1000000};

	for (int i = 0; i < WAIT && store_row_count(s) < rows; i++)
		nanosleep(&moment, NULL);
	assert_true(store_row_count(s) >= rows);
}

/* Hits of what is published; the search follows when it is told to. */
TEST(it_grows_with_the_text)
{
	char path[] = "/tmp/pipeglass-find-XXXXXX";
	struct trace_options options = {.no_cache = true, .follow = true};
	const atomic_bool stop = false;
	struct search_state before, after;
	struct line_owner owner;
	struct search *f;
	struct regex *r;
	struct store *s;
	uint64_t found;
	struct error e;

	truth_write(path, "Kanata\t0004\nC=\t0\n", 17);
	append_rows(path, 0, 3000);
	assert_int_equal(store_open(&s, path, &options, &e), STATUS_OK);
	wait_for_rows(s, 2000);
	assert_int_equal(regex_new(&r, "needle", &e), STATUS_OK);
	assert_int_equal(search_new(&f, s, r, 0, &e), STATUS_OK);
	search_settle(f, WAIT, NULL);
	search_state(f, &before);
	assert_true(before.whole && before.hits >= 2000 && before.hits <= 3000);
	append_rows(path, 3000, 200000);
	wait_for_rows(s, 190000);
	for (int i = 0; i < 2; i++) { /* threads that have just ended may still be busy */
		search_extend(f);
		search_settle(f, WAIT, NULL);
	}
	search_state(f, &after);
	assert_true(after.whole && after.hits >= 190000 && after.hits <= 200000);
	assert_int_equal(search_next(f, SEARCH_EDGE, -1, WAIT, &stop, &found, &e), SEARCH_FOUND);
	assert_int_equal(search_rank(f, found), after.hits);
	assert_int_equal(store_line_owner(s, found, &owner, &e), STATUS_OK);
	assert_int_equal(owner.row, after.hits - 1);
	search_free(f);
	regex_free(r);
	store_close(s);
	unlink(path);
}

/* ---- owners ------------------------------------------------------------------------------ */

struct expected {
	uint64_t row;
	bool own;
};

static void check_owner(struct opened *o, struct search *f, const char *line, uint64_t number,
			struct expected want)
{
	uint64_t off = (uint64_t)(line - o->text.text);
	struct line_owner owner;
	struct error e;

	assert_int_equal(store_line_owner(o->s, off, &owner, &e), STATUS_OK);
	if (owner.row != want.row || owner.own != want.own)
		fail_msg("line %" PRIu64 " '%.*s': row %" PRIu64 " (%d), not %" PRIu64 " (%d)",
			 number, (int)strcspn(line, "\n"), line, owner.row, owner.own, want.row,
			 want.own);
	assert_int_equal(owner.line ? owner.line : search_line(f, off), number);
}

/* The row stands in each line behind an @; @! before it: only the next one born there. */
static void check_owners(struct opened *o)
{
	const char *end, *nl;
	struct search *f;
	struct regex *r;
	uint64_t number = 1;
	struct error e;

	open_text(o);
	assert_int_equal(regex_new(&r, "@", &e), STATUS_OK);
	assert_int_equal(search_new(&f, o->s, r, 0, &e), STATUS_OK);
	search_settle(f, WAIT, NULL);
	end = o->text.text + o->text.len;
	for (const char *p = o->text.text; p < end; p = nl + 1, number++) {
		const char *at;

		nl = memchr(p, '\n', (size_t)(end - p));
		at = memchr(p, '@', (size_t)(nl - p));
		if (at)
			check_owner(o, f, p, number,
				    (struct expected){strtoull(at + 1 + (at[1] == '!'), NULL, 10),
						      at[1] != '!'});
	}
	search_free(f);
	regex_free(r);
	close_text(o);
}

TEST(owners_in_kanata)
{
	enum { ROWS = 3000 };
	struct opened o = {.s = NULL};
	uint64_t open = 0;

	sbuf_puts(&o.text, "Kanata\t0004\nC=\t0\n# @!0\n");
	for (uint64_t row = 0; row < ROWS; row++) {
		sbuf_printf(&o.text, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", row + 100, row);
		for (uint64_t k = open; k <= row; k++) {
			sbuf_printf(&o.text, "L\t%" PRIu64 "\t%d\tlabel @%" PRIu64 "\n", k + 100,
				    (int)dice(2), k);
			if (dice(3) == 0)
				sbuf_printf(&o.text, "goes on @%" PRIu64 "\n", k);
			if (dice(3) == 0)
				sbuf_printf(&o.text, "S\t%" PRIu64 "\t0\tst%d\n", k + 100,
					    (int)dice(4));
		}
		for (; open < row && dice(3); open++)
			sbuf_printf(&o.text, "R\t%" PRIu64 "\t0\t0\n", open + 100);
		if (row + 1 < ROWS && dice(4) == 0)
			sbuf_printf(&o.text, "# a comment @!%" PRIu64 "\n", row + 1);
		sbuf_printf(&o.text, "C\t%d\n", (int)dice(3) + 1);
	}
	check_owners(&o);
}

/* What is looked at of a line is less than these have. */
TEST(owners_of_long_lines)
{
	enum { ROWS = 40, LONG = 70000 };
	struct opened o = {.s = NULL};

	sbuf_puts(&o.text, "Kanata\t0004\nC=\t0\n");
	for (uint64_t row = 0; row < ROWS; row++) {
		sbuf_printf(&o.text, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", row, row);
		sbuf_printf(&o.text, "L\t%" PRIu64 "\t1\tlabel @%" PRIu64 " ", row, row);
		sbuf_repeat(&o.text, 'y', row % 7 == 3 ? LONG : 7);
		sbuf_putc(&o.text, '\n');
		sbuf_printf(&o.text, "goes on @%" PRIu64 " ", row);
		sbuf_repeat(&o.text, 'z', row % 7 == 4 ? LONG : 7);
		sbuf_puts(&o.text, "\nC\t1\n");
	}
	check_owners(&o);
}

TEST(owners_in_o3)
{
	enum { ROWS = 1500 };
	static const char *const stages[] = {"decode", "rename", "dispatch", "issue", "complete"};
	struct opened o = {.s = NULL};

	for (uint64_t k = 0; k < ROWS; k++) {
		uint64_t row = k ^ 1,
			 tick = 1000 + row * 500; /* printed in pairs the wrong way round */

		sbuf_printf(&o.text,
			    "O3PipeView:fetch:%" PRIu64 ":0x%" PRIx64 ":0:%" PRIu64
			    ":  op @%" PRIu64 "\n",
			    tick, 0x1000 + row * 4, row + 1, row);
		for (int i = 0; i < 5; i++)
			sbuf_printf(&o.text, "O3PipeView:%s:%" PRIu64 "\n", stages[i], tick += 500);
		sbuf_printf(&o.text, "O3PipeView:retire:%" PRIu64 ":store:0\n", tick);
		if (dice(3) == 0)
			sbuf_printf(&o.text,
				    "%" PRIu64 ": system.cpu.iew: something @!%" PRIu64 "\n", tick,
				    row);
		if (dice(3) == 0)
			sbuf_printf(&o.text,
				    "%" PRIu64 ": system.cpu.iew: Setting [sn:%" PRIu64
				    "] @%" PRIu64 "\n",
				    tick, row + 1, row);
	}
	check_owners(&o);
}

/* A record's own line, and one of another flag within a record. */
TEST(owners_of_long_lines_in_o3)
{
	enum { ROWS = 40, LONG = 70000 };
	struct opened o = {.s = NULL};

	for (uint64_t row = 0; row < ROWS; row++) {
		uint64_t tick = 1000 + row * 500;

		sbuf_printf(&o.text,
			    "O3PipeView:fetch:%" PRIu64 ":0x%" PRIx64 ":0:%" PRIu64
			    ":  op @%" PRIu64 " ",
			    tick, 0x1000 + row * 4, row + 1, row);
		sbuf_repeat(&o.text, 'y', row % 7 == 3 ? LONG : 7);
		sbuf_printf(&o.text,
			    "\nO3PipeView:decode:%" PRIu64 "\nO3PipeView:rename:%" PRIu64
			    "\nO3PipeView:dispatch:0\nO3PipeView:issue:0\n"
			    "%" PRIu64 ": system.cpu.iew: something @%" PRIu64 " ",
			    tick + 500, tick + 1000, tick, row);
		sbuf_repeat(&o.text, 'z', row % 7 == 4 ? LONG : 7);
		sbuf_printf(&o.text,
			    "\nO3PipeView:complete:0\n%" PRIu64 ": system.cpu.iew: more @%" PRIu64
			    "\nO3PipeView:retire:%" PRIu64 ":store:0\n",
			    tick, row, tick + 2000);
	}
	check_owners(&o);
}
