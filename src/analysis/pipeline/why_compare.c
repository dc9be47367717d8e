#include "config.h"

#include "analysis/pipeline/why_compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/align_keys.h"
#include "analysis/pipeline/why_private.h"
#include "base/num.h"

enum { TOLD = 4 /* causes, before the others are summed up */ };

/* ---- causes -------------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct why_cause_pair *pair_named(struct why_compare *c, const struct why_cause *cause)
{
	const struct why_cause_pair fresh = {.name = cause->name, .number = cause->number};

	for (size_t i = 0; i < c->causes.count; i++)
		if (strcmp(c->causes.data[i].name, cause->name) == 0)
			return &c->causes.data[i];
	return vec_push(&c->causes, fresh) ? &vec_last(&c->causes) : NULL;
}

/* By name: each run numbers its in-order stages itself. */
static bool add_causes(struct why_compare *c, int side)
{
	const struct why *w = c->of[side];

	for (unsigned i = 0; w && i < w->cause_count; i++) {
		const struct why_cause *cause = &w->causes[i];
		struct why_cause_pair *p;

		if (!cause->cycles && (c->of[ALIGN_B] || cause->saved <= 0))
			continue;
		p = pair_named(c, cause);
		if (!p)
			return false;
		p->of[side] = *cause;
	}
	return true;
}

/* ---- instructions -------------------------------------------------------------------------- */

/* Of the first side that has it. */
static void show(struct why_pc_pair *p, const struct store *s, uint32_t code)
{
	p->store = p->store ? p->store : s;
	p->code = p->store == s ? code : p->code;
}

static void add_pc(const struct why_compare *c, struct why_pc_pair *to, int side,
		   const struct why_pc *pc)
{
	struct why_owned *own = &to->of[side];
	const int sign = side == ALIGN_A && c->of[ALIGN_B] ? -1 : 1;

	for (size_t i = 0; i < c->causes.count; i++) {
		const char *name = c->causes.data[i].of[side].name;
		const unsigned n = c->causes.data[i].of[side].number;

		if (!name || (*c->asked && strcmp(c->asked, name) != 0))
			continue;
		own->cycles += pc->causes[n];
		to->causes[i] += sign * pc->causes[n];
		if (pc->dearest[n].cycles <= own->dearest.cycles)
			continue;
		own->dearest = pc->dearest[n];
		own->cause = name;
		show(to, c->of[side]->store, pc->code);
	}
}

/* By the number of its key; the first one is of those that the store knows no text of. */
static struct why_pc_pair *pair_of(struct why_compare *c, const struct align_side *keys,
				   uint32_t code)
{
	return &c->pcs.data[code < keys->codes ? keys->code_keys[code] : 0];
}

/* Counted also where they own nothing. */
static void add_pcs(struct why_compare *c, int side, const struct align_side *keys)
{
	const struct why *w = c->of[side];

	for (size_t i = w->span.first; i < w->span.end; i++) {
		const struct why_insn *insn = &w->reading->columns.insns.data[i];
		struct why_pc_pair *p = pair_of(c, keys, insn->code);

		if (!(insn->flags & WHY_WHOLE))
			continue;
		p->of[side].count++;
		show(p, w->store, insn->code);
	}
	for (size_t i = 0; i < w->pcs.count; i++)
		add_pc(c, pair_of(c, keys, w->pcs.data[i].code), side, &w->pcs.data[i]);
}

/* Those of A alone have the keys of a run that is compared with itself. */
static enum status pair_pcs(struct why_compare *c, struct error *e)
{
	const struct why *a = c->of[ALIGN_A], *b = c->of[ALIGN_B] ? c->of[ALIGN_B] : a;
	struct align al = {.side = {{.store = a->store}, {.store = b->store}}};
	enum status status = align_code_keys(&al, e);
	const size_t all = align_key_limit(&al);

	c->pcs.data = status ? NULL : calloc(all, sizeof(*c->pcs.data));
	if (!status && !c->pcs.data)
		status = error_no_memory(e);
	for (int s = 0; !status && s < ALIGN_SIDES && c->of[s]; s++)
		add_pcs(c, s, &al.side[s]);
	for (size_t i = 0; !status && i < all; i++) {
		struct why_pc_pair *p = &c->pcs.data[i];

		if (!p->of[ALIGN_A].cycles && !p->of[ALIGN_B].cycles)
			continue;
		p->rank = (struct why_rank){{llabs(why_pc_change(p))}, i};
		c->pcs.data[c->pcs.count++] = *p;
	}
	align_free(&al);
	return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	const struct why_rank *x = a, *y = b;

	for (int i = 0; i < 2; i++)
		if (x->by[i] != y->by[i])
			return x->by[i] < y->by[i] ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static void rank_causes(struct why_compare *c)
{
	const bool two = c->of[ALIGN_B];

	for (size_t i = 0; i < c->causes.count; i++) {
		struct why_cause_pair *p = &c->causes.data[i];
		const struct why_cause *own = &p->of[ALIGN_A];

		p->rank = (struct why_rank){
		    {two ? llabs(why_cause_change(p)) : own->saved, two ? 0 : own->cycles}, i};
	}
	qsort(c->causes.data, c->causes.count, sizeof(*c->causes.data), by_rank);
}

enum status why_compare_new(struct why_compare *out, const struct why *a, const struct why *b,
			    const char *asked, struct error *e)
{
	enum status status;

	out->of[ALIGN_A] = a;
	out->of[ALIGN_B] = b;
	out->asked = asked;
	if (!add_causes(out, ALIGN_A) || !add_causes(out, ALIGN_B))
		return error_no_memory(e);
	rank_causes(out);
	status = pair_pcs(out, e);
	qsort(out->pcs.data, out->pcs.count, sizeof(*out->pcs.data), by_rank);
	return status;
}

void why_compare_free(struct why_compare *c)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		why_free(&c->own[s]);
	vec_free(&c->causes);
	vec_free(&c->pcs);
}

/* ---- in words ------------------------------------------------------------------------------ */

static void put_change(struct sbuf *out, const char *between, const char *name, int64_t cycles)
{
	char number[32];

	if (cycles)
		sbuf_printf(out, "%s%s %s%s", between, name, cycles > 0 ? "+" : "",
			    num_group(cycles, number));
}

void why_compare_tell(const struct why_compare *c, struct sbuf *out)
{
	const int64_t more = c->of[ALIGN_B]->cycles - c->of[ALIGN_A]->cycles;
	int64_t others = more;
	char number[32];

	if (store_format(c->of[ALIGN_A]->store) != store_format(c->of[ALIGN_B]->store))
		sbuf_puts(out, "Formats differ, and so do the causes they show. ");
	if (more)
		sbuf_printf(out, "B is %s cycle%s %s", num_group(more < 0 ? -more : more, number),
			    more == 1 || more == -1 ? "" : "s", more < 0 ? "faster" : "slower");
	else
		sbuf_puts(out, "A and B take the same time");
	for (size_t i = 0; i < c->causes.count && i < TOLD; i++) {
		const struct why_cause_pair *p = &c->causes.data[i];

		put_change(out, i ? ", " : ": ", p->name, why_cause_change(p));
		others -= why_cause_change(p);
	}
	put_change(out, ", ", "others", others);
}
