#include "config.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "libpgmem/heap.h"
#include "libpgmem/pgmem.h"
#include "libpgmem/site.h"

/*
 * What the program's own objects allocate has a place in the source, where they call: the linker
 * gives those calls to a __wrap_ function, which notes the place and goes on. Whatever then asks for
 * memory, malloc() here or the C library's strdup(), or operator new of whoever has defined it, comes to
 * the functions that the whole process allocates with, below. With a place it is an object from the
 * heap of recorded programs; without one it is the C library's.
 */

enum { PAGE_BYTES = 4096 };

__thread uintptr_t pgmem_site;

/* glibc's own names for them */
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
/* the program's own are accesses */
void *__real_memcpy(void *, const void *, size_t);
void *__real_memset(void *, int, size_t);

/* ---- objects ---- */

/* NULL: it is no object, or there is no room for one: the C library decides. */
static void *new_object(size_t bytes, size_t align, bool clear)
{
	uintptr_t pc = pgmem_site;
	bool zero;
	void *p;

	pgmem_site = 0;
	if (!pc || !pgmem_recording())
		return NULL;
	p = heap_take(pgmem_thread(), bytes, align, &zero);
	if (!p)
		return NULL;
	if (clear && !zero)
		__real_memset(p, 0, bytes);
	pgmem_created((uintptr_t)p, bytes, pc, NULL);
	return p;
}

static void *resize_object(void *old, size_t bytes)
{
	uintptr_t pc = pgmem_site;
	size_t had = heap_bytes(old);
	void *p;

	if (pc && bytes <= had && pgmem_recording()) {
		pgmem_site = 0;
		pgmem_freed(old, had);
		pgmem_created((uintptr_t)old, bytes, pc, NULL);
		return old;
	}
	p = malloc(bytes);
	if (p) {
		__real_memcpy(p, old, had < bytes ? had : bytes);
		free(old);
	}
	return p;
}

/* ---- what the process allocates with ---- */

PGMEM_PUBLIC void *malloc(size_t bytes)
{
	void *p = new_object(bytes, 1, false);

	return p ? p : __libc_malloc(bytes);
}

PGMEM_PUBLIC void *calloc(size_t count, size_t bytes)
{
	size_t all;
	void *p = __builtin_mul_overflow(count, bytes, &all) ? NULL : new_object(all, 1, true);

	return p ? p : __libc_calloc(count, bytes);
}

PGMEM_PUBLIC void free(void *p)
{
	if (!heap_has(p)) {
		__libc_free(p);
		return;
	}
	if (pgmem_recording())
		pgmem_freed(p, heap_bytes(p));
	heap_give(p);
}

PGMEM_PUBLIC void *realloc(void *old, size_t bytes)
{
	if (!old)
		return malloc(bytes);
	if (!heap_has(old))
		return __libc_realloc(old, bytes);
	if (bytes)
		return resize_object(old, bytes);
	free(old);
	return NULL;
}

PGMEM_PUBLIC void *memalign(size_t align, size_t bytes)
{
	void *p = align & (align - 1) ? NULL : new_object(bytes, align, false);

	return p ? p : __libc_memalign(align, bytes);
}

PGMEM_PUBLIC void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

PGMEM_PUBLIC void *valloc(size_t bytes)
{
	return memalign(PAGE_BYTES, bytes);
}

PGMEM_PUBLIC int posix_memalign(void **out, size_t align, size_t bytes)
{
	int saved = errno;
	void *p;

	if (!align || align % sizeof(void *) || align & (align - 1))
		return EINVAL;
	p = memalign(align, bytes);
	errno = saved;
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

/* ---- what the program's own objects call ---- */

SITE(void *, malloc, (size_t bytes), (bytes))
SITE(void *, calloc, (size_t count, size_t bytes), (count, bytes))
SITE(void *, realloc, (void *old, size_t bytes), (old, bytes))
SITE(void *, reallocarray, (void *old, size_t count, size_t bytes), (old, count, bytes))
SITE(void *, memalign, (size_t align, size_t bytes), (align, bytes))
SITE(void *, aligned_alloc, (size_t align, size_t bytes), (align, bytes))
SITE(void *, valloc, (size_t bytes), (bytes))
SITE(int, posix_memalign, (void **out, size_t align, size_t bytes), (out, align, bytes))
SITE(char *, strdup, (const char *text), (text))
SITE(char *, strndup, (const char *text, size_t bytes), (text, bytes))

size_t __real_malloc_usable_size(void *p);
size_t __wrap_malloc_usable_size(void *p);
PGMEM_PUBLIC size_t __wrap_malloc_usable_size(void *p)
{
	return heap_has(p) ? heap_bytes(p) : __real_malloc_usable_size(p);
}
