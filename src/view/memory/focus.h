/*
 * What the user looks at in a trace of shared memory: one struct of a tab, which all its views of
 * memory share. One of each sort of thing can be selected - a source line, an object, a class, a word,
 * a block - until another one is; what belongs to all of them is bold, all else dim, or is left out.
 *
 * Classes have a letter and a colour of their own, by number: locked, whatever is on the screen.
 */
#ifndef PIPEGLASS_VIEW_MEMORY_FOCUS_H
#define PIPEGLASS_VIEW_MEMORY_FOCUS_H

#include <stddef.h>

#include "analysis/memory/related.h"
#include "base/vec.h"
#include "view/palette.h"

struct memory_focus {
	struct memory_selection selected;
	bool related;          /* only what belongs to it is shown */
	bool by_class;         /* colours and letters are those of classes */
	VEC(uint32_t) without; /* classes that are not shown */
	unsigned version;      /* grows with each change: whoever made something of it looks */
};

static inline bool focus_is_on(const struct memory_focus *f, enum memory_thing by, uint32_t number)
{
	return f->selected.chosen[by] && f->selected.of[by] == number;
}

/* Does anything belong together? */
static inline bool focus_selects(const struct memory_focus *f)
{
	return memory_selects(&f->selected);
}

static inline void focus_end(struct memory_focus *f)
{
	f->selected = (struct memory_selection){0};
	f->related = false;
	f->version++;
}

/* One of each sort; the same again: none. */
static inline void focus_select(struct memory_focus *f, enum memory_thing by, uint32_t number)
{
	f->selected.chosen[by] = !focus_is_on(f, by, number);
	f->selected.of[by] = number;
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

/* A command that chooses among words, the values of a byte at an offset of what it is of. */
struct memory_choice {
	const char *what, *names[4];
	size_t offset;
};

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
