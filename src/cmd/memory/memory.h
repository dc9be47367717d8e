/*
 * What subcommands for shared memory have of each other, and tables of commands of them.
 */
#ifndef PIPEGLASS_CMD_MEMORY_MEMORY_H
#define PIPEGLASS_CMD_MEMORY_MEMORY_H

#include "capture/capture.h"
#include "cmd/export.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "simulator/simulator.h"
#include "trace/trace.h"

extern const struct export_format export_memory_csv, export_memory_sqlite;

/* A report that can be pasted into a review. */
enum status memory_put_sharing(struct output *out, struct trace *t, const void *result,
			       const struct cmd_options *o, struct error *e);

/*
 * The model of caches that --caches names: a preset's name, or else a file's; NULL: the default preset.
 * text gets what sim_machine_read() reads the same from. Errors are "MODEL:LINE: what, and what to do";
 * STATUS_USAGE: neither is there.
 */
enum status memory_model_open(struct sim_machine *m, struct sbuf *text, const char *name,
			      struct error *e);

/*
 * `record --pad` and `--move`: what the runtime is told, that the caches see objects elsewhere in a second
 * run; appends. STATUS_USAGE: the first run had none that are called so, in full or by a last part.
 */
enum status whatif_put_rules(struct sbuf *rules, const struct cmd_options *o,
			     const struct capture *first, struct error *e);

struct whatif_run {
	const char *trace;
	int64_t cycles;
};
/* What that gained, beside its bound, into the notes. */
enum status whatif_compare(const struct cmd_options *o, const struct whatif_run runs[2],
			   struct output *out, struct error *e);

#endif
