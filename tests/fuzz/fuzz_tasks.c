/*
 * What the readers of tasks make of arbitrary text and rows, in memory: no file is opened, no thread
 * started, and nothing waited for.
 *
 * Input: 'c' and a CSV; 'p', a byte for the number of bins, and what follows the first line of a
 * stream of libpgtrace; or rows as SQLite hands them over, eight bytes each: id, parent, start (two),
 * length, names, a mark's task and its tick.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "source/source.h"
#include "tasks/tasks_private.h"
#include "tasks_asking.h"

enum { BINS_MOST = 64, METRICS_MOST = 50, ROW = 8 };

/* Messages have its name, and nobody reads it. */
static struct source *no_source(void)
{
	static struct source *source;
	struct error e;
	int fd = source ? -1 : memfd_create("tasks", MFD_CLOEXEC);

	if (!source)
		demand(fd >= 0 && write(fd, "-", 1) == 1 && lseek(fd, 0, SEEK_SET) == 0 &&
			   !source_open_fd(&source, fd, "text", &e),
		       "no source");
	return source;
}

static struct tasks *begin(const struct task_reader *reader)
{
	struct tasks *t = task_trace_new(reader, no_source());

	demand(t && (t->ids = ids_new()), "no memory");
	pthread_rwlock_init(&t->lines.lock, NULL);
	t->lines.wake[0] = t->lines.wake[1] = -1;
	return t;
}

/* Nothing but a damaged cache file has them otherwise. */
static void check_marks(const struct task_columns *c)
{
	for (uint32_t i = 1; i < c->mark_count; i++)
		demand(c->marks[i - 1].task < c->marks[i].task ||
			   (c->marks[i - 1].task == c->marks[i].task &&
			    c->marks[i - 1].tick <= c->marks[i].tick),
		       "marks that are not in order");
	for (uint32_t row = 0, from = 0; row < c->count; from = c->marks_to[row++])
		for (uint32_t i = from; i < c->marks_to[row]; i++)
			demand(c->marks[i].task == row, "a mark of another task");
}

static void end(struct tasks *t)
{
	demand(task_publish_end(t), "no memory");
	check_marks(&t->columns);
	ask_tasks(&t->lines.trace);
	pthread_rwlock_destroy(&t->lines.lock);
	vec_free(&t->lines.warnings);
	task_trace_free(t);
}

static void add_text(struct tasks *t, const char *text, size_t len)
{
	struct window w = {.text = text, .len = len};
	struct error e = {STATUS_OK, ""};
	size_t done;
	bool ok;

	t->error = &e;
	ok = lines_cut(&w, true, task_add_line, t, &done);
	if (t->reader->end)
		ok &= t->reader->end(t);
	demand(ok || e.code, "no memory");
}

static void check_metrics(struct tasks *tasks, size_t bins)
{
	struct trace *t = &tasks->lines.trace;
	double values[BINS_MOST];
	struct metric_info m;
	struct metric_ref ref;
	struct error e;

	for (size_t i = 0; i < METRICS_MOST && t->kind->metric(t, i, &m); i++) {
		demand(!m.sampled || m.min <= m.max, "its least is not the least");
		demand(!trace_metric_find(t, m.name, NULL, &ref, &e), "a metric is not found");
		if (tasks->lines.first <= tasks->lines.last)
			demand(!trace_values(t, &ref, tasks->lines.first, tasks->lines.last + 1,
					     bins, values, NULL, &e),
			       "values cannot be told");
	}
}

static void check_csv(const char *text, size_t len)
{
	struct tasks *t = begin(&csv_task_reader);

	add_text(t, text, len);
	end(t);
}

static void check_stream(const uint8_t *bytes, size_t len)
{
	static const char head[] = "pgtrace 1 1000\n";
	struct tasks *t = begin(&stream_task_reader);
	char *text = malloc(strlen(head) + len);

	demand(text, "no memory");
	memcpy(text, head, strlen(head));
	memcpy(text + strlen(head), bytes + 1, len - 1);
	add_text(t, text, strlen(head) + len - 1);
	demand(task_publish(t), "no memory");
	check_metrics(t, 1 + bytes[0] % BINS_MOST);
	end(t);
	free(text);
}

static struct task_text name_of(unsigned number)
{
	static const char names[] = "abcdefgh";

	return (struct task_text){names + number % 8, 1};
}

static void check_rows(const uint8_t *bytes, size_t len)
{
	struct tasks *t = begin(&akita_task_reader);

	for (; len >= ROW; bytes += ROW, len -= ROW) {
		const int64_t start = (int8_t)bytes[2] * (INT64_C(1) << (bytes[3] % 54));
		const struct task_row row = {
		    .start = start,
		    .end = start + bytes[4],
		    .id = ids_number(t->ids, bytes[0]),
		    .parent = ids_number(t->ids, bytes[1]),
		    .slot = task_slot(t, name_of(bytes[5]), name_of(bytes[5] >> 3),
				      name_of(bytes[5] >> 6)),
		    .rowid = t->growing.count * 2 + bytes[0] % 2,
		};
		const uint32_t label =
		    task_label(t, name_of(bytes[6]), name_of(bytes[7]), name_of(0), bytes[6] % 2);

		demand(task_add(t, &row) &&
			   task_add_mark(t, bytes[6] % t->growing.count, (int8_t)bytes[7], label),
		       "no memory");
		if (bytes[7] == 0)
			demand(task_publish(t), "no memory");
	}
	end(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	if (len && bytes[0] == 'c')
		check_csv((const char *)bytes + 1, len - 1);
	else if (len > 1 && bytes[0] == 'p')
		check_stream(bytes + 1, len - 1);
	else
		check_rows(bytes, len);
	return 0;
}
