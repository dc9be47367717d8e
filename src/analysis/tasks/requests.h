/*
 * Who sent requests to whom: pairs of a req_out and the req_in that it is the parent of, by
 * component, with how long requests were on the way and how long they were handled. A file without
 * any has messages in their place, if it says which ports are connected: each stay in the incoming
 * buffer of a port is one from the component at the other end.
 *
 * Made under the trace's lock of the moment; names are the trace's (hostile). O(tasks).
 */
#ifndef PIPEGLASS_ANALYSIS_TASKS_REQUESTS_H
#define PIPEGLASS_ANALYSIS_TASKS_REQUESTS_H

#include "analysis/tasks/answers.h"

/* One request. */
struct task_pair {
	int64_t sent;          /* tick; of one from nobody known: when it came in */
	int64_t wait, latency; /* ticks: from sent to come in; from that to completed */
	uint32_t from, to;     /* numbers of components; from TASK_NONE: of nobody known */
};

/* Together by the component that they came to; what is summed up again and again. */
struct task_pairs {
	VEC(struct task_pair) list;
	uint32_t components; /* their numbers are below */
	bool messages;       /* of ports: sent when they came in, handled when they left the buffer */
};

struct task_edge {
	uint32_t from_number, to_number; /* of the components */
	const char *from, *to;
	uint64_t count;
	double wait, latency; /* seconds, means: from sent to come in; from that to completed */
};

/* Of requests_answer. */
struct task_requests {
	VEC(struct task_edge) edges; /* the most requests first */
	uint64_t unpaired;           /* requests that came in from nobody known */
};

/*
 * Of the trace so far, those of which an end matches (NULL: all). task_pairs_free() also after a
 * failure. O(tasks).
 */
enum status task_pairs_find(struct task_pairs *p, const struct trace *t, const struct regex *among,
			    struct error *e);
void task_pairs_free(struct task_pairs *p);
/* Of those that were sent in [from, to). task_requests_free() also after a failure. O(pairs). */
enum status task_requests_sum(struct task_requests *r, const struct task_pairs *p,
			      const struct trace *t, int64_t from, int64_t to, struct error *e);
void task_requests_free(struct task_requests *r);

#endif
