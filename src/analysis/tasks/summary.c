#include "config.h"

#include "analysis/tasks/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "tasks/metrics.h"
#include "tasks/tasks.h"

/* ---- kinds and their latencies ---- */

/* Which kind and what a slot is of, whatever its component: numbers in order of first sight. */
struct grouping {
	uint32_t *of;   /* by slot */
	uint64_t *from; /* by group: where its latencies begin, then where the next one goes */
	int64_t *latencies;
};

static bool group(struct grouping *g, struct task_summary *r, const struct trace *t,
		  const struct task_tables *tables)
{
	struct intern *pairs = intern_new();
	bool done = pairs;

	g->of = malloc((tables->slots.count + 1) * sizeof(*g->of));
	for (size_t i = 0; done && g->of && i < tables->slots.count; i++) {
		const struct task_slot *s = &tables->slots.data[i];
		const uint32_t pair[2] = {s->kind, s->what};
		const int32_t number = intern_add(pairs, (const char *)pair, sizeof(pair));
		const struct task_kind k = {.kind = tasks_kind(t, s->kind),
					    .what = tasks_what(t, s->what)};

		done = number >= 0 &&
		       ((size_t)number < r->kinds.count || vec_push(&r->kinds, k));
		g->of[i] = (uint32_t)number;
	}
	intern_free(pairs);
	return done && g->of;
}

/* Latencies of a group beside each other. */
static bool gather(struct grouping *g, struct task_summary *r, const struct task_columns *c)
{
	uint64_t at = 0;

	g->from = malloc((r->kinds.count + 1) * sizeof(*g->from));
	g->latencies = malloc(((size_t)c->count + 1) * sizeof(*g->latencies));
	if (!g->from || !g->latencies)
		return false;
	for (uint32_t row = 0; row < c->count; row++)
		r->kinds.data[g->of[c->slot[row]]].count++;
	for (size_t i = 0; i < r->kinds.count; i++) {
		g->from[i] = at;
		at += r->kinds.data[i].count;
	}
	for (uint32_t row = 0; row < c->count; row++)
		g->latencies[g->from[g->of[c->slot[row]]]++] = c->end[row] - c->start[row];
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

static bool add_kinds(struct task_summary *r, const struct trace *t, const struct task_columns *c,
		      const struct task_tables *tables)
{
	struct grouping g = {NULL, NULL, NULL};
	bool done = group(&g, r, t, tables) && gather(&g, r, c);
	size_t kept = 0;

	for (size_t i = 0; done && i < r->kinds.count; i++) {
		struct task_kind *k = &r->kinds.data[i];

		if (!k->count)
			continue; /* its tasks are not published yet */
		measure(k, g.latencies + g.from[i] - k->count);
		r->kinds.data[kept++] = *k;
	}
	r->kinds.count = kept;
	if (kept)
		qsort(r->kinds.data, kept, sizeof(r->kinds.data[0]), by_count);
	free(g.of);
	free(g.from);
	free(g.latencies);
	return done;
}

/* ---- milestones and tags ---- */

/* Those of a row: each ends what its task waited for since the one before. */
static void add_marks(struct task_reason *by_label, const struct task_columns *c,
		      const struct task_tables *tables, uint32_t i, uint32_t end)
{
	const uint32_t row = c->marks[i].task;
	int64_t since = c->start[row];

	for (; i < end; i++) {
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

static bool split(struct task_summary *r, const struct task_tables *tables,
		  const struct task_reason *by_label)
{
	for (size_t i = 0; i < tables->labels.count; i++) {
		const bool tag = tables->labels.data[i].tag;

		if (by_label[i].count && !(tag ? vec_push(&r->tags, by_label[i])
					       : vec_push(&r->milestones, by_label[i])))
			return false;
	}
	if (r->milestones.count)
		qsort(r->milestones.data, r->milestones.count, sizeof(struct task_reason),
		      by_weight);
	if (r->tags.count)
		qsort(r->tags.data, r->tags.count, sizeof(struct task_reason), by_weight);
	return true;
}

static bool add_reasons(struct task_summary *r, const struct task_columns *c,
			const struct task_tables *tables)
{
	const size_t n = tables->labels.count;
	struct task_reason *by_label = calloc(n + 1, sizeof(*by_label));
	bool done;

	if (!by_label)
		return false;
	for (size_t i = 0; i < n; i++) {
		by_label[i].kind = tables->labels.data[i].kind;
		by_label[i].what = tables->labels.data[i].what;
		if (*tables->labels.data[i].where)
			by_label[i].where = tables->labels.data[i].where;
	}
	for (uint32_t i = 0, end; i < c->mark_count; i = end) {
		for (end = i + 1; end < c->mark_count && c->marks[end].task == c->marks[i].task;)
			end++;
		add_marks(by_label, c, tables, i, end);
	}
	done = split(r, tables, by_label);
	free(by_label);
	return done;
}

/* ---- all of it ---- */

static bool add_figures(struct task_summary *r, const struct task_tables *tables)
{
	bool done = vec_reserve(&r->figures, tables->figures.count);

	for (size_t i = 0; done && i < tables->figures.count; i++) {
		const struct task_figure *f = &tables->figures.data[i];

		r->figures.data[r->figures.count++] =
		    (struct task_figure_row){f->where, f->what, *f->unit ? f->unit : NULL, f->value};
	}
	return done;
}

enum status task_summary_make(struct task_summary *r, struct trace *t, struct error *e)
{
	const struct task_columns *c;
	bool done;

	*r = (struct task_summary){.components = {.kinds_most = 0}};
	c = tasks_lock(t);
	done = add_kinds(r, t, c, tasks_tables(t)) && add_reasons(r, c, tasks_tables(t)) &&
	       add_figures(r, tasks_tables(t));
	tasks_unlock(t);
	if (!done)
		return error_set(e, STATUS_NOMEM, "not enough memory to sum the trace up");
	return task_components_make(&r->components, t, e);
}

void task_summary_free(struct task_summary *r)
{
	vec_free(&r->kinds);
	vec_free(&r->milestones);
	vec_free(&r->tags);
	vec_free(&r->figures);
	task_components_free(&r->components);
}

/* ---- the tables ---- */

SECTION_ROWS(kind, struct task_summary, kinds)
SECTION_ROWS(component, struct task_summary, components.list)
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

static const struct field residency_fields[] = {
    {FIELD(TEXT, "component", component_of, struct task_component, name), .path = true},
    {FIELD(REAL, "residency", component_of, struct task_component, residency), .unit = UNIT_SECOND},
    {FIELD(COUNT, "tasks", component_of, struct task_component, tasks)},
    {FIELD(REAL, "busy", component_of, struct task_component, busy), .decimals = 1, .percent = true},
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
    {FIELD(TEXT, "component", figure_of, struct task_figure_row, component), .path = true},
    {FIELD(TEXT, "what", figure_of, struct task_figure_row, what)},
    {FIELD(REAL, "value", figure_of, struct task_figure_row, value)},
    {FIELD(TEXT, "unit", figure_of, struct task_figure_row, unit)},
    {.key = NULL},
};

const struct section task_summary_sections[] = {
    {SECTION(LIST, "kinds", kind_rows, kind_fields)},
    {SECTION(LIST, "residency", component_rows, residency_fields)},
    {SECTION(LIST, "milestones", milestone_rows, milestone_fields)},
    {SECTION(LIST, "tags", tag_rows, tag_fields)},
    {SECTION(LIST, "figures", figure_rows, figure_fields)},
    {.key = NULL},
};
