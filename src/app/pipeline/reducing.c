#include "config.h"

#include "app/pipeline/reducing.h"

#include <stdlib.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/pipeline/reduce_pane.h"

enum {
	ARCS_ROWS = 1 << 14, /* rows between the first and the last line, at most */
	ARCS_MARGIN = 1024   /* and so many more on either side */
};

/* ---- the reduction ------------------------------------------------------------------------- */

static enum status reduce_rows(struct background *b)
{
	struct reducing *r = (struct reducing *)b;

	return reduced_new(&r->out, r->of.store, &r->of.rows, &r->look, &r->row, &b->stop,
			   &b->error);
}

static void prepare(struct app *a, struct analysing *x)
{
	struct reducing *r = (struct reducing *)x;

	r->look = rows_app(a)->reduce;
	atomic_store(&r->row, x->rows.row0);
}

static void take(struct analysing *x)
{
	struct reducing *r = (struct reducing *)x;

	r->old = r->result;
	r->result = r->out;
	r->out = NULL;
}

static void forget(struct analysing *x)
{
	struct reducing *r = (struct reducing *)x;

	reduced_free(r->old);
	r->old = NULL;
}

static int percent(const struct analysing *x)
{
	uint64_t all = x->rows.row1 - x->rows.row0;
	uint64_t row = atomic_load_explicit(&((const struct reducing *)x)->row, memory_order_relaxed);

	if (!all || row < x->rows.row0 || row == ROW_NONE)
		return 0;
	return (int)((double)(row - x->rows.row0) * 100 / (double)all);
}

static const struct analysis_kind reduce_kind = {.pane = "reduce",
						 .doing = "reducing",
						 .work = reduce_rows,
						 .prepare = prepare,
						 .take = take,
						 .forget = forget,
						 .percent = percent};

static struct reducing *reducing_of(struct tab *t)
{
	struct rows *r = rows_of(t);

	if (!r->reducing) {
		r->reducing = xcalloc(1, sizeof(*r->reducing));
		r->reducing->of.kind = &reduce_kind;
	}
	return r->reducing;
}

/* The result for the current tab, NULL: not yet; begins what has to be made. state: what goes on. */
static const struct reduced *want(struct app *a, const struct selection *range, struct sbuf *state)
{
	struct reducing *r = reducing_of(a->tab);
	const struct reduce_look *look = &rows_app(a)->reduce;

	analysing_want(a, a->tab, &r->of,
		       &(struct analysis_wish){.range = *range,
					       .links = look->links,
					       .complete = a->tab->told,
					       .look = {look->at.execute, look->at.setup}});
	analysing_say(&r->of, state);
	if (!analysing_has(&r->of))
		return NULL;
	if (reduced_design(r->result, look, NULL))
		sbuf_puts(state, "out of memory");
	return r->result;
}

void reducing_again(struct app *a)
{
	analysing_again(&reducing_of(a->tab)->of);
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
	analysing_stop(&r->of);
	stop_arcs(&r->arcs);
	reduce_arcs_free(r->arcs.shown);
	reduced_free(r->out);
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
static unsigned arcs_ended(struct app *a, struct job *job)
{
	take_arcs((struct arcs_job *)job);
	reducing_arcs(a); /* the view may show those that went */
	return REACT_REDRAW;
}

static const struct job_kind arcs_kind = {
    .step = background_step, .ended = arcs_ended, .flags = JOB_BESIDE};

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
