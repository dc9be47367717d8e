#include "config.h"

#include "view/pipeline/compare_pane.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/table.h"

enum { WANTED = 160, NAME_COLUMNS = 40 };

/* Of more than two runs the order of the analysis, which is no column's. */
#define DEFAULT_SORT(runs) ((runs) == RUNS_LEAST ? "delta" : "change")

struct compare_pane {
	struct pane pane;
	struct compare_pane_source source;
	struct compare_table rows;
	size_t stages;
	struct table table, stage_table;
	int width; /* that the tables were fitted to */
};

static struct compare_pane *of(const struct pane *p)
{
	return p->data;
}

static int runs_of(const struct compare_pane *self)
{
	return self->rows.runs;
}

/* What a run is charged. */
static const struct compare *costs_of(const struct compare_pane *self, int run, int *side)
{
	*side = run == RUN_A ? ALIGN_A : ALIGN_B;
	return self->source.costs[run == RUN_A ? RUN_B : run];
}

/* Lines above the stages: the runs, where each differs from A first, and a blank one. */
enum head_kind { HEAD_RUN, HEAD_FIRST, HEAD_BLANK, HEAD_STAGES, HEAD_NONE };

static size_t head_lines(const struct compare_pane *self)
{
	return 2 * (size_t)runs_of(self) + 1;
}

static enum head_kind head_of(const struct compare_pane *self, size_t i, int *run)
{
	const size_t runs = (size_t)runs_of(self);

	*run = RUN_A;
	if (i < runs) {
		*run = (int)i;
		return HEAD_RUN;
	}
	i -= runs;
	if (i < runs - 1) {
		*run = (int)i + RUN_B;
		return HEAD_FIRST;
	}
	i -= runs - 1;
	return i == 0 ? HEAD_BLANK : i == 1 ? HEAD_STAGES : HEAD_NONE;
}

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
			    store_unit(self->source.costs[RUN_B]->al->side[ALIGN_A].store),
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
	sbuf_puts(out, "where the cycles went: B");
	for (int run = RUN_B + 1; run < runs_of(self); run++)
		sbuf_printf(out, ", %c", run_letter(run));
	sbuf_puts(out, " against A");
	fit(p);
	add_range(self, out);
	sbuf_printf(out, ", by %s", p->sort ? p->sort : DEFAULT_SORT(runs_of(self)));
	if (self->table.left_out)
		sbuf_printf(out, "  (%zu column%s left out)", self->table.left_out,
			    self->table.left_out == 1 ? "" : "s");
}

/* Line of the heading of the instructions; those before it are about the whole run. */
static size_t codes_at(const struct compare_pane *self)
{
	return head_lines(self) + self->stages + 1;
}

static size_t count(const struct pane *p)
{
	const struct compare_pane *self = of(p);

	return self->source.view ? codes_at(self) + 1 + self->rows.count : 1;
}

/* The lines of the runs stand below each other: one cycle takes the place of "cycles". */
static char ending(int64_t n)
{
	return n == 1 || n == -1 ? ' ' : 's';
}

static void add_number(struct pane_line *out, int64_t n, const char *what)
{
	char number[32];

	pane_line_add(out, ROLE_TEXT, "%12s %s%c", num_group(n, number), what, ending(n));
}

static void add_side(const struct compare_pane *self, int run, struct pane_line *out)
{
	int side;
	const struct compare *r = costs_of(self, run, &side);
	int64_t cycles = r->cycles[side], of_a = r->cycles[ALIGN_A];

	pane_line_add(out, ROLE_KEY, "%-5c", run_letter(run));
	add_number(out, cycles, "cycle");
	add_number(out, (int64_t)r->steps[side], "instruction");
	if (cycles > 0)
		pane_line_add(out, ROLE_TEXT, "  IPC %.2f",
			      (double)r->steps[side] / (double)cycles);
	if (runs_of(self) > RUNS_LEAST && run != RUN_A && of_a > 0)
		pane_line_add(out, ROLE_TEXT, "  %+.1f %%",
			      100.0 * ((double)cycles - (double)of_a) / (double)of_a);
	pane_line_add(out, ROLE_DIM, "  %.*s", NAME_COLUMNS, self->source.names[run]);
}

static void add_signed(struct pane_line *out, int64_t n, const char *what)
{
	char number[32], text[40];

	snprintf(text, sizeof(text), "%s%s", n > 0 ? "+" : "", num_group(n, number));
	pane_line_add(out, ROLE_TEXT, "%12s %s%c", text, what, ending(n));
}

static void add_change(const struct compare *r, struct pane_line *out)
{
	int64_t a = r->cycles[ALIGN_A], b = r->cycles[ALIGN_B];
	char number[32];

	pane_line_add(out, ROLE_KEY, "%-5s", "B - A");
	add_signed(out, b - a, "cycle");
	add_signed(out, (int64_t)r->steps[ALIGN_B] - (int64_t)r->steps[ALIGN_A], "instruction");
	if (a > 0)
		pane_line_add(out, ROLE_TEXT, "  %+.1f %%",
			      100.0 * ((double)b - (double)a) / (double)a);
	pane_line_add(out, ROLE_DIM, "  %s%s rows matched by %s, %s",
		      align_is_bound(r->al) ? ">= " : "", num_group((int64_t)r->matched, number),
		      align_by_names[r->al->by], align_key_names[r->al->key]);
}

/* What was matched of each of several runs. */
static void add_matched(const struct compare_pane *self, struct pane_line *out)
{
	char number[32];

	pane_line_add(out, ROLE_KEY, "%-5s ", "rows");
	for (int run = RUN_B; run < runs_of(self); run++) {
		const struct compare *r = self->source.costs[run];

		pane_line_add(out, ROLE_TEXT, "%s%s%s of %c", run == RUN_B ? "" : ", ",
			      align_is_bound(r->al) ? ">= " : "",
			      num_group((int64_t)r->matched, number), run_letter(run));
	}
	pane_line_add(out, ROLE_TEXT, " matched by %s",
		      align_by_names[self->source.costs[RUN_B]->al->by]);
}

static void add_first(const struct compare_pane *self, int run, struct pane_line *out)
{
	const struct difference *d = &self->source.costs[run]->first;
	const int letters[ALIGN_SIDES] = {run_letter(RUN_A), run_letter(run)};
	char number[32];
	int n = 0;

	pane_line_add(out, ROLE_KEY, "%-5s ", "first");
	if (!d->kinds) {
		pane_line_add(out, ROLE_TEXT, "there is no difference");
		if (runs_of(self) > RUNS_LEAST)
			pane_line_add(out, ROLE_TEXT, " between A and %c", letters[ALIGN_B]);
		return;
	}
	pane_line_add(out, ROLE_TEXT, "difference at");
	for (int s = 0; s < ALIGN_SIDES; s++)
		if (d->row[s] != ROW_NONE)
			pane_line_add(out, ROLE_TEXT, " %c row %s", letters[s],
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
	else if (runs_of(self) == RUNS_LEAST)
		add_change(self->source.costs[RUN_B], out);
	else
		add_matched(self, out);
}

static void head_line(const struct compare_pane *self, size_t i, struct pane_line *out)
{
	int run;

	switch (head_of(self, i, &run)) {
	case HEAD_RUN:
		add_side(self, run, out);
		break;
	case HEAD_FIRST:
		add_first(self, run, out);
		break;
	case HEAD_STAGES:
		table_line(&self->stage_table, SIZE_MAX, out);
		break;
	case HEAD_BLANK:
	case HEAD_NONE:
		break;
	}
}

static void line(const struct pane *p, size_t i, struct pane_line *out)
{
	const struct compare_pane *self = of(p);
	size_t codes, head;

	if (!self->source.view) {
		pane_line_add(out, ROLE_DIM, "%s", self->source.instead);
		return;
	}
	fit(p);
	codes = codes_at(self);
	head = head_lines(self);
	if (i < head)
		head_line(self, i, out);
	else if (i < head + self->stages)
		table_line(&self->stage_table, i - head, out);
	else if (i == codes)
		table_line(&self->table, SIZE_MAX, out);
	else if (i > codes && i - codes - 1 < self->rows.count)
		table_line(&self->table, i - codes - 1, out);
}

/* The run to look at beside A: the one with the focus, else the one that a line changed most in. */
static int run_of_line(const struct compare_pane *self, const struct compare_line *l)
{
	int focus = self->source.view->focus;

	return focus != RUN_A && l->of[focus] != COMPARE_ABSENT ? focus
								: compare_table_run(&self->rows, l);
}

/* The rows that a line is about, of A and of another run; -1: none. */
static int rows_of(const struct compare_pane *self, size_t i, uint64_t rows[ALIGN_SIDES])
{
	const struct compare_line *l;
	size_t codes;
	int run;

	if (!self->source.view)
		return -1;
	codes = codes_at(self);
	if (head_of(self, i, &run) == HEAD_FIRST) {
		if (!self->source.costs[run]->first.kinds)
			return -1;
		memcpy(rows, self->source.costs[run]->first.row, ALIGN_SIDES * sizeof(*rows));
	} else if (i > codes && i - codes - 1 < self->rows.count) {
		l = &self->rows.lines[self->rows.order[i - codes - 1]];
		run = run_of_line(self, l);
		memcpy(rows, self->source.worst[run][l->of[run]].row, ALIGN_SIDES * sizeof(*rows));
	} else {
		return -1;
	}
	return rows[ALIGN_A] != ROW_NONE || rows[ALIGN_B] != ROW_NONE ? run : -1;
}

/* The run to be looked from, and the row: the one with the focus, if it has the row. */
static int place_of(const struct compare_pane *self, size_t i, uint64_t *row)
{
	uint64_t rows[ALIGN_SIDES];
	int run = rows_of(self, i, rows), side;

	if (run < 0)
		return -1;
	side = self->source.view->focus == run ? ALIGN_B : ALIGN_A;
	if (rows[side] == ROW_NONE)
		side = !side;
	*row = rows[side];
	return side == ALIGN_A ? RUN_A : run;
}

/* To the row of the run with the focus: the others come along. */
static bool target(const struct pane *p, size_t i, uint64_t *row, int64_t *tick)
{
	*tick = TICK_NONE;
	return of(p)->source.view && place_of(of(p), i, row) == of(p)->source.view->focus;
}

/* What it does not have is looked at in another run. */
static bool command(const struct pane *p, size_t i, struct sbuf *out)
{
	const struct compare_pane *self = of(p);
	uint64_t row;
	int run = place_of(self, i, &row);

	if (run < 0 || run == self->source.view->focus)
		return false;
	sbuf_printf(out, "%s %c ; goto row %" PRIu64, self->source.to_other, run_letter(run), row);
	return true;
}

/* Sorting */

struct sorting {
	const struct compare_table *rows;
	const struct field *field; /* of all lines, in the order of the analysis */
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

/* One line of the list and its value in the column that it is sorted by. */
struct keyed {
	struct value value;
	uint32_t line;
};

/* Numbers fall, texts and pcs rise; equals stay in the order of the analysis. */
static int by_value(const void *a, const void *b, void *gained)
{
	const struct keyed *x = a, *y = b;
	int order = compare_values(x->value, y->value);

	order = *(bool *)gained ? -order : order;
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void sort_by(struct compare_table *rows, const struct sorting *by)
{
	struct keyed *keyed = xcalloc(rows->count + 1, sizeof(*keyed));
	bool gained = by->gained;

	compare_table_list(rows, COMPARE_LIST_ALL);
	for (size_t i = 0; i < rows->count; i++)
		keyed[i] = (struct keyed){by->field->get(rows, i, by->part), (uint32_t)i};
	qsort_r(keyed, rows->count, sizeof(*keyed), by_value, &gained);
	for (size_t i = 0; i < rows->count; i++)
		rows->order[i] = keyed[i].line;
	free(keyed);
}

/* Then what it gained is what there is to tell: changes rise. */
static bool is_faster(const struct compare_pane *self, int run)
{
	int side;
	const struct compare *r = costs_of(self, run, &side);

	return r->cycles[side] < r->cycles[ALIGN_A];
}

/* The n-th column as its heading reads; NULL: there are not so many. */
static const char *column_name(const struct compare_pane *self, size_t n, struct sorting *out)
{
	const struct compare_fields *f = &self->rows.fields_of_people;

	for (size_t i = 0; i < f->count; i++) {
		const struct field *field = &f->field[i];
		size_t parts = field->parts ? field->parts(&self->rows) : 1;

		if (n >= parts) {
			n -= parts;
			continue;
		}
		/* of two runs the change is B's in what tells the part of it too */
		*out = (struct sorting){
		    .rows = &self->rows,
		    .field = field,
		    .part = n,
		    .gained =
			(f->run[i] != RUN_A || (field->derived && runs_of(self) == RUNS_LEAST)) &&
			is_faster(self, f->run[i] == RUN_A ? RUN_B : f->run[i])};
		return field->parts ? field->part(&self->rows, n) : field->key;
	}
	return NULL;
}

static size_t count_columns(const struct compare_pane *self)
{
	struct sorting ignored;
	size_t n = 0;

	while (column_name(self, n, &ignored))
		n++;
	return n;
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

	if (!self->source.view)
		return error_set(e, STATUS_NOT_FOUND, "%s", self->source.instead);
	columns = count_columns(self);
	n = find_column(self,
			column    ? column
			: p->sort ? p->sort
				  : DEFAULT_SORT(runs_of(self)),
			&by);
	if (!column)
		n = n == columns ? 0 : (n + (dir < 0 ? columns - 1 : 1)) % columns;
	column = column_name(self, n, &by) ? column_name(self, n, &by) : column;
	if (n == columns)
		return no_column(self, column, e);
	sort_by(&self->rows, &by);
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
    .name = "compare",
    .help = "where the others lost and gained cycles against A; Enter goes to the worst place",
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
	struct sorting by;

	p->pane.ops = &compare_ops;
	p->pane.data = p;
	p->source = *source;
	if (!source->view)
		return &p->pane;
	if (compare_table_new(&p->rows, source->costs, source->view->al->runs, true)) {
		if (runs_of(p) == RUNS_LEAST) {
			find_column(p, DEFAULT_SORT(RUNS_LEAST), &by);
			sort_by(&p->rows, &by);
		}
		p->stages = p->rows.part_list.rows(&p->rows);
		p->pane.cursor = codes_at(p) + (p->rows.count > 0);
		if (table_new(&p->table, &p->rows.people, &p->rows, p->rows.count) &&
		    table_new(&p->stage_table, &p->rows.part_list, &p->rows, p->stages))
			return &p->pane;
	}
	p->source.view = NULL;
	p->source.instead = "out of memory";
	return &p->pane;
}
