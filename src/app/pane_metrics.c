/*
 * The tables of metrics: those of a trace, and those of two that share the window.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/metrics.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/table_pane.h"

/* A command about a metric of a component; NULL: of all. */
static void put_command(const char *command, const char *name, const char *component,
			struct sbuf *out)
{
	struct sbuf pattern = {0};

	sbuf_printf(out, "%s ", command);
	sbuf_put_quoted(out, name);
	if (component) {
		metric_component_pattern(component, false, &pattern);
		sbuf_putc(out, ' ');
		sbuf_put_quoted(out, sbuf_text(&pattern));
	}
	sbuf_free(&pattern);
}

void metric_add_line(const char *name, const char *component, struct sbuf *out)
{
	put_command("metric add", name, component, out);
}

static bool add_metric(const void *result, size_t row, struct sbuf *out)
{
	const struct metric_table *m = result;
	const struct metric_row *r = &m->rows.data[row];

	metric_add_line(r->name, r->component, out);
	return true;
}

static void free_metrics(void *result)
{
	metric_table_free(result);
	free(result);
}

struct pane *metrics_pane(struct app *a)
{
	struct table_pane_of of = {.section = metric_sections,
				   .free = free_metrics,
				   .none = "the trace has no metrics",
				   .title = "Metrics  (Enter draws one)",
				   .command = add_metric};
	struct metric_table *m = xcalloc(1, sizeof(*m));

	of.result = m;
	if (!metric_table_make(m, a->tab->trace, true))
		of.none = "out of memory";
	return table_pane(&of);
}

/* Both on one axis, as long as they are compared. */
static bool draw_pair(const void *result, size_t row, struct sbuf *out)
{
	const struct metric_pairs *m = result;
	const struct metric_pair *p = &m->pairs.data[row];

	put_command("compare curves", p->name, p->component, out);
	return true;
}

static void free_pairs(void *result)
{
	metric_pairs_free(result);
	free(result);
}

struct pane *metric_pairs_pane(struct app *a)
{
	struct table_pane_of of = {.section = &metric_pair_section,
				   .free = free_pairs,
				   .none = "nothing to compare with: type :compare FILE",
				   .command = draw_pair};
	const struct joined *j = joined_shown(a);
	struct metric_pairs *m;
	struct sbuf title = {0};
	struct pane *p;

	if (j) {
		m = of.result = xcalloc(1, sizeof(*m));
		of.none = "no metrics";
		if (!metric_pairs_make(m, (struct trace *const[]){j->side[JOINED_A]->trace,
								  j->side[JOINED_B]->trace},
				       NULL, true))
			of.none = "out of memory";
		metric_pairs_sum_up(m, &title);
	}
	of.title = sbuf_text(&title);
	p = table_pane(&of);
	sbuf_free(&title);
	return p;
}
