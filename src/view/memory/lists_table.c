/*
 * The columns of lists: a table of fields, each with the lists that have it.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>

#include "view/memory/lists.h"

static const char *load_name(const void *result, size_t part)
{
	return sharing_load_name(((const struct ranking *)result)->masks, part);
}

static struct value loads(const void *result, size_t row, size_t part)
{
	const struct ranking *r = result;

	return value_count(r->lines.data[row]
			       .row.sum.fills[part / MEMORY_CAUSE_COUNT][part % MEMORY_CAUSE_COUNT]);
}

SECTION_ROWS(line, struct ranking, lines)

#define ON(by) (1U << MEMORY_BY_##by)
enum {
	OBJECTS = ON(OBJECT),
	WORDS = ON(WORD),
	CLASSES = ON(CLASS),
	LINES = ON(LINE),
	ALL = OBJECTS | WORDS | CLASSES | LINES,
	SELECTION = 1U << MEMORY_THING_COUNT /* only while something is selected */
};

#define MINOR .minor = field_is_minor
#define LINE_FIELD(type, key, member) FIELD(type, key, line_of, struct ranking_line, member)
#define ROW_FIELD(type, key, member)  FIELD(type, key, line_of, struct sharing_row, member)

static const struct {
	unsigned of;
	struct field field;
} columns[] = {
    {OBJECTS, {ROW_FIELD(TEXT, "object", label), .path = true}},
    {WORDS, {ROW_FIELD(TEXT, "word", label), .path = true}},
    {CLASSES, {ROW_FIELD(TEXT, "class", label)}},
    {LINES, {ROW_FIELD(TEXT, "line", label), .path = true}},
    {ALL, {ROW_FIELD(COUNT, "cycles", sum.cycles)}},
    {ALL & ~WORDS, {ROW_FIELD(REAL, "share", share), .percent = true, .decimals = 1}},
    {ALL | SELECTION, {LINE_FIELD(COUNT, "shared", shared_cycles)}},
    {(ALL & ~WORDS) | SELECTION, {LINE_FIELD(REAL, "of it", shared), .percent = true, .decimals = 1}},
    {CLASSES, {ROW_FIELD(COUNT, "objects", instances)}},
    {CLASSES, {ROW_FIELD(COUNT, "each", each)}},
    {WORDS, {LINE_FIELD(TEXT, "read", readers)}},
    {WORDS, {LINE_FIELD(TEXT, "wrote", writers)}},
    {WORDS, {LINE_FIELD(TEXT, "line", more), .path = true}},
    {WORDS | SELECTION, {LINE_FIELD(REAL, "of it", shared), .percent = true, .decimals = 1}},
    {ALL, {ROW_FIELD(TEXT, "verdict", told)}},
    {WORDS, {ROW_FIELD(REAL, "share", share), .percent = true, .decimals = 1}},
    {OBJECTS | WORDS, {ROW_FIELD(REAL, "false", false_share), .percent = true, .decimals = 1}},
    {OBJECTS, {ROW_FIELD(REAL, "upgrades", upgrade_share), .percent = true, .decimals = 1}},
    {LINES | CLASSES,
     {ROW_FIELD(REAL, "upgrades", upgrade_share), .percent = true, .heading = "upgr"}},
    {LINES, {ROW_FIELD(TEXT, "function", place.function)}},
    {LINES, {LINE_FIELD(TEXT, "text", more)}},
    {LINES | CLASSES,
     {ROW_FIELD(REAL, "false", false_share), .percent = true, .decimals = 1, MINOR}},
    {WORDS,
     {ROW_FIELD(REAL, "upgrades", upgrade_share), .percent = true, .decimals = 1, MINOR}},
    {CLASSES, {ROW_FIELD(TEXT, "worst", worst), MINOR}},
    {ALL,
     {FIELD_BY(COUNT, "loads", loads), .parts = sharing_load_parts, .part = load_name, .blank = true,
      .minor = sharing_load_is_minor}},
    {OBJECTS | WORDS, {ROW_FIELD(HEX, "address", address), MINOR}},
    {OBJECTS, {ROW_FIELD(COUNT, "size", size), MINOR}},
    {ALL, {ROW_FIELD(COUNT, "waits", sum.count), MINOR}},
    {ALL, {LINE_FIELD(COUNT, "rank", rank), MINOR}},
};

_Static_assert(sizeof(columns) / sizeof(columns[0]) < RANKING_FIELDS, "too many columns");

/* ---- a line ---- */

bool ranking_make_line(struct ranking *r, const struct memory_index *x,
		       const struct memory_sums *all, const struct memory_row *row)
{
	struct sbuf text = {0};
	struct ranking_line line = {.rank = row->rank, .shared_cycles = row->shared,
				    .shared = memory_share(row->shared, row->cycles)};

	if (!sharing_row_make(&line.row, r->texts, r->trace, x, r->by, row->number, all))
		return false;
	if (r->by == MEMORY_BY_LINE && r->source) {
		line.row.place.function = source_text_function(r->source, x, row->number);
		source_text_put(r->source, x, row->number, &text);
		line.more = intern_take(r->texts, &text);
	}
	return vec_push(&r->lines, line);
}

static const char *keep_cpus(struct ranking *r, uint64_t cpus)
{
	struct sbuf text = {0};

	for (uint32_t c = 0; c < MEMORY_GLYPHS; c++)
		if (cpus >> c & 1)
			sbuf_putc(&text, memory_glyph(c));
	return text.len ? intern_take(r->texts, &text) : NULL;
}

/* Of words: which CPUs waited to read and to write them, and where the longest. O(cells + words). */
static bool add_touches(struct ranking *r, const struct memory_index *x)
{
	const uint32_t rest = (uint32_t)r->lines.count;
	struct touch {
		uint64_t read, written, cycles;
		uint32_t line;
		bool any, more; /* lines */
	} *of = calloc((size_t)rest + 1, sizeof(*of));
	uint32_t *row = malloc(((size_t)x->word_count + 1) * sizeof(*row));
	const bool made = of && row;

	for (uint32_t w = 0; made && w < x->word_count; w++)
		row[w] = rest;
	for (uint32_t i = 0; made && i < rest; i++)
		row[r->rows.of.data[i].number] = i;
	for (uint32_t i = 0; made && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		struct touch *t = &of[row[c->word]];
		const uint64_t cpu = UINT64_C(1) << c->cpu % MEMORY_GLYPHS;

		t->read |= c->reads ? cpu : 0;
		t->written |= c->writes ? cpu : 0;
		t->more = t->more || (t->any && t->line != c->line);
		if (!t->any || c->cycles > t->cycles) {
			t->line = c->line;
			t->cycles = c->cycles;
		}
		t->any = true;
	}
	for (uint32_t i = 0; made && i < rest; i++) {
		struct ranking_line *line = &r->lines.data[i];
		struct sbuf text = {0};

		memory_put_thing(r->trace, x, MEMORY_BY_LINE, of[i].line, &text);
		sbuf_puts(&text, of[i].more ? " +" : "");
		line->more = intern_take(r->texts, &text);
		line->readers = keep_cpus(r, of[i].read);
		line->writers = keep_cpus(r, of[i].written);
	}
	free(of);
	free(row);
	return made;
}

bool ranking_make_table(struct ranking *r, const struct memory_index *x)
{
	size_t count = 0;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		struct field *f = &r->fields[count];

		if (!(columns[i].of & 1U << r->by) || (columns[i].of & SELECTION && !r->rows.selects))
			continue;
		*f = columns[i].field;
		if (f->offset == offsetof(struct sharing_row, false_share) && !r->masks)
			f->heading = "false≤";
		count++;
	}
	if ((r->by == MEMORY_BY_CLASS &&
	     !sharing_add_instances((void *)r->lines.data, r->lines.count, sizeof(*r->lines.data),
				    r->texts, r->trace, x)) ||
	    (r->by == MEMORY_BY_WORD && !add_touches(r, x)))
		return false;
	r->fields[count] = (struct field){.key = NULL};
	r->section = (struct section){SECTION(LIST, "lines", line_rows, r->fields)};
	return table_new(&r->table, &r->section, r, r->lines.count);
}
