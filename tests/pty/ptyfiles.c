#include "config.h"

#include "ptyfiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/sbuf.h"

enum { LINE_BYTES = 2048 };

bool ptyfiles_fifo(struct ptyfiles *f, const char *path)
{
	int fd;

	if (f->count == FIFOS_MOST || mkfifo(path, 0600) < 0)
		return false;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	snprintf(f->fifos[f->count].path, sizeof(f->fifos[0].path), "%s", path);
	f->fifos[f->count++].fd = fd;
	return true;
}

bool ptyfiles_close(struct ptyfiles *f, const char *path)
{
	for (int i = 0; i < f->count; i++)
		if (strcmp(f->fifos[i].path, path) == 0) {
			close(f->fifos[i].fd);
			f->fifos[i] = f->fifos[--f->count];
			return true;
		}
	return false;
}

void ptyfiles_end(struct ptyfiles *f)
{
	while (f->count)
		close(f->fifos[--f->count].fd);
}

static bool read_lines(const char *source, int first, int last, struct sbuf *out)
{
	gzFile from = gzopen(source, "rb");
	char line[LINE_BYTES];

	for (int n = 1; from && n <= last && gzgets(from, line, sizeof(line)); n++)
		if (n >= first)
			sbuf_puts(out, line);
	if (from)
		gzclose(from);
	return out->len > 0;
}

bool ptyfiles_append(const char *path, int first, int last, const char *source)
{
	int to = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	struct sbuf text = {0};
	bool right = to >= 0 && read_lines(source, first, last, &text) &&
		     write(to, text.text, text.len) == (ssize_t)text.len;

	sbuf_free(&text);
	if (to >= 0)
		close(to);
	return right;
}
