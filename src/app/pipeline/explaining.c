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

enum {
	INSPECTED_ROWS = 1000000, /* of a trace that is evaluated because the inspector is open */
	WINDOWS = 1 << 14 /* of a curve */
};

/* Of a tab. */
struct explaining {
	struct analysing of; /* first; looks: the what-ifs asked for, and whether there is a path */
	struct rows *rows;   /* whose it is */
	/* of the job */
	bool anew, walks; /* it evaluates the run; and follows its path */
	struct why fresh; /* what it has made */
	char *trying;     /* a what-if; NULL: none */
	struct why_whatif whatif;
	struct error failure; /* of the what-if */
	atomic_int percent;
	/* what is shown */
	struct why now, old; /* store NULL: no run yet */
	char *asked;         /* the next what-if; NULL: none */
	char *opened;        /* the cause whose instructions are listed; NULL: all are */
	int64_t whatifs;     /* asked for so far */
	bool follow, shows;  /* its path is wanted; to be shown */
	double *shares;      /* of it over time: of each cause all windows */
	struct curve_given times[WHY_CAUSES_ALL + 1]; /* of each cause, and of all */
	struct curve_look looks[WHY_CAUSES_ALL];
};

/* ---- on a thread of its own ---------------------------------------------------------------- */

static enum status work(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	const struct why_question q = {.range = x->of.wish.range.on ? &x->of.rows : NULL,
				       .known =
					   x->now.store && x->of.made.complete ? &x->now : NULL,
				       .stop = &b->stop,
				       .percent = &x->percent};
	const struct why *w = x->anew ? &x->fresh : &x->now;
	enum status status = STATUS_OK;

	if (x->anew)
		status = why_new(&x->fresh, x->of.store, &q, &b->error);
	if (!status && x->walks)
		status = why_path_new(&x->fresh.path, w, &b->stop, &b->error);
	if (!status && x->trying)
		why_try(w, &(struct why_asked){.words = x->trying}, &x->whatif, &b->stop,
			&x->failure);
	return x->failure.code == STATUS_INTERRUPTED ? STATUS_INTERRUPTED : status;
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* The table of the pane has more of it. */
static void take_whatif(struct app *a, struct explaining *x)
{
	char cycles[32], was[32];

	if (x->failure.code)
		app_message(a, true, "%s", x->failure.text);
	else if (!vec_push(&x->now.whatifs, x->whatif))
		vec_free(&x->whatif.set);
	else
		app_message(a, false, "%s: %s cycles%s instead of %s", x->trying,
			    num_group(x->whatif.cycles, cycles), x->whatif.bound ? " or more" : "",
			    num_group(x->now.cycles, was));
}

/* The curves of the path. */
static void take_times(struct explaining *x)
{
	const struct why_path *p = &x->now.path;
	const int64_t length = vec_last(&p->steps).to - p->from, cycle = x->now.clock.ticks;
	const int64_t width = (length / cycle / WINDOWS + 1) * cycle;
	const size_t windows = (size_t)((length > 0 ? length - 1 : 0) / width) + 1;
	const size_t causes = x->now.cause_count;
	struct curve_given *stack = &x->times[WHY_NO_CAUSE];

	x->shares = xreallocarray(x->shares, WHY_CAUSES_ALL * windows, sizeof(*x->shares));
	if (!why_path_shares(p, p->from, p->from + (int64_t)windows * width, windows, x->shares))
		return;
	*stack = (struct curve_given){.first = p->from,
				      .width = width,
				      .count = windows,
				      .values = x->shares,
				      .version = stack->version + 1};
	for (unsigned c = 0; c < causes; c++) {
		x->times[c] = *stack;
		x->times[c].values += c * windows;
		x->looks[c] = why_look(why_cause_name(&x->now, c), c);
	}
	stack->parts = causes;
	stack->looks = x->looks;
}

/* Shown or hidden, as is asked for; that it is there now is said. */
static void show_path(struct app *a, struct explaining *x)
{
	const struct why_path *p = x->shows && x->now.path.steps.count ? &x->now.path : NULL;
	struct sbuf text = {0};

	if (p && !x->rows->view.path) {
		sbuf_puts(&text, "critical path: ");
		axis_tell_length(&x->rows->view.axis, vec_last(&p->steps).to - p->from, &text);
		sbuf_puts(&text, "  ");
		app_hint(a, KEYS_MAIN, "next", "prev", "its steps  ", &text);
		app_hint(a, KEYS_MAIN, "escape", NULL, "hides it", &text);
		app_message(a, false, "%s", sbuf_text(&text));
	}
	if (!p || !x->rows->view.path) /* else n and N may walk something else by now */
		x->rows->walks_path = p;
	x->rows->view.path = p;
	sbuf_free(&text);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

static void prepare(struct app *a, struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;

	(void)a;
	why_free(&x->fresh); /* of a job that was stopped */
	free(x->trying);
	x->anew = !analysing_has(of);
	x->walks = x->follow && (x->anew || !x->now.path.steps.count);
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

	if (x->anew) {
		x->old = x->now;
		x->now = x->fresh;
	} else if (x->walks) {
		x->now.path = x->fresh.path;
	}
	x->fresh = (struct why){.store = NULL};
	if (x->walks)
		take_times(x);
	show_path(a, x);
	if (x->trying)
		take_whatif(a, x);
}

/* Of a run that nobody but the pane asked for the pane says why there is none. */
static void forget(struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;
	struct app *a = x->rows->base.app;

	if (x->shows && *of->error.text)
		app_message(a, true, "%s", of->error.text);
	x->shows = x->shows && !*of->error.text && !of->stopped;
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
	struct analysis_wish wish = {.complete = t->told, .look = {x->whatifs, x->follow}};

	if (!alignment_shown(a))
		wish.range = rows_of(t)->view.selection;
	analysing_want(a, t, &x->of, &wish);
	return analysing_has(&x->of) ? &x->now : NULL;
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	analysing_stop(&x->of);
	why_free(&x->fresh);
	why_free(&x->now);
	free(x->trying);
	free(x->asked);
	free(x->opened);
	free(x->shares);
	free(x);
}

/* ---- the inspector and curves -------------------------------------------------------------- */

const struct why *explaining_inspect(struct app *a, const char **instead)
{
	const struct explaining *x = explaining_of(a->tab);

	*instead = x->of.background.running ? "being evaluated"
		   : *x->of.error.text      ? x->of.error.text
					    : "ow or :why evaluates it";
	return x->now.store ? &x->now : NULL;
}

const struct curve_given *explaining_given(struct tab *t, const char *metric)
{
	const size_t len = strlen(WHY_METRIC);
	struct explaining *x = explaining_of(t);
	unsigned cause = WHY_NO_CAUSE; /* or the stack of all */

	if (strncmp(metric, WHY_METRIC ":", len + 1) == 0)
		cause = why_cause_named(&x->now, metric + len + 1);
	if (cause == WHY_NO_CAUSE && strcmp(metric, WHY_METRIC) != 0)
		return NULL;
	x->follow = true;
	return &x->times[cause];
}

/*
 * The path; and a run that the inspector tells of, where nobody has asked for one yet and it takes
 * no time. Without a screen nobody waits for a later frame.
 */
static void want_shown(struct app *a, struct tab *t)
{
	const struct explaining *x = explaining_of(t);
	const bool followed = x->now.path.steps.count && x->of.made.complete == t->told;
	const bool inspected = t->told && !x->of.is_asked && panes_is_open(a, "inspector") &&
			       !why_not(x->rows->store) &&
			       store_row_count(x->rows->store) <= INSPECTED_ROWS;

	if (inspected || (x->follow && !followed))
		want(a, t);
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

	free(x->asked);
	x->asked = xstrdup(c->argv[0]);
	x->whatifs++;
	return show(c, e);
}

/* ---- the critical path --------------------------------------------------------------------- */

void explaining_hide_path(struct explaining *x)
{
	x->shows = false;
	show_path(x->rows->base.app, x);
}

/* Again: it goes, or is given up. */
static void critical(struct call *c)
{
	struct explaining *x = explaining_of(c->app->tab);

	c->react |= REACT_REDRAW;
	x->shows = !x->shows;
	x->follow = x->follow || x->shows;
	show_path(c->app, x);
	if (x->shows) {
		analysing_again(&x->of);
		want(c->app, c->app->tab);
	}
	explaining_want(c->app);
}

/*
 * The nth one that begins behind the tick, or before it (dir < 0), or as many as there are; steps
 * without cycles only lead on. SIZE_MAX: none.
 */
static size_t nth_step(const struct why_path *p, int64_t tick, int dir, int64_t n)
{
	size_t i = why_path_at(p, tick), found = SIZE_MAX;

	for (i -= i == p->steps.count; n > 0 && i < p->steps.count; i += (size_t)dir) {
		const int64_t from = why_path_from(p, i);

		if (from == p->steps.data[i].to || (dir > 0 ? from <= tick : from >= tick))
			continue;
		found = i;
		n--;
	}
	return found;
}

enum status explaining_step(struct call *c, int dir, int64_t n, struct error *e)
{
	struct tab *t = c->app->tab;
	const struct why *w = &explaining_of(t)->now;
	const struct why_path *p = &w->path;
	struct pipeview *v = &rows_of(t)->view;
	const size_t step = nth_step(p, tab_place(t).tick, dir, n);
	struct sbuf length = {0}, text = {0};
	char row[32];

	if (step == SIZE_MAX)
		return error_set(e, STATUS_NOT_FOUND, "no %s step of the critical path",
				 dir > 0 ? "later" : "earlier");
	places_jumped(&t->places, tab_place(t));
	pipeview_goto(v, p->steps.data[step].row, why_path_from(p, step));
	rows_track_selection(t);
	axis_tell_length(&v->axis, p->steps.data[step].to - why_path_from(p, step), &length);
	sbuf_printf(&text, "row %s: ", num_group(p->steps.data[step].row, row));
	why_path_tell(w, step, sbuf_text(&length), &text);
	app_message(c->app, false, "%s", sbuf_text(&text));
	sbuf_free(&length);
	sbuf_free(&text);
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
