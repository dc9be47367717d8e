#include "config.h"

#include "pipeline/formats/scan.h"

#include "base/num.h"

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

size_t scan_lines(const char *text, size_t from, size_t to, uint32_t *ends, size_t max)
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

/* ---- fields -------------------------------------------------------------------------------- */

const char *scan_dec_field(const char *p, const char *end, uint64_t *out, bool *overflow)
{
	const char *start = p;
	uint64_t v = 0;

	if (end - p >= 8) { /* eight at once */
		uint64_t w = scan_load8(p);
		unsigned n = scan_digit_count(w);

		v = n ? scan_digits(w, n) : 0;
		p += n;
	}
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

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return num_parse_real(num_part(p, (size_t)(end - p), text), out);
}
