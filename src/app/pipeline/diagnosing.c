#include "config.h"

#include "app/pipeline/diagnosing.h"

#include <stdlib.h>

#include "analysis/pipeline/align_range.h"
#include "app/pipeline/alignment.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/pipeline/cpi0_pane.h"

/* ---- the machine --------------------------------------------------------------------------- */

void diagnosing_choose(struct app *a, const struct machine *m)
{
	rows_app(a)->machine.machine = *m;
	rows_app(a)->machine.chosen = true;
	rows_app(a)->machine.number++;
	panes_renew_kind(a, "cpi0");
}

/* ---- on a thread of its own ---------------------------------------------------------------- */

static enum status diagnose(struct background *b)
{
	struct diagnosing *d = (struct diagnosing *)b;
	struct error *e = &b->error;
	enum status status = codemap_renew(&d->map, d->of.store, e);
	struct cpi0 c;

	if (!status && !d->has_mix)
		status = cpi0_trace_mix(&d->counted, d->of.store, &d->map, &d->of.rows, &b->stop, e);
	if (!status)
		status = cpi0_model(&c, &d->machine, &d->counted.mix, e);
	if (status)
		return status;
	return cpi0_trace_simulate(&d->cycles, d->of.store, &d->map, &d->of.rows, &d->machine, &c,
				   &b->stop, e);
}

static void prepare(struct app *a, struct analysing *x)
{
	struct diagnosing *d = (struct diagnosing *)x;

	d->machine = rows_app(a)->machine.machine;
	d->has_mix = analysing_has(x);
	if (d->has_mix)
		d->counted = d->trace;
}

static void take(struct analysing *x)
{
	struct diagnosing *d = (struct diagnosing *)x;

	d->trace = d->counted;
	d->isa = d->map.isa;
	d->simulated = d->cycles;
}

static const struct analysis_kind diagnose_kind = {.pane = "cpi0",
						   .doing = "diagnosing",
						   .work = diagnose,
						   .prepare = prepare,
						   .take = take};

static struct diagnosing *diagnosing_of(struct tab *t)
{
	struct rows *r = rows_of(t);

	if (!r->diagnosing) {
		r->diagnosing = xcalloc(1, sizeof(*r->diagnosing));
		r->diagnosing->of.kind = &diagnose_kind;
	}
	return r->diagnosing;
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

	analysing_want(a, t, &d->of,
		       &(struct analysis_wish){.range = range_of(a, t),
					       .complete = t->told,
					       .look = {rows_app(a)->machine.number}});
	return d;
}

void diagnosing_again(struct app *a)
{
	for (int i = 0; i < a->tab_count; i++)
		if (rows_of(a->tabs[i]) && rows_of(a->tabs[i])->diagnosing)
			analysing_again(&rows_of(a->tabs[i])->diagnosing->of);
}

void diagnosing_free(struct diagnosing *d)
{
	if (!d)
		return;
	analysing_stop(&d->of);
	codemap_free(&d->map);
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

/* ---- the pane ------------------------------------------------------------------------------ */

/* From the mix that there is: at once; the simulation is of another machine until it is made again. */
static void show_side(struct app *a, struct cpi0_side *side, const struct tab *t,
		      const struct diagnosing *d, struct error *e)
{
	const struct machine *m = &rows_app(a)->machine.machine;

	*e = d->of.error;
	*side = (struct cpi0_side){.name = sbuf_text(&t->name),
				   .old = !analysing_has(&d->of),
				   .ranged = d->of.made.range.on,
				   .matched = d->of.made.range.on && !rows_of(t)->view.selection.on,
				   .so_far = !t->told,
				   .pending = d->of.background.running,
				   .isa = d->isa};
	side->known = d->of.is_made && !cpi0_diagnose(&side->d, m, &d->trace.mix,
						      cpi0_drift(&d->trace, m), e);
	if (side->known && analysing_is_over(&d->of))
		cpi0_diagnosis_simulated(&side->d, d->simulated, CPI0_ORDER_RUN);
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
		struct error e;

		show_side(a, &subject.sides[i], tabs[i], d, &e);
		/* of two the page has it, beside what the other one is */
		if (*e.text && subject.count > 1)
			sbuf_printf(&failed, "%s%c: %s", failed.len ? "; " : "", 'A' + i, e.text);
		else if (!state.len)
			analysing_say(&d->of, &state);
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
