/*
 * Scanning decimal and hexadecimal fields and newlines, eight to sixty-four bytes at a time.
 *
 * The fast forms read up to SCAN_SLACK bytes beyond p: callers keep that much text behind
 * their position and use the careful forms (limit given) near the end. O(digits).
 */
#ifndef PIPEGLASS_PIPELINE_FORMATS_SCAN_H
#define PIPEGLASS_PIPELINE_FORMATS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SCAN_SLACK = 256 };

static inline uint64_t scan_load8(const char *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

static inline unsigned scan_load2(const char *p)
{
	return (unsigned char)p[0] | (unsigned)(unsigned char)p[1] << 8;
}

#define SCAN_ZEROS 0x3030303030303030u

/* Not 0 if a byte of w ^ SCAN_ZEROS is no digit's: the lowest byte that is none is the first. */
static inline uint64_t scan_no_digits(uint64_t x)
{
	return (x | (x + 0x0606060606060606u)) & 0xf0f0f0f0f0f0f0f0u;
}

/* Number of leading bytes of w (first byte lowest) that are decimal digits: 0..8. */
static inline unsigned scan_digit_count(uint64_t w)
{
	uint64_t bad = scan_no_digits(w ^ SCAN_ZEROS);

	return bad ? (unsigned)__builtin_ctzll(bad) >> 3 : 8;
}

/* Eight digits' values, the first lowest, -> the number. Pairs, fours, all eight. */
static inline uint32_t scan_combine(uint64_t x)
{
	x = x * (1 + (10 << 8)) >> 8 & 0x00ff00ff00ff00ffu;
	x = x * (1 + (100 << 16)) >> 16 & 0x0000ffff0000ffffu;
	return (uint32_t)(x * (1 + (UINT64_C(10000) << 32)) >> 32);
}

/* Value of the n leading digits of w, 1 <= n <= 8. */
static inline uint32_t scan_digits(uint64_t w, unsigned n)
{
	return scan_combine((w ^ SCAN_ZEROS) << ((8 - n) * 8));
}

extern const uint32_t scan_powers[9]; /* of ten */

/* Decimal field at p; NULL when there is none or it has more than 15 digits. */
static inline const char *scan_dec(const char *p, uint64_t *out)
{
	uint64_t w = scan_load8(p);
	unsigned n = scan_digit_count(w);

	if (n == 0)
		return NULL;
	*out = scan_digits(w, n);
	p += n;
	if (__builtin_expect(n < 8, 1))
		return p;
	w = scan_load8(p);
	n = scan_digit_count(w);
	if (n)
		*out = *out * scan_powers[n] + scan_digits(w, n);
	return n == 8 ? NULL : p + n;
}

/* The n bytes at p, all of them decimal digits; false: they are not, or not 1 to 15. */
static inline bool scan_dec_exact(const char *p, size_t n, uint64_t *out)
{
	uint64_t x;

	if (__builtin_expect(n > 8, 0))
		return n < 16 && scan_dec(p, out) == p + n;
	x = (scan_load8(p) ^ SCAN_ZEROS) << (8 * -n & 63);
	*out = scan_combine(x);
	return n > 0 && !scan_no_digits(x);
}

/* The value of a hexadecimal digit, or more than 15. */
static inline unsigned scan_hex_digit(char c)
{
	unsigned d = (unsigned char)c - '0';

	if (d < 10)
		return d;
	d = ((unsigned char)c | 32u) - 'a';
	return d < 6 ? d + 10 : 16;
}

extern const uint16_t scan_hex_values[256]; /* 0..15, or 0x1000 */

/* The same without a branch: for digits that cannot be foretold. */
static inline unsigned scan_hex_value(char c)
{
	return scan_hex_values[(unsigned char)c];
}

/* The value of the eight hexadecimal digits at p. */
static inline uint32_t scan_hex8(const char *p)
{
	uint64_t w = __builtin_bswap64(scan_load8(p));
	uint64_t x = (w & 0x0f0f0f0f0f0f0f0fu) + 9 * (w >> 6 & 0x0101010101010101u);

	x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
	x = (x | x >> 8) & 0x0000ffff0000ffffu;
	return (uint32_t)(x | x >> 16);
}

/* Number of hexadecimal digits that p begins with: 0..16. */
static inline unsigned scan_hex_count(const char *p)
{
	unsigned n = 0;
#ifdef __SSE2__
	__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
	__m128i digit = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	__m128i letter = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
	__m128i any = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit),
				   _mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(5)), letter));

	n = (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(any));
#else
	while (n < 16 && scan_hex_digit(p[n]) < 16)
		n++;
#endif
	return n;
}

enum { SCAN_BLOCK = 64 };

/*
 * Where the newlines of text[from..to) and of the block that holds its end are: offsets into
 * ends, which has room for SCAN_BLOCK more than max; at least max of them are found if there
 * are so many. A block with a NUL ends the search before it, as the careful path reports NULs.
 * Reads whole blocks. Some 3 ns a line.
 */
size_t scan_lines(const char *text, size_t from, size_t to, uint32_t *ends, size_t max);

/*
 * First newline at or after p, before end; NULL when there is none, or a NUL comes first (which the
 * careful path reports). Reads whole 16s.
 */
static inline const char *scan_newline(const char *p, const char *end)
{
#ifdef __SSE2__
	const __m128i nl = _mm_set1_epi8('\n'), nul = _mm_setzero_si128();

	for (int i = 0; i < 6; i++, p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i any = _mm_or_si128(_mm_cmpeq_epi8(v, nl), _mm_cmpeq_epi8(v, nul));
		unsigned hit = (unsigned)_mm_movemask_epi8(any);

		if (hit)
			return p[__builtin_ctz(hit)] == '\n' ? p + __builtin_ctz(hit) : NULL;
	}
#endif
	const char *found = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return found && !memchr(p, '\0', (size_t)(found - p)) ? found : NULL;
}

/* A byte that can stand in a statistic's name: anything visible but the brackets. */
static inline bool scan_is_name(char c)
{
	return (unsigned char)c > ' ' && c != '<' && c != '>';
}

/* First byte at or after p that is none of a name. Reads whole 16s, ends within 32 bytes. */
static inline const char *scan_name(const char *p)
{
	const char *stop = p + 32;
#ifdef __SSE2__
	const __m128i blank = _mm_set1_epi8(' '), lt = _mm_set1_epi8('<'), gt = _mm_set1_epi8('>');

	for (; p < stop; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, blank), v);
		__m128i any = _mm_or_si128(low, _mm_or_si128(_mm_cmpeq_epi8(v, lt),
							    _mm_cmpeq_epi8(v, gt)));
		unsigned hit = (unsigned)_mm_movemask_epi8(any);

		if (hit)
			return p + __builtin_ctz(hit);
	}
#else
	while (p < stop && scan_is_name(*p))
		p++;
#endif
	return p;
}

/* p and q agree in len bytes; both may be read in whole eights. */
static inline bool scan_same(const char *p, const char *q, size_t len)
{
	for (; len > 8; p += 8, q += 8, len -= 8)
		if (scan_load8(p) != scan_load8(q))
			return false;
	return len == 0 || (scan_load8(p) ^ scan_load8(q)) << (8 * (8 - len)) == 0;
}

/* Careful forms: fields of p[0..end). NULL: none; *overflow is set when it does not fit. */
const char *scan_dec_field(const char *p, const char *end, uint64_t *out, bool *overflow);
const char *scan_hex_field(const char *p, const char *end, uint64_t *out, bool *overflow);

/* A statistic's value, blanks around it allowed; false when it is no number. */
bool scan_real(const char *p, const char *end, double *out);

#endif
