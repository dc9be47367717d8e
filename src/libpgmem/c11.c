/* See libpgmem/pgmem.h: C11's threads and locks, the same objects by other names. */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <errno.h>
#include <sched.h>
#include <threads.h>

static int c11(int error)
{
	return !error               ? thrd_success
	       : error == EBUSY     ? thrd_busy
	       : error == ETIMEDOUT ? thrd_timedout
	       : error == EAGAIN    ? thrd_nomem
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

PGMEM_PUBLIC int thrd_sleep(const struct timespec *time, struct timespec *left)
{
	return nanosleep(time, left);
}

PGMEM_PUBLIC void thrd_yield(void)
{
	sched_yield();
}

PGMEM_PUBLIC int thrd_create(thrd_t *thread, thrd_start_t f, void *argument)
{
	struct pgmem_thread *t = pgmem_enter();
	int error;

	if (!t)
		return PGMEM_REAL(thrd_create)(thread, f, argument);
	error = pgmem_create(t, thread, NULL, &(struct pgmem_start){.c11 = f, .argument = argument});
	pgmem_leave(t);
	return c11(error);
}

PGMEM_PUBLIC int thrd_join(thrd_t thread, int *result)
{
	void *value;
	const int error = pthread_join(thread, &value);

	if (!error && result)
		*result = (int)(intptr_t)value;
	return c11(error);
}
