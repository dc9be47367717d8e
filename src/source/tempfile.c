#include "config.h"

#include "source/tempfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int open_in(const char *dir)
{
	int fd = open(dir, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	char name[4096];
	int len = snprintf(name, sizeof(name), "%s/pipeglass-XXXXXX", dir);
	if (len < 0 || (size_t)len >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int tempfile_open(void)
{
	const char *own = getenv("TMPDIR");
	const char *const dirs[] = {own && own[0] == '/' ? own : "/var/tmp", "/var/tmp", "/tmp"};
	int fd = -1;
	for (size_t i = 0; fd < 0 && i < sizeof(dirs) / sizeof(dirs[0]); i++)
		fd = open_in(dirs[i]);
	return fd;
}

size_t tempfile_write(int fd, uint64_t off, const void *from, size_t len)
{
	size_t put = 0;
	while (put < len) {
		ssize_t n = pwrite(fd, (const char *)from + put, len - put, (off_t)(off + put));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		put += (size_t)n;
	}
	return put;
}
