/*
 * What the two ARM instruction sets spell alike: shifted registers and addresses in brackets.
 */
#ifndef PIPEGLASS_ISA_BRACKET_H
#define PIPEGLASS_ISA_BRACKET_H

#include "isa/dialect.h"

/* Behind a register: `, lsl #2`, `, asr r13`, `, sxtw`, `, rrx`; true if there is none at all. */
bool isa_read_shift(struct isa_reading *r);

/* A number with what it was encoded from, `#512 (2 >>> 12)`, or a register that may be shifted. */
bool isa_read_shifted(struct isa_reading *r);

/*
 * `[r1]`, `[r1, #4]`, `[r1, r2, lsl #2]`; with `!` or something after the bracket the base is
 * written too.
 */
bool isa_read_bracketed(struct isa_reading *r);

/* An fp register, which is read, or #1.0. */
bool isa_read_fp_or_constant(struct isa_reading *r);

/* `eq`, `hs`, ...: as an operand, and as two letters of a mnemonic. */
bool isa_read_condition(struct isa_reading *r);
bool isa_is_condition(const char *two);

#endif
