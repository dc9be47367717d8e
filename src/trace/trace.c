#include "config.h"

#include "trace/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sbuf.h"

enum { METRICS_LISTED = 24 };

void trace_heard(const struct trace *t)
{
	char drain[64];

	while (read(t->kind->wake_fd(t), drain, sizeof(drain)) > 0)
		;
}

enum status trace_peek(struct source *source, trace_knows_fn *knows, void *arg,
		       struct window *first, struct error *e)
{
	size_t before = 0;

	*first = (struct window){0};
	for (;;) {
		enum status status = source_next(source, 0, TRACE_DETECT_BYTES, first, e);

		if (status)
			return status;
		if (knows(arg, first->text, first->len) || first->len >= TRACE_DETECT_BYTES ||
		    first->len == before)
			return STATUS_OK;
		before = first->len;
		source_release(source, first);
	}
}

void trace_peek_done(struct source *source, struct window *first)
{
	if (source_is_live(source) || source_kind(source) == SOURCE_PLAIN)
		return;
	source_release(source, first);
	*first = (struct window){0};
}

/* Each name once, the first ones of many. */
static void list_metrics(const struct trace *t, struct sbuf *out)
{
	struct metric_info m;
	size_t shown = 0, i = 0;

	for (; t->kind->metric(t, i, &m) && shown < METRICS_LISTED; i++) {
		if (out->len && strstr(sbuf_text(out), m.name))
			continue;
		sbuf_printf(out, "%s%s", shown ? ", " : "", m.name);
		shown++;
	}
	sbuf_puts(out, t->kind->metric(t, i, &m) ? " and more" : "");
}

static bool has_metric(const struct trace *t, const char *name, struct metric_info *m)
{
	for (size_t i = 0; t->kind->metric(t, i, m); i++)
		if (strcmp(m->name, name) == 0)
			return true;
	return false;
}

struct metric_info metric_worked_out(const char *name, const char *help,
				     const struct metric_ref *ref)
{
	return (struct metric_info){.name = name,
				    .unit = ref->unit,
				    .help = help,
				    .rate = ref->rate,
				    .per_component = true,
				    .min = NAN,
				    .max = NAN,
				    .total = NAN,
				    .mean = NAN};
}

enum status trace_metric_find(const struct trace *t, const char *name,
			      const struct regex *component, struct metric_ref *out,
			      struct error *e)
{
	struct sbuf known = {0};
	struct metric_info m;

	if (t->kind->metric_find(t, name, component, out))
		return STATUS_OK;
	if (!has_metric(t, name, &m)) {
		list_metrics(t, &known);
		error_set(e, STATUS_USAGE, "unknown metric '%s'; this trace has %s", name,
			  sbuf_text(&known));
		sbuf_free(&known);
	} else if (!m.per_component) {
		error_set(e, STATUS_USAGE, "%s belongs to the whole trace, not to a component", name);
	} else {
		error_set(e, STATUS_USAGE, "no component of %s matches '%s'", name,
			  component ? regex_pattern(component) : "");
	}
	return STATUS_USAGE;
}

enum status trace_kinds_find(const struct trace *t, const struct regex *re, uint64_t *out,
			     struct error *e)
{
	*out = 0;
	if (re && !t->kind->kinds)
		return error_set(e, STATUS_UNSUPPORTED, "%s has no kinds of tasks", t->format.title);
	return re ? t->kind->kinds(t, re, out, e) : STATUS_OK;
}

/* ---- settings ---- */

static const struct trace_setting *find(const struct trace_settings *s, const struct trace_kind *kind)
{
	for (int i = 0; s && i < s->count; i++)
		if (s->of[i].kind == kind)
			return &s->of[i];
	return NULL;
}

void *trace_settings_of(struct trace_settings *s, const struct trace_kind *kind)
{
	const struct trace_setting *there = find(s, kind);
	struct trace_setting made = {kind, NULL};

	if (there)
		return there->own;
	if (kind->settings_size && s->count < TRACE_KINDS_MAX)
		made.own = calloc(1, kind->settings_size);
	if (made.own)
		s->of[s->count++] = made;
	return made.own;
}

const void *trace_settings_get(const struct trace_settings *s, const struct trace_kind *kind)
{
	const struct trace_setting *there = find(s, kind);

	return there ? there->own : NULL;
}

bool trace_settings_copy(struct trace_settings *out, const struct trace_settings *from)
{
	*out = (struct trace_settings){.cache_limit = from ? from->cache_limit : 0};
	for (int i = 0; from && i < from->count; i++) {
		const struct trace_setting *of = &from->of[i];
		void *own = trace_settings_of(out, of->kind);

		if (!own) {
			trace_settings_free(out);
			return false;
		}
		memcpy(own, of->own, of->kind->settings_size);
	}
	return true;
}

void trace_settings_free(struct trace_settings *s)
{
	while (s->count > 0)
		free(s->of[--s->count].own);
}
