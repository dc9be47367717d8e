/*
 * usage: simulate MODEL MIX
 *
 * What a reference costs the cache simulator, in nanoseconds: of 8 threads that take turns. MIX is
 * `usual` (mostly their own data, some of it in order, some shared for reading, little of it written
 * by all) or `contended` (half of it is written by all).
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulator/simulator.h"

enum { THREADS = 8, COUNT = 1 << 20, ROUNDS = 10, OWN = 1 << 20, SHARED = 1 << 20, HOT = 1 << 12 };

struct reference {
	uint64_t address;
	uint32_t pc;
	uint8_t cpu, size;
	bool write;
};

static uint64_t below(uint64_t n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

static void make(struct reference *r, unsigned i, unsigned hot, unsigned cpus)
{
	static uint64_t walk[THREADS];
	const unsigned thread = i % THREADS, dice = (unsigned)below(100);
	const uint64_t own = UINT64_C(0x10000000) + thread * UINT64_C(0x1000000);

	r->cpu = (uint8_t)(thread % cpus);
	r->pc = 0x400000 + (uint32_t)below(200) * 4;
	r->size = 8;
	r->write = below(3) == 0;
	if (dice < hot)
		r->address = 0x1000000 + below(HOT / 8) * 8;
	else if (dice < hot + (100 - hot) / 2)
		r->address = own + (walk[thread] = (walk[thread] + 8) % OWN);
	else if (dice < 97)
		r->address = own + below(OWN / 128);
	else {
		r->address = 0x2000000 + below(SHARED / 8) * 8;
		r->write = false;
	}
}

static void count(void *context, const struct sim_record *r)
{
	*(uint64_t *)context += r->type == SIM_READ || r->type == SIM_WRITE;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct reference *all = malloc(COUNT * sizeof(*all));
	int64_t clocks[SIM_CPUS_MOST] = {0};
	struct sim_machine m;
	char error[200] = "usage: simulate MODEL usual|contended";
	uint64_t waits = 0;
	struct sim *s;
	double began;

	if (argc != 3 || !all || !sim_machine_read(&m, argv[1], error, sizeof(error))) {
		fprintf(stderr, "%s\n", error);
		return 2;
	}
	s = sim_new(&m, count, &waits);
	if (!s)
		return 1;
	for (unsigned i = 0; i < COUNT; i++)
		make(&all[i], i, strcmp(argv[2], "usual") ? 50 : 5, m.cpus);
	began = now();
	for (unsigned i = 0; i < ROUNDS * COUNT; i++) {
		const struct reference *r = &all[i % COUNT];

		clocks[r->cpu] += m.reference + sim_access(s, r->cpu, r->pc, r->address, r->size, r->write,
							   clocks[r->cpu]);
	}
	printf("%.2f %.3f\n", (now() - began) / ((double)ROUNDS * COUNT),
	       (double)waits / ((double)ROUNDS * COUNT));
	sim_free(s);
	free(all);
	return 0;
}
