/*
 * Allocation that cannot fail, for the app, view, cmd and term rooms.
 *
 * When memory is out xalloc_die_hook runs (the terminal is restored there) and the program
 * aborts. The rooms above view do not use this: they pass STATUS_NOMEM up. A size of 0 gives
 * a pointer that can be freed.
 */
#ifndef PIPEGLASS_BASE_XALLOC_H
#define PIPEGLASS_BASE_XALLOC_H

#include <stddef.h>

/* NULL at first. Called once with the size that could not be had; it may not return. */
extern void (*xalloc_die_hook)(size_t size);

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *p, size_t size) __attribute__((returns_nonnull));
void *xreallocarray(void *p, size_t count, size_t size) __attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t len) __attribute__((malloc, returns_nonnull));

#endif
