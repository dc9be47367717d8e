#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/answers.h"
#include "tasks/kind.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"

enum { LATENCY_MEAN, LATENCY_P50, LATENCY_P90, LATENCY_P99, LATENCY_MAX, LATENCIES };

struct task_kind {
	const char *kind, *what;
	uint64_t count;
	double latency[LATENCIES]; /* seconds */
};

/* What tasks waited for, by milestones; or what they were tagged with. */
struct task_reason {
	const char *kind, *what;
	const char *where; /* a component; NULL: the file does not say */
	uint64_t count;
	double blocked; /* seconds, of all tasks together */
};

typedef VEC(struct task_reason) reason_vec;

struct task_summary {
	struct task_components components;   /* first */
	VEC(struct task_kind) kinds;         /* the most tasks first */
	reason_vec milestones;               /* what blocked longest first */
	reason_vec tags;                     /* the most first */
	VEC(struct task_figure) figures;     /* as in the file */
};

/* ---- kinds and their latencies ---- */

struct grouping {
	uint64_t *from; /* by pair: where its latencies begin, then where the next one goes */
	int64_t *latencies;
};

/* Each pair of a kind and a what, by its number. */
static bool add_kinds(struct task_summary *r, const struct trace *t, const struct task_tables *tables)
{
	bool done = true;

	for (size_t i = 0; done && i < tables->slots.count; i++) {
		const struct task_slot *s = &tables->slots.data[i];
		const struct task_kind k = {.kind = tasks_kind(t, s->kind),
					    .what = tasks_what(t, s->what)};

		done = s->pair < r->kinds.count || vec_push(&r->kinds, k);
	}
	return done;
}

/* Latencies of a pair beside each other. */
static bool gather(struct grouping *g, struct task_summary *r, const struct task_columns *c,
		   const struct task_tables *tables)
{
	const struct task_slot *slots = tables->slots.data;
	uint64_t at = 0;

	g->from = malloc((r->kinds.count + 1) * sizeof(*g->from));
	g->latencies = malloc(((size_t)c->count + 1) * sizeof(*g->latencies));
	if (!g->from || !g->latencies)
		return false;
	for (uint32_t row = 0; row < c->count; row++)
		r->kinds.data[slots[c->slot[row]].pair].count++;
	for (size_t i = 0; i < r->kinds.count; i++) {
		g->from[i] = at;
		at += r->kinds.data[i].count;
	}
	for (uint32_t row = 0; row < c->count; row++)
		g->latencies[g->from[slots[c->slot[row]].pair]++] = c->end[row] - c->start[row];
	return true;
}

static int by_length(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(struct task_kind *k, int64_t *latencies)
{
	static const unsigned percent[LATENCIES] = {
	    [LATENCY_P50] = 50, [LATENCY_P90] = 90, [LATENCY_P99] = 99, [LATENCY_MAX] = 100};
	double sum = 0;

	qsort(latencies, k->count, sizeof(*latencies), by_length);
	for (uint64_t i = 0; i < k->count; i++)
		sum += (double)latencies[i];
	k->latency[LATENCY_MEAN] = sum / (double)k->count / TASK_SECOND;
	for (int i = LATENCY_P50; i < LATENCIES; i++)
		k->latency[i] = (double)latencies[(k->count * percent[i] + 99) / 100 - 1] / TASK_SECOND;
}

static int by_count(const void *a, const void *b)
{
	const struct task_kind *x = a, *y = b;
	int order;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = strcmp(x->kind, y->kind);
	return order ? order : strcmp(x->what, y->what);
}

/* Without the lock: texts stay. Kinds whose tasks are not published yet go. */
static enum status measure_kinds(struct task_summary *r, const struct grouping *g,
				 const struct question *q, struct error *e)
{
	const double all = r->kinds.count ? (double)g->from[r->kinds.count - 1] : 0;
	enum status status = STATUS_OK;
	size_t kept = 0;

	for (size_t i = 0; !status && i < r->kinds.count; i++) {
		struct task_kind *k = &r->kinds.data[i];

		if (!k->count)
			continue;
		measure(k, g->latencies + g->from[i] - k->count);
		r->kinds.data[kept++] = *k;
		status = answer_go_on(q, (double)g->from[i] / all, e);
	}
	r->kinds.count = kept;
	if (kept)
		qsort(r->kinds.data, kept, sizeof(r->kinds.data[0]), by_count);
	return status;
}

/* ---- milestones and tags ---- */

/* Those of a row: each ends what its task waited for since the one before. */
static void add_marks(struct task_reason *by_label, const struct task_columns *c,
		      const struct task_tables *tables, uint32_t row)
{
	int64_t since = c->start[row];
	uint32_t i, end;

	for (tasks_marks(c, row, &i, &end); i < end; i++) {
		const struct task_mark *m = &c->marks[i];
		const int64_t tick = m->tick < c->end[row] ? m->tick : c->end[row];

		by_label[m->label].count++;
		if (tables->labels.data[m->label].tag || tick <= since)
			continue;
		by_label[m->label].blocked += (double)(tick - since) / TASK_SECOND;
		since = tick;
	}
}

static int by_weight(const void *a, const void *b)
{
	const struct task_reason *x = a, *y = b;
	int order;

	if (x->blocked != y->blocked)
		return x->blocked > y->blocked ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	order = strcmp(x->kind, y->kind);
	return order ? order : strcmp(x->what, y->what);
}

static void sort_reasons(reason_vec *v)
{
	if (v->count)
		qsort(v->data, v->count, sizeof(v->data[0]), by_weight);
}

static bool add_reasons(struct task_summary *r, const struct task_columns *c,
			const struct task_tables *tables)
{
	const size_t n = tables->labels.count;
	struct task_reason *by_label = calloc(n + 1, sizeof(*by_label));
	bool done = by_label;

	for (uint32_t row = 0; done && row < c->count; row++)
		add_marks(by_label, c, tables, row);
	for (size_t i = 0; done && i < n; i++) {
		const struct task_label *l = &tables->labels.data[i];

		by_label[i].kind = l->kind;
		by_label[i].what = l->what;
		by_label[i].where = *l->where ? l->where : NULL;
		if (by_label[i].count)
			done = vec_push(l->tag ? &r->tags : &r->milestones, by_label[i]);
	}
	sort_reasons(&r->milestones);
	sort_reasons(&r->tags);
	free(by_label);
	return done;
}

/* ---- all of it ---- */

static bool add_figures(struct task_summary *r, const struct task_tables *tables)
{
	bool done = true;

	for (size_t i = 0; done && i < tables->figures.count; i++) {
		struct task_figure f = tables->figures.data[i];

		f.unit = *f.unit ? f.unit : NULL;
		done = vec_push(&r->figures, f);
	}
	return done;
}

static enum status make_summary(void *result, struct trace *t, const struct question *q,
				struct error *e)
{
	struct task_summary *r = result;
	struct grouping g = {NULL, NULL};
	const struct task_columns *c = tasks_lock(t);
	const struct task_tables *tables = tasks_tables(t);
	enum status status = STATUS_NOMEM;

	*r = (struct task_summary){.components = {.kinds_most = 0}};
	if (add_kinds(r, t, tables) && gather(&g, r, c, tables) && add_reasons(r, c, tables) &&
	    add_figures(r, tables))
		status = STATUS_OK;
	tasks_unlock(t);
	status = status ? error_set(e, status, "not enough memory to sum the trace up")
			: measure_kinds(r, &g, q, e);
	free(g.from);
	free(g.latencies);
	return status ? status : components_answer.make(&r->components, t, q, e);
}

static void free_summary(void *result)
{
	struct task_summary *r = result;

	vec_free(&r->kinds);
	vec_free(&r->milestones);
	vec_free(&r->tags);
	vec_free(&r->figures);
	task_components_free(&r->components);
	free(r);
}

/* ---- the tables ---- */

SECTION_ROWS(kind, struct task_summary, kinds)
SECTION_ROWS(milestone, struct task_summary, milestones)
SECTION_ROWS(tag, struct task_summary, tags)
SECTION_ROWS(figure, struct task_summary, figures)

static size_t latency_parts(const void *result)
{
	(void)result;
	return LATENCIES;
}

static const char *latency_part(const void *result, size_t part)
{
	static const char *const names[LATENCIES] = {"mean", "p50", "p90", "p99", "max"};

	(void)result;
	return names[part];
}

static const struct field kind_fields[] = {
    {FIELD(TEXT, "kind", kind_of, struct task_kind, kind)},
    {FIELD(TEXT, "what", kind_of, struct task_kind, what)},
    {FIELD(COUNT, "count", kind_of, struct task_kind, count)},
    {FIELD(REAL, "latency", kind_of, struct task_kind, latency), .unit = UNIT_SECOND,
     .parts = latency_parts, .part = latency_part},
    {.key = NULL},
};

static const struct field milestone_fields[] = {
    {FIELD(TEXT, "kind", milestone_of, struct task_reason, kind)},
    {FIELD(TEXT, "what", milestone_of, struct task_reason, what), .path = true},
    {FIELD(TEXT, "where", milestone_of, struct task_reason, where), .path = true},
    {FIELD(COUNT, "count", milestone_of, struct task_reason, count)},
    {FIELD(REAL, "blocked", milestone_of, struct task_reason, blocked), .unit = UNIT_SECOND},
    {.key = NULL},
};

static const struct field tag_fields[] = {
    {FIELD(TEXT, "what", tag_of, struct task_reason, what)},
    {FIELD(TEXT, "where", tag_of, struct task_reason, where), .path = true},
    {FIELD(COUNT, "count", tag_of, struct task_reason, count)},
    {.key = NULL},
};

static const struct field figure_fields[] = {
    {FIELD(TEXT, "component", figure_of, struct task_figure, where), .path = true},
    {FIELD(TEXT, "what", figure_of, struct task_figure, what)},
    {FIELD(REAL, "value", figure_of, struct task_figure, value)},
    {FIELD(TEXT, "unit", figure_of, struct task_figure, unit)},
    {.key = NULL},
};

static const struct section sections[] = {
    {SECTION(LIST, "kinds", kind_rows, kind_fields)},
    {SECTION(LIST, "residency", task_component_rows, task_component_fields)},
    {SECTION(LIST, "milestones", milestone_rows, milestone_fields)},
    {SECTION(LIST, "tags", tag_rows, tag_fields)},
    {SECTION(LIST, "figures", figure_rows, figure_fields)},
    {.key = NULL},
};

const struct answer summary_answer = {"summary", &tasks_trace_kind, sections, sizeof(struct task_summary),
					   make_summary, free_summary};
