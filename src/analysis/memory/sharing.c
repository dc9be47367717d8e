#include "config.h"

#include "analysis/memory/sharing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_SAID = 3 /* that a CPU waited for */ };

/* What the result is made of, under the lock. What fails for want of memory says so in the result. */
struct making {
	struct sharing *r;
	const struct trace *t;
	const struct memory_index *x;
	struct source_text *source;
	bool several; /* source files */
};

static const char *keep(struct making *m, const char *kept)
{
	m->r->failed |= !kept;
	return kept ? kept : "";
}

static const char *name_of(struct making *m, enum memory_thing by, uint32_t number)
{
	return keep(m, memory_keep_thing(m->r->texts, m->t, m->x, by, number));
}

static struct source_place place_of(struct making *m, uint32_t line)
{
	struct source_place place;

	m->r->failed |= !source_place_of(&place, m->source, m->r->texts, m->t, m->x, line);
	return place;
}

/* Of memory outside all objects: "?". */
static const char *class_name(const struct making *m, uint32_t class)
{
	return class == MEMORY_NONE ? "?" : memory_class(m->t, class);
}

/* False: no memory. memory_sums_free() in any case. */
static bool sum_up(struct making *m, struct memory_sums *s, enum memory_thing by,
		   const struct memory_selection *only)
{
	const bool done = !memory_sum_up(s, m->x, by, only, NULL);

	m->r->failed |= !done;
	return done;
}

/* ---- rows: sums by one thing, the dearest first ---- */

static int by_cycles(const void *a, const void *b)
{
	const struct sharing_row *x = a, *y = b;
	int order = memory_ascending(y->sum.cycles, x->sum.cycles);

	order = order ? order : memory_ascending(x->level, y->level);
	return order ? order : memory_ascending(x->number, y->number);
}

static void judge(const struct memory_index *x, struct sharing_row *row, enum memory_level level)
{
	row->judged = memory_verdict_of(&row->sum, level);
	row->verdict = memory_verdict_names[row->judged];
	row->told = memory_verdict_told(row->judged, x->masks);
}

bool sharing_row_make(struct sharing_row *row, struct intern *texts, const struct trace *t,
		      const struct memory_index *x, enum memory_thing by, uint32_t number,
		      const struct memory_sums *sums)
{
	const struct memory_sum *s = &sums->of[number < sums->count ? number : sums->count];

	*row = (struct sharing_row){
	    .number = number,
	    .label = memory_keep_thing(texts, t, x, by, number),
	    .address = UINT64_MAX,
	    .size = UINT64_MAX,
	    .instances = UINT64_MAX,
	    .each = UINT64_MAX,
	    .sum = *s,
	    .share = memory_share(s->cycles, sums->cycles),
	    .false_share = memory_share(memory_cause_cycles(s, MEMORY_FALSE), s->cycles),
	    .upgrade_share = memory_share(memory_upgrade_cycles(s), s->cycles)};
	judge(x, row, MEMORY_LEVELS);
	if (by == MEMORY_BY_OBJECT && number != MEMORY_NONE) {
		row->address = x->objects[number].address;
		row->size = x->objects[number].size;
	}
	if (by == MEMORY_BY_WORD)
		row->address = x->words[number].address;
	return row->label;
}

/* Of a level, with its dearest word. */
static void describe_block(struct making *m, struct sharing_row *row, uint32_t word)
{
	const struct memory_block *b = &m->x->blocks[row->number];

	row->label = word == MEMORY_NONE ? NULL : name_of(m, MEMORY_BY_WORD, word);
	row->address = b->address;
	row->level = b->level + UINT64_C(1);
	row->transfers = b->transfers;
	row->false_share = memory_share(row->sum.fill_cycles[b->level][MEMORY_FALSE], row->sum.cycles);
	judge(m->x, row, (enum memory_level)b->level);
}

/* A row for each number; of lines and blocks only those with a reference. dearest: of blocks. */
static void add_rows(struct making *m, sharing_rows *rows, enum memory_thing by,
		     const uint32_t *dearest)
{
	const bool all = by == MEMORY_BY_OBJECT || by == MEMORY_BY_CLASS;
	struct memory_sums sums;
	const bool done = sum_up(m, &sums, by, NULL);

	for (uint32_t i = 0; done && i <= sums.count; i++) {
		const uint32_t number = i == sums.count ? MEMORY_NONE : i;
		struct sharing_row row;

		if (!sums.of[i].count && (!all || number == MEMORY_NONE))
			continue;
		m->r->failed |= !sharing_row_make(&row, m->r->texts, m->t, m->x, by, number, &sums);
		if (by == MEMORY_BY_OBJECT)
			row.class = class_name(m, memory_class_of(m->x, number));
		else if (by == MEMORY_BY_LINE)
			row.place = place_of(m, number);
		else if (dearest)
			describe_block(m, &row, dearest[number]);
		m->r->failed |= !vec_push(rows, row);
	}
	m->r->all = sums.all;
	memory_sums_free(&sums);
	if (rows->count)
		qsort(rows->data, rows->count, sizeof(rows->data[0]), by_cycles);
}

static void add_blocks(struct making *m, enum memory_level level)
{
	uint32_t *dearest = memory_dearest_words(m->x, level);

	m->r->failed |= !dearest;
	if (dearest)
		add_rows(m, &m->r->blocks, memory_by_block(level), dearest);
	free(dearest);
}

bool sharing_add_instances(struct sharing_row *rows, size_t count, size_t stride,
			   struct intern *texts, const struct trace *t,
			   const struct memory_index *x)
{
	struct memory_sums objects;
	struct instances {
		uint64_t count;
		uint32_t dearest;
	} *of = calloc((size_t)x->class_count + 1, sizeof(*of));
	const bool done = !memory_sum_up(&objects, x, MEMORY_BY_OBJECT, NULL, NULL) && of;

	for (uint32_t i = 0; done && i < x->object_count; i++) {
		struct instances *class = &of[x->objects[i].class];

		if (!class->count++ || objects.of[i].cycles > objects.of[class->dearest].cycles)
			class->dearest = i;
	}
	for (size_t i = 0; done && i < count; i++) {
		struct sharing_row *row = (void *)((char *)rows + i * stride);

		if (row->number == MEMORY_NONE)
			continue;
		row->instances = of[row->number].count;
		if (row->instances)
			row->each = (row->sum.cycles + row->instances / 2) / row->instances;
		if (row->sum.cycles)
			row->worst = memory_keep_thing(texts, t, x, MEMORY_BY_OBJECT,
						       of[row->number].dearest);
	}
	memory_sums_free(&objects);
	free(of);
	return done;
}

/* ---- pairs: together by the names of their objects and by their lines ---- */

static struct sharing_end end_of(struct making *m, uint32_t object, uint32_t line)
{
	struct sharing_end end = {.place = place_of(m, line), .at = line};
	struct sbuf text = {0};

	end.class = memory_class_of(m->x, object);
	end.object = class_name(m, end.class);
	sbuf_puts(&text, end.object);
	if (end.place.file)
		sbuf_printf(&text, "%s%s:%" PRIu64, m->several ? " " : "",
			    m->several ? end.place.file : "", end.place.line);
	end.label = keep(m, intern_take(m->r->texts, &text));
	return end;
}

static int by_ends(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;
	int order = memory_ascending(x->level, y->level);

	order = order ? order : strcmp(x->victim.label, y->victim.label);
	return order ? order : strcmp(x->culprit.label, y->culprit.label);
}

static int by_count(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;
	const int order = memory_ascending(y->count, x->count);

	return order ? order : by_ends(a, b);
}

/* Those between the same ends are one. */
static void join_pairs(struct sharing *r)
{
	struct sharing_pair *to = r->pairs.data;

	qsort(to, r->pairs.count, sizeof(*to), by_ends);
	for (size_t i = 1; i < r->pairs.count; i++) {
		const struct sharing_pair *p = &r->pairs.data[i];

		if (by_ends(to, p) != 0) {
			*++to = *p;
			continue;
		}
		to->count += p->count;
		to->false_count += p->false_count;
		to->cycles += p->cycles;
	}
	r->pairs.count = (size_t)(to - r->pairs.data) + 1;
	qsort(r->pairs.data, r->pairs.count, sizeof(*to), by_count);
}

static void add_pairs(struct making *m)
{
	for (uint32_t i = 0; i < m->x->culprit_count; i++) {
		const struct memory_culprit *c = &m->x->culprits[i];
		const struct sharing_pair pair = {
		    .victim = end_of(m, c->victim_object, c->victim_line),
		    .culprit = end_of(m, c->object, c->line),
		    .level = c->level + UINT64_C(1),
		    .count = c->count,
		    .false_count = c->cause == MEMORY_FALSE ? c->count : 0,
		    .cycles = c->cycles};

		m->r->failed |= !vec_push(&m->r->pairs, pair);
	}
	if (m->r->pairs.count)
		join_pairs(m->r);
}

/* ---- CPUs: how long they waited, and for what ---- */

/* "GS 41 %, ArrayC 39 %": the first few, as shares of all; their sums are used up. */
static const char *waited_for(struct making *m, struct memory_sums *s)
{
	struct sbuf text = {0};

	for (int said = 0; said < CLASSES_SAID; said++) {
		uint32_t most = 0;

		for (uint32_t i = 1; i <= s->count; i++)
			most = s->of[i].cycles > s->of[most].cycles ? i : most;
		if (!s->of[most].cycles)
			break;
		sbuf_printf(&text, "%s%s %.0f %%", said ? ", " : "",
			    class_name(m, most < s->count ? most : MEMORY_NONE),
			    100 * memory_share(s->of[most].cycles, s->all.cycles));
		s->of[most].cycles = 0;
	}
	return keep(m, intern_take(m->r->texts, &text));
}

static void add_cpu(struct making *m, uint32_t cpu)
{
	const double time = (double)(m->x->last - m->x->first) + 1;
	const struct memory_selection only = memory_only(MEMORY_BY_CPU, cpu);
	struct memory_sums s;

	if (sum_up(m, &s, MEMORY_BY_CLASS, &only)) {
		const struct sharing_cpu row = {
		    .name = name_of(m, MEMORY_BY_CPU, cpu),
		    .cycles = s.all.cycles,
		    .share = time > 0 ? (double)s.all.cycles / time : NAN,
		    .waited = waited_for(m, &s)};

		m->r->failed |= !vec_push(&m->r->cpus, row);
	}
	memory_sums_free(&s);
}

/* ---- collisions ---- */

static void add_collisions(struct making *m)
{
	static const char *const misfits[] = {NULL, "capacity", "conflict"};

	m->r->failed |= !memory_collide(&m->r->collisions, m->x);
	for (size_t i = 0; i < m->r->collisions.count; i++) {
		struct memory_collision *c = &m->r->collisions.data[i];

		c->class = class_name(m, c->victim);
		c->by_class = class_name(m, c->by);
		c->cause = misfits[c->misfit];
		if (c->sets)
			c->sets_told = keep(m, intern_printf(m->r->texts, "%" PRIu32 " of %" PRIu32,
							     c->hit, c->sets));
	}
}

/* ---- all of it ---- */

static void add_lists(struct making *m)
{
	struct sharing *r = m->r;

	for (uint32_t i = 1; i < m->x->line_count; i++)
		m->several |= m->x->lines[i].file != m->x->lines[0].file;
	add_rows(m, &r->objects, MEMORY_BY_OBJECT, NULL);
	add_rows(m, &r->classes, MEMORY_BY_CLASS, NULL);
	add_rows(m, &r->lines, MEMORY_BY_LINE, NULL);
	add_blocks(m, MEMORY_L1);
	add_blocks(m, MEMORY_L2);
	for (uint32_t cpu = 0; cpu < m->x->caches[MEMORY_L1]; cpu++)
		add_cpu(m, cpu);
	add_collisions(m);
	add_pairs(m);
	r->failed |= !sharing_add_instances(r->classes.data, r->classes.count,
					    sizeof(*r->classes.data), r->texts, m->t, m->x);
}

static enum status make(struct sharing *r, struct trace *t, bool words, struct error *e)
{
	struct making m = {.r = r, .t = t, .source = source_text_new(t)};

	m.x = memory_lock(t);
	*r = (struct sharing){.trace = t, .masks = m.x->masks, .texts = intern_new()};
	if (r->texts)
		add_lists(&m);
	if (r->texts && words)
		r->failed |= sharing_words_make(&r->words, t, m.x, m.source, MEMORY_THING_COUNT, 0, NULL) !=
			     STATUS_OK;
	memory_unlock(t);
	source_text_free(m.source);
	return r->texts && !r->failed
		   ? STATUS_OK
		   : error_set(e, STATUS_NOMEM, "not enough memory for what is shared");
}

static enum status make_sharing(void *result, struct trace *t, const struct question *q,
				struct error *e)
{
	(void)q;
	return make(result, t, false, e);
}

static enum status make_words(void *result, struct trace *t, const struct question *q,
			      struct error *e)
{
	(void)q;
	return make(result, t, true, e);
}

static void free_sharing(void *result)
{
	struct sharing *r = result;

	vec_free(&r->objects);
	vec_free(&r->classes);
	vec_free(&r->lines);
	vec_free(&r->blocks);
	vec_free(&r->pairs);
	vec_free(&r->cpus);
	vec_free(&r->collisions);
	sharing_words_free(&r->words);
	intern_free(r->texts);
	free(r);
}

const struct answer sharing_answer = {"sharing",        &memory_trace_kind,
				      sharing_sections, sizeof(struct sharing),
				      make_sharing,     free_sharing};
const struct answer sharing_words_answer = {
    "words",    &memory_trace_kind, sharing_word_sections, sizeof(struct sharing),
    make_words, free_sharing};
