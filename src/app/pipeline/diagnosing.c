#include "config.h"

#include "app/pipeline/diagnosing.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/align_range.h"
#include "analysis/pipeline/cpi0_files.h"
#include "app/pipeline/alignment.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/pipeline/cpi0_pane.h"
#include "view/pipeline/pane_range.h"

enum { GROWN_SHARE = 10 }; /* a trace is counted again when it has grown by this part of itself */

/* ---- the machine --------------------------------------------------------------------------- */

void diagnosing_machine_init(struct diagnosing_machine *m)
{
	*m = (struct diagnosing_machine){.number = 1};
	cpi0_machine_open(&m->machine, CPI0_MACHINE_DEFAULT, NULL);
}

/* NULL: nobody asked for it, or there are no instructions. */
static struct diagnosing *of_tab(const struct tab *t)
{
	const struct rows *r = rows_of(t);

	return r ? r->diagnosing : NULL;
}

void diagnosing_choose(struct app *a, const struct machine *m)
{
	rows_app(a)->machine.machine = *m;
	rows_app(a)->machine.chosen = true;
	rows_app(a)->machine.number++;
	for (int i = 0; i < a->tab_count; i++)
		if (of_tab(a->tabs[i]))
			of_tab(a->tabs[i])->anew = true;
	panes_renew_kind(a, "cpi0");
}

/* ---- on a thread of its own ---------------------------------------------------------------- */

static enum status diagnose(struct background *b)
{
	struct diagnose_job *job = (struct diagnose_job *)b;
	struct error *e = &b->error;
	enum status status = codemap_renew(&job->map, job->store, e);
	struct cpi0 c;

	if (!status && !job->has_mix)
		status =
		    cpi0_trace_mix(&job->trace, job->store, &job->map, &job->rows, &b->stop, e);
	if (!status)
		status = cpi0_model(&c, &job->machine, &job->trace.mix, e);
	if (status)
		return status;
	job->isa = job->map.isa;
	atomic_store(&job->counted, true);
	return cpi0_trace_simulate(&job->simulated, job->store, &job->map, &job->rows,
				   &job->machine, &c, &b->stop, e);
}

/* ---- what is asked for --------------------------------------------------------------------- */

static bool same_rows(const struct diagnose_wish *a, const struct diagnose_wish *b)
{
	return a->complete == b->complete && a->rows == b->rows &&
	       selection_same(&a->range, &b->range);
}

static bool same_wish(const struct diagnose_wish *a, const struct diagnose_wish *b)
{
	return a->machine == b->machine && same_rows(a, b);
}

/* Its ticks are some of the trace's. */
static struct range part_of(const struct store *s, const struct selection *range)
{
	struct range rows = pane_range_part(s, range);
	struct progress p;

	store_progress(s, &p);
	rows.limit = 0;
	if (!range->on)
		rows.row1 = ROW_NONE; /* and what comes before the job begins */
	if (rows.tick0 < p.first)
		rows.tick0 = p.first;
	if (p.last < TICK_NONE && rows.tick1 > p.last + 1)
		rows.tick1 = p.last + 1;
	if (rows.tick1 < rows.tick0)
		rows.tick1 = rows.tick0;
	return rows;
}

/* From the mix that there is: at once. */
static void model(const struct app *a, struct diagnosing *d)
{
	d->known = !cpi0_diagnose(&d->d, &rows_app(a)->machine.machine, &d->trace.mix,
				  cpi0_drift(&d->trace, &rows_app(a)->machine.machine), &d->error);
	d->simulated = false;
	d->made = d->mixed;
	d->made.machine = rows_app(a)->machine.number;
}

/* What the job has counted, before it has simulated. */
static bool take_mix(const struct app *a, struct diagnosing *d)
{
	if (d->has_trace && same_rows(&d->mixed, &d->job.wish))
		return false;
	d->trace = d->job.trace;
	d->isa = d->job.isa;
	d->mixed = d->job.wish;
	d->has_trace = true;
	if (same_rows(&d->mixed, &d->asked))
		model(a, d);
	return true;
}

static void ended(struct app *a, struct diagnosing *d)
{
	struct diagnose_job *job = &d->job;
	enum status status;

	background_wait(&job->background);
	status = job->background.status;
	if (atomic_load(&job->counted))
		take_mix(a, d);
	if (status == STATUS_INTERRUPTED) {
		d->stopped = d->interrupted;
		if (d->interrupted)
			app_message(a, true, "stopped");
	} else if (status && same_wish(&job->wish, &d->asked)) {
		d->error = job->background.error;
		d->known = false;
	} else if (!status && d->known && same_wish(&job->wish, &d->made)) {
		cpi0_diagnosis_simulated(&d->d, job->simulated, CPI0_ORDER_RUN);
		d->simulated = true;
	}
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct diagnosing *d = (struct diagnosing *)job;

	(void)deadline;
	if (background_ended(&d->job.background))
		ended(a, d);
	else if (!atomic_load(&d->job.counted) || !take_mix(a, d))
		return REACT_NONE;
	panes_renew_kind(a, "cpi0");
	return REACT_REDRAW;
}

static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a;
	(void)job;
	sbuf_puts(out, "  diagnosing (^C stops)");
}

static void interrupt(struct app *a, struct job *job)
{
	struct diagnosing *d = (struct diagnosing *)job;

	(void)a;
	d->job.background.stop = d->interrupted = true;
}

static const struct job_kind diagnose_kind = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, const struct tab *t, struct diagnosing *d)
{
	struct diagnose_job *job = &d->job;

	job->store = rows_of(t)->store;
	job->wish = d->asked;
	job->machine = rows_app(a)->machine.machine;
	job->rows = part_of(rows_of(t)->store, &d->asked.range);
	job->has_mix = d->has_trace && same_rows(&d->mixed, &d->asked);
	if (job->has_mix)
		job->trace = d->trace;
	job->simulated = -1;
	d->interrupted = false;
	atomic_store(&job->counted, false);
	background_start(&job->background, diagnose);
	job_begin(&a->jobs, &job->background.job, &diagnose_kind);
}

/*
 * Nobody waits for a job that is of no use any more: when it has ended, the pane is made again,
 * which comes here.
 */
static void pursue(struct app *a, const struct tab *t, struct diagnosing *d)
{
	bool there = d->known && d->simulated && same_wish(&d->made, &d->asked);

	if (d->stopped || there)
		return;
	if (!d->job.background.running)
		begin(a, t, d);
	else if (!same_wish(&d->job.wish, &d->asked))
		d->job.background.stop = true;
}

static struct diagnosing *diagnosing_of(struct tab *t)
{
	if (!rows_of(t)->diagnosing)
		rows_of(t)->diagnosing = xcalloc(1, sizeof(*rows_of(t)->diagnosing));
	return rows_of(t)->diagnosing;
}

/*
 * A trace that is still being read has outgrown what was asked for. One job at a time: what has
 * begun is worth its while, and what the user has stopped stays so.
 */
static bool outgrown(const struct diagnosing *d, const struct tab *t)
{
	uint64_t asked = d->asked.rows, now = store_row_count(rows_of(t)->store);

	return !d->stopped && !d->job.background.running &&
	       (now < asked || now - asked > asked / GROWN_SHARE);
}

/* Of so many rows: those of before, until it is worth to count again. */
static uint64_t rows_wanted(const struct diagnosing *d, const struct tab *t)
{
	bool again = !d->has_asked || d->anew || t->told || outgrown(d, t);

	return again ? store_row_count(rows_of(t)->store) : d->asked.rows;
}

/* What is selected in a trace; or the same of what is in one that it is compared with. */
static struct selection range_of(const struct app *a, const struct tab *t)
{
	const struct alignment *x = alignment_shown(a);
	const struct selection *s = &rows_of(t)->view.selection;
	struct range r;
	int other;

	if (s->on || !x || t->joined != &x->joined)
		return *s;
	other = !joined_side(&x->joined, t);
	s = &rows_of(x->joined.side[other])->view.selection;
	if (!s->on)
		return (struct selection){.on = false};
	r = (struct range){
	    .row0 = s->item0, .row1 = s->item1, .tick0 = s->tick0, .tick1 = s->tick1};
	r = align_range(&x->al, other, &r);
	return (struct selection){true, r.row0, r.row1, r.tick0, r.tick1};
}

/* The diagnosis of a tab as far as it is there; begins what has to be made. */
static struct diagnosing *want(struct app *a, struct tab *t)
{
	struct diagnosing *d = diagnosing_of(t);
	struct diagnose_wish wish = {.range = range_of(a, t),
				     .machine = rows_app(a)->machine.number,
				     .complete = t->told,
				     .rows = rows_wanted(d, t)};

	d->anew = false;
	if (!d->has_asked || !same_wish(&wish, &d->asked)) {
		d->stopped = false;
		d->asked = wish;
		d->has_asked = true;
		d->error.text[0] = '\0';
	}
	if (d->has_trace && same_rows(&d->mixed, &wish) && !same_wish(&d->made, &wish))
		model(a, d);
	if (!*d->error.text)
		pursue(a, t, d);
	return d;
}

void diagnosing_again(struct app *a)
{
	for (int i = 0; i < a->tab_count; i++)
		if (of_tab(a->tabs[i])) {
			of_tab(a->tabs[i])->stopped = false;
			of_tab(a->tabs[i])->anew = true;
			of_tab(a->tabs[i])->error.text[0] = '\0';
		}
}

void diagnosing_free(struct diagnosing *d)
{
	if (!d)
		return;
	d->job.background.stop = true;
	background_wait(&d->job.background);
	codemap_free(&d->job.map);
	free(d);
}

/* ---- as part of the program ---------------------------------------------------------------- */

/* The tabs that are shown, in their order: how many. */
static int tabs_of(const struct app *a, struct tab *out[CPI0_SIDES])
{
	const struct joined *j = joined_shown(a);

	out[0] = a->tab;
	if (!j && (a->tab_count != CPI0_SIDES || !rows_of(a->tabs[0]) || !rows_of(a->tabs[1])))
		return 1;
	out[0] = j ? j->side[JOINED_A] : a->tabs[0];
	out[1] = j ? j->side[JOINED_B] : a->tabs[1];
	return CPI0_SIDES;
}

/* A pane that is shown is of a trace that has outgrown it. */
bool diagnosing_is_behind(const struct app *a)
{
	struct tab *tabs[CPI0_SIDES];
	int count = a->tab ? tabs_of(a, tabs) : 0;

	for (int i = 0; i < count; i++) {
		const struct diagnosing *d = rows_of(tabs[i])->diagnosing;

		if (d && d->has_asked && !tabs[i]->told && outgrown(d, tabs[i]))
			return true;
	}
	return false;
}

/* ---- the pane ------------------------------------------------------------------------------ */

/* Of two the page has it, beside what the other one is. */
static void say_failed(const struct diagnosing *d, int side, struct sbuf *out)
{
	if (*d->error.text)
		sbuf_printf(out, "%s%c: %s", out->len ? "; " : "", 'A' + side, d->error.text);
}

static void say_state(const struct diagnosing *d, bool alone, struct sbuf *out)
{
	if (out->len)
		return;
	if (d->stopped)
		sbuf_puts(out, "stopped: :cpi0 starts again");
	else if (*d->error.text)
		sbuf_puts(out, alone ? d->error.text : "");
	else if (d->job.background.running)
		sbuf_puts(out, d->known && same_wish(&d->made, &d->asked)
				   ? "simulating ...  (^C stops)"
				   : "diagnosing ...  (^C stops)");
}

static void show_side(struct cpi0_side *side, const struct tab *t, const struct diagnosing *d)
{
	*side = (struct cpi0_side){.name = sbuf_text(&t->name),
				   .known = d->known,
				   .old = d->known && !same_wish(&d->made, &d->asked),
				   .ranged = d->made.range.on,
				   .matched = d->made.range.on && !rows_of(t)->view.selection.on,
				   .so_far = !t->told,
				   .pending = d->job.background.running};
	if (d->known) {
		side->d = d->d;
		side->isa = d->isa;
	}
}

struct pane *diagnosing_pane(struct app *a)
{
	struct cpi0_subject subject = {
	    .store = rows_of(a->tab)->store,
	    .range = rows_of(a->tab)->view.selection,
	    .machine = rows_app(a)->machine.machine,
	    .chosen = rows_app(a)->machine.chosen,
	};
	struct tab *tabs[CPI0_SIDES];
	struct sbuf state = {0}, failed = {0}, hint = {0};
	struct pane *p;

	subject.count = tabs_of(a, tabs);
	for (int i = 0; i < subject.count; i++) {
		const struct diagnosing *d = want(a, tabs[i]);

		show_side(&subject.sides[i], tabs[i], d);
		say_state(d, subject.count == 1, &state);
		if (subject.count > 1)
			say_failed(d, i, &failed);
	}
	if (!subject.chosen)
		app_hint(a, KEYS_CPI0, "machine next", NULL, "to choose your machine", &hint);
	subject.state = sbuf_text(&state);
	subject.failed = sbuf_text(&failed);
	subject.hint = sbuf_text(&hint);
	p = cpi0_pane(&subject);
	sbuf_free(&state);
	sbuf_free(&failed);
	sbuf_free(&hint);
	return p;
}
