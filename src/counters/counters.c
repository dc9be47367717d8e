#include "config.h"

#include "counters/counters.h"

#include <string.h>

#include "base/sbuf.h"

static int32_t number(struct counters *c, struct intern *in, const char *text, size_t len)
{
	int32_t id = intern_add(in, text, len);

	c->lines.failed |= id < 0;
	return id;
}

const char *counters_keep(struct counters *c, const char *text, size_t len)
{
	int32_t id = number(c, c->texts, text, len);

	return id < 0 ? "" : intern_name(c->texts, id);
}

static size_t component_of(struct counters *c, const char *name)
{
	int32_t id = number(c, c->components, name, strlen(name));

	if (!c->lines.failed && (size_t)id == c->spans.count)
		c->lines.failed = !vec_push(&c->spans, 0);
	return c->lines.failed ? 0 : (size_t)id;
}

/* What a counter goes by. Neither holds a newline: both are of one line. */
static int32_t id_of(struct counters *c, const char *component, const char *name, bool make)
{
	struct sbuf key = {0};
	int32_t id;

	sbuf_printf(&key, "%s\n%s", component, name);
	id = make ? number(c, c->ids, sbuf_text(&key), key.len)
		  : intern_find(c->ids, sbuf_text(&key), key.len);
	c->lines.failed |= key.failed;
	sbuf_free(&key);
	return id;
}

struct counter *counters_find(struct counters *c, const char *component, const char *name)
{
	int32_t id = id_of(c, component, name, false);

	return id < 0 ? NULL : &c->all.data[id];
}

static struct counter *find_or_make(struct counters *c, const char *component, const char *name,
				    const char *unit, bool count)
{
	int32_t id = id_of(c, component, name, true);
	struct counter k = {.count = count};

	if (!c->lines.failed && (size_t)id == c->all.count) {
		k.name = strchr(intern_name(c->ids, id), '\n') + 1;
		k.unit = counters_keep(c, unit, strlen(unit));
		k.component = component_of(c, component);
		c->lines.failed |= !vec_push(&c->all, k);
	}
	return c->lines.failed ? NULL : &c->all.data[id];
}

void counters_add(struct counters *c, const char *component, const char *name, const char *unit,
		  bool count, double value)
{
	struct counter *k = find_or_make(c, component, name, unit, count);
	const struct sample *last = k && k->samples.count ? &vec_last(&k->samples) : NULL;
	double ticks = (double)(c->end - c->start);
	struct sample s = {c->start, c->end, ticks, count ? value : value * ticks};

	if (!k || c->end <= c->start)
		return;
	if (last && c->start < last->end) {
		lines_warn(&c->lines, "a second value of the same counter for the same time: left out");
		return;
	}
	if (last) {
		s.ticks += last->ticks;
		s.sum += last->sum;
	}
	if (!vec_push(&k->samples, s)) {
		c->lines.failed = true;
		return;
	}
	k->min = last && k->min < value ? k->min : value;
	k->max = last && k->max > value ? k->max : value;
	k->total += value;
	c->spans.data[k->component]++;
	c->lines.bytes += sizeof(s);
	if (!c->grain || c->end - c->start < c->grain)
		c->grain = c->end - c->start;
	lines_see(&c->lines, c->start, c->end);
}

/* Up to a tick: inside an interval its value is spread evenly. */
static void up_to(const struct counter *k, double tick, double *sum, double *ticks)
{
	size_t low = 0, high = k->samples.count; /* the first that ends behind tick */
	const struct sample *s = k->samples.data;
	double before_sum, before_ticks, part;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if ((double)s[middle].end <= tick)
			low = middle + 1;
		else
			high = middle;
	}
	before_sum = low ? s[low - 1].sum : 0;
	before_ticks = low ? s[low - 1].ticks : 0;
	part = 0;
	if (low < k->samples.count && tick > (double)s[low].start)
		part = (tick - (double)s[low].start) / (double)(s[low].end - s[low].start);
	*sum = before_sum + (part > 0 ? part * (s[low].sum - before_sum) : 0);
	*ticks = before_ticks + (part > 0 ? part * (s[low].ticks - before_ticks) : 0);
}

void counter_sum(const struct counter *k, double from, double to, double *sum, double *ticks)
{
	double sum0, ticks0;

	up_to(k, from, &sum0, &ticks0);
	up_to(k, to, sum, ticks);
	*sum -= sum0;
	*ticks -= ticks0;
}
