/* Readers of text: line after line, also while more is written. */
#include "config.h"

#include <string.h>
#include <time.h>

#include "tasks/tasks_private.h"

enum {
	PIECE = 1 << 20, /* of text at once */
	LOOK = 1024,     /* lines between looks at the clock */
	BREATH_MS = 5    /* between looks at whether it is time to publish */
};

size_t task_add_lines(struct tasks *t, const struct window *w, bool last, bool *ok)
{
	size_t at = 0;

	while (*ok && at < w->len) {
		const char *end = memchr(w->text + at, '\n', w->len - at);
		size_t len = end ? (size_t)(end - w->text) - at : w->len - at;

		if (!end && !last)
			break;
		t->at_offset = w->off + at;
		t->at_line++;
		*ok = t->reader->line(t, w->text + at, len, end != NULL) &&
		      (t->at_line % LOOK || task_publish_in_time(t));
		at += len + (end != NULL);
	}
	return at;
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

enum status task_read_lines(struct tasks *t, struct error *e)
{
	struct source *source = t->lines.trace.source;
	uint64_t from = 0, seen = 0;
	struct window w = lines_first(&t->lines);
	enum status status = STATUS_OK;
	bool ok = true;

	t->error = e;
	while (ok && !lines_stopped(&t->lines)) {
		bool last;

		if (!w.len)
			status = source_next(source, from, PIECE, &w, e);
		if (status || !w.len)
			break;
		/* one that reaches no further is the end; a line as long as a window is cut there */
		last = w.off + w.len == seen || w.len > PIECE * 2;
		from = w.off + task_add_lines(t, &w, false, &ok);
		if (last && from == w.off)
			from = w.off + task_add_lines(t, &w, true, &ok);
		seen = w.off + w.len;
		source_release(source, &w);
		w = (struct window){0};
		ok = ok && publish_live(t, seen);
	}
	if (t->reader->end)
		ok &= t->reader->end(t);
	if (!ok && !status)
		status = e->code ? e->code : error_set(e, STATUS_NOMEM, "out of memory");
	return status;
}
