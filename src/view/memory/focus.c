#include "config.h"

#include "view/memory/focus.h"

struct memory_selection focus_selection(const struct memory_focus *f, const struct memory_index *x)
{
	struct memory_selection s = {.of = {[MEMORY_BY_LINE] = f->line,
					    [MEMORY_BY_OBJECT] = f->object,
					    [MEMORY_BY_CLASS] = f->class,
					    [MEMORY_BY_WORD] = f->word}};

	for (int by = 0; by < MEMORY_BY_L1_BLOCK; by++)
		s.chosen[by] = s.of[by] != MEMORY_NONE;
	if (f->block < x->block_count) {
		const enum memory_thing by =
		    memory_by_block((enum memory_level)x->blocks[f->block].level);

		s.chosen[by] = true;
		s.of[by] = f->block;
	}
	return s;
}
