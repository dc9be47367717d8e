#include "config.h"

#include "source/unzip.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "source/internal.h"

enum { TRAILER = 8, LENGTH = 4, GZIP_BITS = MAX_WBITS + 16 };

static uint64_t consumed(const struct unzip *u)
{
	return u->read_to - u->z.avail_in;
}

static void member_begin(struct unzip *u)
{
	u->at = AT_MEMBER;
	u->member_at = consumed(u);
	inflateReset2(&u->z, GZIP_BITS);
	u->header = (gz_header){.done = 0};
	inflateGetHeader(&u->z, &u->header);
}

struct unzip *unzip_new(int fd)
{
	struct unzip *u = calloc(1, sizeof(*u));
	if (!u)
		return NULL;
	u->fd = fd;
	u->first = true;
	if (inflateInit2(&u->z, GZIP_BITS) != Z_OK) {
		free(u);
		return NULL;
	}
	member_begin(u);
	return u;
}

void unzip_free(struct unzip *u)
{
	if (u)
		inflateEnd(&u->z);
	free(u);
}

bool unzip_go(struct unzip *u, const struct unzip_place *place, const unsigned char *dict,
	      size_t dict_len)
{
	unsigned char byte = 0;
	u->z.avail_in = 0;
	u->read_to = u->in = place->in;
	u->out = place->out;
	u->ended = u->doubtful = false;
	u->first = place->in == 0;
	if (place->in == 0) {
		member_begin(u);
		return true;
	}
	u->at = AT_BODY;
	inflateReset2(&u->z, -MAX_WBITS);
	if (place->bits) {
		if (read_at(u->fd, place->in - 1, &byte, 1) != 1)
			return false;
		inflatePrime(&u->z, place->bits, byte >> (8 - place->bits));
	}
	return !dict_len || inflateSetDictionary(&u->z, dict, (uInt)dict_len) == Z_OK;
}

void unzip_here(struct unzip *u, struct unzip_place *place, unsigned char dict[UNZIP_REACH],
		size_t *dict_len)
{
	uInt len = 0;
	place->in = consumed(u);
	place->out = u->out;
	place->bits = (uint8_t)(u->z.data_type & 7);
	inflateGetDictionary(&u->z, dict, &len);
	*dict_len = len;
}

bool unzip_is_between(const struct unzip *u)
{
	return u->at == AT_BETWEEN || u->at == AT_END;
}

/* False: the read failed; u->z.avail_in stays 0 at the limit. */
static bool refill(struct unzip *u, uint64_t limit)
{
	uint64_t rest = u->read_to < limit ? limit - u->read_to : 0;
	size_t len = rest < UNZIP_INPUT ? (size_t)rest : UNZIP_INPUT;
	int64_t got = len ? read_at(u->fd, u->read_to, u->input, len) : 0;
	if (got < 0)
		return false;
	u->read_to += (uint64_t)got;
	u->z.next_in = u->input;
	u->z.avail_in = (uInt)got;
	return true;
}

static void skip_bytes(struct unzip *u, unsigned n)
{
	u->z.next_in += n;
	u->z.avail_in -= n;
}

static enum unzip_stop stop_tail(struct unzip *u)
{
	u->at = AT_END;
	return UNZIP_TAIL;
}

static enum unzip_stop stop_broken(struct unzip *u, const char *why)
{
	u->at = AT_END;
	u->why = why ? why : "not deflate data";
	return UNZIP_BROKEN;
}

static enum unzip_stop trailer_begin(struct unzip *u, unsigned len)
{
	u->at = AT_TRAILER;
	u->trailer = len;
	return UNZIP_FULL;
}

/* Of a member entered within, whose checksum nobody knows; or what is left of a doubtful one's. */
static enum unzip_stop trailer_run(struct unzip *u)
{
	unsigned n = u->z.avail_in < u->trailer ? u->z.avail_in : u->trailer;
	skip_bytes(u, n);
	u->trailer -= n;
	if (u->trailer > 0)
		return UNZIP_DRY;
	u->first = false;
	u->at = AT_BETWEEN;
	return UNZIP_FULL;
}

/* Zeros may pad the file behind its last member. */
static enum unzip_stop between_run(struct unzip *u)
{
	bool padded = u->z.avail_in && *u->z.next_in == 0;
	while (u->z.avail_in && *u->z.next_in == 0)
		skip_bytes(u, 1);
	if (u->z.avail_in == 0)
		return UNZIP_FULL;
	u->member_at = consumed(u);
	if (padded)
		return stop_tail(u);
	member_begin(u);
	return UNZIP_FULL;
}

/* What zlib does not like: of the text, which is all there then, only the checksum or the length? */
static enum unzip_stop member_failed(struct unzip *u)
{
	const char *why = u->z.msg ? u->z.msg : "";
	bool check = strcmp(why, "incorrect data check") == 0;
	if (u->at == AT_MEMBER && u->header.done != 1)
		return u->first ? stop_broken(u, "not a gzip header") : stop_tail(u);
	if (u->at != AT_MEMBER || (!check && strcmp(why, "incorrect length check") != 0))
		return stop_broken(u, u->z.msg);
	if (!u->doubtful)
		u->doubt_at = consumed(u) + (check ? LENGTH : 0);
	u->doubtful = true;
	return trailer_begin(u, check ? LENGTH : 0);
}

/* Inflate what input there is, once. UNZIP_FULL: go on. */
static enum unzip_stop inflate_run(struct unzip *u, bool to_place, char *dst, size_t len,
				   size_t *got)
{
	bool dry = u->z.avail_in == 0;
	uInt room = len > UINT_MAX ? UINT_MAX : (uInt)len;
	u->z.next_out = (unsigned char *)dst;
	u->z.avail_out = room;
	int result = inflate(&u->z, to_place ? Z_BLOCK : Z_NO_FLUSH);
	uInt made = room - u->z.avail_out;
	u->out += made;
	*got += made;
	switch (result) {
	case Z_OK:
	case Z_BUF_ERROR:
		if (to_place && (u->z.data_type & 0xc0) == 0x80)
			return UNZIP_PLACE;
		return dry && made == 0 ? UNZIP_DRY : UNZIP_FULL;
	case Z_STREAM_END:
		return trailer_begin(u, u->at == AT_BODY ? TRAILER : 0);
	case Z_MEM_ERROR:
		return UNZIP_NOMEM;
	default:
		return member_failed(u);
	}
}

static enum unzip_stop run(struct unzip *u, uint64_t limit, bool to_place, char *dst, size_t len,
			   size_t *got)
{
	while (u->at != AT_END) {
		enum unzip_stop stop;
		if (*got == len)
			return UNZIP_FULL;
		if (u->z.avail_in == 0 && !refill(u, limit))
			return UNZIP_UNREAD;
		if (u->at == AT_MEMBER || u->at == AT_BODY)
			stop = inflate_run(u, to_place, dst + *got, len - *got, got);
		else if (u->at == AT_TRAILER)
			stop = trailer_run(u);
		else
			stop = u->z.avail_in ? between_run(u) : UNZIP_DRY;
		if (stop != UNZIP_FULL)
			return stop;
	}
	return UNZIP_DRY;
}

enum unzip_stop unzip_run(struct unzip *u, uint64_t limit, bool to_place, char *dst, size_t len,
			  size_t *got)
{
	*got = 0;
	enum unzip_stop stop = run(u, limit, to_place, dst, len, got);
	u->in = consumed(u);
	u->ended = u->at == AT_END;
	return stop;
}
