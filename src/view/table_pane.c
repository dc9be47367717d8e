#include "config.h"

#include "view/table_pane.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "trace/section.h"
#include "view/table.h"

enum { WANTED = 110 };

struct table_pane {
	struct pane pane;
	struct pane_ops ops; /* without what it has no use for */
	struct table_pane_of of;
	char title[160], none[80];
	size_t *order; /* rows of the result */
	size_t rows;
	struct table table;
	char by[FIELD_NAME]; /* what is sorted by, as people read it */
};

static struct table_pane *of_pane(const struct pane *p)
{
	return p->data;
}

static struct table *sheet(const struct pane *p)
{
	return of_pane(p)->rows ? &of_pane(p)->table : NULL;
}

/* The table follows the pane's width, which only drawing tells. */
static const struct table *fitted(const struct pane *p)
{
	struct table_pane *self = of_pane(p);

	table_fit_from(&self->table, p->columns, p->shift);
	return &self->table;
}

static void title(const struct pane *p, struct sbuf *out)
{
	sbuf_puts(out, of_pane(p)->title);
	if (p->sort)
		sbuf_printf(out, ", by %s", of_pane(p)->by);
	table_tell_left_out(fitted(p), out);
}

/* ---- lines ---- */

/* What stands above, as wide as the pane; NULL: nothing. */
static const struct pane *above_of(const struct pane *p)
{
	struct list_pane *above = of_pane(p)->of.above;

	if (!above)
		return NULL;
	above->pane.columns = p->columns;
	return &above->pane;
}

/* Lines before the first row: all above but the one on top, and the heading. */
static size_t first_row(const struct pane *p)
{
	const struct pane *above = above_of(p);

	return above ? above->ops->count(above) : 0;
}

static void put_heading(const struct pane *p, struct pane_line *out)
{
	struct sbuf text = {0};

	if (of_pane(p)->rows)
		table_heading(fitted(p), &text);
	pane_line_bytes(out, ROLE_BORDER, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static void heading(const struct pane *p, struct pane_line *out)
{
	const struct pane *above = above_of(p);

	if (above && p->top < first_row(p))
		above->ops->line(above, 0, out);
	else
		put_heading(p, out);
}

/* That there is nothing takes a line, too. */
static size_t count(const struct pane *p)
{
	return first_row(p) + (of_pane(p)->rows ? of_pane(p)->rows : 1);
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct table_pane *self = of_pane(p);
	const struct pane *above = above_of(p);
	const size_t first = first_row(p);
	struct sbuf text = {0};

	if (i + 1 < first) {
		above->ops->line(above, i + 1, out);
		return;
	}
	if (i < first) {
		put_heading(p, out);
		return;
	}
	i -= first;
	if (i < self->rows)
		table_row(fitted(p), self->order[i], &text);
	else
		sbuf_puts(&text, self->none);
	pane_line_bytes(out, i + self->of.below < self->rows ? ROLE_TEXT : ROLE_DIM,
			sbuf_text(&text), text.len);
	sbuf_free(&text);
}

static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct table_pane *self = of_pane(p);
	const struct pane *above = above_of(p);
	const size_t first = first_row(p);

	if (i < first)
		return above->ops->command && above->ops->command(above, i + 1, out);
	return self->of.command && i - first < self->rows &&
	       self->of.command(self->of.result, self->order[i - first], out);
}

static bool target(const struct pane *p, size_t i, struct place *to)
{
	const struct table_pane *self = of_pane(p);
	const struct pane *above = above_of(p);
	const size_t first = first_row(p);

	if (i < first)
		return above->ops->target(above, i + 1, to);
	return self->of.target && i - first < self->rows &&
	       self->of.target(self->of.result, self->order[i - first], &self->table.sorted, to);
}

/* ---- sorting ---- */

struct sorting {
	const void *result;
	struct section_column by;
	bool rises;
};

/* Rows that are equal stay in the order of the result. */
static int by_column(const void *a, const void *b, void *sorting)
{
	const struct sorting *s = sorting;
	const size_t *x = a, *y = b;
	int order = section_compare(&s->by, field_value(s->by.field, s->result, *x, s->by.part),
				    field_value(s->by.field, s->result, *y, s->by.part));

	order = s->rises ? -order : order;
	return order ? order : (*x > *y) - (*x < *y);
}

static enum status sort(struct pane *p, const char *column, int dir, struct error *e)
{
	struct table_pane *self = of_pane(p);
	struct sorting s = {.result = self->of.result};
	char buf[FIELD_NAME];
	const char *read;
	enum status status;

	if (!self->rows)
		return error_set(e, STATUS_NOT_FOUND, "%s", self->none);
	if (!column)
		column = section_beside(self->of.section, s.result, p->sort ? p->sort : "", dir);
	status = section_find(self->of.section, s.result, column, &s.by, e);
	if (status)
		return status;
	s.rises = self->of.rises && self->of.rises(s.result, s.by.field);
	qsort_r(self->order, self->rows - self->of.below, sizeof(*self->order), by_column, &s);
	table_sorted(&self->table, &s.by);
	read = field_heading(s.by.field, s.result, s.by.part, buf);
	snprintf(self->by, sizeof(self->by), "%s", read);
	free(p->sort);
	p->sort = xstrdup(section_heading(s.result, &s.by));
	return STATUS_OK;
}

static void free_pane(struct pane *p)
{
	struct table_pane *self = of_pane(p);

	table_free(&self->table);
	if (self->of.result)
		self->of.free(self->of.result);
	if (self->of.above)
		pane_free(&self->of.above->pane);
	free(self->order);
	free(self);
}

static const struct pane_ops table_ops = {
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .command = command,
    .target = target,
    .sort = sort,
    .sheet = sheet,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *table_pane(const struct table_pane_of *of)
{
	struct table_pane *p = xcalloc(1, sizeof(*p));

	p->ops = table_ops;
	if (!of->command)
		p->ops.command = NULL;
	if (!of->target)
		p->ops.target = NULL;
	p->pane.ops = &p->ops;
	p->pane.data = p;
	p->of = *of;
	p->rows = of->result ? of->section->rows(of->result) : 0;
	snprintf(p->title, sizeof(p->title), "%s", of->title);
	snprintf(p->none, sizeof(p->none), "%s", of->none);
	p->order = xcalloc(p->rows + 1, sizeof(*p->order));
	for (size_t i = 0; i < p->rows; i++)
		p->order[i] = i;
	if (p->rows && !table_new(&p->table, of->section, of->result, p->rows)) {
		snprintf(p->none, sizeof(p->none), "out of memory");
		p->rows = 0;
	}
	p->pane.about = of->about;
	p->pane.cursor = p->rows ? first_row(&p->pane) : 0;
	if (of->sorted)
		sort(&p->pane, of->sorted, 0, NULL);
	return &p->pane;
}
