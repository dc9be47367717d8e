/*
 * What files in the cache folder consist of (trace/cachefile.h), whatever kind they are of: a
 * header, then parts, each at a place of its own: arrays as they are in memory, which are mapped
 * and used where they are, and small texts and numbers, which are written and read by one function
 * each.
 *
 * A file may have been cut or damaged since it was written: all parts have to lie in it, and the
 * coder never runs past its end. Each kind says in its own file what else it looks at before it
 * uses a file: the numbers that lead somewhere, or a checksum of all.
 */
#ifndef PIPEGLASS_TRACE_CACHEPARTS_H
#define PIPEGLASS_TRACE_CACHEPARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/sbuf.h"
#include "base/vec.h"
#include "source/source.h"
#include "trace/bits.h"

struct warning;

/* What every header begins with. */
struct cache_head {
	char magic[16];
	uint64_t version; /* of the kind's format */
	struct source_id id;
	uint32_t crc; /* of the whole header but for itself */
};

struct cache_part {
	uint64_t off, len;
};

/* ---- the file ---- */

struct cache_writing {
	int fd, error; /* errno of the first failed write; 0: none */
	uint64_t off;  /* behind the last part; at first behind the header */
	uint32_t crc;  /* of the parts that have one, in their order */
};

void cache_write(struct cache_writing *w, const void *p, size_t len, uint64_t off);
/* Behind the others, aligned for anything; summed: a checksum of it is kept. */
void cache_put(struct cache_writing *w, struct cache_part *part, const void *p, size_t len,
	       bool summed);

/* Last of all: the header, which has so many bytes. */
void cache_put_head(struct cache_writing *w, struct cache_head *h, size_t len, uint64_t version,
		    const struct source *s);

/* The whole of a file that has `least` bytes. NULL: it cannot be, or is too short. */
void *cache_map(int fd, size_t least, size_t *len);
/* It is of that version and source, and as it was written. */
bool cache_head_fits(const struct cache_head *h, size_t len, uint64_t version,
		     const struct source *s);
/* All lie within so many bytes, aligned. */
bool cache_parts_fit(const struct cache_part *parts, int count, uint64_t len);
uint32_t cache_parts_crc(const void *map, const struct cache_part *parts, int from, int count);

/* ---- what is in it ---- */

bool cache_all_below(const uint32_t *p, uint32_t n, uint32_t limit);
/* Where stretches end that lie one behind the other, the last at `most`. */
bool cache_rises_to(const uint32_t *p, uint32_t n, uint32_t most);

/* Writes what is there, or reads it into what is empty: so both are one. */
struct cache_coder {
	struct sbuf *out; /* NULL: reads */
	struct byte_reader in;
	struct intern *texts; /* texts that are read stay in these */
	void *of;
	bool bad;
};

void code_number(struct cache_coder *c, uint64_t *value);
void code_text(struct cache_coder *c, const char **text);
void code_bytes(struct cache_coder *c, void *value, size_t size);
/* How many elements follow, each of a byte at least. */
size_t code_count(struct cache_coder *c, size_t count);
void code_names(struct cache_coder *c, struct intern *names);
void code_warning(struct cache_coder *c, struct warning *w);

/* What a part of texts and numbers has: written, and read. False: it was damaged, or no memory. */
typedef void cache_code_fn(struct cache_coder *c);
void cache_put_coded(struct cache_writing *w, struct cache_part *part, cache_code_fn *code,
		     void *of);
bool cache_take_coded(const void *map, const struct cache_part *part, cache_code_fn *code,
		      struct cache_coder *c);

/* All elements of a vector by what is done with one, e. */
#define CODE_VECTOR(c, vec, body)                                                                  \
	do {                                                                                       \
		size_t n_ = code_count(c, (vec)->count);                                           \
                                                                                                   \
		if (!(c)->out && vec_reserve(vec, n_ + 1)) {                                       \
			memset((vec)->data, 0, n_ * sizeof(*(vec)->data));                         \
			(vec)->count = n_;                                                         \
		}                                                                                  \
		(c)->bad |= (vec)->count != n_;                                                    \
		for (size_t i_ = 0; i_ < (vec)->count && !(c)->bad; i_++) {                        \
			__typeof__((vec)->data) e = &(vec)->data[i_];                              \
			body                                                                       \
		}                                                                                  \
	} while (0)

#endif
