/*
 * See libpgmem/pgmem.h: where threads meet. What a lock is stands in the program's own object, in
 * members of the C library's that have the same meaning there; who waits for it stands in the
 * schedule.
 *
 * A lock is handed to the one that has waited longest. Each operation is a write to the object's
 * first word; who waits does not access it.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <threads.h>

enum { KIND_MASK = 3 };

/* An operation: entered, and the object's word written. NULL: the C library's is to be called. */
static struct pgmem_thread *begin(const volatile void *object, uint64_t pc)
{
	struct pgmem_thread *t = pgmem_enter();

	if (t)
		pgmem_touch(t, pc, object);
	return t;
}

static int end(struct pgmem_thread *t, int result)
{
	pgmem_leave(t);
	return result;
}

/* Of thread t that calls it from pc; the first argument is the object. */
#define FIRST(first, ...) first
#define SYNC(name, parameters, arguments, result)                                                  \
	PGMEM_PUBLIC int name parameters                                                           \
	{                                                                                          \
		const uint64_t pc = PGMEM_PC;                                                      \
		struct pgmem_thread *t = begin(FIRST arguments, pc);                               \
                                                                                                   \
		return t ? end(t, result) : PGMEM_REAL(name) arguments;                            \
	}

static int acquire(struct pgmem_thread *t, const struct pgmem_kind *kind, void *object, uint64_t pc,
		   int64_t deadline)
{
	if (kind->take(object, t))
		return 0;
	if (deadline != PGMEM_AT_ONCE)
		return pgmem_wait(t, kind, object, pc, deadline);
	pgmem_turn(t); /* it may be tried until others give it back */
	return EBUSY;
}

/* The four ways to acquire an object; as: what makes a result of an error. */
#define ACQUIRE(prefix, suffix, type, kind, as)                                                    \
	SYNC(prefix##suffix, (type * o), (o), as(acquire(t, &kind, o, pc, PGMEM_NEVER)))           \
	SYNC(prefix##try##suffix, (type * o), (o), as(acquire(t, &kind, o, pc, PGMEM_AT_ONCE)))    \
	SYNC(prefix##timed##suffix, (type * o, const struct timespec *at), (o, at),                \
	     as(acquire(t, &kind, o, pc, pgmem_deadline(CLOCK_REALTIME, at))))                     \
	SYNC(prefix##clock##suffix, (type * o, clockid_t clock, const struct timespec *at),        \
	     (o, clock, at), as(acquire(t, &kind, o, pc, pgmem_deadline(clock, at))))

/* ---- mutexes: __lock, and __owner is the thread's number + 1 ---- */

static int mutex_owner(const void *object)
{
	return ((const pthread_mutex_t *)object)->__data.__owner - 1;
}

static bool take_mutex(void *object, const struct pgmem_thread *t)
{
	pthread_mutex_t *m = object;
	const bool recursive = (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE;

	if (m->__data.__lock && recursive && mutex_owner(m) == (int)t->number) {
		m->__data.__count++;
		return true;
	}
	if (m->__data.__lock)
		return false;
	m->__data.__lock = 1;
	m->__data.__owner = (int)t->number + 1;
	return true;
}

static int unlock(const struct pgmem_thread *t, pthread_mutex_t *m)
{
	if (m->__data.__count) {
		m->__data.__count--;
		return 0;
	}
	m->__data.__lock = m->__data.__owner = 0;
	pgmem_offer(t, m, 1);
	return 0;
}

static const struct pgmem_kind mutex = {"mutex", take_mutex, mutex_owner};

ACQUIRE(pthread_mutex_, lock, pthread_mutex_t, mutex, )
SYNC(pthread_mutex_unlock, (pthread_mutex_t * m), (m), unlock(t, m))

/* ---- conditions: who waits is all that there is ---- */

static const struct pgmem_kind condition = {.name = "condition"};

static int wait_for(struct pgmem_thread *t, pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc,
		    int64_t deadline)
{
	const unsigned depth = m->__data.__count;
	int error;

	m->__data.__count = 0;
	unlock(t, m);
	error = pgmem_wait(t, &condition, c, pc, deadline);
	acquire(t, &mutex, m, pc, PGMEM_NEVER);
	m->__data.__count = depth;
	return error;
}

static int wake_up(const struct pgmem_thread *t, pthread_cond_t *c, unsigned most)
{
	pgmem_offer(t, c, most);
	return 0;
}

/* As pthread_condattr_setclock() said. */
static clockid_t clock_of(const pthread_cond_t *c)
{
	return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

SYNC(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m),
     wait_for(t, c, m, pc, PGMEM_NEVER))
SYNC(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *at),
     (c, m, at), wait_for(t, c, m, pc, pgmem_deadline(clock_of(c), at)))
SYNC(pthread_cond_clockwait,
     (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, const struct timespec *at),
     (c, m, clock, at), wait_for(t, c, m, pc, pgmem_deadline(clock, at)))
SYNC(pthread_cond_signal, (pthread_cond_t * c), (c), wake_up(t, c, 1))
SYNC(pthread_cond_broadcast, (pthread_cond_t * c), (c), wake_up(t, c, PGMEM_THREADS))

/* ---- read-write locks: __readers, and __cur_writer is the thread's number + 1 ---- */

static int writer(const void *object)
{
	return ((const pthread_rwlock_t *)object)->__data.__cur_writer - 1;
}

/* If writers go first, who comes now waits behind those who wait. */
static bool take_shared(void *object, const struct pgmem_thread *t)
{
	pthread_rwlock_t *l = object;
	const struct pgmem_thread *first = pgmem_first(l, 0);
	const bool queues = l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;

	if (l->__data.__cur_writer || (queues && first && first != t))
		return false;
	l->__data.__readers++;
	return true;
}

static bool take_alone(void *object, const struct pgmem_thread *t)
{
	pthread_rwlock_t *l = object;

	if (l->__data.__cur_writer || l->__data.__readers)
		return false;
	l->__data.__cur_writer = (int)t->number + 1;
	return true;
}

static int release(const struct pgmem_thread *t, pthread_rwlock_t *l)
{
	if (l->__data.__cur_writer)
		l->__data.__cur_writer = 0;
	else if (l->__data.__readers)
		l->__data.__readers--;
	pgmem_offer(t, l, PGMEM_THREADS);
	return 0;
}

static const struct pgmem_kind read_lock = {"read lock", take_shared, writer};
static const struct pgmem_kind write_lock = {"write lock", take_alone, writer};

ACQUIRE(pthread_rwlock_, rdlock, pthread_rwlock_t, read_lock, )
ACQUIRE(pthread_rwlock_, wrlock, pthread_rwlock_t, write_lock, )
SYNC(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l), release(t, l))

/* ---- barriers: how many have come, a word, how many meet, as in the C library's ---- */

static const struct pgmem_kind barrier = {.name = "barrier"};

static int meet(struct pgmem_thread *t, pthread_barrier_t *b, uint64_t pc)
{
	unsigned *come = (unsigned *)b, meeting = come[2];

	if (++*come < meeting)
		return pgmem_wait(t, &barrier, b, pc, PGMEM_NEVER);
	*come = 0;
	pgmem_offer(t, b, PGMEM_THREADS);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

SYNC(pthread_barrier_wait, (pthread_barrier_t * b), (b), meet(t, b, pc))

/* ---- semaphores: the value is the first word, as in the C library's; errors are in errno ---- */

static bool take_one(void *object, const struct pgmem_thread *t)
{
	unsigned *value = object;

	(void)t;
	if (!*value)
		return false;
	--*value;
	return true;
}

static int post(const struct pgmem_thread *t, sem_t *s)
{
	++*(unsigned *)s;
	pgmem_offer(t, s, 1);
	return 0;
}

static int in_errno(int error)
{
	if (error)
		pgmem_self->error = error == EBUSY ? EAGAIN : error;
	return error ? -1 : 0;
}

static const struct pgmem_kind semaphore = {.name = "semaphore", .take = take_one};

ACQUIRE(sem_, wait, sem_t, semaphore, in_errno)
SYNC(sem_post, (sem_t * s), (s), post(t, s))

/* ---- spin locks: who waits reads the word, a turn each time ---- */

/* As the C library has them. */
#if defined __x86_64__
enum { HELD = 0, FREE = 1 };
#else
enum { HELD = 1, FREE = 0 };
#endif

/* The word was written when t came in. */
static int spin(struct pgmem_thread *t, pthread_spinlock_t *l, uint64_t pc)
{
	while (*l != FREE) {
		pgmem_reference(t, pc, (uintptr_t)l, sizeof *l, false);
		if (*l == FREE)
			pgmem_touch(t, pc, l);
	}
	*l = HELD;
	return 0;
}

static int try_spin(struct pgmem_thread *t, pthread_spinlock_t *l)
{
	if (*l == FREE)
		return spin(t, l, 0);
	pgmem_turn(t);
	return EBUSY;
}

SYNC(pthread_spin_lock, (pthread_spinlock_t * l), (l), spin(t, l, pc))
SYNC(pthread_spin_trylock, (pthread_spinlock_t * l), (l), try_spin(t, l))
SYNC(pthread_spin_unlock, (pthread_spinlock_t * l), (l), (*l = FREE, 0))

/* ---- C11: the same objects by other names ---- */

static int c11(int error)
{
	return !error               ? thrd_success
	       : error == EBUSY     ? thrd_busy
	       : error == ETIMEDOUT ? thrd_timedout
	       : error == EAGAIN    ? thrd_nomem
				    : thrd_error;
}

SYNC(mtx_lock, (mtx_t * m), (m), c11(acquire(t, &mutex, m, pc, PGMEM_NEVER)))
SYNC(mtx_trylock, (mtx_t * m), (m), c11(acquire(t, &mutex, m, pc, PGMEM_AT_ONCE)))
SYNC(mtx_timedlock, (mtx_t * m, const struct timespec *at), (m, at),
     c11(acquire(t, &mutex, m, pc, pgmem_deadline(CLOCK_REALTIME, at))))
SYNC(mtx_unlock, (mtx_t * m), (m), unlock(t, (pthread_mutex_t *)m))
SYNC(cnd_wait, (cnd_t * c, mtx_t *m), (c, m),
     c11(wait_for(t, (pthread_cond_t *)c, (pthread_mutex_t *)m, pc, PGMEM_NEVER)))
SYNC(cnd_timedwait, (cnd_t * c, mtx_t *m, const struct timespec *at), (c, m, at),
     c11(wait_for(t, (pthread_cond_t *)c, (pthread_mutex_t *)m, pc,
		  pgmem_deadline(CLOCK_REALTIME, at))))
SYNC(cnd_signal, (cnd_t * c), (c), wake_up(t, (pthread_cond_t *)c, 1))
SYNC(cnd_broadcast, (cnd_t * c), (c), wake_up(t, (pthread_cond_t *)c, PGMEM_THREADS))

PGMEM_PUBLIC int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	return nanosleep(time, left);
}

PGMEM_PUBLIC void thrd_yield(void)
{
	sched_yield();
}

/* What returns an int is called as if it returned a pointer, whose lower part it is then. */
PGMEM_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t f, void *argument)
{
	return c11(pthread_create(thread, NULL, (void *(*)(void *))(void (*)(void))f, argument));
}

PGMEM_PUBLIC int thrd_join(thrd_t thread, int *result)
{
	void *value;
	const int error = pthread_join(thread, &value);

	if (!error && result)
		*result = (int)(intptr_t)value;
	return c11(error);
}
