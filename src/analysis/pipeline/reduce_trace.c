#include "config.h"

#include "analysis/pipeline/reduce_trace.h"

#include <string.h>

struct tracing {
	struct reduce_run *run;
	bool links;
	const int64_t *times; /* NULL: not asked for */
};

static bool take(void *arg, const struct executed *x)
{
	static const uint64_t none;
	struct tracing *t = arg;
	struct run_step step = {
	    .row = x->row,
	    .code = x->code,
	    .program = x->thread,
	    .taken = x->taken,
	    .self = x->insn.self_resolving,
	    .ahead = x->ahead,
	    .execute = t->times ? t->times[x->insn.class] : 0,
	};

	if (t->links) {
		step.from = x->producer_count ? x->producers : &none;
		step.from_count = x->producer_count;
	} else {
		step.sources = x->sources;
		step.source_count = x->source_count;
		step.sinks = x->sinks;
		step.sink_count = x->sink_count;
	}
	return run_add(t->run, &step);
}

enum status reduce_trace(struct reduced_trace *out, struct store *s, const struct range *range,
			 const struct reduce_trace_options *o, const atomic_bool *stop,
			 struct error *e)
{
	struct tracing t = {.links = o->executed.links, .times = o->times};
	struct codemap map = {0};
	enum status status;

	memset(out, 0, sizeof(*out));
	out->links = o->executed.links;
	status = run_new(&t.run, &o->run, e);
	if (status)
		return status;
	status = codemap_new(&map, s, o->isa, e);
	if (!status)
		status = executed_walk(s, &map, range, &o->executed, stop, take, &t, &out->counts,
				       e);
	out->isa = map.isa;
	codemap_free(&map);
	if (status) {
		run_free(t.run);
		return status;
	}
	status = run_end(t.run, &out->run, e);
	if (!status)
		out->run.reduction.unread = out->counts.unread;
	return status;
}

void reduced_trace_free(struct reduced_trace *r)
{
	run_result_free(&r->run);
}

bool reduced_trace_exact(const struct reduced_trace *r)
{
	return !r->links && !r->counts.unread && !r->counts.loads && !r->counts.redirects &&
	       !r->counts.nameless;
}
