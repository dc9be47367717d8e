/*
 * Bins of a stretch of time, of one curve or of many at once: what falls into them is counted, and
 * intervals are integrated, however many bins they go through in O(1).
 *
 * Bin k of n covers [from + k*w, from + (k+1)*w), w real: which bin a tick is in is decided with
 * integers. An interval adds to the bins of its ends the ticks of them that it covers, and to those
 * between one each, as a difference: the mean over a bin of how many intervals there are is exact
 * but for the rounding of the bins' edges.
 */
#ifndef PIPEGLASS_TRACE_BINS_H
#define PIPEGLASS_TRACE_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bins {
	int64_t from, to; /* from < to */
	size_t n;         /* bins of each curve */
	size_t curves;
	uint64_t length;     /* ticks of all */
	double width, scale; /* ticks of a bin, bins of a tick */
	int64_t *first; /* tick of each bin; the last is `to` */
	double *sum;    /* by curve and bin */
	int64_t *whole; /* the same: difference of intervals that cover the bin, or a count */
	size_t last;    /* private: where the last tick was; the next one is likely to be there, too */
};

/* False: no memory. bins_free() in any case. */
bool bins_make(struct bins *b, int64_t from, int64_t to, size_t n, size_t curves);
void bins_free(struct bins *b);
/* Means of what was covered, by curve and bin, into sum. O(bins). */
void bins_means(struct bins *b);

/* The bin of a tick of [from, to): a double says where it is about, the edges which of two. */
static inline size_t bins_place(struct bins *b, int64_t tick)
{
	size_t k = b->last;

	if (tick >= b->first[k] && tick < b->first[k + 1])
		return k;
	k = (size_t)((double)((uint64_t)tick - (uint64_t)b->from) * b->scale);
	if (k >= b->n)
		k = b->n - 1;
	while (tick < b->first[k])
		k--;
	while (tick >= b->first[k + 1])
		k++;
	return b->last = k;
}

/* Ticks from the edge of bin k, which lies between ticks, to one of its ticks. Exact on an edge. */
static inline double bins_behind(const struct bins *b, int64_t tick, size_t k)
{
	const unsigned __int128 at = (unsigned __int128)((uint64_t)tick - (uint64_t)b->from) * b->n;

	return (double)(uint64_t)(at - (unsigned __int128)k * b->length) / (double)b->n;
}

/* Something of that amount at a tick; what lies outside is left out. O(1). */
static inline void bins_count(struct bins *b, size_t curve, int64_t tick, double amount)
{
	if (tick >= b->from && tick < b->to) {
		size_t k = curve * b->n + bins_place(b, tick);

		b->sum[k] += amount;
		b->whole[k]++;
	}
}

/* Something that is there in [begin, end). O(1). */
static inline void bins_cover(struct bins *b, size_t curve, int64_t begin, int64_t end)
{
	double *sum = b->sum + curve * b->n;
	int64_t *whole = b->whole + curve * b->n;
	size_t i;

	if (begin < b->from)
		begin = b->from;
	if (end > b->to)
		end = b->to;
	if (begin >= end)
		return;
	i = bins_place(b, begin);
	if (end < b->first[i + 1]) {
		sum[i] += (double)(end - begin);
		return;
	}
	sum[i] += b->width - bins_behind(b, begin, i);
	if (i + 1 < b->n)
		whole[i + 1]++;
	if (end < b->to) {
		i = bins_place(b, end);
		whole[i]--;
		sum[i] += bins_behind(b, end, i);
	}
}

#endif
