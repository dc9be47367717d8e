/*
 * See libpgmem/pgmem.h: what programs and their libraries ask the kernel that is for the schedule
 * to answer: futexes, time, the number of processors.
 *
 * libgomp makes its system calls itself, where no function can be put in front of. The kernel sends
 * them back (syscall user dispatch) unless they come from the C library. Where it cannot do that, a
 * thread that sleeps is noticed by the watchdog.
 */
#include "config.h"

#include "libpgmem/pgmem.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON           1
#endif

#define NS_A_SECOND INT64_C(1000000000)

/* Asking for the time takes some: who waits for a time in a loop gets there. */
enum { CALL_CYCLES = 100 };

static const time_t epoch = 946684800; /* of the clocks of recorded programs: 2000-01-01 */

long (*pgmem_syscall)(long number, ...);

/* ---- futexes ---- */

static const struct pgmem_kind waiters = {.name = "futex"};

/* What is beyond a hundred years is never. */
static int64_t nanoseconds(const struct timespec *t)
{
	return t->tv_sec > INT64_MAX / 2 / NS_A_SECOND ? INT64_MAX / 2
						       : t->tv_sec * NS_A_SECOND + t->tv_nsec;
}

int64_t pgmem_deadline(clockid_t clock, const struct timespec *at)
{
	if (!at)
		return PGMEM_NEVER;
	return nanoseconds(at) - (clock == CLOCK_REALTIME ? epoch * NS_A_SECOND : 0);
}

static long futex_wait(struct pgmem_thread *t, _Atomic int *word, long op, int value,
		       const struct timespec *timeout, uint64_t pc)
{
	int64_t deadline;

	if (timeout && (op & FUTEX_CMD_MASK) == FUTEX_WAIT)
		deadline = t->clock + nanoseconds(timeout);
	else
		deadline = pgmem_deadline(
		    op & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
	return atomic_load(word) == value ? -pgmem_wait(t, &waiters, word, pc, deadline) : -EAGAIN;
}

/* Whether it is one of those that the schedule answers; then *result is as the kernel gives it. */
static bool futex(const long a[6], uint64_t pc, long *result)
{
	long op = a[1] & FUTEX_CMD_MASK;
	bool waits = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET;
	struct pgmem_thread *t;

	if (!waits && op != FUTEX_WAKE && op != FUTEX_WAKE_BITSET)
		return false;
	if (!(t = pgmem_enter()))
		return false;
	if (waits)
		*result = futex_wait(t, (_Atomic int *)(uintptr_t)a[0], a[1], (int)a[2],
				     (const struct timespec *)(uintptr_t)a[3], pc);
	else
		*result = pgmem_offer(t, (void *)(uintptr_t)a[0], (unsigned)a[2]);
	pgmem_leave(t);
	return true;
}

/* ---- time: a cycle is a nanosecond, and no time passes but theirs ---- */

/* Others who come to that cycle go first. */
static int sleep_until(struct pgmem_thread *t, int64_t clock)
{
	if (clock > t->clock)
		t->clock = clock;
	pgmem_turn(t);
	pgmem_leave(t);
	return 0;
}

PGMEM_PUBLIC int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
				 struct timespec *left)
{
	struct pgmem_thread *t = pgmem_enter();

	if (!t)
		return PGMEM_REAL(clock_nanosleep)(clock, flags, time, left);
	sleep_until(t, flags & TIMER_ABSTIME ? pgmem_deadline(clock, time)
					     : t->clock + nanoseconds(time));
	pthread_testcancel();
	return 0;
}

PGMEM_PUBLIC int nanosleep(const struct timespec *time, struct timespec *left)
{
	const int error = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);

	if (error)
		errno = error;
	return error ? -1 : 0;
}

PGMEM_PUBLIC int usleep(useconds_t us)
{
	return nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

PGMEM_PUBLIC unsigned sleep(unsigned seconds)
{
	struct timespec time = {seconds, 0};

	return nanosleep(&time, &time) ? (unsigned)time.tv_sec : 0;
}

PGMEM_PUBLIC int clock_gettime(clockid_t clock, struct timespec *time)
{
	struct pgmem_thread *t = pgmem_enter();
	bool real = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;

	if (!t)
		return PGMEM_REAL(clock_gettime)(clock, time);
	*time =
	    (struct timespec){t->clock / NS_A_SECOND + (real ? epoch : 0), t->clock % NS_A_SECOND};
	return sleep_until(t, t->clock + CALL_CYCLES);
}

PGMEM_PUBLIC int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*time = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
	return 0;
}

PGMEM_PUBLIC time_t time(time_t *result)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (result)
		*result = now.tv_sec;
	return now.tv_sec;
}

/* ---- processors: the machine's, whatever the host has ---- */

PGMEM_PUBLIC int sched_yield(void)
{
	struct pgmem_thread *t = pgmem_enter();

	return t ? sleep_until(t, t->clock + pgmem_machine.reference) : PGMEM_REAL(sched_yield)();
}

/* Libraries ask before the program's own constructors are called. */
static bool simulated(void)
{
	pgmem_begin();
	return pgmem_on;
}

static int all_cpus(size_t size, cpu_set_t *set)
{
	/* inside: what is set is no reference of the program */
	struct pgmem_thread *t = pgmem_enter();

	CPU_ZERO_S(size, set);
	for (size_t cpu = 0; cpu < pgmem_machine.cpus; cpu++)
		CPU_SET_S(cpu, size, set);
	if (t)
		pgmem_leave(t);
	return 0;
}

#define ANSWER(type, name, parameters, arguments, asked, answer)                                   \
	PGMEM_PUBLIC type name parameters                                                          \
	{                                                                                          \
		return (asked) && simulated() ? (type)(answer) : PGMEM_REAL(name) arguments;       \
	}

ANSWER(int, get_nprocs, (void), (), true, pgmem_machine.cpus)
ANSWER(long, sysconf, (int name), (name),
       name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF, pgmem_machine.cpus)
ANSWER(int, sched_getaffinity, (pid_t pid, size_t size, cpu_set_t *set), (pid, size, set), true,
       all_cpus(size, set))
ANSWER(int, pthread_getaffinity_np, (pthread_t thread, size_t size, cpu_set_t *set),
       (thread, size, set), true, all_cpus(size, set))
/* Threads stay where the schedule has them: thread n on CPU n. */
ANSWER(int, sched_setaffinity, (pid_t pid, size_t size, const cpu_set_t *set), (pid, size, set),
       true, 0)
ANSWER(int, pthread_setaffinity_np, (pthread_t thread, size_t size, const cpu_set_t *set),
       (thread, size, set), true, 0)

/* libstdc++ and libomp call it. */
PGMEM_PUBLIC long syscall(long number, ...)
{
	long a[6], result = 0;
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (pgmem_on && number == SYS_sched_setaffinity)
		return 0;
	if (pgmem_on && number == SYS_sched_getaffinity && (size_t)a[1] >= sizeof(cpu_set_t)) {
		all_cpus(sizeof(cpu_set_t), (cpu_set_t *)(uintptr_t)a[2]);
		return sizeof(cpu_set_t);
	}
	if (!pgmem_on || number != SYS_futex || !futex(a, PGMEM_PC, &result))
		return PGMEM_REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result < 0)
		errno = (int)-result;
	return result < 0 ? -1 : result;
}

/* ---- system calls from elsewhere ---- */

#if defined __x86_64__
static void sent_back(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const long a[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
	int before = errno;
	long result;

	(void)signal;
	if (info->si_syscall != SYS_futex || !futex(a, (uint64_t)r[REG_RIP], &result)) {
		result = pgmem_syscall(info->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
		if (result == -1)
			result = -errno;
	}
	r[REG_RAX] = result;
	errno = before;
}

/* The segment of the C library's code. */
static const ElfW(Phdr) *find_code(uintptr_t *base)
{
	const ElfW(Ehdr) *file;
	const ElfW(Phdr) *p;
	Dl_info info;

	if (!dladdr((const void *)(uintptr_t)pgmem_syscall, &info))
		return NULL;
	*base = (uintptr_t)info.dli_fbase;
	file = info.dli_fbase;
	p = (const void *)(*base + file->e_phoff);
	while (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
		p++;
	return p;
}

void pgmem_dispatch(void)
{
	static const ElfW(Phdr) *code;
	static uintptr_t base;
	struct sigaction action = {.sa_sigaction = sent_back,
				   .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};

	if (!code) {
		code = find_code(&base);
		sigaction(SIGSYS, &action, NULL);
	}
	if (code)
		pgmem_syscall(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON,
			      base + code->p_vaddr, code->p_memsz, NULL);
}

/* A thread that blocks SIGSYS would be ended by it. */
#define MASK(name)                                                                                 \
	PGMEM_PUBLIC int name(int how, const sigset_t *restrict set, sigset_t *restrict before)    \
	{                                                                                          \
		sigset_t less;                                                                     \
                                                                                                   \
		if (pgmem_on && set && how != SIG_UNBLOCK) {                                       \
			less = *set;                                                               \
			sigdelset(&less, SIGSYS);                                                  \
			set = &less;                                                               \
		}                                                                                  \
		return PGMEM_REAL(name)(how, set, before);                                         \
	}

MASK(pthread_sigmask)
MASK(sigprocmask)
#else
void pgmem_dispatch(void)
{
}
#endif
