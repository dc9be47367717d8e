#include "config.h"

#include "cmd/output.h"

#include <errno.h>
#include <inttypes.h>

#include "base/text.h"
#include "base/vec.h"

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

	sbuf_printf(&line, "pipeglass: %s: ", file);
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
	}
}

void output_json_fields(struct output *o, const struct field *fields, const void *result,
			size_t row)
{
	for (const struct field *f = fields; f->key; f++) {
		json_key(&o->json, f->key);
		if (!f->parts) {
			output_json_value(o, f->get(result, row, 0));
			continue;
		}
		json_object(&o->json);
		for (size_t part = 0; part < f->parts(result); part++) {
			json_key(&o->json, f->part(result, part));
			output_json_value(o, f->get(result, row, part));
		}
		json_object_end(&o->json);
	}
}

enum status output_json_section(struct output *o, const struct section *s, const void *result,
				struct error *e)
{
	size_t rows = s->rows(result);
	enum status status = STATUS_OK;

	json_key(&o->json, s->key);
	json_array(&o->json);
	for (size_t row = 0; !status && row < rows; row++) {
		json_object(&o->json);
		output_json_fields(o, s->fields, result, row);
		json_object_end(&o->json);
		status = output_drain(o, e);
	}
	json_array_end(&o->json);
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

static void put_plain(struct sbuf *out, struct value v)
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

/* One column of a table: a scalar field, or one part of an object. */
struct column {
	const struct field *field;
	size_t part;
	int width;
};

struct columns {
	struct column *data;
	size_t count, cap;
};

static const char *heading(const struct column *c, const void *result)
{
	return c->field->parts ? c->field->part(result, c->part) : c->field->key;
}

static int measure(const struct sbuf *cell)
{
	int width = text_width(sbuf_text(cell), cell->len);

	return width < OUTPUT_TEXT_COLUMNS ? width : OUTPUT_TEXT_COLUMNS;
}

static bool make_columns(struct columns *list, const struct section *s, const void *result,
			 size_t rows)
{
	struct sbuf cell = {0};

	for (const struct field *f = s->fields; f->key; f++) {
		size_t parts = f->parts ? f->parts(result) : 1;

		for (size_t part = 0; part < parts; part++)
			if (!vec_push(list, ((struct column){f, part, 0})))
				return false;
	}
	for (size_t i = 0; i < list->count; i++) {
		struct column *c = &list->data[i];

		sbuf_clear(&cell);
		sbuf_puts(&cell, heading(c, result));
		c->width = measure(&cell);
		for (size_t row = 0; row < rows; row++) {
			int width;

			sbuf_clear(&cell);
			put_plain(&cell, c->field->get(result, row, c->part));
			width = measure(&cell);
			if (c->width < width)
				c->width = width;
		}
	}
	sbuf_free(&cell);
	return true;
}

/* Text to the left, numbers to the right; nothing is padded behind the last column. */
static void put_column(struct output *o, const struct column *c, bool last, const struct sbuf *cell)
{
	bool left = c->field->type == VALUE_TEXT;
	int width = measure(cell);

	if (!left && width < c->width)
		sbuf_repeat(&o->text, ' ', (size_t)(c->width - width));
	output_cell(o, sbuf_text(cell), cell->len, left ? c->width : OUTPUT_TEXT_COLUMNS,
		    left && !last);
	sbuf_puts(&o->text, last ? "\n" : "  ");
}

static void put_headings(struct output *o, const struct columns *list, const void *result)
{
	struct sbuf cell = {0};

	for (size_t i = 0; i < list->count; i++) {
		sbuf_clear(&cell);
		sbuf_puts(&cell, heading(&list->data[i], result));
		put_column(o, &list->data[i], i + 1 == list->count, &cell);
	}
	sbuf_free(&cell);
}

static enum status put_rows(struct output *o, const struct columns *list, const void *result,
			    size_t rows, struct error *e)
{
	struct sbuf cell = {0};
	enum status status = STATUS_OK;

	for (size_t row = 0; !status && row < rows; row++) {
		for (size_t i = 0; i < list->count; i++) {
			const struct column *c = &list->data[i];

			sbuf_clear(&cell);
			put_plain(&cell, c->field->get(result, row, c->part));
			put_column(o, c, i + 1 == list->count, &cell);
		}
		status = output_drain(o, e);
	}
	sbuf_free(&cell);
	return status;
}

enum status output_table(struct output *o, const struct section *s, const void *result,
			 uint64_t limit, struct error *e)
{
	struct columns list = {0};
	size_t all = s->rows(result), rows = all < limit ? all : (size_t)limit;
	enum status status;

	if (!make_columns(&list, s, result, rows)) {
		vec_free(&list);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	sbuf_printf(&o->text, "\n%s\n", s->key);
	put_headings(o, &list, result);
	status = put_rows(o, &list, result, rows, e);
	if (rows < all)
		sbuf_printf(&o->text, "... %zu more\n", all - rows);
	vec_free(&list);
	return status;
}
