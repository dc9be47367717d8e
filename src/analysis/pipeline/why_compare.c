#include "config.h"

#include "analysis/pipeline/why_compare.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/align_keys.h"
#include "analysis/pipeline/why_private.h"
#include "base/num.h"
#include "pipeline/kind.h"

enum { TOLD = 4 /* causes, before the others are summed up */ };

static int64_t change(const struct why_difference *d)
{
	return d->cycles[ALIGN_B] - d->cycles[ALIGN_A];
}

static int64_t pair_change(const struct why_pc_pair *p)
{
	return p->of[ALIGN_B].cycles - p->of[ALIGN_A].cycles;
}

/* In what it owns of a cause. */
static int64_t change_in(const struct why_pc_pair *p, const struct why_difference *d)
{
	int64_t cycles = 0;

	for (int s = 0; s < ALIGN_SIDES; s++)
		if (d->cause[s] != WHY_NO_CAUSE)
			cycles += (s == ALIGN_A ? -1 : 1) * p->of[s].causes[d->cause[s]];
	return cycles;
}

/* ---- causes -------------------------------------------------------------------------------- */

/* Each run numbers its in-order stages itself. */
static bool add_cause(struct why_compare *c, const char *name)
{
	struct why_difference d = {.name = name};

	for (int s = 0; s < ALIGN_SIDES; s++) {
		d.cause[s] = why_cause_named(c->of[s], name);
		d.cycles[s] = why_cause_cycles(c->of[s], d.cause[s]);
	}
	return (!d.cycles[ALIGN_A] && !d.cycles[ALIGN_B]) || vec_push(&c->differences, d);
}

/* Those of A, then what only B has. */
static bool add_causes(struct why_compare *c)
{
	const struct why *a = c->of[ALIGN_A], *b = c->of[ALIGN_B];
	bool ok = true;

	for (unsigned i = 0; i < WHY_CAUSES + a->front_count; i++)
		ok = add_cause(c, why_cause_name(a, i)) && ok;
	for (unsigned i = WHY_CAUSES; i < WHY_CAUSES + b->front_count; i++)
		if (why_cause_named(a, why_cause_name(b, i)) == WHY_NO_CAUSE)
			ok = add_cause(c, why_cause_name(b, i)) && ok;
	return ok;
}

/* ---- instructions -------------------------------------------------------------------------- */

static void add_pc(struct why_pc *to, const struct why_pc *pc)
{
	if (to->code == CODE_NONE) {
		*to = *pc;
		return;
	}
	to->cycles += pc->cycles;
	for (int c = 0; c < WHY_CAUSES_ALL; c++) {
		to->causes[c] += pc->causes[c];
		if (pc->dearest[c].cycles > to->dearest[c].cycles)
			to->dearest[c] = pc->dearest[c];
	}
}

/* By key: 1 + the place in pcs; the first one is of those that the store knows no text of. */
static uint32_t *pair_of_code(uint32_t *pairs, const struct align_side *side, uint32_t code)
{
	return &pairs[code < side->codes ? side->code_keys[code] : 0];
}

static bool add_pcs(struct why_compare *c, const struct align *al, int side, uint32_t *pairs)
{
	static const struct why_pc_pair nobody = {{{.code = CODE_NONE}, {.code = CODE_NONE}}};
	const struct why *w = c->of[side];

	for (size_t i = 0; i < w->pcs.count; i++) {
		const struct why_pc *pc = &w->pcs.data[i];
		uint32_t *at = pair_of_code(pairs, &al->side[side], pc->code);

		if (!*at) {
			if (!vec_push(&c->pcs, nobody))
				return false;
			*at = (uint32_t)c->pcs.count;
		}
		add_pc(&c->pcs.data[*at - 1].of[side], pc);
	}
	return true;
}

/* Also where they own nothing. */
static void count_pcs(struct why_compare *c, const struct align *al, int side, uint32_t *pairs)
{
	const struct why_columns *columns = &c->of[side]->reading->columns;

	for (size_t i = 0; i < c->pcs.count; i++)
		c->pcs.data[i].of[side].count = 0;
	for (size_t i = 0; i < columns->insns.count; i++) {
		const struct why_insn *insn = &columns->insns.data[i];
		const uint32_t at = *pair_of_code(pairs, &al->side[side], insn->code);
		struct why_pc *pc = at ? &c->pcs.data[at - 1].of[side] : NULL;

		if (!pc || !(insn->flags & WHY_WHOLE))
			continue;
		pc->count++;
		pc->code = pc->code == CODE_NONE ? insn->code : pc->code;
	}
}

static bool pair_pcs(struct why_compare *c, const struct align *al)
{
	uint32_t *pairs = calloc(align_key_limit(al), sizeof(*pairs));
	bool ok = pairs && add_pcs(c, al, ALIGN_A, pairs) && add_pcs(c, al, ALIGN_B, pairs);

	for (int s = 0; ok && s < ALIGN_SIDES; s++)
		count_pcs(c, al, s, pairs);
	free(pairs);
	return ok;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int by_size(int64_t x, int64_t y)
{
	x = x < 0 ? -x : x;
	y = y < 0 ? -y : y;
	return (x < y) - (x > y);
}

static int by_difference(const void *a, const void *b)
{
	const struct why_difference *x = a, *y = b;
	const int order = by_size(change(x), change(y));

	return order ? order : strcmp(x->name, y->name);
}

static int by_pair(const void *a, const void *b)
{
	const struct why_pc_pair *x = a, *y = b;
	int order = by_size(pair_change(x), pair_change(y));

	for (int s = 0; !order && s < ALIGN_SIDES; s++)
		order = (x->of[s].row > y->of[s].row) - (x->of[s].row < y->of[s].row);
	return order;
}

enum status why_compare_new(struct why_compare *out, const struct why *a, const struct why *b,
			    struct error *e)
{
	struct align al = {.side = {{.store = a->store}, {.store = b->store}}};
	enum status status = align_code_keys(&al, e);

	out->of[ALIGN_A] = a;
	out->of[ALIGN_B] = b;
	if (!status && (!add_causes(out) || !pair_pcs(out, &al)))
		status = align_no_memory(e);
	align_free(&al);
	if (status)
		return status;
	qsort(out->differences.data, out->differences.count, sizeof(*out->differences.data),
	      by_difference);
	qsort(out->pcs.data, out->pcs.count, sizeof(*out->pcs.data), by_pair);
	return STATUS_OK;
}

void why_compare_narrow(struct why_compare *c, const struct why_difference *d)
{
	size_t left = 0;

	for (size_t i = 0; i < c->pcs.count; i++) {
		const struct why_pc_pair all = c->pcs.data[i];
		struct why_pc_pair *p = &c->pcs.data[left];

		left += change_in(&all, d) != 0;
		for (int s = 0; s < ALIGN_SIDES; s++) {
			const struct why_pc *pc = &all.of[s];
			const unsigned cause = d->cause[s];

			p->of[s] = (struct why_pc){
			    .code = pc->code, .row = pc->row, .count = pc->count};
			if (cause == WHY_NO_CAUSE)
				continue;
			p->of[s].cycles = p->of[s].causes[cause] = pc->causes[cause];
			p->of[s].dearest[cause] = pc->dearest[cause];
		}
	}
	c->pcs.count = left;
	qsort(c->pcs.data, left, sizeof(*c->pcs.data), by_pair);
}

void why_compare_free(struct why_compare *c)
{
	for (int s = 0; s < ALIGN_SIDES; s++)
		why_free(&c->own[s]);
	vec_free(&c->differences);
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

	if (strcmp(trace_of_store(c->of[ALIGN_A]->store)->format.name,
		   trace_of_store(c->of[ALIGN_B]->store)->format.name) != 0)
		sbuf_puts(out, "Formats differ, and so do the causes they show. ");
	if (more)
		sbuf_printf(out, "B is %s cycle%s %s", num_group(more < 0 ? -more : more, number),
			    more == 1 || more == -1 ? "" : "s", more < 0 ? "faster" : "slower");
	else
		sbuf_puts(out, "A and B take the same time");
	for (size_t i = 0; i < c->differences.count && i < TOLD; i++) {
		const struct why_difference *d = &c->differences.data[i];

		put_change(out, i ? ", " : ": ", d->name, change(d));
		others -= change(d);
	}
	put_change(out, ", ", "others", others);
}

/* ---- the tables ---------------------------------------------------------------------------- */

SECTION_ROWS(difference, struct why_compare, differences)
SECTION_ROWS(pair, struct why_compare, pcs)

/* On the first side that has it. */
static struct value code_value(const struct why_compare *c, const struct why_pc_pair *p,
			       struct value (*get)(const struct store *s, uint32_t code))
{
	const int side = p->of[ALIGN_A].code == CODE_NONE ? ALIGN_B : ALIGN_A;

	return get(c->of[side]->store, p->of[side].code);
}

static struct value value_change(int64_t cycles)
{
	return cycles ? value_ticks(cycles) : value_none();
}

/* The cause that changed most in the direction of the whole; NULL: none did. */
static const char *mostly(const struct why_compare *c, const struct why_pc_pair *p)
{
	const int sign = pair_change(p) < 0 ? -1 : 1;
	const char *found = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < c->differences.count; i++) {
		const int64_t cycles = sign * change_in(p, &c->differences.data[i]);

		if (cycles <= most)
			continue;
		most = cycles;
		found = c->differences.data[i].name;
	}
	return found;
}

/* getter, value of row `row` of the result c */
#define GETTERS(_)                                                                                 \
	_(delta, value_ticks(change(&c->differences.data[row])))                                   \
	_(pc, code_value(c, &c->pcs.data[row], store_code_pc))                                     \
	_(text, code_value(c, &c->pcs.data[row], store_code_text))                                 \
	_(pc_delta, value_ticks(pair_change(&c->pcs.data[row])))                                   \
	_(mostly, value_text(mostly(c, &c->pcs.data[row])))                                        \
	_(change, value_change(change_in(&c->pcs.data[row], &c->differences.data[part])))

#define GETTER(name, expression)                                                                   \
	static struct value get_##name(const void *result, size_t row, size_t part)                \
	{                                                                                          \
		const struct why_compare *c = result;                                              \
                                                                                                   \
		(void)part;                                                                        \
		return expression;                                                                 \
	}
GETTERS(GETTER)
#undef GETTER

static const char *difference_name(const void *result, size_t part)
{
	return ((const struct why_compare *)result)->differences.data[part].name;
}

static size_t count_differences(const void *result)
{
	return ((const struct why_compare *)result)->differences.count;
}

static size_t side_count(const void *result)
{
	(void)result;
	return ALIGN_SIDES;
}

static const char *side_name(const void *result, size_t side)
{
	(void)result;
	return side == ALIGN_A ? "A" : "B";
}

#define CAUSE(type, key, member) FIELD(type, key, difference_of, struct why_difference, member)
#define PAIR(type, key, member)  FIELD(type, key, pair_of, struct why_pc_pair, member)

static const struct field difference_fields[] = {
    {CAUSE(TEXT, "cause", name)},
    {CAUSE(TICKS, "a", cycles[ALIGN_A]), .hidden = true},
    {CAUSE(TICKS, "b", cycles[ALIGN_B]), .hidden = true},
    {CAUSE(TICKS, "cycles", cycles), .parts = side_count, .part = side_name, .derived = true,
     .bar = true},
    {FIELD_BY(TICKS, "delta", get_delta), .heading = "B - A"},
    {.key = NULL},
};

static const struct field pc_fields[] = {
    {FIELD_BY(HEX, "pc", get_pc)},
    {FIELD_BY(TEXT, "text", get_text)},
    {PAIR(COUNT, "count_a", of[ALIGN_A].count)},
    {PAIR(COUNT, "count_b", of[ALIGN_B].count)},
    {PAIR(TICKS, "a", of[ALIGN_A].cycles), .heading = "A"},
    {PAIR(TICKS, "b", of[ALIGN_B].cycles), .heading = "B"},
    {FIELD_BY(TICKS, "delta", get_pc_delta), .heading = "B - A"},
    {FIELD_BY(TICKS, "causes", get_change), .parts = count_differences, .part = difference_name,
     .sparse = true, .hidden = true},
    {FIELD_BY(TEXT, "mostly", get_mostly), .derived = true},
    {.key = NULL},
};

const struct section why_compare_sections[] = {
    {SECTION(LIST, "differences", difference_rows, difference_fields),
     .title = "where the cycles of the critical path went", .whole = true},
    {SECTION(LIST, "pcs", pair_rows, pc_fields), .title = "instructions that own them"},
    {.key = NULL},
};
