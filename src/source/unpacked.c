/*
 * Text that a thread unpacks, once, into an unlinked temporary file. From there it is read as a
 * plain file that grows while it is unpacked; the packed file, or the spool of a pipe, is not
 * looked at again.
 */
#include "config.h"

#include "source/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "source/tempfile.h"
#include "source/unpacker.h"

enum { INPUT = 256 << 10, OUTPUT = 1 << 20 };

struct unpacked {
	struct source *source;
	const struct unpacker *how;
	void *state;
	int fd;
	_Atomic uint64_t size, in; /* text in fd; packed bytes it came from */
	uint64_t promised;         /* size, as it was found before; 0: it was not */
	uint64_t member_at;
	bool running;
	atomic_bool done, stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	unsigned char input[INPUT];
	char output[OUTPUT];
};

/* ---- the thread -------------------------------------------------------------------------- */

static void publish(struct unpacked *u, uint64_t size, bool done)
{
	pthread_mutex_lock(&u->lock);
	atomic_store(&u->size, size);
	if (done)
		atomic_store(&u->done, true);
	pthread_cond_broadcast(&u->more);
	pthread_mutex_unlock(&u->lock);
}

/* False: no room. */
static bool put(struct unpacked *u, size_t len)
{
	uint64_t size = atomic_load(&u->size);
	size_t done = tempfile_write(u->fd, size, u->output, len);
	publish(u, size + done, false);
	if (done < len)
		damage_set(u->source, DAMAGE_SPOOL,
			   "no room to keep the text beyond byte %llu (%s): set TMPDIR to a folder "
			   "with room",
			   (unsigned long long)(size + done), strerror(errno));
	return done == len;
}

/* in: where it stopped, behind what was used. False: the text ends there. */
static bool go_on(struct unpacked *u, enum unpacker_stop stop, uint64_t in, const char *why)
{
	const char *name = u->how->name, *member = u->how->member;
	struct source *s = u->source;
	switch (stop) {
	case UNPACKER_ON:
		return true;
	case UNPACKER_DOUBT:
		damage_set(
		    s, DAMAGE_CHECK,
		    "%s checksum wrong in the %s that ends at byte %llu: its text may be wrong",
		    name, member, (unsigned long long)in);
		u->member_at = in;
		return true;
	case UNPACKER_MEMBER:
		u->member_at = in;
		return true;
	case UNPACKER_TAIL:
		damage_set(s, DAMAGE_TAIL,
			   "%s data ends at byte %llu: the rest is not %s and was skipped",
			   name, (unsigned long long)u->member_at, name);
		return false;
	case UNPACKER_REFUSED:
		damage_set(s, DAMAGE_BROKEN, "%s %s at byte %llu %s", name, member,
			   (unsigned long long)u->member_at, why);
		return false;
	case UNPACKER_NOMEM:
		why = "out of memory";
		break;
	case UNPACKER_BROKEN:
		break;
	}
	damage_set(s, DAMAGE_BROKEN, "%s data damaged at byte %llu (%s): the text ends there", name,
		   (unsigned long long)in, why);
	return false;
}

/* Text is put where it can be seen as soon as there is no more input for it. */
static bool unpack(struct unpacked *u, size_t len)
{
	uint64_t from = atomic_load(&u->in);
	struct unpacker_io io = {
	    .in = u->input, .out = u->output, .in_len = len, .out_len = OUTPUT};
	bool on = true, full = true;
	while (on && (full || io.used < len) && !atomic_load(&u->stop)) {
		enum unpacker_stop stop = u->how->run(u->state, &io);
		full = io.got == OUTPUT;
		if (full || io.used == len || stop > UNPACKER_DOUBT) {
			on = put(u, io.got);
			io.got = 0;
		}
		on = on && go_on(u, stop, from + io.used, io.why);
	}
	atomic_store(&u->in, from + io.used);
	return on;
}

/* The next input, for which a pipe is waited for. 0: there is none; -1: it cannot be read. */
static int64_t read_on(struct unpacked *u)
{
	struct source *s = u->source;
	uint64_t in = atomic_load(&u->in), end;
	if (!spool_wait_or(s, in, &u->stop))
		return 0;
	end = atomic_load(&s->file_size);
	if (end <= in)
		return 0;
	return read_at(s->fd, in, u->input, end - in < INPUT ? (size_t)(end - in) : INPUT);
}

static void *unpacked_run(void *arg)
{
	struct unpacked *u = arg;
	struct source *s = u->source;
	int64_t len = 0;
	bool on = true;
	while (on && !atomic_load(&u->stop) && (len = read_on(u)) > 0)
		on = unpack(u, (size_t)len);
	uint64_t in = atomic_load(&u->in);
	if (len < 0)
		damage_set(s, DAMAGE_SPOOL, "input cannot be read beyond byte %llu (%s)",
			   (unsigned long long)in, strerror(errno));
	else if (on && in != u->member_at)
		damage_set(s, DAMAGE_CUT, "%s data cut at byte %llu: the text ends there",
			   u->how->name, (unsigned long long)in);
	publish(u, atomic_load(&u->size), true);
	return NULL;
}

/* ---- the source -------------------------------------------------------------------------- */

enum status unpacked_start(struct source *s, const struct unpacker *how, struct error *e)
{
	struct unpacked *u = calloc(1, sizeof(*u));
	if (!u)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	s->unpacked = u;
	u->source = s;
	u->how = how;
	pthread_mutex_init(&u->lock, NULL);
	pthread_cond_init(&u->more, NULL);
	u->fd = tempfile_open();
	if (u->fd < 0)
		return error_errno(e, STATUS_IO, errno,
				   "%s: no temporary file to unpack it in: set TMPDIR to a folder "
				   "with room",
				   s->shown);
	u->state = how->make();
	if (!u->state)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	int errnum = thread_start(&u->thread, unpacked_run, u);
	if (errnum)
		return error_errno(e, STATUS_IO, errnum, "%s: cannot start a thread to unpack it", s->shown);
	u->running = true;
	return STATUS_OK;
}

void unpacked_stop(struct source *s)
{
	struct unpacked *u = s->unpacked;
	if (!u)
		return;
	atomic_store(&u->stop, true);
	spool_wake(s);
	if (u->running)
		pthread_join(u->thread, NULL);
	if (u->state)
		u->how->free(u->state);
	if (u->fd >= 0)
		close(u->fd);
	pthread_cond_destroy(&u->more);
	pthread_mutex_destroy(&u->lock);
	free(u);
	s->unpacked = NULL;
}

void unpacked_wake(struct source *s)
{
	struct unpacked *u = s->unpacked;
	if (!u)
		return;
	pthread_mutex_lock(&u->lock);
	pthread_cond_broadcast(&u->more);
	pthread_mutex_unlock(&u->lock);
}

bool unpacked_wait(struct source *s, uint64_t beyond, atomic_bool *interrupted)
{
	struct unpacked *u = s->unpacked;
	bool stopped = false;
	pthread_mutex_lock(&u->lock);
	while (atomic_load(&u->size) <= beyond && !atomic_load(&u->done) && !stopped) {
		stopped = interrupted && atomic_exchange(interrupted, false);
		if (!stopped)
			pthread_cond_wait(&u->more, &u->lock);
	}
	pthread_mutex_unlock(&u->lock);
	return !stopped;
}

const struct unpacker *unpacked_how(const struct source *s)
{
	return s->unpacked->how;
}

int unpacked_fd(const struct source *s)
{
	return s->unpacked->fd;
}

uint64_t unpacked_there(const struct source *s)
{
	return atomic_load(&s->unpacked->size);
}

uint64_t unpacked_size(const struct source *s, bool *final)
{
	const struct unpacked *u = s->unpacked;
	bool done = atomic_load(&u->done); /* asked before the size it speaks of */
	if (final)
		*final = done || u->promised;
	return u->promised ? u->promised : atomic_load(&u->size);
}

/* As much of the packed bytes as the text was read of what is there. */
uint64_t unpacked_progress(const struct source *s, uint64_t text)
{
	const struct unpacked *u = s->unpacked;
	uint64_t in = atomic_load(&u->done) ? atomic_load(&s->file_size) : atomic_load(&u->in);
	uint64_t size = atomic_load(&u->size);
	return text >= size ? in : (uint64_t)((double)in * ((double)text / (double)size));
}

bool unpacked_promise(struct source *s, uint64_t size)
{
	struct unpacked *u = s->unpacked;
	bool possible = size >= atomic_load(&u->size);
	if (possible)
		u->promised = size;
	return possible;
}
