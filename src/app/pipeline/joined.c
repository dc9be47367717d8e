#include "config.h"

#include "app/pipeline/joined.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/state.h"
#include "base/num.h"
#include "base/thread.h"
#include "base/xalloc.h"

enum { POLL_MS = 10 };

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
	job->threaded = thread_start(&job->thread, run_job, job) == 0;
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
	struct store *stores[RUNS_MOST];

	for (int run = RUN_A; run < j->runs; run++)
		stores[run] = j->side[run]->store;
	return aligned_new(&j->al, stores, j->runs, &j->options, &job->stop, &job->error);
}

static void free_costs(struct joined *j, int runs)
{
	for (int run = RUN_B; run < runs; run++) {
		free(j->worst[run]);
		compare_free(&j->costs[run]);
	}
}

static enum status add_up_run(struct joined *j, int run, struct joined_job *job)
{
	const struct compare_range *range = j->ranged ? &j->range : NULL;
	enum status status =
	    compare_new(&j->costs[run], &j->al.with[run], range, &job->stop, &job->error);

	if (status)
		return status;
	status = compare_worst_new(&j->worst[run], &j->costs[run], range, &job->stop, &job->error);
	if (status)
		compare_free(&j->costs[run]);
	return status;
}

static enum status add_up(struct joined *j, struct joined_job *job)
{
	for (int run = RUN_B; run < j->runs; run++) {
		enum status status = add_up_run(j, run, job);

		if (status) {
			free_costs(j, run);
			return status;
		}
	}
	return STATUS_OK;
}

static enum status look(struct joined *j, struct joined_job *job)
{
	return differ_runs_next(&j->al, j->seeker, j->seek_run, j->seek_row, j->dir ? j->dir : 1,
				j->kinds, j->found, &j->found_run, &job->error);
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
		aligned_free(&j->al);
	if (!j->make.status && j->state == JOINED_ADDING)
		free_costs(j, j->runs);
}

static void forget_costs(struct joined *j)
{
	if (j->added)
		free_costs(j, j->runs);
	j->added = false;
}

/* Beginning and end */

static void free_matched(struct joined *j)
{
	forget_costs(j);
	if (j->graph)
		resource_free(j->graph);
	compareview_free(&j->view);
	for (int run = RUN_B; run < j->runs; run++) {
		differ_free(&j->seeker[run]);
		differ_free(&j->differ[run]);
	}
	aligned_free(&j->al);
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
	for (int run = RUN_A; run < j->runs; run++)
		j->side[run]->joined = NULL;
	if (is_matched(j))
		free_matched(j);
	free(j);
	app_relayout(a);
}

bool joined_wish(const struct tab *t, struct joining *out)
{
	const struct joined *j = t->joined;

	if (!j)
		return false;
	*out = (struct joining){.runs = j->runs, .options = j->options, .layout = j->layout};
	memcpy(out->side, j->side, sizeof(out->side));
	if (is_matched(j))
		out->layout = j->view.layout;
	return true;
}

bool joining_without(struct joining *wish, const struct tab *t)
{
	int left = 0;

	for (int run = RUN_A; run < wish->runs; run++) {
		if (wish->side[run] == t)
			continue;
		wish->side[left] = wish->side[run];
		wish->options.row[left++] = wish->options.row[run];
	}
	wish->runs = left;
	return left >= RUNS_LEAST;
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
	j->runs = wish->runs;
	j->other = RUN_B;
	for (int run = RUN_A; run < j->runs; run++) {
		joined_end(a, wish->side[run]->joined);
		j->side[run] = wish->side[run];
		j->side[run]->joined = j;
	}
	j->options = wish->options;
	j->layout = wish->layout;
	j->kinds = DIFFERENCE_ALL;
	j->make.since = clock_ms();
	j->state = JOINED_READING;
	a->joining = j;
}

/* Steps of the joining */

/* The first one that is still being read; NULL: none. */
static const struct tab *still_reading(const struct joined *j, struct progress *p)
{
	for (int run = RUN_A; run < j->runs; run++) {
		store_progress(j->side[run]->store, p);
		if (!p->complete)
			return j->side[run];
	}
	return NULL;
}

static unsigned give_up(struct app *a, struct joined *j, const char *why)
{
	app_message(a, true, "%s", why);
	joined_end(a, j);
	return REACT_REDRAW | REACT_RELAYOUT | REACT_BELL;
}

/* "5 314 instructions matched by commit, pc and text"; of more runs "5 314 of B, 211 of C …" */
static void say_matched(struct app *a, const struct joined *j)
{
	const struct align *first = &j->al.with[RUN_B];
	struct sbuf text = {0};
	bool clipped = false;
	char number[32];

	for (int run = RUN_B; run < j->runs; run++) {
		const struct align *with = &j->al.with[run];

		sbuf_printf(&text, "%s%s", run == RUN_B ? "" : ", ",
			    num_group((int64_t)align_pairs(with), number));
		if (j->runs > RUNS_LEAST)
			sbuf_printf(&text, " of %c", run_letter(run));
		clipped = clipped || align_is_bound(with);
	}
	sbuf_printf(&text, "%s matched by %s", j->runs > RUNS_LEAST ? "" : " instructions",
		    align_by_names[first->by]);
	if (j->runs == RUNS_LEAST)
		sbuf_printf(&text, ", %s", align_key_names[first->key]);
	sbuf_printf(&text, "%s  ", clipped ? " (a lower bound)" : "");
	app_key_of(a, "compare next", &text);
	sbuf_puts(&text, " next difference  ");
	app_key_of(a, "compare table", &text);
	sbuf_puts(&text, " table");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static bool make_differs(struct joined *j)
{
	bool ok = true;

	for (int run = RUN_B; run < j->runs; run++) {
		ok = differ_new(&j->differ[run], &j->al.with[run], NULL) && ok;
		ok = differ_new(&j->seeker[run], &j->al.with[run], &j->seek.stop) && ok;
	}
	return ok;
}

static unsigned matched(struct app *a, struct joined *j)
{
	struct pipeview *views[RUNS_MOST];

	if (!make_differs(j)) {
		j->state = JOINED_ADDING; /* all of it is to be freed */
		return give_up(a, j, "out of memory");
	}
	for (int run = RUN_A; run < j->runs; run++)
		views[run] = &j->side[run]->view;
	compareview_init(&j->view, &j->al, j->differ, views);
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

/* What is different between A and a run; of more than two runs others may have what these lack. */
static void add_kinds(const struct joined *j, int run, const char *between, struct sbuf *out)
{
	const struct difference *d = &j->found[run];
	const char letters[ALIGN_SIDES] = {run_letter(RUN_A), run_letter(run)};
	bool two = j->runs == RUNS_LEAST;
	char number[32];

	for (int s = 0; s < ALIGN_SIDES; s++) {
		if (!(d->kinds & only_in(s)))
			continue;
		sbuf_printf(out, "%s%s in %c %s instruction%s", between, two ? "only" : "not",
			    letters[two ? s : !s], num_group((int64_t)d->steps[s], number),
			    d->steps[s] == 1 ? "" : "s");
		between = ", ";
	}
	for (int k = 0; k < DIFFERENCE_COUNT; k++) {
		if (!(d->kinds >> k & 1) || 1U << k == only_in(ALIGN_A) ||
		    1U << k == only_in(ALIGN_B))
			continue;
		sbuf_printf(out, "%s%s", between, difference_names[k]);
		between = ", ";
	}
}

/*
 * "A row 20, B row 20: cycles, stages"; of more "A row 8, B row 8: cycles; C row 9: life". A run
 * that has no row there: "A row 8: not in B 1 instruction; not in C 1 instruction".
 */
static void say_found(struct app *a, const struct joined *j)
{
	const uint64_t of_a = j->found[j->found_run].row[ALIGN_A];
	const char *between = "", *colon = "";
	struct sbuf text = {0};
	char number[32];

	if (of_a != ROW_NONE) {
		sbuf_printf(&text, "A row %s", num_group((int64_t)of_a, number));
		between = ", ";
		colon = ": ";
	}
	for (int run = j->found_run; run < j->runs; run++) {
		const struct difference *d = &j->found[run];

		if (!d->kinds)
			continue;
		if (d->row[ALIGN_B] != ROW_NONE) {
			sbuf_printf(&text, "%s%c row %s", between, run_letter(run),
				    num_group((int64_t)d->row[ALIGN_B], number));
			colon = ": ";
		}
		add_kinds(j, run, colon, &text);
		between = colon = "; ";
	}
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* Which run to look on from, and the row: that with the focus, if it has what was found. */
static int place_found(const struct joined *j, uint64_t *row)
{
	const struct difference *d = &j->found[j->found_run];
	int side = difference_side(d);
	uint64_t here;

	*row = d->row[side];
	if (side == ALIGN_B)
		return j->found_run;
	/* what only A has is shown there, where there are but two */
	here = j->runs > RUNS_LEAST ? aligned_match(&j->al, RUN_A, *row, j->seek_run) : ROW_NONE;
	if (here == ROW_NONE)
		return RUN_A;
	*row = here;
	return j->seek_run;
}

/* To what was found; the jump starts in all of them. */
static unsigned sought(struct app *a, struct joined *j)
{
	uint64_t row;
	int run;

	wait_for(&j->seek);
	if (j->seek.status) {
		app_message(a, true, "%s",
			    j->seek.status == STATUS_INTERRUPTED ? "stopped" : j->seek.error.text);
		return REACT_REDRAW;
	}
	if (j->found_run == RUN_A) {
		app_message(a, true, "no such difference %s",
			    !j->dir ? "at all" : j->dir > 0 ? "behind this place" : "before this");
		return REACT_REDRAW | REACT_BELL;
	}
	for (run = RUN_A; run < j->runs; run++)
		places_jumped(&j->side[run]->places, j->from[run]);
	run = place_found(j, &row);
	if (a->tab->joined == j)
		joined_pass(a, j->side[run]);
	pipeview_goto(&j->side[run]->view, row, TICK_NONE);
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
	j->seek_run = dir ? j->view.focus : RUN_A;
	j->seek_row = dir && pipeview_count(v) ? pipeview_row(v, v->cursor) : ROW_NONE;
	for (int run = RUN_A; run < j->runs; run++)
		j->from[run] = tab_place(j->side[run]);
	start_job(a, j, &j->seek, look);
}

/* The cycles of A that are selected; false: none, and the whole runs count. */
static bool selected_range(const struct joined *j, struct compare_range *out)
{
	const struct selection *s = &j->side[RUN_A]->view.selection;

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
	for (int run = RUN_B; !ranged && run < j->runs; run++) {
		if (!j->side[run]->view.selection.on)
			continue;
		return error_set(e, STATUS_USAGE,
				 "a range is of cycles of A: select them there (compare switch)");
	}
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
	const struct tab *t = NULL;
	struct progress p;

	if (!j)
		return;
	if (j->state == JOINED_READING && (t = still_reading(j, &p)) && tab_live(t) != LIVE_OVER)
		sbuf_printf(out, "  to be compared when %c is no longer written",
			    run_letter(joined_run(j, t)));
	else if (j->state == JOINED_READING && t)
		sbuf_printf(out, "  to be compared: reading %c %d %%", run_letter(joined_run(j, t)),
			    tab_percent(&p));
	else if (j->seek.running)
		sbuf_puts(out, "  looking for a difference");
	else if (j->make.running)
		sbuf_printf(out, "  %s %" PRId64 " s",
			    j->state == JOINED_MATCHING ? "matching" : "adding up", j->told_second);
	sbuf_puts(out, " (^C stops)");
}
