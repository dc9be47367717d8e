#include "config.h"

#include "app/pipeline/alignment.h"

#include <inttypes.h>
#include <stdlib.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"

static struct alignment *alignment_of(struct joined *j)
{
	return (struct alignment *)j;
}

/* ---- the work of the threads -------------------------------------------------------------- */

static struct alignment *of_job(struct background *b)
{
	return ((struct alignment_job *)b)->of;
}

static enum status match(struct joined *j, const atomic_bool *stop, struct error *e)
{
	struct alignment *x = alignment_of(j);
	enum status status = align_new(&x->al, rows_of(j->side[ALIGN_A])->store,
				       rows_of(j->side[ALIGN_B])->store, &x->options, stop, e);

	x->has_al = status == STATUS_OK;
	return status;
}

static enum status add_up(struct background *b)
{
	struct alignment *x = of_job(b);

	return compare_new(&x->costs, &x->al, x->ranged ? &x->range : NULL, &b->stop, &b->error);
}

static enum status look(struct background *b)
{
	struct alignment *x = of_job(b);

	return differ_next(&x->seeker, x->seek_side, x->seek_row, x->dir ? x->dir : 1, x->kinds,
			   &x->found, &b->error);
}

static void start(struct app *a, struct alignment *x, struct alignment_job *job,
		  enum status (*work)(struct background *b), const struct job_kind *kind)
{
	job->of = x;
	background_start(&job->background, work);
	job_begin(&a->jobs, &job->background.job, kind);
}

static void stop_seek(struct alignment *x)
{
	x->seek.background.stop = true;
	background_wait(&x->seek.background);
}

/* What it has made by the time it stops is there. */
static void take_costs(struct alignment *x)
{
	if (!x->add.background.running)
		return;
	background_wait(&x->add.background);
	x->added = x->add.background.status == STATUS_OK;
}

/* ---- beginning and end -------------------------------------------------------------------- */

static void forget_costs(struct alignment *x)
{
	if (x->added)
		compare_free(&x->costs);
	x->added = false;
}

static void free_alignment(struct joined *j)
{
	struct alignment *x = alignment_of(j);

	stop_seek(x);
	x->add.background.stop = true;
	take_costs(x);
	forget_costs(x);
	compareview_free(&x->view);
	differ_free(&x->seeker);
	differ_free(&x->differ);
	if (x->has_al)
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

static unsigned added_up(struct app *a, struct job *job)
{
	const struct background *b = (struct background *)job;

	take_costs(of_job((struct background *)job));
	if (b->status && b->status != STATUS_INTERRUPTED)
		app_message(a, true, "%s", b->error.text);
	panes_refresh(a, false);
	return REACT_REDRAW;
}

static const struct job_kind add_kind = {.step = background_step,
					 .ended = added_up,
					 .saying = "  adding up cycles (^C stops)",
					 .stop = background_interrupt,
					 .flags = JOB_BESIDE | JOB_HOLDS};

static bool matched(struct app *a, struct joined *j)
{
	struct alignment *x = alignment_of(j);
	enum compare_layout layout = x->view.layout;

	compareview_init(&x->view, &x->al, &x->differ, &rows_of(j->side[ALIGN_A])->view,
			 &rows_of(j->side[ALIGN_B])->view);
	x->view.layout = layout;
	if (!differ_new(&x->differ, &x->al, NULL) ||
	    !differ_new(&x->seeker, &x->al, &x->seek.background.stop))
		return false;
	start(a, x, &x->add, add_up, &add_kind);
	say_matched(a, &x->al);
	return true;
}

/* ---- the next difference ------------------------------------------------------------------ */

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
	struct background *b = (struct background *)job;
	struct alignment *x = of_job(b);
	int side;

	background_wait(b);
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
	start(a, x, &x->seek, look, &seek_kind);
}

/* ---- where the cycles went ---------------------------------------------------------------- */

enum status alignment_add_up(struct app *a, struct error *e)
{
	struct alignment *x = alignment_shown(a);
	const struct selection *s;
	struct align_ticks range;

	if (!x || x->add.background.running)
		return STATUS_OK;
	s = &rows_of(x->joined.side[ALIGN_A])->view.selection;
	range = (struct align_ticks){s->tick0, s->tick1};
	if (!s->on && rows_of(x->joined.side[ALIGN_B])->view.selection.on)
		return error_set(e, STATUS_USAGE,
				 "select the cycles in A (compare switch goes there)");
	if (x->added && s->on == x->ranged &&
	    (!s->on || (range.from == x->range.from && range.to == x->range.to)))
		return STATUS_OK;
	forget_costs(x);
	x->range = range;
	x->ranged = s->on;
	panes_refresh(a, false); /* what the table shows is gone */
	start(a, x, &x->add, add_up, &add_kind);
	return STATUS_OK;
}

/* ---- how they are joined ------------------------------------------------------------------ */

static struct joined *again(const struct joined *j);

static const struct joined_ops ops = {
    .again = again,
    .free = free_alignment,
    .match = match,
    .matched = matched,
    .follow = alignment_follow,
    .layout = alignment_layout,
    .draw = alignment_draw,
    .hit = alignment_hit,
    .describe = alignment_describe,
    .table = alignment_add_up,
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
