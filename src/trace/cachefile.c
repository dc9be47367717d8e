#include "config.h"

#include "trace/cachefile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/vec.h"

static const char magic[16] = CACHE_MAGIC;

static void folder_name(struct sbuf *out, const char *dir)
{
	if (dir)
		sbuf_puts(out, dir);
	else
		path_of(out, PATH_CACHE, "index");
}

/* ---- one file ---------------------------------------------------------------------------- */

static void note(struct cachefile *f, const struct sbuf *path, int error)
{
	snprintf(f->note, sizeof(f->note), "index not cached: %s: %s", sbuf_text(path),
		 strerror(error));
}

static void close_fd(struct cachefile *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* Its path; empty: there is no folder. */
static void name_file(struct cachefile *f, const struct source *source, const char *dir)
{
	struct source_id id;
	int error;

	folder_name(&f->path, dir);
	if (f->path.len == 0)
		return;
	error = path_make(sbuf_text(&f->path));
	if (error) {
		note(f, &f->path, error);
		sbuf_clear(&f->path);
		return;
	}
	source_identity(source, &id);
	sbuf_printf(&f->path, "/%016llx%016llx.idx", (unsigned long long)id.dev,
		    (unsigned long long)id.ino);
}

static bool is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

bool cachefile_find(struct cachefile *f, const struct source *source,
		    const struct trace_options *options)
{
	const int64_t limit = options->settings ? options->settings->cache_limit : 0;
	struct stat st;

	*f = (struct cachefile){.fd = -1, .limit = limit ? limit : CACHE_LIMIT};
	name_file(f, source, options->cache_dir);
	if (f->path.len == 0)
		return false;
	f->fd = open(sbuf_text(&f->path), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return false;
	/* refused where there are no locks, or it is being removed: what is open can be read still */
	flock(f->fd, LOCK_SH | LOCK_NB);
	return fstat(f->fd, &st) == 0 && is_ours(&st) && !(st.st_mode & (S_IWGRP | S_IWOTH));
}

void cachefile_used(const struct cachefile *f)
{
	futimens(f->fd, NULL);
}

bool cachefile_begin(struct cachefile *f)
{
	static atomic_uint serial; /* one trace may be open twice in a process */

	close_fd(f);
	if (f->path.len == 0)
		return false;
	sbuf_puts(&f->temp, sbuf_text(&f->path));
	sbuf_printf(&f->temp, ".%ld.%u", (long)getpid(), atomic_fetch_add(&serial, 1));
	unlink(sbuf_text(&f->temp)); /* of a killed run that had our number */
	f->fd = open(sbuf_text(&f->temp), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		     0600);
	if (f->fd < 0) {
		note(f, &f->temp, errno);
		sbuf_clear(&f->temp);
		return false;
	}
	/* the lock first: without the magic nobody removes it */
	flock(f->fd, LOCK_SH | LOCK_NB);
	if (pwrite(f->fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic))
		return true;
	cachefile_discard(f, errno ? errno : ENOSPC);
	close_fd(f);
	return false;
}

bool cachefile_keep(struct cachefile *f, bool summed)
{
	struct sbuf dir = {0};
	struct cache_swept swept;

	if ((!summed && fsync(f->fd) != 0) ||
	    rename(sbuf_text(&f->temp), sbuf_text(&f->path)) != 0) {
		cachefile_discard(f, errno);
		return false;
	}
	sbuf_clear(&f->temp);
	sbuf_add(&dir, sbuf_text(&f->path),
		 (size_t)(strrchr(sbuf_text(&f->path), '/') - sbuf_text(&f->path)));
	cachefile_sweep(sbuf_text(&dir), f->limit, &swept, NULL);
	sbuf_free(&dir);
	return true;
}

void cachefile_discard(struct cachefile *f, int error)
{
	if (error)
		note(f, &f->path, error);
	if (f->temp.len)
		unlink(sbuf_text(&f->temp));
	sbuf_clear(&f->temp);
}

void cachefile_close(struct cachefile *f)
{
	cachefile_discard(f, 0);
	close_fd(f);
	sbuf_free(&f->path);
	sbuf_free(&f->temp);
}

bool cachefile_copy(struct sbuf *path, const char *dir)
{
	static atomic_uint serial;

	folder_name(path, dir);
	errno = path->len ? path_make(sbuf_text(path)) : ENOENT;
	sbuf_printf(path, "/copy.%ld.%u", (long)getpid(), atomic_fetch_add(&serial, 1));
	return !errno;
}

/* ---- the folder -------------------------------------------------------------------------- */

struct found {
	char name[80];
	bool unfinished;
	struct timespec used;
	int64_t bytes;
};

typedef VEC(struct found) found_vec;

/* Behind ".PID.SERIAL"; NULL: there is none. */
static const char *skip_owner(const char *p, long *pid)
{
	char *end;

	if (*p != '.' || !isdigit((unsigned char)p[1]))
		return NULL;
	*pid = strtol(p + 1, &end, 10);
	if (*end != '.' || !isdigit((unsigned char)end[1]))
		return NULL;
	return end + 1 + strspn(end + 1, "0123456789");
}

static bool is_copy(const char *name)
{
	return strncmp(name, "copy", 4) == 0;
}

/*
 * 32 digits of device and inode, ".idx"; unfinished: ".PID.SERIAL" too. Or a copy that no living
 * process has.
 */
static bool is_cache_name(const char *name, bool *unfinished)
{
	const char *p;
	long pid;

	*unfinished = true;
	if (is_copy(name)) {
		p = skip_owner(name + 4, &pid);
		return p && (!*p || *p == '-') && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
	}
	if (strspn(name, "0123456789abcdef") != 32 || strncmp(name + 32, ".idx", 4) != 0)
		return false;
	*unfinished = name[36];
	p = skip_owner(name + 36, &pid);
	return !name[36] || (p && !*p);
}

static bool list_folder(DIR *dir, found_vec *out, int64_t *total)
{
	struct dirent *entry;

	while ((entry = readdir(dir))) {
		struct found f = {.name = ""};
		struct stat st;

		if (strlen(entry->d_name) >= sizeof(f.name) ||
		    !is_cache_name(entry->d_name, &f.unfinished) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
		    !is_ours(&st))
			continue;
		strcpy(f.name, entry->d_name);
		f.used = st.st_mtim;
		f.bytes = st.st_size;
		*total += f.bytes;
		if (!vec_push(out, f))
			return false;
	}
	return true;
}

/* What killed runs left first, then by the time of its last use. */
static int compare_found(const void *left, const void *right)
{
	const struct found *a = left, *b = right;

	if (a->unfinished != b->unfinished)
		return a->unfinished ? -1 : 1;
	if (a->used.tv_sec != b->used.tv_sec)
		return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
	if (a->used.tv_nsec != b->used.tv_nsec)
		return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* What is open now is looked at, and not what had that name before. */
static bool remove_file(int dir, const struct found *f, struct cache_swept *out)
{
	int fd = openat(dir, f->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char start[sizeof(magic)];
	struct stat st, named;
	bool ok = false;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && is_ours(&st) && st.st_nlink == 1 &&
	    (is_copy(f->name) || (pread(fd, start, sizeof(start), 0) == (ssize_t)sizeof(start) &&
				  memcmp(start, magic, sizeof(magic)) == 0))) {
		if (flock(fd, LOCK_EX | LOCK_NB) != 0)
			out->in_use++;
		else
			ok = fstatat(dir, f->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			     named.st_dev == st.st_dev && named.st_ino == st.st_ino &&
			     unlinkat(dir, f->name, 0) == 0;
	}
	close(fd);
	if (ok) {
		out->files++;
		out->bytes += (uint64_t)st.st_size;
	}
	return ok;
}

static enum status sweep(DIR *dir, int64_t limit, struct cache_swept *out, struct error *e)
{
	enum status status = STATUS_OK;
	found_vec files = {0};
	int64_t total = 0;

	flock(dirfd(dir), LOCK_EX); /* two who sweep at once would remove twice as much */
	if (!list_folder(dir, &files, &total)) {
		status = error_set(e, STATUS_NOMEM, "out of memory");
	} else if (files.count) {
		qsort(files.data, files.count, sizeof(*files.data), compare_found);
		for (size_t i = 0; i < files.count; i++) {
			const struct found *f = &files.data[i];

			if (!f->unfinished && total <= limit)
				break;
			if (remove_file(dirfd(dir), f, out))
				total -= f->bytes;
		}
	}
	vec_free(&files);
	return status;
}

enum status cachefile_sweep(const char *dir, int64_t limit, struct cache_swept *out,
			    struct error *e)
{
	enum status status = STATUS_OK;
	struct sbuf path = {0};
	struct stat st;
	DIR *folder;
	int fd;

	*out = (struct cache_swept){0};
	folder_name(&path, dir);
	fd = open(sbuf_text(&path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	folder = fd < 0 ? NULL : fdopendir(fd);
	if (folder && fstat(fd, &st) == 0 && st.st_uid == geteuid())
		status = sweep(folder, limit, out, e);
	else if (folder || errno != ENOENT)
		status = error_errno(e, STATUS_IO, folder ? EPERM : errno, "%s", sbuf_text(&path));
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	sbuf_free(&path);
	return status;
}
