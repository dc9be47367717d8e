/*
 * A database is given to SQLite as bytes in memory that are mapped from the file, so that SQLite
 * has nothing to open, to lock, to write or to look for beside it.
 */
#include "config.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tasks/tasks_private.h"

enum { HEADER = 100, JOURNAL_FORMATS = 18 };

struct database {
	sqlite3 *handle;
	struct source *source;
	struct window text;
};

sqlite3 *database_handle(struct database *d)
{
	return d->handle;
}

/* All of the source as one stretch of memory. */
static enum status map(struct database *d, struct error *e)
{
	bool final;
	uint64_t size = source_size(d->source, &final);

	return source_map(d->source, 0, (size_t)size, &d->text, e);
}

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

/* A damaged schema or a missing end do not keep what is there from being read. */
static enum status connect(struct database *d, struct error *e)
{
	unsigned char *base = d->text.base;
	sqlite3_int64 size = (sqlite3_int64)d->text.len;
	int rc = sqlite3_open_v2(":memory:", &d->handle,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL);

	if (!rc)
		rc = sqlite3_deserialize(d->handle, "main", base, size, size,
					 SQLITE_DESERIALIZE_READONLY);
	if (rc)
		return error_set(e, STATUS_NOMEM, "%s: %s", source_path(d->source),
				 sqlite3_errstr(rc));
	sqlite3_db_config(d->handle, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
	sqlite3_db_config(d->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(d->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(d->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_exec(d->handle, "pragma mmap_size = 1099511627776", NULL, NULL, NULL);
	return STATUS_OK;
}

enum status database_open(struct database **out, struct tasks *t, struct error *e)
{
	struct database *d = calloc(1, sizeof(*d));
	enum status status;

	if (!d)
		return error_set(e, STATUS_NOMEM, "out of memory");
	d->source = t->lines.trace.source;
	status = map(d, e);
	if (!status && (d->text.len < HEADER || !forget_log(d)))
		status = error_set(e, STATUS_INPUT, "%s: not a whole page of a database",
				   source_path(d->source));
	if (!status)
		status = connect(d, e);
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
	sqlite3_close(d->handle);
	source_release(d->source, &d->text);
	free(d);
}

#endif
