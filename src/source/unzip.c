#include "config.h"

#include "source/unpack.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "source/internal.h"

enum { UNZIP_INPUT = 64 << 10 };

enum unzip_at { AT_HEADER, AT_BODY, AT_TRAILER, AT_PADDING, AT_END };

/* A gzip stream (RFC 1952): headers, deflate data, trailers, further members, zero padding. */
struct unzip {
	struct unpack base;
	z_stream z;
	enum unzip_at at;
	bool first;   /* no member was completed: a bad header is damage, not a tail */
	bool checked; /* crc and length are those of the whole member so far */
	uint32_t crc, length;
	uint32_t field, field_len, field_left, flags; /* header and trailer bytes taken so far */
	unsigned char trailer[8];
	uint64_t read_to; /* file offset behind input[] */
	unsigned char input[UNZIP_INPUT];
};

static struct unzip *unzip_of(struct unpack *u)
{
	return (struct unzip *)(void *)((char *)u - offsetof(struct unzip, base));
}

static uint64_t consumed(const struct unzip *u)
{
	return u->read_to - u->z.avail_in;
}

/* The parts of a member's header in order, and the flag that announces each (RFC 1952, 2.3). */
enum field { FIELD_FIXED, FIELD_EXTRA_LEN, FIELD_EXTRA, FIELD_NAME, FIELD_COMMENT, FIELD_CRC };
enum { FIXED_LEN = 10, FLAGS_AT = 3, FLAGS_RESERVED = 0xe0 };

static const struct header_field {
	uint8_t flag;
	uint8_t len; /* 0: to a NUL byte; the extra field's own length comes before it */
} header_fields[] = {
    [FIELD_FIXED] = {0xff, FIXED_LEN}, [FIELD_EXTRA_LEN] = {0x04, 2}, [FIELD_EXTRA] = {0x04, 0},
    [FIELD_NAME] = {0x08, 0},          [FIELD_COMMENT] = {0x10, 0},   [FIELD_CRC] = {0x02, 2},
};
enum { FIELDS = sizeof(header_fields) / sizeof(header_fields[0]) };

static const unsigned char member_magic[] = {0x1f, 0x8b, 8};

static void header_begin(struct unzip *u)
{
	u->at = AT_HEADER;
	u->base.member_at = consumed(u);
	u->field = FIELD_FIXED;
	u->field_len = u->field_left = 0;
	u->flags = 0;
}

static void body_begin(struct unzip *u)
{
	inflateReset(&u->z);
	u->at = AT_BODY;
	u->checked = true;
	u->crc = u->length = 0;
}

static void field_end(struct unzip *u)
{
	bool extra = u->field == FIELD_EXTRA_LEN && u->field_left > 0;
	do
		u->field++;
	while (u->field < FIELDS && !(u->flags & header_fields[u->field].flag));
	if (u->field == FIELD_EXTRA && !extra)
		field_end(u);
	else if (u->field == FIELDS)
		body_begin(u);
	u->field_len = 0;
}

/* False: this is no header. */
static bool header_byte(struct unzip *u, unsigned char c)
{
	uint32_t k = u->field_len++;
	switch ((enum field)u->field) {
	case FIELD_FIXED:
		if (k < sizeof(member_magic) && c != member_magic[k])
			return false;
		if (k == FLAGS_AT)
			u->flags = c;
		if (u->flags & FLAGS_RESERVED)
			return false;
		break;
	case FIELD_EXTRA_LEN:
		u->field_left |= (uint32_t)c << (8 * k);
		break;
	case FIELD_EXTRA:
		if (--u->field_left == 0)
			field_end(u);
		return true;
	case FIELD_NAME:
	case FIELD_COMMENT:
		if (c == '\0')
			field_end(u);
		return true;
	case FIELD_CRC:
		break;
	}
	if (u->field_len == header_fields[u->field].len)
		field_end(u);
	return true;
}

static uint32_t little_endian(const unsigned char p[4])
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void trailer_byte(struct unzip *u, unsigned char c)
{
	u->trailer[u->field_len++] = c;
	if (u->field_len < sizeof(u->trailer))
		return;
	if (u->checked && !u->base.doubtful &&
	    (little_endian(u->trailer) != u->crc || little_endian(u->trailer + 4) != u->length)) {
		u->base.doubtful = true;
		u->base.doubt_at = consumed(u);
	}
	u->first = false;
	header_begin(u);
}

static enum unpack_stop stop_broken(struct unzip *u, const char *why)
{
	u->at = AT_END;
	u->base.why = why ? why : "not deflate data";
	return UNPACK_BROKEN;
}

/* A byte outside deflate data. UNPACK_FULL: go on. */
static enum unpack_stop frame_byte(struct unzip *u)
{
	unsigned char c = *u->z.next_in;
	if (u->at == AT_HEADER && !u->first && u->field == FIELD_FIXED && u->field_len == 0 && !c)
		u->at = AT_PADDING;
	if (u->at == AT_PADDING && c) {
		u->base.member_at = consumed(u);
		u->at = AT_END;
		return UNPACK_TAIL;
	}
	u->z.next_in++;
	u->z.avail_in--;
	if (u->at == AT_TRAILER) {
		trailer_byte(u, c);
	} else if (u->at == AT_HEADER && !header_byte(u, c)) {
		if (u->first)
			return stop_broken(u, "not a gzip header");
		u->at = AT_END;
		return UNPACK_TAIL;
	}
	return UNPACK_FULL;
}

static struct unpack *unzip_make(int fd)
{
	struct unzip *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->base.packing = &packing_gzip;
	u->base.fd = fd;
	u->first = true;
	if (inflateInit2(&u->z, -MAX_WBITS) != Z_OK) {
		free(u);
		return NULL;
	}
	header_begin(u);
	return &u->base;
}

static void unzip_free(struct unpack *base)
{
	struct unzip *u = unzip_of(base);
	inflateEnd(&u->z);
	free(u);
}

static bool unzip_go(struct unpack *base, const struct unpack_place *place,
		     const unsigned char *dict, size_t dict_len)
{
	struct unzip *u = unzip_of(base);
	unsigned char byte = 0;
	u->z.avail_in = 0;
	u->read_to = u->base.in = place->in;
	u->base.out = place->out;
	u->base.ended = false;
	u->first = place->in == 0;
	u->base.doubtful = false;
	if (place->header) {
		header_begin(u);
		return true;
	}
	inflateReset(&u->z);
	u->at = AT_BODY;
	u->checked = false;
	if (place->bits) {
		if (place->in == 0 || read_at(u->base.fd, place->in - 1, &byte, 1) != 1)
			return false;
		inflatePrime(&u->z, place->bits, byte >> (8 - place->bits));
	}
	return !dict_len || inflateSetDictionary(&u->z, dict, (uInt)dict_len) == Z_OK;
}

static void unzip_place(struct unpack *base, struct unpack_place *place,
			unsigned char dict[UNPACK_REACH], size_t *dict_len)
{
	struct unzip *u = unzip_of(base);
	uInt len = 0;
	place->in = consumed(u);
	place->out = u->base.out;
	place->header = u->at == AT_HEADER;
	place->bits = place->header ? 0 : (uint8_t)(u->z.data_type & 7);
	if (!place->header)
		inflateGetDictionary(&u->z, dict, &len);
	*dict_len = len;
}

static bool unzip_between(const struct unpack *base)
{
	const struct unzip *u = (const struct unzip *)(const void *)base;
	return u->at == AT_PADDING || u->at == AT_END ||
	       (u->at == AT_HEADER && u->field == FIELD_FIXED && u->field_len == 0 && !u->first);
}

/* False: the read failed; u->z.avail_in stays 0 at the limit. */
static bool refill(struct unzip *u, uint64_t limit)
{
	uint64_t rest = u->read_to < limit ? limit - u->read_to : 0;
	size_t len = rest < UNZIP_INPUT ? (size_t)rest : UNZIP_INPUT;
	int64_t got = len ? read_at(u->base.fd, u->read_to, u->input, len) : 0;
	if (got < 0)
		return false;
	u->read_to += (uint64_t)got;
	u->z.next_in = u->input;
	u->z.avail_in = (uInt)got;
	return true;
}

/* Inflate what input there is, once. UNPACK_FULL: go on. */
static enum unpack_stop body_run(struct unzip *u, bool to_place, char *dst, size_t len, size_t *got)
{
	bool dry = u->z.avail_in == 0;
	uInt room = len > UINT_MAX ? UINT_MAX : (uInt)len;
	u->z.next_out = (unsigned char *)dst;
	u->z.avail_out = room;
	int result = inflate(&u->z, to_place ? Z_BLOCK : Z_NO_FLUSH);
	uInt made = room - u->z.avail_out;
	if (u->checked)
		u->crc = (uint32_t)crc32(u->crc, (unsigned char *)dst, made);
	u->length += made;
	u->base.out += made;
	*got += made;
	switch (result) {
	case Z_OK:
	case Z_BUF_ERROR:
		if (to_place && (u->z.data_type & 0xc0) == 0x80)
			return UNPACK_PLACE;
		return dry && made == 0 ? UNPACK_DRY : UNPACK_FULL;
	case Z_STREAM_END:
		u->at = AT_TRAILER;
		u->field_len = 0;
		return UNPACK_FULL;
	case Z_MEM_ERROR:
		return UNPACK_NOMEM;
	default:
		return stop_broken(u, u->z.msg);
	}
}

static enum unpack_stop run(struct unzip *u, uint64_t limit, bool to_place, char *dst, size_t len,
			    size_t *got)
{
	while (u->at != AT_END) {
		if (*got == len)
			return UNPACK_FULL;
		if (to_place && u->at == AT_HEADER && u->field_len == 0 && u->field == FIELD_FIXED)
			return UNPACK_PLACE;
		if (u->z.avail_in == 0 && !refill(u, limit))
			return UNPACK_UNREAD;
		enum unpack_stop stop = UNPACK_FULL;
		if (u->at == AT_BODY)
			stop = body_run(u, to_place, dst + *got, len - *got, got);
		else
			stop = u->z.avail_in ? frame_byte(u) : UNPACK_DRY;
		if (stop != UNPACK_FULL)
			return stop;
	}
	return UNPACK_DRY;
}

static enum unpack_stop unzip_run(struct unpack *base, uint64_t limit, bool to_place, char *dst,
				  size_t len, size_t *got)
{
	struct unzip *u = unzip_of(base);
	*got = 0;
	enum unpack_stop stop = run(u, limit, to_place, dst, len, got);
	base->in = consumed(u);
	base->ended = u->at == AT_END;
	return stop;
}

const struct packing packing_gzip = {
    .kind = SOURCE_GZIP,
    .name = "gzip",
    .member = "member",
    .saved_magic = 0x315a4750,
    .make = unzip_make,
    .free = unzip_free,
    .go = unzip_go,
    .run = unzip_run,
    .place = unzip_place,
    .between = unzip_between,
};
