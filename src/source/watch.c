#include "config.h"

#include "source/watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Networks and replaced files send no event, so there is a look now and then all the same. */
enum { LOOK_MS = 1000, LOOK_BLIND_MS = 250, EVENTS_LEN = 4096 };

int watch_open(const char *path)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd >= 0 && inotify_add_watch(
			   fd, path, IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF) < 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void watch_drain(int fd)
{
	char events[EVENTS_LEN];
	while (fd >= 0 && read(fd, events, sizeof(events)) == (ssize_t)sizeof(events))
		;
}

void watch_wait(int watch, int wake)
{
	struct pollfd fds[] = {{.fd = wake, .events = POLLIN}, {.fd = watch, .events = POLLIN}};
	poll(fds, 2, watch >= 0 ? LOOK_MS : LOOK_BLIND_MS);
	watch_drain(watch);
}
