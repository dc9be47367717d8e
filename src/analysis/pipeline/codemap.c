#include "config.h"

#include "analysis/pipeline/codemap.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"

#define SAMPLE_KEY UINT64_C(0x9e3779b97f4a7c15)

/* x86 has the longest instructions. Who looks for short branches does not look farther. */
enum { SIZE_MAX_BYTES = 15, AHEAD_BYTES = 1 << 10, SAMPLE = 1024 /* texts or so */ };

/* ---- lengths ----------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void collect_pcs(struct codemap *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->count; i++)
		if (m->codes[i].has_pc)
			m->pcs[m->pc_count++] = m->codes[i].pc;
	qsort(m->pcs, m->pc_count, sizeof(m->pcs[0]), by_value);
	for (size_t i = 0; i < m->pc_count; i++)
		if (!n || m->pcs[i] != m->pcs[n - 1])
			m->pcs[n++] = m->pcs[i];
	m->pc_count = n;
}

/* The first of the known addresses that is >= pc. */
static size_t lower_bound(const struct codemap *m, uint64_t pc)
{
	size_t low = 0, high = m->pc_count;

	bisect(low, high, i, m->pcs[i] < pc);
	return low;
}

/*
 * The length of all instructions, where they have one: the least distance there is, if most short
 * distances are that. Longer ones are gaps that no row has come through.
 */
static void learn_length(struct codemap *m)
{
	size_t distances[SIZE_MAX_BYTES + 1] = {0}, all = 0;
	unsigned least = 1;

	for (size_t i = 1; i < m->pc_count; i++)
		if (m->pcs[i] - m->pcs[i - 1] <= SIZE_MAX_BYTES) {
			distances[m->pcs[i] - m->pcs[i - 1]]++;
			all++;
		}
	while (least <= SIZE_MAX_BYTES && !distances[least])
		least++;
	if (all && distances[least] >= all - all / 4)
		m->length = (uint8_t)least;
}

static void learn_sizes(struct codemap *m)
{
	learn_length(m);
	for (size_t i = 0; i < m->count; i++) {
		struct code_insn *c = &m->codes[i];
		size_t next = c->has_pc ? lower_bound(m, c->pc) + 1 : m->pc_count;

		if (m->length)
			c->size = m->length;
		else if (next < m->pc_count && m->pcs[next] - c->pc <= SIZE_MAX_BYTES)
			c->size = (uint8_t)(m->pcs[next] - c->pc);
	}
}

/* ---- which instruction set --------------------------------------------------------------- */

/* By the vote of a sample of the texts, the same whatever order the reading threads found them in. */
static enum isa learn_isa(const struct store *s, size_t count)
{
	struct isa_votes votes = {0};
	const char *text = "";
	size_t len = 0;
	uint64_t pc;
	bool has_pc;

	if (store_format(s)->recall) /* operands are no disassembly */
		return ISA_UNKNOWN;
	for (size_t i = 0; i < count; i++)
		if (store_code(s, (uint32_t)i, &pc, &has_pc, &text, &len) &&
		    hash_bytes(SAMPLE_KEY ^ pc, text, len) % (count / SAMPLE + 1) == 0)
			isa_vote(&votes, text, len);
	return isa_elect(&votes);
}

static void read_pcs(struct codemap *m)
{
	const char *text;
	size_t len;

	for (size_t i = 0; i < m->count; i++) {
		struct code_insn *c = &m->codes[i];

		store_code(m->store, (uint32_t)i, &c->pc, &c->has_pc, &text, &len);
	}
}

void codemap_read(const struct codemap *m, uint32_t code)
{
	struct code_insn *c = &m->codes[code];
	const char *text;
	uint64_t pc;
	bool has_pc;
	size_t len;

	c->known = true;
	if (store_code(m->store, code, &pc, &has_pc, &text, &len))
		c->read = isa_decode(m->isa, text, len, &c->insn);
}

/* ---- the map ----------------------------------------------------------------------------- */

enum status codemap_new(struct codemap *out, const struct store *s, enum isa isa, struct error *e)
{
	size_t count = store_code_count(s);

	memset(out, 0, sizeof(*out));
	out->codes = calloc(count + 1, sizeof(out->codes[0]));
	out->pcs = calloc(count + 1, sizeof(out->pcs[0]));
	if (!out->codes || !out->pcs) {
		codemap_free(out);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	out->store = s;
	out->count = count;
	out->isa = isa == ISA_UNKNOWN ? learn_isa(s, count) : isa;
	read_pcs(out);
	collect_pcs(out);
	learn_sizes(out);
	return STATUS_OK;
}

enum status codemap_renew(struct codemap *m, const struct store *s, struct error *e)
{
	if (m->codes && m->count == store_code_count(s))
		return STATUS_OK;
	codemap_free(m);
	return codemap_new(m, s, ISA_UNKNOWN, e);
}

void codemap_free(struct codemap *m)
{
	free(m->codes);
	free(m->pcs);
	memset(m, 0, sizeof(*m));
}

bool codemap_goes_on(const struct code_insn *c, uint64_t pc)
{
	if (!c->has_pc)
		return false;
	return c->size ? pc - c->pc == c->size : pc > c->pc && pc - c->pc <= SIZE_MAX_BYTES;
}

uint32_t codemap_ahead(const struct codemap *m, uint64_t from, uint64_t to)
{
	size_t a, b;

	if (to <= from || to - from > AHEAD_BYTES)
		return 0;
	if (m->length)
		return (to - from) % m->length ? 0 : (uint32_t)((to - from) / m->length);
	a = lower_bound(m, from);
	b = lower_bound(m, to);
	if (b >= m->pc_count || m->pcs[a] != from || m->pcs[b] != to)
		return 0;
	for (size_t i = a + 1; i <= b; i++)
		if (m->pcs[i] - m->pcs[i - 1] > SIZE_MAX_BYTES)
			return 0;
	return (uint32_t)(b - a);
}
