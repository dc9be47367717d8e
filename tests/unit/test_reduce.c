/*
 * The reductions: against the model, against simulation, and against every wrong reading.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/reduce.h"
#include "analysis/pipeline/reduce_evaluate.h"
#include "analysis/pipeline/reduce_operands.h"
#include "analysis/pipeline/reduce_simulate.h"
#include "reduce_model.h"
#include "testing.h"

enum { LENGTHS = 12, POINTS = LENGTHS * LENGTHS, TRACES = ROUNDS(4000), TALL_TRACES = 500 };

static struct pipeline points[POINTS];

static int make_points(void **state)
{
	(void)state;
	for (int i = 0; i < POINTS; i++)
		points[i] = (struct pipeline){1 + i / LENGTHS, 1 + i % LENGTHS};
	return 0;
}

/* ---- random traces ------------------------------------------------------------------------- */

static uint64_t random_state = 1;

static int pick(int below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (int)((random_state >> 33) % (uint64_t)below);
}

/* How traces of a kind look: chances in percent, distances, instructions of a loop (0: none). */
static const struct kind {
	int nodes, arcs, reach, targets, self, body, shorts;
} kinds[] = {
    {40, 180, 12, 20, 0, 0, 0},  {40, 90, 14, 30, 0, 0, 40},  {30, 60, 6, 50, 10, 0, 0},
    {60, 30, 20, 10, 5, 0, 30},  {40, 100, 10, 100, 0, 0, 0}, {40, 100, 10, 0, 0, 0, 0},
    {30, 100, 8, 30, 30, 0, 50}, {80, 100, 9, 0, 0, 7, 0},    {80, 110, 12, 0, 0, 5, 30},
    {90, 90, 15, 25, 3, 11, 20}, {5, 80, 4, 30, 10, 0, 30},   {2, 80, 1, 50, 10, 0, 0},
    {80, 70, 5, 25, 0, 4, 0},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static void random_node(struct model_trace *t, const struct kind *k, int node)
{
	t->target[node] = node > 1 && pick(100) < k->targets;
	t->self[node] = pick(100) < k->self;
	if (t->target[node] && pick(100) < k->shorts)
		t->ahead[node] = 1 + pick(9);
	for (int chance = k->arcs; chance > 0; chance -= 100)
		if (pick(100) < chance && node > 1) {
			int distance = 1 + pick(k->reach);

			if (distance < node)
				model_add_arc(t, node, node - distance);
		}
}

/* The node does what the one did a round before. */
static void repeat_node(struct model_trace *t, int node, int body)
{
	int count = t->arc_count;

	t->target[node] = t->target[node - body];
	t->self[node] = t->self[node - body];
	t->ahead[node] = t->ahead[node - body];
	for (int i = 0; i < count; i++)
		if (t->arcs[i].dependent == node - body)
			model_add_arc(t, node, t->arcs[i].resolver + body);
}

static void random_trace(struct model_trace *t, const struct kind *k)
{
	memset(t, 0, sizeof(*t));
	t->nodes = 1 + pick(k->nodes);
	for (int node = 1; node <= t->nodes; node++)
		if (k->body && node > 3 * k->body)
			repeat_node(t, node, k->body);
		else
			random_node(t, k, node);
}

/* ---- running the program ------------------------------------------------------------------- */

struct run {
	struct reduction reduction;
	int64_t simulated[POINTS];
	struct reduce_cycles cycles[POINTS];
	bool shorts;
};

static struct reduce_step step_of(const struct model_trace *t, int node, struct resolvers *r)
{
	int64_t from[2 * MODEL_NODES];
	size_t count = 0;

	for (int i = 0; i < t->arc_count; i++)
		if (t->arcs[i].dependent == node)
			from[count++] = t->arcs[i].resolver - 1;
	for (size_t again = count; again; again--) /* given twice: dropped */
		from[count++] = from[again - 1];
	assert_true(resolvers_set(r, node - 1, from, count));
	return (struct reduce_step){.resolvers = r->list.data,
				    .count = r->list.count,
				    .taken = t->target[node + 1],
				    .self = t->self[node],
				    .ahead = t->ahead[node + 1]};
}

static void run_trace(const struct model_trace *t, const struct reduce_options *options,
		      struct run *out)
{
	struct resolvers resolvers = {.sources = 0};
	struct reduce *r = reduce_new(options);
	struct simulation *s;
	struct error e = {.text = ""};

	out->shorts = options->shorts;
	assert_non_null(r);
	assert_int_equal(simulation_new(&s, points, POINTS, out->shorts, &e), STATUS_OK);
	for (int node = 1; node <= t->nodes; node++) {
		struct reduce_step step = step_of(t, node, &resolvers);

		assert_true(reduce_add(r, &step));
		simulation_add(s, &step);
	}
	simulation_cycles(s, out->simulated);
	simulation_free(s);
	resolvers_free(&resolvers);
	assert_int_equal(reduce_end(r, &out->reduction, &e), STATUS_OK);
	assert_int_equal(
	    reduce_evaluate(&out->reduction, points, POINTS, out->shorts, out->cycles, &e),
	    STATUS_OK);
}

/* Formula, the program's simulation and the model's: the same cycles for every pipeline. */
static void check_cycles(const struct model_trace *t, const struct run *run, int64_t most)
{
	for (int i = 0; i < POINTS; i++) {
		const struct reduce_cycles *c = &run->cycles[i];
		int64_t cycles =
		    model_simulate(t, (int)points[i].execute, (int)points[i].setup, run->shorts);

		assert_int_equal(run->simulated[i], cycles);
		if (points[i].execute <= most)
			assert_int_equal(c->cycles, cycles);
		assert_int_equal(c->exact, points[i].execute <= most);
		assert_int_equal(c->cycles,
				 c->instructions + c->flush + c->data + c->stack + c->self);
	}
}

/* ---- statistics ---------------------------------------------------------------------------- */

static uint64_t tally_of(const struct reduce_tally *t, uint64_t key)
{
	for (size_t i = 0; i < t->entries.count; i++)
		if (t->entries.data[i].key == key)
			return t->entries.data[i].count;
	return 0;
}

static uint64_t histogram_of(const struct reduction *r, int distance, int branches)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < shapes_count(&r->shapes); i++) {
		struct shape s = shapes_get(&r->shapes, (int32_t)i);

		if ((int)s.distance == distance && (int)s.branches == branches)
			sum += r->shapes.counts.data[i];
	}
	return sum;
}

static void check_histogram(const struct reduction *r, const struct model_stats *s)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < shapes_count(&r->shapes); i++)
		sum += r->shapes.counts.data[i];
	for (int i = 0; i < s->kept_count; i++) {
		const struct model_arc *a = &s->kept[i];
		uint64_t count = 0;

		for (int k = 0; k < s->kept_count; k++)
			count += s->kept[k].place == 0 && s->kept[k].branches == a->branches &&
				 s->kept[k].dependent - s->kept[k].resolver ==
				     a->dependent - a->resolver;
		assert_int_equal(histogram_of(r, a->dependent - a->resolver, a->branches), count);
		sum -= a->place == 0;
	}
	assert_int_equal(sum, 0);
}

struct matching {
	const struct reduction *r;
	const struct model_arc *arc; /* the first of a chain */
	int place, chain;
	bool same;
};

static bool match_arc(void *arg, const struct stack_arc *arc)
{
	struct matching *m = arg;
	const struct model_arc *a = &m->arc[m->place];
	struct shape shape = shapes_get(&m->r->shapes, arc->shape);

	m->same &= a->chain == m->chain && (int)arc->resolver == a->resolver - m->arc[0].resolver &&
		   (int)shape.distance == a->dependent - a->resolver &&
		   (int)shape.branches == a->branches;
	m->place++;
	return m->same;
}

/* Every stack of the model is one of the program's, and those are all. */
static void check_stacks(const struct reduction *r, const struct model_stats *s)
{
	uint64_t left = 0;

	for (size_t k = 0; k < r->stacks.list.count; k++)
		left += r->stacks.list.data[k].count;
	for (int i = 0; i + 1 < s->kept_count; i++) {
		int length = 1, found = 0;

		if (s->kept[i].place != 0 || s->kept[i + 1].place != 1)
			continue;
		while (i + length < s->kept_count && s->kept[i + length].place == length)
			length++;
		for (size_t k = 0; k < r->stacks.list.count; k++) {
			struct matching m = {r, &s->kept[i], 0, s->kept[i].chain, true};

			if ((int)r->stacks.list.data[k].arcs != length)
				continue;
			stacks_visit(&r->stacks, &r->stacks.list.data[k], match_arc, &m);
			found += m.same;
		}
		assert_int_equal(found, r->shorts ? found : 1);
		assert_true(found > 0);
		left--;
	}
	assert_int_equal(left, 0);
}

static void check_statistics(const struct model_trace *t, const struct reduction *r)
{
	struct model_stats s;

	model_reduce(t, READING_RIGHT, r->r3plus, &s);
	assert_int_equal(r->instructions, t->nodes);
	assert_int_equal(r->targets, s.targets);
	assert_int_equal(r->self_resolving, s.self);
	assert_int_equal(tally_total(&r->raw, NULL), s.arcs[REDUCE_RAW]);
	for (int stage = 0; stage < REDUCE_STAGES; stage++) {
		assert_int_equal(r->arcs[stage], s.arcs[stage]);
		for (int length = 1; stage && length <= t->nodes; length++)
			assert_int_equal(tally_of(&r->chains[stage], (uint64_t)length),
					 s.chains[stage][length]);
	}
	check_histogram(r, &s);
	check_stacks(r, &s);
}

/* ---- tests --------------------------------------------------------------------------------- */

static void check_trace(const struct model_trace *t, const struct reduce_options *options)
{
	struct run run;

	run_trace(t, options, &run);
	check_cycles(t, &run, (int64_t)run.reduction.cap);
	check_statistics(t, &run.reduction);
	reduction_free(&run.reduction);
}

TEST(test_random_traces)
{
	struct model_trace t;
	int stacks = 0;

	for (int i = 0; i < TRACES; i++) {
		struct reduce_options options = {.r3plus = i / KINDS % 2,
						 .shorts = i / KINDS % 3 == 0};
		struct model_stats s;

		random_trace(&t, &kinds[i % KINDS]);
		if (options.r3plus)
			options.shorts = false; /* the model does not know both */
		check_trace(&t, &options);
		model_reduce(&t, READING_RIGHT, false, &s);
		stacks += s.chains[REDUCE_R3][1] < s.kept_count;
	}
	assert_true(stacks > TRACES / 10);
}

/* Both extensions at once: the cycles alone are known. */
TEST(test_plus_with_short_branches)
{
	struct reduce_options options = {.r3plus = true, .shorts = true};
	struct model_trace t;
	struct run run;

	for (int i = 0; i < TRACES / 4; i++) {
		random_trace(&t, &kinds[i % KINDS]);
		run_trace(&t, &options, &run);
		check_cycles(&t, &run, REDUCE_CAP);
		reduction_free(&run.reduction);
	}
}

/* A full flush before the younger resolver is not made up for by a short one behind the older arc.
 */
TEST(test_plus_wants_full_flushes)
{
	struct reduce_options options = {.r3plus = true, .shorts = true};
	struct model_trace t;
	struct run run;

	model_parse(&t, "1; 2*; 3<-1; 4*<-2");
	t.ahead[4] = 1;
	run_trace(&t, &options, &run);
	assert_int_equal(run.reduction.arcs[REDUCE_R3], 2);
	check_cycles(&t, &run, REDUCE_CAP);
	reduction_free(&run.reduction);
}

/* A reduction that knows short branches also tells what full flushes would cost. */
TEST(test_short_statistics_in_full)
{
	struct reduce_options shorts = {.shorts = true}, full = {.shorts = false};
	struct reduce_cycles cycles[POINTS];
	struct model_trace t;
	struct error e;
	struct run a, b;

	for (int i = 0; i < TRACES / 10; i++) {
		random_trace(&t, &kinds[i % KINDS]);
		run_trace(&t, &shorts, &a);
		run_trace(&t, &full, &b);
		assert_int_equal(reduce_evaluate(&a.reduction, points, POINTS, false, cycles, &e),
				 STATUS_OK);
		for (int k = 0; k < POINTS; k++)
			assert_int_equal(cycles[k].cycles, b.cycles[k].cycles);
		assert_int_equal(reduce_evaluate(&b.reduction, points, POINTS, true, cycles, &e),
				 STATUS_USAGE);
		reduction_free(&a.reduction);
		reduction_free(&b.reduction);
	}
}

TEST(test_cap)
{
	static const int64_t caps[] = {4, 8, 12};
	struct model_trace t;
	struct run run;

	for (int i = 0; i < TRACES / 4; i++) {
		struct reduce_options options = {.cap = caps[i % 3], .r3plus = i % 2};

		random_trace(&t, &kinds[i % KINDS]);
		run_trace(&t, &options, &run);
		check_cycles(&t, &run, options.cap);
		for (size_t k = 0; k < shapes_count(&run.reduction.shapes); k++)
			assert_true(shapes_get(&run.reduction.shapes, (int32_t)k).distance <
				    options.cap);
		for (size_t k = 0; k < run.reduction.raw.entries.count; k++)
			assert_true((int64_t)run.reduction.raw.entries.data[k].key < options.cap);
		reduction_free(&run.reduction);
	}
}

/* Each wrong reading is wrong on its smallest trace, by as much as theory says. */
static const struct smallest {
	enum reading reading;
	const char *trace;
	int execute, setup;
	int exact, wrong; /* cycles */
} smallest[] = {
    {R3_LEAVES_OUT_J0, "1; 2*; 3<-1; 4<-2", 3, 2, 6, 5},
    {R3_IGNORES_TARGETS, "1; 2*; 3<-1; 4<-2", 3, 2, 6, 5},
    {R3_IGNORES_DEPENDENTS, "1; 2*; 3<-1; 4<-2; 5<-3", 3, 1, 7, 6},
    {R3_ANY_DISTANCE, "1; 2; 3; 4<-1; 5<-3", 3, 1, 6, 5},
    {R3_REVERSED, "1; 2; 3; 4<-1; 5<-3", 3, 1, 6, 5},
    {J_WITHOUT_DEPENDENT, "1; 2*<-1", 2, 2, 3, 4},
    {J_WITH_RESOLVER, "1; 2*; 3<-2", 2, 2, 5, 4},
    {J_COUNTS_BRANCHES, "1; 2*<-1", 2, 2, 3, 4},
    {STACK_OWN_DISTANCE, "1; 2*; 3<-1; 4<-2", 3, 1, 5, 6},
    {STACK_OLDEST_ONLY, "1; 2*; 3<-1; 4<-2", 3, 2, 6, 5},
    {STEP6_TOUCHING, "1; 2*; 3<-1; 4<-2; 5<-3", 3, 1, 7, 6},
    {STEP6_NO_SPAN, "1; 2*; 3<-1; 4<-2; 5<-3", 3, 1, 7, 6},
    {STEP6_WITH_FLUSH, "1; 2*; 3*<-1; 4<-2", 4, 2, 7, 6},
    {SINGLES_AFTER_R2, "1; 2; 3<-1; 4<-2", 3, 1, 5, 6},
    {SUPERPOSED, "1; 2*<-1", 2, 2, 3, 4},
    {SELF_IS_CLOSEST, "1; 2<-1,2", 2, 1, 5, 4},
};

TEST(test_smallest_traces)
{
	struct reduce_options options = {.cap = 0};
	struct model_trace t;
	struct model_stats s;
	struct run run;

	assert_int_equal(sizeof(smallest) / sizeof(smallest[0]), READINGS - 1);
	for (size_t i = 0; i < READINGS - 1; i++) {
		const struct smallest *c = &smallest[i];

		model_parse(&t, c->trace);
		run_trace(&t, &options, &run);
		assert_int_equal(run.cycles[(c->execute - 1) * LENGTHS + c->setup - 1].cycles,
				 c->exact);
		check_cycles(&t, &run, REDUCE_CAP);
		check_statistics(&t, &run.reduction);
		reduction_free(&run.reduction);
		model_reduce(&t, c->reading, false, &s);
		assert_int_equal(model_formula(&t, &s, c->reading, c->execute, c->setup, false),
				 c->wrong);
	}
}

/* The property that the program has finds every wrong reading out on random traces too. */
TEST(test_wrong_readings)
{
	int caught[READINGS] = {0};
	struct model_trace t;
	struct model_stats s;

	for (int i = 0; i < TALL_TRACES; i++) {
		random_trace(&t, &kinds[i % KINDS]);
		for (int reading = 0; reading < READINGS; reading++) {
			bool differs = false;

			model_reduce(&t, (enum reading)reading, false, &s);
			for (int k = 0; k < POINTS && !differs; k += 7) {
				int execute = (int)points[k].execute, setup = (int)points[k].setup;

				differs = model_formula(&t, &s, (enum reading)reading, execute,
							setup, false) !=
					  model_simulate(&t, execute, setup, false);
			}
			caught[reading] += differs;
		}
	}
	assert_int_equal(caught[READING_RIGHT], 0);
	for (int reading = 1; reading < READINGS; reading++)
		assert_true(caught[reading] > 3);
}

TEST(test_figure_1)
{
	struct reduce_options options = {.cap = 0};
	const struct reduce_cycles *c;
	struct model_trace t;
	struct run run;

	model_parse(&t, "1; 2; 3; 4; 5<-3; 6*<-2; 7<-1,4; 8*; 9*; 10<-7,8");
	run_trace(&t, &options, &run);
	c = &run.cycles[4 * LENGTHS + 4];
	assert_int_equal(c->cycles, 25);
	assert_int_equal(c->naive, 33);
	assert_int_equal(c->flush, 12);
	assert_int_equal(c->data, 3);
	assert_int_equal(c->stack, 0);
	assert_int_equal(histogram_of(&run.reduction, 2, 0), 1);
	assert_int_equal(histogram_of(&run.reduction, 2, 1), 1);
	assert_int_equal(run.reduction.arcs[REDUCE_RAW], 6);
	assert_int_equal(run.reduction.arcs[REDUCE_R3], 2);
	check_cycles(&t, &run, REDUCE_CAP);
	check_statistics(&t, &run.reduction);
	reduction_free(&run.reduction);
}

/* What Reduction 3 misses and Reduction 3+ does not. */
TEST(test_third_plus)
{
	struct reduce_options plain = {.cap = 0}, plus = {.r3plus = true};
	struct model_trace t;
	struct run a, b;

	model_parse(&t, "1; 2*; 3<-1; 4*<-2");
	run_trace(&t, &plain, &a);
	run_trace(&t, &plus, &b);
	assert_int_equal(a.reduction.arcs[REDUCE_R3], 2);
	assert_int_equal(b.reduction.arcs[REDUCE_R3], 1);
	check_cycles(&t, &b, REDUCE_CAP);
	reduction_free(&a.reduction);
	reduction_free(&b.reduction);
}

/* Chains that share a node are two. */
TEST(test_shared_node)
{
	struct reduce_options options = {.cap = 0};
	struct model_trace t;
	struct run run;

	model_parse(&t, "1; 2<-1; 3<-2");
	run_trace(&t, &options, &run);
	for (int stage = REDUCE_R1; stage < REDUCE_STAGES; stage++)
		assert_int_equal(tally_of(&run.reduction.chains[stage], 1), 2);
	assert_int_equal(run.reduction.stacks.list.count, 0);
	reduction_free(&run.reduction);
}

FIXTURES(make_points, NULL)
