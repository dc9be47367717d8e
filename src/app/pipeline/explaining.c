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

/* Of a tab. */
struct explaining {
	struct background background; /* first, so that one is the other */
	struct rows *rows; /* whose it is */
	/* of the job, or the last one */
	struct store *store;
	struct explain_wish wish;
	struct why *out;
	atomic_int percent;
	int told; /* of it */
	bool interrupted; /* by the user: it does not begin again */
	char *trying; /* a what-if; NULL: the run as it was */
	struct why_whatif whatif;
	struct why_path *walked; /* NULL: the path is not asked for */
	/* what is shown, with the what-ifs that were tried on it */
	struct why *result;
	struct explain_wish made;
	struct curve_given times[WHY_CAUSES_ALL]; /* of it, by cause */
	struct curve_given stack;                 /* of all */
	struct curve_look looks[WHY_CAUSES_ALL];
	bool timed; /* the strip has asked for one */
	char *asked;  /* the next what-if; NULL: none */
	char *opened; /* the cause whose instructions are listed; NULL: none */
	bool marking; /* the path is to be shown */
	bool given_up; /* it was, and the user stopped it */
	struct why_path *path; /* that the view shows; NULL: none */
};

static bool awaits_path(const struct explaining *x)
{
	return x->marking && !x->path;
}

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

static void free_path(struct why_path *p)
{
	if (p)
		why_path_free(p);
	free(p);
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
	const struct range *part = x->wish.range.on ? &range : NULL;
	enum status status = STATUS_OK;

	if (x->trying)
		return why_try(x->result, x->trying, &x->whatif, &b->stop, &b->error);
	if (x->out && x->result && x->made.complete && x->wish.complete)
		status = why_again(x->out, x->result, part, &b->stop, &b->error);
	else if (x->out)
		status = why_new(x->out, x->store, part, NULL, 0, &b->stop, &x->percent, &b->error);
	if (!status && x->walked)
		status = why_path_new(x->walked, x->out ? x->out : x->result, &b->stop, &b->error);
	return status;
}

/* ---- jobs ---------------------------------------------------------------------------------- */

/* Of two that share the window: "A alone: ". */
static void say_side(const struct app *a, const struct explaining *x, struct sbuf *out)
{
	const struct joined *j = joined_shown(a);

	if (j)
		sbuf_printf(out, "%c alone: ", joined_letter(joined_side(j, x->rows->base.tab)));
}

/* The base stands beside it. */
static void say_whatif(struct app *a, const struct explaining *x)
{
	const struct why_whatif *f = &x->whatif;
	const int64_t base = x->result->cycles, change = f->saved < 0 ? -f->saved : f->saved;
	char cycles[32], was[32], number[32];
	struct sbuf text = {0};

	say_side(a, x, &text);
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
	if (!vec_push(&x->result->whatifs, x->whatif)) {
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

static unsigned cause_count(const struct explaining *x)
{
	return WHY_CAUSES + (x->result ? (unsigned)x->result->front_count : 0);
}

static const char *cause_name(const struct explaining *x, unsigned c)
{
	return c < WHY_CAUSES ? why_causes[c].key : why_cause_name(x->result, c);
}

static bool is_owned(const struct explaining *x, unsigned cause)
{
	for (size_t i = 0; i < x->result->pcs.count; i++)
		if (x->result->pcs.data[i].code != CODE_NONE && x->result->pcs.data[i].causes[cause])
			return true;
	return false;
}

/* Of an opened cause that has no instructions to list; of two runs the pane shows what changed. */
static void say_opened(struct app *a, const struct explaining *x)
{
	unsigned c = 0;

	if (!x->opened || !x->result || alignment_shown(a))
		return;
	while (c < cause_count(x) && strcmp(cause_name(x, c), x->opened) != 0)
		c++;
	if (c == cause_count(x))
		app_message(a, true, "no such cause: %s", x->opened);
	else if (!is_owned(x, c))
		app_message(a, false, "nobody owns it: the critical path spends no cycle on %s",
			    x->opened);
}

static void show_times(struct explaining *x)
{
	const struct why *w = x->result;

	for (unsigned c = 0; c < WHY_CAUSES_ALL; c++)
		x->times[c] = (struct curve_given){
		    .first = why_tick(w, w->span.from),
		    .width = w->window * w->clock.ticks,
		    .count = w->window_count,
		    .values = w->times + c * w->window_count,
		    .version = x->times[c].version + 1};
	for (unsigned c = 0; c < cause_count(x); c++)
		x->looks[c] = why_look(cause_name(x, c), c);
	x->stack = x->times[0];
	x->stack.parts = cause_count(x);
	x->stack.looks = x->looks;
}

static void show_path(struct app *a, struct explaining *x)
{
	struct sbuf text = {0};

	x->rows->view.path = x->path = x->walked;
	x->rows->walks_path = true;
	x->walked = NULL;
	sbuf_puts(&text, "critical path: ");
	axis_tell_length(&x->rows->view.axis, vec_last(&x->path->steps).to - x->path->from, &text);
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

static void path_ended(struct app *a, struct explaining *x)
{
	if (x->background.status == STATUS_OK && x->marking)
		show_path(a, x);
	else if (x->background.status != STATUS_OK && x->background.status != STATUS_INTERRUPTED)
		app_message(a, true, "%s", x->background.error.text);
	x->marking = x->path || (x->marking && x->background.status == STATUS_INTERRUPTED);
	free_path(x->walked);
	x->walked = NULL;
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
	} else if (x->background.status == STATUS_OK && x->out) {
		old = x->result;
		x->result = x->out;
		x->made = x->wish;
		show_times(x);
		say_opened(a, x);
	}
	x->out = NULL;
	free(x->trying);
	x->trying = NULL;
	if (x->walked)
		path_ended(a, x);
	panes_renew_kind(a, "why");
	panes_renew_kind(a, "inspector");
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
	x->background.stop |=
	    !panes_is_open(a, "why") && !x->timed && !awaits_path(x);
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
	x->given_up = awaits_path(x);
	x->marking = x->path;
	app_message(a, true, "stopped");
}

/* The pane tells it where it is open. */
static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct explaining *x = (const struct explaining *)job;

	(void)a;
	if (awaits_path(x))
		sbuf_printf(out, "  critical path, %d%% (^C stops)", (int)x->percent);
}

static const struct job_kind explain_kind = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct explaining *x, const struct explain_wish *wish,
		  bool anew)
{
	x->store = x->rows->store;
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
	if (!x->trying && awaits_path(x))
		x->walked = xcalloc(1, sizeof(*x->walked));
	background_start(&x->background, explain);
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

/* The whole run where two are compared, else what is selected. */
static struct explain_wish wish_of(const struct app *a, struct tab *t)
{
	struct explain_wish wish = {.complete = t->told};

	if (!alignment_shown(a))
		wish.range = rows_of(t)->view.selection;
	return wish;
}

/* The result that is wanted, NULL: not yet; begins what has to be made. */
static const struct why *want(struct app *a, struct tab *t)
{
	struct explaining *x = explaining_of(t);
	const struct explain_wish wish = wish_of(a, t);
	const bool there = x->result && same_wish(&x->made, &wish);
	const bool over = same_wish(&x->wish, &wish) &&
			  (x->interrupted || (x->background.status &&
					      x->background.status != STATUS_INTERRUPTED));

	if (x->background.running)
		x->background.stop |= !same_wish(&x->wish, &wish);
	else if (there ? x->asked || awaits_path(x) : !over)
		begin(a, x, &wish, !there);
	return there ? x->result : NULL;
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	x->background.stop = true;
	background_wait(&x->background);
	free_result(x->out);
	free_result(x->result);
	free_path(x->walked);
	free_path(x->path);
	free(x->trying);
	free(x->asked);
	free(x->opened);
	free(x);
}

const struct why *explaining_result(struct tab *t)
{
	const struct explaining *x = rows_of(t)->explaining;

	return x ? x->result : NULL;
}

/* ---- curves -------------------------------------------------------------------------------- */

const struct curve_given *explaining_given(struct tab *t, const char *metric)
{
	const size_t len = strlen(WHY_METRIC);
	struct explaining *x = explaining_of(t);
	const struct curve_given *found = NULL;

	if (strcmp(metric, WHY_METRIC) == 0)
		found = &x->stack;
	for (unsigned c = 0; strncmp(metric, WHY_METRIC ":", len + 1) == 0 && c < cause_count(x); c++)
		if (strcmp(cause_name(x, c), metric + len + 1) == 0)
			found = &x->times[c];
	x->timed |= found != NULL;
	return found;
}

static void want_shown(struct app *a, struct tab *t)
{
	struct explaining *x = rows_of(t)->explaining;

	if (!x || (!awaits_path(x) && (!x->timed || (x->result && x->made.complete == t->told))))
		return;
	want(a, t);
	if (a->options.headless && x->background.running)
		ended(a, x);
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
				      .opened = explaining_of(side[ALIGN_A])->opened};
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

/* What was stopped, or failed. */
static void may_begin_again(struct explaining *x)
{
	x->interrupted = false;
	if (!x->background.running)
		x->background.status = STATUS_OK;
}

static enum status show(struct call *c, struct error *e)
{
	const struct joined *j = joined_shown(c->app);

	may_begin_again(explaining_of(c->app->tab));
	if (j)
		may_begin_again(explaining_of(j->side[!joined_side(j, c->app->tab)]));
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

/* Of two the first one keeps what is opened. */
static enum status why(struct call *c, struct error *e)
{
	const struct alignment *both = alignment_shown(c->app);
	struct explaining *x = explaining_of(both ? both->joined.side[ALIGN_A] : c->app->tab);

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
	x->marking = false;
	x->rows->view.path = NULL;
	x->rows->walks_path = false;
	free_path(x->path);
	x->path = NULL;
}

/* Again: it goes, or is given up. */
static enum status critical(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	(void)e;
	c->react |= REACT_REDRAW;
	if (x->marking) {
		explaining_hide_path(x);
		return STATUS_OK;
	}
	may_begin_again(x);
	x->marking = true;
	x->given_up = false;
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
	size_t i = why_path_at(p, tick);

	if (dir > 0) {
		i += i < p->steps.count && why_path_from(p, i) <= tick;
		while (i < p->steps.count && !takes_time(p, i))
			i++;
		*step = i;
		return i < p->steps.count;
	}
	i += i < p->steps.count && why_path_from(p, i) < tick;
	while (i > 0 && !takes_time(p, i - 1))
		i--;
	*step = i - 1;
	return i > 0;
}

static void say_step(struct app *a, const struct explaining *x, size_t i)
{
	struct sbuf text = {0}, length = {0};

	char row[32];

	axis_tell_length(&x->rows->view.axis, x->path->steps.data[i].to - why_path_from(x->path, i),
			 &length);
	sbuf_printf(&text, "row %s: ", num_group((int64_t)why_path_row(x->path, i), row));
	why_path_tell(x->path, i, sbuf_text(&length), &text);
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&length);
	sbuf_free(&text);
}

bool explaining_gave_up(const struct explaining *x)
{
	return x && x->given_up;
}

enum status explaining_step(struct call *c, int dir, int64_t n, struct error *e)
{
	struct tab *t = c->app->tab;
	struct explaining *x = explaining_of(t);
	int64_t tick = tab_place(t).tick;
	size_t step = 0, found;
	bool any = false;

	for (; n > 0 && next_step(x->path, tick, dir, &found); n--, any = true) {
		step = found;
		tick = why_path_from(x->path, step);
	}
	if (!any)
		return error_set(e, STATUS_NOT_FOUND, "no %s step of the critical path",
				 dir > 0 ? "later" : "earlier");
	places_jumped(&t->places, tab_place(t));
	pipeview_goto(&x->rows->view, why_path_row(x->path, step), tick);
	rows_track_selection(t);
	say_step(c->app, x, step);
	c->react |= REACT_REDRAW;
	return STATUS_OK;
}

const struct command why_commands[] = {
    {"why", "[CAUSE]", "show which causes took the cycles, and what each would save; a cause: who "
		       "owns it", .run = why, .flags = CMD_TRACE},
    {"critical", "", "show the critical path; next and prev walk its steps; repeat to hide it",
     .run = critical, .flags = CMD_TRACE},
    {"whatif", "WHATIF", "predict the cycles without causes, or with other sizes", .run = whatif,
     .flags = CMD_TRACE},
    {.name = NULL},
};
