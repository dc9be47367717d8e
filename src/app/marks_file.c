#include "config.h"

#include "app/places.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"

/* One line a mark: KEY LETTER ROW TICK; the newest at the end. */
enum { KEY_LEN = 32, LINE_LEN = 96 };

static void make_key(const struct source_id *id, char key[KEY_LEN + 1])
{
	snprintf(key, KEY_LEN + 1, "%016" PRIx64 "%016" PRIx64, id->edge_hash, id->size);
}

static FILE *open_own(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    !(f = fdopen(fd, "r"))) {
		close(fd);
		return NULL;
	}
	return f;
}

static void load_line(struct places *p, const char *line, const char *key)
{
	char letter;
	uint64_t row;
	int64_t tick;

	if (strncmp(line, key, KEY_LEN) == 0 &&
	    sscanf(line + KEY_LEN, " %c %" SCNu64 " %" SCNd64, &letter, &row, &tick) == 3)
		places_mark(p, letter, row, tick);
}

void places_load(struct places *p, const struct source_id *id)
{
	struct sbuf path = {0};
	char key[KEY_LEN + 1];
	char line[LINE_LEN];
	FILE *f;

	make_key(id, key);
	path_of(&path, PATH_STATE, "marks");
	f = path.len ? open_own(path.text) : NULL;
	while (f && fgets(line, sizeof(line), f))
		load_line(p, line, key);
	if (f)
		fclose(f);
	sbuf_free(&path);
	p->newest = '\0';
}

/* What other traces have, the newest of it; then ours. */
static void compose(struct sbuf *out, FILE *old, const struct places *p, const char *key)
{
	char line[LINE_LEN];
	size_t lines = 0, skip;
	const char *from;

	while (old && fgets(line, sizeof(line), old)) {
		if (strncmp(line, key, KEY_LEN) == 0 || !strchr(line, '\n'))
			continue;
		sbuf_puts(out, line);
		lines++;
	}
	skip =
	    lines + p->mark_count > MARK_FILE_LINES ? lines + p->mark_count - MARK_FILE_LINES : 0;
	for (from = sbuf_text(out); skip > 0; skip--)
		from = strchr(from, '\n') + 1;
	if (out->len) {
		out->len -= (size_t)(from - out->text);
		memmove(out->text, from, out->len + 1);
	}
	for (size_t i = 0; i < p->mark_count; i++)
		sbuf_printf(out, "%s %c %" PRIu64 " %" PRId64 "\n", key, p->marks[i].letter,
			    p->marks[i].at.item, p->marks[i].at.tick);
}

static enum status replace_file(const char *path, const struct sbuf *text, struct error *e)
{
	struct sbuf temporary = {0};
	enum status status = STATUS_OK;
	int fd;

	sbuf_printf(&temporary, "%s.XXXXXX", path);
	if (text->failed || temporary.failed) {
		sbuf_free(&temporary);
		return error_set(e, STATUS_NOMEM, "out of memory");
	}
	fd = mkostemp(temporary.text, O_CLOEXEC);
	if (fd < 0) {
		status = error_errno(e, STATUS_IO, errno, "%s", temporary.text);
	} else {
		bool written = write(fd, sbuf_text(text), text->len) == (ssize_t)text->len;

		if (close(fd) < 0 || !written || rename(temporary.text, path) < 0) {
			status = error_errno(e, STATUS_IO, errno, "%s", path);
			unlink(temporary.text);
		}
	}
	sbuf_free(&temporary);
	return status;
}

enum status places_save(const struct places *p, const struct source_id *id, struct error *e)
{
	struct sbuf path = {0}, dir = {0}, text = {0};
	char key[KEY_LEN + 1];
	enum status status = STATUS_OK;
	int errnum;
	FILE *old;

	make_key(id, key);
	path_of(&dir, PATH_STATE, "");
	path_of(&path, PATH_STATE, "marks");
	if (!dir.len || !path.len)
		goto done;
	errnum = path_make(dir.text);
	if (errnum) {
		status = error_errno(e, STATUS_IO, errnum, "marks are not kept: %s", dir.text);
		goto done;
	}
	old = open_own(path.text);
	compose(&text, old, p, key);
	if (old)
		fclose(old);
	status = replace_file(path.text, &text, e);
done:
	sbuf_free(&path);
	sbuf_free(&dir);
	sbuf_free(&text);
	return status;
}
