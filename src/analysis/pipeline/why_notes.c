#include "config.h"

#include "analysis/pipeline/why.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* What is to be known beside the numbers: each note once, none where nothing is missing. */

struct noting {
	struct why *w;
	struct totals totals;
	bool ok;
};

__attribute__((format(printf, 2, 3))) static void note(struct noting *g, const char *fmt, ...)
{
	struct why_note n;
	va_list args;

	va_start(args, fmt);
	vsnprintf(n.text, sizeof(n.text), fmt, args);
	va_end(args);
	g->ok = vec_push(&g->w->notes, n) && g->ok;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void note_stages(struct noting *g)
{
	const struct why_stages *s = &g->w->reading.stages;
	char named[128] = "", missing[64] = "";
	size_t n = 0, m = 0;

	for (int t = 0; t < WHY_TIMES; t++) {
		if (s->of[t] >= 0 && n < sizeof(named))
			n += (size_t)snprintf(named + n, sizeof(named) - n, "%s%s %.16s",
					      n ? ", " : "", why_time_names[t],
					      store_stage(g->w->store, (size_t)s->of[t])->name);
		else if (s->of[t] < 0 && t != WHY_C)
			m += (size_t)snprintf(missing + m, sizeof(missing) - m, "%s%s",
					      m ? ", " : "", why_time_names[t]);
	}
	if (s->learned && n)
		note(g, "stages, from the order of their starts: %s", named);
	if (m)
		note(g, "no stage stands for %s: taken from the time before or the next stage",
		     missing);
}

static void note_marks(struct noting *g)
{
	const struct why_reading *r = &g->w->reading;

	if (!r->fetch_marks)
		note(g, "no mark of instruction-cache misses in this trace: their cycles are fetch");
	if (!r->miss_marks)
		note(g, "no mark of data-cache misses in this trace: dcache is latency beyond the "
			"most frequent");
	if (!r->marks)
		note(g, "no mark of mispredictions in this trace: squashed rows tell of them");
	if (r->unread)
		note(g, "operands of %" PRIu64 " instruction%s could not be read", r->unread,
		     plural(r->unread));
}

static void note_rows(struct noting *g)
{
	const struct why_reading *r = &g->w->reading;
	const uint64_t *fates = g->totals.fates;

	if (store_thread_count(g->w->store) > 1)
		note(g, "thread %" PRId64 " only, which commits most: others committed %" PRIu64
			" row%s", store_thread(g->w->store, r->thread), r->others,
		     plural(r->others));
	if (r->contradictory)
		note(g, "%" PRIu64 " row%s left out: the times contradict each other",
		     r->contradictory, plural(r->contradictory));
	if (r->far)
		note(g, "%" PRIu64 " row%s left out: too far from the others", r->far,
		     plural(r->far));
	if (fates[FATE_UNKNOWN])
		note(g, "the trace begins within the run: %" PRIu64 " row%s born before it "
			"only take places", fates[FATE_UNKNOWN], plural(fates[FATE_UNKNOWN]));
	if (fates[FATE_IN_FLIGHT])
		note(g, "the trace ends within the run: %" PRIu64 " row%s in flight, the last "
			"commit counts as its end", fates[FATE_IN_FLIGHT],
		     plural(fates[FATE_IN_FLIGHT]));
	if (g->w->differences)
		note(g, "%" PRIu64 " time%s did not come back: please report this",
		     g->w->differences, plural(g->w->differences));
}

bool why_note(struct why *w)
{
	struct noting g = {.w = w, .ok = true};

	store_totals(w->store, &g.totals);
	note_stages(&g);
	note_marks(&g);
	note_rows(&g);
	return g.ok;
}
