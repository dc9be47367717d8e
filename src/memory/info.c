/*
 * What `info` says of a trace of shared memory; why blocks were loaded is said by `sharing`.
 */
#include "config.h"

#include <stdlib.h>

#include "memory/memory_private.h"

struct level {
	const char *name;
	uint64_t caches, block_bytes, blocks;
};

struct info {
	uint64_t stays, references, objects, classes, words, lines;
	uint64_t radix;
	const char *geometry, *verdicts, *invalidations, *level2, *waits;
	struct level levels[MEMORY_LEVELS];
};

void *memory_info_make(struct trace *t)
{
	struct info *info = calloc(1, sizeof(*info));
	const struct memory_index *x;

	if (!info)
		return NULL;
	x = memory_lock(t);
	*info = (struct info){
	    .stays = x->stay_count,
	    .references = x->reference_count,
	    .objects = x->object_count,
	    .classes = x->class_count,
	    .words = x->word_count,
	    .lines = x->line_count,
	    .radix = x->radix,
	    .geometry = x->guessed ? "guessed: give --geom" : "given",
	    .verdicts = x->masks
			    ? "exact: loads say which words others wrote"
			    : "false and inclusion are upper bounds: the trace has no word masks",
	    .invalidations = x->by_taker ? "name the CPU that takes the block"
					 : "name the CPU that loses the block",
	    .level2 = x->cache_ids ? "named by cache" : "named by CPU",
	    .waits = x->at_end ? "end with their loads" : "begin with their loads",
	    .levels = {{"L1", x->caches[MEMORY_L1], x->block_bytes[MEMORY_L1], 0},
		       {"L2", x->caches[MEMORY_L2], x->block_bytes[MEMORY_L2], 0}},
	};
	for (uint32_t i = 0; i < x->block_count; i++)
		info->levels[x->blocks[i].level].blocks++;
	memory_unlock(t);
	return info;
}

static const struct field whole_fields[] = {
    {FIELD(COUNT, "spans", NULL, struct info, stays), .heading = "stays"},
    {FIELD(COUNT, "references", NULL, struct info, references)},
    {FIELD(COUNT, "objects", NULL, struct info, objects)},
    {FIELD(COUNT, "classes", NULL, struct info, classes)},
    {FIELD(COUNT, "words", NULL, struct info, words)},
    {FIELD(COUNT, "source_lines", NULL, struct info, lines), .heading = "source lines"},
    {FIELD(COUNT, "radix", NULL, struct info, radix)},
    {FIELD(TEXT, "geometry", NULL, struct info, geometry), .heading = "blocks, caches"},
    {FIELD(TEXT, "verdicts", NULL, struct info, verdicts)},
    {FIELD(TEXT, "invalidations", NULL, struct info, invalidations), .heading = "losses"},
    {FIELD(TEXT, "level2", NULL, struct info, level2), .heading = "L2 caches"},
    {FIELD(TEXT, "waits", NULL, struct info, waits)},
    {0},
};

/* ---- levels ---- */

static size_t level_rows(const void *result)
{
	(void)result;
	return MEMORY_LEVELS;
}

static const void *level_of(const void *result, size_t row)
{
	return &((const struct info *)result)->levels[row];
}

size_t memory_cause_parts(const void *result)
{
	(void)result;
	return MEMORY_CAUSE_COUNT;
}

const char *memory_cause_part(const void *result, size_t part)
{
	(void)result;
	return memory_cause_names[part];
}

const char *memory_cause_told(bool masks, size_t part)
{
	return !masks && part == MEMORY_FALSE       ? "false≤"
	       : !masks && part == MEMORY_INCLUSION ? "inclusion≤"
						    : memory_cause_names[part];
}

static const struct field level_fields[] = {
    {FIELD(TEXT, "level", level_of, struct level, name)},
    {FIELD(COUNT, "caches", level_of, struct level, caches)},
    {FIELD(COUNT, "block_bytes", level_of, struct level, block_bytes), .heading = "block bytes"},
    {FIELD(COUNT, "blocks", level_of, struct level, blocks)},
    {0},
};

const struct section memory_info_sections[] = {
    {.key = "", .rows = section_one_row, .fields = whole_fields, .form = SECTION_FIELDS},
    {SECTION(LIST, "levels", level_rows, level_fields), .title = "caches"},
    {0},
};
