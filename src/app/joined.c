#include "config.h"

#include "app/joined.h"

#include "app/state.h"

static const struct job_kind reading_kind;
static const struct job_kind working_kind;

/* Beginning and end */

struct joined *joined_again(const struct tab *t)
{
	return t->joined ? t->joined->ops->again(t->joined) : NULL;
}

static bool is_ready(const struct joined *j)
{
	return !j->reading && j->ops->ready(j);
}

/* Nothing goes on for j any more. */
static void settle(struct app *a, struct joined *j)
{
	job_end(&j->job);
	if (a->joining == j)
		a->joining = NULL;
}

void joined_end(struct app *a, struct joined *j)
{
	if (!j)
		return;
	settle(a, j);
	panes_close_kind(a, "compare");
	for (int s = 0; s < JOINED_SIDES; s++)
		j->side[s]->joined = NULL;
	if (j->graph)
		resource_free(j->graph);
	j->ops->stop(j);
	j->ops->free(j);
	app_relayout(a);
}

/* One joining goes on at a time. */
static void stop_others(struct app *a, const struct joined *but)
{
	struct joined *j = a->joining;

	if (!j || j == but)
		return;
	settle(a, j);
	if (is_ready(j))
		j->ops->stop(j);
	else
		joined_end(a, j);
}

void joined_begin(struct app *a, struct joined *j)
{
	stop_others(a, NULL);
	for (int s = 0; s < JOINED_SIDES; s++) {
		joined_end(a, j->side[s]->joined);
		j->side[s]->joined = j;
	}
	j->reading = true;
	j->since = clock_ms();
	a->joining = j;
	job_begin(&a->jobs, &j->job, &reading_kind);
}

void joined_start(struct app *a, struct joined *j)
{
	stop_others(a, j);
	j->since = clock_ms();
	a->joining = j;
	job_begin(&a->jobs, &j->job, &working_kind);
}

unsigned joined_give_up(struct app *a, struct joined *j, const char *why)
{
	app_message(a, true, "%s", why);
	joined_end(a, j);
	return REACT_REDRAW | REACT_RELAYOUT | REACT_BELL;
}

/* Who has the focus */

struct joined *joined_shown(const struct app *a)
{
	struct joined *j = a->tab ? a->tab->joined : NULL;

	return j && is_ready(j) ? j : NULL;
}

int joined_side(const struct joined *j, const struct tab *t)
{
	return j->side[JOINED_A] == t ? JOINED_A : JOINED_B;
}

void joined_sync(struct app *a)
{
	struct joined *j = joined_shown(a);

	if (!j)
		return;
	j->focus = joined_side(j, a->tab);
	j->ops->follow(j);
}

bool joined_pass(struct app *a, struct tab *t)
{
	struct joined *j = joined_shown(a);

	if (!j || t->joined != j)
		return false;
	if (t == a->tab)
		return true;
	joined_sync(a);
	jobs_drop(a, 0);
	a->tab = t;
	app_relayout(a);
	joined_sync(a);
	/* rows may have been hidden or shown while the other side had the focus */
	views_refilter(a);
	panes_refresh(a, false);
	return true;
}

/* Work that goes on */

/* The side that is still being read; -1: neither. */
static int still_reading(const struct joined *j, struct progress *p)
{
	for (int s = 0; s < JOINED_SIDES; s++) {
		trace_progress(j->side[s]->trace, p);
		if (!p->complete)
			return s;
	}
	return -1;
}

static unsigned read_on(struct app *a, struct joined *j)
{
	struct progress p;

	if (still_reading(j, &p) >= 0)
		return REACT_NONE;
	j->reading = false;
	j->since = clock_ms();
	j->ops->begin(a, j);
	return REACT_REDRAW;
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct joined *j = (struct joined *)job;
	unsigned r = j->reading ? read_on(a, j) : j->ops->slice(a, j);
	int64_t second;

	(void)deadline;
	if (a->joining != j) /* it may be gone */
		return r;
	if (!j->reading && !j->ops->busy(j))
		settle(a, j);
	/* the seconds told have changed */
	second = (clock_ms() - j->since) / 1000;
	if (second != j->told_second)
		r |= REACT_REDRAW;
	j->told_second = second;
	return r;
}

static void say_reading(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct joined *j = (const struct joined *)job;
	struct progress p;
	int side = still_reading(j, &p);

	(void)a;
	if (side >= 0 && tab_live(j->side[side]) != LIVE_OVER)
		sbuf_printf(out, "  to be compared when %c is no longer written",
			    joined_letter(side));
	else if (side >= 0)
		sbuf_printf(out, "  to be compared: reading %c %d %%", joined_letter(side),
			    tab_percent(&p));
	sbuf_puts(out, " (^C stops)");
}

static void say_working(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct joined *j = (const struct joined *)job;

	(void)a;
	j->ops->progress(j, out);
	sbuf_puts(out, " (^C stops)");
}

static void stop_reading(struct app *a, struct job *job)
{
	joined_give_up(a, (struct joined *)job, "stopped: the traces are not compared");
}

static void stop_working(struct app *a, struct job *job)
{
	struct joined *j = (struct joined *)job;

	(void)a;
	j->ops->ask(j);
}

/* It may take as long as it likes: at a terminal nobody waits. */
static const struct job_kind reading_kind = {
    .step = step, .say = say_reading, .stop = stop_reading, .flags = JOB_BESIDE};
static const struct job_kind working_kind = {
    .step = step, .say = say_working, .stop = stop_working, .flags = JOB_BESIDE | JOB_HOLDS};
