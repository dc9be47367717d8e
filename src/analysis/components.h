/*
 * The components of a trace as a table, alone or with what their metrics say.
 *
 * Names are the trace's (hostile) and live as long as it does; numbers are those of the moment.
 */
#ifndef PIPEGLASS_ANALYSIS_COMPONENTS_H
#define PIPEGLASS_ANALYSIS_COMPONENTS_H

#include "analysis/answer.h"
#include "analysis/metrics.h"

struct component_table {
	VEC(struct trace_component) list; /* a name NULL: it has none */
	struct metric_table metrics;      /* of each a row for each component */
	double ticks;
};

extern const struct section component_sections[]; /* one, of the list alone */

/* Without metrics. False: no memory. component_table_free() also after a failure. O(components). */
bool component_table_make(struct component_table *r, const struct trace *t);
void component_table_free(struct component_table *r);

/*
 * An answer about a kind that works all its metrics out for each component at once: of the first
 * one the mean, of what happens how often. O(metrics * components).
 */
extern const struct section component_answer_sections[];
enum status component_answer_make(void *result, struct trace *t, const struct question *q,
				  struct error *e);
void component_answer_free(void *result);

#endif
