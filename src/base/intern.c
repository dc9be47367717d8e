#include "config.h"

#include "base/intern.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sbuf.h"
#include "base/vec.h"

enum { CHUNK_BYTES = 16 * 1024, SLOTS_FIRST = 64 };

/* Names are kept in chunks that never move, so intern_name() pointers stay good. */
struct chunk {
	struct chunk *next;
	size_t used, cap;
	char bytes[];
};

struct name {
	const char *text;
	size_t len;
	uint64_t hash;
};

struct intern {
	uint64_t key;
	VEC(struct name) names;
	struct chunk *chunks;
	int32_t *slots;    /* open addressing: id + 1, 0 is free */
	size_t slot_count; /* a power of two, at most three quarters full */
	bool failed;       /* a text that was made is not kept */
};

struct intern *intern_new(void)
{
	struct intern *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->key = hash_key(t);
	t->slots = calloc(SLOTS_FIRST, sizeof(*t->slots));
	t->slot_count = SLOTS_FIRST;
	if (!t->slots) {
		free(t);
		return NULL;
	}
	return t;
}

void intern_free(struct intern *t)
{
	if (!t)
		return;
	while (t->chunks) {
		struct chunk *next = t->chunks->next;

		free(t->chunks);
		t->chunks = next;
	}
	vec_free(&t->names);
	free(t->slots);
	free(t);
}

/* The slot where the name is, or the free one where it would be. */
static size_t slot_of(const struct intern *t, const char *p, size_t len, uint64_t hash)
{
	size_t mask = t->slot_count - 1, slot = hash & mask;

	for (; t->slots[slot]; slot = (slot + 1) & mask) {
		const struct name *name = &t->names.data[t->slots[slot] - 1];

		if (name->hash == hash && name->len == len &&
		    (len == 0 || memcmp(name->text, p, len) == 0))
			break;
	}
	return slot;
}

int32_t intern_find(const struct intern *t, const char *p, size_t len)
{
	return t->slots[slot_of(t, p, len, hash_bytes(t->key, p, len))] - 1;
}

static bool grow_slots(struct intern *t)
{
	size_t count = t->slot_count * 2, mask = count - 1;
	int32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t id = 0; id < t->names.count; id++) {
		size_t slot = t->names.data[id].hash & mask;

		while (slots[slot])
			slot = (slot + 1) & mask;
		slots[slot] = (int32_t)id + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->slot_count = count;
	return true;
}

static bool add_chunk(struct intern *t, size_t bytes)
{
	size_t cap = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	struct chunk *chunk = malloc(sizeof(*chunk) + cap);

	if (!chunk)
		return false;
	*chunk = (struct chunk){.next = t->chunks, .cap = cap};
	t->chunks = chunk;
	return true;
}

static const char *keep_text(struct intern *t, const char *p, size_t len)
{
	char *text;

	if (len >= (size_t)PTRDIFF_MAX - sizeof(struct chunk))
		return NULL;
	if ((!t->chunks || t->chunks->cap - t->chunks->used <= len) && !add_chunk(t, len + 1))
		return NULL;
	text = t->chunks->bytes + t->chunks->used;
	if (len)
		memcpy(text, p, len);
	text[len] = '\0';
	t->chunks->used += len + 1;
	return text;
}

int32_t intern_add(struct intern *t, const char *p, size_t len)
{
	uint64_t hash = hash_bytes(t->key, p, len);
	size_t slot = slot_of(t, p, len, hash);
	const char *text;

	if (t->slots[slot])
		return t->slots[slot] - 1;
	if (t->names.count >= INT32_MAX - 1 || !vec_reserve(&t->names, 1))
		return -1;
	if (t->names.count >= t->slot_count / 4 * 3) {
		if (!grow_slots(t))
			return -1;
		slot = slot_of(t, p, len, hash);
	}
	text = keep_text(t, p, len);
	if (!text)
		return -1;
	t->names.data[t->names.count++] = (struct name){text, len, hash};
	t->slots[slot] = (int32_t)t->names.count;
	return t->slots[slot] - 1;
}

const char *intern_name(const struct intern *t, int32_t id)
{
	return id >= 0 && (size_t)id < t->names.count ? t->names.data[id].text : NULL;
}

size_t intern_length(const struct intern *t, int32_t id)
{
	return id >= 0 && (size_t)id < t->names.count ? t->names.data[id].len : 0;
}

const char *intern_printf(struct intern *t, const char *fmt, ...)
{
	struct sbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	sbuf_vprintf(&text, fmt, ap);
	va_end(ap);
	return intern_take(t, &text);
}

const char *intern_take(struct intern *t, struct sbuf *text)
{
	const char *kept = NULL;

	if (t && !text->failed)
		kept = intern_name(t, intern_add(t, sbuf_text(text), text->len));
	if (t && !kept)
		t->failed = true;
	sbuf_free(text);
	return kept;
}

bool intern_failed(const struct intern *t)
{
	return t->failed;
}

size_t intern_count(const struct intern *t)
{
	return t->names.count;
}
