#include "config.h"

#include <string.h>

#include "base/bisect.h"
#include "isa/dialect.h"

/* Names longer than this are in no table. */
enum { NAME_MAX_LEN = 24 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	c = lower(c);
	return is_digit(c) || (c >= 'a' && c <= 'z');
}

static bool is_name(char c)
{
	return is_alnum(c) || c == '_' || c == '.' || c == '/' || c == '%' || c == '$';
}

/* ---- parts of operands ------------------------------------------------------------------- */

void isa_skip_blanks(struct isa_reading *r)
{
	while (r->p < r->end && is_blank(*r->p))
		r->p++;
}

bool isa_read_char(struct isa_reading *r, char c)
{
	isa_skip_blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

bool isa_read_word(struct isa_reading *r, const char *word)
{
	const char *p;

	isa_skip_blanks(r);
	for (p = r->p; *word; p++, word++)
		if (p == r->end || lower(*p) != *word)
			return false;
	if (p < r->end && is_alnum(*p))
		return false;
	r->p = p;
	return true;
}

size_t isa_peek_name(const struct isa_reading *r, char *out, size_t size)
{
	const char *p = r->p;
	size_t n = 0;

	while (p < r->end && is_blank(*p))
		p++;
	for (; p < r->end && n + 1 < size && is_name(*p); p++)
		out[n++] = lower(*p);
	out[n] = '\0';
	return n;
}

bool isa_in_list(const char *list, const char *word, size_t len)
{
	const char *next;

	for (; *list; list = *next ? next + 1 : next) {
		for (next = list; *next && *next != ' '; next++)
			;
		if ((size_t)(next - list) == len && !memcmp(list, word, len))
			return true;
	}
	return false;
}

static int digit_of(char c, unsigned base)
{
	int v = is_digit(c) ? c - '0' : lower(c) - 'a' + 10;

	if (!is_alnum(c) || v >= (int)base)
		return -1;
	return v;
}

/* Digits, and nothing of a name after them; what exceeds 64 bits is no number of an instruction. */
static bool read_digits(const char **p, const char *end, unsigned base, uint64_t *out)
{
	const char *q = *p;
	uint64_t v = 0;
	int d;

	for (; q < end && (d = digit_of(*q, base)) >= 0; q++) {
		if (v > (UINT64_MAX - (unsigned)d) / base)
			return false;
		v = v * base + (unsigned)d;
	}
	if (q == *p || (q < end && is_alnum(*q)))
		return false;
	*p = q;
	*out = v;
	return true;
}

bool isa_read_number(struct isa_reading *r, int64_t *out)
{
	const char *p;
	bool minus = false;
	unsigned base = 10;
	uint64_t v;

	isa_skip_blanks(r);
	p = r->p;
	for (; p < r->end && p < r->p + 2 && strchr("#-+", *p) && *p; p++) /* #-4, -#4 */
		minus |= *p == '-';
	if (r->end - p > 2 && p[0] == '0' && lower(p[1]) == 'x') {
		p += 2;
		base = 16;
	}
	if (!read_digits(&p, r->end, base, &v))
		return false;
	r->p = p;
	*out = (int64_t)(minus ? 0 - v : v);
	return true;
}

bool isa_read_anything(struct isa_reading *r)
{
	const char *from;
	unsigned depth = 0;

	isa_skip_blanks(r);
	for (from = r->p; r->p < r->end && (depth || *r->p != ','); r->p++) {
		if (*r->p && strchr("([{", *r->p))
			depth++;
		else if (depth && *r->p && strchr(")]}", *r->p))
			depth--;
	}
	return r->p > from;
}

bool isa_read_reg(struct isa_reading *r, bool read, bool written, struct isa_reg *out)
{
	if (!isa_read_name(r, out))
		return false;
	if (read || (written && out->kind == ISA_PART))
		isa_regs_add(&r->insn->sources, out->number);
	if (written)
		isa_regs_add(&r->insn->sinks, out->number);
	if (written && out->kind == ISA_PC)
		r->insn->flow = FLOW_JUMP_INDIRECT;
	return true;
}

bool isa_read_int(struct isa_reading *r, bool read, bool written, struct isa_reg *out)
{
	return isa_read_reg(r, read, written, out) && out->kind != ISA_FP;
}

bool isa_read_displaced(struct isa_reading *r)
{
	struct isa_reg base;
	int64_t v = 0;

	isa_read_number(r, &v);
	if (!isa_read_char(r, '(') || !isa_read_int(r, true, false, &base) ||
	    !isa_read_char(r, ')'))
		return false;
	r->insn->base = base.number;
	return true;
}

/* ---- shapes ------------------------------------------------------------------------------ */

enum want { WANT_INT, WANT_FP, WANT_ANY };

static const struct reg_letter {
	char letter;
	enum want want;
	bool read, written;
} reg_letters[] = {
    {'d', WANT_INT, false, true}, {'s', WANT_INT, true, false}, {'x', WANT_INT, true, true},
    {'D', WANT_FP, false, true},  {'S', WANT_FP, true, false},  {'X', WANT_FP, true, true},
    {'w', WANT_ANY, false, true}, {'r', WANT_ANY, true, false},
};

static const struct reg_letter *reg_letter(char c)
{
	size_t i;

	for (i = 0; i < sizeof(reg_letters) / sizeof(*reg_letters); i++)
		if (reg_letters[i].letter == c)
			return &reg_letters[i];
	return NULL;
}

static bool read_reg(struct isa_reading *r, const struct reg_letter *l)
{
	struct isa_reg reg;

	return isa_read_reg(r, l->read, l->written, &reg) &&
	       (l->want == WANT_ANY || (reg.kind == ISA_FP) == (l->want == WANT_FP));
}

/* `pc + 8`, `pc - 8`. */
static bool read_from_pc(struct isa_reading *r)
{
	int64_t distance;

	return isa_read_word(r, "pc") && (isa_read_char(r, '-') || isa_read_char(r, '+')) &&
	       isa_read_number(r, &distance);
}

/* `<main+16>`: what a name stands for is not in the text. */
static bool read_symbol(struct isa_reading *r)
{
	const char *close;

	isa_skip_blanks(r);
	if (r->p == r->end || *r->p != '<')
		return false;
	close = memchr(r->p, '>', (size_t)(r->end - r->p));
	if (!close)
		return false;
	r->p = close + 1;
	return true;
}

/* Where it is is not asked: that it is printed tells the branch from one that a register leads. */
static bool read_target(struct isa_reading *r)
{
	int64_t place;

	r->direct = true;
	if (read_from_pc(r) || read_symbol(r))
		return true;
	if (!isa_read_number(r, &place))
		return false;
	read_symbol(r); /* it may stand beside the number */
	return true;
}

static bool read_operand(struct isa_reading *r, char letter)
{
	const struct reg_letter *l = reg_letter(letter);
	int64_t ignored;

	if (l)
		return read_reg(r, l);
	switch (letter) {
	case 'n':
		return isa_read_number(r, &ignored);
	case 'N':
		r->direct = true;
		return isa_read_number(r, &ignored);
	case 'o':
		return isa_read_number(r, &ignored) || read_reg(r, reg_letter('s'));
	case 't':
		return read_target(r);
	case '*':
		return isa_read_anything(r);
	case '~':
		r->p = r->end;
		return true;
	default:
		if (strchr(",()[]", letter))
			return isa_read_char(r, letter);
		if (r->dialect->operand)
			return r->dialect->operand(r, letter);
		return letter == 'm' && isa_read_displaced(r);
	}
}

/* One alternative; *shape is left at its end whether it fits or not. */
static bool read_alternative(struct isa_reading *r, const char **shape)
{
	bool fits = true;
	const char *s;

	for (s = *shape; *s && *s != '|' && *s != ' '; s++) {
		if (!fits)
			continue;
		if (*s != '?') {
			fits = read_operand(r, *s);
			continue;
		}
		isa_skip_blanks(r);
		if (r->p == r->end)
			break;
	}
	while (*s && *s != '|' && *s != ' ')
		s++;
	*shape = s;
	isa_skip_blanks(r);
	return fits && r->p == r->end;
}

/* Implicit operands that are registers: which of the dialect's. */
static const struct implicit {
	char letter;
	bool written;
	size_t reg;
} implicits[] = {
    {'c', false, offsetof(struct isa_dialect, flags)},
    {'C', true, offsetof(struct isa_dialect, flags)},
    {'K', false, offsetof(struct isa_dialect, link)},
    {'k', true, offsetof(struct isa_dialect, link)},
    {'h', false, offsetof(struct isa_dialect, hi)},
    {'H', true, offsetof(struct isa_dialect, hi)},
    {'l', false, offsetof(struct isa_dialect, lo)},
    {'L', true, offsetof(struct isa_dialect, lo)},
};

static void add_implicit(struct isa_reading *r, char letter)
{
	const struct implicit *i = implicits, *end = i + sizeof(implicits) / sizeof(*implicits);
	struct isa_insn *insn = r->insn;

	insn->writes_memory |= letter == 'W';
	insn->self_resolving |= letter == 'z';
	for (; i < end; i++)
		if (i->letter == letter)
			isa_regs_add(i->written ? &insn->sinks : &insn->sources,
				     ((const uint8_t *)r->dialect)[i->reg]);
}

static bool read_shape(struct isa_reading *r, const char *shape)
{
	const struct isa_insn fresh = *r->insn;
	const char *from = r->p, *furthest = from;
	bool fits;

	for (;;) {
		fits = read_alternative(r, &shape);
		if (fits || *shape != '|')
			break;
		furthest = r->p > furthest ? r->p : furthest;
		shape++;
		r->p = from;
		r->direct = false;
		*r->insn = fresh;
	}
	if (!fits) {
		r->p = r->p > furthest ? r->p : furthest;
		return false;
	}
	for (shape = strchr(shape, ' '); shape && *shape; shape++)
		add_implicit(r, *shape);
	return true;
}

/* ---- mnemonics --------------------------------------------------------------------------- */

static bool row_fits(const struct isa_reading *r, const struct isa_row *row, const char *name,
		     size_t len)
{
	size_t n = strlen(row->name);

	if (n > len || memcmp(row->name, name, n))
		return false;
	if (n == len)
		return true;
	return row->endings && r->dialect->ending &&
	       r->dialect->ending(row, name + n, len - n, r->insn);
}

/*
 * The row of a mnemonic: its own, else that of its longest beginning whose ending fits. Whatever
 * begins the name sorts before it, the longer later, so one walk back from it meets them in order.
 */
static const struct isa_row *find_row(const struct isa_reading *r, const char *name, size_t len)
{
	size_t lo = 0, hi = r->dialect->count;
	const struct isa_row *rows = r->dialect->rows;

	bisect(lo, hi, i, strcmp(rows[i].name, name) <= 0);
	for (; lo > 0 && rows[lo - 1].name[0] == name[0]; lo--) {
		if (row_fits(r, &rows[lo - 1], name, len))
			return &rows[lo - 1];
		if (!r->dialect->ending)
			break;
	}
	return NULL;
}

static enum isa_flow flow_of(enum op_class class, bool direct)
{
	switch (class) {
	case OP_BRANCH:
		return FLOW_CONDITIONAL;
	case OP_JUMP:
		return direct ? FLOW_JUMP : FLOW_JUMP_INDIRECT;
	case OP_CALL:
		return direct ? FLOW_CALL : FLOW_CALL_INDIRECT;
	case OP_RETURN:
		return FLOW_RETURN;
	default:
		return FLOW_NEXT;
	}
}

static bool computes(enum op_class class)
{
	return class >= OP_INT_ALU && class <= OP_FP_OTHER && class != OP_LOAD && class != OP_STORE;
}

static void finish(struct isa_reading *r, const struct isa_row *row)
{
	struct isa_insn *insn = r->insn;
	unsigned i;

	if (flow_of(insn->class, r->direct) != FLOW_NEXT)
		insn->flow = flow_of(insn->class, r->direct);
	insn->reads_memory |= insn->class == OP_LOAD;
	insn->writes_memory |= insn->class == OP_STORE;
	if (r->dialect->finish)
		r->dialect->finish(row, insn);
	if (insn->predicated) {
		isa_regs_add(&insn->sources, r->dialect->flags);
		for (i = 0; i < sizeof(insn->sinks.bits) / sizeof(*insn->sinks.bits); i++)
			insn->sources.bits[i] |= insn->sinks.bits[i];
	}
	if (computes(insn->class) && insn->flow == FLOW_NEXT &&
	    isa_regs_next(&insn->sinks, 0) == ISA_REG_COUNT)
		insn->class = OP_NOP;
}

bool isa_read_instruction(struct isa_reading *r)
{
	char name[NAME_MAX_LEN];
	size_t len = isa_peek_name(r, name, sizeof(name));
	const struct isa_row *row;
	char *c;

	for (c = name; r->dialect->dotted && *c; c++)
		*c = *c == '_' ? '.' : *c;
	row = len ? find_row(r, name, len) : NULL;
	isa_skip_blanks(r);
	if (!row) {
		r->insn->unread = UNREAD_MNEMONIC;
		return false;
	}
	r->p += len;
	if (r->p < r->end && is_name(*r->p)) {
		r->insn->unread = UNREAD_MNEMONIC; /* longer than any name */
		return false;
	}
	r->insn->class = row->class;
	if (!read_shape(r, row->shape)) {
		r->insn->unread = UNREAD_OPERANDS;
		return false;
	}
	finish(r, row);
	return true;
}
