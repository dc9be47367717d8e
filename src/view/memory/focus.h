/*
 * What the user looks at in a trace of shared memory: one struct of a tab, which all its views of
 * memory share. Each of a source line, an object, a word and a block is selected or MEMORY_NONE, until
 * another one is; what belongs to them is bold, all else dim, or is left out.
 *
 * Classes have a letter and a colour of their own, by number: locked, whatever is on the screen.
 */
#ifndef PIPEGLASS_VIEW_MEMORY_FOCUS_H
#define PIPEGLASS_VIEW_MEMORY_FOCUS_H

#include "base/vec.h"
#include "memory/memory.h"
#include "view/palette.h"

struct memory_focus {
	uint32_t line, object, word, block;
	bool related;          /* only what belongs to them is shown */
	bool by_class;         /* colours and letters are those of classes */
	VEC(uint32_t) without; /* classes that are not shown */
	unsigned version;      /* grows with each change: whoever made something of it looks */
};

#define MEMORY_FOCUS_NONE                                                                          \
	((struct memory_focus){MEMORY_NONE, MEMORY_NONE, MEMORY_NONE, MEMORY_NONE, .version = 1})

/* Does anything belong together? */
static inline bool focus_selects(const struct memory_focus *f)
{
	return f->line != MEMORY_NONE || f->object != MEMORY_NONE || f->word != MEMORY_NONE ||
	       f->block != MEMORY_NONE;
}

static inline bool focus_shows_class(const struct memory_focus *f, uint32_t class)
{
	for (size_t i = 0; i < f->without.count; i++)
		if (f->without.data[i] == class)
			return false;
	return true;
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
