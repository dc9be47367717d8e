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
#include <stdlib.h>
#include <string.h>
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

/* ---- mutexes: __lock, and __owner is the thread's number + 1 ---- */

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

/* A trylock that fails lets others have a turn: it may be tried until they unlock. */
static int try_lock(struct pgmem_thread *t, pthread_mutex_t *m)
{
	if (m->__data.__lock &&
	    !(owns(m, t) && (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_RECURSIVE)) {
		pgmem_turn(t);
		return EBUSY;
	}
	return lock(t, m, 0, PGMEM_NEVER);
}

SYNC(pthread_mutex_lock, (pthread_mutex_t * m), (m), lock(t, m, pc, PGMEM_NEVER))
SYNC(pthread_mutex_trylock, (pthread_mutex_t * m), (m), try_lock(t, m))
SYNC(pthread_mutex_timedlock, (pthread_mutex_t * m, const struct timespec *at), (m, at),
     lock(t, m, pc, pgmem_deadline(CLOCK_REALTIME, at)))
SYNC(pthread_mutex_clocklock, (pthread_mutex_t * m, clockid_t clock, const struct timespec *at),
     (m, clock, at), lock(t, m, pc, pgmem_deadline(clock, at)))
SYNC(pthread_mutex_unlock, (pthread_mutex_t * m), (m), unlock(t, m))

/* ---- conditions: who waits is all that there is ---- */

static int wait_for(struct pgmem_thread *t, pthread_cond_t *c, pthread_mutex_t *m, uint64_t pc,
		    int64_t deadline)
{
	unsigned depth = m->__data.__count;
	int error;

	m->__data.__count = 0;
	error = unlock(t, m);
	if (!error) {
		error = pgmem_wait(t, PGMEM_FOR_CONDITION, c, pc, deadline);
		lock(t, m, pc, PGMEM_NEVER);
	}
	m->__data.__count = depth;
	return error;
}

static int wake_up(const struct pgmem_thread *t, pthread_cond_t *c, unsigned most)
{
	struct pgmem_thread *w;

	while (most-- && (w = pgmem_first(PGMEM_FOR_CONDITION, c)))
		pgmem_wake(t, w);
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

static int lock_shared(struct pgmem_thread *t, pthread_rwlock_t *l, uint64_t pc, int64_t deadline)
{
	bool writers_first = l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;

	if (l->__data.__cur_writer == (int)t->number + 1)
		return EDEADLK;
	if (l->__data.__cur_writer || (writers_first && pgmem_first(PGMEM_FOR_WRITE_LOCK, l)))
		return deadline ? pgmem_wait(t, PGMEM_FOR_READ_LOCK, l, pc, deadline) : EBUSY;
	l->__data.__readers++;
	return 0;
}

static int lock_alone(struct pgmem_thread *t, pthread_rwlock_t *l, uint64_t pc, int64_t deadline)
{
	if (l->__data.__cur_writer == (int)t->number + 1 && deadline)
		return EDEADLK;
	if (l->__data.__cur_writer || l->__data.__readers)
		return deadline ? pgmem_wait(t, PGMEM_FOR_WRITE_LOCK, l, pc, deadline) : EBUSY;
	l->__data.__cur_writer = (int)t->number + 1;
	return 0;
}

/* The longest waiting writer, or else all readers, have it next. */
static int release(const struct pgmem_thread *t, pthread_rwlock_t *l)
{
	struct pgmem_thread *w;

	if (l->__data.__cur_writer)
		l->__data.__cur_writer = 0;
	else if (l->__data.__readers)
		l->__data.__readers--;
	if (l->__data.__readers)
		return 0;
	w = pgmem_first(PGMEM_FOR_WRITE_LOCK, l);
	if (w) {
		l->__data.__cur_writer = (int)w->number + 1;
		pgmem_wake(t, w);
		return 0;
	}
	for (; (w = pgmem_first(PGMEM_FOR_READ_LOCK, l)); l->__data.__readers++)
		pgmem_wake(t, w);
	return 0;
}

static int tried(struct pgmem_thread *t, int error)
{
	if (error)
		pgmem_turn(t);
	return error;
}

#define RWLOCK(kind, take)                                                                         \
	SYNC(pthread_rwlock_##kind##lock, (pthread_rwlock_t * l), (l),                             \
	     take(t, l, pc, PGMEM_NEVER))                                                          \
	SYNC(pthread_rwlock_try##kind##lock, (pthread_rwlock_t * l), (l),                          \
	     tried(t, take(t, l, pc, 0)))                                                          \
	SYNC(pthread_rwlock_timed##kind##lock, (pthread_rwlock_t * l, const struct timespec *at),  \
	     (l, at), take(t, l, pc, pgmem_deadline(CLOCK_REALTIME, at)))                          \
	SYNC(pthread_rwlock_clock##kind##lock,                                                     \
	     (pthread_rwlock_t * l, clockid_t clock, const struct timespec *at), (l, clock, at),   \
	     take(t, l, pc, pgmem_deadline(clock, at)))

RWLOCK(rd, lock_shared)
RWLOCK(wr, lock_alone)

SYNC(pthread_rwlock_unlock, (pthread_rwlock_t * l), (l), release(t, l))

/* ---- barriers: how many meet, and how many wait, are the first words ---- */

static int meet(struct pgmem_thread *t, pthread_barrier_t *b, uint64_t pc)
{
	unsigned *count = (unsigned *)b;
	struct pgmem_thread *w;

	if (++count[1] < count[0])
		return pgmem_wait(t, PGMEM_FOR_BARRIER, b, pc, PGMEM_NEVER);
	count[1] = 0;
	while ((w = pgmem_first(PGMEM_FOR_BARRIER, b)))
		pgmem_wake(t, w);
	return PTHREAD_BARRIER_SERIAL_THREAD;
}

PGMEM_PUBLIC int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr,
				      unsigned count)
{
	if (!pgmem_on || !count)
		return PGMEM_REAL(pthread_barrier_init)(b, attr, count);
	memcpy(b, (const unsigned[]){count, 0}, 2 * sizeof count);
	return 0;
}

PGMEM_PUBLIC int pthread_barrier_destroy(pthread_barrier_t *b)
{
	return pgmem_on ? 0 : PGMEM_REAL(pthread_barrier_destroy)(b);
}

SYNC(pthread_barrier_wait, (pthread_barrier_t * b), (b), meet(t, b, pc))

/* ---- semaphores: the value is the first word, as in the C library's ---- */

static int take_one(struct pgmem_thread *t, sem_t *s, uint64_t pc, int64_t deadline)
{
	if (*(unsigned *)s) {
		--*(unsigned *)s;
		return 0;
	}
	return pgmem_wait(t, PGMEM_FOR_SEMAPHORE, s, pc, deadline);
}

static int try_one(struct pgmem_thread *t, sem_t *s)
{
	return tried(t, *(unsigned *)s ? take_one(t, s, 0, PGMEM_NEVER) : EAGAIN);
}

static int post(const struct pgmem_thread *t, sem_t *s)
{
	struct pgmem_thread *w = pgmem_first(PGMEM_FOR_SEMAPHORE, s);

	if (w)
		pgmem_wake(t, w);
	else
		++*(unsigned *)s;
	return 0;
}

/* Errors of semaphores are in errno. */
static int say(int error)
{
	if (error)
		errno = error;
	return error ? -1 : 0;
}

SYNC(sem_wait, (sem_t * s), (s), say(take_one(t, s, pc, PGMEM_NEVER)))
SYNC(sem_trywait, (sem_t * s), (s), say(try_one(t, s)))
SYNC(sem_timedwait, (sem_t * s, const struct timespec *at), (s, at),
     say(take_one(t, s, pc, pgmem_deadline(CLOCK_REALTIME, at))))
SYNC(sem_clockwait, (sem_t * s, clockid_t clock, const struct timespec *at), (s, clock, at),
     say(take_one(t, s, pc, pgmem_deadline(clock, at))))
SYNC(sem_post, (sem_t * s), (s), post(t, s))

/* ---- spin locks: who waits reads the word, a turn each time ---- */

/* The word was written when t came in. */
static int spin(struct pgmem_thread *t, pthread_spinlock_t *l, uint64_t pc, bool once)
{
	while (*l) {
		if (once)
			return tried(t, EBUSY);
		pgmem_reference(t, pc, (uintptr_t)l, sizeof *l, false);
		if (!*l)
			pgmem_touch(t, pc, l);
	}
	*l = 1;
	return 0;
}

static int no_spin(pthread_spinlock_t *l)
{
	*l = 0;
	return 0;
}

SYNC(pthread_spin_lock, (pthread_spinlock_t * l), (l), spin(t, l, pc, false))
SYNC(pthread_spin_trylock, (pthread_spinlock_t * l), (l), spin(t, l, pc, true))
SYNC(pthread_spin_unlock, (pthread_spinlock_t * l), (l), no_spin(l))

PGMEM_PUBLIC int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	return pgmem_on ? no_spin(l) : PGMEM_REAL(pthread_spin_init)(l, shared);
}

/* ---- once: 0, 1 while somebody does it, then 2 ---- */

/* If the function was left by an exception, the next thread calls it. */
static void end_once(pthread_once_t **word)
{
	struct pgmem_thread *t = pgmem_enter(), *w;

	**word &= 2;
	while (t && (w = pgmem_first(PGMEM_FOR_ONCE, *word)))
		pgmem_wake(t, w);
	if (t)
		pgmem_leave(t);
}

PGMEM_PUBLIC int pthread_once(pthread_once_t *word, void (*f)(void))
{
	struct pgmem_thread *t = begin(word, PGMEM_PC);

	if (!t)
		return PGMEM_REAL(pthread_once)(word, f);
	while (*word == 1)
		pgmem_wait(t, PGMEM_FOR_ONCE, word, PGMEM_PC, PGMEM_NEVER);
	if (*word)
		return end(t, 0);
	*word = 1;
	pgmem_leave(t);

	__attribute__((cleanup(end_once))) pthread_once_t *ours = word;
	f();
	*ours = 2;
	return 0;
}

/* ---- C11: the same objects by other names ---- */

static int c11(int error)
{
	return !error               ? thrd_success
	       : error == EBUSY     ? thrd_busy
	       : error == ETIMEDOUT ? thrd_timedout
	       : error == ENOMEM    ? thrd_nomem
				    : thrd_error;
}

#define C11(name, parameters, call)                                                                \
	PGMEM_PUBLIC int name parameters                                                           \
	{                                                                                          \
		return c11(call);                                                                  \
	}

C11(mtx_lock, (mtx_t * m), pthread_mutex_lock((pthread_mutex_t *)m))
C11(mtx_trylock, (mtx_t * m), pthread_mutex_trylock((pthread_mutex_t *)m))
C11(mtx_timedlock, (mtx_t * m, const struct timespec *at),
    pthread_mutex_timedlock((pthread_mutex_t *)m, at))
C11(mtx_unlock, (mtx_t * m), pthread_mutex_unlock((pthread_mutex_t *)m))
C11(cnd_wait, (cnd_t * c, mtx_t *m), pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m))
C11(cnd_timedwait, (cnd_t * c, mtx_t *m, const struct timespec *at),
    pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, at))
C11(cnd_signal, (cnd_t * c), pthread_cond_signal((pthread_cond_t *)c))
C11(cnd_broadcast, (cnd_t * c), pthread_cond_broadcast((pthread_cond_t *)c))
C11(thrd_detach, (thrd_t t), pthread_detach(t))

PGMEM_PUBLIC int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	return nanosleep(time, left);
}

PGMEM_PUBLIC void thrd_yield(void)
{
	sched_yield();
}

PGMEM_PUBLIC void call_once(once_flag *flag, void (*f)(void))
{
	pthread_once((pthread_once_t *)flag, f);
}

struct c11_start {
	thrd_start_t f;
	void *argument;
};

static void *c11_begin(void *data)
{
	struct c11_start s = *(struct c11_start *)data;

	free(data);
	return (void *)(intptr_t)s.f(s.argument);
}

PGMEM_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t f, void *argument)
{
	struct c11_start *s = malloc(sizeof *s);
	int error;

	if (!s)
		return thrd_nomem;
	*s = (struct c11_start){f, argument};
	error = pthread_create(thread, NULL, c11_begin, s);
	if (error)
		free(s);
	return c11(error == EAGAIN ? ENOMEM : error);
}

PGMEM_PUBLIC int thrd_join(thrd_t thread, int *result)
{
	void *value;
	int error = pthread_join(thread, &value);

	if (!error && result)
		*result = (int)(intptr_t)value;
	return c11(error);
}
