/*
 * Arbitrary text as a counter file of each form.
 *
 * Input: a byte for the form and the number of bins, then the text. What was read must hang
 * together: samples are those of the components, lie between the least and the greatest, and are
 * within the ticks seen; each metric is found by its name, and its values can be asked for; whatever
 * is listed is text.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "counters/kind.h"
#include "source/source.h"
#include "trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum { BINS_MOST = 64, METRICS_MOST = 200 };

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* All of it read, or NULL: it is none. */
static struct trace *read_text(const char *text, size_t len, const char *as)
{
	const struct trace_options options = {.as = as};
	int fd = memfd_create("counters", MFD_CLOEXEC);
	struct source *source;
	struct trace *t = NULL;
	struct error e;

	demand(fd >= 0 && write(fd, text, len) == (ssize_t)len && lseek(fd, 0, SEEK_SET) == 0,
	       "no file");
	if (source_open_fd(&source, fd, "text", &e))
		return NULL;
	if (trace_open(&t, source, &options, &e))
		return NULL;
	/* Without a form it may be anything, and other kinds may refuse it here. */
	demand(!trace_wait(t, &e) || t->kind != &counters_kind, "it cannot be read");
	return t;
}

static void check_warnings(const struct trace *t)
{
	struct warning w;
	size_t n = 0;

	for (; t->kind->warning(t, n, &w); n++)
		demand(w.text && *w.text, "a warning without a text");
	demand(n <= t->kind->warning_count(t), "more warnings than were counted");
}

static void check_values(struct trace *t, const struct metric_info *m, const struct progress *p,
			 size_t bins)
{
	double values[BINS_MOST];
	struct metric_ref ref;
	bool exact = true;
	struct error e;

	demand(!trace_metric_find(t, m->name, NULL, &ref, &e), "a metric is not found");
	demand(!trace_values(t, &ref, p->first, p->last + 1, bins, values, &exact, &e) && exact,
	       "values cannot be told");
}

static void check(struct trace *t, size_t bins)
{
	uint64_t samples = 0, spans = 0;
	struct trace_component c;
	struct metric_info m;
	struct progress p;

	trace_progress(t, &p);
	demand(p.complete && !p.failed, "it was not read to its end");
	for (size_t i = 0; t->kind->component(t, i, &c); i++)
		spans += c.spans;
	for (size_t i = 0; t->kind->metric(t, i, &m); i++) {
		samples += m.samples;
		demand(m.name && m.component, "a metric without a name");
		demand(m.min <= m.max, "its least is not the least");
		demand(!m.samples || p.first <= p.last, "samples at no time");
		if (m.samples && i < METRICS_MOST)
			check_values(t, &m, &p, bins);
	}
	demand(samples == spans, "samples are of no component");
	check_warnings(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const forms[] = {"perf-stat", "gem5-stats", "csv", NULL};
	struct trace *t;

	if (len < 2)
		return 0;
	t = read_text((const char *)bytes + 1, len - 1, forms[bytes[0] >> 6]);
	if (!t)
		return 0;
	if (t->kind == &counters_kind)
		check(t, 1 + bytes[0] % BINS_MOST);
	trace_close(t);
	return 0;
}
