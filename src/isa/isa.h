/*
 * What an instruction is, read from its disassembly: class, operands, branch kind.
 *
 * Pure and allocation-free; a text is LEN hostile bytes without an end mark. One decode costs
 * O(text + log mnemonics), some 100 ns. What cannot be read whole (an unknown mnemonic, operands
 * that do not fit it) is never guessed at: false, class `unknown`, and what failed.
 *
 * Registers are small numbers, one numbering per instruction set; a register that reads as zero
 * and takes no write (r31, f31, x0, xzr, $0, x86's t0) is no operand, nor is the program counter.
 * Memory is not a register: whether it is read or written is told, not which bytes. Where a branch
 * goes is not told either: traces have it by the pc of the next row.
 */
#ifndef PIPEGLASS_ISA_ISA_H
#define PIPEGLASS_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* key, name for people; the order is that of the dialects in isa.c */
#define ISAS(X)                                                                                    \
	X(UNKNOWN, "unknown", "unknown")                                                           \
	X(ALPHA, "alpha", "Alpha")                                                                 \
	X(PISA, "pisa", "SimpleScalar PISA")                                                       \
	X(ARM, "arm", "ARM")                                                                       \
	X(AARCH64, "aarch64", "AArch64")                                                           \
	X(RISCV, "riscv", "RISC-V")                                                                \
	X(X86_GEM5, "x86-gem5", "x86 micro-ops of gem5")

enum isa {
#define X(id, key, name) ISA_##id,
	ISAS(X)
#undef X
	    ISA_COUNT
};

/* Which unit of the machine the instruction is for. An atomic read-modify-write is a load. */
#define OP_CLASSES(X)                                                                              \
	X(UNKNOWN, "unknown")                                                                      \
	X(INT_ALU, "integer")                                                                      \
	X(INT_MUL, "integer multiply")                                                             \
	X(INT_DIV, "integer divide")                                                               \
	X(LOAD, "load")                                                                            \
	X(STORE, "store")                                                                          \
	X(FP_ADD, "fp add")                                                                        \
	X(FP_MUL, "fp multiply")                                                                   \
	X(FP_DIV, "fp divide")                                                                     \
	X(FP_OTHER, "fp other")                                                                    \
	X(BRANCH, "branch")                                                                        \
	X(JUMP, "jump")                                                                            \
	X(CALL, "call")                                                                            \
	X(RETURN, "return")                                                                        \
	X(NOP, "nop")                                                                              \
	X(SYSTEM, "system")                                                                        \
	X(PART, "part of an instruction") /* a micro-op whose operands only its parent tells */    \
	X(OTHER, "other")

enum op_class {
#define X(id, name) OP_##id,
	OP_CLASSES(X)
#undef X
	    OP_CLASS_COUNT
};

/* A set of op classes. */
typedef uint32_t class_set;
_Static_assert(OP_CLASS_COUNT <= 32, "a set of classes is a word");

/* Where the program may go from here: a load into the program counter is a load and a jump. */
#define ISA_FLOWS(X)                                                                               \
	X(NEXT, "next")                                                                            \
	X(CONDITIONAL, "conditional")                                                              \
	X(JUMP, "jump")                                                                            \
	X(JUMP_INDIRECT, "indirect jump")                                                          \
	X(CALL, "call")                                                                            \
	X(CALL_INDIRECT, "indirect call")                                                          \
	X(RETURN, "return")

enum isa_flow {
#define X(id, name) FLOW_##id,
	ISA_FLOWS(X)
#undef X
	    FLOW_COUNT
};

/* What could not be read. */
#define ISA_UNREADS(X)                                                                             \
	X(NOTHING, "read whole")                                                                   \
	X(EMPTY, "no text")                                                                        \
	X(MNEMONIC, "unknown mnemonic")                                                            \
	X(OPERANDS, "operands do not fit the mnemonic")

enum isa_unread {
#define X(id, what) UNREAD_##id,
	ISA_UNREADS(X)
#undef X
	    UNREAD_COUNT
};

enum { ISA_REG_COUNT = 128, ISA_REG_NONE = 255 };

/* A set of registers. */
struct isa_regs {
	uint64_t bits[ISA_REG_COUNT / 64];
};

struct isa_insn {
	enum op_class class;
	enum isa_flow flow;
	enum isa_unread unread;
	uint32_t unread_at; /* byte of the text where reading stopped */

	/*
	 * The branch's outcome is made by its own execution, by comparing registers (Alpha beq,
	 * RISC-V bne, AArch64 cbz) or by computing or loading where to go (ARM ldr pc), so that no
	 * earlier instruction resolves it. One that tests flags set before (ARM beq, x86 jz), or
	 * goes where a register already points (ret), is resolved by the writer of those.
	 */
	bool self_resolving;
	bool predicated; /* does nothing if the flags say so: it reads them and its own sinks */
	bool reads_memory, writes_memory;

	struct isa_regs sources, sinks;

	uint8_t base; /* the register that memory is addressed from; or ISA_REG_NONE */
};

/*
 * Reads text as an instruction of isa. False: *out has class OP_UNKNOWN, no operands, and unread
 * says why. ISA_UNKNOWN reads nothing.
 */
bool isa_decode(enum isa isa, const char *text, size_t len, struct isa_insn *out);

/* Which instruction set texts are of: feed each text (the caller chooses a sample), then ask. */
struct isa_votes {
	uint64_t texts; /* that say anything: empty ones and parts of instructions do not */
	uint64_t read[ISA_COUNT];
};

void isa_vote(struct isa_votes *votes, const char *text, size_t len);

/* The one that reads more than half of the texts and more of them than any other; or unknown. */
enum isa isa_elect(const struct isa_votes *votes);

/* "r26", "a0", "cc", "rax": as the instruction set's own disassembly has it. */
void isa_register_name(enum isa isa, unsigned reg, char out[16]);

const char *isa_key(enum isa isa);
const char *isa_name(enum isa isa);
enum isa isa_find(const char *key); /* ISA_UNKNOWN when there is none */
const char *isa_class_name(enum op_class class);
const char *isa_flow_name(enum isa_flow flow);
const char *isa_unread_name(enum isa_unread unread);

static inline bool isa_regs_has(const struct isa_regs *set, unsigned reg)
{
	return reg < ISA_REG_COUNT && set->bits[reg / 64] >> reg % 64 & 1;
}

static inline void isa_regs_add(struct isa_regs *set, unsigned reg)
{
	if (reg < ISA_REG_COUNT)
		set->bits[reg / 64] |= UINT64_C(1) << reg % 64;
}

/* The lowest register of the set that is >= from, or ISA_REG_COUNT: for (r = 0; (r = ...) ...). */
unsigned isa_regs_next(const struct isa_regs *set, unsigned from);

#endif
