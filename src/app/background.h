/*
 * Work on a thread of its own: what takes longer than a frame may. Whoever begins it looks from
 * time to time whether it is done, and has to wait for it before its results are used.
 *
 * Of its results nothing may be looked at while it runs but what is atomic. Where no thread can be
 * had the work is done at once. To have the loop look, begin its job; waiting for it ends that.
 */
#ifndef PIPEGLASS_APP_BACKGROUND_H
#define PIPEGLASS_APP_BACKGROUND_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "app/job.h"
#include "base/status.h"

struct background {
	struct job job; /* first, so that one is the other */
	enum status (*work)(struct background *b);
	pthread_t thread;
	bool running, threaded;
	atomic_bool stop; /* asks it to end */
	atomic_bool done;
	enum status status;
	struct error error;
};

void background_start(struct background *b, enum status (*work)(struct background *b));
void background_wait(struct background *b);  /* nothing when it does not run */
void background_soon(struct background *b);  /* wait, but no longer than a frame or two */
bool background_ended(struct background *b); /* it runs, but is done: wait for it */

/* For the kind of its job: nothing is to be done before it has ended; the user stops it. */
unsigned background_step(struct app *a, struct job *job, int64_t deadline);
void background_interrupt(struct app *a, struct job *job);

#endif
