/*
 * What the files of this room share and nobody else includes: the source itself, and the
 * functions by which source.c reaches plain and packed files, the spool and the following.
 */
#ifndef PIPEGLASS_SOURCE_INTERNAL_H
#define PIPEGLASS_SOURCE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "source/source.h"

enum window_how { WINDOW_NONE, WINDOW_MAP, WINDOW_HEAP };

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
	bool named;                 /* path names the file: it may come to name another */
	int fd;                     /* the file, or what the pipe is spooled into; -1: none */
	_Atomic uint64_t file_size; /* bytes in fd that may be read */
	_Atomic uint64_t done;      /* of them, consumed by the first pass */
	_Atomic uint64_t faults;
	atomic_bool interrupted;
	uint64_t last_off, last_end; /* the window that plain_next gave last */
	struct damages damage;
	struct identity *identity;
	struct spool *spool;       /* NULL: a regular file */
	struct packed *packed;     /* gzip; NULL: it is not */
	struct unpacked *unpacked; /* of a packing that is a stream; NULL: it is none */
	_Atomic(struct follow *) follow;
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
bool spool_wait_or(struct source *s, uint64_t beyond, atomic_bool *stop); /* of another thread */

/* follow.c */
void follow_free(struct source *s);
void follow_wake(struct source *s); /* let follow_wait look at s->interrupted */
bool follow_on(const struct source *s);
void follow_note(struct source *s, enum source_change change);
/* Until there are more than `beyond` bytes, or nobody follows. Errors: see source_follow(). */
enum status follow_wait(struct source *s, uint64_t beyond, struct error *e);

/* Packed text without any is as empty as an empty file. */
enum status source_empty(const struct source *s, struct error *e);

/* packed.c */
enum status packed_new(struct source *s, struct error *e);
/* Wait for the first text; a packed file without any is as empty as an empty file. */
enum status packed_prime(struct source *s, struct error *e);
void packed_free(struct source *s);
enum status packed_next(struct source *s, uint64_t from, size_t want, struct window *w,
			struct error *e);
enum status packed_map(struct source *s, uint64_t off, size_t len, struct window *w,
		       struct error *e);
uint64_t packed_size(const struct source *s, bool *final);

/* What is saved of packed text: all that a pass finds out but for its access points. */
struct saved {
	uint64_t file_size, text_size;
	bool final, hard; /* hard: no further byte can change the text */
	enum damage damage;
	char text[DAMAGE_LEN];
};

bool packed_ended(const struct source *s); /* hard */
void packed_save(const struct source *s, struct sbuf *out);
/* False: not of this file. */
bool packed_restore(struct source *s, const struct saved *saved, const unsigned char *points,
		    size_t len);

/* unpacked.c */
struct unpacker;
enum status unpacked_start(struct source *s, const struct unpacker *how, struct error *e);
void unpacked_stop(struct source *s);
void unpacked_wake(struct source *s); /* let unpacked_wait look at the flag again */
/*
 * Until there are more than `beyond` bytes or there never will be; false: interrupted (NULL: it
 * cannot be).
 */
bool unpacked_wait(struct source *s, uint64_t beyond, atomic_bool *interrupted);
const struct unpacker *unpacked_how(const struct source *s);
int unpacked_fd(const struct source *s);
uint64_t unpacked_there(const struct source *s);
uint64_t unpacked_size(const struct source *s, bool *final); /* there, or promised */
uint64_t unpacked_progress(const struct source *s, uint64_t text); /* packed bytes of so much */
/* The size it will have in the end, known from before. False: it has more already. */
bool unpacked_promise(struct source *s, uint64_t size);

#endif
