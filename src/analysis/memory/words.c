/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from. All is one list of touches, in which those of a word lie beside each other.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

enum { OF_WORD = 2, OF_USE, OF_TOUCH }; /* keys that are the same */

static int order(const struct sharing_touch *p, const struct sharing_touch *q, int keys)
{
	const uint64_t key[][2] = {{q->weight, p->weight},
				   {p->address, q->address},
				   {p->key[0], q->key[0]},
				   {p->key[1], q->key[1]}};
	int order = 0;

	for (int i = 0; !order && i < keys; i++)
		order = memory_ascending(key[i][0], key[i][1]);
	return order;
}

static int in_order(const void *a, const void *b)
{
	return order(a, b, OF_TOUCH);
}

/* Where offsets are from; of all words each is told by its object. */
static uint64_t start_of(const struct memory_index *x, enum memory_thing by, uint32_t number)
{
	return by == MEMORY_THING_COUNT ? 0
	       : by == MEMORY_BY_OBJECT ? x->objects[number].address
	       : by == MEMORY_BY_WORD   ? x->words[number].address
					: x->blocks[number].address;
}

typedef VEC(struct sharing_touch) touches;

static bool gather(touches *cells, struct source_text *s, const struct memory_index *x,
		   enum memory_thing by, uint32_t number)
{
	const bool all = by == MEMORY_THING_COUNT;
	const uint64_t start = start_of(x, by, number);
	bool done = true;

	for (uint32_t i = 0; done && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct memory_word *word = &x->words[c->word];
		const struct memory_object *object =
		    word->object == MEMORY_NONE ? NULL : &x->objects[word->object];
		struct sharing_touch touch = {
		    .key = {all ? c->cpu : c->line, all ? c->line : c->cpu},
		    .address = word->address,
		    .cpu = c->cpu,
		    .reads = c->reads,
		    .writes = c->writes,
		    .cycles = c->cycles,
		    .weight = all ? word->cycles : 0,
		    .offset = !all     ? word->address - start
			      : object ? word->address - object->address
				       : UINT64_MAX,
		    .object = object ? memory_class(s->t, object->class) : NULL};

		if (!all && memory_thing_of(x, c, by) != number)
			continue;
		touch.name = source_text_name(s, x, MEMORY_BY_WORD, c->word);
		touch.place = source_place(s, x, c->line);
		done = vec_push(cells, touch);
	}
	return done;
}

/* In order; what is the same by so many keys is a group. False: no memory. */
static bool group(sharing_groups *to, const void *of, size_t count, size_t size, int keys)
{
	for (size_t i = 0; i < count; i++) {
		const struct sharing_touch *now = (const void *)((const char *)of + i * size);
		struct sharing_touch *last = to->count ? &vec_last(to).sum : NULL;

		if (!last || order(last, now, keys) != 0) {
			if (!vec_push(to, ((struct sharing_group){*now, (const void *)now, 0})))
				return false;
		} else {
			last->reads += now->reads;
			last->writes += now->writes;
			last->cycles += now->cycles;
		}
		vec_last(to).count++;
	}
	return true;
}

enum status sharing_words_make(struct sharing_words *w, struct source_text *s,
			       const struct memory_index *x, enum memory_thing by, uint32_t number,
			       struct error *e)
{
	const size_t size = sizeof(struct sharing_group);
	touches cells = {0};
	bool done = s && gather(&cells, s, x, by, number) && !intern_failed(s->texts);

	*w = (struct sharing_words){.words = {0}};
	if (cells.count)
		qsort(cells.data, cells.count, sizeof(*cells.data), in_order);
	/* cells that differ in the object alone are one touch */
	done = done && group(&w->touches, cells.data, cells.count, sizeof(*cells.data), OF_TOUCH) &&
	       group(&w->uses, w->touches.data, w->touches.count, size, OF_USE) &&
	       group(&w->words, w->uses.data, w->uses.count, size, OF_WORD);
	vec_free(&cells);
	return done ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->words);
	vec_free(&w->uses);
	vec_free(&w->touches);
}

char sharing_words_mark(const struct sharing_group *of_line, uint64_t cpu)
{
	const struct sharing_group *touch = of_line->first, *const end = touch + of_line->count;

	while (touch < end && touch->sum.cpu != cpu)
		touch++;
	return touch == end ? '.' : !touch->sum.writes ? 'r' : !touch->sum.reads ? 'w' : 'b';
}
