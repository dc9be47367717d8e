#include "config.h"

#include "term/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

/* SIGQUIT (^\) and SIGALRM, which nothing else here uses, end a program that hangs. */
static const struct fatal {
	int signal;
	const char *line; /* what is said about it, without snprintf() */
} fatals[] = {
    {SIGSEGV, "pipeglass " VERSION ": crashed (SIGSEGV); the trace is unharmed\n"},
    {SIGBUS, "pipeglass " VERSION ": crashed (SIGBUS); the trace is unharmed\n"},
    {SIGFPE, "pipeglass " VERSION ": crashed (SIGFPE); the trace is unharmed\n"},
    {SIGILL, "pipeglass " VERSION ": crashed (SIGILL); the trace is unharmed\n"},
    {SIGABRT, "pipeglass " VERSION ": aborted; the trace is unharmed\n"},
    {SIGSYS, "pipeglass " VERSION ": refused a system call (SIGSYS)\n"},
    {SIGQUIT, "pipeglass " VERSION ": quit\n"},
    {SIGALRM, "pipeglass " VERSION ": did not end by itself when asked to\n"},
};

enum { FATALS = sizeof(fatals) / sizeof(fatals[0]) };

static const struct {
	int signal;
	unsigned wanted;
	bool interrupts; /* work under way is to end */
} asking[] = {
    {SIGWINCH, WANT_RESIZE, false}, {SIGTSTP, WANT_SUSPEND, false}, {SIGCONT, WANT_REPAINT, false},
    {SIGINT, WANT_NOTHING, true},   {SIGTERM, WANT_END, true},      {SIGHUP, WANT_END, true},
};

enum { ASKING = sizeof(asking) / sizeof(asking[0]) };

static struct sigaction before[FATALS]; /* who handled it before us */
static struct sigaction before_asking[ASKING];
static struct rescue rescue;
static atomic_bool rescue_due;
static atomic_uint wanted;
static atomic_int ended_by;
static int wake[2] = {-1, -1};
static atomic_bool *interrupt;

/* Sanitizers end the program without a signal; present only in a build with one. */
extern void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

/* Not for ever: a link that takes nothing must not keep a dying program. */
static void put(int fd, const char *bytes, size_t len)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	while (len > 0 && poll(&p, 1, 200) > 0 && !(p.revents & (POLLERR | POLLNVAL))) {
		ssize_t n = write(fd, bytes, len);

		if (n <= 0)
			return;
		bytes += n;
		len -= (size_t)n;
	}
}

void signals_show_captured(int captured)
{
	char text[1024];
	ssize_t n = captured >= 0 && lseek(captured, 0, SEEK_SET) == 0;

	for (int kib = 0; n > 0 && kib < CAPTURED_SHOWN; kib++) {
		n = read(captured, text, sizeof(text));
		for (ssize_t i = 0; i < n; i++)
			if ((unsigned char)text[i] - 0x20u > 0x5eu && text[i] != '\n')
				text[i] = '?';
		put(STDERR_FILENO, text, n > 0 ? (size_t)n : 0);
	}
}

void rescue_now(void)
{
	int saved = errno;

	if (!atomic_exchange(&rescue_due, false))
		return;
	signal(SIGTTOU, SIG_IGN); /* a dying program in the background is not to stop instead */
	put(rescue.fd, rescue.bytes, rescue.len);
	tcsetattr(rescue.termios_fd, TCSANOW, &rescue.saved);
	if (rescue.saved_stderr >= 0) {
		dup2(rescue.saved_stderr, STDERR_FILENO);
		signals_show_captured(rescue.captured);
	}
	errno = saved;
}

void rescue_set(const struct rescue *r)
{
	atomic_store(&rescue_due, false);
	if (!r)
		return;
	rescue = *r;
	atomic_store(&rescue_due, true);
}

static void chain(int sig, const struct sigaction *old, siginfo_t *info, void *context)
{
	if (old->sa_flags & SA_SIGINFO) {
		old->sa_sigaction(sig, info, context);
		return;
	}
	if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
		old->sa_handler(sig);
		return;
	}
	/* pending until we return, then it ends the program, with a core where that is wanted */
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_fatal(int sig, siginfo_t *info, void *context)
{
	for (int i = 0; i < FATALS; i++) {
		if (fatals[i].signal != sig)
			continue;
		if (atomic_load(&rescue_due)) {
			rescue_now();
			put(STDERR_FILENO, fatals[i].line, strlen(fatals[i].line));
		}
		chain(sig, &before[i], info, context);
	}
}

static void out_of_memory(size_t size)
{
	static const char line[] = "pipeglass " VERSION ": out of memory\n";

	(void)size;
	rescue_now();
	put(STDERR_FILENO, line, sizeof(line) - 1);
}

void signals_guard(void)
{
	struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static char stack[64 * 1024]; /* for an overflow of the ordinary one */
	stack_t now, ours = {.ss_sp = stack, .ss_size = sizeof(stack)};

	if (sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE)
		sigaltstack(&ours, NULL);
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < FATALS; i++)
		sigaction(fatals[i].signal, &action, &before[i]);
	xalloc_die_hook = out_of_memory;
	atexit(rescue_now);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(rescue_now);
}

static void on_asking(int sig)
{
	int saved = errno;

	for (int i = 0; i < ASKING; i++) {
		if (asking[i].signal != sig)
			continue;
		atomic_fetch_or(&wanted, asking[i].wanted);
		if (asking[i].interrupts)
			atomic_store(interrupt, true);
	}
	if (sig == SIGTERM || sig == SIGHUP) {
		atomic_store(&ended_by, sig);
		alarm(GRACE_SECONDS);
	}
	while (write(wake[1], "", 1) < 0 && errno == EINTR)
		continue; /* a full pipe has woken the loop already */
	errno = saved;
}

enum status signals_start(atomic_bool *asked, struct error *e)
{
	/* poll() returns whatever the flags say */
	struct sigaction action = {.sa_handler = on_asking, .sa_flags = SA_RESTART};

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return error_errno(e, STATUS_IO, errno, "cannot make a pipe for signals");
	interrupt = asked;
	atomic_store(&wanted, 0);
	atomic_store(&ended_by, 0);
	sigemptyset(&action.sa_mask);
	for (int i = 0; i < ASKING; i++) {
		sigaction(asking[i].signal, NULL, &before_asking[i]);
		/* nohup and shells without job control mean it */
		if (before_asking[i].sa_handler == SIG_IGN && asking[i].signal != SIGWINCH)
			continue;
		sigaction(asking[i].signal, &action, NULL);
	}
	return STATUS_OK;
}

void signals_stop(void)
{
	for (int i = 0; i < ASKING; i++)
		sigaction(asking[i].signal, &before_asking[i], NULL);
	alarm(0);
	for (int i = 0; i < 2; i++)
		if (wake[i] >= 0)
			close(wake[i]);
	wake[0] = wake[1] = -1;
}

int signals_fd(void)
{
	return wake[0];
}

unsigned signals_take(void)
{
	char bytes[64];

	while (read(wake[0], bytes, sizeof(bytes)) > 0)
		continue;
	return atomic_exchange(&wanted, 0);
}

void signals_drop(unsigned bits)
{
	atomic_fetch_and(&wanted, ~bits);
}

int signals_ended_by(void)
{
	return atomic_load(&ended_by);
}
