#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "view/pipeline/reduce_pane_private.h"

enum {
	LENGTHS_MOST = 12,   /* lines of Table I; what is longer is summed up in the last */
	DISTANCES_MOST = 24, /* lines of Table II */
	BRANCHES_MOST = 8,   /* columns of it */
	LABEL = 8,           /* columns of a line's label */
	CELL_LEAST = 7,
	GRID_LABEL = 4,
	GRID_CELL = 6
};

/* A cell of a heat map; nothing at all is blank. */
static void put_count(struct pane_line *l, uint64_t count, uint64_t most, int width)
{
	char n[32];

	pane_line_add(l, ROLE_PANE, " ");
	pane_line_add(l, heat_role((double)count, (double)most), "%*s", width - 1,
		      count ? num_group((int64_t)count, n) : "");
}

static int digits(uint64_t count)
{
	char n[32];

	return (int)strlen(num_group((int64_t)count, n));
}

/* Columns for numbers up to that, and for a heading. */
static int cell_for(uint64_t most)
{
	return digits(most) + 2 > CELL_LEAST ? digits(most) + 2 : CELL_LEAST;
}

/* "7", or "12 up" for all that the last line stands for. */
static void put_label(struct pane_line *l, size_t value, size_t last)
{
	pane_line_add(l, ROLE_DIM, "%3zu%-*s", value, LABEL - 3, value < last ? "" : " up");
}

/* ---- Table I: chains by length --------------------------------------------------------------- */

struct chain_counts {
	uint64_t of[LENGTHS_MOST + 1]; /* by length, from 1 on */
};

static void count_chains(const struct reduce_tally *t, struct chain_counts *out)
{
	*out = (struct chain_counts){{0}};
	for (size_t i = 0; i < t->entries.count; i++) {
		const struct tally_entry *entry = &t->entries.data[i];

		out->of[entry->key < LENGTHS_MOST ? entry->key : LENGTHS_MOST] += entry->count;
	}
}

void page_chains(struct reduce_page *page)
{
	const struct reduction *r = &page->reduced->trace.run.reduction;
	struct chain_counts counts[REDUCE_STAGES];
	uint64_t most = 1;

	int cell;

	page_heading(page, page->width < PAGE_NARROW
			       ? "chains by arcs in them"
			       : "chains of dependencies by arcs in them, after each reduction");
	for (int s = REDUCE_R1; s < REDUCE_STAGES; s++) {
		count_chains(&r->chains[s], &counts[s]);
		for (int i = 1; i <= LENGTHS_MOST; i++)
			most = counts[s].of[i] > most ? counts[s].of[i] : most;
	}
	cell = cell_for(most);
	pane_line_add(page_line(page), ROLE_DIM, "%*s%*s%*s", LABEL + cell, "R1", cell, "R2", cell,
		      "R3");
	for (int i = 1; i <= LENGTHS_MOST; i++) {
		struct pane_line *l;

		if (!(counts[REDUCE_R1].of[i] | counts[REDUCE_R2].of[i] | counts[REDUCE_R3].of[i]))
			continue;
		l = page_line(page);
		put_label(l, (size_t)i, LENGTHS_MOST);
		for (int s = REDUCE_R1; s < REDUCE_STAGES; s++)
			put_count(l, counts[s].of[i], most, cell);
	}
}

/* ---- Table II: the histogram ----------------------------------------------------------------- */

struct histogram {
	uint64_t at[DISTANCES_MOST + 1][BRANCHES_MOST + 1]; /* the last of each: and beyond */
	uint64_t sums[DISTANCES_MOST + 1];
	uint64_t most;
	int columns; /* of branches */
	bool beyond; /* the last one is for all that are more, too */
};

/* As many columns as there is room for, and no more than are needed. */
static void choose_columns(const struct shape_list *list, int room, struct histogram *out)
{
	uint32_t most = 0;

	for (size_t i = 0; i < list->items.count; i++)
		if (list->items.data[i].shape.branches > most)
			most = list->items.data[i].shape.branches;
	room = room < 1 ? 1 : room > BRANCHES_MOST ? BRANCHES_MOST : room;
	out->beyond = most >= (uint32_t)room;
	out->columns = out->beyond ? room : (int)most + 1;
}

static bool count_shapes(const struct reduction *r, int room, struct histogram *out)
{
	struct shape_list list;

	*out = (struct histogram){.most = 0};
	if (!reduction_shapes(r, &list))
		return false;
	choose_columns(&list, room, out);
	for (size_t i = 0; i < list.items.count; i++) {
		const struct shape_count *c = &list.items.data[i];
		size_t d = c->shape.distance < DISTANCES_MOST ? c->shape.distance : DISTANCES_MOST;
		int last = out->columns - 1;
		int j = c->shape.branches < (uint32_t)last ? (int)c->shape.branches : last;

		out->at[d][j] += c->count;
		out->sums[d] += c->count;
		if (out->sums[d] > out->most)
			out->most = out->sums[d];
	}
	vec_free(&list.items);
	return true;
}

static void put_branches(struct reduce_page *page, const struct histogram *h, int cell)
{
	struct pane_line *l = page_line(page);
	char label[16];

	pane_line_add(l, ROLE_DIM, "%-*s", LABEL, "");
	for (int j = 0; j < h->columns; j++) {
		snprintf(label, sizeof(label), "%d%s", j,
			 h->beyond && j + 1 == h->columns ? " up" : "");
		pane_line_add(l, ROLE_DIM, "%*s", cell, label);
	}
	pane_line_add(l, ROLE_DIM, "%*s", cell, "all");
}

void page_histogram(struct reduce_page *page)
{
	const struct reduction *r = &page->reduced->trace.run.reduction;
	int cell = cell_for(r->arcs[REDUCE_R3]);
	struct histogram h;

	page_heading(page,
		     page->width < PAGE_NARROW
			 ? "arcs left, by distance and branches"
			 : "arcs left, by distance (down) and branch targets spanned (across)");
	if (!count_shapes(r, (page->width - LABEL) / cell - 1, &h)) {
		pane_line_add(page_line(page), ROLE_ERROR, "out of memory");
		return;
	}
	put_branches(page, &h, cell);
	for (size_t d = 1; d <= DISTANCES_MOST; d++) {
		struct pane_line *l;

		if (!h.sums[d])
			continue;
		l = page_line(page);
		put_label(l, d, DISTANCES_MOST);
		for (int j = 0; j < h.columns; j++)
			put_count(l, h.at[d][j], h.most, cell);
		put_count(l, h.sums[d], h.most, cell);
	}
	if (r->stacks.list.count)
		pane_line_add(page_line(page), ROLE_DIM,
			      "the oldest arc of a stack stands for it: %zu different ones",
			      r->stacks.list.count);
}

/* ---- Table III: what dependencies cost ------------------------------------------------------- */

static double penalty(const struct reduce_cycles *c)
{
	return reduce_per(c->data + c->stack + c->self, (uint64_t)c->instructions);
}

/* Hundredths of a cycle, so that the scale begins at what can be read. */
static void put_penalty(struct reduce_page *page, struct pane_line *l,
			const struct reduce_cycles *c, double most)
{
	const struct pipeline *at = &page->subject->look.at;
	bool here = c->at.execute == at->execute && c->at.setup == at->setup;

	pane_line_add(l, here ? ROLE_PANE_CURSOR : heat_role(100 * penalty(c), 100 * most),
		      "%*.2f ", GRID_CELL - 1, penalty(c));
}

void page_grid(struct reduce_page *page)
{
	const struct reduce_cycles *grid = page->reduced->grid;
	int columns = (page->width - GRID_LABEL) / GRID_CELL;
	double most = penalty(&grid[REDUCED_GRID * REDUCED_GRID - REDUCED_GRID]);
	struct pane_line *l;

	columns = columns > REDUCED_GRID ? REDUCED_GRID : columns;
	page_heading(page, page->width < PAGE_NARROW
			       ? "penalty, by N_E (down) and N_S (across)"
			       : "penalty: cycles that dependencies cost an instruction, by N_E "
				 "(down) and N_S");
	l = page_line(page);
	pane_line_add(l, ROLE_DIM, "%*s", GRID_LABEL, "");
	for (int s = 0; s < columns; s++)
		pane_line_add(l, ROLE_DIM, "%*d ", GRID_CELL - 1, s + 1);
	for (int e = 0; e < REDUCED_GRID; e++) {
		l = page_line(page);
		pane_line_add(l, ROLE_DIM, "%*d", GRID_LABEL, e + 1);
		for (int s = 0; s < columns; s++)
			put_penalty(page, l, &grid[e * REDUCED_GRID + s], most);
	}
}
