/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"

/* By address, then line, then CPU. */
static int by_line(const void *a, const void *b, void *index)
{
	const struct memory_index *x = index;
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(x->words[p->word].address, x->words[q->word].address);

	order = order ? order : memory_ascending(p->at, q->at);
	return order ? order : memory_ascending(p->cpu, q->cpu);
}

static int by_cpu(const void *a, const void *b)
{
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(p->word, q->word);

	order = order ? order : memory_ascending(p->cpu, q->cpu);
	return order ? order : memory_ascending(p->at, q->at);
}

/* ---- by word and line ---- */

/* Cells that differ in the object alone are one. */
static bool gather(struct sharing_words *w, const struct memory_index *x, enum memory_thing by,
		   uint32_t number)
{
	struct sharing_touch *to;

	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct sharing_touch touch = {
		    c->word, c->line, c->cpu, c->reads, c->writes, c->cycles, {.file = NULL}};

		if (by != MEMORY_THING_COUNT && memory_thing_of(x, c, by) != number)
			continue;
		if (!vec_push(&w->touches, touch))
			return false;
	}
	to = w->touches.data;
	if (!to)
		return true;
	qsort_r(to, w->touches.count, sizeof(*to), by_line, (void *)(uintptr_t)x);
	for (size_t i = 1; i < w->touches.count; i++) {
		const struct sharing_touch *touch = &w->touches.data[i];

		if (by_cpu(to, touch) != 0) {
			*++to = *touch;
			continue;
		}
		to->reads += touch->reads;
		to->writes += touch->writes;
		to->cycles += touch->cycles;
	}
	w->touches.count = (size_t)(to + 1 - w->touches.data);
	return true;
}

/* A row for those from here on. */
static size_t add_row(struct sharing_words *w, const struct trace *t, const struct memory_index *x,
		      struct source_text *source, size_t from)
{
	struct sharing_touch *touch = &w->touches.data[from];
	struct sharing_words_row row = {
	    .offset = x->words[touch->word].address - w->address,
	    .word = memory_keep_thing(w->texts, t, x, MEMORY_BY_WORD, touch->word),
	    .touches = touch};
	struct sbuf told = {0};
	size_t i = from;

	if (!source_place_of(&row.place, source, w->texts, t, x, touch->at))
		return 0;
	for (; i < w->touches.count && touch->word == row.touches->word && touch->at == row.touches->at;
	     touch = &w->touches.data[++i]) {
		touch->place = row.place;
		row.cycles += touch->cycles;
		sbuf_printf(&told, "%s%" PRIu64, row.count++ ? ", " : "", touch->cpu);
		if (touch->reads)
			sbuf_printf(&told, " r%" PRIu64, touch->reads);
		if (touch->writes)
			sbuf_printf(&told, " w%" PRIu64, touch->writes);
	}
	row.told = intern_take(w->texts, &told);
	return row.word && row.told && vec_push(&w->rows, row) ? i : 0;
}

enum status sharing_words_make(struct sharing_words *w, const struct trace *t,
			       const struct memory_index *x, struct source_text *source,
			       enum memory_thing by, uint32_t number, struct error *e)
{
	bool done;

	*w = (struct sharing_words){.cpus = x->caches[MEMORY_L1], .texts = intern_new()};
	done = w->texts && gather(w, x, by, number);
	w->address = by == MEMORY_THING_COUNT ? 0
		     : by == MEMORY_BY_OBJECT ? x->objects[number].address
		     : by == MEMORY_BY_WORD   ? x->words[number].address
					      : x->blocks[number].address;
	for (size_t i = 0; done && i < w->touches.count;) {
		i = add_row(w, t, x, source, i);
		done = i;
	}
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->rows);
	vec_free(&w->touches);
	intern_free(w->texts);
}

const char *sharing_words_mark(const struct sharing_words_row *row, uint64_t cpu)
{
	static const char *const marks[2][2] = {{NULL, "w"}, {"r", "rw"}};

	for (size_t i = 0; i < row->count; i++)
		if (row->touches[i].cpu == cpu)
			return marks[row->touches[i].reads > 0][row->touches[i].writes > 0];
	return NULL;
}

/* The table: a CPU that touched nothing of it has no column. */

SECTION_ROWS(words, struct sharing_words, rows)

static size_t cpu_parts(const void *result)
{
	return ((const struct sharing_words *)result)->cpus;
}

static struct value cpu_mark(const void *result, size_t row, size_t part)
{
	return value_text(sharing_words_mark(words_of(result, row), part));
}

static const struct field words_fields[] = {
    {FIELD(HEX, "offset", words_of, struct sharing_words_row, offset)},
    {FIELD(TEXT, "word", words_of, struct sharing_words_row, word)},
    {FIELD(TEXT, "line", words_of, struct sharing_words_row, place.label), .path = true},
    {FIELD(TEXT, "function", words_of, struct sharing_words_row, place.function)},
    {FIELD(COUNT, "cycles", words_of, struct sharing_words_row, cycles)},
    {FIELD_BY(TEXT, "cpus", cpu_mark), .parts = cpu_parts, .part_number = field_part_number},
    {.key = NULL},
};

const struct section sharing_words_section = {SECTION(LIST, "words", words_rows, words_fields)};

/* ---- by word and CPU ---- */

static int by_word_cycles(const void *a, const void *b)
{
	const struct sharing_word *x = a, *y = b;
	const int order = memory_ascending(y->cycles, x->cycles);

	return order ? order : memory_ascending(x->address, y->address);
}

static int by_row_cycles(const void *a, const void *b)
{
	const struct sharing_words_row *x = a, *y = b;
	const int order = memory_ascending(y->cycles, x->cycles);

	return order ? order : memory_ascending(x->offset, y->offset);
}

static struct sharing_word new_word(const struct sharing *r, const struct memory_index *x,
				    uint32_t number, const struct sharing_use *uses)
{
	const struct memory_word *w = &x->words[number];
	const struct memory_object *o =
	    w->object == MEMORY_NONE ? NULL : &x->objects[w->object];

	return (struct sharing_word){.address = w->address,
				     .offset = o ? w->address - o->address : UINT64_MAX,
				     .object = o ? memory_class(r->trace, o->class) : NULL,
				     .uses = uses};
}

static bool add_uses(struct sharing *r, const struct memory_index *x)
{
	struct sharing_use *use = r->uses - 1;

	for (size_t i = 0; i < r->words.touches.count; i++) {
		const struct sharing_touch *t = &r->touches[i];
		const bool begins = !i || t[-1].word != t->word;

		if (begins || t[-1].cpu != t->cpu)
			*++use = (struct sharing_use){.cpu = t->cpu, .touches = t};
		if (begins && !vec_push(&r->by_word, new_word(r, x, t->word, use)))
			return false;
		use->count++;
		use->reads += t->reads;
		use->writes += t->writes;
		vec_last(&r->by_word).count = (size_t)(use + 1 - vec_last(&r->by_word).uses);
		vec_last(&r->by_word).cycles += t->cycles;
	}
	return true;
}

void sharing_add_words(struct sharing *r, const struct memory_index *x, struct source_text *source)
{
	const bool made = !sharing_words_make(&r->words, r->trace, x, source, MEMORY_THING_COUNT, 0, NULL);
	const size_t count = r->words.touches.count;

	r->touches = malloc((count + 1) * sizeof(*r->touches));
	r->uses = malloc((count + 1) * sizeof(*r->uses));
	r->failed |= !made || !r->touches || !r->uses;
	if (r->failed || !count)
		return;
	memcpy(r->touches, r->words.touches.data, count * sizeof(*r->touches));
	qsort(r->touches, count, sizeof(*r->touches), by_cpu);
	r->failed |= !add_uses(r, x);
	if (r->by_word.count)
		qsort(r->by_word.data, r->by_word.count, sizeof(*r->by_word.data), by_word_cycles);
	qsort(r->words.rows.data, r->words.rows.count, sizeof(*r->words.rows.data), by_row_cycles);
}
