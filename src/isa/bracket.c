#include "config.h"

#include "isa/bracket.h"

#include <string.h>

static const char *const conditions[] = {
    "eq", "ne", "cs", "hs", "cc", "lo", "mi", "pl", "vs",
    "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
};

/* Shifts and extensions; each may be followed by an amount. */
static const char *const shifts[] = {
    "lsl",  "lsr",  "asr",  "ror",  "rrx",  "msl",  "uxtb",
    "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx",
};

bool isa_is_condition(const char *two)
{
	size_t i;

	for (i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (!memcmp(conditions[i], two, 2))
			return true;
	return false;
}

bool isa_read_condition(struct isa_reading *r)
{
	size_t i;

	for (i = 0; i < sizeof(conditions) / sizeof(*conditions); i++)
		if (isa_read_word(r, conditions[i]))
			return true;
	return false;
}

static bool read_shift_word(struct isa_reading *r)
{
	size_t i;

	for (i = 0; i < sizeof(shifts) / sizeof(*shifts); i++) {
		if (!isa_read_word(r, shifts[i]))
			continue;
		if (!strcmp(shifts[i], "rrx")) /* the carry is shifted in */
			isa_regs_add(&r->insn->sources, r->dialect->flags);
		return true;
	}
	return false;
}

bool isa_read_shift(struct isa_reading *r)
{
	const char *from = r->p;
	struct isa_reg by;
	int64_t amount;

	if (!isa_read_char(r, ','))
		return true;
	if (!read_shift_word(r)) {
		r->p = from;
		return true;
	}
	if (!isa_read_number(r, &amount))
		isa_read_int(r, true, false, &by);
	return true;
}

bool isa_read_shifted(struct isa_reading *r)
{
	struct isa_reg reg;
	int64_t n;

	if (!isa_read_number(r, &n)) {
		isa_read_char(r, '-'); /* of an index that counts down */
		return isa_read_int(r, true, false, &reg) && isa_read_shift(r);
	}
	isa_skip_blanks(r);
	if (r->p < r->end && *r->p == '(')
		return isa_read_anything(r);
	return isa_read_shift(r);
}

/* Inside the brackets: a displacement, or an index. */
static bool read_offset(struct isa_reading *r)
{
	int64_t n;

	return isa_read_number(r, &n) || isa_read_shifted(r);
}

/* Behind the brackets: what the base moves by after the access; gem5 closes them a second time. */
static bool read_step(struct isa_reading *r)
{
	if (!isa_read_shifted(r))
		return false;
	isa_read_char(r, ']');
	return true;
}

bool isa_read_bracketed(struct isa_reading *r)
{
	struct isa_reg base;

	if (!isa_read_char(r, '[') || !isa_read_int(r, true, false, &base))
		return false;
	r->insn->base = base.number;
	if ((isa_read_char(r, ',') && !read_offset(r)) || !isa_read_char(r, ']'))
		return false;
	if (!isa_read_char(r, '!')) {
		if (!isa_read_char(r, ','))
			return true;
		if (!read_step(r))
			return false;
	}
	isa_regs_add(&r->insn->sinks, base.number);
	return true;
}

bool isa_read_fp_or_constant(struct isa_reading *r)
{
	struct isa_reg reg;

	isa_skip_blanks(r);
	if (r->p < r->end && *r->p == '#')
		return isa_read_anything(r);
	return isa_read_reg(r, true, false, &reg) && reg.kind == ISA_FP;
}
