#include "config.h"

#include "source/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "source/unpacker.h"
#include "source/watch.h"

struct follow {
	int wake;   /* an eventfd */
	int notify; /* -1: no inotify here */
	atomic_bool on;
	atomic_int change; /* enum source_change: the first that ends the following */
};

static const char *const change_texts[] = {
    [SOURCE_TRUNCATED] = "was cut",
    [SOURCE_REPLACED] = "was replaced",
};

static void follow_end(struct follow *f)
{
	if (f->notify >= 0)
		close(f->notify);
	if (f->wake >= 0)
		close(f->wake);
	free(f);
}

/* By its descriptor, because the path may name another file by now. */
static int watch(const struct source *s)
{
	char path[32];
	snprintf(path, sizeof(path), "/proc/self/fd/%d", s->fd);
	return watch_open(path);
}

static enum status follow_begin(struct source *s, struct error *e)
{
	struct follow *none = NULL, *f = calloc(1, sizeof(*f));
	if (!f)
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	f->notify = -1;
	f->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (f->wake < 0) {
		int errnum = errno;
		follow_end(f);
		return error_errno(e, STATUS_IO, errnum, "%s: cannot be followed", s->shown);
	}
	f->notify = watch(s);
	if (!atomic_compare_exchange_strong(&s->follow, &none, f))
		follow_end(f); /* another thread was first */
	return STATUS_OK;
}

void follow_free(struct source *s)
{
	struct follow *f = atomic_load(&s->follow);
	if (f)
		follow_end(f);
	atomic_store(&s->follow, NULL);
}

void follow_wake(struct source *s)
{
	struct follow *f = atomic_load(&s->follow);
	if (f)
		eventfd_write(f->wake, 1);
}

static enum source_change ended_by(const struct source *s)
{
	struct follow *f = atomic_load(&s->follow);
	return f ? (enum source_change)atomic_load(&f->change) : SOURCE_SAME;
}

bool follow_on(const struct source *s)
{
	struct follow *f = atomic_load(&s->follow);
	return f && atomic_load(&f->on) && atomic_load(&f->change) == SOURCE_SAME;
}

void follow_note(struct source *s, enum source_change change)
{
	struct follow *f = atomic_load(&s->follow);
	int none = SOURCE_SAME;
	if (!f || !atomic_load(&f->on) || change == SOURCE_SAME)
		return;
	if (change != SOURCE_GROWN)
		atomic_compare_exchange_strong(&f->change, &none, (int)change);
	eventfd_write(f->wake, 1);
}

static enum status ended(const struct source *s, struct error *e)
{
	return error_set(e, STATUS_INPUT, "%s: %s while it was followed: open it again", s->shown,
			 change_texts[ended_by(s)]);
}

static void wait_for_event(struct follow *f)
{
	watch_wait(f->notify, f->wake);
	watch_drain(f->wake);
}

enum status follow_wait(struct source *s, uint64_t beyond, struct error *e)
{
	struct follow *f = atomic_load(&s->follow);
	while (f && atomic_load(&f->on)) {
		enum source_change change = ended_by(s);
		/* what a replaced file still has is its own; what a cut one has may be new */
		if (change == SOURCE_TRUNCATED ||
		    (change == SOURCE_REPLACED && atomic_load(&s->file_size) <= beyond))
			return ended(s, e);
		if (atomic_load(&s->file_size) > beyond)
			return STATUS_OK;
		if (atomic_exchange(&s->interrupted, false))
			return error_set(e, STATUS_INTERRUPTED, "%s: reading was stopped",
					 s->shown);
		if (source_check(s) == SOURCE_SAME)
			wait_for_event(f);
	}
	return STATUS_OK;
}

enum status source_follow(struct source *s, bool on, struct error *e)
{
	if (s->spool)
		return STATUS_OK;
	if ((s->packed || s->unpacked) && on)
		return error_set(e, STATUS_UNSUPPORTED,
				 "%s: is packed with %s: only a plain file can be followed while "
				 "it grows",
				 s->shown, s->packed ? "gzip" : unpacked_how(s)->name);
	if (!on && !atomic_load(&s->follow))
		return STATUS_OK;
	if (on && ended_by(s) != SOURCE_SAME)
		return ended(s, e);
	enum status status = STATUS_OK;
	if (!atomic_load(&s->follow))
		status = follow_begin(s, e);
	if (status != STATUS_OK)
		return status;
	struct follow *f = atomic_load(&s->follow);
	if (!on && follow_on(s))
		source_check(s); /* what was written before this moment counts */
	atomic_store(&f->on, on);
	follow_wake(s);
	return STATUS_OK;
}

bool source_is_live(const struct source *s)
{
	return s->spool || follow_on(s);
}

enum source_change source_followed(const struct source *s)
{
	return ended_by(s);
}
