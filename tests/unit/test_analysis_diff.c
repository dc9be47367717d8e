/* The diff, on sequences of numbers. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/diff.h"
#include "testing.h"

struct sequence {
	uint32_t *keys;
	size_t count;
};

static uint64_t random_state;

static uint32_t next_random(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

static struct sequence make(size_t n, uint32_t distinct)
{
	struct sequence s = {malloc((n + 1) * sizeof(uint32_t)), n};

	for (size_t i = 0; i < n; i++)
		s.keys[i] = 1 + next_random(distinct);
	return s;
}

/* A program: loops of random bodies, each run some times, so that nearly nothing is unique. */
static struct sequence make_loops(size_t n)
{
	struct sequence s = {malloc((n + 1) * sizeof(uint32_t)), n};
	size_t at = 0;

	while (at < n) {
		uint32_t body = 1 + 16 * next_random(40), length = 3 + next_random(12);
		uint32_t times = 1 + next_random(60);

		for (uint32_t k = 0; k < length * times && at < n; k++)
			s.keys[at++] = body + k % length;
	}
	return s;
}

/* Some edits: insert, delete or change up to `most` numbers in a row. Returns how many numbers. */
static size_t edit(const struct sequence *from, struct sequence *to, size_t edits, uint32_t most)
{
	size_t done = 0, at = 0, cost = 0;

	to->keys = malloc((from->count + edits * most + 1) * sizeof(uint32_t));
	to->count = 0;
	while (at < from->count) {
		uint32_t n = 1 + next_random(most);

		if (done < edits && next_random((uint32_t)(from->count / (edits + 1)) + 1) == 0) {
			uint32_t kind = next_random(3);

			done++;
			for (uint32_t i = 0; i < n && kind != 0; i++, cost++)
				to->keys[to->count++] = 100000 + next_random(50);
			for (uint32_t i = 0; i < n && kind != 1 && at < from->count; i++, cost++)
				at++;
			continue;
		}
		to->keys[to->count++] = from->keys[at++];
	}
	return cost;
}

static struct diff diff_of(const struct sequence *a, const struct sequence *b)
{
	const struct diff_side x = {a->keys, a->count}, y = {b->keys, b->count};
	struct diff d = {.matched = 0};
	struct error e;

	assert_int_equal(diff_match(&d, &x, 0, &y, 0, NULL, &e), STATUS_OK);
	return d;
}

/* Every run is inside both, behind the one before, has the same numbers, and touches none. */
static void check_valid(const struct diff *d, const struct sequence *a, const struct sequence *b)
{
	uint64_t i = 0, j = 0, matched = 0;

	for (size_t k = 0; k < d->runs.count; k++) {
		const struct run *r = &d->runs.data[k];

		assert_true(r->length > 0);
		assert_true(r->a >= i && r->b >= j);
		if (k > 0)
			assert_true(r->a > i || r->b > j);
		i = r->a + r->length;
		j = r->b + r->length;
		assert_true(i <= a->count && j <= b->count);
		assert_memory_equal(a->keys + r->a, b->keys + r->b, r->length * sizeof(*a->keys));
		matched += r->length;
	}
	assert_int_equal(d->matched, matched);
}

/* Length of a longest common subsequence, by the book: O(n * m). */
static uint64_t longest(const struct sequence *a, const struct sequence *b)
{
	uint32_t *row = calloc(b->count + 1, sizeof(*row)), best;

	for (size_t i = 0; i < a->count; i++) {
		uint32_t corner = 0;

		for (size_t j = 0; j < b->count; j++) {
			uint32_t up = row[j + 1];

			if (a->keys[i] == b->keys[j])
				row[j + 1] = corner + 1;
			else if (row[j] > up)
				row[j + 1] = row[j];
			corner = up;
		}
	}
	best = row[b->count];
	free(row);
	return best;
}

TEST(test_equal)
{
	struct sequence a = make_loops(300000);
	struct diff d = diff_of(&a, &a);

	assert_false(d.bounded);
	assert_int_equal(d.runs.count, 1);
	assert_int_equal(d.matched, a.count);
	diff_free(&d);
	free(a.keys);
}

TEST(test_empty)
{
	struct sequence none = make(0, 1), some = make(1000, 9);
	struct diff d = diff_of(&none, &some);

	assert_int_equal(d.runs.count, 0);
	diff_free(&d);
	d = diff_of(&some, &none);
	assert_int_equal(d.runs.count, 0);
	diff_free(&d);
	d = diff_of(&none, &none);
	assert_int_equal(d.runs.count, 0);
	diff_free(&d);
	free(none.keys);
	free(some.keys);
}

/* Small ones, of few and of many kinds, against the minimum. */
TEST(test_near_minimal)
{
	uint64_t missed = 0, wanted = 0;

	for (int i = 0; i < ROUNDS(200); i++) {
		struct sequence a, b;
		struct diff d;
		uint64_t most;

		random_state = (uint64_t)i;
		a = i % 3 == 2 ? make_loops(900) : make(20 + next_random(900), i % 3 ? 500 : 6);
		edit(&a, &b, next_random(25), 1 + next_random(20));
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		most = longest(&a, &b);
		assert_true(d.matched <= most);
		if (a.count + b.count - 2 * most <= 256) {
			missed += most - d.matched;
			wanted += most;
		}
		if (most - d.matched > most / 6 + 8)
			fail_msg("seed %d: %lu of %lu matched", i, (unsigned long)d.matched,
				 (unsigned long)most);
		diff_free(&d);
		free(a.keys);
		free(b.keys);
	}
	assert_true(wanted > ROUNDS(25000));
	if (missed * 300 > wanted) /* one in three hundred */
		fail_msg("%lu of %lu missed", (unsigned long)missed, (unsigned long)wanted);
}

/* Large ones: no more unmatched than was edited, and the cost of it near linear. */
TEST(test_large)
{
	for (int i = 0; i < 12; i += 12 / ROUNDS(12)) {
		struct sequence a, b;
		struct diff d;
		size_t edits = 10 << (i % 6), cost;

		random_state = (uint64_t)i;
		a = i < 6 ? make_loops(200000) : make(200000, 3000);
		cost = edit(&a, &b, edits, i % 2 ? 40 : 4);
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		if ((a.count - d.matched) + (b.count - d.matched) > cost + cost / 20 + 10)
			fail_msg("case %d: %zu edited, %zu + %zu unmatched", i, cost,
				 (size_t)(a.count - d.matched), (size_t)(b.count - d.matched));
		diff_free(&d);
		free(a.keys);
		free(b.keys);
	}
}

/*
 * The same of 400 000 and some 370 000 numbers, which is too many edits for the shortest script:
 * most is found all the same, and it is said that there may be more.
 */
TEST(test_long_lossy_loop)
{
	enum { NUMBERS = 400000, BODY = 40 };
	struct sequence a = {malloc(NUMBERS * sizeof(uint32_t)), 0};
	struct sequence b = {malloc(NUMBERS * sizeof(uint32_t)), 0};
	struct diff d;

	random_state = 11;
	for (uint32_t i = 0; i < NUMBERS; i++) {
		a.keys[a.count++] = 1 + i % BODY;
		if (next_random(100) >= 7)
			b.keys[b.count++] = 1 + i % BODY;
	}
	d = diff_of(&a, &b);
	check_valid(&d, &a, &b);
	assert_true(d.matched > b.count / 10 * 9);
	assert_true(d.bounded);
	diff_free(&d);
	free(a.keys), free(b.keys);
}

/* A stretch that only one has, far longer than any search looks, with loops around it. */
TEST(test_long_insertion)
{
	struct sequence a, b, middle;
	struct diff d;

	random_state = 5;
	a = make_loops(60000);
	middle = make_loops(100000);
	b.count = a.count + middle.count;
	b.keys = malloc(b.count * sizeof(*b.keys));
	for (size_t i = 0; i < middle.count; i++)
		middle.keys[i] += 5000;
	memcpy(b.keys, a.keys, 30000 * sizeof(*b.keys));
	memcpy(b.keys + 30000, middle.keys, middle.count * sizeof(*b.keys));
	memcpy(b.keys + 30000 + middle.count, a.keys + 30000, 30000 * sizeof(*b.keys));
	a.keys[100] = 77777; /* so that it is not all front and back */
	a.keys[59900] = 77777;
	d = diff_of(&a, &b);
	check_valid(&d, &a, &b);
	assert_true(d.matched >= a.count - 2 - 40);
	diff_free(&d);
	free(a.keys), free(b.keys), free(middle.keys);
}

/* All along one number is common, or two or three, and then one is another or others are there. */
TEST(test_others_everywhere)
{
	enum { PLACES = 1000 };

	for (uint32_t common = 1; common <= 3; common++)
		for (uint32_t others = 1; others <= 2; others++) {
			struct sequence a = make(PLACES * (common + 1), 1);
			struct sequence b = make(PLACES * (common + others), 1);
			struct diff d;

			for (uint32_t i = 0; i < a.count; i++)
				a.keys[i] = 1 + i;
			for (uint32_t i = 0; i < b.count; i++) {
				uint32_t place = i / (common + others), k = i % (common + others);

				b.keys[i] = k < common ? 1 + place * (common + 1) + k : 1000000 + i;
			}
			d = diff_of(&a, &b);
			check_valid(&d, &a, &b);
			assert_true(d.matched > PLACES * common * 99 / 100);
			diff_free(&d);
			free(a.keys);
			free(b.keys);
		}
}

/*
 * A few numbers out of the middle of many: wherever they lie, on whichever side, and also where
 * some of them are others.
 */
TEST(test_excerpts)
{
	static const size_t lengths[] = {8, 13, 31, 32, 40, 64, 200, 1000};
	enum { NUMBERS = 3000 };
	struct sequence a = make(NUMBERS, 1);

	for (uint32_t i = 0; i < NUMBERS; i++)
		a.keys[i] = 1 + i;
	for (size_t i = 0; i < 3 * sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t n = lengths[i / 3], place = (i % 3 + 1) * (NUMBERS - n) / 4;
		struct sequence b = make(n, 1);
		uint64_t others = 0, ends = 0;
		struct diff d;

		memcpy(b.keys, a.keys + place, n * sizeof(*b.keys));
		for (int turn = 0; turn < 4; turn++) {
			for (size_t k = 20; turn == 2 && k < n; k += 40, others++) {
				b.keys[k] = NUMBERS + 1;
				ends = 20 + n - k - 1;
			}
			d = turn % 2 ? diff_of(&b, &a) : diff_of(&a, &b);
			check_valid(&d, turn % 2 ? &b : &a, turn % 2 ? &a : &b);
			/* before the first other one and behind the last one may be too few */
			if (d.matched + ends < n - others)
				fail_msg("%zu from %zu on: %lu matched", n, place,
					 (unsigned long)d.matched);
			diff_free(&d);
		}
		free(b.keys);
	}
	free(a.keys);
}

/* Nothing in common, or nothing but chance, which once takes more work than is done. */
TEST(test_all_different)
{
	for (int chance = 0; chance < 3; chance++) {
		const size_t n = chance == 1 ? 40000 : 3000;
		struct sequence a, b;
		struct diff d;

		random_state = 9;
		a = make(n, chance == 1 ? 5000 : 3);
		b = make(n, chance == 1 ? 5000 : 3);
		for (size_t i = 0; chance == 0 && i < b.count; i++)
			b.keys[i] += 10;
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		if (chance == 0)
			assert_int_equal(d.matched, 0);
		assert_int_equal(d.bounded, chance == 1);
		diff_free(&d);
		free(a.keys), free(b.keys);
	}
}

TEST(test_nothing_equals_nothing)
{
	struct sequence a = make(5000, 1);
	struct diff d;

	memset(a.keys, 0, a.count * sizeof(*a.keys));
	d = diff_of(&a, &a);
	assert_int_equal(d.matched, 0);
	diff_free(&d);
	free(a.keys);
}

TEST(test_interrupted)
{
	struct sequence a = make_loops(50000);
	const struct diff_side x = {a.keys, a.count};
	struct diff d = {.matched = 0};
	atomic_bool stop = true;
	struct error e;

	assert_int_equal(diff_match(&d, &x, 0, &x, 0, &stop, &e), STATUS_INTERRUPTED);
	free(a.keys);
}
