/*
 * What the files of this room share and nobody else includes: the source itself, and the
 * functions by which source.c reaches the two kinds and the spool.
 */
#ifndef PIPEGLASS_SOURCE_INTERNAL_H
#define PIPEGLASS_SOURCE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "source/source.h"

enum window_how { WINDOW_NONE, WINDOW_MAP, WINDOW_HEAP, WINDOW_POOL };

/* What is wrong with the text, worst last; a worse one replaces what was known. */
enum damage { DAMAGE_NONE, DAMAGE_TAIL, DAMAGE_CHECK, DAMAGE_CUT, DAMAGE_BROKEN, DAMAGE_SPOOL };
enum { DAMAGE_KINDS = DAMAGE_SPOOL + 1, DAMAGE_CUTS = 8, DAMAGE_LEN = 160 };

/* Every text is written once, before `now` points to it, so readers need no lock. */
struct damages {
	pthread_mutex_t lock;
	atomic_int worst; /* enum damage */
	_Atomic(const char *) now;
	char text[DAMAGE_KINDS][DAMAGE_LEN];
	char cut[DAMAGE_CUTS][DAMAGE_LEN]; /* a growing file is cut again and again */
	size_t cuts;
};

struct source {
	char *path;
	char *shown;                /* for messages: shortened, "standard input" for "-" */
	int fd;                     /* the file, or what the pipe is spooled into; -1: none */
	_Atomic uint64_t file_size; /* bytes in fd that may be read */
	_Atomic uint64_t done;      /* of them, consumed by the first pass */
	_Atomic uint64_t faults;
	atomic_bool interrupted;
	uint64_t last_off, last_end; /* the window that plain_next gave last */
	struct damages damage;
	struct identity *identity;
	struct spool *spool; /* NULL: a regular file */
	struct gzip *gzip;   /* NULL: plain */
};

/* source.c */
void damage_set(struct source *s, enum damage kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void damage_uncut(struct source *s); /* the stream went on: forget DAMAGE_CUT */
size_t window_fresh(uint64_t tail, size_t want);
/* All of [off, off + len) that the file has; less only at its end. -1: errno. */
int64_t read_at(int fd, uint64_t off, void *to, size_t len);

/* identity.c */
enum status identity_new(struct source *s, const struct stat *st, struct error *e);
void identity_free(struct source *s);

/* plain.c */
enum status plain_next(struct source *s, uint64_t from, size_t want, struct window *w,
		       struct error *e);
enum status plain_map(struct source *s, uint64_t off, size_t len, struct window *w,
		      struct error *e);

void window_unmap(struct window *w);

/* pipe.c: takes fd over, also when it fails */
enum status spool_start(struct source *s, int fd, struct error *e);
void spool_stop(struct source *s);
void spool_wake(struct source *s); /* let spool_wait look at s->interrupted */
bool spool_done(const struct source *s);
/* Until there are more than `beyond` bytes or there never will be; false: interrupted. */
bool spool_wait(struct source *s, uint64_t beyond);

/* gzip.c */
enum status gzip_new(struct source *s, struct error *e);
/* Wait for the first text; a gzip file without any is as empty as an empty file. */
enum status gzip_prime(struct source *s, struct error *e);
void gzip_free(struct source *s);
enum status gzip_next(struct source *s, uint64_t from, size_t want, struct window *w,
		      struct error *e);
enum status gzip_map(struct source *s, uint64_t off, size_t len, struct window *w, struct error *e);
void gzip_release(struct source *s, struct window *w);
uint64_t gzip_size(const struct source *s, bool *final);

#endif
