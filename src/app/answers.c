#include "config.h"

#include "app/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/background.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/section_pane.h"
#include "view/table_pane.h"

/* An answer that is made, or that its pane is about to take. */
struct asking {
	struct background background; /* first, so that one is the other */
	struct asking *next;          /* of its tab */
	const struct answer_shown *of;
	const char *pane; /* its name */
	struct trace *trace;
	struct question question;
	void *result;
	atomic_int percent;
	int told; /* of it */
};

static enum status work(struct background *b)
{
	struct asking *x = (struct asking *)b;

	return x->of->of->make(x->result, x->trace, &x->question, &b->error);
}

static void forget(struct asking *x)
{
	if (x->result)
		x->of->of->free(x->result);
	x->result = NULL;
}

/* What nobody takes over, as its pane was closed, goes. */
static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct asking *x = (struct asking *)job;
	const bool ended = background_ended(&x->background);

	(void)deadline;
	if (ended)
		background_wait(&x->background);
	else if (x->percent == x->told)
		return REACT_NONE;
	x->told = x->percent;
	panes_renew_kind(a, x->pane);
	if (ended)
		forget(x);
	return REACT_REDRAW;
}

static void interrupt(struct app *a, struct job *job)
{
	(void)a;
	((struct asking *)job)->background.stop = true;
}

static void drop(struct app *a, struct job *job)
{
	struct asking *x = (struct asking *)job;

	interrupt(a, job);
	background_wait(&x->background);
	forget(x);
}

static const struct job_kind asking_kind = {
    .step = step, .stop = interrupt, .drop = drop, .flags = JOB_BESIDE};

static void begin(struct app *a, struct asking *x, const struct joined *j, double capacity)
{
	x->question = (struct question){.beside = j ? j->side[JOINED_B]->trace : NULL,
					.from = INT64_MIN,
					.to = INT64_MAX,
					.capacity = capacity,
					.stop = &x->background.stop,
					.percent = &x->percent};
	x->trace = j ? j->side[JOINED_A]->trace : a->tab->trace;
	x->result = xcalloc(1, x->of->of->size);
	x->percent = x->told = 0;
	background_start(&x->background, work);
	job_begin(&a->jobs, &x->background.job, &asking_kind);
}

/* Of one of two traces that share the window: which. */
static const char *title_of(const struct app *a, const struct answer_shown *s, char *buf, size_t size)
{
	const struct joined *j = joined_shown(a);

	if (!j || s->compares)
		return s->title;
	snprintf(buf, size, "%c alone: %s", joined_letter(joined_side(j, a->tab)), s->title);
	return buf;
}

/* Of a pane in the current tab, made when it is wanted first. */
static struct asking *asking_of(struct app *a, const struct answer_shown *s, const char *name)
{
	struct asking *x = a->tab->asking;

	while (x && x->of != s)
		x = x->next;
	if (x)
		return x;
	x = xcalloc(1, sizeof(*x));
	x->of = s;
	x->pane = name;
	x->next = a->tab->asking;
	a->tab->asking = x;
	return x;
}

static const struct section *section_of(const struct answer_shown *s)
{
	const struct section *found = s->of->sections;

	while (s->key && strcmp(found->key, s->key) != 0)
		found++;
	return found;
}

struct pane *answer_pane(struct app *a, const struct answer_shown *s, const char *name)
{
	struct asking *x = asking_of(a, s, name);
	const struct joined *j = s->compares ? joined_shown(a) : NULL;
	const double capacity = (double)a->set.value[OPT_CAPACITY];
	struct table_pane_of of = {.section = section_of(s),
				   .free = s->of->free,
				   .none = s->none,
				   .command = s->command};
	char state[80], title[80];

	of.title = title_of(a, s, title, sizeof(title));
	if (s->compares && !j) {
		of.none = "nothing to compare with: type :compare FILE";
		return table_pane(&of);
	}
	if (x->background.running && x->question.capacity != capacity)
		drop(a, &x->background.job);
	if (!x->result) {
		begin(a, x, j, capacity);
		background_soon(&x->background);
	}
	if (x->background.running) {
		snprintf(state, sizeof(state), "%d %% done  (^C stops)", (int)x->percent);
		of.none = state;
	} else if (x->background.status) {
		of.none = x->background.error.text;
		forget(x);
	} else if (s->hints) {
		struct pane *p = hints_pane(x->result, SIZE_MAX, s->hints);

		if (joined_shown(a))
			app_message(a, false, "%s", of.title);
		forget(x);
		return p;
	} else {
		of.result = x->result;
		x->result = NULL;
	}
	return table_pane(&of);
}

void answers_free(struct tab *t)
{
	while (t->asking) {
		struct asking *x = t->asking;

		t->asking = x->next;
		forget(x);
		free(x);
	}
}
