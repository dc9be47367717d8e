#include "config.h"

#include "app/pipeline/explaining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/why_pane.h"

/* What is evaluated. */
struct explain_wish {
	struct selection range;
	bool complete; /* the trace is read to its end */
};

/* Of a tab. */
struct explaining {
	struct background background; /* first, so that one is the other */
	/* of the job, or the last one */
	struct store *store;
	struct explain_wish wish;
	struct why *out;
	atomic_int percent;
	int told; /* of it */
	bool interrupted; /* by the user: it does not begin again */
	char *trying; /* a what-if; NULL: the run as it was */
	struct why_whatif whatif;
	/* what is shown, with the what-ifs that were tried on it */
	struct why *result;
	struct explain_wish made;
	struct curve_given times[WHY_CAUSES_ALL]; /* of it, by cause */
	bool timed; /* the strip has asked for one */
	char *asked;  /* the next what-if; NULL: none */
	char *opened; /* the cause whose instructions are listed; NULL: none */
};

static bool same_wish(const struct explain_wish *a, const struct explain_wish *b)
{
	return a->complete == b->complete && selection_same(&a->range, &b->range);
}

static void free_result(struct why *w)
{
	if (w)
		why_free(w);
	free(w);
}

/* ---- on a thread of its own ---------------------------------------------------------------- */

/* Those fetched in what is selected: rows stand for the ticks from the first to the last one. */
static struct range range_of(const struct store *s, const struct selection *range)
{
	struct range r = range_all(s);
	struct row row;

	r.tick0 = range->tick0;
	r.tick1 = range->tick1;
	if (range->item0 && store_row(s, range->item0, &row) && row.start > r.tick0)
		r.tick0 = row.start;
	if (store_row(s, range->item1, &row) && row.start < r.tick1)
		r.tick1 = row.start;
	return r;
}

static enum status explain(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	const struct range range = range_of(x->store, &x->wish.range);

	if (x->trying)
		return why_try(x->result, x->trying, &x->whatif, &b->stop, &b->error);
	return why_new(x->out, x->store, x->wish.range.on ? &range : NULL, NULL, 0, &b->stop,
		       &x->percent, &b->error);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

/* The base stands beside it. */
static void take_whatif(struct app *a, struct explaining *x)
{
	const struct why_whatif *f = &x->whatif;
	const int64_t base = x->result->cycles;
	char cycles[32], was[32], saved[32];

	if (!vec_push(&x->result->whatifs, *f))
		vec_free(&x->whatif.set);
	else
		app_message(a, false, "%s: %s cycles instead of %s, %s%s saved (%.1f %%)", x->trying,
			    num_group(f->cycles, cycles), num_group(base, was),
			    f->bound ? "at most " : "", num_group(f->saved, saved),
			    base ? 100 * (double)f->saved / (double)base : 0);
}

static void show_times(struct explaining *x)
{
	const struct why *w = x->result;

	for (unsigned c = 0; c < WHY_CAUSES_ALL; c++)
		x->times[c] = (struct curve_given){
		    .first = why_tick(&w->reading, w->span.from),
		    .width = w->window * w->reading.clock.ticks,
		    .count = w->window_count,
		    .values = w->times + c * w->window_count,
		    .version = x->times[c].version + 1};
}

/* What shows the old result is made again before that goes. */
static void ended(struct app *a, struct explaining *x)
{
	struct why *old = x->out;

	background_wait(&x->background);
	if (x->trying && x->background.status == STATUS_OK) {
		take_whatif(a, x);
	} else if (x->trying && x->background.status != STATUS_INTERRUPTED) {
		app_message(a, true, "%s", x->background.error.text);
	} else if (x->background.status == STATUS_OK) {
		old = x->result;
		x->result = x->out;
		x->made = x->wish;
		show_times(x);
	}
	x->out = NULL;
	free(x->trying);
	x->trying = NULL;
	panes_renew_kind(a, "why");
	free_result(old);
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct explaining *x = (struct explaining *)job;

	(void)deadline;
	if (background_ended(&x->background)) {
		ended(a, x);
		return REACT_REDRAW;
	}
	x->background.stop |= !panes_is_open(a, "why") && !x->timed;
	if (x->percent == x->told)
		return REACT_NONE;
	x->told = x->percent;
	panes_renew_kind(a, "why");
	return REACT_REDRAW;
}

static void interrupt(struct app *a, struct job *job)
{
	struct explaining *x = (struct explaining *)job;

	x->background.stop = x->interrupted = true;
	app_message(a, true, "stopped");
}

static const struct job_kind explain_kind = {
    .step = step, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct explaining *x, const struct explain_wish *wish,
		  bool anew)
{
	x->store = rows_of(a->tab)->store;
	x->wish = *wish;
	x->percent = 0;
	x->interrupted = false;
	x->whatif = (struct why_whatif){.gone = 0};
	if (anew) {
		x->out = xcalloc(1, sizeof(*x->out));
	} else {
		x->trying = x->asked;
		x->asked = NULL;
	}
	background_start(&x->background, explain);
	job_begin(&a->jobs, &x->background.job, &explain_kind);
}

/* The result that is wanted, NULL: not yet; begins what has to be made. */
static const struct why *want(struct app *a, struct explaining *x)
{
	const struct explain_wish wish = {rows_of(a->tab)->view.selection, a->tab->told};
	const bool there = x->result && same_wish(&x->made, &wish);
	const bool over = same_wish(&x->wish, &wish) &&
			  (x->interrupted || (x->background.status &&
					      x->background.status != STATUS_INTERRUPTED));

	if (x->background.running)
		x->background.stop |= !same_wish(&x->wish, &wish);
	else if (there ? x->asked != NULL : !over)
		begin(a, x, &wish, !there);
	return there ? x->result : NULL;
}

static struct explaining *explaining_of(struct tab *t)
{
	if (!rows_of(t)->explaining)
		rows_of(t)->explaining = xcalloc(1, sizeof(struct explaining));
	return rows_of(t)->explaining;
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	x->background.stop = true;
	background_wait(&x->background);
	free_result(x->out);
	free_result(x->result);
	free(x->trying);
	free(x->asked);
	free(x->opened);
	free(x);
}

/* ---- curves -------------------------------------------------------------------------------- */

const struct curve_given *explaining_given(struct tab *t, const char *metric)
{
	static const char prefix[] = "why:";
	struct explaining *x = explaining_of(t);
	const char *name = metric + sizeof(prefix) - 1;

	if (strncmp(metric, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	for (unsigned c = 0; c < WHY_CAUSES + (x->result ? x->result->front_count : 0); c++)
		if (strcmp(c < WHY_CAUSES ? why_causes[c].key : why_cause_name(x->result, c),
			   name) == 0) {
			x->timed = true;
			return &x->times[c];
		}
	return NULL;
}

void explaining_want(struct app *a)
{
	struct explaining *x = rows_of(a->tab)->explaining;

	if (!x || !x->timed || (x->result && x->made.complete == a->tab->told))
		return;
	want(a, x);
	if (a->options.headless && x->background.running)
		ended(a, x);
}

/* ---- the pane and the commands ------------------------------------------------------------- */

struct pane *explaining_pane(struct app *a)
{
	struct explaining *x = explaining_of(a->tab);
	char evaluating[40];
	struct why_subject subject = {.store = rows_of(a->tab)->store,
				      .range = rows_of(a->tab)->view.selection,
				      .why = want(a, x),
				      .opened = x->opened,
				      .state = a->tab->told ? "" : "so far"};

	if (x->background.running) {
		snprintf(evaluating, sizeof(evaluating), "%d %% done  (^C stops)", (int)x->percent);
		subject.state = evaluating;
	} else if (!subject.why) {
		subject.state = x->background.status == STATUS_INTERRUPTED
				    ? "stopped: :why starts again"
				    : x->background.error.text;
	}
	return why_pane(&subject);
}

/* What was stopped, or failed, may begin again. */
static enum status show(struct call *c, struct explaining *x, struct error *e)
{
	x->interrupted = false;
	if (!x->background.running)
		x->background.status = STATUS_OK;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

static enum status why(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	free(x->opened);
	x->opened = c->argc ? xstrdup(c->argv[0]) : NULL;
	return show(c, x, e);
}

static enum status whatif(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	free(x->asked);
	x->asked = xstrdup(c->argv[0]);
	return show(c, x, e);
}

const struct command why_commands[] = {
    {"why", "[CAUSE]", "show which causes took the cycles, and what each would save; a cause: who "
		       "owns it", .run = why, .flags = CMD_TRACE},
    {"whatif", "WHATIF", "predict the cycles without causes, or with other sizes", .run = whatif,
     .flags = CMD_TRACE},
    {.name = NULL},
};
