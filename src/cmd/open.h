/*
 * Opening the trace of a batch command: detection, cache and threads as the options say,
 * stages and events as the lines `stage` and `event` of the user's configuration say.
 *
 * Batch commands answer for the whole trace, so this waits for the complete index. What the
 * user should know beside the answer (an unwritable cache, warnings, a slip in the configuration) becomes a note.
 */
#ifndef PIPEGLASS_CMD_OPEN_H
#define PIPEGLASS_CMD_OPEN_H

#include "base/status.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "pipeline/store.h"

/* Opens o->files.data[0]. Errors: as store_open() and store_wait(); STATUS_IO
 * when the configuration asked for cannot be read. */
enum status open_trace(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e);
/* The same for a source that is open already; taken over in any case. */
enum status open_trace_source(struct store **s, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e);
/* A note with the number of warnings, for commands that do not list them. */
void open_note_warnings(struct store *s, const struct cmd_options *o, struct output *out);
/* A note when the file changed between the index and the output; unread: rows without text. */
void open_note_unread(struct store *s, uint64_t unread, const struct cmd_options *o,
		      struct output *out);
/* [*from, *to): the options' range, by default all ticks. STATUS_USAGE when from > to. */
enum status open_range(const struct store *s, const struct cmd_options *o, int64_t *from,
		       int64_t *to, struct error *e);

#endif
