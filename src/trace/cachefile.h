/*
 * Files in the cache folder: what a kind worked out of a trace, found again by the trace's device
 * and inode. What is in a file is its kind's, behind CACHE_MAGIC, with which every one begins.
 *
 * A file is made under a name of its own and renamed when it is whole. Whoever has one open holds a
 * lock on it (flock), so that others leave it alone. Its time of modification is when it was used
 * last. The folder has a limit: cachefile_keep() removes what was used longest ago, and what killed
 * runs left. Nothing is removed but regular files of ours that have such a name, one link, the
 * magic, and that nobody has open; and copies whose process is gone. Nothing here stops a trace from
 * being read: a note says why nothing was cached. O(files in the folder) where it is swept.
 */
#ifndef PIPEGLASS_TRACE_CACHEFILE_H
#define PIPEGLASS_TRACE_CACHEFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"
#include "base/status.h"
#include "source/source.h"
#include "trace/trace.h"

#define CACHE_MAGIC "pipeglass index" /* 16 bytes */
#define CACHE_LIMIT INT64_C(8000000000)

struct cachefile {
	int fd;                 /* -1: no file is open */
	struct sbuf path, temp; /* empty: there is no cache; nothing is being made */
	int64_t limit;          /* of the folder, in bytes */
	char note[300];         /* why nothing is cached, or "" */
};

/*
 * The file of a trace, if it is there and ours: open and locked; what is in it has yet to be
 * checked. The folder is made when it is missing. *f is filled whatever happens, and ends with
 * cachefile_close(). False: none.
 */
bool cachefile_find(struct cachefile *f, const struct source *source,
		    const struct trace_options *options);
/* What was found is good: it was used now. */
void cachefile_used(const struct cachefile *f);
/* Make a new one, open for reading and writing; instead of what was found. False: there is a note. */
bool cachefile_begin(struct cachefile *f);
/*
 * It is whole: it gets its name, and the folder is kept within the limit. False: there is a note.
 * summed: its kind uses no file before it looked at checksums of all of it, so one that was torn when
 * the machine stopped does no harm, and the disk need not be waited for.
 */
bool cachefile_keep(struct cachefile *f, bool summed);
/* What was begun is given up; error: an errno for the note, or 0. The descriptor stays open. */
void cachefile_discard(struct cachefile *f, int error);
void cachefile_close(struct cachefile *f);

/* A path in the folder for a short-lived copy, with -SUFFIX behind it too. False: no folder (errno). */
bool cachefile_copy(struct sbuf *path, const char *dir);

struct cache_swept {
	uint64_t files, bytes; /* removed */
	uint64_t in_use;       /* left, because somebody has them open */
};

/*
 * Remove files until the rest has at most so many bytes. dir: NULL: the XDG cache; one that is not
 * there is empty. STATUS_IO: it cannot be read, or is not ours.
 */
enum status cachefile_sweep(const char *dir, int64_t limit, struct cache_swept *out,
			    struct error *e);

#endif
