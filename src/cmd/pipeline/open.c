#include "config.h"

#include "cmd/pipeline/open.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

static enum status need_instructions(struct store **s, struct trace *t,
				     const struct cmd_options *o, struct error *e)
{
	struct sbuf name = {0};

	*s = store_of_trace(t);
	if (*s)
		return STATUS_OK;
	text_sanitise(&name, o->files.data[0], strlen(o->files.data[0]));
	error_set(e, STATUS_INPUT,
		  "%s: %s has no instructions; info, series and compare work with it",
		  sbuf_text(&name), t->format.title);
	sbuf_free(&name);
	trace_close(t);
	return STATUS_INPUT;
}

enum status open_store(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	struct trace *t;
	enum status status = open_trace(&t, o, out, e);

	return status ? status : need_instructions(s, t, o, e);
}

enum status open_store_source(struct store **s, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	struct trace *t;
	enum status status = open_trace_source(&t, source, o, out, e);

	return status ? status : need_instructions(s, t, o, e);
}

void open_note_unread(struct store *s, uint64_t unread, const struct cmd_options *o,
		      struct output *out)
{
	struct source *source = store_source(s);

	if (unread || source_check(source) == SOURCE_TRUNCATED || source_faults(source))
		output_note(out, o->files.data[0],
			    "was cut or rewritten while it was read: %" PRIu64
			    " row%s kept only ticks and fate, others may lack stages",
			    unread, unread == 1 ? "" : "s");
}
