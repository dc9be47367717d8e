/*
 * For what threads touch that have not the turn: a few steps, in which nobody waits.
 */
#ifndef PIPEGLASS_LIBPGMEM_LOCK_H
#define PIPEGLASS_LIBPGMEM_LOCK_H

#include <stdatomic.h>
#include <sys/syscall.h>

#include "libpgmem/pgmem.h"

static inline void lock_take(atomic_flag *lock)
{
	while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
		pgmem_syscall(SYS_sched_yield);
}

static inline void lock_give(atomic_flag *lock)
{
	atomic_flag_clear_explicit(lock, memory_order_release);
}

#endif
