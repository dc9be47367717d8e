/*
 * Arbitrary text as a machine description, as a mapping, and as counters of the shipped one.
 *
 * Input: a byte that says which, then the text. A machine that is taken diagnoses a mix of every
 * class, and of micro-ops: whatever bounds it has, the simulated machine keeps to them, and ends.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "analysis/pipeline/cpi0_diagnosis.h"
#include "analysis/pipeline/cpi0_counts.h"
#include "analysis/pipeline/cpi0_simulate.h"
#include "base/embedded.h"

enum { KINDS = 3, INSTRUCTIONS = 200 };

static void check_error(enum status status, const struct error *e)
{
	demand(!status || (e->text[0] && !strchr(e->text, '\n')), "an error without one line");
}

/* Of each class, then of two at once. */
static class_set instruction(uint64_t i)
{
	class_set one = (class_set)1 << (i + 1) % OP_CLASS_COUNT;
	class_set other = (class_set)1 << i / 2 * 5 % OP_CLASS_COUNT;

	return cpi0_fold(i < INSTRUCTIONS / 2 ? one : one | other);
}

static void simulate(const struct machine *m, const struct cpi0 *c, const struct cpi0_mix *mix)
{
	struct cpi0_sim *s = cpi0_sim_new(m, c);
	uint64_t cycles;

	demand(s, "no memory");
	for (uint64_t i = 0; i < mix->total; i++) {
		int8_t queues[OP_CLASS_COUNT];

		cpi0_sim_add(s, queues, cpi0_places(queues, m, instruction(i)));
	}
	cycles = cpi0_sim_end(s);
	cpi0_sim_free(s);
	demand((double)cycles + 1e-9 >= cpi0_real(c->cpi) * (double)mix->total * (1 - 1e-12),
	       "faster than its bound");
}

static void try_machine(const char *text, size_t len)
{
	struct cpi0_diagnosis d;
	struct cpi0_mix mix = cpi0_mix_none();
	struct error e = {.text = ""};
	struct machine m;
	struct cpi0 c;
	enum status status = machine_read(&m, text, len, &e);

	check_error(status, &e);
	if (status)
		return;
	while (mix.total < INSTRUCTIONS)
		cpi0_mix_add(&mix, instruction(mix.total));
	demand(!cpi0_model(&c, &m, &mix, &e), "no model");
	demand(c.limiting && c.cpi.num > 0, "nothing limits");
	demand(c.runner_up == CPI0_NOTHING || c.margin <= 1, "the runner-up is ahead");
	demand(!cpi0_diagnose(&d, &m, &mix, -1, &e), "no diagnosis");
	simulate(&m, &c, &mix);
}

static void try_mapping(const char *text, size_t len)
{
	static struct cpi0_mapping map;
	struct error e = {.text = ""};

	check_error(cpi0_mapping_read(&map, text, len, &e), &e);
}

static void try_counts(const char *text, size_t len)
{
	static struct cpi0_mapping map;
	const struct embedded_file *f = embedded_find("perf.mapping");
	struct error e = {.text = ""};
	struct cpi0_mix mix;
	enum status status;

	if (!map.count)
		demand(!cpi0_mapping_read(&map, (const char *)f->bytes, f->len, &e), e.text);
	status = cpi0_counts_read(&mix, &map, text, len, &e);
	check_error(status, &e);
	demand(status || (mix.total && mix.total <= CPI0_COUNT_MOST && mix.counted <= 1), "a mix");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static void (*const tries[KINDS])(const char *text, size_t len) = {try_machine, try_mapping,
									   try_counts};

	if (len)
		tries[bytes[0] % KINDS]((const char *)bytes + 1, len - 1);
	return 0;
}
