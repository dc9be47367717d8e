/* Readers of text: line after line, also while more is written. */
#include "config.h"

#include <string.h>
#include <time.h>

#include "tasks/tasks_private.h"

enum {
	PIECE = 1 << 20, /* of text at once */
	BREATH_MS = 5    /* between looks at whether it is time to publish */
};

/* Whole lines of a window; last: what is behind the last newline is one, too. How much they are. */
static size_t add_lines(struct tasks *t, task_line_fn *line, const struct window *w, bool last,
			bool *ok)
{
	size_t at = 0;

	while (*ok && at < w->len) {
		const char *end = memchr(w->text + at, '\n', w->len - at);
		size_t len = end ? (size_t)(end - w->text) - at : w->len - at;

		if (!end && !last)
			break;
		t->at_offset = w->off + at;
		t->at_line++;
		*ok = line(t, w->text + at, len, end != NULL);
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
	return !task_publish_due(t) || task_publish(t);
}

enum status task_read_lines(struct tasks *t, task_line_fn *line, struct error *e)
{
	struct source *source = t->lines.trace.source;
	uint64_t from = 0, seen = 0;
	struct window w = lines_first(&t->lines);
	bool ok = true;

	while (ok && !lines_stopped(&t->lines)) {
		enum status status =
		    w.len ? STATUS_OK : source_next(source, from, PIECE, &w, e);
		bool last;

		if (status || !w.len)
			return status == STATUS_INTERRUPTED ? STATUS_OK : status;
		/* one that reaches no further is the end; a line as long as a window is cut there */
		last = w.off + w.len == seen || w.len > PIECE * 2;
		from = w.off + add_lines(t, line, &w, false, &ok);
		if (last && from == w.off)
			from = w.off + add_lines(t, line, &w, true, &ok);
		seen = w.off + w.len;
		source_release(source, &w);
		w = (struct window){0};
		ok = ok && publish_live(t, seen);
	}
	return ok ? STATUS_OK : error_set(e, STATUS_NOMEM, "out of memory");
}
