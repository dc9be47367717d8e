/*
 * `series --metric why:CAUSE`: the share of each bin that the critical path spent on a cause; `why`:
 * that of the cause which ruled there, and all others besides.
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
	struct why_path path;
	unsigned first, count; /* causes that are asked for: one or all */
	size_t bins;
	double *values; /* of each of them all bins; NaN: before the run or behind it */
};

static void shares_free(void *own)
{
	struct shares *s = own;

	if (!s)
		return;
	why_path_free(&s->path);
	free(s->values);
	free(s);
}

static enum status make_path(struct why_path *out, struct store *store, struct error *e)
{
	struct why w;
	enum status status = why_new(&w, store, NULL, NULL, 0, NULL, NULL, e);

	if (status)
		return status;
	status = why_path_new(out, &w, NULL, e);
	why_free(&w);
	return status;
}

static double overlap(double from, double to, double first, double end)
{
	return fmax(0, fmin(to, end) - fmax(from, first));
}

/* Each bin is divided by what of it lies in the run. */
static void fill_bins(struct shares *s, int64_t from, int64_t to)
{
	const double width = ((double)to - (double)from) / (double)s->bins;
	const double first = (double)s->path.from, end = (double)vec_last(&s->path.steps).to;

	for (size_t bin = 0; bin < s->bins; bin++) {
		const double at = (double)from + (double)bin * width;
		const double known = overlap(at, at + width, first, end);

		for (unsigned c = 0; c < s->count; c++)
			s->values[c * s->bins + bin] = known > 0 ? 0 : NAN;
	}
	for (size_t i = 0; from < to && i < s->path.steps.count; i++) {
		const double begins = (double)why_path_from(&s->path, i);
		const double ends = (double)s->path.steps.data[i].to;
		const unsigned cause = s->path.steps.data[i].cause - s->first;
		double bin = floor(fmax(0, (begins - (double)from) / width));

		for (; cause < s->count && bin < (double)s->bins && (double)from + bin * width < ends; bin++) {
			const double at = (double)from + bin * width;
			const double part = overlap(at, at + width, begins, ends);

			if (part > 0)
				s->values[cause * s->bins + (size_t)bin] +=
				    part / overlap(at, at + width, first, end);
		}
	}
}

/* The cause with the greatest share of a bin. */
static unsigned ruling(const struct shares *s, size_t bin)
{
	unsigned found = 0;

	for (unsigned c = 1; c < s->count; c++)
		if (s->values[c * s->bins + bin] > s->values[found * s->bins + bin])
			found = c;
	return found;
}

/* All, or that behind the colon. */
static enum status find_causes(struct shares *s, const char *metric, struct error *e)
{
	const char *colon = strchr(metric, ':');

	s->count = WHY_CAUSES_ALL;
	if (!colon)
		return STATUS_OK;
	s->count = 1;
	for (; s->first < WHY_CAUSES_ALL; s->first++)
		if (colon[1] && strcmp(s->path.causes[s->first], colon + 1) == 0)
			return STATUS_OK;
	return error_set(e, STATUS_USAGE, "--metric %s: no such cause; why lists those of the trace",
			 metric);
}

static enum status why_fill(void **own, struct trace *t, const struct cmd_options *o, int64_t from,
			    int64_t to, double *values, struct error *e)
{
	struct store *store = store_of_trace(t);
	struct shares *s = xcalloc(1, sizeof(*s));
	enum status status;

	*own = s;
	s->bins = (size_t)o->bins;
	if (!store)
		return error_set(e, STATUS_INPUT, "%s needs a trace of instructions; this is: %s",
				 o->metric, t->format.title);
	status = make_path(&s->path, store, e);
	if (status)
		return open_name_file(o->files.data[0], status, e);
	status = find_causes(s, o->metric, e);
	if (status)
		return status;
	s->values = xcalloc(s->count * s->bins, sizeof(*s->values));
	fill_bins(s, from, to);
	for (size_t bin = 0; bin < s->bins; bin++)
		values[bin] = s->values[ruling(s, bin) * s->bins + bin];
	return STATUS_OK;
}

static bool has_any(const double *values, size_t bins)
{
	while (bins > 0 && !(values[bins - 1] > 0))
		bins--;
	return bins > 0;
}

static enum status why_json(const void *own, size_t bins, struct output *out, struct error *e)
{
	const struct shares *s = own;
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	if (s->count == 1)
		return STATUS_OK;
	json_key(w, "causes");
	json_object(w);
	for (unsigned c = 0; c < s->count; c++) {
		const double *values = s->values + c * bins;

		if (!has_any(values, bins))
			continue;
		json_key(w, s->path.causes[c]);
		json_array(w);
		for (size_t i = 0; !status && i < bins; i++) {
			json_real(w, values[i]);
			status = output_drain(out, e);
		}
		json_array_end(w);
	}
	json_object_end(w);
	return status;
}

static void why_heading(const void *own, struct sbuf *out)
{
	if (((const struct shares *)own)->count > 1)
		sbuf_puts(out, "  ruled by");
}

static void why_say(const void *own, size_t bin, struct sbuf *out)
{
	const struct shares *s = own;

	if (s->count > 1 && !isnan(s->values[bin]))
		sbuf_printf(out, "  %s", s->path.causes[ruling(s, bin)]);
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
