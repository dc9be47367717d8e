#include "config.h"

#include "app/joined.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { POLL_MS = 10 };

static const char *const side_names[ALIGN_SIDES] = {"A", "B"};

/* Jobs */

static void *run_job(void *arg)
{
	struct joined_job *job = arg;

	job->status = job->work(job->of, job);
	atomic_store(&job->done, true);
	return NULL;
}

static void start_job(struct app *a, struct joined *j, struct joined_job *job,
		      enum status (*work)(struct joined *j, struct joined_job *job))
{
	a->joining = j;
	job->of = j;
	job->work = work;
	job->stop = false;
	job->error.text[0] = '\0';
	job->since = clock_ms();
	atomic_store(&job->done, false);
	job->running = true;
	job->threaded = pthread_create(&job->thread, NULL, run_job, job) == 0;
	if (!job->threaded)
		run_job(job);
}

static void wait_for(struct joined_job *job)
{
	if (job->threaded)
		pthread_join(job->thread, NULL);
	job->running = false;
}

static enum status match(struct joined *j, struct joined_job *job)
{
	return align_new(&j->al, j->side[ALIGN_A]->store, j->side[ALIGN_B]->store, &j->options,
			 &job->stop, &job->error);
}

static enum status add_up(struct joined *j, struct joined_job *job)
{
	const struct compare_range *range = j->ranged ? &j->range : NULL;
	enum status status = compare_new(&j->costs, &j->al, range, &job->stop, &job->error);

	if (status)
		return status;
	status = compare_worst_new(&j->worst, &j->costs, range, &job->stop, &job->error);
	if (status)
		compare_free(&j->costs);
	return status;
}

static enum status look(struct joined *j, struct joined_job *job)
{
	return differ_next(&j->seeker, j->seek_side, j->seek_row, j->dir ? j->dir : 1, j->kinds,
			   &j->found, &job->error);
}

static bool is_matched(const struct joined *j)
{
	return j->state >= JOINED_ADDING;
}

static void stop_seek(struct joined *j)
{
	if (!j->seek.running)
		return;
	j->seek.stop = true;
	wait_for(&j->seek);
}

/* What the job has made by the time it stops is thrown away. */
static void stop_make(struct joined *j)
{
	if (!j->make.running)
		return;
	j->make.stop = true;
	wait_for(&j->make);
	if (!j->make.status && j->state == JOINED_MATCHING)
		align_free(&j->al);
	if (!j->make.status && j->state == JOINED_ADDING) {
		free(j->worst);
		compare_free(&j->costs);
	}
}

static void forget_costs(struct joined *j)
{
	if (j->added) {
		free(j->worst);
		compare_free(&j->costs);
	}
	j->added = false;
}

/* Beginning and end */

static void free_matched(struct joined *j)
{
	forget_costs(j);
	if (j->graph)
		resource_free(j->graph);
	compareview_free(&j->view);
	differ_free(&j->seeker);
	differ_free(&j->differ);
	align_free(&j->al);
}

void joined_end(struct app *a, struct joined *j)
{
	if (!j)
		return;
	if (a->joining == j)
		a->joining = NULL;
	panes_close_kind(a, "compare");
	stop_seek(j);
	stop_make(j);
	for (int s = 0; s < ALIGN_SIDES; s++)
		j->side[s]->joined = NULL;
	if (is_matched(j))
		free_matched(j);
	free(j);
	app_relayout(a);
}

bool joined_take_apart(struct app *a, struct tab *t, struct joining *out)
{
	struct joined *j = t->joined;

	if (!j)
		return false;
	*out = (struct joining){{j->side[ALIGN_A], j->side[ALIGN_B]}, j->options, j->layout};
	if (is_matched(j))
		out->layout = j->view.layout;
	joined_end(a, j);
	return true;
}

/* One joining goes on at a time. */
static void stop_others(struct app *a)
{
	struct joined *j = a->joining;

	if (!j)
		return;
	if (!is_matched(j)) {
		joined_end(a, j);
		return;
	}
	stop_seek(j);
	stop_make(j);
	j->state = JOINED_READY;
	a->joining = NULL;
}

void joined_begin(struct app *a, const struct joining *wish)
{
	struct joined *j = xcalloc(1, sizeof(*j));

	stop_others(a);
	for (int s = 0; s < ALIGN_SIDES; s++) {
		joined_end(a, wish->side[s]->joined);
		j->side[s] = wish->side[s];
		j->side[s]->joined = j;
	}
	j->options = wish->options;
	j->layout = wish->layout;
	j->kinds = DIFFERENCE_ALL;
	j->make.since = clock_ms();
	j->state = JOINED_READING;
	a->joining = j;
}

/* Steps of the joining */

/* The one that is still being read; NULL: neither. */
static const struct tab *still_reading(const struct joined *j, struct progress *p)
{
	for (int s = 0; s < ALIGN_SIDES; s++) {
		store_progress(j->side[s]->store, p);
		if (!p->complete)
			return j->side[s];
	}
	return NULL;
}

static unsigned give_up(struct app *a, struct joined *j, const char *why)
{
	app_message(a, true, "%s", why);
	joined_end(a, j);
	return REACT_REDRAW | REACT_RELAYOUT | REACT_BELL;
}

static void say_matched(struct app *a, const struct joined *j)
{
	struct sbuf text = {0};
	char number[32];

	sbuf_printf(&text, "%s instructions matched by %s, %s%s  ",
		    num_group((int64_t)align_pairs(&j->al), number), align_by_names[j->al.by],
		    align_key_names[j->al.key],
		    j->al.diff.clipped ? " (too many stretches: a lower bound)" : "");
	app_key_of(a, "compare next", &text);
	sbuf_puts(&text, " next difference  ");
	app_key_of(a, "compare table", &text);
	sbuf_puts(&text, " table");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static unsigned matched(struct app *a, struct joined *j)
{
	bool differ = differ_new(&j->differ, &j->al, NULL);

	if (!differ || !differ_new(&j->seeker, &j->al, &j->seek.stop)) {
		if (differ)
			differ_free(&j->differ);
		align_free(&j->al);
		return give_up(a, j, "out of memory");
	}
	compareview_init(&j->view, &j->al, &j->differ, &j->side[ALIGN_A]->view,
			 &j->side[ALIGN_B]->view);
	j->view.layout = j->layout;
	start_job(a, j, &j->make, add_up);
	j->state = JOINED_ADDING;
	say_matched(a, j);
	app_relayout(a);
	joined_sync(a);
	panes_refresh(a, false);
	return REACT_REDRAW | REACT_RELAYOUT;
}

static unsigned made(struct app *a, struct joined *j)
{
	enum status status;

	wait_for(&j->make);
	status = j->make.status;
	if (j->state == JOINED_MATCHING && status)
		return give_up(a, j,
			       status == STATUS_INTERRUPTED ? "stopped" : j->make.error.text);
	if (j->state == JOINED_MATCHING)
		return matched(a, j);
	j->state = JOINED_READY;
	j->added = status == STATUS_OK;
	if (status && status != STATUS_INTERRUPTED)
		app_message(a, true, "%s", j->make.error.text);
	panes_refresh(a, false);
	return REACT_REDRAW;
}

static unsigned only_in(int side)
{
	return 1U << (side == ALIGN_A ? DIFFERENCE_ONLY_A : DIFFERENCE_ONLY_B);
}

/* "A row 20, B row 20: cycles, stages"; "A row 8, B row 8: only in B 15 instructions" */
static void say_found(struct app *a, const struct joined *j)
{
	const struct difference *d = &j->found;
	const char *between = "";
	struct sbuf text = {0};
	char number[32];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		if (d->row[s] == ROW_NONE)
			continue;
		sbuf_printf(&text, "%s%s row %s", between, side_names[s],
			    num_group((int64_t)d->row[s], number));
		between = ", ";
	}
	between = ": ";
	for (int s = 0; s < ALIGN_SIDES; s++) {
		if (!(d->kinds & only_in(s)))
			continue;
		sbuf_printf(&text, "%sonly in %s %s instruction%s", between, side_names[s],
			    num_group((int64_t)d->steps[s], number), d->steps[s] == 1 ? "" : "s");
		between = ", ";
	}
	for (int k = 0; k < DIFFERENCE_COUNT; k++) {
		if (!(d->kinds >> k & 1) || 1U << k == only_in(ALIGN_A) ||
		    1U << k == only_in(ALIGN_B))
			continue;
		sbuf_printf(&text, "%s%s", between, difference_names[k]);
		between = ", ";
	}
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* To what was found, on the side that has it; the jump starts on both. */
static unsigned sought(struct app *a, struct joined *j)
{
	const struct difference *d = &j->found;
	int side = d->side;

	wait_for(&j->seek);
	if (j->seek.status) {
		app_message(a, true, "%s",
			    j->seek.status == STATUS_INTERRUPTED ? "stopped" : j->seek.error.text);
		return REACT_REDRAW;
	}
	if (!d->kinds) {
		app_message(a, true, "no such difference %s",
			    !j->dir ? "at all" : j->dir > 0 ? "behind this place" : "before this");
		return REACT_REDRAW | REACT_BELL;
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		places_jumped(&j->side[s]->places, j->from[s]);
	/* what was looked for in one run alone is shown there */
	if (d->kinds == only_in(!side))
		side = !side;
	if (a->tab->joined == j)
		joined_pass(a, j->side[side]);
	pipeview_goto(&j->side[side]->view, d->row[side], TICK_NONE);
	joined_sync(a);
	say_found(a, j);
	return REACT_REDRAW;
}

void joined_seek(struct app *a, int dir, unsigned kinds)
{
	struct joined *j = joined_shown(a);
	const struct pipeview *v = &a->tab->view;

	if (a->joining && a->joining != j)
		stop_others(a);
	stop_seek(j);
	joined_sync(a);
	j->kinds = kinds;
	j->dir = dir;
	j->seek_side = dir ? j->view.focus : ALIGN_A;
	j->seek_row = dir && pipeview_count(v) ? pipeview_row(v, v->cursor) : ROW_NONE;
	for (int s = 0; s < ALIGN_SIDES; s++)
		j->from[s] = tab_place(j->side[s]);
	start_job(a, j, &j->seek, look);
}

/* The cycles of A that are selected; false: none, and the whole runs count. */
static bool selected_range(const struct joined *j, struct compare_range *out)
{
	const struct selection *s = &j->side[ALIGN_A]->view.selection;

	*out = (struct compare_range){s->tick0, s->tick1};
	return s->on;
}

enum status joined_add_up(struct app *a, struct error *e)
{
	struct joined *j = joined_shown(a);
	struct compare_range range;
	bool ranged;

	if (!j || j->make.running)
		return STATUS_OK;
	ranged = selected_range(j, &range);
	if (!ranged && j->side[ALIGN_B]->view.selection.on)
		return error_set(e, STATUS_USAGE,
				 "a range is of cycles of A: select them there (compare switch)");
	if (j->added && ranged == j->ranged &&
	    (!ranged || (range.from == j->range.from && range.to == j->range.to)))
		return STATUS_OK;
	if (a->joining && a->joining != j)
		stop_others(a);
	forget_costs(j);
	j->range = range;
	j->ranged = ranged;
	panes_refresh(a, false); /* what the table shows is gone */
	start_job(a, j, &j->make, add_up);
	j->state = JOINED_ADDING;
	return STATUS_OK;
}

/* Work that goes on */

static bool is_working(const struct joined *j)
{
	return j->state == JOINED_READING || j->make.running || j->seek.running;
}

static unsigned read_on(struct app *a, struct joined *j)
{
	struct progress p;

	if (j->make.stop)
		return give_up(a, j, "stopped: the traces are not compared");
	if (still_reading(j, &p))
		return REACT_NONE;
	start_job(a, j, &j->make, match);
	j->state = JOINED_MATCHING;
	return REACT_REDRAW;
}

unsigned joined_slice(struct app *a)
{
	struct joined *j = a->joining;
	unsigned r = REACT_NONE;
	int64_t second;

	if (!j)
		return REACT_NONE;
	if (j->state == JOINED_READING)
		r |= read_on(a, j);
	else if (j->make.running && atomic_load(&j->make.done))
		r |= made(a, j);
	if (a->joining == j && j->seek.running && atomic_load(&j->seek.done))
		r |= sought(a, j);
	if (a->joining != j)
		return r;
	if (!is_working(j))
		a->joining = NULL;
	/* the seconds told have changed */
	second = (clock_ms() - j->make.since) / 1000;
	if (second != j->told_second)
		r |= REACT_REDRAW;
	j->told_second = second;
	return r;
}

unsigned joined_finish(struct app *a)
{
	unsigned r = REACT_NONE;

	/* what is still being read may take as long as it likes: at a terminal nobody waits */
	while (a->joining && (a->options.headless || a->joining->state != JOINED_READING)) {
		const struct timespec nap = {0, POLL_MS * 1000000L};
		unsigned step = joined_slice(a);

		r |= step;
		if (a->joining && !step)
			nanosleep(&nap, NULL);
	}
	return r;
}

bool joined_busy(const struct app *a)
{
	return a->joining != NULL;
}

bool joined_interrupt(struct app *a)
{
	struct joined *j = a->joining;

	if (!j)
		return false;
	if (j->seek.running)
		j->seek.stop = true;
	else
		j->make.stop = true;
	return true;
}

void joined_pending(const struct app *a, struct sbuf *out)
{
	const struct joined *j = a->joining;
	const struct tab *t;
	struct progress p;

	if (!j)
		return;
	if (j->state == JOINED_READING && (t = still_reading(j, &p)))
		sbuf_printf(out, "  to be compared: reading %s %d %%",
			    side_names[joined_side(j, t)], tab_percent(&p));
	else if (j->seek.running)
		sbuf_puts(out, "  looking for a difference");
	else if (j->make.running)
		sbuf_printf(out, "  %s %" PRId64 " s",
			    j->state == JOINED_MATCHING ? "matching" : "adding up", j->told_second);
	sbuf_puts(out, " (^C stops)");
}
