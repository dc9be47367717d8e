#include "config.h"

#include "app/pipeline/cpi0_line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_words.h"
#include "app/pipeline/rows.h"
#include "app/state.h"
#include "base/xalloc.h"
#include "view/resource.h"

enum {
	WINDOW_CYCLES = 64,
	REST_SHARE = 9,
	NAME_BYTES = 4,        /* beside that of the metric; of longer names the letter */
	WINDOWS_MOST = 1 << 14 /* more are never on a screen and beside it */
};

/* Windows [from, to), counted from the first tick of the trace. */
struct windows {
	int64_t first, last; /* ticks of the trace as far as it was read */
	int64_t width;       /* ticks */
	int64_t from, to;
	unsigned machine; /* its number */
};

struct cpi0_line {
	struct background background; /* first, so that one is the other */
	/* of the job */
	struct store *store;
	struct machine machine;
	struct windows wish;
	struct codemap map;
	struct cpi0_point *points; /* of the wish, and of the window before */
	bool failed;               /* for want of memory: not tried again */
	int64_t began, due;        /* clock_ms(); what only grew is not worked out again before */
	/* what is shown */
	struct windows made;
	struct curve_given given;
	double *values;
	int8_t *owners;
	struct machine named; /* that names are of */
	struct curve_look looks[CPI0_LIMITS];
	char initials[CPI0_LIMITS][2];
};

struct cpi0_line *cpi0_line_new(void)
{
	return xcalloc(1, sizeof(struct cpi0_line));
}

void cpi0_line_free(struct cpi0_line *l)
{
	if (!l)
		return;
	l->background.stop = true;
	background_wait(&l->background);
	codemap_free(&l->map);
	free(l->points);
	free(l->values);
	free(l->owners);
	free(l);
}

const struct curve_given *cpi0_line_given(const struct cpi0_line *l)
{
	return &l->given;
}

/* ---- ticks --------------------------------------------------------------------------------- */

/* Ticks may be as far apart as a trace says. */
static int64_t times(int64_t ticks, int64_t n)
{
	int64_t product;

	return __builtin_mul_overflow(ticks, n, &product) ? TICK_NONE - 1 : product;
}

static int64_t tick_of(const struct windows *w, int64_t at)
{
	return tick_add(w->first, times(w->width, at));
}

/* ---- on a thread of its own ---------------------------------------------------------------- */

/* Who was born before the windows and lives in them is counted in the one before, which is not
 * shown. */
static enum status work_out(struct background *b)
{
	struct cpi0_line *l = (struct cpi0_line *)b;
	const struct windows *w = &l->wish;
	struct range r = range_all(l->store);
	enum status status = codemap_renew(&l->map, l->store, &b->error);

	r.tick0 = tick_of(w, w->from - 1);
	r.tick1 = tick_of(w, w->to);
	if (status)
		return status;
	return cpi0_series(l->points, (size_t)(w->to - w->from + 1), l->store, &l->map, &r,
			   &l->machine, &b->stop, &b->error);
}

static void begin(struct app *a, struct store *s, struct cpi0_line *l, const struct windows *wish)
{
	size_t count = (size_t)(wish->to - wish->from + 1);

	l->store = s;
	l->machine = rows_app(a)->machine.machine;
	l->wish = *wish;
	l->points = xreallocarray(l->points, count, sizeof(*l->points));
	l->began = clock_ms();
	background_start(&l->background, work_out);
}

/* ---- what there is ------------------------------------------------------------------------- */

static void name_owners(struct cpi0_line *l)
{
	l->named = l->machine;
	for (int i = 0; i < CPI0_LIMITS; i++) {
		bool queue = i < MACHINE_QUEUES;

		if (queue && i >= l->named.queue_count)
			continue;
		l->initials[i][0] = cpi0_limit_letter(&l->named, i);
		l->looks[i] = (struct curve_look){
		    cpi0_limit_name(&l->named, i), l->initials[i][0],
		    (enum role)(ROLE_METRIC_0 + i % PALETTE_METRICS)};
		if (strlen(l->looks[i].name) > NAME_BYTES)
			l->looks[i].name = l->initials[i];
	}
}

static void take(struct cpi0_line *l)
{
	size_t count = (size_t)(l->wish.to - l->wish.from);

	background_wait(&l->background);
	if (l->background.status) {
		l->failed = l->background.status != STATUS_INTERRUPTED;
		return;
	}
	l->values = xreallocarray(l->values, count, sizeof(*l->values));
	l->owners = xreallocarray(l->owners, count, sizeof(*l->owners));
	for (size_t i = 0; i < count; i++) {
		const struct cpi0_point *p = &l->points[i + 1];

		l->values[i] = p->cpi;
		l->owners[i] = (int8_t)(p->limiting ? __builtin_ctz(p->limiting) : CPI0_NOTHING);
	}
	name_owners(l);
	l->made = l->wish;
	l->due = clock_ms() + (clock_ms() - l->began) * REST_SHARE;
	l->given = (struct curve_given){.first = tick_of(&l->made, l->made.from),
					.width = l->made.width,
					.count = count,
					.values = l->values,
					.owners = l->owners,
					.looks = l->looks,
					.version = l->given.version + 1};
}

static unsigned ended(struct app *a, struct job *job)
{
	(void)a;
	take((struct cpi0_line *)job);
	return REACT_REDRAW;
}

static const struct job_kind line_kind = {
    .step = background_step, .ended = ended, .flags = JOB_BESIDE | JOB_ASIDE};

/* Those on the screen. */
static bool on_screen(const struct app *a, const struct tab *t, struct windows *out)
{
	const struct axis *axis = &rows_of(t)->view.axis;
	int64_t unit = axis_cell(axis, axis->zoom), end = axis_right(axis);
	struct progress p;

	store_progress(rows_of(t)->store, &p);
	*out = (struct windows){p.first, p.last, unit, 0, 0, rows_app(a)->machine.number};
	if (unit < times(axis->step, WINDOW_CYCLES))
		out->width = times(axis->step, WINDOW_CYCLES);
	if (p.last < p.first || axis->columns < 1)
		return false;
	end = tick_add(end, axis->zoom < 0 ? unit : 0); /* a cycle that is cut at the right, too */
	end = end > p.last ? p.last : end;
	out->from = axis->left <= p.first ? 0 : tick_sub(axis->left, p.first) / out->width;
	out->to = end < p.first ? 0 : tick_sub(end, p.first) / out->width + 1;
	return out->to > out->from && out->to - out->from <= WINDOWS_MOST / 4;
}

/* What grew since is there only if the windows wanted end before it. */
static bool serves(const struct windows *have, const struct windows *need)
{
	return have->machine == need->machine && have->width == need->width &&
	       have->first == need->first && need->from >= have->from && need->to <= have->to &&
	       (have->last == need->last || tick_of(need, need->to) <= have->last);
}

/* All there was is there: what is missing came since. */
static bool grew(const struct windows *have, const struct windows *need)
{
	return have->machine == need->machine && have->width == need->width &&
	       have->first == need->first && need->from >= have->from && have->last < need->last &&
	       tick_of(have, have->to) > have->last;
}

/* A screen more on either side, as far as the trace goes. */
static struct windows widened(const struct windows *w)
{
	int64_t all = tick_sub(w->last, w->first) / w->width + 1, count = w->to - w->from;
	struct windows out = *w;

	out.from = w->from > count ? w->from - count : 0;
	out.to = w->to < all - count ? w->to + count : all;
	return out;
}

static void want(struct app *a, const struct tab *t, struct cpi0_line *l)
{
	struct windows need;

	if (l->failed || !on_screen(a, t, &need) || (l->given.count && serves(&l->made, &need)))
		return;
	if (l->background.running) {
		l->background.stop |= !serves(&l->wish, &need);
		return;
	}
	/* of a trace that is being read: at most a tenth of the time */
	if (l->given.count && grew(&l->made, &need) && clock_ms() < l->due && !t->told)
		return;
	need = widened(&need);
	begin(a, rows_of(t)->store, l, &need);
	if (a->options.headless)
		take(l);
	else
		job_begin(&a->jobs, &l->background.job, &line_kind);
}

/* ---- as part of the program ---------------------------------------------------------------- */

static bool is_shown(const struct app *a, const struct tab *t)
{
	const struct joined *j = joined_shown(a);
	const struct rows *r = rows_of(t);
	const struct cpi0_line *l = r ? r->cpi0_line : NULL;

	if (!l || (t != a->tab && (!j || t->joined != j)))
		return false;
	if (j && j->curves && strcmp(j->metric.name, CPI0_METRIC) == 0)
		return true;
	for (int i = 0; i < t->strip.count; i++)
		if (t->strip.lines[i].source.given == &l->given && !t->strip.lines[i].hidden)
			return true;
	return false;
}

void cpi0_lines_want(struct app *a)
{
	for (int i = 0; i < a->tab_count; i++)
		if (is_shown(a, a->tabs[i]))
			want(a, a->tabs[i], rows_of(a->tabs[i])->cpi0_line);
}
