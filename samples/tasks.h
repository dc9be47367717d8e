/*
 * The same run as tasks, written with libpgtrace: an example of how a simulator uses it.
 *
 * An instruction, or what it does beside, is a task of the core; each of its stays in a stage is a
 * task of that stage below it. Events are tags of the stay, statistics are samples.
 */
#ifndef SAMPLES_TASKS_H
#define SAMPLES_TASKS_H

#include <stdint.h>

#include <pipeglass/trace.h>

enum {
	TASKS_CYCLE = 500, /* picoseconds: 2 GHz */
	TASKS_KEPT = 4096  /* from the oldest in flight to the youngest there are fewer */
};

struct tasks {
	struct pgtrace *stream;
	int64_t now;
	pgtrace_task run;
	struct {
		pgtrace_task self, stay; /* stay: 0: in no stage so far */
	} kept[TASKS_KEPT];              /* by number */
};

/* 0, or an errno. */
int tasks_open(struct tasks *t, const char *path, const char *program);
int tasks_close(struct tasks *t);
void tasks_cycle(struct tasks *t, int64_t cycle);
void tasks_birth(struct tasks *t, uint32_t seq, const char *text);
void tasks_stage(struct tasks *t, uint32_t seq, const char *stage);
void tasks_event(struct tasks *t, uint32_t seq, const char *event);
void tasks_removal(struct tasks *t, uint32_t seq);
void tasks_statistic(struct tasks *t, const char *name, double value);

#endif
