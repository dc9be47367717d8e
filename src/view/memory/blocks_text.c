/*
 * The block view in words: the stay under the cursor, and all about it in a pane.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis/memory/sharing.h"
#include "base/num.h"
#include "base/text.h"
#include "view/memory/blocks.h"
#include "view/pane_list.h"

enum { PANE_WIDTH = 48, OBJECTS_MOST = 12, GRID_PAGE = 16 };

void blocks_put_cache(const struct memory_index *x, const struct memory_stay *s, struct sbuf *out)
{
	sbuf_printf(out, "L%u[%u]", x->blocks[s->block].level + 1U, s->cache);
}

/* "R c+0x4 at vecadd.c:56, false"; source NULL: without functions, to be short */
static void put_load(const struct blocks *b, const struct memory_index *x,
		     const struct memory_stay *s, struct source_text *source, struct sbuf *out)
{
	if (s->word == MEMORY_NONE) {
		sbuf_puts(out, "was there from the first");
		return;
	}
	sbuf_puts(out, s->private ? "W " : "R ");
	memory_put(b->trace, x, b->focus.source, MEMORY_BY_WORD, s->word, out);
	sbuf_puts(out, " at ");
	memory_put(b->trace, x, source, MEMORY_BY_LINE, s->line, out);
	sbuf_printf(out, ", %s", memory_cause_told(x->masks, s->cause));
}

/* "CPU[1] took it for c+0x8 at vecadd.c:56" */
static void put_loss(const struct blocks *b, const struct memory_index *x,
		     const struct memory_stay *s, struct source_text *source, struct sbuf *out)
{
	static const char *const ends[] = {[MEMORY_RESIDENT] = "stays to the end",
					   [MEMORY_REPLACED] = "replaced",
					   [MEMORY_INVALIDATED] = "taken"};

	if (s->ending == MEMORY_INVALIDATED && s->taker != UINT16_MAX)
		sbuf_printf(out, "CPU[%u] took it", s->taker);
	else
		sbuf_puts(out, ends[s->ending]);
	if (s->taker_word != MEMORY_NONE) {
		sbuf_puts(out, " for ");
		memory_put(b->trace, x, b->focus.source, MEMORY_BY_WORD, s->taker_word, out);
		sbuf_puts(out, " at ");
		memory_put(b->trace, x, source, MEMORY_BY_LINE, s->taker_line, out);
	}
	sbuf_puts(out, s->dirty ? ", dirty" : "");
}

void blocks_describe(const struct blocks *b, struct sbuf *out)
{
	const struct memory_index *x = memory_lock(b->trace);
	const struct memory_stay *s = blocks_stay(b, x);

	if (s) {
		blocks_put_cache(x, s, out);
		sbuf_putc(out, ' ');
		put_load(b, x, s, NULL, out);
		sbuf_puts(out, "; ");
		if (s->end != MEMORY_OPEN) {
			axis_tell_length(&b->axis, s->end - s->start, out);
			sbuf_puts(out, " later ");
		}
		put_loss(b, x, s, NULL, out);
	} else {
		sbuf_puts(out, blocks_block(b) == MEMORY_NONE
				   ? "blocks that cost less, or are left out: :blocks top N shows more"
			       : b->trace->kind->traced(b->trace, b->axis.tick, b->axis.tick + 1)
				   ? "in no cache here"
				   : "in no cache here: no trace or no misses");
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

/* What stands there, if the file is here. */
static void add_source(struct writing *w, uint32_t line)
{
	const struct source_line *l = source_text_at(w->b->focus.source, w->x, line);

	text_sanitise(&w->text, l->text, l->len);
	if (l->len)
		put(w, "");
}

static void add_stay(struct writing *w, const struct memory_stay *s)
{
	const struct axis *a = &w->b->axis;

	blocks_put_cache(w->x, s, &w->text);
	put(w, "cache");
	axis_tell(a, s->start, &w->text);
	put(w, "in");
	put_load(w->b, w->x, s, w->b->focus.source, &w->text);
	put(w, "by");
	add_source(w, s->line);
	if (s->end != MEMORY_OPEN) {
		axis_tell(a, s->end, &w->text);
		sbuf_puts(&w->text, ", after ");
		axis_tell_length(a, s->end - s->start, &w->text);
		put(w, "out");
	}
	put_loss(w->b, w->x, s, w->b->focus.source, &w->text);
	put(w, s->ending == MEMORY_RESIDENT ? "out" : "because");
	add_source(w, s->taker_line);
	sbuf_puts(&w->text, s->private ? "private" : "shared");
	if (s->change != MEMORY_NONE) {
		sbuf_printf(&w->text, ", %s after ", s->private ? "shared" : "private");
		axis_tell_length(a, s->change, &w->text);
	}
	put(w, "held");
}

/* By cause; what they make of how it is shared. */
static void add_loads(struct writing *w, const struct memory_sum *sum, enum memory_level level)
{
	for (size_t k = 0; k < MEMORY_CAUSE_COUNT; k++)
		if (sum->fills[level][k])
			sbuf_printf(&w->text, "%s%" PRIu64 " %s", w->text.len ? ", " : "",
				    sum->fills[level][k], memory_cause_told(w->x->masks, k));
	put(w, "loads");
	sbuf_puts(&w->text, memory_verdict_told(memory_verdict_of(sum, level), w->x->masks));
	put(w, "verdict");
}

static void add_objects(struct writing *w, const struct memory_sums *sums, const char *key)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < sums->count && told < OBJECTS_MOST; i++) {
		if (!sums->of[i].count)
			continue;
		sbuf_puts(&w->text, told++ ? ", " : "");
		memory_put(w->b->trace, w->x, w->b->focus.source, MEMORY_BY_OBJECT, i, &w->text);
	}
	if (told)
		put(w, key);
}

/* The objects in it; of a block of L1 also those in that of L2 around it. */
static void add_block(struct writing *w, uint32_t block)
{
	const uint64_t address = w->x->blocks[block].address;
	const enum memory_level level = (enum memory_level)w->x->blocks[block].level;
	const struct memory_row *row = blocks_row(w->b, level, block);
	char n[32];

	list_pane_heading(w->list, "Block");
	sbuf_printf(&w->text, "0x%" PRIx64 ", %" PRIu32 " bytes", address, w->x->block_bytes[level]);
	put(w, "address");
	if (row)
		sbuf_printf(&w->text, "%s cycles, rank %" PRIu64 " of %zu in L%d",
			    num_group((int64_t)row->cycles, n), row->rank,
			    w->b->part[level].rows.all, level + 1);
	put(w, "cost");
	for (enum memory_level of = level; of < MEMORY_LEVELS; of++) {
		const struct memory_selection only =
		    memory_only(memory_by_block(of), memory_block_at(w->b->trace, of, address));
		struct memory_sums sums;
		const bool known = !memory_sum_up(&sums, w->x, MEMORY_BY_OBJECT, &only, NULL);

		if (known && of == level)
			add_loads(w, &sums.all, level);
		if (known)
			add_objects(w, &sums, of == level ? "objects" : "same L2");
		memory_sums_free(&sums);
	}
}

/* ---- the words of something by CPU ---- */

/* What matters most is first: narrow panes cut the rest. An object's words are told by their offsets. */
static void put_word(const struct sharing_words *g, const struct sharing_touch *row, bool named,
		     struct sbuf *out)
{
	const char *function = row->place.function;
	struct sbuf names = {0};

	sbuf_printf(out, "%#5" PRIx64 " ", row->offset);
	for (size_t c = 0; c < g->cpus && c < MEMORY_GLYPHS; c++) {
		const char *mark = sharing_words_mark(row, c);

		sbuf_putc(out, !mark ? '.' : mark[1] ? 'b' : mark[0]);
	}
	sbuf_printf(&names, " %7" PRIu64 " %s%s%s%s%s", row->row_cycles, row->place.label,
		    function ? " in " : "", function ? function : "", named ? " " : "",
		    named ? row->name : "");
	text_sanitise(out, sbuf_text(&names), names.len);
	sbuf_free(&names);
}

static void add_cut(struct list_pane *list, enum role role, struct sbuf *text)
{
	struct pane_line *line = list_pane_add(list, ITEM_NONE, 0);

	line->cut = true;
	pane_line_bytes(line, role, sbuf_text(text), text->len);
	sbuf_clear(text);
}

/* The names of the CPUs come again, so that they are in sight. */
void blocks_add_grid(struct list_pane *list, const struct trace *t, const struct memory_index *x,
		     struct source_text *source, enum memory_thing by, uint32_t number)
{
	const bool named = by == MEMORY_BY_L1_BLOCK || by == MEMORY_BY_L2_BLOCK;
	struct sharing_words grid;
	const bool known = !sharing_words_make(&grid, t, x, source, by, number, NULL);
	struct sbuf text = {0};

	list_pane_heading(list, "CPUs: r read, w wrote, b both");
	for (size_t i = 0; known && i < grid.rows.count; i++) {
		if (i % GRID_PAGE == 0) {
			sbuf_puts(&text, "   at ");
			for (uint32_t c = 0; c < grid.cpus && c < MEMORY_GLYPHS; c++)
				sbuf_putc(&text, memory_glyph(c));
			sbuf_puts(&text, "  cycles");
			add_cut(list, ROLE_DIM, &text);
		}
		put_word(&grid, grid.rows.data[i], named, &text);
		add_cut(list, ROLE_PANE, &text);
	}
	sharing_words_free(&grid);
	sbuf_free(&text);
}

struct pane *blocks_stay_pane(struct blocks *b)
{
	static const struct pane_ops ops = {LIST_PANE, .width = PANE_WIDTH};
	const uint32_t block = blocks_block(b);
	struct writing w = {.list = list_pane_new(&ops), .b = b, .x = memory_lock(b->trace)};

	snprintf(w.list->title, sizeof(w.list->title), "Stay of a block");
	if (blocks_stay(b, w.x))
		add_stay(&w, blocks_stay(b, w.x));
	if (block < w.x->block_count) {
		add_block(&w, block);
		blocks_add_grid(w.list, b->trace, w.x, b->focus.source,
				memory_by_block((enum memory_level)w.x->blocks[block].level), block);
	}
	memory_unlock(b->trace);
	sbuf_free(&w.text);
	if (!w.list->count)
		pane_line_add(list_pane_add(w.list, ITEM_NONE, 0), ROLE_DIM, "no block here");
	return &w.list->pane;
}
