/*
 * The micro-ops of gem5's x86, `MACRO : uop dest, sources`. Source: gem5's microcode and its
 * X86StaticInst::printReg, printMem. Registers are told by their widest name; t0 reads as zero. xmm
 * registers are halves, xmm0_low and xmm0_high, as gem5 renames them.
 *
 * Whether a micro-op sets the flags, or does nothing when they say so, is not printed: it follows
 * from the instruction it is a part of, by the table `macros`. There the flags are two registers,
 * as in gem5: the architecture's, and ezf, by which micro-ops tell each other of a zero. An integer
 * micro-op of an instruction that is not in the table cannot be read.
 */
#include "config.h"

#include <string.h>

#include "base/bisect.h"
#include "isa/dialect.h"

enum { RSP = 4, TEMP0 = 16, XMM0 = 32, UFP0 = 64, MMX0 = 72, FLAGS = 96, EZF, HI, LO };

/* clang-format off */
#define LEGACY(number, q, d, w, low, high)                                                         \
	{ISA_NAMED(q), number, ISA_INT}, {ISA_NAMED(d), number, ISA_INT},                          \
	{ISA_NAMED(w), number, ISA_PART}, {ISA_NAMED(low), number, ISA_PART},                      \
	{ISA_NAMED(high), number, ISA_PART}
/* clang-format on */

static const struct isa_bank banks[] = {
    {ISA_NAMED("t0"), ISA_REG_NONE, ISA_INT},
    {ISA_NAMED("t0d"), ISA_REG_NONE, ISA_INT},
    {ISA_NAMED("t0w"), ISA_REG_NONE, ISA_INT},
    {ISA_NAMED("t0b"), ISA_REG_NONE, ISA_INT},
    {ISA_RANGE("t", 1, 15), TEMP0 + 1, ISA_INT},
    {ISA_RANGE("r", 8, 15), 8, ISA_INT},
    LEGACY(0, "rax", "eax", "ax", "al", "ah"),
    LEGACY(1, "rcx", "ecx", "cx", "cl", "ch"),
    LEGACY(2, "rdx", "edx", "dx", "dl", "dh"),
    LEGACY(3, "rbx", "ebx", "bx", "bl", "bh"),
    LEGACY(RSP, "rsp", "esp", "sp", "spl", "sph"),
    LEGACY(5, "rbp", "ebp", "bp", "bpl", "bph"),
    LEGACY(6, "rsi", "esi", "si", "sil", "sih"),
    LEGACY(7, "rdi", "edi", "di", "dil", "dih"),
    {ISA_TAILED("r", "d", 8, 15), 8, ISA_INT},
    {ISA_TAILED("r", "w", 8, 15), 8, ISA_PART},
    {ISA_TAILED("r", "b", 8, 15), 8, ISA_PART},
    {ISA_TAILED("t", "d", 1, 15), TEMP0 + 1, ISA_INT},
    {ISA_TAILED("t", "w", 1, 15), TEMP0 + 1, ISA_PART},
    {ISA_TAILED("t", "b", 1, 15), TEMP0 + 1, ISA_PART},
    {"%xmm", "_low", 0, 15, 2, XMM0, ISA_FP},
    {"%xmm", "_high", 0, 15, 2, XMM0 + 1, ISA_FP},
    {ISA_RANGE("%ufp", 0, 7), UFP0, ISA_FP},
    {ISA_RANGE("%mmx", 0, 7), MMX0, ISA_FP},
    {ISA_NAMED("cc"), FLAGS, ISA_INT},
    {ISA_NAMED("ezf"), EZF, ISA_INT},
    {ISA_NAMED("prodhi"), HI, ISA_INT},
    {ISA_NAMED("prodlo"), LO, ISA_INT},
};

/* Endings of a micro-op's row: it may be told to set or to obey the flags. */
#define F "flags"

#define OP3      "d,s,o"
#define FP3      "D,S,S?,n"
#define FP2      "D,S"
#define MULTIPLY "s,o|,s,o HL"

/* v: register written, and the old value of it; m: SEG:[address] */
static const struct isa_row rows[] = {
    {"absfp", OP_FP_OTHER, FP2, NULL},
    {"adc", OP_INT_ALU, OP3, F},
    {"adci", OP_INT_ALU, OP3, F},
    {"add", OP_INT_ALU, OP3, F},
    {"addfp", OP_FP_ADD, "D,S,S", NULL},
    {"addi", OP_INT_ALU, OP3, F},
    {"and", OP_INT_ALU, OP3, F},
    {"andi", OP_INT_ALU, OP3, F},
    {"br", OP_OTHER, "~", F}, /* inside the instruction's own microcode */
    {"bswap", OP_INT_ALU, "d,s", NULL},
    {"cda", OP_OTHER, "m", NULL},
    {"chsfp", OP_FP_OTHER, FP2, NULL},
    {"compfp", OP_FP_OTHER, "S,S|,S,S C", NULL},
    {"cosfp", OP_FP_DIV, FP2, NULL},
    {"cvtf2f", OP_FP_OTHER, "D,S~", NULL},
    {"cvtf2i", OP_FP_OTHER, "D,S~", NULL},
    {"cvtf_d2i", OP_FP_OTHER, "d,S", NULL},
    {"cvtf_i2d", OP_FP_OTHER, "D,s", NULL},
    {"cvti2f", OP_FP_OTHER, "D,S~", NULL},
    {"div1", OP_INT_DIV, "s,o|,s,o HL", NULL},
    {"div1i", OP_INT_DIV, "s,o|,s,o HL", NULL},
    {"div2", OP_INT_DIV, "d,s,o hlHL", F},
    {"div2i", OP_INT_DIV, "d,s,o hlHL", F},
    {"divfp", OP_FP_DIV, "D,S,S", NULL},
    {"divq", OP_INT_DIV, "d?,~ l", NULL},
    {"divr", OP_INT_DIV, "d?,~ h", NULL},
    {"emms", OP_SYSTEM, "~", NULL},
    {"fault", OP_SYSTEM, "~", NULL},
    {"halt", OP_SYSTEM, "~", NULL},
    {"ld", OP_LOAD, "d,m", NULL},
    {"ldfp", OP_LOAD, "D,m", NULL},
    {"ldfp87", OP_LOAD, "D,m", NULL},
    {"ldifp87", OP_LOAD, "D,m", NULL},
    {"ldst", OP_LOAD, "d,m", NULL},
    {"ldstl", OP_LOAD, "d,m", NULL},
    {"lea", OP_INT_ALU, "d,m", NULL},
    {"lfence", OP_SYSTEM, "~", NULL},
    {"lfpimm", OP_FP_OTHER, "D,*", NULL},
    {"limm", OP_INT_ALU, "d,n", NULL},
    {"maddf", OP_FP_ADD, FP3, NULL},
    {"maddi", OP_FP_OTHER, FP3, NULL},
    {"mand", OP_FP_OTHER, FP3, NULL},
    {"mandn", OP_FP_OTHER, FP3, NULL},
    {"maskmov", OP_FP_OTHER, "X,S,S", NULL},
    {"mavg", OP_FP_OTHER, FP3, NULL},
    {"mcmpf2r", OP_FP_OTHER, FP3, NULL},
    {"mcmpf2rf", OP_FP_OTHER, "S,S|,S,S C", NULL},
    {"mcmpi2r", OP_FP_OTHER, FP3, NULL},
    {"mdbi", OP_INT_ALU, "s,n|,s,n HL", NULL},
    {"mdivf", OP_FP_DIV, FP3, NULL},
    {"mfence", OP_SYSTEM, "~", NULL},
    {"mmaxf", OP_FP_OTHER, FP3, NULL},
    {"mmaxi", OP_FP_OTHER, FP3, NULL},
    {"mminf", OP_FP_OTHER, FP3, NULL},
    {"mmini", OP_FP_OTHER, FP3, NULL},
    {"mmulf", OP_FP_MUL, FP3, NULL},
    {"mmuli", OP_FP_MUL, FP3, NULL},
    {"mor", OP_FP_OTHER, FP3, NULL},
    {"mov", OP_INT_ALU, "v,o", F},
    {"mov2fp", OP_FP_OTHER, "D,s~", NULL},
    {"mov2int", OP_FP_OTHER, "d,S~", NULL},
    {"movfp", OP_FP_OTHER, FP2, NULL},
    {"movi", OP_INT_ALU, "v,n", F},
    {"movsign", OP_FP_OTHER, "d,S~", NULL},
    {"msad", OP_FP_OTHER, FP3, NULL},
    {"msll", OP_FP_OTHER, FP3, NULL},
    {"mslli", OP_FP_OTHER, "D,S,n", NULL},
    {"msqrt", OP_FP_DIV, "D,S~", NULL},
    {"msra", OP_FP_OTHER, FP3, NULL},
    {"msrai", OP_FP_OTHER, "D,S,n", NULL},
    {"msrl", OP_FP_OTHER, FP3, NULL},
    {"msrli", OP_FP_OTHER, "D,S,n", NULL},
    {"msubf", OP_FP_ADD, FP3, NULL},
    {"msubi", OP_FP_OTHER, FP3, NULL},
    {"mul1s", OP_INT_MUL, MULTIPLY, F},
    {"mul1si", OP_INT_MUL, MULTIPLY, F},
    {"mul1u", OP_INT_MUL, MULTIPLY, F},
    {"mul1ui", OP_INT_MUL, MULTIPLY, F},
    {"muleh", OP_INT_MUL, "d?,~ h", F},
    {"mulel", OP_INT_MUL, "d?,~ l", F},
    {"mulfp", OP_FP_MUL, "D,S,S", NULL},
    {"mxor", OP_FP_OTHER, FP3, NULL},
    {"nop", OP_NOP, "~", NULL},
    {"or", OP_INT_ALU, OP3, F},
    {"ori", OP_INT_ALU, OP3, F},
    {"pack", OP_FP_OTHER, FP3, NULL},
    {"panic", OP_SYSTEM, "~", NULL},
    {"premfp", OP_FP_DIV, "D,S,S", NULL},
    {"rcl", OP_INT_ALU, OP3, F},
    {"rcli", OP_INT_ALU, OP3, F},
    {"rcr", OP_INT_ALU, OP3, F},
    {"rcri", OP_INT_ALU, OP3, F},
    {"rdip", OP_INT_ALU, "d?,~", NULL}, /* old gem5 lists its control registers behind */
    {"rdtsc", OP_SYSTEM, "d?,~", NULL},
    {"rdval", OP_SYSTEM, "d,*", NULL},
    {"rflag", OP_INT_ALU, "d,~ c", NULL},
    {"rflags", OP_INT_ALU, "d?,~ c", NULL},
    {"rol", OP_INT_ALU, OP3, F},
    {"roli", OP_INT_ALU, OP3, F},
    {"ror", OP_INT_ALU, OP3, F},
    {"rori", OP_INT_ALU, OP3, F},
    {"ruflag", OP_INT_ALU, "d,~ c", F},
    {"ruflags", OP_INT_ALU, "d?,~ c", NULL},
    {"sbb", OP_INT_ALU, OP3, F},
    {"sbbi", OP_INT_ALU, OP3, F},
    {"sext", OP_INT_ALU, OP3, F},
    {"sexti", OP_INT_ALU, OP3, F},
    {"sfence", OP_SYSTEM, "~", NULL},
    {"shuffle", OP_FP_OTHER, "D,S,S,n", NULL},
    {"sinfp", OP_FP_DIV, FP2, NULL},
    {"sld", OP_INT_ALU, "d,s,o hl", F},
    {"sldi", OP_INT_ALU, "d,s,o hl", F},
    {"sll", OP_INT_ALU, OP3, F},
    {"slli", OP_INT_ALU, OP3, F},
    {"sqrtfp", OP_FP_DIV, "D,S?,S", NULL},
    {"sra", OP_INT_ALU, OP3, F},
    {"srai", OP_INT_ALU, OP3, F},
    {"srd", OP_INT_ALU, "d,s,o hl", F},
    {"srdi", OP_INT_ALU, "d,s,o hl", F},
    {"srl", OP_INT_ALU, OP3, F},
    {"srli", OP_INT_ALU, OP3, F},
    {"st", OP_STORE, "s,m", NULL},
    {"stfp", OP_STORE, "S,m", NULL},
    {"stfp87", OP_STORE, "S,m", NULL},
    {"stul", OP_STORE, "s,m", NULL},
    {"sub", OP_INT_ALU, OP3, F},
    {"subfp", OP_FP_ADD, "D,S,S", NULL},
    {"subi", OP_INT_ALU, OP3, F},
    {"tanfp", OP_FP_DIV, FP2, NULL},
    {"tia", OP_OTHER, "m", NULL},
    {"unpack", OP_FP_OTHER, FP3, NULL},
    {"warn", OP_SYSTEM, "~", NULL},
    {"wrflags", OP_INT_ALU, "s,o|,s,o C", NULL},
    {"wrip", OP_JUMP, "s,o|,s,o", F},
    {"wripi", OP_JUMP, "s,n|,s,n", F},
    {"wruflags", OP_INT_ALU, "s,o|,s,o C", NULL},
    {"wrval", OP_SYSTEM, "*,s", NULL},
    {"xor", OP_INT_ALU, OP3, F},
    {"xori", OP_INT_ALU, OP3, F},
    {"zext", OP_INT_ALU, OP3, F},
    {"zexti", OP_INT_ALU, OP3, F},
};

/*
 * What flags do to micro-ops of an instruction: c C read, written; e E the same of ezf; p: or do
 * nothing. Where only some of an instruction's micro-ops of one name do, inside its loops, all are
 * taken to.
 */
struct macro {
	const char *name; /* before the first '_'; '*' at its end stands for a condition */
	const char *uops; /* blank-separated; others have nothing to do with flags */
	const char *effect;
};

/* Sorted by the first letter. */
static const struct macro macros[] = {
    {"adc", "adc adci", "cC"},
    {"add", "add addi", "C"},
    {"and", "and andi", "C"},
    {"bsf", "and", "C"},
    {"bsf", "br", "c"},
    {"bsf", "srli", "E"},
    {"bsf", "mov", "ep"},
    {"bsr", "and", "C"},
    {"bsr", "br", "c"},
    {"bsr", "srli", "E"},
    {"bsr", "mov", "ep"},
    {"bswap", "", ""},
    {"bt", "sext sexti", "C"},
    {"btc", "sext sexti", "C"},
    {"btr", "sext sexti", "C"},
    {"bts", "sext sexti", "C"},
    {"call", "", ""},
    {"cbw", "", ""},
    {"cdq", "", ""},
    {"cdqe", "", ""},
    {"clc", "", ""},
    {"cld", "", ""},
    {"cmc", "", ""},
    {"cmov*", "mov", "cp"},
    {"cmp", "sub subi", "C"},
    {"cmps", "sub", "C"},
    {"cmps", "and ruflag subi", "E"},
    {"cmps", "mov movi", "ep"},
    {"cmps", "br", "ce"},
    {"cmpxchg", "sub", "C"},
    {"cmpxchg", "mov", "cp"},
    {"cmpxchg8b", "sub", "C"},
    {"cmpxchg8b", "br", "c"},
    {"cmpxchg8b", "mov", "cp"},
    {"cpuid", "", ""},
    {"cqo", "", ""},
    {"cwd", "", ""},
    {"dec", "sub subi", "C"},
    {"div", "div2", "E"},
    {"div", "br", "e"},
    {"enter", "", ""},
    {"idiv", "div2 slli", "E"},
    {"idiv", "br ruflag", "e"},
    {"idiv", "mov", "ep"},
    {"imul", "mul1s mul1si", "C"},
    {"inc", "add addi", "C"},
    {"j*", "wrip wripi", "cp"},
    {"jmp", "", ""},
    {"jrcx", "add", "E"},
    {"jrcx", "wrip wripi", "ep"},
    {"lahf", "", ""},
    {"lea", "", ""},
    {"leave", "", ""},
    {"lods", "and ruflag subi", "E"},
    {"lods", "mov movi", "ep"},
    {"lods", "br", "e"},
    {"loop", "sub subi", "E"},
    {"loop", "wrip wripi", "ep"},
    {"loope", "sub subi", "E"},
    {"loope", "wrip wripi", "cep"},
    {"loopne", "sub subi", "E"},
    {"loopne", "wrip wripi", "cep"},
    {"mov", "", ""},
    {"movs", "and ruflag subi", "E"},
    {"movs", "mov movi", "ep"},
    {"movs", "br", "e"},
    {"movsx", "", ""},
    {"movsxd", "", ""},
    {"movzx", "", ""},
    {"mul", "mul1u mul1ui", "C"},
    {"neg", "sub", "C"},
    {"nop", "", ""},
    {"not", "", ""},
    {"or", "or ori", "C"},
    {"pop", "", ""},
    {"popf", "", ""},
    {"push", "", ""},
    {"pushf", "", ""},
    {"rcl", "rcl rcli", "cC"},
    {"rcr", "rcr rcri", "cC"},
    {"rdtsc", "", ""},
    {"ret", "", ""},
    {"rol", "rol roli", "C"},
    {"ror", "ror rori", "C"},
    {"sahf", "", ""},
    {"sal", "sll slli", "C"},
    {"sar", "sra srai", "C"},
    {"sbb", "sbb sbbi", "cC"},
    {"scas", "sub", "C"},
    {"scas", "and ruflag subi", "E"},
    {"scas", "mov movi", "ep"},
    {"scas", "br", "ce"},
    {"set*", "movi", "cp"},
    {"shl", "sll slli", "C"},
    {"shld", "sld sldi", "C"},
    {"shr", "srl srli", "C"},
    {"shrd", "srd srdi", "C"},
    {"stc", "", ""},
    {"std", "", ""},
    {"stos", "and ruflag subi", "E"},
    {"stos", "mov movi", "ep"},
    {"stos", "br", "e"},
    {"sub", "sub subi", "C"},
    {"syscall", "", ""},
    {"test", "and andi", "C"},
    {"xadd", "add", "C"},
    {"xchg", "", ""},
    {"xlat", "", ""},
    {"xor", "xor xori", "C"},
};

static const char conditions[] = "b be l le nb nbe nl nle no np ns nz o p s z";

static const char *const segments[] = {"cs", "ds", "es", "fs", "gs",  "hs", "idtr",
				       "ls", "ms", "ss", "tr", "tsg", "tsl"};

static bool same(const char *name, const char *word, size_t len)
{
	return strlen(name) == len && !memcmp(name, word, len);
}

static bool macro_is(const struct macro *m, const char *word, size_t len)
{
	size_t n;

	for (n = 0; m->name[n] && m->name[n] != '*'; n++)
		if (n == len || m->name[n] != word[n])
			return false;
	return m->name[n] ? isa_in_list(conditions, word + n, len - n) : n == len;
}

static void apply(struct isa_insn *insn, const char *effect)
{
	size_t i;

	for (; *effect; effect++) {
		if (*effect == 'c' || *effect == 'e')
			isa_regs_add(&insn->sources, *effect == 'c' ? FLAGS : EZF);
		else if (*effect == 'p')
			insn->predicated = true;
		else
			isa_regs_add(&insn->sinks, *effect == 'C' ? FLAGS : EZF);
	}
	for (i = 0; insn->predicated && i < sizeof(insn->sinks.bits) / sizeof(uint64_t); i++)
		insn->sources.bits[i] |= insn->sinks.bits[i];
	if (insn->class == OP_NOP && isa_regs_next(&insn->sinks, 0) != ISA_REG_COUNT)
		insn->class = OP_INT_ALU;
	if (insn->class == OP_JUMP && insn->predicated) {
		insn->class = OP_BRANCH;
		insn->flow = FLOW_CONDITIONAL;
	}
}

/* The first of those with this first letter. */
static size_t find_letter(char letter)
{
	size_t lo = 0, hi = sizeof(macros) / sizeof(*macros);

	bisect(lo, hi, i, macros[i].name[0] < letter);
	return lo;
}

/* What the instruction's flags are to this micro-op; false: the instruction is not known. */
static bool apply_macro(struct isa_insn *insn, const char *macro, size_t len, const char *uop,
			size_t uop_len)
{
	bool known = false;
	size_t i = find_letter(macro[0]);

	for (; i < sizeof(macros) / sizeof(*macros) && macros[i].name[0] == macro[0]; i++) {
		if (!macro_is(&macros[i], macro, len))
			continue;
		known = true;
		if (isa_in_list(macros[i].uops, uop, uop_len))
			apply(insn, macros[i].effect);
	}
	return known;
}

/* wrip is the end of every jump: what kind is told by the instruction. */
static void name_flow(struct isa_insn *insn, const char *macro, size_t len)
{
	if (insn->class != OP_JUMP)
		return;
	if (same("call", macro, len)) {
		insn->class = OP_CALL;
		insn->flow = FLOW_CALL_INDIRECT;
	} else if (same("ret", macro, len)) {
		insn->class = OP_RETURN;
		insn->flow = FLOW_RETURN;
	}
}

/* ADD_R_R: as far as the first '_', and whether the target is in the instruction: JMP_I. */
static size_t take_macro(struct isa_reading *r, char *name, size_t size, bool *immediate)
{
	size_t len = isa_peek_name(r, name, size);

	isa_skip_blanks(r);
	r->p += len;
	*immediate = len > 2 && !memcmp(name + len - 2, "_i", 2);
	return strcspn(name, "_");
}

static bool needs_macro(const char *uop)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].name[0] == uop[0] && !strcmp(rows[i].name, uop))
			return rows[i].endings != NULL;
	return false;
}

static void name_direct(struct isa_insn *insn, bool immediate)
{
	if (immediate && insn->flow == FLOW_JUMP_INDIRECT)
		insn->flow = FLOW_JUMP;
	if (immediate && insn->flow == FLOW_CALL_INDIRECT)
		insn->flow = FLOW_CALL;
}

static bool decode(struct isa_reading *r)
{
	char macro[40], uop[16];
	size_t len, uop_len;
	bool immediate;

	len = take_macro(r, macro, sizeof(macro), &immediate);
	if (!len || !isa_read_char(r, ':')) {
		r->insn->unread = UNREAD_MNEMONIC;
		return false;
	}
	uop_len = isa_peek_name(r, uop, sizeof(uop));
	if (!isa_read_instruction(r))
		return false;
	if (!apply_macro(r->insn, macro, len, uop, uop_len) && needs_macro(uop)) {
		r->p = r->start;
		r->insn->unread = UNREAD_MNEMONIC;
		return false;
	}
	name_flow(r->insn, macro, len);
	name_direct(r->insn, immediate);
	return true;
}

static bool read_segment(struct isa_reading *r)
{
	size_t i;

	for (i = 0; i < sizeof(segments) / sizeof(*segments); i++)
		if (isa_read_word(r, segments[i]))
			return isa_read_char(r, ':');
	return false;
}

/* `8*rcx`, `rax`, `0x10`, `rip`; a register that is not multiplied is the base, the last of them.
 */
static bool read_term(struct isa_reading *r)
{
	struct isa_reg reg;
	int64_t n;

	if (isa_read_number(r, &n)) {
		if (r->p == r->end || *r->p != '*')
			return true;
		r->p++;
	}
	if (isa_read_word(r, "rip"))
		return true;
	if (!isa_read_int(r, true, false, &reg))
		return false;
	r->insn->base = reg.number;
	return true;
}

static bool read_address(struct isa_reading *r)
{
	if (!read_segment(r) || !isa_read_char(r, '['))
		return false;
	do {
		if (!read_term(r))
			return false;
	} while (isa_read_char(r, '+'));
	return isa_read_char(r, ']');
}

/* A move prints the old destination as a source, though only a narrow one keeps a part of it. */
static bool read_moved(struct isa_reading *r)
{
	struct isa_reg to, old;

	return isa_read_int(r, false, true, &to) && isa_read_char(r, ',') &&
	       isa_read_int(r, to.kind == ISA_PART, false, &old);
}

static bool operand(struct isa_reading *r, char letter)
{
	const char *from = r->p;

	if (letter == 'm')
		return read_address(r);
	if (letter != 'v')
		return false;
	if (read_moved(r))
		return true;
	r->p = from;
	return false;
}

const struct isa_dialect isa_x86_gem5 = {
    .rows = rows,
    .count = sizeof(rows) / sizeof(*rows),
    .flags = FLAGS,
    .link = ISA_REG_NONE,
    .hi = HI,
    .lo = LO,
    .banks = banks,
    .bank_count = sizeof(banks) / sizeof(*banks),
    .operand = operand,
    .decode = decode,
};
