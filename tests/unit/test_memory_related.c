/*
 * What belongs together, how data are shared and what pushes what out of a cache, of an index that
 * is filled by hand.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "testing.h"

enum { WORDS = 12, OBJECTS = 4, CLASSES = 2, LINES = 3, CPUS = 2, BLOCK_WORDS = 4 };

static struct memory_word words[WORDS];
static struct memory_block blocks[WORDS];
static struct memory_object objects[OBJECTS];
static struct memory_cell cells[WORDS * LINES];
static struct memory_eviction evictions[64];

/*
 * Three words an object, four a block, of one size at both levels; the last object's words are of
 * none. Line l touches every word that l + 1 divides, from CPU l & 1: its cycles tell which.
 */
static struct memory_index filled(void)
{
	struct memory_index x = {.block_bytes = {16, 16},
				 .caches = {CPUS, 1},
				 .word_count = WORDS,
				 .words = words,
				 .block_count = 2 * WORDS / BLOCK_WORDS,
				 .blocks = blocks,
				 .object_count = OBJECTS,
				 .class_count = CLASSES,
				 .objects = objects,
				 .line_count = LINES,
				 .cells = cells,
				 .evictions = evictions};

	for (uint32_t i = 0; i < x.block_count; i++)
		blocks[i] = (struct memory_block){.address = 0x1000 + i / 2 * 16, .level = i % 2};
	for (uint32_t i = 0; i < OBJECTS; i++)
		objects[i] = (struct memory_object){.class = i % CLASSES};
	for (uint32_t w = 0; w < WORDS; w++) {
		const uint32_t block = w / BLOCK_WORDS * 2, object = w / 3;

		words[w] = (struct memory_word){
		    .address = 0x1000 + w * WORD_BYTES,
		    .block = {block, block + 1},
		    .object = object + 1 < OBJECTS ? object : MEMORY_NONE};
		for (uint32_t l = 0; l < LINES; l++)
			if (w % (l + 1) == 0)
				cells[x.cell_count++] =
				    (struct memory_cell){.word = w,
							 .object = words[w].object,
							 .line = l,
							 .cpu = l & 1,
							 .cycles = 100 * w + l,
							 .reads = 1,
							 .writes = l};
	}
	return x;
}

static struct memory_sums sum(const struct memory_index *x, enum memory_thing by,
			      const struct memory_selection *only)
{
	struct memory_sums s;

	assert_int_equal(memory_sum_up(&s, x, by, only, NULL), STATUS_OK);
	return s;
}

/* Whatever is summed by, the parts are the whole, and so are those of each selection. */
TEST(parts_are_the_whole)
{
	const struct memory_index x = filled();
	static const struct memory_selection everything;

	for (int by = 0; by < MEMORY_THING_COUNT; by++) {
		struct memory_sums all = sum(&x, (enum memory_thing)by, &everything);
		uint64_t cycles = 0;

		for (uint32_t i = 0; i <= all.count; i++) {
			struct memory_selection one = {.chosen = {false}};
			struct memory_sums s;

			one.chosen[by] = true;
			one.of[by] = i < all.count ? i : MEMORY_NONE;
			s = sum(&x, MEMORY_BY_WORD, &one);
			assert_int_equal(s.all.cycles, all.of[i].cycles);
			assert_int_equal(s.all.count, all.of[i].count);
			assert_int_equal(s.cycles, all.cycles);
			cycles += all.of[i].cycles;
			memory_sums_free(&s);
		}
		assert_int_equal(cycles, all.cycles);
		assert_int_equal(all.all.cycles, all.cycles);
		memory_sums_free(&all);
	}
}

TEST(related)
{
	const struct memory_index x = filled();
	const struct memory_selection line = {.chosen[MEMORY_BY_LINE] = true,
					      .of[MEMORY_BY_LINE] = 2};
	const struct memory_selection outside = {.chosen[MEMORY_BY_OBJECT] = true,
						 .of[MEMORY_BY_OBJECT] = MEMORY_NONE,
						 .chosen[MEMORY_BY_CPU] = true,
						 .of[MEMORY_BY_CPU] = 1};
	struct memory_sums s = sum(&x, MEMORY_BY_WORD, &line);

	/* words 0, 3, 6, 9 */
	assert_int_equal(s.touched, 4);
	assert_int_equal(s.all.cycles, 1808);
	assert_int_equal(s.of[6].cycles, 602);
	memory_sums_free(&s);
	/* of 9, 10, 11 the one that two divides */
	s = sum(&x, MEMORY_BY_LINE, &outside);
	assert_int_equal(s.touched, 1);
	assert_int_equal(s.of[1].cycles, 1001);
	memory_sums_free(&s);
}

TEST(verdicts)
{
	static const struct {
		uint64_t cycles, of_true, of_false;
		enum memory_verdict verdict;
	} cases[] = {
	    {1000, 0, 0, MEMORY_NOT_SHARED},     {1000, 49, 0, MEMORY_NOT_SHARED},
	    {1000, 50, 0, MEMORY_SHARED_TRUE},   {1000, 10, 40, MEMORY_SHARED_FALSE},
	    {1000, 21, 79, MEMORY_SHARED_MIXED}, {1000, 80, 20, MEMORY_SHARED_TRUE},
	    {1000, 79, 21, MEMORY_SHARED_MIXED}, {0, 0, 0, MEMORY_NOT_SHARED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct memory_sum s = {.cycles = cases[i].cycles};

		s.shared[MEMORY_LEVELS][0] = s.shared[MEMORY_L1][0] = cases[i].of_true;
		s.shared[MEMORY_LEVELS][1] = s.shared[MEMORY_L2][1] = cases[i].of_false;
		assert_int_equal(memory_verdict_of(&s, MEMORY_LEVELS), cases[i].verdict);
		/* each level by itself has one of them */
		assert_int_not_equal(memory_verdict_of(&s, MEMORY_L1), MEMORY_SHARED_FALSE);
		assert_int_not_equal(memory_verdict_of(&s, MEMORY_L2), MEMORY_SHARED_TRUE);
	}
}

/* ---- collisions ---- */

enum { SETS = 8 };

/* Blocks of one word each: block i at set i % SETS, of class i % CLASSES. */
static struct memory_index colliding(void)
{
	static struct memory_word one[64];
	static struct memory_block at[64];
	static struct memory_cell touched[64];

	for (uint32_t i = 0; i < 64; i++) {
		at[i] = (struct memory_block){.address = 0x1000 + i * 16, .level = MEMORY_L1, .word = i};
		one[i] = (struct memory_word){
		    .address = 0x1000 + i * 16, .block = {i, MEMORY_NONE}, .object = i % OBJECTS};
		touched[i] = (struct memory_cell){.word = i, .cycles = 1, .reads = 1};
	}
	for (uint32_t i = 0; i < OBJECTS; i++)
		objects[i] = (struct memory_object){.class = i % CLASSES};
	return (struct memory_index){.block_bytes = {16, 64},
				     .word_count = 64,
				     .words = one,
				     .block_count = 64,
				     .blocks = at,
				     .object_count = OBJECTS,
				     .objects = objects,
				     .class_count = CLASSES,
				     .cell_count = 64,
				     .cells = touched,
				     .evictions = evictions};
}

/* That block goes for the one a round further, and that for it. */
static void swap(struct memory_index *x, uint32_t block, uint64_t count)
{
	evictions[x->eviction_count++] = (struct memory_eviction){block, block + SETS, count};
	evictions[x->eviction_count++] = (struct memory_eviction){block + SETS, block, count};
}

static sharing_pairs collide(const struct memory_index *x)
{
	sharing_pairs c = {0};

	assert_true(sharing_collide(&c, x));
	return c;
}

/* Only one set is full: it has a conflict. All are: what is in one set alone has none either. */
TEST(full_sets_and_full_caches)
{
	struct memory_index x = colliding();
	sharing_pairs c;

	for (uint32_t i = 0; i < OBJECTS; i++)
		objects[i].class = i != 2;
	swap(&x, 2, 8);
	c = collide(&x);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.data[0].sets, SETS);
	assert_int_equal(c.data[0].hit, 1);
	assert_int_equal(c.data[0].count, 16);
	assert_ptr_equal(c.data[0].cause, sharing_conflict);
	vec_free(&c);
	for (uint32_t set = 0; set < SETS; set++)
		if (set % OBJECTS != 2) /* where the class has no blocks */
			swap(&x, set, 8);
	c = collide(&x);
	assert_int_equal(c.count, 2);
	assert_int_equal(c.data[0].victim.class, 0);
	assert_int_equal(c.data[0].hit, 1);
	assert_string_equal(c.data[0].cause, "capacity");
	vec_free(&c);
}

/* Others may say something else, as long as they are few; one eviction says nothing. */
TEST(sets_are_what_distances_have_in_common)
{
	struct memory_index x = colliding();
	sharing_pairs c;

	swap(&x, 0, 4);
	evictions[x.eviction_count++] = (struct memory_eviction){1, 4, 1};
	c = collide(&x);
	assert_int_equal(c.data[0].sets, SETS);
	vec_free(&c);
	evictions[2].count = 3;
	c = collide(&x);
	assert_int_equal(c.data[0].sets, 0);
	assert_null(c.data[0].cause);
	vec_free(&c);
	x = colliding();
	evictions[x.eviction_count++] = (struct memory_eviction){0, SETS, 1};
	c = collide(&x);
	assert_int_equal(c.data[0].sets, 0);
	vec_free(&c);
}

/* A row a pair of classes; blocks that are not published are left out. */
TEST(pairs_of_classes)
{
	struct memory_index x = colliding();
	sharing_pairs c;

	swap(&x, 0, 5);
	evictions[x.eviction_count++] = (struct memory_eviction){1, 8, 7};
	evictions[x.eviction_count++] = (struct memory_eviction){2, 9, 4};
	evictions[x.eviction_count++] = (struct memory_eviction){2, 64, 9};
	c = collide(&x);
	assert_int_equal(c.count, 3);
	assert_int_equal(c.data[0].victim.class, 0);
	assert_int_equal(c.data[0].culprit.class, 0);
	assert_int_equal(c.data[0].count, 10);
	assert_true(c.data[0].share == 10 / 14.0);
	assert_int_equal(c.data[1].culprit.class, 1);
	assert_true(c.data[1].share == 4 / 14.0);
	assert_int_equal(c.data[2].victim.class, 1);
	assert_true(c.data[2].share == 1);
	vec_free(&c);
}
