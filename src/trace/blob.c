#include "config.h"

#include "trace/blob.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Tried in this order: an index is some 2 % of its source. */
static const size_t reservations[] = {
#if SIZE_MAX > 0xffffffffu
    (size_t)64 << 30, (size_t)8 << 30,
#endif
    (size_t)1 << 30,  (size_t)256 << 20,
};

bool blob_init(struct blob *b, int fd, uint64_t file_off)
{
	memset(b, 0, sizeof(*b));
	b->fd = fd;
	b->file_off = file_off;
	for (size_t i = 0; i < sizeof(reservations) / sizeof(reservations[0]); i++) {
		void *p = mmap(NULL, reservations[i], PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (p != MAP_FAILED) {
			b->base = p;
			b->reserved = reservations[i];
			return true;
		}
	}
	return false;
}

void blob_free(struct blob *b)
{
	if (b->base)
		munmap(b->base, b->reserved);
	b->base = NULL;
	b->len = b->reserved = b->usable = b->flushed = 0;
}

unsigned char *blob_reserve(struct blob *b, size_t len)
{
	size_t want = b->len + len;

	if (!b->base || want < len || want > b->reserved)
		return NULL;
	if (want > b->usable) {
		size_t to = (want + BLOB_CHUNK - 1) / BLOB_CHUNK * BLOB_CHUNK;

		if (to > b->reserved)
			to = b->reserved;
		if (mprotect(b->base + b->usable, to - b->usable, PROT_READ | PROT_WRITE) != 0)
			return NULL;
		b->usable = to;
	}
	return b->base + b->len;
}

static bool write_at(struct blob *b, size_t from, size_t to)
{
	while (from < to) {
		ssize_t n = pwrite(b->fd, b->base + from, to - from, (off_t)(b->file_off + from));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			b->error = n < 0 ? errno : ENOSPC;
			return false;
		}
		from += (size_t)n;
	}
	return true;
}

void blob_commit(struct blob *b, size_t len)
{
	size_t full;

	b->len += len;
	full = b->len / BLOB_CHUNK * BLOB_CHUNK;
	if (full == b->flushed || b->fd < 0 || b->error)
		return;
	if (!write_at(b, b->flushed, full))
		return;
	/* the same bytes at the same place, now the page cache's; if that fails they stay ours */
	if (mmap(b->base + b->flushed, full - b->flushed, b->late ? PROT_READ | PROT_WRITE : PROT_READ,
		 MAP_SHARED | MAP_FIXED, b->fd, (off_t)(b->file_off + b->flushed)) == MAP_FAILED) {
		b->error = errno;
		return;
	}
	b->flushed = full;
}

bool blob_sync(struct blob *b)
{
	return b->fd >= 0 && !b->error && write_at(b, b->flushed, b->len);
}
