#include "config.h"

#include "counters/kind.h"

#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "base/xalloc.h"
#include "counters/counters.h"

extern const struct counter_reader perf_counter_reader, perf_people_reader, gem5_counter_reader,
    csv_counter_reader;

const struct counter_reader *const counter_readers[] = {
    &perf_counter_reader, &perf_people_reader, &gem5_counter_reader, &csv_counter_reader, NULL};

static const char *const note_keys[] = {COUNTER_NOTES(NOTE_KEY)};
static const char *const note_helps[] = {COUNTER_NOTES(NOTE_HELP)};

/* Readers change nothing but locks. */
static struct counters *of(const struct trace *t)
{
	return (struct counters *)(uintptr_t)t;
}

/* ---- formats, opening, progress ---- */

static bool kind_format(size_t i, struct trace_format *out)
{
	size_t count = sizeof(counter_readers) / sizeof(counter_readers[0]) - 1;

	if (i >= count)
		return false;
	*out = counter_readers[i]->format;
	return true;
}

static void give_line(struct lines *l, char *text, size_t len)
{
	struct counters *c = of(&l->trace);

	c->reader->line(c, text, len);
}

static void give_end(struct lines *l)
{
	struct counters *c = of(&l->trace);

	if (c->reader->end)
		c->reader->end(c);
}

static const struct lines_reader reader_of_lines = {
    .line = give_line, .end = give_end, .notes = note_keys, .note_count = COUNTER_NOTE_COUNT};

static void forget(struct selection *s)
{
	vec_free(&s->over);
	vec_free(&s->under);
}

static void kind_close(struct trace *t)
{
	struct counters *c = of(t);

	lines_close(&c->samples.lines);
	free(c->reading);
	vec_free(&c->waiting);
	for (size_t i = 0; i < c->selections.count; i++)
		forget(&c->selections.data[i]);
	vec_free(&c->selections);
	intern_free(c->asked);
	samples_free(&c->samples);
	free(c);
}

static enum status kind_open(struct trace **out, struct source *source, size_t format,
			     struct window *first, const struct trace_options *o, struct error *e)
{
	const struct counter_reader *reader = counter_readers[format];
	struct counters *c = xcalloc(1, sizeof(*c));
	enum status status;

	(void)o;
	c->samples.lines.trace = (struct trace){&counters_kind, reader->format, source};
	c->reader = reader;
	samples_init(&c->samples);
	c->asked = intern_new();
	c->reading = xcalloc(1, reader->state_size);
	status = lines_open(&c->samples.lines, &reader_of_lines, first, e);
	if (status)
		kind_close(&c->samples.lines.trace);
	else
		*out = &c->samples.lines.trace;
	return status;
}

/* ---- metrics ---- */

/*
 * What instructions and cycles go by, the best first: a name, and how the last word of its
 * component begins (NULL: whatever it is). gem5 counts instructions at several stages; those that it commits
 * are meant, once.
 */
struct alias {
	const char *name, *where;
};

static const struct alias instructions[] = {{"instructions", NULL},
					    {"numInsts", "commitStats"},
					    {"committedInsts", NULL},
					    {"simInsts", NULL},
					    {"sim_insts", NULL},
					    {NULL, NULL}};
static const struct alias cycles[] = {
    {"cycles", NULL}, {"cpu-cycles", NULL}, {"numCycles", NULL}, {NULL, NULL}};

/* Does it, or (below) a component that it is part of, match? */
static bool is_of(const char *name, const struct regex *component, bool below)
{
	bool found = regex_allows(component, name);

	for (const char *dot = name; below && !found && (dot = strchr(dot, '.')); dot++)
		found = regex_match(component, name, (size_t)(dot - name), NULL, NULL);
	return found;
}

static bool is_meant(const char *component, const struct alias *meant)
{
	const char *dot = strrchr(component, '.'), *last = dot ? dot + 1 : component;

	return !meant->where || strncmp(last, meant->where, strlen(meant->where)) == 0;
}

/*
 * The counters of components that match, of a name; as an alias says (or NULL) those below, too,
 * and with modified: with a modifier of perf like :u.
 */
static void choose(struct counters *c, const char *name, const struct alias *meant, bool modified,
		   const struct regex *component, struct chosen *out)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < c->samples.all.count; i++) {
		const struct sampled *k = &c->samples.all.data[i];
		const char *of = intern_name(c->samples.components, (int32_t)k->component);

		if (strncmp(k->name, name, len) == 0 &&
		    (modified ? k->name[len] == ':' && k->name[len + 1] != ':' : !k->name[len]) &&
		    (!meant || is_meant(of, meant)) && is_of(of, component, meant))
			c->samples.lines.failed |= !vec_push(out, (uint32_t)i);
	}
}

/* By the first alias that there is. The event itself counts what those with modifiers do. */
static void choose_alias(struct counters *c, const struct alias *meant,
			 const struct regex *component, struct chosen *out)
{
	for (; meant->name && !out->count; meant++)
		for (int modified = 0; modified < 2 && !out->count; modified++)
			choose(c, meant->name, meant, modified, component, out);
}

/* What the sums of others make. */
static bool find_made(struct counters *c, const char *name, const struct regex *component,
		      struct selection *out)
{
	if (strncmp(name, "mpki:", 5) == 0) {
		out->made = MADE_MPKI;
		choose(c, name + 5, NULL, false, component, &out->over);
		choose_alias(c, instructions, component, &out->under);
		choose_alias(c, instructions, NULL, &out->under); /* a cache has none of its own */
	} else if (strcmp(name, "ipc") == 0) {
		out->made = MADE_IPC;
		choose_alias(c, instructions, component, &out->over);
		choose_alias(c, cycles, component, &out->under);
	}
	return out->over.count && out->under.count;
}

/*
 * A ratio that the file brings under that name was made for each component and interval: it cannot
 * be summed up, so what makes it goes before it.
 */
static bool find(struct counters *c, const char *name, const struct regex *component,
		 struct selection *out)
{
	if (find_made(c, name, component, out))
		return true;
	forget(out);
	*out = (struct selection){.counters = c->samples.all.count};
	choose(c, name, NULL, false, component, &out->over);
	return out->over.count > 0;
}

/* A ratio of the name of one that is made is what find() says. */
static bool kind_metric(const struct trace *t, size_t i, struct metric_info *out)
{
	bool found = samples_metric(t, i, out);

	if (found && strcmp(out->name, "ipc") == 0)
		out->mean = NAN;
	return found;
}

/* As the first of its counters is; what is made of others is a ratio. */
static struct metric_ref refer(const struct counters *c, uint32_t id)
{
	const struct selection *s = &c->selections.data[id];
	const struct sampled *first = &c->samples.all.data[s->over.data[0]];
	struct metric_ref m = {.index = id};

	if (s->made == MADE_OWN) {
		m.rate = first->count;
		m.sampled = true;
		m.unit = *first->unit ? first->unit : NULL;
	}
	return m;
}

/* What is asked for again has the number that it had; counters that came since join it. */
static bool kind_metric_find(const struct trace *t, const char *name,
			     const struct regex *component, struct metric_ref *out)
{
	struct counters *c = of(t);
	struct selection made = {.counters = c->samples.all.count};
	struct sbuf key = {0};
	int32_t id;
	bool found;

	sbuf_printf(&key, "%s\n%s", name, component ? regex_pattern(component) : "");
	pthread_rwlock_wrlock(&c->samples.lines.lock);
	id = intern_find(c->asked, sbuf_text(&key), key.len);
	found = id >= 0 && c->selections.data[id].counters == c->samples.all.count;
	if (!found && find(c, name, component, &made)) {
		if (id >= 0)
			forget(&c->selections.data[id]);
		else if (vec_push(&c->selections, made))
			id = intern_add(c->asked, sbuf_text(&key), key.len);
		found = id >= 0;
		if (found)
			c->selections.data[id] = made;
	} else if (!found) {
		forget(&made);
	}
	if (found)
		*out = refer(c, (uint32_t)id);
	pthread_rwlock_unlock(&c->samples.lines.lock);
	sbuf_free(&key);
	return found;
}

/* Counts are told a second, or a tick where none is known. */
static double value_in(const struct counters *c, const struct selection *s, double from, double to)
{
	if (s->made == MADE_OWN)
		return samples_mean(&c->samples, &s->over, c->second > 0 ? c->second : 1, from, to);
	return samples_ratio(&c->samples, &s->over, &s->under, c->reader->omits_zeros, from, to) *
	       (s->made == MADE_MPKI ? 1000 : 1);
}

static enum status kind_values(struct trace *t, const struct metric_ref *m, int64_t from,
			       int64_t to, size_t n, double *values, bool *exact, struct error *e)
{
	const struct counters *c = of(t);
	double width = ((double)to - (double)from) / (double)n;

	(void)e;
	lines_lock(t);
	for (size_t i = 0; i < n; i++)
		values[i] = value_in(c, &c->selections.data[m->index],
				     (double)from + (double)i * width,
				     (double)from + (double)(i + 1) * width);
	lines_unlock(t);
	if (exact)
		*exact = true;
	return STATUS_OK;
}

const struct trace_kind counters_kind = {
    LINES_TRACE,
    .name = "counters",
    .format = kind_format,
    .open = kind_open,
    .close = kind_close,
    .progress = lines_progress,
    .follow = lines_follow,
    .component_count = samples_component_count,
    .component = samples_component,
    .metric_count = samples_metric_count,
    .metric = kind_metric,
    .metric_find = kind_metric_find,
    .values = kind_values,
    .grain = samples_grain,
    .note_helps = note_helps,
};
