/*
 * cmd/open.h for the commands that are about instructions.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_OPEN_H
#define PIPEGLASS_CMD_PIPELINE_OPEN_H

#include "cmd/open.h"
#include "pipeline/kind.h"

/* As open_trace(); STATUS_INPUT, and a line that says so: it is of a kind without instructions. */
enum status open_store(struct store **s, const struct cmd_options *o, struct output *out,
		       struct error *e);
enum status open_store_source(struct store **s, struct source *source, const struct cmd_options *o,
			      struct output *out, struct error *e);
/* A note when the file changed between the index and the output; unread: rows without text. */
void open_note_unread(struct store *s, uint64_t unread, const struct cmd_options *o,
		      struct output *out);

#endif
