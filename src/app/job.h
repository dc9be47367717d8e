/*
 * Work that goes on over many turns of the loop: a search, a filter, a reduction.
 *
 * Whoever begins one puts it into the app's list, and takes it out when it is over or not wanted
 * any more. The loop lets each do some of it until a deadline, shows what it says of itself, and
 * tells it when the user wants it to end. What runs on a thread of its own (app/background.h) only
 * looks whether something is ready. All of this is for the thread of the loop.
 */
#ifndef PIPEGLASS_APP_JOB_H
#define PIPEGLASS_APP_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sbuf.h"

struct app;
struct job;
struct jobs;

enum {
	JOB_BESIDE = 1, /* it works on a thread of its own */
	JOB_HOLDS = 2,  /* the next command of a line waits for it; without a screen all do */
	JOB_YIELDS = 4, /* any command but those that are CMD_BESIDE drops it */
	JOB_ASIDE = 8   /* nobody ever waits for it */
};

struct job_kind {
	/* Some of it; takes itself out when it is over. Reactions. */
	unsigned (*step)(struct app *a, struct job *job, int64_t deadline);
	/* "  searching (^C stops)"; appends, NULL: nothing */
	void (*say)(const struct app *a, const struct job *job, struct sbuf *out);
	const char *saying; /* where it always says the same */
	/* Of one that background_step() steps: its thread has ended, and is to be waited for. */
	unsigned (*ended)(struct app *a, struct job *job);
	/* The user has had enough: it ends, now or in a step to come, and says so. NULL: it goes on. */
	void (*stop)(struct app *a, struct job *job);
	/* What it is for goes: it ends without a word. NULL: whoever began it sees to that. */
	void (*drop)(struct app *a, struct job *job);
	unsigned flags;
};

struct job {
	const struct job_kind *kind;
	struct jobs *list; /* NULL: not under way */
	struct job *next;
};

struct jobs {
	struct job *first; /* the one that began last */
	struct job *due;   /* the next one of the round of steps that is going on */
};

int64_t clock_ms(void); /* of a clock that only goes on */

void job_begin(struct jobs *list, struct job *job, const struct job_kind *kind);
void job_end(struct job *job); /* nothing when it is not under way */

unsigned jobs_step(struct app *a, int64_t deadline); /* some of each */
int jobs_wait_ms(const struct app *a);               /* until the next round; -1: none is due */
bool jobs_busy(const struct app *a);                 /* one is under way that is waited for */
unsigned jobs_finish(struct app *a);                 /* to the end of all that are waited for now */
/* Of those that have all the flags and can be stopped, all of the kind that began last; false: none. */
bool jobs_stop(struct app *a, unsigned flags);
void jobs_drop(struct app *a, unsigned flags); /* likewise, but of any kind */
/* Of several of a kind the one that began last says it. */
void jobs_say(const struct app *a, struct sbuf *out);

#endif
