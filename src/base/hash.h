/*
 * Hashes of bytes and numbers under a key. Whoever writes a trace could choose names that collide
 * under a hash that is known, so each table draws a key of its own. O(length).
 */
#ifndef PIPEGLASS_BASE_HASH_H
#define PIPEGLASS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>

/* salt: an address of the caller's; without entropy yet, early at boot, the address layout must do. */
static inline uint64_t hash_key(const void *salt)
{
	uint64_t key = (uint64_t)(uintptr_t)salt;

	(void)!getrandom(&key, sizeof(key), GRND_NONBLOCK);
	return key | 1;
}

/* Both halves of a product with the key depend on all of it. */
static inline uint64_t hash_step(uint64_t key, uint64_t hash)
{
	unsigned __int128 product = (unsigned __int128)hash * key;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_bytes(uint64_t key, const char *p, size_t len)
{
	uint64_t hash = ~key ^ len;

	for (size_t step; len; p += step, len -= step) {
		uint64_t word = 0;

		step = len < sizeof(word) ? len : sizeof(word);
		memcpy(&word, p, step);
		hash = hash_step(key, hash ^ word);
	}
	return hash ^ hash >> 32;
}

#endif
