#include "isa.h"

#include <string.h>

const struct op_info isa_ops[OP_COUNT] = {
#define X(name, form, unit, expr) {#name, FORM_##form, UNIT_##unit},
    OPS(X)
#undef X
};

const enum queue isa_queue_of[UNIT_COUNT] = {
#define X(id, name, queue) QUEUE_##queue,
    UNITS(X)
#undef X
};

static double isa_real(uint64_t bits)
{
	double real;

	memcpy(&real, &bits, sizeof real);
	return real;
}

static uint64_t isa_bits(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof bits);
	return bits;
}

static uint64_t compute(enum op op, uint64_t a, uint64_t b)
{
	switch (op) {
#define X(name, form, unit, expr)                                                                  \
	case OP_##name:                                                                            \
		return (uint64_t)(expr);
		OPS(X)
#undef X
	case OP_COUNT:
		break;
	}
	return 0;
}

const struct insn *isa_at(const struct text *text, uint64_t pc)
{
	uint64_t index = (pc - TEXT_BASE) / 4;

	return pc % 4 == 0 && index < text->count ? &text->insn[index] : NULL;
}

uint64_t *isa_word(struct memory *mem, uint64_t addr)
{
	uint64_t index = (addr - DATA_BASE) / 8;

	return addr % 8 == 0 && index < MEM_WORDS ? &mem->word[index] : NULL;
}

struct effect isa_effect(const struct insn *insn, uint64_t pc, uint64_t a, uint64_t b)
{
	struct effect e = {.next = pc + 4};
	uint64_t imm = (uint64_t)insn->imm;

	switch (isa_form(insn)) {
	case FORM_OPERATE:
		e.value = compute(insn->op, a, insn->literal ? imm : b);
		break;
	case FORM_ADDRESS:
		e.value = a + imm;
		break;
	case FORM_LOAD:
	case FORM_STORE:
		e.addr = a + imm;
		e.value = b;
		break;
	case FORM_BRANCH:
		e.next = compute(insn->op, a, b) ? pc + imm : pc + 4;
		break;
	case FORM_JUMP:
	case FORM_CALL:
		e.value = pc + 4;
		e.next = pc + imm;
		break;
	case FORM_RETURN:
		e.value = pc + 4;
		e.next = a & ~UINT64_C(3);
		break;
	case FORM_HALT:
		break;
	}
	return e;
}

bool isa_step(struct arch *arch, const struct text *text, struct effect *effect)
{
	const struct insn *insn = isa_at(text, arch->pc);
	uint64_t *word;

	if (!insn)
		return false;
	*effect = isa_effect(insn, arch->pc, arch->reg[insn->src[0]], arch->reg[insn->src[1]]);
	if (isa_is_memory(insn)) {
		word = isa_word(&arch->mem, effect->addr);
		if (!word)
			return false;
		if (isa_form(insn) == FORM_LOAD)
			effect->value = *word;
		else
			*word = effect->value;
	}
	if (!isa_is_zero(insn->dst))
		arch->reg[insn->dst] = effect->value;
	arch->pc = effect->next;
	return true;
}
