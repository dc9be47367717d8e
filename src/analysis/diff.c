#include "config.h"

#include "analysis/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"

enum { UNREACHED = INT32_MIN / 2 };

enum {
	SAMPLES = 1 << 20, /* of both sides, about; of more numbers some are sampled */
	NOISE = 4,         /* shorter matches are chance */
	ALONE = 32         /* where more edits than that lie on either side */
};

/* How long the anchors are that are looked for, one after the other. */
static const uint32_t grams[] = {32, 8};

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

struct matcher {
	const uint32_t *a, *b;
	const atomic_bool *stop;
	int32_t *fore, *back; /* at diagonal 0 */
	uint64_t left;        /* of DIFF_WORK */
	bool bounded, failed;
	VEC(struct run) runs;
};

static bool equal(const struct matcher *f, int32_t x, int32_t y)
{
	return f->a[x] == f->b[y] && f->a[x] != DIFF_NOTHING;
}

static bool stops(const struct matcher *f)
{
	return f->failed || (f->stop && *f->stop);
}

static void add(struct matcher *f, int32_t a, int32_t b, int32_t length)
{
	struct run *last = f->runs.count ? &vec_last(&f->runs) : NULL;
	struct run r = {(uint64_t)a, (uint64_t)b, (uint64_t)length};

	if (length == 0)
		return;
	if (last && last->a + last->length == r.a && last->b + last->length == r.b)
		last->length += r.length;
	else if (!vec_push(&f->runs, r))
		f->failed = true;
}

/* ---- a shortest script -------------------------------------------------------------------- */

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
static bool step_on(struct matcher *f, const struct box *box, struct front *fore,
		    const struct front *back, bool may_meet, int32_t *x, int32_t *y)
{
	for (int32_t k = fore->low; k <= fore->high; k += 2) {
		int32_t down = fore->at[k + 1], right = fore->at[k - 1] + 1;

		if (right > box->a1)
			right = UNREACHED;
		if (down - k > box->b1)
			down = UNREACHED;
		*x = right > down ? right : down;
		if (*x < box->a0 || *x - k < box->b0) {
			fore->at[k] = UNREACHED;
			continue;
		}
		while (*x < box->a1 && *x - k < box->b1 && equal(f, *x, *x - k))
			++*x;
		fore->at[k] = *x;
		*y = *x - k;
		if (may_meet && is_among(back, k) && back->at[k] <= *x)
			return true;
	}
	trim(fore, UNREACHED);
	return false;
}

/* The same from the back. */
static bool step_back(struct matcher *f, const struct box *box, struct front *back,
		      const struct front *fore, bool may_meet, int32_t *x, int32_t *y)
{
	for (int32_t k = back->low; k <= back->high; k += 2) {
		int32_t up = back->at[k - 1], left = back->at[k + 1] - 1;

		if (left < box->a0)
			left = -UNREACHED;
		if (up - k < box->b0)
			up = -UNREACHED;
		*x = left < up ? left : up;
		if (*x > box->a1 || *x - k > box->b1) {
			back->at[k] = -UNREACHED;
			continue;
		}
		while (*x > box->a0 && *x - k > box->b0 && equal(f, *x - 1, *x - k - 1))
			--*x;
		back->at[k] = *x;
		*y = *x - k;
		if (may_meet && is_among(fore, k) && fore->at[k] >= *x)
			return true;
	}
	trim(back, -UNREACHED);
	return false;
}

/* The place that the front got furthest to; false: it matched less than it edited. */
static bool furthest(const struct box *box, const struct front *fore, int32_t edits, int32_t *x,
		     int32_t *y)
{
	int64_t best = INT64_MIN;

	for (int32_t k = fore->low; k <= fore->high; k += 2) {
		int64_t sum = 2 * (int64_t)fore->at[k] - k;

		if (fore->at[k] <= UNREACHED || sum <= best)
			continue;
		best = sum;
		*x = fore->at[k];
		*y = *x - k;
	}
	return best - box->a0 - box->b0 >= 3 * (int64_t)edits;
}

enum way { WAY_SHORTEST, WAY_ALONG, WAY_ASTRAY };

/*
 * A place that a shortest script goes through, about in its middle; or, where that takes more work
 * than half of what is left, the place that the front got furthest to: along what goes on
 * together all the same, or astray. Both ends of the box differ, and it has numbers of both sides.
 */
static enum way meet(struct matcher *f, const struct box *box, int32_t *x, int32_t *y)
{
	const uint64_t enough = f->left / 2;
	int32_t edits = 0;
	const int32_t least = box->a0 - box->b1, most = box->a1 - box->b0;
	const int32_t first = box->a0 - box->b0, last = box->a1 - box->b1;
	const bool odd = ((first - last) & 1) != 0;
	struct front fore = {first, first, f->fore}, back = {last, last, f->back};

	fore.at[first] = box->a0;
	fore.at[first - 1] = fore.at[first + 1] = UNREACHED;
	back.at[last] = box->a1;
	back.at[last - 1] = back.at[last + 1] = -UNREACHED;
	for (; (edits < DIFF_EDITS || f->left > enough) && !stops(f); edits++) {
		uint64_t work = (uint64_t)(2 + (fore.high - fore.low + back.high - back.low) / 2);

		f->left -= work < f->left ? work : f->left;
		widen(&fore, least, most, UNREACHED);
		if (step_on(f, box, &fore, &back, odd, x, y))
			return WAY_SHORTEST;
		widen(&back, least, most, -UNREACHED);
		if (step_back(f, box, &back, &fore, !odd, x, y))
			return WAY_SHORTEST;
	}
	return furthest(box, &fore, edits, x, y) ? WAY_ALONG : WAY_ASTRAY;
}

static void match_front(struct matcher *f, struct box *box)
{
	int32_t n = 0;

	while (box->a0 + n < box->a1 && box->b0 + n < box->b1 && equal(f, box->a0 + n, box->b0 + n))
		n++;
	add(f, box->a0, box->b0, n);
	box->a0 += n;
	box->b0 += n;
}

/* ---- anchors ------------------------------------------------------------------------------ */

/* Some numbers in a row, by their hash. */
struct gram {
	uint64_t hash;
	int32_t at;
	bool second; /* of b */
};

struct anchor {
	int32_t a, b;
};

struct anchors {
	VEC(struct gram) grams;
	VEC(struct anchor) list;
	VEC(size_t) tail, before;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

/* The stretches of so many numbers in [from, to), if their hash is one of those sampled. */
static bool sample(struct anchors *x, const uint32_t *keys, int32_t from, int32_t to,
		   uint32_t length, uint64_t apart, bool second)
{
	const uint64_t base = UINT64_C(0x9e3779b97f4a7c15) | 1;
	uint64_t hash = 0, power = 1;

	for (uint32_t i = 0; i < length; i++)
		power *= base;
	for (int32_t i = from; i < to; i++) {
		hash = hash * base + mix(keys[i] + 1);
		if (i - from >= (int32_t)length)
			hash -= power * mix(keys[i - (int32_t)length] + 1);
		if (i - from + 1 >= (int32_t)length && (hash >> 40) % apart == 0 &&
		    !vec_push(&x->grams, ((struct gram){hash, i + 1 - (int32_t)length, second})))
			return false;
	}
	return true;
}

static int by_hash(const void *a, const void *b)
{
	const struct gram *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->second - y->second;
}

static int by_place(const void *a, const void *b)
{
	const struct anchor *x = a, *y = b;

	return (x->a > y->a) - (x->a < y->a);
}

/* What both have once. False: no memory. */
static bool pair_up(struct anchors *x)
{
	const struct gram *g = x->grams.data;
	const size_t n = x->grams.count;

	if (n)
		qsort(x->grams.data, n, sizeof(*x->grams.data), by_hash);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && g[end].hash == g[i].hash;)
			end++;
		if (end - i == 2 && !g[i].second && g[i + 1].second &&
		    !vec_push(&x->list, ((struct anchor){g[i].at, g[i + 1].at})))
			return false;
	}
	if (x->list.count)
		qsort(x->list.data, x->list.count, sizeof(*x->list.data), by_place);
	return true;
}

/* Of pairs ascending in a, keep the longest chain that ascends in b too (patience sorting). */
static bool keep_chain(struct anchors *x)
{
	size_t n = x->list.count, length = 0;
	struct anchor *list = x->list.data;
	size_t *tail, *before;

	if (!vec_reserve(&x->tail, n + 1) || !vec_reserve(&x->before, n + 1))
		return false;
	tail = x->tail.data;
	before = x->before.data;
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = length;

		bisect(low, high, k, list[tail[k]].b < list[i].b);
		before[i] = low ? tail[low - 1] : n;
		tail[low] = i;
		length += low == length;
	}
	/* tail gets the chain's places in order, then they close ranks */
	for (size_t k = length, i = length ? tail[length - 1] : n; k-- > 0; i = before[i])
		tail[k] = i;
	for (size_t k = 0; k < length; k++)
		list[k] = list[tail[k]];
	x->list.count = length;
	return true;
}

static bool find_anchors(struct matcher *f, const struct box *box, uint32_t length,
			 struct anchors *x)
{
	uint64_t numbers = (uint64_t)(box->a1 - box->a0) + (uint64_t)(box->b1 - box->b0);
	uint64_t apart = numbers / SAMPLES + 1;

	return sample(x, f->a, box->a0, box->a1, length, apart, false) &&
	       sample(x, f->b, box->b0, box->b1, length, apart, true) && pair_up(x) &&
	       keep_chain(x);
}

static void match(struct matcher *f, struct box box, size_t level);

/* What lies between the anchors, and what they are themselves. */
static void match_between(struct matcher *f, struct box box, const struct anchors *x,
			  uint32_t length, size_t level)
{
	for (size_t i = 0; i < x->list.count && !stops(f); i++) {
		const struct anchor *p = &x->list.data[i];
		int32_t n = 0;

		while (n < (int32_t)length && equal(f, p->a + n, p->b + n))
			n++;
		if (n < (int32_t)length || p->a < box.a0 || p->b < box.b0)
			continue;
		match(f, (struct box){box.a0, p->a, box.b0, p->b}, level);
		add(f, p->a, p->b, n);
		box.a0 = p->a + n;
		box.b0 = p->b + n;
	}
	match(f, box, level);
}

/* By anchors of the level. */
static void match_by_anchors(struct matcher *f, const struct box *box, size_t level)
{
	struct anchors x = {0};

	if (find_anchors(f, box, grams[level], &x))
		match_between(f, *box, &x, grams[level], level + 1);
	else
		f->failed = true;
	vec_free(&x.grams);
	vec_free(&x.list);
	vec_free(&x.tail);
	vec_free(&x.before);
}

/*
 * By a script, and where that goes astray by anchors. What lies before the place where both ends
 * meet is half of it, or little: it goes deep nowhere.
 */
static void match(struct matcher *f, struct box box, size_t level)
{
	const bool last = level == sizeof(grams) / sizeof(grams[0]);
	int32_t back = 0;

	match_front(f, &box);
	while (box.a1 > box.a0 && box.b1 > box.b0 && equal(f, box.a1 - 1, box.b1 - 1)) {
		box.a1--;
		box.b1--;
		back++;
	}
	while (box.a0 < box.a1 && box.b0 < box.b1 && !stops(f)) {
		int32_t x = box.a1, y = box.b1;
		enum way way = meet(f, &box, &x, &y);

		if (way == WAY_ASTRAY && !last) {
			match_by_anchors(f, &box, level);
			break;
		}
		f->bounded = f->bounded || way != WAY_SHORTEST;
		match(f, (struct box){box.a0, x, box.b0, y}, level);
		box.a0 = x;
		box.b0 = y;
		match_front(f, &box);
	}
	add(f, box.a1, box.b1, back);
}

/* ---- the answer --------------------------------------------------------------------------- */

bool diff_add(struct diff *d, uint64_t a, uint64_t b, uint64_t length)
{
	struct run *last = d->runs.count ? &vec_last(&d->runs) : NULL;

	if (length == 0)
		return true;
	if (last && last->a + last->length == a && last->b + last->length == b) {
		last->length += length;
	} else if (d->runs.count >= DIFF_RUNS) {
		d->bounded = true;
		return true;
	} else if (!vec_push(&d->runs, ((struct run){a, b, length}))) {
		return false;
	}
	d->matched += length;
	return true;
}

/* Edits between what is before run i and that run; behind the last one those at the end. */
static uint64_t edits_before(const struct matcher *f, size_t i, uint64_t n, uint64_t m)
{
	struct run end = {n, m, 0}, begin = {0, 0, 0};
	const struct run *r = i < f->runs.count ? &f->runs.data[i] : &end;
	const struct run *last = i ? &f->runs.data[i - 1] : &begin;

	return r->a - last->a - last->length + (r->b - last->b - last->length);
}

/* Is a short match alone among what differs? */
static bool is_chance(const struct matcher *f, size_t i, uint64_t n, uint64_t m)
{
	return f->runs.data[i].length < NOISE && edits_before(f, i, n, m) > ALONE &&
	       edits_before(f, i + 1, n, m) > ALONE;
}

enum status diff_match(struct diff *d, const struct diff_side *a, uint64_t a0,
		       const struct diff_side *b, uint64_t b0, const atomic_bool *stop,
		       struct error *e)
{
	const int32_t n = (int32_t)(a->count < DIFF_MOST ? a->count : DIFF_MOST);
	const int32_t m = (int32_t)(b->count < DIFF_MOST ? b->count : DIFF_MOST);
	const size_t diagonals = (size_t)n + (size_t)m + 3;
	int32_t *reach = malloc(2 * diagonals * sizeof(*reach));
	struct matcher f = {.a = a->keys, .b = b->keys, .left = DIFF_WORK, .stop = stop};

	f.failed = !reach;
	if (reach) {
		f.fore = reach + m + 1;
		f.back = f.fore + diagonals;
		match(&f, (struct box){0, n, 0, m}, 0);
	}
	for (size_t i = 0; i < f.runs.count && !stops(&f); i++) {
		const struct run *r = &f.runs.data[i];

		if (!is_chance(&f, i, (uint64_t)n, (uint64_t)m))
			f.failed = !diff_add(d, a0 + r->a, b0 + r->b, r->length);
	}
	d->bounded = d->bounded || f.bounded || (uint64_t)n < a->count || (uint64_t)m < b->count;
	free(reach);
	vec_free(&f.runs);
	if (f.failed)
		return error_set(e, STATUS_NOMEM, "not enough memory to match two traces");
	return stops(&f) ? error_set(e, STATUS_INTERRUPTED, "interrupted") : STATUS_OK;
}

void diff_free(struct diff *d)
{
	vec_free(&d->runs);
	*d = (struct diff){.matched = 0};
}
