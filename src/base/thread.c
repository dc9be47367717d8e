#include "config.h"

#include "base/thread.h"

#include <signal.h>

/* Raised by what the thread itself does: blocked, they would end the program unhandled. */
static const int faults[] = {SIGBUS, SIGSEGV, SIGILL, SIGFPE, SIGSYS, SIGABRT};

int thread_start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	int errnum;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	errnum = pthread_create(thread, NULL, run, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errnum;
}
