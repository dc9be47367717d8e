#include "config.h"

#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VEC_FIRST = 8 };

/*
 * The slot is a pointer to some type the caller knows; it is read and written as bytes,
 * because storing through a void ** would break the aliasing rules.
 */
bool vec_grow_(void *slot, size_t *cap, size_t count, size_t more, size_t size)
{
	void *old, *data;
	size_t need, want;

	if (__builtin_add_overflow(count, more, &need) || need > (size_t)PTRDIFF_MAX / size)
		return false;
	want = *cap + *cap / 2;
	if (want < VEC_FIRST)
		want = VEC_FIRST;
	if (want < need || want > (size_t)PTRDIFF_MAX / size)
		want = need;
	memcpy(&old, slot, sizeof(old));
	data = realloc(old, want * size);
	if (!data)
		return false;
	memcpy(slot, &data, sizeof(data));
	*cap = want;
	return true;
}

void vec_free_(void *slot)
{
	void *data;

	memcpy(&data, slot, sizeof(data));
	free(data);
	data = NULL;
	memcpy(slot, &data, sizeof(data));
}
