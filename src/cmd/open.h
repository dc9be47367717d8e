/*
 * Opening the trace of a batch command: detection, cache and threads as the options say,
 * and what the user's configuration says to its kind.
 *
 * Batch commands answer for the whole trace, so this waits until all is read. What the user should
 * know beside the answer (an unwritable cache, warnings, a slip in the configuration) becomes a note.
 */
#ifndef PIPEGLASS_CMD_OPEN_H
#define PIPEGLASS_CMD_OPEN_H

#include "base/status.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

/* Opens o->files.data[0]. Errors: as trace_open() and trace_wait(); STATUS_IO
 * when the configuration asked for cannot be read. */
enum status open_trace(struct trace **t, const struct cmd_options *o, struct output *out,
		       struct error *e);
/* The same for a source that is open already; taken over in any case. */
enum status open_trace_source(struct trace **t, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e);
/* STATUS_INPUT, and a line that says so: it is of another kind, and was closed. */
enum status open_need(struct trace *t, const struct trace_kind *kind, const struct cmd_options *o,
		      struct error *e);
/* A note with the number of warnings, for commands that do not list them. */
void open_note_warnings(const struct trace *t, const struct cmd_options *o, struct output *out);
/*
 * [*from, *to): the options' range, by default all ticks. STATUS_USAGE when from > to, or
 * a time is given and the trace counts no time.
 */
enum status open_range(const struct trace *t, const struct cmd_options *o, int64_t *from,
		       int64_t *to, struct error *e);

#endif
