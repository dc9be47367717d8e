/*
 * Two traces of shared memory beside each other: cycles of objects by name and which of that name
 * they are, of classes by name, and of lines by their text, so that what was moved is still the
 * same line.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"

enum { LISTS = MEMORY_BY_CLASS + 1 };

struct memory_compare {
	struct sharing sides[METRIC_SIDES];
	struct metric_pairs of[LISTS]; /* of lines, objects and classes */
};

/* A line by its text, or its label. What only one side has cost nothing in the other. */
static bool add(struct memory_compare *c, int side, int list, const struct sharing_row *row,
		bool by_text)
{
	struct metric_row told = {.name = row->label, .component = "", .unit = row->label};

	if (list == MEMORY_BY_OBJECT) {
		told.name = row->of;
		told.number = row->ordinal;
		told.component =
		    intern_printf(c->sides[side].source->texts, "%" PRIu32, row->ordinal);
	} else if (list == MEMORY_BY_LINE) {
		told.name = row->place.file;
		told.number = row->place.line;
		told.component = by_text && row->place.text ? row->place.text : row->label;
	}
	return told.component &&
	       metric_pairs_add(&c->of[list], side, &told, (double)row->sum.cycles) &&
	       metric_pairs_add(&c->of[list], METRIC_B - side, &told, 0);
}

/* The greatest difference first. */
static int by_delta(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;
	const double dx = fabs(x->delta), dy = fabs(y->delta);

	return (dx < dy) - (dx > dy);
}

static enum status make_compare(void *result, struct trace *t, const struct question *q,
				struct error *e)
{
	struct memory_compare *c = result;
	enum status status = STATUS_OK;
	bool failed = false, by_text = true;

	for (int side = 0; !status && side < METRIC_SIDES; side++) {
		const sharing_rows *lines = &c->sides[side].of[MEMORY_BY_LINE];

		status = sharing_answer.make(&c->sides[side], side ? q->beside : t, q, e);
		by_text = by_text && lines->count && lines->data[0].place.text;
	}
	for (int list = 0; list < LISTS; list++) {
		struct metric_pairs *m = &c->of[list];

		for (int side = 0; side < METRIC_SIDES; side++) {
			const sharing_rows *rows = &c->sides[side].of[list];

			for (size_t i = 0; !status && !failed && i < rows->count; i++)
				failed = !add(c, side, list, &rows->data[i], by_text);
		}
		metric_pairs_end(m, false);
		if (m->pairs.count)
			qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_delta);
	}
	return failed ? error_set(e, STATUS_NOMEM, "out of memory") : status;
}

static void free_compare(void *result)
{
	struct memory_compare *c = result;

	for (int list = 0; list < LISTS; list++)
		metric_pairs_free(&c->of[list]);
	for (int side = 0; side < METRIC_SIDES; side++)
		sharing_free(&c->sides[side]);
	free(c);
}

/* ---- the tables ---- */

SECTION_ROWS(object, struct memory_compare, of[MEMORY_BY_OBJECT].pairs)
SECTION_ROWS(class, struct memory_compare, of[MEMORY_BY_CLASS].pairs)
SECTION_ROWS(line, struct memory_compare, of[MEMORY_BY_LINE].pairs)

static struct value line_text(const void *result, size_t row, size_t part)
{
	const struct metric_pair *p = line_of(result, row);

	(void)part;
	return strcmp(p->component, p->unit) == 0 ? value_none() : value_text(p->component);
}

#define PAIR(type, key, of_, member) FIELD(type, key, of_, struct metric_pair, member)

static const struct field object_fields[] = {
    {PAIR(TEXT, "name", object_of, name), .hidden = true},
    {PAIR(COUNT, "ordinal", object_of, number), .hidden = true},
    {PAIR(TEXT, "label", object_of, unit), .heading = "object", .derived = true},
    METRIC_PAIR_FIELDS(object_of),
    {.key = NULL},
};

static const struct field class_fields[] = {
    {PAIR(TEXT, "name", class_of, name), .heading = "class"},
    METRIC_PAIR_FIELDS(class_of),
    {.key = NULL},
};

static const struct field line_fields[] = {
    {PAIR(TEXT, "file", line_of, name), .hidden = true},
    {PAIR(COUNT, "line", line_of, number), .hidden = true},
    {FIELD_BY(TEXT, "text", line_text), .hidden = true},
    {PAIR(TEXT, "label", line_of, unit), .heading = "line", .path = true, .derived = true},
    METRIC_PAIR_FIELDS(line_of),
    {FIELD_BY(TEXT, "words", line_text), .heading = "text", .derived = true},
    {.key = NULL},
};

static const struct section sections[] = {
    {SECTION(LIST, "classes", class_rows, class_fields)},
    {SECTION(LIST, "objects", object_rows, object_fields)},
    {SECTION(LIST, "lines", line_rows, line_fields)},
    {.key = NULL},
};

const struct answer memory_compare_answer = {"compare",    &memory_trace_kind,
					     sections,     sizeof(struct memory_compare),
					     make_compare, free_compare};
