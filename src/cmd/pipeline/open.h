/*
 * cmd/open.h for the commands that are about instructions.
 */
#ifndef PIPEGLASS_CMD_PIPELINE_OPEN_H
#define PIPEGLASS_CMD_PIPELINE_OPEN_H

#include "analysis/pipeline/why_compare.h"
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
/* Of what is wrong with a trace (STATUS_INPUT) the text says in which one. Returns status. */
enum status open_name_file(const char *file, enum status status, struct error *e);

/* Two runs, both evaluated, into one that is zeroed: why one is faster. An error names the file. */
enum status why_pair_new(struct why_compare *c, struct store *const stores[ALIGN_SIDES],
			 const struct cmd_options *o, struct error *e);
/* What the difference is made of, in a sentence of its own lines. */
void why_pair_tell(const struct why_compare *c, struct output *out);

#endif
