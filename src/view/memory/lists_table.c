/*
 * The columns of lists: a table of fields, each with the lists that have it.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>

#include "analysis/memory/sharing.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"

static const char *load_name(const void *result, size_t part)
{
	return sharing_load_name(((const struct ranking *)result)->masks, part);
}

static struct value loads(const void *result, size_t row, size_t part)
{
	const struct ranking *r = result;

	return value_count(r->lines.data[row]
			       .sum.fills[part / MEMORY_CAUSE_COUNT][part % MEMORY_CAUSE_COUNT]);
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

static const struct {
	unsigned of;
	struct field field;
} columns[] = {
    {ALL, {LINE_FIELD(COUNT, "rank", rank)}},
    {OBJECTS, {LINE_FIELD(TEXT, "object", name), .path = true}},
    {WORDS, {LINE_FIELD(TEXT, "word", name), .path = true}},
    {CLASSES, {LINE_FIELD(TEXT, "class", name)}},
    {LINES, {LINE_FIELD(TEXT, "line", name), .path = true}},
    {ALL, {LINE_FIELD(COUNT, "cycles", sum.cycles)}},
    {ALL & ~WORDS, {LINE_FIELD(REAL, "share", share), .percent = true, .decimals = 1}},
    {ALL | SELECTION, {LINE_FIELD(COUNT, "shared", shared_cycles)}},
    {(ALL & ~WORDS) | SELECTION, {LINE_FIELD(REAL, "of it", shared), .percent = true, .decimals = 1}},
    {CLASSES, {LINE_FIELD(COUNT, "objects", instances)}},
    {CLASSES, {LINE_FIELD(COUNT, "each", each)}},
    {WORDS, {LINE_FIELD(TEXT, "read", readers)}},
    {WORDS, {LINE_FIELD(TEXT, "wrote", writers)}},
    {WORDS, {LINE_FIELD(TEXT, "line", more), .path = true}},
    {WORDS | SELECTION, {LINE_FIELD(REAL, "of it", shared), .percent = true, .decimals = 1}},
    {ALL, {LINE_FIELD(TEXT, "verdict", verdict)}},
    {WORDS, {LINE_FIELD(REAL, "share", share), .percent = true, .decimals = 1}},
    {OBJECTS | WORDS, {LINE_FIELD(REAL, "false", false_share), .percent = true, .decimals = 1}},
    {LINES, {LINE_FIELD(TEXT, "text", more)}},
    {LINES | CLASSES,
     {LINE_FIELD(REAL, "false", false_share), .percent = true, .decimals = 1, MINOR}},
    {CLASSES, {LINE_FIELD(TEXT, "worst", more), MINOR}},
    {ALL,
     {FIELD_BY(COUNT, "loads", loads), .parts = sharing_load_parts, .part = load_name, .blank = true,
      .minor = sharing_load_is_minor}},
    {OBJECTS | WORDS, {LINE_FIELD(HEX, "address", address), MINOR}},
    {OBJECTS, {LINE_FIELD(COUNT, "size", size), MINOR}},
    {ALL, {LINE_FIELD(COUNT, "accesses", sum.count), MINOR}},
};

_Static_assert(sizeof(columns) / sizeof(columns[0]) < RANKING_FIELDS, "too many columns");

/* ---- a line ---- */

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : 0;
}

bool ranking_make_line(struct ranking *r, const struct memory_index *x, const struct memory_sum *s,
		       const struct ranking_row *row)
{
	struct sbuf text = {0};
	struct ranking_line line = {.rank = row->rank,
				    .address = row->address,
				    .size = UINT64_MAX,
				    .instances = UINT64_MAX,
				    .each = UINT64_MAX,
				    .shared_cycles = row->shared,
				    .share = part(s->cycles, r->sums.cycles),
				    .shared = part(row->shared, s->cycles),
				    .false_share = part(memory_false_cycles(s), s->cycles),
				    .name = memory_keep_thing(r->texts, r->trace, x, r->by, row->number),
				    .verdict = memory_verdict_told(memory_verdict_of(s, MEMORY_LEVELS), x->masks),
				    .sum = *s};

	if (r->by == MEMORY_BY_OBJECT && row->number != MEMORY_NONE)
		line.size = x->objects[row->number].size;
	if (r->by == MEMORY_BY_LINE) {
		ranking_put_text(r, x, row->number, &text);
		line.more = intern_take(r->texts, &text);
	}
	return line.name && vec_push(&r->lines, line);
}

/* Of classes: how many there are, and the dearest of them. O(objects + cells). */
static bool add_instances(struct ranking *r, const struct memory_index *x)
{
	static const struct memory_selection everything;
	struct memory_sums objects = {.of = NULL};
	struct error ignored;
	const bool summed = !memory_sum_up(&objects, x, MEMORY_BY_OBJECT, &everything, &ignored);
	struct instances {
		uint64_t count;
		uint32_t worst;
	} *of = calloc((size_t)x->class_count + 1, sizeof(*of));

	for (uint32_t i = 0; summed && of && i < x->object_count; i++) {
		struct instances *class = &of[x->objects[i].class];

		if (!class->count++ || objects.of[i].cycles > objects.of[class->worst].cycles)
			class->worst = i;
	}
	for (size_t i = 0; summed && of && i < r->lines.count; i++) {
		struct ranking_line *line = &r->lines.data[i];
		const uint32_t class = r->rows.data[i].number;

		if (class == MEMORY_NONE || !of[class].count)
			continue;
		line->instances = of[class].count;
		line->each = (line->sum.cycles + line->instances / 2) / line->instances;
		line->more = memory_keep_thing(r->texts, r->trace, x, MEMORY_BY_OBJECT, of[class].worst);
	}
	memory_sums_free(&objects);
	free(of);
	return summed && of;
}

static const char *keep_cpus(struct ranking *r, uint64_t cpus)
{
	struct sbuf text = {0};

	for (uint32_t c = 0; c < BLOCKS_GLYPHS; c++)
		if (cpus >> c & 1)
			sbuf_putc(&text, blocks_glyph(c));
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
		row[r->rows.data[i].number] = i;
	for (uint32_t i = 0; made && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		struct touch *t = &of[row[c->word]];
		const uint64_t cpu = UINT64_C(1) << c->cpu % BLOCKS_GLYPHS;

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

		if (!(columns[i].of & 1U << r->by) || (columns[i].of & SELECTION && !r->selects))
			continue;
		*f = columns[i].field;
		if (f->offset == offsetof(struct ranking_line, false_share) && !r->masks)
			f->heading = "false≤";
		count++;
	}
	if ((r->by == MEMORY_BY_CLASS && !add_instances(r, x)) ||
	    (r->by == MEMORY_BY_WORD && !add_touches(r, x)))
		return false;
	r->fields[count] = (struct field){.key = NULL};
	r->section = (struct section){SECTION(LIST, "lines", line_rows, r->fields)};
	return table_new(&r->table, &r->section, r, r->lines.count);
}
