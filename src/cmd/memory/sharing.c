/*
 * `sharing`: first what there is to know in words, then the tables, then the words of the blocks
 * that are shared falsely, by CPU and source line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "base/num.h"
#include "cmd/answers.h"
#include "cmd/cmd.h"
#include "cmd/memory/memory.h"

enum {
	LINES = 10, /* of a table, where no number is asked for */
	NAMED = 3,  /* classes that are shared falsely */
	BLOCKS = 2  /* whose words are told */
};

static void put_machine(struct sbuf *out, const struct sharing *r)
{
	const struct memory_index *x = memory_lock(r->source->t);
	const uint32_t cpus = x->caches[MEMORY_L1], caches = x->caches[MEMORY_L2];
	char first[32], last[32];

	sbuf_printf(out,
		    "%" PRIu32 " CPU%s, %" PRIu32 " L2 cache%s, blocks of %" PRIu32
		    " and %" PRIu32 " bytes%s",
		    cpus, cpus == 1 ? "" : "s", caches, caches == 1 ? "" : "s",
		    x->block_bytes[MEMORY_L1], x->block_bytes[MEMORY_L2],
		    x->guessed ? " (guessed, and with them all verdicts: give --geom)" : "");
	if (x->first <= x->last)
		sbuf_printf(out, "; cycles %s to %s.", num_group(x->first, first),
			    num_group(x->last, last));
	memory_unlock(r->source->t);
}

static void put_costs(struct sbuf *out, const struct sharing *r)
{
	const uint64_t of_false = memory_cause_cycles(&r->all, MEMORY_FALSE);
	const uint64_t inclusion = memory_cause_cycles(&r->all, MEMORY_INCLUSION);
	const struct {
		const char *before, *bound, *behind;
		uint64_t cycles;
	} parts[] = {
	    {" Of these, ", of_false ? r->at_most : "", " were for false sharing", of_false},
	    {" and ", "", " for true sharing.", memory_cause_cycles(&r->all, MEMORY_TRUE)},
	    {" In ", r->at_most,
	     " an L2 cache had lost the block around a word that nobody wrote.", inclusion},
	    {" In ", "", " a write had to get a block for itself first (upgrades).",
	     memory_cause_cycles(&r->all, MEMORY_UPGRADE)},
	};
	char number[32];

	sbuf_printf(out, "References waited %s cycles.", num_group((int64_t)r->all.cycles, number));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (i < 2 || parts[i].cycles) /* the first two are one sentence */
			sbuf_printf(out, "%s%s%s (%.1f %%)%s", parts[i].before, parts[i].bound,
				    num_group((int64_t)parts[i].cycles, number),
				    100 * memory_share(parts[i].cycles, r->all.cycles),
				    parts[i].behind);
	if (r->bound && of_false + inclusion)
		sbuf_puts(out,
			  " The trace has no word masks, so writes that hit are not seen: what is "
			  "called false or inclusion is an upper bound (≤).");
}

/* What is dearest stands first in the tables. */
static void put_falsely_shared(struct sbuf *out, const struct sharing *r)
{
	const sharing_rows *classes = &r->of[MEMORY_BY_CLASS];
	size_t named = 0;

	for (size_t i = 0; i < classes->count; i++) {
		const struct sharing_row *row = &classes->data[i];

		if (row->judged & MEMORY_SHARED_FALSE && named++ < NAMED)
			sbuf_printf(out, "%s%s (%s%.1f %% of its cycles)",
				    named > 1 ? ", " : "Falsely shared: ", row->label,
				    r->at_most, 100 * row->false_share);
	}
	if (named > NAMED)
		sbuf_printf(out, " and %zu more", named - NAMED);
	sbuf_puts(
	    out,
	    named
		? ". The column falsely has this share for each row; writes that have to get such "
		  "a block first (upgrades) may go with it."
		: "Nothing is shared falsely.");
	for (size_t i = 0; i < classes->count; i++)
		if (classes->data[i].number == MEMORY_NONE)
			sbuf_puts(out, " ? is memory outside every object.");
}

static void put_summary(struct output *out, const struct sharing *r, const char *file)
{
	static void (*const paragraphs[])(struct sbuf *, const struct sharing *) = {
	    put_machine, put_costs, put_falsely_shared};
	struct sbuf text = {0};

	sbuf_printf(&text, "%s: ", file);
	for (size_t i = 0; i < sizeof(paragraphs) / sizeof(paragraphs[0]); i++) {
		paragraphs[i](&text, r);
		output_words(out, sbuf_text(&text), 0);
		sbuf_clear(&text);
	}
	sbuf_free(&text);
}

/* ---- words by CPU ---- */

static int by_cycles(const void *a, const void *b)
{
	const struct sharing_touch *x = a, *y = b;
	const int order = memory_ascending(y->cycles, x->cycles);

	return order ? order : memory_ascending(x->offset, y->offset);
}

/* The dearest words; the rest is counted. */
static enum status put_words(struct output *out, const struct sharing *r,
			     const struct sharing_row *block, const struct output_table *how,
			     struct error *e)
{
	const enum memory_thing by = memory_by_block((enum memory_level)(block->level - 1));
	struct section section = sharing_sections[SHARING_TOUCHES];
	struct sharing_words words;
	struct sbuf title = {0};
	enum status status = sharing_words_make(&words, r->source, memory_lock(r->source->t), by,
						block->number, e);

	memory_unlock(r->source->t);
	sbuf_printf(&title, "words of the L%" PRIu64 " block 0x%" PRIx64 ", %s%s", block->level,
		    block->address, block->verdict, r->bound ? " (upper bound)" : "");
	section.title = sbuf_text(&title);
	if (!status && words.touches.count)
		qsort(words.touches.data, words.touches.count, sizeof(words.touches.data[0]),
		      by_cycles);
	if (!status)
		status = output_table(out, &section, &words, how, e);
	sharing_words_free(&words);
	sbuf_free(&title);
	return status;
}

enum status memory_put_sharing(struct output *out, struct trace *t, const void *result,
			       const struct cmd_options *o, struct error *e)
{
	const struct sharing *r = result;
	const bool classes = r->of[MEMORY_BY_CLASS].count < r->of[MEMORY_BY_OBJECT].count;
	const struct output_table how = {.limit = o->limit == UINT64_MAX ? LINES : o->limit,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	const sharing_rows *blocks = &r->of[MEMORY_BY_L1_BLOCK];
	enum status status = STATUS_OK;
	size_t told = 0;

	(void)t;
	put_summary(out, r, o->files.data[0]);
	for (const struct section *s = sharing_sections + SHARING_WORDLESS; !status && s->key; s++)
		if (!s->hidden && s->rows(result) && (classes || strcmp(s->key, "classes") != 0))
			status = output_table(out, s, result, &how, e);
	if (!status && o->words)
		status = output_table(out, &sharing_sections[SHARING_TOUCHES], result, &how, e);
	for (size_t i = 0; !status && i < blocks->count; i++)
		if (blocks->data[i].judged & MEMORY_SHARED_FALSE && told++ < BLOCKS)
			status = put_words(out, r, &blocks->data[i], &how, e);
	return status;
}

enum status cmd_sharing(const struct cmd_options *o, struct output *out, struct error *e)
{
	return answers_run(o->words ? "words" : "sharing", o, out, e);
}
