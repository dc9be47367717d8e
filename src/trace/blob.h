/*
 * Append-only bytes with stable addresses: the pages of an index.
 *
 * A stretch of address space is reserved once; pages are appended in it. With a file behind
 * it, full chunks are written there and mapped back in place, read-only but for late changes, so
 * the memory of its own a blob needs is one chunk, however long it grows, and pointers into it stay
 * valid. When the file cannot be written (full disk), it quietly stays in memory and says so.
 */
#ifndef PIPEGLASS_TRACE_BLOB_H
#define PIPEGLASS_TRACE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOB_CHUNK = 1 << 18 };

struct blob {
	unsigned char *base;
	size_t len, reserved, usable; /* usable: how far memory is accessible */
	size_t flushed;               /* multiple of BLOB_CHUNK: mapped from the file */
	int fd;                       /* -1: memory only */
	uint64_t file_off;            /* of the blob in the file; multiple of the page size */
	int error;                    /* errno of the first failed write; 0: none */
	bool late;                    /* what was committed may be written to: in the file it is, too */
};

bool blob_init(struct blob *b, int fd, uint64_t file_off);
void blob_free(struct blob *b); /* leaves the descriptor open */
/* A place for len bytes at the end, to be filled and then committed by blob_commit(). */
unsigned char *blob_reserve(struct blob *b, size_t len);
void blob_commit(struct blob *b, size_t len);
/* Write what is still in memory; true when everything is in the file. */
bool blob_sync(struct blob *b);

#endif
