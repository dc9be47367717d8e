/*
 * Text that lies too far behind an access point to be unpacked for each look at it: a zstd
 * decoder cannot be saved, so within one long frame there are no access points.
 *
 * Such text is kept in an unlinked temporary file, packed again in stretches of their own. (On
 * pipetraces that takes an eighth of the room of the plain text and less time than writing
 * that out: 630 MB cost 1.0 s packed, 1.2 s plain, beside 0.5 s of decoding.) A thread packs and
 * writes, so the pass waits only when it is SPILL_QUEUE stretches ahead.
 *
 * Memory: a stretch for each feed, SPILL_QUEUE stretches, one packer (some 5 MiB, when first
 * used), 16 bytes a stretch spilled. spill_read() O(a stretch). Calls from several threads.
 */
#ifndef PIPEGLASS_SOURCE_SPILL_H
#define PIPEGLASS_SOURCE_SPILL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

enum { STRETCH_SIZE = 1 << 20, SPILL_AFTER = 8 << 20, SPILL_QUEUE = 3 };

struct source;

/* A stretch from off on, gathered so far; text NULL: none yet. */
struct spill_text {
	char *text;
	uint64_t off;
	size_t len;
};

/* Where the len bytes of a stretch lie, packed, in the file; len 0: not there. */
struct spilled {
	uint64_t at;
	uint32_t packed, len;
};

/* Who unpacks: each gathers its own. */
enum spill_feed { SPILL_PASS, SPILL_CURSORS, SPILL_FEEDS };

struct spill {
	struct source *source;
	pthread_mutex_t lock;
	pthread_cond_t room, work;
	pthread_t thread;
	bool running, stop, failed;
	int fd;
	uint64_t end;             /* of the file */
	VEC(struct spilled) kept; /* by off / STRETCH_SIZE */
	struct spill_text feed[SPILL_FEEDS];
	struct spill_text queue[SPILL_QUEUE]; /* the first `queued` are on their way to the file */
	size_t queued;
	char *spare; /* a stretch */
	struct spill_codec *codec;
};

#ifdef HAVE_ZSTD

void spill_init(struct spill *p, struct source *s);
void spill_free(struct spill *p);

/*
 * Take text at off, unpacked by way of the access point at text offset `point`: what is more
 * than SPILL_AFTER behind it is kept, in whole stretches. Without room it is not, and
 * source_damage() says so.
 */
void spill_add(struct spill *p, enum spill_feed feed, uint64_t point, uint64_t off,
	       const char *text, size_t len);

/* The first len bytes of the stretch that begins at off, if they are kept; one call at a time. */
bool spill_has(struct spill *p, uint64_t off, size_t len);
bool spill_read(struct spill *p, uint64_t off, char *dst, size_t len);

bool spill_failed(struct spill *p); /* no room: nothing more is kept */
void spill_forget(struct spill *p); /* the text may be another one now */

#else /* every packing has access points enough */

static inline void spill_init(struct spill *p, struct source *s)
{
	(void)p;
	(void)s;
}

static inline void spill_free(struct spill *p)
{
	(void)p;
}

static inline bool spill_failed(struct spill *p)
{
	(void)p;
	return true;
}

static inline void spill_forget(struct spill *p)
{
	(void)p;
}

static inline void spill_add(struct spill *p, enum spill_feed feed, uint64_t point, uint64_t off,
			     const char *text, size_t len)
{
	(void)p, (void)feed, (void)point, (void)off, (void)text, (void)len;
}

static inline bool spill_has(struct spill *p, uint64_t off, size_t len)
{
	(void)p, (void)off, (void)len;
	return false;
}

static inline bool spill_read(struct spill *p, uint64_t off, char *dst, size_t len)
{
	(void)p, (void)off, (void)dst, (void)len;
	return false;
}

#endif

#endif
