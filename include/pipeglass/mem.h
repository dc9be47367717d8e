/*
 * Marks in a program that `pipeglass record` records.
 *
 *     #include <pipeglass/mem.h>
 *
 *     PGMEM_OBJECT(world->cells, sizeof(world->cells), "cells");    a part has its own name,
 *     TRACE_OFF();                                                  and what is set up is not shown,
 *     set_up(world);                                                but the caches fill
 *     TRACE_ON();
 *
 * What malloc(), new and their like return, and variables, have names without a mark. All is empty
 * and its arguments are not evaluated unless `pipeglass cc`, `pipeglass c++` or the flags of
 * `pkg-config --cflags pgmem` compile it: nothing needs to be linked then. C and C++.
 */
#ifndef PIPEGLASS_MEM_H
#define PIPEGLASS_MEM_H

#ifdef PIPEGLASS_RECORD

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void pgmem_trace(int on);
void pgmem_object(const volatile void *object, size_t size, const char *name);
void pgmem_object_gone(const volatile void *object);

#ifdef __cplusplus
}
#endif

/* Events of all threads are in the trace, as they are from the start, or are not. */
#define TRACE_ON() pgmem_trace(1)
#define TRACE_OFF() pgmem_trace(0)
/* These bytes have a name from now on, which is copied: until they are freed, or gone. */
#define PGMEM_OBJECT(pointer, size, name) pgmem_object((pointer), (size), (name))
/* For what is not freed: a variable of a function, a part of a pool. */
#define PGMEM_GONE(pointer) pgmem_object_gone(pointer)

#else

#define TRACE_ON() ((void)0)
#define TRACE_OFF() ((void)0)
#define PGMEM_OBJECT(pointer, size, name)                                                          \
	((void)sizeof(pointer), (void)sizeof(size), (void)sizeof(name))
#define PGMEM_GONE(pointer) ((void)sizeof(pointer))

#endif
#endif
