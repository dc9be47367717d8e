/*
 * What a trace can be asked as a whole: each answer is one result of sections (trace/result.h), from
 * which its command and its pane are made.
 *
 * Answers of a kind are made in a few passes over what it has, each under the trace's lock; their
 * texts are the trace's (hostile). They may be made on a thread of their own, and stopped between two
 * passes.
 */
#ifndef PIPEGLASS_ANALYSIS_ANSWER_H
#define PIPEGLASS_ANALYSIS_ANSWER_H

#include <stdatomic.h>

#include "base/regex.h"
#include "base/status.h"
#include "trace/result.h"
#include "trace/trace.h"

/* An answer takes of it what it can use. NULLs: everything, nobody. */
struct question {
	struct trace *beside; /* B, that the trace is compared with as A: as long as the result */
	int64_t from, to;                     /* what happened, or was there, in it */
	const struct regex *component, *kind; /* those that match; of a request an end */
	/* Tasks that a component can hold at once; 0: not known. NULL: of those with wavefronts. */
	double capacity;
	const struct regex *holds;
	const atomic_bool *stop; /* asks it to end: STATUS_INTERRUPTED */
	atomic_int *percent;     /* of the work that is done */
};

struct answer {
	const char *name;              /* of the command and the pane */
	const struct trace_kind *kind; /* of the traces that it is about */
	const struct section *sections;
	size_t size; /* of its result, which is allocated */
	enum status (*make)(void *result, struct trace *t, const struct question *q,
			    struct error *e);
	void (*free)(void *result); /* as free(); also after a failure */
};

/* So much of it is done; what the maker says who is asked to stop, else STATUS_OK. */
static inline enum status answer_go_on(const struct question *q, double share, struct error *e)
{
	if (q->percent)
		*q->percent = (int)(100 * share);
	return q->stop && *q->stop ? error_set(e, STATUS_INTERRUPTED, "stopped") : STATUS_OK;
}

#endif
