/*
 * Panes about the row under the cursor: all that is known of it, and the source text around a line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"
#include "view/pane_list.h"
#include "view/section_pane.h"

enum {
	PANE_WIDTH = 46,
	TEXT_WIDTH = 100,
	AROUND = 4,   /* lines above and below one, */
	FURTHER = 12, /* where there is more room */
	TAB = 2,
	DEAREST = 8, /* other things */
	SHARE_WIDTH = sizeof(" 100 %") - 1
};

/* A pane while it is written, under the lock. */
struct writing {
	struct list_pane *list;
	const struct ranking *r;
	const struct memory_index *x;
	uint32_t number; /* of the row under the cursor, */
	bool known;	 /* if there is one */
};

static struct writing begin(struct ranking *r, const struct pane_ops *ops)
{
	const struct ranking_line *line = ranking_line(r, r->pane.cursor);
	struct writing w = {.list = list_pane_new(ops), .r = r, .x = memory_lock(r->trace)};

	w.known = line && ranking_here(r, &w.number);
	snprintf(w.list->title, sizeof(w.list->title), "%s", line ? line->row.label : "Details");
	return w;
}

static struct pane *end(const struct writing *w)
{
	memory_unlock(w->r->trace);
	if (!w->known)
		pane_line_add(list_pane_add(w->list, ITEM_NONE, 0), ROLE_DIM, "nothing here");
	return &w->list->pane;
}

/* How long the object was there, and in what. */
static void add_life(const struct writing *w)
{
	const struct memory_object *o = &w->x->objects[w->number];
	struct sbuf text = {0};

	list_pane_heading(w->list, "Life");
	axis_tell(&w->r->axis, o->born, &text);
	sbuf_puts(&text, " to ");
	if (o->died == MEMORY_OPEN)
		sbuf_puts(&text, "the end");
	else
		axis_tell(&w->r->axis, o->died, &text);
	pane_line_bytes(list_pane_key(w->list, "alive"), ROLE_PANE, text.text, text.len);
	sbuf_clear(&text);
	if (o->parent != MEMORY_NONE) {
		memory_put_object(w->r->trace, o->parent, &text);
		pane_line_bytes(list_pane_key(w->list, "inside"), ROLE_PANE, text.text, text.len);
	}
	sbuf_free(&text);
}

/* What something cost, as hot as that is, and its share of all; 0: blanks. */
static void put_cost(struct pane_line *l, const struct ranking *r, uint64_t cycles)
{
	char number[32];
	const int width = (int)strlen(num_group((int64_t)r->rows.most, number));

	pane_line_add(l, heat_role((double)cycles, (double)r->rows.most), "%*s", width,
		      cycles ? num_group((int64_t)cycles, number) : "");
	if (cycles)
		pane_line_add(l, ROLE_DIM, " %3.0f %%", 100 * memory_share(cycles, r->rows.sums.cycles));
	else
		pane_line_add(l, ROLE_PANE, "%*s", SHARE_WIDTH, "");
}

/* Which other things have most of what the row cost. */
static void add_dearest(const struct writing *w, enum memory_thing by, const char *heading)
{
	const struct memory_selection only = memory_only(w->r->by, w->number);
	struct memory_sums sums;
	struct sbuf name = {0};

	list_pane_heading(w->list, heading);
	(void)memory_sum_up(&sums, w->x, by, &only, NULL);
	for (int i = 0; sums.of && i < DEAREST; i++) {
		const uint32_t most = memory_dearest(sums.of, sums.count);
		struct pane_line *line;

		if (most == sums.count || !sums.of[most].cycles)
			break;
		line = list_pane_add(w->list, ITEM_NONE, 0);
		put_cost(line, w->r, sums.of[most].cycles);
		sbuf_putc(&name, ' ');
		memory_put(w->r->trace, w->x, w->r->focus->source, by, most, &name);
		pane_line_bytes(line, ROLE_PANE, sbuf_text(&name), name.len);
		sbuf_clear(&name);
		sums.of[most].cycles = 0;
	}
	sbuf_free(&name);
	memory_sums_free(&sums);
}

/* What the row of a source line cost; 0: there is none. */
static uint64_t cost_at(const struct writing *w, uint32_t file, uint64_t number)
{
	for (size_t i = 0; i < w->r->rows.of.count; i++) {
		const struct memory_line *l = &w->x->lines[w->r->rows.of.data[i].number];

		if (l->file == file && l->line == number)
			return w->r->rows.of.data[i].cycles;
	}
	return 0;
}

/* A line of source text, with blanks for a tab. */
static void put_code(struct pane_line *l, enum role role, const char *text, size_t len)
{
	struct sbuf code = {0};

	for (size_t i = 0; i < len; i++)
		if (text[i] == '\t')
			sbuf_repeat(&code, ' ', TAB);
		else
			sbuf_putc(&code, text[i]);
	pane_line_bytes(l, role, sbuf_text(&code), code.len);
	sbuf_free(&code);
}

/* Lines of the file around the row's, each with what it cost; returns which of them that one is. */
static size_t add_text(const struct writing *w, uint64_t around)
{
	const struct memory_line *at = &w->x->lines[w->number];
	const char *path = memory_file(w->r->trace, at->file);
	const size_t before = w->list->count;
	uint64_t n = at->line > around ? at->line - around : 1;
	size_t here = 0;

	for (; n <= at->line + around; n++) {
		const struct source_line *text = source_text_line(w->r->focus->source, path, n);
		struct pane_line *line;

		if (!text->text)
			continue;
		here = n == at->line ? w->list->count : here;
		line = list_pane_add(w->list, ITEM_NONE, 0);
		put_cost(line, w->r, cost_at(w, at->file, n));
		pane_line_add(line, ROLE_DIM, "%4" PRIu64 " ", n);
		put_code(line, n == at->line ? ROLE_HIGHLIGHT : ROLE_PANE,
			 text->text - text->indent, text->indent + text->len);
	}
	if (w->list->count == before)
		pane_line_add(list_pane_add(w->list, ITEM_NONE, 0), ROLE_DIM,
			      path ? "%s is neither there nor beside the trace: --src DIR"
				   : "no file TRACE.files beside the trace names it",
			      path);
	return here;
}

/* With some of the lines above it. */
static void show(struct list_pane *list, size_t line)
{
	list->pane.cursor = line;
	list->pane.top = line > AROUND ? line - AROUND : 0;
}

static void add_around(const struct writing *w, uint64_t around)
{
	size_t here;

	list_pane_heading(w->list, "Around it");
	here = add_text(w, around);
	if (around == FURTHER)
		show(w->list, here);
}

static void add_class(const struct writing *w)
{
	add_dearest(w, MEMORY_BY_OBJECT, "Objects");
	add_dearest(w, MEMORY_BY_LINE, "Lines that waited");
	add_dearest(w, MEMORY_BY_CPU, "CPUs that waited");
}

static void add_grid(const struct writing *w)
{
	blocks_add_grid(w->list, w->r->trace, w->x, w->r->focus->source, w->r->by, w->number);
}

static void add_object(const struct writing *w)
{
	if (w->number == MEMORY_NONE)
		return;
	add_life(w);
	add_grid(w);
}

/* What no column says. */
static void add_more(const struct writing *w, uint64_t around)
{
	switch (w->r->by) {
	case MEMORY_BY_OBJECT:
		add_object(w);
		break;
	case MEMORY_BY_WORD:
		add_grid(w);
		break;
	case MEMORY_BY_LINE:
		add_around(w, around);
		break;
	default:
		add_class(w);
	}
}

struct pane *ranking_inspector(struct ranking *r, bool columns)
{
	static const struct pane_ops ops = {LIST_PANE, .width = PANE_WIDTH};
	const struct writing w = begin(r, &ops);

	if (w.known && columns)
		section_keys(w.list, r->fields, r, r->pane.cursor);
	if (w.known)
		add_more(&w, columns ? AROUND : FURTHER);
	return end(&w);
}

struct pane *ranking_source_pane(struct ranking *r)
{
	static const struct pane_ops ops = {LIST_PANE, .width = TEXT_WIDTH};
	const struct writing w = begin(r, &ops);

	if (w.known)
		show(w.list, add_text(&w, LIST_MAX / 2 - 1));
	return end(&w);
}
