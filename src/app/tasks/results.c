/*
 * What batch commands say of tasks, as panes: Enter on a hint goes to its place, on a component to
 * its tasks.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analysis/tasks/components.h"
#include "analysis/tasks/hints.h"
#include "analysis/tasks/requests.h"
#include "analysis/tasks/summary.h"
#include "app/state.h"
#include "app/tasks/view.h"
#include "base/xalloc.h"
#include "view/table_pane.h"

/* A result that could not be made has no rows, and says why. */
static struct pane *show(struct table_pane_of *of, enum status status, const struct error *e)
{
	if (status)
		of->none = e->text;
	return table_pane(of);
}

static void free_hints(void *result)
{
	hints_free(result);
	free(result);
}

static bool go_hint(const void *result, size_t row, struct sbuf *out)
{
	const struct hints *h = result;
	const uint64_t item = h->list.data[row].item;

	sbuf_printf(out, "task row %" PRIu64, item);
	return item != ITEM_NONE;
}

struct pane *tasks_hints_pane(struct app *a)
{
	const struct task_hint_options o = {(double)a->set.value[OPT_CAPACITY], NULL};
	struct hints *h = xcalloc(1, sizeof(*h));
	struct table_pane_of of = {.section = hint_sections,
				   .result = h,
				   .free = free_hints,
				   .none = "nothing stands out",
				   .title = "Hints  (Enter goes there)",
				   .command = go_hint};
	struct error e;

	return show(&of, task_hints_make(h, a->tab->trace, &o, &e), &e);
}

static void free_summary(void *result)
{
	task_summary_free(result);
	free(result);
}

/* One section of the summary. */
static struct pane *summary_of(struct app *a, const struct section *section,
			       struct table_pane_of of)
{
	struct task_summary *r = xcalloc(1, sizeof(*r));
	struct error e;

	of.section = section;
	of.result = r;
	of.free = free_summary;
	return show(&of, task_summary_make(r, a->tab->trace, &e), &e);
}

struct pane *tasks_summary_pane(struct app *a)
{
	return summary_of(a, task_summary_sections,
			  (struct table_pane_of){.none = "no tasks", .title = "Kinds of tasks"});
}

static bool go_component(const void *result, size_t row, struct sbuf *out)
{
	const struct task_components *r = result;

	sbuf_puts(out, "view component ");
	sbuf_put_quoted(out, r->list.data[row].name);
	return true;
}

static void free_components(void *result)
{
	task_components_free(result);
	free(result);
}

struct pane *tasks_components_pane(struct app *a)
{
	struct task_components *r = xcalloc(1, sizeof(*r));
	struct table_pane_of of = {.section = task_components_sections,
				   .result = r,
				   .free = free_components,
				   .none = "no components",
				   .title = "Components  (Enter shows its tasks)",
				   .command = go_component};
	struct error e;

	return show(&of, task_components_make(r, a->tab->trace, &e), &e);
}

static void free_requests(void *result)
{
	task_requests_free(result);
	free(result);
}

struct pane *tasks_requests_pane(struct app *a)
{
	struct task_requests *r = xcalloc(1, sizeof(*r));
	struct table_pane_of of = {.section = task_requests_sections,
				   .result = r,
				   .free = free_requests,
				   .none = "no pairs of requests",
				   .title = "Requests from component to component"};
	struct error e;

	return show(&of, task_requests_make(r, a->tab->trace, NULL, INT64_MIN, INT64_MAX, &e), &e);
}
