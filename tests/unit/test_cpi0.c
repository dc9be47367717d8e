/*
 * The formula, against the theory's numbers and against the machine simulated: on uniform mixes
 * they are the same to the last bit, elsewhere they part as far as was measured.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_kinds.h"
#include "analysis/pipeline/cpi0_simulate.h"
#include "analysis/pipeline/cpi0_triangle.h"
#include "analysis/pipeline/cpi0_words.h"
#include "base/embedded.h"
#include "base/sbuf.h"
#include "testing.h"

#define ROB                                                                                        \
	"machine rob\ndispatch 4\nin-flight 32\n"                                                  \
	"queue m\ncapacity 16\nrate 1\ntakes load\n"                                               \
	"queue i\ncapacity 16\nrate 2\ntakes integer\n"                                            \
	"queue f\ncapacity 16\nrate 2\ntakes fp-add\n"

static struct machine machine_of(const char *text, size_t len)
{
	struct machine m;
	struct error e;

	if (machine_read(&m, text, len, &e))
		fail_msg("%s", e.text);
	return m;
}

static struct machine shipped(const char *name)
{
	const struct embedded_file *f = embedded_find(name);

	assert_non_null(f);
	return machine_of((const char *)f->bytes, f->len);
}

static struct cpi0_mix mix_of(const struct machine *m, const char *list)
{
	struct cpi0_mix mix;
	struct error e;

	if (cpi0_mix_parse(&mix, m, list, &e))
		fail_msg("%s", e.text);
	return mix;
}

static struct cpi0 model(const struct machine *m, const struct cpi0_mix *mix)
{
	struct error e;
	struct cpi0 c;

	if (cpi0_model(&c, m, mix, &e))
		fail_msg("%s", e.text);
	return c;
}

static struct cpi0 model_of(const struct machine *m, const char *list)
{
	struct cpi0_mix mix = mix_of(m, list);

	return model(m, &mix);
}

static void assert_ratio(struct cpi0_ratio r, unsigned num, unsigned den)
{
	if (cpi0_compare(r, (struct cpi0_ratio){num, den}) != 0)
		fail_msg("%.17g is not %u/%u", cpi0_real(r), num, den);
}

static void assert_near(double value, double expected, double within)
{
	if (!(fabs(value - expected) <= within))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* The verdict; with dots before, its end. */
static void assert_said(const struct machine *m, const char *mix, const char *words)
{
	struct cpi0_mix counts = mix_of(m, mix);
	struct cpi0 c = model(m, &counts);
	size_t wanted = strlen(words);
	struct sbuf out = {0};
	const char *said;

	cpi0_say_verdict(m, &c, &out);
	said = sbuf_text(&out);
	if (strncmp(words, "...", 3) == 0)
		assert_string_equal(said + (out.len > wanted - 3 ? out.len - (wanted - 3) : 0),
				    words + 3);
	else
		assert_string_equal(said, words);
	sbuf_free(&out);
}

/* ---- exact comparisons --------------------------------------------------------------------- */

TEST(test_compare)
{
	const cpi0_wide huge = (cpi0_wide)-1;

	assert_true(cpi0_compare((struct cpi0_ratio){1, 3}, (struct cpi0_ratio){2, 6}) == 0);
	assert_true(cpi0_compare((struct cpi0_ratio){0, 3}, (struct cpi0_ratio){0, 1}) == 0);
	assert_true(cpi0_compare((struct cpi0_ratio){1, 3}, (struct cpi0_ratio){1, 4}) > 0);
	assert_true(cpi0_compare((struct cpi0_ratio){huge - 1, huge},
				 (struct cpi0_ratio){huge - 2, huge - 1}) > 0);
	for (unsigned a = 0; a < 9; a++)
		for (unsigned i = 0; i < 9 * 9 * 9; i++) {
			unsigned b = i % 9 + 1, c = i / 9 % 9, d = i / 81 + 1;
			int order =
			    cpi0_compare((struct cpi0_ratio){a, b}, (struct cpi0_ratio){c, d});

			assert_true((order > 0) == (a * d > c * b));
			assert_true((order < 0) == (a * d < c * b));
		}
}

/* ---- the theory's examples ----------------------------------------------------------------- */

TEST(test_largest_bound_not_growth)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0 c = model_of(&m, "m=5,i=9,f=1");

	assert_ratio(c.cpi, 1, 3);
	assert_int_equal(c.limiting, 1u << 1); /* m */
	assert_int_equal(c.runner_up, 2);
	assert_near(c.margin, 0.9, 1e-15);
	assert_near(c.queues[1].growth, 1.0 / 3, 0);
	assert_near(c.queues[2].growth, 0.4, 0);
	assert_int_equal(c.first_full, 1u << 2); /* i, which does not decide */
	assert_near(c.queues[1].fills_at, 48, 0);
	assert_near(c.queues[2].fills_at, 40, 0);
	assert_true(isinf(c.queues[0].fills_at));
	assert_false(c.plateau.reached);
	assert_near(c.queues[1].more, 0.3, 1e-15);
}

/* "oxmas -rv -1.927 0.762 -0.254 1.014", the one line of table 6 that is left. */
TEST(test_table_6)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0 c = model_of(&m, "f=1825,m=44050,i=43650,b=10475");

	assert_near(c.queues[0].growth, -1.927, 0.0005);
	assert_near(c.queues[1].growth, 0.762, 0.0005);
	assert_near(c.queues[2].growth, -0.254, 0.0005);
	assert_near(cpi0_real(c.cpi), 0.4405, 1e-12);
}

TEST(test_plateau)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0 c;

	for (int q = 0; q < 3; q++)
		m.queues[q].capacity = 64;
	c = model_of(&m, "m=5,i=9,f=1");
	assert_true(c.plateau.reached);
	assert_near(c.plateau.cpi, 14.0 / 45, 1e-12);
	assert_near(c.plateau.at, 32 / (11.0 / 15), 1e-9);
	assert_near(c.plateau.until, 288, 1e-6);
	assert_ratio(c.cpi, 1, 3);
	m.queued = false;
	assert_false(model_of(&m, "m=5,i=9,f=1").plateau.reached);
}

static const struct {
	const char *list;
	unsigned num, den, limiting;
} examples[] = {
    {"m=1,i=1", 1, 2, 1 << 1},
    {"m=1,i=2,f=1", 1, 4, 1 << 1 | 1 << 2 | 1 << CPI0_DISPATCH}, /* all at once */
    {"m=1,i=3", 3, 8, 1 << 2},
    {"i=4", 1, 2, 1 << 2},
    {"m=1,b=9", 1, 4, 1 << CPI0_DISPATCH},
    {"b=1", 1, 4, 1 << CPI0_DISPATCH},
    {"f=3", 1, 2, 1 << 0},
    {"fp-multiply=3", 1, 1, 1 << 0},          /* all on the one multiplier */
    {"fp-multiply=2,fp-add=1", 2, 3, 1 << 0}, /* A = 1.5 */
    {"fp-multiply=1,fp-add=1", 1, 2, 1 << 0},
    {"m=1125899906842623,i=1", 0, 0, 1 << 1}, /* as many as can be counted */
};

TEST(test_examples)
{
	struct machine m = shipped("r10000.machine");

	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct cpi0 c = model_of(&m, examples[i].list);

		assert_int_equal(c.limiting, examples[i].limiting);
		if (examples[i].den)
			assert_ratio(c.cpi, examples[i].num, examples[i].den);
	}
	assert_near(cpi0_real(model_of(&m, "fp-multiply=2,fp-add=1").queues[0].rate), 1.5, 0);
	assert_int_equal(model_of(&m, "fp-multiply=2,fp-add=1").queues[0].units, 1 << 1);
}

/* One more of the kind that helps; the queue's own rate, where it has one. */
TEST(test_one_more)
{
	static const struct {
		const char *list, *unit; /* NULL: none alone helps */
		unsigned num, den;
		const char *words;
	} rows[] = {
	    {"fp-multiply=2,fp-add=1", "multiplier", 1, 3, "...; with one more multiplier: 0.3333"},
	    {"fp-add=2,fp-multiply=1", "adder", 1, 3, "...; with one more adder: 0.3333"},
	    {"fp-multiply=3", "multiplier", 1, 2, "...; with one more multiplier: 0.5000"},
	    {"fp-multiply=1,fp-add=1", NULL, 1, 2, "...; one more unit alone would not help"},
	    {"f=3", "adder", 1, 3, "...; with one more adder: 0.3333"},
	    {"m=1,fp-multiply=1", "multiplier", 1, 2,
	     "...; next: dispatch at 50 %"}, /* m limits alike */
	    {"m=5,i=9,f=1", "adder", 1, 3, "...; with one more a cycle: 0.3000"},
	    {"b=1", NULL, 1, 4, "...; with one more a cycle: 0.2000"},
	};
	struct machine m = shipped("r10000.machine");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0 c = model_of(&m, rows[i].list);
		const struct cpi0_queue *f = &c.queues[0];

		if (f->more_unit == CPI0_NOTHING)
			assert_null(rows[i].unit);
		else
			assert_string_equal(m.queues[0].units[f->more_unit].name,
					    rows[i].unit ? rows[i].unit : "none");
		assert_near(f->more, (double)rows[i].num / (double)rows[i].den, 0);
		assert_said(&m, rows[i].list, rows[i].words);
	}
	/* a rate of its own and units: what binds is what gets one more */
	m.queues[0].rate = (struct fraction){1, 1};
	assert_near(model_of(&m, "fp-multiply=1,fp-add=1").queues[0].more, 0.5, 0);
	assert_int_equal(model_of(&m, "fp-multiply=1,fp-add=1").queues[0].more_unit, CPI0_NOTHING);
}

TEST(test_no_instruction)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0_mix mix = cpi0_mix_none();
	struct error e;
	struct cpi0 c;

	assert_int_equal(cpi0_model(&c, &m, &mix, &e), STATUS_INPUT);
	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=0", &e), STATUS_USAGE);
	assert_int_equal(cpi0_mix_parse(&mix, &m, "m=1, i=2", &e), STATUS_OK);
}

/* ---- instructions of several micro-ops ------------------------------------------------------ */

#define C CPI0_CLASS

TEST(test_fold)
{
	static const struct {
		class_set classes, folded;
	} rows[] = {
	    {0, C(UNKNOWN)},
	    {C(NOP), C(NOP)},
	    {C(LOAD) | C(INT_ALU), C(LOAD) | C(INT_ALU)},
	    {C(LOAD) | C(INT_ALU) | C(STORE), C(LOAD) | C(INT_ALU) | C(STORE)},
	    {C(LOAD) | C(FP_MUL), C(LOAD) | C(FP_MUL)},
	    {C(LOAD) | C(FP_OTHER) | C(FP_ADD), C(LOAD) | C(FP_ADD)},
	    {C(INT_ALU) | C(INT_MUL) | C(NOP), C(INT_MUL)},
	    {C(INT_ALU) | C(INT_DIV) | C(OTHER), C(INT_DIV)},
	    {C(INT_ALU) | C(BRANCH), C(BRANCH)},                     /* jz */
	    {C(INT_ALU) | C(STORE) | C(CALL), C(STORE) | C(CALL)},   /* call */
	    {C(LOAD) | C(INT_ALU) | C(RETURN), C(LOAD) | C(RETURN)}, /* ret */
	    {C(SYSTEM) | C(NOP), C(SYSTEM)},
	};
	struct cpi0_mix mix = cpi0_mix_none();
	uint64_t branches = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(cpi0_fold(rows[i].classes), rows[i].folded);
		cpi0_mix_add(&mix, rows[i].folded);
		branches += (rows[i].folded & (C(BRANCH) | C(CALL) | C(RETURN))) != 0;
		assert_int_equal(mix.total, i + 1);
		assert_int_equal(cpi0_mix_known(&mix), i); /* all but the first one */
		assert_int_equal(cpi0_mix_branches(&mix), branches);
	}
	assert_int_equal(mix.folded, 1 + 2 + 1 + 1 + 1 + 1);
	assert_int_equal(mix.classes[OP_LOAD], 5);
}

/* Half the instructions load and add: two places, one slot, and one place of K. */
TEST(test_places_of_one)
{
	struct machine m = shipped("r10000.machine"), rob = machine_of(ROB, strlen(ROB));
	struct cpi0_mix mix = cpi0_mix_none();
	struct cpi0 c;

	for (int i = 0; i < 10; i++)
		cpi0_mix_add(&mix, i % 2 ? C(LOAD) | C(INT_ALU) : C(LOAD));
	c = model(&m, &mix);
	assert_int_equal(c.instructions, 10);
	assert_ratio(c.bounds[1], 1, 1);
	assert_ratio(c.bounds[2], 1, 4);
	assert_ratio(c.bounds[CPI0_LATENCY], 15, 320); /* K is of places in queues */
	rob.queues[0].latency = 5;
	rob.queues[1].latency = 3;
	assert_ratio(model(&rob, &mix).bounds[CPI0_LATENCY], 50, 320); /* while it loads, it adds */
	rob.queues[1].latency = 20;
	assert_ratio(model(&rob, &mix).bounds[CPI0_LATENCY], 125, 320); /* and five only load */
	mix.folded = CPI0_COUNT_MOST;
	assert_int_equal(cpi0_model(&c, &m, &mix, NULL), STATUS_INPUT);
}

/* What one instruction of several places leaves open says nothing about the others. */
TEST(test_one_folded_among_many)
{
	struct machine rob = machine_of(ROB, strlen(ROB));
	struct cpi0_mix mix = cpi0_mix_none();

	rob.queues[0].latency = rob.queues[1].latency = 20;
	for (int i = 0; i < 20; i++)
		cpi0_mix_add(&mix, i % 2 ? C(INT_ALU) : C(LOAD));
	assert_ratio(model(&rob, &mix).bounds[CPI0_LATENCY], 20, 32);
	cpi0_mix_add(&mix, C(LOAD) | C(INT_ALU));
	assert_ratio(model(&rob, &mix).bounds[CPI0_LATENCY], 20, 32);
}

/* It is done when the last of it is, whichever left its queue first. */
TEST(test_done_as_a_whole)
{
	static const char text[] = "machine one\ndispatch 1\nin-flight 1\n"
				   "queue m\nrate 1\nlatency 10\ntakes load\n"
				   "queue i\nrate 1/2\ntakes integer\n";
	enum { INSTRUCTIONS = 20 };
	struct machine m = machine_of(text, sizeof(text) - 1);
	struct cpi0_mix mix = cpi0_mix_none();
	struct cpi0_sim *s;
	struct cpi0 c;

	for (int i = 0; i < INSTRUCTIONS; i++)
		cpi0_mix_add(&mix, C(LOAD) | C(INT_ALU));
	c = model(&m, &mix);
	assert_ratio(c.cpi, 10, 1);
	s = cpi0_sim_new(&m, &c);
	assert_non_null(s);
	for (int i = 0; i < INSTRUCTIONS; i++)
		cpi0_sim_add(s, (const int8_t[]){0, 1}, 2);
	assert_int_equal(cpi0_sim_end(s), 10 * INSTRUCTIONS + 1); /* dispatched from cycle 1 on */
	cpi0_sim_free(s);
}

#undef C

/* ---- the machine, simulated ---------------------------------------------------------------- */

static struct cpi0_ratio simulate(const struct machine *m, const struct cpi0 *c,
				  const queue_vec *order)
{
	struct cpi0_ratio cpi;
	struct error e;
	bool exact;

	assert_int_equal(cpi0_simulate(&cpi, &exact, m, c, order, &e), STATUS_OK);
	assert_true(exact);
	return cpi;
}

/* The CPI of a pattern over the formula's. */
static double excess(const struct machine *m, const char *pattern)
{
	struct cpi0_mix mix;
	queue_vec order = {0};
	struct cpi0_ratio cpi;
	struct error e;
	struct cpi0 c;

	if (cpi0_pattern_parse(&mix, &order, m, pattern, &e))
		fail_msg("%s: %s", pattern, e.text);
	c = model(m, &mix);
	cpi = simulate(m, &c, &order);
	vec_free(&order);
	return cpi0_real(cpi) / cpi0_real(c.cpi) - 1;
}

/* Uniform patterns in the spirit of table 1: the same on both kinds of machine, exactly. */
TEST(test_patterns)
{
	static const char *const patterns[] = {
	    "m",       "i",       "f",     "mi",    "mf",     "if",        "mii",  "miii",  "mif",
	    "miif",    "iif",     "imif",  "mifi",  "miiif",  "mffi",      "iiff", "mimif", "mb",
	    "miibmii", "fff_*+*", "ff_*+", "ff_**", "mff_*+", "mifff_*+*", "b"};
	struct machine machines[] = {shipped("r10000.machine"), machine_of(ROB, strlen(ROB))};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		for (int k = 0; k < 2; k++)
			if (k == 0 || !strchr(patterns[i], '*'))
				assert_true(excess(&machines[k], patterns[i]) == 0);
}

/* ---- random machines and mixes: no error at all -----------------------------------------------
 */

static uint32_t seed = 1;

static unsigned below(unsigned n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % n;
}

static struct machine random_machine(int queues)
{
	static const char *const classes[] = {"load", "integer", "fp-add", "store", "fp-multiply"};
	static const char *const rates[] = {"1", "2", "1.5", "3", "1", "2"};
	struct sbuf text = {0};
	struct machine m;

	sbuf_printf(&text, "machine x\ndispatch %u\nin-flight %u%s\n", 2 + below(4), 64 + below(64),
		    below(2) ? " queued" : "");
	for (int q = 0; q < queues; q++)
		sbuf_printf(&text, "queue q%d\nrate %s\ncapacity %u\ntakes %s\n", q,
			    rates[below(6)], 16 + below(16), classes[q]);
	m = machine_of(sbuf_text(&text), text.len);
	sbuf_free(&text);
	return m;
}

TEST(test_uniform_is_exact)
{
	for (int i = 0; i < ROUNDS(600); i++) {
		struct machine m = random_machine(2 + i % 4);
		struct cpi0_mix mix = cpi0_mix_none();
		queue_vec order = {0};
		struct cpi0_ratio cpi;
		struct cpi0 c;

		for (int q = 0; q < m.queue_count; q++)
			mix.total += mix.unsplit[q] = 1 + below(12);
		mix.total += mix.classes[OP_BRANCH] = below(4);
		c = model(&m, &mix);
		assert_true(cpi0_uniform(&order, &mix, &m) && order.count);
		cpi = simulate(&m, &c, &order);
		if (cpi0_compare(cpi, c.cpi) != 0)
			fail_msg("mix %d: %.12g simulated, %.12g by the formula", i, cpi0_real(cpi),
				 cpi0_real(c.cpi));
		vec_free(&order);
	}
}

/* Rates that are no whole numbers, units that share classes, small queues, latencies. */
static struct machine any_machine(void)
{
	int8_t queue_of[OP_CLASS_COUNT];
	struct machine m = {.name = "any", .queued = below(2), .queue_count = 1 + (int)below(8)};

	m.dispatch = (struct fraction){1 + below(30), 1 + below(13)};
	m.in_flight = 1 + (int)below(40);
	memset(queue_of, MACHINE_NO_QUEUE, sizeof(queue_of));
	for (int c = OP_UNKNOWN + 1; c < OP_CLASS_COUNT; c++)
		queue_of[c] = (int8_t)((int)below((unsigned)m.queue_count + 1) - 1);
	memcpy(m.queue_of, queue_of, sizeof(queue_of));
	for (int i = 0; i < m.queue_count; i++) {
		struct machine_queue *q = &m.queues[i];

		q->capacity = 1 + (int)below((unsigned)m.in_flight);
		q->latency = m.queued ? 1 : 1 + (int)below(9);
		q->unit_count = (int)below(4);
		if (!q->unit_count || below(4) == 0)
			q->rate = (struct fraction){1 + below(20), 1 + below(13)};
		for (int u = 0; u < q->unit_count; u++)
			q->units[u].count = 1 + (int)below(3);
		for (int c = 0; c < OP_CLASS_COUNT; c++) {
			if (queue_of[c] != i)
				continue;
			q->classes |= (class_set)1 << c;
			if (q->unit_count) /* some unit takes it, and perhaps others */
				q->units[below((unsigned)q->unit_count)].classes |= (class_set)1
										    << c;
			for (int u = 0; u < q->unit_count; u++)
				q->units[u].classes |= (class_set)below(2) << c;
		}
	}
	return m;
}

/* Of one micro-op, or of up to four. */
static class_set any_instruction(void)
{
	class_set classes = 0;

	for (unsigned n = 1 + (below(2) ? below(4) : 0); n; n--)
		classes |= (class_set)1 << below(OP_CLASS_COUNT);
	return cpi0_fold(classes);
}

/* Once through, from an empty machine to an empty one: exactly no faster than its bound. */
TEST(test_never_below_the_bound)
{
	enum { MACHINES = 1500, INSTRUCTIONS = 120 };

	for (int i = 0; i < MACHINES; i++) {
		struct machine m = any_machine();
		struct cpi0_mix mix = cpi0_mix_none();
		class_set program[INSTRUCTIONS];
		int8_t queues[OP_CLASS_COUNT];
		struct cpi0_sim *s;
		uint64_t cycles;
		struct cpi0 c;

		for (int k = 0; k < INSTRUCTIONS; k++) {
			program[k] = any_instruction();
			cpi0_mix_add(&mix, program[k]);
		}
		assert_int_equal(mix.total, INSTRUCTIONS);
		assert_int_equal(cpi0_mix_known(&mix) + mix.classes[OP_UNKNOWN], INSTRUCTIONS);
		c = model(&m, &mix);
		s = cpi0_sim_new(&m, &c);
		assert_non_null(s);
		for (int k = 0; k < INSTRUCTIONS; k++)
			cpi0_sim_add(s, queues, cpi0_places(queues, &m, program[k]));
		cycles = cpi0_sim_end(s);
		cpi0_sim_free(s);
		if (cpi0_compare((struct cpi0_ratio){cycles, INSTRUCTIONS}, c.cpi) < 0)
			fail_msg("machine %d: %d instructions in %d cycles, %.12g by the bound", i,
				 INSTRUCTIONS, (int)cycles, cpi0_real(c.cpi));
		for (int q = 0; q < m.queue_count; q++) /* one more of anything is no loss */
			assert_true(c.queues[q].more <= cpi0_real(c.cpi));
	}
}

/* m^b i^3b: queues of 16 bridge clusters of 16; the theory's excess beyond. */
TEST(test_clusters)
{
	static const struct {
		int b;
		double least, most;
	} rows[] = {{1, 0, 0},          {4, 0, 0},          {16, 0, 0.001},
		    {32, 0.165, 0.175}, {64, 0.415, 0.425}, {512, 0.635, 0.645}};
	struct machine m = shipped("r10000.machine");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char pattern[CPI0_PATTERN_MOST + 1] = "";
		double over;

		memset(pattern, 'm', (size_t)rows[i].b);
		memset(pattern + rows[i].b, 'i', (size_t)(3 * rows[i].b));
		over = excess(&m, pattern);
		if (over < rows[i].least || over > rows[i].most)
			fail_msg("clusters of %d: %.4f", rows[i].b, over);
	}
}

/* Little's law is a bound of its own, and the machine meets it exactly. */
TEST(test_latency)
{
	static const struct {
		int latency;
		const char *pattern;
		double cpi;
	} rows[] = {
	    {1, "mif", 1.0 / 3},  {8, "mif", 1.0 / 3},  {12, "mif", 0.375},  {40, "mif", 1.25},
	    {1, "miif", 1.0 / 4}, {8, "miif", 1.0 / 4}, {12, "miif", 0.375}, {40, "miif", 1.25},
	};
	struct machine m = machine_of(ROB, strlen(ROB));

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpi0_mix mix;
		queue_vec order = {0};
		struct error e;
		struct cpi0 c;

		for (int q = 0; q < 3; q++)
			m.queues[q].latency = rows[i].latency;
		assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, rows[i].pattern, &e),
				 STATUS_OK);
		c = model(&m, &mix);
		assert_near(cpi0_real(c.cpi), rows[i].cpi, 1e-15);
		assert_true((c.limiting >> CPI0_LATENCY & 1) == (rows[i].latency > 8) ||
			    rows[i].latency == 8);
		assert_ratio(simulate(&m, &c, &order), (unsigned)c.cpi.num, (unsigned)c.cpi.den);
		vec_free(&order);
	}
}

/* No state comes back in time: what the last millions of instructions say is below the bound. */
TEST(test_odd_rates)
{
	static const char text[] = "machine odd\ndispatch 239/97\nin-flight 30\n"
				   "queue m\ncapacity 13\nrate 233/83\ntakes load\n"
				   "queue i\ncapacity 5\nrate 278/89\ntakes integer\n";
	struct machine m = machine_of(text, sizeof(text) - 1);
	queue_vec order = {0};
	struct cpi0_ratio cpi;
	struct cpi0_mix mix;
	struct error e;
	struct cpi0 c;
	bool exact;

	assert_int_equal(cpi0_pattern_parse(&mix, &order, &m, "imi", &e), STATUS_OK);
	c = model(&m, &mix);
	assert_int_equal(cpi0_simulate(&cpi, &exact, &m, &c, &order, &e), STATUS_OK);
	assert_false(exact);
	assert_true(cpi0_compare(cpi, c.cpi) >= 0);
	assert_near(cpi0_real(cpi), cpi0_real(c.cpi), 1e-5);
	vec_free(&order);
}

/* 16385 units and 2^50 instructions: their product is no 64-bit number, nor is the rate's. */
TEST(test_wide_rates)
{
	static const char text[] = "machine wide\ndispatch 4\nin-flight 32\nqueue f\n"
				   "unit a 4096 fp-multiply\nunit b 4096 fp-multiply\n"
				   "unit c 4096 fp-multiply\nunit d 4096 fp-multiply\n"
				   "unit e 1 fp-multiply\nunit f 1 fp-add\n";
	struct machine m = machine_of(text, sizeof(text) - 1);
	struct cpi0 c = model_of(&m, "fp-multiply=1125899906842623,fp-add=1");
	queue_vec order = {0};
	struct cpi0_ratio cpi;
	struct error e;
	bool exact;

	assert_near(cpi0_real(c.queues[0].rate), 16385, 1e-9);
	assert_true(vec_push(&order, 0));
	assert_int_equal(cpi0_simulate(&cpi, &exact, &m, &c, &order, &e), STATUS_OK);
	assert_near(cpi0_real(cpi), 0.25, 1e-5);
	vec_free(&order);
}

/* Whoever is in no queue has a place of K for a cycle, unless K is of queues. */
TEST(test_places)
{
	struct machine m = machine_of(ROB, strlen(ROB));

	m.in_flight = 2;
	assert_ratio(model_of(&m, "b=1").cpi, 1, 2);
	assert_true(excess(&m, "b") == 0);
	assert_true(excess(&m, "mb") == 0);
	m.queued = true;
	assert_ratio(model_of(&m, "b=1").cpi, 1, 4);
	assert_true(excess(&m, "b") == 0);
}

/* A stream has what a pattern has, and its start and end. */
TEST(test_stream)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0 c = model_of(&m, "m=1,i=1");
	struct cpi0_sim *s = cpi0_sim_new(&m, &c);
	const int8_t queues[] = {1, 2};

	assert_non_null(s);
	for (int i = 0; i < 2000; i++)
		cpi0_sim_add(s, &queues[i % 2], 1);
	assert_in_range(cpi0_sim_end(s), 1000, 1004);
	cpi0_sim_free(s);
}

/* ---- what is flagged ----------------------------------------------------------------------- */

TEST(test_flags)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0_mix mix = mix_of(&m, "m=44,integer=30,fp-add=2,b=12");
	struct cpi0_diagnosis d;

	mix.total = 100; /* 12 of no known class */
	mix.data_cache = (struct cpi0_share){3, 100};
	mix.cycles = 30;
	mix.committed = 100;
	assert_int_equal(cpi0_diagnose(&d, &m, &mix, -1, NULL), STATUS_OK);
	cpi0_diagnosis_simulated(&d, 0.6, CPI0_ORDER_PATTERN);
#define VERDICT(check) d.flags[CPI0_CHECK_##check].verdict
	assert_int_equal(VERDICT(BRANCHES), CPI0_VIOLATED);
	assert_int_equal(VERDICT(SUM_P), CPI0_VIOLATED);
	assert_int_equal(VERDICT(DATA), CPI0_DOUBTFUL);
	assert_int_equal(VERDICT(RATES), CPI0_OK);
	assert_int_equal(VERDICT(CLUSTERS), CPI0_VIOLATED);
	assert_int_equal(VERDICT(MEASURED), CPI0_VIOLATED); /* below the bound */
	assert_int_equal(VERDICT(UNITS), CPI0_OK);
	assert_int_equal(VERDICT(DRIFT), CPI0_NOT_KNOWN);
	assert_int_equal(VERDICT(PREDICTION), CPI0_NOT_KNOWN);
	assert_true(isnan(d.flags[CPI0_CHECK_PREDICTION].value));
	assert_int_equal(VERDICT(COUNTED), CPI0_NONE); /* it has no counters */
	mix.branches_unknown = true;
	m.dispatch.num = 6; /* more than all queues let go */
	assert_int_equal(cpi0_diagnose(&d, &m, &mix, -1, NULL), STATUS_OK);
	assert_int_equal(VERDICT(BRANCHES), CPI0_NOT_KNOWN);
	assert_int_equal(VERDICT(RATES), CPI0_VIOLATED);
	assert_int_equal(VERDICT(CLUSTERS), CPI0_NOT_KNOWN); /* nothing is simulated yet */
#undef VERDICT
}

/* ---- words, sums, the triangle ------------------------------------------------------------- */

TEST(test_words)
{
	struct machine m = shipped("r10000.machine"), skylake = shipped("skylake.machine");

	assert_said(&m, "m=5,i=9,f=1",
		    "limited by m, the memory queue: 0.3333 of the instructions, 1 a cycle leaves "
		    "it; next: i at 90 %; with one more a cycle: 0.3000");
	assert_said(&m, "i=1",
		    "limited by i, the integer queue: 1.0000 of the instructions, 2 a cycle leave "
		    "it; next: dispatch at 50 %; with one more a cycle: 0.3333");
	assert_said(&m, "m=1,i=2",
		    "limited by m and i alike: 0.3333 of the instructions, 1 a cycle leaves it; "
		    "next: dispatch at 75 %");
	assert_said(&m, "fp-multiply=2,fp-add=1",
		    "limited by f, the floating-point queue: 1.0000 of the instructions, 1.5 a "
		    "cycle leave it through multiplier; next: dispatch at 38 %; with one more "
		    "multiplier: 0.3333");
	assert_said(&m, "b=1",
		    "limited by dispatch: 4 a cycle, and no queue grows; with one more a cycle: "
		    "0.2000");
	assert_said(&skylake, "store=1",
		    "limited by store, the store queue: 1.0000 of the instructions, 1 a cycle "
		    "leaves it; next: dispatch at 25 %; with one more a cycle: 0.5000");
	/* takes integers and floats: no word for it but its name */
	assert_said(&skylake, "integer-multiply=1",
		    "limited by compute: 1.0000 of the instructions, 1 a cycle leaves it through "
		    "port1; next: dispatch at 25 %; with one more port1: 0.5000");
	assert_int_equal(cpi0_limit_letter(&skylake, 0), 'c');
	assert_int_equal(cpi0_limit_letter(&skylake, 2), 's');
	assert_int_equal(cpi0_limit_letter(&skylake, CPI0_LATENCY), 'L');
}

TEST(test_latency_in_words)
{
	static const char text[] = "machine slow\ndispatch 4\nin-flight 4\n"
				   "queue m\nrate 4\nlatency 12\ntakes load\n"
				   "queue more\nrate 1\ntakes store\n";
	struct machine m = machine_of(text, sizeof(text) - 1);

	assert_said(
	    &m, "m=1",
	    "limited by latency: instructions stay 12.0 cycles, and 4 are in flight; next: m "
	    "at 8 %");
	assert_int_equal(cpi0_limit_letter(&m, 0), 'm');
	assert_int_equal(cpi0_limit_letter(&m, 1), '2'); /* its own letter is taken */
}

TEST(test_split)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0_mix mix = mix_of(&m, "m=1,i=1");
	struct cpi0_diagnosis d;
	double parts[CPI0_PARTS], sum = 0;

	mix.cycles = 200;
	mix.committed = 100;
	assert_int_equal(cpi0_diagnose(&d, &m, &mix, -1, NULL), STATUS_OK);
	cpi0_split(parts, &d);
	assert_true(parts[CPI0_PART_DISPATCH] == 0.25 && parts[CPI0_PART_QUEUE] == 0.25);
	assert_true(isnan(parts[CPI0_PART_ORDER]) && isnan(parts[CPI0_PART_REST]));
	/* of the most uniform order nothing follows for the run's own */
	cpi0_diagnosis_simulated(&d, 0.5, false);
	cpi0_split(parts, &d);
	assert_true(isnan(parts[CPI0_PART_ORDER]));
	cpi0_diagnosis_simulated(&d, 0.625, true);
	cpi0_split(parts, &d);
	for (int i = 0; i < CPI0_PARTS; i++)
		sum += parts[i];
	assert_true(parts[CPI0_PART_ORDER] == 0.125 && sum == 2);
	/* a trace faster than the machine can be */
	cpi0_diagnosis_simulated(&d, 3, true);
	cpi0_split(parts, &d);
	assert_true(parts[CPI0_PART_REST] == -1);
}

/* The corners are the machine's; the dot is limited as the run is. */
/* Twenty times one instruction: what is above the bound is filling the machine. */
TEST(test_short_runs)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0_mix mix = cpi0_mix_none();
	struct cpi0_diagnosis d;
	struct error e;

	for (int k = 0; k < 2; k++) {
		const struct cpi0_flag *f = &d.flags[CPI0_CHECK_CLUSTERS];

		mix.total = mix.classes[OP_INT_ALU] =
		    (uint64_t)m.in_flight * CPI0_SHORT_FILLS - (k == 0);
		assert_int_equal(cpi0_diagnose(&d, &m, &mix, 0, &e), STATUS_OK);
		cpi0_diagnosis_simulated(&d, 3, CPI0_ORDER_RUN);
		assert_int_equal(cpi0_mostly_filling(&d), k == 0);
		assert_int_equal(f->verdict, k == 0 ? CPI0_DOUBTFUL : CPI0_VIOLATED);
		if (k == 0)
			assert_string_equal(f->text, "too short a run to tell");
		cpi0_diagnosis_simulated(&d, 3, CPI0_ORDER_PATTERN); /* for ever */
		assert_false(cpi0_mostly_filling(&d));
	}
}

TEST(test_triangle)
{
	static const char *const mixes[] = {"load=5,integer=9,fp-add=1", "load=1,store=1,branch=2",
					    "integer=3,fp-add=1,fp-multiply=9", "fp-add=1"};
	static const char *const machines[] = {"r10000.machine", "samplecore-4wide.machine",
					       "skylake.machine"};

	for (size_t k = 0; k < sizeof(machines) / sizeof(machines[0]); k++) {
		struct machine m = shipped(machines[k]);

		for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
			struct cpi0_mix mix = mix_of(&m, mixes[i]);
			struct cpi0 c = model(&m, &mix);
			struct cpi0_triangle t;
			double x, y;

			cpi0_triangle_init(&t, &m, &mix);
			cpi0_triangle_dot(&t, &mix, &x, &y);
			assert_true(c.limiting >> cpi0_triangle_limit(&t, x, y) & 1);
		}
	}
}

/* Two places each: the dot is of places, what limits there of instructions. */
TEST(test_triangle_of_micro_ops)
{
	struct machine m = shipped("simplescalar.machine");
	int memory = machine_queue_find(&m, "mem", 3);
	struct cpi0_mix mix = cpi0_mix_none();
	struct cpi0_triangle t;
	double x, y;

	for (int i = 0; i < 10; i++)
		cpi0_mix_add(&mix,
			     CPI0_CLASS(FP_ADD) | (i < 6 ? CPI0_CLASS(LOAD) : CPI0_CLASS(INT_ALU)));
	assert_int_equal(model(&m, &mix).limiting, 1 << memory); /* 0.6 / 2 */
	cpi0_triangle_init(&t, &m, &mix);
	cpi0_triangle_dot(&t, &mix, &x, &y);
	assert_near(x, 0.3, 1e-15);
	assert_near(y, 0.2, 1e-15);
	assert_int_equal(cpi0_triangle_limit(&t, x, y), memory);
	assert_int_equal(cpi0_triangle_limit(&t, 0.2, 0.4), CPI0_DISPATCH); /* 0.4 / 2 */
}

TEST(test_corners)
{
	struct machine m = shipped("r10000.machine");
	struct cpi0_mix mix = mix_of(&m, "load=1");
	struct cpi0_triangle t;
	double x, y;

	cpi0_triangle_init(&t, &m, &mix);
	cpi0_triangle_dot(&t, &mix, &x, &y);
	assert_true(x == 1 && y == 0);
	assert_int_equal(cpi0_triangle_limit(&t, 1, 0), machine_queue_find(&m, "m", 1));
	assert_int_equal(cpi0_triangle_limit(&t, 0, 1), machine_queue_find(&m, "i", 1));
	assert_int_equal(cpi0_triangle_limit(&t, 0, 0), machine_queue_find(&m, "f", 1));
	assert_int_equal(cpi0_triangle_limit(&t, 0.2, 0.4), CPI0_DISPATCH);
}
