#include "config.h"

#include "trace/section.h"

#include <string.h>

#include "base/sbuf.h"

bool section_next(const struct section *s, const void *result, struct section_column *c)
{
	if (!c->field)
		*c = (struct section_column){s->fields, 0};
	else if (c->field->parts && c->part + 1 < c->field->parts(result))
		c->part++;
	else
		*c = (struct section_column){c->field + 1, 0};
	while (c->field->key && c->field->parts && !c->field->parts(result))
		c->field++;
	return c->field->key != NULL;
}

const char *section_heading(const void *result, const struct section_column *c)
{
	return c->field->parts ? c->field->part(result, c->part) : c->field->key;
}

enum status section_find(const struct section *s, const void *result, const char *heading,
			 struct section_column *out, struct error *e)
{
	struct sbuf known = {0};

	*out = (struct section_column){0};
	while (section_next(s, result, out)) {
		const char *name = section_heading(result, out), *read = out->field->heading;

		if (strcmp(name, heading) == 0 || (read && strcmp(read, heading) == 0)) {
			sbuf_free(&known);
			return STATUS_OK;
		}
		sbuf_printf(&known, "%s%s", known.len ? ", " : "", name);
	}
	error_set(e, STATUS_USAGE, "no such column: %s (there are: %s)", heading,
		  sbuf_text(&known));
	sbuf_free(&known);
	return STATUS_USAGE;
}

const char *section_beside(const struct section *s, const void *result, const char *heading,
			   int dir)
{
	const char *first = NULL, *before = NULL, *last = NULL, *behind = NULL;
	struct section_column c = {0};

	while (section_next(s, result, &c)) {
		const char *name = section_heading(result, &c);

		if (!first)
			first = name;
		if (last && !behind && strcmp(last, heading) == 0)
			behind = name;
		if (strcmp(name, heading) == 0)
			before = last;
		last = name;
	}
	if (dir < 0)
		return before ? before : last;
	return behind ? behind : first;
}

/* What is not known stands behind. */
int value_compare(struct value a, struct value b)
{
	size_t shorter;
	int order;

	if (a.type != b.type || a.type == VALUE_NONE)
		return (a.type == VALUE_NONE) - (b.type == VALUE_NONE);
	switch (a.type) {
	case VALUE_COUNT:
	case VALUE_HEX:
		return (a.count > b.count) - (a.count < b.count);
	case VALUE_TICKS:
		return (a.ticks > b.ticks) - (a.ticks < b.ticks);
	case VALUE_REAL:
		return (a.real > b.real) - (a.real < b.real);
	default:
		shorter = a.text.len < b.text.len ? a.text.len : b.text.len;
		order = shorter ? memcmp(a.text.p, b.text.p, shorter) : 0;
		return order ? order : (a.text.len > b.text.len) - (a.text.len < b.text.len);
	}
}

int section_compare(const struct section_column *c, struct value a, struct value b)
{
	bool rises = c->field->type == VALUE_TEXT || c->field->type == VALUE_HEX;
	int order = value_compare(a, b);

	return rises || a.type == VALUE_NONE || b.type == VALUE_NONE ? order : -order;
}
