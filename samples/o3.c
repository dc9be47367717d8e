#include "o3.h"

#include <inttypes.h>

#include "trace.h"

_Static_assert((int)O3_STAGES == (int)STAGE_COUNT, "a tick for each stage");

static struct o3_record *kept(struct o3 *o, uint32_t seq)
{
	return &o->kept[seq % O3_KEPT];
}

/* Tick 0 is none, so the first cycle is not there. */
void o3_cycle(struct o3 *o, int64_t cycle)
{
	o->now = (cycle + 1) * O3_CYCLE;
}

/* The text of an entity that is no instruction of the program is in brackets. */
void o3_birth(struct o3 *o, uint32_t seq, uint64_t pc, const char *text)
{
	struct o3_record *r = kept(o, seq);

	*r = (struct o3_record){.seq = seq, .is_access = text[0] == '[', .pc = pc};
	snprintf(r->text, sizeof(r->text), "%s", text);
	if (r->is_access)
		o->access = r;
}

void o3_stage(struct o3 *o, uint32_t seq, int stage)
{
	struct o3_record *r = kept(o, seq);

	r->tick[stage] = o->now;
	if (stage != STAGE_DA || r->is_access)
		return;
	r->access = o->access;
	o->access = NULL;
}

void o3_removal(const struct o3 *o, uint32_t seq, FILE *file)
{
	const struct o3_record *r = &o->kept[seq % O3_KEPT];
	const int64_t *tick = r->tick;

	if (r->is_access)
		return;
	fprintf(file,
		"O3PipeView:fetch:%" PRId64 ":0x%08" PRIx64 ":0:%" PRIu32 ":  %s\n"
		"O3PipeView:decode:%" PRId64 "\n"
		"O3PipeView:rename:%" PRId64 "\n"
		"O3PipeView:dispatch:%" PRId64 "\n"
		"O3PipeView:issue:%" PRId64 "\n"
		"O3PipeView:complete:%" PRId64 "\n"
		"O3PipeView:retire:%" PRId64 ":store:0\n",
		tick[STAGE_IF], r->pc, r->seq + 1, r->text, tick[STAGE_DA], tick[STAGE_DA],
		tick[STAGE_DA], tick[STAGE_EX], (r->access ? r->access : r)->tick[STAGE_WB],
		tick[STAGE_CT]);
}
