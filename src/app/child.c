#include "config.h"

#include "app/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/child_lines.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/xalloc.h"

enum { READ_BYTES = 16 << 10 };

struct child {
	char *name;
	char **argv; /* own copy, with the name of the FIFO in place */
	pid_t pid;
	int trace;   /* -1: taken */
	int said;    /* what else it writes */
	int hold;    /* a writer of the FIFO that is ours: it has no end before the child has; -1 */
	int wake, stop;
	struct sbuf folder, fifo; /* empty: none */
	pthread_t reader, waiter;
	bool has_reader, has_waiter;
	pthread_mutex_t lock; /* of the rest */
	struct child_lines lines;
	bool ended;
	siginfo_t end;
};

/* ---- starting ---------------------------------------------------------------------------- */

/* A name that nobody else can reach: the folder is 0700. */
static enum status make_fifo(struct child *c, struct error *e)
{
	const char *own = getenv("TMPDIR");

	sbuf_printf(&c->folder, "%s/pipeglass-XXXXXX", own && own[0] == '/' ? own : "/tmp");
	if (c->folder.failed || !mkdtemp(c->folder.text)) {
		sbuf_clear(&c->folder);
		return error_errno(e, STATUS_IO, errno, "cannot make a folder for the trace's pipe");
	}
	sbuf_printf(&c->fifo, "%s/trace", sbuf_text(&c->folder));
	if (mkfifo(sbuf_text(&c->fifo), 0600) < 0)
		return error_errno(e, STATUS_IO, errno, "%s", sbuf_text(&c->fifo));
	/* a writer first: nobody waits for the other */
	c->hold = open(sbuf_text(&c->fifo), O_RDWR | O_CLOEXEC);
	c->trace = open(sbuf_text(&c->fifo), O_RDONLY | O_CLOEXEC);
	if (c->hold < 0 || c->trace < 0)
		return error_errno(e, STATUS_IO, errno, "%s", sbuf_text(&c->fifo));
	return STATUS_OK;
}

static char *with_name(const char *word, const char *name, bool *found)
{
	struct sbuf out = {0};
	char *copy;

	for (; *word; word++)
		if (word[0] == '%' && word[1] == 't') {
			sbuf_puts(&out, name);
			*found = true;
			word++;
		} else {
			sbuf_putc(&out, *word);
		}
	copy = xstrdup(sbuf_text(&out));
	sbuf_free(&out);
	return copy;
}

static enum status copy_words(struct child *c, const struct child_options *o, struct error *e)
{
	size_t count = 0;
	bool found = !o->trace_file;

	while (o->argv[count])
		count++;
	c->argv = xcalloc(count + 1, sizeof(*c->argv));
	for (size_t i = 0; i < count; i++)
		c->argv[i] = o->trace_file ? with_name(o->argv[i], sbuf_text(&c->fifo), &found)
					   : xstrdup(o->argv[i]);
	if (!found)
		return error_set(e, STATUS_USAGE,
				 "--trace-file: put %%t in COMMAND's arguments, in the place of the "
				 "trace's name");
	return STATUS_OK;
}

/* What the new program finds open. All of ours are above CHILD_FD_MOST, and close by themselves. */
static bool arrange(int trace, int said, int trace_fd)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0)
		return false;
	if (null > STDERR_FILENO)
		close(null);
	if (dup2(trace_fd == STDOUT_FILENO ? trace : said, STDOUT_FILENO) < 0)
		return false;
	return trace < 0 || trace_fd == STDOUT_FILENO || dup2(trace, trace_fd) >= 0;
}

static _Noreturn void become(const struct child *c, pid_t parent, int trace, int said,
			     int trace_fd, int failed)
{
	static const int plain[] = {SIGPIPE, SIGXFSZ}; /* that we ignore, but it should not */
	int errnum;

	setsid();
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		signal(plain[i], SIG_DFL);
#ifdef __linux__
	/* should we crash, it is not to run on for nobody */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
	if (getppid() == parent && arrange(trace, said, trace_fd))
		execvp(c->argv[0], c->argv);
	errnum = errno;
	while (write(failed, &errnum, sizeof(errnum)) < 0 && errno == EINTR)
		continue;
	_exit(127);
}

/* Above what the child's descriptors are to be. */
static bool high_pipe(int ends[2])
{
	int low[2];

	ends[0] = ends[1] = -1;
	if (pipe2(low, O_CLOEXEC) < 0)
		return false;
	for (int i = 0; i < 2; i++) {
		ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, CHILD_FD_MOST + 1);
		close(low[i]);
	}
	return ends[0] >= 0 && ends[1] >= 0;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* NULL said: the program runs. */
static enum status await_exec(const struct child *c, int failed, struct error *e)
{
	int errnum;
	ssize_t n;
	struct sbuf name = {0};

	do
		n = read(failed, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(errnum))
		return STATUS_OK;
	text_sanitise(&name, c->argv[0], strlen(c->argv[0]));
	error_errno(e, STATUS_INPUT, errnum, "cannot run %s", sbuf_text(&name));
	sbuf_free(&name);
	return STATUS_INPUT;
}

static enum status spawn(struct child *c, const struct child_options *o, struct error *e)
{
	int trace[2] = {-1, -1}, said[2] = {-1, -1}, failed[2] = {-1, -1};
	int fd = o->trace_file || o->trace ? -1 : o->trace_fd > 0 ? o->trace_fd : STDOUT_FILENO;
	enum status status = STATUS_OK;
	pid_t us = getpid();

	if ((fd >= 0 && !high_pipe(trace)) || !high_pipe(said) || !high_pipe(failed))
		status = error_errno(e, STATUS_IO, errno, "cannot make a pipe for the command");
	if (!status) {
		c->pid = fork();
		if (c->pid == 0)
			become(c, us, trace[1], said[1], fd, failed[1]);
		if (c->pid < 0)
			status = error_errno(e, STATUS_IO, errno, "cannot start a process for the command");
	}
	close_end(&trace[1]);
	close_end(&said[1]);
	close_end(&failed[1]);
	if (!status)
		status = await_exec(c, failed[0], e);
	close_end(&failed[0]);
	if (fd >= 0)
		c->trace = trace[0];
	c->said = said[0];
	return status;
}

/* ---- its threads ------------------------------------------------------------------------- */

static void child_wake(struct child *c)
{
	eventfd_write(c->wake, 1);
}

static void *read_said(void *arg)
{
	struct child *c = arg;
	char bytes[READ_BYTES];

	for (;;) {
		struct pollfd p[] = {{.fd = c->said, .events = POLLIN},
				     {.fd = c->stop, .events = POLLIN}};
		ssize_t n;

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
		if (p[1].revents)
			break;
		if (!p[0].revents)
			continue;
		n = read(c->said, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		pthread_mutex_lock(&c->lock);
		child_lines_add(&c->lines, bytes, (size_t)n);
		pthread_mutex_unlock(&c->lock);
		child_wake(c);
	}
	return NULL;
}

/* It stays a zombie until child_free(), so that its number and its group's remain its own. */
static void *wait_for_end(void *arg)
{
	struct child *c = arg;
	siginfo_t end = {0};

	while (waitid(P_PID, (id_t)c->pid, &end, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		continue;
	pthread_mutex_lock(&c->lock);
	c->end = end;
	c->ended = true;
	close_end(&c->hold);
	pthread_mutex_unlock(&c->lock);
	child_wake(c);
	return NULL;
}

static enum status begin(struct child *c, const struct child_options *o, struct error *e)
{
	enum status status = STATUS_OK;

	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake < 0 || c->stop < 0)
		return error_errno(e, STATUS_IO, errno, "cannot make an eventfd");
	if (o->trace_file)
		status = make_fifo(c, e);
	if (!status)
		status = copy_words(c, o, e);
	if (!status)
		status = spawn(c, o, e);
	if (status)
		return status;
	c->has_reader = thread_start(&c->reader, read_said, c) == 0;
	c->has_waiter = thread_start(&c->waiter, wait_for_end, c) == 0;
	if (!c->has_reader || !c->has_waiter)
		return error_set(e, STATUS_NOMEM, "cannot start a thread for the command");
	return STATUS_OK;
}

enum status child_start(struct child **out, const struct child_options *o, struct error *e)
{
	struct child *c = xcalloc(1, sizeof(*c));
	const char *slash = strrchr(o->argv[0], '/');
	enum status status;

	*out = NULL;
	c->trace = c->said = c->hold = c->wake = c->stop = -1;
	c->name = xstrdup(slash && slash[1] ? slash + 1 : o->argv[0]);
	pthread_mutex_init(&c->lock, NULL);
	status = begin(c, o, e);
	if (status)
		child_free(c);
	else
		*out = c;
	return status;
}

/* ---- ending ------------------------------------------------------------------------------ */

void child_end(struct child *c)
{
	const struct timespec nap = {0, 1000000L}; /* a millisecond */

	if (c->pid <= 0)
		return;
	kill(-c->pid, SIGTERM);
	kill(-c->pid, SIGCONT);
	for (int ms = 0; c->has_waiter && ms < CHILD_GRACE_MS && !child_ended(c); ms++)
		nanosleep(&nap, NULL);
	/* also what it left behind in its group */
	kill(-c->pid, SIGKILL);
	if (c->has_waiter)
		pthread_join(c->waiter, NULL);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	c->pid = 0;
}

void child_free(struct child *c)
{
	if (!c)
		return;
	child_end(c);
	if (c->has_reader) {
		eventfd_write(c->stop, 1);
		pthread_join(c->reader, NULL);
	}
	close_end(&c->trace);
	close_end(&c->said);
	close_end(&c->hold);
	close_end(&c->wake);
	close_end(&c->stop);
	if (c->fifo.len)
		unlink(sbuf_text(&c->fifo));
	if (c->folder.len)
		rmdir(sbuf_text(&c->folder));
	sbuf_free(&c->fifo);
	sbuf_free(&c->folder);
	for (char **word = c->argv; word && *word; word++)
		free(*word);
	free(c->argv);
	child_lines_free(&c->lines);
	pthread_mutex_destroy(&c->lock);
	free(c->name);
	free(c);
}

void child_stop(struct child *c, bool stopped)
{
	if (c->pid > 0 && !child_ended(c))
		kill(-c->pid, stopped ? SIGSTOP : SIGCONT);
}

/* ---- asking ------------------------------------------------------------------------------ */

static pthread_mutex_t *lock_of(const struct child *c)
{
	return (pthread_mutex_t *)(uintptr_t)&c->lock;
}

int child_take_trace(struct child *c)
{
	int fd = c->trace;

	c->trace = -1;
	return fd;
}

const char *child_name(const struct child *c)
{
	return c->name;
}

int child_wake_fd(const struct child *c)
{
	return c->wake;
}

void child_heard(struct child *c)
{
	eventfd_t ignored;

	eventfd_read(c->wake, &ignored);
}

bool child_ended(const struct child *c)
{
	bool ended;

	pthread_mutex_lock(lock_of(c));
	ended = c->ended;
	pthread_mutex_unlock(lock_of(c));
	return ended;
}

bool child_failed(const struct child *c)
{
	return child_ended(c) && (c->end.si_code != CLD_EXITED || c->end.si_status != 0);
}

void child_status(const struct child *c, struct sbuf *out)
{
	if (!child_ended(c))
		sbuf_puts(out, "running");
	else if (c->end.si_code == CLD_EXITED)
		sbuf_printf(out, "status %d", c->end.si_status);
	else
		sbuf_printf(out, "signal %d (%s)%s", c->end.si_status, strsignal(c->end.si_status),
			    c->end.si_code == CLD_DUMPED ? ", core dumped" : "");
}

void child_said(struct child *c, uint64_t *first, uint64_t *end)
{
	pthread_mutex_lock(&c->lock);
	child_lines_range(&c->lines, first, end);
	pthread_mutex_unlock(&c->lock);
}

bool child_line(struct child *c, uint64_t number, struct sbuf *out)
{
	bool ok;

	pthread_mutex_lock(&c->lock);
	ok = child_lines_get(&c->lines, number, out);
	pthread_mutex_unlock(&c->lock);
	return ok;
}
