#include "config.h"

#include "view/section_pane.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hints.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "trace/tick.h"
#include "trace/trace.h"
#include "view/table.h"

enum { INDENT = 2, NUMBERS_END = 27, BAR_LEAST = 7, BAR_MOST = 31, HALVES = 2 /* of a cell */ };

static const char full_cell[] = "\xe2\x96\x88", left_half[] = "\xe2\x96\x8c",
		  right_half[] = "\xe2\x96\x90", axis_cell[] = "\xe2\x94\x82";

/* ---- words --------------------------------------------------------------------------------- */

void pane_flow(struct list_pane *out, int width, enum role role, const char *words,
	       const char *between)
{
	struct pane_line *l = &out->lines[out->count - 1].line;
	int used = text_width(sbuf_text(&l->text), l->text.len);
	size_t len = strlen(words);
	int wanted = text_width(words, len);

	if (!len)
		return;
	if (used && used + (int)strlen(between) + wanted > width && INDENT + wanted <= width) {
		l = list_pane_add(out, ITEM_NONE, 0);
		pane_line_add(l, ROLE_PANE, "%*s", INDENT, "");
	} else if (used) {
		pane_line_add(l, ROLE_PANE, "%s", between);
	}
	l->indent = INDENT;
	pane_line_bytes(l, role, words, len);
}

void section_keys(struct list_pane *out, const struct field *fields, const void *result, size_t row)
{
	struct sbuf value = {0};
	char name[FIELD_NAME];

	for (const struct field *f = fields; f->key; f++) {
		const bool list = f->shape == FIELD_LIST, text = list || f->type == VALUE_TEXT;
		const size_t parts = f->hidden ? 0 : list ? 1 : field_parts(f, result);

		for (size_t part = 0; part < parts; part++) {
			struct pane_line *l;
			int used;

			sbuf_clear(&value);
			if (list || field_value(f, result, row, part).type != VALUE_NONE)
				table_values(&value, f, result, row, part);
			if (!value.len)
				continue;
			l = list_pane_key(out, field_heading(f, result, part, name));
			used = text_width(sbuf_text(&l->text), l->text.len) + (int)value.len;
			pane_line_add(l, ROLE_TEXT, "%*s",
				      text || used > NUMBERS_END ? 0 : NUMBERS_END - used, "");
			pane_line_bytes(l, ROLE_TEXT, sbuf_text(&value), value.len);
		}
	}
	sbuf_free(&value);
}

void section_flow(struct list_pane *out, const struct field *fields, const void *result, size_t row,
		  int width)
{
	struct sbuf words = {0};
	char name[FIELD_NAME];

	for (const struct field *f = fields; f->key; f++)
		for (size_t part = 0; !f->hidden && part < field_parts(f, result); part++) {
			if (field_value(f, result, row, part).type == VALUE_NONE)
				continue;
			sbuf_clear(&words);
			sbuf_printf(&words, "%s ", field_heading(f, result, part, name));
			table_values(&words, f, result, row, part);
			pane_flow(out, width, ROLE_PANE, sbuf_text(&words), "   ");
		}
	sbuf_free(&words);
}

/* ---- bars ---------------------------------------------------------------------------------- */

/* The scale of a field's bars, over all rows and parts. */
struct scale {
	double most;
	bool negative; /* some are: zero is in the middle */
};

static double number_at(const struct field *f, const void *result, size_t row, size_t part)
{
	struct value v = field_value(f, result, row, part);

	return v.type == VALUE_REAL    ? v.real
	       : v.type == VALUE_COUNT ? (double)v.count
	       : v.type == VALUE_TICKS ? (double)v.ticks
				       : NAN;
}

static struct scale scale_of(const struct section *s, const struct field *f, const void *result)
{
	struct scale scale = {0, false};

	for (size_t row = 0; row < s->rows(result); row++)
		for (size_t part = 0; part < field_parts(f, result); part++) {
			double value = number_at(f, result, row, part);

			scale.most = fmax(scale.most, isfinite(value) ? fabs(value) : 0);
			scale.negative |= value < 0;
		}
	return scale;
}

static int halves(double value, double most, int cells)
{
	int n = most > 0 && isfinite(value) ? (int)lrint(fabs(value) / most * cells * HALVES) : 0;

	return n > cells * HALVES ? cells * HALVES : n;
}

void bar_put(struct sbuf *out, int cells, int from, int to)
{
	for (int i = 0; i < cells; i++) {
		bool left = from <= HALVES * i && to > HALVES * i;
		bool right = from <= HALVES * i + 1 && to > HALVES * i + 1;

		sbuf_puts(out, left && right ? full_cell
			       : left        ? left_half
			       : right       ? right_half
					     : " ");
	}
}

/* Zero is in the middle: what is below lies to its left. */
static void put_signed(struct sbuf *out, double value, double most, int cells)
{
	int side = cells / 2, n = halves(value, most, side);

	bar_put(out, side, value < 0 ? HALVES * side - n : 0, value < 0 ? HALVES * side : 0);
	sbuf_puts(out, axis_cell);
	bar_put(out, side, 0, value > 0 ? n : 0);
}

/* With a stroke in one of its cells. */
static void put_marked(struct sbuf *out, double value, double mark, double most, int cells)
{
	int n = halves(value, most, cells), stroke = halves(mark, most, cells) / HALVES;

	stroke = stroke < cells ? stroke : cells - 1;
	bar_put(out, stroke, 0, n);
	sbuf_puts(out, axis_cell);
	n -= HALVES * (stroke + 1);
	bar_put(out, cells - stroke - 1, 0, n > 0 ? n : 0);
}

/* Nothing where there is no number. */
static void put_bar(struct sbuf *out, const struct scale *scale, const struct table_column *c,
		    const void *result, size_t row, int cells)
{
	const struct field *f = c->field;
	double value = number_at(f, result, row, c->part);

	if (isnan(value))
		sbuf_repeat(out, ' ', (size_t)cells);
	else if (scale->negative)
		put_signed(out, value, scale->most, cells);
	else if (f->mark)
		put_marked(out, value, f->mark(result, c->part).real, scale->most, cells);
	else
		bar_put(out, cells, 0, halves(value, scale->most, cells));
}

int pane_parts_bar(struct pane_line *l, const struct bar_part *parts, size_t count, double whole,
		   int width)
{
	struct sbuf cells = {0};
	double sum = 0;
	int done = 0;

	for (size_t i = 0; i < count && !isnan(parts[i].value); i++) {
		int end;

		sum += parts[i].value;
		end = (int)lrint(sum / whole * width);
		sbuf_clear(&cells);
		sbuf_repeat(&cells, parts[i].letter, end > done ? (size_t)(end - done) : 0);
		pane_line_bytes(l, parts[i].role, sbuf_text(&cells), cells.len);
		done = end > done ? end : done;
	}
	sbuf_free(&cells);
	return done;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* A table being drawn. */
struct drawing {
	struct table table;
	const struct section_look *look;
	struct scale *scales; /* of each column with a bar */
	int bar;              /* cells of each; 0: there are none */
};

static int bar_count(const struct table *t)
{
	int count = 0;

	for (size_t i = 0; i < t->columns.count; i++)
		count += t->columns.data[i].width > 0 && t->columns.data[i].field->bar;
	return count;
}

/* All columns but those that can be done without are shown. */
static bool is_whole(const struct table *t)
{
	for (size_t i = 0; i < t->columns.count; i++) {
		const struct table_column *c = &t->columns.data[i];

		if (c->width <= 0 && !c->field->minor)
			return false;
	}
	return true;
}

/*
 * Minor columns give way to the least of bars, others do not. Bars share what room is left; an odd
 * number of cells has a middle.
 */
static int fit(struct table *t, int width)
{
	int count = bar_count(t), cells;

	table_fit(t, width - count * (1 + BAR_LEAST));
	if (!count || !is_whole(t) || table_width(t) + count * (1 + BAR_LEAST) > width) {
		table_fit(t, width);
		return 0;
	}
	cells = (width - table_width(t)) / count - 1;
	cells = cells > BAR_MOST ? BAR_MOST : cells;
	return cells - (cells % 2 == 0);
}

static enum role role_of(const struct drawing *d, const struct table_column *c, size_t row)
{
	if (row == TABLE_HEADING)
		return ROLE_DIM;
	return d->look->role ? d->look->role(d->table.result, c->field, row, c->part) : ROLE_PANE;
}

static void draw_bar(const struct drawing *d, size_t column, size_t row, struct sbuf *out)
{
	const struct table_column *c = &d->table.columns.data[column];

	if (!d->bar || !c->field->bar || c->width <= 0)
		return;
	sbuf_putc(out, ' ');
	if (row == TABLE_HEADING)
		sbuf_repeat(out, ' ', (size_t)d->bar);
	else
		put_bar(out, &d->scales[column], c, d->table.result, row, d->bar);
}

/* Neighbours of one role are one stretch. */
static void draw_row(const struct drawing *d, size_t row, struct pane_line *l)
{
	enum role role = ROLE_PANE;
	struct sbuf text = {0};

	for (size_t i = 0; i < d->table.columns.count; i++) {
		const struct table_column *c = &d->table.columns.data[i];
		enum role here = role_of(d, c, row);

		if (here != role) {
			pane_line_bytes(l, role, sbuf_text(&text), text.len);
			sbuf_clear(&text);
			role = here;
		}
		table_cell(&d->table, i, row, &text);
		if (!d->bar || !c->field->bar)
			continue;
		pane_line_bytes(l, role, sbuf_text(&text), text.len);
		sbuf_clear(&text);
		draw_bar(d, i, row, &text);
		pane_line_bytes(l, role, sbuf_text(&text), text.len);
		if (l->span_count && text.len)
			l->spans[l->span_count - 1].bar = true;
		sbuf_clear(&text);
	}
	pane_line_bytes(l, role, sbuf_text(&text), text.len);
	sbuf_free(&text);
}

/* Into the width; what has no room is said. */
static void draw_table(struct list_pane *out, struct drawing *d, size_t rows)
{
	const struct section_look *look = d->look;
	struct table *t = &d->table;

	d->bar = fit(t, look->width);
	d->scales = xcalloc(t->columns.count + 1, sizeof(*d->scales));
	for (size_t i = 0; d->bar && i < t->columns.count; i++)
		if (t->columns.data[i].field->bar)
			d->scales[i] = scale_of(t->section, t->columns.data[i].field, t->result);
	draw_row(d, TABLE_HEADING, list_pane_add(out, ITEM_NONE, 0));
	for (size_t row = 0; row < rows; row++)
		draw_row(d, row,
			 list_pane_add(out, look->target ? look->target(t->result, row) : ITEM_NONE,
				       TICK_NONE));
	free(d->scales);
}

void section_table(struct list_pane *out, const struct section *s, const void *result,
		   const struct section_look *look)
{
	struct drawing d = {.look = look};
	const size_t all = s->rows(result);
	const size_t rows = look->most && look->most < all ? look->most : all;

	list_pane_add(out, ITEM_NONE, 0);
	list_pane_add(out, ITEM_NONE, 0);
	pane_flow(out, look->width, ROLE_BORDER, look->title ? look->title : section_title(s), "");
	if (s->about) {
		list_pane_add(out, ITEM_NONE, 0);
		pane_flow(out, look->width, ROLE_PANE, s->about, "");
	}
	if (table_new(&d.table, s, result, rows))
		draw_table(out, &d, rows);
	if (rows < all)
		pane_line_add(list_pane_add(out, ITEM_NONE, 0), ROLE_DIM, "and %zu more", all - rows);
	table_free(&d.table);
}

/* ---- hints --------------------------------------------------------------------------------- */

/* A line of a hint; what is put behind goes on below in its column. */
static struct pane_line *line_of(struct list_pane *list, const struct hint *hint,
				 const char *indent)
{
	struct pane_line *l = list_pane_add(list, hint->item, hint->tick);

	list->lines[list->count - 1].until = hint->until;
	pane_line_add(l, ROLE_PANE, "%s", indent);
	return l;
}

static void put_evidence(struct pane_line *l, const struct hint *hint)
{
	struct sbuf words = {0};

	for (size_t i = 0; i < HINT_EVIDENCE && hint->evidence[i].key; i++) {
		const struct hint_number *n = &hint->evidence[i];
		const bool share = n->unit && strcmp(n->unit, UNIT_SHARE) == 0;
		const bool whole = !n->unit && n->value == rint(n->value) && fabs(n->value) < 1e15;

		sbuf_printf(&words, "%s%s ", i ? "; " : "", n->key);
		table_value(&words, &(struct field){.unit = n->unit, .percent = share},
			    whole ? value_ticks((int64_t)n->value) : value_real(n->value));
	}
	pane_line_bytes(l, ROLE_DIM, sbuf_text(&words), words.len);
	sbuf_free(&words);
}

struct pane *hints_pane(const struct hints *h, size_t most, const struct pane_ops *ops)
{
	struct list_pane *list = list_pane_new(ops);

	snprintf(list->title, sizeof(list->title), "Hints  (Enter goes there)");
	for (size_t i = 0; i < h->list.count && i < most; i++) {
		const struct hint *hint = &h->list.data[i];
		struct pane_line *l;

		if (i)
			list_pane_add(list, ITEM_NONE, 0);
		l = line_of(list, hint, "");
		pane_line_add(l, ROLE_KEY, "%zu  ", i + 1);
		pane_line_add(l, ROLE_KEY, "%s  %s", hint->kind, hint->where);
		pane_line_add(line_of(list, hint, "    "), ROLE_PANE, "%s", hint->text);
		pane_line_add(line_of(list, hint, "    "), ROLE_PANE, "try: %s", hint->advice);
		put_evidence(line_of(list, hint, "    "), hint);
	}
	if (!h->list.count)
		pane_line_add(list_pane_add(list, ITEM_NONE, 0), ROLE_DIM, "nothing stands out");
	return &list->pane;
}
