/*
 * See libpgmem/pgmem.h: what gcc and clang call at every access of a program that is compiled with
 * -fsanitize=thread.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <string.h>

/* The names are the compilers', which call them undeclared. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define UNUSED __attribute__((unused))

enum { STEP = 8 }; /* bytes of a reference where a block of memory is accessed */

static bool own_stack(const struct pgmem_thread *t, uint64_t address)
{
	return address - t->stack < t->stack_bytes;
}

static void simulate(struct pgmem_thread *t, uint64_t pc, uint64_t address, uint32_t size,
		     bool write)
{
	if (own_stack(t, address))
		return;
	t->clock += pgmem_machine.reference +
		    sim_access(pgmem_sim, t->cpu, pc, pgmem_moved(address), size, write, t->clock);
}

void pgmem_reference(struct pgmem_thread *t, uint64_t pc, uint64_t address, uint32_t size,
		     bool write)
{
	if (!t->left)
		pgmem_turn(t);
	t->left--;
	simulate(t, pc, address, size, write);
}

void pgmem_touch(struct pgmem_thread *t, uint64_t pc, const volatile void *word)
{
	if (pgmem_machine.silent_locks)
		return;
	if (t->clock - t->began > PGMEM_LEAD)
		pgmem_turn(t);
	simulate(t, pc, (uintptr_t)word, sizeof(int), true);
}

static void access_now(uint64_t pc, const volatile void *p, uint32_t size, bool write)
{
	struct pgmem_thread *t = pgmem_self;

	if (!t || own_stack(t, (uintptr_t)p) || !(t = pgmem_enter()))
		return;
	pgmem_reference(t, pc, (uintptr_t)p, size, write);
	pgmem_leave(t);
}

static inline void access(uint64_t pc, const volatile void *p, uint32_t size, bool write)
{
	if (__builtin_expect(pgmem_on, 0))
		access_now(pc, p, size, write);
}

/* A block of memory, a reference each STEP bytes. */
static void range(uint64_t pc, const volatile void *p, size_t size, bool write)
{
	const volatile char *from = p;

	for (size_t done = 0; pgmem_on && done < size; done += STEP)
		access(pc, from + done, (uint32_t)(size - done < STEP ? size - done : STEP), write);
}

/* ---- plain accesses ---- */

#define HOOK(name, size, write)                                                                    \
	PGMEM_PUBLIC void __tsan_##name(void *p)                                                   \
	{                                                                                          \
		access(PGMEM_PC, p, size, write);                                                  \
	}

#define SIZES(_, prefix)                                                                           \
	_(prefix, 1)                                                                               \
	_(prefix, 2)                                                                               \
	_(prefix, 4)                                                                               \
	_(prefix, 8)                                                                               \
	_(prefix, 16)

#define READ_WRITE(prefix, size)                                                                   \
	HOOK(prefix##read##size, size, false)                                                      \
	HOOK(prefix##write##size, size, true)

SIZES(READ_WRITE, )
SIZES(READ_WRITE, unaligned_)
SIZES(READ_WRITE, volatile_)
SIZES(READ_WRITE, unaligned_volatile_)
HOOK(vptr_read, sizeof(void *), false)

#define RANGE(name, write)                                                                         \
	PGMEM_PUBLIC void __tsan_##name(void *p, size_t size)                                      \
	{                                                                                          \
		range(PGMEM_PC, p, size, write);                                                   \
	}

RANGE(read_range, false)
RANGE(write_range, true)

PGMEM_PUBLIC void __tsan_vptr_update(void **p, void *value)
{
	(void)value;
	access(PGMEM_PC, p, sizeof *p, true);
}

/* ---- what needs nothing done ---- */

#define NOTHING(name, parameters)                                                                  \
	PGMEM_PUBLIC void __tsan_##name parameters                                                 \
	{                                                                                          \
	}

NOTHING(func_entry, (void *pc UNUSED))
NOTHING(func_exit, (void))
NOTHING(ignore_thread_begin, (void))
NOTHING(ignore_thread_end, (void))
NOTHING(acquire, (void *p UNUSED))
NOTHING(release, (void *p UNUSED))

PGMEM_PUBLIC void __tsan_init(void)
{
	pgmem_begin();
}

/* ---- atomic operations: one reference each, a write if it may write ---- */

/*
 * All have the strongest order: who asks for less cannot tell. The operation is done in the turn of
 * its reference. 128 bits are an instruction on x86 alone; elsewhere no compiler calls these.
 */
#define SIGNATURE(type, name, ...) PGMEM_PUBLIC WIDE type __tsan_atomic##name(__VA_ARGS__)

/* Gives what it was, also of a store; it is now what `now` makes of `old` and v. */
#define CHANGE(bits, type, name, now)                                                              \
	SIGNATURE(type, bits##_##name, volatile type *p, type v, int order UNUSED)                 \
	{                                                                                          \
		type old, is;                                                                      \
                                                                                                   \
		access(PGMEM_PC, p, sizeof *p, true);                                              \
		is = *p;                                                                           \
		do                                                                                 \
			old = is;                                                                  \
		while ((is = __sync_val_compare_and_swap(p, old, (type)(now))) != old);            \
		return is;                                                                         \
	}

#define COMPARE(bits, type, name)                                                                  \
	SIGNATURE(int, bits##_compare_exchange_##name, volatile type *p, type *expected, type v,   \
		  int order UNUSED, int fail UNUSED)                                               \
	{                                                                                          \
		type old = *expected;                                                              \
                                                                                                   \
		access(PGMEM_PC, p, sizeof *p, true);                                              \
		*expected = __sync_val_compare_and_swap(p, old, v);                                \
		return *expected == old;                                                           \
	}

#define ATOMIC(bits, type, loaded)                                                                 \
	SIGNATURE(type, bits##_load, const volatile type *p, int order UNUSED)                     \
	{                                                                                          \
		access(PGMEM_PC, p, sizeof *p, false);                                             \
		return loaded;                                                                     \
	}                                                                                          \
	CHANGE(bits, type, store, v)                                                               \
	CHANGE(bits, type, exchange, v)                                                            \
	CHANGE(bits, type, fetch_add, old + v)                                                     \
	CHANGE(bits, type, fetch_sub, old - v)                                                     \
	CHANGE(bits, type, fetch_and, old & v)                                                     \
	CHANGE(bits, type, fetch_or, old | v)                                                      \
	CHANGE(bits, type, fetch_xor, old ^ v)                                                     \
	CHANGE(bits, type, fetch_nand, ~(old & v))                                                 \
	COMPARE(bits, type, strong)                                                                \
	COMPARE(bits, type, weak)                                                                  \
	SIGNATURE(type, bits##_compare_exchange_val, volatile type *p, type old, type v,           \
		  int order UNUSED, int fail UNUSED)                                               \
	{                                                                                          \
		access(PGMEM_PC, p, sizeof *p, true);                                              \
		return __sync_val_compare_and_swap(p, old, v);                                     \
	}

#define WIDE
ATOMIC(8, uint8_t, __atomic_load_n(p, __ATOMIC_SEQ_CST))
ATOMIC(16, uint16_t, __atomic_load_n(p, __ATOMIC_SEQ_CST))
ATOMIC(32, uint32_t, __atomic_load_n(p, __ATOMIC_SEQ_CST))
ATOMIC(64, uint64_t, __atomic_load_n(p, __ATOMIC_SEQ_CST))
#undef WIDE

#if defined __x86_64__
#define WIDE __attribute__((target("cx16")))
__extension__ typedef unsigned __int128 uint128_t;
ATOMIC(128, uint128_t, __sync_val_compare_and_swap((volatile uint128_t *)(uintptr_t)p, 0, 0))
#endif

#undef WIDE
#define WIDE
SIGNATURE(void, _thread_fence, int order UNUSED)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

SIGNATURE(void, _signal_fence, int order UNUSED)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* ---- blocks of memory: the linker's --wrap, and clang's own names ---- */

/* A copy reads and writes by turns, as it is done; it is done when all of it was simulated. */
static void copied(uint64_t pc, const void *to, const void *from, size_t size)
{
	const char *t = to, *f = from;

	for (size_t done = 0; pgmem_on && done < size; done += STEP) {
		uint32_t n = (uint32_t)(size - done < STEP ? size - done : STEP);

		access(pc, f + done, n, false);
		access(pc, t + done, n, true);
	}
}

/* The linker leaves these names alone; the runtime's own calls are wrapped, too, and plain. */
void *__real_memcpy(void *to, const void *from, size_t size);
void *__real_memmove(void *to, const void *from, size_t size);
void *__real_memset(void *to, int value, size_t size);

#define COPY(name, function)                                                                       \
	PGMEM_PUBLIC void *name(void *to, const void *from, size_t size)                           \
	{                                                                                          \
		copied(PGMEM_PC, to, from, size);                                                  \
		return function(to, from, size);                                                   \
	}

#define SET(name)                                                                                  \
	PGMEM_PUBLIC void *name(void *to, int value, size_t size)                                  \
	{                                                                                          \
		range(PGMEM_PC, to, size, true);                                                   \
		return __real_memset(to, value, size);                                             \
	}

COPY(__wrap_memcpy, __real_memcpy)
COPY(__tsan_memcpy, __real_memcpy)
COPY(__wrap_memmove, __real_memmove)
COPY(__tsan_memmove, __real_memmove)
SET(__wrap_memset)
SET(__tsan_memset)
