/*
 * The heap of a program that is recorded: the same calls get the same addresses in every run, and
 * blocks lie as glibc would lay them.
 *
 * Each thread has a region at a fixed place, as each has an arena in glibc; in it chunks of multiples of
 * 16 bytes, 8 of them a header, follow each other, and a freed chunk is the next one of its size. Any
 * thread may give a block back. Cost: O(1) with few sizes; bytes: what was in use at most, size by size.
 */
#ifndef PIPEGLASS_LIBPGMEM_HEAP_H
#define PIPEGLASS_LIBPGMEM_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* align: a power of two. *zero: all bytes of it are. NULL: no memory, or the region is full. */
void *heap_take(unsigned thread, size_t bytes, size_t align, bool *zero);
void heap_give(void *block);
bool heap_has(const void *block);     /* heap_take() made it */
size_t heap_bytes(const void *block); /* that may be used */

#endif
