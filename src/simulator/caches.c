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
enum { CHUNK_BYTES = 1 << 22, TABLE_LEAST = 1 << 12 };
#define BIT(n) (UINT64_C(1) << (n))

/* Of one block in the caches of one level; sets of caches have a bit for each. */
struct copies {
	bool private, dirty; /* dirty: and changed; of L2 without what its L1 copies have changed */
	uint64_t written;      /* words, since it is private, which nobody was told yet */
	uint64_t holders, had; /* who has it; who has or had it */
	uint64_t told;         /* of whose copy was told: its end is told, too */
	uint64_t *unseen; /* by cache: words that others wrote since it lost the block; NULL: none */
};

struct block {
	uint64_t number; /* address / bytes of an L2 block */
	struct copies l2, l1[];
};

struct line {
	uint64_t tag;        /* number of the level's block, and one more; 0: empty */
	struct block *block; /* the L2 block that it is or lies in */
};

/* All caches of a level. */
struct level {
	struct line *lines; /* by cache, set, way; empty ones at the end of a set */
	uint32_t caches, ways;
	uint64_t sets;
	unsigned shift; /* log2 of a block's bytes */
};

/* What memory the system gave. */
struct chunk {
	struct chunk *before;
	size_t bytes;
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

/* Zeroed, a multiple of 8 bytes, until the end of the simulation; NULL: none. */
static void *take(struct sim *s, size_t bytes)
{
	const size_t size = sizeof(struct chunk) + (bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES);
	char *taken;

	if (bytes > s->left) {
		struct chunk *c = mmap(NULL, size, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (c == MAP_FAILED)
			return NULL;
		*c = (struct chunk){s->chunks, size};
		s->chunks = c;
		s->free = (char *)(c + 1);
		s->left = size - sizeof(*c);
	}
	taken = s->free;
	s->free += bytes;
	s->left -= bytes;
	return taken;
}

/* ---- the directory ---- */

static struct block **slot_of(const struct sim *s, uint64_t number)
{
	size_t i = hash_step(s->key, number ^ s->key) & (s->table_size - 1);

	while (s->table[i] && s->table[i]->number != number)
		i = (i + 1) & (s->table_size - 1);
	return &s->table[i];
}

/* What it outgrows is no more than what it has then. */
static bool grow(struct sim *s)
{
	struct block **old = s->table;
	const size_t size = s->table_size, next = size ? 2 * size : TABLE_LEAST;
	struct block **table = take(s, next * sizeof(*table));

	if (!table)
		return false;
	s->table = table;
	s->table_size = next;
	for (size_t i = 0; i < size; i++)
		if (old[i])
			*slot_of(s, old[i]->number) = old[i];
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

static void insert(const struct level *l, unsigned cache, uint64_t number, struct block *b)
{
	struct line *set = set_of(l, cache, number);

	memmove(set + 1, set, (l->ways - 1) * sizeof(*set));
	set[0] = (struct line){number + 1, b};
}

/* ---- what is told ---- */

static void tell(const struct sim *s, enum sim_record_type type, int level, unsigned cpu,
		 uint64_t address, uint64_t other, int64_t time)
{
	const struct sim_record r = {.type = (char)type,
				     .level = (uint8_t)(level + 1),
				     .cpu = (uint16_t)cpu,
				     .pc = s->at.pc,
				     .address = address,
				     .other = other,
				     .time = time};

	s->emit(s->context, &r);
}

static void emit(const struct sim *s, enum sim_record_type type, int level, unsigned cpu,
		 uint64_t address, uint64_t other, int64_t time)
{
	if (!s->muted)
		tell(s, type, level, cpu, address, other, time);
}

/* Of an L2 block, or of a part of it. */
static struct copies *copies_of(struct block *b, int level, unsigned part)
{
	return level == L1 ? &b->l1[part] : &b->l2;
}

static uint64_t number_of(const struct sim *s, const struct block *b, int level, unsigned part)
{
	return level == L1 ? b->number * s->parts + part : b->number;
}

/* What was written to it becomes known to the block around it, and to those who had it and lost it. */
static void settle(struct sim *s, struct block *b, int level, unsigned part)
{
	struct copies *c = copies_of(b, level, part);
	uint64_t others = c->written ? c->had & ~c->holders : 0;

	if (level == L1 && c->dirty) {
		b->l2.written |= c->written << part * s->part_words;
		b->l2.dirty = true;
	}
	if (others && !c->unseen) {
		c->unseen = take(s, s->levels[level].caches * sizeof(*c->unseen));
		s->totals.lost += !c->unseen;
	}
	for (; others && c->unseen; others &= others - 1)
		c->unseen[__builtin_ctzll(others)] |= c->written;
	c->written = 0;
}

/* ---- endings of copies ---- */

enum ending { INVALIDATED, REPLACED };

/* One copy: a part in the L1 cache of a CPU, or the block in an L2 cache. Whether it was dirty. */
static bool end(struct sim *s, struct block *b, int level, unsigned part, unsigned cache,
		enum ending ending, int64_t time)
{
	static const enum sim_record_type types[][2] = {
	    [INVALIDATED] = {SIM_INVALIDATE_CLEAN, SIM_INVALIDATE_DIRTY},
	    [REPLACED] = {SIM_REPLACE_CLEAN, SIM_REPLACE_DIRTY}};
	const struct level *l = &s->levels[level];
	const uint64_t number = number_of(s, b, level, part), first = number << l->shift;
	const bool own = s->at.address >> l->shift == number;
	struct copies *c = copies_of(b, level, part);
	unsigned cpu = cache;
	bool dirty;

	settle(s, b, level, part);
	dirty = c->dirty;
	if (level == L2)
		cpu = ending == REPLACED ? s->at.cpu : cache * s->m.cpus_per_l2;
	if (!s->muted || c->told & BIT(cache))
		tell(s, types[ending][dirty], level, cpu,
		     ending == REPLACED || own ? s->at.address : first,
		     ending == REPLACED ? first : 0, time);
	c->holders &= ~BIT(cache);
	if (!c->holders)
		c->private = c->dirty = false;
	drop(l, cache, number);
	return dirty;
}

static void end_l1s(struct sim *s, struct block *b, unsigned part, uint64_t cpus, enum ending ending,
		    int64_t time)
{
	for (cpus &= b->l1[part].holders; cpus; cpus &= cpus - 1)
		end(s, b, L1, part, (unsigned)__builtin_ctzll(cpus), ending, time);
}

/* And what its L1 caches have of it. Whether it was dirty. */
static bool end_l2(struct sim *s, struct block *b, unsigned cluster, enum ending ending, int64_t time)
{
	const unsigned count = s->m.cpus_per_l2;
	const uint64_t cpus = (~UINT64_C(0) >> (64 - count)) << cluster * count;

	for (unsigned part = 0; part < s->parts; part++)
		end_l1s(s, b, part, cpus, ending, time);
	return end(s, b, L2, 0, cluster, ending, time);
}

/* Whether any of them was dirty. */
static bool end_other_l2s(struct sim *s, struct block *b)
{
	bool dirty = false;

	for (uint64_t others = b->l2.holders & ~BIT(s->at.cluster); others; others &= others - 1)
		dirty |= end_l2(s, b, (unsigned)__builtin_ctzll(others), INVALIDATED, s->at.start);
	return dirty;
}

/* It is no longer private, nor are, with an L2 block, its parts. Whether it was dirty. */
static bool share(struct sim *s, struct block *b, int level, unsigned part)
{
	struct copies *c = copies_of(b, level, part);
	bool dirty;

	for (unsigned i = 0; level == L2 && i < s->parts; i++)
		if (b->l1[i].private)
			share(s, b, L1, i);
	settle(s, b, level, part);
	dirty = c->dirty;
	c->private = c->dirty = false;
	return dirty;
}

/* ---- beginnings ---- */

static void load(struct sim *s, struct block *b, int level, int64_t time)
{
	const unsigned cache = level == L1 ? s->at.cpu : s->at.cluster;
	const uint64_t number = number_of(s, b, level, s->at.part);
	const struct level *l = &s->levels[level];
	const struct line victim = set_of(l, cache, number)[l->ways - 1]; /* empty: nothing has to go */
	struct copies *c = copies_of(b, level, s->at.part);
	const bool alone = !c->holders && (level == L2 || b->l2.private);
	const uint64_t unseen = c->unseen ? c->unseen[cache] : 0;

	if (victim.tag && level == L1)
		end(s, victim.block, L1, (victim.tag - 1) & (s->parts - 1), cache, REPLACED, time);
	else if (victim.tag)
		end_l2(s, victim.block, cache, REPLACED, time);
	c->private = s->at.write || (s->m.exclusive && alone);
	emit(s, c->private ? SIM_LOAD_PRIVATE : SIM_LOAD_SHARED, level, s->at.cpu, s->at.address,
	     unseen, time);
	if (unseen)
		c->unseen[cache] = 0;
	c->holders |= BIT(cache);
	c->had |= BIT(cache);
	c->told = (c->told & ~BIT(cache)) | (uint64_t)!s->muted << cache;
	insert(l, cache, number, b);
}

static void upgrade(struct sim *s, struct block *b, int level, int64_t time)
{
	struct copies *c = copies_of(b, level, s->at.part);

	c->private = true;
	c->told |= (uint64_t)!s->muted << (level == L1 ? s->at.cpu : s->at.cluster);
	s->totals.upgrades[level]++;
	emit(s, SIM_UPGRADE, level, s->at.cpu, s->at.address, 0, time);
}

/* ---- references: what they wait ---- */

/* Takes it from all others, also in L2: what a write waits, at least so long. */
static int64_t make_private(struct sim *s, struct block *b, int64_t wait)
{
	end_other_l2s(s, b);
	end_l1s(s, b, s->at.part, ~BIT(s->at.cpu), INVALIDATED, s->at.start);
	if (!b->l2.private) {
		wait = s->m.far_upgrade;
		upgrade(s, b, L2, s->at.start + wait);
	}
	return wait;
}

/* The L2 cache has the block. */
static int64_t fetch_near(struct sim *s, struct block *b)
{
	const int64_t wait = b->l1[s->at.part].dirty ? s->m.near_dirty : s->m.l2_hit;

	if (s->at.write)
		return make_private(s, b, wait);
	share(s, b, L1, s->at.part);
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
		dirty = share(s, b, L2, 0);
	wait = dirty ? s->m.far_dirty : s->m.memory;
	load(s, b, L2, s->at.start + wait);
	return wait;
}

/* A write to a block that the L1 cache shares. */
static int64_t write_shared(struct sim *s, struct block *b)
{
	const bool far = !b->l2.private;
	int64_t wait;

	touch(&s->levels[L2], s->at.cluster, b->number);
	wait = make_private(s, b, s->m.near_upgrade);
	upgrade(s, b, L1, s->at.start + wait + far);
	return wait;
}

/* The L1 cache does not have the block. NULL: no memory. */
static struct block *miss(struct sim *s, int64_t *wait)
{
	const uint64_t number = s->at.address >> s->levels[L2].shift;
	struct block *b = touch(&s->levels[L2], s->at.cluster, number);
	const bool far = !b;

	if (far)
		b = block_at(s, number);
	*wait = s->m.memory;
	s->totals.lost += !b;
	if (!b)
		return NULL;
	s->totals.misses[L1]++;
	s->totals.misses[L2] += far;
	emit(s, SIM_MISS, L1, s->at.cpu, s->at.address, 0, s->at.start);
	*wait = far ? fetch_far(s, b) : fetch_near(s, b);
	load(s, b, L1, s->at.start + *wait + far);
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
		b = miss(s, &wait);
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

static bool begin_level(struct sim *s, int level, const struct sim_level *m,
			uint32_t caches)
{
	struct level *l = &s->levels[level];

	l->caches = caches;
	l->ways = m->ways;
	l->sets = m->bytes / (m->ways * m->block);
	l->shift = (unsigned)__builtin_ctz(m->block);
	l->lines = take(s, caches * l->sets * l->ways * sizeof(*l->lines));
	return l->lines;
}

struct sim *sim_new(const struct sim_machine *m, sim_emit *emit_fn, void *context)
{
	struct sim begun = {.m = *m,
			    .emit = emit_fn,
			    .context = context,
			    .key = hash_key(m),
			    .parts = m->l2.block / m->l1.block,
			    .part_words = m->l1.block / SIM_WORD_BYTES};
	const bool ready = grow(&begun) && begin_level(&begun, L1, &m->l1, m->cpus) &&
			   begin_level(&begun, L2, &m->l2, m->cpus / m->cpus_per_l2);
	struct sim *s = ready ? take(&begun, sizeof(*s)) : NULL;

	if (s)
		*s = begun;
	else
		sim_free(&begun);
	return s;
}

void sim_free(struct sim *s)
{
	struct chunk *before;

	for (struct chunk *c = s ? s->chunks : NULL; c; c = before) { /* s is in one of them */
		before = c->before;
		munmap(c, c->bytes);
	}
}

void sim_mute(struct sim *s, bool muted)
{
	s->muted = muted;
}

const struct sim_totals *sim_totals(const struct sim *s)
{
	return &s->totals;
}
