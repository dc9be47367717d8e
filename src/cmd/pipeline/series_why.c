/*
 * `series --metric why:CAUSE`: the share of each bin that the critical path spent on a cause;
 * `why`: that of the cause which ruled there, and all others besides.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/why.h"
#include "base/xalloc.h"
#include "cmd/pipeline/open.h"
#include "cmd/series.h"

struct shares {
	struct why why;
	unsigned from, to; /* causes that are asked for: one, or all */
	double values[];   /* of each cause all bins */
};

static void shares_free(void *own)
{
	if (own)
		why_free(&((struct shares *)own)->why);
	free(own);
}

static bool has_all(const struct shares *s)
{
	return s->to > s->from + 1;
}

/* Which of them has the greatest share of a bin. */
static unsigned ruling(const struct shares *s, size_t bins, size_t bin)
{
	unsigned found = s->from;

	for (unsigned c = s->from; c < s->to; c++)
		if (s->values[c * bins + bin] > s->values[found * bins + bin])
			found = c;
	return found;
}

static enum status why_fill(void **own, struct trace *t, const struct cmd_options *o, int64_t from,
			    int64_t to, double *values, struct error *e)
{
	const size_t bins = (size_t)o->bins;
	const char *colon = strchr(o->metric, ':');
	struct store *store = store_of_trace(t);
	struct shares *s;
	enum status status;

	if (!store)
		return error_set(e, STATUS_INPUT, "%s needs a trace of instructions; this is: %s",
				 o->metric, t->format.title);
	*own = s = xcalloc(1, sizeof(*s) + WHY_CAUSES_ALL * bins * sizeof(s->values[0]));
	status = why_new(&s->why, store, &(struct why_question){.path = true}, e);
	if (status)
		return open_name_file(o->files.data[0], status, e);
	s->from = colon ? why_cause_named(&s->why, colon + 1) : 0;
	s->to = colon ? s->from + 1 : s->why.cause_count;
	if (s->from == WHY_NO_CAUSE)
		return error_set(e, STATUS_USAGE,
				 "--metric %s: no such cause; why lists those of the trace",
				 o->metric);
	if (!why_path_shares(&s->why.path, from, to, bins, s->values))
		return error_set(e, STATUS_NOMEM, "out of memory");
	for (size_t bin = 0; bin < bins; bin++)
		values[bin] = s->values[ruling(s, bins, bin) * bins + bin];
	return STATUS_OK;
}

/* Of each cause that owns cycles of the run. */
static enum status why_json(const void *own, size_t bins, struct output *out, struct error *e)
{
	const struct shares *s = own;
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	if (!has_all(s))
		return STATUS_OK;
	json_key(w, "causes");
	json_object(w);
	for (unsigned c = 0; c < s->why.cause_count; c++) {
		if (!s->why.causes[c].cycles)
			continue;
		json_key(w, s->why.causes[c].name);
		json_array(w);
		for (size_t i = 0; !status && i < bins; i++) {
			json_real(w, s->values[c * bins + i]);
			status = output_drain(out, e);
		}
		json_array_end(w);
	}
	json_object_end(w);
	return status;
}

static void why_heading(const void *own, struct sbuf *out)
{
	sbuf_puts(out, has_all(own) ? "  ruled by" : "");
}

static void why_say(const void *own, size_t bins, size_t bin, struct sbuf *out)
{
	const struct shares *s = own;

	if (has_all(s) && !isnan(s->values[bin]))
		sbuf_printf(out, "  %s", why_cause_name(&s->why, ruling(s, bins, bin)));
}

const struct series_metric why_series_metric = {
    .name = WHY_METRIC,
    .parted = true,
    .fill = why_fill,
    .free = shares_free,
    .json = why_json,
    .heading = why_heading,
    .say = why_say,
};
