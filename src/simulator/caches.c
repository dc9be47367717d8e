/*
 * The directory knows, for each L2 block that was ever accessed and each L1 block in it, which caches
 * have a copy and in what state; a cache itself is but sets of pointers to it, the one used last in
 * front. So nothing is told twice, and a hit looks at one set.
 *
 * Words that are written to a private block are noted in it; when that ends, they are told to all who
 * had the block before: what a cache finds there when it loads the block again tells true sharing
 * from false.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>

#include "base/hash.h"
#include "simulator/simulator.h"

enum { L1, L2 };
enum { CHUNK_BYTES = 1 << 22, TABLE_LEAST = 1 << 12, HOST_BLOCK = 64 };
#define BIT(n) (UINT64_C(1) << (n))

/* Of one block in the caches of one level; sets of caches have a bit for each. */
struct copies {
	bool private, dirty; /* dirty: and changed; of L2 without what its L1 copies have changed */
	uint64_t written;            /* words, since it is private, which nobody was told yet */
	uint64_t holders, had;       /* who has it; who has or had it */
	uint64_t replaced, included; /* who lost it so: to another block, with the L2 block around it */
	uint64_t *unseen; /* by cache: words that others wrote since it lost the block; NULL: none */
};

struct block {
	uint64_t number; /* address / bytes of an L2 block */
	struct copies l2, l1[];
};
_Static_assert(sizeof(struct block) == HOST_BLOCK, "what is looked at together lies together");

struct line {
	uint64_t tag;        /* number of the level's block, and one more; 0: empty */
	struct block *block; /* the L2 block that it is or lies in */
};

/* All caches of a level. */
struct level {
	struct line *lines; /* by cache, set, way; empty ones at the end of a set */
	size_t bytes;       /* of them */
	uint32_t caches, ways;
	uint64_t sets;
	unsigned shift; /* log2 of a block's bytes */
};

/* What memory the system gave, of CHUNK_BYTES. */
struct chunk {
	struct chunk *before;
};

/* The reference that is simulated. */
struct reference {
	unsigned cpu, cluster; /* cluster: its L2 cache */
	uint64_t pc, address, words; /* words: of its L1 block */
	unsigned part;               /* L1 block in the L2 block */
	bool write;
	int64_t start;
};

struct sim {
	struct sim_machine m;
	struct level levels[SIM_LEVELS];
	unsigned parts, part_words; /* L1 blocks of an L2 block; words of an L1 block */
	struct reference at;
	struct block **table; /* open addressing */
	size_t table_size, blocks;
	uint64_t key;
	struct chunk *chunks;
	char *free; /* of the last chunk */
	size_t left;
	sim_emit *emit;
	void *context;
	bool muted;
	struct sim_totals totals;
};

/* ---- memory ---- */

/* Zeroed; NULL: none. */
static void *take_pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void give_pages(void *p, size_t bytes)
{
	if (p)
		munmap(p, bytes);
}

/* Zeroed, until the end of the simulation; much less than a chunk. Most of it is missed when it is needed. */
static void *take(struct sim *s, size_t bytes)
{
	void *p;

	bytes = (bytes + HOST_BLOCK - 1) / HOST_BLOCK * HOST_BLOCK;
	if (bytes > s->left) {
		struct chunk *c = take_pages(CHUNK_BYTES);

		if (!c)
			return NULL;
		c->before = s->chunks;
		s->chunks = c;
		s->free = (char *)c + HOST_BLOCK;
		s->left = CHUNK_BYTES - HOST_BLOCK;
	}
	p = s->free;
	s->free += bytes;
	s->left -= bytes;
	return p;
}

/* ---- the directory ---- */

static size_t hash_of(const struct sim *s, uint64_t number)
{
	return hash_step(s->key, number ^ s->key) & (s->table_size - 1);
}

static struct block **slot_of(const struct sim *s, uint64_t number)
{
	size_t i = hash_of(s, number);

	while (s->table[i] && s->table[i]->number != number)
		i = (i + 1) & (s->table_size - 1);
	return &s->table[i];
}

static bool grow(struct sim *s)
{
	struct block **old = s->table;
	const size_t size = s->table_size, next = size ? 2 * size : TABLE_LEAST;
	struct block **table = take_pages(next * sizeof(*table));

	if (!table)
		return false;
	s->table = table;
	s->table_size = next;
	for (size_t i = 0; i < size; i++)
		if (old[i])
			*slot_of(s, old[i]->number) = old[i];
	give_pages(old, size * sizeof(*old));
	return true;
}

/* Made when it is met first. NULL: no memory. */
static struct block *block_at(struct sim *s, uint64_t number)
{
	struct block **slot;

	if (s->blocks >= s->table_size / 2 && !grow(s))
		return NULL;
	slot = slot_of(s, number);
	if (*slot)
		return *slot;
	*slot = take(s, sizeof(struct block) + s->parts * sizeof(struct copies));
	if (!*slot)
		return NULL;
	(*slot)->number = number;
	s->blocks++;
	return *slot;
}

/* ---- sets ---- */

static inline struct line *set_of(const struct level *l, unsigned cache, uint64_t number)
{
	return l->lines + (cache * l->sets + (number & (l->sets - 1))) * l->ways;
}

/* The block becomes the one used last. NULL: the cache does not have it. */
static inline struct block *touch(const struct level *l, unsigned cache, uint64_t number)
{
	struct line *set = set_of(l, cache, number), found;
	uint32_t way = 0;

	while (set[way].tag != number + 1)
		if (++way == l->ways)
			return NULL;
	found = set[way];
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = found;
	return found.block;
}

static void drop(const struct level *l, unsigned cache, uint64_t number)
{
	struct line *set = set_of(l, cache, number);
	uint32_t way = 0;

	while (set[way].tag != number + 1)
		way++;
	for (; way + 1 < l->ways; way++)
		set[way] = set[way + 1];
	set[way] = (struct line){0, NULL};
}

/* What has to go before another block gets its place; an empty line: nothing. */
static struct line last_of(const struct level *l, unsigned cache, uint64_t number)
{
	return set_of(l, cache, number)[l->ways - 1];
}

static void insert(const struct level *l, unsigned cache, uint64_t number, struct block *b)
{
	struct line *set = set_of(l, cache, number);

	memmove(set + 1, set, (l->ways - 1) * sizeof(*set));
	set[0] = (struct line){number + 1, b};
}

/* ---- what is told ---- */

static void emit(const struct sim *s, enum sim_record_type type, int level, unsigned cpu,
		 uint64_t address, uint64_t other, int64_t time)
{
	const struct sim_record r = {.type = (char)type,
				     .level = (uint8_t)(level + 1),
				     .cpu = (uint16_t)cpu,
				     .pc = s->at.pc,
				     .address = address,
				     .other = other,
				     .time = time};

	if (!s->muted)
		s->emit(s->context, &r);
}

static uint64_t l1_number(const struct sim *s, const struct block *b, unsigned part)
{
	return b->number * s->parts + part;
}

/* Those who had the block and lost it are told what was written since. */
static void tell(struct sim *s, struct copies *c, unsigned caches)
{
	uint64_t others = c->written ? c->had & ~c->holders : 0;

	if (others && !c->unseen) {
		c->unseen = take(s, caches * sizeof(*c->unseen));
		s->totals.lost += !c->unseen;
	}
	for (; others && c->unseen; others &= others - 1)
		c->unseen[__builtin_ctzll(others)] |= c->written;
	c->written = 0;
}

/* The L1 copies of a part are as the L2 cache knows it. */
static void write_back(struct sim *s, struct block *b, unsigned part)
{
	struct copies *c = &b->l1[part];

	if (!c->dirty)
		return;
	b->l2.written |= c->written << part * s->part_words;
	b->l2.dirty = true;
	tell(s, c, s->levels[L1].caches);
}

/* ---- endings of copies ---- */

enum ending { INVALIDATED, REPLACED };

/* number: of the block in that level; cpu, time: of the record. */
static void emit_ending(const struct sim *s, enum ending ending, int level, bool dirty, uint64_t number,
			unsigned cpu, int64_t time)
{
	static const enum sim_record_type types[][2] = {
	    [INVALIDATED] = {SIM_INVALIDATE_CLEAN, SIM_INVALIDATE_DIRTY},
	    [REPLACED] = {SIM_REPLACE_CLEAN, SIM_REPLACE_DIRTY}};
	const unsigned shift = s->levels[level].shift;
	const uint64_t first = number << shift;
	const bool inside = s->at.address >> shift == number;

	if (ending == REPLACED)
		emit(s, types[ending][dirty], level, cpu, s->at.address, first, time);
	else
		emit(s, types[ending][dirty], level, cpu, inside ? s->at.address : first, 0, time);
}

static void lose(struct copies *c, unsigned cache, bool replaced, bool included)
{
	c->holders &= ~BIT(cache);
	c->replaced = (c->replaced & ~BIT(cache)) | (uint64_t)replaced << cache;
	c->included = (c->included & ~BIT(cache)) | (uint64_t)included << cache;
	if (!c->holders)
		c->private = c->dirty = false;
}

/* number: of the L1 block. */
static void end_l1(struct sim *s, struct block *b, uint64_t number, unsigned cpu, enum ending ending,
		   int64_t time)
{
	const unsigned part = (unsigned)(number & (s->parts - 1));
	const bool own = s->at.address >> s->levels[L1].shift == number;
	struct copies *c = &b->l1[part];

	write_back(s, b, part);
	emit_ending(s, ending, L1, c->dirty, number, cpu, time);
	lose(c, cpu, ending == REPLACED, ending == INVALIDATED && !own);
	drop(&s->levels[L1], cpu, number);
}

static uint64_t cpus_of(const struct sim *s, unsigned cluster)
{
	const unsigned count = s->m.cpus_per_l2;

	return (~UINT64_C(0) >> (64 - count)) << cluster * count;
}

static void end_l1s(struct sim *s, struct block *b, unsigned part, uint64_t cpus, enum ending ending,
		    int64_t time)
{
	for (cpus &= b->l1[part].holders; cpus; cpus &= cpus - 1)
		end_l1(s, b, l1_number(s, b, part), (unsigned)__builtin_ctzll(cpus), ending, time);
}

/* And of its L1 copies. Whether it was dirty. */
static bool end_l2(struct sim *s, struct block *b, unsigned cluster, enum ending ending, int64_t time)
{
	const uint64_t cpus = cpus_of(s, cluster);
	bool dirty;

	for (unsigned part = 0; part < s->parts; part++)
		end_l1s(s, b, part, cpus, ending, time);
	tell(s, &b->l2, s->levels[L2].caches);
	dirty = b->l2.dirty;
	emit_ending(s, ending, L2, dirty, b->number,
		    ending == REPLACED ? s->at.cpu : cluster * s->m.cpus_per_l2, time);
	lose(&b->l2, cluster, ending == REPLACED, false);
	drop(&s->levels[L2], cluster, b->number);
	return dirty;
}

/* Whether any of them was dirty. */
static bool end_other_l2s(struct sim *s, struct block *b)
{
	bool dirty = false;

	for (uint64_t others = b->l2.holders & ~BIT(s->at.cluster); others; others &= others - 1)
		dirty |= end_l2(s, b, (unsigned)__builtin_ctzll(others), INVALIDATED, s->at.start);
	return dirty;
}

static void end_other_l1s(struct sim *s, struct block *b)
{
	end_l1s(s, b, s->at.part, ~BIT(s->at.cpu), INVALIDATED, s->at.start);
}

static void share_l1(struct sim *s, struct block *b, unsigned part)
{
	write_back(s, b, part);
	b->l1[part].private = b->l1[part].dirty = false;
}

/* A private L2 copy becomes shared, as do its L1 copies. Whether it was dirty. */
static bool share_l2(struct sim *s, struct block *b)
{
	bool dirty;

	for (unsigned part = 0; part < s->parts; part++)
		if (b->l1[part].private)
			share_l1(s, b, part);
	tell(s, &b->l2, s->levels[L2].caches);
	dirty = b->l2.dirty;
	b->l2.private = b->l2.dirty = false;
	return dirty;
}

/* ---- beginnings ---- */

static enum sim_cause cause_of(const struct copies *c, unsigned cache, uint64_t unseen, uint64_t words)
{
	if (!(c->had & BIT(cache)))
		return SIM_CAUSE_COLD;
	if (c->replaced & BIT(cache))
		return SIM_CAUSE_REPLACED;
	if (unseen & words)
		return SIM_CAUSE_TRUE;
	return c->included & BIT(cache) ? SIM_CAUSE_INCLUSION : SIM_CAUSE_FALSE;
}

/* words: of that level's block that are accessed. */
static void load(struct sim *s, struct block *b, int level, uint64_t words, bool private, int64_t time)
{
	struct copies *c = level == L1 ? &b->l1[s->at.part] : &b->l2;
	const unsigned cache = level == L1 ? s->at.cpu : s->at.cluster;
	const uint64_t unseen = c->unseen ? c->unseen[cache] : 0;

	emit(s, private ? SIM_LOAD_PRIVATE : SIM_LOAD_SHARED, level, s->at.cpu, s->at.address, unseen,
	     time);
	s->totals.misses[level][cause_of(c, cache, unseen, words)]++;
	if (unseen)
		c->unseen[cache] = 0;
	c->holders |= BIT(cache);
	c->had |= BIT(cache);
	c->private = private;
	insert(&s->levels[level], cache, level == L1 ? l1_number(s, b, s->at.part) : b->number, b);
}

static void load_l2(struct sim *s, struct block *b, int64_t time)
{
	const struct line victim = last_of(&s->levels[L2], s->at.cluster, b->number);
	const uint64_t words = s->at.words << s->at.part * s->part_words;

	if (victim.tag)
		end_l2(s, victim.block, s->at.cluster, REPLACED, time);
	load(s, b, L2, words, s->at.write || (s->m.exclusive && !b->l2.holders), time);
}

static void load_l1(struct sim *s, struct block *b, int64_t time)
{
	const uint64_t number = l1_number(s, b, s->at.part);
	const struct line victim = last_of(&s->levels[L1], s->at.cpu, number);
	const bool alone = b->l2.private && !b->l1[s->at.part].holders;

	if (victim.tag)
		end_l1(s, victim.block, victim.tag - 1, s->at.cpu, REPLACED, time);
	load(s, b, L1, s->at.words, s->at.write || (s->m.exclusive && alone), time);
}

static void upgrade(struct sim *s, struct copies *c, int level, int64_t time)
{
	c->private = true;
	s->totals.upgrades[level]++;
	emit(s, SIM_UPGRADE, level, s->at.cpu, s->at.address, 0, time);
}

/* ---- references: what they wait ---- */

/* The L2 cache has the block; a write makes it private there. */
static int64_t fetch_near(struct sim *s, struct block *b)
{
	const struct copies *c = &b->l1[s->at.part];
	int64_t wait = c->dirty ? s->m.near_dirty : s->m.l2_hit;

	if (!s->at.write) {
		share_l1(s, b, s->at.part);
		return wait;
	}
	end_other_l2s(s, b);
	end_other_l1s(s, b);
	if (!b->l2.private) {
		wait = s->m.far_upgrade;
		upgrade(s, &b->l2, L2, s->at.start + wait);
	}
	return wait;
}

static int64_t fetch_far(struct sim *s, struct block *b)
{
	bool dirty = false;
	int64_t wait;

	emit(s, SIM_MISS, L2, s->at.cpu, s->at.address, 0, s->at.start);
	if (s->at.write)
		dirty = end_other_l2s(s, b);
	else if (b->l2.private)
		dirty = share_l2(s, b);
	wait = dirty ? s->m.far_dirty : s->m.memory;
	load_l2(s, b, s->at.start + wait);
	return wait;
}

/* A write to a block that the L1 cache shares. */
static int64_t write_shared(struct sim *s, struct block *b)
{
	const bool far = !b->l2.private;
	const int64_t wait = far ? s->m.far_upgrade : s->m.near_upgrade, time = s->at.start + wait;

	touch(&s->levels[L2], s->at.cluster, b->number);
	end_other_l2s(s, b);
	end_other_l1s(s, b);
	if (far)
		upgrade(s, &b->l2, L2, time);
	upgrade(s, &b->l1[s->at.part], L1, time + far);
	return wait;
}

/* What a miss will look at lies far apart: it comes at once. */
static void fetch(const struct sim *s, uint64_t number, uint64_t l1_number)
{
	const struct line *victim = set_of(&s->levels[L1], s->at.cpu, l1_number) + s->levels[L1].ways - 1;
	const struct line *set = set_of(&s->levels[L2], s->at.cluster, number);

	if (victim->tag)
		__builtin_prefetch(&victim->block->l1[(victim->tag - 1) & (s->parts - 1)], 1);
	for (uint32_t way = 0; way < s->levels[L2].ways; way += HOST_BLOCK / sizeof(*set))
		__builtin_prefetch(set + way, 1);
	__builtin_prefetch(&s->table[hash_of(s, number)]);
}

/* The L1 cache does not have the block. NULL: no memory. */
static struct block *miss(struct sim *s, uint64_t l1_number, int64_t *wait)
{
	const uint64_t number = s->at.address >> s->levels[L2].shift;
	struct block *b;
	bool far;

	fetch(s, number, l1_number);
	b = touch(&s->levels[L2], s->at.cluster, number);
	far = !b;

	if (far)
		b = block_at(s, number);
	*wait = s->m.memory;
	s->totals.lost += !b;
	if (!b)
		return NULL;
	emit(s, SIM_MISS, L1, s->at.cpu, s->at.address, 0, s->at.start);
	*wait = far ? fetch_far(s, b) : fetch_near(s, b);
	load_l1(s, b, s->at.start + *wait + far);
	return b;
}

static inline int64_t simulate(struct sim *s, uint64_t number)
{
	struct block *b = touch(&s->levels[L1], s->at.cpu, number);
	struct copies *c;
	int64_t wait = 0;

	s->totals.references++;
	s->totals.writes += s->at.write;
	s->at.part = (unsigned)(number & (s->parts - 1));
	if (!b)
		b = miss(s, number, &wait);
	else if (s->at.write && !b->l1[s->at.part].private)
		wait = write_shared(s, b);
	if (b && s->at.write) {
		c = &b->l1[s->at.part];
		c->dirty = true;
		c->written |= s->at.words;
	}
	if (wait)
		emit(s, s->at.write ? SIM_WRITE : SIM_READ, -1, s->at.cpu, s->at.address, 0, wait);
	s->totals.waited += (uint64_t)wait;
	return wait;
}

/* Words of a block of so many bytes, from and to these bytes of it. */
static uint64_t words_of(uint64_t from, uint64_t to, uint64_t bytes)
{
	const unsigned first = (unsigned)((from & (bytes - 1)) / SIM_WORD_BYTES),
		       last = (unsigned)((to & (bytes - 1)) / SIM_WORD_BYTES);

	return (~UINT64_C(0) >> (63 - (last - first))) << first;
}

int64_t sim_access(struct sim *s, unsigned cpu, uint64_t pc, uint64_t address, uint32_t size, bool write,
		   int64_t now)
{
	const unsigned shift = s->levels[L1].shift;
	const uint64_t room = UINT64_MAX - address, behind = size ? size - 1 : 0,
		       last = address + (behind < room ? behind : room);
	int64_t waited = 0;

	s->at.cpu = cpu;
	s->at.cluster = cpu / s->m.cpus_per_l2;
	s->at.pc = pc;
	s->at.write = write;
	for (uint64_t number = address >> shift;; number++) {
		const uint64_t end = ((number + 1) << shift) - 1, to = last < end ? last : end;

		s->at.address = address;
		s->at.words = words_of(address, to, UINT64_C(1) << shift);
		s->at.start = now + waited + s->m.reference;
		waited += simulate(s, number);
		if (to == last)
			return waited;
		waited += s->m.reference;
		address = to + 1;
	}
}

/* ---- all of it ---- */

static bool begin_level(struct level *l, const struct sim_level *m, uint32_t caches)
{
	l->caches = caches;
	l->ways = m->ways;
	l->sets = m->bytes / (m->ways * m->block);
	l->shift = (unsigned)__builtin_ctz(m->block);
	l->bytes = caches * l->sets * l->ways * sizeof(*l->lines);
	l->lines = take_pages(l->bytes);
	return l->lines;
}

struct sim *sim_new(const struct sim_machine *m, sim_emit *emit_fn, void *context)
{
	struct sim *s = take_pages(sizeof(*s));

	if (!s)
		return NULL;
	s->m = *m;
	s->emit = emit_fn;
	s->context = context;
	s->key = hash_key(s);
	grow(s);
	s->parts = m->l2.block / m->l1.block;
	s->part_words = m->l1.block / SIM_WORD_BYTES;
	if (begin_level(&s->levels[L1], &m->l1, m->cpus) &&
	    begin_level(&s->levels[L2], &m->l2, m->cpus / m->cpus_per_l2))
		return s;
	sim_free(s);
	return NULL;
}

void sim_free(struct sim *s)
{
	if (!s)
		return;
	for (struct chunk *c = s->chunks, *before; c; c = before) {
		before = c->before;
		give_pages(c, CHUNK_BYTES);
	}
	give_pages(s->table, s->table_size * sizeof(*s->table));
	for (int level = 0; level < SIM_LEVELS; level++)
		give_pages(s->levels[level].lines, s->levels[level].bytes);
	give_pages(s, sizeof(*s));
}

void sim_mute(struct sim *s, bool muted)
{
	s->muted = muted;
}

const struct sim_totals *sim_totals(const struct sim *s)
{
	return &s->totals;
}
