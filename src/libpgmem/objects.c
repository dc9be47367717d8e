/*
 * See libpgmem/pgmem.h: what is in memory, and where in the program it was made.
 *
 * The linker gives what the program's own objects call (--wrap) to a __wrap_ function, which knows
 * the place. Who frees it, they or a library, comes to free() and realloc() here: these end what
 * lies there, and whether that was an object is for the recorder to know.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define PIPEGLASS_RECORD
#include "pipeglass/mem.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the linker's names */

enum { NAMED = 1 << 16 };

/* Those with a name of their own, which end with the memory that they are in. */
static struct named {
	uint64_t address, bytes;
} named[NAMED];
static size_t named_count;

static void create(struct pgmem_thread *t, uint64_t address, uint64_t bytes, uint64_t pc,
		   const char *name)
{
	pgmem_moved_created(address, bytes, pc, name);
	pgmem_emit(&(struct sim_record){.type = SIM_OBJECT,
					.cpu = (uint16_t)t->cpu,
					.text = name ? pgmem_text(name) : 0,
					.pc = pc,
					.address = pgmem_moved(address),
					.other = bytes,
					.time = (int64_t)address});
}

static void end(const struct pgmem_thread *t, uint64_t address, uint64_t bytes)
{
	pgmem_emit(&(struct sim_record){
	    .type = SIM_DELETED, .cpu = (uint16_t)t->cpu, .address = pgmem_moved(address)});
	pgmem_moved_deleted(address, bytes);
}

/* Those that begin in a range; only: of which size, 0: any. O(named). */
static void end_named(const struct pgmem_thread *t, uint64_t from, uint64_t range, uint64_t only)
{
	for (size_t i = named_count; i-- > 0;) {
		const struct named n = named[i];

		if (n.address - from >= range || (only && n.bytes != only))
			continue;
		named[i] = named[--named_count];
		end(t, n.address, n.bytes);
	}
}

PGMEM_PUBLIC void pgmem_object(const volatile void *object, size_t size, const char *name)
{
	struct pgmem_thread *t = object && size ? pgmem_enter() : NULL;
	const struct named n = {(uintptr_t)object, size};

	if (!t)
		return;
	end_named(t, n.address, 1, size); /* it is another name for the same bytes */
	if (named_count == NAMED)
		pgmem_give_up("PGMEM_OBJECT: more than %d names at one time", NAMED);
	named[named_count++] = n;
	create(t, n.address, size, PGMEM_PC, name);
	pgmem_leave(t);
}

PGMEM_PUBLIC void pgmem_object_gone(const volatile void *object)
{
	struct pgmem_thread *t = pgmem_enter();

	if (!t)
		return;
	end_named(t, (uintptr_t)object, 1, 0);
	pgmem_leave(t);
}

/* ---- blocks of the heap ---- */

static void made(const void *block, size_t bytes, uint64_t pc)
{
	struct pgmem_thread *t = block ? pgmem_enter() : NULL;

	if (!t)
		return;
	/* the outermost call counts: new, not the malloc() in an operator new of the program's */
	if (t->made == block)
		end(t, (uintptr_t)block, bytes);
	t->made = block;
	create(t, (uintptr_t)block, bytes, pc, NULL);
	pgmem_leave(t);
}

static void freed(void *block)
{
	struct pgmem_thread *t = block ? pgmem_enter() : NULL;
	size_t bytes;

	if (!t)
		return;
	t->made = NULL;
	bytes = malloc_usable_size(block);
	end_named(t, (uintptr_t)block, bytes, 0);
	end(t, (uintptr_t)block, bytes);
	pgmem_leave(t);
}

/* glibc's own names for them */
void __libc_free(void *);
void *__libc_realloc(void *, size_t);

PGMEM_PUBLIC void free(void *block)
{
	freed(block);
	__libc_free(block);
}

PGMEM_PUBLIC void *realloc(void *block, size_t bytes)
{
	freed(block);
	return __libc_realloc(block, bytes);
}

/* What returns a new object; weak, for programs in C do without a C++ library. */
#define MAKES(name, parameters, arguments, bytes)                                                  \
	__attribute__((weak)) void *__real_##name parameters;                                      \
	PGMEM_PUBLIC void *__wrap_##name parameters                                                \
	{                                                                                          \
		void *block = __real_##name arguments;                                             \
                                                                                                   \
		made(block, block ? (bytes) : 0, PGMEM_PC);                                        \
		return block;                                                                      \
	}

MAKES(malloc, (size_t bytes), (bytes), bytes)
MAKES(calloc, (size_t count, size_t bytes), (count, bytes), count *bytes)
MAKES(realloc, (void *old, size_t bytes), (old, bytes), bytes)
MAKES(reallocarray, (void *old, size_t count, size_t bytes), (old, count, bytes), count *bytes)
MAKES(memalign, (size_t align, size_t bytes), (align, bytes), bytes)
MAKES(aligned_alloc, (size_t align, size_t bytes), (align, bytes), bytes)
MAKES(valloc, (size_t bytes), (bytes), bytes)
MAKES(strdup, (const char *text), (text), strlen(block) + 1)
MAKES(strndup, (const char *text, size_t most), (text, most), strlen(block) + 1)

/* operator new in all its forms: compilers have these names for them where size_t is a long */
MAKES(_Znwm, (size_t bytes), (bytes), bytes)
MAKES(_Znam, (size_t bytes), (bytes), bytes)
MAKES(_ZnwmRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow), bytes)
MAKES(_ZnamRKSt9nothrow_t, (size_t bytes, const void *nothrow), (bytes, nothrow), bytes)
MAKES(_ZnwmSt11align_val_t, (size_t bytes, size_t align), (bytes, align), bytes)
MAKES(_ZnamSt11align_val_t, (size_t bytes, size_t align), (bytes, align), bytes)
MAKES(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *nothrow),
      (bytes, align, nothrow), bytes)
MAKES(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t bytes, size_t align, const void *nothrow),
      (bytes, align, nothrow), bytes)

int __real_posix_memalign(void **out, size_t align, size_t bytes);
PGMEM_PUBLIC int __wrap_posix_memalign(void **out, size_t align, size_t bytes)
{
	const int error = __real_posix_memalign(out, align, bytes);

	made(error ? NULL : *out, bytes, PGMEM_PC);
	return error;
}
