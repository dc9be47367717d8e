/*
 * The columns of lists: a table of fields, each with the lists that have it.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "view/memory/lists.h"

enum { MEASURED = 100 /* rows: further ones widen columns when they come into sight */ };

static const char *load_name(const void *result, size_t part)
{
	return memory_cause_told(((const struct ranking *)result)->masks, part);
}

static const void *line_of(const void *result, size_t row)
{
	return &((const struct ranking *)result)->lines[row];
}

static size_t line_rows(const void *result)
{
	return ((const struct ranking *)result)->rows.of.count;
}

static const void *row_of(const void *result, size_t row)
{
	return &((const struct ranking *)result)->rows.of.data[row];
}

#define ON(by) (1U << MEMORY_BY_##by)
enum {
	OBJECTS = ON(OBJECT),
	WORDS = ON(WORD),
	CLASSES = ON(CLASS),
	LINES = ON(LINE),
	BLOCKS = ON(L1_BLOCK) | ON(L2_BLOCK), /* in panes alone */
	ALL = OBJECTS | WORDS | CLASSES | LINES | BLOCKS,
	SELECTION = 1U << MEMORY_THING_COUNT /* only while something is selected */
};

#define MINOR .minor = field_is_minor
#define PERCENT .percent = true, .decimals = 1
#define LOADS                                                                                      \
	.parts = memory_cause_parts, .part = load_name, .blank = true, .minor = sharing_cause_is_minor
#define ROW(type, key, member)  FIELD(type, key, row_of, struct memory_row, member)
#define LINE(type, key, member) FIELD(type, key, line_of, struct ranking_line, member)
#define SUM(type, key, member)	FIELD(type, key, line_of, struct sharing_row, member)

static const struct {
	unsigned of;
	struct field field;
} columns[] = {
    {OBJECTS, {SUM(TEXT, "object", label), .path = true}},
    {WORDS, {SUM(TEXT, "word", label), .path = true}},
    {CLASSES, {SUM(TEXT, "class", label)}},
    {LINES, {SUM(TEXT, "line", label), .path = true}},
    {ALL, {ROW(COUNT, "cycles", cycles)}},
    {ALL & ~WORDS, {SUM(REAL, "share", share), PERCENT}},
    {ALL | SELECTION, {ROW(COUNT, "shared", shared)}},
    {ALL | SELECTION, {ROW(REAL, "of it", part), PERCENT}},
    {CLASSES, {SUM(COUNT, "objects", instances)}},
    {CLASSES, {SUM(COUNT, "each", each)}},
    {WORDS, {LINE(TEXT, "CPUs", cpus)}},
    {WORDS, {LINE(TEXT, "line", dearest), .path = true}},
    {ALL, {SUM(TEXT, "verdict", told)}},
    {WORDS, {SUM(REAL, "share", share), PERCENT}},
    {OBJECTS | WORDS | BLOCKS, {SUM(REAL, "false", false_share), PERCENT}},
    {ALL, {SUM(REAL, "upgr", upgrade_share), .percent = true}},
    {LINES, {SUM(TEXT, "function", place.function)}},
    {LINES, {SUM(TEXT, "text", place.text)}},
    {LINES | CLASSES, {SUM(REAL, "false", false_share), PERCENT, MINOR}},
    {ALL, {SUM(COUNT, "l1", sum.fills[MEMORY_L1]), LOADS, .heading = "L1"}},
    {ALL, {SUM(COUNT, "l2", sum.fills[MEMORY_L2]), LOADS, .heading = "L2"}},
    {OBJECTS | WORDS, {ROW(HEX, "address", address), MINOR}},
    {OBJECTS, {SUM(COUNT, "size", size), MINOR}},
    {BLOCKS, {SUM(COUNT, "HITM", transfers)}},
    {ALL, {SUM(COUNT, "waits", sum.count), MINOR}},
    {ALL, {ROW(COUNT, "rank", rank), MINOR}},
};

_Static_assert(sizeof(columns) / sizeof(columns[0]) < RANKING_FIELDS, "too many columns");

char ranking_edge(const struct ranking *r, size_t row)
{
	const struct memory_row *here = &r->rows.of.data[row];

	if (r->rows.order != BY_ADDRESS || !row || !(1U << r->by & (OBJECTS | WORDS)))
		return ' ';
	for (int level = MEMORY_L2; level >= MEMORY_L1; level--)
		if (r->block_bytes[level] && here[0].address / r->block_bytes[level] !=
						 here[-1].address / r->block_bytes[level])
			return level == MEMORY_L2 ? '|' : '.';
	return ' ';
}

/* ---- lines ---- */

/* What each CPU waited to do, "rw.b"; the line that cost most, and if there are others. O(cells). */
static void add_touches(struct source_text *s, const struct memory_index *x, uint32_t word,
			struct ranking_line *line)
{
	const struct memory_cell *most = NULL;
	unsigned did[MEMORY_GLYPHS] = {0};
	bool more = false;
	struct sbuf text = {0};

	for (const struct memory_cell *c = x->cells; c < x->cells + x->cell_count; c++) {
		if (c->word != word)
			continue;
		did[c->cpu % MEMORY_GLYPHS] |= (c->reads > 0) + 2U * (c->writes > 0);
		more = more || (most && most->line != c->line);
		most = most && most->cycles >= c->cycles ? most : c;
	}
	if (most)
		line->dearest = intern_printf(s->texts, "%s%s", source_text_name(s, x, MEMORY_BY_LINE, most->line),
						 more ? " +" : "");
	for (uint32_t c = 0; c < x->caches[MEMORY_L1] && c < MEMORY_GLYPHS; c++)
		sbuf_putc(&text, ".rwb"[did[c]]);
	line->cpus = intern_take(s->texts, &text);
}

/* Without memory it says nothing. */
static void make_line(struct ranking *r, const struct memory_index *x, size_t row)
{
	const uint32_t number = r->rows.of.data[row].number;

	if (!r->focus->source)
		return;
	sharing_row_make(&r->lines[row].row, r->focus->source, x, r->by, number, &r->rows.sums);
	if (r->by == MEMORY_BY_WORD)
		add_touches(r->focus->source, x, number, &r->lines[row]);
}

const struct ranking_line *ranking_line(struct ranking *r, size_t row)
{
	if (row >= r->rows.of.count)
		return NULL;
	if (!r->lines[row].row.label) {
		make_line(r, memory_lock(r->focus->trace), row);
		memory_unlock(r->focus->trace);
		table_widen(&r->table, row);
	}
	return r->lines[row].row.label ? &r->lines[row] : NULL;
}

/* ---- the table ---- */

static void choose_columns(struct ranking *r)
{
	struct field *f = r->fields;

	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!(columns[i].of & 1U << r->by) ||
		    (columns[i].of & SELECTION && !r->rows.selects))
			continue;
		*f = columns[i].field;
		if (f->offset == offsetof(struct sharing_row, false_share) && !r->masks)
			f->heading = "false≤";
		f++;
	}
	*f = (struct field){.key = NULL};
}

void ranking_free_table(struct ranking *r)
{
	free(r->lines);
	table_free(&r->table);
	r->table = (struct table){0};
}

bool ranking_make_table(struct ranking *r, const struct memory_index *x)
{
	const size_t rows = r->rows.of.count, measured = rows < MEASURED ? rows : MEASURED;

	ranking_free_table(r);
	r->lines = calloc(rows + 1, sizeof(*r->lines));
	r->masks = x->masks;
	memcpy(r->block_bytes, x->block_bytes, sizeof(r->block_bytes));
	if (!r->lines)
		return false;
	for (size_t i = 0; i < measured; i++)
		make_line(r, x, i);
	choose_columns(r);
	r->section = (struct section){SECTION(LIST, "lines", line_rows, r->fields)};
	return table_new(&r->table, &r->section, r, measured);
}
