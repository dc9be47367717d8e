#include "config.h"

#include "source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/internal.h"

enum { MAGIC_LEN = 6, SHOWN_LEN = 200, FRESH_LEAST = 64 << 10, WANT_MOST = 1 << 30 };

/* What is packed in a way that pipeglass does not read, and who unpacks it. */
static const struct packing {
	const char *magic;
	size_t len;
	const char *name, *tool;
} packings[] = {
    {"\xfd\x37zXZ", 5, "xz", "xz -dc"},          {"BZh", 3, "bzip2", "bzip2 -dc"},
    {"\x28\xb5\x2f\xfd", 4, "zstd", "zstd -dc"}, {"\x04\x22\x4d\x18", 4, "lz4", "lz4 -dc"},
    {"\x1f\x9d", 2, "compress", "gzip -dc"},     {"PK\x03\x04", 4, "zip", "unzip -p"},
};

static const char gzip_magic[] = "\x1f\x8b\x08";

static const struct file_kind {
	mode_t type;
	const char *refusal;
} refused_kinds[] = {
    {S_IFDIR, "is a directory: give the trace file itself"},
    {S_IFBLK, "is a block device: give a trace file"},
};

int64_t read_at(int fd, uint64_t off, void *to, size_t len)
{
	size_t got = 0;
	while (got < len) {
		ssize_t n = pread(fd, (char *)to + got, len - got, (off_t)(off + got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (int64_t)got;
}

/* How much to give beyond the previous window, so that a long line cannot stop the pass. */
size_t window_fresh(uint64_t tail, size_t want)
{
	size_t least = want < FRESH_LEAST ? want + !want : FRESH_LEAST;
	return tail < want && want - tail > least ? (size_t)(want - tail) : least;
}

/* Where the text of a damage goes; NULL: it was written before and stays. */
static char *damage_slot(struct damages *d, enum damage kind)
{
	if (kind == DAMAGE_CUT && d->cuts < DAMAGE_CUTS)
		return d->cut[d->cuts++];
	return d->text[kind][0] == '\0' ? d->text[kind] : NULL;
}

void damage_set(struct source *s, enum damage kind, const char *fmt, ...)
{
	struct damages *d = &s->damage;
	pthread_mutex_lock(&d->lock);
	if ((int)kind > atomic_load(&d->worst)) {
		atomic_store(&d->worst, (int)kind);
		char *text = damage_slot(d, kind);
		va_list ap;
		va_start(ap, fmt);
		if (text)
			vsnprintf(text, DAMAGE_LEN, fmt, ap);
		va_end(ap);
		atomic_store(&d->now, text ? text : d->text[kind]);
	}
	pthread_mutex_unlock(&d->lock);
}

void damage_uncut(struct source *s)
{
	struct damages *d = &s->damage;
	pthread_mutex_lock(&d->lock);
	if (atomic_load(&d->worst) == DAMAGE_CUT) {
		bool doubted = d->text[DAMAGE_CHECK][0] != '\0';
		atomic_store(&d->worst, doubted ? DAMAGE_CHECK : DAMAGE_NONE);
		atomic_store(&d->now, doubted ? d->text[DAMAGE_CHECK] : NULL);
	}
	pthread_mutex_unlock(&d->lock);
}

/* The end of a long path says more than its beginning. */
static char *shown_path(const char *path)
{
	char *shown = NULL;
	size_t len = strlen(path);
	if (strcmp(path, "-") == 0)
		return strdup("standard input");
	if (len <= SHOWN_LEN)
		return strdup(path);
	return asprintf(&shown, "...%s", path + len - SHOWN_LEN) < 0 ? NULL : shown;
}

static enum status kind_refused(const struct source *s, const struct stat *st, struct error *e)
{
	for (size_t i = 0; i < sizeof(refused_kinds) / sizeof(refused_kinds[0]); i++) {
		if ((st->st_mode & S_IFMT) == refused_kinds[i].type)
			return error_set(e, STATUS_INPUT, "%s: %s", s->shown,
					 refused_kinds[i].refusal);
	}
	return STATUS_OK;
}

static enum status open_path(struct source *s, int *fd, struct stat *st, struct error *e)
{
	bool standard = strcmp(s->path, "-") == 0;
	if (standard ? fstat(STDIN_FILENO, st) : stat(s->path, st))
		return error_set(e, STATUS_INPUT, "%s: %m: check its name and permissions",
				 s->shown);
	enum status status = kind_refused(s, st, e);
	if (status != STATUS_OK)
		return status;
	*fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
		       : open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd < 0 || fstat(*fd, st) != 0)
		return error_set(e, STATUS_INPUT, "%s: %m: check its name and permissions",
				 s->shown);
	if (isatty(*fd))
		return error_set(e, STATUS_INPUT, "%s: is a terminal: pipe a trace into it",
				 s->shown);
	/* the name may have come to mean something else since stat() */
	return kind_refused(s, st, e);
}

/* A file that somebody has begun to read, as in (read line; pipeglass -), goes on from there. */
static bool read_in_place(const struct source *s, int fd, const struct stat *st)
{
	return S_ISREG(st->st_mode) && (strcmp(s->path, "-") != 0 || lseek(fd, 0, SEEK_CUR) == 0);
}

static enum status open_bytes(struct source *s, struct error *e)
{
	int fd = -1;
	struct stat st;
	enum status status = open_path(s, &fd, &st, e);
	if (status == STATUS_OK && read_in_place(s, fd, &st)) {
		s->fd = fd;
		atomic_store(&s->file_size, (uint64_t)st.st_size);
	} else if (status == STATUS_OK) {
		status = spool_start(s, fd, e);
	} else if (fd >= 0) {
		close(fd);
	}
	if (status != STATUS_OK)
		return status;
	if (!spool_wait(s, 0))
		return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped", s->shown);
	if (atomic_load(&s->file_size) == 0) {
		const char *damage = source_damage(s);
		return error_set(e, STATUS_INPUT, "%s: %s; %s", s->shown, damage ? damage : "empty",
				 damage ? "get the file again"
					: "check what should have written the trace");
	}
	return identity_new(s, &st, e);
}

/* How many of the first bytes are there to tell the kind by; a pipe may dribble them. */
static size_t read_magic(struct source *s, char magic[MAGIC_LEN])
{
	int64_t got = 0;
	do {
		if (!spool_wait(s, (uint64_t)got))
			break;
		got = read_at(s->fd, 0, magic, MAGIC_LEN);
	} while (got > 0 && got < 3 && magic[0] == gzip_magic[0] && !spool_done(s));
	return got < 0 ? 0 : (size_t)got;
}

static enum status open_text(struct source *s, struct error *e)
{
	char magic[MAGIC_LEN] = {0};
	size_t len = read_magic(s, magic);
	for (size_t i = 0; i < sizeof(packings) / sizeof(packings[0]); i++) {
		const struct packing *p = &packings[i];
		if (len >= p->len && memcmp(magic, p->magic, p->len) == 0)
			return error_set(e, STATUS_INPUT,
					 "%s: is packed with %s: use %s FILE | pipeglass -",
					 s->shown, p->name, p->tool);
	}
	if (len < 3 || memcmp(magic, gzip_magic, 3) != 0)
		return STATUS_OK;
	enum status status = gzip_new(s, e);
	return status == STATUS_OK ? gzip_prime(s, e) : status;
}

enum status source_open(struct source **out, const char *path, struct error *e)
{
	*out = NULL;
	struct source *s = calloc(1, sizeof(*s));
	if (!s)
		return error_set(e, STATUS_NOMEM, "out of memory");
	s->fd = -1;
	pthread_mutex_init(&s->damage.lock, NULL);
	s->path = strdup(path);
	s->shown = shown_path(path);
	enum status status =
	    s->path && s->shown ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
	if (status == STATUS_OK)
		status = open_bytes(s, e);
	if (status == STATUS_OK)
		status = open_text(s, e);
	if (status != STATUS_OK)
		source_close(s);
	else
		*out = s;
	return status;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	spool_stop(s);
	gzip_free(s);
	identity_free(s);
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->damage.lock);
	free(s->path);
	free(s->shown);
	free(s);
}

const char *source_path(const struct source *s)
{
	return s->path;
}

enum source_kind source_kind(const struct source *s)
{
	return s->gzip ? SOURCE_GZIP : SOURCE_PLAIN;
}

bool source_is_pipe(const struct source *s)
{
	return s->spool != NULL;
}

uint64_t source_size(const struct source *s, bool *final)
{
	if (s->gzip)
		return gzip_size(s, final);
	/* asked in this order, a spool that ends in between cannot make a short size final */
	bool done = spool_done(s);
	if (final)
		*final = done;
	return atomic_load(&s->file_size);
}

void source_progress(const struct source *s, uint64_t *done, uint64_t *total)
{
	*done = atomic_load(&s->done);
	*total = atomic_load(&s->file_size);
}

static void window_empty(struct window *w, uint64_t off)
{
	*w = (struct window){.text = "", .off = off, .how = WINDOW_NONE};
}

enum status source_next(struct source *s, uint64_t from, size_t want, struct window *w,
			struct error *e)
{
	window_empty(w, from);
	if (atomic_exchange(&s->interrupted, false))
		return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped", s->shown);
	if (want > WANT_MOST)
		want = WANT_MOST;
	return s->gzip ? gzip_next(s, from, want, w, e) : plain_next(s, from, want, w, e);
}

void source_interrupt(struct source *s)
{
	atomic_store(&s->interrupted, true);
	spool_wake(s);
}

enum status source_map(struct source *s, uint64_t off, size_t len, struct window *w,
		       struct error *e)
{
	window_empty(w, off);
	return s->gzip ? gzip_map(s, off, len, w, e) : plain_map(s, off, len, w, e);
}

void source_release(struct source *s, struct window *w)
{
	switch ((enum window_how)w->how) {
	case WINDOW_NONE:
		break;
	case WINDOW_MAP:
		window_unmap(w);
		break;
	case WINDOW_HEAP:
		free(w->base);
		break;
	case WINDOW_POOL:
		gzip_release(s, w);
		break;
	}
	window_empty(w, w->off);
}

const char *source_damage(const struct source *s)
{
	return atomic_load(&s->damage.now);
}

uint64_t source_faults(const struct source *s)
{
	return atomic_load(&s->faults);
}
