#include "config.h"

#include "pipeline/index/codes.h"

#include <stdlib.h>
#include <string.h>

#include "pipeline/formats/scan.h"
#include "trace/bits.h"

void codes_free(struct codes *c)
{
	free(c->entries);
	free(c->slots);
	free(c->text);
	memset(c, 0, sizeof(*c));
}

void codes_clear(struct codes *c)
{
	c->count = 0;
	c->last = 0;
	c->text_len = 0;
	if (c->slots)
		memset(c->slots, 0, c->slot_count * sizeof(*c->slots));
}

static inline uint64_t mix(uint64_t h, uint64_t w)
{
	h = (h ^ w) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

static inline uint64_t hash_bytes(uint64_t h, const char *p, size_t len)
{
	uint64_t w = 0;

	if (len >= 8) {
		for (size_t i = 0; i + 8 < len; i += 8) {
			memcpy(&w, p + i, 8);
			h = mix(h, w);
		}
		memcpy(&w, p + len - 8, 8);
	} else if (len >= 4) {
		uint32_t a, b;

		memcpy(&a, p, 4);
		memcpy(&b, p + len - 4, 4);
		w = a | (uint64_t)b << 32;
	} else if (len) {
		w = (unsigned char)p[0] | (uint64_t)(unsigned char)p[len / 2] << 8 |
		    (uint64_t)(unsigned char)p[len - 1] << 16;
	}
	return mix(h, w ^ (uint64_t)len << 56);
}

uint64_t codes_hash(const char *pc, size_t pc_len, const char *text, size_t text_len)
{
	return hash_bytes(hash_bytes(0, pc, pc_len), text, text_len);
}

static bool grow_slots(struct codes *c)
{
	size_t want = c->slot_count ? c->slot_count * 2 : 1024;
	uint32_t *slots = calloc(want, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < c->count; i++) {
		size_t k = c->entries[i].hash & (want - 1);

		while (slots[k])
			k = (k + 1) & (want - 1);
		slots[k] = (uint32_t)i + 1;
	}
	free(c->slots);
	c->slots = slots;
	c->slot_count = want;
	return true;
}

static bool reserve(void **p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 1024;
	void *q;

	if (want <= *cap)
		return true;
	while (n < want)
		n += n / 2;
	q = realloc(*p, n * size);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

bool codes_reserve(struct codes *c)
{
	return reserve((void **)&c->entries, &c->cap, CODE_BYTES / sizeof(*c->entries),
		       sizeof(*c->entries)) &&
	       reserve((void **)&c->text, &c->text_cap, CODE_BYTES, 1);
}

/* memcmp() == 0 in eights, the last of them overlapping. */
static inline bool equal(const char *p, const char *q, size_t len)
{
	if (len < 8)
		return memcmp(p, q, len) == 0;
	for (size_t i = 0; i + 8 < len; i += 8)
		if (scan_load8(p + i) != scan_load8(q + i))
			return false;
	return scan_load8(p + len - 8) == scan_load8(q + len - 8);
}

static inline bool same(const struct codes *c, const struct code *e, const char *pc, size_t pc_len,
		 const char *text, size_t text_len)
{
	return e->pc_len == pc_len && e->text_len == text_len &&
	       equal(c->text + e->at, pc, pc_len) &&
	       equal(c->text + e->at + pc_len, text, text_len);
}

static uint64_t pc_value(const char *pc, size_t len)
{
	uint64_t value = 0;
	bool overflow = false;

	scan_hex_field(pc, pc + len, &value, &overflow);
	return value;
}

uint32_t codes_add(struct codes *c, uint64_t hash, const char *pc, size_t pc_len, const char *text,
		   size_t text_len)
{
	size_t k;

	if (c->count * 2 >= c->slot_count && !grow_slots(c))
		return CODE_NONE;
	for (k = hash & (c->slot_count - 1); c->slots[k]; k = (k + 1) & (c->slot_count - 1)) {
		const struct code *e = &c->entries[c->slots[k] - 1];

		if (e->hash == hash && same(c, e, pc, pc_len, text, text_len))
			return c->slots[k] - 1;
	}
	if (c->text_len + pc_len + text_len + (c->count + 1) * sizeof(*c->entries) > CODE_BYTES ||
	    !reserve((void **)&c->entries, &c->cap, c->count + 1, sizeof(*c->entries)) ||
	    !reserve((void **)&c->text, &c->text_cap, c->text_len + pc_len + text_len + 1, 1))
		return CODE_NONE;
	c->entries[c->count] = (struct code){hash, pc_value(pc, pc_len), (uint32_t)c->text_len,
					     {0, 0}, (uint16_t)pc_len, (uint16_t)text_len};
	memcpy(c->text + c->text_len, pc, pc_len);
	memcpy(c->text + c->text_len + pc_len, text, text_len);
	c->text_len += pc_len + text_len;
	c->slots[k] = (uint32_t)c->count + 1;
	return (uint32_t)c->count++;
}

uint32_t codes_next(struct codes *c, const char *pc, size_t pc_len, const char *text,
		    size_t text_len)
{
	const uint32_t none[2] = {0, 0};
	const uint32_t *next = c->last < c->count ? c->entries[c->last].next : none;
	uint32_t code;

	if (next[0] && same(c, &c->entries[next[0] - 1], pc, pc_len, text, text_len))
		return c->last = next[0] - 1;
	if (next[1] && same(c, &c->entries[next[1] - 1], pc, pc_len, text, text_len))
		code = next[1] - 1;
	else
		code = codes_add(c, codes_hash(pc, pc_len, text, text_len), pc, pc_len, text,
				 text_len);
	if (code == CODE_NONE)
		return code;
	if (c->last < c->count) {
		struct code *last = &c->entries[c->last];

		last->next[1] = last->next[0];
		last->next[0] = code + 1;
	}
	return c->last = code;
}

bool codes_is(const struct codes *c, uint32_t code, const char *pc, size_t pc_len, const char *text,
	      size_t text_len)
{
	return code < c->count && same(c, &c->entries[code], pc, pc_len, text, text_len);
}

uint32_t codes_join(struct codes *c, uint32_t code, const struct codes *from, uint32_t more,
		    char between)
{
	char both[64 + CODE_TEXT];
	const struct code *a = code < c->count ? &c->entries[code] : NULL;
	const struct code *b = more < from->count ? &from->entries[more] : NULL;
	const char *pc, *text = both + 64;
	size_t len = 0, pc_len;

	if (!b || (!a && c == from))
		return b ? more : code;
	if (a) {
		len = a->text_len;
		memcpy(both + 64, c->text + a->at + a->pc_len, len);
	}
	pc = a && a->pc_len ? c->text + a->at : from->text + b->at;
	pc_len = a && a->pc_len ? a->pc_len : b->pc_len;
	pc_len = pc_len < 64 ? pc_len : 64;
	memcpy(both, pc, pc_len); /* the table may move */
	pc = both;
	if (len && len < CODE_TEXT && b->text_len && between)
		both[64 + len++] = between;
	if (len < CODE_TEXT) {
		size_t room = CODE_TEXT - len, n = b->text_len < room ? b->text_len : room;

		memcpy(both + 64 + len, from->text + b->at + b->pc_len, n);
		len += n;
	}
	return codes_add(c, codes_hash(pc, pc_len, text, len), pc, pc_len, text, len);
}

uint64_t codes_pc(const struct codes *c, uint32_t code, bool *has_pc)
{
	*has_pc = code < c->count && c->entries[code].pc_len > 0;
	return *has_pc ? c->entries[code].pc : 0;
}

const char *codes_text(const struct codes *c, uint32_t code, size_t *len)
{
	if (code >= c->count) {
		*len = 0;
		return NULL;
	}
	*len = c->entries[code].text_len;
	return c->text + c->entries[code].at + c->entries[code].pc_len;
}

void codes_save(const struct codes *c, struct sbuf *out)
{
	varint_put(out, c->count);
	for (size_t i = 0; i < c->count; i++) {
		varint_put(out, c->entries[i].pc_len);
		varint_put(out, c->entries[i].text_len);
	}
	sbuf_add(out, c->text, c->text_len);
}

bool codes_load(struct codes *c, const void *bytes, size_t len)
{
	struct byte_reader r = {bytes, (const unsigned char *)bytes + len, false}, lens;
	uint64_t count = varint_get(&r), total = 0;

	codes_clear(c);
	if (r.over || count > len / 2)
		return false;
	lens = r;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t pc_len = varint_get(&r), text_len = varint_get(&r);

		if (r.over || pc_len > 64 || text_len > CODE_TEXT)
			return false;
		total += pc_len + text_len;
	}
	if (total != (uint64_t)(r.end - r.p))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t pc_len = varint_get(&lens), text_len = varint_get(&lens);
		const char *p = (const char *)r.p;

		if (codes_add(c, codes_hash(p, pc_len, p + pc_len, text_len), p, pc_len,
			      p + pc_len, text_len) != i)
			return false;
		r.p += pc_len + text_len;
	}
	return true;
}
