/*
 * Numbers of what records name: words, blocks, lines of the source, cells, and pairs of those that
 * have to do with each other.
 *
 * One thread gives numbers to words, blocks and lines, another one to what comes of them. Most
 * references are of a word like the last one of it: their cells are found without looking.
 */
#include "config.h"

#include "base/ids.h"
#include "memory/memory_private.h"

enum { SOURCE_DIGITS = 6 }; /* of a line's number */

/* The row of an id: `next` if it is new, which the caller adds then. MEMORY_NONE: no memory. */
static uint32_t number(struct ids *ids, uint64_t hash, size_t next)
{
	struct id *id = ids_at(ids, hash);

	if (!id || next >= MEMORY_NONE)
		return MEMORY_NONE;
	if (id->row == IDS_NONE)
		id->row = (uint32_t)next;
	return id->row;
}

/* A number of two. */
static uint64_t both(uint32_t a, uint32_t b)
{
	return (uint64_t)a << 32 | b;
}

/* ---- for the thread that reads: there is room for what it adds, by memory_expect() ---- */

/* A place is a word or the block of a level around it: the lowest bits of its id say which. */
static uint32_t number_place(struct memory *m, uint64_t start, unsigned which, size_t next)
{
	struct ids *ids = m->ids[PLACE_IDS];

	return number(ids, ids_number(ids, start | which), next);
}

static uint32_t number_block(struct memory *m, enum memory_level level, uint64_t address)
{
	const struct memory_block made = {.address = address &
						     ~(uint64_t)(m->index.block_bytes[level] - 1),
					  .level = (uint8_t)level,
					  .word = MEMORY_NONE,
					  .owner = MEMORY_NONE,
					  .holdings = MEMORY_NONE};
	const uint32_t row = number_place(m, made.address, 1 + level, m->blocks.count);

	if (row == m->blocks.count)
		vec_push(&m->blocks, made);
	return row;
}

static uint32_t number_word(struct memory *m, uint64_t address)
{
	struct memory_word made = {.address = address - address % WORD_BYTES,
				   .object = MEMORY_NONE,
				   .cell = MEMORY_NONE,
				   .writer = UINT16_MAX};
	const uint32_t row = number_place(m, made.address, 0, m->words.count);

	if (row != m->words.count)
		return row;
	made.block[MEMORY_L1] = number_block(m, MEMORY_L1, address);
	made.block[MEMORY_L2] = number_block(m, MEMORY_L2, address);
	if (made.block[MEMORY_L1] == MEMORY_NONE || made.block[MEMORY_L2] == MEMORY_NONE)
		return MEMORY_NONE;
	vec_push(&m->words, made);
	return row;
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
	struct ids *ids = m->ids[LINE_IDS];
	const size_t next = m->source_lines.count;
	const uint32_t row = number(ids, ids_number(ids, source), next);

	return row == next && !vec_push(&m->source_lines, split_source(m, source)) ? MEMORY_NONE
										   : row;
}

/* Which block had to go for which. */
static bool count_eviction(struct memory *m, uint32_t victim, uint32_t by)
{
	const struct memory_eviction made = {victim, by, 0};
	struct ids *ids = m->ids[EVICTION_IDS];
	const size_t next = m->evictions.count;
	const uint32_t row = number(ids, ids_number(ids, both(victim, by)), next);

	if (victim == MEMORY_NONE || by == MEMORY_NONE || row == MEMORY_NONE ||
	    (row == next && !vec_push(&m->evictions, made)))
		return false;
	m->evictions.data[row].count++;
	return true;
}

bool memory_expect(struct memory *m, size_t bytes)
{
	enum { RECORD_LEAST = 10, WORDS = 1, BLOCKS = 2 }; /* bytes; and what it names at most */
	const size_t records = bytes / RECORD_LEAST + 1;

	return m->blocks.count + records * BLOCKS < MEMORY_NONE &&
	       vec_reserve(&m->blocks, records * BLOCKS) && vec_reserve(&m->words, records);
}

bool memory_number(struct memory *m, struct memory_record *r)
{
	switch (r->letter) {
	case 'a':
	case 'b':
		r->block = number_block(m, r->level, r->victim);
		return count_eviction(m, r->block, number_block(m, r->level, r->address));
	case 'e':
	case 'f':
	case 'p':
		r->block = number_block(m, r->level, r->address);
		return r->block != MEMORY_NONE;
	default:
		r->word = number_word(m, r->address);
		r->line = number_line(m, r->source);
		return r->word != MEMORY_NONE && r->line != MEMORY_NONE;
	}
}

/* ---- for the one that takes records ---- */

/*
 * The smallest object alive at an address is kept for its word, unless it may be of a part of that.
 */
static uint32_t object_of(struct memory *m, const struct memory_record *r)
{
	struct memory_word *w = &m->words.data[r->word];
	const bool whole = r->address % WORD_BYTES == 0;

	if (w->version != m->version || !whole) {
		w->version = whole ? m->version : 0;
		w->object = memory_object_at(m, r->address);
	}
	return w->object;
}

uint32_t memory_cell_of(struct memory *m, const struct memory_record *r)
{
	struct ids *ids = m->ids[CELL_IDS];
	const struct memory_cell made = {
	    .word = r->word, .object = object_of(m, r), .line = r->line, .cpu = r->cpu};
	const uint64_t key[] = {both(made.word, made.object), both(made.line, made.cpu)};
	const size_t next = m->cells.count;
	uint32_t *last = &m->words.data[r->word].cell;
	const struct memory_cell *cell = *last != MEMORY_NONE ? &m->cells.data[*last] : NULL;

	if (cell && cell->object == made.object && cell->line == made.line && cell->cpu == made.cpu)
		return *last;
	*last = number(ids, ids_numbers(ids, key, 2), next);
	if (*last == MEMORY_NONE || (*last == next && !vec_push(&m->cells, made))) {
		m->lines.failed = true;
		*last = MEMORY_NONE;
	}
	return *last;
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
	const uint64_t key[] = {both(made.victim_object, made.victim_line),
				both(made.object, made.line), both(made.level, made.cause)};
	struct ids *ids = m->ids[CULPRIT_IDS];
	const size_t next = m->culprits.count;
	const uint32_t row = number(ids, ids_numbers(ids, key, 3), next);

	if (row == MEMORY_NONE || (row == next && !vec_push(&m->culprits, made))) {
		m->lines.failed = true;
		return MEMORY_NONE;
	}
	m->culprits.data[row].count++;
	return row;
}
