#include "config.h"

#include "analysis/pipeline/compare_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/*
 * Which static instructions of the two are one. By text the same one stands at many pcs: then each
 * goes with the one that most of its steps are matched with, if that is mutual (Boyer and Moore's
 * vote: who is still there at the end had the majority, if anybody had). Those that are left over,
 * and all where the pc is part of the key, go with one of the same key at the same pc (or none).
 */
struct vote {
	uint32_t code;
	uint64_t count;
};

static void vote(struct vote *v, uint32_t code)
{
	if (v->count == 0)
		v->code = code;
	if (v->code == code)
		v->count++;
	else
		v->count--;
}

static bool collect_votes(const struct align *al, struct vote *const votes[ALIGN_SIDES],
			  const atomic_bool *stop)
{
	struct path_cursor c[ALIGN_SIDES] = {0};
	bool ok = true;

	for (int s = 0; s < ALIGN_SIDES; s++)
		ok = ok && path_cursor_new(&c[s], al->side[s].path);
	for (size_t i = 0; ok && i < al->diff.runs.count; i++) {
		const struct run *r = &al->diff.runs.data[i];

		for (uint64_t k = 0; k < r->length && !(stop && *stop); k++) {
			const struct path_step *x = path_at(&c[ALIGN_A], r->a + k);
			const struct path_step *y = path_at(&c[ALIGN_B], r->b + k);

			if (!x || !y || x->code >= al->side[ALIGN_A].codes ||
			    y->code >= al->side[ALIGN_B].codes)
				continue;
			vote(&votes[ALIGN_A][x->code], y->code);
			vote(&votes[ALIGN_B][y->code], x->code);
		}
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&c[s]);
	return ok;
}

/* What makes two static instructions one although none of their rows are matched. */
struct likeness {
	uint64_t pc; /* 0 where it has none */
	uint32_t key;
	uint16_t has_pc, alone; /* B's, where A's has another partner */
};

static struct likeness likeness_of(const struct align_side *side, size_t code)
{
	struct likeness l = {.key = side->code_keys[code]};
	const char *text;
	bool has_pc;
	size_t len;

	store_code(side->store, (uint32_t)code, &l.pc, &has_pc, &text, &len);
	l.has_pc = has_pc;
	l.pc = has_pc ? l.pc : 0;
	return l;
}

/* A slot for the likeness: the one there is, or a new one. False: no memory. */
static bool find_slot(struct intern *t, const struct likeness *l, uint32_t *slot)
{
	int32_t id = intern_add(t, (const char *)l, sizeof(*l));

	*slot = (uint32_t)id;
	return id >= 0;
}

static bool is_mutual(struct vote *const votes[ALIGN_SIDES], uint32_t b)
{
	const struct vote *v = &votes[ALIGN_B][b];

	return v->count && votes[ALIGN_A][v->code].count && votes[ALIGN_A][v->code].code == b;
}

/* Those of A, then those of B that are voted for, then the others of B. */
static bool number_slots(struct compare *r, struct vote *const votes[ALIGN_SIDES], struct intern *t)
{
	const struct align_side *a = &r->al->side[ALIGN_A], *b = &r->al->side[ALIGN_B];
	bool *taken = calloc(a->codes + 1, sizeof(*taken)), ok = taken != NULL;

	for (size_t i = 0; ok && i < a->codes; i++) {
		struct likeness l = likeness_of(a, i);

		ok = find_slot(t, &l, &r->slot_of[ALIGN_A][i]);
	}
	for (uint32_t i = 0; ok && i < b->codes; i++)
		if (is_mutual(votes, i))
			taken[r->slot_of[ALIGN_A][votes[ALIGN_B][i].code]] = true;
	for (uint32_t i = 0; ok && i < b->codes; i++) {
		struct likeness l = likeness_of(b, i);

		if (is_mutual(votes, i)) {
			r->slot_of[ALIGN_B][i] = r->slot_of[ALIGN_A][votes[ALIGN_B][i].code];
			continue;
		}
		ok = find_slot(t, &l, &r->slot_of[ALIGN_B][i]);
		l.alone = true;
		if (ok && r->slot_of[ALIGN_B][i] < a->codes && taken[r->slot_of[ALIGN_B][i]])
			ok = find_slot(t, &l, &r->slot_of[ALIGN_B][i]);
	}
	free(taken);
	r->slot_count = intern_count(t) + 1;
	return ok;
}

enum status compare_slots(struct compare *r, const atomic_bool *stop, struct error *e)
{
	struct vote *votes[ALIGN_SIDES];
	struct intern *t = intern_new();
	bool ok = t != NULL;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		const size_t codes = r->al->side[s].codes + 1;

		r->slot_of[s] = calloc(codes, sizeof(*r->slot_of[s]));
		votes[s] = calloc(codes, sizeof(*votes[s]));
		ok = ok && r->slot_of[s] && votes[s];
	}
	if (ok && r->al->key == ALIGN_KEY_TEXT)
		ok = collect_votes(r->al, votes, stop);
	ok = ok && number_slots(r, votes, t);
	for (int s = 0; s < ALIGN_SIDES; s++)
		free(votes[s]);
	if (t)
		intern_free(t);
	return ok ? STATUS_OK : error_no_memory(e);
}
