/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from. All is one list of touches, in which those of a word lie beside each other.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

enum { OF_WORD = 2, OF_USE, OF_TOUCH }; /* keys that are the same */

static int order(const void *a, const void *b, void *keys)
{
	const struct sharing_touch *p = a, *q = b;
	const uint64_t key[][2] = {{q->weight, p->weight},
				   {p->address, q->address},
				   {p->key[0], q->key[0]},
				   {p->key[1], q->key[1]}};
	int order = 0;

	for (int i = 0; !order && i < *(int *)keys; i++)
		order = memory_ascending(key[i][0], key[i][1]);
	return order;
}

static bool gather(sharing_touches *cells, struct source_text *s, const struct memory_index *x,
		   enum memory_thing by, uint32_t number)
{
	const bool all = by == MEMORY_THING_COUNT;

	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct memory_word *word = &x->words[c->word];
		const uint64_t start = memory_address(x, all ? MEMORY_BY_OBJECT : by,
						      all ? word->object : number);
		const uint32_t class = memory_class_of(x, word->object);
		struct sharing_touch touch = {
		    .key = {all ? c->cpu : c->line, all ? c->line : c->cpu},
		    .address = word->address,
		    .cpu = c->cpu,
		    .reads = c->reads,
		    .writes = c->writes,
		    .cycles = c->cycles,
		    .weight = all ? word->cycles : 0,
		    .offset = start == UINT64_MAX     ? start
			      : word->address > start ? word->address - start
						      : 0,
		    .object = class == MEMORY_NONE ? NULL : memory_class(s->t, class)};

		if (!all && memory_thing_of(x, c, by) != number)
			continue;
		touch.name = source_text_name(s, x, MEMORY_BY_WORD, c->word);
		touch.place = source_place(s, x, c->line);
		if (!vec_push(cells, touch))
			return false;
	}
	return true;
}

/* In order; what is the same by so many keys is a group. False: no memory. */
static bool group(sharing_touches *to, const sharing_touches *of, int keys)
{
	for (size_t i = 0; i < of->count; i++) {
		const struct sharing_touch *now = &of->data[i];
		struct sharing_touch *last = to->count ? &vec_last(to) : NULL;

		if (!last || order(last, now, &keys) != 0) {
			if (!vec_push(to, *now))
				return false;
			last = &vec_last(to);
			last->first = now;
			last->count = 0;
		} else {
			last->reads += now->reads;
			last->writes += now->writes;
			last->cycles += now->cycles;
		}
		last->count++;
	}
	return true;
}

enum status sharing_words_make(struct sharing_words *w, struct source_text *s,
			       const struct memory_index *x, enum memory_thing by, uint32_t number,
			       struct error *e)
{
	sharing_touches cells = {0};
	bool done = s && gather(&cells, s, x, by, number) && !intern_failed(s->texts);

	*w = (struct sharing_words){.words = {0}};
	if (cells.count)
		qsort_r(cells.data, cells.count, sizeof(*cells.data), order, &(int){OF_TOUCH});
	/* cells that differ in the object alone are one touch */
	done = done && group(&w->touches, &cells, OF_TOUCH) &&
	       group(&w->uses, &w->touches, OF_USE) && group(&w->words, &w->uses, OF_WORD);
	vec_free(&cells);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->words);
	vec_free(&w->uses);
	vec_free(&w->touches);
}

char sharing_words_mark(const struct sharing_touch *of_line, uint64_t cpu)
{
	const struct sharing_touch *const end = of_line->first + of_line->count;

	for (const struct sharing_touch *t = of_line->first; t < end; t++)
		if (t->cpu == cpu)
			return !t->writes ? 'r' : !t->reads ? 'w' : 'b';
	return '.';
}
