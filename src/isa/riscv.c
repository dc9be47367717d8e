/*
 * RISC-V as gem5 (c_addi a0, a0, 1), spike (c.addi a0, 1) and several cores' own loggers print it.
 * Source: The RISC-V Instruction Set Manual, volume I. x0 reads as zero; there are no flags, so
 * every conditional branch compares by itself. Branch targets are told from the branch on. The
 * vector extension is not read.
 */
#include "config.h"

#include <string.h>

#include "isa/dialect.h"

enum { RA = 1, T0 = 5, FP0 = 32 };

static const struct isa_bank banks[] = {
    {ISA_NAMED("zero"), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("x", 0, 0), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("a", 0, 7), 10, ISA_INT},
    {ISA_RANGE("s", 0, 1), 8, ISA_INT},
    {ISA_RANGE("s", 2, 11), 18, ISA_INT},
    {ISA_RANGE("t", 0, 2), T0, ISA_INT},
    {ISA_RANGE("t", 3, 6), 28, ISA_INT},
    {ISA_NAMED("ra"), RA, ISA_INT},
    {ISA_NAMED("sp"), 2, ISA_INT},
    {ISA_NAMED("gp"), 3, ISA_INT},
    {ISA_NAMED("tp"), 4, ISA_INT},
    {ISA_NAMED("fp"), 8, ISA_INT},
    {ISA_NAMED("s0/fp"), 8, ISA_INT},
    {ISA_RANGE("x", 1, 31), 1, ISA_INT},
    {ISA_RANGE("ft", 0, 7), FP0, ISA_FP},
    {ISA_RANGE("ft", 8, 11), FP0 + 28, ISA_FP},
    {ISA_RANGE("fs", 0, 1), FP0 + 8, ISA_FP},
    {ISA_RANGE("fs", 2, 11), FP0 + 18, ISA_FP},
    {ISA_RANGE("fa", 0, 7), FP0 + 10, ISA_FP},
    {ISA_RANGE("f", 0, 31), FP0, ISA_FP},
};

#define OP3 "d,s,s"
#define OPI "d,s,n"
#define OP2 "d,s"
/* Compressed: both manners of telling that the first source is the destination. */
#define C3 "d,s,s|x,s"
#define CI "d,s,n|x,n"
/* gem5 prints a register that compressed instructions do not have, and then a garbled number. */
#define CBRANCH "s,t|s,*,N z"
#define STORE   "s,m|s,b" /* b: base register, displacement */
/* l: the link register, which is not printed, is written. */
#define FSTORE     "S,m|S,b"
#define FP3        "D,S,S?,*"
#define FMA        "D,S,S,S?,*"
#define ANY_FORMAT "."

static const struct isa_row rows[] = {
    {"add", OP_INT_ALU, OP3, NULL},
    {"add.uw", OP_INT_ALU, OP3, NULL},
    {"addi", OP_INT_ALU, OPI, NULL},
    {"addiw", OP_INT_ALU, OPI, NULL},
    {"addw", OP_INT_ALU, OP3, NULL},
    {"amoadd", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amoand", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amomax", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amomaxu", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amomin", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amominu", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amoor", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amoswap", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"amoxor", OP_LOAD, "d,s,m W", ANY_FORMAT},
    {"and", OP_INT_ALU, OP3, NULL},
    {"andi", OP_INT_ALU, OPI, NULL},
    {"andn", OP_INT_ALU, OP3, NULL},
    {"auipc", OP_INT_ALU, "d,n", NULL},
    {"bclr", OP_INT_ALU, OP3, NULL},
    {"bclri", OP_INT_ALU, OPI, NULL},
    {"beq", OP_BRANCH, "s,s,t z", NULL},
    {"beqz", OP_BRANCH, "s,t z", NULL},
    {"bext", OP_INT_ALU, OP3, NULL},
    {"bexti", OP_INT_ALU, OPI, NULL},
    {"bge", OP_BRANCH, "s,s,t z", NULL},
    {"bgeu", OP_BRANCH, "s,s,t z", NULL},
    {"bgez", OP_BRANCH, "s,t z", NULL},
    {"bgt", OP_BRANCH, "s,s,t z", NULL},
    {"bgtu", OP_BRANCH, "s,s,t z", NULL},
    {"bgtz", OP_BRANCH, "s,t z", NULL},
    {"binv", OP_INT_ALU, OP3, NULL},
    {"binvi", OP_INT_ALU, OPI, NULL},
    {"ble", OP_BRANCH, "s,s,t z", NULL},
    {"bleu", OP_BRANCH, "s,s,t z", NULL},
    {"blez", OP_BRANCH, "s,t z", NULL},
    {"blt", OP_BRANCH, "s,s,t z", NULL},
    {"bltu", OP_BRANCH, "s,s,t z", NULL},
    {"bltz", OP_BRANCH, "s,t z", NULL},
    {"bne", OP_BRANCH, "s,s,t z", NULL},
    {"bnez", OP_BRANCH, "s,t z", NULL},
    {"bset", OP_INT_ALU, OP3, NULL},
    {"bseti", OP_INT_ALU, OPI, NULL},
    {"c.add", OP_INT_ALU, C3, NULL},
    {"c.addi", OP_INT_ALU, CI, NULL},
    {"c.addi16sp", OP_INT_ALU, CI, NULL},
    {"c.addi4spn", OP_INT_ALU, OPI, NULL},
    {"c.addiw", OP_INT_ALU, CI, NULL},
    {"c.addw", OP_INT_ALU, C3, NULL},
    {"c.and", OP_INT_ALU, C3, NULL},
    {"c.andi", OP_INT_ALU, CI, NULL},
    {"c.beqz", OP_BRANCH, CBRANCH, NULL},
    {"c.bnez", OP_BRANCH, CBRANCH, NULL},
    {"c.ebreak", OP_SYSTEM, "", NULL},
    {"c.fld", OP_LOAD, "D,m", NULL},
    {"c.fldsp", OP_LOAD, "D,m", NULL},
    {"c.flw", OP_LOAD, "D,m", NULL},
    {"c.flwsp", OP_LOAD, "D,m", NULL},
    {"c.fsd", OP_STORE, FSTORE, NULL},
    {"c.fsdsp", OP_STORE, FSTORE, NULL},
    {"c.fsw", OP_STORE, FSTORE, NULL},
    {"c.fswsp", OP_STORE, FSTORE, NULL},
    {"c.j", OP_JUMP, "t|*,N", NULL},
    {"c.jal", OP_CALL, "t k", NULL},
    {"c.jalr", OP_CALL, "d,s,n|s k", NULL},
    {"c.jr", OP_JUMP, "s|*,s,n", NULL},
    {"c.ld", OP_LOAD, "d,m", NULL},
    {"c.ldsp", OP_LOAD, "d,m", NULL},
    {"c.li", OP_INT_ALU, "d,n|d,*,n", NULL},
    {"c.lui", OP_INT_ALU, "d,n|d,*,n", NULL},
    {"c.lw", OP_LOAD, "d,m", NULL},
    {"c.lwsp", OP_LOAD, "d,m", NULL},
    {"c.mv", OP_INT_ALU, "d,s|d,*,s", NULL},
    {"c.nop", OP_NOP, "~", NULL},
    {"c.or", OP_INT_ALU, C3, NULL},
    {"c.sd", OP_STORE, STORE, NULL},
    {"c.sdsp", OP_STORE, STORE, NULL},
    {"c.slli", OP_INT_ALU, CI, NULL},
    {"c.srai", OP_INT_ALU, CI, NULL},
    {"c.srli", OP_INT_ALU, CI, NULL},
    {"c.sub", OP_INT_ALU, C3, NULL},
    {"c.subw", OP_INT_ALU, C3, NULL},
    {"c.sw", OP_STORE, STORE, NULL},
    {"c.swsp", OP_STORE, STORE, NULL},
    {"c.unimp", OP_SYSTEM, "", NULL},
    {"c.xor", OP_INT_ALU, C3, NULL},
    {"clz", OP_INT_ALU, OP2, NULL},
    {"clzw", OP_INT_ALU, OP2, NULL},
    {"cpop", OP_INT_ALU, OP2, NULL},
    {"cpopw", OP_INT_ALU, OP2, NULL},
    {"csrc", OP_SYSTEM, "*,o", NULL},
    {"csrci", OP_SYSTEM, "*,n", NULL},
    {"csrr", OP_SYSTEM, "d,*", NULL},
    {"csrrc", OP_SYSTEM, "d,*,o", NULL},
    {"csrrci", OP_SYSTEM, "d,*,n", NULL},
    {"csrrs", OP_SYSTEM, "d,*,o", NULL},
    {"csrrsi", OP_SYSTEM, "d,*,n", NULL},
    {"csrrw", OP_SYSTEM, "d,*,o", NULL},
    {"csrrwi", OP_SYSTEM, "d,*,n", NULL},
    {"csrs", OP_SYSTEM, "*,o", NULL},
    {"csrsi", OP_SYSTEM, "*,n", NULL},
    {"csrw", OP_SYSTEM, "*,o", NULL},
    {"csrwi", OP_SYSTEM, "*,n", NULL},
    {"ctz", OP_INT_ALU, OP2, NULL},
    {"ctzw", OP_INT_ALU, OP2, NULL},
    {"div", OP_INT_DIV, OP3, NULL},
    {"divu", OP_INT_DIV, OP3, NULL},
    {"divuw", OP_INT_DIV, OP3, NULL},
    {"divw", OP_INT_DIV, OP3, NULL},
    {"ebreak", OP_SYSTEM, "", NULL},
    {"ecall", OP_SYSTEM, "", NULL},
    {"fabs", OP_FP_OTHER, "D,S", ANY_FORMAT},
    {"fadd", OP_FP_ADD, FP3, ANY_FORMAT},
    {"fclass", OP_FP_OTHER, "d,S", ANY_FORMAT},
    {"fcvt", OP_FP_OTHER, "w,r?,*", ANY_FORMAT},
    {"fdiv", OP_FP_DIV, FP3, ANY_FORMAT},
    {"fence", OP_SYSTEM, "~", NULL},
    {"fence.i", OP_SYSTEM, "~", NULL},
    {"fence.tso", OP_SYSTEM, "~", NULL},
    {"feq", OP_FP_OTHER, "d,S,S", ANY_FORMAT},
    {"fld", OP_LOAD, "D,m", NULL},
    {"fle", OP_FP_OTHER, "d,S,S", ANY_FORMAT},
    {"flt", OP_FP_OTHER, "d,S,S", ANY_FORMAT},
    {"flw", OP_LOAD, "D,m", NULL},
    {"fmadd", OP_FP_MUL, FMA, ANY_FORMAT},
    {"fmax", OP_FP_OTHER, "D,S,S", ANY_FORMAT},
    {"fmin", OP_FP_OTHER, "D,S,S", ANY_FORMAT},
    {"fmsub", OP_FP_MUL, FMA, ANY_FORMAT},
    {"fmul", OP_FP_MUL, FP3, ANY_FORMAT},
    {"fmv", OP_FP_OTHER, "w,r", ANY_FORMAT},
    {"fneg", OP_FP_OTHER, "D,S", ANY_FORMAT},
    {"fnmadd", OP_FP_MUL, FMA, ANY_FORMAT},
    {"fnmsub", OP_FP_MUL, FMA, ANY_FORMAT},
    {"frcsr", OP_SYSTEM, "d", NULL},
    {"frflags", OP_SYSTEM, "d", NULL},
    {"frrm", OP_SYSTEM, "d", NULL},
    {"fscsr", OP_SYSTEM, "s|d,s", NULL},
    {"fsd", OP_STORE, FSTORE, NULL},
    {"fsflags", OP_SYSTEM, "s|d,s", NULL},
    {"fsgnj", OP_FP_OTHER, "D,S,S", ANY_FORMAT},
    {"fsgnjn", OP_FP_OTHER, "D,S,S", ANY_FORMAT},
    {"fsgnjx", OP_FP_OTHER, "D,S,S", ANY_FORMAT},
    {"fsqrt", OP_FP_DIV, "D,S?,*", ANY_FORMAT},
    {"fsrm", OP_SYSTEM, "s|d,s", NULL},
    {"fsub", OP_FP_ADD, FP3, ANY_FORMAT},
    {"fsw", OP_STORE, FSTORE, NULL},
    {"j", OP_JUMP, "t", NULL},
    {"jal", OP_CALL, "d,t|lt", NULL},
    {"jalr", OP_CALL, "d,s,n|d,n(s)|d,(s)|d,s|ls", NULL},
    {"jr", OP_JUMP, "s|n(s)", NULL},
    {"lb", OP_LOAD, "d,m", NULL},
    {"lbu", OP_LOAD, "d,m", NULL},
    {"ld", OP_LOAD, "d,m", NULL},
    {"lh", OP_LOAD, "d,m", NULL},
    {"lhu", OP_LOAD, "d,m", NULL},
    {"li", OP_INT_ALU, "d,n", NULL},
    {"lr", OP_LOAD, "d,m", ANY_FORMAT},
    {"lui", OP_INT_ALU, "d,n", NULL},
    {"lw", OP_LOAD, "d,m", NULL},
    {"lwu", OP_LOAD, "d,m", NULL},
    {"max", OP_INT_ALU, OP3, NULL},
    {"maxu", OP_INT_ALU, OP3, NULL},
    {"min", OP_INT_ALU, OP3, NULL},
    {"minu", OP_INT_ALU, OP3, NULL},
    {"mret", OP_SYSTEM, "", NULL},
    {"mul", OP_INT_MUL, OP3, NULL},
    {"mulh", OP_INT_MUL, OP3, NULL},
    {"mulhsu", OP_INT_MUL, OP3, NULL},
    {"mulhu", OP_INT_MUL, OP3, NULL},
    {"mulw", OP_INT_MUL, OP3, NULL},
    {"mv", OP_INT_ALU, OP2, NULL},
    {"neg", OP_INT_ALU, OP2, NULL},
    {"negw", OP_INT_ALU, OP2, NULL},
    {"nop", OP_NOP, "", NULL},
    {"not", OP_INT_ALU, OP2, NULL},
    {"or", OP_INT_ALU, OP3, NULL},
    {"orc.b", OP_INT_ALU, OP2, NULL},
    {"ori", OP_INT_ALU, OPI, NULL},
    {"orn", OP_INT_ALU, OP3, NULL},
    {"pause", OP_SYSTEM, "", NULL},
    {"rdcycle", OP_SYSTEM, "d", NULL},
    {"rdinstret", OP_SYSTEM, "d", NULL},
    {"rdtime", OP_SYSTEM, "d", NULL},
    {"rem", OP_INT_DIV, OP3, NULL},
    {"remu", OP_INT_DIV, OP3, NULL},
    {"remuw", OP_INT_DIV, OP3, NULL},
    {"remw", OP_INT_DIV, OP3, NULL},
    {"ret", OP_RETURN, " K", NULL},
    {"rev8", OP_INT_ALU, OP2, NULL},
    {"rol", OP_INT_ALU, OP3, NULL},
    {"rolw", OP_INT_ALU, OP3, NULL},
    {"ror", OP_INT_ALU, OP3, NULL},
    {"rori", OP_INT_ALU, OPI, NULL},
    {"roriw", OP_INT_ALU, OPI, NULL},
    {"rorw", OP_INT_ALU, OP3, NULL},
    {"sb", OP_STORE, STORE, NULL},
    {"sc", OP_STORE, "d,s,m", ANY_FORMAT},
    {"sd", OP_STORE, STORE, NULL},
    {"seqz", OP_INT_ALU, OP2, NULL},
    {"sext.b", OP_INT_ALU, OP2, NULL},
    {"sext.h", OP_INT_ALU, OP2, NULL},
    {"sext.w", OP_INT_ALU, OP2, NULL},
    {"sfence.vma", OP_SYSTEM, "~", NULL},
    {"sgtz", OP_INT_ALU, OP2, NULL},
    {"sh", OP_STORE, STORE, NULL},
    {"sh1add", OP_INT_ALU, OP3, ANY_FORMAT},
    {"sh2add", OP_INT_ALU, OP3, ANY_FORMAT},
    {"sh3add", OP_INT_ALU, OP3, ANY_FORMAT},
    {"sll", OP_INT_ALU, OP3, NULL},
    {"slli", OP_INT_ALU, OPI, NULL},
    {"slli.uw", OP_INT_ALU, OPI, NULL},
    {"slliw", OP_INT_ALU, OPI, NULL},
    {"sllw", OP_INT_ALU, OP3, NULL},
    {"slt", OP_INT_ALU, OP3, NULL},
    {"slti", OP_INT_ALU, OPI, NULL},
    {"sltiu", OP_INT_ALU, OPI, NULL},
    {"sltu", OP_INT_ALU, OP3, NULL},
    {"sltz", OP_INT_ALU, OP2, NULL},
    {"snez", OP_INT_ALU, OP2, NULL},
    {"sra", OP_INT_ALU, OP3, NULL},
    {"srai", OP_INT_ALU, OPI, NULL},
    {"sraiw", OP_INT_ALU, OPI, NULL},
    {"sraw", OP_INT_ALU, OP3, NULL},
    {"sret", OP_SYSTEM, "", NULL},
    {"srl", OP_INT_ALU, OP3, NULL},
    {"srli", OP_INT_ALU, OPI, NULL},
    {"srliw", OP_INT_ALU, OPI, NULL},
    {"srlw", OP_INT_ALU, OP3, NULL},
    {"sub", OP_INT_ALU, OP3, NULL},
    {"subw", OP_INT_ALU, OP3, NULL},
    {"sw", OP_STORE, STORE, NULL},
    {"unimp", OP_SYSTEM, "", NULL},
    {"uret", OP_SYSTEM, "", NULL},
    {"wfi", OP_SYSTEM, "", NULL},
    {"xnor", OP_INT_ALU, OP3, NULL},
    {"xor", OP_INT_ALU, OP3, NULL},
    {"xori", OP_INT_ALU, OPI, NULL},
    {"zext.b", OP_INT_ALU, OP2, NULL},
    {"zext.h", OP_INT_ALU, OP2, NULL},
    {"zext.w", OP_INT_ALU, OP2, NULL},
};

/* Formats of floating point and atomic instructions, and orderings. */
static const char formats[] = "aq aqrl d h l lu q rl s uw w wu x";

/* .w.d */
static bool ending(const struct isa_row *row, const char *rest, size_t len, struct isa_insn *insn)
{
	const char *end = rest + len, *dot;

	(void)row;
	(void)insn;
	while (rest < end) {
		if (*rest++ != '.')
			return false;
		dot = memchr(rest, '.', (size_t)(end - rest));
		dot = dot ? dot : end;
		if (!isa_in_list(formats, rest, (size_t)(dot - rest)))
			return false;
		rest = dot;
	}
	return true;
}

static bool operand(struct isa_reading *r, char letter)
{
	struct isa_reg base;
	int64_t v;

	if (letter == 'm')
		return isa_read_displaced(r);
	if (letter == 'l') {
		isa_regs_add(&r->insn->sinks, RA);
		return true;
	}
	if (!isa_read_int(r, true, false, &base) || !isa_read_char(r, ',') ||
	    !isa_read_number(r, &v))
		return false;
	r->insn->base = base.number;
	return true;
}

static bool is_link(const struct isa_regs *set)
{
	return isa_regs_has(set, RA) || isa_regs_has(set, T0);
}

/*
 * The manual's return-address hints: x1 and x5 are the link registers; a jump that leaves its own
 * address in one is a call, one to where the other kind points is a return.
 */
static void finish(const struct isa_row *row, struct isa_insn *insn)
{
	const bool bare = !strcmp(row->name, "jal") || !strcmp(row->name, "jalr");
	const bool indirect = insn->flow == FLOW_CALL_INDIRECT || insn->flow == FLOW_JUMP_INDIRECT;

	if (insn->class == OP_CALL && bare && !is_link(&insn->sinks)) {
		insn->class = OP_JUMP;
		insn->flow = indirect ? FLOW_JUMP_INDIRECT : FLOW_JUMP;
	}
	if (insn->class == OP_JUMP && indirect && is_link(&insn->sources)) {
		insn->class = OP_RETURN;
		insn->flow = FLOW_RETURN;
	}
}

const struct isa_dialect isa_riscv = {
    .rows = rows,
    .count = sizeof(rows) / sizeof(*rows),
    .flags = ISA_REG_NONE,
    .link = RA,
    .hi = ISA_REG_NONE,
    .lo = ISA_REG_NONE,
    .dotted = true,
    .banks = banks,
    .bank_count = sizeof(banks) / sizeof(*banks),
    .operand = operand,
    .ending = ending,
    .finish = finish,
};
