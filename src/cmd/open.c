#include "config.h"

#include "cmd/open.h"

#include <inttypes.h>

#include "app/pipeline/trace_changes.h"

static void note_slip(void *arg, const char *text)
{
	output_note(arg, NULL, "%s", text);
}

/* store_open_source() with the stages and events that the user's configuration defines. */
static enum status open_configured(struct store **s, struct source *source,
				   const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store_options options = o->store;
	struct trace_changes changes = {.rows.stage_count = 0};
	struct trace_config config;
	enum status status = trace_changes_read(&changes, o->config, note_slip, out, e);

	if (!status)
		status = trace_changes_config(&changes, o->files.data[0], options.as, &config, e);
	if (status) {
		source_close(source);
		return status;
	}
	if (config.stage_count)
		options.config = &config; /* the store copies it */
	return store_open_source(s, source, &options, e);
}

enum status open_trace_source(struct store **s, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	struct progress p;
	enum status status = open_configured(s, source, o, out, e);

	if (status)
		return status;
	status = store_wait(*s, e);
	if (status) {
		store_close(*s);
		return status;
	}
	out->unit = store_unit(*s);
	store_progress(*s, &p);
	if (p.note)
		output_note(out, o->files.data[0], "%s", p.note);
	return STATUS_OK;
}

enum status open_trace(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	struct source *source;
	enum status status = source_open(&source, o->files.data[0], e);

	return status ? status : open_trace_source(s, source, o, out, e);
}

void open_note_warnings(struct store *s, const struct cmd_options *o, struct output *out)
{
	uint64_t count = store_warning_count(s);

	if (count)
		output_note(out, o->files.data[0], "%" PRIu64 " warning%s; pipeglass info lists %s",
			    count, count == 1 ? "" : "s", count == 1 ? "it" : "them");
}

enum status open_range(const struct store *s, const struct cmd_options *o, int64_t *from,
		       int64_t *to, struct error *e)
{
	struct progress p;

	if (o->from != TICK_UNSET && o->to != TICK_UNSET && o->from > o->to)
		return error_set(e, STATUS_USAGE,
				 "--from %" PRId64 " is behind --to %" PRId64
				 ": ranges are [FROM,TO)",
				 o->from, o->to);
	store_progress(s, &p);
	*from = o->from != TICK_UNSET ? o->from : p.first;
	*to = o->to != TICK_UNSET ? o->to : p.last < INT64_MAX ? p.last + 1 : p.last;
	if (*from > *to) { /* the one given end lies beyond the trace: nothing is there */
		if (o->from != TICK_UNSET)
			*to = *from;
		else
			*from = *to;
	}
	return STATUS_OK;
}

void open_note_unread(struct store *s, uint64_t unread, const struct cmd_options *o,
		      struct output *out)
{
	struct source *source = store_source(s);

	if (unread || source_check(source) == SOURCE_TRUNCATED || source_faults(source))
		output_note(out, o->files.data[0],
			    "was cut or rewritten while it was read: of %" PRIu64
			    " row%s nothing but ticks and fate is left, others may lack stages",
			    unread, unread == 1 ? "" : "s");
}
