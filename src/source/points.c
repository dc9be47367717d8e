#include "config.h"

#include "source/points.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/bisect.h"
#include "source/bytes.h"

enum { PACK_LEVEL = 1, PACK_MEMORY = 8, POINT_SAVED = 8 + 8 + 1 + 2 + 4 };

void points_init(struct points *p)
{
	memset(p, 0, sizeof(*p));
	pthread_mutex_init(&p->lock, NULL);
	p->spacing = POINTS_SPACING;
}

static void list_clear(struct points *p)
{
	for (size_t i = 0; i < p->list.count; i++)
		free(p->list.data[i].packed);
	vec_free(&p->list);
	p->bytes = 0;
}

void points_free(struct points *p)
{
	list_clear(p);
	pthread_mutex_destroy(&p->lock);
}

/* Raw deflate, as small as a pass over 4 MiB can pay for. */
static bool dict_pack(struct point *point, const unsigned char *dict, size_t len)
{
	z_stream z = {0};
	if (deflateInit2(&z, PACK_LEVEL, Z_DEFLATED, -MAX_WBITS, PACK_MEMORY, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		return false;
	size_t bound = deflateBound(&z, len);
	unsigned char *packed = malloc(bound);
	bool done = false;
	if (packed) {
		union {
			const unsigned char *in;
			unsigned char *next; /* zlib's next_in is not const */
		} from = {.in = dict};
		z.next_in = from.next;
		z.avail_in = (uInt)len;
		z.next_out = packed;
		z.avail_out = (uInt)bound;
		done = deflate(&z, Z_FINISH) == Z_STREAM_END;
	}
	deflateEnd(&z);
	if (!done) {
		free(packed);
		return false;
	}
	point->dict_len = (uint16_t)len;
	point->packed_len = (uint32_t)z.total_out;
	point->packed = realloc(packed, z.total_out);
	if (!point->packed)
		point->packed = packed;
	return true;
}

static bool dict_unpack(const struct point *point, unsigned char dict[UNZIP_REACH])
{
	z_stream z = {0};
	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return false;
	z.next_in = point->packed;
	z.avail_in = point->packed_len;
	z.next_out = dict;
	z.avail_out = UNZIP_REACH;
	bool done = inflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out == point->dict_len;
	inflateEnd(&z);
	return done;
}

/* Halve what is kept: random access then costs twice as much, but memory stays bounded. */
static void thin(struct points *p)
{
	size_t kept = 0;
	p->spacing *= 2;
	for (size_t i = 0; i < p->list.count; i++) {
		struct point *point = &p->list.data[i];
		if (i % 2 == 1) {
			p->list.data[kept++] = *point;
			continue;
		}
		p->bytes -= point->packed_len;
		free(point->packed);
	}
	p->list.count = kept;
}

static uint64_t due(const struct points *p)
{
	return p->spacing + (p->list.count ? vec_last(&p->list).place.out : 0);
}

/* Takes point.packed over. */
static bool append(struct points *p, const struct point *point)
{
	if (!vec_push(&p->list, *point)) {
		free(point->packed);
		return false;
	}
	p->bytes += point->packed_len;
	while (p->bytes > POINTS_BUDGET && p->list.count > 1)
		thin(p);
	return true;
}

uint64_t points_due(struct points *p)
{
	pthread_mutex_lock(&p->lock);
	uint64_t off = due(p);
	pthread_mutex_unlock(&p->lock);
	return off;
}

void points_add(struct points *p, const struct unzip_place *place, const unsigned char *dict,
		size_t dict_len)
{
	struct point point = {.place = *place};
	if (dict_len && !dict_pack(&point, dict, dict_len))
		return;
	pthread_mutex_lock(&p->lock);
	if (place->out >= due(p))
		append(p, &point);
	else
		free(point.packed);
	pthread_mutex_unlock(&p->lock);
}

static const struct point *find(const struct points *p, uint64_t off)
{
	size_t from = 0, to = p->list.count;
	bisect(from, to, i, p->list.data[i].place.out <= off);
	return from ? &p->list.data[from - 1] : NULL;
}

uint64_t points_before(struct points *p, uint64_t off)
{
	pthread_mutex_lock(&p->lock);
	const struct point *point = find(p, off);
	uint64_t out = point ? point->place.out : 0;
	pthread_mutex_unlock(&p->lock);
	return out;
}

bool points_go(struct points *p, uint64_t off, struct unzip *u)
{
	struct unzip_place place = {.in = 0};
	unsigned char dict[UNZIP_REACH];
	size_t dict_len = 0;
	bool sound = true;
	pthread_mutex_lock(&p->lock);
	const struct point *point = find(p, off);
	if (point) {
		place = point->place;
		dict_len = point->dict_len;
		sound = !dict_len || dict_unpack(point, dict);
	}
	pthread_mutex_unlock(&p->lock);
	return sound && unzip_go(u, &place, dict, dict_len);
}

void points_save(struct points *p, struct sbuf *out)
{
	pthread_mutex_lock(&p->lock);
	bytes_put(out, p->spacing, 8);
	bytes_put(out, p->list.count, 8);
	for (size_t i = 0; i < p->list.count; i++) {
		const struct point *point = &p->list.data[i];
		bytes_put(out, point->place.in, 8);
		bytes_put(out, point->place.out, 8);
		bytes_put(out, point->place.bits, 1);
		bytes_put(out, point->dict_len, 2);
		bytes_put(out, point->packed_len, 4);
		sbuf_add(out, point->packed, point->packed_len);
	}
	pthread_mutex_unlock(&p->lock);
}

static bool point_load(struct bytes *b, struct point *point)
{
	memset(point, 0, sizeof(*point));
	point->place.in = bytes_get(b, 8);
	point->place.out = bytes_get(b, 8);
	uint64_t bits = bytes_get(b, 1);
	uint64_t dict_len = bytes_get(b, 2), packed_len = bytes_get(b, 4);
	const unsigned char *packed = bytes_skip(b, (size_t)packed_len);
	if (b->failed || bits > 7 || dict_len > UNZIP_REACH || point->place.in == 0 ||
	    !dict_len != !packed_len)
		return false;
	point->place.bits = (uint8_t)bits;
	point->dict_len = (uint16_t)dict_len;
	point->packed_len = (uint32_t)packed_len;
	if (!packed_len)
		return true;
	point->packed = malloc(point->packed_len);
	if (point->packed)
		memcpy(point->packed, packed, point->packed_len);
	return point->packed != NULL;
}

static bool list_load(struct points *p, struct bytes *b, uint64_t file_size, uint64_t text_size)
{
	p->spacing = bytes_get(b, 8);
	uint64_t count = bytes_get(b, 8);
	if (p->spacing < POINTS_SPACING || p->spacing > UINT64_MAX / 4 ||
	    count > b->left / POINT_SAVED)
		return false;
	uint64_t in = 0, out = 0;
	for (uint64_t i = 0; i < count; i++) {
		struct point point;
		if (!point_load(b, &point))
			return false;
		/* `in` may stand still where a block ends within a byte */
		bool ordered = point.place.in >= in && point.place.in <= file_size &&
			       point.place.out > out && point.place.out <= text_size;
		in = point.place.in;
		out = point.place.out;
		if (!ordered) {
			free(point.packed);
			return false;
		}
		if (!append(p, &point))
			return false;
	}
	return b->left == 0 && !b->failed;
}

bool points_load(struct points *p, const unsigned char *bytes, size_t len, uint64_t file_size,
		 uint64_t text_size)
{
	struct bytes b = {.at = bytes, .left = len};
	pthread_mutex_lock(&p->lock);
	list_clear(p);
	bool sound = list_load(p, &b, file_size, text_size);
	if (!sound) {
		list_clear(p);
		p->spacing = POINTS_SPACING;
	}
	pthread_mutex_unlock(&p->lock);
	return sound;
}
