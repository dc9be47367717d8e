#include "config.h"

#include "app/tail.h"

#include <string.h>

#include "app/launch.h"
#include "app/state.h"

/* ---- following --------------------------------------------------------------------------- */

static bool is_pipe(const struct tab *t)
{
	return source_is_pipe(t->trace->source);
}

/* Somebody moved the cursor since it was put at the newest row. */
static bool drifted(const struct tab *t)
{
	struct place here = tab_place(t);

	return t->has_stuck && (here.item != t->stuck.item || here.tick != t->stuck.tick);
}

enum live tab_live(const struct tab *t)
{
	if (!t->trace->kind->is_live(t->trace))
		return LIVE_OVER;
	if (!t->follow)
		return LIVE_READING;
	return t->paused || drifted(t) ? LIVE_PAUSED : LIVE_FOLLOWING;
}

void tab_stick(struct tab *t)
{
	t->paused = t->paused || drifted(t);
	if (!t->follow || t->paused || !t->placed)
		return;
	view_go_end(t->view, true);
	view_moved(t->view);
	t->stuck = tab_place(t);
	t->has_stuck = true;
}

static void go_on(struct tab *t)
{
	t->follow = true;
	t->paused = t->has_stuck = false;
	tab_stick(t);
}

void tail_after(struct tab *t, const struct command *c)
{
	if (!t->follow || !(c->flags & CMD_MOVES))
		return;
	if (strcmp(c->name, "goto last") == 0)
		go_on(t);
	else
		t->paused = true;
}

static enum status nothing_to_follow(struct app *a, struct error *e)
{
	bool child = a->child && a->tab == a->child_tab;

	return error_set(e, STATUS_NOT_FOUND, "%s has ended: there is nothing to follow",
			 child ? child_name(a->child) : "the input");
}

enum status tail_reopen(struct app *a, bool follow, struct error *e)
{
	struct tab_options options = app_tab_options(a);
	struct tab *t = a->tab;
	bool following = tab_live(t) == LIVE_FOLLOWING;
	struct joined *again = joined_again(t);
	enum status status;

	joined_end(a, t->joined);
	jobs_drop(a, 0);
	/* panes borrow the store that goes */
	a->tab = NULL;
	panes_change_trace(a);
	a->tab = t;
	options.follow = follow;
	status = tab_reload(t, &options, e);
	panes_change_trace(a);
	if (again)
		joined_begin(a, again);
	if (status)
		return status;
	t->has_stuck = false;
	if (following) { /* it goes to the newest row, not to where it was */
		t->returning = false;
		t->placed = true;
	}
	return STATUS_OK;
}

/* A file that was read to its end is read again, as one that grows. */
static enum status follow_tab(struct app *a, struct error *e)
{
	struct tab *t = a->tab;
	enum status status = STATUS_OK;
	struct progress p;

	if (a->options.headless)
		return error_set(e, STATUS_UNSUPPORTED, "follow works only in a terminal");
	trace_progress(t->trace, &p);
	if (p.complete && is_pipe(t))
		return nothing_to_follow(a, e);
	if (p.complete && t->joined) /* matching waits for the end */
		return error_set(e, STATUS_USAGE,
				 "cannot follow a compared trace: compare off ends the comparison");
	if (p.complete) {
		status = tail_reopen(a, true, e);
		if (!status)
			views_refilter(a);
	} else if (!t->trace->kind->is_live(t->trace)) {
		status = t->trace->kind->follow(t->trace, true, e);
	}
	if (status)
		return status;
	t->growing = !is_pipe(t);
	t->returning = false;
	t->placed = true;
	go_on(t);
	return STATUS_OK;
}

void tail_option(struct app *a)
{
	struct tab *t = a->tab;
	struct error e;

	if (!t || a->options.headless)
		return;
	if (!a->set.value[OPT_FOLLOW])
		t->follow = false;
	else if (tab_live(t) != LIVE_OVER && follow_tab(a, &e))
		app_message(a, true, "%s", e.text);
}

/* What is still written can only be read now: whoever ends that is told before what it costs. */
static void pause_and_warn(struct app *a, bool following)
{
	char key[KEY_TEXT];

	if (following)
		app_message(a, false, "paused: %s follows again, ^C again %s",
			    app_key_text(a, "follow", key), a->tab->growing ? "stops following" : "stops reading");
	else if (a->tab->growing)
		app_message(a, false, "^C again stops following");
	else
		app_message(a, false, "^C again stops reading: the rest of the trace will be missing");
	a->tab->paused = true;
	a->end_warned = true;
}

static void follow_no_longer(struct app *a)
{
	struct tab *t = a->tab;
	struct error ignored;
	char key[KEY_TEXT];

	t->growing = t->follow = a->end_warned = false;
	t->trace->kind->follow(t->trace, false, &ignored);
	app_message(a, false, "no longer following: %s follows again",
		    app_key_text(a, "follow", key));
}

bool tail_stop(struct app *a)
{
	enum live now = a->tab ? tab_live(a->tab) : LIVE_OVER;

	if (now == LIVE_OVER)
		return false;
	if (now == LIVE_FOLLOWING || !a->end_warned)
		pause_and_warn(a, now == LIVE_FOLLOWING);
	else if (a->tab->growing)
		follow_no_longer(a);
	else
		return false;
	return true;
}

/* Following was asked for when the last piece had just been taken: that was too late. */
static void missed(struct app *a)
{
	struct tab *t = a->tab;
	struct progress p;
	struct error e;

	if (!t || !t->growing || !t->told)
		return;
	trace_progress(t->trace, &p);
	t->growing = false;
	if (p.failed || p.cancelled || !t->follow)
		return;
	if (follow_tab(a, &e))
		app_message(a, true, "%s", e.text);
	a->react |= REACT_REDRAW;
}

/* ---- the program ------------------------------------------------------------------------- */

/* Where there is nothing else to look at, the keys are its. */
static void show_stderr(struct app *a)
{
	const struct pane_kind *kind = pane_kind_find("stderr", NULL);

	if (a->tab)
		panes_show(a, kind);
	else
		panes_open(a, kind, NULL);
}

static void tell_child_end(struct app *a)
{
	struct sbuf how = {0};
	char key[KEY_TEXT];
	bool failed = child_failed(a->child);

	a->child_told = true;
	child_status(a->child, &how);
	/* whichever comes last, its end or the end of its trace, says both */
	app_message(a, failed, "%s%s ended: %s (%s shows its messages)",
		    a->tab || launch_awaits(a, NULL) ? "" : "no trace to show: ", child_name(a->child),
		    sbuf_text(&how), app_key_text(a, "stderr", key));
	sbuf_free(&how);
	if (failed)
		show_stderr(a);
}

/* The pane is made again as lines come; whoever is at its end stays there. */
static unsigned hear_child(struct app *a)
{
	uint64_t first, end;

	child_heard(a->child);
	child_said(a->child, &first, &end);
	if (end == a->child_lines && child_ended(a->child) == a->child_told)
		return REACT_NONE;
	/* there is nothing else to look at */
	if (!a->tab && end > a->child_lines && !a->child_shown) {
		show_stderr(a);
		a->child_shown = true;
	}
	a->child_lines = end;
	if (child_ended(a->child) && !a->child_told)
		tell_child_end(a);
	panes_renew_kind(a, "stderr");
	return REACT_REDRAW;
}

void tail_shows_trace(struct app *a)
{
	a->child_tab = a->tab;
	if (a->child_shown && !child_failed(a->child))
		panes_close_kind(a, "stderr");
}

unsigned tail_idle(struct app *a)
{
	missed(a);
	launch_progress(a);
	return a->child ? hear_child(a) : REACT_NONE;
}

void tail_title(const struct app *a, struct sbuf *out)
{
	if (!a->child || a->tab != a->child_tab)
		return;
	sbuf_puts(out, child_ended(a->child) ? "  ended: " : "  ");
	child_status(a->child, out);
}

bool tail_may_quit(struct app *a)
{
	if (!a->child || child_ended(a->child) || a->quit_asked || a->options.headless)
		return true;
	a->quit_asked = true;
	app_message(a, true, "%s is running: repeat to stop it and quit", child_name(a->child));
	return false;
}

void app_suspended(struct app *a, bool suspended)
{
	if (a->child)
		child_stop(a->child, suspended);
}

bool app_reads(const struct app *a)
{
	bool reads = (!a->tab && launch_awaits(a, NULL)) || (a->child && !a->child_told);

	for (int i = 0; i < a->tab_count; i++)
		reads = reads || !a->tabs[i]->told;
	return reads;
}

void tail_free(struct app *a)
{
	if (a->child)
		child_end(a->child);
	launch_free(a);
	child_free(a->child);
	a->child = NULL;
}

/* ---- commands --------------------------------------------------------------------------- */

static enum status follow(struct call *c, struct error *e)
{
	return follow_tab(c->app, e);
}

static enum status pause_following(struct call *c, struct error *e)
{
	struct tab *t = c->app->tab;
	enum live now = tab_live(t);
	char key[KEY_TEXT];

	if (now == LIVE_PAUSED)
		return follow_tab(c->app, e);
	if (now != LIVE_FOLLOWING)
		return error_set(e, STATUS_NOT_FOUND, "not following: %s follows the trace",
				 app_key_text(c->app, "follow", key));
	t->paused = true;
	return STATUS_OK;
}

const struct command live_commands[] = {
    {"follow", "", "stay at the newest row of a pipe or a growing file", .run = follow,
     .flags = CMD_TRACE | CMD_JUMP},
    {"pause", "", "stay here while new rows arrive; repeat to follow", .run = pause_following,
     .flags = CMD_TRACE},
    {"stderr", "", "show the program's messages, and how it ended", .run = panes_open_named},
    {.name = NULL},
};
