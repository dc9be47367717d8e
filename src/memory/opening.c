/*
 * What the first lines of a Chiron text tell about all of it (formats/chiron.md): blocks and
 * caches, by a header, which is decimal; the radix of all other numbers; whether an invalidation
 * names the CPU that lost the block or the one that took it, whether level 2 names CPUs or caches,
 * whether a load has the time at which the wait for it began or ended; and when it all begins.
 */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "memory/memory_private.h"

enum {
	HEADER = 4,          /* lines of it */
	BLOCK_MOST = 1 << 12 /* bytes */
};

/* ---- the radix ---- */

static bool is_record(const char *line, const char *end, unsigned radix)
{
	struct memory_record r;

	chiron_line(line, end, radix, &r);
	return isalpha(r.letter);
}

/* The least in which all are records that are some in any: words of other text are no numbers. */
static unsigned find_radix(const char *text, const char *end)
{
	unsigned radix = 8;
	struct memory_record r;

	for (; text < end; text = chiron_line(text, end, 16, &r))
		while (is_record(text, end, 16) && !is_record(text, end, radix))
			radix = radix == 8 ? 10 : 16;
	return radix;
}

/* ---- the header ---- */

/* A number of it, after those before. */
static bool fits(const uint64_t g[HEADER], int i)
{
	const uint64_t n = g[i];

	return i < MEMORY_LEVELS ? n >= WORD_BYTES && n <= BLOCK_MOST && !(n & (n - 1)) && n >= g[0]
				 : n > 0 && n <= MEMORY_CPUS_MOST && n <= g[MEMORY_LEVELS];
}

bool memory_geometry_fits(const uint64_t g[HEADER])
{
	return fits(g, 0) && fits(g, 1) && fits(g, 2) && fits(g, 3);
}

/* Numbers that are not there, or cannot be, are the usual ones; the last of these is warned of. */
static void guess(struct memory *m, uint64_t g[HEADER], const uint64_t lines[HEADER])
{
	static const uint64_t usual[HEADER] = {32, 128, 8, 2};

	for (int i = 0; i < HEADER; i++) {
		if (fits(g, i))
			continue;
		g[i] = usual[i];
		if (!fits(g, i))
			g[i] = g[i - 1];
		m->lines.line = lines[i];
		m->index.guessed = true;
	}
	if (m->index.guessed)
		lines_warn(&m->lines, "no header, or this line of it cannot be (blocks of powers "
				      "of two up to 4096, L2 blocks the larger, L2 caches the "
				      "fewer): as in 32,128,8,2; give --geom");
}

/* As the header has it; or as set, if that cannot be. One that lacks lines does not say which. */
static void find_geometry(struct memory *m, const char *text, const char *end)
{
	uint64_t g[HEADER] = {0}, lines[HEADER] = {0};
	struct memory_record r;
	int n = 0;

	for (uint64_t line = 1; n < HEADER && text < end; line++) {
		text = chiron_line(text, end, 8, &r);
		if (r.letter != 'i')
			continue;
		g[n] = r.address;
		lines[n++] = line;
	}
	if (n < HEADER)
		memset(g, 0, sizeof(g));
	if (!memory_geometry_fits(g) && memory_geometry_fits(m->settings.geometry))
		memcpy(g, m->settings.geometry, sizeof(g));
	guess(m, g, lines);
	for (int i = 0; i < MEMORY_LEVELS; i++)
		m->index.block_bytes[i] = (uint32_t)g[i];
	m->lines.failed |= !memory_add_caches(m, (uint32_t)g[2], (uint32_t)g[3]);
	if (g[2] % g[3])
		lines_warn(&m->lines, "the header's L1 caches do not share its L2 caches evenly");
}

/* ---- conventions ---- */

static const char timed[] = "ghpefab"; /* records that have a time */

/* Of a CPU. */
struct wait {
	uint32_t cycles;      /* until its load is met; 0: none */
	uint32_t next_cycles; /* of the one behind it; 0: none */
	int64_t next;         /* when that was loaded */
};

/*
 * What lines say of all: how many are for it, less those that are against. They are met from the
 * last to the first: so what an access did comes after the CPU that completes it.
 */
struct votes {
	int64_t by_taker, cache_ids, at_end;
	int cpu; /* that completes; -1: none yet */
	struct wait waits[MEMORY_CPUS_MOST];
};

/* Waits of a CPU do not overlap: not with the next one if loads begin them, nor the one before. */
static void vote_for_times(struct votes *v, const struct memory_record *r)
{
	struct wait *w = &v->waits[r->cpu];

	if (w->cycles && w->next_cycles) {
		v->at_end += r->tick + w->cycles > w->next;
		v->at_end -= w->next - w->next_cycles < r->tick;
	}
	if (w->cycles)
		*w = (struct wait){.next = r->tick, .next_cycles = w->cycles};
}

static void vote(struct votes *v, const uint32_t *caches, const struct memory_record *r)
{
	const int cache = (int)((int64_t)v->cpu * caches[MEMORY_L2] / caches[MEMORY_L1]);

	if (r->letter == 'R' || r->letter == 'W') {
		v->cpu = r->cpu;
		v->waits[r->cpu].cycles = r->cycles;
	} else if (v->cpu < 0 || !strchr(timed, r->letter)) {
		return;
	} else if (r->level == MEMORY_L2 && r->cpu >= caches[MEMORY_L2]) {
		v->cache_ids = INT32_MIN; /* no cache has that number */
	} else if (strchr("ghp", r->letter)) {
		if (r->level == MEMORY_L2)
			v->cache_ids += (r->cpu == cache) - (r->cpu == v->cpu);
		else
			vote_for_times(v, r);
	} else if (strchr("ef", r->letter) && r->level == MEMORY_L1) {
		v->by_taker += r->cpu == v->cpu ? 1 : -1;
	}
}

static void find_conventions(struct memory *m, const char *text, const char *end)
{
	struct votes v = {.cpu = -1};
	struct memory_record r;

	while (end > text) {
		const char *newline = memrchr(text, '\n', (size_t)(end - 1 - text));
		const char *behind = end;

		end = newline ? newline + 1 : text;
		chiron_line(end, behind, m->index.radix, &r);
		vote(&v, m->index.caches, &r);
		if (strchr(timed, r.letter))
			m->began = r.tick;
	}
	m->index.by_taker = v.by_taker > 0;
	m->index.cache_ids = v.cache_ids > 0;
	m->index.at_end = v.at_end > 0;
}

void memory_open_text(struct memory *m, const char *text, const char *end)
{
	const unsigned set = (unsigned)m->settings.radix;

	m->index.radix = set ? set : find_radix(text, end);
	find_geometry(m, text, end);
	if (!m->lines.failed) /* else there are no caches to divide by */
		find_conventions(m, text, end);
}
