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
#include "analysis/memory/source.h"

struct memory_compare {
	struct metric_pairs objects, classes, lines;
	struct sharing *sides[METRIC_SIDES];
	struct intern *texts;
	bool by_text; /* lines */
	bool failed;  /* no memory */
};

/* label: for people; or NULL */
static void add(struct memory_compare *c, struct metric_pairs *to, int side, const char *name,
		const char *which, const char *label, uint64_t cycles)
{
	const struct metric_row row = {.name = name, .component = which, .unit = label};

	c->failed |= !which || !metric_pairs_add(to, side, &row, (double)cycles);
}

static void add_object(struct memory_compare *c, int side, const struct memory_index *x,
		       const struct sharing_row *row)
{
	const uint32_t ordinal = row->number == MEMORY_NONE ? 0 : x->objects[row->number].ordinal;

	add(c, &c->objects, side, row->name, intern_printf(c->texts, "%" PRIu32, ordinal),
	    row->label, row->sum.cycles);
}

/* Of the first line that has one; false: its sources are not there. */
static bool has_text(struct source_text *source, const struct sharing *r)
{
	size_t len;

	for (size_t i = 0; i < r->lines.count; i++)
		if (source_text_line(source, r->lines.data[i].name, r->lines.data[i].line, &len))
			return true;
	return false;
}

/*
 * By its text without the blanks that it begins with, or by its label where there is none. What the
 * other side does not wait for there is nothing, not unknown.
 */
static void add_line(struct memory_compare *c, int side, struct source_text *source,
		     const struct sharing_row *row)
{
	size_t len = 0;
	const char *text = c->by_text ? source_text_line(source, row->name, row->line, &len) : NULL;

	for (; text && len && (*text == ' ' || *text == '\t'); text++)
		len--;
	text = text ? intern_printf(c->texts, "%.*s", (int)len, text) : row->label;
	add(c, &c->lines, side, row->name, text, row->label, row->sum.cycles);
	add(c, &c->lines, METRIC_B - side, row->name, text, row->label, 0);
}

static void add_side(struct memory_compare *c, struct trace *t, int side,
		     struct source_text *source)
{
	const struct sharing *r = c->sides[side];
	const struct memory_index *x = memory_lock(t);

	for (size_t i = 0; i < r->objects.count; i++)
		add_object(c, side, x, &r->objects.data[i]);
	for (size_t i = 0; i < r->classes.count; i++)
		add(c, &c->classes, side, r->classes.data[i].name, "", NULL,
		    r->classes.data[i].sum.cycles);
	for (size_t i = 0; i < r->lines.count; i++)
		add_line(c, side, source, &r->lines.data[i]);
	memory_unlock(t);
}

/* By the text of lines where both sides have their sources, else by their numbers. */
static enum status add_sides(struct memory_compare *c, struct trace *const sides[METRIC_SIDES],
			     struct source_text *const sources[METRIC_SIDES], struct error *e)
{
	const struct question q = {.from = INT64_MIN, .to = INT64_MAX};
	enum status status = STATUS_OK;

	c->by_text = true;
	for (int side = 0; !status && side < METRIC_SIDES; side++) {
		c->sides[side] = calloc(1, sizeof(*c->sides[side]));
		status = c->sides[side] && sources[side]
			     ? sharing_answer.make(c->sides[side], sides[side], &q, e)
			     : error_set(e, STATUS_NOMEM, "out of memory");
		c->by_text = !status && c->by_text && has_text(sources[side], c->sides[side]);
	}
	for (int side = 0; !status && side < METRIC_SIDES; side++)
		add_side(c, sides[side], side, sources[side]);
	return status;
}

/* The greatest difference first; what one side has not stands last. */
static int by_delta(const void *a, const void *b)
{
	const struct metric_pair *x = a, *y = b;
	const double dx = isnan(x->delta) ? -1 : fabs(x->delta);
	const double dy = isnan(y->delta) ? -1 : fabs(y->delta);

	return (dx < dy) - (dx > dy);
}

static void rank(struct metric_pairs *m)
{
	metric_pairs_end(m, false);
	if (m->pairs.count)
		qsort(m->pairs.data, m->pairs.count, sizeof(m->pairs.data[0]), by_delta);
}

static enum status make_compare(void *result, struct trace *const sides[METRIC_SIDES],
				struct error *e)
{
	struct source_text *const sources[] = {source_text_new(sides[METRIC_A]),
					       source_text_new(sides[METRIC_B])};
	struct memory_compare *c = result;
	enum status status;

	*c = (struct memory_compare){.texts = intern_new()};
	status = c->texts ? add_sides(c, sides, sources, e)
			  : error_set(e, STATUS_NOMEM, "out of memory");
	for (int side = 0; side < METRIC_SIDES; side++)
		source_text_free(sources[side]);
	if (status || c->failed)
		return status ? status : error_set(e, STATUS_NOMEM, "out of memory");
	rank(&c->objects);
	rank(&c->classes);
	rank(&c->lines);
	return STATUS_OK;
}

static void free_compare(void *result)
{
	struct memory_compare *c = result;

	metric_pairs_free(&c->objects);
	metric_pairs_free(&c->classes);
	metric_pairs_free(&c->lines);
	for (int side = 0; side < METRIC_SIDES; side++)
		if (c->sides[side])
			sharing_answer.free(c->sides[side]);
	intern_free(c->texts);
	free(c);
}

/* ---- the tables ---- */

SECTION_ROWS(object, struct memory_compare, objects.pairs)
SECTION_ROWS(class, struct memory_compare, classes.pairs)
SECTION_ROWS(line, struct memory_compare, lines.pairs)

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
    {SECTION(LIST, "objects", object_rows, object_fields)},
    {SECTION(LIST, "lines", line_rows, line_fields)},
    {.key = NULL},
};

const struct pairing memory_pairing = {&memory_trace_kind, sections, sizeof(struct memory_compare),
				       make_compare, free_compare};
