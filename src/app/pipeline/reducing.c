#include "config.h"

#include "app/pipeline/reducing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/pipeline/reduce_pane.h"

enum {
	ARCS_ROWS = 1 << 14, /* rows between the first and the last line, at most */
	ARCS_MARGIN = 1024   /* and so many more on either side */
};

void reduce_look_init(struct reduce_look *look)
{
	*look = (struct reduce_look){.at = {5, 5}, .es = {1, 1}, .gamma = {100, 1}};
}

/* ---- the reduction ------------------------------------------------------------------------- */

static enum status reduce_rows(struct background *b)
{
	struct reduce_job *job = (struct reduce_job *)b;

	return reduced_new(&job->out, job->store, &job->rows, &job->wish.look, &job->row,
			   &b->stop, &b->error);
}

/* The same arcs: what differs at most is the pipeline that they are charged for. */
static bool same_trace(const struct reduce_wish *a, const struct reduce_wish *b)
{
	return a->look.links == b->look.links && a->complete == b->complete &&
	       selection_same(&a->range, &b->range);
}

static bool same_wish(const struct reduce_wish *a, const struct reduce_wish *b)
{
	return same_trace(a, b) && pipeline_same(&a->look.at, &b->look.at);
}

static struct range range_of(const struct store *s, const struct selection *range)
{
	struct range rows = pane_range_part(s, range);

	rows.limit = 0;
	return rows;
}

static int percent(const struct reduce_job *job)
{
	uint64_t all = job->rows.row1 - job->rows.row0;
	uint64_t row = atomic_load_explicit(&job->row, memory_order_relaxed);

	if (!all || row < job->rows.row0 || row == ROW_NONE)
		return 0;
	return (int)((double)(row - job->rows.row0) * 100 / (double)all);
}

/* The pane that shows the old result is made again before that goes. */
static void ended(struct app *a, struct reducing *r)
{
	struct reduced *old = r->result;

	background_wait(&r->job.background);
	if (r->job.background.status == STATUS_INTERRUPTED) {
		r->stopped = r->interrupted;
		if (r->interrupted)
			app_message(a, true, "stopped");
	} else if (r->job.background.status) {
		r->error = r->job.background.error;
		r->result = NULL;
	} else {
		r->result = r->job.out;
		r->made = r->job.wish;
	}
	r->job.out = NULL;
	reducing_changed(a);
	if (old != r->result)
		reduced_free(old);
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct reducing *r = (struct reducing *)job;
	int now;

	(void)deadline;
	if (background_ended(&r->job.background)) {
		ended(a, r);
		return REACT_REDRAW;
	}
	now = percent(&r->job);
	if (now == r->job.percent)
		return REACT_NONE;
	r->job.percent = now;
	reducing_changed(a);
	return REACT_REDRAW;
}

static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a;
	sbuf_printf(out, "  reducing %d %% (^C stops)", percent((const struct reduce_job *)job));
}

static void interrupt(struct app *a, struct job *job)
{
	struct reducing *r = (struct reducing *)job;

	(void)a;
	r->job.background.stop = r->interrupted = true;
}

static const struct job_kind reduce_kind = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct reducing *r)
{
	struct reduce_job *job = &r->job;

	job->store = rows_of(a->tab)->store;
	job->wish = r->asked;
	job->rows = range_of(job->store, &r->asked.range);
	job->out = NULL;
	r->interrupted = false;
	atomic_store(&job->row, job->rows.row0);
	background_start(&job->background, reduce_rows);
	job_begin(&a->jobs, &job->background.job, &reduce_kind);
}

static void stop(struct reduce_job *job)
{
	job->background.stop = true;
	background_wait(&job->background);
	reduced_free(job->out);
	job->out = NULL;
}

/*
 * The first result of a trace is waited for, also when the pipeline has changed by then: only its
 * charges will be made again. Nobody waits for a job that is of no use any more: when it has ended,
 * what is shown is made again, which comes here.
 */
static void pursue(struct app *a, struct reducing *r)
{
	struct reduce_job *job = &r->job;
	bool first = !r->result || !same_trace(&r->made, &r->asked);

	if (r->stopped || (r->result && same_wish(&r->made, &r->asked)))
		return;
	if (!job->background.running)
		begin(a, r);
	else if (first ? !same_trace(&job->wish, &r->asked) : !same_wish(&job->wish, &r->asked))
		job->background.stop = true;
}

static struct reducing *reducing_of(struct tab *t)
{
	if (!rows_of(t)->reducing)
		rows_of(t)->reducing = xcalloc(1, sizeof(*rows_of(t)->reducing));
	return rows_of(t)->reducing;
}

static void say_state(const struct reducing *r, struct sbuf *out)
{
	if (r->job.background.running)
		sbuf_printf(out, "reducing: %d %%  (^C stops)", percent(&r->job));
	else if (r->stopped)
		sbuf_puts(out, "stopped: :reduce starts again");
	else if (!r->result && *r->error.text)
		sbuf_puts(out, r->error.text);
}

/* The result for the current tab, NULL: not yet; begins what has to be made. state: what goes on. */
static const struct reduced *want(struct app *a, const struct selection *range, struct sbuf *state)
{
	struct reducing *r = reducing_of(a->tab);
	struct reduce_wish wish = {*range, rows_app(a)->reduce, a->tab->told};
	bool again = !r->has_asked || !same_wish(&wish, &r->asked);

	if (again)
		r->stopped = false;
	if (again || !*r->error.text) {
		r->asked = wish;
		r->has_asked = true;
		r->error.text[0] = '\0';
		pursue(a, r);
	}
	if (r->result && !same_trace(&r->made, &r->asked)) {
		say_state(r, state);
		return NULL;
	}
	if (r->result && reduced_design(r->result, &rows_app(a)->reduce, NULL))
		sbuf_puts(state, "out of memory");
	say_state(r, state);
	return r->result;
}

void reducing_again(struct app *a)
{
	struct reducing *r = rows_of(a->tab)->reducing;

	if (!r)
		return;
	r->stopped = false;
	r->error.text[0] = '\0';
}

static void stop_arcs(struct arcs_job *job)
{
	job->background.stop = true;
	background_wait(&job->background);
	reduce_arcs_free(job->out);
	job->out = NULL;
}

void reducing_free(struct reducing *r)
{
	if (!r)
		return;
	stop(&r->job);
	stop_arcs(&r->arcs);
	reduce_arcs_free(r->arcs.shown);
	reduced_free(r->result);
	free(r);
}

void reducing_changed(struct app *a)
{
	panes_renew_kind(a, "reduce");
}

/* ---- arcs on the rows ---------------------------------------------------------------------- */

static enum status make_arcs(struct background *b)
{
	struct arcs_job *job = (struct arcs_job *)b;

	return reduce_arcs_new(&job->out, job->store, job->first, job->last, &job->look, &b->stop,
			       &b->error);
}

static void take_arcs(struct arcs_job *job)
{
	background_wait(&job->background);
	if (!job->background.status) {
		reduce_arcs_free(job->shown);
		job->shown = job->out;
	}
	job->out = NULL;
}

/* Takes over what was made; whether it is of use is asked before each frame again. */
static unsigned step_arcs(struct app *a, struct job *job, int64_t deadline)
{
	struct arcs_job *arcs = (struct arcs_job *)job;

	(void)deadline;
	if (!background_ended(&arcs->background))
		return REACT_NONE;
	take_arcs(arcs);
	reducing_arcs(a); /* the view may show those that went */
	return REACT_REDRAW;
}

static const struct job_kind arcs_kind = {.step = step_arcs, .flags = JOB_BESIDE};

/* The rows on the screen, as far as arcs are drawn between them; false: more than that. */
static bool visible_rows(const struct pipeview *v, uint64_t *first, uint64_t *last)
{
	uint64_t count = pipeview_count(v), below = v->top + (uint64_t)v->lines;

	if (!count || v->row_zoom)
		return false;
	*first = pipeview_row(v, v->top);
	*last = pipeview_row(v, below < count ? below : count - 1) + 1;
	return *last > *first && *last - *first <= ARCS_ROWS;
}

static void begin_arcs(struct app *a, struct arcs_job *job, uint64_t first, uint64_t last)
{
	job->store = rows_of(a->tab)->store;
	job->look = rows_app(a)->reduce;
	job->first = first > ARCS_MARGIN ? first - ARCS_MARGIN : 0;
	job->last = last + ARCS_MARGIN;
	job->rows = store_row_count(job->store);
	background_start(&job->background, make_arcs);
	if (a->options.headless)
		take_arcs(job);
	else
		job_begin(&a->jobs, &job->background.job, &arcs_kind);
}

/* Rows that came since may be those that the window's last ones were waiting for. */
static bool serves(const struct app *a, const struct arcs_job *job, uint64_t first, uint64_t last)
{
	bool whole = job->rows >= job->last || job->rows == store_row_count(rows_of(a->tab)->store);

	return job->background.work && !job->background.status && first >= job->first &&
	       last <= job->last && whole && job->look.links == rows_app(a)->reduce.links &&
	       pipeline_same(&job->look.at, &rows_app(a)->reduce.at);
}

void reducing_arcs(struct app *a)
{
	struct pipeview *v = &rows_of(a->tab)->view;
	uint64_t first, last;
	struct reducing *r;

	for (int i = 0; i < a->tab_count; i++)
		if (rows_of(a->tabs[i]))
			rows_of(a->tabs[i])->view.arcs = NULL;
	v->arcs_shown = rows_app(a)->arcs_shown;
	v->arcs_most = rows_app(a)->reduce.at.execute - 1;
	if (!rows_app(a)->arcs_shown || joined_shown(a) || !visible_rows(v, &first, &last))
		return;
	r = reducing_of(a->tab);
	if (!r->arcs.background.running && !serves(a, &r->arcs, first, last))
		begin_arcs(a, &r->arcs, first, last);
	v->arcs = r->arcs.shown;
}

/* ---- the pane ------------------------------------------------------------------------------ */

struct pane *reducing_pane(struct app *a)
{
	struct reduce_subject subject = {
	    .store = rows_of(a->tab)->store,
	    .range = rows_of(a->tab)->view.selection,
	    .look = rows_app(a)->reduce,
	    .so_far = !a->tab->told,
	};
	struct sbuf state = {0}, hint = {0};
	struct pane *p;

	subject.reduced = want(a, &subject.range, &state);
	app_hint(a, KEYS_REDUCE, "reduce execute -1", "reduce execute +1", "N_E", &hint);
	app_hint(a, KEYS_REDUCE, "reduce setup -1", "reduce setup +1", "N_S", &hint);
	app_hint(a, KEYS_REDUCE, "reduce gamma /2", "reduce gamma *2", "gamma", &hint);
	subject.state = sbuf_text(&state);
	subject.hint = sbuf_text(&hint);
	p = reduce_pane(&subject);
	sbuf_free(&state);
	sbuf_free(&hint);
	return p;
}
