/* Comparing ranges of two runs: side by side they add up to the whole, whatever either run lacks.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare.h"
#include "fake_store.h"
#include "testing.h"

enum { OPS_MOST = 24, CUTS = 5 };

static unsigned seed;

static int dice(int sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (int)((seed >> 16) % (unsigned)sides);
}

/* An instruction that is fetched, executed a cycle later, and commits. */
static void put(struct store *s, int64_t born, int64_t commits, uint64_t pc)
{
	uint64_t row = fake_birth(s, born, (uint64_t)born, pc, "op");

	fake_enter(s, row, born, STAGE_IF, 0, -1, 0);
	fake_enter(s, row, born + 1, STAGE_EX, 0, -1, 0);
	fake_enter(s, row, commits, STAGE_CT, 0, -1, 0);
	fake_end(s, row, commits, FATE_COMMITTED);
	fake_code(s, row, row);
}

static int any_latency(void)
{
	static const int ticks[] = {0, 0, 1, 1, 3, 9};

	return ticks[dice(6)];
}

/* Instructions 0, 1, 2.. at their pace; every eighth is missing, or another one behind it. */
static struct store *any_run(int ops)
{
	struct store *s = fake_new();
	int64_t born = 0, commits = 0;

	for (int i = 0; i < ops; i++) {
		int k = dice(8) == 0, end = 1 + (dice(8) == 0);

		for (; k < end; k++) {
			born += dice(3);
			commits += any_latency();
			commits = commits < born + 2 ? born + 2 : commits;
			put(s, born, commits, (uint64_t)(k ? 100 + i : i));
		}
	}
	fake_ticks(s, 0, commits + dice(12));
	return s;
}

static struct align align_of(struct store *a, struct store *b)
{
	const struct align_options o = {.by = ALIGN_BY_COMMIT};
	struct align al;

	assert_int_equal(align_new(&al, a, b, &o, NULL, NULL), STATUS_OK);
	return al;
}

static struct compare of_range(const struct align *al, int64_t from, int64_t to)
{
	const struct align_ticks range = {from, to};
	struct compare r;

	assert_int_equal(compare_new(&r, al, &range, NULL, NULL), STATUS_OK);
	return r;
}

/* The line of the whole that one of a range is: it has the same name. */
static struct compare_code *line_of(struct compare *sum, const struct compare_code *part)
{
	for (size_t i = 0; i < sum->code_count; i++)
		if (memcmp(sum->codes[i].code, part->code, sizeof(part->code)) == 0)
			return &sum->codes[i];
	fail_msg("a line that the whole has not");
	return NULL;
}

static void add(struct compare *sum, const struct compare *r, int sign)
{
	sum->matched += (uint64_t)sign * r->matched;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		sum->steps[s] += (uint64_t)sign * r->steps[s];
		sum->rows[s] += (uint64_t)sign * r->rows[s];
		sum->cycles[s] += sign * r->cycles[s];
		for (size_t p = 0; p < r->parts; p++)
			sum->totals[s][p] += sign * r->totals[s][p];
		for (size_t i = 0; i < r->code_count; i++) {
			const struct compare_code *part = &r->codes[i];
			struct compare_code *whole = line_of(sum, part);

			whole->count[s] += (uint64_t)sign * part->count[s];
			whole->cycles[s] += sign * part->cycles[s];
			for (size_t p = 0; p < r->parts; p++)
				whole->parts[s][p] += sign * part->parts[s][p];
		}
	}
}

static void assert_nothing(const struct compare *r)
{
	assert_int_equal(r->matched, 0);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		assert_int_equal(r->steps[s], 0);
		assert_int_equal(r->rows[s], 0);
		assert_int_equal(r->cycles[s], 0);
		for (size_t p = 0; p < r->parts; p++)
			assert_int_equal(r->totals[s][p], 0);
		for (size_t i = 0; i < r->code_count; i++) {
			assert_int_equal(r->codes[i].count[s], 0);
			assert_int_equal(r->codes[i].cycles[s], 0);
			for (size_t p = 0; p < r->parts; p++)
				assert_int_equal(r->codes[i].parts[s][p], 0);
		}
	}
}

/* What a range says of itself agrees. */
static void check_range(const struct compare *r)
{
	assert_true(r->matched <= r->rows[ALIGN_A] && r->matched <= r->rows[ALIGN_B]);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		uint64_t count = 0;
		int64_t cycles = r->totals[s][r->stages + COMPARE_TAIL];

		for (size_t i = 0; i < r->code_count; i++) {
			count += r->codes[i].count[s];
			cycles += r->codes[i].cycles[s];
		}
		assert_int_equal(count, r->steps[s]);
		assert_int_equal(cycles, r->cycles[s]);
	}
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

TEST(side_by_side)
{
	for (unsigned times = 0; times < 400; times++) {
		int ops = 1 + dice(OPS_MOST);
		struct store *a = any_run(ops), *b = any_run(ops);
		struct align al = align_of(a, b);
		int64_t cuts[CUTS + 1];
		struct compare sum;
		struct progress p;

		store_progress(a, &p);
		cuts[0] = p.first;
		for (int i = 1; i < CUTS; i++)
			cuts[i] = dice((int)p.last + 2);
		cuts[CUTS] = p.last + 1;
		qsort(cuts, CUTS + 1, sizeof(*cuts), by_value);
		sum = of_range(&al, INT64_MIN, TICK_NONE);
		check_range(&sum);
		for (int i = 0; i < CUTS; i++) {
			struct compare r = of_range(&al, cuts[i], cuts[i + 1]);

			check_range(&r);
			assert_int_equal(r.cycles[ALIGN_A], cuts[i + 1] - cuts[i]);
			add(&sum, &r, -1);
			compare_free(&r);
		}
		assert_nothing(&sum);
		compare_free(&sum);
		align_free(&al);
		fake_free(a);
		fake_free(b);
	}
}

/*
 * 1 and 3 take 6 cycles in both, 2 takes 100 and is in A alone. Where the range cuts that, no
 * other is cut; where it cuts one of both, the same cycles of it are charged in both.
 */
TEST(what_one_lacks_cuts_nothing)
{
	struct store *a = fake_new(), *b = fake_new();
	struct align al;
	struct compare r;

	put(a, 0, 6, 1);
	put(a, 0, 106, 2);
	put(a, 100, 112, 3);
	put(b, 0, 6, 1);
	put(b, 0, 12, 3);
	fake_ticks(a, 0, 112);
	fake_ticks(b, 0, 12);
	al = align_of(a, b);
	r = of_range(&al, 0, 50);
	assert_int_equal(r.cycles[ALIGN_A], 50);
	assert_int_equal(r.cycles[ALIGN_B], 6);
	assert_int_equal(r.steps[ALIGN_A], 1);
	assert_int_equal(r.steps[ALIGN_B], 1);
	assert_int_equal(r.matched, 1);
	compare_free(&r);
	r = of_range(&al, 50, 108);
	assert_int_equal(r.cycles[ALIGN_B], 2);
	assert_int_equal(r.steps[ALIGN_A], 1);
	assert_int_equal(r.steps[ALIGN_B], 0);
	assert_int_equal(r.matched, 0);
	compare_free(&r);
	r = of_range(&al, 108, 113);
	assert_int_equal(r.cycles[ALIGN_B], 4 + 1); /* and the tail */
	assert_int_equal(r.matched, 1);
	compare_free(&r);
	align_free(&al);
	fake_free(a);
	fake_free(b);
}

/* By time: a cycle that is in a range of A in part is in it as a whole, and so is that of B. */
TEST(cycles_in_part)
{
	const struct align_options o = {.by = ALIGN_BY_CYCLE};
	struct store *a = fake_new(), *b = fake_new();
	struct compare whole, r;
	struct align al;

	put(a, 0, 5 * 500, 1);
	put(b, 0, 5, 1);
	fake_ticks(a, 0, 9 * 500);
	fake_clock(a, 500);
	fake_ticks(b, 0, 9);
	assert_int_equal(align_new(&al, a, b, &o, NULL, NULL), STATUS_OK);
	whole = of_range(&al, INT64_MIN, TICK_NONE);
	r = of_range(&al, 0, 9 * 500 + 1);
	assert_int_equal(r.cycles[ALIGN_A], whole.cycles[ALIGN_A]);
	assert_int_equal(r.cycles[ALIGN_B], whole.cycles[ALIGN_B]);
	compare_free(&r);
	compare_free(&whole);
	align_free(&al);
	fake_free(a);
	fake_free(b);
}
