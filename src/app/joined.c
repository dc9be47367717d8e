#include "config.h"

#include "app/joined.h"

#include <inttypes.h>

#include "app/state.h"

static const struct job_kind reading_kind, matching_kind;

/* Beginning and end */

struct joined *joined_again(const struct tab *t)
{
	return t->joined ? t->joined->ops->again(t->joined) : NULL;
}

void joined_end(struct app *a, struct joined *j)
{
	if (!j)
		return;
	j->matching.stop = true;
	background_wait(&j->matching);
	panes_close_kind(a, "compare");
	for (int s = 0; s < JOINED_SIDES; s++) {
		j->side[s]->joined = NULL;
		strip_beside(&j->side[s]->strip, NULL);
	}
	if (j->graph)
		resource_free(j->graph);
	j->ops->free(j);
	app_relayout(a);
}

void joined_begin(struct app *a, struct joined *j)
{
	jobs_drop(a, 0); /* what is asked of another two */
	for (int s = 0; s < JOINED_SIDES; s++) {
		joined_end(a, j->side[s]->joined);
		j->side[s]->joined = j;
	}
	j->reading = true;
	job_begin(&a->jobs, &j->matching.job, &reading_kind);
}

static unsigned give_up(struct app *a, struct joined *j, const char *why)
{
	app_message(a, true, "%s", why);
	joined_end(a, j);
	return REACT_REDRAW | REACT_BELL;
}

/* Who has the focus */

struct joined *joined_shown(const struct app *a)
{
	struct joined *j = a->tab ? a->tab->joined : NULL;

	return j && j->ready ? j : NULL;
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

static enum status match(struct background *b)
{
	struct joined *j = (struct joined *)b;

	return j->ops->match(j, &b->stop, &b->error);
}

static unsigned matched(struct app *a, struct joined *j)
{
	struct background *b = &j->matching;

	background_wait(b);
	if (b->status)
		return give_up(a, j, b->status == STATUS_INTERRUPTED ? "stopped" : b->error.text);
	j->ready = true;
	if (!j->ops->matched(a, j))
		return give_up(a, j, "out of memory");
	app_relayout(a);
	joined_sync(a);
	panes_refresh(a, false);
	return REACT_REDRAW;
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct joined *j = (struct joined *)job;
	int64_t before = j->told_second;
	struct progress p;

	(void)deadline;
	if (j->reading && still_reading(j, &p) >= 0)
		return REACT_NONE;
	if (background_ended(&j->matching) || !j->ops->match)
		return matched(a, j);
	if (j->reading) {
		j->reading = false;
		j->since = clock_ms();
		background_start(&j->matching, match);
		job_begin(&a->jobs, job, &matching_kind);
	}
	j->told_second = (clock_ms() - j->since) / 1000;
	return j->told_second != before ? REACT_REDRAW : REACT_NONE;
}

static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	const struct joined *j = (const struct joined *)job;
	struct progress p;
	int side = still_reading(j, &p);

	(void)a;
	if (!j->reading)
		sbuf_printf(out, "  matching %" PRId64 " s", j->told_second);
	else if (side >= 0 && tab_live(j->side[side]) != LIVE_OVER)
		sbuf_printf(out, "  will compare when %c stops growing", joined_letter(side));
	else if (side >= 0)
		sbuf_printf(out, "  will compare: reading %c %d %%", joined_letter(side),
			    tab_percent(&p));
	sbuf_puts(out, " (^C stops)");
}

static void stop(struct app *a, struct job *job)
{
	struct joined *j = (struct joined *)job;

	if (j->reading)
		give_up(a, j, "stopped: the traces are not compared");
	else
		j->matching.stop = true;
}

/* Reading may take as long as it likes: at a terminal nobody waits. */
static const struct job_kind reading_kind = {
    .step = step, .say = say, .stop = stop, .flags = JOB_BESIDE};
static const struct job_kind matching_kind = {
    .step = step, .say = say, .stop = stop, .flags = JOB_BESIDE | JOB_HOLDS};
