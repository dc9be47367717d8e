/*
 * 32-bit ARM as SimpleScalar prints it: the condition before the size (ldreqsh), and the micro-ops
 * of loads and stores (agen makes an address, ldp and stp go to memory); the order of today's
 * assemblers is read as well. Source: ARM Architecture Reference Manual, and the FPA instruction
 * set of the ARM7500FE data sheet.
 *
 * The flags are one register: an instruction that sets some of them sets it. r15, the program
 * counter, is no operand; an instruction that writes it is a jump.
 */
#include "config.h"

#include <string.h>

#include "isa/bracket.h"

enum { SP = 13, LINK = 14, FP0 = 32, FLAGS = 64, TEMP0 };

static const struct isa_bank banks[] = {
    {ISA_RANGE("r", 0, 14), 0, ISA_INT},      {ISA_RANGE("r", 15, 15), ISA_REG_NONE, ISA_PC},
    {ISA_NAMED("sl"), 10, ISA_INT},           {ISA_NAMED("fp"), 11, ISA_INT},
    {ISA_NAMED("ip"), 12, ISA_INT},           {ISA_NAMED("sp"), SP, ISA_INT},
    {ISA_NAMED("lr"), LINK, ISA_INT},         {ISA_NAMED("pc"), ISA_REG_NONE, ISA_PC},
    {ISA_RANGE("tmp", 0, 7), TEMP0, ISA_INT}, {ISA_RANGE("f", 0, 7), FP0, ISA_FP},
    {ISA_NAMED("cc"), FLAGS, ISA_INT},
};

/*
 * q: number or shifted register; m: address in brackets; a and b: braced list of registers, written
 * and read; v: base register of a list; f: fp register or constant; y: [register].
 */
#define OP3 "d,s,q"
#define FP3 "D,S,f"
#define FP2 "D,f"

/* What may follow beside a condition. */
#define S      "s"
#define NONE   ""
#define SIZES  "b bt d h sb sh t"
#define STACKS "da db ea ed fa fd ia ib"
#define FPA    "d dm dp dz e em ep ez s sm sp sz"

static const struct isa_row rows[] = {
    {"abs", OP_FP_OTHER, FP2, FPA},       {"adc", OP_INT_ALU, OP3 " c", S},
    {"add", OP_INT_ALU, OP3, S},          {"adf", OP_FP_ADD, FP3, FPA},
    {"agen", OP_INT_ALU, "d,s,q", NONE},  {"and", OP_INT_ALU, OP3, S},
    {"asr", OP_INT_ALU, OP3, S},          {"b", OP_JUMP, "t", NONE},
    {"bic", OP_INT_ALU, OP3, S},          {"bl", OP_CALL, "t k", NONE},
    {"blx", OP_CALL, "t|s k", NONE},      {"bx", OP_JUMP, "s", NONE},
    {"clz", OP_INT_ALU, "d,s", NONE},     {"cmf", OP_FP_OTHER, "S,f C", "e"},
    {"cmn", OP_INT_ALU, "s,q C", "s"},    {"cmp", OP_INT_ALU, "s,q C", "s"},
    {"cnf", OP_FP_OTHER, "S,f C", "e"},   {"dvf", OP_FP_DIV, FP3, FPA},
    {"eor", OP_INT_ALU, OP3, S},          {"fdv", OP_FP_DIV, FP3, FPA},
    {"fix", OP_FP_OTHER, "d,f", "m p z"}, {"flt", OP_FP_OTHER, "D,s", FPA},
    {"fml", OP_FP_MUL, FP3, FPA},         {"frd", OP_FP_DIV, FP3, FPA},
    {"ldf", OP_LOAD, "D,m", "d e p s"},   {"ldm", OP_LOAD, "v,a", STACKS},
    {"ldp", OP_LOAD, "d,m", SIZES},       {"ldr", OP_LOAD, "d,m", SIZES},
    {"lsl", OP_INT_ALU, OP3, S},          {"lsr", OP_INT_ALU, OP3, S},
    {"mla", OP_INT_MUL, "d,s,s,s", S},    {"mnf", OP_FP_OTHER, FP2, FPA},
    {"mov", OP_INT_ALU, "d,q", S},        {"mrs", OP_SYSTEM, "d,* c", NONE},
    {"msr", OP_SYSTEM, "*,q C", NONE},    {"muf", OP_FP_MUL, FP3, FPA},
    {"mul", OP_INT_MUL, "d,s,s", S},      {"mvf", OP_FP_OTHER, FP2, FPA},
    {"mvn", OP_INT_ALU, "d,q", S},        {"nop", OP_NOP, "", NONE},
    {"orr", OP_INT_ALU, OP3, S},          {"pop", OP_LOAD, "a", NONE},
    {"push", OP_STORE, "b", NONE},        {"rdf", OP_FP_DIV, FP3, FPA},
    {"ror", OP_INT_ALU, OP3, S},          {"rsb", OP_INT_ALU, OP3, S},
    {"rsc", OP_INT_ALU, OP3 " c", S},     {"rsf", OP_FP_ADD, FP3, FPA},
    {"sbc", OP_INT_ALU, OP3 " c", S},     {"smlal", OP_INT_MUL, "x,x,s,s", S},
    {"smull", OP_INT_MUL, "d,d,s,s", S},  {"sqt", OP_FP_DIV, FP2, FPA},
    {"stf", OP_STORE, "S,m", "d e p s"},  {"stm", OP_STORE, "v,b", STACKS},
    {"stp", OP_STORE, "s,m", SIZES},      {"str", OP_STORE, "s,m", SIZES},
    {"sub", OP_INT_ALU, OP3, S},          {"suf", OP_FP_ADD, FP3, FPA},
    {"svc", OP_SYSTEM, "~", NONE},        {"swi", OP_SYSTEM, "~", NONE},
    {"swp", OP_LOAD, "d,s,m W", "b"},     {"teq", OP_INT_ALU, "s,q C", "p s"},
    {"tst", OP_INT_ALU, "s,q C", "p s"},  {"umlal", OP_INT_MUL, "x,x,s,s", S},
    {"umull", OP_INT_MUL, "d,d,s,s", S},
};

/* A condition, one of the row's own endings, or both in either order. */
static bool ending(const struct isa_row *row, const char *rest, size_t len, struct isa_insn *insn)
{
	const char *condition = NULL, *own = rest;
	size_t n = len;

	if (len >= 2 && isa_is_condition(rest) &&
	    (len == 2 || isa_in_list(row->endings, rest + 2, len - 2)))
		condition = rest, own = rest + 2, n = len - 2;
	else if (len > 2 && isa_is_condition(rest + len - 2))
		condition = rest + len - 2, n = len - 2;
	if (n && !isa_in_list(row->endings, own, n))
		return false;
	insn->predicated = condition && memcmp(condition, "al", 2);
	if (n && row->endings[0] == 's' && !row->endings[1])
		isa_regs_add(&insn->sinks, FLAGS);
	return true;
}

/* {r0,r4-r6,lr} */
static bool read_list(struct isa_reading *r, bool written)
{
	struct isa_reg from, to;
	unsigned i;

	if (!isa_read_char(r, '{'))
		return false;
	do {
		if (!isa_read_int(r, !written, written, &from))
			return false;
		if (!isa_read_char(r, '-'))
			continue;
		if (!isa_read_int(r, !written, written, &to) || from.kind == ISA_PC)
			return false;
		for (i = from.number; i < (to.kind == ISA_PC ? LINK + 1u : to.number); i++)
			isa_regs_add(written ? &r->insn->sinks : &r->insn->sources, i);
	} while (isa_read_char(r, ','));
	return isa_read_char(r, '}');
}

static bool read_list_base(struct isa_reading *r)
{
	struct isa_reg base;

	if (!isa_read_int(r, true, false, &base))
		return false;
	r->insn->base = base.number;
	if (isa_read_char(r, '!'))
		isa_regs_add(&r->insn->sinks, base.number);
	return true;
}

/*
 * SimpleScalar prints `!` after every signed load that has a displacement, though the micro-ops
 * that follow leave the base alone: such a mark is believed only of a disassembler that puts a
 * blank behind the comma, as others do and this one does not.
 */
static bool read_memory(struct isa_reading *r)
{
	const char *sign = memchr(r->start, 's', (size_t)(r->p - r->start));
	const struct isa_regs before = r->insn->sinks;
	const char *comma;

	isa_skip_blanks(r);
	comma = memchr(r->p, ',', (size_t)(r->end - r->p));
	if (!isa_read_bracketed(r))
		return false;
	if (sign && r->p[-1] == '!' && sign + 1 < r->p && (sign[1] == 'h' || sign[1] == 'b') &&
	    comma && comma + 1 < r->end && comma[1] != ' ')
		r->insn->sinks = before;
	return true;
}

static bool operand(struct isa_reading *r, char letter)
{
	switch (letter) {
	case 'q':
		return isa_read_shifted(r);
	case 'm':
		return read_memory(r);
	case 'a':
		return read_list(r, true);
	case 'b':
		return read_list(r, false);
	case 'v':
		return read_list_base(r);
	case 'f':
		return isa_read_fp_or_constant(r);
	default:
		return false;
	}
}

static void finish_stack(const struct isa_row *row, struct isa_insn *insn)
{
	if (strcmp(row->name, "pop") && strcmp(row->name, "push"))
		return;
	insn->base = SP;
	isa_regs_add(&insn->sources, SP);
	isa_regs_add(&insn->sinks, SP);
}

static bool only_source(const struct isa_insn *insn, unsigned reg)
{
	unsigned first = isa_regs_next(&insn->sources, 0);

	return first == reg && isa_regs_next(&insn->sources, reg + 1) == ISA_REG_COUNT;
}

/*
 * Jumps by writing the program counter. What the link register or the stack holds is a return
 * address; a plain move goes where a register already points, the rest finds out by itself.
 */
static void finish_jump(const struct isa_row *row, struct isa_insn *insn)
{
	const bool moves = !strcmp(row->name, "mov") || insn->class == OP_JUMP;
	const bool returns =
	    insn->class == OP_LOAD ? insn->base == SP : moves && only_source(insn, LINK);

	insn->self_resolving = !moves;
	if (returns)
		insn->flow = FLOW_RETURN;
	if (insn->class != OP_LOAD)
		insn->class = returns ? OP_RETURN : OP_JUMP;
}

static void finish(const struct isa_row *row, struct isa_insn *insn)
{
	finish_stack(row, insn);
	if (insn->flow == FLOW_JUMP_INDIRECT)
		finish_jump(row, insn);
	if (insn->flow == FLOW_JUMP && insn->predicated) {
		insn->class = OP_BRANCH;
		insn->flow = FLOW_CONDITIONAL;
	}
}

const struct isa_dialect isa_arm = {
    .rows = rows,
    .count = sizeof(rows) / sizeof(*rows),
    .flags = FLAGS,
    .link = LINK,
    .hi = ISA_REG_NONE,
    .lo = ISA_REG_NONE,
    .banks = banks,
    .bank_count = sizeof(banks) / sizeof(*banks),
    .operand = operand,
    .ending = ending,
    .finish = finish,
};
