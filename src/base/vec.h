/*
 * Growable arrays of any element type, as a macro over {data, count, cap}.
 *
 * A failed allocation leaves the vector unchanged and yields false: the data rooms must
 * survive it. Amortised O(1) push; growth by half.
 */
#ifndef PIPEGLASS_BASE_VEC_H
#define PIPEGLASS_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *data;                                                                        \
		size_t count, cap;                                                                 \
	}

/* Make room for n more elements; false when memory is out. */
#define vec_reserve(v, n)                                                                          \
	((v)->cap - (v)->count >= (size_t)(n) ||                                                   \
	 vec_grow_((void *)&(v)->data, &(v)->cap, (v)->count, (size_t)(n), sizeof(*(v)->data)))

#define vec_push(v, value) (vec_reserve((v), 1) ? ((v)->data[(v)->count++] = (value), true) : false)
#define vec_last(v) ((v)->data[(v)->count - 1])
#define vec_clear(v) ((void)((v)->count = 0))
#define vec_free(v) (vec_free_((void *)&(v)->data), (v)->count = (v)->cap = 0)

/* slot: the address of the data pointer, whatever its type. */
bool vec_grow_(void *slot, size_t *cap, size_t count, size_t more, size_t size);
void vec_free_(void *slot);

#endif
