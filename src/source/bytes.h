/*
 * Little-endian numbers in saved bytes: append them, and take them back with a cursor that
 * never leaves the bytes (failed stays set, values are 0 from then on). O(1) each.
 */
#ifndef PIPEGLASS_SOURCE_BYTES_H
#define PIPEGLASS_SOURCE_BYTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"

struct bytes {
	const unsigned char *at;
	size_t left;
	bool failed;
};

static inline void bytes_put(struct sbuf *out, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		sbuf_putc(out, (char)(unsigned char)(value >> (8 * i)));
}

/* The next len bytes, or NULL. */
static inline const unsigned char *bytes_skip(struct bytes *b, size_t len)
{
	const unsigned char *p = b->at;
	if (b->failed || len > b->left) {
		b->failed = true;
		return NULL;
	}
	b->at += len;
	b->left -= len;
	return p;
}

static inline uint64_t bytes_get(struct bytes *b, unsigned size)
{
	uint64_t value = 0;
	const unsigned char *p = bytes_skip(b, size);
	for (unsigned i = 0; p && i < size; i++)
		value |= (uint64_t)p[i] << (8 * i);
	return value;
}

#endif
