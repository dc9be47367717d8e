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

static bool gather(struct sharing_words *w, const struct memory_index *x, enum memory_thing by,
		   uint32_t number)
{
	struct memory_sums words;
	bool done = !memory_sum_up(&words, x, MEMORY_BY_WORD, NULL, NULL);

	for (uint32_t i = 0; done && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct sharing_touch touch = {
		    .word = c->word,
		    .at = c->line,
		    .key = {w->all ? c->cpu : c->line, w->all ? c->line : c->cpu},
		    .address = x->words[c->word].address,
		    .cpu = c->cpu,
		    .reads = c->reads,
		    .writes = c->writes,
		    .cycles = c->cycles,
		    .weight = w->all ? words.of[c->word].cycles : 0};

		if (w->all || memory_thing_of(x, c, by) == number)
			done = vec_push(&w->touches, touch);
	}
	memory_sums_free(&words);
	return done;
}

static void put_texts(struct sharing_words *w, struct source_text *s, const struct memory_index *x,
		      uint64_t address)
{
	for (size_t i = 0; i < w->touches.count; i++) {
		struct sharing_touch *touch = &w->touches.data[i];
		const uint32_t object = x->words[touch->word].object;

		if (object != MEMORY_NONE)
			touch->object = memory_class(s->t, x->objects[object].class);
		touch->offset = !w->all         ? touch->address - address
				: touch->object ? touch->address - x->objects[object].address
						: UINT64_MAX;
		touch->name = source_text_name(s, x, MEMORY_BY_WORD, touch->word);
		touch->place = source_place(s, x, touch->at);
	}
}

static void add(struct sharing_touch *to, const struct sharing_touch *more)
{
	to->reads += more->reads;
	to->writes += more->writes;
	to->cycles += more->cycles;
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
		const bool same = !use && in_order(last, &now) == 0;

		if (same)
			add(last, &now);
		else
			*(last = last ? last + 1 : t) = now;
		if (use)
			w->uses.data[w->uses.count++] = (struct sharing_use){now, last, 0};
		else
			add(&vec_last(&w->uses).sum, &now);
		vec_last(&w->uses).count += !same;
		if (word)
			w->words.data[w->words.count++] =
			    (struct sharing_word){&vec_last(&w->uses), 0};
		vec_last(&w->words).count += use;
	}
	w->touches.count = last ? (size_t)(last - t) + 1 : 0;
	return true;
}

enum status sharing_words_make(struct sharing_words *w, struct source_text *s,
			       const struct memory_index *x, enum memory_thing by, uint32_t number,
			       struct error *e)
{
	const bool all = by == MEMORY_THING_COUNT;

	*w = (struct sharing_words){.cpus = x->caches[MEMORY_L1], .all = all};
	if (!s || !gather(w, x, by, number))
		return error_set(e, STATUS_NOMEM, "out of memory");
	put_texts(w, s, x,
		  all                      ? 0
		  : by == MEMORY_BY_OBJECT ? x->objects[number].address
		  : by == MEMORY_BY_WORD   ? x->words[number].address
					   : x->blocks[number].address);
	return arrange(w) && !s->failed ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

void sharing_words_free(struct sharing_words *w)
{
	vec_free(&w->words);
	vec_free(&w->uses);
	vec_free(&w->touches);
}

const char *sharing_words_mark(const struct sharing_use *row, uint64_t cpu)
{
	static const char *const marks[2][2] = {{NULL, "w"}, {"r", "rw"}};

	for (size_t i = 0; i < row->count; i++)
		if (row->touches[i].cpu == cpu)
			return marks[row->touches[i].reads > 0][row->touches[i].writes > 0];
	return NULL;
}
