/*
 * Bits and varints: how the index is packed. Readers never run past their end: beyond it they
 * yield zeros and set .over, so that a damaged index gives nonsense, never a fault.
 */
#ifndef PIPEGLASS_TRACE_BITS_H
#define PIPEGLASS_TRACE_BITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/sbuf.h"

/* Writes at p, which has room for all that will be put and eight bytes more. */
struct bit_writer {
	unsigned char *p;
	uint64_t hold;
	unsigned held; /* bits in hold, < 8 after every put */
};

/* n <= 56 */
static inline void bits_put(struct bit_writer *w, uint64_t value, unsigned n)
{
	uint64_t bytes;

	w->hold |= value << w->held;
	w->held += n;
	bytes = htole64(w->hold);
	memcpy(w->p, &bytes, 8);
	w->p += w->held >> 3;
	w->hold >>= w->held & ~7u;
	w->held &= 7;
}

static inline void bits_put_wide(struct bit_writer *w, uint64_t value, unsigned n)
{
	if (n > 32) {
		bits_put(w, value & UINT32_MAX, 32);
		value >>= 32;
		n -= 32;
	}
	bits_put(w, value, n);
}

static inline void bits_flush(struct bit_writer *w)
{
	if (w->held)
		*w->p++ = (unsigned char)w->hold;
	w->hold = 0;
	w->held = 0;
}

struct bit_reader {
	const unsigned char *p;
	size_t len; /* bytes */
	size_t bit;
	bool over;
};

/* n <= 56 in one piece; wider values are read in two. */
static inline uint64_t bits_get56(struct bit_reader *r, unsigned n)
{
	size_t byte = r->bit >> 3;
	uint64_t w = 0;

	if (byte + 8 <= r->len)
		memcpy(&w, r->p + byte, 8);
	else if (byte < r->len)
		memcpy(&w, r->p + byte, r->len - byte);
	w = le64toh(w);
	if (r->bit + n > r->len * 8)
		r->over = true;
	w >>= r->bit & 7;
	r->bit += n;
	return n ? w & (~UINT64_C(0) >> (64 - n)) : 0;
}

static inline uint64_t bits_get(struct bit_reader *r, unsigned n)
{
	uint64_t low;

	if (n <= 56)
		return bits_get56(r, n);
	low = bits_get56(r, 32);
	return low | bits_get56(r, n - 32) << 32;
}

/* LEB128, low seven bits first. */
static inline void varint_put(struct sbuf *out, uint64_t v)
{
	unsigned char b[10];
	size_t n = 0;

	while (v >= 0x80) {
		b[n++] = (unsigned char)(v | 0x80);
		v >>= 7;
	}
	b[n++] = (unsigned char)v;
	sbuf_add(out, b, n);
}

struct byte_reader {
	const unsigned char *p, *end;
	bool over;
};

static inline uint64_t varint_get(struct byte_reader *r)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		unsigned char b;

		if (r->p >= r->end) {
			r->over = true;
			return 0;
		}
		b = *r->p++;
		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	r->over = true;
	return v;
}

static inline uint64_t zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (uint64_t)(v >> 63);
}

static inline int64_t unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline unsigned bit_length(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

#endif
