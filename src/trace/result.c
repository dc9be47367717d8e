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
	if (f->shape == FIELD_OBJECT)
		return field_part(f, result, part, buf);
	snprintf(buf, FIELD_NAME, "%s %s", heading, f->part(result, part));
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
