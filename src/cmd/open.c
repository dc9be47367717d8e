#include "config.h"

#include "cmd/open.h"

#include <inttypes.h>
#include <string.h>

#include "app/app.h"
#include "base/num.h"
#include "cmd/answers.h"
#include "cmd/cmd.h"
#include "view/axis.h"

/* With what the options and the user's files say to its kind; options win. */
static enum status open_configured(struct trace **t, struct source *source,
				   const struct cmd_options *o, struct output *out, struct error *e)
{
	struct app_options of_user = {
	    .store = o->store, .config = o->config, .headless = true, .only_settings = true};
	struct trace_options options = o->store;
	enum status status;
	struct app *a;

	of_user.store.settings = &o->settings;
	status = app_new(&a, &of_user, e);
	if (status) {
		source_close(source);
		return status;
	}
	for (const char *slip = app_complaints(a); *slip; slip += strcspn(slip, "\n") + 1)
		output_note(out, NULL, "%.*s", (int)strcspn(slip, "\n"), slip);
	options.settings = app_settings(a);
	status = trace_open(t, source, &options, e);
	app_free(a);
	return status;
}

enum status open_trace_source(struct trace **t, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	struct progress p;
	enum status status = open_configured(t, source, o, out, e);

	if (status)
		return status;
	status = trace_wait(*t, e);
	if (status) {
		trace_close(*t);
		return status;
	}
	out->unit = (*t)->format.unit;
	trace_progress(*t, &p);
	if (p.note)
		output_note(out, o->files.data[0], "%s", p.note);
	return STATUS_OK;
}

enum status open_trace(struct trace **t, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	struct source *source;
	enum status status = source_open(&source, o->files.data[0], e);

	return status ? status : open_trace_source(t, source, o, out, e);
}

enum status open_need(struct trace *t, const struct trace_kind *kind, const struct cmd_options *o,
		      struct error *e)
{
	struct sbuf works = {0};

	if (t->kind == kind)
		return STATUS_OK;
	for (const struct cmd_answer *a = cmd_answers; a->of; a++)
		if (a->of->kind == t->kind && cmd_find(a->of->name))
			sbuf_printf(&works, ", %s", a->of->name);
	error_set(e, STATUS_INPUT, "%s: this trace (%s) has no %s; try info, series, compare, export%s",
		  o->files.data[0], t->format.name, kind->items, sbuf_text(&works));
	sbuf_free(&works);
	trace_close(t);
	return STATUS_INPUT;
}

void open_note_warnings(const struct trace *t, const struct cmd_options *o, struct output *out)
{
	uint64_t count = t->kind->warning_count(t);

	if (count)
		output_note(out, o->files.data[0], "%" PRIu64 " warning%s; pipeglass info lists %s",
			    count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

/* One that is not given stays as it is. */
static enum status read_tick(const struct trace *t, const char *option, const char *text,
			     int64_t *out, struct error *e)
{
	if (!text || num_parse_time(text, t->format.unit, out) || num_parse_i64(text, out))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "--%s: '%s' is a time, but this trace counts %s", option,
			 text, unit_plural(t->format.unit));
}

enum status open_range(const struct trace *t, const struct cmd_options *o, int64_t *from,
		       int64_t *to, struct error *e)
{
	struct progress p;
	enum status status;

	trace_progress(t, &p);
	*from = p.first;
	*to = p.last < INT64_MAX ? p.last + 1 : p.last;
	status = read_tick(t, "from", o->from, from, e);
	if (!status)
		status = read_tick(t, "to", o->to, to, e);
	if (!status && o->from && o->to && *from > *to)
		return error_set(e, STATUS_USAGE,
				 "--from %s is after --to %s: ranges are [FROM,TO)", o->from, o->to);
	if (*from > *to) { /* the one given end lies beyond the trace: nothing is there */
		if (o->from)
			*to = *from;
		else
			*from = *to;
	}
	return status;
}
