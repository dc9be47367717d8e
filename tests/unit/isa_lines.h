/*
 * Disassembly beside what it means, a line each, written from the instruction set's manual:
 *
 *	class: sources > sinks; what else
 *
 * What else, in this order: the flow if the class does not tell it, `self` (it decides its own
 * branch), `maybe` (predicated), `reads` or `writes` (memory, besides what the class tells),
 * [base]. What cannot be read is a `?` and the reason.
 */
#ifndef TESTS_UNIT_ISA_LINES_H
#define TESTS_UNIT_ISA_LINES_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sbuf.h"
#include "isa/isa.h"
#include "testing.h"

struct isa_line {
	const char *text, *means;
};

static inline void put_regs(struct sbuf *out, enum isa isa, const struct isa_regs *set)
{
	char name[16];
	unsigned reg;

	for (reg = 0; (reg = isa_regs_next(set, reg)) < ISA_REG_COUNT; reg++) {
		isa_register_name(isa, reg, name);
		sbuf_printf(out, " %s", name);
	}
}

static inline void put_flow(struct sbuf *out, const struct isa_insn *insn)
{
	static const enum isa_flow usual[OP_CLASS_COUNT] = {
	    [OP_BRANCH] = FLOW_CONDITIONAL,
	    [OP_JUMP] = FLOW_JUMP,
	    [OP_CALL] = FLOW_CALL,
	    [OP_RETURN] = FLOW_RETURN,
	};

	if (insn->flow != usual[insn->class])
		sbuf_printf(out, " %s", isa_flow_name(insn->flow));
	if (insn->self_resolving)
		sbuf_printf(out, " self");
	if (insn->predicated)
		sbuf_printf(out, " maybe");
	if (insn->reads_memory && insn->class != OP_LOAD)
		sbuf_printf(out, " reads");
	if (insn->writes_memory && insn->class != OP_STORE)
		sbuf_printf(out, " writes");
}

static inline void put_address(struct sbuf *out, enum isa isa, const struct isa_insn *insn)
{
	char base[16];

	if (insn->base == ISA_REG_NONE)
		return;
	isa_register_name(isa, insn->base, base);
	sbuf_printf(out, " [%s]", base);
}

/* What text means, into out; text is cut at its own end, so that a sanitizer sees a look past it.
 */
static inline void isa_meaning(struct sbuf *out, enum isa isa, const char *text, size_t len)
{
	struct sbuf more = {0};
	struct isa_insn insn;

	sbuf_clear(out);
	if (!isa_decode(isa, text, len, &insn)) {
		sbuf_printf(out, "? %s", isa_unread_name(insn.unread));
		return;
	}
	sbuf_printf(out, "%s:", isa_class_name(insn.class));
	put_regs(out, isa, &insn.sources);
	sbuf_puts(out, " >");
	put_regs(out, isa, &insn.sinks);
	put_flow(&more, &insn);
	put_address(&more, isa, &insn);
	if (more.len)
		sbuf_printf(out, ";%s", sbuf_text(&more));
	sbuf_free(&more);
}

/* Every line, with the text in memory of exactly its own size. Returns how many are wrong. */
static inline int isa_check_lines(enum isa isa, const struct isa_line *lines, size_t count)
{
	struct sbuf got = {0};
	int wrong = 0;
	size_t i, len;
	char *exact;

	for (i = 0; i < count; i++) {
		len = strlen(lines[i].text);
		exact = malloc(len + !len);
		memcpy(exact, lines[i].text, len);
		isa_meaning(&got, isa, exact, len);
		free(exact);
		if (!strcmp(sbuf_text(&got), lines[i].means))
			continue;
		printf("%s\n\tmeans %s\n\tread  %s\n", lines[i].text, lines[i].means,
		       sbuf_text(&got));
		wrong++;
	}
	sbuf_free(&got);
	return wrong;
}

#define ISA_CHECK(isa, lines)                                                                      \
	assert_int_equal(isa_check_lines(isa, lines, sizeof(lines) / sizeof(*(lines))), 0)

#endif
