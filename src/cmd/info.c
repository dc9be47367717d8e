#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/info.h"
#include "base/num.h"
#include "cmd/cmd.h"
#include "cmd/open.h"
#include "trace/cachefile.h"

enum { KEY_COLUMNS = 14, NOTE_COLUMNS = 20 };

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

static enum status info_json(struct output *out, const struct trace_info *info, struct error *e)
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
		status = output_json_sections(out, component_sections, &info->components, e);
	if (!status)
		status = output_json_sections(out, metric_sections, &info->metrics, e);
	if (!status)
		status = output_json_sections(out, info_warnings, info, e);
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
static enum status text_warnings(struct output *out, const struct trace_info *info, struct error *e)
{
	enum status status = STATUS_OK;

	sbuf_puts(&out->text, "\nwarnings\n  line  text\n");
	for (size_t row = 0; !status && row < info_warnings->rows(info); row++) {
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
			sbuf_printf(out, "%-*s %s  (%s)\n", NOTE_COLUMNS, key,
				    num_group((int64_t)count, number), t->kind->note_helps[i]);
	}
}

static enum status info_text(struct output *out, const struct trace_info *info, struct error *e)
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
		status = output_sections(out, component_sections, &info->components, &whole, e);
	if (!status)
		status = output_sections(out, metric_sections, &info->metrics, &whole, e);
	if (!status && isatty(fileno(out->stream)))
		status = output_sections(out, info_warnings, info, &whole, e);
	else if (!status && info_warnings->rows(info))
		status = text_warnings(out, info, e);
	sbuf_putc(&out->text, '\n');
	index_line(&out->text, p);
	text_notes(&out->text, t);
	return status;
}

enum status cmd_info(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct trace_info info;
	struct trace *trace;
	enum status status = open_trace(&trace, o, out, e);

	if (status)
		return status;
	status = trace_info_make(&info, trace, e);
	if (!status)
		status = o->json ? info_json(out, &info, e) : info_text(out, &info, e);
	trace_info_free(&info);
	trace_close(trace);
	return status;
}

static void purged_json(struct json *w, const struct cache_swept *swept)
{
	json_object(w);
	json_count(w, "files", swept->files);
	json_count(w, "bytes", swept->bytes);
	json_count(w, "in_use", swept->in_use);
	json_object_end(w);
	sbuf_putc(w->out, '\n');
}

static void purged_text(struct sbuf *out, const struct cache_swept *swept)
{
	char files[32], bytes[32];

	sbuf_printf(out, "removed %s file%s, %s bytes", num_group((int64_t)swept->files, files),
		    swept->files == 1 ? "" : "s", num_group((int64_t)swept->bytes, bytes));
	if (swept->in_use)
		sbuf_printf(out, "; %" PRIu64 " in use %s left", swept->in_use,
			    swept->in_use == 1 ? "was" : "were");
	sbuf_putc(out, '\n');
}

static enum status purge(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct cache_swept swept;
	enum status status;

	if (o->files.count)
		return error_set(e, STATUS_USAGE, "index: --purge is for all files: give none");
	status = cachefile_sweep(o->store.cache_dir, 0, &swept, e);
	if (status)
		return status;
	if (o->json)
		purged_json(&out->json, &swept);
	else
		purged_text(&out->text, &swept);
	return STATUS_OK;
}

enum status cmd_index(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct trace *trace;
	struct progress p;
	enum status status;

	if (o->purge)
		return purge(o, out, e);
	if (o->files.count == 0)
		return error_set(e, STATUS_USAGE, "index: no file given (- is standard input)");
	status = open_trace(&trace, o, out, e);
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
