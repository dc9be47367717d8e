/*
 * Arbitrary text as every instruction set: what cannot be read has nothing in it, what can be is of
 * some class and names only registers that the set has.
 *
 * Input: lines, each a text.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "isa/isa.h"

static void check_registers(enum isa isa, const struct isa_regs *set)
{
	char name[16];
	unsigned reg;

	for (reg = 0; (reg = isa_regs_next(set, reg)) < ISA_REG_COUNT; reg++) {
		isa_register_name(isa, reg, name);
		if (name[0] == '?' || strlen(name) >= sizeof(name))
			abort();
	}
}

static void check_read(enum isa isa, const struct isa_insn *insn)
{
	if (insn->unread || insn->class == OP_UNKNOWN || insn->class >= OP_CLASS_COUNT)
		abort();
	if (insn->flow >= FLOW_COUNT ||
	    (insn->class == OP_BRANCH) != (insn->flow == FLOW_CONDITIONAL))
		abort();
	if (insn->base != ISA_REG_NONE && !isa_regs_has(&insn->sources, insn->base))
		abort();
	check_registers(isa, &insn->sources);
	check_registers(isa, &insn->sinks);
}

static void check_unread(const struct isa_insn *insn, size_t len)
{
	struct isa_insn empty;

	memset(&empty, 0, sizeof(empty));
	empty.base = ISA_REG_NONE;
	empty.unread = insn->unread;
	empty.unread_at = insn->unread_at;
	if (!insn->unread || insn->unread_at > len || memcmp(&empty, insn, sizeof(empty)))
		abort();
}

static void check_line(const char *text, size_t len)
{
	struct isa_votes votes = {0};
	struct isa_insn insn;
	unsigned i;

	for (i = 0; i < ISA_COUNT; i++) {
		if (isa_decode((enum isa)i, text, len, &insn))
			check_read((enum isa)i, &insn);
		else
			check_unread(&insn, len);
	}
	isa_vote(&votes, text, len);
	if (isa_elect(&votes) >= ISA_COUNT)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *p = (const char *)bytes, *end = p + len, *nl;

	for (; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		check_line(p, (size_t)(nl - p));
		if (nl == end)
			break;
	}
	return 0;
}
