#include "config.h"

#include "source/unpacker.h"

#ifdef HAVE_LZMA

#include <lzma.h>
#include <stdlib.h>

enum { MAGIC = 6, PADDING = 4 };

static const uint64_t memory_most = 128 << 20; /* xz -9 needs 65 MiB */

static const unsigned char magic[MAGIC] = {0xfd, '7', 'z', 'X', 'Z', 0};

/* Streams one behind the other; between them, and at the end, zero bytes in fours. */
struct unxz {
	lzma_stream z;
	bool any;     /* streams were completed: a wrong magic is a tail, not damage */
	bool pending; /* the output was too short: there may be more without input */
	size_t head_len, padding;
};

static void *unxz_make(void)
{
	struct unxz *u = calloc(1, sizeof(*u));
	if (u)
		u->z = (lzma_stream)LZMA_STREAM_INIT;
	return u;
}

static void unxz_free(void *own)
{
	struct unxz *u = own;
	lzma_end(&u->z);
	free(u);
}

/* The decoder gets the magic once it is whole: it would not tell a short tail from a cut. */
static enum unpacker_stop stream_begin(struct unxz *u, struct unpacker_io *io)
{
	if (lzma_stream_decoder(&u->z, memory_most, 0) != LZMA_OK)
		return UNPACKER_NOMEM;
	u->z.next_in = magic;
	u->z.avail_in = MAGIC;
	u->z.next_out = (unsigned char *)io->out + io->got;
	u->z.avail_out = io->out_len - io->got;
	return lzma_code(&u->z, LZMA_RUN) == LZMA_OK ? UNPACKER_ON : UNPACKER_NOMEM;
}

static enum unpacker_stop head_byte(struct unxz *u, struct unpacker_io *io)
{
	unsigned char byte = io->in[io->used++];
	if (u->any && u->head_len == 0 && byte == 0) {
		u->padding = (u->padding + 1) % PADDING;
		return u->padding ? UNPACKER_ON : UNPACKER_MEMBER;
	}
	if (u->padding || byte != magic[u->head_len]) {
		io->why = "not an xz stream";
		return u->any ? UNPACKER_TAIL : UNPACKER_BROKEN;
	}
	return ++u->head_len < MAGIC ? UNPACKER_ON : stream_begin(u, io);
}

static enum unpacker_stop stream_failed(lzma_ret result, struct unpacker_io *io)
{
	switch (result) {
	case LZMA_MEM_ERROR:
		return UNPACKER_NOMEM;
	case LZMA_MEMLIMIT_ERROR:
		io->why = "needs more than 128 MiB of memory: use xz -dc FILE | pipeglass -";
		return UNPACKER_REFUSED;
	case LZMA_OPTIONS_ERROR:
		io->why = "unknown options";
		return UNPACKER_BROKEN;
	default:
		io->why = "wrong data or checksum";
		return UNPACKER_BROKEN;
	}
}

static enum unpacker_stop stream_run(struct unxz *u, struct unpacker_io *io)
{
	u->z.next_in = io->in + io->used;
	u->z.avail_in = io->in_len - io->used;
	u->z.next_out = (unsigned char *)io->out + io->got;
	u->z.avail_out = io->out_len - io->got;
	lzma_ret result = lzma_code(&u->z, LZMA_RUN);
	io->used = io->in_len - u->z.avail_in;
	io->got = io->out_len - u->z.avail_out;
	u->pending = u->z.avail_out == 0;
	if (result == LZMA_OK || result == LZMA_BUF_ERROR) /* that one says: no input, no text */
		return UNPACKER_ON;
	if (result != LZMA_STREAM_END)
		return stream_failed(result, io);
	u->any = true;
	u->pending = false;
	u->head_len = 0;
	return UNPACKER_MEMBER;
}

static enum unpacker_stop unxz_run(void *own, struct unpacker_io *io)
{
	struct unxz *u = own;
	enum unpacker_stop stop = UNPACKER_ON;
	while (stop == UNPACKER_ON && io->got < io->out_len &&
	       (io->used < io->in_len || u->pending))
		stop = u->head_len < MAGIC ? head_byte(u, io) : stream_run(u, io);
	return stop;
}

const struct unpacker unpacker_xz = {
    .kind = SOURCE_XZ,
    .name = "xz",
    .member = "stream",
    .saved_magic = 0x585a4750,
    .make = unxz_make,
    .free = unxz_free,
    .run = unxz_run,
};

#endif
