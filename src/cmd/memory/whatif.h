/*
 * `record --pad` and `--move`: the same program a second time, with objects elsewhere in memory as the
 * caches see it, and what that gained.
 */
#ifndef PIPEGLASS_CMD_MEMORY_WHATIF_H
#define PIPEGLASS_CMD_MEMORY_WHATIF_H

#include "base/vec.h"
#include "capture/capture.h"
#include "cmd/options.h"
#include "cmd/output.h"

/* What the runtime is told, and the objects that this is about. */
struct whatif_rules {
	bool moves; /* else they pad */
	struct sbuf text;
	VEC(struct capture_object) objects; /* names live as long as the first run's capture */
};

/* The last part of a name will do. STATUS_USAGE: none is called so, or several; names like it are told. whatif_rules_free() in any case. */
enum status whatif_rules_make(struct whatif_rules *rules, const struct cmd_options *o,
			      const struct capture *first, struct error *e);
void whatif_rules_free(struct whatif_rules *rules);

/* "T.pad.trace" beside "T.trace"; appends. */
void whatif_name(const struct cmd_options *o, const char *trace, struct sbuf *out);

/* Both runs beside each other, into the notes; names of the traces that they are in. */
enum status whatif_compare(const struct whatif_rules *rules, const struct capture_totals totals[2],
			   const char *const traces[2], struct output *out, struct error *e);

#endif
