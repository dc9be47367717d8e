#include "config.h"

#include "cmd/output.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/table.h"

void output_begin(struct output *o, FILE *stream)
{
	*o = (struct output){.stream = stream, .unit = UNIT_TICK};
	json_begin(&o->json, &o->text);
}

/* A pipe whose reader left is nobody's error: no text. */
static enum status write_error(int errnum, struct error *e)
{
	if (errnum == EPIPE)
		return error_set(e, STATUS_IO, "%s", "");
	return error_errno(e, STATUS_IO, errnum, "cannot write the output");
}

static enum status write_out(struct output *o, struct error *e)
{
	size_t len = o->text.len;
	bool failed = o->text.failed;

	if (len && fwrite(o->text.text, 1, len, o->stream) != len)
		return write_error(errno, e);
	sbuf_clear(&o->text);
	if (failed)
		return error_set(e, STATUS_NOMEM, "out of memory: the output is cut");
	return STATUS_OK;
}

enum status output_drain(struct output *o, struct error *e)
{
	return o->text.len < OUTPUT_DRAIN && !o->text.failed ? STATUS_OK : write_out(o, e);
}

enum status output_end(struct output *o, enum status status, struct error *e)
{
	if (!status)
		status = write_out(o, e);
	if (!status && fflush(o->stream))
		status = write_error(errno, e);
	sbuf_free(&o->text);
	sbuf_free(&o->notes);
	return status;
}

void output_note(struct output *o, const char *file, const char *fmt, ...)
{
	struct sbuf line = {0};
	va_list ap;

	sbuf_puts(&line, "pipeglass: ");
	if (file)
		sbuf_printf(&line, "%s: ", file);
	va_start(ap, fmt);
	sbuf_vprintf(&line, fmt, ap);
	va_end(ap);
	text_sanitise(&o->notes, sbuf_text(&line), line.len);
	sbuf_putc(&o->notes, '\n');
	sbuf_free(&line);
}

void output_json_value(struct output *o, struct value v)
{
	switch (v.type) {
	case VALUE_NONE:
		json_null(&o->json);
		break;
	case VALUE_TEXT:
		json_text(&o->json, v.text.p, v.text.len);
		break;
	case VALUE_COUNT:
		json_uint(&o->json, v.count);
		break;
	case VALUE_TICKS:
		json_int(&o->json, v.ticks);
		break;
	case VALUE_REAL:
		json_real(&o->json, v.real);
		break;
	case VALUE_HEX:
		json_hex(&o->json, v.count);
		break;
	case VALUE_BOOL:
		json_bool(&o->json, v.yes);
		break;
	}
}

static void json_list(struct output *o, const struct field *f, const void *result, size_t row)
{
	json_array(&o->json);
	for (size_t part = 0; part < f->parts(result); part++) {
		struct value v = field_value(f, result, row, part);

		if (v.type != VALUE_NONE)
			output_json_value(o, v);
	}
	json_array_end(&o->json);
}

/* Any part of it. */
static bool is_known(const struct field *f, const void *result, size_t row)
{
	for (size_t part = 0; part < f->parts(result); part++)
		if (field_value(f, result, row, part).type != VALUE_NONE)
			return true;
	return false;
}

static void json_parts(struct output *o, const struct field *f, const void *result, size_t row)
{
	char name[FIELD_NAME];

	if (f->sparse && !is_known(f, result, row)) {
		json_null(&o->json);
		return;
	}
	json_object(&o->json);
	for (size_t part = 0; part < f->parts(result); part++) {
		struct value v = field_value(f, result, row, part);

		if (f->sparse && v.type == VALUE_NONE)
			continue;
		json_key(&o->json, field_part(f, result, part, name));
		output_json_value(o, v);
	}
	json_object_end(&o->json);
}

static void json_row(struct output *o, const struct section *s, const void *result, size_t row);
static void json_field(struct output *o, const struct field *f, const void *result, size_t row);

static void json_inner(struct output *o, const struct section *s, const void *result)
{
	if (s->form == SECTION_FIELDS) {
		json_field(o, s->fields, result, 0);
		return;
	}
	if (s->form == SECTION_OBJECT) {
		json_row(o, s, result, 0);
		return;
	}
	json_array(&o->json);
	for (size_t row = 0; row < s->rows(result); row++)
		json_row(o, s, result, row);
	json_array_end(&o->json);
}

static void json_field(struct output *o, const struct field *f, const void *result, size_t row)
{
	if (f->inner)
		json_inner(o, f->inner, (const char *)f->of(result, row) + f->offset);
	else if (field_is_scalar(f, result))
		output_json_value(o, field_value(f, result, row, 0));
	else if (f->shape == FIELD_LIST)
		json_list(o, f, result, row);
	else
		json_parts(o, f, result, row);
}

void output_json_fields(struct output *o, const struct field *fields, const void *result,
			size_t row)
{
	for (const struct field *f = fields; f->key; f++) {
		if (f->derived)
			continue;
		json_key(&o->json, f->key);
		json_field(o, f, result, row);
	}
}

/* One row of a section, in an array or an object of its own. */
static void json_row(struct output *o, const struct section *s, const void *result, size_t row)
{
	if (s->form != SECTION_TUPLES) {
		json_object(&o->json);
		output_json_fields(o, s->fields, result, row);
		json_object_end(&o->json);
		return;
	}
	json_array(&o->json);
	for (const struct field *f = s->fields; f->key; f++)
		if (!f->derived)
			json_field(o, f, result, row);
	json_array_end(&o->json);
}

static void json_columns(struct output *o, const struct section *s, const void *result)
{
	for (const struct field *f = s->fields; f->key; f++) {
		if (f->derived)
			continue;
		json_key(&o->json, f->key);
		json_array(&o->json);
		for (size_t row = 0; row < s->rows(result); row++)
			json_field(o, f, result, row);
		json_array_end(&o->json);
	}
}

static enum status json_one(struct output *o, const struct section *s, const void *result,
			    struct error *e)
{
	enum status status = STATUS_OK;

	json_key(&o->json, s->key);
	if (!s->rows(result)) {
		json_null(&o->json);
		return STATUS_OK;
	}
	json_object(&o->json);
	output_json_fields(o, s->fields, result, 0);
	if (s->inner)
		status = output_json_sections(o, s->inner, result, e);
	json_object_end(&o->json);
	return status;
}

enum status output_json_section(struct output *o, const struct section *s, const void *result,
				uint64_t limit, struct error *e)
{
	size_t all = s->rows(result), rows = s->whole || all < limit ? all : (size_t)limit;
	enum status status = STATUS_OK;

	json_key(&o->json, s->key);
	json_array(&o->json);
	for (size_t row = 0; !status && row < rows; row++) {
		json_row(o, s, result, row);
		status = output_drain(o, e);
	}
	json_array_end(&o->json);
	return status;
}

enum status output_json_sections(struct output *o, const struct section *sections,
				 const void *result, struct error *e)
{
	enum status status = STATUS_OK;

	for (const struct section *s = sections; !status && s->key; s++) {
		if (s->derived)
			continue;
		if (s->form == SECTION_FIELDS)
			output_json_fields(o, s->fields, result, 0);
		else if (s->form == SECTION_COLUMNS)
			json_columns(o, s, result);
		else if (s->form == SECTION_OBJECT)
			status = json_one(o, s, result, e);
		else
			status = output_json_section(o, s, result, UINT64_MAX, e);
	}
	return status;
}

enum status output_json_result(struct output *o, const struct section *sections, const void *result,
			       struct error *e)
{
	enum status status;

	json_object(&o->json);
	status = output_json_sections(o, sections, result, e);
	json_object_end(&o->json);
	sbuf_putc(&o->text, '\n');
	return status;
}

void output_cell(struct output *o, const char *p, size_t len, int columns, bool pad)
{
	char utf8[4];
	int used = 0;

	for (size_t i = 0; i < len;) {
		uint32_t cp;
		size_t step = text_decode(p + i, len - i, &cp);
		int width;

		cp = text_harmless(cp);
		width = text_width_cp(cp);
		if (used + width > columns)
			break;
		sbuf_add(&o->text, utf8, text_encode(cp, utf8));
		used += width;
		i += step;
	}
	if (pad && used < columns)
		sbuf_repeat(&o->text, ' ', (size_t)(columns - used));
}

/* Tables */

enum status output_table(struct output *o, const struct section *s, const void *result,
			 const struct output_table *how, struct error *e)
{
	size_t all = s->rows(result), rows = s->whole || all < how->limit ? all : (size_t)how->limit;
	enum status status = STATUS_OK;
	struct section_column by;
	struct table table;
	char number[32];

	if (!table_new(&table, s, result, rows)) {
		table_free(&table);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	if (how->sorted && section_find(s, result, how->sorted, &by, NULL) == STATUS_OK)
		table_sorted(&table, &by);
	table_fit(&table, how->columns);
	sbuf_printf(&o->text, "\n%s\n", section_title(s));
	table_heading(&table, &o->text);
	sbuf_putc(&o->text, '\n');
	for (size_t row = 0; !status && row < rows; row++) {
		table_row(&table, row, &o->text);
		sbuf_putc(&o->text, '\n');
		status = output_drain(o, e);
	}
	if (rows < all)
		sbuf_printf(&o->text, "... %s more\n", num_group((int64_t)(all - rows), number));
	if (table.left_out)
		sbuf_printf(&o->text, "(%zu column%s left out; --wide shows all)\n", table.left_out,
			    table.left_out == 1 ? "" : "s");
	table_free(&table);
	return status;
}

/* A row of fields, or a whole result, for people */

static size_t columns_of(const struct field *f, const void *result)
{
	return f->hidden ? 0 : f->shape == FIELD_LIST ? 1 : field_parts(f, result);
}

static int widest(const struct field *fields, const void *result)
{
	int most = 0;

	for (const struct field *f = fields; f->key; f++)
		for (size_t part = 0; part < columns_of(f, result); part++) {
			char name[FIELD_NAME];
			const char *key = field_heading(f, result, part, name);
			int width = text_width(key, strlen(key));

			most = width > most ? width : most;
		}
	return most;
}

/* Up to where a row may end: not within "11 385" or "24.5 %". */
static size_t word_length(const char *p)
{
	size_t len = strcspn(p, " ");

	while (len && p[len] && strchr("0123456789", p[len - 1]) &&
	       (p[len + 1] == '%' || strspn(p + len + 1, "0123456789") == 3))
		len += 1 + strcspn(p + len + 1, " ");
	return len;
}

void output_words(struct output *o, const char *words, int indent)
{
	int used = indent;

	while (*words) {
		size_t len = word_length(words);
		int width = text_width(words, len);

		if (used > indent && used + 1 + width > OUTPUT_COLUMNS) {
			sbuf_putc(&o->text, '\n');
			sbuf_repeat(&o->text, ' ', (size_t)indent);
			used = indent;
		} else if (used > indent) {
			sbuf_putc(&o->text, ' ');
			used++;
		}
		text_sanitise(&o->text, words, len);
		used += width;
		words += len + (words[len] == ' ');
	}
	sbuf_putc(&o->text, '\n');
}

/* What is not known has none. */
static void put_line(struct output *o, const struct field *f, const void *result, size_t row,
		     size_t part, int width)
{
	char name[FIELD_NAME];
	const char *key = field_heading(f, result, part, name);
	struct sbuf value = {0};

	if (f->shape == FIELD_LIST || field_value(f, result, row, part).type != VALUE_NONE)
		table_values(&value, f, result, row, part);
	if (value.len) {
		output_cell(o, key, strlen(key), width + 2, true);
		output_words(o, sbuf_text(&value), width + 2);
	}
	sbuf_free(&value);
}

void output_lines(struct output *o, const struct field *fields, const void *result, size_t row)
{
	int width = widest(fields, result);

	for (const struct field *f = fields; f->key; f++)
		for (size_t part = 0; part < columns_of(f, result); part++)
			put_line(o, f, result, row, part, width);
}

enum status output_sections(struct output *o, const struct section *sections, const void *result,
			    const struct output_table *how, struct error *e)
{
	enum status status = STATUS_OK;

	for (const struct section *s = sections; !status && s->key; s++) {
		if (s->hidden || !s->rows(result))
			continue;
		if (!section_is_one(s)) {
			status = output_table(o, s, result, how, e);
			continue;
		}
		sbuf_puts(&o->text, s == sections ? "" : "\n");
		sbuf_printf(&o->text, "%s%s", section_title(s), *section_title(s) ? "\n" : "");
		output_lines(o, s->fields, result, 0);
		if (s->inner)
			status = output_sections(o, s->inner, result, how, e);
	}
	return status;
}

/* CSV: one table, its first line the keys; a part is OBJECT.PART; what is not known is empty. */

static void csv_heading(struct output *o, const struct field *f, const void *result, size_t part)
{
	struct sbuf name = {0};
	char buf[FIELD_NAME];

	if (field_is_scalar(f, result)) {
		sbuf_puts(&o->text, f->key);
		return;
	}
	sbuf_printf(&name, "%s.%s", f->key, field_part(f, result, part, buf));
	text_csv(&o->text, sbuf_text(&name), name.len);
	sbuf_free(&name);
}

void output_csv_value(struct output *o, struct value v)
{
	static const struct field plain = {.name = true};
	char number[32];

	if (v.type == VALUE_TEXT)
		text_csv(&o->text, v.text.p, v.text.len);
	else if (v.type == VALUE_REAL)
		sbuf_puts(&o->text, num_real(v.real, number));
	else if (v.type != VALUE_NONE)
		table_value(&o->text, &plain, v);
}

static void csv_line(struct output *o, const struct section *s, const void *result, size_t row,
		     bool heading)
{
	bool first = true;

	for (const struct field *f = s->fields; f->key; f++) {
		for (size_t part = 0; part < field_parts(f, result); part++) {
			sbuf_puts(&o->text, first ? "" : ",");
			first = false;
			if (heading)
				csv_heading(o, f, result, part);
			else
				output_csv_value(o, field_value(f, result, row, part));
		}
	}
	sbuf_putc(&o->text, '\n');
}

enum status output_csv(struct output *o, const struct section *s, const void *result,
		       uint64_t limit, struct error *e)
{
	size_t rows = s->rows(result);
	enum status status = STATUS_OK;

	csv_line(o, s, result, 0, true);
	for (size_t row = 0; !status && row < rows && row < limit; row++) {
		csv_line(o, s, result, row, false);
		status = output_drain(o, e);
	}
	return status;
}
