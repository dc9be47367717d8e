/*
 * Orders of the rows of a trace: permutations by some key, made by counting. Stable, so an order by
 * two keys is one by the second, then by the first. O(rows + keys) a pass.
 */
#ifndef PIPEGLASS_TRACE_ORDER_H
#define PIPEGLASS_TRACE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What rows are sorted by: a number below so many. */
typedef uint32_t order_key_fn(const void *of, uint32_t row);

/*
 * in: NULL: as they are. from: keys + 2 of them; then where in out the rows of each key begin, and
 * their end behind.
 */
static inline void order_rows(order_key_fn *key, const void *of, uint32_t keys, const uint32_t *in,
			      uint32_t *out, uint32_t n, uint32_t *from)
{
	memset(from, 0, (keys + (size_t)2) * sizeof(*from));
	for (uint32_t i = 0; i < n; i++)
		from[key(of, in ? in[i] : i) + 2]++;
	for (uint32_t k = 2; k < keys + 2; k++)
		from[k] += from[k - 1];
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t row = in ? in[i] : i;

		out[from[key(of, row) + 1]++] = row;
	}
}

/* A tick of each row, so many bytes apart. */
struct order_ticks {
	const int64_t *first;
	size_t stride;
};

/*
 * Rows in the order of their numbers, sorted by their ticks; other: room for as many. Where they are
 * nearly in that order, as in most files, O(rows), else O(rows * log(ticks from the least to the
 * greatest)).
 */
void order_by_tick(const struct order_ticks *ticks, uint32_t *rows, uint32_t n, uint32_t *other);

#endif
