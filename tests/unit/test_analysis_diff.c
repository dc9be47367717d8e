/* The diff, on sequences of numbers. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diff.h"
#include "analysis/lcs.h"

struct sequence {
	uint32_t *keys;
	size_t count;
};

static size_t pages_read;

static size_t read_sequence(void *arg, uint64_t first, size_t n, uint32_t *out)
{
	const struct sequence *s = arg;

	assert_true(first + n <= s->count);
	memcpy(out, s->keys + first, n * sizeof(*out));
	pages_read++;
	return n;
}

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

static struct diff diff_of(struct sequence *a, struct sequence *b)
{
	struct diff_side x = {a->count, read_sequence, a}, y = {b->count, read_sequence, b};
	struct diff d;
	struct error e;

	assert_int_equal(diff_new(&d, &x, &y, NULL, &e), STATUS_OK);
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

/* As many as by the book; the stretches are common, in order, and none touches the one before. */
static void test_longest_common(void **state)
{
	struct lcs l = {.work = 0};

	(void)state;
	for (int i = 0; i < 3000; i++) {
		struct sequence a, b;
		struct diff d = {.matched = 0};

		random_state = (uint64_t)i;
		a = i % 2 ? make(next_random(60), 1 + next_random(9))
			  : make_loops(next_random(300));
		if (i % 3)
			edit(&a, &b, next_random(25), 1 + next_random(20));
		else
			b = make(next_random(200), 1 + next_random(60));
		assert_true(lcs_find(&l, a.keys, a.count, b.keys, b.count));
		for (size_t k = 0; k < l.runs.count; k++)
			assert_true(diff_add(&d, l.runs.data[k].a, l.runs.data[k].b,
					     l.runs.data[k].length));
		assert_int_equal(d.runs.count, l.runs.count);
		check_valid(&d, &a, &b);
		assert_int_equal(d.matched, longest(&a, &b));
		diff_free(&d);
		free(a.keys), free(b.keys);
	}
	lcs_free(&l);
}

static void test_longest_of_nothing(void **state)
{
	static const uint32_t nothing[] = {DIFF_NOTHING, 5, DIFF_NOTHING};
	struct lcs l = {.work = 0};

	(void)state;
	assert_true(lcs_find(&l, nothing, 3, nothing, 3));
	assert_int_equal(l.runs.count, 1);
	assert_int_equal(l.runs.data[0].a, 1);
	assert_int_equal(l.runs.data[0].length, 1);
	assert_true(lcs_find(&l, nothing, 0, nothing, 3));
	assert_int_equal(l.runs.count, 0);
	lcs_free(&l);
}

/* One number among very many: that it is a long narrow box does not make it slow. */
static void test_longest_of_one(void **state)
{
	enum { MANY = 300000 };
	struct sequence a = make(1, 1), b = make(MANY, 1);
	struct lcs l = {.work = 0};

	(void)state;
	for (uint32_t i = 0; i < MANY; i++)
		b.keys[i] = 2 + i;
	for (int there = 0; there < 2; there++) {
		a.keys[0] = there ? b.keys[MANY / 3] : 1;
		assert_true(lcs_find(&l, a.keys, 1, b.keys, MANY));
		assert_int_equal(l.runs.count, there);
		assert_true(lcs_find(&l, b.keys, MANY, a.keys, 1));
		assert_int_equal(l.runs.count, there);
	}
	assert_true(l.work < 40 * MANY);
	l.limit = 1000;
	assert_true(lcs_find(&l, b.keys, MANY, a.keys, 1));
	assert_true(l.gave_up);
	assert_int_equal(l.runs.count, 0);
	lcs_free(&l);
	free(a.keys), free(b.keys);
}

/* A few numbers that are there but once, far apart: no chance. */
static void test_far_apart(void **state)
{
	struct sequence a = make(10, 1), b = make(300, 1);
	struct diff d;

	(void)state;
	for (uint32_t i = 0; i < b.count; i++)
		b.keys[i] = 1 + i;
	for (uint32_t i = 0; i < a.count; i++)
		a.keys[i] = 20 + 25 * i;
	d = diff_of(&a, &b);
	check_valid(&d, &a, &b);
	assert_int_equal(d.matched, a.count);
	diff_free(&d);
	free(a.keys), free(b.keys);
}

/* One of so many numbers is another, or lost. */
static struct sequence spoil(const struct sequence *from, uint32_t every, bool other)
{
	struct sequence s = {malloc((from->count + 1) * sizeof(uint32_t)), 0};
	uint32_t next = every;

	for (size_t i = 0; i < from->count; i++) {
		bool here = --next == 0;

		if (here)
			next = 1 + next_random(2 * every - 1);
		if (!here || other)
			s.keys[s.count++] = here ? 9000000 + (uint32_t)i : from->keys[i];
	}
	return s;
}

/* a with `more` at place `at`. */
static struct sequence insert(const struct sequence *a, size_t at, const struct sequence *more)
{
	struct sequence s = {malloc((a->count + more->count + 1) * sizeof(uint32_t)), 0};

	memcpy(s.keys, a->keys, at * sizeof(*s.keys));
	memcpy(s.keys + at, more->keys, more->count * sizeof(*s.keys));
	memcpy(s.keys + at + more->count, a->keys + at, (a->count - at) * sizeof(*s.keys));
	s.count = a->count + more->count;
	return s;
}

/*
 * One has a stretch of its own, at its head or in its middle, longer than any number of edits that
 * is looked for, and all else differs at every few numbers: against the minimum, where that can be
 * had, else against what was left in common.
 */
static void test_own_stretch(void **state)
{
	static const struct {
		size_t numbers, own;
	} sizes[] = {{1500, 256}, {1500, 600}, {3000, 3000}, {12000, 3000}, {6000, 500}};

	(void)state;
	for (uint32_t i = 0; i < 5 * 2 * 2 * 8; i++) {
		uint32_t every = 3 + i / 20 * 4, size = i % 5;
		struct sequence common, own, a, b;
		struct lcs l = {.work = 0};
		uint64_t most = 0;
		struct diff d;

		random_state = i;
		common =
		    size % 2 ? make_loops(sizes[size].numbers) : make(sizes[size].numbers, 1000000);
		own = make_loops(sizes[size].own);
		for (size_t k = 0; k < own.count; k++)
			own.keys[k] += 5000000;
		a = insert(&common, i & 4 ? common.count / 2 : 0, &own);
		b = spoil(&common, every, i & 8);
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		if (size != 3)
			assert_true(lcs_find(&l, a.keys, a.count, b.keys, b.count));
		for (size_t k = 0; k < l.runs.count; k++)
			most += l.runs.data[k].length;
		if (size == 3)
			most = b.count - (i & 8 ? b.count / every : 0);
		/* turns of a loop may be taken for others, and at every third there is no anchor */
		if (d.matched + most / (every < 7 ? 4 : 8) < most)
			fail_msg("%u: own %zu, every %u: %lu of %lu", i, own.count, every,
				 (unsigned long)d.matched, (unsigned long)most);
		diff_free(&d);
		lcs_free(&l);
		free(common.keys), free(own.keys), free(a.keys), free(b.keys);
	}
}

static void test_equal(void **state)
{
	struct sequence a = make_loops(300000);
	struct diff d = diff_of(&a, &a);

	(void)state;
	assert_int_equal(d.runs.count, 1);
	assert_int_equal(d.matched, a.count);
	assert_true(d.work <= 4 * a.count);
	diff_free(&d);
	free(a.keys);
}

static void test_empty(void **state)
{
	struct sequence none = make(0, 1), some = make(1000, 9);
	struct diff d = diff_of(&none, &some);

	(void)state;
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
static void test_near_minimal(void **state)
{
	uint64_t missed = 0, wanted = 0;

	(void)state;
	for (int i = 0; i < 400; i++) {
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
		if (a.count + b.count - 2 * most <= DIFF_EDITS) {
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
	assert_true(wanted > 50000);
	if (missed * 300 > wanted) /* one in three hundred */
		fail_msg("%lu of %lu missed", (unsigned long)missed, (unsigned long)wanted);
}

/* Large ones: no more unmatched than was edited, and the cost of it near linear. */
static void test_large(void **state)
{
	(void)state;
	for (int i = 0; i < 12; i++) {
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
		if (d.work > 40 * (a.count + b.count))
			fail_msg("case %d: work %lu", i, (unsigned long)d.work);
		diff_free(&d);
		free(a.keys);
		free(b.keys);
	}
}

/* Turns of one loop, of which each side has lost some numbers: no turn is taken for another. */
static void test_lossy_loop(void **state)
{
	static const uint32_t lost[] = {1, 2, 5, 10}; /* of a hundred */
	enum { NUMBERS = 3000, BODY = 40 };

	(void)state;
	for (size_t l = 0; l < sizeof(lost) / sizeof(lost[0]); l++) {
		struct sequence a = {malloc(NUMBERS * sizeof(uint32_t)), 0};
		struct sequence b = {malloc(NUMBERS * sizeof(uint32_t)), 0};
		struct diff d;
		uint64_t most;

		random_state = l;
		for (uint32_t i = 0; i < NUMBERS; i++) {
			if (next_random(100) >= lost[l])
				a.keys[a.count++] = 1 + i % BODY;
			if (next_random(100) >= lost[l])
				b.keys[b.count++] = 1 + i % BODY;
		}
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		most = longest(&a, &b);
		if (d.matched + most / 50 < most)
			fail_msg("%u %% lost: %lu of %lu", lost[l], (unsigned long)d.matched,
				 (unsigned long)most);
		diff_free(&d);
		free(a.keys), free(b.keys);
	}
}

/* A stretch that only one has, far longer than any search looks, with loops around it. */
static void test_long_insertion(void **state)
{
	struct sequence a, b, middle;
	struct diff d;

	(void)state;
	random_state = 5;
	a = make_loops(60000);
	middle = make_loops(500000);
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
	assert_true(d.work < 4 * (a.count + b.count));
	diff_free(&d);
	free(a.keys), free(b.keys), free(middle.keys);
}

/* All along one number is common, or two or three, and then one is another or others are there. */
static void test_others_everywhere(void **state)
{
	enum { PLACES = 3000 };

	(void)state;
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
static void test_excerpts(void **state)
{
	static const size_t lengths[] = {1, 4, 8, 13, 31, 32, 40, 64, 200, 1000};
	enum { NUMBERS = 20000 };
	struct sequence a = make(NUMBERS, 1);

	(void)state;
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
			assert_true(d.work < 40 * (a.count + b.count));
			diff_free(&d);
		}
		free(b.keys);
	}
	free(a.keys);
}

/* A short one with loops in it: what is there more often than here does not hide what is not. */
static void test_excerpt_of_loops(void **state)
{
	struct sequence a, b;
	struct diff d;

	(void)state;
	random_state = 3;
	a = make_loops(200000);
	for (size_t i = 1000; i < a.count; i += 1000) /* what is there once */
		a.keys[i] = 100000 + (uint32_t)i;
	b = (struct sequence){a.keys + 120990, 24};
	d = diff_of(&a, &b);
	check_valid(&d, &a, &b);
	assert_int_equal(d.matched, b.count);
	assert_int_equal(d.runs.count, 1);
	assert_int_equal(d.runs.data[0].a, 120990);
	diff_free(&d);
	free(a.keys);
}

/* Stretches of what one turn of a loop says, in any order, by chance. */
static struct sequence make_turns(size_t turns, uint32_t kinds)
{
	struct sequence s = {malloc((turns * 12 + 1) * sizeof(uint32_t)), 0};

	for (size_t i = 0; i < turns; i++) {
		uint32_t kind = next_random(kinds);

		for (uint32_t k = 0; k < 2 + kind % 10; k++)
			s.keys[s.count++] = k < 2 ? k + 1 : 100 * kind + k + 1;
	}
	return s;
}

/* All of a stretch is found, whatever else begins as it does. */
static void test_excerpt_of_turns(void **state)
{
	(void)state;
	for (size_t i = 0; i < 60; i++) {
		struct sequence a, b;
		struct diff d;

		random_state = i;
		a = make_turns(30 + 40 * i, 2 + (uint32_t)i % 12);
		b.count = 1 + next_random((uint32_t)a.count / 2);
		b.keys = a.keys + next_random((uint32_t)(a.count - b.count));
		d = i % 2 ? diff_of(&b, &a) : diff_of(&a, &b);
		assert_int_equal(d.matched, b.count);
		assert_int_equal(d.runs.count, 1);
		diff_free(&d);
		free(a.keys);
	}
}

/* Whatever their lengths, both are read a few times as a whole. */
static void test_pages(void **state)
{
	static const size_t lengths[] = {200000, (1 << 18) - 1000, 1 << 18, (1 << 18) + 5000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sequence a, b;
		struct diff d;

		random_state = i;
		a = make(400000, 1000);
		b = (struct sequence){a.keys + 100000, lengths[i]};
		pages_read = 0;
		d = diff_of(&a, &b);
		assert_int_equal(d.matched, b.count);
		assert_true(pages_read < 300);
		diff_free(&d);
		free(a.keys);
	}
}

/* An interpreter's loop over two programs, of which one is short. */
static void test_other_turns(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 40; i++) {
		struct sequence a, b;
		struct diff d;

		random_state = i;
		a = make_turns(60 + next_random(60), 4 + (uint32_t)i % 9);
		b = make_turns(300 + next_random(200), 4 + (uint32_t)i % 9);
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		if (d.matched * 10 < longest(&a, &b) * 8)
			fail_msg("%lu: %lu of %zu", (unsigned long)i, (unsigned long)d.matched,
				 (size_t)longest(&a, &b));
		diff_free(&d);
		free(a.keys), free(b.keys);
	}
}

/* Nothing in common, or nothing but chance. */
static void test_all_different(void **state)
{
	(void)state;
	for (int chance = 0; chance < 3; chance++) {
		struct sequence a, b;
		struct diff d;

		random_state = 9;
		a = make(300000, chance == 1 ? 5000 : 3);
		b = make(300000, chance == 1 ? 5000 : 3);
		for (size_t i = 0; chance == 0 && i < b.count; i++)
			b.keys[i] += 10;
		d = diff_of(&a, &b);
		check_valid(&d, &a, &b);
		if (chance == 0)
			assert_int_equal(d.matched, 0);
		/* a shortest script was looked for in vain, too */
		if (d.work > 60 * (a.count + b.count) + (1 << 28))
			fail_msg("chance %d: work %lu", chance, (unsigned long)d.work);
		diff_free(&d);
		free(a.keys), free(b.keys);
	}
}

static void test_nothing_equals_nothing(void **state)
{
	struct sequence a = make(5000, 1);
	struct diff d;

	(void)state;
	memset(a.keys, 0, a.count * sizeof(*a.keys));
	d = diff_of(&a, &a);
	assert_int_equal(d.matched, 0);
	diff_free(&d);
	free(a.keys);
}

static void test_interrupted(void **state)
{
	struct sequence a = make_loops(50000);
	struct diff_side x = {a.count, read_sequence, &a};
	atomic_bool stop = true;
	struct diff d;
	struct error e;

	(void)state;
	assert_int_equal(diff_new(&d, &x, &x, &stop, &e), STATUS_INTERRUPTED);
	free(a.keys);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_longest_common),
	    cmocka_unit_test(test_longest_of_nothing),
	    cmocka_unit_test(test_longest_of_one),
	    cmocka_unit_test(test_far_apart),
	    cmocka_unit_test(test_own_stretch),
	    cmocka_unit_test(test_equal),
	    cmocka_unit_test(test_empty),
	    cmocka_unit_test(test_near_minimal),
	    cmocka_unit_test(test_large),
	    cmocka_unit_test(test_lossy_loop),
	    cmocka_unit_test(test_long_insertion),
	    cmocka_unit_test(test_excerpts),
	    cmocka_unit_test(test_others_everywhere),
	    cmocka_unit_test(test_excerpt_of_loops),
	    cmocka_unit_test(test_excerpt_of_turns),
	    cmocka_unit_test(test_other_turns),
	    cmocka_unit_test(test_pages),
	    cmocka_unit_test(test_all_different),
	    cmocka_unit_test(test_nothing_equals_nothing),
	    cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
