#include "config.h"

#include "source/unpack.h"

#ifdef HAVE_ZSTD

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "source/bytes.h"
#include "source/internal.h"

enum { UNZSTD_INPUT = 128 << 10, MAGIC = 4, SKIP_HEADER = 8, BLOCK_HEADER = 3 };

enum unzstd_at { AT_MAGIC, AT_FRAME, AT_SKIP, AT_END };

/* Frames (RFC 8878) one behind the other, skippable ones between them. */
struct unzstd {
	struct unpack base;
	ZSTD_DCtx *z;
	enum unzstd_at at;
	bool first;   /* no frame was completed: a wrong magic is damage, not a tail */
	bool pending; /* the output was too short: there may be more without input */
	unsigned char head[SKIP_HEADER];
	size_t head_len, head_fed;
	uint64_t skip;
	size_t need; /* what libzstd asked for */
	uint64_t read_to;
	size_t at_input, end_input;
	unsigned char input[UNZSTD_INPUT];
};

/* What is no damage, but not for this program. */
static const struct refusal {
	ZSTD_ErrorCode code;
	const char *why;
} refusals[] = {
    {ZSTD_error_frameParameter_windowTooLarge,
     "needs more than 8 MiB of memory: use zstd -dc --long=31 FILE | pipeglass -"},
    {ZSTD_error_dictionary_wrong, "needs a dictionary: use zstd -dc -D DICT FILE | pipeglass -"},
};

static struct unzstd *unzstd_of(struct unpack *u)
{
	return (struct unzstd *)(void *)((char *)u - offsetof(struct unzstd, base));
}

static void frame_begin(struct unzstd *u)
{
	u->at = AT_MAGIC;
	u->head_len = u->head_fed = 0;
	u->pending = false;
	u->base.member_at = u->base.in;
	ZSTD_DCtx_reset(u->z, ZSTD_reset_session_only);
}

static struct unpack *unzstd_make(int fd)
{
	struct unzstd *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->base.packing = &packing_zstd;
	u->base.fd = fd;
	u->first = true;
	u->z = ZSTD_createDCtx();
	if (!u->z) {
		free(u);
		return NULL;
	}
	ZSTD_DCtx_setParameter(u->z, ZSTD_d_windowLogMax, UNPACK_WINDOW_LOG);
	frame_begin(u);
	return &u->base;
}

static void unzstd_free(struct unpack *base)
{
	struct unzstd *u = unzstd_of(base);
	ZSTD_freeDCtx(u->z);
	free(u);
}

/* False: the read failed; the input stays empty at the limit. */
static bool refill(struct unzstd *u, uint64_t limit)
{
	uint64_t rest = u->read_to < limit ? limit - u->read_to : 0;
	size_t len = rest < UNZSTD_INPUT ? (size_t)rest : UNZSTD_INPUT;
	int64_t got = len ? read_at(u->base.fd, u->read_to, u->input, len) : 0;
	if (got < 0)
		return false;
	u->read_to += (uint64_t)got;
	u->at_input = 0;
	u->end_input = (size_t)got;
	return true;
}

static void take(struct unzstd *u, size_t len)
{
	u->at_input += len;
	u->base.in += len;
}

static bool magic_begins(const unsigned char *head, size_t len)
{
	static const unsigned char frame[MAGIC] = {0x28, 0xb5, 0x2f, 0xfd};
	static const unsigned char skippable[MAGIC] = {0x50, 0x2a, 0x4d, 0x18};
	return memcmp(head, frame, len) == 0 ||
	       ((head[0] & 0xf0) == skippable[0] && memcmp(head + 1, skippable + 1, len - 1) == 0);
}

static enum unpack_stop stop_here(struct unzstd *u, enum unpack_stop stop, const char *why)
{
	u->at = AT_END;
	u->base.why = why;
	return stop;
}

/* The magic, and the length of a skippable frame, byte by byte. UNPACK_FULL: go on. */
static enum unpack_stop head_byte(struct unzstd *u)
{
	unsigned char *head = u->head;
	if (u->at_input == u->end_input)
		return UNPACK_DRY;
	head[u->head_len++] = u->input[u->at_input];
	take(u, 1);
	if (u->head_len <= MAGIC && !magic_begins(head, u->head_len))
		return u->first ? stop_here(u, UNPACK_BROKEN, "not a zstd frame")
				: stop_here(u, UNPACK_TAIL, NULL);
	if (u->head_len == MAGIC && head[0] == 0x28) {
		u->at = AT_FRAME;
		u->need = MAGIC;
	} else if (u->head_len == SKIP_HEADER) {
		struct bytes b = {.at = head + MAGIC, .left = 4};
		u->at = AT_SKIP;
		u->skip = bytes_get(&b, 4);
	}
	return UNPACK_FULL;
}

/* What is skipped need not be read. */
static enum unpack_stop skip_run(struct unzstd *u, uint64_t limit)
{
	uint64_t there = limit > u->base.in ? limit - u->base.in : 0;
	uint64_t len = u->skip < there ? u->skip : there;
	u->skip -= len;
	if (len <= u->end_input - u->at_input) {
		take(u, (size_t)len);
	} else {
		u->base.in += len;
		u->at_input = u->end_input = 0;
		u->read_to = u->base.in;
	}
	if (u->skip)
		return UNPACK_DRY;
	frame_begin(u);
	return UNPACK_FULL;
}

static enum unpack_stop frame_failed(struct unzstd *u, size_t result, size_t fed)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	if (code == ZSTD_error_memory_allocation)
		return UNPACK_NOMEM;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (code == refusals[i].code)
			return stop_here(u, UNPACK_REFUSED, refusals[i].why);
	}
	if (code != ZSTD_error_checksum_wrong)
		return stop_here(u, UNPACK_BROKEN, ZSTD_getErrorName(result));
	take(u, fed); /* the checksum, which ends the frame */
	if (!u->base.doubtful) {
		u->base.doubtful = true;
		u->base.doubt_at = u->base.in;
	}
	u->first = false;
	frame_begin(u);
	return UNPACK_FULL;
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

/* One block at most. UNPACK_FULL: go on. */
static enum unpack_stop frame_run(struct unzstd *u, char *dst, size_t len, size_t *got)
{
	bool from_head = u->head_fed < MAGIC;
	const unsigned char *from = from_head ? u->head + u->head_fed : u->input + u->at_input;
	size_t there = from_head ? MAGIC - u->head_fed : u->end_input - u->at_input;
	if (!there && !u->pending)
		return UNPACK_DRY;
	ZSTD_inBuffer in = {from, feed(u, there), 0};
	ZSTD_outBuffer out = {dst, len, 0};
	size_t result = ZSTD_decompressStream(u->z, &out, &in);
	if (ZSTD_isError(result))
		return frame_failed(u, result, in.size);
	if (from_head)
		u->head_fed += in.pos;
	else
		take(u, in.pos);
	u->need = result;
	u->pending = out.pos == len;
	u->base.out += out.pos;
	*got += out.pos;
	if (result == 0) {
		u->first = false;
		frame_begin(u);
	}
	return UNPACK_FULL;
}

static enum unpack_stop run(struct unzstd *u, uint64_t limit, bool to_place, char *dst, size_t len,
			    size_t *got)
{
	enum unpack_stop stop = UNPACK_FULL;
	while (stop == UNPACK_FULL && u->at != AT_END) {
		if (*got == len)
			return UNPACK_FULL;
		if (to_place && u->at == AT_MAGIC && u->head_len == 0)
			return UNPACK_PLACE;
		if (u->at != AT_SKIP && u->at_input == u->end_input && !refill(u, limit))
			return UNPACK_UNREAD;
		if (u->at == AT_MAGIC)
			stop = head_byte(u);
		else if (u->at == AT_SKIP)
			stop = skip_run(u, limit);
		else
			stop = frame_run(u, dst + *got, len - *got, got);
	}
	return u->at == AT_END && stop == UNPACK_FULL ? UNPACK_DRY : stop;
}

static enum unpack_stop unzstd_run(struct unpack *base, uint64_t limit, bool to_place, char *dst,
				   size_t len, size_t *got)
{
	*got = 0;
	enum unpack_stop stop = run(unzstd_of(base), limit, to_place, dst, len, got);
	base->ended = unzstd_of(base)->at == AT_END;
	return stop;
}

static bool unzstd_go(struct unpack *base, const struct unpack_place *place,
		      const unsigned char *dict, size_t dict_len)
{
	struct unzstd *u = unzstd_of(base);
	(void)dict;
	if (!place->header || dict_len)
		return false;
	base->in = u->read_to = place->in;
	base->out = place->out;
	base->doubtful = base->ended = false;
	u->at_input = u->end_input = 0;
	u->first = place->in == 0;
	frame_begin(u);
	return true;
}

static void unzstd_place(struct unpack *base, struct unpack_place *place,
			 unsigned char dict[UNPACK_REACH], size_t *dict_len)
{
	(void)dict;
	*place = (struct unpack_place){.in = base->in, .out = base->out, .header = true};
	*dict_len = 0;
}

static bool unzstd_between(const struct unpack *base)
{
	const struct unzstd *u = (const struct unzstd *)(const void *)base;
	return u->at == AT_END || (u->at == AT_MAGIC && u->head_len == 0);
}

const struct packing packing_zstd = {
    .kind = SOURCE_ZSTD,
    .name = "zstd",
    .member = "frame",
    .saved_magic = 0x535a4750,
    .jumps = false,
    .make = unzstd_make,
    .free = unzstd_free,
    .go = unzstd_go,
    .run = unzstd_run,
    .place = unzstd_place,
    .between = unzstd_between,
};

#endif
