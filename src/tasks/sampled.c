#include "config.h"

#include <math.h>
#include <string.h>

#include "tasks/tasks_private.h"

/* Those of a name whose components match (NULL: any does); false: there are none. Under the lock. */
static bool choose(const struct samples *s, const char *name, const struct regex *component,
		   struct chosen *out)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < s->all.count; i++) {
		const struct sampled *k = &s->all.data[i];
		const char *of = intern_name(s->components, (int32_t)k->component);

		if (strcmp(k->name, name) == 0 && regex_allows(component, of))
			ok = vec_push(out, i);
	}
	return ok && out->count;
}

bool task_sampled_find(const struct trace *t, const char *name, const struct regex *component,
		       struct metric_ref *out)
{
	struct chosen chosen = {0};
	bool found;

	lines_lock(t);
	found = choose(&tasks_of(t)->samples, name, component, &chosen);
	if (found)
		*out = (struct metric_ref){
		    .index = chosen.data[0],
		    .sampled = true,
		    .set = component ? (uintptr_t)task_asked(t, regex_pattern(component)) : 0,
		};
	lines_unlock(t);
	vec_free(&chosen);
	return found && (out->set || !component);
}

/* ---- values ------------------------------------------------------------------------------ */

void task_sampled_values(const struct trace *t, const struct metric_ref *m, int64_t from,
			 int64_t to, size_t n, double *values)
{
	const double width = ((double)to - (double)from) / (double)n;
	const char *pattern = (const char *)(uintptr_t)m->set;
	struct regex *component = NULL;
	const struct samples *s = &tasks_of(t)->samples;
	struct chosen chosen = {0};

	if (pattern)
		regex_new(&component, pattern, NULL);
	lines_lock(t);
	if (!m->kinds && (component || !pattern)) /* of no kind */
		choose(s, s->all.data[m->index].name, component, &chosen);
	for (size_t i = 0; i < n; i++)
		values[i] = samples_mean(s, &chosen, 1, (double)from + (double)i * width,
					 (double)from + (double)(i + 1) * width);
	lines_unlock(t);
	vec_free(&chosen);
	regex_free(component);
}
