#include "config.h"

#include "app/joined.h"

#include <inttypes.h>
#include <time.h>

#include "app/state.h"

enum { POLL_MS = 10 };

/* Beginning and end */

struct joined *joined_again(const struct tab *t)
{
	return t->joined ? t->joined->ops->again(t->joined) : NULL;
}

static bool is_ready(const struct joined *j)
{
	return !j->reading && j->ops->ready(j);
}

void joined_end(struct app *a, struct joined *j)
{
	if (!j)
		return;
	if (a->joining == j)
		a->joining = NULL;
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
	if (is_ready(j))
		j->ops->stop(j);
	else
		joined_end(a, j);
	a->joining = NULL;
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
}

void joined_start(struct app *a, struct joined *j)
{
	stop_others(a, j);
	j->since = clock_ms();
	a->joining = j;
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
	if (j->side[JOINED_A]->filter || j->side[JOINED_B]->filter)
		work_refilter(a);
	panes_refresh(a, false);
	return true;
}

/* Work that goes on */

/* The side that is still being read; -1: neither. */
static int still_reading(const struct joined *j, struct progress *p)
{
	for (int s = 0; s < JOINED_SIDES; s++) {
		store_progress(j->side[s]->store, p);
		if (!p->complete)
			return s;
	}
	return -1;
}

static unsigned read_on(struct app *a, struct joined *j)
{
	struct progress p;

	if (j->asked)
		return joined_give_up(a, j, "stopped: the traces are not compared");
	if (still_reading(j, &p) >= 0)
		return REACT_NONE;
	j->reading = false;
	j->since = clock_ms();
	j->ops->begin(a, j);
	return REACT_REDRAW;
}

unsigned joined_slice(struct app *a)
{
	struct joined *j = a->joining;
	unsigned r;
	int64_t second;

	if (!j)
		return REACT_NONE;
	r = j->reading ? read_on(a, j) : j->ops->slice(a, j);
	if (a->joining != j)
		return r;
	if (!j->reading && !j->ops->busy(j))
		a->joining = NULL;
	/* the seconds told have changed */
	second = (clock_ms() - j->since) / 1000;
	if (second != j->told_second)
		r |= REACT_REDRAW;
	j->told_second = second;
	return r;
}

unsigned joined_finish(struct app *a)
{
	unsigned r = REACT_NONE;

	/* what is still being read may take as long as it likes: at a terminal nobody waits */
	while (a->joining && (a->options.headless || !a->joining->reading)) {
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
	j->asked = true;
	j->ops->ask(j);
	return true;
}

void joined_pending(const struct app *a, struct sbuf *out)
{
	const struct joined *j = a->joining;
	struct progress p;
	int side;

	if (!j)
		return;
	side = j->reading ? still_reading(j, &p) : -1;
	if (side >= 0 && tab_live(j->side[side]) != LIVE_OVER)
		sbuf_printf(out, "  to be compared when %c is no longer written",
			    joined_letter(side));
	else if (side >= 0)
		sbuf_printf(out, "  to be compared: reading %c %d %%", joined_letter(side),
			    tab_percent(&p));
	else if (!j->reading)
		j->ops->progress(j, out);
	sbuf_puts(out, " (^C stops)");
}
