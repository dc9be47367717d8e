#include "config.h"

#include <stdio.h>
#include <string.h>

#include "isa/dialect.h"

/* Longer than any register's name in any bank. */
enum { REG_NAME_MAX = 16 };

/* A name taken apart at its first digit. */
struct parts {
	char name[REG_NAME_MAX];
	size_t prefix;    /* length */
	unsigned number;  /* UINT_MAX: none */
	const char *tail; /* behind the number */
};

#define NO_NUMBER (~0u)

static void take_apart(struct parts *n)
{
	const char *p;

	for (p = n->name; *p && (*p < '0' || *p > '9'); p++)
		;
	n->prefix = (size_t)(p - n->name);
	n->number = *p ? 0 : NO_NUMBER;
	for (; *p >= '0' && *p <= '9' && n->number < 1000; p++)
		n->number = n->number * 10 + (unsigned)(*p - '0');
	n->tail = p;
}

static bool bank_fits(const struct isa_bank *b, const struct parts *n)
{
	if (b->prefix[0] != n->name[0])
		return false;
	if (!b->tail)
		return b->prefix[1] == n->name[1] && !strcmp(b->prefix, n->name);
	return n->number >= b->from && n->number <= b->to &&
	       !strncmp(b->prefix, n->name, n->prefix) && !b->prefix[n->prefix] &&
	       (b->tail[0] == '*' || !strcmp(b->tail, n->tail));
}

bool isa_read_name(struct isa_reading *r, struct isa_reg *out)
{
	const struct isa_bank *b = r->dialect->banks, *end = b + r->dialect->bank_count;
	struct parts n;
	size_t len = isa_peek_name(r, n.name, sizeof(n.name));

	if (!len || len == sizeof(n.name) - 1)
		return false;
	take_apart(&n);
	for (; b < end; b++) {
		if (!bank_fits(b, &n))
			continue;
		*out = (struct isa_reg){b->reg, b->kind};
		if (b->reg != ISA_REG_NONE && b->tail)
			out->number = (uint8_t)(b->reg + (n.number - b->from) * b->step);
		isa_skip_blanks(r);
		r->p += len;
		return true;
	}
	return false;
}

static bool bank_covers(const struct isa_bank *b, unsigned reg)
{
	unsigned first = b->reg;

	return first != ISA_REG_NONE && b->kind != ISA_PART && reg >= first &&
	       reg <= first + (unsigned)(b->to - b->from) * b->step && (reg - first) % b->step == 0;
}

void isa_register_name(enum isa isa, unsigned reg, char out[16])
{
	const struct isa_dialect *d = isa_dialect(isa);
	const struct isa_bank *b;
	size_t i;

	for (i = 0; d && i < d->bank_count; i++) {
		b = &d->banks[i];
		if (!bank_covers(b, reg))
			continue;
		if (b->tail)
			snprintf(out, 16, "%s%u%s", b->prefix, b->from + (reg - b->reg) / b->step,
				 b->tail[0] == '*' ? "" : b->tail);
		else
			snprintf(out, 16, "%s", b->prefix);
		return;
	}
	snprintf(out, 16, "?%u", reg);
}
