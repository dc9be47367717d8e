/* Matching logs with more texts than the index keeps: they are told apart all the same. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare.h"
#include "base/sbuf.h"
#include "testing.h"
#include "text_store.h"

/* 16 MB of texts, each its own: some 12 are kept. */
enum { ROWS = 16000, TEXT = 1000, HEAD = 300 };

static void put(struct sbuf *out, unsigned row, unsigned number)
{
	sbuf_printf(out, "I\t%u\t%u\t0\nL\t%u\t0\t%x: op z%0*u\n", row, row, row, 4 * number, TEXT,
		    number);
	sbuf_printf(out, "S\t%u\t0\tF\nC\t1\nR\t%u\t%u\t0\n", row, row, row);
}

/* Instructions `from` and on; without every lost-th of them, behind HEAD others. */
static struct store *run_of(unsigned from, unsigned lost, bool head)
{
	struct sbuf text = {0};
	struct store *s;
	unsigned row = 0;

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (unsigned i = 0; head && i < HEAD; i++)
		put(&text, row++, 900000 + i);
	for (unsigned i = 0; i < ROWS; i++)
		if (!lost || i % lost != lost - 1)
			put(&text, row++, from + i);
	assert_false(text.failed);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	return s;
}

static void check(struct store *a, struct store *b, enum align_by by, uint64_t matched)
{
	const struct align_options o = {.by = by};
	struct align al;
	struct error e;

	assert_int_equal(align_new(&al, a, b, &o, NULL, &e), STATUS_OK);
	assert_int_equal(align_pairs(&al), matched);
	assert_true(!matched || !align_is_bound(&al)); /* nothing was looked for in vain */
	align_free(&al);
}

/* In the table what an index does not keep is one line: nothing is lost. */
static void check_lines(struct store *a, struct store *b)
{
	const struct align_options o = {.by = ALIGN_BY_COMMIT};
	uint64_t sum[ALIGN_SIDES] = {0, 0};
	struct compare r;
	struct align al;
	struct error e;

	assert_int_equal(align_new(&al, a, b, &o, NULL, &e), STATUS_OK);
	assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
	for (size_t i = 0; i < r.code_count; i++)
		for (int s = 0; s < ALIGN_SIDES; s++)
			sum[s] += r.codes[i].count[s];
	assert_int_equal(sum[ALIGN_A], store_row_count(a));
	assert_int_equal(sum[ALIGN_B], store_row_count(b));
	compare_free(&r);
	align_free(&al);
}

TEST(texts_beyond_the_index)
{
	struct store *a = run_of(0, 0, true), *lossy = run_of(0, 16, false);
	struct store *same = run_of(0, 0, false), *other = run_of(100000, 0, false);
	struct row last;

	assert_true(store_row(same, ROWS - 1, &last));
	assert_int_equal(last.code, CODE_NONE); /* else this tests nothing */
	check(a, a, ALIGN_BY_COMMIT, ROWS + HEAD);
	check(a, same, ALIGN_BY_COMMIT, ROWS);
	check(same, a, ALIGN_BY_COMMIT, ROWS); /* what one index keeps, the other may not */
	check(a, lossy, ALIGN_BY_COMMIT, ROWS - ROWS / 16);
	check(same, other, ALIGN_BY_COMMIT, 0);
	check(same, same, ALIGN_BY_CYCLE, ROWS);
	check(same, other, ALIGN_BY_CYCLE, 0);
	check_lines(a, same);
	check_lines(same, a);
	store_close(a), store_close(lossy), store_close(same), store_close(other);
}

/* Rows without any text are alike, and matched in their order. */
TEST(no_text_at_all)
{
	struct sbuf text = {0};
	struct store *s;

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (unsigned i = 0; i < 3000; i++)
		sbuf_printf(&text, "I\t%u\t%u\t0\nS\t%u\t0\tF\nC\t1\nR\t%u\t%u\t0\n", i, i, i, i,
			    i);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	check(s, s, ALIGN_BY_COMMIT, 3000);
	store_close(s);
}
