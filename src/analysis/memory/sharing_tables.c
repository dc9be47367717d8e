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

#define END_FIELDS(end_)                                                                           \
	{FIELD(TEXT, "object", NULL, struct sharing_pair, end_.object)},                           \
	    {FIELD(TEXT, "file", NULL, struct sharing_pair, end_.place.file)},                     \
	    {FIELD(COUNT, "line", NULL, struct sharing_pair, end_.place.line)},                    \
	    {FIELD(TEXT, "function", NULL, struct sharing_pair, end_.place.function)},             \
	{                                                                                          \
		.key = NULL                                                                        \
	}

static const struct field victim_fields[] = {END_FIELDS(victim)};
static const struct field culprit_fields[] = {END_FIELDS(culprit)};
static const struct section victim = {SECTION(OBJECT, "victim", section_one_row, victim_fields)};
static const struct section culprit = {SECTION(OBJECT, "culprit", section_one_row, culprit_fields)};

static const struct field pair_fields[] = {
    {.key = "victim", .of = pair_of, .inner = &victim, .hidden = true},
    {.key = "culprit", .of = pair_of, .inner = &culprit, .hidden = true},
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
    {FIELD(TEXT, "sets", collision_of, struct sharing_pair, sets_told), .heading = "sets hit"},
    {.key = NULL},
};

/* ---- words and lines by CPU: one that touched nothing of it has no column ---- */

SECTION_ROWS(pointer, struct sharing_words, rows)
SECTION_ROWS(touch, struct sharing_words, touches)

static const void *row_of(const void *result, size_t row)
{
	return *(const struct sharing_touch *const *)pointer_of(result, row);
}

static size_t cpu_parts(const void *result)
{
	return ((const struct sharing_words *)result)->cpus;
}

static struct value cpu_mark(const void *result, size_t row, size_t part)
{
	return value_text(sharing_words_mark(row_of(result, row), part));
}

#define TOUCH_FIELD(type, key, of, member) FIELD(type, key, of, struct sharing_touch, member)

static const struct field row_fields[] = {
    {TOUCH_FIELD(HEX, "offset", row_of, offset)},
    {TOUCH_FIELD(TEXT, "word", row_of, name)},
    {TOUCH_FIELD(TEXT, "line", row_of, place.label), .path = true},
    {TOUCH_FIELD(TEXT, "function", row_of, place.function)},
    {TOUCH_FIELD(COUNT, "cycles", row_of, row_cycles)},
    {FIELD_BY(TEXT, "cpus", cpu_mark), .parts = cpu_parts, .part_number = field_part_number},
    {.key = NULL},
};

const struct section sharing_words_section = {SECTION(LIST, "words", pointer_rows, row_fields)};

/* ---- all touches, and what they are of a word and a CPU ---- */

static const struct field touch_fields[] = {
    {TOUCH_FIELD(HEX, "address", touch_of, address), .hidden = true},
    {TOUCH_FIELD(TEXT, "word", touch_of, name)},
    {TOUCH_FIELD(TEXT, "file", touch_of, place.file), .hidden = true},
    {TOUCH_FIELD(COUNT, "line", touch_of, place.line), .hidden = true},
    {TOUCH_FIELD(TEXT, "at", touch_of, place.label), .heading = "line", .path = true, .derived = true},
    {TOUCH_FIELD(TEXT, "function", touch_of, place.function)},
    {TOUCH_FIELD(COUNT, "cpu", touch_of, cpu), .heading = "CPU"},
    {TOUCH_FIELD(COUNT, "reads", touch_of, reads)},
    {TOUCH_FIELD(COUNT, "writes", touch_of, writes)},
    {TOUCH_FIELD(COUNT, "cycles", touch_of, cycles)},
    {.key = NULL},
};

/* Of a word those of a CPU. */
static const void *use_of(const void *word, size_t row)
{
	const struct sharing_touch *use = word;

	while (row--)
		use += sharing_words_run(use, true);
	return use;
}

static size_t use_rows(const void *word)
{
	return ((const struct sharing_touch *)word)->runs;
}

static size_t use_line_parts(const void *word)
{
	return ((const struct sharing_touch *)word)->longest;
}

static struct value use_line(const void *word, size_t row, size_t part)
{
	const struct sharing_touch *use = use_of(word, row);

	return part < sharing_words_run(use, true) ? value_text(use[part].place.label) : value_none();
}

static const struct field use_fields[] = {
    {TOUCH_FIELD(COUNT, "cpu", use_of, cpu)},
    {TOUCH_FIELD(COUNT, "reads", use_of, run_reads)},
    {TOUCH_FIELD(COUNT, "writes", use_of, run_writes)},
    {FIELD_BY(TEXT, "lines", use_line), .parts = use_line_parts, .part_number = field_part_number,
     .shape = FIELD_LIST},
    {.key = NULL},
};
static const struct section uses = {SECTION(LIST, "cpus", use_rows, use_fields)};

static const struct field word_fields[] = {
    {TOUCH_FIELD(HEX, "address", row_of, address)},
    {TOUCH_FIELD(TEXT, "object", row_of, object)},
    {TOUCH_FIELD(COUNT, "offset", row_of, offset)},
    {TOUCH_FIELD(COUNT, "cycles", row_of, row_cycles)},
    {.key = "cpus", .of = row_of, .inner = &uses, .hidden = true},
    {.key = NULL},
};

/* ---- all of it ---- */

static const struct field head_fields[] = {
    {FIELD(TEXT, "bound", NULL, struct sharing, bound)},
    {.key = NULL},
};

const struct section sharing_sections[] = {
    {SECTION(LIST, "words", pointer_rows, word_fields), .hidden = true},
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
