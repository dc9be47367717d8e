#include "config.h"

#include "source/internal.h"

#include <stdlib.h>
#include <unistd.h>

enum { EDGE = 64 << 10 };

struct identity {
	pthread_mutex_t lock;
	struct source_id id;
	bool replaced;
};

/* FNV-1a: whoever forges it deceives only themselves, and it must not differ from run to run. */
static uint64_t edge_hash(uint64_t hash, const unsigned char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 0x100000001b3u;
	return hash;
}

static bool hash_edges(int fd, uint64_t size, uint64_t *hash)
{
	unsigned char *edge = malloc(EDGE);
	if (!edge)
		return false;
	size_t len = size < EDGE ? (size_t)size : EDGE;
	uint64_t h = 0xcbf29ce484222325u;
	bool whole = true;
	const uint64_t starts[] = {0, size - len};
	for (int i = 0; whole && i < 2; i++) {
		int64_t got = read_at(fd, starts[i], edge, len);
		whole = got == (int64_t)len;
		if (whole)
			h = edge_hash(h, edge, len);
	}
	free(edge);
	*hash = h;
	return whole;
}

static int64_t stat_mtime_ns(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

enum status identity_new(struct source *s, const struct stat *st, struct error *e)
{
	struct identity *known = calloc(1, sizeof(*known));
	if (!known)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	s->identity = known;
	pthread_mutex_init(&known->lock, NULL);
	known->id.dev = (uint64_t)st->st_dev;
	known->id.ino = (uint64_t)st->st_ino;
	if (s->spool)
		return STATUS_OK;
	known->id.size = (uint64_t)st->st_size;
	known->id.mtime_ns = stat_mtime_ns(st);
	if (!hash_edges(s->fd, known->id.size, &known->id.edge_hash))
		return error_set(e, STATUS_IO, "%s: cannot be read to its end", s->shown);
	return STATUS_OK;
}

void identity_free(struct source *s)
{
	if (s->identity)
		pthread_mutex_destroy(&s->identity->lock);
	free(s->identity);
}

void source_identity(const struct source *s, struct source_id *id)
{
	pthread_mutex_lock(&s->identity->lock);
	*id = s->identity->id;
	pthread_mutex_unlock(&s->identity->lock);
	if (!s->spool)
		return;
	id->size = atomic_load(&s->file_size);
	if (!hash_edges(s->fd, id->size, &id->edge_hash))
		id->edge_hash = 0;
}

/* A path that names nothing any more is no change: the open file is still all there. */
static bool path_moved_on(const struct source *s)
{
	const struct identity *known = s->identity;
	struct stat named;
	return s->named && stat(s->path, &named) == 0 &&
	       ((uint64_t)named.st_dev != known->id.dev || (uint64_t)named.st_ino != known->id.ino);
}

/* What was seen is the beginning of what is there now, as far as its edges tell. */
static bool same_beginning(const struct source *s)
{
	uint64_t hash;
	return hash_edges(s->fd, s->identity->id.size, &hash) && hash == s->identity->id.edge_hash;
}

static enum source_change change_kind(const struct source *s, const struct stat *st)
{
	const struct source_id *id = &s->identity->id;
	if (s->identity->replaced || path_moved_on(s))
		return SOURCE_REPLACED;
	uint64_t size = (uint64_t)st->st_size;
	if (size < id->size)
		return SOURCE_TRUNCATED;
	if (size == id->size && stat_mtime_ns(st) == id->mtime_ns)
		return SOURCE_SAME;
	if (!same_beginning(s))
		return SOURCE_REPLACED;
	return size > id->size ? SOURCE_GROWN : SOURCE_SAME;
}

static void identity_renew(struct source *s, const struct stat *st)
{
	struct source_id *id = &s->identity->id;
	id->size = (uint64_t)st->st_size;
	id->mtime_ns = stat_mtime_ns(st);
	if (!hash_edges(s->fd, id->size, &id->edge_hash))
		id->edge_hash = 0; /* it shrinks right now: the next check will tell */
	atomic_store(&s->file_size, id->size);
}

static enum source_change change_take(struct source *s, const struct stat *st)
{
	struct identity *known = s->identity;
	enum source_change change = change_kind(s, st);
	if (change == SOURCE_REPLACED) {
		/* who follows wants the last words of a file that was moved away */
		if (!known->replaced && follow_on(s) && (uint64_t)st->st_size > known->id.size &&
		    same_beginning(s))
			identity_renew(s, st);
		known->replaced = true;
	} else if (change != SOURCE_SAME || stat_mtime_ns(st) != known->id.mtime_ns) {
		identity_renew(s, st);
	}
	return change;
}

enum source_change source_check(struct source *s)
{
	struct stat st;
	enum source_change change = SOURCE_SAME;
	if (s->spool)
		return change;
	/* within the lock: an older size than the last one seen would look like a cut */
	pthread_mutex_lock(&s->identity->lock);
	if (fstat(s->fd, &st) == 0)
		change = change_take(s, &st);
	pthread_mutex_unlock(&s->identity->lock);
	follow_note(s, change);
	return change;
}
