#include "config.h"

#include "app/launch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app/tail.h"
#include "app/state.h"
#include "base/text.h"
#include "base/xalloc.h"

enum { LEAVE_SECONDS = 1 };

struct launch {
	pthread_t thread;
	struct store_options store;
	struct trace_config config;
	struct sbuf name;
	int fd;
	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t changed;
	struct child *child; /* to be woken; NULL: not any more */
	bool done;
	struct store *opened;
	enum status status;
	struct error error;
};

static void *open_trace(void *arg)
{
	struct launch *l = arg;
	struct error e = {STATUS_OK, ""};
	struct store *store = NULL;
	enum status status = store_open_fd(&store, l->fd, sbuf_text(&l->name), &l->store, &e);

	pthread_mutex_lock(&l->lock);
	l->opened = store;
	l->status = status;
	l->error = e;
	l->done = true;
	if (l->child)
		child_wake(l->child);
	pthread_cond_broadcast(&l->changed);
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static void discard(struct launch *l)
{
	pthread_mutex_destroy(&l->lock);
	pthread_cond_destroy(&l->changed);
	sbuf_free(&l->name);
	free(l);
}

/* Signals are the loop's. */
static bool start_thread(struct launch *l)
{
	sigset_t all, before;
	bool ok;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	ok = pthread_create(&l->thread, NULL, open_trace, l) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ok;
}

enum status launch_begin(struct app *a, struct error *e)
{
	struct launch *l = xcalloc(1, sizeof(*l));
	enum status status;

	l->store = a->options.store;
	l->store.background = true;
	l->child = a->child;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->changed, NULL);
	sbuf_puts(&l->name, child_name(a->child));
	status = trace_changes_config(&a->changes, "-", l->store.as, &l->config, e);
	if (!status && l->config.stage_count)
		l->store.config = &l->config;
	l->fd = status ? -1 : child_take_trace(a->child);
	if (!status && !start_thread(l)) {
		close(l->fd);
		status = error_set(e, STATUS_NOMEM, "no thread to read the trace");
	}
	if (status)
		discard(l);
	else
		a->launch = l;
	return status;
}

static void show(struct app *a, struct launch *l)
{
	struct sbuf how = {0};
	struct error e = l->error;
	enum status status = l->status;

	if (!status)
		status = app_adopt(a, l->opened, &l->config, sbuf_text(&l->name), &e);
	if (!status) {
		tail_shows_trace(a);
		return;
	}
	child_status(a->child, &how);
	app_message(a, true, "no trace to show: %s (%s)", e.text, sbuf_text(&how));
	sbuf_free(&how);
}

unsigned launch_progress(struct app *a)
{
	struct launch *l = a->launch;
	bool done;

	pthread_mutex_lock(&l->lock);
	done = l->done;
	pthread_mutex_unlock(&l->lock);
	if (!done)
		return REACT_NONE;
	pthread_join(l->thread, NULL);
	a->launch = NULL;
	show(a, l);
	discard(l);
	return REACT_REDRAW | REACT_RELAYOUT;
}

void launch_free(struct launch *l)
{
	struct timespec until;
	bool done;

	if (!l)
		return;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LEAVE_SECONDS;
	pthread_mutex_lock(&l->lock);
	l->child = NULL;
	while (!l->done && pthread_cond_timedwait(&l->changed, &l->lock, &until) != ETIMEDOUT)
		continue;
	done = l->done;
	pthread_mutex_unlock(&l->lock);
	if (!done) { /* the program is about to end anyway */
		pthread_detach(l->thread);
		return;
	}
	pthread_join(l->thread, NULL);
	store_close(l->opened);
	discard(l);
}
