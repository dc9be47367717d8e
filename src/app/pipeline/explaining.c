#include "config.h"

#include "app/pipeline/explaining.h"

#include <stdlib.h>
#include <string.h>

#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/pipeline/why_pane.h"

/* A result, and where it shows. */
struct explained {
	struct why why;
	struct why_path path;
};

/* What is evaluated. */
struct explain_wish {
	struct selection range;
	bool complete; /* the trace is read to its end */
};

/* Of a tab. */
struct explaining {
	struct background background; /* first, so that one is the other */
	/* of the job */
	struct store *store;
	struct range rows;
	bool whole;
	struct explain_wish wish;
	const char *trying; /* NULL: the run as it was */
	struct explained *out;
	struct why_whatif whatif;
	/* what is shown */
	struct explained *result;
	struct explain_wish made, asked;
	VEC(char *) words; /* what-ifs; the result has those before `tried` */
	size_t tried;
	char *opened;            /* the cause whose instructions are listed; NULL: none */
	bool has_asked, stopped; /* stopped: by the user */
	atomic_bool interrupted;
	struct error error; /* why there is none */
};

static bool same_wish(const struct explain_wish *a, const struct explain_wish *b)
{
	return a->complete == b->complete && selection_same(&a->range, &b->range);
}

static void free_result(struct explained *r)
{
	if (!r)
		return;
	why_path_free(&r->path);
	why_free(&r->why);
	free(r);
}

static struct explaining *explaining_of(struct tab *t)
{
	if (!rows_of(t)->explaining)
		rows_of(t)->explaining = xcalloc(1, sizeof(struct explaining));
	return rows_of(t)->explaining;
}

/* ---- on a thread of its own ---------------------------------------------------------------- */

static enum status explain(struct background *b)
{
	struct explaining *x = (struct explaining *)b;
	enum status status;

	if (x->trying)
		return why_try(&x->result->why, x->trying, &x->whatif, &b->stop, &b->error);
	status = why_new(&x->out->why, x->store, x->whole ? NULL : &x->rows, NULL, 0, &b->stop,
			 &b->error);
	return status ? status : why_path_new(&x->out->path, &x->out->why, &b->stop, &b->error);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

/* The instructions fetched in what is selected: rows stand for the ticks from first to last one. */
static struct range range_of(const struct store *s, const struct selection *range)
{
	struct range r = range_all(s);
	struct row row;

	if (!range->on)
		return r;
	r.tick0 = range->tick0;
	r.tick1 = range->tick1;
	if (store_row(s, range->item0, &row) && row.start > r.tick0)
		r.tick0 = row.start;
	if (range->item1 < r.row1 && store_row(s, range->item1, &row) && row.start < r.tick1)
		r.tick1 = row.start;
	return r;
}

static void forget_whatifs(struct explaining *x)
{
	struct why *w = x->result ? &x->result->why : NULL;

	for (size_t i = 0; w && i < w->whatifs.count; i++)
		vec_free(&w->whatifs.data[i].set);
	if (w)
		w->whatifs.count = 0;
	x->tried = 0;
}

/* Says it beside the base as well. */
static void take_whatif(struct app *a, struct explaining *x)
{
	struct why *w = &x->result->why;
	char cycles[32], base[32], saved[32];

	if (!vec_push(&w->whatifs, x->whatif)) {
		vec_free(&x->whatif.set);
		return;
	}
	x->tried++;
	app_message(a, false, "%s: %s cycles instead of %s, %s saved (%.1f %%)%s", x->trying,
		    num_group(x->whatif.cycles, cycles), num_group(w->cycles, base),
		    num_group(x->whatif.saved, saved),
		    w->cycles ? 100.0 * (double)x->whatif.saved / (double)w->cycles : 0,
		    x->whatif.bound ? ", at most" : "");
}

static void take_run(struct explaining *x)
{
	free_result(x->result);
	x->result = x->out;
	x->out = NULL;
	x->made = x->wish;
	x->tried = 0;
}

/* A what-if that cannot be evaluated is forgotten; the pane goes on with the others. */
static void failed(struct app *a, struct explaining *x)
{
	if (!x->trying) {
		x->error = x->background.error;
		return;
	}
	app_message(a, true, "%s", x->background.error.text);
	free(x->words.data[x->tried]);
	memmove(&x->words.data[x->tried], &x->words.data[x->tried + 1],
		(x->words.count - x->tried - 1) * sizeof(*x->words.data));
	x->words.count--;
}

/* What is shown of the old result is made again before that goes. */
static void ended(struct app *a, struct explaining *x)
{
	struct explained *old = NULL;

	background_wait(&x->background);
	if (x->background.status == STATUS_INTERRUPTED) {
		x->stopped = x->interrupted;
		if (x->interrupted)
			app_message(a, true, "stopped");
	} else if (x->background.status) {
		failed(a, x);
	} else if (x->trying) {
		take_whatif(a, x);
	} else {
		old = x->result;
		x->result = NULL;
		take_run(x);
	}
	free(x->out);
	x->out = NULL;
	panes_renew_kind(a, "why");
	free_result(old);
}

static unsigned step(struct app *a, struct job *job, int64_t deadline)
{
	struct explaining *x = (struct explaining *)job;

	(void)deadline;
	if (background_ended(&x->background)) {
		ended(a, x);
		return REACT_REDRAW;
	}
	if (!panes_is_open(a, "why"))
		x->background.stop = true;
	return REACT_NONE;
}

static void say(const struct app *a, const struct job *job, struct sbuf *out)
{
	(void)a, (void)job;
	sbuf_puts(out, "  evaluating (^C stops)");
}

static void interrupt(struct app *a, struct job *job)
{
	struct explaining *x = (struct explaining *)job;

	(void)a;
	x->background.stop = x->interrupted = true;
}

static const struct job_kind explain_kind = {
    .step = step, .say = say, .stop = interrupt, .flags = JOB_BESIDE};

static void begin(struct app *a, struct explaining *x, const char *words)
{
	x->store = rows_of(a->tab)->store;
	x->wish = x->asked;
	x->rows = range_of(x->store, &x->asked.range);
	x->whole = !x->asked.range.on;
	x->trying = words;
	x->whatif = (struct why_whatif){.gone = 0};
	x->out = words ? NULL : xcalloc(1, sizeof(*x->out));
	x->interrupted = false;
	background_start(&x->background, explain);
	job_begin(&a->jobs, &x->background.job, &explain_kind);
}

static void pursue(struct app *a, struct explaining *x)
{
	const bool there = x->result && same_wish(&x->made, &x->asked);

	if (x->stopped || *x->error.text)
		return;
	if (x->background.running)
		x->background.stop |= !same_wish(&x->wish, &x->asked);
	else if (!there)
		begin(a, x, NULL);
	else if (x->tried < x->words.count)
		begin(a, x, x->words.data[x->tried]);
}

static void want(struct app *a, struct explaining *x)
{
	const struct explain_wish wish = {rows_of(a->tab)->view.selection, a->tab->told};

	if (!x->has_asked || !same_wish(&wish, &x->asked)) {
		x->asked = wish;
		x->has_asked = true;
		x->stopped = false;
		x->error.text[0] = '\0';
	}
	pursue(a, x);
}

void explaining_free(struct explaining *x)
{
	if (!x)
		return;
	x->background.stop = true;
	background_wait(&x->background);
	free(x->out);
	forget_whatifs(x);
	free_result(x->result);
	for (size_t i = 0; i < x->words.count; i++)
		free(x->words.data[i]);
	vec_free(&x->words);
	free(x->opened);
	free(x);
}

/* ---- the pane ------------------------------------------------------------------------------ */

struct pane *explaining_pane(struct app *a)
{
	struct explaining *x = explaining_of(a->tab);
	struct why_subject subject = {.store = rows_of(a->tab)->store,
				      .range = rows_of(a->tab)->view.selection,
				      .so_far = !a->tab->told,
				      .state = ""};

	want(a, x);
	subject.opened = x->opened;
	if (x->result && same_wish(&x->made, &x->asked)) {
		subject.why = &x->result->why;
		subject.path = &x->result->path;
	}
	if (x->background.running)
		subject.state = "evaluating ...  (^C stops)";
	else if (x->stopped)
		subject.state = "stopped: :why starts again";
	else if (!subject.why)
		subject.state = x->error.text;
	return why_pane(&subject);
}

/* ---- commands ------------------------------------------------------------------------------ */

static enum status open_why(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	x->stopped = false;
	x->error.text[0] = '\0';
	c->react |= REACT_REDRAW | REACT_RELAYOUT;
	return panes_open(c->app, pane_kind_find("why", NULL), e);
}

/* With a cause: the instructions that own it. */
static enum status why(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	free(x->opened);
	x->opened = c->argc ? xstrdup(c->argv[0]) : NULL;
	return open_why(c, e);
}

/* No argument: none any more. */
static enum status whatif(struct call *c, struct error *e)
{
	struct explaining *x = explaining_of(c->app->tab);

	if (!c->argc) {
		x->background.stop |= x->background.running && x->trying;
		if (x->background.running && x->trying)
			background_wait(&x->background);
		forget_whatifs(x);
		while (x->words.count)
			free(x->words.data[--x->words.count]);
	} else if (!vec_push(&x->words, xstrdup(c->argv[0]))) {
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	return open_why(c, e);
}

const struct command why_commands[] = {
    {"why", "[CAUSE]", "show which causes took the cycles, and what each would save; a cause: who "
		       "owns it", .run = why, .flags = CMD_TRACE},
    {"whatif", "[WHATIF]", "predict the cycles without causes or with other sizes; no argument: "
			   "forget all", .run = whatif, .flags = CMD_TRACE},
    {.name = NULL},
};
