/* What is one static instruction in two runs, and stands in one line of the table. */
#include "config.h"

#include <string.h>

#include "analysis/pipeline/compare.h"
#include "base/sbuf.h"
#include "testing.h"
#include "text_store.h"

enum { LABELS = 8 };

/* A row a label, one behind the other, the first in cycle `first`; of the squashed none commits. */
static struct store *run_of(const char *const labels[LABELS], unsigned first, bool squashed_first)
{
	struct sbuf text = {0};
	struct store *s;
	unsigned id = 0;

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	if (squashed_first)
		sbuf_printf(&text, "I\t%u\t0\t0\nL\t0\t0\t0: bad\nS\t0\t0\tF\nC\t1\nR\t0\t0\t1\n",
			    id++);
	sbuf_printf(&text, "C\t%u\n", first);
	for (size_t i = 0; i < LABELS && labels[i]; i++, id++)
		sbuf_printf(&text, "I\t%u\t%u\t0\nL\t%u\t0\t%s\nS\t%u\t0\tF\nC\t2\nR\t%u\t%u\t0\n",
			    id, id, id, labels[i], id, id, id);
	assert_false(text.failed);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	return s;
}

static struct align align_of(struct store *a, struct store *b, enum align_by by)
{
	const struct align_options o = {.by = by};
	struct align al;
	struct error e;

	assert_int_equal(align_new(&al, a, b, &o, NULL, &e), STATUS_OK);
	return al;
}

/* The number of A's lines that have rows of both. */
static size_t shared_lines(const struct compare *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->code_count; i++)
		n += r->codes[i].count[ALIGN_A] && r->codes[i].count[ALIGN_B];
	return n;
}

TEST(same_or_not)
{
	static const struct {
		const char *a[LABELS], *b[LABELS];
		unsigned matched, lines; /* lines with rows of both */
	} cases[] = {
	    /* blanks and capitals tell nothing */
	    {{"1000: call_pal callsys ", "1004: add r1,r2"},
	     {"1000: call_pal callsys", "1004: ADD r1, r2"},
	     2,
	     2},
	    /* constants do, however many digits they have */
	    {{"1000: li a0, 1234567", "1004: lui a1, 0x12345", "1008: nop"},
	     {"1000: li a0, 7654321", "1004: lui a1, 0x54321", "1008: nop"},
	     1,
	     1},
	    /* but addresses in the code, and ways back into it, where it lies elsewhere */
	    {{"120000: jal 0x120008", "120004: beq 120000", "120008: bne 0xfffffff8"},
	     {"450000: jal 0x450008", "450004: beq 450000", "450008: bne 0xfffffffc"},
	     3,
	     3},
	    {{"120000: jal 0x120008", "120004: and r1, 0xfffffff0", "120008: li a0, 990000"},
	     {"450000: jal 0x450008", "450004: and r1, 0xffffff00", "450008: li a0, 980000"},
	     1,
	     1},
	    /* what is near the code of one is the same in both */
	    {{"400000: op1 r1, 0x402010", "400004: op2 r1, 0x402010", "400008: op3 r1, 0x402010"},
	     {"411000: op1 r1, 0x402010", "411004: op2 r1, 0x402010", "411008: op3 r1, 0x402010"},
	     3,
	     3},
	    /* without pcs nobody knows what is an address */
	    {{"val 000001", "val 000002", "val 000003"},
	     {"val 000003", "val 000002", "val 000001"},
	     1,
	     3},
	    /* moved: not all can be matched, all are one instruction all the same */
	    {{"f q", "m0 q", "m1 q", "m2 q"}, {"m0 q", "m1 q", "m2 q", "f q"}, 3, 4},
	};

	/* with a row at pc 0 on a wrong path before them, and without */
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		struct store *a = run_of(cases[i / 2].a, 1, i % 2),
			     *b = run_of(cases[i / 2].b, 1, i % 2);
		struct align al = align_of(a, b, ALIGN_BY_COMMIT);
		struct compare r;
		struct error e;

		assert_int_equal(align_pairs(&al), cases[i / 2].matched);
		assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
		assert_int_equal(shared_lines(&r), cases[i / 2].lines);
		compare_free(&r);
		align_free(&al);
		store_close(a), store_close(b);
	}
}

/* What stands in a line is called the same in every range, though A has nothing of it there. */
TEST(one_name_in_all_ranges)
{
	static const char *const x[LABELS] = {"2000: one", "2004: TWO", "2004: two", "2008: three"};
	static const char *const y[LABELS] = {"3000: one", "3004: two", "3004: TWO", "3008: three",
					      "3004: two"};
	struct store *a = run_of(x, 1, false), *b = run_of(y, 1, false);
	struct align al = align_of(a, b, ALIGN_BY_COMMIT);
	struct align_ticks late = {8, TICK_NONE};
	struct compare whole, part;
	struct error e;
	size_t found = 0;

	assert_int_equal(compare_new(&whole, &al, NULL, NULL, &e), STATUS_OK);
	assert_int_equal(compare_new(&part, &al, &late, NULL, &e), STATUS_OK);
	for (size_t i = 0; i < part.code_count; i++)
		for (size_t k = 0; k < whole.code_count; k++)
			found += memcmp(part.codes[i].code, whole.codes[k].code,
					sizeof(part.codes[i].code)) == 0;
	assert_true(part.code_count > 0 && part.code_count < whole.code_count);
	assert_int_equal(found, part.code_count);
	compare_free(&whole);
	compare_free(&part);
	align_free(&al);
	store_close(a), store_close(b);
}

/* The first to commit may have come late. */
TEST(late_from_the_beginning)
{
	static const char *const x[LABELS] = {"2000: one", "2004: two"};
	struct store *a = run_of(x, 5, true), *b = run_of(x, 105, true);
	struct align al = align_of(a, b, ALIGN_BY_COMMIT);
	struct compare r;
	struct error e;

	assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
	assert_int_equal(r.first.kinds, 1U << DIFFERENCE_CYCLES);
	assert_int_equal(r.first.row[ALIGN_A], 1);
	assert_int_equal(r.cycles[ALIGN_B] - r.cycles[ALIGN_A], 100);
	compare_free(&r);
	align_free(&al);
	store_close(a), store_close(b);
}

/* Rows without any text are alike, and matched in their order. */
TEST(no_text_at_all)
{
	struct sbuf text = {0};
	struct store *s;
	struct align al;

	sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
	for (unsigned i = 0; i < 3000; i++)
		sbuf_printf(&text, "I\t%u\t%u\t0\nS\t%u\t0\tF\nC\t1\nR\t%u\t%u\t0\n", i, i, i, i,
			    i);
	s = text_store(sbuf_text(&text));
	sbuf_free(&text);
	al = align_of(s, s, ALIGN_BY_COMMIT);
	assert_int_equal(align_pairs(&al), 3000);
	assert_false(align_is_bound(&al));
	align_free(&al);
	store_close(s);
}

/* Texts beyond those that the index keeps are alike, and whoever tells the number says so. */
TEST(texts_beyond_the_index)
{
	struct store *s[ALIGN_SIDES];
	struct align al;

	for (int side = 0; side < ALIGN_SIDES; side++) {
		struct sbuf text = {0};

		sbuf_puts(&text, "Kanata\t0004\nC=\t0\n");
		for (unsigned i = 0; i < 14000; i++)
			sbuf_printf(&text, "I\t%u\t%u\t0\nL\t%u\t0\t%u %d %01000u\nS\t%u\t0\tF\nC\t1\nR\t%u\t%u\t0\n",
				    i, i, i, i, side, i, i, i, i);
		s[side] = text_store(sbuf_text(&text));
		sbuf_free(&text);
	}
	al = align_of(s[ALIGN_A], s[ALIGN_B], ALIGN_BY_COMMIT);
	assert_true(align_pairs(&al) > 0);
	assert_string_equal(align_caveat(&al), " (an estimate: texts beyond 12 MB count as alike)");
	align_free(&al);
	store_close(s[ALIGN_A]), store_close(s[ALIGN_B]);
}
