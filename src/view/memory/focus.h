/*
 * What the user looks at in a trace of shared memory: one struct of a tab, which all its views of
 * memory share. Each of a source line, an object, a class, a word and a block is selected or
 * MEMORY_NONE, until another one is; what belongs to them is bold, all else dim, or is left out.
 *
 * Classes have a letter and a colour of their own, by number: locked, whatever is on the screen.
 */
#ifndef PIPEGLASS_VIEW_MEMORY_FOCUS_H
#define PIPEGLASS_VIEW_MEMORY_FOCUS_H

#include "analysis/memory/related.h"
#include "base/vec.h"
#include "view/palette.h"

struct memory_focus {
	uint32_t line, object, class, word, block;
	bool related;          /* only what belongs to them is shown */
	bool by_class;         /* colours and letters are those of classes */
	VEC(uint32_t) without; /* classes that are not shown */
	unsigned version;      /* grows with each change: whoever made something of it looks */
};

#define MEMORY_FOCUS_NONE                                                                          \
	((struct memory_focus){MEMORY_NONE, MEMORY_NONE, MEMORY_NONE, MEMORY_NONE, MEMORY_NONE,    \
			       .version = 1})

/* Does anything belong together? */
static inline bool focus_selects(const struct memory_focus *f)
{
	return f->line != MEMORY_NONE || f->object != MEMORY_NONE || f->class != MEMORY_NONE ||
	       f->word != MEMORY_NONE || f->block != MEMORY_NONE;
}

/* Cells that belong to all of it. Under the lock. */
struct memory_selection focus_selection(const struct memory_focus *f, const struct memory_index *x);

static inline void focus_end(struct memory_focus *f)
{
	f->line = f->object = f->class = f->word = f->block = MEMORY_NONE;
	f->related = false;
	f->version++;
}

static inline bool focus_shows_class(const struct memory_focus *f, uint32_t class)
{
	for (size_t i = 0; i < f->without.count; i++)
		if (f->without.data[i] == class)
			return false;
	return true;
}

/* False: no memory. */
static inline bool focus_toggle_class(struct memory_focus *f, uint32_t class)
{
	f->version++;
	for (size_t i = 0; i < f->without.count; i++)
		if (f->without.data[i] == class) {
			f->without.data[i] = f->without.data[--f->without.count];
			return true;
		}
	return vec_push(&f->without, class);
}

/* Of numbers of classes; MEMORY_NONE: of no class. */
static inline char focus_class_letter(uint32_t class)
{
	return class == MEMORY_NONE ? '?' : (char)('A' + class % 26);
}

static inline enum role focus_class_role(uint32_t class)
{
	return class == MEMORY_NONE ? ROLE_DIM : (enum role)(ROLE_STAGE_0 + class % PALETTE_STAGES);
}

#endif
