#include "config.h"

#include "base/xalloc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void (*xalloc_die_hook)(size_t size);

static _Noreturn void die(size_t size)
{
	void (*hook)(size_t) = xalloc_die_hook;

	xalloc_die_hook = NULL; /* a hook that allocates in vain must not come back here */
	if (hook)
		hook(size);
	abort();
}

void *xmalloc(size_t size)
{
	return xrealloc(NULL, size);
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		die(count * size);
	return p;
}

void *xrealloc(void *p, size_t size)
{
	/* beyond this no object can be; said here, the answer does not hang on the allocator */
	void *q = size <= PTRDIFF_MAX ? realloc(p, size ? size : 1) : NULL;

	if (!q)
		die(size);
	return q;
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		die(SIZE_MAX);
	return xrealloc(p, bytes);
}

char *xstrndup(const char *text, size_t len)
{
	char *copy;

	len = strnlen(text, len);
	copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *xstrdup(const char *text)
{
	return xstrndup(text, strlen(text));
}
