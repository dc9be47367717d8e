#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/open.h"

enum { KEY_COLUMNS = 14, NOTE_COLUMNS = 20 };

/* What can be said of any trace; own: what its kind says. */
struct info {
	struct trace *trace;
	void *own;
	struct progress progress;
};

static const struct info *info_of(const void *result)
{
	return result;
}

/* components */

static size_t component_rows(const void *result)
{
	const struct trace *t = info_of(result)->trace;

	return t->kind->component_count ? t->kind->component_count(t) : 0;
}

static struct trace_component component_at(const void *result, size_t row)
{
	const struct trace *t = info_of(result)->trace;
	struct trace_component c = {0};

	t->kind->component(t, row, &c);
	return c;
}

static struct value component_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(component_at(result, row).name);
}

static struct value component_spans(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(component_at(result, row).spans);
}

static const struct field component_fields[] = {
    {.key = "name", .type = VALUE_TEXT, .get = component_name},
    {.key = "spans", .type = VALUE_COUNT, .get = component_spans},
    {0},
};

/* metrics: those that the file brought, which come last */

static size_t worked_out(const struct trace *t)
{
	struct metric_info m;
	size_t i = 0;

	while (t->kind->metric(t, i, &m) && !m.sampled)
		i++;
	return i;
}

static size_t metric_rows(const void *result)
{
	const struct trace *t = info_of(result)->trace;

	return t->kind->metric_count(t) - worked_out(t);
}

static struct metric_info metric_at(const void *result, size_t row)
{
	const struct trace *t = info_of(result)->trace;
	struct metric_info m = {0};

	t->kind->metric(t, worked_out(t) + row, &m);
	return m;
}

static struct value metric_name(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_text(metric_at(result, row).name);
}

static struct value metric_component(const void *result, size_t row, size_t part)
{
	const char *component = metric_at(result, row).component;

	(void)part;
	return component && *component ? value_text(component) : value_none();
}

static struct value metric_samples(const void *result, size_t row, size_t part)
{
	(void)part;
	return value_count(metric_at(result, row).samples);
}

static struct value metric_min(const void *result, size_t row, size_t part)
{
	struct metric_info m = metric_at(result, row);

	(void)part;
	return m.samples ? value_real(m.min) : value_none();
}

static struct value metric_max(const void *result, size_t row, size_t part)
{
	struct metric_info m = metric_at(result, row);

	(void)part;
	return m.samples ? value_real(m.max) : value_none();
}

static const struct field metric_fields[] = {
    {.key = "name", .type = VALUE_TEXT, .get = metric_name},
    {.key = "component", .type = VALUE_TEXT, .get = metric_component},
    {.key = "samples", .type = VALUE_COUNT, .get = metric_samples},
    {.key = "min", .type = VALUE_REAL, .get = metric_min},
    {.key = "max", .type = VALUE_REAL, .get = metric_max},
    {0},
};

/* warnings: those whose text was kept */

static size_t warning_rows(const void *result)
{
	const struct trace *t = info_of(result)->trace;
	uint64_t count = t->kind->warning_count(t);

	return count < TRACE_WARNINGS ? (size_t)count : TRACE_WARNINGS;
}

static struct value warning_line(const void *result, size_t row, size_t part)
{
	const struct trace *t = info_of(result)->trace;
	struct warning w;

	(void)part;
	if (!t->kind->warning(t, row, &w) || w.line == 0)
		return value_none();
	return value_count(w.line);
}

static struct value warning_text(const void *result, size_t row, size_t part)
{
	const struct trace *t = info_of(result)->trace;
	struct warning w;

	(void)part;
	return t->kind->warning(t, row, &w) ? value_text(w.text) : value_none();
}

static const struct field warning_fields[] = {
    {.key = "line", .type = VALUE_COUNT, .get = warning_line, .name = true},
    {.key = "text", .type = VALUE_TEXT, .get = warning_text},
    {0},
};

/* The lists of any trace; what its kind says stands between them. */
static const struct section components[] = {
    {.key = "components", .rows = component_rows, .fields = component_fields}, {0}};
static const struct section metrics[] = {
    {.key = "metrics", .rows = metric_rows, .fields = metric_fields}, {0}};
static const struct section warnings[] = {
    {.key = "warnings", .rows = warning_rows, .fields = warning_fields}, {0}};

/* ---- JSON ---- */

static void json_tick(struct json *w, const char *key, const struct progress *p, int64_t tick)
{
	json_key(w, key);
	if (p->first <= p->last)
		json_int(w, tick);
	else
		json_null(w);
}

static void json_count(struct json *w, const char *key, uint64_t count)
{
	json_key(w, key);
	json_uint(w, count);
}

static void json_notes(struct json *w, const struct trace *t)
{
	size_t notes = t->kind->note_count ? t->kind->note_count(t) : 0;

	json_key(w, "notes");
	json_object(w);
	for (size_t i = 0; i < notes; i++) {
		uint64_t count;
		const char *key = t->kind->note(t, i, &count);

		json_count(w, key, count);
	}
	json_object_end(w);
}

/* The same object for info and index. */
static void json_index(struct json *w, const struct progress *p)
{
	json_object(w);
	json_count(w, "bytes", p->index_bytes);
	json_count(w, "source_bytes", p->source_bytes);
	json_key(w, "seconds");
	json_real(w, p->seconds);
	json_key(w, "cached");
	json_bool(w, p->cached);
	json_object_end(w);
}

static enum status info_json(struct output *out, const struct info *info, struct error *e)
{
	const struct trace *t = info->trace;
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	json_key(w, "format");
	json_string(w, t->format.name);
	json_key(w, "unit");
	json_string(w, t->format.unit);
	json_tick(w, "first", &info->progress, info->progress.first);
	json_tick(w, "last", &info->progress, info->progress.last);
	if (t->kind->info)
		status = output_json_sections(out, t->kind->info, info->own, e);
	if (!status)
		status = output_json_sections(out, components, info, e);
	if (!status)
		status = output_json_sections(out, metrics, info, e);
	if (!status)
		status = output_json_sections(out, warnings, info, e);
	json_count(w, "warning_count", t->kind->warning_count(t));
	json_notes(w, t);
	json_key(w, "index");
	json_index(w, &info->progress);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* ---- text ---- */

static void index_line(struct sbuf *out, const struct progress *p)
{
	char index[32], source[32];
	double percent =
	    p->source_bytes ? 100.0 * (double)p->index_bytes / (double)p->source_bytes : 0.0;

	sbuf_printf(out, "%-*s %s (%.1f %% of %s), ", KEY_COLUMNS, "index",
		    num_bytes(p->index_bytes, index), percent, num_bytes(p->source_bytes, source));
	if (p->cached)
		sbuf_puts(out, "from the cache\n");
	else
		sbuf_printf(out, "made in %.2f s\n", p->seconds);
}

/* Whole, for those who read them from a file; a terminal gets a table. */
static enum status text_warnings(struct output *out, const struct info *info, struct error *e)
{
	enum status status = STATUS_OK;

	sbuf_puts(&out->text, "\nwarnings\n  line  text\n");
	for (size_t row = 0; !status && row < warning_rows(info); row++) {
		struct warning w;

		if (!info->trace->kind->warning(info->trace, row, &w))
			continue;
		if (w.line)
			sbuf_printf(&out->text, "%6" PRIu64 "  ", w.line);
		else
			sbuf_puts(&out->text, "     -  ");
		output_cell(out, w.text, strlen(w.text), INT_MAX, false);
		sbuf_putc(&out->text, '\n');
		status = output_drain(out, e);
	}
	return status;
}

static void text_notes(struct sbuf *out, const struct trace *t)
{
	size_t notes = t->kind->note_count ? t->kind->note_count(t) : 0;
	char number[32];

	sbuf_printf(out, "%-*s %s\n", KEY_COLUMNS, "warnings",
		    num_group((int64_t)t->kind->warning_count(t), number));
	for (size_t i = 0; i < notes; i++) {
		uint64_t count;
		const char *key = t->kind->note(t, i, &count);

		if (count)
			sbuf_printf(out, "%-*s %s\n", NOTE_COLUMNS, key,
				    num_group((int64_t)count, number));
	}
}

static enum status info_text(struct output *out, const struct info *info, struct error *e)
{
	const struct output_table whole = {.limit = UINT64_MAX};
	const struct progress *p = &info->progress;
	const struct trace *t = info->trace;
	char first[32], last[32];
	enum status status = STATUS_OK;

	sbuf_printf(&out->text, "%-*s %s (%s)\n", KEY_COLUMNS, "format", t->format.name,
		    t->format.title);
	if (p->first <= p->last)
		sbuf_printf(&out->text, "%-*s %s to %s\n", KEY_COLUMNS, t->format.unit,
			    num_group(p->first, first), num_group(p->last, last));
	if (t->kind->info)
		status = output_sections(out, t->kind->info, info->own, &whole, e);
	if (!status)
		status = output_sections(out, components, info, &whole, e);
	if (!status)
		status = output_sections(out, metrics, info, &whole, e);
	if (!status && isatty(fileno(out->stream)))
		status = output_sections(out, warnings, info, &whole, e);
	else if (!status && warning_rows(info))
		status = text_warnings(out, info, e);
	sbuf_putc(&out->text, '\n');
	index_line(&out->text, p);
	text_notes(&out->text, t);
	return status;
}

enum status cmd_info(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct info info = {0};
	enum status status = open_trace(&info.trace, o, out, e);

	if (status)
		return status;
	trace_progress(info.trace, &info.progress);
	if (info.trace->kind->info)
		info.own = info.trace->kind->info_make(info.trace);
	if (info.own || !info.trace->kind->info)
		status = o->json ? info_json(out, &info, e) : info_text(out, &info, e);
	else
		status = error_set(e, STATUS_NOMEM, "out of memory");
	free(info.own);
	trace_close(info.trace);
	return status;
}

enum status cmd_index(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct trace *trace;
	struct progress p;
	enum status status = open_trace(&trace, o, out, e);

	if (status)
		return status;
	trace_progress(trace, &p);
	if (o->json) {
		json_index(&out->json, &p);
		sbuf_putc(&out->text, '\n');
	} else {
		index_line(&out->text, &p);
	}
	open_note_warnings(trace, o, out);
	trace_close(trace);
	return STATUS_OK;
}
