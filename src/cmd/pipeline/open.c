#include "config.h"

#include "cmd/pipeline/open.h"

#include <inttypes.h>

enum status open_store(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e)
{
	struct source *source;
	enum status status = source_open(&source, o->files.data[0], e);

	return status ? status : open_store_source(s, source, o, out, e);
}

enum status open_store_source(struct store **s, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e)
{
	struct trace *t;
	enum status status = open_trace_source(&t, source, o, out, e);

	if (!status)
		status = open_need(t, &pipeline_kind, o, e);
	if (!status)
		*s = store_of_trace(t);
	return status;
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
