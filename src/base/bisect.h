/*
 * The one way to search what is in order: halve [low, high) until `low` is the first index at
 * which `before` does not hold; `high` if it holds everywhere. `before` is an expression of `i`, an
 * index, that holds up to some place and nowhere behind it. O(log n).
 */
#ifndef PIPEGLASS_BASE_BISECT_H
#define PIPEGLASS_BASE_BISECT_H

#include <stddef.h>

#define bisect(low, high, i, before)                                                               \
	do {                                                                                       \
		while ((low) < (high)) {                                                           \
			size_t i = (low) + ((high) - (low)) / 2;                                   \
                                                                                                   \
			if (before)                                                                \
				(low) = i + 1;                                                     \
			else                                                                       \
				(high) = i;                                                        \
		}                                                                                  \
	} while (0)

#endif
