/*
 * Two traces of shared memory beside each other: cycles of objects by name and which of that name
 * they are, of classes by name, and of lines by their text, so that what was moved is still the
 * same line. A report has classes: single objects of one change by chance, too.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"

enum { OBJECTS, CLASSES, LINES, LISTS };
static const enum memory_thing things[LISTS] = {MEMORY_BY_OBJECT, MEMORY_BY_CLASS, MEMORY_BY_LINE};

struct memory_compare {
	struct metric_pairs of[LISTS];
	struct source_text *sources[METRIC_SIDES];
	struct intern *texts;
	bool by_text; /* lines are told by it, else by their numbers */
	bool failed;  /* no memory */
};

/*
 * By its name, and an object by which of that name it is, a line by its text (its label, where there is
 * none). Where the other side has no such line, it waited for nothing there.
 */
static bool add(struct memory_compare *c, const struct trace *t, const struct memory_index *x,
		int side, int list, uint32_t number, uint64_t cycles)
{
	struct metric_row row = {.component = "",
				 .unit = memory_keep_thing(c->texts, t, x, things[list], number)};
	const struct source_line *line;
	struct source_place place;

	if (list == LINES) {
		if (!source_place_of(&place, NULL, c->texts, t, x, number))
			return false;
		line = source_text_at(c->by_text ? c->sources[side] : NULL, x, number);
		row.name = place.file;
		row.component = line->len ? intern_printf(c->texts, "%.*s", (int)line->len, line->text)
					  : row.unit;
	} else {
		row.name = memory_class(t, list == OBJECTS ? memory_class_of(x, number) : number);
	}
	if (list == OBJECTS)
		row.component = intern_printf(c->texts, "%" PRIu32,
					      number == MEMORY_NONE ? 0 : x->objects[number].ordinal);
	return row.component && row.unit &&
	       metric_pairs_add(&c->of[list], side, &row, (double)cycles) &&
	       (list != LINES || metric_pairs_add(&c->of[list], METRIC_B - side, &row, 0));
}

/* All objects and classes, lines that waited. */
static void add_side(struct memory_compare *c, struct trace *t, int side)
{
	const struct memory_index *x = memory_lock(t);

	for (int list = 0; list < LISTS; list++) {
		struct memory_sums sums;

		c->failed |= memory_sum_up(&sums, x, things[list], NULL, NULL) != STATUS_OK;
		for (uint32_t i = 0; !c->failed && i <= sums.count; i++)
			if (sums.of[i].cycles || (list != LINES && i < sums.count))
				c->failed |= !add(c, t, x, side, list,
						  i < sums.count ? i : MEMORY_NONE, sums.of[i].cycles);
		memory_sums_free(&sums);
	}
	memory_unlock(t);
}

/* The greatest difference first; what one side has not stands last. */
static int by_delta(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;
	const double dx = isnan(x->delta) ? -1 : fabs(x->delta);
	const double dy = isnan(y->delta) ? -1 : fabs(y->delta);

	return (dx < dy) - (dx > dy);
}

static enum status make_compare(void *result, struct trace *const traces[METRIC_SIDES],
				struct error *e)
{
	struct memory_compare *c = result;

	*c = (struct memory_compare){.texts = intern_new(), .by_text = true};
	for (int side = 0; side < METRIC_SIDES; side++) {
		const struct memory_index *x = memory_lock(traces[side]);

		c->sources[side] = source_text_new(traces[side]);
		c->by_text &= x->line_count && source_text_at(c->sources[side], x, 0)->text;
		memory_unlock(traces[side]);
	}
	for (int side = 0; side < METRIC_SIDES; side++)
		add_side(c, traces[side], side);
	for (int list = 0; list < LISTS; list++) {
		struct metric_pairs *m = &c->of[list];

		metric_pairs_end(m, false);
		if (m->pairs.count)
			qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_delta);
	}
	return c->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

static void free_compare(void *result)
{
	struct memory_compare *c = result;

	for (int list = 0; list < LISTS; list++)
		metric_pairs_free(&c->of[list]);
	for (int side = 0; side < METRIC_SIDES; side++)
		source_text_free(c->sources[side]);
	intern_free(c->texts);
	free(c);
}

/* ---- the tables ---- */

SECTION_ROWS(object, struct memory_compare, of[OBJECTS].pairs)
SECTION_ROWS(class, struct memory_compare, of[CLASSES].pairs)
SECTION_ROWS(line, struct memory_compare, of[LINES].pairs)

static struct value object_ordinal(const void *result, size_t row, size_t part)
{
	const struct metric_pair *p = object_of(result, row);

	(void)part;
	return value_count(strtoull(p->component, NULL, 10));
}

static struct value line_number(const void *result, size_t row, size_t part)
{
	const struct metric_pair *p = line_of(result, row);

	(void)part;
	return value_count(strtoull(strrchr(p->unit, ':') + 1, NULL, 10));
}

static struct value line_text(const void *result, size_t row, size_t part)
{
	const struct metric_pair *p = line_of(result, row);

	(void)part;
	return strcmp(p->component, p->unit) == 0 ? value_none() : value_text(p->component);
}

static const struct field object_fields[] = {
    {FIELD(TEXT, "name", object_of, struct metric_pair, name), .hidden = true},
    {FIELD_BY(COUNT, "ordinal", object_ordinal), .hidden = true},
    {FIELD(TEXT, "label", object_of, struct metric_pair, unit), .heading = "object",
     .derived = true},
    METRIC_PAIR_FIELDS(object_of),
    {.key = NULL},
};

static const struct field class_fields[] = {
    {FIELD(TEXT, "name", class_of, struct metric_pair, name), .heading = "class"},
    METRIC_PAIR_FIELDS(class_of),
    {.key = NULL},
};

static const struct field line_fields[] = {
    {FIELD(TEXT, "file", line_of, struct metric_pair, name), .hidden = true},
    {FIELD_BY(COUNT, "line", line_number), .hidden = true},
    {FIELD_BY(TEXT, "text", line_text), .hidden = true},
    {FIELD(TEXT, "label", line_of, struct metric_pair, unit), .heading = "line", .path = true,
     .derived = true},
    METRIC_PAIR_FIELDS(line_of),
    {FIELD_BY(TEXT, "words", line_text), .heading = "text", .derived = true},
    {.key = NULL},
};

static const struct section sections[] = {
    {SECTION(LIST, "classes", class_rows, class_fields)},
    {SECTION(LIST, "objects", object_rows, object_fields), .hidden = true},
    {SECTION(LIST, "lines", line_rows, line_fields)},
    {.key = NULL},
};

const struct pairing memory_pairing = {&memory_trace_kind, sections, sizeof(struct memory_compare),
				       make_compare, free_compare};
