/*
 * Reductions of long streams: operands, giant stacks, what is told of each arc, settling.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_file.h"
#include "analysis/pipeline/reduce_operands.h"
#include "analysis/pipeline/reduce_simulate.h"
#include "testing.h"

enum { LONG = 100000 };

static const struct pipeline grid[] = {{1, 1},  {2, 1},  {3, 2},   {5, 5},  {7, 3}, {12, 1},
				       {12, 4}, {1, 12}, {12, 12}, {40, 2}, {33, 9}};

enum { GRID = sizeof(grid) / sizeof(grid[0]) };

static uint64_t random_state = 7;

static uint32_t pick(uint32_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

/* ---- operands ------------------------------------------------------------------------------ */

static void assert_resolvers(const struct resolvers *r, size_t count, const int64_t *nodes)
{
	assert_int_equal(r->list.count, count);
	for (size_t i = 0; i < count; i++) {
		bool there = false;

		for (size_t k = 0; k < count; k++)
			there |= r->list.data[k] == nodes[i];
		assert_true(there);
	}
}

TEST(test_last_writer)
{
	struct operands o = {.writers.count = 0};
	struct resolvers r = {.sources = 0};

	assert_true(operands_resolve(&o, 0, NULL, 0, (uint32_t[]){3, 900}, 2, &r));
	assert_int_equal(r.list.count, 0);
	/* what is read is looked up before what is written is recorded */
	assert_true(operands_resolve(&o, 1, (uint32_t[]){3}, 1, (uint32_t[]){3}, 1, &r));
	assert_resolvers(&r, 1, (int64_t[]){0});
	assert_true(operands_resolve(&o, 2, (uint32_t[]){3, 900, 3}, 3, NULL, 0, &r));
	assert_resolvers(&r, 2, (int64_t[]){0, 1});
	/* never written: no arc, whether the number was seen or not */
	assert_true(operands_resolve(&o, 3, (uint32_t[]){5, 1000000}, 2, NULL, 0, &r));
	assert_int_equal(r.list.count, 0);
	assert_int_equal(r.sources, 6);
	assert_int_equal(r.cold, 2);
	operands_free(&o);
	resolvers_free(&r);
}

/* More sources than are compared one by one, of two writers each. */
TEST(test_many_sources)
{
	struct operands o = {.writers.count = 0};
	struct resolvers r = {.sources = 0};
	uint32_t sources[200];
	int64_t nodes[100];

	for (uint32_t i = 0; i < 200; i++) {
		sources[i] = i;
		assert_true(operands_resolve(&o, i / 2, NULL, 0, &i, 1, &r));
	}
	for (int64_t i = 0; i < 100; i++)
		nodes[i] = i;
	assert_true(operands_resolve(&o, 100, sources, 200, NULL, 0, &r));
	assert_resolvers(&r, 100, nodes);
	operands_free(&o);
	resolvers_free(&r);
}

TEST(test_arcs_given)
{
	struct resolvers r = {.sources = 0};

	assert_true(resolvers_set(&r, 5, (int64_t[]){4, 4, 5, 9, -1, 0}, 6));
	assert_resolvers(&r, 2, (int64_t[]){0, 4});
	assert_int_equal(r.ahead, 2);
	assert_int_equal(r.cold, 1);
	resolvers_free(&r);
}

/* ---- streams ------------------------------------------------------------------------------- */

struct stream {
	struct reduce *reduce;
	struct simulation *simulation;
	struct reduction out;
	int64_t node;
};

static void begin(struct stream *s, const struct reduce_options *options)
{
	struct error e;

	*s = (struct stream){.reduce = reduce_new(options)};
	assert_non_null(s->reduce);
	assert_int_equal(simulation_new(&s->simulation, grid, GRID, false, &e), STATUS_OK);
}

static void add(struct stream *s, const int64_t *from, size_t count, bool taken, bool self)
{
	struct reduce_step step = {.resolvers = from, .count = count, .taken = taken, .self = self};

	assert_true(reduce_add(s->reduce, &step));
	simulation_add(s->simulation, &step);
	s->node++;
}

static void end(struct stream *s)
{
	struct reduce_cycles cycles[GRID];
	int64_t simulated[GRID];
	struct error e;

	assert_int_equal(reduce_end(s->reduce, &s->out, &e), STATUS_OK);
	assert_int_equal(reduce_evaluate(&s->out, grid, GRID, false, cycles, &e), STATUS_OK);
	simulation_cycles(s->simulation, simulated);
	simulation_free(s->simulation);
	for (int i = 0; i < GRID; i++)
		assert_int_equal(cycles[i].cycles, simulated[i]);
}

static const struct reduce_options plain = {.cap = 0};

/* A loop whose rounds depend on each other is one stack: kept as a few blocks, read back whole. */
TEST(test_loop_is_one_stack)
{
	struct stream s;
	struct sbuf text = {.text = NULL}, again = {.text = NULL};
	struct reduction read;
	struct error e;

	begin(&s, &plain);
	for (int64_t i = 0; i < LONG; i++)
		add(&s, (int64_t[]){i - 3}, i >= 3, i % 4 == 0, false);
	end(&s);
	assert_int_equal(s.out.stacks.list.count, 1);
	assert_true(s.out.stacks.list.data[0].arcs > LONG / 3);
	assert_true(intern_count(s.out.stacks.blocks) < 200);
	assert_true(reduction_write(&s.out, &text));
	assert_int_equal(reduction_read(&read, text.text, text.len, &e), STATUS_OK);
	assert_true(reduction_write(&read, &again));
	assert_string_equal(text.text, again.text);
	sbuf_free(&text);
	sbuf_free(&again);
	reduction_free(&read);
	reduction_free(&s.out);
}

TEST(test_evaluation_stopped)
{
	const struct pipeline at = {5, 5};
	const atomic_bool stop = true, go = false;
	struct reduce_cycles c, d;
	struct error e;
	struct stream s;

	begin(&s, &plain);
	for (int64_t i = 0; i < 100; i++)
		add(&s, (int64_t[]){i - 2}, i >= 2, true, false);
	end(&s);
	assert_int_equal(s.out.stacks.list.count, 1);
	assert_int_equal(reduce_evaluate(&s.out, &at, 1, false, &c, &e), STATUS_OK);
	assert_int_equal(reduce_evaluate_until(&s.out, &at, 1, false, &go, &d, &e), STATUS_OK);
	assert_int_equal(c.cycles, d.cycles);
	assert_int_equal(reduce_evaluate_until(&s.out, &at, 1, false, &stop, &d, &e),
			 STATUS_INTERRUPTED);
	reduction_free(&s.out);
}

/* Equal stacks are one, whatever their length and wherever they are. */
TEST(test_equal_stacks)
{
	static const int lengths[] = {2, 63, 64, 65, 128, 4096, 4097};
	struct stream s;

	begin(&s, &plain);
	for (int times = 0; times < 3; times++)
		for (size_t k = 0; k < sizeof(lengths) / sizeof(lengths[0]); k++) {
			int64_t first = s.node;

			/* arcs of distance 2, a target on every one's way: none covers another */
			for (int i = 0; i < lengths[k] + 2; i++)
				add(&s, (int64_t[]){s.node - 2}, s.node - 2 >= first, true, false);
		}
	end(&s);
	assert_int_equal(s.out.stacks.list.count, 7);
	for (size_t k = 0; k < s.out.stacks.list.count; k++) {
		assert_int_equal(s.out.stacks.list.data[k].arcs, lengths[k]);
		assert_int_equal(s.out.stacks.list.data[k].count, 3);
	}
	reduction_free(&s.out);
}

TEST(test_long_chains)
{
	struct stream s;

	begin(&s, &plain);
	for (int64_t i = 0; i < LONG; i++)
		add(&s, (int64_t[]){i - 1}, i >= 1, false, false);
	end(&s);
	assert_int_equal(s.out.chains[REDUCE_R3].entries.data[0].key, 1);
	assert_int_equal(s.out.chains[REDUCE_R3].entries.data[0].count, LONG - 1);
	reduction_free(&s.out);

	begin(&s, &plain); /* all depend on the first: one chain before Reduction 2, then one arc */
	for (int64_t i = 0; i < LONG; i++)
		add(&s, (int64_t[]){0}, i >= 1, false, false);
	end(&s);
	assert_int_equal(s.out.chains[REDUCE_R1].entries.data[0].key, LONG - 1);
	assert_int_equal(s.out.arcs[REDUCE_R1], LONG - 1);
	assert_int_equal(s.out.arcs[REDUCE_R2], 1);
	reduction_free(&s.out);
}

TEST(test_shortest)
{
	struct stream s;
	struct reduce_cycles c;

	begin(&s, &plain);
	end(&s);
	assert_int_equal(s.out.instructions, 0);
	reduction_free(&s.out);

	begin(&s, &plain); /* a branch at the very end has no target */
	add(&s, NULL, 0, true, true);
	end(&s);
	assert_int_equal(s.out.targets, 0);
	assert_int_equal(reduce_evaluate(&s.out, grid + 3, 1, false, &c, NULL), STATUS_OK);
	assert_int_equal(c.self, 5);
	assert_int_equal(c.cycles, 6);
	assert_int_equal(c.naive, 6);
	reduction_free(&s.out);
}

/* ---- what is told of arcs ------------------------------------------------------------------ */

static const struct pipeline charged_at = {7, 3};

struct told {
	uint64_t fates[ARC_KEPT + 1], chains;
	int64_t last;
	struct stack_clock clock;
	uint64_t chain;
	int64_t charged;
	const struct reduction *r;
};

/* The arc that made another redundant is what its reduction says. */
static void check_fate(const struct reduce_arc *a)
{
	bool self = a->by_dependent == a->by_resolver;

	if (a->fate == ARC_R1)
		assert_true(a->by_dependent == a->dependent && a->by_resolver > a->resolver);
	if (a->fate == ARC_R2 && self)
		assert_true(a->resolver <= a->by_resolver && a->by_resolver < a->dependent);
	if (a->fate == ARC_R2 && !self)
		assert_true(a->resolver <= a->by_resolver && a->by_dependent < a->dependent);
	if (a->fate == ARC_R3)
		assert_true(a->by_resolver < a->resolver && a->resolver < a->by_dependent &&
			    a->by_dependent < a->dependent &&
			    a->by_dependent - a->by_resolver <= a->dependent - a->resolver);
}

static void hear(void *arg, const struct reduce_arc *a)
{
	struct told *t = arg;
	int64_t cost[STACK_LANES] = {0}, before;
	struct shape shape;

	assert_true(a->dependent >= t->last && a->resolver < a->dependent);
	t->last = a->dependent;
	t->fates[a->fate]++;
	check_fate(a);
	if (a->fate != ARC_KEPT)
		return;
	shape = shapes_get(&t->r->shapes, a->shape);
	assert_int_equal(shape.distance, a->dependent - a->resolver);
	assert_int_equal(a->chain, a->place == 0 ? t->chains++ : t->chains - 1);
	if (a->place == 0)
		stack_clock_restart(&t->clock);
	cost[0] = shape_cost(&shape, &charged_at, false);
	before = t->clock.lost[0];
	assert_true(
	    stack_clock_step(&t->clock, (uint64_t)a->resolver, (uint64_t)a->dependent, cost));
	t->charged += t->clock.lost[0] - before;
}

TEST(test_arcs_told)
{
	struct told t = {.last = -1};
	struct reduce_options options = {.cap = 64, .arc = hear, .arg = &t};
	struct reduce_cycles c;
	struct stream s;

	begin(&s, &options);
	t.r = reduce_result(s.reduce);
	for (int64_t i = 0; i < LONG / 2; i++) {
		int64_t from[2] = {i - 1 - pick(9), i - 10 - pick(3)};

		if (pick(50) == 0)
			from[0] = from[1] - 90;
		add(&s, from, i < 200 ? 0 : pick(3), pick(4) == 0, pick(60) == 0);
	}
	end(&s);
	for (int fate = 0; fate <= ARC_KEPT; fate++)
		assert_true(t.fates[fate] > 0);
	assert_int_equal(t.fates[ARC_KEPT], s.out.arcs[REDUCE_R3]);
	assert_int_equal(t.fates[ARC_R3], s.out.arcs[REDUCE_R2] - s.out.arcs[REDUCE_R3]);
	assert_int_equal(t.fates[ARC_BEYOND], s.out.beyond);
	assert_int_equal(t.fates[ARC_R2],
			 s.out.arcs[REDUCE_R1] - s.out.arcs[REDUCE_R2] - s.out.beyond);
	assert_int_equal(t.fates[ARC_R1], s.out.arcs[REDUCE_RAW] - s.out.arcs[REDUCE_R1]);
	assert_int_equal(t.chains, tally_total(&s.out.chains[REDUCE_R3], NULL));
	assert_int_equal(reduce_evaluate(&s.out, &charged_at, 1, false, &c, NULL), STATUS_OK);
	assert_int_equal(t.charged, c.data + c.stack);
	stack_clock_free(&t.clock);
	reduction_free(&s.out);
}

/* ---- long pipelines ------------------------------------------------------------------------ */

/* Numbers far beyond what one row holds: they are settled on the way. */
TEST(test_longest_pipelines)
{
	static const struct pipeline tall[] = {{REDUCE_LENGTH_MOST, REDUCE_LENGTH_MOST},
					       {REDUCE_LENGTH_MOST, 1},
					       {1, REDUCE_LENGTH_MOST},
					       {100, 7}};
	struct reduce *r = reduce_new(&plain);
	struct simulation *s;
	struct reduction out;
	struct reduce_cycles cycles[4];
	int64_t simulated[4];
	struct error e;

	assert_int_equal(simulation_new(&s, tall, 4, false, &e), STATUS_OK);
	for (int64_t i = 0; i < 4 * LONG; i++) {
		bool late = i > LONG; /* as much as can be */
		int64_t from = i - 1 - pick(i % 9000 > 4000 ? 2 : 4000);
		struct reduce_step step = {.resolvers = &from,
					   .count = from >= 0,
					   .taken = late || pick(2) == 0,
					   .self = late || pick(3) == 0};

		assert_true(reduce_add(r, &step));
		simulation_add(s, &step);
	}
	simulation_cycles(s, simulated);
	simulation_free(s);
	assert_int_equal(reduce_end(r, &out, &e), STATUS_OK);
	assert_int_equal(reduce_evaluate(&out, tall, 4, false, cycles, &e), STATUS_OK);
	for (int i = 0; i < 4; i++)
		assert_int_equal(cycles[i].cycles, simulated[i]);
	assert_true(cycles[0].cycles > INT32_MAX);
	reduction_free(&out);
}

TEST(test_pipelines_refused)
{
	static const struct pipeline wrong[] = {
	    {0, 1}, {1, 0}, {-1, 1}, {REDUCE_CAP + 1, 1}, {1, REDUCE_CAP + 1}};
	struct reduction r;
	struct simulation *s;
	struct reduce_cycles c;
	struct error e;

	assert_true(reduction_init(&r));
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(simulation_new(&s, &wrong[i], 1, false, &e), STATUS_USAGE);
		assert_null(s);
		assert_int_equal(reduce_evaluate(&r, &wrong[i], 1, false, &c, &e), STATUS_USAGE);
	}
	assert_int_equal(simulation_new(&s, NULL, 0, false, &e), STATUS_OK);
	simulation_free(s);
	reduction_free(&r);
}
