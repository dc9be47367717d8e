/*
 * The text of a model: a setting a line, in any order; `#` begins a comment.
 *
 *     thesis           # a preset, first: all that the other lines do not say is as there
 *     cpus 4
 *     l1 1k 4 16       # k and m are KiB and MiB
 *     protocol msi
 *
 * settings[] has all of them. Without a preset, what is not said is as in the default one.
 */
#include "config.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulator/simulator.h"

enum { VALUES_MOST = 3, WORDS_MOST = 1 + VALUES_MOST, LINE_BYTES = 200 };
enum { BYTES_MOST = 1 << 30, WAYS_MOST = 256, CYCLES_MOST = 1000000 };

/*
 * today: no chip is just this. L1 and L2 as a Golden Cove core has them (48 KiB, 12 ways; 2 MiB, 16 ways;
 * 14 cycles: Intel's Optimization Reference Manual), but one L2 cache for two, as small cores share
 * theirs in fours. One core gets what another one has changed after 30 to 50 ns, memory answers after 80
 * to 90 (AnandTech's reviews of the i9-12900K and its likes); here that is at 2.5 GHz, and an upgrade
 * is taken for a trip to the shared L3 cache and back.
 */
#define TODAY                                                                                      \
	.reference = 1, .l2_hit = 14, .near_dirty = 28, .near_upgrade = 14, .memory = 200,         \
	.far_dirty = 110, .far_upgrade = 70
#define THESIS                                                                                     \
	.silent_locks = true, .reference = 3, .l2_hit = 16, .near_dirty = 19, .near_upgrade = 16,  \
	.memory = 47, .far_dirty = 67, .far_upgrade = 47

/* thesis, thesis-8: the vector addition and MP3D in the Chiron thesis. */
static const struct preset {
	const char *name;
	struct sim_machine machine;
} presets[] = {
    {"today", {8, 2, {48 << 10, 12, 64}, {2 << 20, 16, 64}, .exclusive = true, TODAY}},
    {"thesis", {4, 2, {1 << 10, 4, 16}, {8 << 10, 4, 128}, THESIS}},
    {"thesis-8", {8, 4, {16 << 10, 4, 64}, {128 << 10, 4, 256}, THESIS}},
    {.name = NULL},
};

#define SETTING(name, member, ...) {name, offsetof(struct sim_machine, member), __VA_ARGS__}
#define CYCLES(name, member, help) SETTING(name, member, 1, {CYCLES_MOST}, {NULL}, "cycles " help ", 1 to 1000000")
#define LEVEL_MOST {BYTES_MOST, WAYS_MOST, SIM_BLOCK_MOST}

/* A line: a name and so many values, numbers from 1 to most or one of two words. */
static const struct setting {
	const char *name;
	size_t member; /* of struct sim_machine: uint32_t, one behind the other */
	unsigned values;
	uint32_t most[VALUES_MOST];
	const char *words[2]; /* of 0 and 1; NULL: numbers */
	const char *help;
} settings[] = {
    SETTING("cpus", cpus, 1, {SIM_CPUS_MOST}, {NULL}, "CPUs, at most 64"),
    SETTING("cpus-per-l2", cpus_per_l2, 1, {SIM_CPUS_MOST}, {NULL}, "CPUs that share an L2 cache"),
    SETTING("l1", l1, 3, LEVEL_MOST, {NULL},
	    "bytes, ways and bytes of a block, at most 1024m 256 256, of each CPU"),
    SETTING("l2", l2, 3, LEVEL_MOST, {NULL}, "the same of L2 caches"),
    SETTING("protocol", exclusive, 1, {0}, {"msi", "mesi"},
	    "msi, or mesi: a read makes private what no other cache has"),
    SETTING("locks", silent_locks, 1, {0}, {"written", "silent"},
	    "written, or silent: locking accesses no memory, as with Mint's locks"),
    CYCLES("reference", reference, "of every reference"),
    CYCLES("l2-hit", l2_hit, "that it waits for its L2 cache"),
    CYCLES("near-dirty", near_dirty, "for a block that another L1 cache of that L2 cache changed"),
    CYCLES("near-upgrade", near_upgrade, "to write a block that such L1 caches share"),
    CYCLES("memory", memory, "for a block that the L2 cache does not have"),
    CYCLES("far-dirty", far_dirty, "for a block that another L2 cache changed"),
    CYCLES("far-upgrade", far_upgrade, "to write a block that L2 caches share"),
    {.name = NULL},
};

/* A text that is read. */
struct model {
	struct sim_machine *m;
	unsigned line; /* 0: none */
	bool said;     /* a line before this one said something */
	char *error;
	size_t room;
};

__attribute__((format(printf, 2, 3)))
static bool fail(const struct model *x, const char *format, ...)
{
	const int len = x->line ? snprintf(x->error, x->room, "%u: ", x->line) : 0;
	va_list ap;

	va_start(ap, format);
	if (len >= 0 && (size_t)len < x->room)
		vsnprintf(x->error + len, x->room - (size_t)len, format, ap);
	va_end(ap);
	return false;
}

static bool take_value(const struct setting *s, unsigned i, const char *word, uint32_t *out)
{
	char *end;
	const unsigned long value = strtoul(word, &end, 10);
	const int shift = (*end | 32) == 'k' ? 10 : (*end | 32) == 'm' ? 20 : 0;

	for (*out = 0; s->words[0] && *out < 2; ++*out)
		if (!strcmp(word, s->words[*out]))
			return true;
	*out = (uint32_t)value << shift;
	return isdigit((unsigned char)*word) && !end[shift > 0] && value && value <= s->most[i] >> shift;
}

static bool take_setting(struct model *x, char *const *words, unsigned count)
{
	const struct setting *s = settings;
	uint32_t values[VALUES_MOST];
	bool good;

	while (s->name && strcmp(words[0], s->name) != 0)
		s++;
	if (!s->name)
		return fail(x, "unknown setting '%.40s': man pipeglass has all of them", words[0]);
	good = count == s->values + 1;
	for (unsigned i = 0; good && i < s->values; i++)
		good = take_value(s, i, words[i + 1], &values[i]);
	if (!good)
		return fail(x, "not right for %s: %s", s->name, s->help);
	memcpy((char *)x->m + s->member, values, s->values * sizeof(*values));
	return true;
}

static const struct preset *find_preset(const char *name)
{
	const struct preset *p = presets;

	while (p->name && strcmp(name, p->name) != 0)
		p++;
	return p;
}

static bool take_line(struct model *x, const char *text, size_t len)
{
	char line[LINE_BYTES], *words[WORDS_MOST + 1], *rest = NULL;
	const bool first = !x->said;
	unsigned count = 0;

	if (len >= sizeof(line))
		return fail(x, "longer than %d bytes: this is no model", LINE_BYTES - 1);
	memcpy(line, text, len);
	line[len] = '\0';
	line[strcspn(line, "#")] = '\0';
	for (char *w = strtok_r(line, " \t\r", &rest); w && count <= WORDS_MOST;
	     w = strtok_r(NULL, " \t\r", &rest))
		words[count++] = w;
	if (!count)
		return true;
	x->said = true;
	if (count > 1 || !find_preset(words[0])->name)
		return take_setting(x, words, count);
	if (!first)
		return fail(x, "%s would undo the lines before it: write it first", words[0]);
	*x->m = find_preset(words[0])->machine;
	return true;
}

static bool is_power(uint32_t value)
{
	return value && !(value & (value - 1));
}

static bool check_level(const struct model *x, const char *name, const struct sim_level *l)
{
	const uint64_t way = (uint64_t)l->ways * l->block;

	return (is_power(l->block) && l->block >= SIM_WORD_BYTES && l->bytes % way == 0 &&
		is_power((uint32_t)(l->bytes / way))) ||
	       fail(x, "%s %u %u %u: make bytes of a block (from 4) and sets (bytes / ways / bytes "
		       "of a block) powers of two", name, l->bytes, l->ways, l->block);
}

/* What no line can know by itself. */
static bool check(struct model *x)
{
	const struct sim_machine *m = x->m;

	x->line = 0;
	if (m->cpus % m->cpus_per_l2)
		return fail(x, "%u CPUs, %u for each L2 cache: make cpus a multiple of cpus-per-l2",
			    m->cpus, m->cpus_per_l2);
	if (m->l1.block > m->l2.block || m->l1.bytes > m->l2.bytes)
		return fail(x, "L1 caches of %u bytes in blocks of %u, L2 caches of %u in blocks of %u: "
			       "make neither smaller in L2", m->l1.bytes, m->l1.block, m->l2.bytes,
			    m->l2.block);
	return check_level(x, "l1", &m->l1) && check_level(x, "l2", &m->l2);
}

bool sim_machine_read(struct sim_machine *m, const char *text, char *error, size_t room)
{
	struct model x = {.m = m, .error = error, .room = room};

	*m = find_preset(SIM_DEFAULT)->machine;
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		x.line++;
		if (!take_line(&x, text, len))
			return false;
	}
	return check(&x);
}
