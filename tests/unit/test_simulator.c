/*
 * The cache simulator: the records of streams of random references against those of a plain model,
 * which looks through all caches for everything, has the time of the last write of every word, and of
 * every loss; what the memory reader makes of them; and cases counted by hand.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "memory/memory_private.h"
#include "simulator/simulator.h"
#include "source/source.h"
#include "testing.h"

static struct sim_machine machine_of(const char *text)
{
	struct sim_machine m;
	char error[200];

	if (!sim_machine_read(&m, text, error, sizeof(error)))
		fail_msg("%s", error);
	return m;
}

/* The pc of a record becomes its source. */
static void put_record(void *context, const struct sim_record *r)
{
	struct sbuf *out = context;

	assert_true(chiron_put(out, r, r->pc));
}

/* ---- the plain model ---- */

enum { BASE = 0x10000, BYTES = 4096, WORDS = BYTES / 4, CPUS = 8, LINES_MOST = 512 };

struct copy {
	uint64_t block; /* its number */
	uint64_t used;
	bool there, private, dirty;
};

struct plain {
	struct sim_machine m;
	struct copy lines[2][CPUS][LINES_MOST]; /* level, cache: in no order */
	uint64_t written[WORDS];                /* when */
	struct {
		uint64_t when; /* 0: never lost */
		enum memory_cause how; /* MEMORY_FALSE: taken away */
		bool had;
	} loss[2][CPUS][WORDS]; /* by block, less the first one */
	uint64_t now;
	struct sbuf out;
	struct sim_totals totals;
	uint64_t fills[2][MEMORY_CAUSE_COUNT];
	/* the reference */
	unsigned cpu;
	uint64_t address, last, pc;
	bool write;
	int64_t start;
};

static const struct sim_level *level_of(const struct plain *p, int level)
{
	return level == 0 ? &p->m.l1 : &p->m.l2;
}

static unsigned cache_of(const struct plain *p, int level, unsigned cpu)
{
	return level == 0 ? cpu : cpu / p->m.cpus_per_l2;
}

static uint64_t block_of(const struct plain *p, int level, uint64_t address)
{
	return address / level_of(p, level)->block;
}

static struct copy *find(struct plain *p, int level, unsigned cache, uint64_t block)
{
	for (int i = 0; i < LINES_MOST; i++)
		if (p->lines[level][cache][i].there && p->lines[level][cache][i].block == block)
			return &p->lines[level][cache][i];
	return NULL;
}

static void tell(struct plain *p, char type, int level, unsigned cpu, uint64_t address, uint64_t other,
		 int64_t time)
{
	const struct sim_record r = {.type = type,
				     .level = (uint8_t)(level + 1),
				     .cpu = (uint16_t)cpu,
				     .pc = p->pc,
				     .address = address,
				     .other = other,
				     .time = time};

	put_record(&p->out, &r);
}

static unsigned loss_of(const struct plain *p, int level, uint64_t block)
{
	return (unsigned)(block - block_of(p, level, BASE));
}

static void lose(struct plain *p, int level, unsigned cache, uint64_t block, bool replaced, int64_t time)
{
	const uint64_t first = block * level_of(p, level)->block;
	const bool own = block == block_of(p, level, p->address);
	struct copy *c = find(p, level, cache, block);
	const unsigned cpu = level == 0 ? cache : replaced ? p->cpu : cache * p->m.cpus_per_l2;
	const char *types = replaced ? "ba" : "fe";

	tell(p, types[c->dirty], level, cpu, replaced || own ? p->address : first, replaced ? first : 0,
	     time);
	c->there = false;
	p->loss[level][cache][loss_of(p, level, block)].when = ++p->now;
	p->loss[level][cache][loss_of(p, level, block)].how =
	    replaced ? MEMORY_REPLACEMENT : level == 0 && !own ? MEMORY_INCLUSION : MEMORY_FALSE;
}

static void lose_cluster(struct plain *p, unsigned cluster, uint64_t block, bool replaced, int64_t time)
{
	const uint64_t parts = p->m.l2.block / p->m.l1.block;

	for (uint64_t part = block * parts; part < (block + 1) * parts; part++)
		for (unsigned cpu = 0; cpu < p->m.cpus; cpu++)
			if (cache_of(p, 1, cpu) == cluster && find(p, 0, cpu, part))
				lose(p, 0, cpu, part, replaced, time);
	lose(p, 1, cluster, block, replaced, time);
}

/* Another CPU reads: what was changed is everywhere the same. Whether it was changed. */
static bool share(struct plain *p, int level, uint64_t block)
{
	bool dirty = false;

	for (unsigned cache = 0; cache < CPUS; cache++) {
		struct copy *c = find(p, level, cache, block);

		if (!c)
			continue;
		dirty |= c->dirty;
		c->private = c->dirty = false;
	}
	return dirty;
}

static bool share_far(struct plain *p, uint64_t block)
{
	const uint64_t parts = p->m.l2.block / p->m.l1.block;

	for (uint64_t part = block * parts; part < (block + 1) * parts; part++)
		share(p, 0, part);
	return share(p, 1, block);
}

/* Whether one of those that lose it had changed it. */
static bool lose_others(struct plain *p, uint64_t l2_block)
{
	const unsigned own = cache_of(p, 1, p->cpu);
	bool dirty = false;

	for (unsigned cluster = 0; cluster < CPUS; cluster++) {
		const struct copy *c = find(p, 1, cluster, l2_block);

		if (!c || cluster == own)
			continue;
		dirty |= c->dirty;
		lose_cluster(p, cluster, l2_block, false, p->start);
	}
	return dirty;
}

static bool lose_brothers(struct plain *p, uint64_t l1_block)
{
	bool dirty = false;

	for (unsigned cpu = 0; cpu < p->m.cpus; cpu++) {
		const struct copy *c = find(p, 0, cpu, l1_block);

		if (!c || cpu == p->cpu)
			continue;
		dirty |= c->dirty;
		lose(p, 0, cpu, l1_block, false, p->start);
	}
	return dirty;
}

static void make_room(struct plain *p, int level, uint64_t block, int64_t time)
{
	const struct sim_level *l = level_of(p, level);
	const uint64_t sets = l->bytes / l->ways / l->block;
	const unsigned cache = cache_of(p, level, p->cpu);
	const struct copy *oldest = NULL;
	uint32_t count = 0;

	for (int i = 0; i < LINES_MOST; i++) {
		const struct copy *c = &p->lines[level][cache][i];

		if (!c->there || c->block % sets != block % sets)
			continue;
		count++;
		if (!oldest || c->used < oldest->used)
			oldest = c;
	}
	if (count < l->ways)
		return;
	if (level == 0)
		lose(p, 0, cache, oldest->block, true, time);
	else
		lose_cluster(p, cache, oldest->block, true, time);
}

static void load(struct plain *p, int level, uint64_t block, bool private, int64_t time)
{
	const unsigned cache = cache_of(p, level, p->cpu), bytes = level_of(p, level)->block;
	const unsigned loss = loss_of(p, level, block);
	const uint64_t first = block * bytes;
	enum memory_cause cause = p->loss[level][cache][loss].how;
	struct copy *c = p->lines[level][cache];
	uint64_t mask = 0;
	bool accessed = false;

	make_room(p, level, block, time);
	for (unsigned word = 0; word < bytes / 4 && p->loss[level][cache][loss].had; word++)
		if (p->written[(first - BASE) / 4 + word] > p->loss[level][cache][loss].when) {
			mask |= UINT64_C(1) << word;
			accessed |= first / 4 + word >= p->address / 4 && first / 4 + word <= p->last / 4;
		}
	if (!p->loss[level][cache][loss].had)
		cause = MEMORY_COLD;
	else if (cause != MEMORY_REPLACEMENT && accessed)
		cause = MEMORY_TRUE;
	p->totals.misses[level]++;
	p->fills[level][cause]++;
	p->loss[level][cache][loss].had = true;
	while (c->there)
		c++;
	*c = (struct copy){block, ++p->now, true, private, false};
	tell(p, private ? 'h' : 'g', level, p->cpu, p->address, mask, time);
}

static bool is_alone(struct plain *p, int level, uint64_t block)
{
	for (unsigned cache = 0; cache < CPUS; cache++)
		if (find(p, level, cache, block))
			return false;
	return true;
}

static void make_private(struct plain *p, int level, struct copy *c, int64_t time)
{
	c->private = true;
	p->totals.upgrades[level]++;
	tell(p, 'p', level, p->cpu, p->address, 0, time);
}

static int64_t plain_miss(struct plain *p)
{
	const unsigned cluster = cache_of(p, 1, p->cpu);
	const uint64_t l1 = block_of(p, 0, p->address), l2 = block_of(p, 1, p->address);
	struct copy *c = find(p, 1, cluster, l2);
	const bool far = !c;
	int64_t wait = p->m.l2_hit;
	bool dirty;

	tell(p, 'm', 0, p->cpu, p->address, 0, p->start);
	if (far) {
		tell(p, 'm', 1, p->cpu, p->address, 0, p->start);
		dirty = p->write ? lose_others(p, l2) : share_far(p, l2);
		wait = dirty ? p->m.far_dirty : p->m.memory;
		load(p, 1, l2, p->write || (p->m.exclusive && is_alone(p, 1, l2)), p->start + wait);
	} else {
		c->used = ++p->now;
		if (p->write)
			lose_others(p, l2);
		if (p->write ? lose_brothers(p, l1) : share(p, 0, l1))
			wait = p->m.near_dirty;
		if (p->write && !c->private) {
			wait = p->m.far_upgrade;
			make_private(p, 1, c, p->start + wait);
		}
	}
	c = find(p, 1, cluster, l2);
	load(p, 0, l1, p->write || (p->m.exclusive && c->private && is_alone(p, 0, l1)),
	     p->start + wait + far);
	return wait;
}

static int64_t plain_upgrade(struct plain *p, struct copy *c)
{
	struct copy *l2 = find(p, 1, cache_of(p, 1, p->cpu), block_of(p, 1, p->address));
	const bool far = !l2->private;
	const int64_t wait = far ? p->m.far_upgrade : p->m.near_upgrade;

	l2->used = ++p->now;
	lose_others(p, l2->block);
	lose_brothers(p, c->block);
	if (far)
		make_private(p, 1, l2, p->start + wait);
	make_private(p, 0, c, p->start + wait + far);
	return wait;
}

static int64_t plain_part(struct plain *p)
{
	struct copy *c = find(p, 0, p->cpu, block_of(p, 0, p->address));
	int64_t wait = 0;

	if (c)
		c->used = ++p->now;
	if (!c)
		wait = plain_miss(p);
	else if (p->write && !c->private)
		wait = plain_upgrade(p, c);
	if (p->write) {
		find(p, 0, p->cpu, block_of(p, 0, p->address))->dirty = true;
		find(p, 1, cache_of(p, 1, p->cpu), block_of(p, 1, p->address))->dirty = true;
		for (uint64_t word = p->address / 4; word <= p->last / 4; word++)
			p->written[word - BASE / 4] = ++p->now;
	}
	if (wait)
		tell(p, p->write ? 'W' : 'R', -1, p->cpu, p->address, 0, wait);
	p->totals.references++;
	p->totals.writes += p->write;
	p->totals.waited += (uint64_t)wait;
	return wait;
}

static int64_t plain_access(struct plain *p, unsigned cpu, uint64_t pc, uint64_t address, uint32_t size,
			    bool write, int64_t now)
{
	const uint64_t end = address + size;
	int64_t waited = 0;

	p->cpu = cpu;
	p->pc = pc;
	p->write = write;
	for (uint64_t next; address < end; address = next) {
		next = (address / p->m.l1.block + 1) * p->m.l1.block;
		p->address = address;
		p->last = (next < end ? next : end) - 1;
		p->start = now + waited + p->m.reference;
		waited += plain_part(p) + (next < end ? p->m.reference : 0);
	}
	return waited;
}

/* ---- random streams ---- */

static uint32_t random_below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((state >> 33) % n);
}

static struct trace *read_text(const struct sbuf *text)
{
	const struct trace_options options = {.no_cache = true};
	int fd = memfd_create("simulated", MFD_CLOEXEC);
	struct source *source;
	struct trace *t = NULL;
	struct error e;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text->text, text->len), text->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	if (source_open_fd(&source, fd, "text", &e) || trace_open(&t, source, &options, &e) ||
	    trace_wait(t, &e))
		fail_msg("%s", e.text);
	return t;
}

/* What the reader makes of a trace, in which it finds nothing wrong: loads, and cycles waited. */
static uint64_t read_fills(const struct sbuf *text, uint64_t fills[2][MEMORY_CAUSE_COUNT])
{
	struct trace *t = read_text(text);
	const struct memory_index *x = &memory_of(t)->index;
	uint64_t cycles = 0, count;
	struct warning w;

	memset(fills, 0, 2 * sizeof(*fills));
	if (t->kind->warning(t, 0, &w))
		fail_msg("line %llu: %s", (unsigned long long)w.line, w.text);
	for (int note = 0; note < MEMORY_NOTE_COUNT; note++)
		if (t->kind->note(t, (size_t)note, &count) && count)
			fail_msg("%llu of note %d", (unsigned long long)count, note);
	for (uint32_t i = 0; i < x->cell_count; i++) {
		cycles += x->cells[i].cycles;
		for (int level = 0; level < MEMORY_LEVELS; level++)
			for (int cause = 0; cause < MEMORY_CAUSE_COUNT; cause++)
				fills[level][cause] += x->cells[i].fills[level][cause];
	}
	trace_close(t);
	return cycles;
}

static void put_caches(struct sbuf *out, const struct sim_machine *m)
{
	const struct sim_record caches = {.type = SIM_CACHES,
					  .address = m->l1.block,
					  .other = m->l2.block,
					  .cpu = (uint16_t)m->cpus,
					  .text = m->cpus / m->cpus_per_l2};

	chiron_put_caches(out, &caches);
}

static void check_same(const char *model, const struct sbuf *got, const struct sbuf *wanted)
{
	size_t at = 0, from = 0;

	while (at < got->len && at < wanted->len && got->text[at] == wanted->text[at])
		if (got->text[at++] == '\n')
			from = at;
	if (got->len != wanted->len || at < got->len)
		fail_msg("%s: at byte %zu the simulator has\n%.300s\nthe plain model\n%.300s", model, at,
			 got->text + from, wanted->text + from);
}

/* words: accesses are of one word each, else of up to 40 bytes. */
static void check_random(const char *model, bool words)
{
	struct plain *p = calloc(1, sizeof(*p));
	uint64_t fills[2][MEMORY_CAUSE_COUNT];
	struct sbuf out = {0};
	struct sim *s;
	int64_t clocks[CPUS] = {0};

	assert_non_null(p);
	p->m = machine_of(model);
	s = sim_new(&p->m, put_record, &out);
	assert_non_null(s);
	put_caches(&out, &p->m);
	put_caches(&p->out, &p->m);
	for (int i = 0; i < ROUNDS(6000); i++) {
		const unsigned cpu = random_below(p->m.cpus);
		const uint32_t size = words ? 4 : 1 + random_below(random_below(8) ? 8 : 40);
		const uint32_t range = random_below(3) ? BYTES / 8 : BYTES; /* some of it is hot */
		const uint64_t address =
		    BASE + (words ? random_below(range / 4) * 4 : random_below(range - size));
		const bool write = random_below(3) == 0;
		const uint64_t pc = 0x40000 + random_below(20);
		const int64_t wait = sim_access(s, cpu, pc, address, size, write, clocks[cpu]);

		assert_int_equal(wait, plain_access(p, cpu, pc, address, size, write, clocks[cpu]));
		clocks[cpu] += wait + p->m.reference;
	}
	check_same(model, &out, &p->out);
	assert_memory_equal(sim_totals(s), &p->totals, sizeof(p->totals));
	if (words) { /* the reader sees of a reference its first word */
		assert_int_equal(read_fills(&out, fills), p->totals.waited);
		assert_memory_equal(fills, p->fills, sizeof(fills));
	}
	sbuf_free(&p->out);
	sbuf_free(&out);
	sim_free(s);
	free(p);
}

TEST(random_references)
{
	static const char *const models[] = {
	    "thesis",
	    "thesis\nl1 512 2 32\nl2 1k 2 64",
	    "thesis\nl1 256 1 64\nl2 1k 1 256\nprotocol mesi",
	    "thesis\ncpus 8\ncpus-per-l2 1\nl1 1k 4 64\nl2 2k 2 64\nprotocol mesi",
	    "thesis\ncpus 8\ncpus-per-l2 8\nl1 256 2 4\nl2 2k 8 256",
	    "today\nl1 512 8 64\nl2 512 4 128",
	    "cpus 1\ncpus-per-l2 1\nl1 256 4 16\nl2 1k 16 16",
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		check_random(models[i], true);
		check_random(models[i], false);
	}
}

/* ---- by hand ---- */

/* What the reader makes of it, and the simulator's totals. */
struct seen {
	uint64_t fills[2][MEMORY_CAUSE_COUNT];
	struct sim_totals totals;
};

/* References as texts, and their records behind the header; gives what the last one waits. */
static int64_t check_records(const char *model, const char *references, const char *wanted,
			     struct seen *seen)
{
	const struct sim_machine m = machine_of(model);
	struct sbuf out = {0};
	struct sim *s = sim_new(&m, put_record, &out);
	int64_t clocks[CPUS] = {0}, wait = 0;
	struct sim_reference r;
	const char *why;
	size_t header;

	assert_non_null(s);
	put_caches(&out, &m);
	header = out.len;
	for (const char *p = references; *p; p += strcspn(p, "\n") + 1) {
		char line[64];

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		assert_true(sim_reference_read(&r, line, &why));
		wait = sim_access(s, (unsigned)r.thread, r.pc, r.address, r.size, r.write,
				  clocks[r.thread]);
		clocks[r.thread] += wait + m.reference;
	}
	assert_string_equal(sbuf_text(&out) + header, wanted);
	seen->totals = *sim_totals(s);
	assert_int_equal(read_fills(&out, seen->fills), seen->totals.waited);
	sbuf_free(&out);
	sim_free(s);
	return wait;
}

#define FIRST_WRITE "0 1 1000 4 w\n"
#define FIRST_RECORDS                                                                              \
	"m 10000 0 1 1\nm 10000 0 2 1\nh 10000 0 2 1 62 0\nh 10000 0 1 1 63 0\nW 10000 0 1 57\n"

/* CPU 2 writes another word of the block, and CPU 0 its own one again: masks tell that word. */
#define FALSE_SHARING FIRST_WRITE "2 2 1004 4 w\n0 3 1000 4 w\n"
#define FALSE_RECORDS                                                                              \
	FIRST_RECORDS                                                                              \
	"m 10004 2 1 2\nm 10004 2 2 2\ne 10004 0 1 2 3\ne 10004 0 2 2 3\n"                         \
	"h 10004 2 2 2 106 0\nh 10004 2 1 2 107 0\nW 10004 2 2 103\n"                              \
	"m 10000 0 1 3\nm 10000 0 2 3\ne 10000 2 1 3 65\ne 10000 2 2 3 65\n"                       \
	"h 10000 0 2 3 170 2\nh 10000 0 1 3 171 2\nW 10000 0 3 103\n"

TEST(false_sharing)
{
	struct seen seen;

	assert_int_equal(check_records("thesis", FALSE_SHARING, FALSE_RECORDS, &seen), 67);
	assert_int_equal(seen.fills[0][MEMORY_FALSE], 1);
	assert_int_equal(seen.fills[1][MEMORY_FALSE], 1);
	assert_int_equal(seen.totals.waited, 47 + 67 + 67);
}

/* CPU 2 reads what CPU 0 wrote: CPU 0 keeps it. */
#define TRUE_SHARING FALSE_SHARING "2 4 1000 4 r\n"
#define TRUE_RECORDS                                                                               \
	FALSE_RECORDS                                                                              \
	"m 10000 2 1 4\nm 10000 2 2 4\ng 10000 2 2 4 214 1\ng 10000 2 1 4 215 1\nR 10000 2 4 103\n"

TEST(true_sharing)
{
	struct seen seen;

	assert_int_equal(check_records("thesis", TRUE_SHARING, TRUE_RECORDS, &seen), 67);
	assert_int_equal(seen.fills[0][MEMORY_TRUE], 1);
	assert_int_equal(seen.fills[1][MEMORY_TRUE], 1);
}

/*
 * It writes, which takes the block from the other L2 cache; CPU 3, its neighbour, finds it changed
 * near by; the next write has to take it from that L1 cache alone.
 */
#define UPGRADES TRUE_SHARING "2 5 1000 4 w\n3 6 1008 4 r\n2 7 1000 4 w\n"
#define UPGRADE_RECORDS                                                                            \
	TRUE_RECORDS                                                                               \
	"f 10000 0 1 5 217\nf 10000 0 2 5 217\np 10000 2 2 5 276\np 10000 2 1 5 277\nW 10000 2 5 57\n" \
	"m 10010 3 1 6\ng 10010 3 1 6 26 0\nR 10010 3 6 23\n"                                      \
	"f 10000 3 1 7 301\np 10000 2 1 7 321\nW 10000 2 7 20\n"

TEST(upgrades)
{
	struct seen seen;

	assert_int_equal(check_records("thesis", UPGRADES, UPGRADE_RECORDS, &seen), 16);
	assert_int_equal(seen.totals.upgrades[0], 2);
	assert_int_equal(seen.totals.upgrades[1], 1);
}

/* CPU 0 reads another L1 block of that L2 block, and loses it with that. */
TEST(lost_with_the_block_around_it)
{
	struct seen seen;

	check_records("thesis", UPGRADES "0 10 1010 4 r\n2 11 1000 4 w\n0 12 1010 4 r\n",
		      UPGRADE_RECORDS
		      "m 10020 0 1 20\nm 10020 0 2 20\ng 10020 0 2 20 276 1\ng 10020 0 1 20 277 0\n"
		      "R 10020 0 20 103\n"
		      "f 10020 0 1 21 324\nf 10000 0 2 21 324\np 10000 2 2 21 403\np 10000 2 1 21 404\n"
		      "W 10000 2 21 57\n"
		      "m 10020 0 1 22\nm 10020 0 2 22\ng 10020 0 2 22 404 1\ng 10020 0 1 22 405 0\n"
		      "R 10020 0 22 103\n",
		      &seen);
	assert_int_equal(seen.fills[0][MEMORY_INCLUSION], 1);
	assert_int_equal(seen.fills[1][MEMORY_FALSE], 3);
}

/* An L2 cache with one place for both blocks: the L1 cache had room. */
TEST(replaced_with_the_block_around_it)
{
	struct seen seen;

	check_records("thesis\ncpus 1\ncpus-per-l2 1\nl1 32 2 16\nl2 32 1 16",
		      FIRST_WRITE "0 2 1020 4 r\n0 3 1000 4 r\n",
		      FIRST_RECORDS
		      "m 10040 0 1 2\nm 10040 0 2 2\na 10040 0 1 2 144 10000\na 10040 0 2 2 144 10000\n"
		      "g 10040 0 2 2 144 0\ng 10040 0 1 2 145 0\nR 10040 0 2 57\n"
		      "m 10000 0 1 3\nm 10000 0 2 3\nb 10000 0 1 3 226 10040\nb 10000 0 2 3 226 10040\n"
		      "g 10000 0 2 3 226 0\ng 10000 0 1 3 227 0\nR 10000 0 3 57\n",
		      &seen);
	assert_int_equal(seen.fills[0][MEMORY_REPLACEMENT], 1);
	assert_int_equal(seen.fills[1][MEMORY_REPLACEMENT], 1);
}

/* With MESI what nobody else has is written without an upgrade, and is dirty then. */
TEST(exclusive)
{
	check_records("thesis\nprotocol mesi", "0 1 1000 4 r\n0 2 1000 4 w\n2 3 1000 4 r\n",
		      "m 10000 0 1 1\nm 10000 0 2 1\nh 10000 0 2 1 62 0\nh 10000 0 1 1 63 0\n"
		      "R 10000 0 1 57\n"
		      "m 10000 2 1 3\nm 10000 2 2 3\ng 10000 2 2 3 106 0\ng 10000 2 1 3 107 0\n"
		      "R 10000 2 3 103\n",
		      &(struct seen){0});
}

/* Two blocks are two references; the second one costs its own cycles, too. */
TEST(across_blocks)
{
	assert_int_equal(check_records("thesis", "1 1 200c 8 r\n",
				       "m 20014 1 1 1\nm 20014 1 2 1\ng 20014 1 2 1 62 0\n"
				       "g 20014 1 1 1 63 0\nR 20014 1 1 57\n"
				       "m 20020 1 1 1\ng 20020 1 1 1 105 0\nR 20020 1 1 20\n",
				       &(struct seen){0}),
			 47 + 3 + 16);
}

TEST(muted)
{
	const struct sim_machine m = machine_of("thesis");
	struct sbuf out = {0};
	struct sim *s = sim_new(&m, put_record, &out);

	sim_mute(s, true);
	assert_int_equal(sim_access(s, 0, 1, UINT64_MAX, 0, true, 0), 47);
	assert_int_equal(out.len, 0);
	sim_mute(s, false);
	assert_int_equal(sim_access(s, 0, 1, UINT64_MAX - 3, 100, false, 50), 0);
	assert_int_equal(out.len, 0);
	assert_int_equal(sim_totals(s)->references, 2);
	sim_free(s);
	sbuf_free(&out);
}

/* What was told to be in a cache is told to leave it, also while it is muted. */
TEST(muted_ends)
{
	const struct sim_machine m = machine_of("thesis");
	struct sbuf out = {0};
	struct sim *s = sim_new(&m, put_record, &out);

	sim_access(s, 0, 1, 512, 4, false, 0);
	sim_mute(s, true);
	sbuf_clear(&out);
	sim_access(s, 7, 1, 512, 4, true, 100);
	assert_string_equal(sbuf_text(&out), "f 1000 0 1 1 147\nf 1000 0 2 1 147\n");
	sbuf_clear(&out);
	sim_access(s, 0, 1, 512, 4, true, 200);
	assert_int_equal(out.len, 0);
	sim_free(s);
	sbuf_free(&out);
}
