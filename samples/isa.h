/*
 * The instruction set of samplecore: a subset of Alpha's integer and floating operations, kept
 * decoded (there is no binary encoding).  It promises one definition of what an instruction does,
 * isa_effect(), used by the pipeline and by the in-order reference alike, and a disassembly spelt
 * as sim-outorder spells Alpha.  Every call costs O(1) but asm_assemble(), which is O(source *
 * labels).
 */
#ifndef SAMPLES_ISA_H
#define SAMPLES_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functional units, and the issue queue in front of each. */
#define UNITS(X)                                                                                   \
	X(ALU, "alu", INT)                                                                         \
	X(AGEN, "agen", MEM)                                                                       \
	X(PORT, "port", MEM)                                                                       \
	X(FADD, "fadd", FP)                                                                        \
	X(FMUL, "fmul", FP)

#define QUEUES(X)                                                                                  \
	X(INT, "int")                                                                              \
	X(MEM, "mem")                                                                              \
	X(FP, "fp")

#define ISA_SIGN (UINT64_C(1) << 63)

/* mnemonic, form, unit, and for OPERATE the result, for BRANCH the condition, of operands a and b
 */
#define OPS(X)                                                                                     \
	X(addq, OPERATE, ALU, a + b)                                                               \
	X(subq, OPERATE, ALU, a - b)                                                               \
	X(s8addq, OPERATE, ALU, a * 8 + b)                                                         \
	X(bis, OPERATE, ALU, a | b)                                                                \
	X(cmplt, OPERATE, ALU, (int64_t)a < (int64_t)b)                                            \
	X(cmpult, OPERATE, ALU, a < b)                                                             \
	X(addt, OPERATE, FADD, isa_bits(isa_real(a) + isa_real(b)))                                \
	X(cpys, OPERATE, FADD, (a & ISA_SIGN) | (b & ~ISA_SIGN))                                   \
	X(mult, OPERATE, FMUL, isa_bits(isa_real(a) * isa_real(b)))                                \
	X(lda, ADDRESS, ALU, 0)                                                                    \
	X(ldq, LOAD, AGEN, 0)                                                                      \
	X(ldt, LOAD, AGEN, 0)                                                                      \
	X(stq, STORE, AGEN, 0)                                                                     \
	X(stt, STORE, AGEN, 0)                                                                     \
	X(beq, BRANCH, ALU, a == 0)                                                                \
	X(bne, BRANCH, ALU, a != 0)                                                                \
	X(br, JUMP, ALU, 0)                                                                        \
	X(bsr, CALL, ALU, 0)                                                                       \
	X(ret, RETURN, ALU, 0)                                                                     \
	X(call_pal, HALT, ALU, 0)

enum unit {
#define X(id, name, queue) UNIT_##id,
	UNITS(X)
#undef X
	    UNIT_COUNT
};

enum queue {
#define X(id, name) QUEUE_##id,
	QUEUES(X)
#undef X
	    QUEUE_COUNT
};

enum op {
#define X(name, form, unit, expr) OP_##name,
	OPS(X)
#undef X
	    OP_COUNT
};

enum form {
	FORM_OPERATE,
	FORM_ADDRESS,
	FORM_LOAD,
	FORM_STORE,
	FORM_BRANCH,
	FORM_JUMP,
	FORM_CALL,
	FORM_RETURN,
	FORM_HALT
};

struct op_info {
	const char *name;
	enum form form;
	enum unit unit;
};

extern const struct op_info isa_ops[OP_COUNT];
extern const enum queue isa_queue_of[UNIT_COUNT];

enum {
	REG_COUNT = 64, /* r0-r31, then f0-f31 */
	REG_ZERO = 31,  /* r31 and f31 read as zero; writing them does nothing */
	TEXT_MAX = 128,
	MEM_WORDS = 8192
};

#define TEXT_BASE UINT64_C(0x120000000)
#define DATA_BASE UINT64_C(0x140000000)

struct insn {
	enum op op;
	uint8_t src[2]; /* base or first operand; data or second operand */
	uint8_t dst;    /* REG_ZERO when there is no result */
	bool literal;   /* the second operand is imm */
	int64_t imm;    /* literal, displacement from the base, or from the branch itself */
	char text[32];
};

struct text {
	struct insn insn[TEXT_MAX];
	size_t count;
};

/* Eight-byte words from DATA_BASE on; nothing else is memory. */
struct memory {
	uint64_t word[MEM_WORDS];
};

/* Architectural state: what a programmer sees. */
struct arch {
	uint64_t pc;
	uint64_t reg[REG_COUNT];
	struct memory mem;
};

/* What one instruction did. */
struct effect {
	uint64_t next;  /* next pc */
	uint64_t value; /* result, or the data of a store */
	uint64_t addr;  /* loads and stores only */
};

static inline enum form isa_form(const struct insn *insn)
{
	return isa_ops[insn->op].form;
}

static inline enum queue isa_queue(const struct insn *insn)
{
	return isa_queue_of[isa_ops[insn->op].unit];
}

static inline bool isa_is_zero(unsigned reg)
{
	return reg % 32 == REG_ZERO;
}

static inline bool isa_is_memory(const struct insn *insn)
{
	return isa_form(insn) == FORM_LOAD || isa_form(insn) == FORM_STORE;
}

/* A computation nobody can see the result of: decode drops it. */
static inline bool isa_is_nop(const struct insn *insn)
{
	return isa_form(insn) == FORM_OPERATE && isa_is_zero(insn->dst);
}

/* Is the next pc anything but pc + 4, or may it be? */
static inline bool isa_is_control(const struct insn *insn)
{
	return isa_form(insn) >= FORM_BRANCH && isa_form(insn) <= FORM_RETURN;
}

/* The instruction at pc, or NULL outside the program. */
const struct insn *isa_at(const struct text *text, uint64_t pc);

/* The word at addr, or NULL if it is unaligned or no memory. */
uint64_t *isa_word(struct memory *mem, uint64_t addr);

/* What insn does at pc with source values a and b; the value of a load is left to the caller. */
struct effect isa_effect(const struct insn *insn, uint64_t pc, uint64_t a, uint64_t b);

/* Executes one instruction in order; false if pc or address is outside the program's memory. */
bool isa_step(struct arch *arch, const struct text *text, struct effect *effect);

/* Assembles source into text; returns 0, or the number of the line it does not understand. */
int asm_assemble(const char *source, struct text *text);

#endif
