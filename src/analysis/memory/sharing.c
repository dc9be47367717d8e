#include "config.h"

#include "analysis/memory/sharing.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/memory/source.h"

enum { CLASSES_SAID = 3 /* that a CPU waited for */ };

/* What the result is made of, under the lock. */
struct making {
	struct sharing *r;
	const struct trace *t;
	const struct memory_index *x;
	struct error *e;
	struct source_text *source;
	bool several; /* source files */
	uint32_t *dearest[MEMORY_LEVELS]; /* words of blocks; while these are added */
};

/* ---- texts ---- */

static const char *keep(struct making *m, const char *kept)
{
	m->r->failed |= !kept;
	return kept ? kept : "";
}

static const char *name_of(struct making *m, enum memory_thing by, uint32_t number)
{
	return keep(m, memory_keep_thing(m->r->texts, m->t, m->x, by, number));
}

/* "file 1" where no table says more. */
static const char *file_of(struct making *m, uint32_t line)
{
	const uint32_t file = m->x->lines[line].file;
	const char *path = memory_file(m->t, file);

	return path ? path : keep(m, intern_printf(m->r->texts, "file %" PRIu32, file));
}

static const char *function_of(struct making *m, uint32_t line)
{
	const char *function = source_text_function(m->source, m->x, line);

	return function ? keep(m, intern_printf(m->r->texts, "%s", function)) : NULL;
}

/* Of memory outside all objects: "?". */
static const char *object_name(const struct making *m, uint32_t object)
{
	return object == MEMORY_NONE ? "?" : memory_class(m->t, m->x->objects[object].class);
}

/* ---- rows: sums by one thing, the dearest first ---- */

typedef void describe_fn(struct making *m, struct sharing_row *row);

static int by_cycles(const void *a, const void *b)
{
	const struct sharing_row *x = a, *y = b;

	if (x->sum.cycles != y->sum.cycles)
		return x->sum.cycles > y->sum.cycles ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_rows(sharing_rows *rows)
{
	if (rows->count)
		qsort(rows->data, rows->count, sizeof(rows->data[0]), by_cycles);
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

/* A row for each number in a sum; of lines and blocks only those with a reference. */
static enum status add_rows(struct making *m, sharing_rows *rows, enum memory_thing by,
			    describe_fn *describe)
{
	const bool all = by == MEMORY_BY_OBJECT || by == MEMORY_BY_CLASS;
	struct memory_sums sums;
	enum status status = memory_sum_up(&sums, m->x, by, NULL, m->e);

	for (uint32_t i = 0; !status && i <= sums.count; i++) {
		const bool outside = i == sums.count;
		struct sharing_row row;

		if (outside ? !all || !sums.of[i].count : !all && !sums.of[i].count)
			continue;
		m->r->failed |= !sharing_row_make(&row, m->r->texts, m->t, m->x, by,
						  outside ? MEMORY_NONE : i, &sums);
		describe(m, &row);
		m->r->failed |= !vec_push(rows, row);
	}
	m->r->all = sums.all;
	memory_sums_free(&sums);
	sort_rows(rows);
	return status;
}

static void describe_object(struct making *m, struct sharing_row *row)
{
	row->name = object_name(m, row->number);
}

static void describe_class(struct making *m, struct sharing_row *row)
{
	row->name = row->number == MEMORY_NONE ? "?" : memory_class(m->t, row->number);
}

static void describe_line(struct making *m, struct sharing_row *row)
{
	row->name = file_of(m, row->number);
	row->line = m->x->lines[row->number].line;
	row->function = function_of(m, row->number);
}

static void describe_block(struct making *m, struct sharing_row *row)
{
	const struct memory_block *b = &m->x->blocks[row->number];
	const uint32_t word = m->dearest[b->level][row->number];

	row->label = word == MEMORY_NONE ? NULL : name_of(m, MEMORY_BY_WORD, word);
	row->address = b->address;
	row->level = b->level + UINT64_C(1);
	row->transfers = b->transfers;
	row->false_share = memory_share(row->sum.fill_cycles[b->level][MEMORY_FALSE], row->sum.cycles);
	judge(m->x, row, (enum memory_level)b->level);
}

/* ---- classes ---- */

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

/* ---- blocks ---- */

static enum status add_blocks(struct making *m)
{
	enum status status = STATUS_OK;

	for (int i = 0; !status && i < MEMORY_LEVELS; i++) {
		const enum memory_level level = (enum memory_level)i;

		m->dearest[i] = memory_dearest_words(m->x, level);
		status = m->dearest[i] ? add_rows(m, &m->r->blocks, memory_by_block(level),
						  describe_block)
				       : error_set(m->e, STATUS_NOMEM, "out of memory");
		free(m->dearest[i]);
	}
	return status;
}

/* ---- pairs: together by the names of their objects and by their lines ---- */

static struct sharing_end end_of(struct making *m, uint32_t object, uint32_t line)
{
	struct sharing_end end = {.object = object_name(m, object), .line = UINT64_MAX, .at = line};
	struct sbuf text = {0};

	end.class = object == MEMORY_NONE ? object : m->x->objects[object].class;
	sbuf_puts(&text, end.object);
	if (line != MEMORY_NONE) {
		end.file = file_of(m, line);
		end.line = m->x->lines[line].line;
		end.function = function_of(m, line);
		sbuf_printf(&text, "%s%s:%" PRIu64, m->several ? " " : "",
			    m->several ? end.file : "", end.line);
		if (end.function)
			sbuf_printf(&text, " in %s", end.function);
	}
	end.label = keep(m, intern_take(m->r->texts, &text));
	return end;
}

static int by_ends(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;
	int order = x->level == y->level ? 0 : x->level < y->level ? -1 : 1;

	order = order ? order : strcmp(x->victim.label, y->victim.label);
	return order ? order : strcmp(x->culprit.label, y->culprit.label);
}

static int by_count(const void *a, const void *b)
{
	const struct sharing_pair *x = a, *y = b;

	return x->count == y->count ? by_ends(a, b) : x->count > y->count ? -1 : 1;
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
		sbuf_puts(&text, said ? ", " : "");
		memory_put_thing(m->t, m->x, MEMORY_BY_CLASS, most < s->count ? most : MEMORY_NONE,
				 &text);
		sbuf_printf(&text, " %.0f %%", 100 * memory_share(s->of[most].cycles, s->all.cycles));
		s->of[most].cycles = 0;
	}
	return keep(m, intern_take(m->r->texts, &text));
}

static enum status add_cpus(struct making *m)
{
	const double time = (double)(m->x->last - m->x->first) + 1;
	enum status status = STATUS_OK;

	for (uint32_t cpu = 0; !status && cpu < m->x->caches[MEMORY_L1]; cpu++) {
		const struct memory_selection only = memory_only(MEMORY_BY_CPU, cpu);
		struct memory_sums s;

		status = memory_sum_up(&s, m->x, MEMORY_BY_CLASS, &only, m->e);
		if (!status) {
			const struct sharing_cpu row = {
			    .name = name_of(m, MEMORY_BY_CPU, cpu),
			    .cycles = s.all.cycles,
			    .share = time > 0 ? (double)s.all.cycles / time : NAN,
			    .waited = waited_for(m, &s)};

			m->r->failed |= !vec_push(&m->r->cpus, row);
		}
		memory_sums_free(&s);
	}
	return status;
}

/* ---- collisions ---- */

static enum status add_collisions(struct making *m)
{
	static const char *const misfits[] = {NULL, "capacity", "conflict"};
	const enum status status = memory_collide(&m->r->collisions, m->x, m->e);

	for (size_t i = 0; !status && i < m->r->collisions.count; i++) {
		struct memory_collision *c = &m->r->collisions.data[i];

		c->class = name_of(m, MEMORY_BY_CLASS, c->victim);
		c->by_class = name_of(m, MEMORY_BY_CLASS, c->by);
		c->cause = misfits[c->misfit];
		if (c->sets)
			c->sets_told = keep(m, intern_printf(m->r->texts, "%" PRIu32 " of %" PRIu32,
							     c->hit, c->sets));
	}
	return status;
}

/* ---- words: each with the CPUs that touched it, and from which lines ---- */

static int by_use(const void *a, const void *b, void *index)
{
	const struct memory_index *x = index;
	const struct memory_cell *p = &x->cells[*(const uint32_t *)a];
	const struct memory_cell *q = &x->cells[*(const uint32_t *)b];

	if (p->word != q->word)
		return p->word < q->word ? -1 : 1;
	if (p->cpu != q->cpu)
		return p->cpu < q->cpu ? -1 : 1;
	return (p->line > q->line) - (p->line < q->line);
}

static struct sharing_word new_word(struct making *m, const struct memory_cell *c,
				    struct sharing_use *use)
{
	const struct memory_word *w = &m->x->words[c->word];
	const uint64_t from =
	    w->object == MEMORY_NONE ? w->address : m->x->objects[w->object].address;

	return (struct sharing_word){
	    .address = w->address,
	    .offset = w->object == MEMORY_NONE ? UINT64_MAX : w->address - from,
	    .object = w->object == MEMORY_NONE ? NULL : object_name(m, w->object),
	    .cpus = use};
}

/* Cells that differ in the object alone are of one line; those of no line are counted, and no more. */
static void add_site(struct making *m, struct sharing_use *use, const struct memory_cell *c,
		     bool another)
{
	struct sharing_site *site;

	use->reads += c->reads;
	use->writes += c->writes;
	if (c->line == MEMORY_NONE)
		return;
	if (another)
		use->sites[use->site_count++] =
		    (struct sharing_site){.file = file_of(m, c->line),
					  .line = m->x->lines[c->line].line,
					  .function = function_of(m, c->line),
					  .label = name_of(m, MEMORY_BY_LINE, c->line)};
	site = &use->sites[use->site_count - 1];
	site->reads += c->reads;
	site->writes += c->writes;
	site->cycles += c->cycles;
}

static bool fill_words(struct making *m, const uint32_t *order)
{
	const struct memory_cell *before = NULL;
	struct sharing_use *use = m->r->uses - 1;

	for (uint32_t i = 0; i < m->x->cell_count; i++) {
		const struct memory_cell *c = &m->x->cells[order[i]];
		const bool begins = !before || before->word != c->word;
		const bool changes = begins || before->cpu != c->cpu;
		struct sharing_word *word;

		if (changes)
			*++use = (struct sharing_use){.cpu = c->cpu, .sites = m->r->sites + i};
		if (begins && !vec_push(&m->r->words, new_word(m, c, use)))
			return false;
		word = &vec_last(&m->r->words);
		word->cpu_count += changes;
		word->cycles += c->cycles;
		add_site(m, use, c, changes || before->line != c->line);
		use->told = keep(m, intern_printf(m->r->texts, "%" PRIu64 " %s%s", use->cpu,
						  use->reads ? "r" : "", use->writes ? "w" : ""));
		before = c;
	}
	return true;
}

static int by_word_cycles(const void *a, const void *b)
{
	const struct sharing_word *x = a, *y = b;

	if (x->cycles != y->cycles)
		return x->cycles > y->cycles ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static bool add_words(struct making *m)
{
	const uint32_t count = m->x->cell_count;
	uint32_t *order = malloc(((size_t)count + 1) * sizeof(*order));
	bool done;

	for (uint32_t i = 0; order && i < count; i++)
		order[i] = i;
	if (order && count)
		qsort_r(order, count, sizeof(*order), by_use, (void *)(uintptr_t)m->x);
	m->r->uses = calloc((size_t)count + 1, sizeof(*m->r->uses));
	m->r->sites = calloc((size_t)count + 1, sizeof(*m->r->sites));
	done = order && m->r->uses && m->r->sites && fill_words(m, order);
	free(order);
	if (done && m->r->words.count)
		qsort(m->r->words.data, m->r->words.count, sizeof(m->r->words.data[0]),
		      by_word_cycles);
	return done;
}

/* ---- all of it ---- */

static void add_head(struct making *m)
{
	struct sharing *r = m->r;

	r->trace = m->t;
	r->masks = m->x->masks;
	r->guessed = m->x->guessed;
	r->instances = m->x->object_count;
	r->first = m->x->first;
	r->last = m->x->last;
	for (uint32_t i = 1; i < m->x->line_count; i++)
		m->several |= m->x->lines[i].file != m->x->lines[0].file;
	for (int level = 0; level < MEMORY_LEVELS; level++) {
		r->block_bytes[level] = m->x->block_bytes[level];
		r->caches[level] = m->x->caches[level];
	}
}

static enum status add_lists(struct making *m)
{
	struct sharing *r = m->r;
	enum status status = add_rows(m, &r->objects, MEMORY_BY_OBJECT, describe_object);

	if (!status)
		status = add_rows(m, &r->classes, MEMORY_BY_CLASS, describe_class);
	if (!status)
		status = add_rows(m, &r->lines, MEMORY_BY_LINE, describe_line);
	if (!status)
		status = add_blocks(m);
	if (!status)
		status = add_cpus(m);
	if (!status)
		status = add_collisions(m);
	if (!status)
		add_pairs(m);
	if (!status && (!sharing_add_instances(r->classes.data, r->classes.count,
					       sizeof(*r->classes.data), r->texts, m->t, m->x) ||
			r->failed))
		status = error_set(m->e, STATUS_NOMEM, "not enough memory for what is shared");
	return status;
}

static enum status make(void *result, struct trace *t, bool words, struct error *e)
{
	struct making m = {.r = result, .t = t, .e = e};
	enum status status;

	*m.r = (struct sharing){.texts = intern_new()};
	if (!m.r->texts)
		return error_set(e, STATUS_NOMEM, "out of memory");
	m.source = source_text_new(t);
	m.x = memory_lock(t);
	add_head(&m);
	status = add_lists(&m);
	if (!status && words && (!add_words(&m) || m.r->failed))
		status = error_set(e, STATUS_NOMEM, "not enough memory for the words");
	memory_unlock(t);
	source_text_free(m.source);
	return status;
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
	vec_free(&r->words);
	free(r->uses);
	free(r->sites);
	intern_free(r->texts);
	free(r);
}

const struct answer sharing_answer = {"sharing",        &memory_trace_kind,
				      sharing_sections, sizeof(struct sharing),
				      make_sharing,     free_sharing};
const struct answer sharing_words_answer = {
    "words",    &memory_trace_kind, sharing_word_sections, sizeof(struct sharing),
    make_words, free_sharing};
