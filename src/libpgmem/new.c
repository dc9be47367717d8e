#include "config.h"

#include <stddef.h>

#include "libpgmem/site.h"

/*
 * operator new in all its forms, by the names that C++ compilers have for them where size_t is a long;
 * apart, so that programs in C do without a C++ library. operator delete comes to free().
 */

SITE(void *, _Znwm, (size_t bytes), (bytes))
SITE(void *, _Znam, (size_t bytes), (bytes))
SITE(void *, _ZnwmRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow))
SITE(void *, _ZnamRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow))
SITE(void *, _ZnwmSt11align_val_t, (size_t bytes, size_t align), (bytes, align))
SITE(void *, _ZnamSt11align_val_t, (size_t bytes, size_t align), (bytes, align))
SITE(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *nothrow), (bytes, align, nothrow))
SITE(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *nothrow), (bytes, align, nothrow))
