/*
 * Lists of what accesses to shared memory waited for: source lines, objects, words or classes.
 *
 * Plain state. All lists are one: what a row is of is a number (analysis/memory/related.h), and the
 * columns are a table of fields in which each says what it is for (rows_told.c). A list has two
 * faces over the same rows and the same cursor: lines with linear bars and columns; and a map,
 * folded along the diagonals of a square, in which the shade of a cell is the logarithm of the
 * cost. A large screen shows below a short list what else is known of the row at the cursor. Rows
 * that share a cost with what is selected (rows.h) are related, and how much is a column and an
 * order.
 *
 * A frame costs O(cells of the screen), a map O(rows), what is below a list O(cells).
 */
#ifndef PIPEGLASS_VIEW_MEMORY_LISTS_H
#define PIPEGLASS_VIEW_MEMORY_LISTS_H

#include "view/memory/rows.h"
#include "view/grid.h"
#include "view/split.h"
#include "view/table.h"

enum ranking_face { RANKING_LINES, RANKING_MAP };

struct ranking {
	struct memory_focus *focus; /* borrowed, of the tab */
	uint8_t face; /* enum ranking_face */

	struct memory_rows rows; /* its .only is owned */
	struct section section;
	struct table table;
	size_t shift; /* its columns that are scrolled away */

	struct split split; /* its upper part: lines, their cursor is that of both faces */
};

/* The one under the cursor; NULL: there is none. */
static inline size_t ranking_row(const struct ranking *r)
{
	return (size_t)r->split.part[SPLIT_UPPER].line;
}

static inline const struct memory_row *ranking_here(const struct ranking *r)
{
	return ranking_row(r) < r->rows.of.count ? &r->rows.of.data[ranking_row(r)] : NULL;
}

/* What the trace has by now, and is selected; the cursor stays on its row. */
enum status ranking_refresh(struct ranking *r, struct error *e);
void ranking_free(struct ranking *r); /* what it holds */

/* To a row by its number; false: it costs nothing, or is left out. */
bool ranking_goto(struct ranking *r, uint32_t number);
/* Before what the columns of a row say is asked for; NULL: there is none. Takes the lock. */
const struct memory_told *ranking_tell(struct ranking *r, size_t row);

enum status ranking_draw(struct ranking *r, struct grid *g, struct rect area,
		      const struct palette *p, struct error *e);

/* Of a row, in both faces: "-" hidden, ">" selected, "*" related, else " "; dim: "-", unrelated. */
static inline char ranking_sign(const struct ranking *r, const struct memory_row *row)
{
	return !focus_shows_class(r->focus, row->class)	    ? '-'
	       : focus_is_on(r->focus, r->rows.by, row->number) ? '>'
	       : row->related				    ? '*'
							    : ' ';
}

static inline bool ranking_is_dim(const struct ranking *r, const struct memory_row *row)
{
	return ranking_sign(r, row) == '-' || (r->rows.selects && ranking_sign(r, row) == ' ');
}

/* map.c. Rows of a cell; columns of all; the dearest row of a cell; to that of one beside. */
size_t map_bin(const struct ranking *r);
int map_width(const struct ranking *r);
size_t map_row(const struct ranking *r, int column, int line); /* of.count: none is there */
void map_move(struct ranking *r, int64_t lines, int64_t columns);
void map_draw(const struct ranking *r, struct grid *g, struct rect area, const struct palette *p);

/*
 * Panes: what is known of the row under the cursor, also what its columns say, or only more; the
 * file of its source line with what its lines cost.
 */
struct pane;
struct pane *ranking_inspector(struct ranking *r, bool columns);
struct pane *ranking_source_pane(struct ranking *r);

#endif
