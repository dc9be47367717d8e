/* Comparing ranges of two runs: side by side they add up to the whole, whatever either run lacks.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/compare.h"
#include "made_run.h"
#include "testing.h"

enum { OPS_MOST = 24, CUTS = 5 };

static unsigned seed;

static int dice(int sides)
{
	seed = seed * 1664525U + 1013904223U;
	return (int)((seed >> 16) % (unsigned)sides);
}

static int any_latency(void)
{
	static const int ticks[] = {0, 0, 1, 1, 3, 9};

	return ticks[dice(6)];
}

/* Instructions 0, 1, 2.. at their pace; every eighth is missing, or another one behind it. */
static struct store *any_run(int ops)
{
	struct made_run run = {.executes = 1};
	int64_t born = 0, commits = 0;

	for (int i = 0; i < ops; i++) {
		int k = dice(8) == 0, end = 1 + (dice(8) == 0);

		for (; k < end; k++) {
			born += dice(3);
			commits += any_latency();
			commits = commits < born + 2 ? born + 2 : commits;
			run_put(&run, born, commits, (uint64_t)(k ? 100 + i : i), false);
		}
	}
	run.last = commits + dice(12);
	return run_store(&run);
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
	for (unsigned times = 0; times < ROUNDS(400); times++) {
		int ops = 1 + dice(OPS_MOST);
		struct store *a = any_run(ops), *b = any_run(ops);
		struct align al = align_of(a, b);
		int64_t cuts[CUTS + 1];
		struct compare sum;
		struct progress p;

		store_progress(a, &p);
		cuts[0] = p.first;
		for (int i = 1; i < CUTS; i++)
			cuts[i] = p.first + dice((int)(p.last - p.first) + 2);
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
		store_close(a);
		store_close(b);
	}
}

/*
 * 1 and 3 take 6 cycles in both, 2 takes 100 and is in A alone. Where the range cuts that, no
 * other is cut; where it cuts one of both, the same cycles of it are charged in both.
 */
TEST(what_one_lacks_cuts_nothing)
{
	struct made_run run = {.executes = 1};
	struct store *a, *b;
	struct align al;
	struct compare r;

	run_put(&run, 0, 6, 1, false);
	run_put(&run, 0, 106, 2, false);
	run_put(&run, 100, 112, 3, false);
	a = run_store(&run);
	run_put(&run, 0, 6, 1, false);
	run_put(&run, 0, 12, 3, false);
	b = run_store(&run);
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
	store_close(a);
	store_close(b);
}

/* By time: a cycle that is in a range of A in part is in it as a whole, and so is that of B. */
TEST(cycles_in_part)
{
	const struct align_options o = {.by = ALIGN_BY_CYCLE};
	struct made_run run = {.executes = 500};
	struct compare whole, r;
	struct store *a, *b;
	struct align al;

	run_put(&run, 500, 6 * 500, 1, false);
	run.last = 10 * 500;
	a = run_store_in_ticks(&run, 500);
	run.executes = 2;
	run_put(&run, 2, 6 * 2, 1, false);
	run.last = 10 * 2;
	b = run_store_in_ticks(&run, 2);
	assert_int_equal(align_new(&al, a, b, &o, NULL, NULL), STATUS_OK);
	whole = of_range(&al, INT64_MIN, TICK_NONE);
	r = of_range(&al, 500, 10 * 500 + 1);
	assert_int_equal(r.cycles[ALIGN_A], whole.cycles[ALIGN_A]);
	assert_int_equal(r.cycles[ALIGN_B], whole.cycles[ALIGN_B]);
	compare_free(&r);
	compare_free(&whole);
	align_free(&al);
	store_close(a);
	store_close(b);
}
