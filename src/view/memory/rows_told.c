/*
 * What rows say: a table of columns, each with the sorts of things that have it.
 */
#include "config.h"

#include <stddef.h>

#include "base/xalloc.h"
#include "view/memory/rows.h"

static const char *load_name(const void *result, size_t part)
{
	return memory_cause_told(((const struct memory_rows *)result)->masks, part);
}

static const void *row_of(const void *result, size_t row)
{
	return &((const struct memory_rows *)result)->of.data[row];
}

static const void *told_of(const void *result, size_t row)
{
	return &((const struct memory_rows *)result)->told[row];
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
	.parts = memory_cause_parts, .part = load_name, .blank = true,                             \
	.minor = sharing_cause_is_minor
#define ROW(type, key, member)  FIELD(type, key, row_of, struct memory_row, member)
#define TOLD(type, key, member) FIELD(type, key, told_of, struct memory_told, member)
#define SUM(type, key, member)	FIELD(type, key, told_of, struct sharing_row, member)

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
    {WORDS, {TOLD(TEXT, "CPUs", cpus)}},
    {WORDS, {TOLD(TEXT, "line", dearest), .path = true}},
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

_Static_assert(sizeof(columns) / sizeof(columns[0]) < MEMORY_COLUMNS, "too many columns");

/* What each CPU waited to do, "rw.b"; the line that cost most, and if there are more. O(cells). */
static void add_touches(struct source_text *s, const struct memory_index *x, uint32_t word,
			struct memory_told *told)
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
		told->dearest = intern_printf(s->texts, "%s%s",
					      source_text_name(s, x, MEMORY_BY_LINE, most->line),
					      more ? " +" : "");
	for (uint32_t c = 0; c < x->caches[MEMORY_L1] && c < MEMORY_GLYPHS; c++)
		sbuf_putc(&text, ".rwb"[did[c]]);
	told->cpus = intern_take(s->texts, &text);
}

const struct memory_told *memory_rows_tell(struct memory_rows *r, const struct memory_index *x,
					   const struct memory_focus *f, size_t row)
{
	struct memory_told *told = row < r->of.count ? &r->told[row] : NULL;

	if (!told || told->row.label || !f->source)
		return told && told->row.label ? told : NULL;
	sharing_row_make(&told->row, f->source, x, r->by, r->of.data[row].number, &r->sums);
	if (r->by == MEMORY_BY_WORD)
		add_touches(f->source, x, told->row.number, told);
	return told->row.label ? told : NULL;
}

void memory_rows_columns(struct memory_rows *r, const struct memory_index *x)
{
	struct field *f = r->columns;

	r->masks = x->masks;
	r->told = xcalloc(r->of.count + 1, sizeof(*r->told));
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		if (!(columns[i].of & 1U << r->by) || (columns[i].of & SELECTION && !r->selects))
			continue;
		*f = columns[i].field;
		if (f->offset == offsetof(struct sharing_row, false_share))
			f->heading = memory_cause_told(r->masks, MEMORY_FALSE);
		f++;
	}
	*f = (struct field){.key = NULL};
}
