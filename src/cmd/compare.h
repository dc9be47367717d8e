/*
 * `compare`: two traces of one kind, open, item by item where they have items, else by their metrics.
 */
#ifndef PIPEGLASS_CMD_COMPARE_H
#define PIPEGLASS_CMD_COMPARE_H

#include "analysis/answer.h"
#include "analysis/metrics.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "trace/trace.h"

enum { COMPARE_SIDES = METRIC_SIDES };

extern const struct answer *const pairings[]; /* of two traces: cmds.c; ends with NULL */

typedef enum status compare_fn(struct trace *const sides[COMPARE_SIDES],
			       const struct cmd_options *o, struct output *out, struct error *e);
/* Opens both files that are given, of one kind, and closes them again. */
enum status compare_files(const struct cmd_options *o, compare_fn *compare, struct output *out,
			  struct error *e);
/* What both are compared by: their instructions. */
compare_fn compare_items;
/* Metrics by name and component: of counts the totals, of others the means; and what the kind pairs. */
compare_fn compare_metrics;
/* What info says of a side, in short, into the open object. */
void compare_json_side(struct json *w, const char *file, const struct trace *t);

#endif
