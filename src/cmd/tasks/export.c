/*
 * Tasks for Daisen: in the form that the trace has. Text is written as other programs read it:
 * text_keep().
 */
#include "config.h"

#ifdef HAVE_SQLITE
#include <sqlite3.h>
#endif

#include <inttypes.h>

#include "base/text.h"
#include "cmd/open.h"
#include "cmd/tasks/tasks.h"
#include "tasks/extract.h"

static enum status put_line(void *arg, const char *p, size_t len, struct error *e)
{
	struct output *out = arg;

	if (len && p[len - 1] == '\r')
		len--;
	text_keep(&out->text, p, len);
	sbuf_putc(&out->text, '\n');
	return output_drain(out, e);
}

#ifdef HAVE_SQLITE

static enum status write_database(struct trace *t, struct tasks_extract *how,
				  const struct export_target *x, struct error *e)
{
	enum status status = export_need_file(x, "akita", e);
	struct error why;

	if (status)
		return status;
	status = export_connect(&how->into, x, e);
	if (!status && (status = tasks_extract(t, how, &why)))
		error_set(e, status, "%s: %s", x->made, why.text);
	sqlite3_close(how->into);
	return status;
}

#else

/* No trace from one was opened. */
static enum status write_database(struct trace *t, struct tasks_extract *how,
				  const struct export_target *x, struct error *e)
{
	(void)t;
	return export_connect(&how->into, x, e);
}

#endif

static enum status write_tasks(struct trace *t, const struct cmd_options *o,
			       const struct export_target *x, struct error *e)
{
	struct tasks_extract how = {.from = o->from, .to = o->to, .line = put_line, .arg = x->out};
	enum status status;
	int64_t from, to;

	_Static_assert(TICK_UNSET == INT64_MIN, "no bound");
	if (how.to == TICK_UNSET)
		how.to = INT64_MAX;
	status = open_range(t, o, &from, &to, e);
	if (!status)
		status = tasks_is_database(t) ? write_database(t, &how, x, e)
					      : tasks_extract(t, &how, e);
	if (how.left_out)
		output_note(x->notes, x->path, "%" PRIu64 " table%s left out, which Akita does not write",
			    how.left_out, how.left_out == 1 ? " was" : "s were");
	return status;
}

static enum status write_akita(const struct export_format *f, const struct cmd_options *o,
			       const struct export_target *x, struct error *e)
{
	struct trace *t;
	enum status status = open_tasks(&t, o, x->notes, e);

	(void)f;
	if (status)
		return status;
	status = write_tasks(t, o, x, e);
	if (!status)
		open_note_warnings(t, o, x->notes);
	trace_close(t);
	return status;
}

const struct export_format export_akita = {"akita", false, write_akita};
