#include "config.h"

#include "tasks/sampled.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks_private.h"
#include "trace/samples.h"

/* Metrics that were asked for by one name and pattern. */
struct selection {
	VEC(uint32_t) metrics; /* numbers in samples.all */
};

struct sampling {
	struct samples samples; /* its lines are nobody's: they are locked as those of the trace */
	struct intern *asked;
	VEC(struct selection) selections; /* by number in asked */
};

static struct sampling *sampling_new(void)
{
	struct sampling *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	samples_init(&s->samples);
	s->samples.lines.last = -1;
	s->asked = intern_new();
	if (s->samples.ids && s->samples.components && s->samples.texts && s->asked)
		return s;
	sampling_free(s);
	return NULL;
}

void sampling_free(struct sampling *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->selections.count; i++)
		vec_free(&s->selections.data[i].metrics);
	vec_free(&s->selections);
	intern_free(s->asked);
	vec_free(&s->samples.lines.warnings);
	samples_free(&s->samples);
	free(s);
}

bool sampling_add(struct tasks *t, int64_t start, int64_t end, const char *where,
		  const char *metric, double level)
{
	bool ok;

	pthread_rwlock_wrlock(&t->lines.lock);
	if (!t->sampling)
		t->sampling = sampling_new();
	ok = t->sampling != NULL;
	if (ok) {
		samples_add(&t->sampling->samples, start, end, where, metric, "", false, level);
		ok = !t->sampling->samples.lines.failed;
	}
	pthread_rwlock_unlock(&t->lines.lock);
	return ok;
}

/* ---- which there are --------------------------------------------------------------------- */

/* Under the lock; NULL: no such metric was sampled. */
static const struct sampled *sampled_at(const struct trace *t, size_t i)
{
	const struct sampling *s = tasks_of(t)->sampling;

	return s && i < s->samples.all.count ? &s->samples.all.data[i] : NULL;
}

static const char *component_of(const struct sampling *s, const struct sampled *k)
{
	return intern_name(s->samples.components, (int32_t)k->component);
}

size_t sampling_count(const struct trace *t)
{
	size_t n;

	tasks_lock(t);
	n = tasks_of(t)->sampling ? tasks_of(t)->sampling->samples.all.count : 0;
	tasks_unlock(t);
	return n;
}

bool sampling_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	const struct sampling *s;
	bool found;

	tasks_lock(t);
	s = tasks_of(t)->sampling;
	found = s && samples_info(&s->samples, i, out);
	tasks_unlock(t);
	return found;
}

static bool select_metrics(const struct sampling *s, const char *name, const struct regex *component,
			   struct selection *out)
{
	bool ok = true;

	vec_clear(&out->metrics);
	for (uint32_t i = 0; ok && i < s->samples.all.count; i++) {
		const struct sampled *k = &s->samples.all.data[i];
		const char *of = component_of(s, k);

		if (strcmp(k->name, name) == 0 &&
		    (!component || regex_match(component, of, strlen(of), NULL, NULL)))
			ok = vec_push(&out->metrics, i);
	}
	return ok && out->metrics.count > 0;
}

bool sampling_find(const struct trace *t, const char *name, const struct regex *component,
		   struct metric_ref *out)
{
	struct tasks *tasks = tasks_of(t);
	struct sampling *s;
	struct sbuf key = {0};
	int32_t id = -1;
	bool found = false;

	sbuf_printf(&key, "%s\n%s", name, component ? regex_pattern(component) : "");
	pthread_rwlock_wrlock(&tasks->lines.lock);
	s = tasks->sampling;
	if (s && !key.failed)
		id = intern_add(s->asked, key.text, key.len);
	if (id >= 0 && ((size_t)id < s->selections.count ||
			vec_push(&s->selections, ((struct selection){{0}}))))
		found = select_metrics(s, name, component, &s->selections.data[id]);
	pthread_rwlock_unlock(&tasks->lines.lock);
	sbuf_free(&key);
	if (found)
		*out = (struct metric_ref){.index = (uint32_t)id, .sampled = true};
	return found;
}

/* ---- values ------------------------------------------------------------------------------ */

static double mean_of(const struct sampling *s, const uint32_t *metrics, size_t count, double from,
		      double to)
{
	double total = 0;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		double sum, ticks;

		samples_sum(&s->samples.all.data[metrics[i]], from, to, &sum, &ticks);
		if (ticks > 0) {
			total += sum / ticks;
			n++;
		}
	}
	return n ? total / (double)n : NAN;
}

void sampling_values(const struct trace *t, const struct metric_ref *m, int64_t from, int64_t to,
		     size_t n, double *values)
{
	const double width = ((double)to - (double)from) / (double)n;
	const struct sampling *s;
	const struct selection *chosen;

	tasks_lock(t);
	s = tasks_of(t)->sampling;
	chosen = &s->selections.data[m->index];
	for (size_t i = 0; i < n; i++)
		values[i] = mean_of(s, chosen->metrics.data, chosen->metrics.count,
				    (double)from + (double)i * width,
				    (double)from + (double)(i + 1) * width);
	tasks_unlock(t);
}

bool sampling_means(const struct trace *t, size_t i, int64_t from, int64_t to, size_t n,
		    double *means)
{
	const struct sampling *s;
	const struct sampled *k;

	tasks_lock(t);
	s = tasks_of(t)->sampling;
	k = sampled_at(t, i);
	for (size_t c = 0; k && c < n; c++)
		means[c] = NAN;
	for (uint32_t number = 0; k && number < s->samples.all.count; number++) {
		const struct sampled *here = &s->samples.all.data[number];
		const uint32_t c = tasks_component_find(t, component_of(s, here));

		if (c < n && strcmp(here->name, k->name) == 0)
			means[c] = mean_of(s, &number, 1, (double)from, (double)to);
	}
	tasks_unlock(t);
	return k != NULL;
}
