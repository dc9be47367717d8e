/*
 * The text of a model: lines of words and numbers, in any order; `#` begins a comment.
 *
 *     like thesis                       # first: all that the other lines do not say is as there
 *     cpus 4
 *     cpus-per-l2 2                     # neighbours that share an L2 cache
 *     l1 1k 4-way 16-byte blocks        # of each CPU; k and m are KiB and MiB
 *     l2 8k 4-way 128-byte blocks
 *     protocol msi                      # or mesi: what no other cache has is private when it is read
 *     locks silent                      # locking writes no memory; or written, which is usual
 *     memory 47                         # cycles, as for each of SIM_LATENCIES
 *
 * Without `like`, what is not said is as in the default preset. `-way`, `-byte`, `blocks` and `cycles`
 * may be left out.
 */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "simulator/simulator.h"

enum {
	WORDS_MOST = 6, /* of a line, and one more */
	WAYS_MOST = 256,
	CYCLES_MOST = 1000000,
	LEVEL_MOST = 1 << 30 /* bytes */
};

/*
 * today: no chip is just this. L1 and L2 as a Golden Cove core has them (48 KiB, 12 ways; 2 MiB, 16 ways;
 * 14 cycles: Intel's Optimization Reference Manual), but one L2 cache for two, as small cores share
 * theirs in fours. One core gets what another one has changed after 30 to 50 ns, memory answers after 80
 * to 90 (AnandTech's reviews of the i9-12900K and its likes); here that is at 2.5 GHz, and an upgrade
 * is taken for a trip to the shared L3 cache and back.
 */
const struct sim_preset sim_presets[] = {
    {"today", "8 CPUs of about 2023, an L2 cache for two, blocks of 64 bytes, MESI",
     "cpus 8\n"
     "cpus-per-l2 2\n"
     "l1 48k 12-way 64-byte blocks\n"
     "l2 2m 16-way 64-byte blocks\n"
     "protocol mesi\n"
     "reference 1\n"
     "l2-hit 14\n"
     "near-dirty 28\n"
     "near-upgrade 14\n"
     "memory 200\n"
     "far-dirty 110\n"
     "far-upgrade 70\n"},
    {"thesis", "4 CPUs, an L2 cache for two, small: the vector addition of the Chiron thesis",
     "cpus 4\n"
     "cpus-per-l2 2\n"
     "l1 1k 4-way 16-byte blocks\n"
     "l2 8k 4-way 128-byte blocks\n"
     "protocol msi\n"
     "locks silent\n"
     "reference 3\n"
     "l2-hit 16\n"
     "near-dirty 19\n"
     "near-upgrade 16\n"
     "memory 47\n"
     "far-dirty 67\n"
     "far-upgrade 47\n"},
    {"thesis-8", "8 CPUs, an L2 cache for four: MP3D in the Chiron thesis",
     "like thesis\n"
     "cpus 8\n"
     "cpus-per-l2 4\n"
     "l1 16k 4-way 64-byte blocks\n"
     "l2 128k 4-way 256-byte blocks\n"},
    {NULL, NULL, NULL},
};

struct word {
	const char *text;
	size_t len;
};

struct model {
	struct sim_machine *m;
	unsigned line;
	bool said; /* a line before this one said something */
	char *error;
	size_t room;
};

static bool fail(struct model *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct model *x, const char *format, ...)
{
	const int len = x->line ? snprintf(x->error, x->room, "%u: ", x->line) : 0;
	va_list ap;

	if (len < 0 || (size_t)len >= x->room)
		return false;
	va_start(ap, format);
	vsnprintf(x->error + len, x->room - (size_t)len, format, ap);
	va_end(ap);
	return false;
}

/* For "%.*s": no more of a word than an error has room for. */
static int shown(const struct word *w)
{
	return w->len < 40 ? (int)w->len : 40;
}

static bool is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && memcmp(w->text, text, w->len) == 0;
}

/* A number with one of the suffixes, of which each has a factor; false: it is none, or beyond most. */
static bool number(const struct word *w, const char *const *suffixes, const uint32_t *factors,
		   uint32_t most, uint32_t *out)
{
	uint64_t value = 0;
	size_t digits = 0;
	struct word suffix;

	for (; digits < w->len && w->text[digits] >= '0' && w->text[digits] <= '9'; digits++)
		if ((value = value * 10 + (uint64_t)(w->text[digits] - '0')) > most)
			return false;
	suffix = (struct word){w->text + digits, w->len - digits};
	for (int i = 0; digits && suffixes[i]; i++)
		if (is(&suffix, suffixes[i])) {
			*out = (uint32_t)(value * factors[i]);
			return value * factors[i] <= most;
		}
	return false;
}

static const char *const no_suffix[] = {"", NULL};
static const char *const of_bytes[] = {"", "k", "K", "m", "M", NULL};
static const char *const of_ways[] = {"", "-way", NULL};
static const char *const of_block[] = {"", "-byte", NULL};
static const uint32_t ones[] = {1, 1};
static const uint32_t binary[] = {1, 1 << 10, 1 << 10, 1 << 20, 1 << 20};

static bool is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static bool take_level(struct model *x, const struct word *w, unsigned count, struct sim_level *out)
{
	struct sim_level l;

	if (count == 5 && is(&w[4], "blocks"))
		count--;
	if (count != 4 || !number(&w[1], of_bytes, binary, LEVEL_MOST, &l.bytes) ||
	    !number(&w[2], of_ways, ones, WAYS_MOST, &l.ways) ||
	    !number(&w[3], of_block, ones, SIM_BLOCK_MOST, &l.block))
		return fail(x, "not a cache: write `%.*s 48k 12-way 64-byte blocks` (at most 1024m, %d ways, "
			       "blocks of %d bytes)", shown(w), w->text, WAYS_MOST, SIM_BLOCK_MOST);
	if (!is_power(l.block) || l.block < SIM_WORD_BYTES)
		return fail(x, "blocks of %u bytes: write a power of two from %d to %d", l.block,
			    SIM_WORD_BYTES, SIM_BLOCK_MOST);
	if (!l.ways || l.bytes % (l.ways * l.block) || !is_power(l.bytes / (l.ways * l.block)))
		return fail(x, "%u bytes in %u ways of %u-byte blocks: write a size that makes the number "
			       "of sets a power of two", l.bytes, l.ways, l.block);
	*out = l;
	return true;
}

static bool take_like(struct model *x, const struct word *w, unsigned count);

static bool take_number(struct model *x, const struct word *w, unsigned count, uint32_t least,
			uint32_t most, uint32_t *out)
{
	if (count == 3 && is(&w[2], "cycles"))
		count--;
	if (count == 2 && number(&w[1], no_suffix, ones, most, out) && *out >= least)
		return true;
	return fail(x, "write `%.*s` and a number from %u to %u", shown(w), w->text, least, most);
}

static bool take_protocol(struct model *x, const struct word *w, unsigned count)
{
	x->m->exclusive = count == 2 && is(&w[1], "mesi");
	return (count == 2 && (x->m->exclusive || is(&w[1], "msi"))) ||
	       fail(x, "write `protocol msi` or `protocol mesi`");
}

static bool take_locks(struct model *x, const struct word *w, unsigned count)
{
	x->m->silent_locks = count == 2 && is(&w[1], "silent");
	return (count == 2 && (x->m->silent_locks || is(&w[1], "written"))) ||
	       fail(x, "write `locks written` or `locks silent`");
}

static bool take_words(struct model *x, const struct word *w, unsigned count)
{
	struct sim_machine *m = x->m;

	if (is(w, "like"))
		return take_like(x, w, count);
	x->said = true;
	if (is(w, "cpus"))
		return take_number(x, w, count, 1, SIM_CPUS_MOST, &m->cpus);
	if (is(w, "cpus-per-l2"))
		return take_number(x, w, count, 1, SIM_CPUS_MOST, &m->cpus_per_l2);
	if (is(w, "l1") || is(w, "l2"))
		return take_level(x, w, count, is(w, "l1") ? &m->l1 : &m->l2);
	if (is(w, "protocol"))
		return take_protocol(x, w, count);
	if (is(w, "locks"))
		return take_locks(x, w, count);
	if (is(w, "reference")) /* time goes on */
		return take_number(x, w, count, 1, CYCLES_MOST, &m->reference);
#define TAKE_LATENCY(member, name, help)                                                           \
	if (is(w, name))                                                                           \
		return take_number(x, w, count, 1, CYCLES_MOST, &m->member);
	SIM_LATENCIES(TAKE_LATENCY)
#undef TAKE_LATENCY
#define NAME_LATENCY(member, name, help) ", " name
	return fail(x, "unknown word '%.*s': there are like, cpus, cpus-per-l2, l1, l2, protocol, locks"
		       SIM_LATENCIES(NAME_LATENCY), shown(w), w->text);
#undef NAME_LATENCY
}

static unsigned split(const char *p, const char *end, struct word *out)
{
	unsigned count = 0;

	while (count < WORDS_MOST) {
		while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
			p++;
		if (p == end || *p == '#')
			break;
		out[count].text = p;
		while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '#')
			p++;
		out[count].len = (size_t)(p - out[count].text);
		count++;
	}
	return count;
}

static bool take_text(struct model *x, const char *text)
{
	struct word words[WORDS_MOST];

	for (const char *p = text, *end; *p; p = *end ? end + 1 : end) {
		unsigned count;

		end = p + strcspn(p, "\n");
		x->line++;
		count = split(p, end, words);
		if (count && !take_words(x, words, count))
			return false;
	}
	return true;
}

static const struct sim_preset *preset(const struct word *name)
{
	for (const struct sim_preset *p = sim_presets; p->name; p++)
		if (is(name, p->name))
			return p;
	return NULL;
}

/* The presets' own texts are right. */
static void take_preset(struct model *x, const struct sim_preset *p)
{
	struct model of = {.m = x->m, .error = x->error, .room = x->room};

	take_text(&of, p->text);
}

static bool take_like(struct model *x, const struct word *w, unsigned count)
{
	const struct sim_preset *p = count == 2 ? preset(&w[1]) : NULL;

	if (!p)
		return fail(x, "write `like` and the name of a preset: today, thesis or thesis-8");
	if (x->said)
		return fail(x, "`like %s` would undo the lines before it: write it first", p->name);
	take_preset(x, p);
	return true;
}

/* What no line can know by itself. */
static bool check(struct model *x)
{
	const struct sim_machine *m = x->m;

	x->line = 0;
	if (m->cpus % m->cpus_per_l2)
		return fail(x, "%u CPUs, %u for each L2 cache: make cpus a multiple of cpus-per-l2", m->cpus,
			    m->cpus_per_l2);
	if (m->l1.block > m->l2.block || m->l1.bytes > m->l2.bytes)
		return fail(x, "L1 caches of %u bytes in blocks of %u, L2 caches of %u in blocks of %u: "
			       "make neither smaller in L2", m->l1.bytes, m->l1.block, m->l2.bytes,
			    m->l2.block);
	return true;
}

bool sim_machine_read(struct sim_machine *m, const char *text, char *error, size_t room)
{
	struct model x = {.m = m, .error = error, .room = room};
	const struct word name = {text, strlen(text)};
	const struct sim_preset *p = preset(&name);

	take_preset(&x, p ? p : preset(&(struct word){SIM_DEFAULT, strlen(SIM_DEFAULT)}));
	snprintf(m->name, sizeof(m->name), "%s", p ? p->name : "model");
	return p || (take_text(&x, text) && check(&x));
}
