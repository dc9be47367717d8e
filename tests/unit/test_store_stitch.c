/*
 * src/store: wherever a text is cut into pieces, the rows, counts and sums are those of the
 * text as a whole, and those are what a slow model says.
 */
#include "config.h"


#include "testing.h"
#include "trace_gen.h"
#include "trace_model.h"

#include "pipeline/store_private.h"

/* ---- a text, indexed in pieces ------------------------------------------------------------- */

struct made {
	struct trace_index ix;
	struct trace_counts counts;
	struct codes codes;
	struct names names;
};

/* Segments are used again within a trace, as the indexer does: they must be as good as new. */
static struct codes spare_codes;
static struct segment *spare[256];
static size_t spare_count;

static struct segment *new_segment(void)
{
	struct segment *s;

	if (spare_count)
		return spare[--spare_count];
	s = malloc(sizeof(*s));
	assert_non_null(s);
	assert_true(segment_init(s));
	return s;
}

static void drop_segment(struct segment *s)
{
	if (spare_count < sizeof(spare) / sizeof(spare[0])) {
		spare[spare_count++] = s;
		return;
	}
	segment_free(s);
	free(s);
}

static void free_spares(void)
{
	while (spare_count) {
		segment_free(spare[--spare_count]);
		free(spare[spare_count]);
	}
}

static int free_codes(void **state)
{
	(void)state;
	codes_free(&spare_codes);
	return 0;
}

struct cut {
	size_t at;
	int64_t tick;
};

static struct segment *read_piece(struct made *m, struct stitcher *st, const char *text,
				  const struct cut *from, const struct cut *to, bool final)
{
	struct segment *s = new_segment();
	int64_t tick0 = from->tick, end = final ? TICK_NONE : to->tick;

	segment_read(s, readers[0], &m->names, false, text + from->at, to->at - from->at, from->at,
		     tick0, end, final);
	if (stitcher_rejects(st, s, &tick0)) {
		segment_clear(s);
		segment_read(s, readers[0], &m->names, true, text + from->at, to->at - from->at,
			     from->at, tick0, end, final);
	}
	assert_false(s->failed);
	assert_true(stitcher_map_codes(&m->codes, s));
	segment_pack(s);
	return s;
}

/* cuts[0] is the start, cuts[n] the end of the text. */
static void make_index(struct made *m, const char *text, const struct cut *cuts, size_t n)
{
	struct trace_config config;
	struct stitcher *st;
	struct segment *done;

	memset(m, 0, sizeof(*m));
	memset(&config, 0, sizeof(config));
	readers[0]->config(&config);
	names_init(&m->names, &config);
	assert_true(index_init(&m->ix, -1, 0));
	codes_clear(&spare_codes);
	assert_true(codes_reserve(&spare_codes));
	m->codes = spare_codes;
	st = stitcher_new(&m->ix, &m->counts, &m->codes, &m->names, false);
	assert_non_null(st);
	for (size_t i = 0; i < n; i++) {
		stitcher_add(st, read_piece(m, st, text, &cuts[i], &cuts[i + 1], i + 1 == n));
		while ((done = stitcher_recycle(st)))
			drop_segment(done);
	}
	stitcher_finish(st);
	assert_false(stitcher_failed(st));
	stitcher_free(st);
}

static void free_index(struct made *m)
{
	free_spares();
	index_free(&m->ix);
	spare_codes = m->codes;
	names_free(&m->names);
	vec_free(&m->counts.warnings);
}

/* Every place at which the text may be cut; the start and the end too. */
static struct cut *all_cuts(const char *text, size_t len, size_t *n)
{
	struct cut *cuts = calloc(len / 4 + 3, sizeof(*cuts));
	const char *end = text + len;

	assert_non_null(cuts);
	*n = 0;
	cuts[(*n)++] = (struct cut){0, 0};
	for (const char *p = text; p < end;
	     p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1) {
		int64_t tick;

		if (!readers[0]->cut(p, end, &tick))
			continue;
		if (*n == 1 && cuts[0].tick == 0)
			cuts[0].tick = tick;
		if (p > text)
			cuts[(*n)++] = (struct cut){(size_t)(p - text), tick};
	}
	cuts[*n] = (struct cut){len, TICK_NONE};
	return cuts;
}

/* ---- what must be equal --------------------------------------------------------------------- */

static char trouble[400];

#define SAME(what, a, b)                                                                           \
	do {                                                                                       \
		long long a_ = (long long)(a), b_ = (long long)(b);                                \
		if (a_ != b_ && !trouble[0])                                                       \
			snprintf(trouble, sizeof(trouble), "%s: %lld, not %lld", what, a_, b_);    \
	} while (0)

#define SAME_AT(what, i, a, b)                                                                     \
	do {                                                                                       \
		long long a_ = (long long)(a), b_ = (long long)(b);                                \
		if (a_ != b_ && !trouble[0])                                                       \
			snprintf(trouble, sizeof(trouble), "%s of %zu: %lld, not %lld", what,      \
				 (size_t)(i), a_, b_);                                             \
	} while (0)

static void compare_born(struct made *m, const struct model *want, size_t i, const struct row *got)
{
	const struct model_row *r = &want->rows[i];
	bool has_pc;
	size_t len;
	const char *text = codes_text(&m->codes, got->code, &len);

	SAME_AT("start", i, got->start, r->start);
	SAME_AT("fate", i, got->fate, r->fate);
	SAME_AT("end", i, got->end, r->end);
	SAME_AT("events", i, got->events, r->events);
	SAME_AT("dominant", i, got->dominant, model_dominant(want, r));
	SAME_AT("micro-op", i, got->micro_op, r->micro);
	SAME_AT("parent", i, got->parent == ROW_NONE ? 0 : got->parent - m->ix.early + 1,
		r->parent);
	SAME_AT("pc", i, codes_pc(&m->codes, got->code, &has_pc), r->pc);
	SAME_AT("text length", i, len, r->text_len);
	if (!text || len != r->text_len || memcmp(text, r->text, len) != 0)
		SAME_AT("text", i, 0, 1);
}

static void compare_rows(struct made *m, const struct model *want)
{
	struct row row;

	SAME("rows", m->ix.row_end, want->count);
	SAME("rows without birth", m->ix.unborn.count, want->unborn_count);
	for (size_t i = 0; i < want->count && !trouble[0]; i++) {
		SAME_AT("row", i, rows_get(&m->ix, m->ix.early + i, 1, &row), 1);
		if (!trouble[0])
			compare_born(m, want, i, &row);
	}
	for (size_t i = 0; i < m->ix.unborn.count && !trouble[0]; i++) {
		const struct unborn_row *u = &m->ix.unborn.data[i];
		struct model_row key = {.id = u->id};
		const struct model_row *r =
		    bsearch(&key, want->unborn, want->unborn_count, sizeof(key), model_by_id);

		SAME_AT("unborn id", u->id, r != NULL, 1);
		if (!r)
			break;
		SAME_AT("unborn end", u->id, u->end, r->end);
		SAME_AT("unborn events", u->id, u->events, r->events);
		SAME_AT("unborn dominant", u->id, u->dominant, model_dominant(want, r));
		SAME_AT("unborn offset", u->id, u->off, r->off);
		SAME_AT("unborn line", u->id, u->line, r->line);
	}
}

static void compare_counts(const struct made *m, const struct model *want)
{
	uint64_t fates[FATE_COUNT] = {0}, warnings = 0;
	const struct totals *t = &m->counts.totals;

	for (size_t i = 0; i < want->count; i++)
		fates[want->rows[i].fate]++;
	fates[FATE_UNKNOWN] = want->unborn_count;
	SAME("instructions", t->instructions, want->count);
	for (int i = 0; i < FATE_COUNT; i++)
		SAME(fate_names[i], t->fates[i], fates[i]);
	for (int i = 0; i < STAGE_MAX; i++)
		SAME_AT("entries", i, t->stage_entries[i], want->entries[i]);
	for (int i = 0; i < EVENT_MAX; i++)
		SAME_AT("event count", i, t->event_counts[i], want->event_counts[i]);
	for (int i = 0; i < NOTE_COUNT; i++)
		SAME(note_keys[i], m->counts.notes[i], want->notes[i]);
	for (int i = 0; i < BAD_COUNT; i++) {
		uint64_t n = 0;

		for (size_t k = 0; k < m->counts.warnings.count; k++)
			n += m->counts.warnings.data[k].bad == i;
		warnings += want->bad[i];
		if (m->counts.warning_count <= TRACE_WARNINGS)
			SAME(bad_texts[i], n, want->bad[i]);
	}
	SAME("warnings", m->counts.warning_count, warnings);
	SAME("stages", m->names.config.stage_count, want->config.stage_count);
	SAME("kinds of events", m->names.config.event_count, want->config.event_count);
	SAME("statistics", m->names.metric_count, want->metric_count);
	if (memcmp(m->names.metrics, want->metrics, sizeof(want->metrics)) != 0)
		SAME("order of the statistics", 0, 1);
	for (size_t i = 0; i < want->config.stage_count; i++)
		if (strcmp(m->names.config.stages[i].name, want->config.stages[i].name) != 0)
			SAME_AT("name of a stage", i, 0, 1);
	for (size_t i = 0; i < want->config.event_count; i++)
		SAME_AT("mask of an event", i, m->names.config.events[i].mask,
			want->config.events[i].mask);
	SAME("first tick", m->counts.first, want->first);
	SAME("last tick", m->counts.last, want->last);
	SAME("end of index", m->ix.tick_end, want->last + 1);
}

/* What never changes once it is published: fate and events of each row as its leaf has them. */
struct packed_row {
	uint16_t events;
	uint8_t fate;
};

static bool is_late(const struct trace_index *ix, uint64_t row)
{
	return index_late_in(ix, row, row + 1, INT64_MIN) != ROW_NONE;
}

/*
 * The model's rows as they must stand in the sums: as they are, but for rows whose end came late.
 * Those are summed as they were thought to be when their leaf was published.
 */
static struct packed_row *packed_rows(struct made *m, const struct model *want)
{
	struct packed_row *out = calloc(want->count + 1, sizeof(*out));
	struct page_view v;

	assert_non_null(out);
	for (size_t i = 0; i < want->count; i++)
		out[i] = (struct packed_row){want->rows[i].events, want->rows[i].fate};
	for (size_t p = 0; p < m->ix.page_count && index_view(&m->ix, p, &v); p++)
		for (unsigned k = 0; k < v.entry.leaves; k++) {
			const struct leaf_head *h = &v.leaves[k];
			struct row *rows = calloc(h->rows + 1, sizeof(*rows));

			assert_non_null(rows);
			assert_true(leaf_decode(h->packed, h->packed_len, h->rows, h->tick,
						h->row0, rows));
			for (uint64_t i = 0; i < h->rows && h->row0 + i < want->count; i++)
				if (is_late(&m->ix, h->row0 + i))
					out[h->row0 + i] = (struct packed_row){rows[i].events,
									      rows[i].fate};
			free(rows);
		}
	return out;
}

/* Sums over ticks < tick and over rows < row0. */
static void compare_sums(const struct model *want, const struct packed_row *packed,
			 const struct sums *got, int64_t tick, uint64_t row0)
{
	struct sums s = {.committed = 0};

	for (unsigned i = 0; i < SLOTS; i++)
		SAME_AT("area up to a page, slot", i, got->area[i], model_area(want, i, tick));
	for (size_t i = 0; i < want->count; i++) {
		const struct model_row *r = &want->rows[i];

		if (r->end < tick && r->fate == FATE_COMMITTED) {
			s.committed++;
			s.committed_macro += !r->micro;
		}
		s.squashed += r->end < tick && r->fate == FATE_SQUASHED;
		if (i >= row0)
			continue;
		s.fates[packed[i].fate]++;
		s.micro_ops += r->micro;
		for (int k = 0; k < EVENT_MAX; k++)
			s.event_rows[k] += packed[i].events >> k & 1;
	}
	for (size_t i = 0; i < want->sample_count; i++)
		if (want->samples[i].tick < tick)
			s.samples[want->samples[i].metric]++;
	SAME("committed up to a page", got->committed, s.committed);
	SAME("macros committed up to a page", got->committed_macro, s.committed_macro);
	SAME("squashed up to a page", got->squashed, s.squashed);
	SAME("micro-ops up to a page", got->micro_ops, s.micro_ops);
	for (int i = 0; i < FATE_COUNT; i++)
		SAME_AT("fates up to a page", i, got->fates[i], s.fates[i]);
	for (int i = 0; i < EVENT_MAX; i++)
		SAME_AT("event rows up to a page", i, got->event_rows[i], s.event_rows[i]);
	for (int i = 0; i < METRIC_MAX; i++)
		SAME_AT("samples up to a page", i, got->samples[i], s.samples[i]);
}

/* Heads are bounds: nobody older than a leaf's head is alive when it begins, late rows aside. */
static void compare_head(const struct trace_index *ix, const struct model *want,
			 const struct leaf_head *h)
{
	for (size_t i = 0; i < want->count && i < h->head; i++)
		if (want->rows[i].end > h->tick && index_late_in(ix, i, i + 1, h->tick) == ROW_NONE)
			SAME_AT("row before the head of a leaf alive in it", i, want->rows[i].end,
				h->tick);
}

static void compare_pages(struct made *m, const struct model *want, bool sums_too)
{
	struct packed_row *packed = packed_rows(m, want);

	for (size_t p = 0; p <= m->ix.page_count && !trouble[0]; p++) {
		struct sums got;
		struct page_view v;

		assert_true(index_sums(&m->ix, p, &got));
		if (p == m->ix.page_count) {
			compare_sums(want, packed, &got, m->ix.tick_end, m->ix.row_end);
			break;
		}
		assert_true(index_view(&m->ix, p, &v));
		if (sums_too)
			compare_sums(want, packed, &got, v.entry.tick, v.entry.row0);
		for (unsigned i = 0; i < v.entry.leaves; i++)
			compare_head(&m->ix, want, &v.leaves[i]);
	}
	free(packed);
}

static const char *differs(const char *text, const struct cut *cuts, size_t n,
			   const struct model *want, bool sums_too)
{
	struct made m;

	trouble[0] = '\0';
	make_index(&m, text, cuts, n);
	compare_rows(&m, want);
	compare_counts(&m, want);
	if (!trouble[0] && m.ix.early == m.ix.unborn.count)
		compare_pages(&m, want, sums_too);
	free_index(&m);
	return trouble[0] ? trouble : NULL;
}

/* ---- the property --------------------------------------------------------------------------- */

static void keep(const char *text, size_t len)
{
	const char *path = getenv("KEEP_TRACE");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (!f)
		return;
	fwrite(text, 1, len, f);
	fclose(f);
}

static void demand(const char *text, size_t len, const struct cut *cuts, size_t n,
		   const struct model *want, uint64_t seed, const char *how, bool sums_too)
{
	const char *why = differs(text, cuts, n, want, sums_too);

	if (!why)
		return;
	keep(text, len);
	fail_msg("seed %llu, %s, cut at %zu: %s", (unsigned long long)seed, how,
		 n > 1 ? cuts[1].at : 0, why);
}

static void cut_anywhere(unsigned odd, uint64_t seed, size_t bytes)
{
	bool sums_too = !(odd & (ODD_BACKWARDS | ODD_REVIVED));
	struct gen g;
	struct model want;
	struct cut *cuts, some[40];
	size_t n;

	gen_trace(&g, seed, odd, bytes);
	model_read(&want, g.text, g.len);
	cuts = all_cuts(g.text, g.len, &n);
	some[0] = cuts[0];
	some[1] = cuts[n];
	demand(g.text, g.len, some, 1, &want, seed, "whole", sums_too);
	for (size_t i = 1; i<n; i += n> 400 ? 1 + gen_dice(&g, n / ROUNDS(16)) : 1) {
		some[1] = cuts[i];
		some[2] = cuts[n];
		demand(g.text, g.len, some, 2, &want, seed, "one cut", sums_too);
	}
	for (int times = 0; times < ROUNDS(8); times++) {
		size_t k = 1;

		for (size_t i = 1; i < n && k < 38; i++)
			if (gen_dice(&g, n / 10 + 1) == 0)
				some[k++] = cuts[i];
		some[k] = cuts[n];
		demand(g.text, g.len, some, k, &want, seed, "several cuts", sums_too);
	}
	demand(g.text, g.len, cuts, n, &want, seed, "cut at every cycle", sums_too);
	free(cuts);
	model_free(&want);
	gen_free(&g);
}

/* Short texts for every place of a cut, a longer one for pages. */
static void seeds(unsigned odd)
{
	const char *only = getenv("SEED");

	if (only) {
		cut_anywhere(odd, strtoull(only, NULL, 10), 6000);
		return;
	}
	for (uint64_t seed = 1; seed <= ROUNDS(4); seed++)
		cut_anywhere(odd, seed, 1500 + 500 * (seed % 4));
	cut_anywhere(odd, 9, 24000);
}

/* name, what is odd about the texts */
#define CASE(name, odd)                                                                            \
	TEST(name)                                                                                 \
	{                                                                                          \
		seeds(odd);                                                                        \
	}

CASE(plain, 0)
CASE(squashes, ODD_SQUASH)
CASE(stock_micro_ops, ODD_SQUASH | ODD_STOCK)
CASE(dropped, ODD_SQUASH | ODD_DROPPED)
CASE(gpv_micro_ops, ODD_SQUASH | ODD_GPV)
CASE(partial, ODD_SQUASH | ODD_PARTIAL)
CASE(lost, ODD_SQUASH | ODD_LOST)
CASE(second_removals, ODD_SQUASH | ODD_TWICE)
CASE(stuck, ODD_SQUASH | ODD_STUCK)
CASE(gaps, ODD_SQUASH | ODD_GAPS | ODD_TWICE)
CASE(mixed, ODD_SQUASH | ODD_MIXED)
CASE(mixed_second_removals, ODD_SQUASH | ODD_MIXED | ODD_TWICE)
CASE(mixed_partial, ODD_SQUASH | ODD_MIXED | ODD_TWICE | ODD_GAPS | ODD_PARTIAL)
CASE(quiet, ODD_SQUASH | ODD_QUIET)
CASE(statistics, ODD_SQUASH | ODD_STATISTICS | ODD_FOREIGN)
CASE(new_names, ODD_SQUASH | ODD_NAMES | ODD_STATISTICS)
CASE(wrap, ODD_SQUASH | ODD_WRAP)
CASE(wrap_second_removals, ODD_SQUASH | ODD_WRAP | ODD_TWICE)
CASE(born_again, ODD_SQUASH | ODD_AGAIN)
CASE(born_again_second_removals, ODD_SQUASH | ODD_AGAIN | ODD_TWICE)
CASE(reborn, ODD_SQUASH | ODD_REBORN)
CASE(backwards, ODD_SQUASH | ODD_BACKWARDS)
CASE(backwards_gpv, ODD_SQUASH | ODD_BACKWARDS | ODD_GPV | ODD_DROPPED)
CASE(revived, ODD_SQUASH | ODD_REVIVED)
CASE(revived_gpv, ODD_SQUASH | ODD_REVIVED | ODD_GPV)
CASE(real_stock, ODD_SQUASH | ODD_STOCK | ODD_PARTIAL | ODD_LOST | ODD_QUIET | ODD_DROPPED)
CASE(real_gpv, ODD_SQUASH | ODD_GPV | ODD_PARTIAL | ODD_LOST | ODD_STATISTICS | ODD_TWICE)

FIXTURES(NULL, free_codes)
