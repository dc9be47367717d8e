#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tasks/requests.h"
#include "base/vec.h"
#include "cmd/tasks/tasks.h"
#include "tasks/kind.h"
#include "tasks/metrics.h"

/* A row as it is written. */
struct line {
	uint64_t row, parent; /* UINT64_MAX: it has none in the file */
	const char *kind, *what, *where;
	int64_t start, end;
	struct sbuf id;
};

/* Rows by their starts. The trace is complete: nothing changes while they are written. */
struct list {
	struct trace *t;
	const struct task_columns *c;
	const struct task_tables *tables;
	VEC(uint32_t) rows;
	struct line *line; /* the one that is written */
};

static bool choose(struct list *l, const struct question *q)
{
	const size_t slots = l->tables->slots.count;
	bool *meant = calloc(slots + 1, sizeof(*meant)), done = meant;

	for (size_t i = 0; done && i < slots; i++) {
		const struct task_slot *s = &l->tables->slots.data[i];

		meant[i] = regex_allows(q->component, tasks_component(l->t, s->component)) &&
			   (!q->kind || task_kind_matches(l->t, s, q->kind));
	}
	for (uint32_t i = 0; done && i < l->c->count; i++) {
		const uint32_t row = l->c->by_start[i];

		if (meant[l->c->slot[row]] && task_is_there(l->c, row, q->from, q->to))
			done = vec_push(&l->rows, row);
	}
	free(meant);
	return done;
}

/* ---- the table ---- */

static size_t list_rows(const void *result)
{
	const struct list *l = result;

	return l->rows.count;
}

static const void *line_of(const void *result, size_t i)
{
	const struct list *l = result;
	const uint32_t row = l->rows.data[i], parent = l->c->parent[row];
	const struct task_slot *s = &l->tables->slots.data[l->c->slot[row]];
	struct line *line = l->line;

	line->row = row;
	line->parent = parent < l->c->count ? parent : UINT64_MAX;
	line->kind = tasks_kind(l->t, s->kind);
	line->what = tasks_what(l->t, s->what);
	line->where = tasks_component(l->t, s->component);
	line->start = l->c->start[row];
	line->end = l->c->end[row];
	return line;
}

static struct value line_id(const void *result, size_t i, size_t part)
{
	const struct list *l = result;
	struct sbuf *id = &l->line->id;

	(void)part;
	sbuf_clear(id);
	return tasks_id(l->t, l->rows.data[i], id) ? value_bytes(sbuf_text(id), id->len)
						   : value_none();
}

static const struct field fields[] = {
    {FIELD(COUNT, "row", line_of, struct line, row), .name = true},
    {FIELD_BY(TEXT, "id", line_id)},
    {FIELD(COUNT, "parent", line_of, struct line, parent), .name = true},
    {FIELD(TEXT, "kind", line_of, struct line, kind)},
    {FIELD(TEXT, "what", line_of, struct line, what)},
    {FIELD(TEXT, "where", line_of, struct line, where), .path = true},
    {FIELD(TICKS, "start", line_of, struct line, start), .unit = "ps"},
    {FIELD(TICKS, "end", line_of, struct line, end), .unit = "ps"},
    {.key = NULL},
};

static const struct section sections[] = {{SECTION(LIST, "tasks", list_rows, fields)},
					  {.key = NULL}};

static enum status make_list(void *result, struct trace *t, const struct question *q,
			     struct error *e)
{
	struct list *l = result;
	bool done;

	*l = (struct list){.t = t, .line = calloc(1, sizeof(*l->line))};
	l->c = tasks_lock(t);
	l->tables = tasks_tables(t);
	done = l->line && choose(l, q);
	tasks_unlock(t);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

static void free_list(void *result)
{
	struct list *l = result;

	vec_free(&l->rows);
	if (l->line)
		sbuf_free(&l->line->id);
	free(l->line);
	free(l);
}

const struct answer tasks_list_answer = {"tasks", &tasks_trace_kind, sections,
					 sizeof(struct list), make_list, free_list};

void tasks_note_unpaired(struct output *out, const char *file, const void *requests)
{
	const uint64_t n = ((const struct task_requests *)requests)->unpaired;

	if (n)
		output_note(out, file,
			    "%" PRIu64 " request%s left out: whoever sent %s is not in the file", n,
			    n == 1 ? " is" : "s are", n == 1 ? "it" : "them");
}
