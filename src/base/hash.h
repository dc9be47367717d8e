/*
 * A keyed hash of byte strings: SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast
 * short-input PRF", 2012, with one compression and three finalisation rounds).
 *
 * Names come from traces, and whoever writes a trace could choose them to collide under a
 * known hash; with a key drawn per table they cannot. Not for anything that is stored:
 * values differ from run to run. O(bytes).
 */
#ifndef PIPEGLASS_BASE_HASH_H
#define PIPEGLASS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_key {
	uint64_t k0, k1;
};

struct hash_key hash_key_new(void);
uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t len);

#endif
