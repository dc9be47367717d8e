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

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/simulator.h"

enum {
	WORDS_MOST = 6, /* of a line, and one more */
	LINE_BYTES = 200,
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
     "locks written\n"
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

struct model {
	struct sim_machine *m;
	unsigned line; /* 0: none */
	bool said;     /* a line before this one said something */
	char *words[WORDS_MOST];
	unsigned count;
	char *error;
	size_t room;
};

static bool fail(struct model *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct model *x, const char *format, ...)
{
	const int len = x->line ? snprintf(x->error, x->room, "%u: ", x->line) : 0;
	va_list ap;

	va_start(ap, format);
	if (len >= 0 && (size_t)len < x->room)
		vsnprintf(x->error + len, x->room - (size_t)len, format, ap);
	va_end(ap);
	return false;
}

/* What is behind a number; NULL: there is none up to most. */
static const char *number(const char *word, uint32_t most, uint32_t *out)
{
	char *end;
	const unsigned long value = strtoul(word, &end, 10);

	*out = (uint32_t)value;
	return isdigit((unsigned char)*word) && value <= most ? end : NULL;
}

static bool number_of(const char *word, const char *suffix, uint32_t most, uint32_t *out)
{
	const char *end = number(word, most, out);

	return end && (!*end || strcmp(end, suffix) == 0);
}

static bool bytes(const char *word, uint32_t *out)
{
	const char *end = number(word, LEVEL_MOST, out);
	const int shift = !end ? 0 : (*end | 32) == 'k' ? 10 : (*end | 32) == 'm' ? 20 : 0;

	if (!end || *out > (uint32_t)LEVEL_MOST >> shift || end[shift > 0])
		return false;
	*out <<= shift;
	return true;
}

static bool is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static bool take_level(struct model *x, struct sim_level *out)
{
	const unsigned count = x->count == 5 && !strcmp(x->words[4], "blocks") ? 4 : x->count;
	struct sim_level l;

	if (count != 4 || !bytes(x->words[1], &l.bytes) ||
	    !number_of(x->words[2], "-way", WAYS_MOST, &l.ways) ||
	    !number_of(x->words[3], "-byte", SIM_BLOCK_MOST, &l.block))
		return fail(x, "not a cache: write `%s 48k 12-way 64-byte blocks` (at most 1024m, %d ways, "
			       "blocks of %d bytes)", x->words[0], WAYS_MOST, SIM_BLOCK_MOST);
	if (!is_power(l.block) || l.block < SIM_WORD_BYTES)
		return fail(x, "blocks of %u bytes: write a power of two from %d to %d", l.block,
			    SIM_WORD_BYTES, SIM_BLOCK_MOST);
	if (!l.ways || l.bytes % (l.ways * l.block) || !is_power(l.bytes / (l.ways * l.block)))
		return fail(x, "%u bytes in %u ways of %u-byte blocks: write a size that makes the number "
			       "of sets a power of two", l.bytes, l.ways, l.block);
	*out = l;
	return true;
}

static bool take_number(struct model *x, uint32_t most, uint32_t *out)
{
	const unsigned count = x->count == 3 && !strcmp(x->words[2], "cycles") ? 2 : x->count;

	return (count == 2 && number_of(x->words[1], "", most, out) && *out) ||
	       fail(x, "write `%s` and a number from 1 to %u", x->words[0], most);
}

static bool take_choice(struct model *x, const char *no, const char *yes, bool *out)
{
	*out = x->count == 2 && !strcmp(x->words[1], yes);
	return *out || (x->count == 2 && !strcmp(x->words[1], no)) ||
	       fail(x, "write `%s %s` or `%s %s`", x->words[0], no, x->words[0], yes);
}

static const struct sim_preset *preset(const char *name)
{
	const struct sim_preset *p = sim_presets;

	while (p->name && strcmp(name, p->name) != 0)
		p++;
	return p->name ? p : NULL;
}

static bool take_text(struct model *x, const char *text);

/* The presets' own texts are right. */
static void take_preset(struct model *x, const struct sim_preset *p)
{
	struct model of = {.m = x->m, .error = x->error, .room = x->room};

	take_text(&of, p->text);
}

static bool take_like(struct model *x)
{
	const struct sim_preset *p = x->count == 2 ? preset(x->words[1]) : NULL;

	if (!p)
		return fail(x, "write `like` and the name of a preset: today, thesis or thesis-8");
	if (x->said)
		return fail(x, "`like %s` would undo the lines before it: write it first", p->name);
	take_preset(x, p);
	return true;
}

static bool take_words(struct model *x)
{
	struct sim_machine *m = x->m;
	const struct {
		const char *name;
		uint32_t most, *out;
	} numbers[] = {
	    {"cpus", SIM_CPUS_MOST, &m->cpus},
	    {"cpus-per-l2", SIM_CPUS_MOST, &m->cpus_per_l2},
#define TAKE_LATENCY(member, name, help) {name, CYCLES_MOST, &m->member},
	    SIM_LATENCIES(TAKE_LATENCY)
#undef TAKE_LATENCY
	};
	const char *name = x->words[0];

	if (!strcmp(name, "like"))
		return take_like(x);
	x->said = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!strcmp(name, numbers[i].name))
			return take_number(x, numbers[i].most, numbers[i].out);
	if (!strcmp(name, "l1") || !strcmp(name, "l2"))
		return take_level(x, name[1] == '1' ? &m->l1 : &m->l2);
	if (!strcmp(name, "protocol"))
		return take_choice(x, "msi", "mesi", &m->exclusive);
	if (!strcmp(name, "locks"))
		return take_choice(x, "written", "silent", &m->silent_locks);
#define NAME_LATENCY(member, name, help) ", " name
	return fail(x, "unknown word '%.40s': there are like, cpus, cpus-per-l2, l1, l2, protocol, locks"
		       SIM_LATENCIES(NAME_LATENCY), name);
#undef NAME_LATENCY
}

static bool take_line(struct model *x, const char *text, size_t len)
{
	char line[LINE_BYTES], *rest = NULL;

	if (len >= sizeof(line))
		return fail(x, "longer than %d bytes: this is no model", LINE_BYTES - 1);
	memcpy(line, text, len);
	line[len] = '\0';
	line[strcspn(line, "#")] = '\0';
	x->count = 0;
	for (char *w = strtok_r(line, " \t\r", &rest); w && x->count < WORDS_MOST;
	     w = strtok_r(NULL, " \t\r", &rest))
		x->words[x->count++] = w;
	return !x->count || take_words(x);
}

static bool take_text(struct model *x, const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		x->line++;
		if (!take_line(x, text, len))
			return false;
	}
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
	const struct sim_preset *p = preset(text);

	take_preset(&x, p ? p : preset(SIM_DEFAULT));
	snprintf(m->name, sizeof(m->name), "%s", p ? p->name : "model");
	return p || (take_text(&x, text) && check(&x));
}
