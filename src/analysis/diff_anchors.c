#include "config.h"

#include "analysis/diff_private.h"

#include <stdlib.h>
#include <string.h>

enum {
	APART = 16,       /* sampled places lie this far apart on average, or further */
	ALL_OF = 1 << 15, /* but of so few places all are sampled */
	WIDE = 512,       /* numbers between two anchors that are worth looking for shorter ones */
	FILTER_BITS = 1 << 23
};

/* Shorter anchors are looked for between the longer ones. */
static const uint32_t grams[] = {DIFF_GRAM, 8, 4};

/* A sampled place: the hash of the numbers there, and between which anchors it lies. */
struct sample {
	uint64_t hash, at;
	uint64_t segment;
};

struct samples {
	VEC(struct sample) list;
	struct diff_pages *of;
	bool second; /* what an anchor calls b */
	uint64_t apart;
	uint32_t gram;
};

/* What the shorter side has, and some more: nothing else of the longer one can be of use. */
struct filter {
	uint64_t *words;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
}

static bool is_sampled(uint64_t hash, uint64_t apart)
{
	return (hash >> 32) % apart == 0;
}

/* Too many: only every second kind of them stays, everywhere alike. */
static void thin(struct samples *s)
{
	size_t kept = 0;

	s->apart *= 2;
	for (size_t i = 0; i < s->list.count; i++)
		if (is_sampled(s->list.data[i].hash, s->apart))
			s->list.data[kept++] = s->list.data[i];
	s->list.count = kept;
}

static bool filter_new(struct filter *f, const struct samples *s)
{
	f->words = calloc(FILTER_BITS / 64, sizeof(*f->words));
	for (size_t i = 0; f->words && i < s->list.count; i++) {
		uint64_t bit = s->list.data[i].hash % FILTER_BITS;

		f->words[bit / 64] |= UINT64_C(1) << bit % 64;
	}
	return f->words != NULL;
}

static bool passes(const struct filter *f, uint64_t hash)
{
	uint64_t bit = hash % FILTER_BITS;

	return !f || (f->words[bit / 64] >> bit % 64 & 1);
}

/* Denser samples than those of long sequences must not take much longer to sort. */
static size_t most(const struct samples *s)
{
	return s->apart < APART ? DIFF_SAMPLES / 4 : DIFF_SAMPLES;
}

/* One more, if it is to be sampled. False: no memory. */
static bool sample(struct samples *s, uint64_t hash, uint64_t at, const struct filter *f)
{
	if (!is_sampled(hash, s->apart) || !passes(f, hash))
		return true;
	while (s->list.count >= most(s) && s->apart < UINT32_MAX)
		thin(s);
	return s->list.count >= most(s) || !is_sampled(hash, s->apart) ||
	       vec_push(&s->list, ((struct sample){hash, at, 0}));
}

static uint64_t place_of(const struct anchor *x, bool second)
{
	return second ? x->b : x->a;
}

/* Numbers before the k-th anchor, or the end, and behind the one before; *from: the first. */
static uint64_t room(const struct anchors *x, size_t k, const struct samples *s, uint64_t *from)
{
	const struct anchor *list = x->list.data;
	uint64_t to = k < x->list.count ? place_of(&list[k], s->second) : s->of->side->count;

	*from = k ? place_of(&list[k - 1], s->second) + list[k - 1].gram : 0;
	return *from < to ? to - *from : 0;
}

static bool is_wide(uint64_t n, uint64_t m, uint32_t gram)
{
	return n >= gram && m >= gram && n + m >= WIDE;
}

/* The hash of the last `length` numbers, one number after the other. */
struct rolling {
	uint64_t hash, length, out; /* what the first of them counts, once it goes */
};

static const uint64_t base = UINT64_C(0x9fb21c651e98df25);

static struct rolling rolling_new(uint64_t length)
{
	struct rolling r = {.length = length, .out = 1};

	for (uint64_t power = base, n = length; n; n /= 2, power *= power)
		r.out *= n & 1 ? power : 1;
	return r;
}

/*
 * The i-th of those from `from` on comes in. What goes is read through pages of its own where both
 * may lie far from each other: a place has but one page that it can be in.
 */
static inline void roll(struct rolling *r, struct diff_pages *p, struct diff_pages *behind,
			uint64_t from, uint64_t i)
{
	r->hash = r->hash * base + mix(diff_key(p, from + i));
	if (i >= r->length)
		r->hash -= r->out * mix(diff_key(behind, from + i - r->length));
}

/* Sample the numbers [from, from + n). */
static bool take_stretch(struct samples *s, uint64_t from, uint64_t n, const struct filter *f)
{
	struct rolling r = rolling_new(s->gram);

	for (uint64_t i = 0; i < n && !s->of->stopped; i++) {
		roll(&r, s->of, s->of, from, i);
		if (i + 1 >= s->gram && !sample(s, mix(r.hash), from + i + 1 - s->gram, f))
			return false;
	}
	return true;
}

bool diff_find_whole(struct diff_pages *part, struct diff_pages *whole, uint64_t *at)
{
	const uint64_t n = part->side->count, m = whole->side->count;
	struct diff_pages behind = {.side = whole->side, .stop = whole->stop};
	struct rolling wanted = rolling_new(n), r = wanted;
	bool found = false;

	for (uint64_t i = 0; i < n && !part->stopped; i++)
		roll(&wanted, part, part, 0, i);
	behind.keys = part->keys; /* which has been read */
	memset(part->held, 0, sizeof(part->held));
	for (uint64_t i = 0; i < m && !found && !whole->stopped && !behind.stopped; i++) {
		roll(&r, whole, &behind, 0, i);
		*at = i + 1 - n;
		found = i + 1 >= n && r.hash == wanted.hash;
	}
	whole->stopped |= behind.stopped;
	return found && !whole->stopped;
}

/*
 * Sample one side wherever there is room between the anchors of both. Both sides must sample
 * alike: whoever thins out later takes the other along.
 */
static bool take_samples(struct samples *s, const struct samples *other, const struct anchors *x,
			 const struct filter *f)
{
	bool ok = true;

	for (size_t k = 0; k <= x->list.count && ok; k++) {
		uint64_t from, there, n = room(x, k, s, &from), m = room(x, k, other, &there);

		if (is_wide(n, m, s->gram))
			ok = take_stretch(s, from, n, f);
	}
	return ok;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_hash(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	if (x->hash != y->hash)
		return by_number(x->hash, y->hash);
	return x->segment != y->segment ? by_number(x->segment, y->segment)
					: by_number(x->at, y->at);
}

/* Of those at one place in a no two ascend in b. */
static int by_place(const void *a, const void *b)
{
	const struct anchor *x = a, *y = b;

	if (x->a != y->a)
		return by_number(x->a, y->a);
	return x->b != y->b ? by_number(y->b, x->b) : by_number(y->gram, x->gram);
}

/* An empty list may have no memory, which qsort() must not see. */
#define sort_list(list, order)                                                                     \
	((list)->count ? qsort((list)->data, (list)->count, sizeof(*(list)->data), order) : (void)0)

static size_t group_end(const struct samples *s, size_t from)
{
	size_t to = from;

	while (to < s->list.count && s->list.data[to].hash == s->list.data[from].hash &&
	       s->list.data[to].segment == s->list.data[from].segment)
		to++;
	return to;
}

/*
 * More pairs: what both sides hold equally often (at most `often` times) in the same segment, the
 * first with the first and so on.
 */
static bool pair_up(struct anchors *out, struct samples *a, struct samples *b, size_t often)
{
	sort_list(&a->list, by_hash);
	sort_list(&b->list, by_hash);
	for (size_t i = 0, j = 0; i < a->list.count && j < b->list.count;) {
		size_t i1 = group_end(a, i), j1 = group_end(b, j), n = i1 - i;
		const struct sample *x = &a->list.data[i], *y = &b->list.data[j];
		int order = by_number(x->hash, y->hash);

		if (order == 0)
			order = by_number(x->segment, y->segment);
		if (order == 0 && n == j1 - j && n <= often)
			for (size_t k = 0; k < n; k++)
				if (!vec_push(&out->list,
					      ((struct anchor){x[k].at, y[k].at, a->gram})))
					return false;
		i = order <= 0 ? i1 : i;
		j = order >= 0 ? j1 : j;
	}
	sort_list(&out->list, by_place);
	return true;
}

/* Of pairs ascending in a, keep the longest chain that ascends in b too (patience sorting). */
static bool keep_chain(struct anchors *x)
{
	size_t n = x->list.count, length = 0;
	size_t *tail = malloc((n + 1) * sizeof(*tail)), *before = malloc((n + 1) * sizeof(*before));
	struct anchor *list = x->list.data;

	if (!tail || !before) {
		free(tail), free(before);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = length;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (list[tail[middle]].b < list[i].b)
				low = middle + 1;
			else
				high = middle;
		}
		before[i] = low ? tail[low - 1] : n;
		tail[low] = i;
		if (low == length)
			length++;
	}
	/* tail gets the chain's places in order, then they close ranks */
	for (size_t k = length, i = length ? tail[length - 1] : n; k-- > 0; i = before[i])
		tail[k] = i;
	for (size_t k = 0; k < length; k++)
		list[k] = list[tail[k]];
	x->list.count = length;
	free(tail), free(before);
	return true;
}

static int sample_by_place(const void *a, const void *b)
{
	return by_number(((const struct sample *)a)->at, ((const struct sample *)b)->at);
}

/* The number of anchors at or before each sample. */
static void cut_segments(struct samples *s, const struct anchors *x)
{
	size_t k = 0;

	sort_list(&s->list, sample_by_place);
	for (size_t i = 0; i < s->list.count; i++) {
		while (k < x->list.count &&
		       place_of(&x->list.data[k], s->second) <= s->list.data[i].at)
			k++;
		s->list.data[i].segment = k;
	}
}

/*
 * How many numbers an anchor has: the more, the surer; but a short sequence that differs here and
 * there has few long stretches.
 */
static uint32_t gram_of(uint64_t count)
{
	uint32_t gram = 1;

	while (gram < DIFF_GRAM && (uint64_t)gram * gram * 2 <= count)
		gram *= 2;
	return gram;
}

static bool sample_both(struct samples *shorter, struct samples *longer, const struct anchors *x)
{
	struct filter f = {0};
	bool ok = take_samples(shorter, longer, x, NULL) && filter_new(&f, shorter);

	longer->apart = shorter->apart;
	ok = ok && take_samples(longer, shorter, x, &f);
	free(f.words);
	while (ok && shorter->apart < longer->apart)
		thin(shorter);
	return ok;
}

/* Numbers of s that are to be sampled. */
static uint64_t count_wide(const struct samples *s, const struct samples *other,
			   const struct anchors *x)
{
	uint64_t count = 0;

	for (size_t k = 0; k <= x->list.count; k++) {
		uint64_t from, n = room(x, k, s, &from), m = room(x, k, other, &from);

		count += is_wide(n, m, s->gram) ? n : 0;
	}
	return count;
}

/* More anchors, of so many numbers each, between those that are there. */
static bool find(struct anchors *out, struct samples *a, struct samples *b, uint32_t gram)
{
	bool a_longer = a->of->side->count > b->of->side->count;
	struct samples *shorter = a_longer ? b : a, *longer = a_longer ? a : b;
	uint64_t count;

	a->gram = b->gram = gram;
	a->apart = b->apart = 1;
	vec_clear(&a->list);
	vec_clear(&b->list);
	count = count_wide(shorter, longer, out);
	while (shorter->apart < APART && count / shorter->apart > ALL_OF)
		shorter->apart *= 2;
	while (count / shorter->apart > DIFF_SAMPLES / 2)
		shorter->apart *= 2;
	if (!sample_both(shorter, longer, out))
		return false;
	/* what is there once is surest; the rest is counted between those */
	cut_segments(a, out);
	cut_segments(b, out);
	if (!pair_up(out, a, b, 1) || !keep_chain(out))
		return false;
	cut_segments(a, out);
	cut_segments(b, out);
	return pair_up(out, a, b, SIZE_MAX) && keep_chain(out);
}

bool diff_anchors(struct anchors *out, struct diff_pages *a, struct diff_pages *b)
{
	struct samples x = {.of = a}, y = {.of = b, .second = true};
	uint64_t shorter = a->side->count < b->side->count ? a->side->count : b->side->count;
	uint32_t first = gram_of(shorter);
	bool ok = find(out, &x, &y, first);

	for (size_t i = 0; i < sizeof(grams) / sizeof(grams[0]) && ok; i++)
		if (grams[i] < first)
			ok = find(out, &x, &y, grams[i]);
	vec_free(&x.list);
	vec_free(&y.list);
	return ok;
}
