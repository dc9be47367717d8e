#include "config.h"

#include "isa/isa.h"

#include <string.h>

#include "isa/dialect.h"

/* In the order of ISAS. */
static const struct isa_dialect *const dialects[ISA_COUNT] = {
    NULL, &isa_alpha, &isa_pisa, &isa_arm, &isa_aarch64, &isa_riscv, &isa_x86_gem5,
};

static const char *const keys[ISA_COUNT] = {
#define X(id, key, name) key,
    ISAS(X)
#undef X
};

static const char *const names[ISA_COUNT] = {
#define X(id, key, name) name,
    ISAS(X)
#undef X
};

static const char *const class_names[OP_CLASS_COUNT] = {
#define X(id, name) name,
    OP_CLASSES(X)
#undef X
};

static const char *const flow_names[FLOW_COUNT] = {
#define X(id, name) name,
    ISA_FLOWS(X)
#undef X
};

static const char *const unread_names[UNREAD_COUNT] = {
#define X(id, name) name,
    ISA_UNREADS(X)
#undef X
};

/* SimpleScalar's name for the memory half of a load or store, in every one of its targets. */
static const char internal_half[] = "[internal ld/st]";

const struct isa_dialect *isa_dialect(enum isa isa)
{
	return (unsigned)isa < ISA_COUNT ? dialects[isa] : NULL;
}

static void clear(struct isa_insn *out)
{
	memset(out, 0, sizeof(*out));
	out->base = ISA_REG_NONE;
}

static bool is_internal_half(const char *text, size_t len)
{
	return len == sizeof(internal_half) - 1 && !memcmp(text, internal_half, len);
}

static bool decode(const struct isa_dialect *d, const char *text, size_t len, struct isa_insn *out)
{
	struct isa_reading r = {.dialect = d, .start = text, .p = text, .end = text + len};
	enum isa_unread unread;

	clear(out);
	r.insn = out;
	while (r.end > r.p && (r.end[-1] == ' ' || r.end[-1] == '\t'))
		r.end--;
	if (r.p == r.end) {
		out->unread = UNREAD_EMPTY;
		return false;
	}
	if (is_internal_half(text, (size_t)(r.end - text))) {
		out->class = OP_PART;
		return true;
	}
	if (d->decode ? d->decode(&r) : isa_read_instruction(&r))
		return true;
	unread = out->unread;
	clear(out);
	out->unread = unread;
	out->unread_at = (uint32_t)(r.p - text);
	return false;
}

bool isa_decode(enum isa isa, const char *text, size_t len, struct isa_insn *out)
{
	const struct isa_dialect *d = isa_dialect(isa);

	/* No instruction is that long; and positions fit 32 bits. */
	if (d && len && len <= UINT16_MAX)
		return decode(d, text, len, out);
	clear(out);
	out->unread = len ? UNREAD_MNEMONIC : UNREAD_EMPTY;
	return false;
}

void isa_vote(struct isa_votes *votes, const char *text, size_t len)
{
	struct isa_insn insn;
	unsigned i;

	for (; len && (text[len - 1] == ' ' || text[len - 1] == '\t'); len--)
		;
	if (!len || is_internal_half(text, len))
		return;
	votes->texts++;
	for (i = 0; i < ISA_COUNT; i++)
		votes->read[i] += isa_decode((enum isa)i, text, len, &insn);
}

enum isa isa_elect(const struct isa_votes *votes)
{
	unsigned i, best = ISA_UNKNOWN, equal = 0;

	for (i = 0; i < ISA_COUNT; i++)
		if (votes->read[i] > votes->read[best])
			best = i;
	for (i = 0; i < ISA_COUNT; i++)
		equal += votes->read[i] == votes->read[best];
	return equal > 1 || votes->read[best] <= votes->texts / 2 ? ISA_UNKNOWN : (enum isa)best;
}

const char *isa_key(enum isa isa)
{
	return (unsigned)isa < ISA_COUNT ? keys[isa] : keys[ISA_UNKNOWN];
}

const char *isa_name(enum isa isa)
{
	return (unsigned)isa < ISA_COUNT ? names[isa] : names[ISA_UNKNOWN];
}

enum isa isa_find(const char *key)
{
	unsigned i;

	for (i = 0; i < ISA_COUNT; i++)
		if (!strcmp(keys[i], key))
			return (enum isa)i;
	return ISA_UNKNOWN;
}

const char *isa_class_name(enum op_class class)
{
	return (unsigned)class < OP_CLASS_COUNT ? class_names[class] : class_names[OP_UNKNOWN];
}

const char *isa_flow_name(enum isa_flow flow)
{
	return (unsigned)flow < FLOW_COUNT ? flow_names[flow] : flow_names[FLOW_NEXT];
}

const char *isa_unread_name(enum isa_unread unread)
{
	return (unsigned)unread < UNREAD_COUNT ? unread_names[unread]
					       : unread_names[UNREAD_NOTHING];
}

unsigned isa_regs_next(const struct isa_regs *set, unsigned from)
{
	uint64_t left;

	for (; from < ISA_REG_COUNT; from = (from / 64 + 1) * 64) {
		left = set->bits[from / 64] >> from % 64;
		if (left)
			return from + (unsigned)__builtin_ctzll(left);
	}
	return ISA_REG_COUNT;
}
