/*
 * Panes about the row under the cursor: all that is known of it, and the source text around a line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "view/memory/blocks.h"
#include "view/memory/lists.h"
#include "view/pane_list.h"
#include "view/section_pane.h"

enum { PANE_WIDTH = 46, AROUND = 4, FURTHER = 12, ABOVE = 8, TEXT_WIDTH = 100,
       SHARE_WIDTH = sizeof(" 100 %") - 1, DEAREST = 8, TAB = 8, NARROW_TAB = 2 };

/* How long the object was there, and in what. */
static void add_life(struct list_pane *list, const struct ranking *r, const struct memory_index *x,
		     uint32_t number)
{
	const struct memory_object *o = &x->objects[number];
	struct sbuf text = {0};

	axis_tell(&r->axis, o->born, &text);
	sbuf_puts(&text, " to ");
	if (o->died == MEMORY_OPEN)
		sbuf_puts(&text, "the end");
	else
		axis_tell(&r->axis, o->died, &text);
	pane_line_bytes(list_pane_key(list, "alive"), ROLE_PANE, text.text, text.len);
	sbuf_clear(&text);
	if (o->parent != MEMORY_NONE) {
		memory_put_object(r->trace, o->parent, &text);
		pane_line_bytes(list_pane_key(list, "inside"), ROLE_PANE, text.text, text.len);
	}
	blocks_add_grid(list, r->trace, x, r->source, MEMORY_BY_OBJECT, number);
	sbuf_free(&text);
}

/* A line of a file into `out`, with blanks for a tab. False: there is none. */
static bool read_code(const struct ranking *r, const char *path, uint64_t line, int tab,
		      struct sbuf *out)
{
	size_t len = 0;
	const char *text = r->source ? source_text_line(r->source, path, line, &len) : NULL;

	sbuf_clear(out);
	for (size_t i = 0; text && i < len; i++)
		if (text[i] == '\t')
			sbuf_repeat(out, ' ', (size_t)tab);
		else
			sbuf_putc(out, text[i]);
	return text;
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

/* Which other things have most of what the cursor's row cost. */
static void add_dearest(struct list_pane *list, const struct ranking *r, const struct memory_index *x,
			uint32_t number, enum memory_thing by, const char *heading)
{
	const struct memory_selection only = memory_only(r->by, number);
	uint64_t *cycles = memory_cycles(x, by, &only, MEMORY_CAUSE_COUNT);
	const uint32_t count = memory_thing_count(x, by);
	struct sbuf name = {0};

	list_pane_heading(list, heading);
	for (int i = 0; cycles && count && i < DEAREST; i++) {
		const uint32_t most = memory_most(cycles, count);
		struct pane_line *line;

		if (!cycles[most])
			break;
		line = list_pane_add(list, ITEM_NONE, 0);
		put_cost(line, r, cycles[most]);
		sbuf_putc(&name, ' ');
		memory_put(r->trace, x, r->source, by, most, &name);
		pane_line_bytes(line, ROLE_PANE, sbuf_text(&name), name.len);
		sbuf_clear(&name);
		cycles[most] = 0;
	}
	sbuf_free(&name);
	free(cycles);
}

/* What the row of a source line cost; 0: there is none. */
static uint64_t cost_at(const struct ranking *r, const struct memory_index *x, uint32_t file, uint64_t number)
{
	for (size_t i = 0; i < r->rows.of.count; i++) {
		const struct memory_line *l = &x->lines[r->rows.of.data[i].number];

		if (l->file == file && l->line == number)
			return r->rows.of.data[i].cycles;
	}
	return 0;
}

/* Lines of the file around one, each with what it cost; returns which of them that one is. */
static size_t add_text(struct list_pane *list, const struct ranking *r, const struct memory_index *x,
		       uint32_t number, uint64_t around, int tab)
{
	const struct memory_line *at = &x->lines[number];
	const char *path = memory_file(r->trace, at->file);
	const uint64_t from = at->line > around ? at->line - around : 1;
	const size_t before = list->count;
	struct sbuf code = {0};
	size_t here = 0;

	for (uint64_t n = from; n <= at->line + around; n++) {
		const enum role role = n == at->line ? ROLE_HIGHLIGHT : ROLE_PANE;
		struct pane_line *line;

		if (!read_code(r, path, n, tab, &code))
			continue;
		here = n == at->line ? list->count : here;
		line = list_pane_add(list, ITEM_NONE, 0);
		line->cut = n != at->line;
		put_cost(line, r, cost_at(r, x, at->file, n));
		pane_line_add(line, ROLE_DIM, "%4" PRIu64 " ", n);
		pane_line_bytes(line, role, sbuf_text(&code), code.len);
	}
	if (list->count == before)
		pane_line_add(list_pane_add(list, ITEM_NONE, 0), ROLE_DIM,
			      path ? "%s is neither there nor beside the trace: --src DIR"
				   : "no file TRACE.files beside the trace names it",
			      path);
	sbuf_free(&code);
	return here;
}

/* What no column says. */
static void add_more(struct list_pane *list, const struct ranking *r, const struct memory_index *x,
		     uint32_t number, bool columns)
{
	switch (r->by) {
	case MEMORY_BY_OBJECT:
		if (number != MEMORY_NONE)
			add_life(list, r, x, number);
		break;
	case MEMORY_BY_WORD:
		blocks_add_grid(list, r->trace, x, r->source, MEMORY_BY_WORD, number);
		break;
	case MEMORY_BY_LINE:
		if (columns)
			list_pane_heading(list, "Around it");
		add_text(list, r, x, number, columns ? AROUND : FURTHER, NARROW_TAB);
		break;
	default:
		add_dearest(list, r, x, number, MEMORY_BY_OBJECT, "Objects");
		add_dearest(list, r, x, number, MEMORY_BY_LINE, "Lines that waited");
		add_dearest(list, r, x, number, MEMORY_BY_CPU, "CPUs that waited");
	}
}

struct pane *ranking_inspector(struct ranking *r, bool columns)
{
	static const struct pane_ops ops = {LIST_PANE, .width = PANE_WIDTH};
	struct list_pane *list = list_pane_new(&ops);
	const struct memory_index *x = memory_lock(r->trace);
	uint32_t number = MEMORY_NONE;
	const bool known = ranking_here(r, &number);
	struct sbuf name = {0};
	char role[24];

	if (known)
		memory_put(r->trace, x, NULL, r->by, number, &name);
	snprintf(list->title, sizeof(list->title), "%s", known ? sbuf_text(&name) : "Details");
	sbuf_free(&name);
	if (!columns && r->by != MEMORY_BY_CLASS) /* no line that looks like the cursor's */
		list_pane_add(list, ITEM_NONE, 0);
	if (known && columns)
		section_keys(list, r->fields, r, r->pane.cursor);
	if (known && columns && r->by == MEMORY_BY_CLASS && number != MEMORY_NONE)
		pane_line_add(list_pane_key(list, "colour"), memory_class_role(number), ":color %s",
			      palette_role_name(memory_class_role(number), role));
	if (known)
		add_more(list, r, x, number, columns);
	memory_unlock(r->trace);
	if (!known)
		pane_line_add(list_pane_add(list, ITEM_NONE, 0), ROLE_DIM, "nothing here");
	return &list->pane;
}

struct pane *ranking_source_pane(struct ranking *r)
{
	static const struct pane_ops ops = {LIST_PANE, .width = TEXT_WIDTH};
	struct list_pane *list = list_pane_new(&ops);
	const struct memory_index *x = memory_lock(r->trace);
	uint32_t number;

	snprintf(list->title, sizeof(list->title), "Source");
	if (ranking_here(r, &number)) {
		const char *path = memory_file(r->trace, x->lines[number].file);

		snprintf(list->title, sizeof(list->title), "%s", path ? path : "Source");
		list->pane.cursor = add_text(list, r, x, number, LIST_MAX / 2 - 1, TAB);
		list->pane.top = list->pane.cursor > ABOVE ? list->pane.cursor - ABOVE : 0;
	}
	memory_unlock(r->trace);
	return &list->pane;
}
