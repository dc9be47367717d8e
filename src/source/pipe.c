#include "config.h"

#include "source/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "source/tempfile.h"

enum { SPOOL_CHUNK = 128 << 10 };

struct spool {
	struct source *source;
	int in, stop; /* stop: an eventfd that ends the thread */
	bool running;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	atomic_bool done;
	char chunk[SPOOL_CHUNK];
};

/* Bytes got, 0 at the end or when told to stop, -1 on error. */
static ssize_t spool_read(struct spool *p)
{
	for (;;) {
		struct pollfd fds[] = {{.fd = p->stop, .events = POLLIN},
				       {.fd = p->in, .events = POLLIN}};
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -1;
		if (fds[0].revents)
			return 0;
		if (!fds[1].revents)
			continue;
		ssize_t got = read(p->in, p->chunk, sizeof(p->chunk));
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
	}
}

static void spool_publish(struct spool *p, uint64_t size, bool done)
{
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->source->file_size, size);
	if (done)
		atomic_store(&p->done, true);
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
}

static void *spool_run(void *arg)
{
	struct spool *p = arg;
	uint64_t size = 0;
	ssize_t got;
	while ((got = spool_read(p)) > 0) {
		size_t put = tempfile_write(p->source->fd, size, p->chunk, (size_t)got);
		size += put;
		if (put < (size_t)got) {
			damage_set(
			    p->source, DAMAGE_SPOOL,
			    "no room to keep the input beyond byte %llu (%s): set TMPDIR to a "
			    "folder with room",
			    (unsigned long long)size, strerror(errno));
			break;
		}
		spool_publish(p, size, false);
	}
	if (got < 0)
		damage_set(p->source, DAMAGE_SPOOL, "input cannot be read beyond byte %llu (%s)",
			   (unsigned long long)size, strerror(errno));
	/* let the writer see that nobody reads on */
	close(p->in);
	p->in = -1;
	spool_publish(p, size, true);
	return NULL;
}

enum status spool_start(struct source *s, int fd, struct error *e)
{
	struct spool *p = calloc(1, sizeof(*p));
	if (!p) {
		close(fd);
		return error_set(e, STATUS_NOMEM, "%s: out of memory", s->shown);
	}
	s->spool = p;
	p->source = s;
	p->in = fd;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->more, NULL);
	p->stop = eventfd(0, EFD_CLOEXEC);
	s->fd = p->stop < 0 ? -1 : tempfile_open();
	if (s->fd < 0)
		return error_errno(e, STATUS_IO, errno,
				   "%s: no temporary file: set TMPDIR to a folder with room",
				   s->shown);
	int errnum = thread_start(&p->thread, spool_run, p);
	if (errnum)
		return error_errno(e, STATUS_IO, errnum, "%s: cannot start a thread to read it", s->shown);
	p->running = true;
	return STATUS_OK;
}

void spool_stop(struct source *s)
{
	struct spool *p = s->spool;
	if (!p)
		return;
	if (p->running) {
		eventfd_write(p->stop, 1);
		pthread_join(p->thread, NULL);
	}
	if (p->in >= 0)
		close(p->in);
	if (p->stop >= 0)
		close(p->stop);
	pthread_cond_destroy(&p->more);
	pthread_mutex_destroy(&p->lock);
	free(p);
	s->spool = NULL;
}

void spool_wake(struct source *s)
{
	struct spool *p = s->spool;
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	pthread_cond_broadcast(&p->more);
	pthread_mutex_unlock(&p->lock);
}

bool spool_done(const struct source *s)
{
	return !s->spool || atomic_load(&s->spool->done);
}

bool spool_wait(struct source *s, uint64_t beyond)
{
	return spool_wait_or(s, beyond, &s->interrupted);
}

bool spool_wait_or(struct source *s, uint64_t beyond, atomic_bool *stop)
{
	struct spool *p = s->spool;
	if (!p || atomic_load(&s->file_size) > beyond)
		return true;
	pthread_mutex_lock(&p->lock);
	bool interrupted = false;
	while (atomic_load(&s->file_size) <= beyond && !atomic_load(&p->done)) {
		interrupted = atomic_exchange(stop, false);
		if (interrupted)
			break;
		pthread_cond_wait(&p->more, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return !interrupted;
}
