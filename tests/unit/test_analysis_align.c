/* Which row is which, where two runs differ, and what a comparison charges. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/align.h"
#include "analysis/pipeline/align_lines.h"
#include "analysis/pipeline/align_range.h"
#include "analysis/pipeline/compare.h"
#include "analysis/pipeline/differ.h"
#include "made_run.h"
#include "testing.h"
#include "text_store.h"

enum { EXECUTES = 2 }; /* ticks after birth */

/*
 * A: pcs 10 11 12 13 14, one every four ticks. B: the same with a squashed row behind the first,
 * without 12, with 99 behind 13, and 14 three ticks late.
 */
static void put_a(struct made_run *a)
{
	for (int i = 0; i < 5; i++)
		run_put(a, 4 * i, 4 * i + 6, (uint64_t)(10 + i), false);
}

static void put_b(struct made_run *b, int64_t later)
{
	run_put(b, later, later + 6, 10, false);
	run_put(b, later + 1, later + 5, 50, true);
	run_put(b, later + 4, later + 10, 11, false);
	run_put(b, later + 12, later + 18, 13, false);
	run_put(b, later + 14, later + 19, 99, false);
	run_put(b, later + 16, later + 25, 14, false);
}

static void two_runs(struct store **a, struct store **b)
{
	struct made_run run = {.executes = EXECUTES};

	put_a(&run);
	*a = run_store(&run);
	put_b(&run, 0);
	*b = run_store(&run);
}

/* A alone: up to tick 30; or in ticks from another one on, of which a cycle has so many. */
static struct store *longer_run(void)
{
	struct made_run run = {.executes = EXECUTES};

	put_a(&run);
	run.last = 30;
	return run_store(&run);
}

static struct store *run_in_ticks(int64_t first, int64_t clock)
{
	struct made_run run = {.executes = EXECUTES * clock};

	for (int64_t i = 0; i < 5; i++)
		run_put(&run, first + clock * 4 * i, first + clock * (4 * i + 6),
			(uint64_t)(10 + i), false);
	run.last = first + clock * 30;
	return run_store_in_ticks(&run, clock);
}

static struct align align_of(struct store *a, struct store *b, enum align_by by, uint64_t row_a,
			     uint64_t row_b)
{
	struct align_options o = {.by = by, .row = {row_a, row_b}};
	struct align al;
	struct error e;

	assert_int_equal(align_new(&al, a, b, &o, NULL, &e), STATUS_OK);
	return al;
}

TEST(test_rows)
{
	static const uint64_t match_a[] = {0, 2, ROW_NONE, 3, 5};
	static const uint64_t match_b[] = {0, ROW_NONE, 1, 3, ROW_NONE, 4};
	static const struct {
		int side;
		uint64_t row;
	} lines[] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 2}, {0, 2},
		     {0, 3}, {1, 3}, {1, 4}, {0, 4}, {1, 5}};
	struct store *a, *b;
	struct align al;

	two_runs(&a, &b);
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(al.key, ALIGN_KEY_PC_TEXT);
	assert_int_equal(align_pairs(&al), 4);
	for (uint64_t i = 0; i < 5; i++)
		assert_true(align_match(&al, ALIGN_A, i) == match_a[i]);
	for (uint64_t i = 0; i < 6; i++)
		assert_true(align_match(&al, ALIGN_B, i) == match_b[i]);
	assert_int_equal(align_near(&al, ALIGN_A, 2), 3);
	assert_int_equal(align_near(&al, ALIGN_B, 1), 1);
	assert_int_equal(align_near(&al, ALIGN_B, 4), 4);
	for (uint64_t i = 0; i < 11; i++)
		assert_int_equal(align_line_of(&al, lines[i].side, lines[i].row), i);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* What is in a part of one run, in the other one: by commits, by rows, by time. */
TEST(test_stretches)
{
	static const struct {
		int side;
		uint64_t rows[2];
		int64_t ticks[2];
		uint64_t other_rows[2];
		int64_t other_ticks[2];
	} cases[] = {
	    /* 11, 12 of A; of B 11, from behind the commit of 10 to its own */
	    {ALIGN_A, {0, 5}, {7, 15}, {0, 6}, {7, 11}},
	    {ALIGN_A, {0, 5}, {0, 7}, {0, 6}, {INT64_MIN, 7}},
	    {ALIGN_A, {0, 5}, {15, TICK_NONE}, {0, 6}, {11, TICK_NONE}}, /* 99 is between them */
	    {ALIGN_A, {0, 5}, {11, 14}, {0, 6}, {11, 11}},        /* nothing commits there */
	    {ALIGN_B, {0, 6}, {11, 19}, {0, 5}, {15, 19}},        /* 13 */
	    {ALIGN_A, {1, 4}, {INT64_MIN, TICK_NONE}, {2, 5}, {INT64_MIN, TICK_NONE}},
	    {ALIGN_A, {2, 5}, {INT64_MIN, TICK_NONE}, {3, 6}, {INT64_MIN, TICK_NONE}},
	    {ALIGN_B, {1, 3}, {INT64_MIN, TICK_NONE}, {1, 3}, {INT64_MIN, TICK_NONE}},
	};
	const struct range ticks = {.row1 = 5, .tick0 = 7, .tick1 = 15};
	struct store *a, *b;
	struct align al;
	struct range r;

	two_runs(&a, &b);
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = (struct range){.row0 = cases[i].rows[0],
				   .row1 = cases[i].rows[1],
				   .tick0 = cases[i].ticks[0],
				   .tick1 = cases[i].ticks[1]};
		r = align_range(&al, cases[i].side, &r);
		if (cases[i].rows[0] || cases[i].rows[1] < 5) {
			assert_int_equal(r.row0, cases[i].other_rows[0]);
			assert_int_equal(r.row1, cases[i].other_rows[1]);
		}
		if (r.tick0 != cases[i].other_ticks[0] || r.tick1 != cases[i].other_ticks[1])
			fail_msg("case %zu: ticks %lld..%lld", i, (long long)r.tick0,
				 (long long)r.tick1);
	}
	align_free(&al);
	al = align_of(a, b, ALIGN_BY_CYCLE, 0, 0);
	r = align_range(&al, ALIGN_A, &ticks);
	assert_int_equal(r.tick0, 7);
	assert_int_equal(r.tick1, 15);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* Wrong paths have no rows that match, but lie by the matched rows around them. */
TEST(test_wrong_paths)
{
	static const uint64_t near_b[] = {0, 1, 2, 3, 4, 5, 6, 6};
	static const uint64_t anchor_b[] = {1, 1, 2, 2, 2, 5, 6, 6};
	struct made_run run[ALIGN_SIDES] = {{.executes = EXECUTES}, {.executes = EXECUTES}};
	uint64_t rows[ALIGN_SIDES];
	struct store *a, *b;
	struct align al;

	/* pcs below 50 commit; B was fetched ten ticks later, and the last wrong path is shorter */
	static const uint64_t pcs[] = {50, 10, 11, 51, 52, 12, 13, 53};
	for (int i = 0; i < 8; i++) {
		run_put(&run[ALIGN_A], 4 * i, 4 * i + 6, pcs[i], pcs[i] >= 50);
		if (i < 7)
			run_put(&run[ALIGN_B], 4 * i + 10, 4 * i + 16, pcs[i], pcs[i] >= 50);
	}
	a = run_store(&run[ALIGN_A]);
	b = run_store(&run[ALIGN_B]);
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(align_pairs(&al), 4);
	for (uint64_t i = 0; i < 8; i++) {
		assert_int_equal(align_near(&al, ALIGN_A, i), near_b[i]);
		align_anchor(&al, ALIGN_A, i, rows);
		assert_int_equal(rows[ALIGN_A], anchor_b[i]);
		assert_int_equal(rows[ALIGN_B], anchor_b[i]);
	}
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* Wrong paths of both runs, one of which was fetched earlier: rows in a gap by their time. */
TEST(test_gaps)
{
	static const struct {
		int64_t born[ALIGN_SIDES];
		uint64_t pc;
	} rows[] = {{{0, 100}, 50},  {{2, 101}, 51},  {{4, 110}, 10},  {{5, 113}, 52}, {{6, 113}, 53},
		    {{9, 113}, 54},  {{10, 120}, 55}, {{10, 130}, 11}, {{12, 131}, 56}, {{14, 140}, 57}};
	/* from the births of 10 and 11: A -4 -2 | 1 2 5 6 | 2 4, B -10 -9 | 3 3 3 10 | 1 10 */
	static const char order[] = "BBAA" "AB" "AABBBAAB" "AB" "BAAB";
	struct made_run made = {.executes = EXECUTES};
	struct store *run[ALIGN_SIDES];
	uint64_t next[ALIGN_SIDES] = {0};
	struct align al;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			run_put(&made, rows[i].born[s], rows[i].born[s] + 9, rows[i].pc,
				rows[i].pc >= 50);
		run[s] = run_store(&made);
	}
	al = align_of(run[ALIGN_A], run[ALIGN_B], ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(align_pairs(&al), 2);
	for (uint64_t i = 0; i < sizeof(order) - 1; i++) {
		int side = order[i] - 'A';

		assert_int_equal(align_line_of(&al, side, next[side]++), i);
	}
	align_free(&al);
	for (int s = 0; s < ALIGN_SIDES; s++)
		store_close(run[s]);
}

/* Clocks of one period whose cycles begin at other ticks: births are compared by the cycle. */
TEST(test_phases)
{
	struct store *run[ALIGN_SIDES] = {run_in_ticks(1000, 500), run_in_ticks(1250, 500)};
	struct align al;

	al = align_of(run[ALIGN_A], run[ALIGN_B], ALIGN_BY_CYCLE, 0, 0);
	assert_int_equal(align_pairs(&al), 5);
	assert_int_equal(align_other_tick(&al, ALIGN_A, 1500), 1750);
	align_free(&al);
	for (int s = 0; s < ALIGN_SIDES; s++)
		store_close(run[s]);
}

TEST(test_differences)
{
	struct store *a, *b;
	struct align al;
	struct differ d;
	struct difference x;
	struct error e;

	two_runs(&a, &b);
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_true(differ_new(&d, &al, NULL));
	differ_next(&d, ALIGN_A, ROW_NONE, 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds, 1U << DIFFERENCE_ONLY_A);
	assert_int_equal(x.row[ALIGN_A], 2);
	assert_true(x.row[ALIGN_B] == ROW_NONE);
	/* 13 commits 4 ticks after 12, and 8 after 11 */
	differ_next(&d, x.side, x.row[x.side], 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds, 1U << DIFFERENCE_CYCLES);
	assert_int_equal(x.row[ALIGN_A], 3);
	assert_int_equal(x.row[ALIGN_B], 3);
	differ_next(&d, x.side, x.row[x.side], 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds, 1U << DIFFERENCE_ONLY_B);
	assert_int_equal(x.row[ALIGN_B], 4);
	assert_int_equal(x.side, ALIGN_B);
	differ_next(&d, x.side, x.row[x.side], 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds,
			 1U << DIFFERENCE_CYCLES | 1U << DIFFERENCE_LIFE | 1U << DIFFERENCE_STAGES);
	assert_int_equal(x.row[ALIGN_A], 4);
	differ_next(&d, x.side, x.row[x.side], 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds, 0);
	/* and all the way back */
	static const uint64_t back[] = {4, ROW_NONE, 3, 2};
	differ_next(&d, ALIGN_A, ROW_NONE, -1, DIFFERENCE_ALL, &x, &e);
	for (int i = 0; i < 4; i++) {
		assert_true(x.row[ALIGN_A] == back[i]);
		differ_next(&d, x.side, x.row[x.side], -1, DIFFERENCE_ALL, &x, &e);
	}
	assert_int_equal(x.kinds, 0);
	differ_free(&d);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* The second trace begins 1000 ticks later: at the same tick nothing of the two is born. */
TEST(test_by_start)
{
	const struct range ticks = {.row1 = 5, .tick0 = 4, .tick1 = 15};
	struct made_run run = {.executes = EXECUTES};
	struct store *a, *b, *late;
	struct align al;
	struct range r;

	two_runs(&a, &b);
	put_b(&run, 1000);
	late = run_store(&run);
	al = align_of(a, late, ALIGN_BY_CYCLE, 0, 0);
	assert_int_equal(align_pairs(&al), 0);
	align_free(&al);
	al = align_of(a, late, ALIGN_BY_START, 0, 0);
	assert_int_equal(align_pairs(&al), 4);
	assert_int_equal(align_match(&al, ALIGN_A, 1), 2);
	assert_int_equal(align_match(&al, ALIGN_A, 4), 5);
	assert_int_equal(align_time(&al, ALIGN_A, 7), 7);
	assert_int_equal(align_time(&al, ALIGN_B, 1007), 7);
	assert_int_equal(align_length(&al, ALIGN_B, 1002, 1009), 7);
	assert_int_equal(align_other_tick(&al, ALIGN_A, 7), 1007);
	assert_int_equal(align_other_tick(&al, ALIGN_B, 1007), 7);
	r = align_range(&al, ALIGN_A, &ticks);
	assert_int_equal(r.tick0, 1004);
	assert_int_equal(r.tick1, 1015);
	align_free(&al);
	store_close(a);
	store_close(b);
	store_close(late);
}

TEST(test_by_cycle_and_pair)
{
	struct store *a, *b;
	struct align al;
	struct align_options squashed = {.by = ALIGN_BY_PAIR, .row = {0, 1}};
	struct error e;

	two_runs(&a, &b);
	al = align_of(a, b, ALIGN_BY_CYCLE, 0, 0);
	assert_int_equal(align_match(&al, ALIGN_A, 1), 2);
	assert_true(align_match(&al, ALIGN_A, 2) == ROW_NONE);
	assert_int_equal(align_match(&al, ALIGN_A, 4), 5);
	align_free(&al);
	al = align_of(a, b, ALIGN_BY_PAIR, 3, 4);
	assert_int_equal(align_pairs(&al), 5);
	assert_int_equal(align_match(&al, ALIGN_A, 0), 0);
	assert_int_equal(align_match(&al, ALIGN_A, 4), 5);
	assert_int_equal(align_match(&al, ALIGN_B, 4), 3);
	align_free(&al);
	assert_int_equal(align_new(&al, a, b, &squashed, NULL, &e), STATUS_USAGE);
	store_close(a);
	store_close(b);
}

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
	random_state = random_state * 1103515245u + 12345u;
	return (random_state >> 16) % below;
}

/* Rows born at one tick in both, and how many of them can be matched, by the book. */
struct births {
	uint64_t pcs[ALIGN_SIDES][256];
	size_t count[ALIGN_SIDES];
};

static uint64_t longest(const struct births *x)
{
	uint64_t row[257] = {0};

	for (size_t i = 0; i < x->count[ALIGN_A]; i++) {
		uint64_t corner = 0;

		for (size_t j = 0; j < x->count[ALIGN_B]; j++) {
			uint64_t up = row[j + 1];

			if (x->pcs[ALIGN_A][i] == x->pcs[ALIGN_B][j])
				row[j + 1] = corner + 1;
			else if (row[j] > up)
				row[j + 1] = row[j];
			corner = up;
		}
	}
	return row[x->count[ALIGN_B]];
}

/* Matched by birth: of every pair the time and the instruction are the same; both ascend. */
static void check_births(const struct align *al, struct store *const run[ALIGN_SIDES])
{
	uint64_t index[ALIGN_SIDES], next[ALIGN_SIDES] = {0};

	for (uint64_t n = 0; align_pair(al, n, index); n++) {
		struct row row[ALIGN_SIDES];

		for (int s = 0; s < ALIGN_SIDES; s++) {
			assert_true(index[s] >= next[s]);
			next[s] = index[s] + 1;
			assert_true(
			    store_row(run[s], path_row(al->side[s].path, index[s]), &row[s]));
		}
		assert_int_equal(row[ALIGN_A].start, row[ALIGN_B].start);
		assert_int_equal(al->side[ALIGN_A].code_keys[row[ALIGN_A].code],
				 al->side[ALIGN_B].code_keys[row[ALIGN_B].code]);
	}
}

/*
 * Instructions born together: one that only one of them has there does not keep those behind it
 * from being matched. 8 pcs, so that there are several ways to match them.
 */
TEST(test_born_together)
{
	for (uint32_t seed = 0; seed < 60; seed++) {
		struct made_run made[ALIGN_SIDES] = {{.executes = EXECUTES}, {.executes = EXECUTES}};
		struct store *run[ALIGN_SIDES];
		uint64_t wanted = 0;
		struct align al;

		random_state = seed;
		for (int64_t tick = 0; tick < 12; tick++) {
			struct births x;

			for (int s = 0; s < ALIGN_SIDES; s++) {
				x.count[s] = next_random(seed % 10 ? 9 : 60);
				for (size_t i = 0; i < x.count[s]; i++) {
					x.pcs[s][i] = 10 + next_random(8);
					run_put(&made[s], tick, tick + 9, x.pcs[s][i], false);
				}
			}
			wanted += longest(&x);
		}
		for (int s = 0; s < ALIGN_SIDES; s++)
			run[s] = run_store(&made[s]);
		al = align_of(run[ALIGN_A], run[ALIGN_B], ALIGN_BY_CYCLE, 0, 0);
		check_births(&al, run);
		assert_int_equal(align_pairs(&al), wanted);
		align_free(&al);
		for (int s = 0; s < ALIGN_SIDES; s++)
			store_close(run[s]);
	}
}

/* Code that lies elsewhere is known by its text. */
TEST(test_relocated)
{
	struct made_run run[ALIGN_SIDES] = {{.executes = EXECUTES}, {.executes = EXECUTES}};
	struct store *a, *b;
	struct align al;

	for (int i = 0; i < 300; i++) {
		run_put(&run[ALIGN_A], i, i + 6, (uint64_t)(7000 + i % 90), false);
		run_put(&run[ALIGN_B], i, i + 6, (uint64_t)(14000 + i % 90), false);
	}
	a = run_store(&run[ALIGN_A]);
	b = run_store(&run[ALIGN_B]);
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(al.key, ALIGN_KEY_TEXT);
	assert_int_equal(align_pairs(&al), 300);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* Micro-ops lie wherever decode put them; they follow their instruction. */
TEST(test_micro_ops)
{
	static const char *const texts[ALIGN_SIDES] = {
	    "@ 0\n+ 0 0xa 0x0 op\n* 0 IF 0x0\n@ 1\n+ 1 0xb 0x0 op\n* 1 IF 0x0\n"
	    "@ 3\n+ 2 0xb 0x0 [internal ld/st]\n* 2 DA 0x0\n* 1 DA 0x0\n"
	    "@ 4\n+ 3 0xc 0x0 op\n* 3 IF 0x0\n@ 6\n* 0 CT 0x0\n- 0\n@ 7\n* 1 CT 0x0\n- 1\n"
	    "@ 8\n* 2 CT 0x0\n- 2\n@ 10\n* 3 CT 0x0\n- 3\n",
	    "@ 0\n+ 0 0xa 0x0 op\n* 0 IF 0x0\n@ 1\n+ 1 0xb 0x0 op\n* 1 IF 0x0\n"
	    "@ 2\n+ 2 0xc 0x0 op\n* 2 IF 0x0\n"
	    "@ 3\n+ 3 0xb 0x0 [internal ld/st]\n* 3 DA 0x0\n* 1 DA 0x0\n"
	    "@ 6\n* 0 CT 0x0\n- 0\n@ 7\n* 1 CT 0x0\n- 1\n"
	    "@ 8\n* 3 CT 0x0\n- 3\n@ 9\n* 2 CT 0x0\n- 2\n"};
	struct store *s[ALIGN_SIDES] = {text_store(texts[0]), text_store(texts[1])};
	struct align al;

	al = align_of(s[0], s[1], ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(align_pairs(&al), 3);
	assert_int_equal(al.diff.runs.count, 1);
	assert_int_equal(align_match(&al, ALIGN_A, 2), 3);
	assert_int_equal(align_match(&al, ALIGN_B, 3), 2);
	align_free(&al);
	store_close(s[0]);
	store_close(s[1]);
}

/* ---- the comparison ------------------------------------------------------------------------- */

static int64_t sum_of(const struct compare *r, int side, bool all)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->code_count; i++) {
		int64_t parts = 0;

		for (size_t p = 0; p < r->parts; p++)
			parts += r->codes[i].parts[side][p];
		assert_true(parts == r->codes[i].cycles[side]);
		sum += parts;
	}
	return all ? sum + r->totals[side][r->stages + COMPARE_TAIL] : sum;
}

TEST(test_charges)
{
	struct store *a, *b;
	struct align al;
	struct compare r;
	struct error e;

	two_runs(&a, &b);
	store_close(a);
	a = longer_run();
	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
	assert_int_equal(r.matched, 4);
	assert_int_equal(r.cycles[ALIGN_A], 31);
	assert_int_equal(r.cycles[ALIGN_B], 26);
	for (int s = 0; s < ALIGN_SIDES; s++)
		assert_int_equal(sum_of(&r, s, true), r.cycles[s]);
	assert_int_equal(r.totals[ALIGN_A][r.stages + COMPARE_TAIL], 31 - 22);
	/* A: 6 4 4 4 4; B: 6 4 - 8, 1 for 99, 6 for 14 */
	assert_int_equal(r.code_count, 6);
	assert_int_equal(r.codes[0].cycles[ALIGN_B] - r.codes[0].cycles[ALIGN_A], 4);
	assert_int_equal(compare_delta(&r.codes[5]), -4);
	/* 13 in B: reached [10, 18), born at 12, fetched until 14 */
	assert_int_equal(r.codes[0].parts[ALIGN_B][r.stages + COMPARE_NOT_FETCHED], 1);
	assert_int_equal(r.codes[0].parts[ALIGN_B][RUN_IF], 2);
	assert_int_equal(r.codes[0].parts[ALIGN_B][RUN_EX], 4);
	assert_int_equal(r.codes[0].parts[ALIGN_B][RUN_CT], 1);
	compare_free(&r);
	assert_int_equal(compare_new(&r, &al, &(struct align_ticks){8, 12}, NULL, &e), STATUS_OK);
	assert_int_equal(r.cycles[ALIGN_A], 4);
	assert_int_equal(sum_of(&r, ALIGN_A, true), 4);
	compare_free(&r);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* The same run told in ticks has the same parts: the cycle of the last tick counts as a whole. */
TEST(test_charges_ticks)
{
	struct store *a = run_in_ticks(1, 2), *b = run_in_ticks(157, 500);
	struct align al;
	struct compare r;
	struct error e;

	al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
	assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
	assert_int_equal(r.cycles[ALIGN_A], 31);
	assert_int_equal(r.cycles[ALIGN_B], 31);
	for (size_t p = 0; p < r.parts; p++)
		assert_int_equal(r.totals[ALIGN_A][p], r.totals[ALIGN_B][p]);
	assert_int_equal(sum_of(&r, ALIGN_B, true), 31);
	compare_free(&r);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* Nor do they differ: lives, commits, stays and births are told in cycles where units differ. */
TEST(test_units)
{
	struct store *a = run_in_ticks(1, 2), *b = run_in_ticks(157, 500);
	struct align_ticks range = {1 + 8 * 2, 1 + 12 * 2};
	struct difference x;
	struct compare r;
	struct align al;
	struct differ d;
	struct error e;

	al = align_of(a, b, ALIGN_BY_CYCLE, 0, 0);
	assert_int_equal(align_pairs(&al), 5);
	assert_int_equal(align_other_tick(&al, ALIGN_A, 1 + 8 * 2), 157 + 8 * 500);
	assert_int_equal(align_other_tick(&al, ALIGN_B, 157 + 8 * 500 + 499), 1 + 8 * 2);
	assert_true(differ_new(&d, &al, NULL));
	differ_next(&d, ALIGN_A, ROW_NONE, 1, DIFFERENCE_ALL, &x, &e);
	assert_int_equal(x.kinds, 0);
	differ_free(&d);
	assert_int_equal(compare_new(&r, &al, &range, NULL, &e), STATUS_OK);
	assert_int_equal(r.cycles[ALIGN_A], 4);
	assert_int_equal(r.cycles[ALIGN_B], 4);
	for (size_t i = 0; i < r.code_count; i++)
		assert_int_equal(r.codes[i].worst.delta, 0);
	compare_free(&r);
	align_free(&al);
	store_close(a);
	store_close(b);
}

/* On a machine with misses, mispredictions and micro-ops: the parts are the run time. */
TEST(test_pipelines)
{
	for (unsigned seed = 0; seed < 6; seed++) {
		struct store *a = machine_store(3000, seed), *b = machine_store(3000, seed / 2);
		struct align al = align_of(a, b, ALIGN_BY_COMMIT, 0, 0);
		struct progress p;
		struct compare r;
		struct error e;

		assert_int_equal(compare_new(&r, &al, NULL, NULL, &e), STATUS_OK);
		for (int s = 0; s < ALIGN_SIDES; s++) {
			store_progress(s ? b : a, &p);
			assert_int_equal(r.cycles[s], p.last + 1 - p.first);
			assert_int_equal(sum_of(&r, s, true), r.cycles[s]);
		}
		if (seed == 0) { /* the same run twice */
			assert_int_equal(r.first.kinds, 0);
			for (size_t i = 0; i < r.code_count; i++)
				assert_int_equal(compare_delta(&r.codes[i]), 0);
		}
		compare_free(&r);
		align_free(&al);
		store_close(a);
		store_close(b);
	}
}
