#include "config.h"

#include "view/table.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/abbreviate.h"

enum { GAP = 2, HEADING_MOST = 8, PATH_LEAST = 24, TEXT_LEAST = 14, TEXT_SHORT = 12, TEXT_LAST = 6 };

static double number_of(struct value v)
{
	switch (v.type) {
	case VALUE_COUNT:
	case VALUE_HEX:
		return (double)v.count;
	case VALUE_TICKS:
		return fabs((double)v.ticks);
	case VALUE_REAL:
		return isfinite(v.real) ? fabs(v.real) : 0;
	default:
		return 0;
	}
}

static void put_real(struct sbuf *out, const struct field *f, double real)
{
	double value = f->percent ? 100 * real : real;

	if (f->unit && strcmp(f->unit, UNIT_SECOND) == 0) {
		char time[40];

		sbuf_puts(out, num_seconds(real, time));
		return;
	}
	if (f->decimals || f->percent)
		sbuf_printf(out, f->sign ? "%+.*f" : "%.*f", f->decimals, value);
	else
		sbuf_printf(out, f->sign ? "%+.6g" : "%.6g", value);
	sbuf_puts(out, f->percent ? " %" : "");
}

static void put_whole(struct sbuf *out, const struct field *f, int64_t whole)
{
	char number[32];

	if (f->name)
		sbuf_printf(out, "%" PRId64, whole);
	else
		sbuf_puts(out, num_group(whole, number));
}

static void put_ticks(struct sbuf *out, const struct field *f, int64_t ticks)
{
	char time[40];

	if (f->unit && num_time(ticks, f->unit, time))
		sbuf_puts(out, time);
	else
		put_whole(out, f, ticks);
}

void table_value(struct sbuf *out, const struct field *f, struct value v)
{
	if (f->blank && v.type != VALUE_NONE && v.type != VALUE_TEXT && number_of(v) == 0)
		return;
	switch (v.type) {
	case VALUE_NONE:
		sbuf_putc(out, '-');
		break;
	case VALUE_TEXT:
		sbuf_add(out, v.text.p, v.text.len);
		break;
	case VALUE_COUNT:
		put_whole(out, f, (int64_t)v.count);
		break;
	case VALUE_TICKS:
		put_ticks(out, f, v.ticks);
		break;
	case VALUE_REAL:
		put_real(out, f, v.real);
		break;
	case VALUE_HEX:
		sbuf_printf(out, "0x%" PRIx64, v.count);
		break;
	case VALUE_BOOL:
		sbuf_puts(out, v.yes ? "yes" : "no");
		break;
	}
}

void table_values(struct sbuf *out, const struct field *f, const void *result, size_t row,
		  size_t part)
{
	const char *before = "";

	if (f->shape != FIELD_LIST) {
		table_value(out, f, field_value(f, result, row, part));
		return;
	}
	for (size_t i = 0; i < f->parts(result); i++) {
		struct value v = field_value(f, result, row, i);

		if (v.type == VALUE_NONE)
			continue;
		sbuf_puts(out, before);
		table_value(out, f, v);
		before = ", ";
	}
}

static int is_minor(const struct table *t, const struct table_column *c)
{
	return c->field->minor ? c->field->minor(t->result, c->part) : 0;
}

/* A column of what can be done without, or of words but the first, that says nothing is none. */
static bool says_nothing(const struct table *t, const struct table_column *c, size_t rows)
{
	const bool list = c->field->shape == FIELD_LIST;
	const size_t parts = list ? field_parts(c->field, t->result) : c->part + 1;

	if (is_minor(t, c) <= 0 && (c->field->type != VALUE_TEXT || !t->columns.count))
		return false;
	for (size_t row = 0; row < rows; row++)
		for (size_t part = c->part; part < parts; part++)
			if (field_value(c->field, t->result, row, part).type != VALUE_NONE)
				return false;
	return rows > 0;
}

static void measure(const struct table *t, struct table_column *c, size_t rows, struct sbuf *cell)
{
	char name[FIELD_NAME];
	const char *heading = field_heading(c->field, t->result, c->part, name);
	int most = c->field->path ? TABLE_PATH : TABLE_TEXT;

	c->heading = text_width(heading, strlen(heading));
	for (size_t row = 0; row < rows; row++) {
		int width;

		sbuf_clear(cell);
		table_values(cell, c->field, t->result, row, c->part);
		width = text_width(sbuf_text(cell), cell->len);
		if (c->cells < width)
			c->cells = width;
		c->sum += number_of(field_value(c->field, t->result, row, c->part));
	}
	if (c->field->type == VALUE_TEXT && c->cells > most && c != &vec_last(&t->columns))
		c->cells = most;
	if (c->heading > TABLE_TEXT)
		c->heading = TABLE_TEXT;
}

bool table_new(struct table *t, const struct section *s, const void *result, size_t rows)
{
	struct sbuf cell = {0};

	*t = (struct table){.section = s, .result = result};
	for (const struct field *f = s->fields; f->key; f++) {
		size_t parts = f->hidden ? 0 : f->shape == FIELD_LIST ? 1 : field_parts(f, result);

		for (size_t part = 0; part < parts; part++) {
			const struct table_column c = {.field = f, .part = part};

			if (!says_nothing(t, &c, rows) && !vec_push(&t->columns, c))
				return false;
		}
	}
	for (size_t i = 0; i < t->columns.count; i++)
		measure(t, &t->columns.data[i], rows, &cell);
	sbuf_free(&cell);
	table_fit(t, 0);
	return true;
}

void table_widen(struct table *t, size_t row)
{
	struct sbuf cell = {0};

	for (size_t i = 0; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];
		int width;

		if (c->field->type == VALUE_TEXT)
			continue;
		sbuf_clear(&cell);
		table_values(&cell, c->field, t->result, row, c->part);
		width = text_width(sbuf_text(&cell), cell.len);
		t->fitted = width > c->cells ? -1 : t->fitted;
		c->cells = width > c->cells ? width : c->cells;
	}
	sbuf_free(&cell);
}

void table_free(struct table *t)
{
	vec_free(&t->columns);
}

void table_sorted(struct table *t, const struct section_column *by)
{
	t->sorted = *by;
	t->fitted = -1;
}

int table_width(const struct table *t)
{
	int total = -GAP;

	for (size_t i = 0; i < t->columns.count; i++)
		if (t->columns.data[i].width > 0)
			total += t->columns.data[i].width + GAP;
	return total;
}

/* Columns that the shown ones have too many for the width. */
static int excess(const struct table *t, int width)
{
	return table_width(t) - width;
}

static bool is_one(const struct field *f)
{
	return !f->parts || f->shape == FIELD_LIST;
}

static bool is_sorted_by(const struct table *t, const struct table_column *c)
{
	return c->field == t->sorted.field && c->part == t->sorted.part;
}

static void leave_out(struct table *t, struct table_column *c)
{
	c->width = 0;
	t->left_out++;
}

/* Does a go before b? */
static bool goes_first(const struct table *t, const struct table_column *a,
		       const struct table_column *b)
{
	if (is_minor(t, a) != is_minor(t, b))
		return is_minor(t, a) > is_minor(t, b);
	return a->sum < b->sum;
}

/* Of columns that are at least so minor. */
static void leave_out_least(struct table *t, int width, size_t first, int minor)
{
	while (excess(t, width) > 0) {
		struct table_column *least = NULL;

		for (size_t i = first; i < t->columns.count; i++) {
			struct table_column *c = &t->columns.data[i];

			if (c->width > 0 && is_minor(t, c) >= minor && !is_sorted_by(t, c) &&
			    (!least || goes_first(t, c, least)))
				least = c;
		}
		if (!least)
			return;
		leave_out(t, least);
	}
}

/*
 * The texts give what is too much, down to so many columns, down to TEXT_LEAST what is no dotted name;
 * the first ones first, in a narrow window the last ones; what is left over the first ones get first.
 */
static void fit_texts(struct table *t, int width, int least)
{
	const bool back = least < TEXT_LEAST && excess(t, width) > 0;

	for (size_t i = 0; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[back ? t->columns.count - 1 - i : i];
		int wanted = c->cells > c->heading ? c->cells : c->heading;
		int enough = c->field->path || least < TEXT_LEAST ? least : TEXT_LEAST;

		if (c->field->type != VALUE_TEXT || c->width <= 0)
			continue;
		enough = wanted < enough ? wanted : enough;
		c->width -= excess(t, width);
		c->width = c->width < enough ? enough : c->width > wanted ? wanted : c->width;
	}
}

/* With its heading abbreviated. */
static int short_width(const struct table *t, const struct table_column *c)
{
	char buf[FIELD_NAME];
	struct sbuf name = {0};
	int heading;

	abbreviate(&name, field_heading(c->field, t->result, c->part, buf), HEADING_MOST);
	heading = text_width(sbuf_text(&name), name.len);
	sbuf_free(&name);
	return c->cells > heading ? c->cells : heading;
}

/*
 * What says who the row is stays: the scalars before the first object, but for minor ones; of these
 * the first ones that have room in the width, a text at the end also in less.
 */
static size_t first_optional(const struct table *t, int width)
{
	size_t i = 0;

	for (int used = -GAP; i < t->columns.count; i++) {
		const struct table_column *c = &t->columns.data[i];
		const int most = c->field->type == VALUE_TEXT ? TEXT_SHORT : INT_MAX;
		const int last = c->field->type == VALUE_TEXT ? TEXT_LAST : INT_MAX;
		const int least = short_width(t, c);

		if (!is_one(c->field) || is_minor(t, c) ||
		    (i && width > 0 && used + GAP + (least < last ? least : last) > width))
			break;
		used += GAP + (least < most ? least : most);
	}
	return i;
}

/* All of them, as wide as they are. */
static void show_all(struct table *t)
{
	t->left_out = 0;
	for (size_t i = 0; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];

		c->width = c->heading > c->cells ? c->heading : c->cells;
	}
}

/* What is left when nothing more can be left out: the headings of what stays and its texts give way. */
static void squeeze(struct table *t, int width)
{
	for (size_t i = 0; i < t->columns.count && excess(t, width) > 0; i++) {
		struct table_column *c = &t->columns.data[i];

		if (c->width > 0 && c->field->type != VALUE_TEXT)
			c->width = short_width(t, c);
	}
	fit_texts(t, width, TEXT_SHORT);
	if (excess(t, width) > 0)
		fit_texts(t, width, TEXT_LAST);
}

void table_fit(struct table *t, int width)
{
	size_t optional = first_optional(t, width);

	t->fitted = width;
	t->shift = 0;
	show_all(t);
	if (width <= 0 || excess(t, width) <= 0)
		return;
	for (size_t i = optional; i < t->columns.count; i++) {
		struct table_column *c = &t->columns.data[i];

		if (c->sum <= 0 && !c->field->keeps_zeros && c->field->type != VALUE_TEXT &&
		    !is_sorted_by(t, c))
			leave_out(t, c);
		else
			c->width = short_width(t, c);
	}
	fit_texts(t, width, PATH_LEAST);
	leave_out_least(t, width, optional, 1);
	fit_texts(t, width, TEXT_LEAST);
	leave_out_least(t, width, optional, INT_MIN);
	squeeze(t, width);
}

void table_fit_from(struct table *t, int width, size_t shift)
{
	size_t first = first_optional(t, width), last = t->columns.count;

	if (t->fitted == width && t->shift == shift)
		return;
	table_fit(t, width);
	if (!shift || !t->left_out)
		return;
	t->shift = shift;
	show_all(t);
	for (size_t i = first; i < last && i < first + shift; i++)
		leave_out(t, &t->columns.data[i]);
	fit_texts(t, width, TEXT_LEAST);
	while (excess(t, width) > 0 && last-- > first + shift + 1)
		leave_out(t, &t->columns.data[last]);
	squeeze(t, width);
}

size_t table_scrolled(const struct table *t, size_t shift, int columns)
{
	size_t most = t->columns.count - first_optional(t, t->fitted);

	for (; columns < 0 && shift > 0; columns++)
		shift--;
	/* with what is scrolled away, the end is reached when the last column is there */
	if (t->fitted > 0 && (t->shift ? vec_last(&t->columns).width > 0 : !t->left_out))
		return shift;
	for (; columns > 0 && shift + 1 < most; columns--)
		shift++;
	return shift;
}

int table_wanted(const struct table *t)
{
	int total = -GAP;

	for (size_t i = 0; i < t->columns.count; i++) {
		const struct table_column *c = &t->columns.data[i];

		total += (c->heading > c->cells ? c->heading : c->cells) + GAP;
	}
	return total;
}

void table_tell_left_out(const struct table *t, struct sbuf *out)
{
	if (t->left_out)
		sbuf_printf(out, "  (%zu more: h l)", t->left_out);
}

/* Text to the left, numbers to the right; nothing is padded behind the last column. */
static void put(const struct table_column *c, bool last, const struct sbuf *cell, struct sbuf *out)
{
	bool left = c->field->type == VALUE_TEXT;
	int width = text_width(sbuf_text(cell), cell->len);
	struct sbuf path = {0};

	if (c->field->path && width > c->width) {
		abbreviate_path(&path, sbuf_text(cell), cell->len, c->width);
		cell = &path;
		width = text_width(sbuf_text(cell), cell->len);
	}
	if (!left && width < c->width)
		sbuf_repeat(out, ' ', (size_t)(c->width - width));
	text_fit(out, sbuf_text(cell), cell->len, c->width, left && !last);
	sbuf_free(&path);
}

/* A column between from and to is shown. */
static bool shows_any(const struct table *t, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (t->columns.data[i].width > 0)
			return true;
	return false;
}

void table_cell(const struct table *t, size_t column, size_t row, struct sbuf *out)
{
	const struct table_column *c = &t->columns.data[column];
	char name[FIELD_NAME];
	struct sbuf cell = {0};

	if (c->width <= 0)
		return;
	if (row == TABLE_HEADING)
		abbreviate(&cell, field_heading(c->field, t->result, c->part, name), c->width);
	else
		table_values(&cell, c->field, t->result, row, c->part);
	sbuf_repeat(out, ' ', shows_any(t, 0, column) ? GAP : 0);
	put(c, !shows_any(t, column + 1, t->columns.count), &cell, out);
	sbuf_free(&cell);
}

/* Without blanks behind it. */
static void put_line(const struct table *t, size_t row, struct sbuf *out)
{
	size_t start = out->len;

	for (size_t i = 0; i < t->columns.count; i++)
		table_cell(t, i, row, out);
	while (out->len > start && out->text[out->len - 1] == ' ')
		out->text[--out->len] = '\0';
}

void table_heading(const struct table *t, struct sbuf *out)
{
	put_line(t, TABLE_HEADING, out);
}

void table_row(const struct table *t, size_t row, struct sbuf *out)
{
	put_line(t, row, out);
}
