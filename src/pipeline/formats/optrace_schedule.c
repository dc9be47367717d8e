#include "config.h"

#include "pipeline/formats/optrace_schedule.h"

#include <stdlib.h>
#include <string.h>

bool schedule_init(struct optrace_schedule *s, struct segments at)
{
	*s = (struct optrace_schedule){.at = at, .start = -1, .resolved = at.setup - 1};
	s->entered = calloc((size_t)at.setup, sizeof(*s->entered));
	return s->entered != NULL;
}

void schedule_free(struct optrace_schedule *s)
{
	free(s->entered);
	s->entered = NULL;
	vec_free(&s->results);
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What nobody has written yet can be read from the beginning. */
static bool write_result(struct optrace_schedule *s, uint32_t operand, int64_t cycle)
{
	size_t had = s->results.count;

	if (operand >= had) {
		if (!vec_reserve(&s->results, operand + 1 - had))
			return false;
		s->results.count = operand + 1;
		memset(s->results.data + had, 0, (operand + 1 - had) * sizeof(*s->results.data));
	}
	s->results.data[operand] = cycle;
	return true;
}

/*
 * No limit is needed for what enters setup late: `setup` segments lie between, and the one before
 * has kept to it.
 */
static int64_t setup_start(const struct optrace_schedule *s)
{
	return s->target ? s->resolved : later(s->start + 1, s->entered[s->next]);
}

bool schedule_add(struct optrace_schedule *s, const struct optrace_op *op, int64_t *start,
		  int64_t *end)
{
	int64_t enters = s->resolved + (s->target ? s->at.setup : 1);

	for (size_t i = 0; i < op->source_count; i++)
		if (op->sources[i] < s->results.count)
			enters = later(enters, s->results.data[op->sources[i]]);
	for (size_t i = 0; i < op->sink_count; i++)
		if (!write_result(s, op->sinks[i], enters + s->at.execute))
			return false;
	s->start = setup_start(s);
	s->entered[s->next] = enters;
	s->next = s->next + 1 < s->at.setup ? s->next + 1 : 0;
	s->resolved = enters + (op->self ? s->at.execute : 0);
	s->target = op->taken;
	*start = s->start;
	*end = enters + s->at.execute;
	return true;
}
