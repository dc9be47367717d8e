#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/regex.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/open.h"
#include "cmd/series.h"

enum { VALUE_COLUMNS = 12 };

/* What is asked for; by: the analysis whose metric it is, and its own. */
struct bins {
	const struct cmd_options *o;
	int64_t from, to;
	double *values;
	const struct series_metric *by; /* NULL: the trace's own metric */
	void *own;
	bool exact;
};

static enum status series_json(struct output *out, const struct bins *b, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	json_key(w, "metric");
	json_string(w, b->o->metric);
	json_key(w, "component");
	json_string(w, b->o->component);
	json_key(w, "kind");
	json_string(w, b->o->kind);
	json_key(w, "from");
	json_int(w, b->from);
	json_key(w, "to");
	json_int(w, b->to);
	json_key(w, "values");
	json_array(w);
	for (uint64_t i = 0; !status && i < b->o->bins; i++) {
		json_real(w, b->values[i]);
		status = output_drain(out, e);
	}
	json_array_end(w);
	json_key(w, "exact");
	json_bool(w, b->exact);
	if (!status && b->by)
		status = b->by->json(b->own, (size_t)b->o->bins, out, e);
	json_object_end(w);
	sbuf_putc(&out->text, '\n');
	return status;
}

/* Four significant decimals, but never fewer digits than the whole number has; JSON is exact. */
static const char *put_real(double value, char buf[32])
{
	double size = fabs(value);
	int decimals = 0;

	if (isnan(value))
		return "-";
	if (size >= 1e15 || (size > 0 && size < 1e-6)) {
		snprintf(buf, 32, "%.4g", value);
		return buf;
	}
	if (value != floor(value))
		for (decimals = 3; size < 1 && decimals < 12; decimals++)
			size *= 10;
	for (size = fabs(value); size >= 10 && decimals > 0; decimals--)
		size /= 10;
	if (decimals == 0)
		return num_group(llround(value), buf);
	snprintf(buf, 32, "%.*f", decimals, value);
	return buf;
}

static enum status series_text(struct output *out, const struct bins *b, struct error *e)
{
	const char *metric = b->o->metric;
	double width = ((double)b->to - (double)b->from) / (double)b->o->bins;
	enum status status = STATUS_OK;

	sbuf_printf(&out->text, "%14s  ", out->unit);
	if (text_width(metric, strlen(metric)) < VALUE_COLUMNS)
		sbuf_repeat(&out->text, ' ',
			    (size_t)(VALUE_COLUMNS - text_width(metric, strlen(metric))));
	output_cell(out, metric, strlen(metric), OUTPUT_TEXT_COLUMNS, false);
	if (b->by)
		b->by->heading(b->own, &out->text);
	sbuf_putc(&out->text, '\n');
	for (uint64_t i = 0; !status && i < b->o->bins; i++) {
		char start[32], value[32];

		sbuf_printf(&out->text, "%14s  %*s",
			    put_real((double)b->from + (double)i * width, start), VALUE_COLUMNS,
			    put_real(b->values[i], value));
		if (b->by)
			b->by->say(b->own, (size_t)b->o->bins, (size_t)i, &out->text);
		sbuf_putc(&out->text, '\n');
		status = output_drain(out, e);
	}
	return status;
}

/* ---- what they are ------------------------------------------------------------------------- */

static const struct series_metric *find_given(const char *name)
{
	for (int i = 0; series_metrics[i]; i++) {
		const struct series_metric *m = series_metrics[i];
		const size_t len = strlen(m->name);

		if (strncmp(m->name, name, len) == 0 &&
		    (!name[len] || (m->parted && name[len] == ':')))
			return m;
	}
	return NULL;
}

static enum status check_options(const struct cmd_options *o, const struct series_metric *given,
				 struct error *e)
{
	if (given && (o->component || o->kind))
		return error_set(e, STATUS_USAGE, "--%s does not apply to --metric %s",
				 o->component ? "component" : "kind", o->metric);
	if (o->cpi0.machine && (!given || given->parted))
		return error_set(e, STATUS_USAGE,
				 "--machine applies to --metric cpi0 only, not to %s", o->metric);
	return STATUS_OK;
}

/* The metric, or a line that says which option is wrong. */
static enum status find_metric(const struct trace *t, const struct cmd_options *o,
			       struct metric_ref *out, struct error *e)
{
	struct regex *component = NULL, *kinds = NULL;
	struct error why = {STATUS_OK, ""};
	enum status status = STATUS_OK;

	if (o->component)
		status = regex_new(&component, o->component, e);
	if (!status && o->kind)
		status = regex_new(&kinds, o->kind, e);
	if (!status) {
		status = trace_metric_find(t, o->metric, component, out, &why);
		if (status)
			error_set(e, status, "--metric %s: %s", o->metric, why.text);
	}
	if (!status)
		status = trace_kinds_find(t, kinds, &out->kinds, e);
	regex_free(component);
	regex_free(kinds);
	return status == STATUS_NOT_FOUND ? STATUS_USAGE : status;
}

static enum status fill(struct bins *b, struct trace *t, struct error *e)
{
	struct metric_ref metric;
	enum status status;

	if (b->by)
		return b->by->fill(&b->own, t, b->o, b->from, b->to, b->values, e);
	status = find_metric(t, b->o, &metric, e);
	if (!status && b->from < b->to)
		status = t->kind->values(t, &metric, b->from, b->to, (size_t)b->o->bins, b->values,
					 &b->exact, e);
	return status;
}

static enum status put_series(struct trace *t, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	struct bins b = {.o = o, .exact = true, .by = find_given(o->metric)};
	enum status status = check_options(o, b.by, e);

	if (!status)
		status = open_range(t, o, &b.from, &b.to, e);
	if (status)
		return status;
	b.values = xmalloc((size_t)o->bins * sizeof(*b.values));
	for (uint64_t i = 0; i < o->bins; i++)
		b.values[i] = NAN;
	status = fill(&b, t, e);
	if (!status)
		status = (o->json ? series_json : series_text)(out, &b, e);
	if (!status && !b.exact)
		output_note(out, o->files.data[0],
			    "the occupancy is estimated: the stages of some rows are too "
			    "far back in the text");
	if (b.by)
		b.by->free(b.own);
	free(b.values);
	return status;
}

enum status cmd_series(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct trace *t;
	enum status status = open_trace(&t, o, out, e);

	if (status)
		return status;
	status = put_series(t, o, out, e);
	if (!status)
		open_note_warnings(t, o, out);
	trace_close(t);
	return status;
}
