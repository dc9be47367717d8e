/*
 * Arbitrary text as a memory trace, in memory: no file is opened, no thread started.
 *
 * Input: a byte for the settings, then the text. What was read must hang together: each stay is of a
 * block that is there and follows the one before it in its cache; what loads and references come to
 * is the same in rows and in cells, and so is what words cost.
 */
#include "config.h"

#include <stdlib.h>

#include "fuzz.h"
#include "memory/memory_private.h"

static const unsigned radices[] = {0, 8, 10, 16};

static struct memory *read_text(const char *text, size_t len, uint8_t how)
{
	struct memory *m = memory_new(NULL);

	demand(m, "no memory");
	m->in_memory = true;
	demand(!m->lines.failed && memory_columns_new(m), "no memory");
	pthread_rwlock_init(&m->lines.lock, NULL);
	m->lines.wake[0] = m->lines.wake[1] = -1;
	m->settings.radix = radices[how % 4];
	chiron_read_text(m, text, len);
	demand(!m->lines.failed && memory_publish(m, false), "no memory");
	return m;
}

/* In the order of a block and its caches; how many were loaded. */
static uint64_t check_stays(const struct memory_index *x)
{
	const struct memory_stay *before = NULL;
	uint64_t loads = 0;

	for (uint32_t i = 0; i < x->stay_count; i++) {
		const struct memory_stay *s = &x->ordered[i];

		demand(s->block < x->block_count && s->cause < MEMORY_CAUSE_COUNT, "no such stay");
		demand(s->cache < x->caches[x->blocks[s->block].level], "no such cache");
		demand(s->start <= s->end, "it ends before it begins");
		demand((s->ending == MEMORY_RESIDENT) == (s->end == MEMORY_OPEN), "it has no end");
		demand(s->cell == MEMORY_NONE || s->cell < x->cell_count, "no such cell");
		demand(s->taker == MEMORY_NONE || s->taker < x->cell_count, "no such taker");
		demand(!before || before->block != s->block || before->cache != s->cache ||
			   before->end <= s->start,
		       "it is there twice");
		loads += s->cell != MEMORY_NONE;
		before = s;
	}
	return loads;
}

/* What words cost, and that of its words none has cost more than a block's. */
static void check_words(const struct memory_index *x)
{
	uint64_t *cycles = calloc((size_t)x->word_count + 1, sizeof(*cycles));

	demand(cycles, "no memory");
	for (uint32_t i = 0; i < x->cell_count; i++)
		cycles[x->cells[i].word] += x->cells[i].cycles;
	for (uint32_t i = 0; i < x->word_count; i++)
		for (int level = 0; level < MEMORY_LEVELS; level++) {
			const uint32_t block = x->words[i].block[level], most = x->blocks[block].word;

			demand(x->words[i].cycles == cycles[i], "a word has not what its cells have");
			demand(most < x->word_count && x->words[most].block[level] == block,
			       "a block is called by a word of another one");
			demand(cycles[most] > cycles[i] || (cycles[most] == cycles[i] && most <= i),
			       "another word of the block is dearer");
		}
	free(cycles);
}

static void check(const struct memory_index *x)
{
	uint64_t loads = check_stays(x), cycles = 0, references = 0;

	for (uint32_t i = 0; i < x->reference_count; i++) {
		demand(x->references[i].cell < x->cell_count, "no such cell");
		cycles += x->references[i].cycles;
	}
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];

		demand(c->word < x->word_count && c->line < x->line_count, "no such word or line");
		demand(c->object == MEMORY_NONE || c->object < x->object_count, "no such object");
		cycles -= c->cycles;
		references += c->reads + c->writes;
		for (int level = 0; level < MEMORY_LEVELS; level++)
			for (int cause = 0; cause < MEMORY_CAUSE_COUNT; cause++)
				loads -= c->fills[level][cause];
	}
	demand(loads == 0, "loads are not in cells, or twice");
	demand(cycles == 0, "cycles are not in cells, or twice");
	demand(references == x->reference_count, "references are not in cells, or twice");
	for (uint32_t i = 0; i < x->culprit_count; i++)
		demand(x->culprits[i].count > 0 && x->culprits[i].cause >= MEMORY_TRUE, "no culprit");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct memory *m;

	if (len < 2)
		return 0;
	m = read_text((const char *)bytes + 1, len - 1, bytes[0]);
	check(&m->index);
	check_words(&m->index);
	pthread_rwlock_destroy(&m->lines.lock);
	vec_free(&m->lines.warnings);
	memory_free(m);
	return 0;
}
