#include "config.h"

#include "app/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

static const char *const standard_files[LINES_FILES] = {
    [LINES_CONFIG] = "config",
    [LINES_KEYS] = "keys",
};

bool lines_user_file(enum lines_file which, const char *asked, struct sbuf *path)
{
	if (asked) {
		sbuf_puts(path, asked);
		return which == LINES_CONFIG && strcmp(asked, "none") != 0;
	}
	path_of(path, PATH_CONFIG, standard_files[which]);
	return path->len && access(sbuf_text(path), F_OK) == 0;
}

static enum status read_open(int fd, const char *path, struct sbuf *out, struct error *e)
{
	char buf[8192];
	struct stat st;
	ssize_t n = 0;

	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return error_set(e, STATUS_IO, "%s is a directory", path);
	while (out->len < LINES_BYTES && (n = read(fd, buf, sizeof(buf))) > 0)
		sbuf_add(out, buf, (size_t)n);
	if (n < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	if (out->len >= LINES_BYTES)
		return error_set(e, STATUS_USAGE, "%s is too long for a file of commands", path);
	return out->failed ? error_set(e, STATUS_NOMEM, "out of memory") : STATUS_OK;
}

enum status lines_read(const char *path, struct sbuf *out, struct error *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	enum status status;

	if (fd < 0)
		return error_errno(e, STATUS_IO, errno, "%s", path);
	status = read_open(fd, path, out, e);
	close(fd);
	return status;
}

enum status lines_check_depth(const char *name, int depth, struct error *e)
{
	if (depth < LINES_DEPTH)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: source is nested more than %d deep", name,
			 LINES_DEPTH);
}

enum status lines_each(const char *text, size_t len, lines_fn *fn, void *arg, struct error *e)
{
	struct sbuf line = {0};
	bool more = true;

	for (size_t at = 0, number = 1; more && at < len; number++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - (text + at)) : len - at;
		const char *p;

		sbuf_clear(&line);
		sbuf_add(&line, text + at, n && text[at + n - 1] == '\r' ? n - 1 : n);
		if (line.failed)
			break;
		p = sbuf_text(&line);
		p += strspn(p, " \t");
		if (*p && *p != '#')
			more = fn(arg, (int)number, p);
		at += n + 1;
	}
	more = !line.failed;
	sbuf_free(&line);
	return more ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}
