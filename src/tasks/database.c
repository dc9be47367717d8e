/*
 * A database is given to SQLite as bytes in memory that are mapped from the file, so that SQLite
 * has nothing to open, to lock, to write or to look for beside it.
 */
#include "config.h"

#ifdef HAVE_SQLITE

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "source/tempfile.h"
#include "tasks/tasks_private.h"

enum { HEADER = 100, PAGE_SIZE = 16, JOURNAL_FORMATS = 18, PIECE = 4 << 20, COPY_TRIES = 3 };

struct database {
	sqlite3 *handle, *asking; /* of the reading thread; of everybody else */
	pthread_mutex_t lock;     /* of asking */
	struct source *source;
	struct source *copy; /* that is read instead, or NULL */
	struct window text;  /* all that is there */
};

static enum status refuse(const struct database *d, struct error *e, const char *why)
{
	return error_set(e, STATUS_INPUT, "%s: %s", source_path(d->source), why);
}

/* ---- bytes ---- */

static enum status no_room(const struct database *d, struct error *e)
{
	return error_errno(e, STATUS_IO, errno ? errno : ENOSPC,
			   "%s: no room for a copy of it: set TMPDIR to a folder with room",
			   source_path(d->source));
}

/* All of a packed text, or of a pipe, which then has its end. */
static enum status read_through(struct database *d, int fd, struct error *e)
{
	struct window w;
	uint64_t at = 0;
	enum status status;

	for (;;) {
		status = source_next(d->source, at, PIECE, &w, e);
		if (status || !w.len)
			return status;
		if (fd >= 0 && tempfile_write(fd, w.off, w.text, w.len) < w.len)
			status = no_room(d, e);
		at = w.off + w.len;
		source_release(d->source, &w);
		if (status)
			return status;
	}
}

/* gzip alone has no bytes in one piece when it was read through. */
static enum status unpack(struct database *d, struct error *e)
{
	bool packed = source_kind(d->source) == SOURCE_GZIP;
	int fd = packed ? tempfile_open() : -1;
	enum status status = packed && fd < 0 ? no_room(d, e) : STATUS_OK;

	if (!status && (packed || source_kind(d->source) != SOURCE_PLAIN || source_is_pipe(d->source)))
		status = read_through(d, fd, e);
	if (!status && packed)
		return source_open_fd(&d->copy, fd, source_path(d->source), e);
	if (fd >= 0)
		close(fd);
	return status;
}

static enum status map(struct database *d, struct error *e)
{
	struct source *s = d->copy ? d->copy : d->source;

	return source_map(s, 0, (size_t)source_size(s, NULL), &d->text, e);
}

/* ---- a journal beside it ---- */

static bool copy_file(const char *to_path, const char *from_path)
{
	int from = open(from_path, O_RDONLY | O_CLOEXEC), to;
	ssize_t got = -1;

	unlink(to_path); /* of a killed run that had our number */
	to = open(to_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (from >= 0 && to >= 0 && (got = sendfile(to, from, NULL, PIECE)) > 0)
		;
	if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return got == 0;
}

static bool copy_beside(const struct database *d, const char *path, const char *suffix)
{
	struct sbuf from = {0}, to = {0};
	bool ok;

	sbuf_printf(&from, "%s%s", source_path(d->source), suffix);
	sbuf_printf(&to, "%s%s", path, suffix);
	ok = copy_file(sbuf_text(&to), sbuf_text(&from));
	sbuf_free(&from);
	sbuf_free(&to);
	return ok;
}

/* The file and what lies beside it, as they were at one time, if the simulator leaves a moment. */
static bool copy_all(const struct database *d, const char *path)
{
	struct task_sidecar before[TASK_SIDECARS], after[TASK_SIDECARS];
	bool ok = false, same = false;

	for (int try = 0; try < COPY_TRIES && !same; try++) {
		task_sidecars_find(d->source, before);
		ok = copy_beside(d, path, "");
		for (int i = 0; ok && i < TASK_SIDECARS; i++)
			ok = !before[i].size || copy_beside(d, path, task_sidecars[i]);
		task_sidecars_find(d->source, after);
		same = memcmp(before, after, sizeof(before)) == 0;
	}
	return ok;
}

/* SQLite takes the journal back, or the log over; then all is in the one file. -1: it does not. */
static int recover(const char *path)
{
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), fd = -1;

	if (!rc)
		rc = sqlite3_exec(db, "pragma journal_mode = delete; select 1 from sqlite_schema",
				  NULL, NULL, NULL);
	sqlite3_close(db);
	if (!rc)
		fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static void remove_all(const char *path)
{
	static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
	struct sbuf name = {0};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		sbuf_clear(&name);
		sbuf_printf(&name, "%s%s", path, suffixes[i]);
		unlink(sbuf_text(&name));
	}
	sbuf_free(&name);
}

/* What the file lacks or has too much lies beside it: a copy gets that right. */
static enum status use_copy(struct database *d, const char *cache_dir, struct error *e)
{
	struct sbuf path = {0};
	int fd = -1;
	enum status status;

	errno = 0;
	if (!cachefile_copy(&path, cache_dir) || !copy_all(d, sbuf_text(&path)))
		status = error_errno(e, STATUS_IO, errno ? errno : ENOSPC,
				     "%s: a journal lies beside it, and both cannot be copied into "
				     "the cache folder",
				     source_path(d->source));
	else if ((fd = recover(sbuf_text(&path))) < 0)
		status = refuse(d, e, "its journal does not fit it: get both files again");
	else
		status = source_open_fd(&d->copy, fd, source_path(d->source), e);
	remove_all(sbuf_text(&path));
	sbuf_free(&path);
	return status;
}

/* ---- connections ---- */

/*
 * The header of one that was written with a write-ahead log asks for that log; all of it that
 * counts is in the database by now. The pages are private, the file is not touched.
 */
static bool forget_log(struct database *d)
{
	unsigned char *base = d->text.base;

	if (base[JOURNAL_FORMATS] != 2 && base[JOURNAL_FORMATS + 1] != 2)
		return true;
	if (mprotect(base, HEADER, PROT_READ | PROT_WRITE) != 0)
		return false;
	base[JOURNAL_FORMATS] = base[JOURNAL_FORMATS + 1] = 1;
	return mprotect(base, HEADER, PROT_READ) == 0;
}

/* What is there of a page that was cut would be taken for one with zeros in it. */
static size_t whole_pages(const struct database *d)
{
	const unsigned char *base = d->text.base;
	size_t page = (size_t)base[PAGE_SIZE] << 8 | base[PAGE_SIZE + 1];

	if (page == 1)
		page = 1 << 16;
	return page < 512 ? d->text.len : d->text.len / page * page;
}

/*
 * A damaged schema or a missing end do not keep what is there from being read; and nothing in the
 * schema runs.
 */
static sqlite3 *connect(struct database *d)
{
	sqlite3 *handle = NULL;
	sqlite3_int64 size = (sqlite3_int64)whole_pages(d);

	if (sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ||
	    sqlite3_deserialize(handle, "main", d->text.base, size, size,
				SQLITE_DESERIALIZE_READONLY)) {
		sqlite3_close(handle);
		return NULL;
	}
	sqlite3_db_config(handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_exec(handle, "pragma mmap_size = 1099511627776; pragma cell_size_check = on", NULL,
		     NULL, NULL);
	return handle;
}

enum status database_open(struct database **out, struct source *source, const char *cache_dir,
			  struct error *e)
{
	struct database *d = calloc(1, sizeof(*d));
	struct task_sidecar beside[TASK_SIDECARS];
	enum status status;

	if (!d)
		return error_set(e, STATUS_NOMEM, "out of memory");
	d->source = source;
	pthread_mutex_init(&d->lock, NULL);
	status = unpack(d, e);
	task_sidecars_find(source, beside);
	if (!status && (beside[0].size || beside[1].size))
		status = use_copy(d, cache_dir, e);
	if (!status)
		status = map(d, e);
	if (!status && (d->text.len < HEADER || !forget_log(d)))
		status = refuse(d, e, "cut within the first page of a database: get the file again");
	if (!status && !(d->handle = connect(d)))
		status = error_set(e, STATUS_NOMEM, "out of memory");
	if (status)
		database_close(d);
	else
		*out = d;
	return status;
}

void database_close(struct database *d)
{
	if (!d)
		return;
	if (d->asking) /* the only statement that is kept */
		sqlite3_finalize(sqlite3_next_stmt(d->asking, NULL));
	sqlite3_close(d->handle);
	sqlite3_close(d->asking);
	source_release(d->copy ? d->copy : d->source, &d->text);
	if (d->copy)
		source_close(d->copy);
	pthread_mutex_destroy(&d->lock);
	free(d);
}

sqlite3 *database_handle(struct database *d)
{
	return d->handle;
}

sqlite3 *database_ask(struct database *d)
{
	pthread_mutex_lock(&d->lock);
	if (!d->asking)
		d->asking = connect(d);
	if (d->asking)
		return d->asking;
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

void database_asked(struct database *d)
{
	pthread_mutex_unlock(&d->lock);
}

#endif
