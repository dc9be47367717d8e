#include "config.h"

#include "app/pipeline/analysing.h"

#include "app/pipeline/rows.h"
#include "view/pipeline/pane_range.h"

/* What is made of the same part of a trace needs no second pass over it. */
static bool same_part(const struct analysis_wish *a, const struct analysis_wish *b)
{
	return a->links == b->links && a->complete == b->complete &&
	       selection_same(&a->range, &b->range);
}

static bool same_wish(const struct analysis_wish *a, const struct analysis_wish *b)
{
	return same_part(a, b) && a->look[0] == b->look[0] && a->look[1] == b->look[1];
}

/* All its rows; its ticks are some of the trace's. */
static struct range rows_of_wish(const struct store *s, const struct selection *range)
{
	struct range rows = pane_range_part(s, range);
	struct progress p;

	store_progress(s, &p);
	rows.limit = 0;
	if (rows.tick0 < p.first)
		rows.tick0 = p.first;
	if (p.last < TICK_NONE && rows.tick1 > p.last + 1)
		rows.tick1 = p.last + 1;
	if (rows.tick1 < rows.tick0)
		rows.tick1 = rows.tick0;
	return rows;
}

static int percent(const struct analysing *x)
{
	return x->kind->percent ? x->kind->percent(x) : 0;
}

static void say_progress(const struct analysing *x, struct sbuf *out)
{
	sbuf_puts(out, x->kind->doing);
	if (x->kind->percent)
		sbuf_printf(out, " %d %%", percent(x));
	sbuf_puts(out, " (^C stops)");
}

static void ended(struct app *a, struct analysing *x)
{
	enum status status;

	background_wait(&x->background);
	status = x->background.status;
	if (!status) {
		x->kind->take(x);
		x->made = x->wish;
		x->is_made = true;
	} else if (status == STATUS_INTERRUPTED) {
		x->stopped = x->interrupted;
		if (x->interrupted)
			app_message(a, true, "stopped");
	} else if (same_wish(&x->wish, &x->asked)) {
		x->error = x->background.error;
		x->is_made = false;
	}
	panes_renew_kind(a, x->kind->pane);
	if (x->kind->forget)
		x->kind->forget(x);
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct analysing *x = (struct analysing *)job;
	int now;

	(void)deadline;
	if (background_ended(&x->background)) {
		ended(a, x);
		return REACT_REDRAW;
	}
	now = percent(x);
	if (now == x->told)
		return REACT_NONE;
	x->told = now;
	panes_renew_kind(a, x->kind->pane);
	return REACT_REDRAW;
}

static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a;
	sbuf_puts(out, "  ");
	say_progress((const struct analysing *)job, out);
}

static void interrupt(struct app *a, struct job *job)
{
	struct analysing *x = (struct analysing *)job;

	(void)a;
	x->background.stop = x->interrupted = true;
}

static const struct job_kind analysing_job = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct tab *t, struct analysing *x)
{
	x->store = rows_of(t)->store;
	x->wish = x->asked;
	x->rows = rows_of_wish(x->store, &x->wish.range);
	x->interrupted = false;
	x->told = 0;
	if (x->kind->prepare)
		x->kind->prepare(a, x);
	background_start(&x->background, x->kind->work);
	job_begin(&a->jobs, &x->background.job, &analysing_job);
}

/*
 * The first result of a part is waited for, also when the look has changed by then. Nobody waits for
 * a job that is of no use any more: when it has ended the pane is made again, which comes here.
 */
void analysing_want(struct app *a, struct tab *t, struct analysing *x,
		    const struct analysis_wish *wish)
{
	if (!x->is_asked || !same_wish(wish, &x->asked)) {
		x->asked = *wish;
		x->is_asked = true;
		x->stopped = false;
		x->error.text[0] = '\0';
	}
	if (x->stopped || *x->error.text || analysing_is_over(x))
		return;
	if (!x->background.running)
		begin(a, t, x);
	else if (!same_part(&x->wish, &x->asked) ||
		 (analysing_has(x) && !same_wish(&x->wish, &x->asked)))
		x->background.stop = true;
}

bool analysing_has(const struct analysing *x)
{
	return x->is_made && same_part(&x->made, &x->asked);
}

bool analysing_is_over(const struct analysing *x)
{
	return x->is_made && same_wish(&x->made, &x->asked);
}

void analysing_say(const struct analysing *x, struct sbuf *out)
{
	if (x->background.running)
		say_progress(x, out);
	else if (x->stopped)
		sbuf_printf(out, "stopped: :%s starts again",
			    x->kind->command ? x->kind->command : x->kind->pane);
	else
		sbuf_puts(out, x->error.text);
}

void analysing_again(struct analysing *x)
{
	x->stopped = false;
	x->error.text[0] = '\0';
	x->is_made = x->is_made && x->made.complete;
}

void analysing_stop(struct analysing *x)
{
	x->background.stop = true;
	background_wait(&x->background);
}
