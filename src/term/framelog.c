#include "config.h"

#include "term/framelog.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int64_t framelog_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void framelog_open(struct framelog *l)
{
	const char *path = getenv("PIPEGLASS_FRAME_LOG");

	*l = (struct framelog){.fd = -1, .read_at_rest = UINT64_MAX};
	if (path && *path)
		l->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);
}

void framelog_close(struct framelog *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* A log that takes no more is given up. */
static void put(struct framelog *l, const char *line, int len)
{
	if (write(l->fd, line, (size_t)len) != len)
		framelog_close(l);
}

void framelog_frame(struct framelog *l, int64_t at, int64_t key_at, size_t bytes, uint64_t writes,
		    bool dropped)
{
	char line[128];

	if (l->fd >= 0)
		put(l, line,
		    snprintf(line, sizeof(line),
			     "frame %" PRId64 " %" PRId64 " %zu %" PRIu64 " %d\n", at,
			     key_at ? at - key_at : -1, bytes, writes, dropped));
}

void framelog_idle(struct framelog *l, uint64_t read, uint64_t written)
{
	char line[96];

	if (l->fd < 0 || (written == l->written_at_rest && read == l->read_at_rest))
		return;
	l->written_at_rest = written;
	l->read_at_rest = read;
	put(l, line,
	    snprintf(line, sizeof(line), "idle %" PRId64 " %" PRIu64 " %" PRIu64 "\n",
		     framelog_now(), read, written));
}
