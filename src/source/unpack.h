/*
 * A packed stream as a machine that can be stopped at any byte and started at any access point.
 * A packing of that kind (gzip: unzip.c) is one table of functions.
 *
 * Input comes from a file descriptor by pread in pieces; output goes straight to where the
 * caller wants it. Memory: about 110 KiB a machine. Cost: one unpacking of the bytes yielded.
 */
#ifndef PIPEGLASS_SOURCE_UNPACK_H
#define PIPEGLASS_SOURCE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"

enum { UNPACK_REACH = 32 << 10 };

enum unpack_stop {
	UNPACK_FULL,   /* all of the output that was asked for */
	UNPACK_PLACE,  /* an access point may be made here */
	UNPACK_DRY,    /* the input so far is used up */
	UNPACK_TAIL,   /* something behind the last member that is none */
	UNPACK_BROKEN, /* why says what */
	UNPACK_UNREAD, /* the file cannot be read (errno) */
	UNPACK_NOMEM
};

/* What every machine has; a member is a gzip member. */
struct unpack {
	const struct packing *packing;
	int fd;
	uint64_t in;        /* file bytes consumed */
	uint64_t out;       /* text offset of what comes next */
	uint64_t member_at; /* where the member begins, when it was entered from its header */
	uint64_t doubt_at;
	const char *why;
	bool doubtful; /* a member's checksum was wrong, just before doubt_at */
	bool ended;    /* no further byte can change the text */
};

/* Where unpacking can begin: at a member's header, or (gzip) bit by bit inside deflate data. */
struct unpack_place {
	uint64_t in, out; /* file offset of the first whole byte; text offset */
	bool header;
	uint8_t bits; /* unused bits of byte in - 1 */
};

struct packing {
	enum source_kind kind;
	const char *name, *member;
	uint32_t saved_magic; /* of its access points when saved */

	struct unpack *(*make)(int fd); /* at the beginning; NULL: no memory */
	void (*free)(struct unpack *u);

	/* False: the place is not in the file, or the dictionary does not fit. */
	bool (*go)(struct unpack *u, const struct unpack_place *place, const unsigned char *dict,
		   size_t dict_len);

	/*
	 * Yield up to len (> 0) bytes into dst, reading the file below `limit` only. With
	 * to_place, stop at the next place where an access point can be. *got may be > 0
	 * whatever the result.
	 */
	enum unpack_stop (*run)(struct unpack *u, uint64_t limit, bool to_place, char *dst,
				size_t len, size_t *got);

	/* The place where UNPACK_PLACE stopped, and the text before it that is needed there. */
	void (*place)(struct unpack *u, struct unpack_place *place,
		      unsigned char dict[UNPACK_REACH], size_t *dict_len);

	/* Input that ends here ends well: behind a member, not within one. */
	bool (*between)(const struct unpack *u);
};

extern const struct packing packing_gzip;

#endif
