/* What test_pgmem records: pgmem_program MODE. Status 0: it came to what it should. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <pipeglass/mem.h>

enum { THREADS = 4, ROUNDS = 20, MANY = 250, CHURN = 300 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spinlock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t one, none;
static mtx_t mtx;
static int count, inside, wrong, inits, at[THREADS], counts[64];
static atomic_int flag, readers, most;
static int ends[2];

/* Alone in here: each line is several accesses, and so several turns. */
static void critical(void)
{
	wrong += inside++ != 0;
	count++;
	wrong += --inside != 0;
}

#define GUARDED(name, lock, unlock)                                                                \
	static void *by_##name(void *me)                                                           \
	{                                                                                          \
		for (int i = 0; i < ROUNDS; i++) {                                                 \
			lock;                                                                      \
			critical();                                                                \
			unlock;                                                                    \
		}                                                                                  \
		return me;                                                                         \
	}

GUARDED(mutex, while (i % 3 && pthread_mutex_trylock(&mutex));
	if (i % 3 == 0) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex))
GUARDED(recursive, pthread_mutex_lock(&again);
	pthread_mutex_lock(&again), pthread_mutex_unlock(&again); wrong += inside;
	pthread_mutex_unlock(&again))
GUARDED(spin, pthread_spin_lock(&spinlock), pthread_spin_unlock(&spinlock))
GUARDED(semaphore, sem_wait(&one), sem_post(&one))
GUARDED(mtx, mtx_lock(&mtx), mtx_unlock(&mtx))
GUARDED(writer, pthread_rwlock_wrlock(&rwlock), pthread_rwlock_unlock(&rwlock))
/* One after the other, in order of their numbers. */
GUARDED(cond, pthread_mutex_lock(&mutex);
	while (count % THREADS != (int)(size_t)me) pthread_cond_wait(&cond, &mutex),
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex))
GUARDED(yield, while (atomic_load(&flag) != i * THREADS + (int)(size_t)me) sched_yield(),
	atomic_fetch_add(&flag, 1))

static void *by_rwlock(void *me)
{
	if (me)
		return by_writer(me);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_rwlock_rdlock(&rwlock);
		if (atomic_fetch_add(&readers, 1) >= atomic_load(&most))
			atomic_store(&most, atomic_load(&readers));
		wrong += inside;
		atomic_fetch_sub(&readers, 1);
		pthread_rwlock_unlock(&rwlock);
	}
	return me;
}

static void *by_barrier(void *me)
{
	for (int i = 0; i < ROUNDS; i++) {
		at[(size_t)me] = i;
		count += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
		for (int k = 0; k < THREADS; k++)
			wrong += at[k] != i;
		pthread_barrier_wait(&barrier);
	}
	return me;
}

static void init(void)
{
	while (inits < 50)
		inits++;
}

static void *by_once(void *me)
{
	pthread_once(&once, init);
	wrong += inits != 50;
	return me;
}

static void *by_leave(void *me)
{
	by_mutex(me);
	pthread_exit(me);
}

static void *lock_both(void *me)
{
	pthread_mutex_lock(me ? &second : &mutex);
	atomic_fetch_add(&flag, 1);
	while (atomic_load(&flag) < 2)
		;
	pthread_mutex_lock(me ? &mutex : &second);
	return me;
}

static void *by_read(void *me)
{
	char c;

	wrong += read(ends[0], &c, 1) != 1;
	for (int i = 0; i < ROUNDS; i++)
		at[i % THREADS]++;
	return me;
}

static void *by_pause(void *me)
{
	for (;;)
		__asm__ volatile("");
	return me;
}

static void parallel(void *(*f)(void *), size_t n)
{
	pthread_t t[MANY];
	void *result;

	for (size_t i = 0; i < n; i++)
		pthread_create(&t[i], NULL, f, (void *)i);
	for (size_t i = 0; i < n; i++) {
		pthread_join(t[i], &result);
		wrong += result != (void *)i;
	}
}

/* No time passes but the caches'. */
static void times(void)
{
	struct timespec from, to, until;

	clock_gettime(CLOCK_MONOTONIC, &from);
	usleep(1500000000);
	clock_gettime(CLOCK_MONOTONIC, &to);
	wrong += to.tv_sec - from.tv_sec != 1500;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 100;
	pthread_mutex_lock(&mutex);
	wrong += pthread_cond_timedwait(&cond, &mutex, &until) != ETIMEDOUT;
	pthread_mutex_unlock(&mutex);
	until.tv_sec += 100;
	wrong += sem_timedwait(&none, &until) != -1 || errno != ETIMEDOUT;
}

/* A thread that the kernel has asleep does not keep the turn, and comes back at one point of the
 * others' work. */
static void pipes(void)
{
	pthread_t t;

	wrong += pipe(ends) != 0;
	pthread_create(&t, NULL, by_read, NULL);
	for (int i = 0; i < 1000; i++) {
		counts[i % 64]++;
		if (i == 500)
			wrong += write(ends[1], "", 1) != 1;
	}
	pthread_join(t, NULL);
}

static void detached(void)
{
	pthread_t t;

	for (int i = 0; i < CHURN; i++) {
		pthread_create(&t, NULL, by_once, NULL);
		pthread_detach(t);
		while (i % 10 == 0 && inits < 50)
			sched_yield();
		usleep(1);
	}
}

static void start(void *(*f)(void *), int n)
{
	pthread_t t;

	while (n-- > 0)
		pthread_create(&t, NULL, f, (void *)(size_t)(THREADS + 1));
}

static void *by_sleep(void *me)
{
	for (;;)
		sleep(1);
	return me;
}

static void cancelled(void)
{
	pthread_t t;
	void *result;

	pthread_create(&t, NULL, by_sleep, NULL);
	usleep(3000000);
	pthread_cancel(t);
	pthread_join(t, &result);
	wrong += result != PTHREAD_CANCELED;
}

static once_flag c11_once = ONCE_FLAG_INIT;

static int by_c11(void *me)
{
	call_once(&c11_once, init);
	wrong += inits != 50;
	thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL);
	by_mtx(me);
	return me != NULL;
}

static void c11(void)
{
	thrd_t t[2];
	int result;

	thrd_create(&t[0], by_c11, NULL);
	thrd_create(&t[1], by_c11, &t);
	for (int i = 0; i < 2; i++)
		wrong += thrd_join(t[i], &result) != thrd_success || result != i;
}

static void memory(void)
{
	char a[1000], *b = malloc(sizeof a), *c = calloc(1, sizeof a);

	memset(a, 7, sizeof a);
	memcpy(b, a, sizeof a);
	memmove(c, b + 3, sizeof a - 3);
	wrong += memcmp(a, b, sizeof a) || c[0] != 7 || c[996] != 7 || c[997];
	free(b);
	free(c);
}

#define ATOMICS(type)                                                                              \
	do {                                                                                       \
		static type v = 5, expected = 5;                                                   \
                                                                                                   \
		wrong += __atomic_fetch_add(&v, 3, __ATOMIC_RELAXED) != 5 ||                       \
			 __atomic_load_n(&v, __ATOMIC_ACQUIRE) != 8;                               \
		wrong += __atomic_fetch_sub(&v, 1, __ATOMIC_SEQ_CST) != 8 ||                       \
			 __atomic_fetch_and(&v, 6, __ATOMIC_SEQ_CST) != 7;                         \
		wrong += __atomic_fetch_or(&v, 9, __ATOMIC_SEQ_CST) != 6 ||                        \
			 __atomic_fetch_xor(&v, 5, __ATOMIC_SEQ_CST) != 15;                        \
		wrong += __atomic_exchange_n(&v, 4, __ATOMIC_SEQ_CST) != 10;                       \
		wrong += __atomic_compare_exchange_n(&v, &expected, 9, 0, __ATOMIC_SEQ_CST,        \
						     __ATOMIC_RELAXED);                            \
		wrong += expected != 4 || v != 4;                                                  \
		wrong += !__atomic_compare_exchange_n(&v, &expected, 9, 1, __ATOMIC_SEQ_CST,       \
						      __ATOMIC_RELAXED);                           \
		__atomic_store_n(&v, (type)(v + 1), __ATOMIC_RELEASE);                             \
		wrong += v != 10;                                                                  \
	} while (0)

static void atomics(void)
{
	ATOMICS(unsigned char);
	ATOMICS(unsigned short);
	ATOMICS(unsigned);
	ATOMICS(unsigned long long);
	atomic_thread_fence(memory_order_seq_cst);
}

static void object(void)
{
	PGMEM_OBJECT(counts, sizeof counts, "counts");
	for (int i = 0; i < 64; i++)
		counts[i]++;
}

#define MODES(_)                                                                                   \
	_("mutex", parallel(by_mutex, THREADS))                                                    \
	_("recursive", parallel(by_recursive, THREADS))                                            \
	_("spin", parallel(by_spin, THREADS))                                                      \
	_("semaphore", parallel(by_semaphore, THREADS))                                            \
	_("mtx", parallel(by_mtx, THREADS))                                                        \
	_("rwlock", parallel(by_rwlock, THREADS))                                                  \
	_("cond", parallel(by_cond, THREADS))                                                      \
	_("barrier", parallel(by_barrier, THREADS); wrong += count != ROUNDS)                      \
	_("once", parallel(by_once, THREADS))                                                      \
	_("yield", parallel(by_yield, THREADS))                                                    \
	_("leave", parallel(by_leave, THREADS))                                                    \
	_("many", parallel(by_semaphore, MANY))                                                    \
	_("cancelled", cancelled())                                                                \
	_("c11", c11())                                                                            \
	_("times", times())                                                                        \
	_("pipe", pipes())                                                                         \
	_("detached", detached())                                                                  \
	_("last", start(by_once, 1); pthread_exit(NULL))                                           \
	_("memory", memory())                                                                      \
	_("atomics", atomics())                                                                    \
	_("object", object())                                                                      \
	_("spinner", start(by_pause, 1); pipes())                                                  \
	_("deadlock", parallel(lock_both, 2))                                                      \
	_("never", pthread_cond_wait(&cond, &mutex))                                               \
	_("too-many", start(by_cond, 300))

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE);
	sem_init(&one, 0, 1);
	sem_init(&none, 0, 0);
	mtx_init(&mtx, mtx_plain);
#define DO_MODE(name, what)                                                                        \
	if (!strcmp(mode, name)) {                                                                 \
		what;                                                                              \
	}
	MODES(DO_MODE)
	return wrong != 0;
}
