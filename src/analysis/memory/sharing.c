#include "config.h"

#include "analysis/memory/sharing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_SAID = 3 /* that a CPU waited for */ };

/* With a sign where, without word masks, false is an upper bound; and as programs read them. */
static const char *const verdicts[][2] = {[MEMORY_NOT_SHARED] = {"not-shared", "not-shared"},
					  [MEMORY_SHARED_FALSE] = {"false≤", "false"},
					  [MEMORY_SHARED_TRUE] = {"true", "true"},
					  [MEMORY_SHARED_MIXED] = {"mixed≤", "mixed"}};

/* ---- rows: sums by one thing, the dearest first ---- */

static int by_cycles(const void *a, const void *b)
{
	const struct sharing_row *x = a, *y = b;
	int order = memory_ascending(y->sum.cycles, x->sum.cycles);

	order = order ? order : memory_ascending(x->level, y->level);
	return order ? order : memory_ascending(x->number, y->number);
}

void sharing_row_make(struct sharing_row *row, struct source_text *s, const struct memory_index *x,
		      enum memory_thing by, uint32_t number, const struct memory_sums *sums)
{
	const struct memory_sum *sum = &sums->of[number < sums->count ? number : sums->count];
	const enum memory_level level = by == MEMORY_BY_L1_BLOCK   ? MEMORY_L1
					: by == MEMORY_BY_L2_BLOCK ? MEMORY_L2
								   : MEMORY_LEVELS;
	const uint64_t falsely = level < MEMORY_LEVELS ? sum->fill_cycles[level][MEMORY_FALSE]
						       : memory_cause_cycles(sum, MEMORY_FALSE);

	*row = (struct sharing_row){
	    .number = number,
	    .label = source_text_name(s, x, by, number),
	    .address = memory_address(x, by, number),
	    .size = UINT64_MAX,
	    .instances = sum->objects ? sum->objects : UINT64_MAX,
	    .each = sum->objects ? (sum->cycles + sum->objects / 2) / sum->objects : UINT64_MAX,
	    .sum = *sum,
	    .share = memory_share(sum->cycles, sums->cycles),
	    .false_share = memory_share(falsely, sum->cycles),
	    .upgrade_share = memory_share(memory_cause_cycles(sum, MEMORY_UPGRADE), sum->cycles),
	    .judged = memory_verdict_of(sum, level)};
	if (by == MEMORY_BY_OBJECT)
		row->of = memory_class(s->t, memory_class_of(x, number));
	if (by == MEMORY_BY_OBJECT && number != MEMORY_NONE) {
		row->size = x->objects[number].size;
		row->ordinal = x->objects[number].ordinal;
	} else if (by == MEMORY_BY_LINE) {
		row->place = source_place(s, x, number);
	} else if (level < MEMORY_LEVELS && number != MEMORY_NONE) {
		row->level = level + UINT64_C(1);
		row->of = source_text_name(s, x, MEMORY_BY_WORD, x->blocks[number].word);
		row->transfers = x->blocks[number].transfers;
		memcpy(row->fills, sum->fills[level], sizeof(row->fills));
	}
	row->verdict = verdicts[row->judged][true];
	row->told = verdicts[row->judged][x->masks];
}

/* With the classes that it waited for most, as shares of all. */
static void describe_cpu(struct sharing *r, const struct memory_index *x, struct sharing_row *row)
{
	const double time = (double)(x->last - x->first) + 1;
	const struct memory_selection only = memory_only(MEMORY_BY_CPU, row->number);
	struct memory_sums sums;
	struct sbuf text = {0};
	uint64_t cycles;
	uint32_t class;

	r->failed |= memory_sum_up(&sums, x, MEMORY_BY_CLASS, &only, NULL) != STATUS_OK;
	for (int said = 0; said < CLASSES_SAID && (cycles = memory_take_dearest(&sums, &class));
	     said++)
		sbuf_printf(&text, "%s%s %.0f %%", said ? ", " : "",
			    memory_class(r->source->t, class),
			    100 * memory_share(cycles, row->sum.cycles));
	memory_sums_free(&sums);
	row->share = time > 0 ? (double)row->sum.cycles / time : NAN;
	row->of = intern_take(r->source->texts, &text);
}

/* A row for each number; of lines and blocks only those with a reference. */
static void add_rows(struct sharing *r, const struct memory_index *x, enum memory_thing by)
{
	sharing_rows *rows = &r->of[by == MEMORY_BY_L2_BLOCK ? MEMORY_BY_L1_BLOCK : by];
	const bool all = by == MEMORY_BY_OBJECT || by == MEMORY_BY_CLASS || by == MEMORY_BY_CPU;
	struct memory_sums sums;

	r->failed |= memory_sum_up(&sums, x, by, NULL, NULL) != STATUS_OK;
	for (uint32_t i = 0; !r->failed && i <= sums.count; i++) {
		const uint32_t number = i == sums.count ? MEMORY_NONE : i;
		struct sharing_row row;

		if (!sums.of[i].count && (!all || number == MEMORY_NONE))
			continue;
		sharing_row_make(&row, r->source, x, by, number, &sums);
		if (by == MEMORY_BY_CPU)
			describe_cpu(r, x, &row);
		r->failed |= !vec_push(rows, row);
	}
	r->all = sums.all;
	memory_sums_free(&sums);
	if (rows->count)
		qsort(rows->data, rows->count, sizeof(rows->data[0]), by_cycles);
}

/* ---- pairs ---- */

/* several: of files, so that they are told. */
static void name_end(struct sharing *r, const struct memory_index *x, bool several,
		     struct sharing_end *end)
{
	end->object = end->label = memory_class(r->source->t, end->class);
	end->place = source_place(r->source, x, end->at);
	if (end->place.file)
		end->label = intern_printf(r->source->texts, "%s%s%s:%" PRIu64, end->object,
					   several ? " " : "", several ? end->place.file : "",
					   end->place.line);
}

static int by_count(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;
	int order = memory_ascending(y->count, x->count);

	order = order ? order : memory_ascending(x->level, y->level);
	order = order ? order : strcmp(x->victim.label, y->victim.label);
	return order ? order : strcmp(x->culprit.label, y->culprit.label);
}

/* By name, the most first. */
static void name_pairs(struct sharing *r, const struct memory_index *x, sharing_pairs *pairs)
{
	bool several = false;

	for (uint32_t i = 1; i < x->line_count; i++)
		several |= x->lines[i].file != x->lines[0].file;
	for (size_t i = 0; i < pairs->count; i++) {
		name_end(r, x, several, &pairs->data[i].victim);
		name_end(r, x, several, &pairs->data[i].culprit);
	}
	r->failed |= intern_failed(r->source->texts);
	if (!r->failed && pairs->count)
		qsort(pairs->data, pairs->count, sizeof(pairs->data[0]), by_count);
}

/* ---- all of it ---- */

static void add_lists(struct sharing *r, const struct memory_index *x)
{
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		if (by != MEMORY_BY_WORD)
			add_rows(r, x, (enum memory_thing)by);
	for (int level = 0; level < MEMORY_LEVELS; level++) {
		struct sharing_row row = {.level = level + UINT64_C(1)};

		memcpy(row.fills, r->all.fills[level], sizeof(row.fills));
		r->failed |= !vec_push(&r->levels, row);
	}
	r->failed |= !sharing_take(&r->pairs, x) || !sharing_collide(&r->collisions, x);
	name_pairs(r, x, &r->pairs);
	name_pairs(r, x, &r->collisions);
}

static enum status make_sharing(void *result, struct trace *t, const struct question *q,
				struct error *e)
{
	const struct memory_index *x = memory_lock(t);
	struct sharing *r = result;

	(void)q;
	*r = (struct sharing){.at_most = x->masks ? "" : "at most ",
			      .bound = x->masks ? NULL : "upper",
			      .geometry = x->guessed ? "guessed" : "given",
			      .source = source_text_new(t)};
	r->failed = !r->source;
	if (r->source)
		add_lists(r, x);
	memory_unlock(t);
	return r->failed ? error_set(e, STATUS_NOMEM, "not enough memory for what is shared")
			 : STATUS_OK;
}

static enum status make_words(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	enum status status = make_sharing(result, t, q, e);
	struct sharing *r = result;

	if (status)
		return status;
	status = sharing_words_make(&r->words, r->source, memory_lock(t), MEMORY_THING_COUNT, 0, e);
	memory_unlock(t);
	return status;
}

void sharing_free(struct sharing *r)
{
	for (int by = 0; by < MEMORY_THING_COUNT; by++)
		vec_free(&r->of[by]);
	vec_free(&r->levels);
	vec_free(&r->pairs);
	vec_free(&r->collisions);
	sharing_words_free(&r->words);
	source_text_free(r->source);
}

static void free_sharing(void *result)
{
	sharing_free(result);
	free(result);
}

const struct answer memory_components_answer = {"components",
						&memory_trace_kind,
						component_answer_sections,
						sizeof(struct component_table),
						component_answer_make,
						component_answer_free};
const struct answer sharing_answer = {
    "sharing",    &memory_trace_kind, sharing_sections + SHARING_WORDLESS, sizeof(struct sharing),
    make_sharing, free_sharing};
const struct answer sharing_words_answer = {"words",          &memory_trace_kind,
					    sharing_sections, sizeof(struct sharing),
					    make_words,       free_sharing};
