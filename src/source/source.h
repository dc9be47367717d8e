/*
 * Bytes of a trace, wherever they come from.
 *
 * A source is a plain file (read through bounded mmap windows), a gzip file (inflated with
 * access points about every 4 MiB, so that any place is reached by inflating at most that
 * much), a zstd or xz file (unpacked once, by a thread, into an unlinked temporary file, which is
 * read as a plain one while it grows), or a pipe (spooled into such a file, then one of the three).
 * Offsets are those of the uncompressed text. The file is never written to. It may shrink, grow or be replaced
 * while open: pages that vanish read as zero bytes (SIGBUS is caught and counted),
 * source_check() tells, and source_follow() goes on with what is appended.
 *
 * Memory: one window a caller, plus 32 KiB (deflated) an access point and the cache of random
 * access, at most some 20 MB together (zstd: the window of its frames, 8 MiB at level 19;
 * xz: 64 MiB at level 9): beyond some 7 GB of text every other access point of a gzip file goes, and again each time that doubles. All calls may come from several
 * threads at once, except source_next(), which belongs to one.
 */
#ifndef PIPEGLASS_SOURCE_SOURCE_H
#define PIPEGLASS_SOURCE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"

enum source_kind { SOURCE_PLAIN, SOURCE_GZIP, SOURCE_ZSTD, SOURCE_XZ };

struct source;

/*
 * Bytes [off, off + len) of the text. Valid until source_release(), which may come from any
 * thread, but before source_close(). No NUL follows.
 */
struct window {
	const char *text;
	uint64_t off;
	size_t len;
	/* private */
	void *base;
	size_t base_len;
	int how;
};

/*
 * What tells this file from another and from itself before a change. Of a pipe: size and hash
 * of what has come so far, mtime_ns 0.
 */
struct source_id {
	uint64_t dev, ino, size;
	int64_t mtime_ns;
	uint64_t edge_hash; /* of the first and last 64 KiB of the file's own (compressed) bytes */
};

enum source_change { SOURCE_SAME, SOURCE_GROWN, SOURCE_TRUNCATED, SOURCE_REPLACED };

/*
 * Open path ("-": standard input). Errors, each one clear line: not there, a directory, a
 * terminal, not readable, packed with something else, empty (also when only the text within
 * packed data is), zstd frames and xz streams that need more than 128 MiB of memory, zstd frames
 * that need a dictionary. gzip, zstd and xz are recognised by magic, not by name. A pipe is read to
 * its end by a thread of its own; opening waits for its first bytes (packed: of text) only.
 */
enum status source_open(struct source **out, const char *path, struct error *e);
/* For a short look: of a regular file only the first `most` bytes, packed ones if it is packed. */
enum status source_open_head(struct source **out, const char *path, int64_t most, struct error *e);

/*
 * The same for a descriptor that is open already, as the pipe of a child process; name is for
 * messages and source_path(). Takes fd over, also when it fails. A regular file that nobody has
 * begun to read is read in place, anything else is a pipe.
 */
enum status source_open_fd(struct source **out, int fd, const char *name, struct error *e);
void source_close(struct source *s);

const char *source_path(const struct source *s); /* as given; hostile */
enum source_kind source_kind(const struct source *s);
bool source_is_pipe(const struct source *s);
void source_identity(const struct source *s, struct source_id *id);

/*
 * Bytes of text known to exist, and whether that is final. Of a packed file the size is known
 * only after the first pass, of zstd and xz once it is unpacked (or from what source_load_points()
 * got); *final is false until then, and while a plain file is followed.
 */
uint64_t source_size(const struct source *s, bool *final);

/* File bytes (of a packed file packed ones) consumed so far by source_next and in all: progress. */
void source_progress(const struct source *s, uint64_t *done, uint64_t *total);

/*
 * The first pass, front to back. Yields the text from `from` on, at most about `want` bytes
 * (more than 0 unless at the end: then w->len = 0). `from` is 0 at first, then inside the
 * previous window or at its end, so that a caller can cut at a line of its choice and see
 * the rest again. Waits for more when the source is a pipe still being written, or a followed
 * file (returns STATUS_INTERRUPTED after source_interrupt()). While it runs, access points are
 * made. A damaged or cut packed stream ends the text where it broke; source_damage() tells.
 *
 * A window reaches beyond the end of the previous one (by 64 KiB or `want` at least, however
 * long the line before it), unless the text ends there: so one that does not is the last
 * line, unfinished. After source_check() said SOURCE_GROWN the pass goes on from that end.
 * It may also start elsewhere, as after source_load_points(); packed text is then
 * unpacked from the access point before. Best with `want` of 1 to 4 MiB.
 */
enum status source_next(struct source *s, uint64_t from, size_t want, struct window *w,
			struct error *e);

/* The source_next() that waits now, or else the next one, returns STATUS_INTERRUPTED; once. */
void source_interrupt(struct source *s);

/*
 * Random access: up to len bytes from off, clipped at the known end (w->len = 0 beyond it).
 * Plain: one mmap, O(1). gzip: O(4 MiB) inflated at worst, with a small shared cache of recently
 * unpacked stretches; reading on from there costs what is read. zstd and xz: one mmap, but text
 * that is known only from source_load_points() is waited for until it is unpacked: some 600 MB a
 * second of zstd, 120 of xz (measured on 200 MB packed by xz -T0, with both cores busy).
 * STATUS_IO, or less than was asked for, when a packed file is not what it was.
 */
enum status source_map(struct source *s, uint64_t off, size_t len, struct window *w,
		       struct error *e);
void source_release(struct source *s, struct window *w);

/* Plain text, copied: quicker than windows for whoever looks at much of it once. 0: none there. */
size_t source_read(const struct source *s, uint64_t off, char *to, size_t len);

/*
 * NULL, or one line about a broken packed stream ("gzip data cut at byte N"), bytes left out
 * behind it, a wrong checksum, or a pipe, a zstd or an xz file that found no room. Valid until
 * source_close().
 */
const char *source_damage(const struct source *s);

/* Pages that vanished under the program so far (a truncated file), for each window anew. */
uint64_t source_faults(const struct source *s);

/*
 * fstat/stat: did the file change since it was opened or last checked? source_size() follows.
 * Growth counts as such only if the first and last 64 KiB seen are still there; SOURCE_REPLACED
 * stays until the source is opened again. A pipe is always SOURCE_SAME. O(1) without a change.
 */
enum source_change source_check(struct source *s);

/*
 * Follow a plain file that is being written: from now on source_next() waits at its end for
 * what is appended, as for a pipe, and source_size() is not final. Off again, what is there is
 * the whole, and a source_next() that waits returns it. From any thread. A pipe is always
 * followed; a packed file cannot be (STATUS_UNSUPPORTED, one clear line).
 *
 * When the file is cut, or replaced (rewritten, or another one under its path: then its own
 * last bytes are given first), the source_next() at its end returns STATUS_INPUT, which it does
 * for no other reason, with a line for the user, until following is turned off; what was read
 * stays as readable as the file is. source_followed() says which it was, or SOURCE_SAME.
 *
 * Waiting costs a look a second, besides what inotify wakes it for; four where there is none.
 * A piece appended costs about 0.3 ms (the edges of what was seen are compared): let small
 * ones gather.
 */
enum status source_follow(struct source *s, bool on, struct error *e);
enum source_change source_followed(const struct source *s);

/* A pipe, or followed: asked again for what it gave, source_next() waits for more. */
bool source_is_live(const struct source *s);

/*
 * Access points (of gzip), size and damage as bytes for the index cache; O(points), none for a
 * plain file. Loading validates every number (STATUS_INPUT: not of this file) and belongs before the
 * first source_next(). The caller has compared the identity.
 */
void source_save_points(const struct source *s, struct sbuf *out);
enum status source_load_points(struct source *s, const void *bytes, size_t len);

#endif
