/*
 * A gzip stream (RFC 1952: members one behind the other, zeros behind the last) as a machine that
 * can be stopped at any byte and started at any access point.
 *
 * Input comes from a file descriptor by pread in pieces; output goes straight to where the
 * caller wants it. Memory: about 110 KiB a machine. Cost: one inflating of the bytes yielded.
 */
#ifndef PIPEGLASS_SOURCE_UNZIP_H
#define PIPEGLASS_SOURCE_UNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

enum { UNZIP_REACH = 32 << 10, UNZIP_INPUT = 64 << 10 };

enum unzip_stop {
	UNZIP_FULL,   /* all of the output that was asked for */
	UNZIP_PLACE,  /* an access point may be made here */
	UNZIP_DRY,    /* the input so far is used up */
	UNZIP_TAIL,   /* something behind the last member that is none */
	UNZIP_BROKEN, /* why says what */
	UNZIP_UNREAD, /* the file cannot be read (errno) */
	UNZIP_NOMEM
};

/* Where inflating can begin: at the file's beginning (in 0), or bit by bit inside deflate data. */
struct unzip_place {
	uint64_t in, out; /* file offset of the first whole byte; text offset */
	uint8_t bits;     /* unused bits of byte in - 1 */
};

enum unzip_at { AT_MEMBER, AT_BODY, AT_TRAILER, AT_BETWEEN, AT_END };

struct unzip {
	int fd;
	uint64_t in;        /* file bytes consumed */
	uint64_t out;       /* text offset of what comes next */
	uint64_t member_at; /* where the member begins, when it was entered from its header */
	uint64_t doubt_at;
	const char *why;
	bool doubtful; /* a member's checksum was wrong, just before doubt_at */
	bool ended;    /* no further byte can change the text */
	/* private */
	enum unzip_at at; /* AT_MEMBER: zlib sees to its header and trailer; AT_BODY: from a place on */
	bool first;       /* no member was completed: a bad header is damage, not a tail */
	unsigned trailer; /* bytes of it to come */
	uint64_t read_to; /* file offset behind input[] */
	z_stream z;
	gz_header header;
	unsigned char input[UNZIP_INPUT];
};

struct unzip *unzip_new(int fd); /* at the beginning; NULL: no memory */
void unzip_free(struct unzip *u);

/* False: the place is not in the file, or the dictionary does not fit. */
bool unzip_go(struct unzip *u, const struct unzip_place *place, const unsigned char *dict,
	      size_t dict_len);

/*
 * Yield up to len (> 0) bytes into dst, reading the file below `limit` only. With to_place, stop at
 * the next place where an access point can be. *got may be > 0 whatever the result.
 */
enum unzip_stop unzip_run(struct unzip *u, uint64_t limit, bool to_place, char *dst, size_t len,
			  size_t *got);

/* The place where UNZIP_PLACE stopped, and the text before it that is needed there. */
void unzip_here(struct unzip *u, struct unzip_place *place, unsigned char dict[UNZIP_REACH],
		size_t *dict_len);

/* Input that ends here ends well: behind a member, not within one. */
bool unzip_is_between(const struct unzip *u);

#endif
