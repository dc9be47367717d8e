/*
 * What all views of a trace of shared memory are made of: what the user looks at, and rows.
 *
 * What is looked at is one struct of a tab. One of each sort of thing can be selected - a source
 * line, an object, a class, a word, a block - until another one is; what belongs to all of them is
 * bold, all else dim, or is left out. Classes have a letter and a colour of their own, by number:
 * locked, whatever is on the screen.
 *
 * Rows are the things of one sort by what was waited for them, in the order asked for. Of blocks as
 * many of the dearest have lines as have most of the cost, and what is left is summed up. Rows are
 * made again when the trace grew or something was selected: O(cells + rows * log rows). All under
 * the trace's lock.
 */
#ifndef PIPEGLASS_VIEW_MEMORY_ROWS_H
#define PIPEGLASS_VIEW_MEMORY_ROWS_H

#include <stddef.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "base/regex.h"
#include "base/vec.h"
#include "view/axis.h"
#include "view/palette.h"

enum { MEMORY_LETTERS = 26 }; /* of classes: more of them share some */
struct memory_focus {
	struct trace *trace;
	const struct axis *axis;    /* time in all views, and their size */
	struct source_text *source; /* of the trace; NULL: no memory */
	struct memory_selection selected;
	uint8_t related;       /* only what belongs to it is shown */
	uint8_t by_class;      /* colours and letters are those of classes */
	char without[MEMORY_LETTERS + 1]; /* letters of classes that are not shown */
	unsigned version;      /* grows with each change: whoever made something of it looks */
};

static inline bool focus_is_on(const struct memory_focus *f, enum memory_thing by, uint32_t number)
{
	return f->selected.chosen[by] && f->selected.of[by] == number;
}

/* Of numbers of classes; MEMORY_NONE: of no class. */
static inline char memory_class_letter(uint32_t class)
{
	return class == MEMORY_NONE ? '?' : (char)('A' + class % MEMORY_LETTERS);
}

static inline bool focus_shows_class(const struct memory_focus *f, uint32_t class)
{
	return !strchr(f->without, memory_class_letter(class));
}

static inline enum role memory_class_role(uint32_t class)
{
	return class == MEMORY_NONE ? ROLE_DIM : (enum role)(ROLE_STAGE_0 + class % PALETTE_STAGES);
}

/* BY_SHARED: by the part of the cost that what is selected has, too; BY_HITM: of blocks alone. */
enum row_order { BY_COST, BY_SHARED, BY_HITM, BY_ADDRESS };
extern const char *const row_order_names[];

struct memory_row {
	uint32_t number; /* MEMORY_NONE: what is outside of all objects or classes */
	uint32_t class;  /* or MEMORY_NONE */
	uint64_t rank;   /* by cost, from 1 */
	uint64_t address; /* of a source line: file and line; of a class: its number */
	uint64_t cycles, shared, hitm;
	double part;  /* shared, of its cycles */
	bool related; /* to what is selected */
	char edge; /* by address: | . another L2, L1 block than that of the row before, else ' ' */
};

/* What rows are in the order of; by address their cycles. */
static inline uint64_t memory_row_worth(const struct memory_row *row, enum row_order order)
{
	return order == BY_HITM ? row->hitm : order == BY_SHARED ? row->shared : row->cycles;
}

/* What its columns say; the label NULL: that is not made yet. */
struct memory_told {
	struct sharing_row row;     /* first */
	const char *cpus, *dearest; /* of a word: what they did; the line */
};

enum { MEMORY_COLUMNS = 32 };

struct memory_rows {
	/* What is asked for. */
	enum memory_thing by;
	uint8_t order;            /* enum row_order */
	struct regex *only;       /* rows that match; NULL: all. Of who set it */
	size_t asked; /* so many blocks have lines; 0: those of most of the cost */

	VEC(struct memory_row) of; /* those that are shown; the first `lines` have lines */
	size_t lines, all;         /* all: before any was left out */
	uint32_t dearest;          /* its number; 0: there are no rows */
	uint64_t worth, others;    /* memory_row_worth() of all; of those without lines */
	uint64_t most, cost; /* of a row that has an address, where these are the order; of all; */
	struct memory_sums sums;   /* of everything */
	bool selects;              /* something is selected that rows can be related to: */
	uint64_t shared;           /* its cycles, */
	uint32_t touched;          /* and rows that have some */

	struct memory_told *told; /* of each, made when it is needed */
	struct field columns[MEMORY_COLUMNS];
	bool masks; /* of the trace */

	uint64_t age; /* when they were made; 0: not yet */
};

/* Another one: rows are to be made again. It rises with what there is and whatever is chosen. */
uint64_t memory_rows_age(const struct memory_index *x, const struct memory_focus *f);
enum status memory_rows_make(struct memory_rows *r, const struct memory_index *x,
			     const struct memory_focus *f, struct error *e);
void memory_rows_free(struct memory_rows *r);
/* rows_told.c: the columns of what was just made, of which no row is told yet. */
void memory_rows_columns(struct memory_rows *r, const struct memory_index *x);
/* Before what the columns of a row say is asked for; NULL: there is none, or no memory. */
const struct memory_told *memory_rows_tell(struct memory_rows *r, const struct memory_index *x,
					   const struct memory_focus *f, size_t row);
/* By its number; of.count: it is left out, or costs nothing. O(rows). */
size_t memory_rows_find(const struct memory_rows *r, uint32_t number);
/* The next behind (dir < 0: before) `from` that matches, around; of.count: none does. */
size_t memory_rows_search(const struct memory_rows *r, const struct memory_index *x,
			  const struct memory_focus *f, const struct regex *re, size_t from,
			  int dir);
/* What is selected, and their part of it: "  vecadd.c:56 and c: 240 of 243, 43 % of the cost". */
void memory_rows_put_related(const struct memory_rows *r, const struct memory_focus *f,
			     struct sbuf *out);
/* The digit or letter of a cache or CPU. */
static inline char memory_glyph(uint32_t cache)
{
	return "0123456789abcdefghijklmnopqrstuvwxyz"[cache % MEMORY_GLYPHS];
}

/* What signs and colours mean, in lists or in the block view (legend.c). */
struct pane;
struct pane *memory_legend(const struct memory_focus *f, bool lists);

#endif
