/*
 * SimpleScalar's PISA: MIPS without delay slots, so a branch is where the program turns. Source:
 * the instruction set listing of "The SimpleScalar Tool Set". r0 reads as zero; fcc is the flags
 * register. Jumps print where they go, branches how far.
 */
#include "config.h"

#include "isa/dialect.h"

enum { FP0 = 32, FCC = 64, HI, LO, LINK = 31 };

static const struct isa_bank banks[] = {
    {ISA_RANGE("r", 0, 0), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("r", 1, 31), 1, ISA_INT},
    {ISA_RANGE("f", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("$", 0, 0), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("$", 1, 31), 1, ISA_INT},
    {ISA_RANGE("$f", 0, 31), FP0, ISA_FP},
    {ISA_NAMED("fcc"), FCC, ISA_FP},
    {ISA_NAMED("hi"), HI, ISA_INT},
    {ISA_NAMED("lo"), LO, ISA_INT},
};

#define OP3 "d,s,s"
#define OPI "d,s,n"
#define FP3 "D,S,S"
#define FP2 "D,S"

/*
 * i: (base+index), a memory operand by two registers. A double word takes an integer register and
 * the next one, which is not printed: b and B are such a pair, written and read.
 */
static const struct isa_row rows[] = {
    {"abs.d", OP_FP_OTHER, FP2, NULL},
    {"abs.s", OP_FP_OTHER, FP2, NULL},
    {"add", OP_INT_ALU, OP3, NULL},
    {"add.d", OP_FP_ADD, FP3, NULL},
    {"add.s", OP_FP_ADD, FP3, NULL},
    {"addi", OP_INT_ALU, OPI, NULL},
    {"addiu", OP_INT_ALU, OPI, NULL},
    {"addu", OP_INT_ALU, OP3, NULL},
    {"and", OP_INT_ALU, OP3, NULL},
    {"andi", OP_INT_ALU, OPI, NULL},
    {"bc1f", OP_BRANCH, "t c", NULL},
    {"bc1t", OP_BRANCH, "t c", NULL},
    {"beq", OP_BRANCH, "s,s,t z", NULL},
    {"bgez", OP_BRANCH, "s,t z", NULL},
    {"bgtz", OP_BRANCH, "s,t z", NULL},
    {"blez", OP_BRANCH, "s,t z", NULL},
    {"bltz", OP_BRANCH, "s,t z", NULL},
    {"bne", OP_BRANCH, "s,s,t z", NULL},
    {"break", OP_SYSTEM, "~", NULL},
    {"c.eq.d", OP_FP_OTHER, "S,S C", NULL},
    {"c.eq.s", OP_FP_OTHER, "S,S C", NULL},
    {"c.le.d", OP_FP_OTHER, "S,S C", NULL},
    {"c.le.s", OP_FP_OTHER, "S,S C", NULL},
    {"c.lt.d", OP_FP_OTHER, "S,S C", NULL},
    {"c.lt.s", OP_FP_OTHER, "S,S C", NULL},
    {"cvt.d.s", OP_FP_OTHER, FP2, NULL},
    {"cvt.d.w", OP_FP_OTHER, FP2, NULL},
    {"cvt.s.d", OP_FP_OTHER, FP2, NULL},
    {"cvt.s.w", OP_FP_OTHER, FP2, NULL},
    {"cvt.w.d", OP_FP_OTHER, FP2, NULL},
    {"cvt.w.s", OP_FP_OTHER, FP2, NULL},
    {"dcfc1", OP_FP_OTHER, "b,S", NULL},
    {"div", OP_INT_DIV, "s,s HL", NULL},
    {"div.d", OP_FP_DIV, FP3, NULL},
    {"div.s", OP_FP_DIV, FP3, NULL},
    {"divu", OP_INT_DIV, "s,s HL", NULL},
    {"dlw", OP_LOAD, "b,m|b,i", NULL},
    {"dmfc1", OP_FP_OTHER, "b,S", NULL},
    {"dmtc1", OP_FP_OTHER, "B,D", NULL},
    {"dsw", OP_STORE, "B,m|B,i", NULL},
    {"dsz", OP_STORE, "m|i", NULL},
    {"j", OP_JUMP, "t", NULL},
    {"jal", OP_CALL, "t k", NULL},
    {"jalr", OP_CALL, "d,s", NULL},
    {"jr", OP_JUMP, "s", NULL},
    {"l.d", OP_LOAD, "D,m|D,i", NULL},
    {"l.s", OP_LOAD, "D,m|D,i", NULL},
    {"lb", OP_LOAD, "d,m|d,i", NULL},
    {"lbu", OP_LOAD, "d,m|d,i", NULL},
    {"lh", OP_LOAD, "d,m|d,i", NULL},
    {"lhu", OP_LOAD, "d,m|d,i", NULL},
    {"lui", OP_INT_ALU, "d,n", NULL},
    {"lw", OP_LOAD, "d,m|d,i", NULL},
    {"lwl", OP_LOAD, "x,m", NULL}, /* merges a part of a word into the register */
    {"lwr", OP_LOAD, "x,m", NULL},
    {"mfc1", OP_FP_OTHER, "d,S", NULL},
    {"mfhi", OP_INT_ALU, "d h", NULL},
    {"mflo", OP_INT_ALU, "d l", NULL},
    {"mov.d", OP_FP_OTHER, FP2, NULL},
    {"mov.s", OP_FP_OTHER, FP2, NULL},
    {"mtc1", OP_FP_OTHER, "s,D", NULL},
    {"mthi", OP_INT_ALU, "s H", NULL},
    {"mtlo", OP_INT_ALU, "s L", NULL},
    {"mul.d", OP_FP_MUL, FP3, NULL},
    {"mul.s", OP_FP_MUL, FP3, NULL},
    {"mult", OP_INT_MUL, "s,s HL", NULL},
    {"multu", OP_INT_MUL, "s,s HL", NULL},
    {"neg.d", OP_FP_OTHER, FP2, NULL},
    {"neg.s", OP_FP_OTHER, FP2, NULL},
    {"nop", OP_NOP, "", NULL},
    {"nor", OP_INT_ALU, OP3, NULL},
    {"or", OP_INT_ALU, OP3, NULL},
    {"ori", OP_INT_ALU, OPI, NULL},
    {"s.d", OP_STORE, "S,m|S,i", NULL},
    {"s.s", OP_STORE, "S,m|S,i", NULL},
    {"sb", OP_STORE, "s,m|s,i", NULL},
    {"sh", OP_STORE, "s,m|s,i", NULL},
    {"sll", OP_INT_ALU, OPI, NULL},
    {"sllv", OP_INT_ALU, OP3, NULL},
    {"slt", OP_INT_ALU, OP3, NULL},
    {"slti", OP_INT_ALU, OPI, NULL},
    {"sltiu", OP_INT_ALU, OPI, NULL},
    {"sltu", OP_INT_ALU, OP3, NULL},
    {"sqrt.d", OP_FP_DIV, FP2, NULL},
    {"sqrt.s", OP_FP_DIV, FP2, NULL},
    {"sra", OP_INT_ALU, OPI, NULL},
    {"srav", OP_INT_ALU, OP3, NULL},
    {"srl", OP_INT_ALU, OPI, NULL},
    {"srlv", OP_INT_ALU, OP3, NULL},
    {"sub", OP_INT_ALU, OP3, NULL},
    {"sub.d", OP_FP_ADD, FP3, NULL},
    {"sub.s", OP_FP_ADD, FP3, NULL},
    {"subu", OP_INT_ALU, OP3, NULL},
    {"sw", OP_STORE, "s,m|s,i", NULL},
    {"swl", OP_STORE, "s,m", NULL},
    {"swr", OP_STORE, "s,m", NULL},
    {"syscall", OP_SYSTEM, "", NULL},
    {"xor", OP_INT_ALU, OP3, NULL},
    {"xori", OP_INT_ALU, OPI, NULL},
};

static bool read_indexed(struct isa_reading *r)
{
	struct isa_reg base, index;

	if (!isa_read_char(r, '(') || !isa_read_int(r, true, false, &base) ||
	    !isa_read_char(r, '+') || !isa_read_int(r, true, false, &index) ||
	    !isa_read_char(r, ')'))
		return false;
	r->insn->base = base.number;
	return true;
}

static bool read_pair(struct isa_reading *r, bool written)
{
	struct isa_regs *set = written ? &r->insn->sinks : &r->insn->sources;
	struct isa_reg first;

	if (!isa_read_int(r, !written, written, &first))
		return false;
	isa_regs_add(set, first.number == ISA_REG_NONE ? 1 : (first.number | 1u));
	return true;
}

static bool operand(struct isa_reading *r, char letter)
{
	switch (letter) {
	case 'm':
		return isa_read_displaced(r);
	case 'i':
		return read_indexed(r);
	case 'b':
		return read_pair(r, true);
	case 'B':
		return read_pair(r, false);
	default:
		return false;
	}
}

/* A double lies in an even fp register and the odd one behind it: the two are one register here. */
static void fold_pairs(struct isa_regs *set)
{
	const uint64_t odd = set->bits[0] & UINT64_C(0xaaaaaaaa00000000);

	set->bits[0] = (set->bits[0] ^ odd) | odd >> 1;
}

/* A jump to where a call left its link is the return. */
static void finish(const struct isa_row *row, struct isa_insn *insn)
{
	(void)row;
	fold_pairs(&insn->sources);
	fold_pairs(&insn->sinks);
	if (insn->flow == FLOW_JUMP_INDIRECT && isa_regs_has(&insn->sources, LINK)) {
		insn->class = OP_RETURN;
		insn->flow = FLOW_RETURN;
	}
}

const struct isa_dialect isa_pisa = {
    .rows = rows,
    .count = sizeof(rows) / sizeof(*rows),
    .flags = FCC,
    .link = LINK,
    .hi = HI,
    .lo = LO,
    .banks = banks,
    .bank_count = sizeof(banks) / sizeof(*banks),
    .operand = operand,
    .finish = finish,
};
