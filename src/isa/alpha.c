/*
 * Alpha as SimpleScalar prints it, and with the names and hints of the GNU disassembler. Source:
 * Alpha Architecture Handbook. r31 and f31 read as zero. There are no flags: every conditional
 * branch and move looks at a register, and so does the test within its own execution.
 */
#include "config.h"

#include "isa/dialect.h"

enum { FP0 = 32 };

static const struct isa_bank banks[] = {
    {ISA_RANGE("r", 31, 31), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("f", 31, 31), ISA_REG_NONE, ISA_FP},
    {ISA_RANGE("r", 0, 30), 0, ISA_INT},
    {ISA_RANGE("f", 0, 30), FP0, ISA_FP},
    {ISA_RANGE("$", 31, 31), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("$f", 31, 31), ISA_REG_NONE, ISA_FP},
    {ISA_RANGE("$", 0, 30), 0, ISA_INT},
    {ISA_RANGE("$f", 0, 30), FP0, ISA_FP},
    {ISA_RANGE("t", 0, 7), 1, ISA_INT},
    {ISA_RANGE("t", 8, 11), 22, ISA_INT},
    {ISA_RANGE("s", 0, 6), 9, ISA_INT},
    {ISA_RANGE("a", 0, 5), 16, ISA_INT},
    {ISA_NAMED("v0"), 0, ISA_INT},
    {ISA_NAMED("fp"), 15, ISA_INT},
    {ISA_NAMED("ra"), 26, ISA_INT},
    {ISA_NAMED("pv"), 27, ISA_INT},
    {ISA_NAMED("at"), 28, ISA_INT},
    {ISA_NAMED("gp"), 29, ISA_INT},
    {ISA_NAMED("sp"), 30, ISA_INT},
    {ISA_NAMED("zero"), ISA_REG_NONE, ISA_INT},
};

/* What three shapes are called here; u: the simulator says that it has not built it. */
#define OP3  "s,o,d"
#define FP3  "S,S,D"
#define FP2  "S,D"
#define GOTO "d,(s)?,~"

static const struct isa_row rows[] = {
    {"addf", OP_FP_ADD, FP3, "/"},
    {"addg", OP_FP_ADD, FP3, "/"},
    {"addl", OP_INT_ALU, OP3, "/"},
    {"addq", OP_INT_ALU, OP3, "/"},
    {"adds", OP_FP_ADD, FP3, "/"},
    {"addt", OP_FP_ADD, FP3, "/"},
    {"amask", OP_INT_ALU, "o,d", NULL},
    {"and", OP_INT_ALU, OP3, NULL},
    {"beq", OP_BRANCH, "s,t z", NULL},
    {"bge", OP_BRANCH, "s,t z", NULL},
    {"bgt", OP_BRANCH, "s,t z", NULL},
    {"bic", OP_INT_ALU, OP3, NULL},
    {"bis", OP_INT_ALU, OP3, NULL},
    {"blbc", OP_BRANCH, "s,t z", NULL},
    {"blbs", OP_BRANCH, "s,t z", NULL},
    {"ble", OP_BRANCH, "s,t z", NULL},
    {"blt", OP_BRANCH, "s,t z", NULL},
    {"bne", OP_BRANCH, "s,t z", NULL},
    {"br", OP_JUMP, "d,t|t", NULL},
    {"bsr", OP_CALL, "d,t", NULL},
    {"call_pal", OP_SYSTEM, "~", NULL},
    {"clr", OP_INT_ALU, "d", NULL},
    {"cmoveq", OP_INT_ALU, "s,o,x", NULL},
    {"cmovge", OP_INT_ALU, "s,o,x", NULL},
    {"cmovgt", OP_INT_ALU, "s,o,x", NULL},
    {"cmovlbc", OP_INT_ALU, "s,o,x", NULL},
    {"cmovlbs", OP_INT_ALU, "s,o,x", NULL},
    {"cmovle", OP_INT_ALU, "s,o,x", NULL},
    {"cmovlt", OP_INT_ALU, "s,o,x", NULL},
    {"cmovne", OP_INT_ALU, "s,o,x", NULL},
    {"cmpbge", OP_INT_ALU, OP3, NULL},
    {"cmpeq", OP_INT_ALU, OP3, NULL},
    {"cmpgeq", OP_FP_OTHER, FP3, "/"},
    {"cmpgle", OP_FP_OTHER, FP3, "/"},
    {"cmpglt", OP_FP_OTHER, FP3, "/"},
    {"cmple", OP_INT_ALU, OP3, NULL},
    {"cmplt", OP_INT_ALU, OP3, NULL},
    {"cmpteq", OP_FP_OTHER, FP3, "/"},
    {"cmptle", OP_FP_OTHER, FP3, "/"},
    {"cmptlt", OP_FP_OTHER, FP3, "/"},
    {"cmptun", OP_FP_OTHER, FP3, "/"},
    {"cmpule", OP_INT_ALU, OP3, NULL},
    {"cmpult", OP_INT_ALU, OP3, NULL},
    {"cpys", OP_FP_OTHER, FP3, NULL},
    {"cpyse", OP_FP_OTHER, FP3, NULL},
    {"cpysn", OP_FP_OTHER, FP3, NULL},
    {"ctlz", OP_INT_ALU, "o,d", NULL},
    {"ctpop", OP_INT_ALU, "o,d", NULL},
    {"cttz", OP_INT_ALU, "o,d", NULL},
    {"cvtdg", OP_FP_OTHER, FP2, "/"},
    {"cvtgd", OP_FP_OTHER, FP2, "/"},
    {"cvtgf", OP_FP_OTHER, FP2, "/"},
    {"cvtgq", OP_FP_OTHER, FP2, "/"},
    {"cvtlq", OP_FP_OTHER, FP2, "/"},
    {"cvtqf", OP_FP_OTHER, FP2, "/"},
    {"cvtqg", OP_FP_OTHER, FP2, "/"},
    {"cvtql", OP_FP_OTHER, FP2, "/"},
    {"cvtqs", OP_FP_OTHER, FP2, "/"},
    {"cvtqt", OP_FP_OTHER, FP2, "/"},
    {"cvtst", OP_FP_OTHER, FP2, "/"},
    {"cvttq", OP_FP_OTHER, FP2, "/"},
    {"cvtts", OP_FP_OTHER, FP2, "/"},
    {"divf", OP_FP_DIV, FP3, "/"},
    {"divg", OP_FP_DIV, FP3, "/"},
    {"divs", OP_FP_DIV, FP3, "/"},
    {"divt", OP_FP_DIV, FP3, "/"},
    {"ecb", OP_OTHER, "(s)", NULL},
    {"eqv", OP_INT_ALU, OP3, NULL},
    {"excb", OP_SYSTEM, "", NULL},
    {"extbl", OP_INT_ALU, OP3, NULL},
    {"extlh", OP_INT_ALU, OP3, NULL},
    {"extll", OP_INT_ALU, OP3, NULL},
    {"extqh", OP_INT_ALU, OP3, NULL},
    {"extql", OP_INT_ALU, OP3, NULL},
    {"extwh", OP_INT_ALU, OP3, NULL},
    {"extwl", OP_INT_ALU, OP3, NULL},
    {"fbeq", OP_BRANCH, "S,t z", NULL},
    {"fbge", OP_BRANCH, "S,t z", NULL},
    {"fbgt", OP_BRANCH, "S,t z", NULL},
    {"fble", OP_BRANCH, "S,t z", NULL},
    {"fblt", OP_BRANCH, "S,t z", NULL},
    {"fbne", OP_BRANCH, "S,t z", NULL},
    {"fclr", OP_FP_OTHER, "D", NULL},
    {"fcmoveq", OP_FP_OTHER, "S,S,X", NULL},
    {"fcmovge", OP_FP_OTHER, "S,S,X", NULL},
    {"fcmovgt", OP_FP_OTHER, "S,S,X", NULL},
    {"fcmovle", OP_FP_OTHER, "S,S,X", NULL},
    {"fcmovlt", OP_FP_OTHER, "S,S,X", NULL},
    {"fcmovne", OP_FP_OTHER, "S,S,X", NULL},
    {"fetch", OP_OTHER, "m", NULL},
    {"fetch_m", OP_OTHER, "m", NULL},
    {"fmov", OP_FP_OTHER, FP2, NULL},
    {"fnop", OP_NOP, "", NULL},
    {"ftois", OP_FP_OTHER, "S,d", NULL},
    {"ftoit", OP_FP_OTHER, "S,d", NULL},
    {"implver", OP_INT_ALU, "d", NULL},
    {"insbl", OP_INT_ALU, OP3, NULL},
    {"inslh", OP_INT_ALU, OP3, NULL},
    {"insll", OP_INT_ALU, OP3, NULL},
    {"insqh", OP_INT_ALU, OP3, NULL},
    {"insql", OP_INT_ALU, OP3, NULL},
    {"inswh", OP_INT_ALU, OP3, NULL},
    {"inswl", OP_INT_ALU, OP3, NULL},
    {"itoff", OP_FP_OTHER, "s,D", NULL},
    {"itofs", OP_FP_OTHER, "s,D", NULL},
    {"itoft", OP_FP_OTHER, "s,D", NULL},
    {"jmp", OP_JUMP, GOTO, NULL},
    {"jsr", OP_CALL, GOTO, NULL},
    {"jsr_coroutine", OP_CALL, GOTO, NULL},
    {"lda", OP_INT_ALU, "d,m", NULL},
    {"ldah", OP_INT_ALU, "d,m", NULL},
    {"ldbu", OP_LOAD, "d,m", NULL},
    {"ldf", OP_LOAD, "D,m", NULL},
    {"ldg", OP_LOAD, "D,m", NULL},
    {"ldl", OP_LOAD, "d,m", NULL},
    {"ldl_l", OP_LOAD, "ud,m", NULL},
    {"ldq", OP_LOAD, "d,m", NULL},
    {"ldq_l", OP_LOAD, "ud,m", NULL},
    {"ldq_u", OP_LOAD, "d,m", NULL},
    {"lds", OP_LOAD, "D,m", NULL},
    {"ldt", OP_LOAD, "D,m", NULL},
    {"ldwu", OP_LOAD, "d,m", NULL},
    {"mb", OP_SYSTEM, "", NULL},
    {"mf_fpcr", OP_FP_OTHER, "D~", NULL},
    {"mov", OP_INT_ALU, "o,d", NULL},
    {"mskbl", OP_INT_ALU, OP3, NULL},
    {"msklh", OP_INT_ALU, OP3, NULL},
    {"mskll", OP_INT_ALU, OP3, NULL},
    {"mskqh", OP_INT_ALU, OP3, NULL},
    {"mskql", OP_INT_ALU, OP3, NULL},
    {"mskwh", OP_INT_ALU, OP3, NULL},
    {"mskwl", OP_INT_ALU, OP3, NULL},
    {"mt_fpcr", OP_SYSTEM, "S~", NULL},
    {"mulf", OP_FP_MUL, FP3, "/"},
    {"mulg", OP_FP_MUL, FP3, "/"},
    {"mull", OP_INT_MUL, OP3, "/"},
    {"mulq", OP_INT_MUL, OP3, "/"},
    {"muls", OP_FP_MUL, FP3, "/"},
    {"mult", OP_FP_MUL, FP3, "/"},
    {"negl", OP_INT_ALU, "o,d", "/"},
    {"negq", OP_INT_ALU, "o,d", "/"},
    {"nop", OP_NOP, "", NULL},
    {"not", OP_INT_ALU, "o,d", NULL},
    {"or", OP_INT_ALU, OP3, NULL},
    {"ornot", OP_INT_ALU, OP3, NULL},
    {"ret", OP_RETURN, GOTO, NULL},
    {"rpcc", OP_SYSTEM, "d", NULL},
    {"s4addl", OP_INT_ALU, OP3, NULL},
    {"s4addq", OP_INT_ALU, OP3, NULL},
    {"s4subl", OP_INT_ALU, OP3, NULL},
    {"s4subq", OP_INT_ALU, OP3, NULL},
    {"s8addl", OP_INT_ALU, OP3, NULL},
    {"s8addq", OP_INT_ALU, OP3, NULL},
    {"s8subl", OP_INT_ALU, OP3, NULL},
    {"s8subq", OP_INT_ALU, OP3, NULL},
    {"sextb", OP_INT_ALU, "o,d", NULL},
    {"sextl", OP_INT_ALU, "o,d", NULL},
    {"sextw", OP_INT_ALU, "o,d", NULL},
    {"sll", OP_INT_ALU, OP3, NULL},
    {"sqrtf", OP_FP_DIV, FP2, "/"},
    {"sqrtg", OP_FP_DIV, FP2, "/"},
    {"sqrts", OP_FP_DIV, FP2, "/"},
    {"sqrtt", OP_FP_DIV, FP2, "/"},
    {"sra", OP_INT_ALU, OP3, NULL},
    {"srl", OP_INT_ALU, OP3, NULL},
    {"stb", OP_STORE, "s,m", NULL},
    {"stf", OP_STORE, "S,m", NULL},
    {"stg", OP_STORE, "S,m", NULL},
    {"stl", OP_STORE, "s,m", NULL},
    {"stl_c", OP_STORE, "ux,m", NULL},
    {"stq", OP_STORE, "s,m", NULL},
    {"stq_c", OP_STORE, "ux,m", NULL},
    {"stq_u", OP_STORE, "s,m", NULL},
    {"sts", OP_STORE, "S,m", NULL},
    {"stt", OP_STORE, "S,m", NULL},
    {"stw", OP_STORE, "s,m", NULL},
    {"subf", OP_FP_ADD, FP3, "/"},
    {"subg", OP_FP_ADD, FP3, "/"},
    {"subl", OP_INT_ALU, OP3, "/"},
    {"subq", OP_INT_ALU, OP3, "/"},
    {"subs", OP_FP_ADD, FP3, "/"},
    {"subt", OP_FP_ADD, FP3, "/"},
    {"trapb", OP_SYSTEM, "", NULL},
    {"umulh", OP_INT_MUL, OP3, NULL},
    {"unop", OP_NOP, "", NULL},
    {"wh64", OP_OTHER, "(s)", NULL},
    {"wmb", OP_SYSTEM, "", NULL},
    {"xor", OP_INT_ALU, OP3, NULL},
    {"zap", OP_INT_ALU, OP3, NULL},
    {"zapnot", OP_INT_ALU, OP3, NULL},
};

/* Trapping and rounding: /v, /su, /sui, /c. */
static bool ending(const struct isa_row *row, const char *rest, size_t len, struct isa_insn *insn)
{
	size_t i;

	(void)insn;
	for (i = 1; i < len; i++)
		if (rest[i] < 'a' || rest[i] > 'z')
			return false;
	return rest[0] == row->endings[0] && len > 1;
}

/* u: a remark of the simulator, or none. */
static bool operand(struct isa_reading *r, char letter)
{
	if (letter == 'm')
		return isa_read_displaced(r);
	if (isa_read_char(r, '('))
		return isa_read_word(r, "unimpl") && isa_read_char(r, ')');
	return true;
}

/* An unaligned load to nowhere is how the assembler writes a no-op; an aligned one prefetches. */
static void finish(const struct isa_row *row, struct isa_insn *insn)
{
	if (insn->class == OP_LOAD && isa_regs_next(&insn->sinks, 0) == ISA_REG_COUNT &&
	    row->name[3] == '_' && row->name[4] == 'u') {
		insn->class = OP_NOP;
		insn->reads_memory = false;
	}
}

const struct isa_dialect isa_alpha = {
    .rows = rows,
    .count = sizeof(rows) / sizeof(*rows),
    .flags = ISA_REG_NONE,
    .link = ISA_REG_NONE,
    .hi = ISA_REG_NONE,
    .lo = ISA_REG_NONE,
    .banks = banks,
    .bank_count = sizeof(banks) / sizeof(*banks),
    .operand = operand,
    .ending = ending,
    .finish = finish,
};
