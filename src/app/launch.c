#include "config.h"

#include "app/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "app/tail.h"
#include "app/state.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/xalloc.h"
#include "source/await.h"

enum { LEAVE_MS = 1000, NAP_MS = 1 };

enum launch_kind { LAUNCH_CHILD, LAUNCH_PIPE, LAUNCH_FILE };

/* What there is to say while it is waited for: around its name. */
static const struct {
	const char *before, *behind;
} awaited[] = {
    [LAUNCH_CHILD] = {"waiting for the first lines of the trace from ", ""},
    [LAUNCH_PIPE] = {"no data from ", " so far"},
    [LAUNCH_FILE] = {"", " is empty so far: following it"},
};

struct launch {
	struct launch *next;
	enum launch_kind kind;
	pthread_t thread;
	struct sbuf path;
	int fd;         /* the thread's; -1: path is to be opened */
	int stop, wake; /* eventfds: to the thread, from it */
	struct trace_options store;
	struct trace_settings settings; /* a copy: the user may go on to change them */
	bool failed; /* it is over, and kept for its error */
	atomic_bool done; /* and then the rest is ours: */
	struct trace *opened;
	enum status status;
	struct error error;
};

/* ---- its thread -------------------------------------------------------------------------- */

static enum status open_source(struct launch *l)
{
	const char *path = sbuf_text(&l->path);
	struct source *source;
	enum status status = l->fd < 0 ? source_open(&source, path, &l->error)
				       : source_open_fd(&source, l->fd, path, &l->error);

	l->fd = -1;
	return status ? status : trace_open(&l->opened, source, &l->store, &l->error);
}

static void *open_trace(void *arg)
{
	struct launch *l = arg;

	l->status = await_bytes(sbuf_text(&l->path), l->fd, l->stop, &l->error);
	if (!l->status)
		l->status = open_source(l);
	if (l->status == STATUS_UNSUPPORTED && l->store.follow) { /* packed: as far as it is there */
		l->store.follow = false;
		l->status = open_source(l);
	}
	atomic_store(&l->done, true);
	eventfd_write(l->wake, 1);
	return NULL;
}

/* ---- beginning --------------------------------------------------------------------------- */

static void add_awaited(const struct launch *l, struct sbuf *out)
{
	const char *path = sbuf_text(&l->path);

	sbuf_puts(out, awaited[l->kind].before);
	sbuf_puts(out, strcmp(path, "-") == 0 ? "standard input" : path);
	sbuf_puts(out, awaited[l->kind].behind);
}

/* Whoever looks at another trace. */
static void tell_awaited(struct app *a, const struct launch *l)
{
	struct sbuf text = {0};

	add_awaited(l, &text);
	if (a->tab)
		app_message(a, false, "%s", sbuf_text(&text));
	sbuf_free(&text);
}

static struct launch *launch_new(const struct app *a, enum launch_kind kind, const char *path)
{
	struct launch *l = xcalloc(1, sizeof(*l));

	l->kind = kind;
	l->fd = l->stop = l->wake = -1;
	l->store = a->options.store;
	l->store.background = true;
	l->store.follow = kind == LAUNCH_FILE;
	if (!trace_settings_copy(&l->settings, &a->settings))
		abort(); /* as xcalloc() */
	l->store.settings = &l->settings;
	sbuf_puts(&l->path, path);
	return l;
}

static void discard(struct launch *l)
{
	const int fds[] = {l->fd, l->stop, l->wake};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	sbuf_free(&l->path);
	trace_settings_free(&l->settings);
	free(l);
}

/* Takes it over. Behind those that were begun before. */
static enum status begin(struct app *a, struct launch *l, struct error *e)
{
	enum status status = STATUS_OK;

	l->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* the child's wakes the loop, too: a descriptor of our own, because the child may go first */
	l->wake = l->kind == LAUNCH_CHILD ? fcntl(child_wake_fd(a->child), F_DUPFD_CLOEXEC, 0)
					  : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->stop < 0 || l->wake < 0)
		status = error_errno(e, STATUS_IO, errno, "cannot make an eventfd");
	else if (thread_start(&l->thread, open_trace, l))
		status = error_set(e, STATUS_NOMEM, "cannot start a thread to read the trace");
	if (status) {
		discard(l);
	} else {
		struct launch **last = &a->launch;

		while (*last)
			last = &(*last)->next;
		*last = l;
	}
	return status;
}

enum status launch_begin(struct app *a, struct error *e)
{
	struct launch *l = launch_new(a, LAUNCH_CHILD, child_name(a->child));

	l->fd = child_take_trace(a->child);
	return begin(a, l, e);
}

bool launch_is_due(const struct app *a, const char *path)
{
	return !a->options.headless && await_kind(path) != AWAIT_NOTHING;
}

enum status launch_path(struct app *a, const char *path, struct error *e)
{
	bool pipe = await_kind(path) == AWAIT_PIPE;
	struct launch *l = launch_new(a, pipe ? LAUNCH_PIPE : LAUNCH_FILE, path);
	enum status status = pipe ? await_open_pipe(path, &l->fd, e) : STATUS_OK;

	if (status) {
		discard(l);
		return status;
	}
	tell_awaited(a, l);
	return begin(a, l, e);
}

/* ---- its end ----------------------------------------------------------------------------- */

/* Who looks at another trace goes on doing so. */
static void give_back(struct app *a, int shown)
{
	struct sbuf name = {0};

	sbuf_puts(&name, sbuf_text(&a->tab->name));
	app_show_tab(a, shown);
	app_message(a, false, "%s has started: see tab %d", sbuf_text(&name), a->tab_count);
	sbuf_free(&name);
}

static enum status show(struct app *a, struct launch *l, struct error *e)
{
	int before = a->tab ? app_tab_index(a) : -1;
	enum status status = app_adopt(a, l->opened, sbuf_text(&l->path), e);

	if (status)
		return status;
	if (l->kind == LAUNCH_FILE)
		a->tab->growing = a->tab->follow = a->tab->trace->kind->is_live(a->tab->trace);
	if (l->kind == LAUNCH_CHILD || (a->child && !a->child_tab)) /* a file is its, too */
		tail_shows_trace(a);
	else if (before >= 0)
		give_back(a, before);
	return STATUS_OK;
}

static void tell_failure(struct app *a, const struct launch *l)
{
	struct sbuf how = {0};

	if (l->kind == LAUNCH_CHILD) {
		sbuf_puts(&how, " (");
		child_status(a->child, &how);
		sbuf_putc(&how, ')');
	}
	app_message(a, true, "no trace to show: %s%s", l->error.text, sbuf_text(&how));
	sbuf_free(&how);
}

static void finish(struct app *a, struct launch *l)
{
	pthread_join(l->thread, NULL);
	if (!l->status)
		l->status = show(a, l, &l->error);
	l->failed = l->status != STATUS_OK;
	if (l->failed)
		tell_failure(a, l);
}

void launch_progress(struct app *a)
{
	for (struct launch **at = &a->launch; *at;) {
		struct launch *l = *at;
		bool done = !l->failed && atomic_load(&l->done);

		if (done) {
			finish(a, l);
			a->react |= REACT_REDRAW;
		}
		if (done && !l->failed) {
			*at = l->next;
			discard(l);
		} else {
			at = &l->next;
		}
	}
}

bool launch_awaits(const struct app *a, struct sbuf *out)
{
	const struct launch *l = a->launch;

	while (l && l->failed)
		l = l->next;
	if (l && out)
		add_awaited(l, out);
	return l != NULL;
}

int launch_count(const struct app *a)
{
	int n = 0;

	for (const struct launch *l = a->launch; l; l = l->next)
		n += !l->failed;
	return n;
}

int launch_wake_fds(const struct app *a, int *fds, int max)
{
	int n = 0;

	for (const struct launch *l = a->launch; l && n < max; l = l->next)
		if (!l->failed)
			fds[n++] = l->wake;
	return n;
}

static enum status child_outcome(const struct app *a, const struct launch *l, struct error *e)
{
	struct sbuf how = {0};

	child_status(a->child, &how);
	if (l->failed)
		error_set(e, l->status, "%s (%s)", l->error.text, sbuf_text(&how));
	else
		error_set(e, STATUS_INPUT, "%s: no trace written so far (%s)",
			  sbuf_text(&l->path), sbuf_text(&how));
	sbuf_free(&how);
	return l->failed ? l->status : STATUS_INPUT;
}

enum status launch_outcome(const struct app *a, struct error *e)
{
	for (const struct launch *l = a->launch; l; l = l->next) {
		if (l->kind == LAUNCH_CHILD)
			return child_outcome(a, l, e);
		if (l->failed && !a->tab_count)
			return error_set(e, l->status, "%s", l->error.text);
	}
	return STATUS_OK;
}

/* False: its thread goes on, and needs what is its own. */
static bool leave(struct launch *l)
{
	const struct timespec nap = {0, NAP_MS * 1000000L};

	if (l->failed)
		return true;
	eventfd_write(l->stop, 1);
	for (int ms = 0; ms < LEAVE_MS && !atomic_load(&l->done); ms += NAP_MS)
		nanosleep(&nap, NULL);
	if (!atomic_load(&l->done)) { /* the program is about to end anyway */
		pthread_detach(l->thread);
		return false;
	}
	pthread_join(l->thread, NULL);
	trace_close(l->opened);
	return true;
}

void launch_free(struct app *a)
{
	while (a->launch) {
		struct launch *l = a->launch;

		a->launch = l->next;
		if (leave(l))
			discard(l);
	}
}
