#include "config.h"

#include "base/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sbuf.h"

/* A file of ours is at most HISTORY_MAX lines of escaped bytes; beyond that we stop reading. */
enum { FILE_MAX_BYTES = HISTORY_MAX * (4 * LINE_MAX_BYTES + 1) };

struct entry {
	char *text;
	bool unsaved;
};

struct history {
	struct entry entries[HISTORY_MAX]; /* oldest first */
	size_t count;
};

struct history *history_new(void)
{
	return calloc(1, sizeof(struct history));
}

void history_free(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->count; i++)
		free(h->entries[i].text);
	free(h);
}

size_t history_count(const struct history *h)
{
	return h->count;
}

const char *history_get(const struct history *h, size_t age)
{
	return age < h->count ? h->entries[h->count - 1 - age].text : NULL;
}

static void remove_at(struct history *h, size_t i)
{
	free(h->entries[i].text);
	h->count--;
	memmove(&h->entries[i], &h->entries[i + 1], (h->count - i) * sizeof(h->entries[0]));
}

static bool add_entry(struct history *h, const char *text, bool unsaved)
{
	char *copy;

	if (!text[strspn(text, " \t\r\n")] || strlen(text) > LINE_MAX_BYTES)
		return true;
	copy = strdup(text);
	if (!copy)
		return false;
	for (size_t i = h->count; i-- > 0;)
		if (strcmp(h->entries[i].text, text) == 0)
			remove_at(h, i);
	if (h->count == HISTORY_MAX)
		remove_at(h, 0);
	h->entries[h->count++] = (struct entry){copy, unsaved};
	return true;
}

bool history_add(struct history *h, const char *text)
{
	return add_entry(h, text, true);
}

static bool fits(const char *entry, enum history_how how, const char *text, size_t len)
{
	if (how == HISTORY_PREFIX)
		return strncmp(entry, text, len) == 0;
	return memmem(entry, strlen(entry), text, len) != NULL;
}

size_t history_older(const struct history *h, size_t age, enum history_how how, const char *text,
		     size_t len)
{
	for (; age < h->count; age++)
		if (fits(history_get(h, age), how, text, len))
			return age;
	return HISTORY_NONE;
}

size_t history_newer(const struct history *h, size_t age, enum history_how how, const char *text,
		     size_t len)
{
	if (age >= h->count)
		return HISTORY_NONE;
	for (age++; age-- > 0;)
		if (fits(history_get(h, age), how, text, len))
			return age;
	return HISTORY_NONE;
}

void history_walk_begin(struct history_walk *w, const struct lineedit *line)
{
	memcpy(w->draft, line->text, line->len + 1);
	w->prefix = line->cursor;
	w->age = HISTORY_NONE;
}

const char *history_walk_older(struct history_walk *w, const struct history *h)
{
	/* HISTORY_NONE + 1 is 0: from the draft the walk goes to the newest */
	size_t age = history_older(h, w->age + 1, HISTORY_PREFIX, w->draft, w->prefix);

	/* an entry equal to the draft would look as if the key did nothing */
	if (age != HISTORY_NONE && w->age == HISTORY_NONE && !strcmp(history_get(h, age), w->draft))
		age = history_older(h, age + 1, HISTORY_PREFIX, w->draft, w->prefix);
	if (age == HISTORY_NONE)
		return NULL;
	w->age = age;
	return history_get(h, age);
}

const char *history_walk_newer(struct history_walk *w, const struct history *h)
{
	if (w->age == HISTORY_NONE)
		return NULL;
	w->age = w->age ? history_newer(h, w->age - 1, HISTORY_PREFIX, w->draft, w->prefix)
			: HISTORY_NONE;
	return w->age == HISTORY_NONE ? w->draft : history_get(h, w->age);
}

static void escape(struct sbuf *out, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '\\')
			sbuf_puts(out, "\\\\");
		else if (c < 0x20 || c == 0x7f)
			sbuf_printf(out, "\\x%02x", c);
		else
			sbuf_putc(out, *text);
	}
	sbuf_putc(out, '\n');
}

/* In place: what is read is never longer than what was written. Unknown escapes stay. */
static void unescape(char *text)
{
	char *to = text;

	while (*text) {
		unsigned value;

		if (text[0] == '\\' && text[1] == '\\') {
			*to++ = '\\';
			text += 2;
		} else if (text[0] == '\\' && text[1] == 'x' &&
			   strspn(text + 2, "0123456789abcdef") >= 2 &&
			   sscanf(text + 2, "%2x", &value) == 1 && value) {
			*to++ = (char)value;
			text += 4;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/*
 * One line into buf of size bytes, without its newline; false at the end. A line that is too
 * long, or holds a NUL, comes out empty.
 */
static bool read_line(FILE *file, char *buf, size_t size, size_t *budget)
{
	bool good = true;
	size_t len = 0;
	int c = EOF;

	for (; *budget; --*budget) {
		c = getc(file);
		if (c == EOF || c == '\n')
			break;
		good = good && c && len + 1 < size;
		if (good)
			buf[len++] = (char)c;
	}
	buf[good ? len : 0] = '\0';
	return c == '\n' && --*budget;
}

/* A regular file, not through a link: a fifo would block, a device might never end. */
static enum status open_regular(const char *path, FILE **file, struct error *e)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat info;

	*file = NULL;
	if (fd < 0 && errno == ENOENT)
		return STATUS_OK;
	if (fd < 0)
		return error_errno(e, errno == ELOOP ? STATUS_UNSUPPORTED : STATUS_IO, errno,
				   "cannot read %s", path);
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		return error_set(e, STATUS_UNSUPPORTED, "%s: not a regular file", path);
	}
	*file = fdopen(fd, "r");
	if (*file)
		return STATUS_OK;
	close(fd);
	return error_set(e, STATUS_NOMEM, "out of memory");
}

enum status history_load(struct history *h, const char *path, struct error *e)
{
	size_t size = 4 * LINE_MAX_BYTES + 1, budget = FILE_MAX_BYTES;
	enum status status;
	char *line;
	FILE *file;
	bool more = true;

	status = open_regular(path, &file, e);
	if (status != STATUS_OK || !file)
		return status;
	line = malloc(size);
	if (!line)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	while (status == STATUS_OK && more) {
		more = read_line(file, line, size, &budget);
		unescape(line);
		if (!add_entry(h, line, false))
			status = error_set(e, STATUS_NOMEM, "out of memory");
	}
	if (status == STATUS_OK && ferror(file))
		status = error_set(e, STATUS_IO, "cannot read %s", path);
	free(line);
	fclose(file);
	return status;
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
	return fsync(fd) < 0 ? errno : 0;
}

/* Whole or not at all: written beside the file, then renamed over it. */
static enum status replace_file(const char *path, const struct sbuf *text, struct error *e)
{
	struct sbuf beside = {0};
	int fd, failed = 0;

	sbuf_printf(&beside, "%s.XXXXXX", path);
	if (text->failed || beside.failed) {
		sbuf_free(&beside);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	fd = mkostemp(beside.text, O_CLOEXEC); /* 0600 */
	if (fd < 0) {
		failed = errno;
	} else {
		failed = write_all(fd, sbuf_text(text), text->len);
		if (close(fd) < 0 && !failed)
			failed = errno;
		if (!failed && rename(beside.text, path) < 0)
			failed = errno;
		if (failed)
			unlink(beside.text);
	}
	sbuf_free(&beside);
	return failed ? error_errno(e, STATUS_IO, failed, "cannot write %s", path) : STATUS_OK;
}

enum status history_save(struct history *h, const char *path, struct error *e)
{
	struct history *merged = history_new();
	struct sbuf text = {0};
	enum status status;

	if (!merged)
		return error_set(e, STATUS_NOMEM, "out of memory");
	status = history_load(merged, path, e);
	for (size_t i = 0; i < h->count && status == STATUS_OK; i++)
		if (h->entries[i].unsaved && !add_entry(merged, h->entries[i].text, false))
			status = error_set(e, STATUS_NOMEM, "out of memory");
	if (status == STATUS_OK) {
		for (size_t i = 0; i < merged->count; i++)
			escape(&text, merged->entries[i].text);
		status = replace_file(path, &text, e);
	}
	for (size_t i = 0; i < h->count && status == STATUS_OK; i++)
		h->entries[i].unsaved = false;
	sbuf_free(&text);
	history_free(merged);
	return status;
}
