#include "config.h"

#include "view/pipeline/panes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/stalls_table.h"
#include "base/xalloc.h"
#include "view/pipeline/pane_range.h"
#include "view/table.h"

enum { WANTED = 110 };

#define DEFAULT_SORT "head"

struct stalls_pane {
	struct pane pane;
	struct store *store;
	struct selection range;
	struct stalls stalls;
	enum stall_by by;
	struct stall_table lines;
	struct table table;
	size_t named;       /* lines that are instructions: the others stand below */
	struct error error; /* why there is none */
};

static struct stalls_pane *of(const struct pane *p)
{
	return p->data;
}

static struct table *sheet(const struct pane *p)
{
	return of(p)->lines.count ? &of(p)->table : NULL;
}

/* The table follows the pane's width, which only drawing tells. */
static const struct table *fitted(const struct pane *p)
{
	struct stalls_pane *self = of(p);

	table_fit_from(&self->table, p->columns, p->shift);
	return &self->table;
}

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, "where the cycles went");
	if (of(p)->by != STALL_BY_PC)
		sbuf_printf(out, ", %s by %s", stall_by_names[of(p)->by],
			    stall_by_names[of(p)->by]);
	pane_range_title(of(p)->store, &of(p)->range, of(p)->stalls.clipped, out);
	sbuf_printf(out, ", by %s", p->sort ? p->sort : DEFAULT_SORT);
	table_tell_left_out(fitted(p), out);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	struct sbuf text = {0};

	table_heading(fitted(p), &text);
	pane_line_bytes(out, ROLE_BORDER, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

/* An error, or nothing at all, takes a line too. */
static size_t count(const struct pane *p)
{
	size_t lines = of(p)->lines.count;

	return lines ? lines : 1;
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct stalls_pane *self = of(p);
	struct sbuf text = {0};

	if (*self->error.text) {
		pane_line_add(out, ROLE_ERROR, "%s", self->error.text);
	} else if (i < self->lines.count) {
		table_row(fitted(p), i, &text);
		pane_line_bytes(out, i < self->named ? ROLE_TEXT : ROLE_DIM, sbuf_text(&text),
				text.len);
	} else {
		pane_line_add(out, ROLE_DIM, "no row lives here");
	}
	sbuf_free(&text);
}

/* To the row that cost the run most, or, when none held the queue, lived longest. */
static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct stall_cost *c;
	const struct stall_row *worst;

	if (i >= of(p)->named)
		return false;
	c = &of(p)->lines.lines[i].cost;
	worst = c->worst.row != ROW_NONE && c->worst.cycles > 0 ? &c->worst : &c->longest;
	*to = (struct place){.item = worst->row, .tick = worst->born};
	return worst->row != ROW_NONE;
}

/* The lines and what is drawn of them, in the order asked for; what could be sorted stays. */
static enum status make_lines(struct stalls_pane *self, const char *sort, struct error *e)
{
	struct stall_table lines;
	struct table table;
	enum status status = stall_table_new(&lines, &self->stalls, self->by, e);

	if (!status)
		status = stall_table_sort(&lines, sort, e);
	if (status) {
		stall_table_free(&lines);
		return status;
	}
	table_free(&self->table);
	stall_table_free(&self->lines);
	self->lines = lines;
	self->named = lines.count;
	stall_table_fold(&self->lines, UINT64_MAX);
	if (!table_new(&table, &self->lines.section, &self->lines, self->lines.count))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	self->table = table;
	return status;
}

static enum status sort(struct pane *p, const char *column, int dir, struct error *e)
{
	struct stalls_pane *self = of(p);
	enum status status;

	if (*self->error.text)
		return error_set(e, STATUS_NOT_FOUND, "%s", self->error.text);
	if (!column)
		column = stall_table_next(&self->lines, p->sort ? p->sort : DEFAULT_SORT, dir);
	status = make_lines(self, column, e);
	if (!status) {
		char *name = xstrdup(column); /* may be p->sort itself */

		free(p->sort);
		p->sort = name;
	}
	return status;
}

static void free_pane(struct pane *p)
{
	table_free(&of(p)->table);
	stall_table_free(&of(p)->lines);
	stalls_free(&of(p)->stalls);
	free(of(p));
}

static const struct pane_ops stalls_ops = {
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .target = target,
    .sort = sort,
    .sheet = sheet,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *stalls_pane(struct store *s, const struct selection *range, struct binary *binary,
			 enum stall_by by)
{
	struct stalls_pane *p = xcalloc(1, sizeof(*p));
	struct range part;
	enum status status;

	p->pane.ops = &stalls_ops;
	p->pane.data = p;
	p->store = s;
	p->by = binary ? by : STALL_BY_PC;
	if (range)
		p->range = *range;
	part = pane_range_part(s, &p->range);
	status = stalls_new(&p->stalls, s, &part, NULL, &p->error);
	if (!status && binary)
		status = stalls_locate(&p->stalls, binary, NULL, &p->error);
	if (!status)
		make_lines(p, DEFAULT_SORT, &p->error);
	return &p->pane;
}
