#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "libpgmem/pgmem.h"
#define PIPEGLASS_RECORD
#include "pipeglass/mem.h"

void *__libc_realloc(void *, size_t);

struct named {
	uint64_t address, bytes;
};

/* By address, those of one address in order of naming. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static struct named *named;
static size_t count, room;

/* The first one that does not begin before the address. */
static size_t first_from(uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (named[mid].address < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The last named of those that begin in a range; 0: there is none. */
static uint64_t take_last(uint64_t from, uint64_t to)
{
	uint64_t address = 0;
	size_t end;

	pgmem_lock(&busy);
	end = first_from(to);
	if (end && named[end - 1].address >= from) {
		address = named[end - 1].address;
		count--;
		memmove(named + end - 1, named + end, (count - (end - 1)) * sizeof(*named));
	}
	pgmem_unlock(&busy);
	return address;
}

static void end_named(uint64_t from, uint64_t to)
{
	uint64_t address;

	while ((address = take_last(from, to)))
		pgmem_deleted(address);
}

static bool insert(size_t at, struct named n)
{
	if (count == room) {
		size_t more = room ? room * 2 : 64;
		struct named *larger = __libc_realloc(named, more * sizeof(*named));

		if (!larger)
			return false;
		named = larger;
		room = more;
	}
	memmove(named + at + 1, named + at, (count - at) * sizeof(*named));
	named[at] = n;
	count++;
	return true;
}

/* *again: these bytes had a name, which they have no more. */
static bool note(struct named n, bool *again)
{
	size_t end;
	bool good = true;

	pgmem_lock(&busy);
	end = first_from(n.address + 1);
	*again = end && named[end - 1].address == n.address && named[end - 1].bytes == n.bytes;
	if (!*again)
		good = insert(end, n);
	pgmem_unlock(&busy);
	return good;
}

PGMEM_PUBLIC void pgmem_object(const volatile void *object, size_t size, const char *text)
{
	const struct named n = {(uintptr_t)object, size};
	uint64_t pc = PGMEM_PC;
	bool again;

	if (!object || !size || !pgmem_recording() || !note(n, &again))
		return;
	if (again)
		pgmem_deleted(n.address);
	pgmem_created(n.address, n.bytes, pc, text);
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
