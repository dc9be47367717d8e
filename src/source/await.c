#include "config.h"

#include "source/await.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/watch.h"

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

enum await_kind await_kind(const char *path)
{
	bool standard = is_standard_input(path);
	struct stat st;
	if ((standard ? fstat(STDIN_FILENO, &st) : stat(path, &st)) != 0)
		return AWAIT_NOTHING;
	if (S_ISFIFO(st.st_mode) || (standard && S_ISSOCK(st.st_mode)))
		return AWAIT_PIPE;
	return S_ISREG(st.st_mode) && st.st_size == 0 && !standard ? AWAIT_FILE : AWAIT_NOTHING;
}

enum status await_open_pipe(const char *path, int *fd, struct error *e)
{
	/* without O_NONBLOCK, opening a FIFO waits for a writer */
	*fd = is_standard_input(path) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
				      : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	return *fd >= 0 ? STATUS_OK : error_errno(e, STATUS_INPUT, errno, "%s", path);
}

static bool is_readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	return poll(&p, 1, 0) > 0;
}

/* A FIFO that no writer has opened yet has no end either: poll() sleeps. */
static void await_pipe(int fd, int stop)
{
	struct pollfd fds[] = {{.fd = stop, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
}

static bool is_begun(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > 0);
}

static void await_file(const char *path, int stop)
{
	while (!is_begun(path) && !is_readable(stop)) {
		/* each time anew: the name may have come to mean another file */
		int watch = watch_open(path);
		if (!is_begun(path))
			watch_wait(watch, stop);
		if (watch >= 0)
			close(watch);
	}
}

enum status await_bytes(const char *path, int fd, int stop, struct error *e)
{
	if (fd >= 0)
		await_pipe(fd, stop);
	else
		await_file(path, stop);
	return is_readable(stop) ? error_set(e, STATUS_INTERRUPTED, "%s: was not waited for", path)
				 : STATUS_OK;
}
