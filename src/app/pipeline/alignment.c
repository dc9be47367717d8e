#include "config.h"

#include "app/pipeline/alignment.h"

#include <stddef.h>
#include <stdlib.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/compare_pane.h"

static struct alignment *alignment_of(struct joined *j)
{
	return (struct alignment *)j;
}

/* ---- matching ----------------------------------------------------------------------------- */

static enum status match(struct joined *j, const atomic_bool *stop, struct error *e)
{
	struct alignment *x = alignment_of(j);

	return align_new(&x->al, rows_of(j->side[ALIGN_A])->store, rows_of(j->side[ALIGN_B])->store,
			 &x->options, stop, e);
}

static void stop_seek(struct alignment *x)
{
	x->seek.stop = true;
	background_wait(&x->seek);
}

/* ---- where the cycles went ---------------------------------------------------------------- */

static enum status add_up(struct background *b)
{
	struct costing *x = (struct costing *)b;
	const struct selection *s = &x->of.wish.range;
	const struct align_ticks range = {s->tick0, s->tick1};
	struct compare *out = xcalloc(1, sizeof(*out));
	enum status status = compare_new(out, x->al, s->on ? &range : NULL, &b->stop, &b->error);

	if (status)
		free(out);
	else
		x->out = out;
	return status;
}

static void free_costs(struct compare **costs)
{
	if (*costs)
		compare_free(*costs);
	free(*costs);
	*costs = NULL;
}

static void take_costs(struct analysing *of)
{
	struct costing *x = (struct costing *)of;

	x->old = x->costs;
	x->costs = x->out;
	x->out = NULL;
}

static void forget_costs(struct analysing *of)
{
	free_costs(&((struct costing *)of)->old);
}

static const struct analysis_kind costing_kind = {.pane = "compare",
						  .command = "compare table",
						  .doing = "adding up cycles",
						  .work = add_up,
						  .take = take_costs,
						  .forget = forget_costs};

/* The command compare table. */
static enum status add_up_again(struct app *a, struct error *e)
{
	struct alignment *x = alignment_shown(a);

	if (!x)
		return STATUS_OK;
	analysing_again(&x->costing.of);
	if (!rows_of(x->joined.side[ALIGN_A])->view.selection.on &&
	    rows_of(x->joined.side[ALIGN_B])->view.selection.on)
		return error_set(e, STATUS_USAGE,
				 "select the cycles in A (compare switch goes there)");
	return STATUS_OK;
}

/* Of what is selected in A; false: it is not there yet, which *instead says. */
static bool want_costs(struct app *a, struct alignment *x, struct sbuf *instead)
{
	struct tab *t = x->joined.side[ALIGN_A];

	if (!x->joined.ready) {
		sbuf_puts(instead, "the traces are not matched yet");
		return false;
	}
	analysing_want(a, t, &x->costing.of,
		       &(struct analysis_wish){.range = rows_of(t)->view.selection,
					       .complete = true});
	analysing_say(&x->costing.of, instead);
	return analysing_has(&x->costing.of);
}

struct pane *alignment_pane(struct app *a)
{
	struct alignment *x = alignment_of_tab(a->tab);
	struct compare_pane_source source = {.to_other = "compare switch"};
	struct sbuf instead = {0};
	struct align_ticks range;
	struct pane *p;

	if (!x) {
		sbuf_puts(&instead, "nothing to compare with: type :compare FILE");
	} else if (want_costs(a, x, &instead)) {
		const struct selection *s = &x->costing.of.made.range;

		range = (struct align_ticks){s->tick0, s->tick1};
		source.view = &x->view;
		source.costs = x->costing.costs;
		source.range = s->on ? &range : NULL;
		for (int side = 0; side < ALIGN_SIDES; side++)
			source.names[side] = sbuf_text(&x->joined.side[side]->name);
	}
	source.instead = sbuf_text(&instead);
	p = compare_pane(&source);
	sbuf_free(&instead);
	return p;
}

/* ---- beginning and end -------------------------------------------------------------------- */

static void free_alignment(struct joined *j)
{
	struct alignment *x = alignment_of(j);

	stop_seek(x);
	analysing_stop(&x->costing.of);
	free_costs(&x->costing.out);
	free_costs(&x->costing.costs);
	compareview_free(&x->view);
	differ_free(&x->seeker);
	differ_free(&x->differ);
	align_free(&x->al);
	free(x);
}

/* "B is 343 cycles faster (-19.6 %)" */
static void say_faster(const struct align *al, struct sbuf *out)
{
	int64_t cycles[ALIGN_SIDES], more;
	char number[32];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		const struct align_ticks whole = align_whole(&al->side[s]);

		cycles[s] = align_cycles(&al->side[s], whole.from, whole.to - 1) + 1;
	}
	more = cycles[ALIGN_B] - cycles[ALIGN_A];
	if (!more) {
		sbuf_puts(out, "A and B take the same time");
		return;
	}
	sbuf_printf(out, "B is %s cycles %s (%+.1f %%)", num_group(more < 0 ? -more : more, number),
		    more < 0 ? "faster" : "slower", 100.0 * (double)more / (double)cycles[ALIGN_A]);
}

/* How B's time is to A's, and "; 5 314 instructions matched" */
static void say_matched(struct app *a, const struct align *al)
{
	struct sbuf text = {0};
	char number[32];

	if (align_is_apart(al)) {
		app_message(a, false, ALIGN_APART);
		return;
	}
	say_faster(al, &text);
	sbuf_printf(&text, "; %s instructions matched", num_group((int64_t)align_pairs(al), number));
	if (al->by != ALIGN_BY_COMMIT)
		sbuf_printf(&text, " by %s", align_by_names[al->by]);
	sbuf_printf(&text, "%s  ", align_caveat(al));
	app_key_of(a, "compare next", &text);
	sbuf_puts(&text, " next  ");
	app_key_of(a, "compare table", &text);
	sbuf_puts(&text, " table");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static bool matched(struct app *a, struct joined *j)
{
	struct alignment *x = alignment_of(j);
	enum compare_layout layout = x->view.layout;

	compareview_init(&x->view, &x->al, &x->differ, &rows_of(j->side[ALIGN_A])->view,
			 &rows_of(j->side[ALIGN_B])->view);
	x->view.layout = layout;
	if (!differ_new(&x->differ, &x->al, NULL) ||
	    !differ_new(&x->seeker, &x->al, &x->seek.stop))
		return false;
	say_matched(a, &x->al);
	return true;
}

/* ---- the next difference ------------------------------------------------------------------ */

static struct alignment *of_seek(struct background *b)
{
	return (struct alignment *)((char *)b - offsetof(struct alignment, seek));
}

static enum status look(struct background *b)
{
	struct alignment *x = of_seek(b);

	return differ_next(&x->seeker, x->seek_side, x->seek_row, x->dir ? x->dir : 1, x->kinds,
			   &x->found, &b->error);
}

/* "A row 20, B row 20: cycles, stages" */
static void say_found(struct app *a, const struct difference *d)
{
	struct sbuf text = {0};
	const char *between = "";
	char number[32];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		if (d->row[s] == ROW_NONE)
			continue;
		sbuf_printf(&text, "%s%c row %s", between, align_letter(s),
			    num_group((int64_t)d->row[s], number));
		between = ", ";
	}
	between = ": ";
	for (int k = 0; k < DIFFERENCE_COUNT; k++) {
		int s = k == DIFFERENCE_ONLY_A ? ALIGN_A : ALIGN_B;

		if (!(d->kinds >> k & 1))
			continue;
		if (k == DIFFERENCE_ONLY_A || k == DIFFERENCE_ONLY_B)
			sbuf_printf(&text, "%sonly in %c %s instruction%s", between,
				    align_letter(s), num_group((int64_t)d->steps[s], number),
				    d->steps[s] == 1 ? "" : "s");
		else
			sbuf_printf(&text, "%s%s", between, difference_names[k]);
		between = ", ";
	}
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* To what was found; the jump starts in both. */
static unsigned sought(struct app *a, struct job *job)
{
	struct alignment *x = of_seek((struct background *)job);
	const struct background *b = &x->seek;
	int side;

	background_wait(&x->seek);
	if (b->status) {
		app_message(a, true, "%s",
			    b->status == STATUS_INTERRUPTED ? "stopped" : b->error.text);
		return REACT_REDRAW;
	}
	if (!x->found.kinds) {
		app_message(a, true, "no such difference %s",
			    !x->dir      ? "at all"
			    : x->dir > 0 ? "after this place"
					 : "before this place");
		return REACT_REDRAW | REACT_BELL;
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		places_jumped(&x->joined.side[s]->places, x->from[s]);
	side = difference_side(&x->found);
	if (a->tab->joined == &x->joined)
		joined_pass(a, x->joined.side[side]);
	pipeview_goto(&rows_of(x->joined.side[side])->view, x->found.row[side], TICK_NONE);
	joined_sync(a);
	say_found(a, &x->found);
	return REACT_REDRAW;
}

static const struct job_kind seek_kind = {.step = background_step,
					  .ended = sought,
					  .saying = "  searching for a difference (^C stops)",
					  .stop = background_interrupt,
					  .flags = JOB_BESIDE | JOB_HOLDS};

void alignment_seek(struct app *a, int dir, unsigned kinds)
{
	struct alignment *x = alignment_shown(a);
	const struct pipeview *v = &rows_of(a->tab)->view;

	if (!x)
		return;
	stop_seek(x);
	joined_sync(a);
	x->kinds = kinds;
	x->dir = dir;
	x->seek_side = dir ? x->joined.focus : ALIGN_A;
	x->seek_row = dir && pipeview_count(v) ? pipeview_row(v, v->cursor) : ROW_NONE;
	for (int s = 0; s < ALIGN_SIDES; s++)
		x->from[s] = tab_place(x->joined.side[s]);
	background_start(&x->seek, look);
	job_begin(&a->jobs, &x->seek.job, &seek_kind);
}

/* ---- the window --------------------------------------------------------------------------- */

_Static_assert((int)COMPARE_MARGIN == (int)JOINED_MARGIN, "strips stand below the rows");

static void follow(struct joined *j)
{
	struct compareview *view = &alignment_of(j)->view;
	struct pipeview *v = &rows_of(j->side[j->focus])->view;

	view->focus = j->focus;
	/* lists have a row a line */
	if (view->layout != COMPARE_STACKED && v->row_zoom)
		pipeview_zoom(v, -v->row_zoom, 0);
	compareview_follow(view);
}

static void lay_out(struct app *a, struct joined *j, struct rect view)
{
	alignment_of(j)->view.focus = j->focus;
	for (int s = 0; s < ALIGN_SIDES; s++) {
		struct pipeview *v = &rows_of(j->side[s])->view;

		v->full_columns = a->layout.w - COMPARE_MARGIN - pipeview_gutter_width(v);
	}
	compareview_layout(&alignment_of(j)->view, view.w, view.h);
}

static enum status draw(struct app *a, struct joined *j, struct grid *g, struct error *e)
{
	return compareview_draw(&alignment_of(j)->view, g, a->layout.view, &a->palette, e);
}

static bool hit(const struct joined *j, int x, int y, int *side, uint64_t *index, int64_t *tick)
{
	return compareview_hit(&((const struct alignment *)j)->view, x, y, side, index, tick);
}

/* ", lag +3": of two rows that are each other's. */
static void add_lag(const struct alignment *x, const struct pipeview *v, struct sbuf *out)
{
	int64_t lag = compareview_lag(&x->view), n = lag < 0 ? -lag : lag;
	char number[32];

	if (!align_in_cycles(&x->al))
		n = axis_length(&v->axis, n);
	sbuf_printf(out, ", lag %s%s", !n ? "" : lag < 0 ? "-" : "+", num_group(n, number));
}

static void add_row(const struct alignment *x, int side, uint64_t row, bool same, struct sbuf *out)
{
	const struct pipeview *v = &rows_of(x->joined.side[side])->view;
	char number[32];
	struct row r;

	if (row == ROW_NONE || !store_row(v->store, row, &r))
		return;
	sbuf_printf(out, "%c row %s", align_letter(side), num_group((int64_t)row, number));
	sbuf_printf(out, " %s %s", axis_unit(&v->axis),
		    num_group(axis_time(&v->axis, r.start), number));
	if (same)
		add_lag(x, v, out);
}

/* Where the cursor's row is in the other, how much later, and what is different about it. */
static void describe(struct joined *j, struct sbuf *out)
{
	struct alignment *x = alignment_of(j);
	const struct pipeview *v = &rows_of(j->side[j->focus])->view;
	int focus = x->view.focus, n = 0;
	unsigned kinds;
	uint64_t row;
	bool same;

	if (!pipeview_count(v))
		return;
	row = pipeview_row(v, v->cursor);
	same = align_match(&x->al, focus, row) != ROW_NONE;
	if (path_index(x->al.side[focus].path, row) == UINT64_MAX)
		sbuf_puts(out, "not committed, not compared: near ");
	else if (!same)
		sbuf_printf(out, "only in %c: before ", align_letter(focus));
	else
		sbuf_puts(out, "= ");
	add_row(x, !focus, align_near(&x->al, focus, row), same, out);
	kinds = compareview_kinds(&x->view, focus, row) &
		~(1U << DIFFERENCE_ONLY_A | 1U << DIFFERENCE_ONLY_B);
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (kinds >> k & 1)
			sbuf_printf(out, "%s%s", n++ ? ", " : "; differ in ", difference_names[k]);
}

/* ---- how they are joined ------------------------------------------------------------------ */

static struct joined *again(const struct joined *j);

static const struct joined_ops ops = {
    .again = again,
    .free = free_alignment,
    .match = match,
    .matched = matched,
    .follow = follow,
    .layout = lay_out,
    .draw = draw,
    .hit = hit,
    .describe = describe,
    .table = add_up_again,
};

static struct joined *make(const struct alignment_wish *wish)
{
	struct alignment *x = xcalloc(1, sizeof(*x));

	x->joined.ops = &ops;
	for (int s = 0; s < ALIGN_SIDES; s++)
		x->joined.side[s] = wish->side[s];
	x->options = wish->options;
	x->view.layout = wish->layout;
	x->kinds = DIFFERENCE_ALL;
	x->costing = (struct costing){.of.kind = &costing_kind, .al = &x->al};
	return &x->joined;
}

struct alignment *alignment_of_tab(const struct tab *t)
{
	return t->joined && t->joined->ops == &ops ? alignment_of(t->joined) : NULL;
}

bool alignment_wish(const struct tab *t, struct alignment_wish *out)
{
	const struct alignment *x = alignment_of_tab(t);

	if (!x)
		return false;
	*out = (struct alignment_wish){
	    {x->joined.side[ALIGN_A], x->joined.side[ALIGN_B]}, x->options, x->view.layout};
	return true;
}

static struct joined *again(const struct joined *j)
{
	struct alignment_wish wish = {0};

	alignment_wish(j->side[ALIGN_A], &wish);
	return make(&wish);
}

void alignment_begin(struct app *a, const struct alignment_wish *wish)
{
	joined_begin(a, make(wish));
}

struct alignment *alignment_shown(const struct app *a)
{
	return joined_shown(a) ? alignment_of_tab(a->tab) : NULL;
}
