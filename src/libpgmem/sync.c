/*
 * See libpgmem/pgmem.h: where threads meet. What a lock is stands in the program's own object, in members of the C
 * library's that have the same meaning there; who waits for it stands in the schedule.
 *
 * A lock is handed to the one that has waited longest. Each operation is a write to the object's first
 * word; who waits does not access it.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <errno.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>

enum { KIND_MASK = 3 };

/* An operation: entered, and the object's word written. NULL: the C library's is to be called. */
static struct pgmem_thread *begin(const volatile void *object, uint64_t pc)
{
	struct pgmem_thread *t = pgmem_on ? pgmem_enter() : NULL;

	if (t)
		pgmem_touch(t, pc, object);
	return t;
}

static int end(struct pgmem_thread *t, int result)
{
	pgmem_leave(t);
	return result;
}

/* ---- mutexes: __lock, and __owner is the thread's number + 1 ----------------------------------- */

int pgmem_mutex_owner(const volatile void *mutex)
{
	return ((const volatile pthread_mutex_t *)mutex)->__data.__owner - 1;
}

static void own(pthread_mutex_t *m, const struct pgmem_thread *t)
{
	m->__data.__lock = t != NULL;
	m->__data.__owner = t ? (int)t->number + 1 : 0;
}

static bool owns(const pthread_mutex_t *m, const struct pgmem_thread *t)
{
	return m->__data.__owner == (int)t->number + 1;
}

static int lock(struct pgmem_thread *t, pthread_mutex_t *m, uint64_t pc, int64_t deadline)
{
	int kind = m->__data.__kind & KIND_MASK;

	if (!m->__data.__lock) {
		own(m, t);
		return 0;
	}
	if (owns(m, t) && kind == PTHREAD_MUTEX_RECURSIVE) {
		m->__data.__count++;
		return 0;
	}
	if (owns(m, t) && kind == PTHREAD_MUTEX_ERRORCHECK)
		return EDEADLK;
	return pgmem_wait(t, PGMEM_FOR_MUTEX, m, pc, deadline);
}

static int unlock(const struct pgmem_thread *t, pthread_mutex_t *m)
{
	struct pgmem_thread *next;
	int kind = m->__data.__kind & KIND_MASK;

	if (!owns(m, t) && (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK))
		return EPERM;
	if (m->__data.__count) {
		m->__data.__count--;
		return 0;
	}
	next = pgmem_first(PGMEM_FOR_MUTEX, m);
	own(m, next);
	if (next)
		pgmem_wake(t, next);
	return 0;
}

PGMEM_PUBLIC int pthread_mutex_lock(pthread_mutex_t *m)
{
	struct pgmem_thread *t = begin(m, PGMEM_PC);

	return t ? end(t, lock(t, m, PGMEM_PC, PGMEM_NEVER)) : PGMEM_REAL(pthread_mutex_lock)(m);
}

PGMEM_PUBLIC int pthread_mutex_trylock(pthread_mutex_t *m)
{
	struct pgmem_thread *t = begin(m, PGMEM_PC);

	if (!t)
		return PGMEM_REAL(pthread_mutex_trylock)(m);
	if (m->__data.__lock && !(owns(m, t) && (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE))
		return end(t, EBUSY);
	return end(t, lock(t, m, PGMEM_PC, PGMEM_NEVER));
}

PGMEM_PUBLIC int pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct pgmem_thread *t = begin(m, PGMEM_PC);

	return t ? end(t, unlock(t, m)) : PGMEM_REAL(pthread_mutex_unlock)(m);
}
