/*
 * Ticks: the time of every trace. Arithmetic with them saturates, and never reaches TICK_NONE.
 */
#ifndef PIPEGLASS_TRACE_TICK_H
#define PIPEGLASS_TRACE_TICK_H

#include <stdint.h>

#define TICK_NONE INT64_MAX /* "not yet", "never": the end of what is still there */

static inline int64_t tick_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return b > 0 ? TICK_NONE - 1 : INT64_MIN;
	return sum == TICK_NONE ? TICK_NONE - 1 : sum;
}

static inline int64_t tick_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a > b ? TICK_NONE - 1 : INT64_MIN;
	return difference;
}

static inline int64_t tick_clamp(int64_t tick, int64_t least, int64_t most)
{
	return tick > most ? most : tick < least ? least : tick;
}

#endif
