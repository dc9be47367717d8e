#include "config.h"

#include "analysis/lcs.h"

enum { UNREACHED = INT32_MIN / 2 };

/* What is still to be matched: numbers [a0, a1) and [b0, b1). */
struct box {
	int32_t a0, a1, b0, b1;
};

/* Diagonals a - b that an end has got to, every second of [low, high], and how far on each. */
struct front {
	int32_t low, high;
	int32_t
	    *at; /* position in a; at[diagonal], from one below the least to one above the most */
};

struct finder {
	struct lcs *l;
	const uint32_t *a, *b;
	int32_t *fore, *back; /* at diagonal 0 */
	uint64_t most;        /* work at which it is given up */
	bool failed;
};

static bool equal(const struct finder *f, int32_t x, int32_t y)
{
	return f->a[x] == f->b[y] && f->a[x] != DIFF_NOTHING;
}

static void add(struct finder *f, int32_t a, int32_t b, int32_t length)
{
	struct run *last = f->l->runs.count ? &vec_last(&f->l->runs) : NULL;
	struct run r = {(uint64_t)a, (uint64_t)b, (uint64_t)length};

	if (length == 0)
		return;
	if (last && last->a + last->length == r.a && last->b + last->length == r.b)
		last->length += r.length;
	else if (!vec_push(&f->l->runs, r))
		f->failed = true;
}

/*
 * One edit more: a diagonal more on each side, as far as the box has such; what lies beyond is
 * not reached (`none`).
 */
static void widen(struct front *p, int32_t least, int32_t most, int32_t none)
{
	if (p->low > least)
		p->at[--p->low - 1] = none;
	else
		p->low++;
	if (p->high < most)
		p->at[++p->high + 1] = none;
	else
		p->high--;
}

/* Diagonals at the sides that lead nowhere any more: of a long narrow box that is most of them. */
static void trim(struct front *p, int32_t none)
{
	while (p->low <= p->high && p->at[p->low] == none)
		p->low += 2;
	while (p->low <= p->high && p->at[p->high] == none)
		p->high -= 2;
}

static bool is_among(const struct front *p, int32_t diagonal)
{
	return diagonal >= p->low && diagonal <= p->high && ((diagonal - p->low) & 1) == 0;
}

/* One edit more from the front. True: it met what came from the back, at (*x, *y). */
static bool step_on(struct finder *f, const struct box *box, struct front *fore,
		    const struct front *back, bool may_meet, int32_t *x, int32_t *y)
{
	for (int32_t k = fore->low; k <= fore->high; k += 2) {
		int32_t down = fore->at[k + 1], right = fore->at[k - 1] + 1, from;

		f->l->work++;
		if (right > box->a1)
			right = UNREACHED;
		if (down - k > box->b1)
			down = UNREACHED;
		from = *x = right > down ? right : down;
		if (*x < box->a0 || *x - k < box->b0) {
			fore->at[k] = UNREACHED;
			continue;
		}
		while (*x < box->a1 && *x - k < box->b1 && equal(f, *x, *x - k))
			++*x;
		fore->at[k] = *x;
		f->l->work += (uint64_t)(*x - from);
		*y = *x - k;
		if (may_meet && is_among(back, k) && back->at[k] <= *x)
			return true;
	}
	trim(fore, UNREACHED);
	return false;
}

/* The same from the back. */
static bool step_back(struct finder *f, const struct box *box, struct front *back,
		      const struct front *fore, bool may_meet, int32_t *x, int32_t *y)
{
	for (int32_t k = back->low; k <= back->high; k += 2) {
		int32_t up = back->at[k - 1], left = back->at[k + 1] - 1, from;

		f->l->work++;
		if (left < box->a0)
			left = -UNREACHED;
		if (up - k < box->b0)
			up = -UNREACHED;
		from = *x = left < up ? left : up;
		if (*x > box->a1 || *x - k > box->b1) {
			back->at[k] = -UNREACHED;
			continue;
		}
		while (*x > box->a0 && *x - k > box->b0 && equal(f, *x - 1, *x - k - 1))
			--*x;
		back->at[k] = *x;
		f->l->work += (uint64_t)(from - *x);
		*y = *x - k;
		if (may_meet && is_among(fore, k) && fore->at[k] >= *x)
			return true;
	}
	trim(back, -UNREACHED);
	return false;
}

static bool gives_up(struct finder *f)
{
	if (f->l->work > f->most || (f->l->stop && *f->l->stop))
		f->l->gave_up = true;
	return f->l->gave_up;
}

/*
 * A place that a shortest script goes through, about in its middle. Both ends of the box differ,
 * and it has numbers of both sides. False: given up.
 */
static bool meet(struct finder *f, const struct box *box, int32_t *x, int32_t *y)
{
	const int32_t least = box->a0 - box->b1, most = box->a1 - box->b0;
	const int32_t first = box->a0 - box->b0, last = box->a1 - box->b1;
	const bool odd = ((first - last) & 1) != 0;
	struct front fore = {first, first, f->fore}, back = {last, last, f->back};

	fore.at[first] = box->a0;
	fore.at[first - 1] = fore.at[first + 1] = UNREACHED;
	back.at[last] = box->a1;
	back.at[last - 1] = back.at[last + 1] = -UNREACHED;
	while (!gives_up(f)) {
		widen(&fore, least, most, UNREACHED);
		if (step_on(f, box, &fore, &back, odd, x, y))
			return true;
		widen(&back, least, most, -UNREACHED);
		if (step_back(f, box, &back, &fore, !odd, x, y))
			return true;
	}
	return false;
}

static void match(struct finder *f, struct box box)
{
	int32_t front = 0, back = 0, x, y;

	while (box.a0 + front < box.a1 && box.b0 + front < box.b1 &&
	       equal(f, box.a0 + front, box.b0 + front))
		front++;
	add(f, box.a0, box.b0, front);
	box.a0 += front;
	box.b0 += front;
	while (box.a1 > box.a0 && box.b1 > box.b0 && equal(f, box.a1 - 1, box.b1 - 1)) {
		box.a1--;
		box.b1--;
		back++;
	}
	f->l->work += (uint64_t)front + (uint64_t)back;
	if (box.a0 < box.a1 && box.b0 < box.b1) {
		if (!meet(f, &box, &x, &y))
			return;
		match(f, (struct box){box.a0, x, box.b0, y});
		match(f, (struct box){x, box.a1, y, box.b1});
	}
	add(f, box.a1, box.b1, back);
}

bool lcs_find(struct lcs *l, const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	const size_t diagonals = n + m + 3;
	struct finder f = {.l = l, .a = a, .b = b};

	f.most = l->limit ? l->work + l->limit : UINT64_MAX;
	l->gave_up = false;

	vec_clear(&l->runs);
	if (!vec_reserve(&l->reach, 2 * diagonals))
		return false;
	f.fore = l->reach.data + m + 1;
	f.back = f.fore + diagonals;
	match(&f, (struct box){0, (int32_t)n, 0, (int32_t)m});
	if (l->gave_up)
		vec_clear(&l->runs);
	return !f.failed;
}

void lcs_free(struct lcs *l)
{
	vec_free(&l->runs);
	vec_free(&l->reach);
	*l = (struct lcs){.work = 0};
}
