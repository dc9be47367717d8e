/* Readers of text: line after line, also while more is written. */
#include "config.h"

#include <string.h>
#include <time.h>

#include "tasks/tasks_private.h"

enum {
	LOOK = 1024,  /* lines between looks at the clock */
	BREATH_MS = 5 /* between looks at whether it is time to publish */
};

bool task_add_line(void *arg, uint64_t offset, const char *p, size_t len, bool whole)
{
	struct tasks *t = arg;

	t->at_offset = offset;
	t->at_line++;
	return t->reader->line(t, p, len, whole) && (t->at_line % LOOK || task_publish_in_time(t));
}

/* Before it is waited for more text, what there was is published, when that is due. */
static bool publish_live(struct tasks *t, uint64_t seen)
{
	const struct timespec breath = {.tv_nsec = BREATH_MS * 1000000};
	const struct source *source = t->lines.trace.source;

	if (!source_is_live(source))
		return true;
	while (!task_publish_due(t) && !lines_stopped(&t->lines) &&
	       source_size(source, NULL) == seen)
		nanosleep(&breath, NULL);
	return task_publish_in_time(t);
}

static bool take(struct lines *l, const struct window *w, bool last, size_t *done)
{
	struct tasks *t = tasks_of(&l->trace);

	return lines_cut(w, last, task_add_line, t, done) && publish_live(t, w->off + w->len);
}

enum status task_read_lines(struct tasks *t, struct error *e)
{
	enum status status;

	t->error = e;
	status = lines_take(&t->lines, take, e);
	if (t->reader->end && !t->reader->end(t) && !status)
		status = error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
