#include "config.h"

#include "app/pipeline/explaining.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/why.h"
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
	struct analysing of; /* first; look: how many what-ifs were asked for */
	struct rows *rows;   /* whose it is */
	/* of the job */
	bool anew;        /* it evaluates the run, */
	bool renaming;    /* and with other stages, these: */
	char stages_of_job[WHY_WORDS + 1];
	struct why fresh; /* what it has made */
	char trying[WHY_WORDS + 1]; /* a what-if, cut where it is refused; "": none */
	struct why_whatif whatif;
	struct error failure; /* of the what-if */
	atomic_int percent;
	/* what is shown */
	struct why now; /* store NULL: no run yet */
	char asked[WHY_WORDS + 1];  /* the next what-if, likewise */
	char opened[WHY_WORDS + 1]; /* the cause whose instructions are listed; "": all are */
	char stages[WHY_WORDS + 1]; /* of the five times, as the user has them; "": as found */
	int64_t whatifs, namings;   /* asked for so far */
	char stages_now[WHY_WORDS + 1]; /* of the run that is shown */
	bool curves;     /* of it are wanted, */
	bool shows;      /* and the path */
	double shares[WHY_CAUSES_ALL * WINDOWS]; /* of it over time: of each cause all windows */
	struct curve_given times[WHY_CAUSES_ALL + 1]; /* of each cause, and of all */
	struct curve_look looks[WHY_CAUSES_ALL];
};

/* ---- on a thread of its own ---------------------------------------------------------------- */

static enum status work(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	const struct why_question q = {.range = x->of.wish.range.on ? &x->of.rows : NULL,
				       .known =
					   x->now.store && x->of.made.complete && !x->renaming
					       ? &x->now
					       : NULL,
				       .stages = x->stages_of_job,
				       .path = true,
				       .stop = &b->stop,
				       .percent = &x->percent};
	enum status status = STATUS_OK;

	if (x->anew)
		status = why_new(&x->fresh, x->of.store, &q, &b->error);
	if (!status && *x->trying)
		why_try(x->anew ? &x->fresh : &x->now, &(struct why_asked){.words = x->trying},
			&x->whatif, &b->stop, &x->failure);
	return x->failure.code == STATUS_INTERRUPTED ? STATUS_INTERRUPTED : status;
}

/* ---- what came of it ----------------------------------------------------------------------- */

/* The tab that is shown beside one; itself: none is. */
static struct tab *beside(const struct app *a, struct tab *t)
{
	const struct joined *j = joined_shown(a);

	return j ? j->side[!joined_side(j, t)] : t;
}

/* The table of the pane has more of it. */
static void take_whatif(struct app *a, struct explaining *x)
{
	struct tab *t = x->rows->base.tab;
	const char *in = beside(a, t) == t ? "" : sbuf_text(&t->name);
	char cycles[32], was[32];

	if (x->failure.code)
		app_message(a, true, "%s", x->failure.text);
	else if (vec_push(&x->now.whatifs, x->whatif))
		app_message(a, false, "%s: %s cycles%s instead of %s%s%s", x->trying,
			    num_group(x->whatif.cycles, cycles), x->whatif.bound ? " or more" : "",
			    num_group(x->now.cycles, was), *in ? " in " : "", in);
}

/* The curves of the path. */
static void take_times(struct explaining *x)
{
	const struct why_path *p = &x->now.path;
	const int64_t length = vec_last(&p->steps).to - p->from, cycle = x->now.clock.ticks;
	const int64_t width = (length / cycle / WINDOWS + 1) * cycle;
	const size_t windows = (size_t)((length > 0 ? length - 1 : 0) / width) + 1;
	struct curve_given *stack = &x->times[WHY_NO_CAUSE];

	if (!why_path_shares(p, p->from, p->from + (int64_t)windows * width, windows, x->shares))
		return;
	*stack = (struct curve_given){.first = p->from,
				      .width = width,
				      .count = windows,
				      .values = x->shares,
				      .parts = x->now.cause_count,
				      .looks = x->looks,
				      .version = stack->version + 1};
	for (unsigned c = 0; c < x->now.cause_count; c++) {
		x->times[c] = *stack;
		x->times[c].parts = 0;
		x->times[c].values += c * windows;
		x->looks[c] = why_look(x->now.causes[c].name, c);
	}
}

/* Shown or hidden, as is asked for; that it is there now is said. */
static void show_path(struct app *a, struct explaining *x)
{
	const struct why_path *p = x->shows && x->now.store ? &x->now.path : NULL;
	struct sbuf text = {0};

	if (p && !x->rows->view.path) {
		app_hint(a, KEYS_MAIN, "next", "prev", "its steps  ", &text);
		app_hint(a, KEYS_MAIN, "escape", NULL, "hides it", &text);
		app_message(a, false, "critical path:  %s", sbuf_text(&text));
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
	x->renaming = strcmp(x->stages, x->stages_now) != 0;
	x->anew = !analysing_has(of) || x->renaming;
	memcpy(x->stages_of_job, x->stages, sizeof(x->stages));
	memcpy(x->trying, x->asked, sizeof(x->trying));
	*x->asked = '\0';
	x->failure.code = STATUS_OK;
	x->percent = 0;
}

/* The panes that show the run before are made again before they are drawn. */
static void take(struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;
	struct app *a = x->rows->base.app;

	if (x->anew) {
		why_free(&x->now);
		x->now = x->fresh;
		memcpy(x->stages_now, x->stages_of_job, sizeof(x->stages_now));
		x->fresh = (struct why){.store = NULL};
		take_times(x);
	}
	if (*x->trying)
		take_whatif(a, x);
}

/* Of a run that nobody but the pane asked for the pane says why there is none. */
static void forget(struct analysing *of)
{
	struct explaining *x = (struct explaining *)of;
	struct app *a = x->rows->base.app;

	if ((x->shows || x->curves) && *of->error.text)
		app_message(a, true, "%s", of->error.text);
	x->shows = x->shows && !*of->error.text && !of->stopped;
	panes_renew_kind(a, "inspector");
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
	struct analysis_wish wish = {.complete = t->told, .look = {x->whatifs, x->namings}};

	if (!joined_shown(a))
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
	x->curves = true;
	return &x->times[cause];
}

/*
 * For a curve or the path; for the inspector where nobody has asked for one yet and it takes no
 * time. Without a screen nobody waits for a later frame.
 */
static void want_shown(struct app *a, struct tab *t)
{
	struct explaining *x = explaining_of(t);
	const bool made = x->now.store && x->of.made.complete == t->told;
	const bool inspected = t->told && !x->of.is_asked && panes_is_open(a, "inspector") &&
			       !why_not(x->rows->store) &&
			       store_row_count(x->rows->store) <= INSPECTED_ROWS;

	if (inspected || ((x->curves || x->shows) && !made))
		want(a, t);
	if (a->options.headless && x->of.background.running)
		jobs_finish(a);
	show_path(a, x);
}

void explaining_want(struct app *a)
{
	want_shown(a, a->tab);
	want_shown(a, beside(a, a->tab));
}

/* ---- the pane and the commands ------------------------------------------------------------- */

/* Two that are compared are both evaluated. */
struct pane *explaining_pane(struct app *a)
{
	const struct joined *j = joined_shown(a);
	struct tab *const *side = j ? j->side : &a->tab;
	struct why_subject subject = {.store = rows_of(side[ALIGN_A])->store,
				      .focus = j ? j->focus : ALIGN_A,
				      .opened = explaining_of(a->tab)->opened};
	struct sbuf state = {0};
	struct pane *p;

	for (int s = 0; s < (j ? ALIGN_SIDES : 1); s++) {
		subject.of[s] = want(a, side[s]);
		if (state.len)
			continue;
		if (j && *explaining_of(side[s])->of.error.text)
			sbuf_printf(&state, "%c: ", align_letter(s));
		analysing_say(&explaining_of(side[s])->of, &state);
	}
	subject.range = explaining_of(side[ALIGN_A])->of.asked.range;
	/* of two that are evaluated one after the other nothing is shown before both are there */
	if (j && !subject.of[ALIGN_B] && !*explaining_of(side[ALIGN_B])->of.error.text)
		subject.of[ALIGN_A] = NULL;
	if (!a->tab->told && !state.len)
		sbuf_puts(&state, "so far");
	else if (j && !state.len && rows_of(a->tab)->view.selection.on)
		sbuf_puts(&state, "the whole runs: of two no part is evaluated");
	subject.state = sbuf_text(&state);
	p = why_pane(&subject);
	sbuf_free(&state);
	return p;
}

/* A cause to be opened, or a what-if; what was stopped begins again. */
static enum status show(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	const struct explaining *other = explaining_of(beside(c->app, c->app->tab));

	if (!c->command->arg && c->argc && x->now.store &&
	    why_cause_named(&x->now, c->argv[0]) == WHY_NO_CAUSE &&
	    why_cause_named(&other->now, c->argv[0]) == WHY_NO_CAUSE)
		return error_set(e, STATUS_USAGE, "'%s' is no cause of this trace", c->argv[0]);
	snprintf(c->command->arg ? x->asked : x->opened, sizeof(x->asked), "%s",
		 c->argc ? c->argv[0] : "");
	x->whatifs += c->command->arg;
	analysing_again(&x->of);
	analysing_again(&explaining_of(beside(c->app, c->app->tab))->of);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

/* Which stages are the five times; none: as the trace shows. */
static enum status name_stages(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	snprintf(x->stages, sizeof(x->stages), "%s", c->argc ? c->argv[0] : "");
	x->namings++;
	analysing_again(&x->of);
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

/* ---- the critical path --------------------------------------------------------------------- */

/* Again: it goes, or is given up. */
static void critical(struct call *c)
{
	struct explaining *x = explaining_of(c->app->tab);

	c->react |= REACT_REDRAW;
	x->shows = !x->shows;
	analysing_again(&x->of);
	if (x->shows) {
		if (panes_focused(c->app)) /* on a small screen it hides the rows */
			panes_close_kind(c->app, "why");
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

		if (from < p->steps.data[i].to && (dir > 0 ? from > tick : from < tick)) {
			found = i;
			n--;
		}
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
	struct sbuf text = {0};
	char row[32];

	if (step == SIZE_MAX)
		return error_set(e, STATUS_NOT_FOUND, "no %s step of the critical path",
				 dir > 0 ? "later" : "earlier");
	places_jumped(&t->places, tab_place(t));
	pipeview_goto(v, p->steps.data[step].row, why_path_from(p, step));
	sbuf_printf(&text, "row %s: ", num_group(p->steps.data[step].row, row));
	axis_tell_length(&v->axis, p->steps.data[step].to - why_path_from(p, step), &text);
	why_path_tell(w, step, &text);
	app_message(c->app, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

const struct command why_commands[] = {
    {"why", "[CAUSE]",
     "show which causes took the cycles, and what each would save; a cause: who "
     "owns it",
     .run = show, .flags = CMD_TRACE},
    {"critical", "", "show the critical path; next and prev walk its steps; repeat to hide it",
     .act = critical, .flags = CMD_TRACE},
    {"whatif", "WHATIF", "predict the cycles without causes, or with other sizes", .run = show,
     .flags = CMD_TRACE, .arg = 1},
    {"why stages", "[STAGES]",
     "say which stages stand for fetch, dispatch, issue, result and commit; none: as found",
     .run = name_stages, .flags = CMD_TRACE},
    {.name = NULL},
};
