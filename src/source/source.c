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
#include "source/unpacker.h"

enum { MAGIC_LEN = 6, SHOWN_LEN = 200, FRESH_LEAST = 64 << 10, WANT_MOST = 1 << 30 };

/* Packed files by their first bytes: how pipeglass reads them, or else who unpacks them. */
static const struct magic {
	const char *bytes;
	size_t len;
	unsigned char mask; /* of the first byte */
	const char *name, *tool;
	enum source_kind kind; /* SOURCE_PLAIN: not by pipeglass */
	const struct unpacker *unpacker;
} magics[] = {
    {"\x1f\x8b\x08", 3, 0xff, "gzip", "gzip -dc", SOURCE_GZIP, NULL},
#ifdef HAVE_ZSTD
    {"\x28\xb5\x2f\xfd", 4, 0xff, "zstd", "zstd -dc", SOURCE_ZSTD, &unpacker_zstd},
    {"\x50\x2a\x4d\x18", 4, 0xf0, "zstd", "zstd -dc", SOURCE_ZSTD, &unpacker_zstd}, /* a skippable frame */
#else
    {"\x28\xb5\x2f\xfd", 4, 0xff, "zstd (libzstd was missing when pipeglass was built)", "zstd -dc",
     SOURCE_PLAIN, NULL},
    {"\x50\x2a\x4d\x18", 4, 0xf0, "zstd (libzstd was missing when pipeglass was built)", "zstd -dc",
     SOURCE_PLAIN, NULL},
#endif
#ifdef HAVE_LZMA
    {"\xfd\x37zXZ", 6, 0xff, "xz", "xz -dc", SOURCE_XZ, &unpacker_xz},
#else
    {"\xfd\x37zXZ", 6, 0xff, "xz (liblzma was missing when pipeglass was built)", "xz -dc",
     SOURCE_PLAIN, NULL},
#endif
    {"BZh", 3, 0xff, "bzip2", "bzip2 -dc", SOURCE_PLAIN, NULL},
    {"\x04\x22\x4d\x18", 4, 0xff, "lz4", "lz4 -dc", SOURCE_PLAIN, NULL},
    {"\x1f\x9d", 2, 0xff, "compress", "gzip -dc", SOURCE_PLAIN, NULL},
    {"PK\x03\x04", 4, 0xff, "zip", "unzip -p", SOURCE_PLAIN, NULL},
};

static const struct file_kind {
	mode_t type;
	const char *refusal;
} refused_kinds[] = {
    {S_IFDIR, "is a directory: give the file itself"},
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

/* What is behind fd may be read at all. */
static enum status fd_fits(const struct source *s, int fd, struct stat *st, struct error *e)
{
	if (fd < 0 || fstat(fd, st) != 0)
		return error_set(e, STATUS_INPUT, "%s: %m: check its name and permissions",
				 s->shown);
	if (isatty(fd))
		return error_set(e, STATUS_INPUT, "%s: is a terminal: pipe a trace into it",
				 s->shown);
	return kind_refused(s, st, e);
}

static enum status open_path(struct source *s, int *fd, struct stat *st, struct error *e)
{
	if (!s->named) {
		*fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd_fits(s, *fd, st, e);
	}
	if (stat(s->path, st) != 0)
		return error_set(e, STATUS_INPUT, "%s: %m: check its name and permissions",
				 s->shown);
	enum status status = kind_refused(s, st, e);
	if (status != STATUS_OK)
		return status;
	*fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	/* the name may have come to mean something else since stat() */
	return fd_fits(s, *fd, st, e);
}

/* A file that somebody has begun to read, as in (read line; pipeglass -), goes on from there. */
static bool read_in_place(const struct source *s, int fd, const struct stat *st)
{
	return S_ISREG(st->st_mode) && (s->named || lseek(fd, 0, SEEK_CUR) == 0);
}

enum status source_empty(const struct source *s, struct error *e)
{
	const char *damage = source_damage(s);
	return error_set(e, STATUS_INPUT, "%s: %s; %s", s->shown, damage ? damage : "empty",
			 damage ? "get the file again" : "check the program that wrote it");
}

/* Takes fd over. */
static enum status open_bytes(struct source *s, int fd, const struct stat *st, struct error *e)
{
	enum status status = STATUS_OK;
	if (read_in_place(s, fd, st)) {
		s->fd = fd;
		atomic_store(&s->file_size, (uint64_t)st->st_size);
	} else {
		status = spool_start(s, fd, e);
	}
	if (status != STATUS_OK)
		return status;
	if (!spool_wait(s, 0))
		return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped", s->shown);
	if (atomic_load(&s->file_size) == 0)
		return source_empty(s, e);
	return identity_new(s, st, e);
}

/* Do the first len bytes go with m as far as both reach? */
static bool magic_agrees(const struct magic *m, const char *first, size_t len)
{
	size_t both = len < m->len ? len : m->len;
	return both > 0 && ((first[0] ^ m->bytes[0]) & m->mask) == 0 &&
	       memcmp(first + 1, m->bytes + 1, both - 1) == 0;
}

/* The magic of the text, NULL: none; undecided: more bytes would tell. */
static const struct magic *magic_find(const char *first, size_t len, bool *undecided)
{
	*undecided = false;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		if (!magic_agrees(&magics[i], first, len))
			continue;
		if (len >= magics[i].len)
			return &magics[i];
		*undecided = true;
	}
	return NULL;
}

/* A pipe may dribble its first bytes. */
static const struct magic *read_magic(struct source *s)
{
	char first[MAGIC_LEN];
	const struct magic *found = NULL;
	int64_t got = 0;
	bool undecided = true, done = false;
	while (undecided && !done && spool_wait(s, (uint64_t)got)) {
		done = spool_done(s); /* asked before the bytes it speaks of */
		got = read_at(s->fd, 0, first, MAGIC_LEN);
		found = magic_find(first, got > 0 ? (size_t)got : 0, &undecided);
	}
	return found;
}

static enum status open_unpacked(struct source *s, const struct unpacker *how, struct error *e)
{
	enum status status = unpacked_start(s, how, e);
	if (status != STATUS_OK)
		return status;
	if (!unpacked_wait(s, 0, &s->interrupted))
		return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped", s->shown);
	return unpacked_size(s, NULL) ? STATUS_OK : source_empty(s, e);
}

static enum status open_text(struct source *s, struct error *e)
{
	const struct magic *m = read_magic(s);
	if (!m)
		return STATUS_OK;
	if (m->unpacker)
		return open_unpacked(s, m->unpacker, e);
	if (m->kind != SOURCE_GZIP)
		return error_set(e, STATUS_INPUT, "%s: %s is not supported: %s FILE | pipeglass -",
				 s->shown, m->name, m->tool);
	enum status status = packed_new(s, e);
	return status == STATUS_OK ? packed_prime(s, e) : status;
}

/* named: name is a path. */
static enum status source_new(struct source **out, const char *name, bool named, struct error *e)
{
	struct source *s = calloc(1, sizeof(*s));
	*out = s;
	if (!s)
		return error_set(e, STATUS_NOMEM, "out of memory");
	s->fd = -1;
	s->named = named;
	pthread_mutex_init(&s->damage.lock, NULL);
	s->path = strdup(name);
	s->shown = shown_path(name);
	return s->path && s->shown ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}

/* Takes fd over; fd_status tells whether it fits. */
static enum status open_rest(struct source **out, int fd, const struct stat *st,
			     enum status fd_status, struct error *e)
{
	struct source *s = *out;
	enum status status = fd_status;
	if (status == STATUS_OK)
		status = open_bytes(s, fd, st, e);
	else if (fd >= 0)
		close(fd);
	if (status == STATUS_OK)
		status = open_text(s, e);
	if (status != STATUS_OK) {
		source_close(s);
		*out = NULL;
	}
	return status;
}

enum status source_open(struct source **out, const char *path, struct error *e)
{
	return source_open_head(out, path, INT64_MAX, e);
}

enum status source_open_head(struct source **out, const char *path, int64_t most, struct error *e)
{
	int fd = -1;
	struct stat st;
	enum status status = source_new(out, path, strcmp(path, "-") != 0, e);
	if (status == STATUS_OK)
		status = open_path(*out, &fd, &st, e);
	if (status == STATUS_OK && S_ISREG(st.st_mode) && st.st_size > most)
		st.st_size = most;
	return open_rest(out, fd, &st, status, e);
}

enum status source_open_fd(struct source **out, int fd, const char *name, struct error *e)
{
	struct stat st;
	enum status status = source_new(out, name, false, e);
	if (status == STATUS_OK)
		status = fd_fits(*out, fd, &st, e);
	return open_rest(out, fd, &st, status, e);
}

void source_close(struct source *s)
{
	if (!s)
		return;
	unpacked_stop(s); /* it waits for the spool */
	spool_stop(s);
	packed_free(s);
	follow_free(s);
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
	if (s->unpacked)
		return unpacked_how(s)->kind;
	return s->packed ? SOURCE_GZIP : SOURCE_PLAIN;
}

bool source_is_pipe(const struct source *s)
{
	return s->spool != NULL;
}

uint64_t source_size(const struct source *s, bool *final)
{
	if (s->packed)
		return packed_size(s, final);
	if (s->unpacked)
		return unpacked_size(s, final);
	/* asked in this order, a spool that ends in between cannot make a short size final */
	bool done = spool_done(s);
	if (final)
		*final = done && !follow_on(s);
	return atomic_load(&s->file_size);
}

void source_progress(const struct source *s, uint64_t *done, uint64_t *total)
{
	*done = atomic_load(&s->done);
	if (s->unpacked)
		*done = unpacked_progress(s, *done);
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
	return s->packed ? packed_next(s, from, want, w, e) : plain_next(s, from, want, w, e);
}

void source_interrupt(struct source *s)
{
	atomic_store(&s->interrupted, true);
	spool_wake(s);
	unpacked_wake(s);
	follow_wake(s);
}

enum status source_map(struct source *s, uint64_t off, size_t len, struct window *w,
		       struct error *e)
{
	window_empty(w, off);
	return s->packed ? packed_map(s, off, len, w, e) : plain_map(s, off, len, w, e);
}

size_t source_read(const struct source *s, uint64_t off, char *to, size_t len)
{
	uint64_t size = s->packed || s->unpacked ? 0 : atomic_load(&s->file_size);
	if (off >= size)
		return 0;
	int64_t got = read_at(s->fd, off, to, len < size - off ? len : (size_t)(size - off));
	return got > 0 ? (size_t)got : 0;
}

void source_release(struct source *s, struct window *w)
{
	(void)s; /* whose windows are all by themselves */
	switch ((enum window_how)w->how) {
	case WINDOW_NONE:
		break;
	case WINDOW_MAP:
		window_unmap(w);
		break;
	case WINDOW_HEAP:
		free(w->base);
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
