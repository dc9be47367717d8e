/*
 * Save files: written, read, merged; what is wrong with them is told; the paper's tables from them.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_file.h"
#include "reduce_sample.h"

static struct reduce_cycles cycles_at(const struct reduction *r, int64_t execute, int64_t setup)
{
	struct pipeline at = {execute, setup};
	struct reduce_cycles c;
	struct error e;

	assert_int_equal(reduce_evaluate(r, &at, 1, false, &c, &e), STATUS_OK);
	return c;
}

/* Table III; row 2 as it must be (the print repeats its second column), -1: not legible. */
static const struct {
	int execute;
	int64_t cycles[9];
} table_3[] = {
    {1, {0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {2, {28609, 28494, 28494, 28494, 28494, 28494, 28494, 28494, 28494}},
    {3, {59483, 58123, 58008, 58008, 58008, 58008, 58008, 58008, 58008}},
    {4, {90995, 89076, 87970, 87855, 87855, 87855, 87855, 87855, 87855}},
    {5, {122904, 120963, 119299, 118193, 118078, 118078, 118078, 118078, 118078}},
    {6, {154891, 152950, 151010, 149600, 148494, 148379, 148379, 148379, 148379}},
    {7, {186891, 184950, 183009, 181324, 179914, 178808, 178693, 178693, 178693}},
    {8, {218891, 216950, 215009, 213069, 211638, 210228, 209122, 209007, 209007}},
    {9, {250891, 248950, 247009, 245068, 243383, 241952, 240542, 239436, 239321}},
};

TEST(test_table_3)
{
	struct reduction r = sample("eigen");

	for (size_t row = 0; row < sizeof(table_3) / sizeof(table_3[0]); row++)
		for (int setup = 1; setup <= 9; setup++) {
			struct reduce_cycles c = cycles_at(&r, table_3[row].execute, setup);

			assert_int_equal(c.data, table_3[row].cycles[setup - 1]);
			assert_int_equal(c.stack + c.self, 0);
			assert_int_equal(c.cycles, 54693 + 4027 * (setup - 1) + c.data);
			assert_int_equal(c.naive, -1);
			assert_true(c.exact);
		}
	reduction_free(&r);
}

/* Table IV, upper half: (D(n) - D(n - 1)) / D(n) in thousandths, by E and S. */
TEST(test_table_4)
{
	static const struct {
		int e, s, n, thousandths;
	} cells[] = {
	    {2, 3, 2, 676}, {3, 4, 2, 609}, {4, 3, 2, 582}, {3, 2, 2, 611},  {2, 1, 2, 679},
	    {3, 1, 2, 611}, {4, 1, 2, 581}, {1, 3, 3, 509}, {1, 2, 3, 509},  {2, 3, 3, 408},
	    {1, 1, 3, 509}, {3, 2, 3, 382}, {2, 1, 3, 410}, {3, 1, 3, 381},  {1, 2, 4, 340},
	    {1, 1, 4, 340}, {2, 1, 4, 291}, {1, 1, 5, 256}, {1, 1, 2, 1000},
	};
	struct reduction r = sample("eigen");

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		int n = cells[i].n, e = cells[i].e, s = cells[i].s;
		int64_t now = cycles_at(&r, n * e, n * s).data;
		int64_t before = cycles_at(&r, (n - 1) * e, (n - 1) * s).data;

		assert_int_equal((2000 * (now - before) + now) / (2 * now), cells[i].thousandths);
	}
	reduction_free(&r);
}

/* "These 16 arcs contribute 16 cycles of delay in pipelines having N_E >= 7." */
TEST(test_extra_delays)
{
	struct reduction r = sample("gauss");

	for (int execute = 1; execute <= 12; execute++) {
		struct reduce_cycles c = cycles_at(&r, execute, 5);

		assert_int_equal(c.stack, execute >= 7 ? 16 : 0);
		assert_int_equal(c.flush, 4 * 7688);
	}
	reduction_free(&r);
}

/* ---- writing what was read ----------------------------------------------------------------- */

static char *written(const struct reduction *r)
{
	struct sbuf out = {.text = NULL};

	assert_true(reduction_write(r, &out));
	return out.text;
}

static const char whole[] = "pipeglass reduction 1\n"
			    "instructions 900\ntargets 300\nself 7\nbeyond 2\nsources 1500\n"
			    "cold 12\nahead 1\nunread 3\ncap 64\nr3plus\nshorts\n"
			    "arcs raw 1400\narcs r1 700\narcs r2 300\narcs r3 240\n"
			    "chains r1 700 1\nchains r2 1 298\nchains r2 2 1\nchains r3 1 200\n"
			    "raw 1 1000\nraw 63 400\nbranch 2 40\nbranch 17 5\n"
			    "arc 1 0 120\narc 1 1 10 4\narc 2 1 20\narc 5 0 2\narc 9 3 80 2 17\n"
			    "stack 20\nat 0 2 1\nat 1 9 3 2 17\n"
			    "stack 2\nat 0 5 0\nat 2 4 0\nat 4 4 0\n";

TEST(test_written_is_read)
{
	static const char *const names[] = {"eigen", "gauss"};
	struct reduction r, again;
	char *text, *second;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		r = sample(names[i]);
		text = written(&r);
		again = read_text(text);
		second = written(&again);
		assert_string_equal(text, second);
		assert_int_equal(cycles_at(&r, 9, 2).cycles, cycles_at(&again, 9, 2).cycles);
		reduction_free(&r);
		reduction_free(&again);
		free(text);
		free(second);
	}
}

TEST(test_every_keyword)
{
	struct reduction r = read_text(whole);
	char *out = written(&r);

	assert_string_equal(out, whole);
	assert_int_equal(r.stacks.list.count, 2);
	assert_int_equal(r.stacks.list.data[1].arcs, 3);
	assert_false(cycles_at(&r, 4, 4).exact);
	free(out);
	reduction_free(&r);
}

/* Comments, blanks, carriage returns, no newline at the end. */
TEST(test_loose_text)
{
	struct reduction r =
	    read_text("pipeglass reduction 1\r\n\r\n# what\n\t instructions\t5 # n\r\n"
		      "  arc 1  0 2#3\n"
		      "targets 1");

	assert_int_equal(r.instructions, 5);
	assert_int_equal(r.targets, 1);
	reduction_free(&r);
}

#define HEAD "pipeglass reduction 1\ninstructions 10\n"

static const struct {
	const char *text, *says;
} broken[] = {
    {"", "empty"},
    {"pipeglass reduction 2\n", "1: the first line"},
    {"pipeglass reduction 1\n", "`instructions` is missing"},
    {HEAD "instructions 10\n", "3: given twice"},
    {HEAD "instruction 10\n", "3: unknown keyword"},
    {HEAD "targets\n", "3: a number is missing"},
    {HEAD "targets 1 2\n", "3: too many numbers"},
    {HEAD "targets -1\n", "3: not a whole number"},
    {HEAD "targets 99999999999999999999999\n", "3: not a whole number"},
    {HEAD "targets 11\n", "more branches"},
    {HEAD "self 11\n", "more branches"},
    {HEAD "arcs r4 1\n", "3: not a stage"},
    {HEAD "arcs r1 1\narcs r1 1\n", "4: given twice"},
    {HEAD "chains raw 1 1\n", "3: there are no chains"},
    {HEAD "chains r1 1 1\nchains r1 1 1\n", "4: given twice"},
    {HEAD "cap 0\n", "3: the cap"},
    {HEAD "arc 1 0 11\n", "more dependent"},
    {HEAD "stack 1\nat 0 2 0\nat 1 2 0\n", "4: no `arc` line"},
    {HEAD "arc 2 0 1\nstack 2\nat 0 2 0\nat 1 3 0\n", "5: no `arc` line"},
    {HEAD "stack 1\nat 0 2 0\nat 1 3 0\nstack 1\nat 0 2 0\nat 1 2 0\narc 2 0 1\n",
     "7: no `arc` line"},
    {HEAD "targets 1\narc 2 1 7\nstack 1\nat 0 2 0\nat 1 3 0\n", "6: no `arc` line"},
    {HEAD "arc 1 0 1\narc 1 0 1\n", "4: given twice"},
    {HEAD "arc 1 2 1\n", "3: the distance"},
    {HEAD "arc 0 0 1\n", "3: the distance"},
    {HEAD "arc 2 1 1 2 3\n", "3: more short"},
    {HEAD "shorts\narc 2 2 1 3 2\n", "4: lengths"},
    {HEAD "arc 2 1 1 2\n", "no `shorts`"},
    {HEAD "cap 4\narc 4 0 1\n", "below the cap"},
    {HEAD "arc 10 0 1\n", "longer than the trace"},
    {HEAD "arc 2 1 1\n", "more branches than were taken"},
    {HEAD "arcs raw 9\narcs r1 5\narcs r2 6\n", "leaves more arcs"},
    {HEAD "branch 3 1\n", "more short branches"},
    {HEAD "at 0 1 0\n", "3: an arc of a stack"},
    {HEAD "stack 0\n", "3: a stack that never"},
    {HEAD "stack 1\nat 0 2 0\n", "4: the stack before"},
    {HEAD "stack 1\nat 1 2 0\n", "4: resolvers begin"},
    {HEAD "stack 1\nat 0 2 0\nat 0 3 0\n", "5: resolvers begin"},
    {HEAD "stack 1\nat 0 3 0\nat 1 2 0\n", "5: resolvers begin"},
    {HEAD "stack 1\nat 0 2 0\nat 2 2 0\n", "5: the arcs before"},
    {HEAD "stack 11\nat 0 2 0\nat 1 2 0\n", "more dependent"},
    {"pipeglass reduction 1\ninstructions 2000000000000\n", "2^40"},
};

TEST(test_broken_files)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct error e = {.text = ""};
		struct reduction r;

		assert_int_equal(reduction_read(&r, broken[i].text, strlen(broken[i].text), &e),
				 STATUS_INPUT);
		if (!strstr(e.text, broken[i].says))
			fail_msg("\"%s\" says \"%s\"", broken[i].text, e.text);
	}
}

/* ---- merging ------------------------------------------------------------------------------- */

TEST(test_merge)
{
	struct reduction a = sample("eigen"), b = sample("gauss"), sum;
	struct error e;

	assert_true(reduction_init(&sum));
	assert_int_equal(reduction_merge(&sum, &a, 3, &e), STATUS_OK);
	assert_int_equal(reduction_merge(&sum, &b, 5, &e), STATUS_OK);
	assert_int_equal(reduction_merge(&sum, &b, 0, &e), STATUS_OK);
	for (int execute = 1; execute <= 9; execute++)
		for (int setup = 1; setup <= 9; setup++) {
			struct reduce_cycles x = cycles_at(&a, execute, setup);
			struct reduce_cycles y = cycles_at(&b, execute, setup);
			struct reduce_cycles z = cycles_at(&sum, execute, setup);

			assert_int_equal(z.cycles, 3 * x.cycles + 5 * y.cycles);
			assert_int_equal(z.stack, 5 * y.stack);
		}
	assert_int_equal(sum.arcs[REDUCE_RAW], REDUCE_UNKNOWN);
	assert_int_equal(sum.arcs[REDUCE_R2], 3 * 32320 + 5 * 41685);
	assert_int_equal(reduction_merge(&sum, &a, UINT64_C(1) << 30, &e), STATUS_INPUT);
	reduction_free(&a);
	reduction_free(&b);
	reduction_free(&sum);
}

/* With one that knows short branches and one that does not, none are known. */
TEST(test_merge_drops_lengths)
{
	struct reduction a =
	    read_text(HEAD "targets 3\nr3plus\nshorts\nbranch 2 3\narc 3 1 1 2\n"
			   "arc 3 1 2\narc 4 0 1\nstack 1\nat 0 4 0\nat 2 3 1 2\n");
	struct reduction b = read_text(HEAD "targets 1\narc 2 1 1\n");
	struct error e;
	int64_t before = cycles_at(&a, 6, 3).cycles;
	struct reduction again;
	char *text;

	assert_int_equal(reduction_merge(&a, &b, 1, &e), STATUS_OK);
	assert_false(a.shorts);
	assert_false(a.r3plus);
	assert_int_equal(cycles_at(&a, 6, 3).cycles, before + cycles_at(&b, 6, 3).cycles);
	text = written(&a);
	assert_non_null(strstr(text, "\narc 3 1 3\n"));
	again = read_text(text);
	assert_int_equal(cycles_at(&a, 6, 3).cycles, cycles_at(&again, 6, 3).cycles);
	reduction_free(&again);
	free(text);
	reduction_free(&a);
	reduction_free(&b);
}
