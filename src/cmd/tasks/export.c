/*
 * Tasks for Daisen: in the form that the trace has. Text is written as other programs read it:
 * text_keep().
 */
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "cmd/options.h"
#include "cmd/tasks/tasks.h"
#include "tasks/extract.h"
#include "tasks/kind.h"

static enum status put_line(void *arg, const char *p, size_t len, struct error *e)
{
	struct output *out = arg;

	if (len && p[len - 1] == '\r')
		len--;
	text_keep(&out->text, p, len);
	sbuf_putc(&out->text, '\n');
	return output_drain(out, e);
}

static enum status write_akita(const struct export_format *f, struct trace *t,
			       const struct cmd_options *o, const struct export_target *x,
			       struct error *e)
{
	struct tasks_extract how = {.into = x->file, .line = put_line, .arg = x->out};
	struct export_part part;
	enum status status = export_part_of(&part, t, o, e);

	if (!status && tasks_is_database(t))
		status = export_need_file(x, f->name, e);
	if (status)
		return status;
	how.from = o->from ? part.from : INT64_MIN;
	how.to = o->to ? part.to : INT64_MAX;
	status = tasks_extract(t, &how, e);
	if (how.left_out)
		output_note(x->notes, x->path, "%" PRIu64 " table%s left out, which Akita does not write",
			    how.left_out, how.left_out == 1 ? " was" : "s were");
	return status;
}

const struct export_format export_akita = {
    .name = "akita", .kind = &tasks_trace_kind, .write = write_akita};
