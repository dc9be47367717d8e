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

SECTION_ROWS(line, struct ranking, lines)

static const void *row_of(const void *result, size_t row)
{
	return &((const struct ranking *)result)->rows.of.data[row];
}

/* Of what it cost, the part that what is selected has, too. */
static struct value shared_part(const void *result, size_t row, size_t part)
{
	const struct memory_row *r = row_of(result, row);

	(void)part;
	return value_real(memory_share(r->shared, r->cycles));
}

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
#define PERCENT .percent = true, .decimals = 1
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
    {(ALL & ~WORDS) | SELECTION, {FIELD_BY(REAL, "of it", shared_part), PERCENT}},
    {CLASSES, {SUM(COUNT, "objects", instances)}},
    {CLASSES, {SUM(COUNT, "each", each)}},
    {WORDS, {LINE(TEXT, "read", readers)}},
    {WORDS, {LINE(TEXT, "wrote", writers)}},
    {WORDS, {LINE(TEXT, "line", more), .path = true}},
    {WORDS | SELECTION, {FIELD_BY(REAL, "of it", shared_part), PERCENT}},
    {ALL, {SUM(TEXT, "verdict", told)}},
    {WORDS, {SUM(REAL, "share", share), PERCENT}},
    {OBJECTS | WORDS, {SUM(REAL, "false", false_share), PERCENT}},
    {ALL & ~WORDS, {SUM(REAL, "upgr", upgrade_share), .percent = true}},
    {LINES, {SUM(TEXT, "function", place.function)}},
    {LINES, {LINE(TEXT, "text", more)}},
    {LINES | CLASSES, {SUM(REAL, "false", false_share), PERCENT, MINOR}},
    {WORDS, {SUM(REAL, "upgr", upgrade_share), .percent = true, MINOR}},
    {ALL,
     {SUM(COUNT, "loads", sum.fills), .parts = sharing_load_parts, .part = load_name, .blank = true,
      .minor = sharing_load_is_minor}},
    {OBJECTS | WORDS, {ROW(HEX, "address", address), MINOR}},
    {OBJECTS, {SUM(COUNT, "size", size), MINOR}},
    {ALL, {SUM(COUNT, "waits", sum.count), MINOR}},
    {ALL, {ROW(COUNT, "rank", rank), MINOR}},
};

_Static_assert(sizeof(columns) / sizeof(columns[0]) < RANKING_FIELDS, "too many columns");

/* ---- lines ---- */

static char edge_of(const struct ranking *r, const struct memory_index *x, size_t row)
{
	const struct memory_row *here = &r->rows.of.data[row];

	if (r->rows.order != BY_ADDRESS || !row || !(1U << r->by & (OBJECTS | WORDS)))
		return ' ';
	for (int level = MEMORY_L2; level >= MEMORY_L1; level--)
		if (x->block_bytes[level] && here[0].address / x->block_bytes[level] !=
						 here[-1].address / x->block_bytes[level])
			return level == MEMORY_L2 ? '|' : '.';
	return ' ';
}

static bool add_line(struct ranking *r, const struct memory_index *x, const struct memory_sums *all,
		     size_t row)
{
	const uint32_t number = r->rows.of.data[row].number;
	struct ranking_line line = {.edge = edge_of(r, x, row)};
	struct sbuf text = {0};

	if (!sharing_row_make(&line.row, r->texts, r->trace, x, r->by, number, all))
		return false;
	if (r->by == MEMORY_BY_LINE && r->focus->source) {
		line.row.place.function = source_text_function(r->focus->source, x, number);
		source_text_put(r->focus->source, x, number, &text);
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
	struct touch {
		uint64_t read, written;
		const struct memory_cell *most;
		bool more; /* lines */
	} *of = calloc((size_t)x->word_count + 1, sizeof(*of));

	for (uint32_t i = 0; of && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		struct touch *t = &of[c->word];
		const uint64_t cpu = UINT64_C(1) << c->cpu % MEMORY_GLYPHS;

		t->read |= c->reads ? cpu : 0;
		t->written |= c->writes ? cpu : 0;
		t->more = t->more || (t->most && t->most->line != c->line);
		if (!t->most || c->cycles > t->most->cycles)
			t->most = c;
	}
	for (size_t i = 0; of && i < r->lines.count; i++) {
		struct ranking_line *line = &r->lines.data[i];
		const struct touch *t = &of[line->row.number];
		struct sbuf text = {0};

		memory_put_thing(r->trace, x, MEMORY_BY_LINE, t->most->line, &text);
		sbuf_puts(&text, t->more ? " +" : "");
		line->more = intern_take(r->texts, &text);
		line->readers = keep_cpus(r, t->read);
		line->writers = keep_cpus(r, t->written);
	}
	free(of);
	return of;
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

bool ranking_make_table(struct ranking *r, const struct memory_index *x,
			const struct memory_sums *all)
{
	bool made = true;

	vec_clear(&r->lines);
	table_free(&r->table);
	r->table = (struct table){0};
	intern_free(r->texts);
	r->texts = intern_new();
	r->masks = x->masks;
	for (size_t i = 0; made && i < r->rows.of.count; i++)
		made = r->texts && add_line(r, x, all, i);
	if (made && r->by == MEMORY_BY_WORD)
		made = add_touches(r, x);
	choose_columns(r);
	r->section = (struct section){SECTION(LIST, "lines", line_rows, r->fields)};
	return made && table_new(&r->table, &r->section, r, r->lines.count);
}
