#include "config.h"

#include "libpgmem/heap.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "libpgmem/pgmem.h"

enum {
	ALIGN = 16,
	HEADER = 8,    /* the size of the chunk, before the block */
	CHUNK_MIN = 32,
	REGIONS = 256,
	SMALL = 256,   /* lists of freed chunks, a size each; behind them lists by logarithm */
	TRIED_MAX = 64 /* chunks of a list */
};

/* Free of everything on x86-64 and AArch64, and short to read. */
#define BASE UINT64_C(0x1000000000)
#define REGION (UINT64_C(1) << 32)

struct freed {
	struct freed *next;
};

static struct region {
	uint64_t top; /* chunks end here; 0: not yet begun */
	struct freed *freed[SMALL + 64];
} regions[REGIONS];
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

static size_t *header(const void *block)
{
	return (size_t *)((uintptr_t)block - HEADER);
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

static bool begin(struct region *r)
{
	void *want = (void *)(uintptr_t)(BASE + REGION * (uint64_t)(r - regions));
	void *got = r->top ? want : mmap(want, REGION, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (!r->top && got == want)
		r->top = (uintptr_t)want;
	return got == want;
}

static void *extend(struct region *r, size_t size, size_t align)
{
	const uint64_t end = BASE + REGION * (uint64_t)(r - regions + 1);
	uint64_t block;

	if (!begin(r))
		return NULL;
	block = (r->top + ALIGN + align - 1) & ~(uint64_t)(align - 1);
	if (block + size > end)
		return NULL;
	r->top = block - ALIGN + size;
	*header((void *)(uintptr_t)block) = size;
	return (void *)(uintptr_t)block;
}

void *heap_take(unsigned thread, size_t bytes, size_t align, bool *zero)
{
	struct region *r = &regions[thread % REGIONS];
	size_t size = (bytes + HEADER + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	void *block;

	if (bytes > REGION || align > REGION)
		return NULL;
	size = size < CHUNK_MIN ? CHUNK_MIN : size;
	align = align < ALIGN ? ALIGN : align;
	pgmem_lock(&busy);
	block = reuse(r, size, align);
	*zero = !block;
	if (!block)
		block = extend(r, size, align);
	pgmem_unlock(&busy);
	return block;
}

void heap_give(void *block)
{
	struct freed *f = block, **list = list_of(&regions[((uintptr_t)block - BASE) / REGION], *header(block));

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
