#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/regex.h"
#include "base/text.h"
#include "base/xalloc.h"
#include "cmd/cmd.h"
#include "cmd/open.h"

enum { VALUE_COLUMNS = 12 };

static const char *const derived[] = {
#define SERIES_NAME(id, name, help) name,
    SERIES_INFO(SERIES_NAME)
#undef SERIES_NAME
};

static bool is_metric(const struct store *s, const char *name)
{
	struct metric_info m;

	for (int i = 0; i < SERIES_COUNT; i++)
		if (i != SERIES_STATISTIC && strcmp(derived[i], name) == 0)
			return true;
	for (size_t i = 0; store_metric(s, i, &m); i++)
		if (strcmp(m.name, name) == 0)
			return true;
	return false;
}

static enum status unknown_metric(const struct store *s, const char *name, struct error *e)
{
	struct sbuf known = {0};
	struct metric_info m;
	enum status status;

	for (int i = 0; i < SERIES_COUNT; i++)
		if (i != SERIES_STATISTIC)
			sbuf_printf(&known, "%s%s", i ? ", " : "", derived[i]);
	for (size_t i = 0; store_metric(s, i, &m); i++)
		sbuf_printf(&known, ", %s", m.name);
	status = error_set(e, STATUS_USAGE, "--metric: unknown metric '%s'; this trace has %s",
			   name, sbuf_text(&known));
	sbuf_free(&known);
	return status;
}

static enum status find_series(const struct store *s, const struct cmd_options *o,
			       struct series *out, struct error *e)
{
	struct regex *component = NULL;
	enum status status = STATUS_OK;

	if (!is_metric(s, o->metric))
		return unknown_metric(s, o->metric, e);
	if (o->component && strcmp(o->metric, derived[SERIES_OCCUPANCY]) != 0)
		return error_set(e, STATUS_USAGE,
				 "--component applies to --metric occupancy only, not to %s",
				 o->metric);
	if (o->component)
		status = regex_new(&component, o->component, e);
	if (status)
		return status;
	if (!series_parse(s, o->metric, component, out))
		status = error_set(e, STATUS_USAGE, "--component: no stage matches '%s'",
				   o->component ? o->component : "");
	regex_free(component);
	return status;
}

static enum status series_json(struct output *out, const struct cmd_options *o, int64_t from,
			       int64_t to, const double *values, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	json_key(w, "metric");
	json_string(w, o->metric);
	json_key(w, "component");
	json_string(w, o->component);
	json_key(w, "from");
	json_int(w, from);
	json_key(w, "to");
	json_int(w, to);
	json_key(w, "values");
	json_array(w);
	for (uint64_t i = 0; !status && i < o->bins; i++) {
		json_real(w, values[i]);
		status = output_drain(out, e);
	}
	json_array_end(w);
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
	snprintf(buf, 32, "%.*f", decimals, value);
	return buf;
}

static enum status series_text(struct output *out, const struct cmd_options *o, int64_t from,
			       int64_t to, const double *values, struct error *e)
{
	double width = ((double)to - (double)from) / (double)o->bins;
	enum status status = STATUS_OK;

	sbuf_printf(&out->text, "%14s  ", out->unit);
	if (text_width(o->metric, strlen(o->metric)) < VALUE_COLUMNS)
		sbuf_repeat(&out->text, ' ',
			    (size_t)(VALUE_COLUMNS - text_width(o->metric, strlen(o->metric))));
	output_cell(out, o->metric, strlen(o->metric), OUTPUT_TEXT_COLUMNS, false);
	sbuf_putc(&out->text, '\n');
	for (uint64_t i = 0; !status && i < o->bins; i++) {
		char start[32], value[32];

		sbuf_printf(&out->text, "%14s  %*s\n",
			    put_real((double)from + (double)i * width, start), VALUE_COLUMNS,
			    put_real(values[i], value));
		status = output_drain(out, e);
	}
	return status;
}

static enum status put_series(struct store *s, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	struct series series;
	int64_t from, to;
	double *values;
	enum status status = find_series(s, o, &series, e);

	if (!status)
		status = open_range(s, o, &from, &to, e);
	if (status)
		return status;
	values = xmalloc((size_t)o->bins * sizeof(*values));
	for (uint64_t i = 0; i < o->bins; i++)
		values[i] = NAN;
	if (from < to)
		status = store_series(s, &series, from, to, (size_t)o->bins, true, values, e);
	if (!status)
		status = (o->json ? series_json : series_text)(out, o, from, to, values, e);
	free(values);
	return status;
}

enum status cmd_series(const struct cmd_options *o, struct output *out, struct error *e)
{
	struct store *s;
	enum status status = open_trace(&s, o, out, e);

	if (status)
		return status;
	status = put_series(s, o, out, e);
	if (!status)
		open_note_warnings(s, o, out);
	store_close(s);
	return status;
}
