#include "config.h"

#include "source/unpacker.h"

#ifdef HAVE_ZSTD

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { MAGIC = 4, BLOCK_HEADER = 3, WINDOW_LOG = 27 /* what zstd -d takes, too */ };

/* Frames (RFC 8878) one behind the other, skippable ones between them. */
struct unzstd {
	ZSTD_DCtx *z;
	bool any;     /* frames with text were completed: a wrong magic is a tail, not damage */
	bool pending; /* the output was too short: there may be more without input */
	unsigned char head[MAGIC];
	size_t head_len, head_fed;
	size_t need; /* what libzstd asked for */
};

/* What is no damage, but not for this program. */
static const struct refusal {
	ZSTD_ErrorCode code;
	const char *why;
} refusals[] = {
    {ZSTD_error_frameParameter_windowTooLarge,
     "needs more than 128 MiB of memory: use zstd -dc --long=31 FILE | pipeglass -"},
    {ZSTD_error_dictionary_wrong, "needs a dictionary: use zstd -dc -D DICT FILE | pipeglass -"},
};

static void frame_begin(struct unzstd *u)
{
	u->head_len = u->head_fed = 0;
	u->need = MAGIC;
	u->pending = false;
	ZSTD_DCtx_reset(u->z, ZSTD_reset_session_only);
}

static void *unzstd_make(void)
{
	struct unzstd *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->z = ZSTD_createDCtx();
	if (!u->z) {
		free(u);
		return NULL;
	}
	ZSTD_DCtx_setParameter(u->z, ZSTD_d_windowLogMax, WINDOW_LOG);
	frame_begin(u);
	return u;
}

static void unzstd_free(void *own)
{
	struct unzstd *u = own;
	ZSTD_freeDCtx(u->z);
	free(u);
}

static bool magic_begins(const unsigned char *head, size_t len)
{
	static const unsigned char frame[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skippable[MAGIC] = {0x50, 0x2a, 0x4d, 0x18};
	return memcmp(head, frame, len) == 0 ||
	       ((head[0] & 0xf0) == skippable[0] && memcmp(head + 1, skippable + 1, len - 1) == 0);
}

/* The magic, byte by byte: libzstd would wait for all of it. */
static enum unpacker_stop head_byte(struct unzstd *u, struct unpacker_io *io)
{
	u->head[u->head_len++] = io->in[io->used++];
	if (magic_begins(u->head, u->head_len))
		return UNPACKER_ON;
	io->why = "not a zstd frame";
	return u->any ? UNPACKER_TAIL : UNPACKER_BROKEN;
}

static enum unpacker_stop frame_failed(struct unzstd *u, size_t result, struct unpacker_io *io)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	io->why = ZSTD_getErrorName(result);
	if (code == ZSTD_error_memory_allocation)
		return UNPACKER_NOMEM;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (code == refusals[i].code) {
			io->why = refusals[i].why;
			return UNPACKER_REFUSED;
		}
	}
	if (code != ZSTD_error_checksum_wrong)
		return UNPACKER_BROKEN;
	u->any = true;
	frame_begin(u);
	return UNPACKER_DOUBT;
}

/*
 * libzstd forgets what it put out in a call that fails. So it gets nothing while output may be
 * left from before, and else no more than one block, or one block's header (which it includes
 * in what it asks for): an error then costs no text that came before it.
 */
static size_t feed(const struct unzstd *u, size_t there)
{
	size_t len = u->need > BLOCK_HEADER ? u->need - BLOCK_HEADER : u->need;
	if (u->pending)
		return 0;
	return len < there ? len : there;
}

/* One block at most. */
static enum unpacker_stop frame_run(struct unzstd *u, struct unpacker_io *io)
{
	bool from_head = u->head_fed < MAGIC;
	const unsigned char *from = from_head ? u->head + u->head_fed : io->in + io->used;
	size_t there = from_head ? MAGIC - u->head_fed : io->in_len - io->used;
	ZSTD_inBuffer in = {from, feed(u, there), 0};
	ZSTD_outBuffer out = {io->out + io->got, io->out_len - io->got, 0};
	size_t result = ZSTD_decompressStream(u->z, &out, &in);
	if (ZSTD_isError(result)) {
		/* a checksum ends its frame */
		if (!from_head && ZSTD_getErrorCode(result) == ZSTD_error_checksum_wrong)
			io->used += in.size;
		return frame_failed(u, result, io);
	}
	if (from_head)
		u->head_fed += in.pos;
	else
		io->used += in.pos;
	u->need = result;
	u->pending = out.pos == out.size;
	io->got += out.pos;
	if (result > 0)
		return UNPACKER_ON;
	u->any |= u->head[0] == 0x28;
	frame_begin(u);
	return UNPACKER_MEMBER;
}

static enum unpacker_stop unzstd_run(void *own, struct unpacker_io *io)
{
	struct unzstd *u = own;
	enum unpacker_stop stop = UNPACKER_ON;
	while (stop == UNPACKER_ON && io->got < io->out_len) {
		bool magic = u->head_len < MAGIC, fed = !magic && u->head_fed < MAGIC;
		if (io->used == io->in_len && !u->pending && !fed)
			break;
		stop = magic ? head_byte(u, io) : frame_run(u, io);
	}
	return stop;
}

const struct unpacker unpacker_zstd = {
    .kind = SOURCE_ZSTD,
    .name = "zstd",
    .member = "frame",
    .saved_magic = 0x535a4750,
    .make = unzstd_make,
    .free = unzstd_free,
    .run = unzstd_run,
};

#endif
