/* Readers of text: line after line, also while more is written. */
#include "config.h"

#include "tasks/tasks_private.h"

enum { LOOK = 1024 /* lines between looks at the clock */ };

bool task_add_line(void *arg, uint64_t offset, const char *p, size_t len, bool whole)
{
	struct tasks *t = arg;

	t->at_offset = offset;
	t->at_line++;
	return t->reader->line(t, p, len, whole) && (t->at_line % LOOK || task_publish_in_time(t));
}

/* Before it is waited for more text, what there was is published, when that is due. */
static bool take(struct lines *l, const struct window *w, bool last, size_t *done)
{
	struct tasks *t = tasks_of(&l->trace);

	if (!lines_cut(w, last, task_add_line, t, done))
		return false;
	lines_rest(l, w->off + w->len);
	return task_publish_in_time(t);
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
