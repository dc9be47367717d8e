#include "config.h"

#include "cmd/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"

static bool same_file(const struct stat *a, const char *trace)
{
	struct stat b;
	bool known = strcmp(trace, "-") == 0 ? fstat(STDIN_FILENO, &b) == 0 : stat(trace, &b) == 0;

	return known && S_ISREG(a->st_mode) && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* Standard output may be the trace too, by >>: it would grow as it is read. */
bool newfile_is_trace(int fd, const char *trace)
{
	struct stat st;

	return fstat(fd, &st) == 0 && same_file(&st, trace);
}

/* ---- what is not finished when a signal ends the program ---- */

static const char *volatile unfinished;

static void on_end(int sig)
{
	unlink(unfinished);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A signal that is ignored stays so. */
static void handle(void (*handler)(int))
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (signal(ends[i], handler) == SIG_IGN)
			signal(ends[i], SIG_IGN);
}

/* ---- the file ---- */

static enum status exists(const char *path, struct error *e)
{
	return error_set(e, STATUS_IO, "%s exists: --force replaces it", path);
}

/* May it be made, or replaced? */
static enum status check(const char *path, const struct cmd_options *o, struct error *e)
{
	struct stat st;

	if (lstat(path, &st) == 0 && !o->force)
		return exists(path, e);
	if (stat(path, &st) != 0)
		return STATUS_OK;
	for (size_t i = 0; i < o->files.count; i++)
		if (same_file(&st, o->files.data[i]))
			return error_set(e, STATUS_USAGE,
					 "%s is the trace: pipeglass never writes to it", path);
	return S_ISREG(st.st_mode)
		   ? STATUS_OK
		   : error_set(e, STATUS_USAGE, "%s is no regular file: it is not replaced", path);
}

static void forget(struct newfile *f)
{
	handle(SIG_DFL);
	sbuf_free(&f->part);
}

/* The name until then is below some folder: it means nothing else to SQLite (":memory:"). */
enum status newfile_open(struct newfile *f, const char *path, const char *option,
			 const struct cmd_options *o, struct error *e)
{
	enum status status;
	int fd;

	if (app_is_secure())
		return error_set(e, STATUS_UNSUPPORTED, "PIPEGLASS_SECURE disables %s", option);
	status = check(path, o, e);
	if (status)
		return status;
	*f = (struct newfile){.path = path};
	sbuf_printf(&f->part, "%s%s.%ld.part", *path == '/' ? "" : "./", path, (long)getpid());
	unfinished = sbuf_text(&f->part);
	handle(on_end);
	fd = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	f->stream = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (f->stream)
		return STATUS_OK;
	status = error_errno(e, STATUS_IO, errno, "%s", path);
	forget(f);
	return status;
}

const char *newfile_name(const struct newfile *f)
{
	return sbuf_text(&f->part);
}

/* It gets its name. */
static enum status finish(const struct newfile *f, const struct cmd_options *o, struct error *e)
{
	struct stat st;

	if (!o->force && lstat(f->path, &st) == 0)
		return exists(f->path, e);
	return rename(newfile_name(f), f->path) == 0
		   ? STATUS_OK
		   : error_errno(e, STATUS_IO, errno, "%s", f->path);
}

enum status newfile_close(struct newfile *f, const struct cmd_options *o, enum status status,
			  struct error *e)
{
	if (fclose(f->stream) != 0 && !status)
		status = error_errno(e, STATUS_IO, errno, "%s", f->path);
	if (!status)
		status = finish(f, o, e);
	if (status)
		unlink(newfile_name(f));
	forget(f);
	return status;
}
