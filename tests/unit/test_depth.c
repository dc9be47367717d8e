/*
 * Pipeline design: the paper's numbers for EIGEN, exact best lengths, and what has no answer.
 */
#include "config.h"

#include <math.h>

#include "analysis/pipeline/depth.h"
#include "reduce_sample.h"

static struct fraction fraction(const char *text)
{
	struct fraction f;

	assert_true(fraction_parse(text, &f));
	return f;
}

static struct depth design(const struct reduction *r, const char *es, const char *gamma, int64_t k)
{
	struct depth_options options = {fraction(es), fraction(gamma), k, false, NULL};
	struct error e = {.text = ""};
	struct depth d;

	if (depth_design(&d, r, &options, &e))
		fail_msg("%s", e.text);
	return d;
}

/* Equal as far as the digits go. */
static void assert_near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* ---- the paper ----------------------------------------------------------------------------- */

TEST(test_exact_gamma)
{
	static const double gamma[] = {5.867, 19.993, 42.491, 77.713, 119.478, 168.093};
	struct reduction r = sample("eigen");
	struct depth d = design(&r, "1", "75", 2);

	for (size_t i = 0; i < sizeof(gamma) / sizeof(gamma[0]); i++) {
		assert_int_equal(d.at[i].n, i + 1);
		assert_near(d.at[i].gamma, gamma[i], 0.0005);
	}
	assert_near(d.at[5].penalty, 148379.0 / 54693, 1e-12);
	assert_near(d.at[3].speedup, 2.59099, 0.000005);
	assert_near(d.at[4].speedup, 2.58906, 0.000005);
	assert_near(d.at[5].speedup, 2.56862, 0.000005);
	assert_int_equal(d.best_n, 4);
	assert_near(d.best_speedup, d.at[3].speedup, 0);
	reduction_free(&r);
}

TEST(test_estimators)
{
	struct reduction r = sample("eigen");
	struct depth d = design(&r, "1", "75", 2);

	assert_int_equal(d.alpha_state, DEPTH_FOUND);
	assert_near(d.alpha, 0.34089, 0.000005);
	assert_near(d.n_opt, 5.056, 0.0005);
	d = design(&r, "1", "75", 3);
	assert_near(d.alpha, 0.32790, 0.000005);
	assert_near(d.n_opt, 4.959, 0.0005);
	d = design(&r, "1", "2000", 2);
	assert_near(d.n_opt, 26.1, 0.05);
	assert_int_equal(d.best_n, 22);
	reduction_free(&r);
}

TEST(test_table_5)
{
	static const struct {
		const char *es;
		double growth, coefficient;
		int64_t steady;
	} rows[] = {
	    {"1", 30314, 4.00221, 6},    {"2", 62059, 12.79166, 3},   {"2/3", 60628, 21.18437, 3},
	    {"3", 94059, 25.31578, 2},   {"3/2", 92373, 32.39790, 3}, {"4", 126059, 41.96864, 2},
	    {"3/4", 90942, 43.66587, 2},
	};
	struct reduction r = sample("eigen");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct depth d = design(&r, rows[i].es, "1", 4);
		int64_t n = rows[i].steady;

		assert_near(d.growth * 54693, rows[i].growth, 1e-6);
		assert_near(d.coefficient, rows[i].coefficient, 0.000005);
		assert_int_equal(d.steady, n);
		for (; n < DEPTH_POINTS; n++)
			assert_near(d.at[n - 1].gamma, d.coefficient * (double)(n * (n + 1)), 1e-6);
		assert_false(d.stacks);
	}
	reduction_free(&r);
}

/* "If gamma is exactly 168 the best has six segments each; 169: seven." */
TEST(test_best_by_gamma)
{
	struct reduction r = sample("eigen");

	assert_int_equal(design(&r, "1", "168", 2).best_n, 6);
	assert_int_equal(design(&r, "1", "168.09", 2).best_n, 6);
	assert_int_equal(design(&r, "1", "168.1", 2).best_n, 7);
	assert_int_equal(design(&r, "1", "169", 2).best_n, 7);
	assert_int_equal(design(&r, "1", "0", 2).best_n, 1);
	reduction_free(&r);
}

/* Nothing that can be looked at is better than the best, and less is as good. */
TEST(test_best_is_best)
{
	static const char *const ratios[] = {"1", "2", "1/3", "3/2"};
	static const char *const gammas[] = {"0.5", "3", "17", "75", "300", "999.5"};
	static const char *const names[] = {"eigen", "gauss"};

	for (int i = 0; i < 2 * 4 * 6; i++) {
		struct reduction r = sample(names[i % 2]);
		struct depth d = design(&r, ratios[i / 2 % 4], gammas[i / 8], 4);

		assert_int_equal(d.best_state, DEPTH_FOUND);
		for (int n = 1; n <= DEPTH_POINTS; n++) {
			double tie = d.at[n - 1].speedup - d.best_speedup;

			assert_true(n < d.best_n ? tie < 1e-12 : tie <= 1e-12);
			if (n > 1)
				assert_true(d.at[n - 1].gamma >= d.at[n - 2].gamma);
		}
		reduction_free(&r);
	}
}

/* ---- what has no answer --------------------------------------------------------------------- */

#define FILE_HEAD "pipeglass reduction 1\n"

static const struct {
	const char *text, *es;
	int64_t k;
	enum depth_state best, alpha;
} odd[] = {
    /* nothing ever delays: longer is always faster */
    {FILE_HEAD "instructions 10\n", "1", 2, DEPTH_GROWS, DEPTH_GROWS},
    {FILE_HEAD "instructions 10\n", "1", 1, DEPTH_GROWS, DEPTH_K_SHORT},
    {FILE_HEAD "instructions 10\narc 1 0 1\n", "1/2", 2, DEPTH_FOUND, DEPTH_FOUND},
    {FILE_HEAD "instructions 10\narc 5 0 1\n", "1", 2, DEPTH_FOUND, DEPTH_K_FREE},
    /* only branches: no dependency to estimate, but an optimum */
    {FILE_HEAD "instructions 10\ntargets 1\n", "1", 2, DEPTH_FOUND, DEPTH_FOUND},
    /* every instruction a target: a longer pipeline is never better */
    {FILE_HEAD "instructions 10\ntargets 10\narc 1 0 5\n", "1", 2, DEPTH_FOUND, DEPTH_ONE},
    {FILE_HEAD "instructions 10\nself 10\n", "1", 2, DEPTH_FOUND, DEPTH_ONE},
    {FILE_HEAD "instructions 1\n", "2/3", 3, DEPTH_GROWS, DEPTH_GROWS},
    /* an optimum, but at more segments than are looked at */
    {FILE_HEAD "instructions 1000000000\ntargets 1\n", "1", 2, DEPTH_BEYOND, DEPTH_FOUND},
};

TEST(test_odd_traces)
{
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct reduction r = read_text(odd[i].text);
		struct depth d = design(&r, odd[i].es, "100", odd[i].k);

		assert_int_equal(d.best_state, odd[i].best);
		assert_int_equal(d.alpha_state, odd[i].alpha);
		reduction_free(&r);
	}
}

TEST(test_never_better)
{
	const char *text = odd[5].text;
	struct reduction r = read_text(text);
	struct depth d = design(&r, "1", "1000000000", 2);

	assert_true(isinf(d.at[1].gamma));
	assert_true(isinf(d.coefficient));
	assert_true(d.alpha < 0);
	assert_near(d.n_opt, 1, 0);
	assert_true(d.best_n <= 2);
	reduction_free(&r);
}

TEST(test_refused)
{
	struct reduction r = sample("eigen"), empty;
	static const atomic_bool stopped = true;
	static const struct {
		struct depth_options options;
		enum status status;
	} cases[] = {
	    {{{0, 1}, {1, 1}, 2, false, NULL}, STATUS_USAGE},
	    {{{101, 1}, {1, 1}, 2, false, NULL}, STATUS_USAGE},
	    {{{1, 101}, {1, 1}, 2, false, NULL}, STATUS_USAGE},
	    {{{1, 1}, {-1, 1}, 2, false, NULL}, STATUS_USAGE},
	    {{{1, 1}, {1, 1}, 33, false, NULL}, STATUS_USAGE},
	    {{{1, 1}, {1, 1}, -1, false, NULL}, STATUS_USAGE},
	    {{{1, 1}, {1, 1}, 2, true, NULL}, STATUS_USAGE},
	    {{{1, 1}, {1, 1}, 2, false, &stopped}, STATUS_INTERRUPTED},
	};
	struct depth_options fine = {{1, 1}, {1, 1}, 2, false, NULL};
	struct depth d;
	struct error e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(depth_design(&d, &r, &cases[i].options, &e), cases[i].status);
	assert_true(reduction_init(&empty));
	assert_int_equal(depth_design(&d, &empty, &fine, &e), STATUS_INPUT);
	reduction_free(&empty);
	reduction_free(&r);
}

/* Short flushes: every n is compared. */
TEST(test_short_branches)
{
	const char *text = FILE_HEAD "instructions 100\ntargets 50\nshorts\nbranch 3 50\n"
				     "arc 1 1 50 3\n";
	struct reduction r = read_text(text);
	struct depth_options options = {fraction("1"), fraction("50"), 2, true, NULL};
	struct error e;
	struct depth d;

	assert_int_equal(depth_design(&d, &r, &options, &e), STATUS_OK);
	for (int n = 0; n < DEPTH_POINTS; n++)
		assert_true(d.at[n].speedup <= d.best_speedup);
	assert_int_equal(d.at[9].cycles.flush, 100);
	assert_near(d.best_speedup, d.at[d.best_n - 1].speedup, 0);
	reduction_free(&r);
}

TEST(test_fractions)
{
	static const struct {
		const char *text;
		int64_t num, den; /* den 0: refused */
	} cases[] = {
	    {"1", 1, 1},
	    {"2/3", 2, 3},
	    {"4/6", 2, 3},
	    {"0.25", 1, 4},
	    {"168.093", 168093, 1000},
	    {".5", 1, 2},
	    {"0", 0, 1},
	    {"1000000000", 1000000000, 1},
	    {"", 0, 0},
	    {"x", 0, 0},
	    {"1/0", 0, 0},
	    {"1/", 0, 0},
	    {"/2", 0, 0},
	    {"-1", 0, 0},
	    {"1.0000001", 0, 0},
	    {"2000000000", 0, 0},
	    {"99999999999999999999", 0, 0},
	    {"1 ", 0, 0},
	    {"1/2/3", 0, 0},
	    {".", 0, 0},
	    {"1/99999999999999999999", 0, 0},
	    {"1e3", 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fraction f;

		assert_int_equal(fraction_parse(cases[i].text, &f), cases[i].den != 0);
		if (cases[i].den) {
			assert_int_equal(f.num, cases[i].num);
			assert_int_equal(f.den, cases[i].den);
		}
	}
}

TEST(test_setup_latency)
{
	struct setup_parts parts = {.fetch = 3,
				    .decode = 1,
				    .registers = 1.5,
				    .register_cycles = 1,
				    .operands = 0.5,
				    .operand_cycles = 4};

	assert_near(setup_latency(&parts), 7.5, 0);
	assert_int_equal(setup_segments(7.5, 0.8), 6);
	assert_int_equal(setup_segments(0, 1), 1);
	assert_int_equal(setup_segments(NAN, 1), 1);
	assert_int_equal(setup_segments(1e300, 1e300), REDUCE_CAP);
}
