#include "config.h"

#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

struct state {
	uint64_t a, b, c, d;
};

struct hash_key hash_key_new(void)
{
	struct hash_key key;
	struct timespec now;

	if (getrandom(&key, sizeof(key), GRND_NONBLOCK) == (ssize_t)sizeof(key))
		return key;
	/* no entropy yet, early at boot: the clock and the address layout must do */
	clock_gettime(CLOCK_MONOTONIC, &now);
	key.k0 = (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec;
	key.k1 = (uint64_t)(uintptr_t)&key;
	return key;
}

static uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static void round_once(struct state *s)
{
	s->a += s->b;
	s->c += s->d;
	s->b = rotate(s->b, 13) ^ s->a;
	s->d = rotate(s->d, 16) ^ s->c;
	s->a = rotate(s->a, 32);
	s->c += s->b;
	s->a += s->d;
	s->b = rotate(s->b, 17) ^ s->c;
	s->d = rotate(s->d, 21) ^ s->a;
	s->c = rotate(s->c, 32);
}

static void absorb(struct state *s, uint64_t word)
{
	s->d ^= word;
	round_once(s);
	s->a ^= word;
}

/* Up to eight bytes as a little-endian word. */
static uint64_t load(const unsigned char *p, size_t len)
{
	uint64_t word = 0;

	for (size_t i = 0; i < len; i++)
		word |= (uint64_t)p[i] << (8 * i);
	return word;
}

uint64_t hash_bytes(struct hash_key key, const void *bytes, size_t len)
{
	struct state s = {
	    key.k0 ^ UINT64_C(0x736f6d6570736575), key.k1 ^ UINT64_C(0x646f72616e646f6d),
	    key.k0 ^ UINT64_C(0x6c7967656e657261), key.k1 ^ UINT64_C(0x7465646279746573)};
	const unsigned char *p = bytes;
	size_t left = len;

	for (; left >= 8; left -= 8, p += 8)
		absorb(&s, load(p, 8));
	absorb(&s, load(p, left) | (uint64_t)len << 56);
	s.c ^= 0xff;
	for (int i = 0; i < 3; i++)
		round_once(&s);
	return s.a ^ s.b ^ s.c ^ s.d;
}
