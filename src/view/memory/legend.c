/*
 * The legend: what is drawn in the block view or in lists, causes of loads, letters of classes.
 */
#include "config.h"

#include <stdio.h>

#include "view/memory/blocks.h"
#include "view/pane_list.h"

enum { SAMPLE = 12 /* columns */ };

enum { BLOCKS = 1, LISTS = 2, BOTH = BLOCKS | LISTS };

#define CAUSE(name, key, help) {BOTH, {key, ROLE_METRIC_0 + MEMORY_##name, help}},
/* Where it is drawn; without a sample: a heading. */
static const struct {
	unsigned in;
	struct pane_sign sign;
} signs[] = {
    {BLOCKS, {NULL, ROLE_DIM, "Occupancy: who has the block"}},
    {BLOCKS, {"0-9 a-z", ROLE_STAGE_0, "one cache"}},
    {BLOCKS, {"+", ROLE_STAGE_0 + BLOCKS_FEW, "two or three caches"}},
    {BLOCKS, {"#", ROLE_STAGE_0 + BLOCKS_MANY, "more caches"}},
    {BLOCKS, {"underline", ROLE_TEXT, "loaded twice or more"}},
    {BLOCKS, {"---", ROLE_DIM, "another object's"}},
    {BLOCKS, {"///", ROLE_DIM, "no trace or no misses"}},
    {BLOCKS, {NULL, ROLE_DIM, "Temperature: loads and losses"}},
    {BLOCKS, {blocks_ramp, ROLE_TEXT, "1, 2, 4 to 256"}},
    {BLOCKS, {NULL, ROLE_DIM, "A block unfolded"}},
    {BLOCKS, {"R, W[2]", ROLE_TEXT, "read, word 2 written"}},
    {BLOCKS, {"- =", ROLE_TEXT, "shared, private"}},
    {BLOCKS, {") ] |", ROLE_TEXT, "taken, replaced, kept"}},
    {BLOCKS, {"*", ROLE_TEXT, "one ends, one begins"}},
    {LISTS, {NULL, ROLE_DIM, "Lists and maps"}},
    {LISTS, {">", ROLE_MARK, "selected"}},
    {LISTS, {"*", ROLE_MARK, "shares a cost with it"}},
    {LISTS, {"| .", ROLE_BORDER, "by address: another L2, L1 block"}},
    {LISTS, {"A-Z", ROLE_STAGE_0, "class, as below"}},
    {LISTS, {"-", ROLE_DIM, "class not shown"}},
    {LISTS, {"0-9", ROLE_TEXT, "in a map: cost, 9 is the dearest"}},
    {LISTS, {"CPUs", ROLE_TEXT, "from CPU 0 on: r waited to read, w to write, b both"}},
    {LISTS, {"line +", ROLE_TEXT, "where a word cost most, and others"}},
    {LISTS,
     {"upgr(ades)", ROLE_TEXT,
      "share of the waits that had to take a block from readers, to write"}},
    {LISTS, {NULL, ROLE_DIM, "Verdicts"}},
    {LISTS,
     {"false", ROLE_TEXT,
      "80 % or more of the waits for sharing, upgrades too, were for false sharing"}},
    {LISTS, {"true", ROLE_TEXT, "20 % or less were"}},
    {LISTS, {"mixed", ROLE_TEXT, "in between"}},
    {LISTS, {"not-shared", ROLE_TEXT, "less than 5 % of the waits were for sharing"}},
    {BOTH, {NULL, ROLE_DIM, "Causes of loads, by their first letters"}},
    MEMORY_CAUSES(CAUSE)
    {BOTH, {"\xe2\x89\xa4", ROLE_TEXT, "an upper bound: the trace has no word masks"}},
    {BOTH, {NULL, ROLE_DIM, "Classes of objects"}},
};
#undef CAUSE

struct pane *memory_legend(const struct memory_focus *f, bool lists)
{
	struct list_pane *list = list_pane_new(NULL);
	const struct memory_index *x = memory_lock(f->trace);

	snprintf(list->title, sizeof(list->title), "Legend");
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].in & (lists ? LISTS : BLOCKS))
			list_pane_signs(list, &signs[i].sign, 1, SAMPLE);
	for (uint32_t i = 0; i < x->class_count; i++)
		list_pane_signs(
		    list,
		    &(struct pane_sign){(const char[]){memory_class_letter(i),
						       focus_shows_class(f, i) ? 0 : '-', 0},
					memory_class_role(i), memory_class(f->trace, i)},
		    1, SAMPLE);
	memory_unlock(f->trace);
	return &list->pane;
}
