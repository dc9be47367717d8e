/*
 * `sharing`: first what there is to know in words, then the tables, then the words of the blocks
 * that are shared falsely, by CPU and source line.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/sharing.h"
#include "analysis/memory/source.h"
#include "base/num.h"
#include "base/text.h"
#include "cmd/answers.h"
#include "cmd/cmd.h"
#include "cmd/memory/memory.h"

enum {
	LINES = 10, /* of a table, where no number is asked for */
	NAMED = 3,  /* classes that are shared falsely */
	GRIDS = 2
};

static double percent(uint64_t part, uint64_t all)
{
	return 100 * memory_share(part, all);
}

/* "ArrayC, 5 352 cycles (30.9 %)" */
static void put_share(struct sbuf *out, const struct sharing_row *row, double share)
{
	char number[32];

	sbuf_printf(out, "%s, %s cycles (%.1f %%)", row->label,
		    num_group((int64_t)row->sum.cycles, number), 100 * share);
}

static void put_machine(struct sbuf *out, const struct sharing *r, const char *file)
{
	char first[32], last[32];

	sbuf_printf(out,
		    "%s: %" PRIu64 " CPU%s, %" PRIu64 " L2 cache%s, blocks of %" PRIu64
		    " and %" PRIu64 " bytes%s",
		    file, r->caches[MEMORY_L1], r->caches[MEMORY_L1] == 1 ? "" : "s",
		    r->caches[MEMORY_L2], r->caches[MEMORY_L2] == 1 ? "" : "s",
		    r->block_bytes[MEMORY_L1], r->block_bytes[MEMORY_L2],
		    r->guessed ? " (guessed, and with them all verdicts: give --geom)" : "");
	if (r->first <= r->last)
		sbuf_printf(out, "; cycles %s to %s.", num_group(r->first, first),
			    num_group(r->last, last));
}

static void put_costs(struct sbuf *out, const struct sharing *r)
{
	const uint64_t of_false = memory_cause_cycles(&r->all, MEMORY_FALSE), of_true = memory_cause_cycles(&r->all, MEMORY_TRUE);
	const uint64_t inclusion = memory_cause_cycles(&r->all, MEMORY_INCLUSION),
		       upgrades = memory_upgrade_cycles(&r->all);
	char number[5][32];

	sbuf_printf(out,
		    "References waited %s cycles. Of these, %s%s (%.1f %%) were for false sharing "
		    "and %s (%.1f %%) for true sharing.",
		    num_group((int64_t)r->all.cycles, number[0]), of_false ? sharing_bound(r) : "",
		    num_group((int64_t)of_false, number[1]), percent(of_false, r->all.cycles),
		    num_group((int64_t)of_true, number[2]), percent(of_true, r->all.cycles));
	if (inclusion)
		sbuf_printf(out,
			    " In %s%s (%.1f %%) an L2 cache had lost the block around a word that "
			    "nobody wrote.",
			    sharing_bound(r), num_group((int64_t)inclusion, number[3]),
			    percent(inclusion, r->all.cycles));
	if (upgrades)
		sbuf_printf(out, " In %s (%.1f %%) a write had to get a block for itself first (upgrades).",
			    num_group((int64_t)upgrades, number[4]),
			    percent(upgrades, r->all.cycles));
	if (!r->masks && of_false + inclusion)
		sbuf_puts(out,
			  " The trace has no word masks, so writes that hit are not seen: what is "
			  "called false or inclusion is an upper bound (≤).");
}

static void put_dearest(struct sbuf *out, const struct sharing *r)
{
	static const char *const words[] = {[MEMORY_NOT_SHARED] = "not shared",
					    [MEMORY_SHARED_FALSE] = "false sharing",
					    [MEMORY_SHARED_TRUE] = "true sharing",
					    [MEMORY_SHARED_MIXED] = "true and false sharing"};
	size_t named = 0;

	if (r->classes.count && r->all.cycles) {
		sbuf_puts(out, "Dearest: ");
		put_share(out, &r->classes.data[0], r->classes.data[0].share);
		sbuf_printf(out, ", %s%s", words[r->classes.data[0].judged],
			    sharing_is_false(&r->classes.data[0]) && !r->masks ? " (upper bound)"
									       : "");
		sbuf_puts(out, "; line ");
		put_share(out, &r->lines.data[0], r->lines.data[0].share);
		sbuf_puts(out, ". ");
	}
	for (size_t i = 0; i < r->classes.count && named < NAMED; i++) {
		const struct sharing_row *row = &r->classes.data[i];

		if (!sharing_is_false(row))
			continue;
		sbuf_printf(out, "%s%s (%s%.1f %% of its cycles)",
			    named++ ? ", " : "Falsely shared: ", row->label, sharing_bound(r),
			    100 * row->false_share);
	}
	sbuf_puts(
	    out,
	    named
		? ". The column falsely has this share for each row; writes that have to get such "
		  "a block first (upgrades) may go with it."
		: "Nothing is shared falsely.");
	for (size_t i = 0; i < r->classes.count; i++)
		if (r->classes.data[i].number == MEMORY_NONE)
			sbuf_puts(out, " ? is memory outside every object.");
}

static void put_summary(struct output *out, const struct sharing *r, const struct cmd_options *o)
{
	struct sbuf text = {0};

	put_machine(&text, r, o->files.data[0]);
	output_words(out, sbuf_text(&text), 0);
	sbuf_clear(&text);
	put_costs(&text, r);
	output_words(out, sbuf_text(&text), 0);
	sbuf_clear(&text);
	put_dearest(&text, r);
	output_words(out, sbuf_text(&text), 0);
	sbuf_free(&text);
}

/* ---- words by CPU ---- */

static int by_cycles(const void *a, const void *b)
{
	const struct sharing_words_row *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The dearest words; the rest is counted. */
static enum status put_grid(struct output *out, struct trace *t, const struct sharing_row *block,
			    bool masks, const struct output_table *how, struct error *e)
{
	struct source_text *source = source_text_new(t);
	const struct memory_index *x = memory_lock(t);
	struct section words = sharing_words_section;
	struct sharing_words grid;
	struct sbuf title = {0};
	enum status status = sharing_words_make(
	    &grid, t, x, source, memory_by_block((enum memory_level)(block->level - 1)), block->number,
	    e);

	memory_unlock(t);
	source_text_free(source);
	sbuf_printf(&title,
		    "words of the L%" PRIu64 " block 0x%" PRIx64
		    ", %s%s: by CPU, r read, w written",
		    block->level, block->address, block->verdict, masks ? "" : " (upper bound)");
	words.title = sbuf_text(&title);
	if (!status && grid.rows.count)
		qsort(grid.rows.data, grid.rows.count, sizeof(grid.rows.data[0]), by_cycles);
	if (!status)
		status = output_table(out, &words, &grid, how, e);
	sharing_words_free(&grid);
	sbuf_free(&title);
	return status;
}

static enum status put_grids(struct output *out, struct trace *t, const struct sharing *r,
			     const struct output_table *how, struct error *e)
{
	enum status status = STATUS_OK;
	size_t shown = 0;

	for (size_t i = 0; !status && i < r->blocks.count && shown < GRIDS; i++) {
		const struct sharing_row *block = &r->blocks.data[i];

		if (!sharing_is_false(block))
			continue;
		shown++;
		status = put_grid(out, t, block, r->masks, how, e);
	}
	return status;
}

/* Of all classes, below those that are shown. */
static void put_total(struct output *out, const struct sharing *r)
{
	char number[2][32];
	struct sbuf text = {0};

	sbuf_printf(&text,
		    "all %zu: %s objects, %s cycles, of these %s%.1f %% falsely and %.1f %% upgrades",
		    r->classes.count, num_group((int64_t)r->instances, number[0]),
		    num_group((int64_t)r->all.cycles, number[1]), sharing_bound(r),
		    percent(memory_cause_cycles(&r->all, MEMORY_FALSE), r->all.cycles),
		    percent(memory_upgrade_cycles(&r->all), r->all.cycles));
	output_words(out, sbuf_text(&text), 0);
	sbuf_free(&text);
}

enum status memory_put_sharing(struct output *out, struct trace *t, const void *result,
			       const struct cmd_options *o, struct error *e)
{
	const struct sharing *r = result;
	const bool classes = r->classes.count < r->objects.count;
	const struct section *all = o->words ? sharing_word_sections : sharing_sections;
	const struct output_table how = {.limit = o->limit == UINT64_MAX ? LINES : o->limit,
					 .columns = o->wide ? 0 : OUTPUT_COLUMNS};
	const struct output_table whole = {.limit = how.limit}; /* no CPU is cut off */
	enum status status = STATUS_OK;

	put_summary(out, r, o);
	for (const struct section *s = all; !status && s->key; s++) {
		const bool of_classes = strcmp(s->key, "classes") == 0;

		if (s->hidden || !s->rows(result) || (of_classes && !classes))
			continue;
		status = output_table(out, s, result, strcmp(s->key, "touches") == 0 ? &whole : &how, e);
		if (!status && of_classes)
			put_total(out, r);
	}
	return status ? status : put_grids(out, t, r, &how, e);
}

enum status cmd_sharing(const struct cmd_options *o, struct output *out, struct error *e)
{
	return answers_run(o->words ? "words" : "sharing", o, out, e);
}
