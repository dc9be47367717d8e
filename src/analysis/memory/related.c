#include "config.h"

#include "analysis/memory/related.h"

#include <inttypes.h>
#include <stdlib.h>

static const double shared_least = 0.05, false_least = 0.8, true_most = 0.2;

const char *const memory_thing_names[MEMORY_THING_COUNT] = {
    [MEMORY_BY_LINE] = "lines",		[MEMORY_BY_OBJECT] = "objects",
    [MEMORY_BY_CLASS] = "classes",	[MEMORY_BY_WORD] = "words",
    [MEMORY_BY_L1_BLOCK] = "L1 blocks", [MEMORY_BY_L2_BLOCK] = "L2 blocks",
    [MEMORY_BY_CPU] = "CPUs"};

/* ---- what a cell is of ---- */

uint32_t memory_thing_of(const struct memory_index *x, const struct memory_cell *cell,
			 enum memory_thing by)
{
	switch (by) {
	case MEMORY_BY_LINE:
		return cell->line;
	case MEMORY_BY_OBJECT:
		return cell->object;
	case MEMORY_BY_CLASS:
		return memory_class_of(x, cell->object);
	case MEMORY_BY_WORD:
		return cell->word;
	case MEMORY_BY_L1_BLOCK:
		return x->words[cell->word].block[MEMORY_L1];
	case MEMORY_BY_L2_BLOCK:
		return x->words[cell->word].block[MEMORY_L2];
	default:
		return cell->cpu;
	}
}

uint32_t memory_thing_count(const struct memory_index *x, enum memory_thing by)
{
	const uint32_t counts[MEMORY_THING_COUNT] = {
	    [MEMORY_BY_LINE] = x->line_count,	  [MEMORY_BY_OBJECT] = x->object_count,
	    [MEMORY_BY_CLASS] = x->class_count,	  [MEMORY_BY_WORD] = x->word_count,
	    [MEMORY_BY_L1_BLOCK] = x->block_count, [MEMORY_BY_L2_BLOCK] = x->block_count,
	    [MEMORY_BY_CPU] = x->caches[MEMORY_L1]};

	return counts[by];
}

uint64_t memory_address(const struct memory_index *x, enum memory_thing by, uint32_t number)
{
	if (number == MEMORY_NONE)
		return UINT64_MAX;
	switch (by) {
	case MEMORY_BY_LINE:
		return (uint64_t)x->lines[number].file << 32 | x->lines[number].line;
	case MEMORY_BY_WORD:
		return x->words[number].address;
	case MEMORY_BY_OBJECT:
		return x->objects[number].address;
	case MEMORY_BY_L1_BLOCK:
	case MEMORY_BY_L2_BLOCK:
		return x->blocks[number].address;
	default:
		return number;
	}
}

static bool is_meant(const struct memory_index *x, const struct memory_cell *cell,
		     const struct memory_selection *only)
{
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		if (only->chosen[by] &&
		    memory_thing_of(x, cell, (enum memory_thing)by) != only->of[by])
			return false;
	return true;
}

/* ---- sums ---- */

static void add_cell(struct memory_sum *s, const struct memory_cell *c)
{
	s->cycles += c->cycles;
	s->count += c->reads + c->writes;
	for (int level = 0; level < MEMORY_LEVELS; level++)
		for (int cause = 0; cause < MEMORY_CAUSE_COUNT; cause++) {
			s->fills[level][cause] += c->fills[level][cause];
			s->fill_cycles[level][cause] += c->fill_cycles[level][cause];
		}
	for (int level = 0; level <= MEMORY_LEVELS; level++)
		for (int over = 0; over < 2; over++)
			s->shared[level][over] += c->shared[level][over];
}

enum status memory_sum_up(struct memory_sums *s, const struct memory_index *x, enum memory_thing by,
			  const struct memory_selection *only, struct error *e)
{
	const uint32_t count = memory_thing_count(x, by);

	*s = (struct memory_sums){.of = calloc((size_t)count + 1, sizeof(*s->of))};
	if (!s->of)
		return error_set(e, STATUS_NOMEM, "out of memory");
	s->count = count;
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *cell = &x->cells[i];
		const uint32_t number = memory_thing_of(x, cell, by);
		struct memory_sum *of = &s->of[number < count ? number : count];

		s->cycles += cell->cycles;
		if (only && !is_meant(x, cell, only))
			continue;
		s->touched += !of->count;
		add_cell(of, cell);
		add_cell(&s->all, cell);
	}
	for (uint32_t i = 0; by == MEMORY_BY_CLASS && i < x->object_count; i++)
		s->of[x->objects[i].class].objects++;
	return STATUS_OK;
}

void memory_sums_free(struct memory_sums *s)
{
	free(s->of);
	s->of = NULL;
}

uint64_t memory_take_dearest(struct memory_sums *s, uint32_t *number)
{
	uint32_t most = s->count;
	uint64_t cycles = 0;

	for (uint32_t i = 0; s->of && i <= s->count; i++)
		if (s->of[i].cycles > cycles)
			cycles = s->of[most = i].cycles;
	if (cycles)
		s->of[most].cycles = 0;
	*number = most < s->count ? most : MEMORY_NONE;
	return cycles;
}

uint64_t memory_cause_cycles(const struct memory_sum *s, unsigned cause)
{
	uint64_t loading = 0;

	if (cause != MEMORY_UPGRADE)
		return s->fill_cycles[MEMORY_L1][cause] + s->fill_cycles[MEMORY_L2][cause];
	for (cause = 0; cause < MEMORY_CAUSE_COUNT; cause++)
		loading += memory_cause_cycles(s, cause);
	return s->cycles > loading ? s->cycles - loading : 0;
}

enum memory_verdict memory_verdict_of(const struct memory_sum *s, enum memory_level level)
{
	const double of_true = (double)s->shared[level][0], of_false = (double)s->shared[level][1];
	double share;

	if (of_false + of_true <= 0 || of_false + of_true < shared_least * (double)s->cycles)
		return MEMORY_NOT_SHARED;
	share = of_false / (of_false + of_true);
	return share >= false_least ? MEMORY_SHARED_FALSE
	       : share <= true_most ? MEMORY_SHARED_TRUE
				    : MEMORY_SHARED_MIXED;
}

/* ---- in words ---- */

void memory_put_thing(const struct trace *t, const struct memory_index *x, enum memory_thing by,
		      uint32_t number, struct sbuf *out)
{
	if (number >= memory_thing_count(x, by)) /* or it is not published yet */
		sbuf_putc(out, '?');
	else if (by == MEMORY_BY_LINE)
		memory_put_line(t, number, out);
	else if (by == MEMORY_BY_OBJECT)
		memory_put_object(t, number, out);
	else if (by == MEMORY_BY_CLASS)
		sbuf_puts(out, memory_class(t, number));
	else if (by == MEMORY_BY_WORD)
		memory_put_word(t, number, out);
	else if (by == MEMORY_BY_CPU)
		sbuf_printf(out, "CPU[%" PRIu32 "]", number);
	else
		sbuf_printf(out, "L%d block 0x%" PRIx64, by == MEMORY_BY_L1_BLOCK ? 1 : 2,
			    x->blocks[number].address);
}
