/*
 * AArch64 as assemblers and gem5 print it, gem5's micro-ops (strxi_uop w1, [ureg0, #8]) included.
 * Source: Arm Architecture Reference Manual for A-profile. Register 31 is the stack pointer or, by
 * the name xzr or wzr, zero. The flags are one register. The integer and floating-point sets are
 * read, of Advanced SIMD the common arithmetic; SVE is not.
 *
 * gem5 prints the data register of a floating-point load or store as if it were an integer one:
 * such a line reads as the integer load that it looks like.
 */
#include "config.h"

#include <string.h>

#include "isa/bracket.h"

enum { LINK = 30, SP = 31, FP0 = 32, FLAGS = 64, TEMP0 };

static const struct isa_bank banks[] = {
    {ISA_RANGE("x", 0, 30), 0, ISA_INT},
    {ISA_RANGE("w", 0, 30), 0, ISA_INT},
    {ISA_NAMED("sp"), SP, ISA_INT},
    {ISA_NAMED("wsp"), SP, ISA_INT},
    {ISA_NAMED("xzr"), ISA_REG_NONE, ISA_INT},
    {ISA_NAMED("wzr"), ISA_REG_NONE, ISA_INT},
    {ISA_NAMED("lr"), LINK, ISA_INT},
    {ISA_NAMED("fp"), 29, ISA_INT},
    {ISA_TAILED("v", "*", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("d", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("s", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("q", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("h", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("b", 0, 31), FP0, ISA_FP},
    {ISA_RANGE("f", 0, 31), FP0, ISA_FP},
    {ISA_NAMED("cc"), FLAGS, ISA_INT},
    {ISA_RANGE("ureg", 0, 3), TEMP0, ISA_INT},
};

/*
 * q: number or shifted register; m: address in brackets; e: condition; i: [element], or none;
 * f: fp register or constant; g: braced vector register written, G: read.
 */
#define OP3    "d,s,q"
#define OP2    "d,s"
#define LOAD1  "w,m|w,n"
#define LOAD2  "w,w,m"
#define STORE1 "r,m"
#define STORE2 "r,r,m"
#define FP3    "D,S,Si"
#define FP2    "D,S"
#define FMA4   "D,S,S,S"
#define CSEL   "d,s,s,e c"
/* Arithmetic that integer and vector registers share the names of. */
#define ANY3   "d,s,q|D,S,S"
#define ATOMIC "s,d,m W"

static const struct isa_row rows[] = {
    {"abs", OP_INT_ALU, "w,r", NULL},
    {"adc", OP_INT_ALU, "d,s,s c", NULL},
    {"adcs", OP_INT_ALU, "d,s,s cC", NULL},
    {"add", OP_INT_ALU, ANY3, NULL},
    {"adds", OP_INT_ALU, OP3 " C", NULL},
    {"addxer_uop", OP_INT_ALU, OP3, NULL},
    {"addxi_uop", OP_INT_ALU, OP3, NULL},
    {"adr", OP_INT_ALU, "d,~", NULL},
    {"adrp", OP_INT_ALU, "d,~", NULL},
    {"and", OP_INT_ALU, ANY3, NULL},
    {"ands", OP_INT_ALU, OP3 " C", NULL},
    {"asr", OP_INT_ALU, OP3, NULL},
    {"asrv", OP_INT_ALU, OP3, NULL},
    {"b", OP_JUMP, "t", "."},
    {"bfi", OP_INT_ALU, "x,s,n,n", NULL},
    {"bfxil", OP_INT_ALU, "x,s,n,n", NULL},
    {"bic", OP_INT_ALU, ANY3, NULL},
    {"bics", OP_INT_ALU, OP3 " C", NULL},
    {"bl", OP_CALL, "t k", NULL},
    {"blr", OP_CALL, "s k", NULL},
    {"br", OP_JUMP, "s", NULL},
    {"brk", OP_SYSTEM, "~", NULL},
    {"bti", OP_NOP, "~", NULL},
    {"cas", OP_LOAD, "x,s,m W", "l"},
    {"casa", OP_LOAD, "x,s,m W", "l"},
    {"cbnz", OP_BRANCH, "s,t z", NULL},
    {"cbz", OP_BRANCH, "s,t z", NULL},
    {"ccmn", OP_INT_ALU, "s,q,n,e cC", NULL},
    {"ccmp", OP_INT_ALU, "s,q,n,e cC", NULL},
    {"cinc", OP_INT_ALU, "d,s,e c", NULL},
    {"cinv", OP_INT_ALU, "d,s,e c", NULL},
    {"clrex", OP_SYSTEM, "~", NULL},
    {"cls", OP_INT_ALU, OP2, NULL},
    {"clz", OP_INT_ALU, OP2, NULL},
    {"cmn", OP_INT_ALU, "s,q C", NULL},
    {"cmp", OP_INT_ALU, "s,q C", NULL},
    {"cneg", OP_INT_ALU, "d,s,e c", NULL},
    {"csdb", OP_SYSTEM, "", NULL},
    {"csel", OP_INT_ALU, CSEL, NULL},
    {"cset", OP_INT_ALU, "d,e c", NULL},
    {"csetm", OP_INT_ALU, "d,e c", NULL},
    {"csinc", OP_INT_ALU, CSEL, NULL},
    {"csinv", OP_INT_ALU, CSEL, NULL},
    {"csneg", OP_INT_ALU, CSEL, NULL},
    {"dmb", OP_SYSTEM, "~", NULL},
    {"dsb", OP_SYSTEM, "~", NULL},
    {"dup", OP_FP_OTHER, "D,ri", NULL},
    {"eon", OP_INT_ALU, OP3, NULL},
    {"eor", OP_INT_ALU, ANY3, NULL},
    {"eret", OP_SYSTEM, "", NULL},
    {"extr", OP_INT_ALU, "d,s,s,n", NULL},
    {"fabd", OP_FP_ADD, FP3, NULL},
    {"fabs", OP_FP_OTHER, FP2, NULL},
    {"fadd", OP_FP_ADD, FP3, NULL},
    {"faddp", OP_FP_ADD, "D,S|D,S,S", NULL},
    {"fccmp", OP_FP_OTHER, "S,S,n,e cC", NULL},
    {"fcmp", OP_FP_OTHER, "S,f C", NULL},
    {"fcmpe", OP_FP_OTHER, "S,f C", NULL},
    {"fcsel", OP_FP_OTHER, "D,S,S,e c", NULL},
    {"fcvt", OP_FP_OTHER, FP2, NULL},
    {"fcvtas", OP_FP_OTHER, "w,S", NULL},
    {"fcvtau", OP_FP_OTHER, "w,S", NULL},
    {"fcvtms", OP_FP_OTHER, "w,S", NULL},
    {"fcvtmu", OP_FP_OTHER, "w,S", NULL},
    {"fcvtns", OP_FP_OTHER, "w,S", NULL},
    {"fcvtnu", OP_FP_OTHER, "w,S", NULL},
    {"fcvtps", OP_FP_OTHER, "w,S", NULL},
    {"fcvtpu", OP_FP_OTHER, "w,S", NULL},
    {"fcvtzs", OP_FP_OTHER, "w,S?,n", NULL},
    {"fcvtzu", OP_FP_OTHER, "w,S?,n", NULL},
    {"fdiv", OP_FP_DIV, FP3, NULL},
    {"fmadd", OP_FP_MUL, FMA4, NULL},
    {"fmax", OP_FP_OTHER, FP3, NULL},
    {"fmaxnm", OP_FP_OTHER, FP3, NULL},
    {"fmin", OP_FP_OTHER, FP3, NULL},
    {"fminnm", OP_FP_OTHER, FP3, NULL},
    {"fmla", OP_FP_MUL, "X,S,Si", NULL},
    {"fmls", OP_FP_MUL, "X,S,Si", NULL},
    {"fmov", OP_FP_OTHER, "w,ri|D,*", NULL},
    {"fmsub", OP_FP_MUL, FMA4, NULL},
    {"fmul", OP_FP_MUL, FP3, NULL},
    {"fneg", OP_FP_OTHER, FP2, NULL},
    {"fnmadd", OP_FP_MUL, FMA4, NULL},
    {"fnmsub", OP_FP_MUL, FMA4, NULL},
    {"fnmul", OP_FP_MUL, FP3, NULL},
    {"frinta", OP_FP_OTHER, FP2, NULL},
    {"frinti", OP_FP_OTHER, FP2, NULL},
    {"frintm", OP_FP_OTHER, FP2, NULL},
    {"frintn", OP_FP_OTHER, FP2, NULL},
    {"frintp", OP_FP_OTHER, FP2, NULL},
    {"frintx", OP_FP_OTHER, FP2, NULL},
    {"frintz", OP_FP_OTHER, FP2, NULL},
    {"fsqrt", OP_FP_DIV, FP2, NULL},
    {"fsub", OP_FP_ADD, FP3, NULL},
    {"hint", OP_NOP, "~", NULL},
    {"hlt", OP_SYSTEM, "~", NULL},
    {"isb", OP_SYSTEM, "~", NULL},
    {"ld1", OP_LOAD, "g,m", NULL},
    {"ldadd", OP_LOAD, ATOMIC, "a al l"},
    {"ldar", OP_LOAD, "d,m", "b h"},
    {"ldaxr", OP_LOAD, "d,m", "b h"},
    {"ldclr", OP_LOAD, ATOMIC, "a al l"},
    {"ldeor", OP_LOAD, ATOMIC, "a al l"},
    {"ldnp", OP_LOAD, LOAD2, NULL},
    {"ldp", OP_LOAD, LOAD2, NULL},
    {"ldpsw", OP_LOAD, LOAD2, NULL},
    {"ldr", OP_LOAD, LOAD1, "b h sb sh sw"},
    {"ldrduxi_uop", OP_LOAD, LOAD2, NULL},
    {"ldrfpxi_uop", OP_LOAD, "D,m", NULL},
    {"ldrqbfpxi_uop", OP_LOAD, "D,m", NULL},
    {"ldrqtfpxi_uop", OP_LOAD, "X,m", NULL},
    {"ldrxi_uop", OP_LOAD, "d,m", NULL},
    {"ldset", OP_LOAD, ATOMIC, "a al l"},
    {"ldtr", OP_LOAD, LOAD1, "b h sb sh sw"},
    {"ldur", OP_LOAD, LOAD1, "b h sb sh sw"},
    {"ldxr", OP_LOAD, "d,m", "b h"},
    {"lsl", OP_INT_ALU, OP3, NULL},
    {"lslv", OP_INT_ALU, OP3, NULL},
    {"lsr", OP_INT_ALU, OP3, NULL},
    {"lsrv", OP_INT_ALU, OP3, NULL},
    {"madd", OP_INT_MUL, "d,s,s,s", NULL},
    {"mneg", OP_INT_MUL, "d,s,s", NULL},
    {"mov", OP_INT_ALU, "d,q|D,S", NULL},
    {"movi", OP_FP_OTHER, "D,*?,~", NULL},
    {"movk", OP_INT_ALU, "x,q", NULL},
    {"movn", OP_INT_ALU, "d,q", NULL},
    {"movz", OP_INT_ALU, "d,q", NULL},
    {"mrs", OP_SYSTEM, "d,*", NULL},
    {"msr", OP_SYSTEM, "*,s|*,n", NULL},
    {"msub", OP_INT_MUL, "d,s,s,s", NULL},
    {"mul", OP_INT_MUL, "d,s,s|D,S,Si", NULL},
    {"mvn", OP_INT_ALU, "d,q|D,S", NULL},
    {"neg", OP_INT_ALU, "d,q|D,S", NULL},
    {"negs", OP_INT_ALU, "d,q C", NULL},
    {"ngc", OP_INT_ALU, "d,s c", NULL},
    {"ngcs", OP_INT_ALU, "d,s cC", NULL},
    {"nop", OP_NOP, "", NULL},
    {"orn", OP_INT_ALU, ANY3, NULL},
    {"orr", OP_INT_ALU, ANY3, NULL},
    {"prfm", OP_LOAD, "*,m", NULL},
    {"prfum", OP_LOAD, "*,m", NULL},
    {"rbit", OP_INT_ALU, OP2, NULL},
    {"ret", OP_RETURN, "s| K", NULL},
    {"rev", OP_INT_ALU, OP2, NULL},
    {"rev16", OP_INT_ALU, OP2, NULL},
    {"rev32", OP_INT_ALU, OP2, NULL},
    {"ror", OP_INT_ALU, OP3, NULL},
    {"rorv", OP_INT_ALU, OP3, NULL},
    {"sbc", OP_INT_ALU, "d,s,s c", NULL},
    {"sbcs", OP_INT_ALU, "d,s,s cC", NULL},
    {"sbfiz", OP_INT_ALU, "d,s,n,n", NULL},
    {"sbfm", OP_INT_ALU, "d,s,n,n", NULL},
    {"sbfx", OP_INT_ALU, "d,s,n,n", NULL},
    {"scvtf", OP_FP_OTHER, "D,r?,n", NULL},
    {"sdiv", OP_INT_DIV, "d,s,s", NULL},
    {"smaddl", OP_INT_MUL, "d,s,s,s", NULL},
    {"smsubl", OP_INT_MUL, "d,s,s,s", NULL},
    {"smulh", OP_INT_MUL, "d,s,s", NULL},
    {"smull", OP_INT_MUL, "d,s,s|D,S,S", NULL},
    {"st1", OP_STORE, "G,m", NULL},
    {"stlr", OP_STORE, "s,m", "b h"},
    {"stlxr", OP_STORE, "d,s,m", "b h"},
    {"stnp", OP_STORE, STORE2, NULL},
    {"stp", OP_STORE, STORE2, NULL},
    {"str", OP_STORE, STORE1, "b h"},
    {"strfpxi_uop", OP_STORE, "S,m", NULL},
    {"strqbfpxi_uop", OP_STORE, "S,m", NULL},
    {"strqtfpxi_uop", OP_STORE, "S,m", NULL},
    {"strxi_uop", OP_STORE, "s,m", NULL},
    {"sttr", OP_STORE, STORE1, "b h"},
    {"stur", OP_STORE, STORE1, "b h"},
    {"stxr", OP_STORE, "d,s,m", "b h"},
    {"sub", OP_INT_ALU, ANY3, NULL},
    {"subs", OP_INT_ALU, OP3 " C", NULL},
    {"subxi_uop", OP_INT_ALU, OP3, NULL},
    {"svc", OP_SYSTEM, "~", NULL},
    {"swp", OP_LOAD, ATOMIC, "a al l"},
    {"sxtb", OP_INT_ALU, OP2, NULL},
    {"sxth", OP_INT_ALU, OP2, NULL},
    {"sxtw", OP_INT_ALU, OP2, NULL},
    {"tbnz", OP_BRANCH, "s,n,t z", NULL},
    {"tbz", OP_BRANCH, "s,n,t z", NULL},
    {"tst", OP_INT_ALU, "s,q C", NULL},
    {"ubfiz", OP_INT_ALU, "d,s,n,n", NULL},
    {"ubfm", OP_INT_ALU, "d,s,n,n", NULL},
    {"ubfx", OP_INT_ALU, "d,s,n,n", NULL},
    {"ucvtf", OP_FP_OTHER, "D,r?,n", NULL},
    {"udf", OP_SYSTEM, "~", NULL},
    {"udiv", OP_INT_DIV, "d,s,s", NULL},
    {"umaddl", OP_INT_MUL, "d,s,s,s", NULL},
    {"umov", OP_FP_OTHER, "d,Si", NULL},
    {"umsubl", OP_INT_MUL, "d,s,s,s", NULL},
    {"umulh", OP_INT_MUL, "d,s,s", NULL},
    {"umull", OP_INT_MUL, "d,s,s|D,S,S", NULL},
    {"uxtb", OP_INT_ALU, OP2, NULL},
    {"uxth", OP_INT_ALU, OP2, NULL},
    {"wfe", OP_SYSTEM, "", NULL},
    {"wfi", OP_SYSTEM, "", NULL},
    {"yield", OP_NOP, "", NULL},
};

/* Sizes of loads, orderings of atomics; .cond of a branch. */
static bool ending(const struct isa_row *row, const char *rest, size_t len, struct isa_insn *insn)
{
	if (row->endings[0] != '.')
		return isa_in_list(row->endings, rest, len);
	if (len != 3 || rest[0] != '.' || !isa_is_condition(rest + 1))
		return false;
	insn->predicated = memcmp(rest + 1, "al", 2) != 0;
	return true;
}

static bool read_element(struct isa_reading *r)
{
	int64_t n;

	return !isa_read_char(r, '[') || (isa_read_number(r, &n) && isa_read_char(r, ']'));
}

static bool read_braced(struct isa_reading *r, bool written)
{
	struct isa_reg reg;

	if (!isa_read_char(r, '{'))
		return false;
	do {
		if (!isa_read_reg(r, !written, written, &reg) || reg.kind != ISA_FP)
			return false;
	} while (isa_read_char(r, ','));
	return isa_read_char(r, '}');
}

static bool operand(struct isa_reading *r, char letter)
{
	switch (letter) {
	case 'q':
		return isa_read_shifted(r);
	case 'm':
		return isa_read_bracketed(r);
	case 'e':
		return isa_read_condition(r);
	case 'i':
		return read_element(r);
	case 'f':
		return isa_read_fp_or_constant(r);
	case 'g':
		return read_braced(r, true);
	case 'G':
		return read_braced(r, false);
	default:
		return false;
	}
}

static bool is_fp(const struct isa_regs *set)
{
	return set->bits[0] >> FP0 != 0;
}

static void finish(const struct isa_row *row, struct isa_insn *insn)
{
	(void)row;
	/* ret x5 does not read the link register that ret reads */
	if (insn->class == OP_RETURN && isa_regs_next(&insn->sources, 0) != LINK)
		insn->sources.bits[0] &= ~(UINT64_C(1) << LINK);
	if (insn->flow == FLOW_JUMP && insn->predicated) {
		insn->class = OP_BRANCH;
		insn->flow = FLOW_CONDITIONAL;
	}
	/* vector arithmetic under the name of an integer instruction */
	if ((insn->class == OP_INT_ALU || insn->class == OP_INT_MUL) && is_fp(&insn->sinks))
		insn->class = OP_FP_OTHER;
}

const struct isa_dialect isa_aarch64 = {
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
