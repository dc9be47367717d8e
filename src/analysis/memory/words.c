/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from. All is one list of touches; what a table or JSON has as a row of several is a run of it.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

static int by_line(const void *a, const void *b)
{
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(p->address, q->address);

	order = order ? order : memory_ascending(p->at, q->at);
	return order ? order : memory_ascending(p->cpu, q->cpu);
}

/* The dearest word first, then by CPU. */
static int by_cycles(const void *a, const void *b)
{
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(q->row_cycles, p->row_cycles);

	order = order ? order : memory_ascending(p->address, q->address);
	order = order ? order : memory_ascending(p->cpu, q->cpu);
	return order ? order : memory_ascending(p->at, q->at);
}

/* Cells that differ in the object alone are one. */
static bool gather(struct sharing_words *w, const struct memory_index *x, enum memory_thing by,
		   uint32_t number)
{
	static const struct sharing_touch none = {.address = UINT64_MAX};
	size_t to = 0;

	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct sharing_touch touch = {.word = c->word,
						    .at = c->line,
						    .address = x->words[c->word].address,
						    .cpu = c->cpu,
						    .reads = c->reads,
						    .writes = c->writes,
						    .cycles = c->cycles};

		if ((w->all || memory_thing_of(x, c, by) == number) && !vec_push(&w->touches, touch))
			return false;
	}
	if (!vec_push(&w->touches, none)) /* behind the last run */
		return false;
	qsort(w->touches.data, w->touches.count, sizeof(none), by_line);
	for (size_t i = 0; i < w->touches.count; i++) {
		const struct sharing_touch *touch = &w->touches.data[i];
		struct sharing_touch *last = &w->touches.data[to ? to - 1 : 0];

		if (!to || by_line(last, touch) != 0) {
			w->touches.data[to++] = *touch;
			continue;
		}
		last->reads += touch->reads;
		last->writes += touch->writes;
		last->cycles += touch->cycles;
	}
	w->touches.count = to - 1;
	return true;
}

/* So many from here on are of the word, and if it is asked of the line, or of the CPU. */
static size_t run(const struct sharing_touch *t, bool line, bool cpu)
{
	size_t n = 1;

	while (t[n].address == t->address && (!line || t[n].at == t->at) && (!cpu || t[n].cpu == t->cpu))
		n++;
	return n;
}

static bool add_rows(struct sharing_words *w)
{
	struct sharing_touch *t = w->touches.data;

	for (size_t i = 0, end; i < w->touches.count; i = end) {
		uint64_t cycles = 0;

		end = i + run(&t[i], !w->all, false);
		for (size_t k = i; k < end; k++)
			cycles += t[k].cycles;
		for (size_t k = i; k < end; k++)
			t[k].row_cycles = cycles;
	}
	if (w->all)
		qsort(t, w->touches.count, sizeof(*t), by_cycles);
	for (size_t i = 0; i < w->touches.count; i += run(&t[i], !w->all, false))
		if (!vec_push(&w->rows, &t[i]))
			return false;
	return true;
}

static bool put_texts(struct sharing_words *w, const struct trace *t, const struct memory_index *x,
		      struct source_text *source, uint64_t address)
{
	for (size_t i = 0; i < w->touches.count; i++) {
		struct sharing_touch *touch = &w->touches.data[i];
		const uint32_t object = x->words[touch->word].object;

		if (object != MEMORY_NONE)
			touch->object = memory_class(t, x->objects[object].class);
		touch->offset = !w->all	      ? touch->address - address
				: touch->object ? touch->address - x->objects[object].address
						: UINT64_MAX;
		touch->name = memory_keep_thing(w->texts, t, x, MEMORY_BY_WORD, touch->word);
		if (!touch->name || !source_place_of(&touch->place, source, w->texts, t, x, touch->at))
			return false;
	}
	return true;
}

enum status sharing_words_make(struct sharing_words *w, const struct trace *t,
			       const struct memory_index *x, struct source_text *source,
			       enum memory_thing by, uint32_t number, struct error *e)
{
	const bool all = by == MEMORY_THING_COUNT;
	const uint64_t address = all			 ? 0
				 : by == MEMORY_BY_OBJECT ? x->objects[number].address
				 : by == MEMORY_BY_WORD	  ? x->words[number].address
							  : x->blocks[number].address;

	*w = (struct sharing_words){.cpus = x->caches[MEMORY_L1], .all = all, .texts = intern_new()};
	return w->texts && gather(w, x, by, number) && add_rows(w) && put_texts(w, t, x, source, address)
		   ? STATUS_OK
		   : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->rows);
	vec_free(&w->touches);
	intern_free(w->texts);
}

/* ---- words and lines by CPU: one that touched nothing of it has no column ---- */

const char *sharing_words_mark(const struct sharing_touch *row, uint64_t cpu)
{
	static const char *const marks[2][2] = {{NULL, "w"}, {"r", "rw"}};

	for (size_t i = run(row, true, false); i-- > 0;)
		if (row[i].cpu == cpu)
			return marks[row[i].reads > 0][row[i].writes > 0];
	return NULL;
}

static size_t row_count(const void *result)
{
	return ((const struct sharing_words *)result)->rows.count;
}

static const void *row_of(const void *result, size_t row)
{
	return ((const struct sharing_words *)result)->rows.data[row];
}

static size_t cpu_parts(const void *result)
{
	return ((const struct sharing_words *)result)->cpus;
}

static struct value cpu_mark(const void *result, size_t row, size_t part)
{
	return value_text(sharing_words_mark(row_of(result, row), part));
}

#define TOUCH_FIELD(type, key, of, member) FIELD(type, key, of, struct sharing_touch, member)

static const struct field row_fields[] = {
    {TOUCH_FIELD(HEX, "offset", row_of, offset)},
    {TOUCH_FIELD(TEXT, "word", row_of, name)},
    {TOUCH_FIELD(TEXT, "line", row_of, place.label), .path = true},
    {TOUCH_FIELD(TEXT, "function", row_of, place.function)},
    {TOUCH_FIELD(COUNT, "cycles", row_of, row_cycles)},
    {FIELD_BY(TEXT, "cpus", cpu_mark), .parts = cpu_parts, .part_number = field_part_number},
    {.key = NULL},
};

const struct section sharing_words_section = {SECTION(LIST, "words", row_count, row_fields)};

/* ---- all touches, and what they are of a word and a CPU ---- */

size_t sharing_touch_rows(const void *result)
{
	return ((const struct sharing *)result)->words.touches.count;
}

static const void *touch_of(const void *result, size_t row)
{
	return &((const struct sharing *)result)->words.touches.data[row];
}

const struct field sharing_touch_fields[] = {
    {TOUCH_FIELD(HEX, "address", touch_of, address), .hidden = true},
    {TOUCH_FIELD(TEXT, "word", touch_of, name)},
    {TOUCH_FIELD(TEXT, "file", touch_of, place.file), .hidden = true},
    {TOUCH_FIELD(COUNT, "line", touch_of, place.line), .hidden = true},
    {TOUCH_FIELD(TEXT, "at", touch_of, place.label), .heading = "line", .path = true, .derived = true},
    {TOUCH_FIELD(TEXT, "function", touch_of, place.function)},
    {TOUCH_FIELD(COUNT, "cpu", touch_of, cpu), .heading = "CPU"},
    {TOUCH_FIELD(COUNT, "reads", touch_of, reads)},
    {TOUCH_FIELD(COUNT, "writes", touch_of, writes)},
    {TOUCH_FIELD(COUNT, "cycles", touch_of, cycles)},
    {.key = NULL},
};

/* Of a word those of a CPU. */
static const void *use_of(const void *word, size_t row)
{
	const struct sharing_touch *use = word;

	while (row--)
		use += run(use, false, true);
	return use;
}

static size_t use_rows(const void *word)
{
	const struct sharing_touch *use = word, *const end = use + run(use, false, false);
	size_t rows = 0;

	for (; use < end; rows++)
		use += run(use, false, true);
	return rows;
}

#define USE_SUM(member)                                                                            \
	static struct value use_##member(const void *word, size_t row, size_t part)                \
	{                                                                                          \
		const struct sharing_touch *use = use_of(word, row);                               \
		uint64_t sum = 0;                                                                  \
                                                                                                   \
		(void)part;                                                                        \
		for (size_t i = run(use, false, true); i-- > 0;)                                   \
			sum += use[i].member;                                                      \
		return value_count(sum);                                                           \
	}
USE_SUM(reads)
USE_SUM(writes)

/* Of the CPU that has the most. */
static size_t use_line_parts(const void *word)
{
	const struct sharing_touch *use = word, *const end = use + run(use, false, false);
	size_t most = 0;

	for (size_t lines; use < end; use += lines) {
		lines = run(use, false, true);
		most = lines > most ? lines : most;
	}
	return most;
}

static struct value use_line(const void *word, size_t row, size_t part)
{
	const struct sharing_touch *use = use_of(word, row);

	return part < run(use, false, true) ? value_text(use[part].place.label) : value_none();
}

static const struct field use_fields[] = {
    {TOUCH_FIELD(COUNT, "cpu", use_of, cpu)},
    {FIELD_BY(COUNT, "reads", use_reads)},
    {FIELD_BY(COUNT, "writes", use_writes)},
    {FIELD_BY(TEXT, "lines", use_line), .parts = use_line_parts, .part_number = field_part_number,
     .shape = FIELD_LIST},
    {.key = NULL},
};
static const struct section uses = {SECTION(LIST, "cpus", use_rows, use_fields)};

size_t sharing_word_rows(const void *result)
{
	return row_count(&((const struct sharing *)result)->words);
}

static const void *word_of(const void *result, size_t row)
{
	return row_of(&((const struct sharing *)result)->words, row);
}

const struct field sharing_word_fields[] = {
    {TOUCH_FIELD(HEX, "address", word_of, address)},
    {TOUCH_FIELD(TEXT, "object", word_of, object)},
    {TOUCH_FIELD(COUNT, "offset", word_of, offset)},
    {TOUCH_FIELD(COUNT, "cycles", word_of, row_cycles)},
    {.key = "cpus", .of = word_of, .inner = &uses, .hidden = true},
    {.key = NULL},
};
