/*
 * Arbitrary text as a stream of libpgtrace.
 *
 * Input: a byte for the number of bins, then what follows the first line. What was read must hang
 * together: tasks end behind their starts and have parents before them, marks are of tasks and in
 * order, each metric is found by its name and its values can be asked for.
 */
#include "config.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "source/source.h"
#include "tasks/kind.h"
#include "tasks/tasks.h"

enum { BINS_MOST = 64, METRICS_MOST = 50 };

static const char head[] = "pgtrace 1 1000\n";

/* All of it read. */
static struct trace *read_stream(const void *text, size_t len)
{
	const struct trace_options options = {.as = "pgtrace", .no_cache = true};
	int fd = memfd_create("pgtrace", MFD_CLOEXEC);
	struct source *source;
	struct trace *t = NULL;
	struct error e;

	demand(fd >= 0 && write(fd, head, strlen(head)) == (ssize_t)strlen(head) &&
		   write(fd, text, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0,
	       "no file");
	demand(!source_open_fd(&source, fd, "text", &e), "no source");
	demand(!trace_open(&t, source, &options, &e) && !trace_wait(t, &e), "it cannot be read");
	return t;
}

static void check_columns(const struct trace *t)
{
	const struct task_columns *c = tasks_lock(t);

	for (uint32_t row = 0; row < c->count; row++) {
		demand(c->start[row] <= c->end[row], "a task ends before it starts");
		demand(c->parent[row] < row || c->parent[row] >= TASK_ORPHAN,
		       "a parent that starts later");
		demand(c->slot[row] < tasks_tables(t)->slots.count, "a task of no kind");
	}
	for (uint32_t i = 0; i < c->mark_count; i++) {
		demand(c->marks[i].task < c->count, "a mark of no task");
		demand(c->marks[i].label < tasks_tables(t)->labels.count, "a mark of no kind");
		demand(!i || c->marks[i - 1].task < c->marks[i].task ||
			   (c->marks[i - 1].task == c->marks[i].task &&
			    c->marks[i - 1].tick <= c->marks[i].tick),
		       "marks that are not in order");
	}
	tasks_unlock(t);
}

static void check_metrics(struct trace *t, size_t bins)
{
	double values[BINS_MOST];
	struct metric_info m;
	struct metric_ref ref;
	struct progress p;

	trace_progress(t, &p);
	demand(p.complete && !p.failed, "it was not read to its end");
	for (size_t i = 0; i < METRICS_MOST && t->kind->metric(t, i, &m); i++) {
		struct error e;

		demand(!m.sampled || m.min <= m.max, "its least is not the least");
		demand(!trace_metric_find(t, m.name, NULL, &ref, &e), "a metric is not found");
		if (p.first <= p.last)
			demand(!trace_values(t, &ref, p.first, p.last + 1, bins, values, NULL, &e),
			       "values cannot be told");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct trace *t;

	if (len < 1)
		return 0;
	t = read_stream(bytes + 1, len - 1);
	check_columns(t);
	check_metrics(t, 1 + bytes[0] % BINS_MOST);
	trace_close(t);
	return 0;
}
