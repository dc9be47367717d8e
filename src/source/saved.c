/* What is known of packed text, as bytes for the index cache. */
#include "config.h"

#include "source/internal.h"

#include <string.h>
#include <zlib.h>

#include "source/bytes.h"
#include "source/unpacker.h"

enum { SAVED_VERSION = 4, GZIP_MAGIC = 0x315a4750, CRC_LEN = 4 };

static uint32_t magic_of(const struct source *s)
{
	return s->packed ? GZIP_MAGIC : unpacked_how(s)->saved_magic;
}

/* Layout: magic, version, sizes, end, damage, points as points_save() has them, CRC-32 of all. */
void source_save_points(const struct source *s, struct sbuf *out)
{
	if (!s->packed && !s->unpacked)
		return;
	bool final;
	uint64_t text_size = source_size(s, &final);
	enum damage kind = (enum damage)atomic_load(&s->damage.worst);
	const char *damage = final && kind != DAMAGE_SPOOL ? source_damage(s) : NULL;
	size_t begin = out->len, damage_len = damage ? strlen(damage) : 0;
	bytes_put(out, magic_of(s), 4);
	bytes_put(out, SAVED_VERSION, 4);
	bytes_put(out, atomic_load(&s->file_size), 8);
	bytes_put(out, text_size, 8);
	bytes_put(out, final && kind != DAMAGE_SPOOL, 1); /* the next run may have room */
	bytes_put(out, final && s->packed && packed_ended(s), 1);
	bytes_put(out, damage ? (uint64_t)kind : DAMAGE_NONE, 1);
	bytes_put(out, damage_len, 1);
	sbuf_add(out, damage, damage_len);
	if (s->packed)
		packed_save(s, out);
	if (!out->failed)
		bytes_put(out,
			  crc32(0, (unsigned char *)out->text + begin, (uInt)(out->len - begin)),
			  CRC_LEN);
}

static bool damage_load(struct bytes *b, struct saved *saved)
{
	uint64_t kind = bytes_get(b, 1), len = bytes_get(b, 1);
	const unsigned char *text = bytes_skip(b, (size_t)len);
	if (!text || kind >= DAMAGE_KINDS || len >= DAMAGE_LEN || !kind != !len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	saved->damage = (enum damage)kind;
	memcpy(saved->text, text, len);
	return true;
}

static bool saved_load(struct bytes *b, uint32_t magic, struct saved *saved)
{
	if (bytes_get(b, 4) != magic || bytes_get(b, 4) != SAVED_VERSION)
		return false;
	saved->file_size = bytes_get(b, 8);
	saved->text_size = bytes_get(b, 8);
	uint64_t final = bytes_get(b, 1), hard = bytes_get(b, 1);
	saved->final = final;
	saved->hard = hard;
	return final <= 1 && hard <= final && damage_load(b, saved);
}

static bool restore(struct source *s, const struct saved *saved, const struct bytes *rest)
{
	if (s->packed)
		return packed_restore(s, saved, rest->at, rest->left);
	/* all of it will be unpacked */
	return rest->left == 0 && saved->final && unpacked_promise(s, saved->text_size);
}

enum status source_load_points(struct source *s, const void *bytes, size_t len)
{
	if (!s->packed && !s->unpacked)
		return len ? STATUS_INPUT : STATUS_OK;
	struct bytes b = {.at = bytes, .left = len};
	struct bytes end = {.at =
				(const unsigned char *)bytes + (len < CRC_LEN ? 0 : len - CRC_LEN),
			    .left = len < CRC_LEN ? 0 : CRC_LEN};
	struct saved saved = {0};
	if (len < CRC_LEN || len > UINT32_MAX ||
	    bytes_get(&end, CRC_LEN) != crc32(0, b.at, (uInt)(len - CRC_LEN)))
		return STATUS_INPUT;
	b.left -= CRC_LEN;
	if (!saved_load(&b, magic_of(s), &saved) || saved.file_size > atomic_load(&s->file_size) ||
	    saved.text_size > INT64_MAX || !restore(s, &saved, &b))
		return STATUS_INPUT;
	if (saved.final)
		atomic_store(&s->done, s->packed ? saved.file_size : saved.text_size);
	if (saved.damage != DAMAGE_NONE)
		damage_set(s, saved.damage, "%s", saved.text);
	return STATUS_OK;
}
