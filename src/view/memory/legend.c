/*
 * The legend: what is drawn in the block view or in lists, causes of loads, and the letters of classes.
 */
#include "config.h"

#include <stdio.h>

#include "view/memory/blocks.h"
#include "view/pane_list.h"

enum { SAMPLE = 12 /* columns */ };

/* Without a sample: a heading. */
static const struct pane_sign of_blocks[] = {
    {NULL, ROLE_DIM, "Occupancy: who has the block"},
    {"0-9 a-z", ROLE_STAGE_0, "one cache"},
    {"+", ROLE_STAGE_0 + BLOCKS_FEW, "two or three caches"},
    {"#", ROLE_STAGE_0 + BLOCKS_MANY, "more caches"},
    {"underline", ROLE_TEXT, "loaded twice or more"},
    {"---", ROLE_DIM, "another object's"},
    {"///", ROLE_DIM, "no trace or no misses"},
    {NULL, ROLE_DIM, "Temperature: loads and losses"},
    {blocks_ramp, ROLE_TEXT, "1, 2, 4 to 256"},
    {NULL, ROLE_DIM, "A block unfolded"},
    {"R, W[2]", ROLE_TEXT, "read, word 2 written"},
    {"- =", ROLE_TEXT, "shared, private"},
    {") ] |", ROLE_TEXT, "taken, replaced, kept"},
    {"*", ROLE_TEXT, "one ends, one begins"},
};

static const struct pane_sign of_lists[] = {
    {NULL, ROLE_DIM, "Lists and maps"},
    {">", ROLE_MARK, "selected"},
    {"*", ROLE_MARK, "shares a cost with it"},
    {"| .", ROLE_BORDER, "by address: another L2, L1 block"},
    {"A-Z", ROLE_STAGE_0, "class, as below"},
    {"-", ROLE_DIM, "class not shown"},
    {"0-9", ROLE_TEXT, "in a map: cost, 9 is the dearest"},
    {"CPUs", ROLE_TEXT, "from CPU 0 on: r waited to read, w to write, b both"},
    {"line +", ROLE_TEXT, "where a word cost most, and others"},
    {"upgr(ades)", ROLE_TEXT, "share of the waits that had to take a block from readers, to write"},
    {NULL, ROLE_DIM, "Verdicts"},
    {"false", ROLE_TEXT, "80 % or more of the waits for sharing, upgrades too, were for false sharing"},
    {"true", ROLE_TEXT, "20 % or less were"},
    {"mixed", ROLE_TEXT, "in between"},
    {"not-shared", ROLE_TEXT, "less than 5 % of the waits were for sharing"},
};

#define CAUSE(name, key, help) {key, ROLE_METRIC_0 + MEMORY_##name, help},
static const struct pane_sign of_both[] = {
    {NULL, ROLE_DIM, "Causes of loads, by their first letters"},
    MEMORY_CAUSES(CAUSE)
    {"\xe2\x89\xa4", ROLE_TEXT, "an upper bound: the trace has no word masks"},
    {NULL, ROLE_DIM, "Classes of objects"},
};
#undef CAUSE

#define ADD(list, signs) list_pane_signs(list, signs, sizeof(signs) / sizeof((signs)[0]), SAMPLE)

struct pane *memory_legend(const struct memory_focus *f, bool lists)
{
	struct list_pane *list = list_pane_new(NULL);
	const struct memory_index *x = memory_lock(f->trace);

	snprintf(list->title, sizeof(list->title), "Legend");
	if (lists)
		ADD(list, of_lists);
	else
		ADD(list, of_blocks);
	ADD(list, of_both);
	for (uint32_t i = 0; i < x->class_count; i++)
		list_pane_signs(list, &(struct pane_sign){(const char[]){memory_class_letter(i),
							  focus_shows_class(f, i) ? 0 : '-', 0},
							  memory_class_role(i), memory_class(f->trace, i)},
				1, SAMPLE);
	memory_unlock(f->trace);
	return &list->pane;
}
