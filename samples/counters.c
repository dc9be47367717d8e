#include "core.h"

#include <inttypes.h>

/* Which events a stage can have; the others are not printed. */
static const unsigned possible[STAGE_COUNT] = {
    [STAGE_IF] = EVENT_CACHE_MISS | EVENT_TLB_MISS,
    [STAGE_DA] = EVENT_MISPREDICT,
    [STAGE_EX] = EVENT_CACHE_MISS | EVENT_TLB_MISS | EVENT_AGEN,
    [STAGE_WB] = EVENT_DETECTED,
    [STAGE_CT] = EVENT_CACHE_MISS | EVENT_TLB_MISS,
};

static const char *const unit_names[UNIT_COUNT] = {
#define X(id, name, queue) name,
    UNITS(X)
#undef X
};

static const char *const queue_names[QUEUE_COUNT] = {
#define X(id, name) name,
    QUEUES(X)
#undef X
};

static const char *const dispatch_names[DISPATCH_LIMIT_COUNT] = {
#define X(id, name) name,
    DISPATCH_LIMITS(X)
#undef X
};

static const char *const commit_names[COMMIT_LIMIT_COUNT] = {
#define X(id, name) name,
    COMMIT_LIMITS(X)
#undef X
};

static void put(FILE *out, const char *group, const char *name, const char *what, int64_t value)
{
	fprintf(out, "%s%s%s%s%s %" PRId64 "\n", group, *name ? "." : "", name, *what ? "." : "",
		what, value);
}

static void print_machine(const struct machine *m, FILE *out)
{
	int i;

	put(out, "machine", "width", "", m->width);
	put(out, "machine", "fetch_queue", "", m->fetch_queue);
	put(out, "machine", "rob", "", m->rob);
	put(out, "machine", "mshrs", "", m->mshrs);
	for (i = 0; i < QUEUE_COUNT; i++)
		put(out, "machine", "queue", queue_names[i], m->queue[i]);
	for (i = 0; i < UNIT_COUNT; i++)
		put(out, "machine", "units", unit_names[i], m->unit[i].count);
}

static void print_stages(const struct counters *n, FILE *out)
{
	int s, e;

	for (s = 0; s < STAGE_COUNT; s++) {
		put(out, "stage", trace_stage_names[s], "entries", n->stage_entries[s]);
		put(out, "stage", trace_stage_names[s], "cycles", n->stage_cycles[s]);
		put(out, "stage", trace_stage_names[s], "open_cycles", n->stage_open_cycles[s]);
	}
	for (e = 0; e < EVENT_COUNT; e++) {
		int64_t sum = 0;

		for (s = 0; s < STAGE_COUNT; s++) {
			sum += n->event[e][s];
			if (possible[s] & trace_events[e].mask)
				put(out, "event", trace_events[e].name, trace_stage_names[s],
				    n->event[e][s]);
		}
		put(out, "event", trace_events[e].name, "", sum);
	}
	for (e = 0; e < EVENT_COUNT; e++) {
		if (trace_events[e].mask & (EVENT_CACHE_MISS | EVENT_TLB_MISS))
			put(out, "latency", trace_events[e].name, "", n->event_latency[e]);
	}
}

static void print_cache(const char *name, const struct cache *c, FILE *out)
{
	put(out, name, "accesses", "", c->accesses);
	put(out, name, "misses", "", c->misses);
	put(out, name, "delayed_hits", "", c->delayed);
}

static void print_limits(const struct counters *n, FILE *out)
{
	int i;

	for (i = 0; i < DISPATCH_LIMIT_COUNT; i++)
		put(out, "dispatch", dispatch_names[i], "", n->dispatch[i]);
	for (i = 0; i < COMMIT_LIMIT_COUNT; i++)
		put(out, "commit", commit_names[i], "", n->commit[i]);
	for (i = 0; i < UNIT_COUNT; i++) {
		put(out, "unit", unit_names[i], "begun", n->unit_busy[i]);
		put(out, "unit", unit_names[i], "committed", n->committed_unit[i]);
		put(out, "unit", unit_names[i], "full_cycles", n->unit_full[i]);
	}
	put(out, "mshr", "full_cycles", "", n->mshr_full);
}

void core_print(const struct core *core, FILE *out)
{
	const struct counters *n = &core->counters;

	print_machine(core->machine, out);
#define X(name, about) put(out, #name, "", "", n->name);
	COUNTERS(X)
#undef X
	fprintf(out, "ipc %.6f\n", (double)n->committed_instructions / (double)n->cycles);
	print_stages(n, out);
	print_cache("icache", &core->icache, out);
	print_cache("dcache", &core->dcache, out);
	print_cache("l2", &core->l2, out);
	print_cache("itlb", &core->itlb, out);
	print_cache("dtlb", &core->dtlb, out);
	print_limits(n, out);
}
