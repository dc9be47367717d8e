/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from. All is one list of touches, in which those of a word lie beside each other.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

static int in_order(const void *a, const void *b)
{
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(q->weight, p->weight);

	order = order ? order : memory_ascending(p->address, q->address);
	order = order ? order : memory_ascending(p->key[0], q->key[0]);
	return order ? order : memory_ascending(p->key[1], q->key[1]);
}

/* Where offsets are from; of all words each is told by its object. */
static uint64_t start_of(const struct memory_index *x, enum memory_thing by, uint32_t number)
{
	return by == MEMORY_THING_COUNT ? 0
	       : by == MEMORY_BY_OBJECT ? x->objects[number].address
	       : by == MEMORY_BY_WORD   ? x->words[number].address
					: x->blocks[number].address;
}

static bool gather(struct sharing_words *w, struct source_text *s, const struct memory_index *x,
		   enum memory_thing by, uint32_t number)
{
	const bool all = by == MEMORY_THING_COUNT;
	const uint64_t start = start_of(x, by, number);
	struct memory_sums words;
	bool done = !memory_sum_up(&words, x, MEMORY_BY_WORD, NULL, NULL);

	for (uint32_t i = 0; done && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct memory_word *word = &x->words[c->word];
		const struct memory_object *object =
		    word->object == MEMORY_NONE ? NULL : &x->objects[word->object];
		struct sharing_touch touch = {
		    .word = c->word,
		    .key = {all ? c->cpu : c->line, all ? c->line : c->cpu},
		    .address = word->address,
		    .cpu = c->cpu,
		    .reads = c->reads,
		    .writes = c->writes,
		    .cycles = c->cycles,
		    .weight = all ? words.of[c->word].cycles : 0,
		    .offset = !all     ? word->address - start
			      : object ? word->address - object->address
				       : UINT64_MAX,
		    .object = object ? memory_class(s->t, object->class) : NULL};

		if (!all && memory_thing_of(x, c, by) != number)
			continue;
		touch.name = source_text_name(s, x, MEMORY_BY_WORD, c->word);
		touch.place = source_place(s, x, c->line);
		done = vec_push(&w->touches, touch);
	}
	memory_sums_free(&words);
	return done;
}

static void add(struct sharing_touch *to, const struct sharing_touch *more)
{
	to->reads += more->reads;
	to->writes += more->writes;
	to->cycles += more->cycles;
}

/* To the last group, or one that begins with what this is the first of; another one of these, or
 * the same. */
static void put(sharing_groups *to, const struct sharing_touch *touch, bool begins,
		const void *first, bool other)
{
	if (begins)
		to->data[to->count++] = (struct sharing_group){*touch, first, 0};
	else
		add(&vec_last(to).sum, touch);
	vec_last(to).count += other;
}

/* In order; cells that differ in the object alone are one touch. */
static bool arrange(struct sharing_words *w)
{
	struct sharing_touch *const t = w->touches.data, *last = NULL;
	const size_t count = w->touches.count;

	if (!vec_reserve(&w->uses, count) || !vec_reserve(&w->words, count))
		return false;
	if (count)
		qsort(t, count, sizeof(*t), in_order);
	for (size_t i = 0; i < count; i++) {
		const struct sharing_touch now = t[i];
		const bool word = !last || now.word != last->word;
		const bool use = word || now.key[0] != last->key[0];
		const bool other = use || in_order(last, &now) != 0;

		if (other)
			*(last = last ? last + 1 : t) = now;
		else
			add(last, &now);
		put(&w->uses, &now, use, last, other);
		put(&w->words, &now, word, &vec_last(&w->uses), use);
	}
	w->touches.count = last ? (size_t)(last - t) + 1 : 0;
	return true;
}

enum status sharing_words_make(struct sharing_words *w, struct source_text *s,
			       const struct memory_index *x, enum memory_thing by, uint32_t number,
			       struct error *e)
{
	*w = (struct sharing_words){.words = {0}};
	return s && gather(w, s, x, by, number) && arrange(w) && !intern_failed(s->texts)
		   ? STATUS_OK
		   : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->words);
	vec_free(&w->uses);
	vec_free(&w->touches);
}

char sharing_words_mark(const struct sharing_group *of_line, uint64_t cpu)
{
	const struct sharing_touch *touch = of_line->first, *const end = touch + of_line->count;

	while (touch < end && touch->cpu != cpu)
		touch++;
	return touch == end ? '.' : !touch->writes ? 'r' : !touch->reads ? 'w' : 'b';
}
