#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/pipeline/cpi0_files.h"
#include "analysis/pipeline/cpi0_trace.h"
#include "analysis/pipeline/cpi0_words.h"
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

/* What is asked for; machine, and what limits there: of cpi0 only. */
struct bins {
	const struct cmd_options *o;
	int64_t from, to;
	double *values;
	struct machine machine;
	unsigned *limits; /* sets; NULL: another metric */
	bool exact;
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
	sbuf_puts(&known, ", " CPI0_METRIC);
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

/* All that limit a bin, as names; null where nothing was committed. */
static void put_set(struct json *w, const struct machine *m, unsigned set)
{
	if (!set) {
		json_string(w, NULL);
		return;
	}
	json_array(w);
	for (; set; set &= set - 1)
		json_string(w, cpi0_limit_name(m, __builtin_ctz(set)));
	json_array_end(w);
}

static enum status put_limits(const struct bins *b, struct output *out, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_key(w, "machine");
	json_string(w, b->machine.name);
	json_key(w, "limiting");
	json_array(w);
	for (uint64_t i = 0; !status && i < b->o->bins; i++) {
		put_set(w, &b->machine, b->limits[i]);
		status = output_drain(out, e);
	}
	json_array_end(w);
	return status;
}

static enum status series_json(struct output *out, const struct bins *b, struct error *e)
{
	struct json *w = &out->json;
	enum status status = STATUS_OK;

	json_object(w);
	json_key(w, "metric");
	json_string(w, b->o->metric);
	json_key(w, "component");
	json_string(w, b->o->component);
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
	if (!status && b->limits)
		status = put_limits(b, out, e);
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
	if (b->limits)
		sbuf_printf(&out->text, "  limited by, on %s", b->machine.name);
	sbuf_putc(&out->text, '\n');
	for (uint64_t i = 0; !status && i < b->o->bins; i++) {
		char start[32], value[32];

		sbuf_printf(&out->text, "%14s  %*s",
			    put_real((double)b->from + (double)i * width, start), VALUE_COLUMNS,
			    put_real(b->values[i], value));
		if (b->limits && b->limits[i]) {
			sbuf_puts(&out->text, "  ");
			cpi0_say_limits(&b->machine, b->limits[i], &out->text);
		}
		sbuf_putc(&out->text, '\n');
		status = output_drain(out, e);
	}
	return status;
}

/* ---- what they are ------------------------------------------------------------------------- */

static enum status fill_cpi0(struct bins *b, struct store *s, struct error *e)
{
	struct cpi0_point *points = xcalloc((size_t)b->o->bins, sizeof(*points));
	struct range r = range_all(s);
	struct codemap map;
	enum status status = codemap_new(&map, s, ISA_UNKNOWN, e);

	r.tick0 = b->from;
	r.tick1 = b->to;
	if (!status)
		status = cpi0_series(points, (size_t)b->o->bins, s, &map, &r, &b->machine, NULL, e);
	for (uint64_t i = 0; !status && i < b->o->bins; i++) {
		b->values[i] = points[i].cpi;
		b->limits[i] = points[i].limiting;
	}
	codemap_free(&map);
	free(points);
	return status;
}

static enum status check_options(const struct cmd_options *o, bool cpi0, struct error *e)
{
	if (cpi0 && o->component)
		return error_set(e, STATUS_USAGE, "--component applies to --metric occupancy only, "
						  "not to " CPI0_METRIC);
	if (!cpi0 && o->cpi0.machine)
		return error_set(e, STATUS_USAGE,
				 "--machine applies to --metric " CPI0_METRIC " only, not to %s",
				 o->metric);
	return STATUS_OK;
}

static enum status put_series(struct store *s, const struct cmd_options *o, struct output *out,
			      struct error *e)
{
	bool cpi0 = strcmp(o->metric, CPI0_METRIC) == 0;
	struct bins b = {.o = o, .exact = true};
	struct series series;
	enum status status = check_options(o, cpi0, e);

	if (!status && cpi0)
		status = cpi0_machine_open(&b.machine, o->cpi0.machine ? o->cpi0.machine
								       : CPI0_MACHINE_DEFAULT, e);
	else if (!status)
		status = find_series(s, o, &series, e);
	if (!status)
		status = open_range(s, o, &b.from, &b.to, e);
	if (status)
		return status;
	b.values = xmalloc((size_t)o->bins * sizeof(*b.values));
	b.limits = cpi0 ? xcalloc((size_t)o->bins, sizeof(*b.limits)) : NULL;
	for (uint64_t i = 0; i < o->bins; i++)
		b.values[i] = NAN;
	if (b.from < b.to && cpi0)
		status = fill_cpi0(&b, s, e);
	else if (b.from < b.to)
		status =
		    store_series(s, &series, b.from, b.to, (size_t)o->bins, b.values, &b.exact, e);
	for (uint64_t i = 0; !cpi0 && series_is_rate(&series) && i < o->bins; i++)
		b.values[i] *= (double)store_ticks_per_cycle(s);
	if (!status)
		status = (o->json ? series_json : series_text)(out, &b, e);
	if (!status && !b.exact)
		output_note(out, o->files.data[0],
			    "the occupancy is an estimate: rows that ended very long after "
			    "they began change their stage in it");
	free(b.limits);
	free(b.values);
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
