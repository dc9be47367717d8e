#include "config.h"

#include "app/pipeline/work.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/chain.h"

enum { SLICE_MS = 10 };

static void over(struct work *w)
{
	w->kind = WORK_NONE;
	job_end(&w->background.job);
}

static void describe_target(const struct tab *t, const struct target *target, struct sbuf *out)
{
	const struct rows *r = rows_of(t);

	switch (target->kind) {
	case TARGET_TEXT:
		if (target->by_pc)
			sbuf_printf(out, "pc 0x%" PRIx64, target->pc);
		else
			sbuf_printf(out, "/%s/", regex_pattern(target->text));
		break;
	case TARGET_LINE:
		sbuf_printf(out, "text /%s/", regex_pattern(target->text));
		break;
	case TARGET_EVENT:
		sbuf_printf(out, "event %s", store_event(r->store, target->what)->name);
		break;
	case TARGET_STAGE:
		sbuf_printf(out, "stage %s", store_stage(r->store, target->what)->name);
		break;
	case TARGET_FATE:
		sbuf_printf(out, "%s row", fate_names[target->what]);
		break;
	case TARGET_STAY:
	case TARGET_GAP:
		sbuf_puts(out, target->kind == TARGET_STAY ? "stay of " : "gap of ");
		axis_tell_length(&r->view.axis, target->ticks, out);
		sbuf_puts(out, " or more");
		break;
	case TARGET_NONE:
		break;
	}
}

/* How many there are, and whether that is all: of events and fates the index keeps count. */
static uint64_t count_places(const struct tab *t, bool *whole)
{
	const struct rows *r = rows_of(t);
	const struct target *target = &r->target;
	struct totals totals;

	*whole = r->tally.whole;
	if (*whole || r->filter || (target->kind != TARGET_EVENT && target->kind != TARGET_FATE))
		return r->tally.at.count;
	store_totals(r->store, &totals);
	*whole = true;
	return target->kind == TARGET_EVENT ? totals.event_rows[target->what]
					    : totals.fates[target->what];
}

/* Lines are counted while they are looked for; a moment more often tells how many there are. */
static uint64_t count_lines(const struct work *w, uint64_t *which, bool *whole)
{
	struct search *lines = w->seek.target.lines;
	struct search_state state;

	search_settle(lines, TALLY_MS, &w->background.stop);
	search_state(lines, &state);
	*which = search_rank(lines, w->seek.off);
	*whole = state.whole;
	return state.hits;
}

/* "3 of 50: "; a number that is not known is left out, one that is too low says so. */
static void say_which(struct app *a, struct sbuf *out)
{
	const struct work *w = &rows_app(a)->work;
	struct rows *r = rows_of(w->tab);
	bool gap = w->seek.target.kind == TARGET_GAP, whole;
	struct progress p;
	char number[32];
	uint64_t k, n;

	tally_make(&r->tally, r->store, r->filter, &w->seek.target,
		   &w->background.stop);
	store_progress(r->store, &p);
	k = tally_place(&r->tally, gap ? w->seek.tick : (int64_t)w->seek.row);
	n = w->seek.target.kind == TARGET_LINE ? count_lines(w, &k, &whole)
					       : count_places(w->tab, &whole);
	if (!n)
		return;
	sbuf_puts(out, k ? num_group((int64_t)k, number) : "one");
	sbuf_printf(out, " of %s%s%s%s: ", whole ? "" : ">= ", num_group((int64_t)n, number),
		    w->seek.target.kind == TARGET_EVENT ? n == 1 ? " row" : " rows" : "",
		    p.complete ? "" : " so far");
}

/* The stage and the length of the stay that was found. */
static void say_stay(const struct work *w, struct sbuf *out)
{
	const struct seek *s = &w->seek;
	const struct pipeview *v = &rows_of(w->tab)->view;
	const struct stay *stay =
	    s->detail.count ? target_stay(&s->detail, &s->detail.rows[0], &s->target) : NULL;
	char number[32];

	if (!stay)
		return;
	sbuf_printf(out, "%s ", store_stage(rows_of(w->tab)->store, stay->stage)->name);
	if (stay->end == TICK_NONE)
		sbuf_printf(out, "since %s", num_group(axis_time(&v->axis, stay->start), number));
	else
		axis_tell_length(&v->axis, stay->end - stay->start, out);
	sbuf_printf(out, " (%s or more)",
		    num_group(axis_length(&v->axis, s->target.ticks), number));
}

/* How long nothing happened, and in what the oldest row, to which the cursor went, waited. */
static void say_gap(struct app *a, struct sbuf *out)
{
	const struct seek *s = &rows_app(a)->work.seek;
	struct sbuf row = {0};
	char number[32];

	describe_cursor(a, 0, &row);
	sbuf_puts(out, "gap of ");
	axis_tell_length(a->tab->view->axis, s->end - s->tick, out);
	sbuf_printf(out, " from %s; %s", num_group(axis_time(a->tab->view->axis, s->tick), number),
		    sbuf_text(&row));
	sbuf_free(&row);
}

static void say_line(const struct work *w, struct sbuf *out)
{
	const struct line_owner *owner = &w->seek.owner;
	uint64_t line = owner->line ? owner->line : search_line(w->seek.target.lines, w->seek.off);
	char number[32];

	if (line)
		sbuf_printf(out, ": line %s", num_group((int64_t)line, number));
	sbuf_printf(out, ", %srow %s", owner->own ? "" : "before ",
		    num_group((int64_t)owner->row, number));
}

static void say_found(struct app *a)
{
	const struct work *w = &rows_app(a)->work;
	struct sbuf text = {0};

	say_which(a, &text);
	if (w->seek.target.kind == TARGET_STAY)
		say_stay(w, &text);
	else if (w->seek.target.kind == TARGET_GAP)
		say_gap(a, &text);
	else
		describe_target(w->tab, &w->seek.target, &text);
	if (w->seek.target.kind == TARGET_LINE)
		say_line(w, &text);
	if (w->seek.wrapped)
		sbuf_puts(&text, w->seek.dir > 0 ? "  (from the top)" : "  (from the bottom)");
	sbuf_puts(&text, "  ");
	app_key_of(a, "next", &text);
	sbuf_puts(&text, " next, ");
	app_key_of(a, "prev", &text);
	sbuf_puts(&text, " previous");
	app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

/* What was searched, where that was not all there is. */
static void say_more_text(const struct app *a, struct sbuf *out)
{
	const struct target *target = &rows_app(a)->work.seek.target;
	struct search_state state;
	struct sbuf key = {0};

	app_key_of(a, "ask command search-text", &key);
	if (target->kind == TARGET_TEXT && !target->by_pc && key.len)
		sbuf_printf(out, "  (%s searches all lines of the trace)", sbuf_text(&key));
	sbuf_free(&key);
	if (target->kind != TARGET_LINE)
		return;
	search_state(target->lines, &state);
	if (state.clipped)
		sbuf_puts(out, " (only the first 64 KiB of long lines were searched)");
	if (state.limited)
		sbuf_puts(out, " (the pattern is too slow for some lines)");
}

static void say_missing(struct app *a)
{
	const struct work *w = &rows_app(a)->work;
	struct sbuf text = {0};
	struct progress p;

	store_progress(rows_of(w->tab)->store, &p);
	describe_target(w->tab, &w->seek.target, &text);
	say_more_text(a, &text);
	app_message(a, true, "not found: %s%s%s", sbuf_text(&text),
		    p.complete ? "" : " (so far: the trace is still being read)",
		    w->seek.target.kind == TARGET_TEXT && regex_limited(w->seek.target.text)
			? " (the pattern is too slow for some rows)"
			: "");
	sbuf_free(&text);
}

static unsigned seek_found(struct app *a)
{
	struct work *w = &rows_app(a)->work;
	struct rows *r = rows_of(w->tab);
	struct pipeview *v = &r->view;

	if (!w->trial)
		places_jumped(&w->tab->places, w->from);
	if (w->seek.target.kind == TARGET_GAP)
		pipeview_goto_tick(v, w->seek.tick);
	else
		pipeview_goto(v, w->seek.row, w->seek.tick);
	rows_track_selection(w->tab);
	if (w->seek.target.kind == TARGET_LINE)
		r->target = w->seek.target;
	if (!w->trial) {
		tab_landed(w->tab);
		say_found(a);
	}
	return REACT_REDRAW;
}

/* Takes the seek apart and says how it ended. */
static unsigned seek_ended(struct app *a, enum seek_answer answer, const struct error *e)
{
	struct work *w = &rows_app(a)->work;
	unsigned r = REACT_REDRAW;

	if (answer == SEEK_FOUND) {
		r |= seek_found(a);
	} else if (w->trial) {
		a->prompt.bad = answer == SEEK_MISSING;
		tab_goto(w->tab, w->from);
	} else if (answer == SEEK_MISSING) {
		say_missing(a);
		r |= REACT_BELL;
	} else {
		app_message(a, true, "%s", answer == SEEK_STOPPED ? "stopped" : e->text);
	}
	seek_end(&w->seek);
	over(w);
	return r;
}

static unsigned seek_slice(struct app *a, int64_t deadline)
{
	struct work *w = &rows_app(a)->work;
	struct error e = {STATUS_OK, ""};
	enum seek_answer answer = seek_step(&w->seek, deadline, &w->background.stop, &e);

	/* a count goes round once, however large it is */
	while (answer == SEEK_FOUND && w->times > 1 && !(w->round && w->seek.wrapped)) {
		w->round = w->round || w->seek.wrapped;
		w->times--;
		seek_again(&w->seek);
		if (clock_ms() >= deadline)
			return REACT_NONE;
		answer = seek_step(&w->seek, deadline, &w->background.stop, &e);
	}
	if (answer == SEEK_FOUND && seek_locate(&w->seek, &e))
		answer = SEEK_FAILED;
	return answer == SEEK_MORE ? REACT_NONE : seek_ended(a, answer, &e);
}

static unsigned step_seek(struct app *a, struct job *job, int64_t deadline)
{
	(void)job;
	return seek_slice(a, deadline);
}

/* How much of the text was looked at, where that is what is searched. */
static void say_seek(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct target *target = &((const struct work *)job)->seek.target;
	struct search_state state;

	(void)a;
	sbuf_puts(out, "  searching");
	if (target->kind == TARGET_LINE) {
		search_state(target->lines, &state);
		sbuf_printf(out, ", %d%%",
			    state.total ? (int)(100.0 * (double)state.done / (double)state.total)
					: 0);
	}
	sbuf_puts(out, " (^C stops)");
}

static void stop_seek(struct app *a, struct job *job)
{
	(void)job;
	seek_ended(a, SEEK_STOPPED, NULL);
}

static void drop(struct app *a, struct job *job)
{
	(void)job;
	work_cancel(a);
}

static const struct job_kind seek_job = {.step = step_seek,
					 .say = say_seek,
					 .stop = stop_seek,
					 .drop = drop,
					 .flags = JOB_HOLDS | JOB_YIELDS};
/* While a pattern is being typed: ^C is for the prompt. */
static const struct job_kind trial_job = {
    .step = step_seek, .drop = drop, .flags = JOB_HOLDS | JOB_YIELDS};

static unsigned begin_seek(struct app *a, const struct target *target, struct place from, int dir,
			   int64_t times, bool trial)
{
	struct work *w = &rows_app(a)->work;
	struct tab *t = a->tab;
	struct target aim = *target;
	int64_t first;

	work_cancel(a);
	if (from.item == ROW_NONE)
		return REACT_BELL;
	if (!tab_ticks(t, &first, &aim.now))
		aim.now = 0;
	w->kind = WORK_SEEK;
	w->tab = t;
	w->background.stop = false;
	w->times = times > 0 ? times : 1;
	w->round = false;
	w->trial = trial;
	w->from = from;
	seek_begin(&w->seek, rows_of(t)->store, rows_of(t)->filter, &aim, from.item, from.tick, dir,
		   a->set.value[OPT_WRAP]);
	job_begin(&a->jobs, &w->background.job, trial ? &trial_job : &seek_job);
	return seek_slice(a, clock_ms() + SLICE_MS) | REACT_REDRAW;
}

unsigned work_seek(struct app *a, int dir, int64_t times)
{
	struct work *w = &rows_app(a)->work;

	/* n typed again while it still looks: one more */
	if (w->kind == WORK_SEEK && !w->trial && w->seek.dir == dir) {
		w->times += times > 0 ? times : 1;
		return REACT_NONE;
	}
	return begin_seek(a, &rows_of(a->tab)->target, tab_place(a->tab), dir, times, false);
}

unsigned work_try(struct app *a, const struct target *target, struct place from, int dir)
{
	return begin_seek(a, target, from, dir, 1, true);
}

/* Filters */

enum status row_choice_copy(struct row_choice *out, const struct row_choice *from, struct error *e)
{
	*out = *from;
	out->text = NULL;
	out->threads = NULL;
	if (from->text && regex_new(&out->text, regex_pattern(from->text), e))
		return STATUS_USAGE;
	if (from->threads) {
		out->threads = xcalloc(from->thread_count, sizeof(*out->threads));
		memcpy(out->threads, from->threads, from->thread_count * sizeof(*out->threads));
	}
	return STATUS_OK;
}

void row_choice_free(struct row_choice *c)
{
	regex_free(c->text);
	free(c->threads);
	*c = (struct row_choice){0};
}

static enum status make_filter(struct background *b)
{
	struct work *w = (struct work *)b;
	struct filter_spec spec = {.text = w->choice.text,
				   .invert = w->choice.invert,
				   .fates = w->choice.fates,
				   .no_micro_ops = w->choice.no_micro_ops,
				   .threads = w->choice.threads,
				   .thread_count = w->choice.thread_count};

	return filter_new(&w->filter, rows_of(w->tab)->store, &spec, &b->stop, &b->error);
}

static unsigned hidden_fates(const struct options *o)
{
	return (unsigned)o->value[OPT_HIDE_SQUASHED] << FATE_SQUASHED |
	       (unsigned)o->value[OPT_HIDE_DROPPED] << FATE_DROPPED |
	       (unsigned)o->value[OPT_HIDE_LOST] << FATE_LOST |
	       (unsigned)o->value[OPT_HIDE_IN_FLIGHT] << FATE_IN_FLIGHT;
}

static unsigned adopt_filter(struct app *a, struct filter *f)
{
	struct work *w = &rows_app(a)->work;
	struct rows *r = rows_of(w->tab);

	row_choice_free(&r->choice);
	r->choice = w->choice;
	w->choice = (struct row_choice){0};
	rows_set_filter(w->tab, f);
	rows_track_selection(w->tab);
	panes_refresh(a, false);
	return REACT_REDRAW;
}

static unsigned filter_ended(struct app *a, struct job *job)
{
	struct work *w = (struct work *)job;
	enum status status;
	struct progress p;

	background_wait(&w->background);
	status = w->background.status;
	w->kind = WORK_NONE;
	store_progress(rows_of(w->tab)->store, &p);
	/* what was published since it began: that may be what matches */
	if (!status && filter_extend(w->filter, &w->background.stop, NULL))
		p.complete = false;
	if (!status && (filter_count(w->filter) || !w->choice.text || !p.complete))
		return adopt_filter(a, w->filter);
	if (status)
		app_message(a, true, "%s",
			    status == STATUS_INTERRUPTED ? "stopped" : w->background.error.text);
	else
		app_message(a, true, "no row %s /%s/: the filter is unchanged",
			    w->choice.invert ? "remains after" : "matches",
			    regex_pattern(w->choice.text));
	if (!status)
		filter_free(w->filter);
	row_choice_free(&w->choice);
	return REACT_REDRAW | REACT_BELL;
}

static const struct job_kind filter_job = {.step = background_step,
					   .ended = filter_ended,
					   .saying = "  filtering (^C stops)",
					   .stop = background_interrupt,
					   .drop = drop,
					   .flags = JOB_BESIDE | JOB_HOLDS};

unsigned work_filter(struct app *a, struct row_choice *choice)
{
	struct work *w = &rows_app(a)->work;
	unsigned hidden = hidden_fates(&a->set);

	work_cancel(a);
	w->tab = a->tab;
	w->choice = *choice;
	*choice = (struct row_choice){0};
	w->choice.fates = hidden ? ~hidden & ((1u << FATE_COUNT) - 1) : 0;
	w->choice.no_micro_ops = a->set.value[OPT_HIDE_MICRO_OPS];
	if (!w->choice.text && !w->choice.threads && !hidden && !w->choice.no_micro_ops)
		return adopt_filter(a, NULL);
	w->filter = NULL;
	w->kind = WORK_FILTER;
	background_start(&w->background, make_filter);
	job_begin(&a->jobs, &w->background.job, &filter_job);
	return REACT_REDRAW;
}

unsigned work_refilter(struct app *a)
{
	struct row_choice choice;
	struct error e;

	/* a copy of the pattern: the one in force outlives a filter that fails */
	if (row_choice_copy(&choice, &rows_of(a->tab)->choice, &e)) {
		app_message(a, true, "%s", e.text);
		return REACT_REDRAW;
	}
	return work_filter(a, &choice);
}

/* Chains */

static enum status find_chain(struct background *b)
{
	const struct rows *r = rows_of(((struct work *)b)->tab);

	return chain_find(r->chain, r->store, &b->stop, &b->error);
}

/* What was found before it was stopped is shown, too. */
static unsigned chain_ended(struct app *a, struct job *job)
{
	struct work *w = (struct work *)job;
	struct rows *r = rows_of(w->tab);
	char producers[32], consumers[32];

	background_wait(&w->background);
	w->kind = WORK_NONE;
	if (w->background.status) {
		app_message(a, true, "%s", w->background.error.text);
		return REACT_REDRAW;
	}
	r->view.chain = r->chain;
	app_message(a, false, "chain: %s before, %s after%s",
		    num_group((int64_t)r->chain->sides[CHAIN_PRODUCER], producers),
		    num_group((int64_t)r->chain->sides[CHAIN_CONSUMER], consumers),
		    w->background.stop ? " so far: stopped"
		    : r->chain->cut    ? ", and more: the limit of rows is reached"
		    : r->chain->far    ? ", and more too far back in the text"
				       : "");
	return REACT_REDRAW;
}

static const struct job_kind chain_job = {.step = background_step,
					  .ended = chain_ended,
					  .saying = "  finding the chain (^C stops)",
					  .stop = background_interrupt,
					  .drop = drop,
					  .flags = JOB_BESIDE | JOB_HOLDS};

unsigned work_chain(struct app *a)
{
	struct work *w = &rows_app(a)->work;

	work_cancel(a);
	w->kind = WORK_CHAIN;
	w->tab = a->tab;
	rows_of(a->tab)->view.chain = NULL;
	background_start(&w->background, find_chain);
	job_begin(&a->jobs, &w->background.job, &chain_job);
	return REACT_REDRAW;
}

void work_cancel(struct app *a)
{
	struct work *w = &rows_app(a)->work;

	w->background.stop = true;
	background_wait(&w->background);
	if (w->kind == WORK_FILTER) {
		if (!w->background.status)
			filter_free(w->filter);
		row_choice_free(&w->choice);
	} else if (w->kind == WORK_SEEK) {
		seek_end(&w->seek);
	} else if (w->kind == WORK_CHAIN) {
		rows_of(w->tab)->view.chain = rows_of(w->tab)->chain;
	}
	over(w);
}
