/*
 * Objects that have a name of their own (mem.h): they end with the memory that they are in.
 */
#ifndef PIPEGLASS_LIBPGMEM_OBJECTS_H
#define PIPEGLASS_LIBPGMEM_OBJECTS_H

#include <stddef.h>

/* A block and whatever was named in it are no objects any more. O(log of those named + those in it). */
void objects_freed(const void *block, size_t bytes);

#endif
