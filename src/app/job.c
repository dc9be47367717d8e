#include "config.h"

#include "app/job.h"

#include <time.h>

#include "app/state.h"

enum {
	SLICE_MS = 10,
	POLL_MS = 20, /* whether a thread is ready, at the screen */
	NAP_MS = 1    /* the same, when somebody waits for it */
};

int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void job_begin(struct jobs *list, struct job *job, const struct job_kind *kind)
{
	job_end(job);
	*job = (struct job){kind, list, list->first};
	list->first = job;
}

void job_end(struct job *job)
{
	struct jobs *list = job->list;
	struct job **at;

	if (!list)
		return;
	if (list->due == job)
		list->due = job->next;
	for (at = &list->first; *at != job; at = &(*at)->next)
		;
	*at = job->next;
	job->list = NULL;
}

unsigned jobs_step(struct app *a, int64_t deadline)
{
	unsigned r = REACT_NONE;

	/* a step may end any of them, and begin others */
	a->jobs.due = a->jobs.first;
	while (a->jobs.due) {
		struct job *job = a->jobs.due;

		a->jobs.due = job->next;
		r |= job->kind->step(a, job, deadline);
	}
	return r;
}

int jobs_wait_ms(const struct app *a)
{
	int ms = -1;

	for (const struct job *job = a->jobs.first; job; job = job->next)
		if (!(job->kind->flags & JOB_BESIDE))
			return 0;
		else
			ms = POLL_MS;
	return ms;
}

bool jobs_busy(const struct app *a)
{
	for (const struct job *job = a->jobs.first; job; job = job->next)
		if (!(job->kind->flags & JOB_ASIDE))
			return true;
	return false;
}

static bool is_awaited(const struct app *a)
{
	for (const struct job *job = a->jobs.first; job; job = job->next)
		if (job->kind->flags & JOB_HOLDS ||
		    (a->options.headless && !(job->kind->flags & JOB_ASIDE)))
			return true;
	return false;
}

unsigned jobs_finish(struct app *a)
{
	const struct timespec nap = {0, NAP_MS * 1000000L};
	unsigned r = REACT_NONE;

	while (is_awaited(a)) {
		unsigned step = jobs_step(a, clock_ms() + SLICE_MS);

		if (app_interrupt_asked(a))
			jobs_stop(a, 0);
		else if (!step && jobs_wait_ms(a) > 0)
			nanosleep(&nap, NULL);
		r |= step;
	}
	return r;
}

bool jobs_stop(struct app *a, unsigned flags)
{
	const struct job_kind *kind = NULL;
	struct job *job, *next;

	for (job = a->jobs.first; job; job = next) {
		next = job->next;
		if (!job->kind->stop || (job->kind->flags & flags) != flags ||
		    (kind && job->kind != kind))
			continue;
		kind = job->kind;
		kind->stop(a, job);
	}
	return kind != NULL;
}

void jobs_drop(struct app *a, unsigned flags)
{
	struct job *job, *next;

	for (job = a->jobs.first; job; job = next) {
		next = job->next;
		if (job->kind->drop && (job->kind->flags & flags) == flags)
			job->kind->drop(a, job);
	}
}

static bool was_said(const struct jobs *list, const struct job *job)
{
	const struct job *newer = list->first;

	while (newer->kind != job->kind)
		newer = newer->next;
	return newer != job;
}

void jobs_say(const struct app *a, struct sbuf *out)
{
	for (const struct job *job = a->jobs.first; job; job = job->next)
		if (job->kind->saying && !was_said(&a->jobs, job))
			sbuf_puts(out, job->kind->saying);
		else if (job->kind->say && !was_said(&a->jobs, job))
			job->kind->say(a, job, out);
}
