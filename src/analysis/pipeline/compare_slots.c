#include "config.h"

#include "analysis/pipeline/compare.h"

#include <stdlib.h>

#include "analysis/pipeline/align_keys.h"
#include "analysis/pipeline/compare_private.h"
#include "base/intern.h"

/*
 * Which static instructions of the two are one. By a key with the pc that is the key itself. By
 * text, the same text stands at many pcs: then each goes with the one that it is matched with
 * most often, if that is mutual; those that are left over, with one of the same text at the same
 * pc (or none), as they need not be matched at all. The votes are kept in a table of twice as many
 * places as there are static instructions; pairs that find no room near their place are rare ones
 * and lost.
 */

struct vote {
	uint32_t code[ALIGN_SIDES];
	uint64_t count;
};

struct votes {
	struct vote *list;
	size_t size; /* power of two */
};

enum { NEAR = 32 };

static void vote(struct votes *v, uint32_t a, uint32_t b)
{
	uint64_t hash = (a * UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xc2b2ae3d27d4eb4f));
	size_t at = (size_t)(hash ^ hash >> 32);

	for (int i = 0; i < NEAR; i++) {
		struct vote *p = &v->list[(at + (size_t)i) & (v->size - 1)];

		if (p->count == 0)
			*p = (struct vote){{a, b}, 0};
		if (p->code[ALIGN_A] != a || p->code[ALIGN_B] != b)
			continue;
		p->count++;
		return;
	}
}

static bool collect_votes(const struct align *al, struct votes *v, const atomic_bool *stop)
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

			if (x && y && x->code < al->side[ALIGN_A].codes &&
			    y->code < al->side[ALIGN_B].codes &&
			    al->side[ALIGN_A].keys[x->code] == al->side[ALIGN_B].keys[y->code])
				vote(v, x->code, y->code);
		}
	}
	for (int s = 0; s < ALIGN_SIDES; s++)
		path_cursor_free(&c[s]);
	return ok;
}

/* By code of a side, its vote that counts most (the first of equals); SIZE_MAX: none. */
static size_t *best_votes(const struct votes *v, int side, size_t codes)
{
	size_t *best = malloc((codes + 1) * sizeof(*best));

	for (size_t i = 0; best && i < codes; i++)
		best[i] = SIZE_MAX;
	for (size_t i = 0; best && i < v->size; i++) {
		const struct vote *p = &v->list[i];
		size_t *b;

		if (p->count == 0)
			continue;
		b = &best[p->code[side]];
		if (*b == SIZE_MAX || p->count > v->list[*b].count ||
		    (p->count == v->list[*b].count && p->code[!side] < v->list[*b].code[!side]))
			*b = i;
	}
	return best;
}

/* What makes two static instructions one although none of their rows are matched. */
struct likeness {
	uint64_t pc; /* 0 where it has none */
	uint32_t key, has_pc;
};

static struct likeness likeness_of(const struct align_side *side, size_t code)
{
	struct likeness l = {.key = side->keys[code]};
	const char *text;
	bool has_pc;
	size_t len;

	store_code(side->store, (uint32_t)code, &l.pc, &has_pc, &text, &len);
	l.has_pc = has_pc;
	l.pc = has_pc ? l.pc : 0;
	return l;
}

/* B's static instructions without a partner, with A's without one that they are alike to. */
static bool join_alike(struct compare *r, const bool *has_partner)
{
	const struct align_side *a = &r->al->side[ALIGN_A], *b = &r->al->side[ALIGN_B];
	uint32_t *first = malloc((a->codes + 1) * sizeof(*first));
	struct intern *t = intern_new();
	bool ok = first && t;

	for (size_t i = 0; ok && i < a->codes; i++) {
		struct likeness l = likeness_of(a, i);
		size_t known = intern_count(t);
		int32_t id;

		if (has_partner[i])
			continue;
		id = intern_add(t, (const char *)&l, sizeof(l));
		ok = id >= 0;
		if (intern_count(t) > known)
			first[id] = (uint32_t)i;
	}
	for (size_t i = 0; ok && i < b->codes; i++) {
		struct likeness l = likeness_of(b, i);
		int32_t id;

		if (r->slot_of[ALIGN_B][i] < a->codes)
			continue;
		id = intern_find(t, (const char *)&l, sizeof(l));
		if (id >= 0)
			r->slot_of[ALIGN_B][i] = first[id];
	}
	if (t)
		intern_free(t);
	free(first);
	return ok;
}

/* A's static instructions in order; B's with their partner, or behind. */
static bool slots_by_votes(struct compare *r, const struct votes *v)
{
	size_t codes_a = r->al->side[ALIGN_A].codes, codes_b = r->al->side[ALIGN_B].codes;
	size_t *a = best_votes(v, ALIGN_A, codes_a), *b = best_votes(v, ALIGN_B, codes_b);
	bool *has_partner = calloc(codes_a + 1, sizeof(*has_partner));
	bool ok = a && b && has_partner;

	for (size_t i = 0; ok && i < codes_a; i++)
		r->slot_of[ALIGN_A][i] = (uint32_t)i;
	for (size_t i = 0; ok && i < codes_b; i++) {
		bool mutual = b[i] != SIZE_MAX && a[v->list[b[i]].code[ALIGN_A]] == b[i];

		r->slot_of[ALIGN_B][i] =
		    mutual ? v->list[b[i]].code[ALIGN_A] : (uint32_t)(codes_a + i);
		if (mutual)
			has_partner[v->list[b[i]].code[ALIGN_A]] = true;
	}
	ok = ok && join_alike(r, has_partner);
	r->slot_count = codes_a + codes_b + 1;
	free(a), free(b), free(has_partner);
	return ok;
}

static enum status by_votes(struct compare *r, const atomic_bool *stop, struct error *e)
{
	struct votes v = {.size = 1024};
	bool ok;

	while (v.size < 2 * (r->al->side[ALIGN_A].codes + r->al->side[ALIGN_B].codes))
		v.size *= 2;
	v.list = calloc(v.size, sizeof(*v.list));
	ok = v.list && collect_votes(r->al, &v, stop) && slots_by_votes(r, &v);
	free(v.list);
	if (!ok)
		return error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	return stop && *stop ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

static void by_keys(struct compare *r)
{
	uint32_t most = ALIGN_KEY_FIRST - 1;

	for (int s = 0; s < ALIGN_SIDES; s++)
		for (size_t i = 0; i < r->al->side[s].codes; i++) {
			uint32_t key = r->al->side[s].keys[i];

			r->slot_of[s][i] = key - ALIGN_KEY_FIRST;
			most = key > most ? key : most;
		}
	r->slot_count = (size_t)(most - ALIGN_KEY_FIRST + 1) + 1;
}

/* Slots by keys, of texts that A's store does not keep: */
enum { NOT_OF_A = UINT32_MAX, NOT_KEPT = UINT32_MAX - 1 };

static void take_slots_of_a(struct compare *r, uint32_t *slot_of_key)
{
	const struct align_side *a = &r->al->side[ALIGN_A], *b = &r->al->side[ALIGN_B];

	for (size_t k = 0; k < r->key_count; k++)
		slot_of_key[k] = NOT_OF_A;
	for (size_t i = 0; i < a->codes; i++)
		slot_of_key[a->keys[i] - ALIGN_KEY_FIRST] = r->slot_of[ALIGN_A][i];
	for (size_t i = 0; i < a->read.count; i++) {
		size_t k = (size_t)a->read.data[i] - ALIGN_KEY_FIRST;

		if (a->read.data[i] >= ALIGN_KEY_FIRST && k < r->key_count &&
		    slot_of_key[k] == NOT_OF_A)
			slot_of_key[k] = NOT_KEPT;
	}
	for (size_t i = 0; i < b->codes; i++)
		if (slot_of_key[b->keys[i] - ALIGN_KEY_FIRST] == NOT_KEPT)
			r->slot_of[ALIGN_B][i] = (uint32_t)r->slot_count - 1;
}

/*
 * Which texts a store keeps, when it cannot keep all, is chance, and another choice in B: a step
 * stands in the line where A has the same, be it that of all that are not kept.
 */
static bool slots_of_not_kept(struct compare *r)
{
	const struct align_side *side = r->al->side;
	uint32_t most = ALIGN_KEY_FIRST;

	if (!side[ALIGN_A].read.count && !side[ALIGN_B].read.count)
		return true;
	for (int s = 0; s < ALIGN_SIDES; s++)
		for (size_t i = 0; i < side[s].codes; i++)
			most = side[s].keys[i] > most ? side[s].keys[i] : most;
	r->key_count = (size_t)most - ALIGN_KEY_FIRST + 1;
	r->slot_of_key = malloc(r->key_count * sizeof(*r->slot_of_key));
	if (r->slot_of_key)
		take_slots_of_a(r, r->slot_of_key);
	return r->slot_of_key != NULL;
}

size_t compare_slot_of(const struct compare *r, int side, uint64_t index, uint32_t code)
{
	const uint32_t key = align_key_of(&r->al->side[side], index, code);

	if (code < r->al->side[side].codes)
		return r->slot_of[side][code];
	if (r->slot_of_key && key >= ALIGN_KEY_FIRST && key - ALIGN_KEY_FIRST < r->key_count &&
	    r->slot_of_key[key - ALIGN_KEY_FIRST] < r->slot_count)
		return r->slot_of_key[key - ALIGN_KEY_FIRST];
	return r->slot_count - 1;
}

enum status compare_slots(struct compare *r, const atomic_bool *stop, struct error *e)
{
	enum status status = STATUS_OK;

	for (int s = 0; s < ALIGN_SIDES; s++) {
		r->slot_of[s] = calloc(r->al->side[s].codes + 1, sizeof(*r->slot_of[s]));
		if (!r->slot_of[s])
			return error_set(e, STATUS_NOMEM,
					 "not enough memory to compare two traces");
	}
	if (r->al->key == ALIGN_KEY_TEXT)
		status = by_votes(r, stop, e);
	else
		by_keys(r);
	if (!status && !slots_of_not_kept(r))
		status = error_set(e, STATUS_NOMEM, "not enough memory to compare two traces");
	return status;
}
