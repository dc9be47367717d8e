/*
 * A two-pass assembler for the programs in programs.c: labels and at most one instruction a line,
 * `;` starts a comment, `.align` pads with no-operations to the next 16 bytes, as a compiler pads a
 * loop head.
 */
#include "isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_MAX = 32, WORD_SIZE = 16 };

struct label {
	char name[WORD_SIZE];
	int64_t index; /* of the instruction behind it */
};

struct assembler {
	const char *at; /* next character of the source */
	struct label label[LABEL_MAX];
	size_t labels;
	struct text *text;
	bool bad;
};

static bool accept(struct assembler *as, char c)
{
	as->at += strspn(as->at, " \t");
	if (*as->at != c)
		return false;
	as->at++;
	return true;
}

static void expect(struct assembler *as, char c)
{
	if (!accept(as, c))
		as->bad = true;
}

static void word(struct assembler *as, char name[static WORD_SIZE])
{
	size_t n;

	as->at += strspn(as->at, " \t");
	n = strspn(as->at, "abcdefghijklmnopqrstuvwxyz_.0123456789");
	if (n == 0 || n >= WORD_SIZE) {
		as->bad = true;
		n = 0;
	}
	memcpy(name, as->at, n);
	name[n] = '\0';
	as->at += n;
}

static int64_t number(struct assembler *as)
{
	bool minus = accept(as, '-');
	int64_t value = 0;

	if (*as->at < '0' || *as->at > '9')
		as->bad = true;
	for (; *as->at >= '0' && *as->at <= '9' && value < 1 << 16; as->at++)
		value = value * 10 + (*as->at - '0');
	return minus ? -value : value;
}

static uint8_t reg(struct assembler *as)
{
	bool floating = accept(as, 'f');
	int64_t n;

	if (!floating)
		expect(as, 'r');
	n = number(as);
	if (n < 0 || n > 31) {
		as->bad = true;
		n = 0;
	}
	return (uint8_t)(floating ? n + 32 : n);
}

static uint8_t base(struct assembler *as)
{
	uint8_t n;

	expect(as, '(');
	n = reg(as);
	expect(as, ')');
	return n;
}

/* Labels behind the place of use are unknown in the first pass, which ignores what this returns. */
static int64_t target(struct assembler *as)
{
	char name[WORD_SIZE];
	size_t i;

	word(as, name);
	for (i = 0; i < as->labels && strcmp(as->label[i].name, name) != 0; i++)
		;
	return i == as->labels ? INT64_MIN : as->label[i].index;
}

static void operands(struct assembler *as, struct insn *insn)
{
	enum form form = isa_form(insn);
	uint8_t first;

	if (form == FORM_HALT) {
		char name[WORD_SIZE];

		word(as, name);
		if (strcmp(name, "halt") != 0)
			as->bad = true;
		return;
	}
	first = reg(as);
	expect(as, ',');
	if (form == FORM_OPERATE) {
		insn->src[0] = first;
		as->at += strspn(as->at, " \t");
		insn->literal = *as->at >= '0' && *as->at <= '9';
		if (insn->literal)
			insn->imm = number(as);
		else
			insn->src[1] = reg(as);
		expect(as, ',');
		insn->dst = reg(as);
	} else if (form == FORM_BRANCH || form == FORM_JUMP || form == FORM_CALL) {
		insn->imm = target(as);
		*(form == FORM_BRANCH ? &insn->src[0] : &insn->dst) = first;
	} else {
		insn->imm = form == FORM_RETURN ? 0 : number(as);
		insn->src[0] = base(as);
		*(form == FORM_STORE ? &insn->src[1] : &insn->dst) = first;
	}
}

static void spell_reg(char out[static 8], uint8_t n)
{
	snprintf(out, 8, "%c%d", n < 32 ? 'r' : 'f', n % 32);
}

/* sim-outorder's spelling: branches show the displacement from their own pc, as a 64-bit number. */
static void spell(struct insn *insn)
{
	const char *name = isa_ops[insn->op].name;
	char a[8], b[8], dst[8];

	spell_reg(a, insn->src[0]);
	spell_reg(b, insn->src[1]);
	spell_reg(dst, insn->dst);
	if (insn->literal)
		snprintf(b, sizeof b, "%d", (int)insn->imm);
	switch (isa_form(insn)) {
	case FORM_OPERATE:
		snprintf(insn->text, sizeof insn->text, "%s %s,%s,%s", name, a, b, dst);
		break;
	case FORM_ADDRESS:
	case FORM_LOAD:
	case FORM_STORE:
		snprintf(insn->text, sizeof insn->text, "%s %s,%d(%s)", name,
			 isa_form(insn) == FORM_STORE ? b : dst, (int)insn->imm, a);
		break;
	case FORM_BRANCH:
	case FORM_JUMP:
	case FORM_CALL:
		snprintf(insn->text, sizeof insn->text, "%s %s,0x%" PRIx64, name,
			 isa_form(insn) == FORM_BRANCH ? a : dst, (uint64_t)insn->imm);
		break;
	case FORM_RETURN:
		snprintf(insn->text, sizeof insn->text, "%s %s,(%s)", name, dst, a);
		break;
	case FORM_HALT:
		snprintf(insn->text, sizeof insn->text, "%s halt", name);
		break;
	}
}

static struct insn *append(struct assembler *as, enum op op)
{
	struct insn *insn = &as->text->insn[as->text->count];

	if (as->text->count == TEXT_MAX - 1)
		as->bad = true;
	else
		as->text->count++;
	*insn = (struct insn){.op = op, .src = {REG_ZERO, REG_ZERO}, .dst = REG_ZERO};
	return insn;
}

static void instruction(struct assembler *as, const char *name, bool last_pass)
{
	int64_t here = (int64_t)as->text->count;
	struct insn *insn;
	int op;

	if (strcmp(name, ".align") == 0) {
		while (as->text->count % 4 != 0)
			spell(append(as, OP_bis));
		return;
	}
	for (op = 0; op < OP_COUNT && strcmp(isa_ops[op].name, name) != 0; op++)
		;
	if (op == OP_COUNT) {
		as->bad = true;
		return;
	}
	insn = append(as, (enum op)op);
	operands(as, insn);
	if (last_pass && insn->imm == INT64_MIN)
		as->bad = true;
	else if (isa_is_control(insn) && insn->imm != INT64_MIN && isa_form(insn) != FORM_RETURN)
		insn->imm = (insn->imm - here) * 4;
	spell(insn);
}

static void define(struct assembler *as, const char name[static WORD_SIZE])
{
	if (as->labels == LABEL_MAX) {
		as->bad = true;
		return;
	}
	memcpy(as->label[as->labels].name, name, WORD_SIZE);
	as->label[as->labels++].index = (int64_t)as->text->count;
}

static bool at_end(struct assembler *as)
{
	as->at += strspn(as->at, " \t");
	return *as->at == ';' || *as->at == '\n' || *as->at == '\0';
}

static void line(struct assembler *as, bool last_pass)
{
	char name[WORD_SIZE];

	while (!as->bad && !at_end(as)) {
		word(as, name);
		if (!accept(as, ':')) {
			instruction(as, name, last_pass);
			as->bad |= !at_end(as);
		} else if (!last_pass) {
			define(as, name);
		}
	}
}

int asm_assemble(const char *source, struct text *text)
{
	struct assembler as = {.text = text};
	int pass, number_of_line;

	for (pass = 0; pass < 2; pass++) {
		text->count = 0;
		as.at = source;
		for (number_of_line = 1; *as.at != '\0'; number_of_line++) {
			line(&as, pass == 1);
			if (as.bad)
				return number_of_line;
			as.at += strcspn(as.at, "\n");
			as.at += *as.at == '\n';
		}
	}
	return 0;
}
