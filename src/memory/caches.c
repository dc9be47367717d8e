/*
 * What the caches hold, and why they missed (guides/sharing.md).
 *
 * A cache that ever had a block has a holding of it: the last stay, which lasts, or how it ended. A
 * load is judged by that: a word that another CPU wrote since the block was taken away makes it
 * true sharing. Only writes that missed are in the trace, so without masks some that is called
 * false is true.
 *
 * The records of one reference follow each other, its completion last. So loads wait for the
 * completion of their CPU, which tells what they cost; losses for one near them, which tells whose
 * access took the block.
 */
#include "config.h"

#include <string.h>

#include "memory/memory_private.h"

enum { LOSSES_MOST = 1024 }; /* that wait at once */

void memory_note(struct memory *m, enum memory_note note, uint32_t stay, const char *text)
{
	const uint64_t stays = m->lines.items_read;

	m->lines.notes[note]++;
	if (stay != MEMORY_NONE)
		m->lines.items_read = stay + UINT64_C(1);
	lines_warn(&m->lines, text);
	m->lines.items_read = stays;
}

/* The row of the stay that comes next. */
static uint32_t next_stay(const struct memory *m)
{
	return (uint32_t)m->lines.items_read;
}

/* ---- what is known of words, blocks and caches ---- */

/* Records of the level name caches, not CPUs. */
static bool names_caches(const struct memory *m, enum memory_level level)
{
	return level == MEMORY_L2 && m->index.cache_ids;
}

/* The one that a record is about. */
static uint32_t cache_of(const struct memory *m, const struct memory_record *r)
{
	return r->level == MEMORY_L1 || m->index.cache_ids ? r->cpu : m->caches.clusters[r->cpu];
}

/* From now on there are as many CPUs and caches as a record says. */
static void see_cpu(struct memory *m, const struct memory_record *r)
{
	const bool cache = names_caches(m, r->level);

	if (r->cpu < m->index.caches[cache ? MEMORY_L2 : MEMORY_L1])
		return;
	memory_note(m, MEMORY_NOTE_CPUS, MEMORY_NONE,
		    "a CPU or cache that the header does not have");
	m->lines.failed |= !memory_add_caches(m, cache ? 0 : r->cpu + 1,
					      (cache ? r->cpu : m->caches.clusters[r->cpu]) + 1);
}

/* What a cache has of a block; made if it is not there. NULL: no memory. Good until the next. */
static struct memory_holding *holding_at(struct memory *m, uint32_t block, uint32_t cache)
{
	struct memory_caches *c = &m->caches;
	uint32_t *first = &m->blocks.data[block].holdings, row = *first;
	const struct memory_holding made = {MEMORY_NONE, 0, *first, (uint16_t)cache};

	while (row != MEMORY_NONE && c->holdings.data[row].cache != cache)
		row = c->holdings.data[row].next;
	if (row != MEMORY_NONE)
		return &c->holdings.data[row];
	if (c->holdings.count == MEMORY_NONE || !vec_push(&c->holdings, made)) {
		m->lines.failed = true;
		return NULL;
	}
	*first = (uint32_t)c->holdings.count - 1;
	return &vec_last(&c->holdings);
}

/* The last stay; NULL: there was none. */
static struct memory_stay *stay_of(struct memory *m, const struct memory_holding *h)
{
	return h->stay == MEMORY_NONE ? NULL : memory_stay_at(m, h->stay);
}

/* ---- stays ---- */

/* The block becomes shared or private while it stays. */
static void change(struct memory_stay *stay, bool private, int64_t tick)
{
	const int64_t ticks = tick > stay->start ? tick - stay->start : 0;

	if (stay->private != private && stay->change == MEMORY_NONE)
		stay->change = ticks < MEMORY_NONE ? (uint32_t)ticks : MEMORY_NONE - 1;
}

/* Of the block of a record. */
static void begin_stay(struct memory *m, const struct memory_record *r, struct memory_holding *h,
		       int64_t start, enum memory_cause cause)
{
	struct memory_stay stay = {.start = start,
				   .end = MEMORY_OPEN,
				   .block = r->block,
				   .cell = MEMORY_NONE,
				   .taker = MEMORY_NONE,
				   .change = MEMORY_NONE,
				   .cache = h->cache,
				   .cause = cause & 7,
				   .private = r->letter == 'h'};

	h->stay = memory_add_stay(m, &stay);
}

/*
 * A block that the cache of a record is to have; NULL: it has not. One that it never got was there
 * before anything was traced, which is no damage: what is known of it begins there.
 */
static struct memory_holding *held(struct memory *m, const struct memory_record *r)
{
	struct memory_holding *h = holding_at(m, r->block, cache_of(m, r));
	const struct memory_stay *last = h ? stay_of(m, h) : NULL;

	if (last && last->ending != MEMORY_RESIDENT)
		memory_note(m, MEMORY_NOTE_ABSENT, h->stay,
			    "a block is lost, or becomes private, that was lost before");
	if (!h || last)
		return last && last->ending == MEMORY_RESIDENT ? h : NULL;
	m->lines.notes[MEMORY_NOTE_FIRST]++;
	begin_stay(m, r, h, m->lines.first, MEMORY_COLD);
	return m->lines.failed ? NULL : h;
}

/* Behind it the block is gone. */
static void end_stay(struct memory *m, struct memory_holding *h, int64_t tick,
		     enum memory_ending ending, bool dirty)
{
	struct memory_stay *stay = stay_of(m, h);
	struct memory_block *block = &m->blocks.data[stay->block];

	stay->end = tick > stay->start ? tick : stay->start;
	stay->ending = ending & 3;
	m->index.ended[stay->level][stay->cache % MEMORY_GLYPHS][ending]++;
	stay->dirty = dirty;
	h->writes = m->caches.writes;
	if (block->owner == h->stay)
		block->owner = MEMORY_NONE;
}

/* ---- a loss, and who took the block ---- */

/*
 * Whose access it was is known, that of a completion; a dirty block is given to it, if it touches
 * that block. causes: of a write to blocks that others lost by it, by level: true if one of them
 * had loaded it for that word, else false. O(losses).
 */
static void take(struct memory *m, const struct memory_record *r, uint32_t cell,
		 enum memory_cause causes[MEMORY_LEVELS])
{
	const uint64_t around = r->address / m->index.block_bytes[MEMORY_L2];
	struct memory_caches *c = &m->caches;
	size_t kept = 0;

	for (size_t i = 0; i < c->losses.count; i++) {
		const struct memory_loss loss = c->losses.data[i];
		struct memory_stay *stay = memory_stay_at(m, loss.stay);

		if (loss.around != around) {
			c->losses.data[kept++] = loss;
			continue;
		}
		stay->taker = cell;
		if (stay->block != m->words.data[r->word].block[stay->level] ||
		    stay->ending != MEMORY_INVALIDATED)
			continue;
		m->blocks.data[stay->block].transfers += stay->dirty;
		if (r->letter == 'W' && causes[stay->level] != MEMORY_TRUE)
			causes[stay->level] =
			    stay->cell != MEMORY_NONE && m->cells.data[stay->cell].word == r->word
				? MEMORY_TRUE
				: MEMORY_FALSE;
	}
	c->losses.count = kept;
}

/* h: what it has of the block; NULL: nothing */
static void lose(struct memory *m, const struct memory_record *r, struct memory_holding *h)
{
	struct memory_caches *c = &m->caches;
	const bool dirty = r->letter == 'a' || r->letter == 'e';
	const bool replaced = r->letter == 'a' || r->letter == 'b';
	struct memory_loss loss = {.around = r->address / m->index.block_bytes[MEMORY_L2]};

	if (!h)
		return;
	loss.stay = h->stay;
	end_stay(m, h, r->tick, replaced ? MEMORY_REPLACED : MEMORY_INVALIDATED, dirty);
	if (c->losses.count == LOSSES_MOST) /* they are none of whoever comes */
		c->losses.count = 0;
	m->lines.failed |= !vec_push(&c->losses, loss);
}

/* All but the cache that is named lose a block. */
static void lose_others(struct memory *m, const struct memory_record *r)
{
	struct memory_caches *c = &m->caches;
	const uint32_t own = cache_of(m, r);
	uint32_t last = MEMORY_NONE;
	bool any = false;

	for (uint32_t row = m->blocks.data[r->block].holdings; row != MEMORY_NONE;
	     row = c->holdings.data[row].next) {
		struct memory_holding *h = &c->holdings.data[row];

		last = h->stay;
		if (h->cache == own || stay_of(m, h)->ending != MEMORY_RESIDENT)
			continue;
		lose(m, r, h);
		any = true;
	}
	if (!any)
		memory_note(m, MEMORY_NOTE_ABSENT, last,
			    "a block is taken away that no other cache has");
}

/* ---- a load or upgrade ---- */

/* The cache has the block for itself from now on, or shares it. */
static void own(struct memory *m, const struct memory_record *r, const struct memory_holding *h)
{
	const bool private = r->letter != 'g';
	struct memory_block *b = &m->blocks.data[r->block];

	if (b->owner != MEMORY_NONE && b->owner != h->stay) {
		if (private)
			memory_note(m, MEMORY_NOTE_BOTH, h->stay,
				    "a block becomes private that another cache has so");
		else
			change(memory_stay_at(m, b->owner), false, r->tick);
		b->transfers += !private;
	}
	b->owner = private ? h->stay : MEMORY_NONE;
}

/* The word was written by another CPU since the block was taken away. */
static bool is_written(const struct memory *m, const struct memory_record *r,
		       const struct memory_holding *h)
{
	const uint32_t cache = cache_of(m, r);
	const uint64_t bit = r->address % m->index.block_bytes[r->level] / WORD_BYTES;
	const struct memory_word *s = &m->words.data[r->word];

	if (r->has_mask && bit < 64)
		return r->mask >> bit & 1;
	return s->write > h->writes &&
	       (r->level == MEMORY_L1 ? s->writer : m->caches.clusters[s->writer]) != cache;
}

/* last: the stay before; or NULL */
static enum memory_cause judge(const struct memory *m, const struct memory_record *r,
			       const struct memory_holding *h, const struct memory_stay *last)
{
	const struct memory_word *words = m->words.data;

	if (!last)
		return MEMORY_COLD;
	if (last->ending != MEMORY_INVALIDATED) /* or it was lost unseen */
		return MEMORY_REPLACEMENT;
	if (is_written(m, r, h))
		return MEMORY_TRUE;
	if (r->level == MEMORY_L1 && last->taker != MEMORY_NONE &&
	    words[m->cells.data[last->taker].word].block[MEMORY_L1] != r->block)
		return MEMORY_INCLUSION;
	return MEMORY_FALSE;
}

/* A block is called by its dearest word, at first by that of its first load. */
static void charge_word(struct memory *m, uint32_t word, uint64_t cycles)
{
	const struct memory_word *words = m->words.data, *w = &words[word];

	m->words.data[word].cycles += cycles;
	for (int level = 0; level < MEMORY_LEVELS; level++) {
		uint32_t *most = &m->blocks.data[w->block[level]].word;

		if (*most == MEMORY_NONE || w->cycles > words[*most].cycles ||
		    (w->cycles == words[*most].cycles && word < *most))
			*most = word;
	}
}

/* It is by the access of a cell. */
static void count_load(struct memory *m, struct memory_load *load, uint32_t cell)
{
	struct memory_stay *stay = memory_stay_at(m, load->stay);

	stay->cell = cell;
	if (cell == MEMORY_NONE)
		return;
	m->cells.data[cell].fills[stay->level][stay->cause]++;
	if (stay->cause >= MEMORY_TRUE && load->taker != MEMORY_NONE)
		load->culprit = memory_count_culprit(m, stay, load->taker);
}

/* What it cost is known when its CPU completes; whose access it is, too, if it names none. */
static void load(struct memory *m, const struct memory_record *r)
{
	struct memory_load *load = &m->caches.loads[r->level][r->cpu];
	struct memory_holding *h = holding_at(m, r->block, cache_of(m, r));
	const struct memory_stay *last = h ? stay_of(m, h) : NULL;
	enum memory_cause cause;

	if (!h)
		return;
	cause = judge(m, r, h, last);
	if (last && last->ending == MEMORY_RESIDENT) {
		memory_note(m, MEMORY_NOTE_RELOADED, next_stay(m),
			    "a block is loaded that the cache has already");
		end_stay(m, h, r->tick, MEMORY_REPLACED, false);
	}
	load->waits = true;
	load->taker = last ? last->taker : MEMORY_NONE;
	load->culprit = MEMORY_NONE;
	begin_stay(m, r, h, last && last->end > r->tick ? last->end : r->tick, cause);
	load->stay = h->stay;
	own(m, r, h);
	charge_word(m, r->word, 0);
	m->caches.masked |= r->has_mask;
	m->caches.unmasked |= !r->has_mask;
	if (!m->lines.failed && !names_caches(m, r->level))
		count_load(m, load, memory_cell_of(m, r));
}

static void upgrade(struct memory *m, const struct memory_record *r)
{
	struct memory_holding *h = held(m, r);

	if (!h)
		return;
	change(stay_of(m, h), true, r->tick);
	own(m, r, h);
}

/* ---- completion ---- */

/* It waits no longer. cell: of the completion. Its stay. */
static const struct memory_stay *charge(struct memory *m, struct memory_load *load, uint32_t cell,
					uint32_t cycles)
{
	const struct memory_stay *stay = memory_stay_at(m, load->stay);

	load->waits = false;
	if (stay->cell == MEMORY_NONE)
		count_load(m, load, cell);
	m->cells.data[stay->cell].fill_cycles[stay->level][stay->cause] += cycles;
	if (load->culprit != MEMORY_NONE)
		m->culprits.data[load->culprit].cycles += cycles;
	return stay;
}

/*
 * All that waits for it; the outermost level that missed has the cycles. causes: of the wait at
 * levels that loaded nothing.
 */
static void charge_levels(struct memory *m, const struct memory_record *r, uint32_t cell,
			  enum memory_cause causes[MEMORY_LEVELS])
{
	struct memory_caches *c = &m->caches;
	uint32_t left = r->cycles;
	bool outermost = true;

	for (unsigned level = MEMORY_LEVELS; level-- > 0;) {
		struct memory_load *load =
		    &c->loads[level][names_caches(m, level) ? c->clusters[r->cpu] : r->cpu];
		const struct memory_stay *stay = load->waits ? charge(m, load, cell, left) : NULL;
		const enum memory_cause cause = stay ? stay->cause : causes[level];
		struct memory_cell *at = &m->cells.data[stay ? stay->cell : cell];

		if (cause == MEMORY_TRUE || cause == MEMORY_FALSE) {
			at->shared[level][cause - MEMORY_TRUE] += r->cycles;
			at->shared[MEMORY_LEVELS][cause - MEMORY_TRUE] += outermost ? r->cycles : 0;
		}
		left = stay ? 0 : left;
		outermost = outermost && !stay && cause == MEMORY_COLD;
	}
}

static void complete(struct memory *m, const struct memory_record *r)
{
	struct memory_caches *c = &m->caches;
	const bool write = r->letter == 'W';
	const uint32_t row = memory_cell_of(m, r);
	enum memory_cause causes[MEMORY_LEVELS] = {MEMORY_COLD, MEMORY_COLD};
	int64_t tick = c->ticks[r->cpu];
	struct memory_cell *cell;

	if (m->lines.failed)
		return;
	cell = &m->cells.data[row];
	cell->cycles += r->cycles;
	charge_word(m, r->word, r->cycles);
	cell->reads += !write;
	cell->writes += write;
	if (tick == INT64_MIN) /* of its CPU nothing was loaded yet */
		tick = memory_now(m);
	if (m->index.at_end) {
		tick = tick > r->cycles ? tick - r->cycles : 0;
		lines_see(&m->lines, tick, tick + 1);
	}
	memory_add_reference(
	    m, &(struct memory_event){tick, row, r->cycles & MEMORY_CYCLES_MOST, write});
	take(m, r, row, causes);
	charge_levels(m, r, row, causes);
	if (!write)
		return;
	m->words.data[r->word].write = ++c->writes;
	m->words.data[r->word].writer = r->cpu;
}

/* ---- for the reader ---- */

static void see_tick(struct memory *m, const struct memory_record *r)
{
	int64_t *tick;

	lines_see(&m->lines, r->tick, r->tick + 1);
	if (r->letter < 'g' || names_caches(m, r->level))
		return; /* a loss is of no CPU */
	tick = &m->caches.ticks[r->cpu];
	if (r->tick < *tick)
		memory_note(m, MEMORY_NOTE_BACKWARDS, r->letter == 'p' ? MEMORY_NONE : next_stay(m),
			    "earlier than what its CPU did before");
	*tick = r->tick;
}

void memory_caches_take(struct memory *m, struct memory_record *r)
{
	see_cpu(m, r);
	if (m->lines.failed)
		return;
	if (r->letter != 'R' && r->letter != 'W')
		see_tick(m, r);
	switch (r->letter) {
	case 'g':
	case 'h':
		r->block = m->words.data[r->word].block[r->level];
		load(m, r);
		break;
	case 'p':
		upgrade(m, r);
		break;
	case 'R':
	case 'W':
		complete(m, r);
		break;
	default:
		if (m->index.by_taker && (r->letter == 'e' || r->letter == 'f'))
			lose_others(m, r);
		else
			lose(m, r, held(m, r));
	}
}

void memory_caches_begin(struct memory *m)
{
	struct memory_caches *c = &m->caches;

	for (uint32_t cpu = 0; cpu < MEMORY_CPUS_MOST; cpu++) {
		c->clusters[cpu] =
		    (uint16_t)(cpu * m->index.caches[MEMORY_L2] / m->index.caches[MEMORY_L1]);
		c->ticks[cpu] = INT64_MIN;
	}
}
