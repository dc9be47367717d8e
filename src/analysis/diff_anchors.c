#include "config.h"

#include "analysis/diff_private.h"

#include <stdlib.h>

enum { LEAST_APART = 16 }; /* sampled places lie this far apart on average, or further */

/* A sampled place: the hash of the DIFF_GRAM numbers there, and between which anchors it lies. */
struct sample {
	uint64_t hash, at;
	uint64_t segment;
};

struct samples {
	VEC(struct sample) list;
	uint64_t apart;
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

/* Both sides must sample alike: whoever thins out later takes the other along. */
static bool take_samples(struct samples *s, struct diff_pages *p)
{
	const uint64_t base = UINT64_C(0x9fb21c651e98df25);
	uint64_t count = p->side->count, hash = 0, out = 1;

	for (int i = 0; i < DIFF_GRAM; i++)
		out *= base;
	for (uint64_t i = 0; i < count && !p->stopped; i++) {
		uint64_t mixed;

		hash = hash * base + mix(diff_key(p, i));
		if (i >= DIFF_GRAM)
			hash -= out * mix(diff_key(p, i - DIFF_GRAM));
		if (i + 1 < DIFF_GRAM)
			continue;
		mixed = mix(hash);
		if (!is_sampled(mixed, s->apart))
			continue;
		while (s->list.count >= DIFF_SAMPLES && s->apart < UINT32_MAX)
			thin(s);
		if (s->list.count < DIFF_SAMPLES && is_sampled(mixed, s->apart) &&
		    !vec_push(&s->list, ((struct sample){mixed, i + 1 - DIFF_GRAM, 0})))
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

static bool find(struct anchors *out, struct samples *a, struct samples *b, struct diff_pages *pa,
		 struct diff_pages *pb)
{
	uint64_t longer = pa->side->count > pb->side->count ? pa->side->count : pb->side->count;

	a->apart = LEAST_APART;
	while (longer / a->apart > DIFF_SAMPLES / 2)
		a->apart *= 2;
	if (!take_samples(a, pa))
		return false;
	b->apart = a->apart;
	if (!take_samples(b, pb))
		return false;
	while (a->apart < b->apart)
		thin(a);
	/* what is there once is surest; the rest is counted between those */
	if (!pair_up(out, a, b, 1) || !keep_chain(out))
		return false;
	cut_segments(a, out, false);
	cut_segments(b, out, true);
	return pair_up(out, a, b, SIZE_MAX) && keep_chain(out);
}

bool diff_anchors(struct anchors *out, struct diff_pages *a, struct diff_pages *b)
{
	struct samples x = {.apart = 1}, y = {.apart = 1};
	bool ok = find(out, &x, &y, a, b);

	vec_free(&x.list);
	vec_free(&y.list);
	return ok;
}
