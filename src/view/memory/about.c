/*
 * In words: the stay under the cursor of the block view and its block, the row under that of a
 * list, the source around a line, and what all caches have.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"
#include "view/pane_list.h"
#include "view/section_pane.h"

enum {
	PANE_WIDTH = 48,
	TEXT_WIDTH = 100,
	AROUND = 6, /* lines above and below one of the source */
	DEAREST = 8, /* other things */
	SHARE_WIDTH = sizeof(" 100 %") - 1,
	GRID_PAGE = 16
};

/* A pane while it is written, under the lock. */
struct writing {
	struct list_pane *list;
	const struct memory_focus *f;
	const struct memory_index *x;
	struct memory_rows *rows;       /* the dearest of these is as hot as can be */
	const struct memory_told *told; /* one of them; or NULL */
};

static const struct pane_ops narrow = {LIST_PANE, .width = PANE_WIDTH};

/* About a row; title NULL: its name. */
static struct writing begin(const struct memory_focus *f, struct memory_rows *rows, size_t row,
			    const struct pane_ops *ops, const char *title)
{
	const struct memory_index *x = memory_lock(f->trace);
	const struct memory_told *told = memory_rows_tell(rows, x, f, row);
	struct list_pane *list = list_pane_new(ops);

	snprintf(list->title, sizeof(list->title), "%s",
		 title ? title : told ? told->row.label : "Details");
	return (struct writing){list, f, x, rows, told};
}

static struct pane *end(struct writing *w)
{
	memory_unlock(w->f->trace);
	if (!w->list->count)
		pane_line_add(list_pane_add(w->list, ITEM_NONE, 0), ROLE_DIM, "nothing here");
	return &w->list->pane;
}

/* For the text of a new line, behind its key. */
static struct sbuf *key(struct writing *w, const char *key)
{
	return &list_pane_key(w->list, key)->text;
}

/* By its name, a line in a pane with its function: "vecadd.c:30 in worker". */
static void put(const struct writing *w, enum memory_thing by, uint32_t number, struct sbuf *out)
{
	const char *function = by == MEMORY_BY_LINE && w->list && w->f->source
				   ? source_place(w->f->source, w->x, number).function
				   : NULL;

	memory_put_thing(w->f->trace, w->x, by, number, out);
	if (function)
		sbuf_printf(out, " in %s", function);
}

/* What something cost, as hot as that is, and its share of all; 0: blanks. */
static void put_cost(const struct writing *w, struct pane_line *l, uint64_t cycles)
{
	char number[32];
	const int width = (int)strlen(num_group((int64_t)w->rows->most, number));

	pane_line_add(l, heat_role((double)cycles, (double)w->rows->most), "%*s", width,
		      cycles ? num_group((int64_t)cycles, number) : "");
	if (cycles)
		pane_line_add(l, ROLE_DIM, " %3.0f %%",
			      100 * memory_share(cycles, w->rows->sums.cycles));
	else
		pane_line_add(l, ROLE_PANE, "%*s", SHARE_WIDTH, "");
}

/* Which other things have most of what one cost, with their shares of all. */
static void add_dearest(struct writing *w, enum memory_thing by,
			const struct memory_selection *only, const char *heading)
{
	struct memory_sums sums;
	uint64_t cycles;
	uint32_t number;

	list_pane_heading(w->list, heading);
	(void)memory_sum_up(&sums, w->x, by, only, NULL);
	for (int i = 0; i < DEAREST && (cycles = memory_take_dearest(&sums, &number)); i++) {
		struct pane_line *line = list_pane_add(w->list, ITEM_NONE, 0);

		put_cost(w, line, cycles);
		sbuf_putc(&line->text, ' ');
		put(w, by, number, &line->text);
	}
	memory_sums_free(&sums);
}

/* ---- the words of something by CPU ---- */

/* What matters most is first: narrow panes cut the rest. Words of an object have offsets alone. */
static void put_word(uint32_t cpus, const struct sharing_touch *of, bool named, struct sbuf *out)
{
	const char *function = of->place.function;

	sbuf_printf(out, "%#4" PRIx64 " ", of->offset);
	for (uint32_t c = 0; c < cpus && c < MEMORY_GLYPHS; c++)
		sbuf_putc(out, sharing_words_mark(of, c));
	sbuf_printf(out, " %s %7" PRIu64 "%s%s%s%s", of->place.label, of->cycles,
		    function ? " in " : "", function ? function : "", named ? " " : "",
		    named ? of->name : "");
}

static struct pane_line *add_cut(struct writing *w)
{
	struct pane_line *line = list_pane_add(w->list, ITEM_NONE, 0);

	line->cut = true;
	return line;
}

/* Of a block of a level, an object or a word. The names of the CPUs come again, to be in sight. */
static void add_grid(struct writing *w, enum memory_thing by, uint32_t number)
{
	const bool named = by == MEMORY_BY_L1_BLOCK || by == MEMORY_BY_L2_BLOCK;
	const uint32_t cpus = w->x->caches[MEMORY_L1];
	char names[MEMORY_GLYPHS + 1] = "";
	struct sharing_words grid;
	const bool known = !sharing_words_make(&grid, w->f->source, w->x, by, number, NULL);

	for (uint32_t c = 0; c < cpus && c < MEMORY_GLYPHS; c++)
		names[c] = memory_glyph(c);
	list_pane_heading(w->list, "CPUs: r read, w wrote, b both");
	for (size_t i = 0; known && i < grid.uses.count; i++) {
		if (i % GRID_PAGE == 0)
			pane_line_add(add_cut(w), ROLE_DIM, "  at %s line, cycles", names);
		put_word(cpus, &grid.uses.data[i], named, &add_cut(w)->text);
	}
	sharing_words_free(&grid);
}

/* ---- the row of a list ---- */

static void put_times(const struct writing *w, int64_t from, int64_t to, struct sbuf *out)
{
	axis_tell(w->f->axis, from, out);
	sbuf_puts(out, " to ");
	if (to == MEMORY_OPEN) {
		sbuf_puts(out, "the end");
		return;
	}
	axis_tell(w->f->axis, to, out);
	sbuf_puts(out, ", ");
	axis_tell_length(w->f->axis, to - from, out);
}

/* Lines of the file around one, each with what it cost; returns which of the pane's that one is. */
static size_t add_source(struct writing *w, uint32_t number, uint64_t around)
{
	const struct memory_line *at = &w->x->lines[number];
	const char *path = memory_file(w->f->trace, at->file);
	const size_t before = w->list->count;
	size_t here = 0;

	for (uint64_t n = at->line > around ? at->line - around : 1; n <= at->line + around; n++) {
		const struct source_line *text = source_text_line(w->f->source, path, n);
		struct pane_line *line;
		uint64_t cycles = 0;

		if (!text->text)
			continue;
		for (uint32_t i = 0; i < w->rows->sums.count; i++)
			if (w->x->lines[i].file == at->file && w->x->lines[i].line == n)
				cycles = w->rows->sums.of[i].cycles;
		here = n == at->line ? w->list->count : here;
		line = list_pane_add(w->list, ITEM_NONE, 0);
		put_cost(w, line, cycles);
		pane_line_add(line, ROLE_DIM, "%4" PRIu64 " ", n);
		pane_line_bytes(line, n == at->line ? ROLE_HIGHLIGHT : ROLE_PANE,
				text->text, strlen(text->text));
	}
	if (w->list->count == before)
		pane_line_add(list_pane_add(w->list, ITEM_NONE, 0), ROLE_DIM,
			      path ? "%s is neither there nor beside the trace: --src DIR"
				   : "no file TRACE.files beside the trace names it",
			      path);
	return here;
}

/* How long the object was there, and in what. */
static void add_life(struct writing *w, const struct memory_object *o)
{
	list_pane_heading(w->list, "Life");
	put_times(w, o->born, o->died, key(w, "alive"));
	if (o->parent != MEMORY_NONE)
		put(w, MEMORY_BY_OBJECT, o->parent, key(w, "inside"));
}

/* What no column says. */
static void add_more(struct writing *w, enum memory_thing by, uint32_t number)
{
	const struct memory_selection only = memory_only(by, number);

	if (by == MEMORY_BY_CLASS) {
		add_dearest(w, MEMORY_BY_OBJECT, &only, "Objects");
		add_dearest(w, MEMORY_BY_LINE, &only, "Lines that waited");
		add_dearest(w, MEMORY_BY_CPU, &only, "CPUs that waited");
	} else if (by == MEMORY_BY_LINE) {
		list_pane_heading(w->list, "Around it");
		add_source(w, number, AROUND);
	} else if (number != MEMORY_NONE) {
		if (by == MEMORY_BY_OBJECT)
			add_life(w, &w->x->objects[number]);
		add_grid(w, by, number);
	}
}

struct pane *ranking_inspector(struct ranking *r, bool columns)
{
	struct writing w = begin(r->focus, &r->rows, ranking_row(r), &narrow, NULL);

	if (w.told && columns)
		section_keys(w.list, r->rows.columns, &r->rows, ranking_row(r));
	if (w.told)
		add_more(&w, r->rows.by, w.told->row.number);
	return end(&w);
}

struct pane *ranking_source_pane(struct ranking *r)
{
	static const struct pane_ops ops = {LIST_PANE, .width = TEXT_WIDTH};
	struct writing w = begin(r->focus, &r->rows, ranking_row(r), &ops, NULL);

	if (w.told)
		w.list->pane.cursor = add_source(&w, w.told->row.number, LIST_MAX / 2 - 1);
	w.list->pane.top = w.list->pane.cursor > AROUND ? w.list->pane.cursor - AROUND : 0;
	return end(&w);
}

/* ---- a stay ---- */

/* "c+0x8 at vecadd.c:56" */
static void put_access(const struct writing *w, uint32_t cell, struct sbuf *out)
{
	const struct memory_cell *by = memory_access(w->x, cell);

	put(w, MEMORY_BY_WORD, by->word, out);
	sbuf_puts(out, " at ");
	put(w, MEMORY_BY_LINE, by->line, out);
}

/* "R c+0x4 at vecadd.c:56, false" */
static void put_load(const struct writing *w, const struct memory_stay *s, struct sbuf *out)
{
	if (s->cell == MEMORY_NONE) {
		sbuf_puts(out, "was there from the first");
		return;
	}
	sbuf_puts(out, s->private ? "W " : "R ");
	put_access(w, s->cell, out);
	sbuf_printf(out, ", %s", memory_cause_told(w->x->masks, s->cause));
}

/* "CPU[1] took it for c+0x8 at vecadd.c:56" */
static void put_loss(const struct writing *w, const struct memory_stay *s, struct sbuf *out)
{
	const char *ended = memory_ending_names[s->ending];

	if (s->ending == MEMORY_INVALIDATED && s->taker != MEMORY_NONE)
		sbuf_printf(out, "CPU[%u] took it", w->x->cells[s->taker].cpu);
	else
		sbuf_puts(out, ended ? ended : "stays to the end");
	if (s->taker != MEMORY_NONE) {
		sbuf_puts(out, " for ");
		put_access(w, s->taker, out);
	}
	sbuf_puts(out, s->dirty ? ", dirty" : "");
}

void blocks_describe(const struct blocks *b, struct sbuf *out)
{
	const struct writing w = {.f = &b->focus, .x = memory_lock(b->trace)};
	const struct memory_stay *s = blocks_stay(b, w.x);

	if (s) {
		sbuf_printf(out, "L%d[%u] ", s->level + 1, s->cache);
		put_load(&w, s, out);
		sbuf_puts(out, "; ");
		if (s->end != MEMORY_OPEN) {
			axis_tell_length(&b->axis, s->end - s->start, out);
			sbuf_puts(out, " later ");
		}
		put_loss(&w, s, out);
	} else {
		sbuf_puts(out,
			  blocks_block(b) == MEMORY_NONE
			      ? "blocks that cost less, or are left out: :blocks top N shows more"
			      : "in no cache here");
	}
	memory_unlock(b->trace);
}

/* What stands there, if the file is here. */
static void add_text(struct writing *w, uint32_t cell)
{
	const uint32_t line = memory_access(w->x, cell)->line;
	const char *text = w->f->source ? source_place(w->f->source, w->x, line).text : NULL;

	if (text)
		sbuf_puts(key(w, ""), text);
}

static void add_stay(struct writing *w, const struct memory_stay *s)
{
	struct sbuf *held;

	sbuf_printf(key(w, "cache"), "L%d[%u]", s->level + 1, s->cache);
	put_load(w, s, key(w, "in"));
	add_text(w, s->cell);
	put_loss(w, s, key(w, "out"));
	add_text(w, s->taker);
	put_times(w, s->start, s->end, key(w, "there"));
	held = key(w, "held");
	sbuf_puts(held, s->private ? "private" : "shared");
	if (s->change != MEMORY_NONE) {
		sbuf_printf(held, ", %s after ", s->private ? "shared" : "private");
		axis_tell_length(w->f->axis, s->change, held);
	}
}

/* Everything about a block: its objects also where it is within one of L2. */
struct pane *blocks_stay_pane(struct blocks *b)
{
	const uint32_t block = blocks_block(b);
	const enum memory_level level = blocks_level(b);
	struct memory_rows *rows = &b->part[level].rows;
	const size_t row = memory_rows_find(rows, block);
	struct writing w = begin(&b->focus, rows, row, &narrow, "Stay of a block");

	if (blocks_stay(b, w.x))
		add_stay(&w, blocks_stay(b, w.x));
	if (w.told) {
		list_pane_heading(w.list, w.told->row.label);
		section_keys(w.list, rows->columns, rows, row);
		add_grid(&w, memory_by_block(level), block);
		for (enum memory_level of = level; of < MEMORY_LEVELS; of++) {
			const struct memory_selection only =
			    memory_only(memory_by_block(of),
					memory_block_at(b->trace, of, w.x->blocks[block].address));

			add_dearest(&w, MEMORY_BY_OBJECT, &only,
				    of == level ? "Objects in it" : "Objects in its L2 block");
		}
	}
	return end(&w);
}

/* ---- all caches ---- */

/* "L1[0]   12  a 4, b 4, c 3, next 1": blocks that the view shows, by class. */
static void add_cache(struct writing *w, enum memory_level level, const struct memory_rows *rows,
		      uint32_t cache)
{
	const int64_t tick = w->f->axis->tick;
	const uint32_t none = w->x->class_count;
	struct memory_sums held = {.count = none, .of = xcalloc(none + 1UL, sizeof(*held.of))};
	uint64_t count;
	uint32_t begin, end, class;
	struct sbuf *out;
	char name[16];

	for (size_t n = 0; n < rows->of.count; n++) {
		const struct memory_row *row = &rows->of.data[n];

		memory_stays(w->x, row->number, cache, tick, tick_add(tick, 1), &begin, &end);
		held.of[row->class < none ? row->class : none].cycles += begin < end;
		held.all.cycles += begin < end;
	}
	snprintf(name, sizeof(name), "L%u[%u]", level + 1U, cache);
	out = key(w, name);
	sbuf_printf(out, "%" PRIu64 " ", held.all.cycles);
	while ((count = memory_take_dearest(&held, &class))) {
		sbuf_putc(out, ' ');
		put(w, MEMORY_BY_CLASS, class, out);
		sbuf_printf(out, " %" PRIu64 ",", count);
	}
	sbuf_take(out, out->text + out->len - 1);
	memory_sums_free(&held);
}

struct pane *blocks_caches_pane(struct blocks *b)
{
	struct writing w =
	    begin(&b->focus, &b->part[MEMORY_L1].rows, SIZE_MAX, &narrow, "Caches here");

	for (enum memory_level level = MEMORY_L1; level < MEMORY_LEVELS; level++)
		for (uint32_t c = 0; c < w.x->caches[level]; c++)
			add_cache(&w, level, &b->part[level].rows, c);
	return end(&w);
}
