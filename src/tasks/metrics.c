/*
 * Metrics of tasks over bins of time.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks_private.h"

size_t task_metric_count(const struct trace *t)
{
	(void)t;
	return 1;
}

bool task_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	(void)t;
	if (i)
		return false;
	*out = (struct metric_info){.name = "concurrent-tasks",
				    .help = "tasks that live at the same time",
				    .total = NAN,
				    .per_component = true};
	return true;
}

static bool matches(const struct trace *t, const struct regex *component, uint32_t i)
{
	const char *name = tasks_component(t, i);

	return !component || regex_match(component, name, strlen(name), NULL, NULL);
}

/* set: 1 + the component, where it is one; 0: all. */
bool task_metric_find(const struct trace *t, const char *name, const struct regex *component,
		      struct metric_ref *out)
{
	const struct task_columns *c;
	bool found = false;

	if (strcmp(name, "concurrent-tasks") != 0)
		return false;
	*out = (struct metric_ref){.set = 0};
	c = tasks_lock(t);
	for (uint32_t i = 0; i < c->component_count && !found; i++)
		if (matches(t, component, i)) {
			found = true;
			out->set = component ? i + 1 : 0;
		}
	tasks_unlock(t);
	return found;
}

/* Adds the life [start, end) to bins of a width: whole bins at their ends, as differences. */
static void add_life(double *values, double *steps, size_t n, double start, double end)
{
	size_t first, last;

	start = start < 0 ? 0 : start;
	end = end > (double)n ? (double)n : end;
	if (!(start < end))
		return;
	first = (size_t)start;
	last = (size_t)end;
	if (first == last) {
		values[first] += end - start;
		return;
	}
	values[first] += (double)(first + 1) - start;
	steps[first + 1]++;
	steps[last]--;
	if (last < n)
		values[last] += end - (double)last;
}

static void add_component(const struct task_columns *c, uint32_t component, int64_t from,
			  int64_t to, size_t n, double *values, double *steps)
{
	double width = ((double)to - (double)from) / (double)n;
	uint32_t begin, end;

	tasks_overlapping(c, component, from, to, &begin, &end);
	for (uint32_t i = begin; i < end; i++) {
		uint32_t row = c->by_component[i];

		add_life(values, steps, n, ((double)c->start[row] - (double)from) / width,
			 ((double)c->end[row] - (double)from) / width);
	}
}

enum status task_values(struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
			size_t n, double *values, bool *exact, struct error *e)
{
	double *steps = calloc(n + 2, sizeof(*steps)), level = 0;
	const struct task_columns *c;

	if (!steps)
		return error_set(e, STATUS_NOMEM, "out of memory");
	memset(values, 0, n * sizeof(*values));
	c = tasks_lock(t);
	for (uint32_t i = 0; i < c->component_count; i++)
		if (!m->set || i + 1 == m->set)
			add_component(c, i, from, to, n, values, steps);
	for (size_t i = 0; i < n; i++) {
		level += steps[i];
		values[i] += level;
	}
	tasks_unlock(t);
	free(steps);
	if (exact)
		*exact = true;
	return STATUS_OK;
}
