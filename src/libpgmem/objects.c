#include "config.h"

#include <stdlib.h>

#include "libpgmem/pgmem.h"
#define PIPEGLASS_RECORD
#include "pipeglass/mem.h"

/* Objects that have a name of their own (mem.h): they end with the memory that they are in. */

void *__libc_realloc(void *, size_t);

static struct named {
	uint64_t address, bytes;
} *named;
static size_t count, room;
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* One that begins in a range; bytes: of which size, 0: any. It is none any more. 0: there is none. */
static uint64_t take(uint64_t from, uint64_t to, uint64_t bytes)
{
	uint64_t address = 0;

	pgmem_lock(&busy);
	for (size_t i = count; i-- > 0 && !address;) {
		if (named[i].address < from || named[i].address >= to || (bytes && named[i].bytes != bytes))
			continue;
		address = named[i].address;
		named[i] = named[--count];
	}
	pgmem_unlock(&busy);
	return address;
}

static bool note(struct named n)
{
	struct named *larger = named;

	pgmem_lock(&busy);
	if (count == room)
		larger = __libc_realloc(named, (room * 2 + 64) * sizeof(*named));
	if (larger) {
		room = count == room ? room * 2 + 64 : room;
		named = larger;
		named[count++] = n;
	}
	pgmem_unlock(&busy);
	return larger;
}

PGMEM_PUBLIC void pgmem_object(const volatile void *object, size_t size, const char *text)
{
	const struct named n = {(uintptr_t)object, size};
	uint64_t pc = PGMEM_PC;

	if (!object || !size || !pgmem_recording())
		return;
	/* another name for the same bytes */
	if (take(n.address, n.address + 1, size))
		pgmem_deleted(n.address);
	if (note(n))
		pgmem_created(n.address, n.bytes, pc, text);
}

static void end_named(uint64_t from, uint64_t to)
{
	uint64_t address;

	while ((address = take(from, to, 0)))
		pgmem_deleted(address);
}

PGMEM_PUBLIC void pgmem_object_gone(const volatile void *object)
{
	if (pgmem_recording())
		end_named((uintptr_t)object, (uintptr_t)object + 1);
}

void pgmem_freed(const void *block, size_t bytes)
{
	end_named((uintptr_t)block, (uintptr_t)block + bytes);
	pgmem_deleted((uintptr_t)block);
}
