#include "config.h"

#include "cmd/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_secure(void)
{
	const char *secure = getenv("PIPEGLASS_SECURE");

	return secure && *secure && strcmp(secure, "0") != 0;
}

/* Standard output may be the trace too, by >>: it would grow as it is read. */
bool newfile_is_trace(int fd, const char *trace)
{
	struct stat a, b;
	bool known = strcmp(trace, "-") == 0 ? fstat(STDIN_FILENO, &b) == 0 : stat(trace, &b) == 0;

	return known && fstat(fd, &a) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static bool is_input(int fd, const struct cmd_options *o)
{
	for (size_t i = 0; i < o->files.count; i++)
		if (newfile_is_trace(fd, o->files.data[i]))
			return true;
	return false;
}

/* A file that is replaced is emptied only when it is sure not to be the trace. */
static enum status open_file(const char *path, const struct cmd_options *o, int *fd,
			     struct error *e)
{
	enum status status = STATUS_OK;

	*fd = open(path,
		   O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (o->force ? 0 : O_EXCL), 0666);
	if (*fd < 0 && errno == EEXIST)
		return error_set(e, STATUS_IO, "%s exists: --force replaces it", path);
	if (*fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (is_input(*fd, o))
		status = error_set(e, STATUS_USAGE, "%s is the trace: pipeglass never writes to it",
				   path);
	else if (o->force && ftruncate(*fd, 0) < 0 && errno != EINVAL)
		status = error_errno(e, STATUS_IO, errno, "%s", path);
	if (status)
		close(*fd);
	return status;
}

enum status newfile_open(FILE **stream, const char *path, const char *option,
			 const struct cmd_options *o, struct error *e)
{
	enum status status;
	int fd;

	if (is_secure())
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables %s", option);
	status = open_file(path, o, &fd, e);
	if (status)
		return status;
	*stream = fdopen(fd, "w");
	if (*stream)
		return STATUS_OK;
	status = error_errno(e, STATUS_IO, errno, "%s", path);
	close(fd);
	return status;
}

enum status newfile_close(FILE *stream, const char *path, const struct cmd_options *o,
			  enum status status, struct error *e)
{
	if (fclose(stream) != 0 && !status)
		status = error_errno(e, STATUS_IO, errno, "%s", path);
	if (status && !o->force)
		unlink(path);
	return status;
}
