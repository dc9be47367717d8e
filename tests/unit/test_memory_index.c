/*
 * Stays and references as rows: their orders, what is asked of them and the metrics made from them,
 * against plain loops over all rows; and the same trace from the cache file, whatever is damaged.
 */
#include "config.h"

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "memory/memory_private.h"
#include "tasks_files.h"

FIXTURES(tasks_folder_new, tasks_folder_free)

enum { CPUS = 3, PAIRS = 2, BLOCKS = 40, CELLS = 20, TICKS = 600 };

static uint32_t below(uint32_t n)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % n;
}

static struct memory *new_memory(void)
{
	struct memory *m = memory_new(NULL);

	pthread_rwlock_init(&m->lines.lock, NULL);
	m->lines.wake[0] = m->lines.wake[1] = -1;
	assert_true(memory_add_caches(m, CPUS, PAIRS));
	m->index.block_bytes[MEMORY_L1] = 16;
	m->index.block_bytes[MEMORY_L2] = 64;
	assert_true(memory_columns_new(m));
	for (uint32_t i = 0; i < BLOCKS; i++) {
		/* neighbours, met in any order, the first and the last of a level at the ends */
		const uint8_t level = i % 2;
		struct memory_block b = {.address = 0x1000 + (i * 7 % BLOCKS / 2) * (level ? 64 : 16),
					 .level = level};

		assert_true(vec_push(&m->blocks, b));
	}
	for (uint32_t i = 0; i < CELLS; i++)
		assert_true(vec_push(&m->cells, ((struct memory_cell){.cpu = i % CPUS})));
	return m;
}

static void free_memory(struct memory *m)
{
	pthread_rwlock_destroy(&m->lines.lock);
	memory_free(m);
}

/* ---- rows ---- */

/* When each cache last lost each block: stays of one do not overlap, whatever the order of rows. */
static int64_t free_at[CPUS][BLOCKS];

static uint32_t add_stay(struct memory *m)
{
	const uint32_t block = below(BLOCKS), cache = below(block % 2 ? PAIRS : CPUS);
	int64_t *at = &free_at[cache][block];
	struct memory_stay s = {.start = *at + below(30),
				.block = block,
				.cache = (uint16_t)cache,
				.cause = below(MEMORY_CAUSE_COUNT) & 7,
				.ending = (1 + below(2)) & 3,
				.private = below(2) & 1,
				.cell = below(5) ? 0 : MEMORY_NONE, /* it was loaded, or there from the first */
				.taker = MEMORY_NONE,
				.change = MEMORY_NONE};

	if (s.start >= TICKS)
		return MEMORY_NONE;
	s.end = s.start + below(60);
	if (below(3) == 0 && s.end > s.start)
		s.change = below((uint32_t)(s.end - s.start));
	*at = s.end + (s.end == s.start);
	lines_see(&m->lines, s.start, s.end + 1);
	return memory_add_stay(m, &s);
}

static void add_rows(struct memory *m, int count)
{
	while (count--) {
		const int64_t tick = below(TICKS);

		add_stay(m);
		memory_add_reference(m, &(struct memory_event){tick, below(CELLS), below(9) & 15,
							       below(2) & 1});
		lines_see(&m->lines, tick, tick + 1);
	}
}

static const struct memory_index *locked(struct memory *m)
{
	const struct memory_index *x = memory_lock(&m->lines.trace);

	memory_unlock(&m->lines.trace);
	return x;
}

/* ---- orders ---- */

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* In the order of block, cache, start and row. */
static int compare_stays(const struct memory_index *x, uint32_t a, uint32_t b)
{
	const struct memory_stay *s = memory_stay(x, a), *t = memory_stay(x, b);
	int order = compare(s->block, t->block);

	order = order ? order : compare(s->cache, t->cache);
	order = order ? order : compare(s->start, t->start);
	return order ? order : compare(a, b);
}

/* Rising, each row once. */
static void check_order(const struct memory_index *x)
{
	bool *seen = calloc(x->stay_count + 1, sizeof(*seen));

	for (uint32_t i = 0; i < x->stay_count; i++) {
		const struct memory_stay *s = &x->ordered[i];

		assert_true(s->row < x->stay_count && !seen[s->row]);
		seen[s->row] = true;
		assert_true(!i || compare_stays(x, s[-1].row, s->row) < 0);
		assert_int_equal(s->level, x->blocks[s->block].level);
		assert_ptr_equal(s, memory_stay(x, s->row));
	}
	free(seen);
}

/* As they came, and since then. */
static void check_rows(struct memory *m, const struct memory_index *x)
{
	check_order(x);
	for (uint32_t row = 0; row < x->stay_count; row++)
		assert_memory_equal(memory_stay(x, row), memory_stay_at(m, row),
				    sizeof(struct memory_stay));
}

/* Stays and references are counted where they were. */
static void check_components(struct memory *m)
{
	const struct memory_index *x = locked(m);
	struct trace_component c;
	uint64_t sum = 0;

	for (size_t i = 0; i < CPUS + CPUS + PAIRS; i++, sum += c.spans) {
		uint64_t spans = 0;

		for (uint32_t k = 0; k < x->reference_count; k++)
			spans += x->cells[x->references[k].cell].cpu == i;
		for (uint32_t k = 0; k < x->stay_count; k++)
			spans += memory_component(x, x->blocks[x->ordered[k].block].level, x->ordered[k].cache) == i;
		assert_true(memory_trace_kind.component(&m->lines.trace, i, &c));
		assert_int_equal(c.spans, spans);
	}
	assert_int_equal(sum, x->stay_count + x->reference_count);
	assert_false(memory_trace_kind.component(&m->lines.trace, CPUS + CPUS + PAIRS, &c));
}

TEST(orders)
{
	struct memory *m = new_memory();
	const struct memory_index *x = locked(m);

	memset(free_at, 0, sizeof(free_at));
	for (int i = 0; i < 6; i++) {
		const uint32_t before = x->stay_count;

		add_rows(m, 1 << (2 * i));
		assert_int_equal(x->stay_count, before); /* nothing is seen before it is published */
		assert_true(memory_publish(m, false));
		assert_true(x->stay_count > before);
		check_rows(m, x);
	}
	check_components(m);
	/* a late end of what was published, in whatever piece of the file it lies */
	for (uint32_t row = 0; row < x->stay_count; row += 97)
		memory_stay_at(m, row)->end += 5;
	assert_true(memory_publish(m, false));
	check_rows(m, x);
	free_memory(m);
}

/* More than the pieces in which columns go to their files, and ends that are set behind. */
TEST(many_rows)
{
	enum { MANY = 100000 };
	struct memory *m = new_memory();
	const struct memory_index *x = locked(m);

	for (uint32_t i = 0; i < MANY; i++) {
		struct memory_stay s = {.start = i, .end = MEMORY_OPEN, .block = i % BLOCKS};

		assert_int_equal(memory_add_stay(m, &s), i);
		if (i >= BLOCKS)
			memory_stay_at(m, i - BLOCKS)->end = i;
	}
	assert_true(memory_publish(m, false));
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(memory_stay(x, i)->start, i);
		assert_int_equal(memory_stay(x, i)->end, i + BLOCKS < MANY ? i + BLOCKS : MEMORY_OPEN);
	}
	free_memory(m);
}

TEST(stays_of_a_block)
{
	struct memory *m = new_memory();
	const struct memory_index *x = locked(m);

	memset(free_at, 0, sizeof(free_at));
	add_rows(m, 4000);
	assert_true(memory_publish(m, false));
	for (int round = 0; round < ROUNDS(3000); round++) {
		const uint32_t block = below(BLOCKS), cache = below(block % 2 ? PAIRS : CPUS);
		const int64_t from = below(TICKS), to = from + 1 + below(80);
		uint32_t begin, end, count = 0;

		memory_stays(x, block, cache, from, to, &begin, &end);
		for (uint32_t i = 0; i < x->stay_count; i++)
			count += x->ordered[i].block == block && x->ordered[i].cache == cache &&
				 memory_meets(&x->ordered[i], from, to);
		assert_int_equal(end - begin, count);
		for (uint32_t i = begin; i < end; i++)
			assert_true(memory_meets(&x->ordered[i], from, to));
	}
	free_memory(m);
}

TEST(blocks_by_address)
{
	struct memory *m = new_memory();
	const struct trace *t = &m->lines.trace;

	assert_true(memory_publish(m, false));
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const struct memory_block *b = &m->blocks.data[i];
		const uint64_t bytes = b->level ? 64 : 16;

		assert_int_equal(memory_block_at(t, (enum memory_level)b->level, b->address), i);
		assert_int_equal(
		    memory_block_at(t, (enum memory_level)b->level, b->address + bytes - 1), i);
	}
	assert_int_equal(memory_block_at(t, MEMORY_L1, 0xfff), MEMORY_NONE);
	assert_int_equal(memory_block_at(t, MEMORY_L1, 0x1000 + 16 * BLOCKS / 2), MEMORY_NONE);
	assert_int_equal(memory_block_at(t, MEMORY_L2, UINT64_MAX), MEMORY_NONE);
	free_memory(m);
}

/* ---- metrics ---- */

/* Is a tick in bin k of n? */
static bool in_bin(int64_t tick, int64_t from, int64_t to, size_t n, size_t k)
{
	return tick >= from && tick < to &&
	       (uint64_t)(tick - from) * n / (uint64_t)(to - from) == k;
}

/* How much of [start, end) lies in bin k. */
static double overlap(int64_t start, int64_t end, int64_t from, int64_t to, size_t n, size_t k)
{
	const double w = (double)(to - from) / (double)n, a = (double)from + w * (double)k;
	const double low = fmax(a, (double)start), high = fmin(a + w, (double)end);

	return high > low ? high - low : 0;
}

static double model(const struct memory_index *x, const char *metric, uint32_t component,
		    int64_t from, int64_t to, size_t n, size_t k)
{
	const double w = (double)(to - from) / (double)n;
	double sum = 0;

	for (uint32_t i = 0; i < x->reference_count; i++) {
		const struct memory_event *r = &x->references[i];

		if (x->cells[r->cell].cpu != component)
			continue;
		if (!strcmp(metric, "wait") ||
		    (!strcmp(metric, "lock-wait") && x->cells[r->cell].object == 1))
			sum += overlap(r->tick, r->tick + r->cycles, from, to, n, k);
		if (!strcmp(metric, r->kind ? "writes" : "reads"))
			sum += in_bin(r->tick, from, to, n, k);
	}
	for (uint32_t i = 0; i < x->stay_count; i++) {
		const struct memory_stay *s = memory_stay(x, i);
		static const char *const causes[] = {"cold", "replacement", "true-sharing",
						     "false-sharing", "inclusion"};

		if (CPUS + s->cache + (x->blocks[s->block].level ? CPUS : 0u) != component)
			continue;
		if (s->cell != MEMORY_NONE &&
		    (!strcmp(metric, "loads") || !strcmp(metric, causes[s->cause])))
			sum += in_bin(s->start, from, to, n, k);
		if (!strcmp(metric, s->ending == MEMORY_REPLACED ? "evictions" : "invalidations"))
			sum += in_bin(s->end, from, to, n, k);
		if (!strcmp(metric, "upgrades") && !s->private && s->change != MEMORY_NONE)
			sum += in_bin(s->start + s->change, from, to, n, k);
		if (!strcmp(metric, "resident"))
			sum += overlap(s->start, s->end, from, to, n, k);
	}
	return sum / w;
}

static void check_metric(struct memory *m, size_t metric, int64_t from, int64_t to, size_t n)
{
	struct trace *t = &m->lines.trace;
	const struct memory_index *x = locked(m);
	double values[40], means[CPUS + CPUS + PAIRS];
	struct metric_info info;
	struct metric_ref ref;
	struct regex *re;
	bool exact = false;

	assert_true(memory_metric(t, metric, &info));
	assert_int_equal(regex_new(&re, "[01]\\]$", NULL), STATUS_OK);
	assert_true(memory_metric_find(t, info.name, re, &ref));
	regex_free(re);
	assert_int_equal(memory_values(t, &ref, from, to, n, values, &exact, NULL), STATUS_OK);
	assert_true(exact);
	for (size_t k = 0; k < n; k++) {
		double sum = 0;

		for (uint32_t c = 0; c < CPUS + CPUS + PAIRS; c++)
			if (c % CPUS < 2)
				sum += model(x, info.name, c, from, to, n, k);
		if (strstr(info.name, "wait"))
			sum /= 2;
		if ((double)from + (double)(to - from) / (double)n * (double)k > (double)x->last)
			continue;
		if (!(fabs(values[k] - sum) < 1e-9))
			fail_msg("%s: %g, not %g", info.name, values[k], sum);
	}
	assert_int_equal(memory_means(t, metric, from, to, CPUS + CPUS + PAIRS, means, NULL), STATUS_OK);
	for (uint32_t c = 0; c < CPUS + CPUS + PAIRS; c++) {
		const bool of_cpu = info.unit == NULL ? strstr(info.name, "wait") != NULL
						      : !strcmp(info.name, "reads") ||
							    !strcmp(info.name, "writes");

		if (of_cpu != (c < CPUS))
			assert_true(isnan(means[c]));
		else
			assert_true(fabs(means[c] - model(x, info.name, c, from, to, 1, 0)) < 1e-9);
	}
}

static void add_objects(struct memory *m)
{
	static const char *const names[] = {"unlocked", "lock", "data"};

	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(intern_add(m->classes, names[i], strlen(names[i])), i);
		assert_true(vec_push(&m->objects, ((struct memory_object){.class = i})));
		assert_true(vec_push(&m->instances, 1));
	}
	for (uint32_t i = 0; i < CELLS; i++)
		m->cells.data[i].object = i % 4 < 3 ? i % 4 : MEMORY_NONE;
}

TEST(metrics)
{
	struct memory *m = new_memory();
	struct metric_ref ref;
	struct regex *re;
	uint32_t count;

	memset(free_at, 0, sizeof(free_at));
	add_rows(m, 3000);
	assert_int_equal(memory_mark_locks(&m->lines.trace, "^lock$", &count, NULL), STATUS_OK);
	assert_int_equal(count, 0); /* it comes later */
	add_objects(m);
	assert_true(memory_publish(m, false));
	assert_true(memory_metric_find(&m->lines.trace, "lock-wait", NULL, &ref));
	for (int round = 0; round < ROUNDS(40); round++) {
		const int64_t from = below(TICKS / 2), to = from + 1 + below(TICKS / 2);

		for (size_t i = 0; i < memory_metric_count(&m->lines.trace); i++)
			check_metric(m, i, from, to, 1 + below(40));
	}
	assert_int_equal(memory_mark_locks(&m->lines.trace, "lock", &count, NULL), STATUS_OK);
	assert_int_equal(count, 2);
	assert_int_equal(memory_mark_locks(&m->lines.trace, NULL, &count, NULL), STATUS_OK);
	assert_false(memory_metric_find(&m->lines.trace, "lock-wait", NULL, &ref));
	assert_int_equal(regex_new(&re, "^L2", NULL), STATUS_OK);
	assert_false(memory_metric_find(&m->lines.trace, "wait", re, &ref)); /* caches do not wait */
	assert_true(memory_metric_find(&m->lines.trace, "loads", re, &ref));
	regex_free(re);
	free_memory(m);
}

/* ---- names ---- */

static void add_object(struct memory *m, const char *name, uint64_t address, uint64_t size,
		       uint32_t ordinal)
{
	const struct memory_object o = {.address = address,
					.size = size,
					.class = (uint32_t)intern_add(m->classes, name, strlen(name)),
					.parent = MEMORY_NONE,
					.ordinal = ordinal,
					.died = MEMORY_OPEN};

	assert_true(vec_push(&m->objects, o));
	assert_true(m->instances.count > o.class || vec_push(&m->instances, 0));
	m->instances.data[o.class]++;
}

static void add_word(struct memory *m, uint64_t address, uint32_t object)
{
	assert_true(vec_push(&m->words, ((struct memory_word){.address = address, .object = object})));
}

typedef void put_fn(const struct trace *t, uint32_t number, struct sbuf *out);

static void check_name(const struct memory *m, put_fn *put, uint32_t number, const char *name)
{
	struct sbuf out = {0};

	put(&m->lines.trace, number, &out);
	assert_string_equal(sbuf_text(&out), name);
	sbuf_free(&out);
}

TEST(names)
{
	struct memory *m = new_memory();

	add_object(m, "C", 0x1000, 64, 0);
	add_object(m, "lock", 0x2000, 4, 0);
	add_object(m, "Cell", 0x3000, 8, 0);
	memory_refresh(m);
	check_name(m, memory_put_object, 2, "Cell");
	add_object(m, "Cell", 0x3008, 8, 1);
	add_word(m, 0x1018, 0);
	add_word(m, 0x2000, 1);
	add_word(m, 0x300c, 3);
	add_word(m, 0x40000000, MEMORY_NONE);
	add_object(m, "text", 0x5002, 8, 0);
	add_word(m, 0x5000, 4);
	memory_refresh(m);
	check_name(m, memory_put_object, 2, "Cell[0]");
	check_name(m, memory_put_object, MEMORY_NONE, "?");
	check_name(m, memory_put_word, 0, "C+0x18");
	check_name(m, memory_put_word, 1, "lock");
	check_name(m, memory_put_word, 2, "Cell[1]+0x4");
	check_name(m, memory_put_word, 3, "0x40000000");
	check_name(m, memory_put_word, 4, "text+0x0");
	assert_true(vec_push(&m->source_lines, ((struct memory_line){1, 205})));
	memory_refresh(m);
	check_name(m, memory_put_line, 0, "file 1:205");
	assert_true(vec_push(&m->files, ((struct memory_path){1, "/home/a/vecadd.c"})));
	check_name(m, memory_put_line, 0, "vecadd.c:205");
	check_name(m, memory_put_line, MEMORY_NONE, "?");
	free_memory(m);
}

/* ---- the cache file ---- */

static uint64_t add_bytes(uint64_t sum, const void *p, size_t len)
{
	const unsigned char *b = p;

	while (len--)
		sum = (sum ^ *b++) * 0x100000001b3u;
	return sum;
}

/* All that a trace says, as one number; what leads somewhere is followed. */
static uint64_t sum_of(const struct trace *t)
{
	const struct memory_index *x = memory_lock(t);
	struct sbuf names = {0};
	struct metric_ref ref;
	uint64_t sum = 1, count;
	uint32_t begin, end;
	double values[7];
	struct warning w;

#define ADD(rows, n) sum = add_bytes(sum, x->rows, (size_t)(n) * sizeof(*x->rows));
	ADD(at, x->stay_count)
	ADD(references, x->reference_count)
	ADD(ordered, x->stay_count)
	ADD(lines, x->line_count)
	ADD(evictions, x->eviction_count)
#undef ADD
	/* some bytes of these are of no field */
	for (uint32_t i = 0; i < x->block_count; i++)
		sum = sum * 3 + x->blocks[i].address + x->blocks[i].level + x->blocks[i].word;
	for (uint32_t i = 0; i < x->word_count; i++) {
		const struct memory_word *word = &x->words[i];

		sum = sum * 3 + word->address + word->block[0] + word->block[1] + word->object + word->cycles;
	}
	for (uint32_t i = 0; i < x->object_count; i++) {
		const struct memory_object *o = &x->objects[i];

		sum = sum * 3 + o->address + o->size + o->class + o->parent + o->ordinal;
		sum = sum * 3 + (uint64_t)o->born + (uint64_t)o->died;
	}
	for (uint32_t i = 0; i < x->cell_count; i++) {
		const struct memory_cell *c = &x->cells[i];

		sum = sum * 3 + c->word + c->object + c->line + c->cpu;
		sum = add_bytes(sum, &c->cycles, sizeof(*c) - offsetof(struct memory_cell, cycles));
	}
	for (uint32_t i = 0; i < x->culprit_count; i++) {
		const struct memory_culprit *c = &x->culprits[i];

		sum = sum * 3 + c->victim_object + c->victim_line + c->object + c->line;
		sum = sum * 3 + c->level + c->cause + c->count + c->cycles;
	}
	sum = add_bytes(sum, x->block_bytes, sizeof(x->block_bytes));
	sum = add_bytes(sum, x->caches, sizeof(x->caches));
	sum += x->radix + x->masks + (uint64_t)x->first + (uint64_t)x->last * 3;
	for (uint32_t i = 0; i < x->word_count; i++)
		memory_put_word(t, i, &names);
	for (uint32_t i = 0; i < x->line_count; i++)
		memory_put_line(t, i, &names);
	for (uint32_t i = 0; i < x->object_count; i++)
		memory_put_object(t, i, &names);
	for (uint32_t i = 0; i < x->stay_count; i++) {
		const struct memory_stay *s = memory_stay(x, i);
		const struct memory_block *b = &x->blocks[s->block];

		memory_stays(x, s->block, s->cache, s->start, s->start + 1, &begin, &end);
		sum = sum * 3 + begin + end + memory_block_at(t, (enum memory_level)b->level, b->address);
	}
	memory_unlock(t);
	sum = add_bytes(sum, sbuf_text(&names), names.len);
	sbuf_free(&names);
	for (size_t i = 0; i < memory_metric_count(t); i++) {
		struct metric_info info;

		assert_true(memory_metric(t, i, &info));
		if (memory_metric_find(t, info.name, NULL, &ref) &&
		    !memory_values((struct trace *)(uintptr_t)t, &ref, 0, 1300, 7, values, NULL, NULL))
			sum = add_bytes(sum, values, sizeof(values));
	}
	for (size_t i = 0; i < t->kind->note_count(t); i++) {
		t->kind->note(t, i, &count);
		sum = sum * 5 + count;
	}
	for (size_t i = 0; t->kind->warning(t, i, &w); i++)
		sum = add_bytes(sum, w.text, strlen(w.text)) + w.line;
	return sum;
}

/* Opens and asks: was it from the cache? */
static bool from_cache(const char *path, uint64_t want)
{
	struct trace *t = tasks_read(path, true);
	struct progress p;

	trace_progress(t, &p);
	if (sum_of(t) != want)
		fail_msg("another answer%s", p.cached ? " from the cache" : "");
	trace_close(t);
	return p.cached;
}

static char *read_file(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	char *bytes;

	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	*len = (size_t)st.st_size;
	bytes = malloc(*len + 1);
	assert_int_equal(read(fd, bytes, *len), *len);
	close(fd);
	return bytes;
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, len), len);
	close(fd);
}

/* Of the sample, with what it warns of. */
static const char *sample(void)
{
	static const char wrong[] = "x 1 2\nh 10000000000 0 3 1000001 7\ng 1 0 1 1000001 3\n";
	struct sbuf text = {0}, from = {0};
	const char *path;
	size_t len;
	char *bytes;

	sbuf_printf(&from, "%s/samples/vecadd-1.trace", getenv("srcdir"));
	bytes = read_file(sbuf_text(&from), &len);
	sbuf_add(&text, bytes, len);
	sbuf_add(&text, wrong, sizeof(wrong) - 1);
	tasks_text("v.trace.files", "1 dir/vecadd.c\nx\n7 ../other\n", 29);
	path = tasks_text("v.trace", sbuf_text(&text), text.len);
	free(bytes);
	sbuf_free(&text);
	sbuf_free(&from);
	return path;
}

/* Bits flipped all over it are noticed, or give other numbers, but never a fault. */
TEST(cached)
{
	const char *path = sample();
	struct trace *t = tasks_read(path, false);
	const uint64_t want = sum_of(t);
	char entry[400], *bytes;
	struct sbuf line = {0};
	struct stat st;
	size_t len;

	assert_string_equal(memory_file(t, 1), "dir/vecadd.c");
	assert_string_equal(memory_file(t, 7), "../other");
	assert_null(memory_file(t, 2));
	memory_put_line(t, 0, &line);
	assert_string_equal(sbuf_text(&line), "vecadd.c:43");
	sbuf_free(&line);
	trace_close(t);
	assert_false(from_cache(path, want));
	assert_true(from_cache(path, want));
	assert_int_equal(stat(path, &st), 0);
	snprintf(entry, sizeof(entry), "%s/%016llx%016llx.idx", tasks_cache(),
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	bytes = read_file(entry, &len);
	for (size_t at = 0; at < len; at += at < 1200 ? 11 : 149) {
		bytes[at] ^= 0x40;
		write_file(entry, bytes, len);
		bytes[at] ^= 0x40;
		t = tasks_read(path, true);
		sum_of(t);
		trace_close(t);
	}
	for (size_t part = 0; part < len; part += len / 9) {
		write_file(entry, bytes, part);
		assert_false(from_cache(path, want));
	}
	assert_true(from_cache(path, want));
	free(bytes);
}

/* What the user says of the file counts, whatever the cache has. */
TEST(settings)
{
	const char *path = sample();
	struct memory_settings set = {.radix = 16};
	struct trace_settings settings = {.of = {{&memory_trace_kind, &set}}, .count = 1};
	struct trace_options o = {.cache_dir = tasks_cache(), .settings = &settings};
	struct progress p;

	for (int i = 0; i < 3; i++) {
		struct source *source;
		struct trace *t;
		struct error e;

		assert_int_equal(source_open(&source, path, &e), STATUS_OK);
		assert_int_equal(trace_open(&t, source, &o, &e), STATUS_OK);
		assert_int_equal(trace_wait(t, &e), STATUS_OK);
		assert_int_equal(memory_lock(t)->radix, set.radix);
		memory_unlock(t);
		trace_progress(t, &p);
		assert_int_equal(p.cached, i == 1);
		trace_close(t);
		set.radix = i ? 8 : 16;
	}
}

/* ---- text that grows ---- */

/* Until so many stays are published. */
static void wait_for(struct trace *t, uint64_t stays)
{
	struct pollfd wake = {.fd = t->kind->wake_fd(t), .events = POLLIN};
	struct progress p;

	for (trace_progress(t, &p); p.items < stays; trace_progress(t, &p)) {
		if (poll(&wake, 1, 20000) != 1)
			fail_msg("%d stays and no more", (int)p.items);
		trace_heard(t);
	}
}

/* What is published of a part is a trace, too. */
static void check_part(struct trace *t)
{
	const struct memory_index *x;

	wait_for(t, 1);
	x = memory_lock(t);
	check_order(x);
	memory_unlock(t);
	sum_of(t);
	assert_true(t->kind->is_live(t));
}

static struct trace *open_live(struct source *source, bool follow)
{
	const struct trace_options o = {
	    .no_cache = true, .follow = follow, .background = true, .as = "chiron"};
	struct trace *t;
	struct error e;

	if (trace_open(&t, source, &o, &e))
		fail_msg("%s", e.text);
	return t;
}

/* From a pipe, and appended to a file, in two pieces: in the end it is what it was whole. */
TEST(growing)
{
	size_t len, half;
	char *text = read_file(sample(), &len);
	const char *path = tasks_text("whole.trace", text, len);
	struct trace *whole = tasks_read(path, false), *t;
	const uint64_t want = sum_of(whole), stays = memory_lock(whole)->stay_count;
	struct source *source;
	struct error e;
	int fd[2], file;

	memory_unlock(whole);
	trace_close(whole);
	half = len / 2;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], text, half), half);
	assert_int_equal(source_open_fd(&source, fd[0], "pipe", &e), STATUS_OK);
	t = open_live(source, false);
	check_part(t);
	assert_int_equal(write(fd[1], text + half, len - half), len - half);
	close(fd[1]);
	assert_int_equal(trace_wait(t, &e), STATUS_OK);
	assert_true(sum_of(t) == want);
	trace_close(t);

	path = tasks_text("growing.trace", text, half);
	assert_int_equal(source_open(&source, path, &e), STATUS_OK);
	t = open_live(source, true);
	check_part(t);
	file = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(file, text + half, len - half), len - half);
	close(file);
	wait_for(t, stays);
	assert_int_equal(t->kind->follow(t, false, &e), STATUS_OK);
	assert_int_equal(trace_wait(t, &e), STATUS_OK);
	assert_true(sum_of(t) == want);
	trace_close(t);
	free(text);
}
