#include "tasks.h"

#include <errno.h>
#include <stdio.h>

int tasks_open(struct tasks *t, const char *path, const char *program)
{
	t->stream = pgtrace_open(path, TASKS_CYCLE);
	if (!t->stream)
		return errno;
	t->run = pgtrace_start(t->stream, 0, 0, "core", "run", program);
	return 0;
}

int tasks_close(struct tasks *t)
{
	pgtrace_end(t->stream, t->now + 1, t->run);
	return pgtrace_close(t->stream);
}

void tasks_cycle(struct tasks *t, int64_t cycle)
{
	t->now = cycle;
}

void tasks_birth(struct tasks *t, uint32_t seq, const char *text)
{
	t->kept[seq % TASKS_KEPT].self =
	    pgtrace_start(t->stream, t->now, t->run, "core", "instruction", text);
	t->kept[seq % TASKS_KEPT].stay = 0;
}

void tasks_stage(struct tasks *t, uint32_t seq, const char *stage)
{
	pgtrace_task *stay = &t->kept[seq % TASKS_KEPT].stay;
	char where[32];

	snprintf(where, sizeof(where), "core.%s", stage);
	pgtrace_end(t->stream, t->now, *stay);
	*stay = pgtrace_start(t->stream, t->now, t->kept[seq % TASKS_KEPT].self, where, "stage",
			      stage);
}

void tasks_event(struct tasks *t, uint32_t seq, const char *event)
{
	pgtrace_mark(t->stream, t->now, t->kept[seq % TASKS_KEPT].stay, "", event);
}

void tasks_removal(struct tasks *t, uint32_t seq)
{
	pgtrace_end(t->stream, t->now, t->kept[seq % TASKS_KEPT].stay);
	pgtrace_end(t->stream, t->now, t->kept[seq % TASKS_KEPT].self);
}

void tasks_statistic(struct tasks *t, const char *name, double value)
{
	pgtrace_sample(t->stream, t->now, "core", name, value);
}
