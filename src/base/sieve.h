/*
 * Where in a text one of a needle's windows may be: 32 places at once where the machine can
 * (AVX2), else one by one.
 *
 * Bytes are told apart by their two halves (as the Teddy and "shufti" searches do), one bit for
 * each of eight buckets of windows: so a place that is found may be wrong, but none is left out.
 * Cost: about 2 cycles for each byte of the window and 32 bytes of text, at memory speed as a
 * rule; some 2 ns a place that is found.
 */
#ifndef PIPEGLASS_BASE_SIEVE_H
#define PIPEGLASS_BASE_SIEVE_H

#include "base/needle.h"

enum { SIEVE_BUCKETS = 8 };

struct sieve {
	_Alignas(16) unsigned char low[NEEDLE_WIDTH][16], high[NEEDLE_WIDTH][16];
	unsigned char byte[NEEDLE_WIDTH][256];
	unsigned char beyond[NEEDLE_WIDTH]; /* buckets whose windows are shorter than that */
	int width;
};

void sieve_make(struct sieve *s, const struct needle *n);

/* The first place in [p, end) at which a window may begin; end: none. */
const char *sieve_find(const struct sieve *s, const char *p, const char *end);
/* The same, place by place; tests compare the two. */
const char *sieve_find_slow(const struct sieve *s, const char *p, const char *end);

#endif
