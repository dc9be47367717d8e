#include "config.h"

#include "analysis/diff_private.h"

#include <stdlib.h>

enum {
	APART = 16,       /* sampled places lie this far apart on average, or further */
	ALL_OF = 1 << 15, /* but of so few places all are sampled */
	FILTER_BITS = 1 << 23
};

/* A sampled place: the hash of the numbers there, and between which anchors it lies. */
struct sample {
	uint64_t hash, at;
	uint64_t segment;
};

struct samples {
	VEC(struct sample) list;
	struct diff_pages *of;
	uint64_t apart, gram;
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

/* Both sides must sample alike: whoever thins out later takes the other along. */
static bool take_samples(struct samples *s, const struct filter *f)
{
	const uint64_t base = UINT64_C(0x9fb21c651e98df25);
	uint64_t count = s->of->side->count, hash = 0, out = 1;

	for (uint64_t i = 0; i < s->gram; i++)
		out *= base;
	for (uint64_t i = 0; i < count && !s->of->stopped; i++) {
		hash = hash * base + mix(diff_key(s->of, i));
		if (i >= s->gram)
			hash -= out * mix(diff_key(s->of, i - s->gram));
		if (i + 1 >= s->gram && !sample(s, mix(hash), i + 1 - s->gram, f))
			return false;
	}
	return true;
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

static int by_place(const void *a, const void *b)
{
	return by_number(((const struct anchor *)a)->a, ((const struct anchor *)b)->a);
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
 * Pair what both sides hold equally often (at most `often` times) in the same segment, the
 * first with the first and so on.
 */
static bool pair_up(struct anchors *out, struct samples *a, struct samples *b, size_t often)
{
	out->list.count = 0;
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
				if (!vec_push(&out->list, ((struct anchor){x[k].at, y[k].at})))
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
static void cut_segments(struct samples *s, const struct anchors *x, bool second)
{
	size_t k = 0;

	sort_list(&s->list, sample_by_place);
	for (size_t i = 0; i < s->list.count; i++) {
		while (k < x->list.count &&
		       (second ? x->list.data[k].b : x->list.data[k].a) <= s->list.data[i].at)
			k++;
		s->list.data[i].segment = k;
	}
}

/*
 * How many numbers an anchor has: the more, the surer; but a short sequence that differs here and
 * there has few long stretches.
 */
static uint64_t gram_of(uint64_t count)
{
	uint64_t gram = 1;

	while (gram < DIFF_GRAM && gram * gram * 2 <= count)
		gram *= 2;
	return gram;
}

static bool sample_both(struct samples *shorter, struct samples *longer)
{
	struct filter f = {0};
	bool ok = take_samples(shorter, NULL) && filter_new(&f, shorter);

	longer->apart = shorter->apart;
	ok = ok && take_samples(longer, &f);
	free(f.words);
	while (ok && shorter->apart < longer->apart)
		thin(shorter);
	return ok;
}

static bool find(struct anchors *out, struct samples *a, struct samples *b)
{
	bool a_longer = a->of->side->count > b->of->side->count;
	struct samples *shorter = a_longer ? b : a;
	uint64_t count = shorter->of->side->count;

	while (shorter->apart < APART && count / shorter->apart > ALL_OF)
		shorter->apart *= 2;
	while (count / shorter->apart > DIFF_SAMPLES / 2)
		shorter->apart *= 2;
	out->gram = gram_of(count);
	a->gram = b->gram = out->gram;
	if (!sample_both(shorter, a_longer ? a : b))
		return false;
	/* what is there once is surest; the rest is counted between those */
	if (!pair_up(out, a, b, 1) || !keep_chain(out))
		return false;
	cut_segments(a, out, false);
	cut_segments(b, out, true);
	return pair_up(out, a, b, SIZE_MAX) && keep_chain(out);
}

bool diff_anchors(struct anchors *out, struct diff_pages *a, struct diff_pages *b)
{
	struct samples x = {.of = a, .apart = 1}, y = {.of = b, .apart = 1};
	bool ok = find(out, &x, &y);

	vec_free(&x.list);
	vec_free(&y.list);
	return ok;
}
