#include "config.h"

#include "analysis/pipeline/why_lent.h"

enum {
	PENDING = 4096,  /* lines that are waited for; one may push out another */
	LINE_SHIFT = 5,  /* of a cache line, where marks do not tell */
	MARKS_LEAST = 16 /* that tell */
};

struct lending {
	const struct why_machine *m;
	unsigned shift;
	uint64_t pending[PENDING]; /* 1 + line */
};

void why_lines_add(struct why_lines *l, uint64_t pc)
{
	unsigned power = pc ? (unsigned)__builtin_ctzll(pc) : 15;

	l->aligned[power < 15 ? power : 15]++;
}

/* The largest power of two that nine in ten are aligned to. */
static unsigned line_shift(const struct why_lines *l)
{
	uint64_t all = 0, sum = 0;
	unsigned shift = 15;

	for (int i = 0; i < 16; i++)
		all += l->aligned[i];
	if (all < MARKS_LEAST)
		return LINE_SHIFT;
	for (; shift > 0 && sum * 10 < all * 9; shift--)
		sum += l->aligned[shift];
	return shift + 1;
}

static uint64_t *pending_at(struct lending *g, uint64_t pc)
{
	return &g->pending[(pc >> g->shift) % PENDING];
}

static bool waited_for_nothing(const struct why_machine *m, const struct why_node *n,
			       const struct why_node *before)
{
	const struct why_redirect *r =
	    before->insn.flags & WHY_MISPREDICTED ? &m->redirect : &m->misfetch;
	const uint8_t op = before->insn.op;

	return r->of[op].from >= 0 &&
	       n->times[WHY_F] == before->times[r->of[op].from] + why_redirect_length(r, op);
}

/* A fetch of a line: what is owed is paid by it, or by its own miss. */
static void fetch(struct lending *g, struct why_insn *insn, uint64_t pc)
{
	uint64_t *line = pending_at(g, pc);

	if (*line != 1 + (pc >> g->shift))
		return;
	*line = 0;
	if (!(insn->flags & WHY_FETCH_MISS))
		insn->flags |= WHY_LENT;
}

void why_lend(struct why_columns *c, const struct codemap *map, const struct why_machine *m,
	      const struct why_lines *lines, const struct why_lent *list, size_t count)
{
	struct lending g = {.m = m, .shift = line_shift(lines)};
	struct why_node n = {.index = 0}, before = n;
	size_t next = 0;

	if (!count || !c->insns.count)
		return;
	for (why_columns_at(c, 0, &n);; why_columns_next(c, &n)) {
		const struct code_insn *code;

		for (; next < count && list[next].index <= n.index; next++)
			if (!list[next].under_way || waited_for_nothing(m, &n, &before))
				*pending_at(&g, list[next].pc) = 1 + (list[next].pc >> g.shift);
		code = codemap_at(map, n.insn.code);
		if (n.insn.flags & WHY_FETCHED && code && code->has_pc)
			fetch(&g, &c->insns.data[n.index], code->pc);
		if (n.insn.flags & WHY_WHOLE)
			before = n;
		if (n.index + 1 == c->insns.count)
			return;
	}
}
