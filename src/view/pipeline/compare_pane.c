#include "config.h"

#include "view/pipeline/compare_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/section.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "view/table.h"

enum { WANTED = 160, NAME_COLUMNS = 40 };

#define DEFAULT_SORT "delta"

struct compare_pane {
	struct pane pane;
	struct compare_pane_source source;
	struct compare_table rows;
	struct table table, stage_table;
};

/* Lines above the stages; what the instructions begin with is codes_at(). */
enum { LINE_A, LINE_B, LINE_MATCHED, LINE_FIRST, LINE_BLANK, LINE_STAGES, HEAD_LINES };

static struct compare_pane *of(const struct pane *p)
{
	return p->data;
}

/* Both tables follow the pane's width, which only drawing tells. */
static void fit(const struct pane *p)
{
	struct compare_pane *self = of(p);

	table_fit_from(&self->table, p->columns, p->shift);
	table_fit_from(&self->stage_table, p->columns, 0);
}

static struct table *sheet(const struct pane *p)
{
	return of(p)->source.view && of(p)->rows.shown ? &of(p)->table : NULL;
}

/* The range as other panes tell theirs, with its last tick. */
static void add_range(const struct compare_pane *self, struct sbuf *out)
{
	const struct align_ticks *r = self->source.range;
	char from[32], last[32];

	if (r)
		sbuf_printf(out, ", %s %s..%s of A",
			    store_unit(self->source.costs->al->side[ALIGN_A].store),
			    num_group(r->from, from),
			    num_group(r->to > r->from ? r->to - 1 : r->from, last));
}

static void title(const struct pane *p, struct sbuf *out)
{
	const struct compare_pane *self = of(p);

	if (!self->source.view) {
		sbuf_puts(out, "where the cycles went");
		return;
	}
	sbuf_puts(out, "where the cycles went: B against A");
	fit(p);
	add_range(self, out);
	sbuf_printf(out, ", by %s", p->sort ? p->sort : DEFAULT_SORT);
	table_tell_left_out(&self->table, out);
}

/* Line of the heading of the instructions; those before it are about the whole run. */
static size_t codes_at(const struct compare_pane *self)
{
	return HEAD_LINES + self->rows.parts_shown + 1;
}

static size_t count(const struct pane *p)
{
	const struct compare_pane *self = of(p);

	return self->source.view ? codes_at(self) + 1 + self->rows.shown : 1;
}

/* The lines of the runs stand below each other: one cycle takes the place of "cycles". */
static char ending(int64_t n)
{
	return n == 1 || n == -1 ? ' ' : 's';
}

static void add_number(struct pane_line *out, int64_t n, bool sign, const char *what)
{
	char number[32], text[40];

	snprintf(text, sizeof(text), "%s%s", sign && n > 0 ? "+" : "", num_group(n, number));
	pane_line_add(out, ROLE_TEXT, "%12s %s%c", text, what, ending(n));
}

static void add_side(const struct compare_pane *self, int side, struct pane_line *out)
{
	const struct compare *r = self->source.costs;
	int64_t cycles = r->cycles[side];

	pane_line_add(out, ROLE_KEY, "%-5c", align_letter(side));
	add_number(out, cycles, false, "cycle");
	add_number(out, (int64_t)r->steps[side], false, "instruction");
	if (cycles > 0)
		pane_line_add(out, ROLE_TEXT, "  IPC %.2f",
			      (double)r->steps[side] / (double)cycles);
	pane_line_add(out, ROLE_DIM, "  %.*s", NAME_COLUMNS, self->source.names[side]);
}

static void add_change(const struct compare *r, struct pane_line *out)
{
	int64_t a = r->cycles[ALIGN_A], b = r->cycles[ALIGN_B];

	pane_line_add(out, ROLE_KEY, "%-5s", "B - A");
	add_number(out, b - a, true, "cycle");
	add_number(out, (int64_t)r->steps[ALIGN_B] - (int64_t)r->steps[ALIGN_A], true,
		   "instruction");
	if (a > 0)
		pane_line_add(out, ROLE_TEXT, "  %+.1f %%",
			      100.0 * ((double)b - (double)a) / (double)a);
}

static void add_matched(const struct compare *r, struct pane_line *out)
{
	char number[32];

	pane_line_add(out, ROLE_DIM, "%s instructions matched by %s, %s%s",
		      num_group((int64_t)r->pairs, number), align_by_names[r->al->by],
		      align_key_names[r->al->key], align_caveat(r->al));
}

static void add_first(const struct difference *d, struct pane_line *out)
{
	char number[32];
	int n = 0;

	pane_line_add(out, ROLE_KEY, "%-5s ", "first");
	if (!d->kinds) {
		pane_line_add(out, ROLE_TEXT, "there is no difference");
		return;
	}
	pane_line_add(out, ROLE_TEXT, "difference at");
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (d->row[s] != ROW_NONE)
			pane_line_add(out, ROLE_TEXT, " %c row %s", align_letter(s),
				      num_group((int64_t)d->row[s], number));
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (d->kinds >> k & 1)
			pane_line_add(out, ROLE_TEXT, "%s %s", n++ ? "," : ":",
				      difference_names[k]);
}

static void table_line(const struct table *t, size_t row, struct pane_line *out)
{
	struct sbuf text = {0};

	if (row == SIZE_MAX)
		table_heading(t, &text);
	else
		table_row(t, row, &text);
	pane_line_bytes(out, row == SIZE_MAX ? ROLE_BORDER : ROLE_TEXT, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

/* Of the instructions, once their own is scrolled away; until then what it is all about. */
static void heading(const struct pane *p, struct pane_line *out)
{
	const struct compare_pane *self = of(p);

	if (!self->source.view)
		return;
	fit(p);
	if (p->top > codes_at(self))
		table_line(&self->table, SIZE_MAX, out);
	else
		add_change(self->source.costs, out);
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct compare_pane *self = of(p);
	size_t codes;

	if (!self->source.view) {
		pane_line_add(out, ROLE_DIM, "%s", self->source.instead);
		return;
	}
	fit(p);
	codes = codes_at(self);
	if (i == LINE_A || i == LINE_B)
		add_side(self, i == LINE_A ? ALIGN_A : ALIGN_B, out);
	else if (i == LINE_MATCHED)
		add_matched(self->source.costs, out);
	else if (i == LINE_FIRST)
		add_first(&self->source.costs->first, out);
	else if (i == LINE_STAGES)
		table_line(&self->stage_table, SIZE_MAX, out);
	else if (i >= HEAD_LINES && i + 1 < codes)
		table_line(&self->stage_table, i - HEAD_LINES, out);
	else if (i == codes)
		table_line(&self->table, SIZE_MAX, out);
	else if (i > codes && i - codes - 1 < self->rows.shown)
		table_line(&self->table, i - codes - 1, out);
}

/* The rows that a line is about; NULL: none. */
static const uint64_t *rows_of(const struct compare_pane *self, size_t i)
{
	const struct compare *r = self->source.costs;
	size_t codes;

	if (!self->source.view)
		return NULL;
	codes = codes_at(self);
	if (i == LINE_FIRST && r->first.kinds)
		return r->first.row;
	if (i <= codes || i - codes - 1 >= self->rows.shown)
		return NULL;
	return r->codes[self->rows.order[i - codes - 1]].worst.row;
}

/* The side to be looked from, and the row: the one with the focus, if it has the row. -1: none. */
static int place_of(const struct compare_pane *self, size_t i, uint64_t *row)
{
	const uint64_t *rows = rows_of(self, i);
	int side;

	if (!rows || (rows[ALIGN_A] == ROW_NONE && rows[ALIGN_B] == ROW_NONE))
		return -1;
	side = self->source.view->focus;
	if (rows[side] == ROW_NONE)
		side = !side;
	*row = rows[side];
	return side;
}

/* To the row of the side with the focus: the other comes along. */
static bool target(const struct pane *p, size_t i, struct place *to)
{
	*to = (struct place){.item = ROW_NONE, .tick = TICK_NONE};
	return of(p)->source.view && place_of(of(p), i, &to->item) == of(p)->source.view->focus;
}

/* What it does not have is looked at in the other one. */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct compare_pane *self = of(p);
	uint64_t row;
	int side = place_of(self, i, &row);

	if (side < 0 || side == self->source.view->focus)
		return false;
	sbuf_printf(out, "%s ; goto row %" PRIu64, self->source.to_other, row);
	return true;
}

static enum status sort(struct pane *p, const char *column, int dir, struct error *e)
{
	struct compare_pane *self = of(p);
	enum status status;
	char *name;

	if (!self->source.view)
		return error_set(e, STATUS_NOT_FOUND, "%s", self->source.instead);
	if (!column)
		column = section_beside(&self->rows.people, &self->rows,
					p->sort ? p->sort : DEFAULT_SORT, dir);
	status = compare_table_sort(&self->rows, column, e);
	if (status)
		return status;
	name = xstrdup(column); /* may be p->sort itself */
	free(p->sort);
	p->sort = name;
	return STATUS_OK;
}

static void free_pane(struct pane *p)
{
	table_free(&of(p)->table);
	table_free(&of(p)->stage_table);
	compare_table_free(&of(p)->rows);
	free(of(p));
}

static const struct pane_ops compare_ops = {
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .target = target,
    .command = command,
    .sort = sort,
    .sheet = sheet,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

static bool make_tables(struct compare_pane *p, const struct compare *costs)
{
	struct error e;

	if (!compare_table_new(&p->rows, costs, true) ||
	    compare_table_sort(&p->rows, DEFAULT_SORT, &e))
		return false;
	compare_table_hide_zero(&p->rows);
	return table_new(&p->table, &p->rows.people, &p->rows, p->rows.shown) &&
	       table_new(&p->stage_table, &p->rows.part_list, &p->rows, p->rows.parts_shown);
}

struct pane *compare_pane(const struct compare_pane_source *source)
{
	struct compare_pane *p = xcalloc(1, sizeof(*p));

	p->pane.ops = &compare_ops;
	p->pane.data = p;
	p->source = *source;
	if (!source->view)
		return &p->pane;
	if (make_tables(p, source->costs)) {
		p->pane.cursor = codes_at(p) + (p->rows.shown > 0);
		return &p->pane;
	}
	p->source.view = NULL;
	p->source.instead = "out of memory";
	return &p->pane;
}
