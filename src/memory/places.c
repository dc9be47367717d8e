/*
 * Numbers of what records name: words, blocks, lines of the source, cells, and pairs of those that
 * have to do with each other.
 *
 * Words and blocks are looked for together: the L2 block around them, an area, has the numbers of all
 * that lies in it. Most records are of the area of the one before them, and most references of a word
 * like the last one of it: these are found without looking.
 */
#include "config.h"

#include <stdlib.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum { SOURCE_DIGITS = 6 }; /* of a line's number */

/* What is looked for. */
enum place { AREAS, LINES, CELLS, CULPRITS, EVICTIONS, PLACE_COUNT };

struct memory_places {
	struct ids *ids[PLACE_COUNT];
	unsigned shift[MEMORY_LEVELS]; /* of block addresses */
	/* By area, which is an L2 block: its number, those of its L1 blocks, then of its words; or NONE. */
	VEC(uint32_t) numbers;
	uint32_t words_at, area_size;    /* where words are in an area, and how many numbers it has */
	uint32_t word_count, block_count; /* that have numbers */
	uint64_t last_area, last_source;
	uint32_t last_at, last_line; /* of them; MEMORY_NONE: none yet */
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

/* Numbers of what lies around an address. NULL: no memory. */
static uint32_t *area_at(struct memory_places *p, uint64_t address)
{
	const uint64_t area = address >> p->shift[MEMORY_L2];
	const size_t next = p->numbers.count / p->area_size;

	if (area != p->last_area || p->last_at == MEMORY_NONE) {
		p->last_area = area;
		p->last_at = number(p, AREAS, ids_number(p->ids[AREAS], area), next);
		if (p->last_at == MEMORY_NONE)
			return NULL;
	}
	while (p->numbers.count / p->area_size <= p->last_at)
		if (!vec_push(&p->numbers, MEMORY_NONE))
			return NULL;
	return p->numbers.data + (size_t)p->last_at * p->area_size;
}

static uint64_t within(const struct memory_places *p, uint64_t address)
{
	return address & ((UINT64_C(1) << p->shift[MEMORY_L2]) - 1);
}

static uint32_t number_block(struct memory_places *p, uint32_t *area, enum memory_level level,
			     uint64_t address)
{
	uint32_t *block = level == MEMORY_L2
			      ? area
			      : area + 1 + (within(p, address) >> p->shift[MEMORY_L1]);

	if (*block == MEMORY_NONE)
		*block = p->block_count++;
	return *block;
}

static uint32_t number_word(struct memory_places *p, uint32_t *area, uint64_t address)
{
	uint32_t *word = area + p->words_at + within(p, address) / WORD_BYTES;

	if (*word == MEMORY_NONE)
		*word = p->word_count++;
	return *word;
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

	if (source == p->last_source && p->last_line != MEMORY_NONE)
		return p->last_line;
	p->last_source = source;
	p->last_line = number(p, LINES, ids_number(p->ids[LINES], source), next);
	if (p->last_line == next && !vec_push(&m->source_lines, split_source(m, source)))
		p->last_line = MEMORY_NONE;
	return p->last_line;
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
	uint32_t *area;

	r->word = r->line = r->victim_block = r->block[MEMORY_L1] = r->block[MEMORY_L2] = MEMORY_NONE;
	if (replaces && (area = area_at(p, r->victim)))
		r->victim_block = number_block(p, area, r->level, r->victim);
	area = area_at(p, r->address);
	if (!area || p->block_count >= MEMORY_NONE - 2 || p->word_count == MEMORY_NONE)
		return false;
	if (replaces || r->letter == 'e' || r->letter == 'f' || r->letter == 'p') {
		r->block[r->level] = number_block(p, area, r->level, r->address);
		return !replaces || (r->victim_block != MEMORY_NONE &&
				     count_eviction(m, r->victim_block, r->block[r->level]));
	}
	r->block[MEMORY_L1] = number_block(p, area, MEMORY_L1, r->address);
	r->block[MEMORY_L2] = number_block(p, area, MEMORY_L2, r->address);
	r->word = number_word(p, area, r->address);
	r->line = number_line(m, r->source);
	return r->line != MEMORY_NONE;
}

/* ---- for the one that takes records ---- */

/* A number is the next as long as what it is of is new. */
static bool meet_block(struct memory *m, uint32_t number, enum memory_level level, uint64_t address)
{
	const unsigned shift = m->places->shift[level];
	const struct memory_block block = {.address = address >> shift << shift,
					   .level = (uint8_t)level,
					   .word = MEMORY_NONE,
					   .owner = UINT16_MAX,
					   .holdings = MEMORY_NONE};

	return number != m->blocks.count || vec_push(&m->blocks, block);
}

bool memory_meet(struct memory *m, const struct memory_record *r)
{
	const struct memory_word word = {.address = r->address - r->address % WORD_BYTES,
					 .block = {r->block[MEMORY_L1], r->block[MEMORY_L2]},
					 .object = MEMORY_NONE,
					 .cell = MEMORY_NONE,
					 .writer = UINT16_MAX};
	const bool is_new = r->word == m->words.count;

	if (!meet_block(m, r->victim_block, r->level, r->victim) ||
	    !meet_block(m, r->block[MEMORY_L1], MEMORY_L1, r->address) ||
	    !meet_block(m, r->block[MEMORY_L2], MEMORY_L2, r->address) ||
	    (is_new && !vec_push(&m->words, word)))
		return false;
	for (int level = 0; is_new && level < MEMORY_LEVELS; level++)
		if (m->blocks.data[r->block[level]].word == MEMORY_NONE)
			m->blocks.data[r->block[level]].word = r->word;
	return true;
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
	p->last_at = p->last_line = MEMORY_NONE;
	for (unsigned level = 0; level < MEMORY_LEVELS; level++)
		p->shift[level] = (unsigned)__builtin_ctz(m->index.block_bytes[level]);
	p->words_at = 1 + (m->index.block_bytes[MEMORY_L2] >> p->shift[MEMORY_L1]);
	p->area_size = p->words_at + m->index.block_bytes[MEMORY_L2] / WORD_BYTES;
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
	vec_free(&p->numbers);
	free(p);
	m->places = NULL;
}
