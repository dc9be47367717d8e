#include "config.h"

#include "pipeline/formats/scan.h"

#include "base/num.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define SCAN_AVX2 1
#include <immintrin.h>
#endif

#define NONE4 0x1000, 0x1000, 0x1000, 0x1000
#define NONE16 NONE4, NONE4, NONE4, NONE4

const uint16_t scan_hex_values[256] = {
    NONE16, NONE16, NONE16, /* 0x00 */
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x1000, 0x1000, NONE4,
    0x1000, 10, 11, 12, 13, 14, 15, 0x1000, NONE4, NONE4, NONE16, /* A */
    0x1000, 10, 11, 12, 13, 14, 15, 0x1000, NONE4, NONE4, NONE16, /* a */
    NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16, NONE16,
};

const uint32_t scan_powers[9] = {1,	 10,	  100,	    1000,     10000,
				 100000, 1000000, 10000000, 100000000};

/* ---- lines --------------------------------------------------------------------------------- */

struct block {
	uint64_t newlines; /* set of places */
	bool nul;
};

#ifdef __SSE2__
static inline struct block block_at(const char *p)
{
	struct block b = {0, false};
	__m128i least = _mm_set1_epi8(-1);

	for (int i = 0; i < SCAN_BLOCK; i += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
		__m128i hit = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));

		b.newlines |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << i;
		least = _mm_min_epu8(least, v);
	}
	b.nul = _mm_movemask_epi8(_mm_cmpeq_epi8(least, _mm_setzero_si128())) != 0;
	return b;
}
#else
static inline struct block block_at(const char *p)
{
	struct block b = {0, false};

	for (int i = 0; i < SCAN_BLOCK; i++) {
		b.newlines |= (uint64_t)(p[i] == '\n') << i;
		b.nul |= p[i] == '\0';
	}
	return b;
}
#endif

size_t scan_lines_portable(const char *text, size_t from, size_t to, uint32_t *ends, size_t max)
{
	size_t n = 0;

	for (size_t at = from; at < to && n < max; at += SCAN_BLOCK) {
		struct block b = block_at(text + at);

		if (b.nul)
			break;
		for (; b.newlines; b.newlines &= b.newlines - 1)
			ends[n++] = (uint32_t)at + (uint32_t)__builtin_ctzll(b.newlines);
	}
	return n;
}

#ifdef SCAN_AVX2
/*
 * How many lines end in a block cannot be foretold, so places are written four at a time whether
 * there are so many or not (Langdale and Lemire, "Parsing gigabytes of JSON per second", 2019).
 */
__attribute__((target("avx2,bmi,popcnt"))) static size_t
scan_lines_avx2(const char *text, size_t from, size_t to, uint32_t *ends, size_t max)
{
	const __m256i nl = _mm256_set1_epi8('\n'), zero = _mm256_setzero_si256();
	size_t n = 0;

	for (size_t at = from; at < to && n < max; at += SCAN_BLOCK) {
		const __m256i *p = (const __m256i *)(const void *)(text + at);
		__m256i a = _mm256_loadu_si256(p), b = _mm256_loadu_si256(p + 1);
		uint64_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, nl));
		uint64_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, nl));
		uint64_t set = low | high << 32;
		__m256i nul = _mm256_cmpeq_epi8(_mm256_min_epu8(a, b), zero);
		uint32_t *out = ends + n;

		if (!_mm256_testz_si256(nul, nul))
			break;
		n += (size_t)__builtin_popcountll(set);
		do
			for (int i = 0; i < 4; i++, set &= set - 1)
				*out++ = (uint32_t)at + (uint32_t)_tzcnt_u64(set);
		while (set);
	}
	return n;
}
#endif

size_t scan_lines(const char *text, size_t from, size_t to, uint32_t *ends, size_t max)
{
#ifdef SCAN_AVX2
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("popcnt"))
		return scan_lines_avx2(text, from, to, ends, max);
#endif
	return scan_lines_portable(text, from, to, ends, max);
}

/* ---- fields -------------------------------------------------------------------------------- */

const char *scan_dec_field(const char *p, const char *end, uint64_t *out, bool *overflow)
{
	const char *start = p;
	uint64_t v = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			*overflow = true;
	*out = v;
	return p == start ? NULL : p;
}

const char *scan_hex_field(const char *p, const char *end, uint64_t *out, bool *overflow)
{
	const char *start;
	uint64_t v = 0;

	if (end - p >= 2 && p[0] == '0' && (p[1] | 32) == 'x')
		p += 2;
	for (start = p; p < end && scan_hex_digit(*p) < 16; p++) {
		if (v >> 60)
			*overflow = true;
		v = v << 4 | scan_hex_digit(*p);
	}
	*out = v;
	return p == start ? NULL : p;
}

bool scan_real(const char *p, const char *end, double *out)
{
	char text[64];
	size_t len;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	len = (size_t)(end - p);
	if (len == 0 || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	return num_parse_real(text, out);
}
