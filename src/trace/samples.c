#include "config.h"

#include "trace/samples.h"

#include <math.h>
#include <string.h>

#include "base/bisect.h"
#include "base/sbuf.h"

void samples_init(struct samples *s)
{
	s->ids = intern_new();
	s->components = intern_new();
	s->texts = intern_new();
}

void samples_free(struct samples *s)
{
	for (size_t i = 0; i < s->all.count; i++)
		vec_free(&s->all.data[i].samples);
	vec_free(&s->all);
	vec_free(&s->spans);
	intern_free(s->ids);
	intern_free(s->components);
	intern_free(s->texts);
}

static int32_t number(struct samples *s, struct intern *in, const char *text, size_t len)
{
	int32_t id = intern_add(in, text, len);

	s->lines.failed |= id < 0;
	return id;
}

const char *samples_keep(struct samples *s, const char *text, size_t len)
{
	int32_t id = number(s, s->texts, text, len);

	return id < 0 ? "" : intern_name(s->texts, id);
}

static size_t component_of(struct samples *s, const char *name)
{
	int32_t id = number(s, s->components, name, strlen(name));

	if (!s->lines.failed && (size_t)id == s->spans.count)
		s->lines.failed = !vec_push(&s->spans, 0);
	return s->lines.failed ? 0 : (size_t)id;
}

/* What a counter goes by. Neither holds a newline: both are of one line. */
static int32_t id_of(struct samples *s, const char *component, const char *name, bool make)
{
	struct sbuf key = {0};
	int32_t id;

	sbuf_printf(&key, "%s\n%s", component, name);
	id = make ? number(s, s->ids, sbuf_text(&key), key.len)
		  : intern_find(s->ids, sbuf_text(&key), key.len);
	s->lines.failed |= key.failed;
	sbuf_free(&key);
	return id;
}

struct sampled *samples_find(struct samples *s, const char *component, const char *name)
{
	int32_t id = id_of(s, component, name, false);

	return id < 0 ? NULL : &s->all.data[id];
}

static struct sampled *find_or_make(struct samples *s, const char *component, const char *name,
				    const char *unit, bool count)
{
	int32_t id = id_of(s, component, name, true);
	struct sampled k = {.count = count};

	if (!s->lines.failed && (size_t)id == s->all.count) {
		k.name = strchr(intern_name(s->ids, id), '\n') + 1;
		k.unit = samples_keep(s, unit, strlen(unit));
		k.component = component_of(s, component);
		s->lines.failed |= !vec_push(&s->all, k);
	}
	return s->lines.failed ? NULL : &s->all.data[id];
}

void samples_add(struct samples *s, int64_t start, int64_t end, const char *component,
		 const char *name, const char *unit, bool count, double value)
{
	struct sampled *k = find_or_make(s, component, name, unit, count);
	const struct sample *last = k && k->samples.count ? &vec_last(&k->samples) : NULL;
	double ticks = (double)(end - start);
	struct sample one = {start, end, ticks, count ? value : value * ticks};

	if (!k || end <= start)
		return;
	if (last && start < last->end) {
		lines_warn(&s->lines, "second value of a counter for the same time: skipped");
		return;
	}
	if (last) {
		one.ticks += last->ticks;
		one.sum += last->sum;
	}
	if (!vec_push(&k->samples, one)) {
		s->lines.failed = true;
		return;
	}
	k->min = last && k->min < value ? k->min : value;
	k->max = last && k->max > value ? k->max : value;
	k->total += value;
	s->spans.data[k->component]++;
	s->lines.bytes += sizeof(one);
	if (!s->grain || end - start < s->grain)
		s->grain = end - start;
	lines_see(&s->lines, start, end);
}

/* The first that ends behind tick. */
static size_t behind(const struct sampled *k, double tick)
{
	size_t low = 0, high = k->samples.count;

	bisect(low, high, i, (double)k->samples.data[i].end <= tick);
	return low;
}

/* Up to a tick: inside an interval its value is spread evenly. */
static void up_to(const struct sampled *k, double tick, double *sum, double *ticks)
{
	size_t low = behind(k, tick);
	const struct sample *s = k->samples.data;
	double before_sum, before_ticks, part;

	before_sum = low ? s[low - 1].sum : 0;
	before_ticks = low ? s[low - 1].ticks : 0;
	part = 0;
	if (low < k->samples.count && tick > (double)s[low].start)
		part = (tick - (double)s[low].start) / (double)(s[low].end - s[low].start);
	*sum = before_sum + (part > 0 ? part * (s[low].sum - before_sum) : 0);
	*ticks = before_ticks + (part > 0 ? part * (s[low].ticks - before_ticks) : 0);
}

void samples_sum(const struct sampled *k, double from, double to, double *sum, double *ticks)
{
	double sum0, ticks0;

	up_to(k, from, &sum0, &ticks0);
	up_to(k, to, sum, ticks);
	*sum -= sum0;
	*ticks -= ticks0;
}

double samples_mean(const struct samples *s, const struct chosen *of, double ticks, double from,
		    double to)
{
	double total = 0;
	size_t n = 0, counts = 0;

	for (size_t i = 0; i < of->count; i++) {
		const struct sampled *k = &s->all.data[of->data[i]];
		double sum, known;

		samples_sum(k, from, to, &sum, &known);
		if (!(known > 0))
			continue;
		total += sum / known * (k->count ? ticks : 1);
		counts += k->count;
		n++;
	}
	return !n ? NAN : counts ? total : total / (double)n;
}

/* Where an interval of one of them begins or ends first behind from; else to. */
static double edge(const struct samples *s, const struct chosen *of, double from, double to)
{
	for (size_t i = 0; i < of->count; i++) {
		const struct sampled *k = &s->all.data[of->data[i]];
		size_t at = behind(k, from);
		const struct sample *one = k->samples.data + at;

		if (at < k->samples.count)
			to = fmin(to, (double)(from < (double)one->start ? one->start : one->end));
	}
	return to;
}

/* What they have in [from, to); how many have a value there. */
static size_t add_up(const struct samples *s, const struct chosen *of, double from, double to,
		     double *out)
{
	size_t n = 0;

	*out = 0;
	for (size_t i = 0; i < of->count; i++) {
		double sum, ticks;

		samples_sum(&s->all.data[of->data[i]], from, to, &sum, &ticks);
		*out += sum;
		n += ticks > 0;
	}
	return n;
}

double samples_ratio(const struct samples *s, const struct chosen *over, const struct chosen *under,
		     bool lax, double from, double to)
{
	double sum_over = 0, sum_under = 0;
	bool found = false;

	for (double next; from < to; from = next) {
		double a, b;
		size_t m, n;

		next = edge(s, under, from, edge(s, over, from, to));
		m = add_up(s, over, from, next, &a);
		n = add_up(s, under, from, next, &b);
		if (lax || m * under->count == n * over->count) {
			found |= m > 0;
			sum_over += a;
			sum_under += b;
		}
	}
	return found && sum_under > 0 ? sum_over / sum_under : NAN;
}

/* ---- for the contract ---- */

static const struct samples *of(const struct trace *t)
{
	return (const struct samples *)t;
}

size_t samples_component_count(const struct trace *t)
{
	size_t n;

	lines_lock(t);
	n = of(t)->spans.count;
	lines_unlock(t);
	return n;
}

bool samples_component(const struct trace *t, size_t i, struct trace_component *out)
{
	const struct samples *s = of(t);
	bool found;

	lines_lock(t);
	found = i < s->spans.count;
	if (found)
		*out = (struct trace_component){intern_name(s->components, (int32_t)i),
						s->spans.data[i]};
	lines_unlock(t);
	return found;
}

size_t samples_metric_count(const struct trace *t)
{
	size_t n;

	lines_lock(t);
	n = of(t)->all.count;
	lines_unlock(t);
	return n;
}

bool samples_info(const struct samples *s, size_t i, struct metric_info *out)
{
	const struct sampled *k;
	const struct sample *last;

	if (i >= s->all.count)
		return false;
	k = &s->all.data[i];
	last = k->samples.count ? &vec_last(&k->samples) : NULL;
	*out = (struct metric_info){
	    .name = k->name,
	    .component = intern_name(s->components, (int32_t)k->component),
	    .unit = *k->unit ? k->unit : NULL,
	    .sampled = true,
	    .samples = k->samples.count,
	    .min = k->min,
	    .max = k->max,
	    .total = k->total,
	    .mean = !last      ? NAN
		    : k->count ? k->total / (double)k->samples.count
			       : last->sum / last->ticks,
	    .rate = k->count,
	    .per_component = true,
	};
	return true;
}

bool samples_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	bool found;

	lines_lock(t);
	found = samples_info(of(t), i, out);
	lines_unlock(t);
	return found;
}

int64_t samples_grain(const struct trace *t)
{
	int64_t grain;

	lines_lock(t);
	grain = of(t)->grain;
	lines_unlock(t);
	return grain ? grain : 1;
}
