/*
 * Arbitrary text as a model of caches, and as references.
 *
 * Input: a byte that says which, then the text. A model that is taken simulates some references to few
 * blocks, by all CPUs; references go through a small one. What is emitted is of caches that there are.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "simulator/simulator.h"

enum { REFERENCES = 300, LINES_MOST = 50 };

static void check_record(void *context, const struct sim_record *r)
{
	const struct sim_machine *m = context;

	demand(r->cpu < m->cpus, "a record of no CPU");
	demand(r->level <= 2 && r->time >= 0, "a record of no level, or no time");
}

static struct sim *begin(struct sim_machine *m)
{
	return sim_new(m, check_record, m);
}

static void try_model(const char *text)
{
	struct sim_machine m;
	char error[300] = "";
	struct sim *s;

	if (!sim_machine_read(&m, text, error, sizeof(error))) {
		demand(error[0] && strlen(error) < sizeof(error) && !strchr(error, '\n'), "no line of an error");
		return;
	}
	s = begin(&m);
	for (unsigned i = 0; s && i < REFERENCES; i++)
		demand(sim_access(s, i * 7 % m.cpus, i, i * 37 % 4096, 1 + i % 70, i % 3 == 0, i) >= 0,
		       "a wait back in time");
	sim_free(s);
}

static void try_references(char *text)
{
	struct sim_machine m;
	char error[300];
	int64_t now = 0;
	struct sim *s;

	demand(sim_machine_read(&m, "thesis\nl1 128 1 8\nl2 512 2 16", error, sizeof(error)), error);
	s = begin(&m);
	for (int i = 0; s && text && i < LINES_MOST; i++) {
		char *line = strsep(&text, "\n");
		struct sim_reference r;
		const char *why;

		if (sim_reference_read(&r, line, &why))
			now += sim_access(s, (unsigned)(r.thread % m.cpus), r.pc, r.address, r.size, r.write, now);
	}
	demand(!s || !sim_totals(s)->lost, "references were lost");
	sim_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	char *text = len ? malloc(len) : NULL;

	if (!text)
		return 0;
	memcpy(text, bytes + 1, len - 1);
	text[len - 1] = '\0';
	if (bytes[0] & 1)
		try_references(text);
	else
		try_model(text);
	free(text);
	return 0;
}
