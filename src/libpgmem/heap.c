#include "config.h"

#include "libpgmem/heap.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "libpgmem/pgmem.h"

enum {
	ALIGN = 16,
	HEADER = 8,         /* the size of the chunk, before the block */
	CHUNK_MIN = 32,
	PAGE = 4096,
	LARGE_MIN = 128 << 10, /* begins on a page, and goes back to the system */
	STEP = 1 << 20,     /* by which a region grows */
	REGIONS = 256,
	SMALL = 256,        /* lists of freed chunks, a size each; behind them lists by logarithm */
	TRIED_MAX = 64      /* chunks of a list */
};

/* Free of everything on x86-64 and AArch64, and short to read. */
#define BASE UINT64_C(0x1000000000)
#define REGION (UINT64_C(1) << 32)

struct freed {
	struct freed *next;
};

struct region {
	uint64_t top, mapped; /* 0: not yet begun; addresses of chunks, 8 bytes before their headers */
	struct freed *freed[SMALL + 64];
};

static struct region regions[REGIONS];
static atomic_flag busy = ATOMIC_FLAG_INIT;

void pgmem_lock(atomic_flag *lock)
{
	while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
		pgmem_syscall(SYS_sched_yield);
}

void pgmem_unlock(atomic_flag *lock)
{
	atomic_flag_clear_explicit(lock, memory_order_release);
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static size_t *header(const void *block)
{
	return (size_t *)((uintptr_t)block - HEADER);
}

static size_t chunk_size(size_t bytes)
{
	uint64_t size = round_up((uint64_t)bytes + HEADER, ALIGN);

	return size < CHUNK_MIN ? CHUNK_MIN : size;
}

static struct region *region_of(const void *block)
{
	return &regions[((uintptr_t)block - BASE) / REGION];
}

static struct freed **list_of(struct region *r, size_t size)
{
	return &r->freed[size / ALIGN < SMALL ? size / ALIGN : SMALL + 63 - (size_t)__builtin_clzll(size)];
}

static void *reuse(struct region *r, size_t size, size_t align)
{
	struct freed **at = list_of(r, size);

	for (int tried = 0; *at && tried < TRIED_MAX; tried++, at = &(*at)->next) {
		struct freed *f = *at;

		if (*header(f) == size && !((uintptr_t)f & (align - 1))) {
			*at = f->next;
			return f;
		}
	}
	return NULL;
}

static bool map_to(struct region *r, uint64_t end)
{
	uint64_t to = round_up(end, STEP), limit = BASE + REGION * (uint64_t)(r - regions + 1);
	void *want = (void *)(uintptr_t)r->mapped, *got;

	if (to <= r->mapped)
		return true;
	if (to > limit)
		return false;
	got = mmap(want, to - r->mapped, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (got == MAP_FAILED)
		return false;
	if (got != want) { /* an older kernel, to which that is only a wish */
		munmap(got, to - r->mapped);
		return false;
	}
	r->mapped = to;
	return true;
}

static void *extend(struct region *r, size_t size, size_t align)
{
	uint64_t begin, block;

	if (!r->mapped)
		r->top = r->mapped = BASE + REGION * (uint64_t)(r - regions);
	begin = size >= LARGE_MIN ? round_up(r->top, PAGE) : r->top;
	block = round_up(begin + ALIGN, align);
	if (block < begin || !map_to(r, block - ALIGN + size + ALIGN))
		return NULL;
	r->top = block - ALIGN + size;
	*header((void *)(uintptr_t)block) = size;
	return (void *)(uintptr_t)block;
}

void *heap_take(unsigned thread, size_t bytes, size_t align, bool *zero)
{
	struct region *r = &regions[thread % REGIONS];
	size_t size = chunk_size(bytes);
	void *block;

	if (bytes > REGION || align > REGION)
		return NULL;
	if (align < ALIGN)
		align = ALIGN;
	pgmem_lock(&busy);
	block = reuse(r, size, align);
	*zero = !block;
	if (!block)
		block = extend(r, size, align);
	pgmem_unlock(&busy);
	return block;
}

bool heap_resize(void *block, size_t bytes)
{
	struct region *r = region_of(block);
	uint64_t chunk = (uintptr_t)block - ALIGN;
	size_t has = *header(block), size = chunk_size(bytes);
	bool fits = size <= has && has - size <= has / 2;

	if (bytes > REGION)
		return false;
	pgmem_lock(&busy);
	if (!fits && chunk + has == r->top && size > has && map_to(r, chunk + size + ALIGN)) {
		*header(block) = size;
		r->top = chunk + size;
		fits = true;
	}
	pgmem_unlock(&busy);
	return fits;
}

void heap_give(void *block)
{
	struct region *r = region_of(block);
	size_t size = *header(block);
	struct freed *f = block, **list = list_of(r, size);

	if (size >= LARGE_MIN) {
		uint64_t from = round_up((uintptr_t)block, PAGE);
		uint64_t to = ((uintptr_t)block - ALIGN + size) & ~(uint64_t)(PAGE - 1);

		if (from < to)
			madvise((void *)(uintptr_t)from, to - from, MADV_DONTNEED);
	}
	pgmem_lock(&busy);
	f->next = *list;
	*list = f;
	pgmem_unlock(&busy);
}

bool heap_has(const void *block)
{
	return (uintptr_t)block - BASE < REGION * REGIONS;
}

size_t heap_bytes(const void *block)
{
	return *header(block) - HEADER;
}
