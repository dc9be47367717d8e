/*
 * usage: evaluate COUNT
 *
 * What an instruction costs `why`, in nanoseconds: the evaluation of a run, which gives its times
 * back, and the walk along its critical path; then the bytes of its columns. The run is that of a
 * machine four wide with a window of 64.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/pipeline/why_private.h"

enum { WIDTH = 4, BUFFER = 16, WINDOW = 64, DEPTH = 4, KEPT = 256, MISS = 60 };

static int64_t kept[KEPT][WHY_TIMES];

static uint64_t below(uint64_t n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void later(int64_t *at, size_t i, size_t back, enum why_time t, int64_t more)
{
	int64_t than = i >= back ? kept[(i - back) % KEPT][t] + more : 0;

	if (than > *at)
		*at = than;
}

static void execute(size_t i, const struct why_insn *n, const uint16_t *producers, bool mispredicted,
		    int64_t *at)
{
	memset(at, 0, sizeof(kept[0]));
	later(&at[WHY_F], i, 1, WHY_F, 0);
	later(&at[WHY_F], i, WIDTH, WHY_F, 1);
	later(&at[WHY_F], i, BUFFER, WHY_D, 0);
	if (mispredicted)
		later(&at[WHY_F], i, 1, WHY_W, 1);
	at[WHY_D] = at[WHY_F] + DEPTH;
	later(&at[WHY_D], i, 1, WHY_D, 0);
	later(&at[WHY_D], i, WIDTH, WHY_D, 1);
	later(&at[WHY_D], i, WINDOW, WHY_C, 0);
	at[WHY_X] = at[WHY_D] + 1;
	for (unsigned k = 0; k < n->producers; k++)
		later(&at[WHY_X], i, producers[k], WHY_W, 0);
	at[WHY_W] = at[WHY_X] + (!(n->flags & WHY_LOAD) ? 1 : below(16) ? 3 : MISS);
	at[WHY_C] = at[WHY_W] + 1;
	later(&at[WHY_C], i, 1, WHY_C, 0);
	later(&at[WHY_C], i, WIDTH, WHY_C, 1);
	memcpy(kept[i % KEPT], at, sizeof(kept[0]));
}

static void make(struct why_columns *c, size_t count)
{
	unsigned before = 0; /* flags */
	int64_t at[WHY_TIMES];

	for (size_t i = 0; i < count; i++) {
		const uint64_t kind = below(40);
		struct why_insn n = {.row = (uint32_t)i,
				     .producer = (uint32_t)c->producers.count,
				     .op = kind < 10};

		n.flags = WHY_FETCHED | WHY_WHOLE | WHY_LAST | WHY_QUEUED | WHY_ISSUED;
		n.flags |= kind < 10   ? WHY_ACCESS | WHY_MEMORY | WHY_LOAD
			   : kind == 39 ? WHY_MISPREDICTED
					: 0;
		n.producers = i > 32 ? 1 + kind % 2 : 0;
		if (!vec_reserve(&c->insns, 1) || !vec_reserve(&c->producers, 2))
			exit(1);
		c->producers.data[n.producer] = (uint16_t)(1 + below(8));
		c->producers.data[n.producer + 1] = (uint16_t)(1 + below(32));
		c->producers.count += n.producers;
		execute(i, &n, &c->producers.data[n.producer], before & WHY_MISPREDICTED, at);
		for (int t = 0; t < WHY_TIMES; t++)
			n.times[t] = (uint32_t)at[t];
		c->insns.data[c->insns.count++] = n;
		before = n.flags;
	}
}

static bool add(void *arg, const struct why_part *p)
{
	*(int64_t *)arg += p->to - p->from;
	return true;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	static struct why_reading r;
	const size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	struct why_columns *c = &r.columns;
	struct why_whatif same = {.gone = 0};
	struct why_span span = {.end = count};
	int64_t cycles = 0;
	double began;

	for (int p = 0; p < WHY_SIZES; p++)
		r.machine.number[p] = WINDOW;
	for (int p = WHY_RULE_FETCH_WIDTH; p <= WHY_RULE_COMMIT_WIDTH; p++)
		r.machine.number[p] = WIDTH;
	r.machine.number[WHY_RULE_BUFFER] = BUFFER;
	make(c, count);
	span.to = vec_last(&c->insns).times[WHY_C];
	began = now();
	if (why_settle(&r, NULL, NULL) || why_evaluate(&r, span, &same, 1, NULL, NULL) ||
	    why_walk(&r, span, add, &cycles, NULL, NULL))
		return 1;
	began = (now() - began) / (double)count;
	if (same.differences || cycles != span.to) {
		fprintf(stderr, "evaluate: %lld cycles of %lld\n", (long long)cycles,
			(long long)span.to);
		return 1;
	}
	printf("%.1f %.1f\n", began,
	       (double)(c->insns.count * sizeof(*c->insns.data) +
			c->producers.count * sizeof(*c->producers.data)) / (double)count);
	return 0;
}
