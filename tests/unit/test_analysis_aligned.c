/* Three runs and more: which row is which through the first one, and all of them as one list. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/pipeline/aligned.h"
#include "analysis/pipeline/differ_runs.h"
#include "fake_store.h"

/* A row that lives ten ticks; its static instruction has the pc. */
static void put(struct store *s, int64_t born, uint64_t pc, bool squashed)
{
	uint64_t row = fake_birth(s, born, (uint64_t)born, pc, "op");

	fake_enter(s, row, born, STAGE_IF, 0, -1, 0);
	if (!squashed)
		fake_enter(s, row, born + 10, STAGE_CT, 0, -1, 0);
	fake_end(s, row, born + 10, squashed ? FATE_SQUASHED : FATE_COMMITTED);
	fake_code(s, row, row);
}

static struct aligned aligned_by(struct store *const runs[], int count, enum align_by by)
{
	const struct aligned_options o = {.by = by, .row = {1, 0, 1}};
	struct aligned al;
	struct error e;

	assert_int_equal(aligned_new(&al, runs, count, &o, NULL, &e), STATUS_OK);
	assert_int_equal(al.runs, count);
	return al;
}

static void end(struct aligned *al, struct store *runs[], int count)
{
	aligned_free(al);
	for (int r = 0; r < count; r++)
		fake_free(runs[r]);
}

/* The whole list, line by line and by seeking, and back from the rows to the lines. */
static void check_list(const struct aligned *al, const char *order)
{
	uint64_t next[RUNS_MOST] = {0}, lines = aligned_lines(al);
	struct aligned_cursor c, sought;

	if (order)
		assert_int_equal(lines, strlen(order));
	assert_int_equal(aligned_seek(al, 0, &c), lines > 0);
	for (uint64_t i = 0; i < lines; i++) {
		if (order && c.run != order[i] - 'A')
			fail_msg("line %llu is of %c, not of %c", (unsigned long long)i,
				 run_letter(c.run), order[i]);
		assert_int_equal(c.row, next[c.run]++);
		assert_int_equal(aligned_line_of(al, c.run, c.row), i);
		assert_true(aligned_seek(al, i, &sought));
		assert_int_equal(sought.run, c.run);
		assert_int_equal(sought.row, c.row);
		assert_int_equal(sought.matched, c.matched);
		if (c.matched && c.run != RUN_A)
			assert_int_equal(aligned_match(al, c.run, c.row, RUN_A),
					 c.group.row[RUN_A]);
		assert_int_equal(aligned_step(&c), i + 1 < lines);
	}
	assert_false(aligned_seek(al, lines, &sought));
}

/*
 * A: 10 11 12. B: 10, a wrong path, 11, 77 that A has not, 12. C: 11, 77, 12 and 13. What stands
 * in A's gaps by its births stands before what matches.
 */
static void test_three(void **state)
{
	struct store *runs[] = {fake_new(), fake_new(), fake_new()};
	struct aligned al;
	uint64_t here, there;

	(void)state;
	for (int i = 0; i < 3; i++)
		put(runs[0], 10 * i, (uint64_t)(10 + i), false);
	put(runs[1], 0, 10, false);
	put(runs[1], 5, 50, true);
	put(runs[1], 10, 11, false);
	put(runs[1], 15, 77, false);
	put(runs[1], 20, 12, false);
	put(runs[2], 110, 11, false);
	put(runs[2], 115, 77, false);
	put(runs[2], 120, 12, false);
	put(runs[2], 130, 13, false);
	al = aligned_by(runs, 3, ALIGN_BY_COMMIT);
	check_list(&al, "ABBABCBCABCC");
	assert_int_equal(aligned_match(&al, 1, 4, 2), 2);
	assert_int_equal(aligned_match(&al, 2, 0, 1), 2);
	assert_true(aligned_match(&al, 1, 3, 2) == ROW_NONE); /* through A, which has no 77 */
	assert_true(aligned_match(&al, 0, 0, 2) == ROW_NONE);
	assert_int_equal(aligned_match(&al, 2, 3, 2), 3);
	assert_int_equal(aligned_near(&al, 1, 3, 2), 2); /* before 12 of both */
	assert_int_equal(aligned_near(&al, 1, 0, 2), 0);
	aligned_anchor(&al, 1, 1, 2, &here, &there); /* the wrong path is laid by 10 */
	assert_int_equal(here, 0);
	assert_int_equal(there, 0);
	aligned_anchor(&al, 2, 2, 1, &here, &there);
	assert_int_equal(here, 2);
	assert_int_equal(there, 4);
	aligned_anchor(&al, 0, 1, 2, &here, &there);
	assert_int_equal(here, 1);
	assert_int_equal(there, 0);
	end(&al, runs, 3);
}

/* Of a chosen pair each run has its own row. */
static void test_pair(void **state)
{
	struct store *runs[] = {fake_new(), fake_new(), fake_new()};
	struct aligned al;

	(void)state;
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < 4; i++)
			put(runs[r], 10 * i, (uint64_t)(10 * r + i), false);
	al = aligned_by(runs, 3, ALIGN_BY_PAIR);
	assert_int_equal(aligned_match(&al, 0, 1, 1), 0);
	assert_int_equal(aligned_match(&al, 0, 1, 2), 1);
	assert_int_equal(aligned_match(&al, 1, 0, 2), 1);
	check_list(&al, NULL);
	end(&al, runs, 3);
}

/* Of runs that are cuts of one program with wrong paths between, and of empty ones. */
static void test_any(void **state)
{
	(void)state;
	srand(7);
	for (int round = 0; round < 400; round++) {
		struct store *runs[RUNS_MOST];
		int count = 2 + rand() % (RUNS_MOST - 1);
		struct aligned al;

		for (int r = 0; r < count; r++) {
			int64_t born = rand() % 100;

			runs[r] = fake_new();
			for (int i = 0; i < round % 40; i++) {
				born += rand() % 9;
				if (rand() % 4)
					put(runs[r], born, (uint64_t)(10 + i), false);
				if (rand() % 5 == 0)
					put(runs[r], born, 500, true);
			}
		}
		al = aligned_by(runs, count, rand() % 2 ? ALIGN_BY_COMMIT : ALIGN_BY_CYCLE);
		check_list(&al, NULL);
		end(&al, runs, count);
	}
}

/* The text of the rows is another test's. */
enum { PLACES = 4096, KINDS = DIFFERENCE_ALL & ~(1 << DIFFERENCE_STAGES) };

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The lines of all differences, each pair of runs by itself, ascending and once each. */
static size_t all_places(const struct aligned *al, struct differ *differ, unsigned kinds,
			 uint64_t *out)
{
	size_t n = 0, kept = 0;

	for (int k = RUN_B; k < al->runs; k++) {
		struct difference d = {.side = ALIGN_A, .row = {ROW_NONE, ROW_NONE}};
		struct error e;
		int side;

		for (;;) {
			assert_int_equal(
			    differ_next(&differ[k], d.side, d.row[d.side], 1, kinds, &d, &e),
			    STATUS_OK);
			if (!d.kinds)
				break;
			assert_true(n < PLACES);
			side = difference_side(&d);
			out[n++] = aligned_line_of(al, side == ALIGN_A ? RUN_A : k, d.row[side]);
		}
	}
	qsort(out, n, sizeof(*out), by_number);
	for (size_t i = 0; i < n; i++)
		if (!kept || out[kept - 1] != out[i])
			out[kept++] = out[i];
	return kept;
}

/* One after the other, from the beginning to the end or back. */
static void walk(const struct aligned *al, struct differ *differ, unsigned kinds, int dir,
		 const uint64_t *places, size_t count)
{
	uint64_t row = ROW_NONE;
	int run = RUN_A;

	for (size_t i = 0; i <= count; i++) {
		struct difference all[RUNS_MOST] = {{0}}, d;
		uint64_t place = i < count ? places[dir > 0 ? i : count - 1 - i] : 0;
		struct error e;
		int other;

		assert_int_equal(
		    differ_runs_next(al, differ, run, row, dir, kinds, all, &other, &e), STATUS_OK);
		assert_int_equal(other != RUN_A, i < count);
		if (i == count)
			return;
		d = all[other];
		for (int k = RUN_B; k < al->runs; k++) { /* all that differ there, and no others */
			int side = difference_side(&all[k]), of = side == ALIGN_A ? RUN_A : k;

			if (all[k].kinds)
				assert_int_equal(aligned_line_of(al, of, all[k].row[side]), place);
		}
		run = difference_side(&d) == ALIGN_A ? RUN_A : other;
		row = d.row[difference_side(&d)];
		assert_int_equal(aligned_line_of(al, run, row),
				 places[dir > 0 ? i : count - 1 - i]);
		/* from what matches it in another run the next one is the same */
		for (int k = RUN_B; k < al->runs && run == RUN_A; k++)
			if (i % 3 == 1 && aligned_match(al, RUN_A, row, k) != ROW_NONE) {
				row = aligned_match(al, RUN_A, row, k);
				run = k;
			}
	}
}

/* Runs that differ seldom, so that they are looked through in several goes, and often. */
static void test_differences(void **state)
{
	static const unsigned kinds[] = {KINDS, 1U << DIFFERENCE_ONLY_B, 1U << DIFFERENCE_ONLY_A,
					 1U << DIFFERENCE_CYCLES | 1U << DIFFERENCE_ONLY_A};
	static uint64_t places[PLACES];

	(void)state;
	srand(11);
	for (int round = 0; round < 54; round++) {
		struct store *runs[RUNS_MOST];
		struct differ differ[RUNS_MOST];
		int count = 2 + round % 3, rows = round < 50 ? 60 : 12000;
		int seldom = round < 50 ? 8 : 3000;
		struct aligned al;
		size_t found;

		for (int r = 0; r < count; r++) {
			int64_t born = 0;

			runs[r] = fake_new();
			for (int i = 0; i < rows; i++) {
				born += 1 + !(rand() % seldom);
				if (rand() % seldom)
					put(runs[r], born, (uint64_t)(10 + i), false);
				if (!(rand() % seldom))
					put(runs[r], born, 500, true);
			}
		}
		al = aligned_by(runs, count, ALIGN_BY_COMMIT);
		for (int k = RUN_B; k < count; k++)
			assert_true(differ_new(&differ[k], &al.with[k], NULL));
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			found = all_places(&al, differ, kinds[i], places);
			assert_true(found > 3 || i);
			walk(&al, differ, kinds[i], 1, places, found);
			walk(&al, differ, kinds[i], -1, places, found);
		}
		for (int k = RUN_B; k < count; k++)
			differ_free(&differ[k]);
		end(&al, runs, count);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_three),
	    cmocka_unit_test(test_pair),
	    cmocka_unit_test(test_any),
	    cmocka_unit_test(test_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
