#include "config.h"

#include "cmd/pipeline/export_heap.h"

#include <string.h>

#include "base/vec.h"

static char *at(const struct heap *h, size_t i)
{
	return h->data + i * h->size;
}

static const struct due *due_at(const struct heap *h, size_t i)
{
	return (const struct due *)(const void *)at(h, i);
}

static bool before(const struct due *a, const struct due *b)
{
	return a->tick != b->tick ? a->tick < b->tick : a->order < b->order;
}

void heap_begin(struct heap *h, size_t size)
{
	*h = (struct heap){.size = size};
}

void heap_free(struct heap *h)
{
	vec_free_((void *)&h->data);
	h->count = h->cap = 0;
}

const struct due *heap_first(const struct heap *h)
{
	return h->count ? due_at(h, 0) : NULL;
}

bool heap_push(struct heap *h, const struct due *item)
{
	size_t i = h->count;

	if (h->count == h->cap &&
	    !vec_grow_((void *)&h->data, &h->cap, h->count, 1, h->size))
		return false;
	for (h->count++; i > 0 && before(item, due_at(h, (i - 1) / 2)); i = (i - 1) / 2)
		memcpy(at(h, i), at(h, (i - 1) / 2), h->size);
	memcpy(at(h, i), item, h->size);
	return true;
}

bool heap_pop(struct heap *h, struct due *item)
{
	const struct due *last;
	size_t i = 0;

	if (h->count == 0)
		return false;
	memcpy(item, at(h, 0), h->size);
	last = due_at(h, --h->count);
	for (size_t child; (child = 2 * i + 1) < h->count; i = child) {
		if (child + 1 < h->count && before(due_at(h, child + 1), due_at(h, child)))
			child++;
		if (!before(due_at(h, child), last))
			break;
		memcpy(at(h, i), at(h, child), h->size);
	}
	if (i < h->count)
		memcpy(at(h, i), last, h->size);
	return true;
}
