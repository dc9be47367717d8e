#include "config.h"

#include "view/pane.h"

#include <stdlib.h>

#include "analysis/stalls.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/pane_range.h"
#include "view/table.h"

enum { WANTED = 110 };

struct stalls_pane {
	struct pane pane;
	struct store *store;
	struct pane_range range;
	struct stalls stalls;
	struct table table;
	int width;          /* that the table was fitted to */
	struct error error; /* why there is none */
};

static struct stalls_pane *of(const struct pane *p)
{
	return p->data;
}

static bool is_code(const struct stalls_pane *p, size_t i)
{
	return i < p->stalls.code_count;
}

static bool has_rest(const struct stalls_pane *p)
{
	return p->stalls.unattributed.count > 0;
}

/* The table follows the pane's width, which only drawing tells. */
static const struct table *fitted(const struct pane *p)
{
	struct stalls_pane *self = of(p);

	if (self->width != p->columns) {
		table_fit(&self->table, p->columns);
		self->width = p->columns;
	}
	return &self->table;
}

static void title(const struct pane *p, struct sbuf *out)
{
	size_t left_out = fitted(p)->left_out;

	sbuf_puts(out, "where the cycles went");
	pane_range_title(of(p)->store, &of(p)->range, of(p)->stalls.clipped, out);
	if (left_out)
		sbuf_printf(out, "  (%zu column%s left out)", left_out, left_out == 1 ? "" : "s");
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
	size_t lines = of(p)->stalls.code_count + has_rest(of(p));

	return lines ? lines : 1;
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct stalls_pane *self = of(p);
	struct sbuf text = {0};

	if (*self->error.text) {
		pane_line_add(out, ROLE_ERROR, "%s", self->error.text);
	} else if (is_code(self, i)) {
		table_row(fitted(p), i, &text);
		pane_line_bytes(out, ROLE_TEXT, sbuf_text(&text), text.len);
	} else if (has_rest(self)) {
		uint64_t rows = self->stalls.unattributed.count;
		char n[32], ticks[32];

		num_group((int64_t)rows, n);
		num_group(self->stalls.unattributed.ticks, ticks);
		pane_line_add(out, ROLE_DIM, "... and %s row%s without a known pc: %s %ss", n,
			      rows == 1 ? "" : "s", ticks, store_unit(self->store));
	} else {
		pane_line_add(out, ROLE_DIM, "no row lives here");
	}
	sbuf_free(&text);
}

static bool target(const struct pane *p, size_t i, uint64_t *row, int64_t *tick)
{
	const struct stall_code *c;

	if (!is_code(of(p), i))
		return false;
	c = &of(p)->stalls.codes[i];
	*row = c->longest;
	*tick = c->born;
	return true;
}

static void free_pane(struct pane *p)
{
	table_free(&of(p)->table);
	stalls_free(&of(p)->stalls);
	free(of(p));
}

static const struct pane_ops stalls_ops = {
    .name = "stalls",
    .help = "where the cycles went, by static instruction; Enter goes to the longest life",
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .target = target,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *stalls_pane(struct store *s, const struct pane_range *range)
{
	struct stalls_pane *p = xcalloc(1, sizeof(*p));
	const struct section *codes = stall_sections;
	struct range part;

	p->pane.ops = &stalls_ops;
	p->pane.data = p;
	p->store = s;
	if (range)
		p->range = *range;
	part = pane_range_part(s, &p->range);
	if (stalls_new(&p->stalls, s, &part, NULL, &p->error) != STATUS_OK) {
		p->stalls = (struct stalls){0};
		return &p->pane;
	}
	while (codes[1].key)
		codes++;
	if (!table_new(&p->table, codes, &p->stalls, p->stalls.code_count))
		error_set(&p->error, STATUS_NOMEM, "out of memory");
	return &p->pane;
}
