#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libpgmem/pgmem.h"

/*
 * Where a program leaves: what is recorded by then reaches the recorder whole.
 *
 * fork: the child goes on by itself, and its parent is recorded on; so do vfork(), posix_spawn(), system()
 * and popen() without our doing, for the pipe closes where another program begins. exec of the
 * recorded process itself is the end. exit() in any thread is the normal end; so is _exit(), and a
 * fatal signal that the program leaves alone: the process's status tells which it was.
 */

enum { ARGUMENTS_MAX = 4096, STACK = 64 << 10, LOOK_NS = 2000000, LOOKS = 50 };

static pid_t recorded; /* 0: nothing is */

/* ---- ends ---- */

/* After the destructors of the program: it was registered before them. */
static void end_normally(void)
{
	if (getpid() == recorded)
		pgmem_end(NULL);
}

/* Those that end a process unless it does something about them; first those that mean where it is. */
static const int fatal[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV, SIGTRAP, SIGALRM,   SIGHUP,
			    SIGINT,  SIGPIPE, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ};
enum { FATAL_HERE = 6, FATALS = sizeof(fatal) / sizeof(fatal[0]) };

volatile int pgmem_fatal;

void pgmem_die(void)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	int sig = pgmem_fatal;
	sigset_t set;

	pgmem_fatal = 0;
	end_normally();
	sigaction(sig, &plain, NULL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	abort();
}

/*
 * A record, or the records of a reference, may be half written. Who has the turn finishes them, and
 * dies on its way out of the runtime; if nobody does, everybody waits.
 */
static void on_fatal(int sig)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	int which = 0;

	while (fatal[which] != sig)
		which++;
	pgmem_fatal = sig;
	if (getpid() == recorded && which >= FATAL_HERE) {
		if (pgmem_has_turn() && !pgmem_recording())
			return;
		for (int i = 0; i < LOOKS && !pgmem_has_turn(); i++)
			pgmem_syscall(SYS_nanosleep, &look, NULL);
	}
	pgmem_die();
}

/* Before the program sets handlers of its own, which then stand. */
static void catch_fatal(void)
{
	static char stack[STACK]; /* for an overflow of the first thread's */
	const stack_t ours = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK}, before;

	sigaltstack(&ours, NULL);
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < FATALS; i++)
		if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
			sigaction(fatal[i], &action, NULL);
}

static void in_child(void)
{
	recorded = 0;
	pgmem_forget();
}

void pgmem_outside_begin(void)
{
	const char *fd = getenv("PGMEM_FD");

	recorded = getpid();
	if (fd)
		fcntl(atoi(fd), F_SETFD, FD_CLOEXEC);
	/* a program that this one starts is not recorded */
	unsetenv("PGMEM_FD");
	atexit(end_normally);
	pthread_atfork(NULL, NULL, in_child);
	catch_fatal();
}

/* ---- functions of the C library that the program's own objects call ---- */

#define ENDS(name)                                                                                 \
	_Noreturn void __real_##name(int status);                                                  \
	PGMEM_PUBLIC _Noreturn void __wrap_##name(int status);                                     \
	void __wrap_##name(int status)                                                             \
	{                                                                                          \
		end_normally();                                                                    \
		__real_##name(status);                                                             \
	}

ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)

/* In the child of a vfork(), which has its parent's memory, it is not the end. */
static void before_exec(void)
{
	if (getpid() == recorded)
		pgmem_end("the program became another one (exec)");
}

#define EXECS(name, parameters, arguments)                                                         \
	int __real_##name parameters;                                                              \
	PGMEM_PUBLIC int __wrap_##name parameters;                                                 \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		before_exec();                                                                     \
		return __real_##name arguments;                                                    \
	}

EXECS(execv, (const char *path, char *const argv[]), (path, argv))
EXECS(execve, (const char *path, char *const argv[], char *const env[]), (path, argv, env))
EXECS(execvp, (const char *path, char *const argv[]), (path, argv))
EXECS(execvpe, (const char *path, char *const argv[], char *const env[]), (path, argv, env))

/* Arguments up to a NULL and, if asked for, the environment behind it. */
#define EXECS_LIST(name, real, environment)                                                        \
	PGMEM_PUBLIC int __wrap_##name(const char *path, const char *arg, ...);                    \
	int __wrap_##name(const char *path, const char *arg, ...)                                  \
	{                                                                                          \
		char *argv[ARGUMENTS_MAX], **env = environ;                                        \
		int n = 0;                                                                         \
		va_list rest;                                                                      \
                                                                                                   \
		va_start(rest, arg);                                                               \
		for (argv[0] = (char *)(uintptr_t)arg; argv[n] && n + 1 < ARGUMENTS_MAX;)          \
			argv[++n] = va_arg(rest, char *);                                          \
		argv[n] = NULL;                                                                    \
		if (environment)                                                                   \
			env = va_arg(rest, char **);                                               \
		va_end(rest);                                                                      \
		return real(path, argv, env);                                                      \
	}

EXECS_LIST(execl, __wrap_execve, false)
EXECS_LIST(execle, __wrap_execve, true)
EXECS_LIST(execlp, __wrap_execvpe, false)
