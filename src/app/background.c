#include "config.h"

#include "app/background.h"

#include <poll.h>

#include "app/app.h"
#include "base/thread.h"

enum { SOON_MS = 20 /* a frame or two */ };

static void *run(void *arg)
{
	struct background *b = arg;

	b->status = b->work(b);
	atomic_store(&b->done, true);
	return NULL;
}

void background_start(struct background *b, enum status (*work)(struct background *b))
{
	b->work = work;
	b->stop = false;
	b->error.text[0] = '\0';
	atomic_store(&b->done, false);
	b->running = true;
	b->threaded = thread_start(&b->thread, run, b) == 0;
	if (!b->threaded)
		run(b);
}

void background_wait(struct background *b)
{
	if (b->running && b->threaded)
		pthread_join(b->thread, NULL);
	b->running = false;
	job_end(&b->job);
}

void background_soon(struct background *b)
{
	for (int ms = 0; ms < SOON_MS && !background_ended(b); ms++)
		poll(NULL, 0, 1);
	if (background_ended(b))
		background_wait(b);
}

bool background_ended(struct background *b)
{
	return b->running && atomic_load(&b->done);
}

unsigned background_step(struct app *a, struct job *job, int64_t deadline)
{
	(void)deadline;
	return background_ended((struct background *)job) ? job->kind->ended(a, job) : REACT_NONE;
}

void background_interrupt(struct app *a, struct job *job)
{
	(void)a;
	((struct background *)job)->stop = true;
}
