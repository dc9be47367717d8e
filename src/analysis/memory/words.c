/*
 * Words by CPU and source line: what tells false sharing from true at a glance, and where it comes
 * from. All is one list of touches; what a table or JSON has as a row of several is a run of it.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis/memory/sharing.h"

static int in_order(const void *a, const void *b)
{
	const struct sharing_touch *p = a, *q = b;
	int order = memory_ascending(q->row_cycles, p->row_cycles);

	order = order ? order : memory_ascending(p->address, q->address);
	order = order ? order : memory_ascending(p->within[0], q->within[0]);
	return order ? order : memory_ascending(p->within[1], q->within[1]);
}

/* Cells that differ in the object alone are one. */
static void join(struct sharing_words *w)
{
	struct sharing_touch *to = w->touches.data;

	qsort(to, w->touches.count, sizeof(*to), in_order);
	for (size_t i = 1; i < w->touches.count; i++) {
		const struct sharing_touch *touch = &w->touches.data[i];

		if (in_order(to, touch) != 0) {
			*++to = *touch;
			continue;
		}
		to->reads += touch->reads;
		to->writes += touch->writes;
		to->cycles += touch->cycles;
	}
	w->touches.count = (size_t)(to - w->touches.data);
}

static bool gather(struct sharing_words *w, const struct memory_index *x, enum memory_thing by,
		   uint32_t number)
{
	static const struct sharing_touch none = {.address = UINT64_MAX};
	struct memory_sums words;
	bool done = !memory_sum_up(&words, x, MEMORY_BY_WORD, NULL, NULL);

	for (uint32_t i = 0; done && i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const struct sharing_touch touch = {
		    .word = c->word,
		    .at = c->line,
		    .within = {w->all ? c->cpu : c->line, w->all ? c->line : c->cpu},
		    .address = x->words[c->word].address,
		    .cpu = c->cpu,
		    .reads = c->reads,
		    .writes = c->writes,
		    .cycles = c->cycles,
		    .row_cycles = w->all ? words.of[c->word].cycles : 0};

		if (w->all || memory_thing_of(x, c, by) == number)
			done = vec_push(&w->touches, touch);
	}
	memory_sums_free(&words);
	if (!done || !vec_push(&w->touches, none)) /* behind the last run */
		return false;
	join(w);
	return true;
}

size_t sharing_words_run(const struct sharing_touch *t, bool within)
{
	size_t n = 1;

	while (t[n].address == t->address && (!within || t[n].within[0] == t->within[0]))
		n++;
	return n;
}

/* The first one of a run gets what all of it have. */
static bool add_rows(struct sharing_words *w)
{
	struct sharing_touch *const end = w->touches.data + w->touches.count;

	for (struct sharing_touch *word = w->touches.data, *t = word; word < end; word = t) {
		struct sharing_touch *const next = word + sharing_words_run(word, false);

		if (w->all && !vec_push(&w->rows, word))
			return false;
		for (size_t n; t < next; t += n) {
			n = sharing_words_run(t, true);
			if (!w->all && !vec_push(&w->rows, t))
				return false;
			word->runs++;
			word->longest = n > word->longest ? n : word->longest;
			for (size_t i = 0; i < n; i++) {
				t->run_reads += t[i].reads;
				t->run_writes += t[i].writes;
				t->row_cycles += w->all ? 0 : t[i].cycles;
			}
		}
	}
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

const char *sharing_words_mark(const struct sharing_touch *row, uint64_t cpu)
{
	static const char *const marks[2][2] = {{NULL, "w"}, {"r", "rw"}};

	for (size_t i = sharing_words_run(row, true); i-- > 0;)
		if (row[i].cpu == cpu)
			return marks[row[i].reads > 0][row[i].writes > 0];
	return NULL;
}
