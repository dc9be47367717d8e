/*
 * A packing that is read as a stream, front to back: zstd, xz. (gzip has places to begin at within its
 * data, and is read at random: unzip.h.) Each is one table of functions, in a file of its own.
 *
 * Memory: what its library needs. Cost: one unpacking of the bytes yielded.
 */
#ifndef PIPEGLASS_SOURCE_UNPACKER_H
#define PIPEGLASS_SOURCE_UNPACKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/source.h"

enum unpacker_stop {
	UNPACKER_ON,      /* the input is used up, or the output full */
	UNPACKER_MEMBER,  /* a member ends here */
	UNPACKER_DOUBT,   /* one whose checksum is wrong */
	UNPACKER_TAIL,    /* something that is no member begins where this one was to */
	UNPACKER_BROKEN,  /* why says what */
	UNPACKER_REFUSED, /* sound, but more than this program takes; why says what */
	UNPACKER_NOMEM
};

/* Input in[used..in_len) becomes output out[got..out_len). */
struct unpacker_io {
	const unsigned char *in;
	char *out;
	size_t in_len, used, out_len, got;
	const char *why;
};

struct unpacker {
	enum source_kind kind;
	const char *name, *member;
	uint32_t saved_magic; /* of what is known of its text when saved */

	void *(*make)(void); /* NULL: no memory */
	void (*free)(void *u);
	/* Output that was yielded before an error stays. Input may end at any byte. */
	enum unpacker_stop (*run)(void *u, struct unpacker_io *io);
};

#ifdef HAVE_ZSTD
extern const struct unpacker unpacker_zstd;
#endif
#ifdef HAVE_LZMA
extern const struct unpacker unpacker_xz;
#endif

#endif
