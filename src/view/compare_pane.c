#include "config.h"

#include "view/compare_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/table.h"

enum { WANTED = 160, NAME_COLUMNS = 40 };

#define DEFAULT_SORT "delta"

/* Lines above the stages, in this order */
enum { LINE_A, LINE_B, LINE_FIRST, LINE_BLANK, LINE_STAGES, HEAD_LINES };

struct compare_pane {
	struct pane pane;
	struct compare_pane_source source;
	uint32_t *order; /* lines of costs->codes as shown */
	size_t stages;
	struct table table, stage_table;
	int width; /* that the tables were fitted to */
};

static struct compare_pane *of(const struct pane *p)
{
	return p->data;
}

static const struct compare_pane *pane_of(const void *result)
{
	return result;
}

/*
 * The table of static instructions in the order shown: the fields of the analysis, each asked for
 * the line that the order says.
 */
enum { FIELD_DELTA = 6, FIELD_COUNT = 9 };

static size_t code_rows(const void *result)
{
	return pane_of(result)->source.costs->code_count;
}

static struct value value_of(const void *result, int field, size_t row, size_t part)
{
	const struct compare_pane *self = pane_of(result);

	return compare_lost_wide.fields[field].get(self->source.costs, self->order[row], part);
}

#define GETTER(field)                                                                              \
	static struct value get_##field(const void *result, size_t row, size_t part)               \
	{                                                                                          \
		return value_of(result, field, row, part);                                         \
	}
GETTER(0)
GETTER(1)
GETTER(2)
GETTER(3)
GETTER(4)
GETTER(5)
GETTER(6)
GETTER(7)
GETTER(8)

/* After the last commit nobody is charged. */
static size_t charged_parts(const void *result)
{
	const struct compare *r = pane_of(result)->source.costs;

	return r->stages + COMPARE_TAIL;
}

static const char *part_name(const void *result, size_t part)
{
	return compare_lost_wide.fields[FIELD_COUNT - 1].part(pane_of(result)->source.costs, part);
}

/* What a column of a stage holds is a change, as delta is: it gives way first. */
static bool always(const void *result, size_t part)
{
	(void)result;
	(void)part;
	return true;
}

static const struct field code_fields[] = {
    {"pc", NULL, VALUE_HEX, NULL, NULL, get_0, NULL, false},
    {"text", NULL, VALUE_TEXT, NULL, NULL, get_1, NULL, false},
    {"count_a", NULL, VALUE_COUNT, NULL, NULL, get_2, NULL, false},
    {"count_b", NULL, VALUE_COUNT, NULL, NULL, get_3, NULL, false},
    {"cycles_a", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_4, NULL, false},
    {"cycles_b", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_5, NULL, false},
    {"delta", UNIT_TICK, VALUE_TICKS, NULL, NULL, get_6, NULL, false},
    {"mostly", NULL, VALUE_TEXT, NULL, NULL, get_7, NULL, true},
    {"stages", UNIT_TICK, VALUE_TICKS, charged_parts, part_name, get_8, always, true},
    {0},
};

static const struct section code_section = {"pcs", code_rows, code_fields};

/* Both tables follow the pane's width, which only drawing tells. */
static void fit(const struct pane *p)
{
	struct compare_pane *self = of(p);

	if (self->width == p->columns)
		return;
	table_fit(&self->table, p->columns);
	table_fit(&self->stage_table, p->columns);
	self->width = p->columns;
}

/* The range as other panes tell theirs, with its last tick. */
static void add_range(const struct compare_pane *self, struct sbuf *out)
{
	const struct compare_range *r = self->source.range;
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

	sbuf_puts(out, "where the cycles went: B against A");
	if (!self->source.costs)
		return;
	fit(p);
	add_range(self, out);
	sbuf_printf(out, ", by %s", p->sort ? p->sort : DEFAULT_SORT);
	if (self->table.left_out)
		sbuf_printf(out, "  (%zu column%s left out)", self->table.left_out,
			    self->table.left_out == 1 ? "" : "s");
}

/* Line of the heading of the instructions; those before it are about the whole run. */
static size_t codes_at(const struct compare_pane *self)
{
	return HEAD_LINES + self->stages + 1;
}

static size_t count(const struct pane *p)
{
	const struct compare_pane *self = of(p);

	return self->source.costs ? codes_at(self) + 1 + self->source.costs->code_count : 1;
}

static void add_number(struct pane_line *out, int64_t n, const char *what)
{
	char number[32];

	pane_line_add(out, ROLE_TEXT, "%12s %s", num_group(n, number), what);
}

static void add_side(const struct compare_pane *self, int side, struct pane_line *out)
{
	const struct compare *r = self->source.costs;
	int64_t cycles = r->cycles[side];

	pane_line_add(out, ROLE_KEY, "%-5s", side == ALIGN_A ? "A" : "B");
	add_number(out, cycles, "cycles");
	add_number(out, (int64_t)r->steps[side], "instructions");
	if (cycles > 0)
		pane_line_add(out, ROLE_TEXT, "  IPC %.2f",
			      (double)r->steps[side] / (double)cycles);
	pane_line_add(out, ROLE_DIM, "  %.*s", NAME_COLUMNS, self->source.names[side]);
}

static void add_signed(struct pane_line *out, int64_t n, const char *what)
{
	char number[32], text[40];

	snprintf(text, sizeof(text), "%s%s", n > 0 ? "+" : "", num_group(n, number));
	pane_line_add(out, ROLE_TEXT, "%12s %s", text, what);
}

static void add_change(const struct compare *r, struct pane_line *out)
{
	int64_t a = r->cycles[ALIGN_A], b = r->cycles[ALIGN_B];
	char number[32];

	pane_line_add(out, ROLE_KEY, "%-5s", "B - A");
	add_signed(out, b - a, "cycles");
	add_signed(out, (int64_t)r->steps[ALIGN_B] - (int64_t)r->steps[ALIGN_A], "instructions");
	if (a > 0)
		pane_line_add(out, ROLE_TEXT, "  %+.1f %%",
			      100.0 * ((double)b - (double)a) / (double)a);
	pane_line_add(out, ROLE_DIM, "  %s%s rows matched by %s, %s",
		      r->al->diff.clipped ? ">= " : "", num_group((int64_t)r->matched, number),
		      align_by_names[r->al->by], align_key_names[r->al->key]);
}

static void add_first(const struct compare *r, struct pane_line *out)
{
	char number[32];
	int n = 0;

	pane_line_add(out, ROLE_KEY, "%-5s ", "first");
	if (!r->first.kinds) {
		pane_line_add(out, ROLE_TEXT, "there is no difference");
		return;
	}
	pane_line_add(out, ROLE_TEXT, "difference at");
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (r->first.row[s] != ROW_NONE)
			pane_line_add(out, ROLE_TEXT, " %s row %s", s == ALIGN_A ? "A" : "B",
				      num_group((int64_t)r->first.row[s], number));
	for (int k = 0; k < DIFFERENCE_COUNT; k++)
		if (r->first.kinds >> k & 1)
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

	if (!self->source.costs)
		return;
	fit(p);
	if (p->top > codes_at(self))
		table_line(&self->table, SIZE_MAX, out);
	else
		add_change(self->source.costs, out);
}

static void head_line(const struct compare_pane *self, size_t i, struct pane_line *out)
{
	const struct compare *r = self->source.costs;

	switch (i) {
	case LINE_A:
	case LINE_B:
		add_side(self, i == LINE_A ? ALIGN_A : ALIGN_B, out);
		break;
	case LINE_FIRST:
		add_first(r, out);
		break;
	case LINE_STAGES:
		table_line(&self->stage_table, SIZE_MAX, out);
		break;
	default:
		break;
	}
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct compare_pane *self = of(p);
	size_t codes = codes_at(self);

	if (!self->source.costs) {
		pane_line_add(out, ROLE_DIM, "%s", self->source.instead);
		return;
	}
	fit(p);
	if (i < HEAD_LINES)
		head_line(self, i, out);
	else if (i < HEAD_LINES + self->stages)
		table_line(&self->stage_table, i - HEAD_LINES, out);
	else if (i == codes)
		table_line(&self->table, SIZE_MAX, out);
	else if (i > codes && i - codes - 1 < self->source.costs->code_count)
		table_line(&self->table, i - codes - 1, out);
}

/* The rows that a line is about. */
static bool rows_of(const struct compare_pane *self, size_t i, uint64_t rows[ALIGN_SIDES])
{
	const struct compare *r = self->source.costs;
	size_t codes = codes_at(self);
	const uint64_t *found = NULL;

	if (r && i == LINE_FIRST && r->first.kinds)
		found = r->first.row;
	else if (r && i > codes && i - codes - 1 < r->code_count)
		found = self->source.worst[self->order[i - codes - 1]].row;
	if (!found)
		return false;
	memcpy(rows, found, ALIGN_SIDES * sizeof(*rows));
	return rows[ALIGN_A] != ROW_NONE || rows[ALIGN_B] != ROW_NONE;
}

/* To the row of the side with the focus: the other comes along. */
static bool target(const struct pane *p, size_t i, uint64_t *row, int64_t *tick)
{
	uint64_t rows[ALIGN_SIDES];

	if (!rows_of(of(p), i, rows))
		return false;
	*row = rows[of(p)->source.view->focus];
	*tick = TICK_NONE;
	return *row != ROW_NONE;
}

/* What only the other side has is looked at there. */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct compare_pane *self = of(p);
	uint64_t rows[ALIGN_SIDES];

	if (!rows_of(self, i, rows) || rows[self->source.view->focus] != ROW_NONE)
		return false;
	sbuf_printf(out, "%s ; goto row %" PRIu64, self->source.to_other,
		    rows[!self->source.view->focus]);
	return true;
}

/* Sorting */

struct sorting {
	const struct compare *r;
	const struct field *field; /* of compare_lost_wide */
	size_t part;
	bool gained; /* the least first */
};

static int compare_values(struct value x, struct value y)
{
	size_t least;
	int order;

	if (x.type == VALUE_NONE || y.type == VALUE_NONE)
		return (x.type == VALUE_NONE) - (y.type == VALUE_NONE);
	switch (x.type) {
	case VALUE_TEXT:
		least = x.text.len < y.text.len ? x.text.len : y.text.len;
		order = least ? memcmp(x.text.p, y.text.p, least) : 0;
		return order ? order : (x.text.len > y.text.len) - (x.text.len < y.text.len);
	case VALUE_HEX:
		return (x.count > y.count) - (x.count < y.count);
	case VALUE_COUNT:
		return (x.count < y.count) - (x.count > y.count);
	case VALUE_TICKS:
		return (x.ticks < y.ticks) - (x.ticks > y.ticks);
	default:
		return 0;
	}
}

/* Numbers fall, texts and pcs rise; equals stay in the order of the analysis. */
static int by_column(const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_values(s->field->get(s->r, x, s->part),
				   s->field->get(s->r, y, s->part));

	order = s->gained ? -order : order;
	return order ? order : (x > y) - (x < y);
}

/* Then what it gained is what there is to tell: changes rise. */
static bool b_is_faster(const struct compare *r)
{
	return r->cycles[ALIGN_B] < r->cycles[ALIGN_A];
}

/* The n-th column as its heading reads; NULL: there are not so many. */
static const char *column_name(const struct compare_pane *self, size_t n, struct sorting *out)
{
	size_t stages = charged_parts(self);

	if (n >= FIELD_COUNT - 1 + stages)
		return NULL;
	out->r = self->source.costs;
	out->gained = n >= FIELD_DELTA && b_is_faster(out->r);
	out->part = n < FIELD_COUNT - 1 ? 0 : n - (FIELD_COUNT - 1);
	out->field = &compare_lost_wide.fields[n < FIELD_COUNT - 1 ? n : FIELD_COUNT - 1];
	return n < FIELD_COUNT - 1 ? code_fields[n].key : part_name(self, out->part);
}

static size_t find_column(const struct compare_pane *self, const char *name, struct sorting *out)
{
	const char *found;
	size_t n = 0;

	while ((found = column_name(self, n, out)) && strcmp(found, name) != 0)
		n++;
	return n;
}

static enum status no_column(const struct compare_pane *self, const char *name, struct error *e)
{
	struct sbuf all = {0};
	struct sorting ignored;
	const char *found;
	enum status status;

	for (size_t n = 0; (found = column_name(self, n, &ignored)); n++)
		sbuf_printf(&all, "%s%s", n ? ", " : "", found);
	status = error_set(e, STATUS_USAGE, "no such column: %s (there are: %s)", name,
			   sbuf_text(&all));
	sbuf_free(&all);
	return status;
}

static enum status sort(struct pane *p, const char *column, int dir, struct error *e)
{
	struct compare_pane *self = of(p);
	size_t n, columns;
	struct sorting by;
	char *name;

	if (!self->source.costs)
		return error_set(e, STATUS_NOT_FOUND, "%s", self->source.instead);
	columns = FIELD_COUNT - 1 + charged_parts(self);
	n = find_column(self, column ? column : p->sort ? p->sort : DEFAULT_SORT, &by);
	if (!column)
		n = n == columns ? 0 : (n + (dir < 0 ? columns - 1 : 1)) % columns;
	column = column_name(self, n, &by) ? column_name(self, n, &by) : column;
	if (n == columns)
		return no_column(self, column, e);
	qsort_r(self->order, self->source.costs->code_count, sizeof(*self->order), by_column, &by);
	name = xstrdup(column); /* may be p->sort itself */
	free(p->sort);
	p->sort = name;
	return STATUS_OK;
}

static void free_pane(struct pane *p)
{
	table_free(&of(p)->table);
	table_free(&of(p)->stage_table);
	free(of(p)->order);
	free(of(p));
}

static const struct pane_ops compare_ops = {
    .name = "compare",
    .help = "where B lost and gained cycles against A; Enter goes to the worst place",
    .title = title,
    .heading = heading,
    .count = count,
    .line = line,
    .target = target,
    .command = command,
    .sort = sort,
    .free = free_pane,
    .width = WANTED,
    .table = true,
};

struct pane *compare_pane(const struct compare_pane_source *source)
{
	struct compare_pane *p = xcalloc(1, sizeof(*p));
	const struct compare *r = source->costs;
	struct sorting by;

	p->pane.ops = &compare_ops;
	p->pane.data = p;
	p->source = *source;
	if (!r)
		return &p->pane;
	by = (struct sorting){.r = r,
			      .field = &compare_lost_wide.fields[FIELD_DELTA],
			      .gained = b_is_faster(r)};
	p->order = xcalloc(r->code_count + 1, sizeof(*p->order));
	for (size_t i = 0; i < r->code_count; i++)
		p->order[i] = (uint32_t)i;
	qsort_r(p->order, r->code_count, sizeof(*p->order), by_column, &by);
	p->stages = compare_parts.rows(r);
	p->pane.cursor = codes_at(p) + (r->code_count > 0);
	if (table_new(&p->table, &code_section, p, r->code_count) &&
	    table_new(&p->stage_table, &compare_parts, r, p->stages))
		return &p->pane;
	p->source.costs = NULL;
	p->source.instead = "out of memory";
	return &p->pane;
}
