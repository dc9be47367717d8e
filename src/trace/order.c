#include "config.h"

#include "trace/order.h"

enum {
	DIGIT = 11, /* bits by which is sorted at once */
	AHEAD = 16  /* rows whose ticks are asked for before they are needed */
};

struct digit {
	const struct order_ticks *ticks;
	int64_t least;
	unsigned shift;
};

static inline const int64_t *tick_at(const struct order_ticks *t, uint32_t row)
{
	return (const void *)((const char *)t->first + row * t->stride);
}

static inline int64_t tick_of(const struct order_ticks *t, uint32_t row)
{
	return *tick_at(t, row);
}

static inline uint32_t key_of_digit(const void *of, uint32_t row)
{
	const struct digit *d = of;
	const uint64_t tick = (uint64_t)tick_of(d->ticks, row) - (uint64_t)d->least;

	return (uint32_t)(tick >> d->shift) & ((1 << DIGIT) - 1);
}

static void sort_by_digits(const struct order_ticks *ticks, uint32_t *rows, uint32_t n,
			   uint32_t *other)
{
	int64_t least = INT64_MAX, greatest = INT64_MIN;
	uint32_t from[(1 << DIGIT) + 2], *in = rows, *out = other;
	struct digit d = {ticks, 0, 0};

	for (uint32_t i = 0; i < n; i++) {
		const int64_t tick = tick_of(ticks, rows[i]);

		least = tick < least ? tick : least;
		greatest = tick > greatest ? tick : greatest;
	}
	d.least = least;
	for (; d.shift < 64 && ((uint64_t)greatest - (uint64_t)least) >> d.shift; d.shift += DIGIT) {
		uint32_t *done = out;

		order_rows(key_of_digit, &d, 1 << DIGIT, in, out, n, from);
		out = in;
		in = done;
	}
	if (in != rows)
		memcpy(rows, in, n * sizeof(*rows));
}

void order_by_tick(const struct order_ticks *ticks, uint32_t *rows, uint32_t n, uint32_t *other)
{
	uint64_t moves = 0;

	for (uint32_t i = 1; i < n && moves < n; i++) {
		const uint32_t row = rows[i];
		const int64_t tick = tick_of(ticks, row);
		uint32_t at = i;

		__builtin_prefetch(tick_at(ticks, rows[i + AHEAD < n ? i + AHEAD : i]));
		for (; at && tick_of(ticks, rows[at - 1]) > tick && moves < n; at--, moves++)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
	if (moves >= n && n)
		sort_by_digits(ticks, rows, n, other);
}
