/*
 * The block view in words: the stay under the cursor, all about it in a pane, and what search finds.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "view/memory/blocks.h"
#include "view/pane_list.h"

enum { PANE_WIDTH = 44, NEIGHBOURS_MOST = 12 };

static const char *level_name(const struct memory_index *x, uint32_t block)
{
	return x->blocks[block].level == MEMORY_L1 ? "L1" : "L2";
}

void blocks_put_word(const struct trace *t, const struct memory_index *x, uint32_t word,
		     struct sbuf *out)
{
	struct sbuf name = {0};

	(void)x;
	if (word == MEMORY_NONE)
		sbuf_putc(&name, '?');
	else
		memory_put_word(t, word, &name);
	text_sanitise(out, sbuf_text(&name), name.len);
	sbuf_free(&name);
}

void blocks_put_line(const struct trace *t, uint32_t line, struct sbuf *out)
{
	struct sbuf name = {0};

	memory_put_line(t, line, &name);
	text_sanitise(out, sbuf_text(&name), name.len);
	sbuf_free(&name);
}

const char *blocks_cause(const struct memory_index *x, uint8_t cause)
{
	return cause == MEMORY_FALSE && !x->masks ? "false (upper bound)" : memory_cause_names[cause];
}

void blocks_status(const struct blocks *b, struct sbuf *out)
{
	axis_status(&b->axis, out);
}

/* "R c+0x4 at vecadd.c:56, false" */
static void put_load(const struct blocks *b, const struct memory_index *x,
		     const struct memory_stay *s, struct sbuf *out)
{
	if (s->word == MEMORY_NONE) {
		sbuf_puts(out, "was there from the first");
		return;
	}
	sbuf_puts(out, s->private ? "W " : "R ");
	blocks_put_word(b->trace, x, s->word, out);
	sbuf_puts(out, " at ");
	blocks_put_line(b->trace, s->line, out);
	sbuf_printf(out, ", %s", blocks_cause(x, s->cause));
}

/* "CPU[1] took it for c+0x8 at vecadd.c:56" */
static void put_loss(const struct blocks *b, const struct memory_index *x,
		     const struct memory_stay *s, struct sbuf *out)
{
	if (s->ending == MEMORY_RESIDENT) {
		sbuf_puts(out, "stays to the end");
		return;
	}
	if (s->ending == MEMORY_INVALIDATED && s->taker != UINT16_MAX)
		sbuf_printf(out, "CPU[%u] took it", s->taker);
	else
		sbuf_puts(out, s->ending == MEMORY_INVALIDATED ? "taken" : "replaced");
	if (s->taker_word != MEMORY_NONE) {
		sbuf_puts(out, " for ");
		blocks_put_word(b->trace, x, s->taker_word, out);
		sbuf_puts(out, " at ");
		blocks_put_line(b->trace, s->taker_line, out);
	}
	sbuf_puts(out, s->dirty ? ", dirty" : "");
}

void blocks_describe(const struct blocks *b, struct sbuf *out)
{
	const struct memory_index *x = memory_lock(b->trace);

	if (b->current < x->stay_count) {
		const struct memory_stay *s = &x->stays[b->current];

		sbuf_printf(out, "%s[%u] ", level_name(x, s->block), s->cache);
		put_load(b, x, s, out);
		sbuf_puts(out, "; ");
		if (s->end != MEMORY_OPEN) {
			axis_tell_length(&b->axis, s->end - s->start, out);
			sbuf_puts(out, " later ");
		}
		put_loss(b, x, s, out);
	} else if (blocks_line(b, b->level, b->line).kind == LINE_OTHERS) {
		sbuf_puts(out, "blocks that cost less: :blocks top 100% gives them lines");
	} else {
		sbuf_puts(out, "in no cache here");
	}
	memory_unlock(b->trace);
}

/* ---- the pane ---- */

/* A trace that is locked while the pane is written. */
struct writing {
	struct list_pane *list;
	const struct blocks *b;
	const struct memory_index *x;
	struct sbuf text; /* of the line to be added */
};

static void put(struct writing *w, const char *key)
{
	pane_line_bytes(list_pane_key(w->list, key), ROLE_PANE, sbuf_text(&w->text), w->text.len);
	sbuf_clear(&w->text);
}

/* Enter on the line that was put leads to a stay. */
static void lead(struct writing *w, uint32_t stay)
{
	w->list->lines[w->list->count - 1].item = stay;
	w->list->lines[w->list->count - 1].tick = TICK_NONE;
}

static void add_stay(struct writing *w, uint32_t row)
{
	const struct memory_stay *s = &w->x->stays[row];

	sbuf_printf(&w->text, "%s[%u]", level_name(w->x, s->block), s->cache);
	put(w, "cache");
	axis_tell(&w->b->axis, s->start, &w->text);
	put(w, "in");
	put_load(w->b, w->x, s, &w->text);
	put(w, "by");
	if (s->end != MEMORY_OPEN) {
		axis_tell(&w->b->axis, s->end, &w->text);
		sbuf_puts(&w->text, ", after ");
		axis_tell_length(&w->b->axis, s->end - s->start, &w->text);
		put(w, "out");
	}
	put_loss(w->b, w->x, s, &w->text);
	put(w, s->ending == MEMORY_RESIDENT ? "out" : "because");
	sbuf_puts(&w->text, s->private ? "private" : "shared");
	if (s->change != MEMORY_NONE) {
		sbuf_printf(&w->text, ", %s after ", s->private ? "shared" : "private");
		axis_tell_length(&w->b->axis, s->change, &w->text);
	}
	put(w, "held");
}

static void add_block(struct writing *w, uint32_t block)
{
	const struct memory_block *m = &w->x->blocks[block];
	const struct block_sum *sum = &w->b->sums.data[block];
	const uint32_t bytes = w->x->block_bytes[m->level];
	char n[32];

	list_pane_heading(w->list, "Block");
	sbuf_printf(&w->text, "0x%" PRIx64 "-0x%" PRIx64, m->address,
		    m->address + (bytes ? bytes - 1 : 0));
	put(w, "address");
	sbuf_printf(&w->text, "%s cycles, rank %" PRIu32 " of %zu in %s",
		    num_group((int64_t)sum->cost, n), sum->rank,
		    w->b->part[m->level].order.count, level_name(w->x, block));
	put(w, "cost");
}

/* Loads by cause and what is dearest, of cells in a block. */
static void add_loads(struct writing *w, uint32_t block)
{
	const uint8_t level = w->x->blocks[block].level;
	uint64_t loads[MEMORY_CAUSE_COUNT] = {0};

	for (uint32_t i = 0; i < w->x->cell_count; i++)
		for (int k = 0; k < MEMORY_CAUSE_COUNT; k++)
			if (w->x->words[w->x->cells[i].word].block[level] == block)
				loads[k] += w->x->cells[i].fills[level][k];
	for (uint8_t k = 0; k < MEMORY_CAUSE_COUNT; k++)
		if (loads[k])
			sbuf_printf(&w->text, "%s%" PRIu64 " %s", w->text.len ? ", " : "", loads[k],
				    blocks_cause(w->x, k));
	if (w->text.len)
		put(w, "loads");
}

/* Objects with a word in the block that was accessed; of the block around it, the others. */
static void add_objects(struct writing *w, uint32_t block, const char *key, uint32_t but)
{
	const uint8_t level = w->x->blocks[block].level;
	uint32_t told[NEIGHBOURS_MOST];
	size_t count = 0;

	for (uint32_t i = 0; i < w->x->word_count && count < NEIGHBOURS_MOST; i++) {
		const struct memory_word *word = &w->x->words[i];
		bool again = word->block[level] != block || word->object == MEMORY_NONE ||
			     (but != MEMORY_NONE && word->block[MEMORY_L1] == but);

		for (size_t k = 0; k < count && !again; k++)
			again = told[k] == word->object;
		if (again)
			continue;
		told[count++] = word->object;
		sbuf_puts(&w->text, w->text.len ? ", " : "");
		memory_put_object(w->b->trace, word->object, &w->text);
	}
	if (w->text.len)
		put(w, key);
}

static void add_follow(struct writing *w, uint32_t stay, const char *key)
{
	const struct memory_stay *s;

	if (stay >= w->x->stay_count)
		return;
	s = &w->x->stays[stay];
	sbuf_printf(&w->text, "%s[%u], ", level_name(w->x, s->block), s->cache);
	axis_tell(&w->b->axis, s->start, &w->text);
	put(w, key);
	lead(w, stay);
}

struct pane *blocks_stay_pane(struct blocks *b)
{
	static const struct pane_ops ops = {LIST_PANE, .width = PANE_WIDTH};
	/* these take the lock themselves */
	const uint32_t next = blocks_next(b, 1), taker = blocks_taker(b), other = blocks_other(b);
	const uint32_t block = blocks_block(b);
	struct writing w = {.list = list_pane_new(&ops), .b = b};

	snprintf(w.list->title, sizeof(w.list->title), "Stay of a block");
	w.x = memory_lock(b->trace);
	if (b->current < w.x->stay_count)
		add_stay(&w, b->current);
	if (block < b->sums.count) {
		const bool inner = w.x->blocks[block].level == MEMORY_L1;
		const uint32_t outer =
		    inner ? memory_block_at(b->trace, MEMORY_L2, w.x->blocks[block].address)
			  : MEMORY_NONE;

		add_block(&w, block);
		add_loads(&w, block);
		add_objects(&w, block, "objects", MEMORY_NONE);
		if (outer < b->sums.count)
			add_objects(&w, outer, "same L2", block);
		list_pane_heading(w.list, "Enter leads to");
		add_follow(&w, taker, "who took it");
		add_follow(&w, next, "next stay");
		add_follow(&w, other, inner ? "in L2" : "in L1");
	}
	memory_unlock(b->trace);
	sbuf_free(&w.text);
	if (!w.list->count)
		pane_line_add(list_pane_add(w.list, ITEM_NONE, 0), ROLE_DIM, "no block here");
	return &w.list->pane;
}

/* ---- searching ---- */

static bool matches(const struct regex *re, struct sbuf *text)
{
	const bool found = regex_match(re, sbuf_text(text), text->len, NULL, NULL);

	sbuf_clear(text);
	return found;
}

/* Each word, by the object and class it is in, and each source line is looked at once. */
static void match_cells(const struct blocks *b, const struct memory_index *x,
			const struct regex *re, bool *hit)
{
	bool *words = xcalloc((size_t)x->word_count + 1, sizeof(*words));
	bool *lines = xcalloc((size_t)x->line_count + 1, sizeof(*lines));
	struct sbuf text = {0};

	for (uint32_t i = 0; i < x->word_count; i++) {
		memory_put_word(b->trace, i, &text);
		words[i] = matches(re, &text);
	}
	for (uint32_t i = 0; i < x->line_count; i++) {
		memory_put_line(b->trace, i, &text);
		lines[i] = matches(re, &text);
	}
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];
		const uint32_t block = x->words[c->word].block[b->level];

		if (block < b->sums.count &&
		    (words[c->word] || (c->line != MEMORY_NONE && lines[c->line])))
			hit[block] = true;
	}
	sbuf_free(&text);
	free(words);
	free(lines);
}

/* Of those that have lines, in the order of these; else the dearest of the others. */
uint32_t blocks_find(struct blocks *b, const struct regex *re, int dir)
{
	const uint32_t here = blocks_block(b);
	const struct memory_index *x = memory_lock(b->trace);
	const struct blocks_part *part = &b->part[b->level];
	const size_t n = part->shown.count;
	bool *hit = xcalloc(b->sums.count + 1, sizeof(*hit));
	uint32_t found = MEMORY_NONE;
	struct sbuf text = {0};
	size_t at = 0;

	match_cells(b, x, re, hit);
	for (uint32_t i = 0; i < b->sums.count; i++) {
		sbuf_printf(&text, "0x%" PRIx64, x->blocks[i].address);
		hit[i] = matches(re, &text) || hit[i];
	}
	while (at < n && part->shown.data[at] != here)
		at++;
	for (size_t i = 1; i <= n && found == MEMORY_NONE; i++) {
		const uint32_t block = part->shown.data[(at + (dir > 0 ? i : 2 * n - i)) % n];

		if (hit[block])
			found = block;
	}
	for (size_t i = 0; i < part->order.count && found == MEMORY_NONE; i++)
		if (hit[part->order.data[i]])
			found = part->order.data[i];
	memory_unlock(b->trace);
	sbuf_free(&text);
	free(hit);
	return found;
}
