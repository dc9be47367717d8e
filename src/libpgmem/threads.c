/* See libpgmem/pgmem.h: where threads begin and end, and where all of it begins. */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <dlfcn.h>
#include <limits.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_key_t end_key;
static cpu_set_t host_cpu; /* all threads share one: a turn is handed over soonest there */

void *pgmem_real(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);

	if (!f)
		pgmem_give_up("the C library has no %s", name);
	return f;
}

static void find_stack(struct pgmem_thread *t)
{
	pthread_attr_t attr;
	void *stack;
	size_t bytes;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (!pthread_attr_getstack(&attr, &stack, &bytes)) {
		t->stack = (uintptr_t)stack;
		/* of a thread, what is above belongs to its thread-local variables */
		t->stack_bytes = t->number ? here - t->stack : bytes;
	}
	pthread_attr_destroy(&attr);
}

static void pin(int tid)
{
	pgmem_syscall(SYS_sched_setaffinity, tid, sizeof host_cpu, &host_cpu);
}

/*
 * Destructors of the program's thread-specific data may still make accesses: the thread ends in the
 * last round.
 */
static void end_thread(void *data)
{
	struct pgmem_thread *t = data;

	if (++t->rounds < PTHREAD_DESTRUCTOR_ITERATIONS)
		pthread_setspecific(end_key, t);
	else if (pgmem_enter())
		pgmem_thread_over(t);
}

static void come_up(struct pgmem_thread *t)
{
	t->tid = (int)pgmem_syscall(SYS_gettid);
	pgmem_self = t;
	find_stack(t);
	pthread_setspecific(end_key, t);
	pgmem_dispatch();
}

static void *begin_thread(void *data)
{
	struct pgmem_thread *t = data;

	pin(0);
	pgmem_await(t);
	come_up(t); /* it allocates, so it has the turn */
	pgmem_leave(t);
	return t->start(t->argument);
}

static void go_parallel(struct pgmem_thread *t)
{
	unsigned cpu = 0;

	pgmem_syscall(SYS_getcpu, &cpu, NULL, NULL);
	CPU_SET(cpu, &host_cpu);
	pgmem_watch();
	pin(t->tid);
}

PGMEM_PUBLIC int pthread_create(pthread_t *handle, const pthread_attr_t *attr,
				void *(*start)(void *), void *argument)
{
	struct pgmem_thread *t = pgmem_enter(), *n;
	int error;

	if (!t)
		return PGMEM_REAL(pthread_create)(handle, attr, start, argument);
	n = pgmem_new_thread();
	if (!n)
		pgmem_give_up("more than %d threads at one time", PGMEM_THREADS);
	if (n->number == 1)
		go_parallel(t);
	n->start = start;
	n->argument = argument;
	n->clock = t->clock;
	error = PGMEM_REAL(pthread_create)(&n->handle, attr, begin_thread, n);
	if (!error) {
		*handle = n->handle;
		atomic_store(&n->state, PGMEM_RUNNABLE);
	}
	pgmem_leave(t);
	return error;
}

PGMEM_PUBLIC int pthread_join(pthread_t handle, void **result)
{
	struct pgmem_thread *t = pgmem_enter(), *other = t ? pgmem_thread_of(handle) : NULL;
	int error;

	if (other && atomic_load(&other->state) != PGMEM_FREE)
		pgmem_wait(t, &pgmem_end_of_thread, other, PGMEM_PC, PGMEM_NEVER);
	if (other && t->clock < other->clock)
		t->clock = other->clock;
	error = PGMEM_REAL(pthread_join)(handle, result);
	if (t)
		pgmem_leave(t);
	return error;
}

/* ---- the beginning ---- */

static void begin_main(void)
{
	struct pgmem_thread *t = pgmem_new_thread();

	t->handle = pthread_self();
	atomic_store(&t->state, PGMEM_RUNNABLE);
	come_up(t);
	pgmem_leave(t);
}

void pgmem_begin(void)
{
	static bool begun;
	const char *fd = getenv("PGMEM_FD"), *machine = getenv("PGMEM_MACHINE"),
		   *rules = getenv("PGMEM_RULES"), *quantum = getenv("PGMEM_QUANTUM");
	char error[256] = "";

	if (begun)
		return;
	begun = true;
	if (!fd)
		return;
	pgmem_syscall = PGMEM_REAL(syscall);
	if (!sim_machine_read(&pgmem_machine, machine ? machine : SIM_DEFAULT, error, sizeof error))
		pgmem_give_up("PGMEM_MACHINE: %s", error);
	if (!pgmem_stream_open(atoi(fd), &pgmem_machine))
		return;
	if (rules && !pgmem_rules_read(rules))
		pgmem_give_up("PGMEM_RULES has a line that is no rule");
	if (quantum && atoi(quantum) > 0)
		pgmem_quantum = (unsigned)atoi(quantum);
	pthread_key_create(&end_key, end_thread);
	begin_main();
	pgmem_on = true;
}

__attribute__((constructor(101))) static void constructed(void)
{
	pgmem_begin();
}
