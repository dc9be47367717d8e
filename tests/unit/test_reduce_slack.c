/*
 * Execution times by kind: what is kept costs what all cost, and equal times are the reductions.
 */
#include "config.h"

#include <string.h>

#include "analysis/pipeline/reduce_slack.h"
#include "reduce_model.h"
#include "testing.h"

enum { SETUPS = 5, TRACES = 6000, EXECUTE_MOST = 12 };

static const int64_t setups[SETUPS] = {1, 2, 3, 5, 9};

static uint64_t random_state = 3;

static int pick(int below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (int)((random_state >> 33) % (uint64_t)below);
}

/* The recurrence, plainly. */
static int64_t recurrence(const struct model_trace *t, const int *execute, int64_t setup)
{
	int64_t done[MODEL_NODES + 2], now = 0;

	for (int node = 1; node <= t->nodes; node++) {
		now += t->target[node] ? setup : 1;
		for (int i = 0; i < t->arc_count; i++)
			if (t->arcs[i].dependent == node && done[t->arcs[i].resolver] > now)
				now = done[t->arcs[i].resolver];
		done[node] = now + execute[node];
		if (t->self[node])
			now = done[node];
	}
	return now;
}

static struct slack_result run(const struct model_trace *t, const int *execute)
{
	struct slack_result result;
	struct slack *s;
	struct error e;

	assert_int_equal(slack_new(&s, setups, SETUPS, EXECUTE_MOST, &e), STATUS_OK);
	for (int node = 1; node <= t->nodes; node++) {
		int64_t from[MODEL_NODES];
		struct reduce_step step = {
		    .resolvers = from, .taken = t->target[node + 1], .self = t->self[node]};

		for (int i = 0; i < t->arc_count; i++)
			if (t->arcs[i].dependent == node)
				from[step.count++] = t->arcs[i].resolver - 1;
		assert_true(slack_add(s, &step, execute[node]));
	}
	slack_result_of(s, &result);
	slack_free(s);
	return result;
}

static void random_trace(struct model_trace *t, int kind)
{
	memset(t, 0, sizeof(*t));
	t->nodes = 1 + pick(50);
	for (int node = 2; node <= t->nodes; node++) {
		t->target[node] = pick(100) < kind % 4 * 15;
		t->self[node] = pick(100) < kind / 4 % 3 * 5;
		for (int i = pick(2 + kind % 3); i > 0; i--) {
			int distance = 1 + pick(6 + kind % 5 * 2);

			if (distance < node)
				model_add_arc(t, node, node - distance);
		}
	}
}

static void check(const struct model_trace *t, const int *execute, struct slack_result *out)
{
	*out = run(t, execute);
	for (int i = 0; i < SETUPS; i++) {
		int64_t cycles = recurrence(t, execute, setups[i]);

		assert_int_equal(out->cycles[i], cycles);
		assert_int_equal(out->kept_cycles[i], cycles);
	}
}

TEST(test_kept_is_enough)
{
	int execute[MODEL_NODES + 2];
	uint64_t positive = 0, kept = 0;
	struct slack_result result;
	struct model_trace t;

	for (int k = 0; k < TRACES; k++) {
		random_trace(&t, k);
		for (int node = 1; node <= t.nodes; node++)
			execute[node] = 1 + (k % 2 ? pick(EXECUTE_MOST) : pick(4) ? 2 : 9);
		check(&t, execute, &result);
		positive += result.positive;
		kept += result.kept;
	}
	assert_true(kept < positive * 3 / 4);
}

/* Equal times: the same arcs are kept as by Reductions 1 to 3 with a cap of that time. */
TEST(test_equal_times)
{
	int execute[MODEL_NODES + 2];
	struct slack_result result;
	struct model_trace t;
	struct error e;

	for (int k = 0; k < TRACES / 2; k++) {
		int same = 2 + pick(EXECUTE_MOST - 1);
		struct reduce_options options = {.cap = same};
		struct reduce *r = reduce_new(&options);
		struct reduction out;

		random_trace(&t, k);
		for (int node = 1; node <= t.nodes; node++) {
			int64_t from[MODEL_NODES];
			struct reduce_step step = {
			    .resolvers = from, .taken = t.target[node + 1], .self = t.self[node]};

			execute[node] = same;
			for (int i = 0; i < t.arc_count; i++)
				if (t.arcs[i].dependent == node)
					from[step.count++] = t.arcs[i].resolver - 1;
			assert_true(reduce_add(r, &step));
		}
		check(&t, execute, &result);
		assert_int_equal(reduce_end(r, &out, &e), STATUS_OK);
		assert_int_equal(result.kept, out.arcs[REDUCE_R3]);
		reduction_free(&out);
	}
}

/* Where the paper's section VI goes wrong. */
TEST(test_readings)
{
	struct slack_result result;
	struct model_trace t;

	model_parse(&t, "1; 2; 3; 4<-1; 5<-3"); /* equal slacks in place of distances: 6 */
	check(&t, (int[]){0, 4, 4, 4, 4, 4}, &result);
	assert_int_equal(result.cycles[0], 7);
	assert_int_equal(result.kept, 2);
	model_parse(&t, "1; 2; 3<-1,2"); /* the closest resolver: 3 */
	check(&t, (int[]){0, 3, 1, 1}, &result);
	assert_int_equal(result.cycles[0], 4);
	assert_int_equal(result.kept, 1);
	model_parse(&t, "1; 2s; 3<-1"); /* a quick self branch does not hide a slow result */
	check(&t, (int[]){0, 9, 1, 1}, &result);
	assert_int_equal(result.kept, 1);
	check(&t, (int[]){0, 3, 2, 1}, &result);
	assert_int_equal(result.kept, 0);
}

TEST(test_refused)
{
	struct slack *s;
	struct error e;

	assert_int_equal(slack_new(&s, (int64_t[]){0}, 1, 5, &e), STATUS_USAGE);
	assert_int_equal(slack_new(&s, setups, SETUPS, 0, &e), STATUS_USAGE);
	assert_int_equal(slack_new(&s, setups, SETUPS, SLACK_LONGEST + 1, &e), STATUS_USAGE);
	assert_int_equal(slack_new(&s, setups, SLACK_SETUPS + 1, 5, &e), STATUS_USAGE);
	assert_null(s);
}
