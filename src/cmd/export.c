#include "config.h"

#include "cmd/export.h"

#include <math.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/newfile.h"
#include "cmd/open.h"

/* ---- formats ---- */

const struct export_format *export_format_find(const char *name, const struct trace_kind *kind)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (strcmp(export_formats[i]->name, name) == 0 &&
		    (!kind || export_formats[i]->kind == kind))
			return export_formats[i];
	return NULL;
}

/* Says in which forms it can be written. */
static enum status refuse(const struct trace *t, const char *name, const struct export_target *x,
			  struct error *e)
{
	struct sbuf forms = {0};

	for (size_t i = 0; export_formats[i]; i++)
		if (export_formats[i]->kind == t->kind)
			sbuf_printf(&forms, "%s --format %s", forms.len ? " or" : "; give",
				    export_formats[i]->name);
	error_set(e, STATUS_INPUT, "%s: a trace of the format %s cannot be written as %s%s", x->path,
		  t->format.name, name, forms.len ? sbuf_text(&forms) : "");
	sbuf_free(&forms);
	return STATUS_INPUT;
}

enum status export_need_file(const struct export_target *x, const char *format, struct error *e)
{
#ifndef HAVE_SQLITE
	return error_set(e, STATUS_UNSUPPORTED,
			 "this pipeglass was built without SQLite: build it with the Debian "
			 "package libsqlite3-dev");
#endif
	if (x->made)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE,
			 "export: %s is a database, no text: give a file with -o FILE", format);
}

/* ---- what formats share ---- */

enum status export_part_of(struct export_part *p, struct trace *t, const struct cmd_options *o,
			   struct error *e)
{
	struct progress at;

	trace_progress(t, &at);
	*p = (struct export_part){.trace = t,
				  .first = at.first,
				  .last = at.last,
				  .whole = !o->from && !o->to};
	return open_range(t, o, &p->from, &p->to, e);
}

/* False: there is none without a component. */
static bool find_metric(const struct trace *t, const struct metric_info *metric,
			struct metric_ref *out)
{
	struct sbuf name = {0};
	struct regex *component = NULL;
	struct error ignored;
	bool found;

	if (metric->component) {
		sbuf_printf(&name, "^\\Q%s\\E$", metric->component);
		regex_new(&component, sbuf_text(&name), &ignored);
	}
	found = t->kind->metric_find(t, metric->name, component, out);
	regex_free(component);
	sbuf_free(&name);
	return found;
}

/* Bins are whole cycles wide: in parts of one a rate is nothing or all of it. */
enum status export_curve(const struct export_part *p, const struct metric_info *metric, bool exact,
			 export_bin_fn *put, void *arg, struct error *e)
{
	const int64_t from = p->from > p->first ? p->from : p->first;
	const int64_t to = p->to <= p->last ? p->to : p->last < TICK_NONE ? p->last + 1 : p->last;
	const uint64_t ticks = to > from ? (uint64_t)to - (uint64_t)from : 0;
	const uint64_t cycle = (uint64_t)trace_ticks_per_cycle(p->trace);
	const uint64_t width = (ticks / EXPORT_BINS / cycle + 1) * cycle;
	const uint64_t n = ticks / width + (ticks % width != 0);
	double values[EXPORT_BINS];
	struct metric_ref found;
	enum status status;

	if (n == 0 || !find_metric(p->trace, metric, &found))
		return STATUS_OK;
	/* the last bin may reach behind the range, where it holds nothing */
	if (n * width > (uint64_t)(INT64_MAX - (from > 0 ? from : 0)))
		return STATUS_OK;
	status = trace_values(p->trace, &found, from, from + (int64_t)(n * width), (size_t)n, values,
			      &exact, e);
	for (uint64_t i = 0; !status && i < n; i++) {
		const uint64_t left = (uint64_t)p->last + 1 - (uint64_t)from - i * width;
		const uint64_t part = left < width ? left : width;
		struct export_bin bin = {metric, from + (int64_t)(i * width),
					 from + (int64_t)(i * width + part), values[i], exact};

		/* a cycle that is cut off by the trace's end is one */
		if (found.rate)
			bin.value *= (double)part / (double)((part + cycle - 1) / cycle * cycle);
		if (!isnan(bin.value))
			status = put(arg, &bin, e);
	}
	return status;
}

/* ---- the command ---- */

static enum status export_trace(const struct cmd_options *o, const struct export_target *x,
				struct error *e)
{
	const struct export_format *format;
	struct trace *t;
	enum status status = o->export->is_database ? export_need_file(x, o->export->name, e) : STATUS_OK;

	if (!status)
		status = open_trace(&t, o, x->notes, e);
	if (status)
		return status;
	format = export_format_find(o->export->name, t->kind);
	status = format ? format->write(format, t, o, x, e) : refuse(t, o->export->name, x, e);
	if (!status)
		open_note_warnings(t, o, x->notes);
	trace_close(t);
	return status;
}

static enum status export_to_file(const struct cmd_options *o, struct export_target *x,
				  struct error *e)
{
	struct output text;
	struct newfile file;
	enum status status = newfile_open(&file, o->output, "export: -o", o, e);

	if (status)
		return status;
	output_begin(&text, file.stream);
	x->out = &text;
	x->made = o->output;
	x->file = newfile_name(&file);
	status = output_end(&text, export_trace(o, x, e), e);
	return newfile_close(&file, o, status, e);
}

enum status cmd_export(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct export_target x = {.out = out, .notes = out, .path = o->files.data[0]};

	if (o->output && strcmp(o->output, "-") != 0)
		return export_to_file(o, &x, e);
	if (newfile_is_trace(fileno(out->stream), x.path))
		return error_set(e, STATUS_USAGE,
				 "standard output is the trace: pipeglass never writes to it");
	return export_trace(o, &x, e);
}
