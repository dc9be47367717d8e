#include "config.h"

#include "trace/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct value value_none(void)
{
	return (struct value){.type = VALUE_NONE};
}

struct value value_text(const char *text)
{
	return text ? value_bytes(text, strlen(text)) : value_none();
}

struct value value_bytes(const char *p, size_t len)
{
	return (struct value){.type = VALUE_TEXT, .text = {p, len}};
}

struct value value_count(uint64_t count)
{
	return (struct value){.type = VALUE_COUNT, .count = count};
}

struct value value_ticks(int64_t ticks)
{
	return (struct value){.type = VALUE_TICKS, .ticks = ticks};
}

struct value value_real(double real)
{
	if (isnan(real))
		return value_none();
	return (struct value){.type = VALUE_REAL, .real = real};
}

struct value value_hex(uint64_t number)
{
	return (struct value){.type = VALUE_HEX, .count = number};
}

struct value value_bool(bool yes)
{
	return (struct value){.type = VALUE_BOOL, .yes = yes};
}

static struct value known(struct value v, bool is_known)
{
	return is_known ? v : value_none();
}

static struct value member(const struct field *f, const void *p, size_t part)
{
	const uint64_t *counts = p;
	const int64_t *ticks = p;

	switch (f->type) {
	case VALUE_TEXT:
		return value_text(((const char *const *)p)[part]);
	case VALUE_COUNT:
		return known(value_count(counts[part]), counts[part] != UINT64_MAX);
	case VALUE_HEX:
		return known(value_hex(counts[part]), counts[part] != UINT64_MAX);
	case VALUE_TICKS:
		return known(value_ticks(ticks[part]), ticks[part] >= 0);
	case VALUE_REAL:
		return value_real(((const double *)p)[part]);
	case VALUE_BOOL:
		return value_bool(((const bool *)p)[part]);
	case VALUE_NONE:
		break;
	}
	return value_none();
}

struct value field_value(const struct field *f, const void *result, size_t row, size_t part)
{
	const char *p;

	if (f->get)
		return f->get(result, row, part);
	p = (const char *)(f->of ? f->of(result, row) : result) + f->offset;
	return f->stride ? member(f, p + part * f->stride, 0) : member(f, p, part);
}

size_t field_parts(const struct field *f, const void *result)
{
	return f->parts ? f->parts(result) : 1;
}

bool field_is_scalar(const struct field *f, const void *result)
{
	return !f->parts || (f->shape == FIELD_RUNS && f->parts(result) == 1);
}

const char *field_part(const struct field *f, const void *result, size_t part, char buf[FIELD_NAME])
{
	if (!f->part_number)
		return f->part(result, part);
	snprintf(buf, FIELD_NAME, "%" PRId64, f->part_number(result, part));
	return buf;
}

const char *field_heading(const struct field *f, const void *result, size_t part,
			  char buf[FIELD_NAME])
{
	const char *heading = f->heading ? f->heading : f->key;

	if (field_is_scalar(f, result) || f->shape == FIELD_LIST)
		return heading;
	if (f->shape == FIELD_OBJECT && !f->heading)
		return f->told ? f->told(result, part) : field_part(f, result, part, buf);
	snprintf(buf, FIELD_NAME, "%s %s", heading, (f->told ? f->told : f->part)(result, part));
	return buf;
}

bool section_is_one(const struct section *s)
{
	return s->form == SECTION_FIELDS || s->form == SECTION_OBJECT;
}

const char *section_title(const struct section *s)
{
	return s->title ? s->title : section_is_one(s) ? "" : s->key;
}

size_t section_one_row(const void *result)
{
	(void)result;
	return 1;
}

int field_is_minor(const void *result, size_t part)
{
	(void)result, (void)part;
	return 1;
}

int64_t field_part_number(const void *result, size_t part)
{
	(void)result;
	return (int64_t)part;
}
