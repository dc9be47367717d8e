#include "config.h"

#include "base/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file that has grown longer is begun again, with the entries that are known. */
enum { FILE_MAX_BYTES = 1 << 20 };

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

static bool begins(const struct history *h, size_t age, const struct history_walk *w)
{
	return strncmp(history_get(h, age), w->draft, w->prefix) == 0;
}

/* The next entry at age or older (newer) that begins so; HISTORY_NONE when there is none. */
static size_t older(const struct history *h, size_t age, const struct history_walk *w)
{
	while (age < h->count && !begins(h, age, w))
		age++;
	return age < h->count ? age : HISTORY_NONE;
}

static size_t newer(const struct history *h, size_t age, const struct history_walk *w)
{
	for (age++; age-- > 0;)
		if (begins(h, age, w))
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
	size_t age = older(h, w->age + 1, w);

	/* an entry equal to the draft would look as if the key did nothing */
	if (age != HISTORY_NONE && w->age == HISTORY_NONE && !strcmp(history_get(h, age), w->draft))
		age = older(h, age + 1, w);
	if (age == HISTORY_NONE)
		return NULL;
	w->age = age;
	return history_get(h, age);
}

const char *history_walk_newer(struct history_walk *w, const struct history *h)
{
	if (w->age == HISTORY_NONE)
		return NULL;
	w->age = w->age ? newer(h, w->age - 1, w) : HISTORY_NONE;
	return w->age == HISTORY_NONE ? w->draft : history_get(h, w->age);
}

/* What a completed file name can hold, but no line of a file. */
static bool has_control(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	return false;
}

/* A regular file, not through a link: a fifo would block, a device might never end. */
static enum status open_regular(const char *path, int flags, FILE **file, off_t *size,
				struct error *e)
{
	int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	struct stat info;

	*file = NULL;
	if (fd < 0 && errno == ENOENT && !(flags & O_CREAT))
		return STATUS_OK;
	if (fd < 0)
		return error_errno(e, errno == ELOOP ? STATUS_UNSUPPORTED : STATUS_IO, errno,
				   "cannot open %s", path);
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
		close(fd);
		return error_set(e, STATUS_UNSUPPORTED, "%s: not a regular file", path);
	}
	*size = info.st_size;
	*file = fdopen(fd, flags & O_APPEND ? "a" : "r");
	if (*file)
		return STATUS_OK;
	close(fd);
	return error_set(e, STATUS_NOMEM, "out of memory");
}

/* The newest part of it is enough; what it begins within is no line. */
static enum status load_lines(struct history *h, FILE *file, off_t size, struct error *e)
{
	bool whole = size <= FILE_MAX_BYTES;
	enum status status = STATUS_OK;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!whole)
		fseeko(file, size - FILE_MAX_BYTES, SEEK_SET);
	while (status == STATUS_OK && (len = getline(&line, &room, file)) > 0) {
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (whole && strlen(line) == (size_t)len && !has_control(line) &&
		    !add_entry(h, line, false))
			status = error_set(e, STATUS_NOMEM, "out of memory");
		whole = true;
	}
	free(line);
	return status;
}

enum status history_load(struct history *h, const char *path, struct error *e)
{
	off_t size;
	FILE *file;
	enum status status = open_regular(path, O_RDONLY, &file, &size, e);

	if (status != STATUS_OK || !file)
		return status;
	status = load_lines(h, file, size, e);
	if (status == STATUS_OK && ferror(file))
		status = error_set(e, STATUS_IO, "cannot read %s", path);
	fclose(file);
	return status;
}

enum status history_save(struct history *h, const char *path, struct error *e)
{
	off_t size;
	FILE *file;
	enum status status = open_regular(path, O_WRONLY | O_APPEND | O_CREAT, &file, &size, e);
	bool again;

	if (status != STATUS_OK)
		return status;
	again = size > FILE_MAX_BYTES && ftruncate(fileno(file), 0) == 0;
	for (size_t i = 0; i < h->count; i++) {
		struct entry *entry = &h->entries[i];

		if ((again || entry->unsaved) && !has_control(entry->text))
			fprintf(file, "%s\n", entry->text);
		entry->unsaved = false;
	}
	return fclose(file) == 0 ? STATUS_OK
				 : error_errno(e, STATUS_IO, errno, "cannot write %s", path);
}
