/*
 * Numbers of what records name: words, blocks, lines of the source, cells, and pairs of those that
 * have to do with each other. Most references of a word are like the last one of it: their cell is
 * found without looking.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum { SOURCE_DIGITS = 6 }; /* of a line's number */

/* What is looked for. */
enum place { WORDS, BLOCKS, LINES, CELLS, CULPRITS, EVICTIONS, PLACE_COUNT };

/* The blocks around a word. */
struct around {
	uint32_t block[MEMORY_LEVELS];
};

struct memory_places {
	struct ids *ids[PLACE_COUNT];
	unsigned shift[MEMORY_LEVELS]; /* of block addresses */
	VEC(struct around) words; /* that have numbers */
	uint32_t block_count;     /* the same */
};

static uint32_t no_memory(struct memory *m)
{
	m->lines.failed = true;
	return MEMORY_NONE;
}

/* The row of an id: `next` if it is new, which the caller adds then. MEMORY_NONE: no memory. */
static uint32_t number(const struct memory_places *p, enum place place, uint64_t hash, size_t next)
{
	struct id *id = ids_at(p->ids[place], hash);

	if (!id || next >= MEMORY_NONE)
		return MEMORY_NONE;
	if (id->row == IDS_NONE)
		id->row = (uint32_t)next;
	return id->row;
}

/* ---- for the thread that reads ---- */

/* As those below it: MEMORY_NONE: no memory. */
static uint32_t number_block(struct memory_places *p, enum memory_level level, uint64_t address)
{
	const uint64_t block = address >> p->shift[level] << 1 | level; /* of words at least */
	const uint32_t row = number(p, BLOCKS, ids_number(p->ids[BLOCKS], block), p->block_count);

	p->block_count += row == p->block_count;
	return row;
}

static uint32_t number_word(struct memory_places *p, uint64_t address)
{
	const uint64_t word = address / WORD_BYTES;
	const size_t next = p->words.count;
	const uint32_t row = number(p, WORDS, ids_number(p->ids[WORDS], word), next);
	struct around around;

	if (row != next)
		return row;
	for (unsigned level = 0; level < MEMORY_LEVELS; level++) {
		around.block[level] = number_block(p, level, address);
		if (around.block[level] == MEMORY_NONE)
			return MEMORY_NONE;
	}
	return vec_push(&p->words, around) ? row : MEMORY_NONE;
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

static uint32_t number_line(struct memory *m, uint64_t source)
{
	struct memory_places *p = m->places;
	const size_t next = m->source_lines.count;
	const uint32_t row = number(p, LINES, ids_number(p->ids[LINES], source), next);

	return row == next && !vec_push(&m->source_lines, split_source(m, source)) ? MEMORY_NONE : row;
}

/* Which block had to go for which. */
static bool count_eviction(struct memory *m, uint32_t victim, uint32_t by)
{
	const struct memory_eviction made = {victim, by, 0};
	const struct ids *ids = m->places->ids[EVICTIONS];
	const size_t next = m->evictions.count;
	const uint32_t row =
	    number(m->places, EVICTIONS, ids_number(ids, (uint64_t)victim << 32 | by), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->evictions, made)))
		return false;
	m->evictions.data[row].count++;
	return true;
}

bool memory_number(struct memory *m, struct memory_record *r)
{
	struct memory_places *p = m->places;
	const bool replaces = r->letter == 'a' || r->letter == 'b';

	r->word = r->line = r->victim_block = r->block[MEMORY_L1] = r->block[MEMORY_L2] = MEMORY_NONE;
	if (replaces && (r->victim_block = number_block(p, r->level, r->victim)) == MEMORY_NONE)
		return false;
	if (replaces || r->letter == 'e' || r->letter == 'f' || r->letter == 'p') {
		r->block[r->level] = number_block(p, r->level, r->address);
		return r->block[r->level] != MEMORY_NONE &&
		       (!replaces || count_eviction(m, r->victim_block, r->block[r->level]));
	}
	r->word = number_word(p, r->address);
	r->line = number_line(m, r->source);
	if (r->word == MEMORY_NONE || r->line == MEMORY_NONE)
		return false;
	memcpy(r->block, p->words.data[r->word].block, sizeof(r->block));
	return true;
}

/* ---- for the one that takes records ---- */

/* A number is the next as long as what it is of is new. */
static bool meet_block(struct memory *m, uint32_t number, enum memory_level level, uint64_t address)
{
	const unsigned shift = m->places->shift[level];
	const struct memory_block block = {.address = address >> shift << shift,
					   .level = (uint8_t)level,
					   .owner = UINT16_MAX};

	return number != m->blocks.count || vec_push(&m->blocks, block);
}

bool memory_meet(struct memory *m, const struct memory_record *r)
{
	const struct memory_word word = {.address = r->address - r->address % WORD_BYTES,
					 .block = {r->block[MEMORY_L1], r->block[MEMORY_L2]},
					 .object = MEMORY_NONE,
					 .cell = MEMORY_NONE,
					 .writer = UINT16_MAX};

	return meet_block(m, r->victim_block, r->level, r->victim) &&
	       meet_block(m, r->block[MEMORY_L1], MEMORY_L1, r->address) &&
	       meet_block(m, r->block[MEMORY_L2], MEMORY_L2, r->address) &&
	       (r->word != m->words.count || vec_push(&m->words, word));
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
	    number(m->places, CELLS, ids_numbers(m->places->ids[CELLS], parts, 2), next);

	return row == MEMORY_NONE || (row == next && !vec_push(&m->cells, *cell)) ? no_memory(m) : row;
}

uint32_t memory_cell_number(struct memory *m, uint32_t word, uint32_t object, uint32_t line,
			    uint32_t cpu)
{
	const struct memory_cell cell = {
	    .word = word, .object = object, .line = line, .cpu = (uint16_t)cpu};
	uint32_t *last = &m->words.data[word].cell;

	if (*last == MEMORY_NONE || !is_cell(&m->cells.data[*last], object, line, cpu))
		*last = find_cell(m, &cell);
	return *last;
}

uint32_t memory_count_culprit(struct memory *m, const struct memory_culprit *key)
{
	const uint64_t parts[] = {(uint64_t)key->victim_object << 32 | key->victim_line,
				  (uint64_t)key->object << 32 | key->line,
				  (uint64_t)key->level << 8 | key->cause};
	const size_t next = m->culprits.count;
	const uint32_t row =
	    number(m->places, CULPRITS, ids_numbers(m->places->ids[CULPRITS], parts, 3), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->culprits, *key)))
		return no_memory(m);
	m->culprits.data[row].count++;
	return row;
}

bool memory_places_begin(struct memory *m)
{
	struct memory_places *p = calloc(1, sizeof(*p));

	m->places = p;
	if (!p)
		return false;
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
	vec_free(&p->words);
	free(p);
	m->places = NULL;
}
