/*
 * How one instruction set is told: a sorted table of mnemonics, each with its class and the shape
 * of its operands, and a few functions for what is spelt in the set's own way. A new instruction
 * set is a file with such a dialect and a row in ISAS.
 *
 * A shape is what the text must say after the mnemonic. Blanks of the text do not count.
 *
 *	d s x   integer register, written / read / both        D S X   the same, floating
 *	w r     register of either kind, written / read        o       integer register or number
 *	n       number              N       the same, of a branch that no more is known of
 *	t       branch target
 *	m       disp(base), or memory as the dialect has it    *       anything up to a comma
 *	?       the text may end here                          ~       anything up to the end
 *	|       otherwise, from the start, what follows        space   implicit operands follow
 *	,()[]   themselves                                     other   the dialect's own operand
 *
 * Implicit operands: c C flags read / written, K k link register, h H hi, l L lo likewise,
 * W memory written besides what the class says, z decides its own branch.
 * The shapes of one mnemonic all have the implicit operands of the last.
 */
#ifndef PIPEGLASS_ISA_DIALECT_H
#define PIPEGLASS_ISA_DIALECT_H

#include "isa/isa.h"

struct isa_row {
	const char *name;
	enum op_class class;
	const char *shape;
	const char *endings; /* what the mnemonic may end in, for the dialect; NULL: nothing */
};

struct isa_reading {
	const struct isa_dialect *dialect;
	const char *start, *p, *end;
	struct isa_insn *insn;
	bool direct; /* a branch target was printed */
};

/* What a register's name stands for. */
enum isa_reg_kind {
	ISA_INT,
	ISA_FP,
	ISA_PART, /* of an integer register: the rest keeps its value when it is written */
	ISA_PC
};

struct isa_reg {
	uint8_t number; /* ISA_REG_NONE: reads as zero, or the program counter */
	enum isa_reg_kind kind;
};

/*
 * Registers whose names differ by a number: prefix, number, tail. The first bank that fits a name
 * tells its register, the first that covers a register tells its name.
 */
struct isa_bank {
	const char *prefix;
	const char *tail; /* "*": anything; NULL: there is no number, the prefix is the name */
	uint8_t from, to; /* numbers */
	uint8_t step;     /* from one register to the next */
	uint8_t reg;      /* that of the first number */
	enum isa_reg_kind kind;
};

/* What a row of banks begins with: r0 to r30, with a tail as in r8d; sp. */
#define ISA_TAILED(prefix, tail, from, to) prefix, tail, from, to, 1
#define ISA_RANGE(prefix, from, to)        ISA_TAILED(prefix, "", from, to)
#define ISA_NAMED(name)                    name, NULL, 0, 0, 1

struct isa_dialect {
	const struct isa_row *rows; /* sorted by name, in bytes */
	size_t count;
	uint8_t flags, link, hi, lo; /* registers for implicit operands, or ISA_REG_NONE */
	bool dotted;                 /* mnemonics: `_` is written for `.` too */

	const struct isa_bank *banks;
	size_t bank_count;

	/* An operand of a letter that no other dialect has, or m: memory. May be NULL. */
	bool (*operand)(struct isa_reading *r, char letter);

	/*
	 * What follows row's name in a mnemonic (never empty), which may mark the instruction
	 * predicated or add implicit operands; false: this is not of that row. May be NULL.
	 */
	bool (*ending)(const struct isa_row *row, const char *rest, size_t len,
		       struct isa_insn *insn);

	/* What only the whole instruction tells: calls that are jumps, ... May be NULL. */
	void (*finish)(const struct isa_row *row, struct isa_insn *insn);

	/* Instead of isa_read_instruction(), which it may use. May be NULL. */
	bool (*decode)(struct isa_reading *r);
};

extern const struct isa_dialect isa_alpha, isa_pisa, isa_arm, isa_aarch64, isa_riscv, isa_x86_gem5;

const struct isa_dialect *isa_dialect(enum isa isa); /* NULL for ISA_UNKNOWN */

/* Mnemonic and operands; on false r->insn->unread is set and the rest of it unspecified. */
bool isa_read_instruction(struct isa_reading *r);

/* ---- parts of operands: each skips blanks, and moves r->p only when it reads something ---- */

bool isa_read_char(struct isa_reading *r, char c);
bool isa_read_word(struct isa_reading *r, const char *word); /* case does not count */
bool isa_read_number(struct isa_reading *r, int64_t *out);   /* #, sign, decimal or 0x */
bool isa_read_reg(struct isa_reading *r, bool read, bool written, struct isa_reg *out);
bool isa_read_int(struct isa_reading *r, bool read, bool written, struct isa_reg *out);
bool isa_read_anything(struct isa_reading *r); /* up to a comma outside brackets */
void isa_skip_blanks(struct isa_reading *r);

/* A register's name alone: nothing is read or written by it. */
bool isa_read_name(struct isa_reading *r, struct isa_reg *out);

/* The longest run of letters, digits and "_./%$", lower case, cut at size - 1; 0: none. */
size_t isa_peek_name(const struct isa_reading *r, char *out, size_t size);

/* Is it one of the blank-separated words of the list? */
bool isa_in_list(const char *list, const char *word, size_t len);

/* disp(base): the base register is read. */
bool isa_read_displaced(struct isa_reading *r);

#endif
