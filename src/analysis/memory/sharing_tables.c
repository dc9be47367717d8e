/*
 * What `sharing` says as sections: what JSON has by its keys people have with shares and verdicts
 * beside.
 */
#include "config.h"

#include "analysis/memory/sharing.h"

SECTION_ROWS(level, struct sharing, levels)
SECTION_ROWS(object, struct sharing, objects)
SECTION_ROWS(class, struct sharing, classes)
SECTION_ROWS(line, struct sharing, lines)
SECTION_ROWS(block, struct sharing, blocks)
SECTION_ROWS(pair, struct sharing, pairs)
SECTION_ROWS(cpu, struct sharing, cpus)
SECTION_ROWS(collision, struct sharing, collisions)

int sharing_cause_is_minor(const void *result, size_t cause)
{
	(void)result;
	return cause == MEMORY_FALSE ? -1 : cause != MEMORY_TRUE;
}

static const char *cause_told(const void *result, size_t cause)
{
	return memory_cause_told(((const struct sharing *)result)->masks, cause);
}

#define LABEL(heading_, of_)                                                                       \
	FIELD(TEXT, "label", of_, struct sharing_row, label), .heading = heading_, .derived = true
#define CYCLES(of_) FIELD(COUNT, "cycles", of_, struct sharing_row, sum.cycles)
#define FALSELY(of_)                                                                               \
	FIELD(REAL, "falsely", of_, struct sharing_row, false_share),                              \
	    .percent = true, .decimals = 1, .derived = true
#define VERDICT(of_)                                                                               \
	{FIELD(TEXT, "verdict", of_, struct sharing_row, verdict), .hidden = true},                \
	{                                                                                          \
		FIELD(TEXT, "told", of_, struct sharing_row, told), .heading = "verdict",          \
		    .derived = true                                                                \
	}
#define COST(of_)                                                                                  \
	{CYCLES(of_)},                                                                             \
	    {FIELD(REAL, "share", of_, struct sharing_row, share), .percent = true,                \
	     .decimals = 1, .derived = true},                                                      \
	    VERDICT(of_), {FALSELY(of_)},                                                          \
	{                                                                                          \
		FIELD(REAL, "upgrades", of_, struct sharing_row, upgrade_share), .percent = true,  \
		    .decimals = 1, .derived = true                                                 \
	}
#define FILLS(key_, of_, member_)                                                                  \
	FIELD(COUNT, key_, of_, struct sharing_row, member_), .parts = memory_cause_parts,         \
	    .part = memory_cause_part, .told = cause_told, .minor = sharing_cause_is_minor
#define LEVEL_FILLS(of_, derived_)                                                                 \
	{FILLS("fills_l1", of_, sum.fills[MEMORY_L1]), .heading = "L1", .blank = true,             \
	 .derived = derived_},                                                                     \
	{                                                                                          \
		FILLS("fills_l2", of_, sum.fills[MEMORY_L2]), .heading = "L2", .blank = true,      \
		    .derived = derived_                                                            \
	}

static const struct field level_fields[] = {
    {FIELD(COUNT, "level", level_of, struct sharing_row, level)},
    {FILLS("fills", level_of, fills)},
    {.key = NULL},
};

static const struct field object_fields[] = {
    {FIELD(TEXT, "name", object_of, struct sharing_row, class), .hidden = true},
    {LABEL("object", object_of)},
    COST(object_of),
    {FIELD(HEX, "address", object_of, struct sharing_row, address), .minor = field_is_minor},
    {FIELD(COUNT, "size", object_of, struct sharing_row, size), .minor = field_is_minor},
    LEVEL_FILLS(object_of, false),
    {.key = NULL},
};

static const struct field class_fields[] = {
    {FIELD(TEXT, "name", class_of, struct sharing_row, label), .heading = "class"},
    {FIELD(COUNT, "instances", class_of, struct sharing_row, instances), .heading = "objects"},
    COST(class_of),
    {FIELD(COUNT, "each", class_of, struct sharing_row, each), .derived = true},
    {.key = NULL},
};

static const struct field line_fields[] = {
    {FIELD(TEXT, "file", line_of, struct sharing_row, place.file), .hidden = true},
    {FIELD(COUNT, "line", line_of, struct sharing_row, place.line), .hidden = true},
    {LABEL("line", line_of), .path = true},
    {FIELD(TEXT, "function", line_of, struct sharing_row, place.function)},
    COST(line_of),
    LEVEL_FILLS(line_of, true),
    {.key = NULL},
};

static const struct field block_fields[] = {
    {FIELD(COUNT, "level", block_of, struct sharing_row, level)},
    {FIELD(HEX, "address", block_of, struct sharing_row, address)},
    {CYCLES(block_of)},
    VERDICT(block_of),
    {LABEL("dearest word", block_of)},
    {FIELD(COUNT, "transfers", block_of, struct sharing_row, transfers), .heading = "HITM"},
    {FALSELY(block_of)},
    {FILLS("fills", block_of, fills), .blank = true},
    {.key = NULL},
};

static const struct field end_fields[] = {
    {FIELD(TEXT, "object", NULL, struct sharing_end, object)},
    {FIELD(TEXT, "file", NULL, struct sharing_end, place.file)},
    {FIELD(COUNT, "line", NULL, struct sharing_end, place.line)},
    {FIELD(TEXT, "function", NULL, struct sharing_end, place.function)},
    {.key = NULL},
};
static const struct section end = {SECTION(OBJECT, "end", section_one_row, end_fields)};

static const void *culprit_of(const void *result, size_t row)
{
	return &((const struct sharing_pair *)pair_of(result, row))->culprit;
}

static const struct field pair_fields[] = {
    {.key = "victim", .of = pair_of, .inner = &end, .hidden = true}, /* it is first in a pair */
    {.key = "culprit", .of = culprit_of, .inner = &end, .hidden = true},
    {FIELD(TEXT, "missed", pair_of, struct sharing_pair, victim.label), .heading = "loaded again",
     .derived = true, .path = true},
    {FIELD(TEXT, "in", pair_of, struct sharing_pair, victim.place.function), .derived = true},
    {FIELD(TEXT, "wrote", pair_of, struct sharing_pair, culprit.label),
     .heading = "taken by", .derived = true, .path = true},
    {FIELD(TEXT, "from", pair_of, struct sharing_pair, culprit.place.function), .heading = "in",
     .derived = true},
    {FIELD(COUNT, "level", pair_of, struct sharing_pair, level)},
    {FIELD(COUNT, "count", pair_of, struct sharing_pair, count)},
    {FIELD(COUNT, "false", pair_of, struct sharing_pair, false_count), .heading = "falsely",
     .derived = true},
    {FIELD(COUNT, "cycles", pair_of, struct sharing_pair, cycles), .derived = true},
    {.key = NULL},
};

static const struct field cpu_fields[] = {
    {FIELD(TEXT, "cpu", cpu_of, struct sharing_row, label)},
    {CYCLES(cpu_of), .heading = "waited cycles"},
    {FIELD(REAL, "share", cpu_of, struct sharing_row, share), .percent = true, .decimals = 1,
     .heading = "of the time"},
    {FIELD(TEXT, "waited", cpu_of, struct sharing_row, class), .heading = "for"},
    {.key = NULL},
};

static const struct field collision_fields[] = {
    {FIELD(TEXT, "class", collision_of, struct sharing_pair, victim.object)},
    {FIELD(TEXT, "by", collision_of, struct sharing_pair, culprit.object), .heading = "evicted by"},
    {FIELD(COUNT, "level", collision_of, struct sharing_pair, level)},
    {FIELD(COUNT, "count", collision_of, struct sharing_pair, count)},
    {FIELD(REAL, "share", collision_of, struct sharing_pair, share), .percent = true,
     .decimals = 1},
    {FIELD(TEXT, "cause", collision_of, struct sharing_pair, cause)},
    {FIELD(COUNT, "hit", collision_of, struct sharing_pair, hit), .heading = "in sets",
     .blank = true},
    {FIELD(COUNT, "sets", collision_of, struct sharing_pair, sets), .heading = "of", .blank = true},
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

/* The first of a word says what all of them have. */
static const void *first_of(const void *result, size_t row)
{
	return ((const struct sharing_word *)word_of(result, row))->uses->touches;
}

static const void *use_of(const void *word, size_t row)
{
	return &((const struct sharing_word *)word)->uses[row];
}

static size_t use_rows(const void *word)
{
	return ((const struct sharing_word *)word)->count;
}

static size_t line_parts(const void *word)
{
	const struct sharing_use *first = use_of(word, 0), *last = first + use_rows(word) - 1;

	return (size_t)(last->touches - first->touches) + last->count;
}

static struct value use_line(const void *word, size_t row, size_t part)
{
	const struct sharing_use *use = use_of(word, row);

	return part < use->count ? value_text(use->touches[part].place.label) : value_none();
}

static const struct field use_fields[] = {
    {FIELD(COUNT, "cpu", use_of, struct sharing_use, cpu)},
    {FIELD(COUNT, "reads", use_of, struct sharing_use, reads)},
    {FIELD(COUNT, "writes", use_of, struct sharing_use, writes)},
    {FIELD_BY(TEXT, "lines", use_line), .parts = line_parts, .part_number = field_part_number,
     .shape = FIELD_LIST},
    {.key = NULL},
};
static const struct section uses = {SECTION(LIST, "cpus", use_rows, use_fields)};

static const struct field word_fields[] = {
    {TOUCH(HEX, "address", first_of, address)},
    {TOUCH(TEXT, "object", first_of, object)},
    {TOUCH(COUNT, "offset", first_of, offset)},
    {TOUCH(COUNT, "cycles", first_of, weight)},
    {.key = "cpus", .of = word_of, .inner = &uses, .hidden = true},
    {.key = NULL},
};

/* ---- all of it ---- */

static const struct field head_fields[] = {
    {FIELD(TEXT, "bound", NULL, struct sharing, bound)},
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
