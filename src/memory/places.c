/*
 * Numbers of what records name: words, blocks, lines of the source, cells, and pairs of those that
 * have to do with each other.
 *
 * Most records name what the one before them did, and most references of a word are like the last one
 * of it: these are found without looking.
 */
#include "config.h"

#include <stdlib.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum { SOURCE_DIGITS = 6 }; /* of a line's number */

/* What has numbers. */
#define PLACES(_) _(BLOCKS) _(WORDS) _(LINES) _(CELLS) _(CULPRITS) _(EVICTIONS)

enum place {
#define PLACE_ENUM(name) name,
	PLACES(PLACE_ENUM)
#undef PLACE_ENUM
	    PLACE_COUNT
};

struct memory_places {
	struct ids *ids[PLACE_COUNT];
	unsigned shift[MEMORY_LEVELS]; /* of block addresses */
	VEC(uint32_t) last_cells;      /* by word: of its last reference; MEMORY_NONE */
	uint64_t last_address, last_source;
	uint32_t last_word, last_line; /* MEMORY_NONE: none yet */
};

static uint32_t no_memory(struct memory *m)
{
	m->lines.failed = true;
	return MEMORY_NONE;
}

/* The row of an id: `next` if it is new, which the caller adds then. */
static uint32_t number(struct memory *m, enum place place, uint64_t hash, size_t next)
{
	struct id *id = ids_at(m->places->ids[place], hash);

	if (!id || next >= MEMORY_NONE)
		return no_memory(m);
	if (id->row == IDS_NONE)
		id->row = (uint32_t)next;
	return id->row;
}

static uint32_t find_block(struct memory *m, enum memory_level level, uint64_t address)
{
	const struct memory_places *p = m->places;
	const uint64_t block = address >> p->shift[level];
	const struct memory_block made = {.address = block << p->shift[level],
					  .level = (uint8_t)level};
	const size_t next = m->blocks.count;
	const uint32_t row =
	    number(m, BLOCKS, ids_number(p->ids[BLOCKS], block << 1 | level), next);

	return row == next && !vec_push(&m->blocks, made) ? no_memory(m) : row;
}

uint32_t memory_block_number(struct memory *m, enum memory_level level, uint64_t address)
{
	const struct memory_places *p = m->places;

	if (p->last_word != MEMORY_NONE && !((address ^ p->last_address) >> p->shift[level]))
		return m->words.data[p->last_word].block[level];
	return find_block(m, level, address);
}

static uint32_t add_word(struct memory *m, uint64_t address)
{
	struct memory_word word = {.address = address, .object = MEMORY_NONE};

	for (unsigned level = 0; level < MEMORY_LEVELS; level++)
		word.block[level] = find_block(m, level, address);
	if (!vec_push(&m->places->last_cells, MEMORY_NONE) || !vec_push(&m->words, word))
		return no_memory(m);
	return (uint32_t)m->words.count - 1;
}

uint32_t memory_word_number(struct memory *m, uint64_t address)
{
	struct memory_places *p = m->places;
	const size_t next = m->words.count;

	address -= address % WORD_BYTES;
	if (address == p->last_address && p->last_word != MEMORY_NONE)
		return p->last_word;
	p->last_address = address;
	p->last_word = number(m, WORDS, ids_number(p->ids[WORDS], address), next);
	if (p->last_word == next)
		p->last_word = add_word(m, address);
	return p->last_word;
}

/* A file's number, and behind it six digits of the line's. */
static struct memory_line split_source(const struct memory *m, uint64_t source)
{
	uint64_t lines = 1;

	for (int digit = 0; digit < SOURCE_DIGITS; digit++)
		lines *= m->index.radix;
	return (struct memory_line){source / lines < MEMORY_NONE ? (uint32_t)(source / lines)
								 : MEMORY_NONE - 1,
				    (uint32_t)(source % lines)};
}

uint32_t memory_line_number(struct memory *m, uint64_t source)
{
	struct memory_places *p = m->places;
	const size_t next = m->source_lines.count;

	if (source == p->last_source && p->last_line != MEMORY_NONE)
		return p->last_line;
	p->last_source = source;
	p->last_line = number(m, LINES, ids_number(p->ids[LINES], source), next);
	if (p->last_line == next && !vec_push(&m->source_lines, split_source(m, source)))
		return no_memory(m);
	return p->last_line;
}

static bool is_cell(const struct memory_cell *cell, uint32_t object, uint32_t line, uint32_t cpu)
{
	return cell->object == object && cell->line == line && cell->cpu == cpu;
}

static uint32_t find_cell(struct memory *m, const struct memory_cell *cell)
{
	const uint64_t parts[] = {(uint64_t)cell->word << 32 | cell->object,
				  (uint64_t)cell->line << 32 | cell->cpu};
	const size_t next = m->cells.count;
	const uint32_t row =
	    number(m, CELLS, ids_numbers(m->places->ids[CELLS], parts, 2), next);

	return row == next && !vec_push(&m->cells, *cell) ? no_memory(m) : row;
}

uint32_t memory_cell_number(struct memory *m, uint32_t word, uint32_t object, uint32_t line,
			    uint32_t cpu)
{
	const struct memory_cell cell = {
	    .word = word, .object = object, .line = line, .cpu = (uint16_t)cpu};
	uint32_t *last = &m->places->last_cells.data[word];

	if (*last == MEMORY_NONE || !is_cell(&m->cells.data[*last], object, line, cpu))
		*last = find_cell(m, &cell);
	return *last;
}

void memory_count_culprit(struct memory *m, const struct memory_culprit *key, uint32_t cycles)
{
	const uint64_t parts[] = {(uint64_t)key->victim_object << 32 | key->victim_line,
				  (uint64_t)key->object << 32 | key->line,
				  (uint64_t)key->level << 8 | key->cause};
	const size_t next = m->culprits.count;
	const uint32_t row =
	    number(m, CULPRITS, ids_numbers(m->places->ids[CULPRITS], parts, 3), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->culprits, *key))) {
		no_memory(m);
		return;
	}
	m->culprits.data[row].count++;
	m->culprits.data[row].cycles += cycles;
}

void memory_count_eviction(struct memory *m, uint32_t victim, uint32_t by)
{
	const struct memory_eviction made = {victim, by, 0};
	const struct ids *ids = m->places->ids[EVICTIONS];
	const size_t next = m->evictions.count;
	const uint32_t row =
	    number(m, EVICTIONS, ids_number(ids, (uint64_t)victim << 32 | by), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->evictions, made)))
		no_memory(m);
	else
		m->evictions.data[row].count++;
}

bool memory_places_begin(struct memory *m)
{
	struct memory_places *p = calloc(1, sizeof(*p));

	m->places = p;
	if (!p)
		return false;
	p->last_word = p->last_line = MEMORY_NONE;
	for (unsigned level = 0; level < MEMORY_LEVELS; level++)
		p->shift[level] = (unsigned)__builtin_ctz(m->index.block_bytes[level]);
	for (size_t i = 0; i < PLACE_COUNT; i++)
		if (!(p->ids[i] = ids_new()))
			return false;
	return true;
}

void memory_places_free(struct memory *m)
{
	struct memory_places *p = m->places;

	if (!p)
		return;
	for (size_t i = 0; i < PLACE_COUNT; i++)
		ids_free(p->ids[i]);
	vec_free(&p->last_cells);
	free(p);
	m->places = NULL;
}
