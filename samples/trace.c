#include "trace.h"

#include <inttypes.h>

const char *const trace_stage_names[STAGE_COUNT] = {
#define X(name) #name,
    STAGES(X)
#undef X
};

const struct event_info trace_events[EVENT_COUNT] = {
#define X(name, mask, spelling) {mask, spelling},
    EVENTS(X)
#undef X
};

void trace_cycle(struct trace *t, int64_t cycle)
{
	if (t->form == FORM_O3)
		o3_cycle(&t->o3, cycle);
	else if (t->form == FORM_TASKS)
		tasks_cycle(&t->tasks, cycle);
	else if (t->file)
		fprintf(t->file, "@ %" PRId64 "\n", cycle);
}

/* The third field, the effective address, is 0 as it is in SimpleScalar's traces. */
void trace_birth(struct trace *t, uint32_t seq, uint64_t pc, const char *text)
{
	if (t->form == FORM_O3)
		o3_birth(&t->o3, seq, pc, text);
	else if (t->form == FORM_TASKS)
		tasks_birth(&t->tasks, seq, text);
	else if (t->file)
		fprintf(t->file, "+ %" PRIu32 " 0x%08" PRIx64 " 0x00000000 %s\n", seq, pc, text);
}

static void tasks_entry(struct tasks *t, uint32_t seq, enum stage stage, struct event event)
{
	tasks_stage(t, seq, trace_stage_names[stage]);
	for (int i = 0; i < EVENT_COUNT; i++)
		if (event.bits & trace_events[i].mask)
			tasks_event(t, seq, trace_events[i].name);
}

void trace_stage(struct trace *t, uint32_t seq, enum stage stage, struct event event)
{
	if (t->form == FORM_O3)
		o3_stage(&t->o3, seq, (int)stage);
	if (t->form == FORM_TASKS)
		tasks_entry(&t->tasks, seq, stage, event);
	if (!t->file || t->form == FORM_O3)
		return;
	fprintf(t->file, "* %" PRIu32 " %s ", seq, trace_stage_names[stage]);
	if (t->form == FORM_STOCK)
		fprintf(t->file, "0x%08x\n", event.bits);
	else
		fprintf(t->file, "0x%03x %d 0x%03x\n", event.bits, event.latency, event.colour);
}

void trace_removal(struct trace *t, uint32_t seq)
{
	if (t->form == FORM_TASKS)
		tasks_removal(&t->tasks, seq);
	if (!t->file)
		return;
	if (t->form == FORM_O3)
		o3_removal(&t->o3, seq, t->file);
	else
		fprintf(t->file, "- %" PRIu32 "\n", seq);
}

void trace_integer(struct trace *t, const char *statistic, int64_t value)
{
	if (t->form == FORM_TASKS)
		tasks_statistic(&t->tasks, statistic, (double)value);
	if (t->file && t->form == FORM_GPV)
		fprintf(t->file, "<%s>%12" PRId64 "\n", statistic, value);
}

void trace_real(struct trace *t, const char *statistic, double value)
{
	if (t->form == FORM_TASKS)
		tasks_statistic(&t->tasks, statistic, value);
	if (t->file && t->form == FORM_GPV)
		fprintf(t->file, "<%s>%12.4f\n", statistic, value);
}

void trace_close(struct trace *t)
{
	if (t->file && t->form == FORM_GPV)
		fputs("<END VISUAL>\n", t->file);
}
