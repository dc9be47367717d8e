#include "config.h"

#include "base/sieve.h"

#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- making ------------------------------------------------------------------------------ */

static unsigned row_of(const struct byte_set *s, unsigned high)
{
	return (unsigned)(s->bits[high / 4] >> high % 4 * 16) & 0xffff;
}

/* All bytes with a high half and a low half that some byte of the set has. */
static struct byte_set widened(const struct byte_set *s)
{
	struct byte_set out = {{0}};
	unsigned low = 0;

	for (unsigned h = 0; h < 16; h++)
		low |= row_of(s, h);
	for (unsigned h = 0; h < 16; h++)
		if (row_of(s, h))
			out.bits[h / 4] |= (uint64_t)low << h % 4 * 16;
	return out;
}

/* Those bytes of the set whose high half goes with the same low ones as the first does. */
static struct byte_set alike(const struct byte_set *s)
{
	struct byte_set out = {{0}};
	unsigned first = 0;

	for (unsigned h = 0; h < 16; h++) {
		unsigned row = row_of(s, h);

		first = first ? first : row;
		if (row == first)
			out.bits[h / 4] |= (uint64_t)row << h % 4 * 16;
	}
	return out;
}

/* How much more than it should a place of a window lets through. */
static double excess(const struct byte_set *s)
{
	struct byte_set wide = widened(s);

	return byte_set_density(&wide) - byte_set_density(s);
}

/* Spare buckets make the worst place exact: its window becomes two. */
static bool split_worst(struct needle *n)
{
	double worst = 0.01;
	int window = -1, at = 0;
	struct byte_set some, *rest;

	for (int i = 0; i < n->count; i++)
		for (int k = 0; k < n->window[i].width; k++) {
			double e = excess(&n->window[i].at[k]);

			if (e <= worst)
				continue;
			worst = e;
			window = i;
			at = k;
		}
	if (window < 0 || n->count >= SIEVE_BUCKETS)
		return false;
	n->window[n->count] = n->window[window];
	some = alike(&n->window[window].at[at]);
	rest = &n->window[n->count++].at[at];
	n->window[window].at[at] = some;
	for (int i = 0; i < 4; i++)
		rest->bits[i] &= ~some.bits[i];
	return true;
}

static void put(struct sieve *s, int at, const struct byte_set *set, unsigned char bucket)
{
	for (unsigned b = 0; b < 256; b++)
		if (!set || byte_set_has(set, b)) {
			s->low[at][b & 15] |= bucket;
			s->high[at][b >> 4] |= bucket;
		}
}

void sieve_make(struct sieve *s, const struct needle *n)
{
	struct needle exact = *n;

	memset(s, 0, sizeof(*s));
	while (split_worst(&exact))
		;
	for (int i = 0; i < exact.count; i++)
		if (exact.window[i].width > s->width)
			s->width = exact.window[i].width;
	for (int i = 0; i < exact.count; i++) {
		const struct needle_window *w = &exact.window[i];
		unsigned char bucket = (unsigned char)(1u << i % SIEVE_BUCKETS);

		for (int k = 0; k < s->width; k++) {
			put(s, k, k < w->width ? &w->at[k] : NULL, bucket);
			if (k >= w->width)
				s->beyond[k] |= bucket;
		}
	}
	for (int k = 0; k < s->width; k++)
		for (unsigned b = 0; b < 256; b++)
			s->byte[k][b] = s->low[k][b & 15] & s->high[k][b >> 4];
}

/* ---- looking ----------------------------------------------------------------------------- */

const char *sieve_find_slow(const struct sieve *s, const char *p, const char *end)
{
	for (; p < end; p++) {
		unsigned left = s->byte[0][(unsigned char)*p];

		for (int k = 1; left && k < s->width; k++)
			left &= end - p > k ? s->byte[k][(unsigned char)p[k]] : s->beyond[k];
		if (left)
			return p;
	}
	return end;
}

#if defined(__x86_64__)

enum { STEP = 32 };

/* Buckets that byte k of a window leaves, for each of the 32 places from p. */
__attribute__((target("avx2"))) static inline __m256i leave(const struct sieve *s, int k,
							    const char *p)
{
	const __m256i half = _mm256_set1_epi8(15);
	__m256i low = _mm256_broadcastsi128_si256(_mm_load_si128((const void *)s->low[k]));
	__m256i high = _mm256_broadcastsi128_si256(_mm_load_si128((const void *)s->high[k]));
	__m256i text = _mm256_loadu_si256((const void *)(p + k));

	low = _mm256_shuffle_epi8(low, _mm256_and_si256(text, half));
	high = _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(text, 4), half));
	return _mm256_and_si256(low, high);
}

/* The next place of [p, end - STEP - NEEDLE_WIDTH]; or where too little is left for a step. */
__attribute__((target("avx2"))) static const char *find_wide(const struct sieve *s, const char *p,
							     const char *end)
{
	for (; end - p >= STEP + NEEDLE_WIDTH; p += STEP) {
		__m256i left = leave(s, 0, p);
		unsigned none;

		for (int k = 1; k < s->width; k++) {
			left = _mm256_and_si256(left, leave(s, k, p));
			if (k % 2 && _mm256_testz_si256(left, left))
				break;
		}
		none =
		    (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(left, _mm256_setzero_si256()));
		if (none != UINT32_MAX)
			return p + __builtin_ctz(~none);
	}
	return p;
}

const char *sieve_find(const struct sieve *s, const char *p, const char *end)
{
	if (end - p >= STEP + NEEDLE_WIDTH && __builtin_cpu_supports("avx2")) {
		p = find_wide(s, p, end);
		if (end - p >= STEP + NEEDLE_WIDTH)
			return p;
	}
	return sieve_find_slow(s, p, end);
}

#else

const char *sieve_find(const struct sieve *s, const char *p, const char *end)
{
	return sieve_find_slow(s, p, end);
}

#endif
