/*
 * What `sharing` says as sections: what JSON has by its keys people have with shares and verdicts
 * beside.
 */
#include "config.h"

#include "analysis/memory/sharing.h"

SECTION_ROWS(level, struct sharing, levels)
SECTION_ROWS(object, struct sharing, of[MEMORY_BY_OBJECT])
SECTION_ROWS(class, struct sharing, of[MEMORY_BY_CLASS])
SECTION_ROWS(line, struct sharing, of[MEMORY_BY_LINE])
SECTION_ROWS(block, struct sharing, of[MEMORY_BY_L1_BLOCK])
SECTION_ROWS(pair, struct sharing, pairs)
SECTION_ROWS(cpu, struct sharing, of[MEMORY_BY_CPU])
SECTION_ROWS(collision, struct sharing, collisions)

int sharing_cause_is_minor(const void *result, size_t cause)
{
	(void)result;
	return cause == MEMORY_FALSE ? -1 : cause != MEMORY_TRUE;
}

static const char *cause_told(const void *result, size_t cause)
{
	return memory_cause_told(!((const struct sharing *)result)->bound, cause);
}

#define ROW(type, key, of_, member) FIELD(type, key, of_, struct sharing_row, member)
#define LABEL(heading_, of_) ROW(TEXT, "label", of_, label), .heading = heading_, .derived = true
#define SHARE(key, of_, member)                                                                    \
	ROW(REAL, key, of_, member), .percent = true, .decimals = 1, .derived = true
#define CYCLES(of_) ROW(COUNT, "cycles", of_, sum.cycles)
#define VERDICT(of_)                                                                               \
	{ROW(TEXT, "verdict", of_, verdict), .hidden = true},                                      \
	{                                                                                          \
		ROW(TEXT, "told", of_, told), .heading = "verdict", .derived = true                \
	}
#define COST(of_)                                                                                  \
	{CYCLES(of_)}, {SHARE("share", of_, share)}, VERDICT(of_),                                 \
	    {SHARE("falsely", of_, false_share)},                                                  \
	{                                                                                          \
		SHARE("upgrades", of_, upgrade_share)                                              \
	}
#define FILLS(key, of_, member)                                                                    \
	ROW(COUNT, key, of_, member), .parts = memory_cause_parts, .part = memory_cause_part,      \
	    .told = cause_told, .minor = sharing_cause_is_minor
#define FILLS_L1(of_) FILLS("fills_l1", of_, sum.fills[MEMORY_L1]), .heading = "L1", .blank = true
#define FILLS_L2(of_) FILLS("fills_l2", of_, sum.fills[MEMORY_L2]), .heading = "L2", .blank = true

static const struct field level_fields[] = {
    {ROW(COUNT, "level", level_of, level)},
    {FILLS("fills", level_of, fills)},
    {.key = NULL},
};

static const struct field object_fields[] = {
    {ROW(TEXT, "name", object_of, of), .hidden = true},
    {LABEL("object", object_of)},
    COST(object_of),
    {ROW(HEX, "address", object_of, address), .minor = field_is_minor},
    {ROW(COUNT, "size", object_of, size), .minor = field_is_minor},
    {FILLS_L1(object_of)},
    {FILLS_L2(object_of)},
    {.key = NULL},
};

static const struct field class_fields[] = {
    {ROW(TEXT, "name", class_of, label), .heading = "class"},
    {ROW(COUNT, "instances", class_of, instances), .heading = "objects"},
    COST(class_of),
    {ROW(COUNT, "each", class_of, each), .derived = true},
    {.key = NULL},
};

static const struct field line_fields[] = {
    {ROW(TEXT, "file", line_of, place.file), .hidden = true},
    {ROW(COUNT, "line", line_of, place.line), .hidden = true},
    {LABEL("line", line_of), .path = true},
    {ROW(TEXT, "function", line_of, place.function)},
    COST(line_of),
    {FILLS_L1(line_of), .derived = true},
    {FILLS_L2(line_of), .derived = true},
    {.key = NULL},
};

static const struct field block_fields[] = {
    {ROW(COUNT, "level", block_of, level)},
    {ROW(HEX, "address", block_of, address)},
    {CYCLES(block_of)},
    VERDICT(block_of),
    {ROW(TEXT, "label", block_of, of), .heading = "dearest word", .derived = true},
    {ROW(COUNT, "transfers", block_of, transfers), .heading = "HITM"},
    {SHARE("falsely", block_of, false_share)},
    {FILLS("fills", block_of, fills), .blank = true},
    {.key = NULL},
};

#define END(type, key, member) FIELD(type, key, NULL, struct sharing_end, member)
#define PAIR(type, key, of_, member) FIELD(type, key, of_, struct sharing_pair, member)

static const struct field end_fields[] = {
    {END(TEXT, "object", object)},
    {END(TEXT, "file", place.file)},
    {END(COUNT, "line", place.line)},
    {END(TEXT, "function", place.function)},
    {.key = NULL},
};
static const struct section end = {SECTION(OBJECT, "end", section_one_row, end_fields)};

static const struct field pair_fields[] = {
    {PAIR(NONE, "victim", pair_of, victim), .inner = &end, .hidden = true},
    {PAIR(NONE, "culprit", pair_of, culprit), .inner = &end, .hidden = true},
    {PAIR(TEXT, "missed", pair_of, victim.label), .heading = "loaded again", .derived = true,
     .path = true},
    {PAIR(TEXT, "in", pair_of, victim.place.function), .derived = true},
    {PAIR(TEXT, "wrote", pair_of, culprit.label), .heading = "taken by", .derived = true,
     .path = true},
    {PAIR(TEXT, "from", pair_of, culprit.place.function), .heading = "in", .derived = true},
    {PAIR(COUNT, "level", pair_of, level)},
    {PAIR(COUNT, "count", pair_of, count)},
    {PAIR(COUNT, "false", pair_of, false_count), .heading = "falsely", .derived = true},
    {PAIR(COUNT, "cycles", pair_of, cycles), .derived = true},
    {.key = NULL},
};

static const struct field cpu_fields[] = {
    {ROW(TEXT, "cpu", cpu_of, label)},
    {CYCLES(cpu_of), .heading = "waited cycles"},
    {SHARE("share", cpu_of, share), .heading = "of the time"},
    {ROW(TEXT, "waited", cpu_of, of), .heading = "for"},
    {.key = NULL},
};

static const struct field collision_fields[] = {
    {PAIR(TEXT, "class", collision_of, victim.object)},
    {PAIR(TEXT, "by", collision_of, culprit.object), .heading = "evicted by"},
    {PAIR(COUNT, "level", collision_of, level)},
    {PAIR(COUNT, "count", collision_of, count)},
    {PAIR(REAL, "share", collision_of, share), .percent = true, .decimals = 1},
    {PAIR(TEXT, "cause", collision_of, cause)},
    {PAIR(COUNT, "hit", collision_of, hit), .heading = "in sets", .blank = true},
    {PAIR(COUNT, "sets", collision_of, sets), .heading = "of", .blank = true},
    {.key = NULL},
};

/* ---- words by CPU and source line ---- */

SECTION_ROWS(touch, struct sharing_words, touches)
SECTION_ROWS(word, struct sharing_words, words)

#define TOUCH(type, key, of, member) FIELD(type, key, of, struct sharing_touch, member)

static const struct field touch_fields[] = {
    {TOUCH(HEX, "address", touch_of, address), .hidden = true},
    {TOUCH(HEX, "offset", touch_of, offset), .derived = true},
    {TOUCH(TEXT, "word", touch_of, name)},
    {TOUCH(TEXT, "file", touch_of, place.file), .hidden = true},
    {TOUCH(COUNT, "line", touch_of, place.line), .hidden = true},
    {TOUCH(TEXT, "at", touch_of, place.label), .heading = "line", .path = true, .derived = true},
    {TOUCH(TEXT, "function", touch_of, place.function)},
    {TOUCH(COUNT, "cpu", touch_of, cpu), .heading = "CPU"},
    {TOUCH(COUNT, "reads", touch_of, reads)},
    {TOUCH(COUNT, "writes", touch_of, writes)},
    {TOUCH(COUNT, "cycles", touch_of, cycles)},
    {.key = NULL},
};

static size_t group_rows(const void *group)
{
	return ((const struct sharing_touch *)group)->count;
}

static const void *use_of(const void *group, size_t row)
{
	return &((const struct sharing_touch *)group)->first[row];
}

static const struct field use_lines[] = {
    {TOUCH(TEXT, "lines", use_of, place.label), .parts = group_rows,
     .stride = sizeof(struct sharing_touch), .part_number = field_part_number, .shape = FIELD_LIST},
    {.key = NULL},
};
static const struct section lines_of_use = {SECTION(FIELDS, "lines", group_rows, use_lines)};

static const struct field use_fields[] = {
    {TOUCH(COUNT, "cpu", use_of, cpu)},
    {TOUCH(COUNT, "reads", use_of, reads)},
    {TOUCH(COUNT, "writes", use_of, writes)},
    {.key = "lines", .of = use_of, .inner = &lines_of_use, .hidden = true},
    {.key = NULL},
};
static const struct section uses = {SECTION(LIST, "cpus", group_rows, use_fields)};

static const struct field word_fields[] = {
    {TOUCH(HEX, "address", word_of, address)},
    {TOUCH(TEXT, "object", word_of, object)},
    {TOUCH(COUNT, "offset", word_of, offset)},
    {TOUCH(COUNT, "cycles", word_of, weight)},
    {.key = "cpus", .of = word_of, .inner = &uses, .hidden = true},
    {.key = NULL},
};

/* ---- all of it ---- */

static const struct field head_fields[] = {
    {FIELD(TEXT, "bound", NULL, struct sharing, bound)},
    {FIELD(TEXT, "geometry", NULL, struct sharing, geometry)},
    {.key = NULL},
};

const struct section sharing_sections[] = {
    {SECTION(LIST, "words", word_rows, word_fields), .hidden = true},
    {SECTION(LIST, "touches", touch_rows, touch_fields),
     .title = "words by CPU and source line: reads and writes that waited"},
    [SHARING_WORDLESS] =
	{SECTION(LIST, "levels", level_rows, level_fields), .title = "loads by level and cause",
	 .whole = true},
    {SECTION(LIST, "objects", object_rows, object_fields)},
    {SECTION(LIST, "classes", class_rows, class_fields)},
    {SECTION(LIST, "lines", line_rows, line_fields)},
    {SECTION(LIST, "blocks", block_rows, block_fields)},
    {SECTION(LIST, "pairs", pair_rows, pair_fields), .title = "who took blocks from whom"},
    {SECTION(LIST, "cpus", cpu_rows, cpu_fields), .title = "waiting by CPU", .derived = true},
    {SECTION(LIST, "collisions", collision_rows, collision_fields),
     .title = "replacement: what pushes what out (sets are inferred)", .derived = true},
    {SECTION(FIELDS, "", section_one_row, head_fields), .hidden = true},
    {.key = NULL},
};
