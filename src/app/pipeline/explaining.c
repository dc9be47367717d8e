#include "config.h"

#include "app/pipeline/explaining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/why.h"
#include "app/pipeline/alignment.h"
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

/* What a job does; of several that are due the first one. */
enum task { RUN, PATH, WHATIF };

enum { INSPECTED_ROWS = 1000000 }; /* of a trace that is evaluated because the inspector is open */

/* Of a tab. */
struct explaining {
	struct background background; /* first, so that one is the other */
	struct rows *rows;            /* whose it is */
	/* of the job, or the last one */
	enum task task;
	struct explain_wish wish;
	struct why run;
	struct why_path walked;
	struct why_whatif whatif;
	char *trying; /* its words */
	atomic_int percent;
	int told;  /* of it */
	bool over; /* stopped by the user, or failed: it does not begin again */
	/* what is shown; store NULL: no run yet; no steps: no path */
	struct why result;
	struct explain_wish made;
	struct why_path path;
	char *asked;     /* the next what-if; NULL: none */
	char *opened;    /* the cause whose instructions are listed; NULL: none */
	bool path_asked; /* and not there yet */
	bool timed;      /* the strip has asked for one */
	struct curve_given times[WHY_CAUSES_ALL + 1]; /* of each cause, and of all */
	struct curve_look looks[WHY_CAUSES_ALL];
};

static bool same_wish(const struct explain_wish *a, const struct explain_wish *b)
{
	return a->complete == b->complete && selection_same(&a->range, &b->range);
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

static enum status work(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	const struct range range = range_of(x->rows->store, &x->wish.range);
	const struct range *part = x->wish.range.on ? &range : NULL;

	if (x->task == PATH)
		return why_path_new(&x->walked, &x->result, &b->stop, &b->error);
	if (x->task == WHATIF)
		return why_try(&x->result, x->trying, &x->whatif, &b->stop, &b->error);
	if (x->result.store && x->made.complete)
		return why_again(&x->run, &x->result, part, &b->stop, &b->error);
	return why_new(&x->run, x->rows->store, part, NULL, 0, &b->stop, &x->percent, &b->error);
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* Of two that share the window: "A alone: ". The base stands beside it. */
static void say_whatif(struct app *a, const struct explaining *x)
{
	const struct joined *j = joined_shown(a);
	const struct why_whatif *f = &x->whatif;
	const int64_t base = x->result.cycles, change = f->saved < 0 ? -f->saved : f->saved;
	char cycles[32], was[32], number[32];
	struct sbuf text = {0};

	if (j)
		sbuf_printf(&text, "%c alone: ", joined_letter(joined_side(j, x->rows->base.tab)));
	sbuf_printf(&text, "%s: %s cycles instead of %s, %s%s %s (%.1f %%)", x->trying,
		    num_group(f->cycles, cycles), num_group(base, was),
		    f->bound && f->saved >= 0 ? "at most " : "", num_group(change, number),
		    f->saved < 0 ? "more" : "saved",
		    base ? 100 * (double)change / (double)base : 0);
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* The open pane scrolls to its row. */
static void take_whatif(struct app *a, struct explaining *x)
{
	if (!vec_push(&x->result.whatifs, x->whatif)) {
		vec_free(&x->whatif.set);
		return;
	}
	say_whatif(a, x);
	panes_renew_kind(a, "why");
	for (int i = 0; i < a->panes.count; i++) {
		struct pane_slot *slot = &a->panes.slots[i];

		if (slot->kind->make == explaining_pane) {
			why_pane_to_whatif(slot->pane);
			pane_move(slot->pane, 0, slot->height);
		}
	}
}

/* Of an opened cause that has no instructions to list. */
static void say_opened(struct app *a, const struct explaining *x)
{
	unsigned cause;

	if (!x->opened || !x->result.store)
		return;
	cause = why_cause_named(&x->result, x->opened);
	if (cause == WHY_NO_CAUSE)
		app_message(a, true, "no such cause: %s", x->opened);
	else if (!why_cause_cycles(&x->result, cause))
		app_message(a, false, "nobody owns it: the critical path spends no cycle on %s",
			    x->opened);
}

static void take_run(struct app *a, struct explaining *x)
{
	const struct why *w = &x->result, old = x->result;
	struct curve_given *stack = &x->times[WHY_NO_CAUSE];

	x->result = x->run;
	x->run = old;
	x->made = x->wish;
	*stack = (struct curve_given){.first = why_tick(w, w->span.from),
				      .width = w->window * w->clock.ticks,
				      .count = w->window_count,
				      .values = w->times,
				      .version = stack->version + 1};
	for (unsigned c = 0; c < WHY_CAUSES + w->front_count; c++) {
		x->times[c] = *stack;
		x->times[c].values += c * w->window_count;
		x->looks[c] = why_look(why_cause_name(w, c), c);
	}
	stack->parts = WHY_CAUSES + w->front_count;
	stack->looks = x->looks;
	say_opened(a, x);
}

static void take_path(struct app *a, struct explaining *x)
{
	struct sbuf text = {0};

	x->path_asked = false;
	x->path = x->walked;
	x->walked = (struct why_path){.from = 0};
	x->rows->view.path = &x->path;
	x->rows->walks_path = true;
	sbuf_puts(&text, "critical path: ");
	axis_tell_length(&x->rows->view.axis, vec_last(&x->path.steps).to - x->path.from, &text);
	sbuf_puts(&text, "  ");
	app_key_of(a, "next", &text);
	sbuf_puts(&text, " next step, ");
	app_key_of(a, "prev", &text);
	sbuf_puts(&text, " previous, ");
	app_key_of(a, "escape", &text);
	sbuf_puts(&text, " hides it");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* Of a run that nobody but the pane asked for the pane says it. */
static void failed(struct app *a, struct explaining *x)
{
	if (x->task != RUN || x->path_asked)
		app_message(a, true, "%s", x->background.error.text);
	x->path_asked = x->path_asked && x->task == WHATIF;
	x->over = true;
}

/* What shows the old run is made again before that goes; another job may begin with it. */
static void ended(struct app *a, struct explaining *x)
{
	static void (*const take[])(struct app *a, struct explaining *x) = {
	    [RUN] = take_run, [PATH] = take_path, [WHATIF] = take_whatif};
	struct why old;

	background_wait(&x->background);
	if (x->background.status == STATUS_OK)
		take[x->task](a, x);
	else if (x->background.status != STATUS_INTERRUPTED)
		failed(a, x);
	old = x->run;
	x->run = (struct why){.store = NULL};
	why_path_free(&x->walked);
	free(x->trying);
	x->trying = NULL;
	panes_renew_kind(a, "why");
	panes_renew_kind(a, "inspector");
	why_free(&old);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

/* The inspector waits for it. */
static bool is_inspected(const struct app *a, const struct explaining *x)
{
	return panes_is_open(a, "inspector") && why_can(x->rows->store) &&
	       store_row_count(x->rows->store) <= INSPECTED_ROWS;
}

static bool is_wanted(const struct app *a, const struct explaining *x)
{
	return panes_is_open(a, "why") || x->timed || x->path_asked || is_inspected(a, x);
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct explaining *x = (struct explaining *)job;

	(void)deadline;
	if (background_ended(&x->background)) {
		ended(a, x);
		return REACT_REDRAW;
	}
	x->background.stop |= !is_wanted(a, x);
	if (x->percent == x->told)
		return REACT_NONE;
	x->told = x->percent;
	panes_renew_kind(a, "why");
	return REACT_REDRAW;
}

static void interrupt(struct app *a, struct job *job)
{
	struct explaining *x = (struct explaining *)job;

	x->background.stop = x->over = true;
	x->path_asked = false;
	app_message(a, true, "stopped");
}

/* The pane tells it where it is open. */
static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct explaining *x = (const struct explaining *)job;

	if (x->path_asked || !panes_is_open(a, "why"))
		sbuf_printf(out, "  %s, %d%% (^C stops)", x->path_asked ? "critical path" : "why",
			    (int)x->percent);
}

static const struct job_kind explain_kind = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct explaining *x, enum task task,
		  const struct explain_wish *wish)
{
	x->task = task;
	x->wish = *wish;
	x->percent = 0;
	x->over = false;
	if (task == WHATIF) {
		x->whatif = (struct why_whatif){.gone = 0};
		x->trying = x->asked;
		x->asked = NULL;
	}
	background_start(&x->background, work);
	job_begin(&a->jobs, &x->background.job, &explain_kind);
}

static struct explaining *explaining_of(struct tab *t)
{
	struct rows *r = rows_of(t);

	if (!r->explaining) {
		r->explaining = xcalloc(1, sizeof(struct explaining));
		r->explaining->rows = r;
	}
	return r->explaining;
}

/* The result that is wanted, NULL: not yet; begins what has to be made. */
static const struct why *want_part(struct app *a, struct explaining *x,
				   const struct explain_wish *wish)
{
	const bool there = x->result.store && same_wish(&x->made, wish);

	if (x->background.running)
		x->background.stop |= !same_wish(&x->wish, wish);
	else if (!there && !(x->over && same_wish(&x->wish, wish)))
		begin(a, x, RUN, wish);
	else if (there && x->path_asked)
		begin(a, x, PATH, wish);
	else if (there && x->asked)
		begin(a, x, WHATIF, wish);
	return there ? &x->result : NULL;
}

/* The whole run where two are compared, else what is selected. */
static struct explain_wish wish_of(const struct app *a, struct tab *t)
{
	struct explain_wish wish = {.complete = t->told};

	if (!alignment_shown(a))
		wish.range = rows_of(t)->view.selection;
	return wish;
}

static const struct why *want(struct app *a, struct tab *t)
{
	const struct explain_wish wish = wish_of(a, t);

	return want_part(a, explaining_of(t), &wish);
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	x->background.stop = true;
	background_wait(&x->background);
	why_free(&x->run);
	why_free(&x->result);
	why_path_free(&x->walked);
	why_path_free(&x->path);
	free(x->trying);
	free(x->asked);
	free(x->opened);
	free(x);
}

/* ---- the inspector ------------------------------------------------------------------------- */

static void want_inspected(struct app *a, struct tab *t)
{
	const struct explain_wish all = {.complete = true};
	struct explaining *x = explaining_of(t);

	if (t->told && is_inspected(a, x) && !x->result.store && !x->background.running)
		want_part(a, x, &all);
}

const struct why *explaining_inspect(struct app *a, const char **instead)
{
	const struct explaining *x = explaining_of(a->tab);

	want_inspected(a, a->tab);
	*instead = x->background.error.text;
	if (x->background.running)
		*instead = "being evaluated";
	else if (x->background.status == STATUS_OK || x->background.status == STATUS_INTERRUPTED)
		*instead = "ow or :why evaluates it";
	return x->result.store ? &x->result : NULL;
}

/* ---- curves -------------------------------------------------------------------------------- */

const struct curve_given *explaining_given(struct tab *t, const char *metric)
{
	const size_t len = strlen(WHY_METRIC);
	struct explaining *x = explaining_of(t);
	unsigned cause = WHY_NO_CAUSE; /* or the stack of all */

	if (strncmp(metric, WHY_METRIC ":", len + 1) == 0)
		cause = why_cause_named(&x->result, metric + len + 1);
	if (cause == WHY_NO_CAUSE && strcmp(metric, WHY_METRIC) != 0)
		return NULL;
	x->timed = true;
	return &x->times[cause];
}

/* Without a screen nobody waits for a later frame. */
static bool ended_at_once(struct app *a, struct explaining *x)
{
	if (!a->options.headless || !x->background.running)
		return false;
	ended(a, x);
	return true;
}

static void want_shown(struct app *a, struct tab *t)
{
	struct explaining *x = explaining_of(t);

	do
		if (x->path_asked ||
		    (x->timed && !(x->result.store && x->made.complete == t->told)))
			want(a, t);
		else
			want_inspected(a, t);
	while (ended_at_once(a, x));
}

void explaining_want(struct app *a)
{
	const struct joined *j = joined_shown(a);

	want_shown(a, a->tab);
	if (j)
		want_shown(a, j->side[!joined_side(j, a->tab)]);
}

/* ---- the pane and the commands ------------------------------------------------------------- */

/* Of a tab without a result: why there is none. */
static void say_state(const struct explaining *x, struct sbuf *out)
{
	if (x->background.running)
		sbuf_printf(out, "%d %% done  (^C stops)", (int)x->percent);
	else
		sbuf_puts(out, x->background.status == STATUS_INTERRUPTED
				   ? "stopped: :why starts again"
				   : x->background.error.text);
}

/* Two that are compared are both evaluated, one after the other's pane was drawn. */
struct pane *explaining_pane(struct app *a)
{
	const struct alignment *both = alignment_shown(a);
	struct tab *const side[] = {both ? both->joined.side[ALIGN_A] : a->tab,
				    both ? both->joined.side[ALIGN_B] : a->tab};
	const struct why *result[] = {want(a, side[ALIGN_A]), want(a, side[ALIGN_B])};
	const struct explaining *x = explaining_of(side[result[ALIGN_A] ? ALIGN_B : ALIGN_A]);
	struct why_subject subject = {.store = rows_of(side[ALIGN_A])->store,
				      .range = wish_of(a, side[ALIGN_A]).range,
				      .why = result[ALIGN_B] ? result[ALIGN_A] : NULL,
				      .other = both && result[ALIGN_A] ? result[ALIGN_B] : NULL,
				      .focus = both ? both->joined.focus : ALIGN_A,
				      .to_other = "compare switch",
				      .opened = explaining_of(a->tab)->opened};
	struct sbuf state = {0};
	struct pane *p;

	if (!subject.why || x->background.running)
		say_state(x, &state);
	else if (!a->tab->told)
		sbuf_puts(&state, "so far");
	else if (both && rows_of(a->tab)->view.selection.on)
		sbuf_puts(&state, "the whole runs: of two no part is evaluated");
	subject.state = sbuf_text(&state);
	p = why_pane(&subject);
	sbuf_free(&state);
	return p;
}

static enum status show(struct call *c, struct error *e)
{
	const struct joined *j = joined_shown(c->app);

	explaining_of(c->app->tab)->over = false;
	if (j)
		explaining_of(j->side[!joined_side(j, c->app->tab)])->over = false;
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

static enum status why(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	free(x->opened);
	x->opened = c->argc ? xstrdup(c->argv[0]) : NULL;
	say_opened(c->app, x);
	return show(c, e);
}

static enum status whatif(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);
	enum status status;

	free(x->asked);
	x->asked = xstrdup(c->argv[0]);
	status = show(c, e);
	if (!status && x->asked)
		app_message(c->app, false, "%s: is answered when the run is evaluated", x->asked);
	return status;
}

/* ---- the critical path --------------------------------------------------------------------- */

void explaining_hide_path(struct explaining *x)
{
	x->path_asked = false;
	x->rows->view.path = NULL;
	x->rows->walks_path = false;
	why_path_free(&x->path);
}

/* Again: it goes, or is given up. */
static enum status critical(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	(void)e;
	c->react |= REACT_REDRAW;
	if (x->path_asked || x->path.steps.count) {
		explaining_hide_path(x);
		return STATUS_OK;
	}
	x->over = false;
	x->path_asked = true;
	explaining_want(c->app);
	return STATUS_OK;
}

static bool takes_time(const struct why_path *p, size_t i)
{
	return why_path_from(p, i) < p->steps.data[i].to;
}

/* Steps without cycles only lead on. False: there is none. */
static bool next_step(const struct why_path *p, int64_t tick, int dir, size_t *step)
{
	const size_t count = p->steps.count;
	size_t i = why_path_at(p, tick);

	if (dir > 0) {
		while (i < count && (why_path_from(p, i) <= tick || !takes_time(p, i)))
			i++;
		*step = i;
		return i < count;
	}
	i += i < count;
	while (i > 0 && (why_path_from(p, i - 1) >= tick || !takes_time(p, i - 1)))
		i--;
	*step = i - 1;
	return i > 0;
}

static void say_step(struct app *a, const struct explaining *x, size_t i)
{
	struct sbuf text = {0}, length = {0};
	char row[32];

	axis_tell_length(&x->rows->view.axis, x->path.steps.data[i].to - why_path_from(&x->path, i),
			 &length);
	sbuf_printf(&text, "row %s: ", num_group((int64_t)why_path_row(&x->path, i), row));
	why_path_tell(&x->path, i, sbuf_text(&length), &text);
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&length);
	sbuf_free(&text);
}

enum status explaining_step(struct call *c, int dir, int64_t n, struct error *e)
{
	struct tab *t = c->app->tab;
	struct explaining *x = explaining_of(t);
	int64_t tick = tab_place(t).tick;
	size_t step = 0, found;
	bool any = false;

	for (; n > 0 && next_step(&x->path, tick, dir, &found); n--, any = true) {
		step = found;
		tick = why_path_from(&x->path, step);
	}
	if (!any)
		return error_set(e, STATUS_NOT_FOUND, "no %s step of the critical path",
				 dir > 0 ? "later" : "earlier");
	places_jumped(&t->places, tab_place(t));
	pipeview_goto(&x->rows->view, why_path_row(&x->path, step), tick);
	rows_track_selection(t);
	say_step(c->app, x, step);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

const struct command why_commands[] = {
    {"why", "[CAUSE]",
     "show which causes took the cycles, and what each would save; a cause: who "
     "owns it",
     .run = why, .flags = CMD_TRACE},
    {"critical", "", "show the critical path; next and prev walk its steps; repeat to hide it",
     .run = critical, .flags = CMD_TRACE},
    {"whatif", "WHATIF", "predict the cycles without causes, or with other sizes", .run = whatif,
     .flags = CMD_TRACE},
    {.name = NULL},
};
