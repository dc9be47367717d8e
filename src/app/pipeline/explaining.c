#include "config.h"

#include "app/pipeline/explaining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/why.h"
#include "app/pipeline/alignment.h"
#include "app/pipeline/analysing.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/why_pane.h"

enum { INSPECTED_ROWS = 1000000 }; /* of a trace that is evaluated because the inspector is open */

/* Of a tab. */
struct explaining {
	struct analysing of; /* first; looks: the what-ifs and paths asked for */
	struct rows *rows;   /* whose it is */
	/* of the job */
	bool anew, walks; /* it evaluates the run; and follows its path */
	char *trying;     /* a what-if; NULL: none */
	struct why run;
	struct why_path walked;
	struct why_whatif whatif;
	struct error failure; /* of the path or the what-if */
	atomic_int percent;
	/* what is shown; store NULL: no run yet; no steps: no path */
	struct why result, old;
	struct why_path path;
	char *asked;            /* the next what-if; NULL: none */
	char *opened;           /* the cause whose instructions are listed; NULL: none */
	bool path_asked;        /* and not there yet */
	int64_t whatifs, paths; /* asked for so far */
	bool timed;             /* the strip has asked for a curve */
	struct curve_given times[WHY_CAUSES_ALL + 1]; /* of each cause, and of all */
	struct curve_look looks[WHY_CAUSES_ALL];
};

/* ---- on a thread of its own ---------------------------------------------------------------- */

/* What is selected: from the start of its first row on. */
static struct range range_of(const struct store *s, const struct selection *range)
{
	struct range r = range_all(s);
	struct row row;

	r.row0 = range->item0;
	r.row1 = range->item1;
	r.tick0 = range->tick0;
	r.tick1 = range->tick1;
	if (range->item0 && store_row(s, range->item0, &row) && row.start > r.tick0)
		r.tick0 = row.start;
	return r;
}

static enum status work(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	const struct range range = range_of(x->of.store, &x->of.wish.range);
	const struct why_question q = {
	    .range = x->of.wish.range.on ? &range : NULL,
	    .known = x->result.store && x->of.made.complete ? &x->result : NULL,
	    .stop = &b->stop,
	    .percent = &x->percent};
	const struct why *w = x->anew ? &x->run : &x->result;
	enum status status = STATUS_OK;

	if (x->anew)
		status = why_new(&x->run, x->of.store, &q, &b->error);
	if (!status && x->walks)
		why_path_new(&x->walked, w, &b->stop, &x->failure);
	if (!status && !x->failure.code && x->trying)
		why_try(w, x->trying, &x->whatif, &b->stop, &x->failure);
	return x->failure.code == STATUS_INTERRUPTED ? STATUS_INTERRUPTED : status;
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* Of two that share the window: "A alone: ". The base stands beside it. */
static void say_whatif(struct app *a, const struct explaining *x)
{
	const struct joined *j = joined_shown(a);
	const struct why_whatif *f = &x->whatif;
	const int64_t base = x->result.cycles, change = f->saved < 0 ? -f->saved : f->saved;
	char side[16] = "", cycles[32], was[32], number[32];

	if (j)
		snprintf(side, sizeof(side),
			 "%c alone: ", joined_letter(joined_side(j, x->rows->base.tab)));
	app_message(a, false, "%s%s: %s cycles instead of %s, %s%s %s (%.1f %%)", side, x->trying,
		    num_group(f->cycles, cycles), num_group(base, was),
		    f->bound && f->saved >= 0 ? "at most " : "", num_group(change, number),
		    f->saved < 0 ? "more" : "saved",
		    base ? 100 * (double)change / (double)base : 0);
}

static void take_whatif(struct app *a, struct explaining *x)
{
	if (vec_push(&x->result.whatifs, x->whatif))
		say_whatif(a, x);
	else
		vec_free(&x->whatif.set);
}

static void take_run(struct explaining *x)
{
	const struct why *w = &x->result;
	struct curve_given *stack = &x->times[WHY_NO_CAUSE];

	x->old = x->result;
	x->result = x->run;
	x->run = (struct why){.store = NULL};
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
}

static void take_path(struct app *a, struct explaining *x)
{
	struct sbuf text = {0};

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

/* ---- jobs ---------------------------------------------------------------------------------- */

static void prepare(struct app *a, struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;

	(void)a;
	why_free(&x->run); /* of a job that was stopped */
	why_path_free(&x->walked);
	free(x->trying);
	x->anew = !analysing_has(of);
	x->walks = x->path_asked;
	x->trying = x->asked;
	x->asked = NULL;
	x->whatif = (struct why_whatif){.gone = 0};
	x->failure.code = STATUS_OK;
	x->percent = 0;
}

static void take(struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;
	struct app *a = x->rows->base.app;

	if (x->anew)
		take_run(x);
	if (x->path_asked && x->walked.steps.count)
		take_path(a, x);
	x->path_asked = x->path_asked && !x->walks;
	if (x->failure.code)
		app_message(a, true, "%s", x->failure.text);
	else if (x->trying)
		take_whatif(a, x);
}

/* Of a run that nobody but the pane asked for the pane says why there is none. */
static void forget(struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;
	struct app *a = x->rows->base.app;

	if (x->path_asked && *of->error.text)
		app_message(a, true, "%s", of->error.text);
	x->path_asked = x->path_asked && !*of->error.text && !of->stopped;
	panes_renew_kind(a, "inspector");
	why_free(&x->old);
}

static int percent(const struct analysing *of)
{
	return ((const struct explaining *)of)->percent;
}

static const struct analysis_kind explain_kind = {.pane = "why",
						  .doing = "explaining",
						  .work = work,
						  .prepare = prepare,
						  .take = take,
						  .forget = forget,
						  .percent = percent};

static struct explaining *explaining_of(struct tab *t)
{
	struct rows *r = rows_of(t);

	if (!r->explaining) {
		r->explaining = xcalloc(1, sizeof(struct explaining));
		r->explaining->of.kind = &explain_kind;
		r->explaining->rows = r;
	}
	return r->explaining;
}

/* The result of the whole run where two are compared, else of what is selected; NULL: not yet. */
static const struct why *want(struct app *a, struct tab *t)
{
	struct explaining *x = explaining_of(t);
	struct analysis_wish wish = {.complete = t->told, .look = {x->whatifs, x->paths}};

	if (!alignment_shown(a))
		wish.range = rows_of(t)->view.selection;
	analysing_want(a, t, &x->of, &wish);
	return analysing_has(&x->of) ? &x->result : NULL;
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	analysing_stop(&x->of);
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

/* Where nobody has asked for a run yet it is evaluated, if that takes no time. */
static void want_inspected(struct app *a, struct tab *t)
{
	struct explaining *x = explaining_of(t);

	if (t->told && !x->of.is_asked && panes_is_open(a, "inspector") &&
	    why_can(x->rows->store) && store_row_count(x->rows->store) <= INSPECTED_ROWS)
		analysing_want(a, t, &x->of, &(struct analysis_wish){.complete = true});
}

const struct why *explaining_inspect(struct app *a, const char **instead)
{
	const struct explaining *x = explaining_of(a->tab);

	want_inspected(a, a->tab);
	*instead = x->of.background.running ? "being evaluated"
		   : *x->of.error.text      ? x->of.error.text
					    : "ow or :why evaluates it";
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
static void want_shown(struct app *a, struct tab *t)
{
	const struct explaining *x = explaining_of(t);

	if (x->path_asked || (x->timed && !(x->result.store && x->of.made.complete == t->told)))
		want(a, t);
	want_inspected(a, t);
	if (a->options.headless && x->of.background.running)
		jobs_finish(a);
}

void explaining_want(struct app *a)
{
	const struct joined *j = joined_shown(a);

	want_shown(a, a->tab);
	if (j)
		want_shown(a, j->side[!joined_side(j, a->tab)]);
}

/* ---- the pane and the commands ------------------------------------------------------------- */

/* Two that are compared are both evaluated, one after the other's pane was drawn. */
struct pane *explaining_pane(struct app *a)
{
	const struct alignment *both = alignment_shown(a);
	struct tab *const side[] = {both ? both->joined.side[ALIGN_A] : a->tab,
				    both ? both->joined.side[ALIGN_B] : a->tab};
	const struct why *result[] = {want(a, side[ALIGN_A]), want(a, side[ALIGN_B])};
	const struct explaining *x = explaining_of(side[result[ALIGN_A] ? ALIGN_B : ALIGN_A]);
	struct why_subject subject = {.store = rows_of(side[ALIGN_A])->store,
				      .range = explaining_of(side[ALIGN_A])->of.asked.range,
				      .of = {result[ALIGN_B] ? result[ALIGN_A] : NULL,
					     both && result[ALIGN_A] ? result[ALIGN_B] : NULL},
				      .focus = both ? both->joined.focus : ALIGN_A,
				      .opened = explaining_of(a->tab)->opened};
	struct sbuf state = {0};
	struct pane *p;

	if (!subject.of[ALIGN_A] || x->of.background.running)
		analysing_say(&x->of, &state);
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

	analysing_again(&explaining_of(c->app->tab)->of);
	if (j)
		analysing_again(&explaining_of(j->side[!joined_side(j, c->app->tab)])->of);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

static enum status why(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	free(x->opened);
	x->opened = c->argc ? xstrdup(c->argv[0]) : NULL;
	return show(c, e);
}

static enum status whatif(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);
	enum status status;

	free(x->asked);
	x->asked = xstrdup(c->argv[0]);
	x->whatifs++;
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
static void critical(struct call *c)
{
	struct explaining *x = explaining_of(c->app->tab);

	c->react |= REACT_REDRAW;
	if (x->path_asked || x->path.steps.count) {
		explaining_hide_path(x);
		return;
	}
	analysing_again(&x->of);
	x->path_asked = true;
	x->paths++;
	explaining_want(c->app);
}

/* The next one that begins behind the tick, or before it; steps without cycles only lead on. */
static bool next_step(const struct why_path *p, int64_t tick, int dir, size_t *step)
{
	size_t i = why_path_at(p, tick);

	for (i -= i == p->steps.count; i < p->steps.count; i += (size_t)dir) {
		const int64_t from = why_path_from(p, i);

		*step = i;
		if (from < p->steps.data[i].to && (dir > 0 ? from > tick : from < tick))
			return true;
	}
	return false;
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
	size_t step = SIZE_MAX, found;

	for (; n > 0 && next_step(&x->path, tick, dir, &found); n--) {
		step = found;
		tick = why_path_from(&x->path, step);
	}
	if (step == SIZE_MAX)
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
     .act = critical, .flags = CMD_TRACE},
    {"whatif", "WHATIF", "predict the cycles without causes, or with other sizes", .run = whatif,
     .flags = CMD_TRACE},
    {.name = NULL},
};
