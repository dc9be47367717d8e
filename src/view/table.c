#include "config.h"

#include "view/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "view/abbreviate.h"

enum { GAP = 2, HEADING_MOST = 8, TEXT_LEAST = 14 };

void table_value(struct sbuf *out, struct value v)
{
	switch (v.type) {
	case VALUE_NONE:
		sbuf_putc(out, '-');
		break;
	case VALUE_TEXT:
		sbuf_add(out, v.text.p, v.text.len);
		break;
	case VALUE_COUNT:
		sbuf_printf(out, "%" PRIu64, v.count);
		break;
	case VALUE_TICKS:
		sbuf_printf(out, "%" PRId64, v.ticks);
		break;
	case VALUE_REAL:
		sbuf_printf(out, "%.6g", v.real);
		break;
	case VALUE_HEX:
		sbuf_printf(out, "0x%" PRIx64, v.count);
		break;
	}
}

static double number_of(struct value v)
{
	switch (v.type) {
	case VALUE_COUNT:
		return (double)v.count;
	case VALUE_TICKS:
		return fabs((double)v.ticks);
	default:
		return 0;
	}
}

static const char *heading_of(const struct table *t, const struct table_column *c)
{
	return c->field->parts ? c->field->part(t->result, c->part) : c->field->key;
}

static void measure(const struct table *t, struct table_column *c, size_t rows, struct sbuf *cell)
{
	const char *heading = heading_of(t, c);

	c->heading = text_width(heading, strlen(heading));
	for (size_t row = 0; row < rows; row++) {
		struct value v = c->field->get(t->result, row, c->part);
		int width;

		sbuf_clear(cell);
		table_value(cell, v);
		width = text_width(sbuf_text(cell), cell->len);
		if (c->cells < width)
			c->cells = width;
		c->sum += number_of(v);
	}
	if (c->field->type == VALUE_TEXT && c->cells > TABLE_TEXT)
		c->cells = TABLE_TEXT;
	if (c->heading > TABLE_TEXT)
		c->heading = TABLE_TEXT;
}

bool table_new(struct table *t, const struct section *s, const void *result, size_t rows)
{
	struct sbuf cell = {0};

	*t = (struct table){.section = s, .result = result};
	for (const struct field *f = s->fields; f->key; f++) {
		size_t parts = f->parts ? f->parts(result) : 1;

		for (size_t part = 0; part < parts; part++)
			if (!vec_push(&t->columns, ((struct table_column){f, part, 0, 0, 0, 0})))
				return false;
	}
	for (size_t i = 0; i < t->columns.count; i++)
		measure(t, &t->columns.data[i], rows, &cell);
	sbuf_free(&cell);
	table_fit(t, 0);
	return true;
}

void table_free(struct table *t)
{
	vec_free(&t->columns);
}

/* Columns that the shown ones have too many for the width. */
static int excess(const struct table *t, int width)
{
	int total = -GAP;

	for (size_t i = 0; i < t->columns.count; i++)
		if (t->columns.data[i].width > 0)
			total += t->columns.data[i].width + GAP;
	return total - width;
}

/* What says who the row is stays: the scalars before the first object. */
static size_t first_optional(const struct table *t)
{
	size_t i = 0;

	while (i < t->columns.count && !t->columns.data[i].field->parts)
		i++;
	return i;
}

static void leave_out(struct table *t, struct table_column *c)
{
	c->width = 0;
	t->left_out++;
}

static bool is_minor(const struct table *t, const struct table_column *c)
{
	return c->field->minor && c->field->minor(t->result, c->part);
}

/* Does a go before b? */
static bool goes_first(const struct table *t, const struct table_column *a,
		       const struct table_column *b)
{
	if (is_minor(t, a) != is_minor(t, b))
		return is_minor(t, a);
	return a->sum < b->sum;
}

static void leave_out_least(struct table *t, int width)
{
	while (excess(t, width) > 0) {
		struct table_column *least = NULL;

		for (size_t i = first_optional(t); i < t->columns.count; i++) {
			struct table_column *c = &t->columns.data[i];

			if (c->width > 0 && (!least || goes_first(t, c, least)))
				least = c;
		}
		if (!least)
			return;
		leave_out(t, least);
	}
}

/* Give the excess (or, negative, the room that is left) to the texts. */
static void fit_texts(struct table *t, int width)
{
	for (size_t i = 0; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];
		int wanted = c->cells > c->heading ? c->cells : c->heading;
		int least = wanted < TEXT_LEAST ? wanted : TEXT_LEAST;

		if (c->field->type != VALUE_TEXT)
			continue;
		c->width -= excess(t, width);
		c->width = c->width < least ? least : c->width > wanted ? wanted : c->width;
	}
}

static void shorten_heading(const struct table *t, struct table_column *c)
{
	struct sbuf name = {0};
	int heading;

	abbreviate(&name, heading_of(t, c), HEADING_MOST);
	heading = text_width(sbuf_text(&name), name.len);
	c->width = c->cells > heading ? c->cells : heading;
	sbuf_free(&name);
}

void table_fit(struct table *t, int width)
{
	size_t optional = first_optional(t);

	t->left_out = 0;
	for (size_t i = 0; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];

		c->width = c->heading > c->cells ? c->heading : c->cells;
	}
	if (width <= 0 || excess(t, width) <= 0)
		return;
	for (size_t i = optional; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];

		if (c->sum <= 0)
			leave_out(t, c);
		else
			shorten_heading(t, c);
	}
	fit_texts(t, width);
	leave_out_least(t, width);
	fit_texts(t, width);
}

/* Text to the left, numbers to the right; nothing is padded behind the last column. */
static void put(const struct table_column *c, bool last, const struct sbuf *cell, struct sbuf *out)
{
	bool left = c->field->type == VALUE_TEXT;
	int width = text_width(sbuf_text(cell), cell->len);

	if (!left && width < c->width)
		sbuf_repeat(out, ' ', (size_t)(c->width - width));
	text_fit(out, sbuf_text(cell), cell->len, c->width, left && !last);
}

/* The last column that is shown. */
static size_t last_shown(const struct table *t)
{
	size_t last = 0;

	for (size_t i = 0; i < t->columns.count; i++)
		if (t->columns.data[i].width > 0)
			last = i;
	return last;
}

static void put_line(const struct table *t, size_t row, bool heading, struct sbuf *out)
{
	size_t last = last_shown(t);
	struct sbuf cell = {0};

	for (size_t i = 0; i < t->columns.count; i++) {
		const struct table_column *c = &t->columns.data[i];

		if (c->width <= 0)
			continue;
		sbuf_clear(&cell);
		if (heading)
			abbreviate(&cell, heading_of(t, c), c->width);
		else
			table_value(&cell, c->field->get(t->result, row, c->part));
		put(c, i == last, &cell, out);
		if (i < last)
			sbuf_repeat(out, ' ', GAP);
	}
	sbuf_free(&cell);
}

void table_heading(const struct table *t, struct sbuf *out)
{
	put_line(t, 0, true, out);
}

void table_row(const struct table *t, size_t row, struct sbuf *out)
{
	put_line(t, row, false, out);
}
