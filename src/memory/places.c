/*
 * Numbers of what records name: words, blocks, lines of the source, cells, and pairs of those that
 * have to do with each other.
 *
 * Words and blocks are looked for together: the L2 block around them, an area, has the numbers of
 * all that lies in it. Most records are of the area of the one before them, and most references of
 * a word like the last one of it: these are found without looking.
 */
#include "config.h"

#include <string.h>

#include "base/ids.h"
#include "memory/memory_private.h"

enum { SOURCE_DIGITS = 6 }; /* of a line's number */

/* The row of a key: `next` if it is new, which the caller adds then. MEMORY_NONE: no memory. */
static uint32_t number(const struct memory *m, enum memory_ids of, const void *key, size_t len,
		       size_t next)
{
	struct ids *ids = m->ids[of];
	struct id *id = ids_at(ids, ids_text(ids, key, len));

	if (!id || next >= MEMORY_NONE)
		return MEMORY_NONE;
	if (id->row == IDS_NONE)
		id->row = (uint32_t)next;
	return id->row;
}

/* ---- for the thread that reads ---- */

/* Numbers of what lies around an address. NULL: no memory. */
static uint32_t *area_at(struct memory *m, uint64_t address)
{
	struct memory_places *p = &m->places;
	const uint64_t area = address >> p->shift[MEMORY_L2];
	const size_t next = p->numbers.count / p->area_size;

	if (area != p->last_area || p->last_at == MEMORY_NONE) {
		p->last_area = area;
		p->last_at = number(m, AREA_IDS, &area, sizeof(area), next);
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

/* A number in an area, given when it is asked for first. */
static uint32_t numbered(uint32_t *at, uint32_t *next)
{
	if (*at == MEMORY_NONE)
		*at = (*next)++;
	return *at;
}

static uint32_t number_block(struct memory_places *p, uint32_t *area, enum memory_level level,
			     uint64_t address)
{
	const uint64_t at =
	    level == MEMORY_L2 ? 0 : 1 + (within(p, address) >> p->shift[MEMORY_L1]);

	return numbered(area + at, &p->block_count);
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
	struct memory_places *p = &m->places;
	const size_t next = m->source_lines.count;

	if (source == p->last_source && p->last_line != MEMORY_NONE)
		return p->last_line;
	p->last_source = source;
	p->last_line = number(m, LINE_IDS, &source, sizeof(source), next);
	if (p->last_line == next && !vec_push(&m->source_lines, split_source(m, source)))
		p->last_line = MEMORY_NONE;
	return p->last_line;
}

/* Which block had to go for which. */
static bool count_eviction(struct memory *m, uint32_t victim, uint32_t by)
{
	const struct memory_eviction made = {victim, by, 0};
	const size_t next = m->evictions.count;
	const uint32_t row =
	    number(m, EVICTION_IDS, &made, offsetof(struct memory_eviction, count), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->evictions, made)))
		return false;
	m->evictions.data[row].count++;
	return true;
}

bool memory_number(struct memory *m, struct memory_record *r)
{
	struct memory_places *p = &m->places;
	const bool replaces = r->letter == 'a' || r->letter == 'b';
	uint32_t *area;

	r->word = r->line = r->victim_block = r->block[MEMORY_L1] = r->block[MEMORY_L2] =
	    MEMORY_NONE;
	if (replaces && (area = area_at(m, r->victim)))
		r->victim_block = number_block(p, area, r->level, r->victim);
	area = area_at(m, r->address);
	if (!area || p->block_count >= MEMORY_NONE - 2 || p->word_count == MEMORY_NONE)
		return false;
	if (replaces || r->letter == 'e' || r->letter == 'f' || r->letter == 'p') {
		r->block[r->level] = number_block(p, area, r->level, r->address);
		return !replaces || (r->victim_block != MEMORY_NONE &&
				     count_eviction(m, r->victim_block, r->block[r->level]));
	}
	r->block[MEMORY_L1] = number_block(p, area, MEMORY_L1, r->address);
	r->block[MEMORY_L2] = number_block(p, area, MEMORY_L2, r->address);
	r->word = numbered(area + p->words_at + within(p, r->address) / WORD_BYTES, &p->word_count);
	r->line = number_line(m, r->source);
	return r->line != MEMORY_NONE;
}

/* ---- for the one that takes records ---- */

/* A number is the next as long as what it is of is new. */
static bool meet_block(struct memory *m, uint32_t number, enum memory_level level, uint64_t address)
{
	const unsigned shift = m->places.shift[level];
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

	return meet_block(m, r->victim_block, r->level, r->victim) &&
	       meet_block(m, r->block[MEMORY_L1], MEMORY_L1, r->address) &&
	       meet_block(m, r->block[MEMORY_L2], MEMORY_L2, r->address) &&
	       (r->word != m->words.count || vec_push(&m->words, word));
}

uint32_t memory_cell_number(struct memory *m, const struct memory_cell *cell)
{
	const size_t len = offsetof(struct memory_cell, cpu) + sizeof(cell->cpu);
	const size_t next = m->cells.count;
	uint32_t *last = &m->words.data[cell->word].cell;

	if (*last != MEMORY_NONE && memcmp(&m->cells.data[*last], cell, len) == 0)
		return *last;
	*last = number(m, CELL_IDS, cell, len, next);
	return *last == next && !vec_push(&m->cells, *cell) ? MEMORY_NONE : *last;
}

uint32_t memory_count_culprit(struct memory *m, const struct memory_stay *stay, uint32_t by)
{
	const struct memory_cell *cells = m->cells.data, *victim = &cells[stay->cell];
	const struct memory_culprit made = {.victim_object = victim->object,
					    .victim_line = victim->line,
					    .object = cells[by].object,
					    .line = cells[by].line,
					    .level = stay->level,
					    .cause = stay->cause};
	const size_t len = offsetof(struct memory_culprit, cause) + sizeof(made.cause);
	const size_t next = m->culprits.count;
	const uint32_t row = number(m, CULPRIT_IDS, &made, len, next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->culprits, made)))
		return MEMORY_NONE;
	m->culprits.data[row].count++;
	return row;
}

void memory_places_begin(struct memory *m)
{
	struct memory_places *p = &m->places;

	p->last_at = p->last_line = MEMORY_NONE;
	for (unsigned level = 0; level < MEMORY_LEVELS; level++)
		p->shift[level] = (unsigned)__builtin_ctz(m->index.block_bytes[level]);
	p->words_at = 1 + (m->index.block_bytes[MEMORY_L2] >> p->shift[MEMORY_L1]);
	p->area_size = p->words_at + m->index.block_bytes[MEMORY_L2] / WORD_BYTES;
}
