/*
 * What batch commands say of tasks, as panes: Enter on a hint goes to its place, on a component to
 * its tasks.
 *
 * An answer takes passes over all tasks: it is made beside the screen, and its pane says how far it
 * has come until it takes the result over.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/tasks/answers.h"
#include "app/background.h"
#include "app/state.h"
#include "app/tasks/view.h"
#include "base/xalloc.h"
#include "view/section_pane.h"
#include "view/table_pane.h"

enum { HINT_COLUMNS = 76 };

static bool go_hint(const struct pane *p, size_t i, struct sbuf *out)
{
	struct place to = {.item = ITEM_NONE};

	if (list_pane_target(p, i, &to))
		sbuf_printf(out, "task row %" PRIu64, to.item);
	return to.item != ITEM_NONE;
}

static const struct pane_ops hint_ops = {LIST_PANE, .command = go_hint, .width = HINT_COLUMNS};

static bool go_component(const void *result, size_t row, struct sbuf *out)
{
	const struct task_components *r = result;

	sbuf_puts(out, "view component ");
	sbuf_put_quoted(out, r->list.data[row].name);
	return true;
}

static const struct shown {
	const struct task_answer *of;
	const char *title, *none;
	bool (*command)(const void *result, size_t row, struct sbuf *out);
} shown[TASK_ANSWERS] = {
    [TASK_HINTS] = {&hints_answer, "Hints", NULL, NULL},
    [TASK_SUMMARY] = {&summary_answer, "Kinds of tasks", "no tasks", NULL},
    [TASK_COMPONENTS] = {&components_answer, "Components  (Enter shows its tasks)",
			 "no components", go_component},
    [TASK_REQUESTS] = {&requests_answer, "Requests from component to component",
		       "no pairs of requests", NULL},
};

/* An answer that is made, or that its pane is about to take. */
struct task_asking {
	struct background background; /* first, so that one is the other */
	const struct shown *of;
	struct trace *trace;
	struct task_question question;
	void *result;
	atomic_int percent;
	int told; /* of it */
};

static enum status work(struct background *b)
{
	struct task_asking *x = (struct task_asking *)b;

	return x->of->of->make(x->result, x->trace, &x->question, &b->error);
}

static void forget(struct task_asking *x)
{
	if (x->result)
		x->of->of->free(x->result);
	x->result = NULL;
}

/* What nobody takes over, as its pane was closed, goes. */
static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct task_asking *x = (struct task_asking *)job;
	const bool ended = background_ended(&x->background);

	(void)deadline;
	if (ended)
		background_wait(&x->background);
	else if (x->percent == x->told)
		return REACT_NONE;
	x->told = x->percent;
	panes_renew_kind(a, x->of->of->name);
	if (ended)
		forget(x);
	return REACT_REDRAW;
}

static void interrupt(struct app *a, struct job *job)
{
	(void)a;
	((struct task_asking *)job)->background.stop = true;
}

static void drop(struct app *a, struct job *job)
{
	struct task_asking *x = (struct task_asking *)job;

	interrupt(a, job);
	background_wait(&x->background);
	forget(x);
}

static const struct job_kind asking_kind = {
    .step = step, .stop = interrupt, .drop = drop, .flags = JOB_BESIDE};

static void begin(struct app *a, struct task_asking *x, double capacity)
{
	x->question = (struct task_question){.from = INT64_MIN,
					     .to = INT64_MAX,
					     .capacity = capacity,
					     .stop = &x->background.stop,
					     .percent = &x->percent};
	x->trace = a->tab->trace;
	x->result = xcalloc(1, x->of->of->size);
	x->percent = x->told = 0;
	background_start(&x->background, work);
	job_begin(&a->jobs, &x->background.job, &asking_kind);
}

struct pane *tasks_answer_pane(struct app *a, enum task_answer_pane which)
{
	struct task_asking **at = &tasks_view_of(a->tab)->asking[which], *x = *at;
	const double capacity = (double)a->set.value[OPT_CAPACITY];
	const struct shown *s = &shown[which];
	struct table_pane_of of = {.section = s->of->sections,
				   .free = s->of->free,
				   .none = s->none,
				   .title = s->title,
				   .command = s->command};
	char state[80];

	if (!x) {
		x = *at = xcalloc(1, sizeof(*x));
		x->of = s;
	}
	if (x->background.running && x->question.capacity != capacity)
		drop(a, &x->background.job);
	if (!x->result)
		begin(a, x, capacity);
	if (x->background.running) {
		snprintf(state, sizeof(state), "%d %% done  (^C stops)", (int)x->percent);
		of.none = state;
	} else if (x->background.status) {
		of.none = x->background.error.text;
	} else if (which == TASK_HINTS) {
		struct pane *p = hints_pane(x->result, SIZE_MAX, &hint_ops);

		forget(x);
		return p;
	} else {
		of.result = x->result;
		x->result = NULL;
	}
	return table_pane(&of);
}
