/*
 * Calls that allocate remember where in the program they are made; see alloc.c.
 */
#ifndef PIPEGLASS_LIBPGMEM_SITE_H
#define PIPEGLASS_LIBPGMEM_SITE_H

#include <stdint.h>

#include "libpgmem/pgmem.h"

extern __thread uintptr_t pgmem_site; /* 0: not in such a call */

/*
 * Define the function that the linker (--wrap) puts before one. The outermost call counts: new, not
 * the malloc() in an operator new of the program's. One that throws leaves nothing behind: its
 * malloc() has taken the place.
 */
#define SITE(type, name, parameters, arguments)                                                    \
	type __real_##name parameters;                                                             \
	PGMEM_PUBLIC type __wrap_##name parameters;                                                \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		type result;                                                                       \
                                                                                                   \
		if (!pgmem_site)                                                                   \
			pgmem_site = (uintptr_t)__builtin_return_address(0);                       \
		result = __real_##name arguments;                                                  \
		pgmem_site = 0;                                                                    \
		return result;                                                                     \
	}

#endif
