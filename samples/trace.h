/*
 * Writes a pipetrace: the form of sim-outorder's ptrace.c, in the dialect of the Graphical Pipeline
 * Viewer or of stock SimpleScalar; or the records of gem5's O3PipeView; or tasks.  It only spells what it is
 * told and counts nothing, so the model's own counters and the records of the trace can be checked
 * against each other.  Each call costs one fprintf() at most; a trace without a file costs nothing.
 */
#ifndef SAMPLES_TRACE_H
#define SAMPLES_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "o3.h"
#include "tasks.h"

#define STAGES(X) X(IF) X(DA) X(EX) X(WB) X(CT)

/* name, mask, name as viewers spell it */
#define EVENTS(X)                                                                                  \
	X(CACHE_MISS, 0x001, "cache-miss")                                                         \
	X(TLB_MISS, 0x002, "tlb-miss")                                                             \
	X(MISPREDICT, 0x004, "mispredict")                                                         \
	X(DETECTED, 0x008, "mispredict-detected")                                                  \
	X(AGEN, 0x010, "agen")

enum stage {
#define X(name) STAGE_##name,
	STAGES(X)
#undef X
	    STAGE_COUNT,
	STAGE_NONE = STAGE_COUNT
};

enum event_bit {
#define X(name, mask, spelling) EVENT_##name = mask,
	EVENTS(X)
#undef X
};

enum {
#define X(name, mask, spelling) EVENT_NUMBER_##name,
	EVENTS(X)
#undef X
	    EVENT_COUNT
};

struct event_info {
	unsigned mask;
	const char *name;
};

extern const char *const trace_stage_names[STAGE_COUNT];
extern const struct event_info trace_events[EVENT_COUNT];

/* What happened to an entity as it entered a stage. */
struct event {
	unsigned bits;
	int latency;     /* cycles of the longest miss, 0 without one */
	unsigned colour; /* EVENT_CACHE_MISS or EVENT_TLB_MISS: which one that was */
};

enum trace_form {
	FORM_GPV,
	FORM_STOCK, /* no latencies, statistics or end mark */
	FORM_O3,    /* nor events */
	FORM_TASKS  /* to tasks, not to file */
};

struct trace {
	FILE *file; /* NULL: nothing is written */
	enum trace_form form;
	struct o3 o3; /* FORM_O3 */
	struct tasks tasks;
};

void trace_cycle(struct trace *t, int64_t cycle);
void trace_birth(struct trace *t, uint32_t seq, uint64_t pc, const char *text);
void trace_stage(struct trace *t, uint32_t seq, enum stage stage, struct event event);
void trace_removal(struct trace *t, uint32_t seq);
void trace_integer(struct trace *t, const char *statistic, int64_t value);
void trace_real(struct trace *t, const char *statistic, double value);
void trace_close(struct trace *t);

#endif
